"""The closure of an ontology's assertions, and of what is assumed for a while.

A question about all instances of a class is asked of one that nothing else is known of: facts with a fresh
name are assumed, what follows is looked at, and the assumption is withdrawn. An assumption costs what it
derives, not the closure. Names that differ may be equal here (OWL 2 Direct Semantics). A fresh name in the
place of a literal stands for a value of which only data ranges are known (value.py).

Values of which only data ranges are known: fresh names that stand for literals.

A literal is tested against a data range; a fresh name is noted to be in one, as in a class of its own,
written D° here. Rules with tests have variants for such names (heads with a literal as subject are never
derived, so they say nothing of literals):

    A(x) :- R(x, y), y ∈ D      also   A(x) :- R(x, y), D°(y)
    ⊥ :- R(x, y), y ∉ D         also   D°(y) :- R(x, y)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from rdflib import OWL, RDF, RDFS, Literal, URIRef, Variable

from pantarhei.encoding.numbers import Integers
from pantarhei.materialize.model import WindowModel
from pantarhei.model.data_range import DataComplementOf, DataIntersectionOf, DataRange, Datatype
from pantarhei.model.rule import Atom, Member, Origin, Predicate, Rule
from pantarhei.model.term import ONLY_TYPE, Term, Triple, in_order
from pantarhei.proofs.extraction import proof_of, proof_of_violation
from pantarhei.proofs.proof import Proof
from pantarhei.repair.consistency import Contradiction, contradictions_in, model_of_background
from pantarhei.repair.result import ConflictList
from pantarhei.rules.compilation.growth import GrowingProgram
from pantarhei.rules.translation.demand import Theory
from pantarhei.values.emptiness import includes, is_empty
from pantarhei.values.membership import contains

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


# Names that no ontology has.
_INTERNAL = "urn:pantarhei:"
_FRESH = f"{_INTERNAL}fresh#x"
_NAMED = URIRef(f"{_INTERNAL}named")

_NO_VALUE = Origin("no literal is in all these")


@dataclass(slots=True)
class _Assumption:
    """Facts assumed, and what undoing them takes; `model` is the one that they were added to as a whole."""

    given: list[Triple]
    model: WindowModel | None = None
    level: int = 0
    added: list[tuple[Integers, Integers]] = field(default_factory=list)


class AssertionClosure:
    """What follows from rules, constraints and facts, and from assumptions on top.

    Args:
        rules: rules and constraints, as they are under unique names.
        facts: the assertions.
        individuals: names of what there is, though nothing may be said of it.
        data_properties: properties whose values are literals, and so no owl:Thing.
        above: a closure whose fresh names and data ranges are known here too.
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        facts: Iterable[Triple],
        individuals: Iterable[Term] = (),
        data_properties: Iterable[Predicate] = (),
        above: AssertionClosure | None = None,
    ) -> None:
        self._names: RangeNames = RangeNames() if above is None else above._names.copy()
        self._rules = tuple(rules)
        written = tuple(map(_about_named, self._rules))
        self._data_properties: frozenset[Predicate] = frozenset(
            data_properties if above is None else above._data_properties
        )
        theory = Theory.of(
            (*written, *self._names.variants(written)),
            unique_names=False,
            data_properties=self._data_properties,
        )
        self._growing = GrowingProgram(theory)
        self._vocabulary = self._growing.vocabulary
        self._classes_of_names = [
            class_
            for class_, is_asked in ((OWL.Thing, theory.speaks_of_things), (_NAMED, written != self._rules))
            if is_asked
        ]
        stated = list(facts)
        self._stated = frozenset(stated)
        self.facts = in_order({*stated, *self.about(dict.fromkeys((*individuals, *_names_in(stated))))})
        self._assumptions: list[_Assumption] = []
        self._fresh: int = 0 if above is None else above._fresh
        self._derived: WindowModel | None = None
        self._assumed_above: list[Triple] = (
            [] if above is None else [*above._assumed_above, *above._assumed()]
        )
        self.inconsistent = False
        self._rebuild()

    def with_rules(self, rules: Iterable[Rule], facts: Iterable[Triple] = ()) -> AssertionClosure:
        """The closure under further rules and facts, and what is assumed. Costs a materialization."""
        return AssertionClosure((*self._rules, *rules), [*self.facts, *self._assumed(), *facts], above=self)

    def expect(self, classes: Iterable[Predicate], properties: Iterable[Predicate]) -> None:
        """Make room for assumptions about these names at once: each new one can cost a materialization."""
        name = self.fresh()
        triples: list[Triple] = [(name, RDF.type, class_) for class_ in classes]
        triples += [(name, property_, name) for property_ in properties]
        if self._outgrown(self._vocabulary.encode(triples).facts):
            self._rebuild()

    def fresh(self) -> URIRef:
        """A name of which nothing is known."""
        self._fresh += 1
        return URIRef(f"{_FRESH}{self._fresh}")

    def about(self, names: Iterable[Term]) -> list[Triple]:
        """What goes without saying of names that are given, as far as rules ask: each names something."""
        if not self._classes_of_names:
            return []
        return [
            (name, RDF.type, class_)
            for name in names
            for class_ in self._classes_of_names
            if not isinstance(name, Literal) and (class_ == OWL.Thing or not is_fresh(name))
        ]

    def names(self, terms: Iterable[Term]) -> list[Triple]:
        """The facts that `terms` are names, which rules may ask for, even if they are fresh."""
        return [(term, RDF.type, _NAMED) for term in terms]

    def proof_of_void(self) -> Proof | None:
        """A proof that there cannot be anything, which OWL's semantics excludes; None if there can."""
        with self.assuming(self.about([URIRef(f"{_FRESH}0")])):
            return self.proof() if self.inconsistent else None

    @contextmanager
    def assuming(self, facts: Iterable[Triple]) -> Iterator[None]:
        """Within the context `facts` hold, and `inconsistent` says whether they can."""
        assumption = _Assumption(list(facts))
        before, fresh = self.inconsistent, self._fresh
        model = self._model  # before the assumption is one: a model made anew has all of them in its base
        self._assumptions.append(assumption)
        try:
            self._assume(assumption, model)
            yield
        finally:
            self._assumptions.pop()
            self._withdraw(assumption)
            self.inconsistent, self._fresh = before, fresh

    def holds(self, triple: Triple) -> bool:
        """Whether the triple is in the closure."""
        return next(self.match(*triple), None) is not None

    def match(self, subject: Term | None, predicate: Term | None, object_: Term | None) -> Iterator[Triple]:
        """The triples of the closure that agree with the given terms."""
        if isinstance(subject, Literal):
            return iter(())
        return self._model.match(subject, predicate, object_)

    def proof(self) -> Proof | None:
        """A proof that the facts and assumptions break a constraint. Costs a pass over the closure."""
        self._model.find_violations()
        found = proof_of_violation(self._model)
        return found and self._told(found)

    def contradictions(self) -> ConflictList[Contradiction]:
        """All minimal contradictions of the facts. Costs a pass over the closure, and their lineage."""
        found, stated = contradictions_in(self._model), self._stated
        sets = (replace(each, triples=each.triples & stated) for each in found)
        return ConflictList.of(list(dict.fromkeys(each for each in sets if each.triples)), found.complete)

    # -- values ------------------------------------------------------------------------------------

    def ranges_of(self, value: Term) -> DataRange:
        """What is known of a fresh name that stands for a literal."""
        return self._names.known(self._types_of(value))

    def datatypes_of(self, value: Term) -> frozenset[URIRef]:
        """The datatypes, of those that rules speak of, that a fresh name stands for a value of."""
        known = self.ranges_of(value)
        met = (range_ for range_ in self._names.names if isinstance(range_, Datatype))
        return frozenset(range_.iri for range_ in met if includes(range_, known))

    def value_in(self, value: Term, range_: DataRange) -> Triple:
        """The fact that a fresh name stands for a literal in the data range."""
        return (value, RDF.type, self._names.name_of(range_))

    def is_impossible(self, value: Term) -> bool:
        """Whether a fresh name cannot stand for any literal."""
        known = self.ranges_of(value)
        if known == ANY_LITERAL:
            return False
        equals = (equal for _, _, equal in self.match(value, OWL.sameAs, None))
        return is_empty(known) or any(isinstance(e, Literal) and not contains(known, e) for e in equals)

    def proof_of(self, triple: Triple) -> Proof:
        """A proof of a triple of the closure, from facts and assumptions. Costs its lineage."""
        fact = self._model.find(triple)
        assert fact is not None, "it holds"
        return self._told(proof_of(self._model, fact))

    def _told(self, proof: Proof) -> Proof:
        """The proof, in which assumptions are supposed; what is only noted of names is left as it is."""
        return proof.supposing({*self._assumed_above, *self._assumed()})

    def proof_of_impossible_value(self, value: Term) -> Proof | None:
        """A proof that a fresh name cannot stand for any literal. Costs a materialization."""
        if not self.is_impossible(value):
            return None
        types = sorted(str(type_) for type_ in self._types_of(value) if is_range_name(type_))
        body = tuple(Atom(URIRef(type_), (Variable("x"),)) for type_ in types)
        return self.with_rules([Rule("dt-empty", body, None, origin=_NO_VALUE)]).proof()

    def _types_of(self, name: Term) -> set[Term]:
        return {type_ for _, _, type_ in self.match(name, RDF.type, None)}

    def _conclude_about_values(self, assumption: _Assumption) -> None:
        """Note of assumed values the ranges around what is known of them, which rules ask for."""
        if not self._names.asked:
            return
        values = {
            term
            for subject, predicate, object_ in (*self._assumed_above, *self._assumed())
            for term in ((subject,) if predicate == RDF.type else (object_,))
            if is_fresh(term)
        }
        while implied := [
            (value, RDF.type, name)
            for value in sorted(values)
            for name in self._names.implied(self._types_of(value))
        ]:
            self._add(assumption, self._vocabulary.encode(implied).facts)

    # -- the model ---------------------------------------------------------------------------------

    @property
    def _model(self) -> WindowModel:
        """The model; where an error or a grown program lost it, it is made again from all that is assumed."""
        if self._derived is None:
            self._rebuild()
        assert self._derived is not None, "just made"
        return self._derived

    def _assume(self, assumption: _Assumption, model: WindowModel) -> None:
        encoded = self._vocabulary.encode(assumption.given).facts
        if self._outgrown(encoded):
            self._rebuild()
            return
        self._level += 1
        assumption.level = self._level
        self._add(assumption, encoded)
        self._conclude_about_values(assumption)
        assumption.model = model

    def _add(self, assumption: _Assumption, facts: Integers) -> None:
        previous = self._model.add(facts, assumption.level)
        assumption.added.append((facts, previous))
        self.inconsistent |= bool(len(self._model.violations()))

    def _withdraw(self, assumption: _Assumption) -> None:
        model, self._derived = self._derived, None
        if model is None or assumption.model is not model:  # it is in the model's base, or was not all added
            return
        facts, previous = (np.concatenate(column) for column in zip(*assumption.added, strict=True))
        model.withdraw(facts, previous, assumption.level)
        model.take_changes()
        self._derived = model

    def _rebuild(self) -> None:
        """The model anew, with the assumptions in its base."""
        encoded = self._vocabulary.encode([*self.facts, *self._assumed()]).facts
        self._outgrown(encoded)
        self._derived = model = model_of_background(self._growing.program, self._vocabulary, encoded)
        self._level = 0
        self.inconsistent = bool(len(model.violations()))
        self._conclude_about_values(_Assumption([]))
        model.take_changes()

    def _outgrown(self, facts: Integers) -> bool:
        """Whether the program had to grow for `facts`."""
        if self._growing.covers(facts):
            return False
        self._growing.grow(facts)
        return True

    def _assumed(self) -> list[Triple]:
        return [triple for assumption in self._assumptions for triple in assumption.given]


