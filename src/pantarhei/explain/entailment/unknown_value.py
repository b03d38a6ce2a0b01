"""Values of which only data ranges are known: fresh names that stand for literals.

A literal is tested against a data range; a fresh name is noted to be in one, as in a class of its own,
written D° here. Rules with tests have variants for such names (heads with a literal as subject are never
derived, so they say nothing of literals):

    A(x) :- R(x, y), y ∈ D      also   A(x) :- R(x, y), D°(y)
    ⊥ :- R(x, y), y ∉ D         also   D°(y) :- R(x, y)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations

from rdflib import RDFS, URIRef, Variable

from pantarhei.model.data_range import DataComplementOf, DataIntersectionOf, DataRange, Datatype
from pantarhei.model.rule import Atom, Member, Rule
from pantarhei.model.term import Term
from pantarhei.values.emptiness import includes

ANY_LITERAL = Datatype(RDFS.Literal)

_RANGE = "urn:pantarhei:range#"

# A rule with more tests than this has only the variant in which each is replaced.
_MOST_MIXED = 3


@dataclass(slots=True)
class RangeNames:
    """The names D° of data ranges, and those of them that a rule asks for."""

    names: dict[DataRange, URIRef] = field(default_factory=dict)
    asked: dict[DataRange, None] = field(default_factory=dict)
    _around: dict[DataRange, tuple[DataRange, ...]] = field(default_factory=dict)

    def copy(self) -> RangeNames:
        return RangeNames(dict(self.names), dict(self.asked))

    def name_of(self, range_: DataRange) -> URIRef:
        """D°, which ends in what people call the range."""
        known = self.names.get(range_)
        if known is None:
            named = URIRef(_RANGE + re.sub(r"[^\w().-]+", "_", str(range_)))
            taken = named in self.names.values()  # ranges of like-named datatypes
            known = self.names[range_] = URIRef(f"{named}-{len(self.names)}") if taken else named
        return known

    def known(self, types: Iterable[Term]) -> DataRange:
        """What a value of these classes is in; rdfs:Literal if nothing is known."""
        given = set(types)
        found = tuple(range_ for range_, name in self.names.items() if name in given)
        return found[0] if len(found) == 1 else DataIntersectionOf(found) if found else ANY_LITERAL

    def implied(self, types: Iterable[Term]) -> list[URIRef]:
        """The names that rules ask for of the ranges around what is known, without those given."""
        given = set(types)
        known = self.known(given)
        around = self._around.get(known)
        if around is None:
            around = self._around[known] = tuple(r for r in self.asked if includes(r, known))
        return [self.names[range_] for range_ in around if self.names[range_] not in given]

    def variants(self, rules: Iterable[Rule]) -> Iterator[Rule]:
        """The rules about fresh names that stand for literals."""
        for rule in rules:
            bound = {argument for atom in rule.body for argument in atom.arguments}
            members = [
                test
                for test in rule.tests
                if isinstance(test, Member) and isinstance(test.argument, Variable) and test.argument in bound
            ]
            sizes = range(1, len(members) + 1) if len(members) <= _MOST_MIXED else (len(members),)
            for chosen in (choice for size in sizes for choice in combinations(members, size)):
                yield self._replaced(rule, chosen)
            if rule.head is None and not rule.different and len(members) == len(rule.tests):
                yield from (self._turned(rule, members, i) for i in range(len(members)))

    def _replaced(self, rule: Rule, members: Iterable[Member]) -> Rule:
        """The rule with atoms in place of `members`."""
        chosen = tuple(members)
        tests = tuple(test for test in rule.tests if test not in chosen)
        return replace(rule, body=(*rule.body, *map(self._asked_atom, chosen)), tests=tests)

    def _turned(self, rule: Rule, members: list[Member], i: int) -> Rule:
        """A constraint as a rule: what would violate it as the i-th test is in the complement."""
        others = (self._asked_atom(member) for j, member in enumerate(members) if j != i)
        head = self._atom(replace(members[i], inside=not members[i].inside))
        return replace(rule, body=(*rule.body, *others), head=head, tests=())

    def _asked_atom(self, member: Member) -> Atom:
        self.asked[_range_of(member)] = None
        return self._atom(member)

    def _atom(self, member: Member) -> Atom:
        return Atom(self.name_of(_range_of(member)), (member.argument,))


def is_range_name(type_: Term) -> bool:
    """Whether the class is a data range that a fresh name is noted to be in."""
    return type_.startswith(_RANGE)


def _range_of(member: Member) -> DataRange:
    if member.inside:
        return member.range
    return (
        member.range.operand if isinstance(member.range, DataComplementOf) else DataComplementOf(member.range)
    )