def _about_named(rule: Rule) -> Rule:
    """Keys and DL-safe rules speak of what has a name: fresh names have none.

    OWL 2 Direct Semantics, table 9 (ISNAMED); blank nodes in the ontology count as names.
    """
    if rule.name == "prp-key":
        subjects = [argument for pair in rule.different for argument in (pair.left, pair.right)]
    elif rule.name == "pr-swrl":
        subjects = [atom.arguments[0] for atom in rule.body]
    else:
        return rule
    named = dict.fromkeys(argument for argument in subjects if isinstance(argument, Variable))
    return replace(rule, body=(*rule.body, *(Atom(_NAMED, (argument,)) for argument in named)))


def _names_in(facts: Iterable[Triple]) -> Iterator[Term]:
    for subject, predicate, object_ in facts:
        yield subject
        if predicate not in ONLY_TYPE:
            yield object_


def is_fresh(term: Term) -> bool:
    """Whether the term was made for an assumption."""
    return isinstance(term, URIRef) and term.startswith(_FRESH)


def is_internal(term: Term) -> bool:
    """Whether the name was made here, for names, ranges or what is assumed."""
    return isinstance(term, URIRef) and term.startswith(_INTERNAL)


def same(first: Term, second: Term) -> Triple:
    """`first = second`."""
    return (first, OWL.sameAs, second)


def different(first: Term, second: Term) -> Triple:
    """`first ≠ second`."""
    return (first, OWL.differentFrom, second)
