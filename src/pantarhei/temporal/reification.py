"""Rules over atoms of any number of arguments, written with atoms of two at most.

`p(x, y, z)` is `p()(s, z), first(s, x), rest(s, y)`, where s stands for the tuple of x and y; of more
arguments x is a tuple itself. Where a rule concludes or denies something of a tuple, another one asks for its
number first (temporal/tuples.py). The second kernel has no literal in first place: where a conclusion can
have one, the unit stands in front, and `big(5)` is `big()(unit, 5)`. What of that is a triple is there as
`big(x)` too.

Rules with atoms of three arguments, written with atoms of two.

`p(x, y, t)` is `p(s, y), left(s, x), right(s, t)`, where s stands for the pair of x and t: for x at that
tick. So what is said at a tick of one x shares a pair, and each pair belongs to one tick. Pairs have numbers
where something with them was said (temporal/tuples.py). Where a rule concludes something of a pair that its
body does not have, another one asks for its number first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from rdflib import Literal, URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Argument, Atom, Builtin, Rule, Test
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule
from pantarhei.temporal.temporal_program import FIRST, IS_LITERAL, REST, TUPLE, UNIT, TemporalProgram
from pantarhei.values.scalar_functions import is_computation


@dataclass(frozen=True)
class TuplePredicate:
    """A predicate of conclusions that have tuples in the second kernel.

    Args:
        name: the predicate of the rules.
        arity: how many arguments it has there.
        has_unit: whether the unit stands in front of them, since the first may be a literal.
    """

    name: URIRef
    arity: int
    has_unit: bool

    @property
    def predicate(self) -> URIRef:
        """Its predicate in the second kernel."""
        return URIRef(f"{self.name}()")

    @property
    def plain(self) -> TemporalAtom | None:
        """The same as an atom that can be a triple; None if it has too many arguments."""
        terms = tuple(Variable(f"x{place}") for place in range(self.arity))
        return TemporalAtom(self.name, terms) if self.arity < 3 else None

    @property
    def bridges(self) -> tuple[TemporalRule, ...]:
        """That what is there as triples is there with tuples, and the other way round."""
        if self.plain is None:
            return ()
        plain, whole = Formula(self.plain), reify_atom(self, self.plain.arguments)
        there = TemporalRule(Formula(whole.atom), (plain,))
        back = TemporalRule(plain, (Formula(whole.atom), *map(Formula, whole.links)))
        return (*_asking(there, whole.asked), back)


class TupleRequest(NamedTuple):
    """A tuple of two: what asks for its number, and what says what the number stands for."""

    atom: TemporalAtom
    links: tuple[TemporalAtom, TemporalAtom]


class ReifiedAtom(NamedTuple):
    """An atom with two arguments, and the tuples in it, inner ones first."""

    atom: TemporalAtom
    asked: tuple[TupleRequest, ...]

    @property
    def links(self) -> Iterator[TemporalAtom]:
        """What says what its tuples stand for."""
        return (link for each in self.asked for link in each.links)


def reify_atom(
    wide: TuplePredicate, arguments: Sequence[Argument], predicate: URIRef | None = None
) -> ReifiedAtom:
    """An atom with its arguments in a tuple.

    Args:
        predicate: another one of the second kernel with the same arguments.

    >>> x, y, z = map(Variable, "xyz")
    >>> found = reify_atom(WidePredicate(URIRef("urn:x:p"), 3, False), (x, y, z))
    >>> for atom in found.links:
    ...     print(atom)
    urn:pantarhei:temporal:first(?(x y), ?x)
    urn:pantarhei:temporal:rest(?(x y), ?y)
    """
    left, *others = (UNIT, *arguments) if wide.has_unit else arguments
    asked = []
    for right in others[:-1]:
        number = Variable(f"({_name(left)} {_name(right)})")
        links = TemporalAtom(FIRST, (number, left)), TemporalAtom(REST, (number, right))
        asked.append(TupleRequest(TemporalAtom(TUPLE, (left, right)), links))
        left = number
    return ReifiedAtom(TemporalAtom(predicate or wide.predicate, (left, others[-1])), tuple(asked))


class TupleReification:
    """Rules with their wide atoms reified.

    Args:
        rules: as they are written.

    `wide` has the conclusions with more than two arguments, and those whose first one may be a literal.
    """

    def __init__(self, rules: Collection[TemporalRule]) -> None:
        self._heads = {rule.head.atom.predicate: len(rule.head.atom.arguments) for rule in rules}
        self._literals = _places_of_literals(rules, self._heads)
        found = (
            TuplePredicate(name, arity, (name, 0) in self._literals) for name, arity in self._heads.items()
        )
        self.wide = {each.name: each for each in found if each.arity > 2 or each.has_unit}
        parts = (part for rule in rules for part in self._parts(rule))
        self.rules = [each for part in parts for each in _reified_rule(part, self.wide)]

    def _parts(self, rule: TemporalRule) -> Iterator[TemporalRule]:
        """The rule for names, and that for literals: of these nothing can be said, so it is not so."""
        denied = [each for each in rule.body if each.is_negated and self._is_doubtful(each, rule)]
        firsts = {each.atom.arguments[0] for each in denied}
        computed = {test.arguments[0] for test in rule.tests if is_computation(test)}
        variables = sorted(each for each in firsts - computed if isinstance(each, Variable))
        constants = firsts.difference(variables)  # what is computed is a literal, as these are
        for count in range(len(variables) + 1):
            for chosen in combinations(variables, count):
                literals = constants.union(chosen)
                true = [each for each in denied if each.atom.arguments[0] in literals]
                body = tuple(each for each in rule.body if each not in true)
                tests = (Builtin(IS_LITERAL, (each, each)) for each in chosen)
                yield replace(rule, body=body, tests=(*rule.tests, *tests))

    def _is_doubtful(self, formula: Formula, rule: TemporalRule) -> bool:
        """Whether a literal may be in first place of what is denied, where the second kernel has none."""
        atom = formula.atom
        wide = None if atom.is_asserted else self.wide.get(atom.predicate)
        if (wide is not None and wide.has_unit) or not atom.arguments:
            return False
        if len(atom.arguments) == 1 and formula.mode is not Mode.AT:
            return False  # it is asked for behind the unit
        return _may_be_literal(atom.arguments[0], rule, self._heads, self._literals)


def _reified_rule(rule: TemporalRule, wide: Mapping[URIRef, TuplePredicate]) -> Iterator[TemporalRule]:
    """A rule with its wide atoms reified, behind those that ask for its tuples."""

    def narrowed(formula: Formula) -> tuple[Formula, ReifiedAtom | None]:
        if formula.atom.is_asserted or formula.atom.predicate not in wide:
            return formula, None
        found = reify_atom(wide[formula.atom.predicate], formula.atom.arguments)
        return replace(formula, atom=found.atom), found

    body: list[Formula] = []
    links: dict[TemporalAtom, None] = {}
    asked: dict[TupleRequest, None] = {}
    head, of_head = narrowed(rule.head)
    for formula in rule.body:
        narrow, found = narrowed(formula)
        body.append(narrow)
        if found is not None and formula.is_negated:
            asked.update(dict.fromkeys(found.asked))
        elif found is not None:
            links.update(dict.fromkeys(found.links))
    asked.update(dict.fromkeys(() if of_head is None else of_head.asked))
    waiting = [each for each in asked if each.links[0] not in links]
    yield from _asking(replace(rule, head=head, body=(*body, *map(Formula, links))), waiting)


def _asking(rule: TemporalRule, asked: Sequence[TupleRequest]) -> Iterator[TemporalRule]:
    """A rule that needs tuples, behind those that ask for them where its body holds."""
    for each in asked:
        positive = tuple(formula for formula in rule.body if not formula.is_negated)
        yield replace(rule, head=Formula(each.atom), body=positive)
        rule = replace(rule, body=(*rule.body, *map(Formula, each.links)))
    yield rule


def _name(argument: Argument) -> str:
    return str(argument) if isinstance(argument, Variable) else argument.n3()


# -- where literals can be -------------------------------------------------------------------------


def rules_with_literal_subjects(rules: Collection[TemporalRule]) -> tuple[TemporalRule, ...]:
    """The rules whose conclusions may have a literal in first place, as far as can be told."""
    heads = {rule.head.atom.predicate: len(rule.head.atom.arguments) for rule in rules}
    literals = _places_of_literals(rules, heads)
    return tuple(
        rule
        for rule in rules
        if (front := rule.head.atom.arguments[:1]) and _may_be_literal(front[0], rule, heads, literals)
    )


_Places = set[tuple[URIRef, int]]


def _places_of_literals(rules: Collection[TemporalRule], heads: Mapping[URIRef, int]) -> _Places:
    """The places of conclusions' arguments that may be literals. What the stream says has them behind."""
    found: _Places = {(name, 1) for name, arity in heads.items() if arity == 2}
    count = -1
    while count < len(found):
        count = len(found)
        for rule in rules:
            atom = rule.head.atom
            for place, argument in enumerate(atom.arguments):
                if _may_be_literal(argument, rule, heads, found):
                    found.add((atom.predicate, place))
    return found


def _may_be_literal(
    argument: Argument, rule: TemporalRule, heads: Mapping[URIRef, int], literals: _Places
) -> bool:
    if not isinstance(argument, Variable):
        return isinstance(argument, Literal)
    if any(is_computation(test) and test.arguments[0] == argument for test in rule.tests):
        return True
    for formula in rule.body:
        atom, is_concluded = formula.atom, formula.atom.predicate in heads and not formula.atom.is_asserted
        for place, other in enumerate(() if formula.is_negated else atom.arguments):
            if other == argument:
                can_be = (atom.predicate, place) in literals if is_concluded else place > 0
                if not can_be:
                    return False
    return True


LEFT = Symbol(URIRef("urn:pantarhei:temporal:left"), 2)
RIGHT = Symbol(URIRef("urn:pantarhei:temporal:right"), 2)
PAIR = Symbol(URIRef("urn:pantarhei:temporal:pair"), 2)
"""`pair(x, t)`: the number of a pair is asked for."""

ReifiedRule = tuple[tuple[Atom, ...], Atom, tuple[Test, ...]]
"""A rule's body, head and tests."""


def reify_pairs(program: TemporalProgram) -> TemporalProgram:
    """The same program with atoms of up to two arguments."""
    rules = dict[Rule, None]()
    for rule in program.rules:
        if rule.head is None or all(len(atom.arguments) < 3 for atom in rule.atoms):
            rules[rule] = None
            continue
        for body, head, tests in reify_pairs_in_rule(rule.body, rule.head, rule.tests):
            rules[Rule(rule.name, body, head, tests=tests)] = None
    return replace(program, rules=tuple(rules))


def reify_pairs_in_rule(body: Iterable[Atom], head: Atom, tests: tuple[Test, ...]) -> Iterator[ReifiedRule]:
    """The rules that a rule with atoms of up to three arguments is.

    >>> x, y, t = Variable("x"), Variable("y"), Variable("t")
    >>> body, head = [Atom(URIRef("p"), (x, y, t))], Atom(URIRef("q"), (x, t))
    >>> for atoms, head, _ in reify_pairs_in_rule(body, head, ()):
    ...     print(len(atoms), atoms[0])
    3 p(?pair-x-t, ?y)
    """
    whole = dict.fromkeys(part for atom in body for part in _parts(atom))
    first, *links = _parts(head)
    if not whole.keys() >= set(links):
        asking = Atom(PAIR.name, (head.arguments[0], head.arguments[-1]))
        yield _needed(whole, asking, tests), asking, tests
    yield _needed(whole | dict.fromkeys(links), first, tests), first, tests


def _needed(body: Collection[Atom], head: Atom, tests: tuple[Test, ...]) -> tuple[Atom, ...]:
    """The body without what says of a pair what nothing else asks for: a pair has both its terms."""
    asked = Counter(argument for part in (*body, head, *tests) for argument in part.arguments)
    return tuple(
        atom
        for atom in body
        if atom.predicate not in (LEFT.name, RIGHT.name)
        or not isinstance(term := atom.arguments[1], Variable)
        or asked[term] > 1
    )


def _parts(atom: Atom) -> Iterator[Atom]:
    """An atom with two arguments at most, and those that say what its pair is."""
    if len(atom.arguments) < 3:
        yield atom
        return
    left, other, right = atom.arguments
    pair = Variable(f"pair-{_pair_reification_name(left)}-{_pair_reification_name(right)}")
    yield Atom(atom.predicate, (pair, other))
    yield Atom(LEFT.name, (pair, left))
    yield Atom(RIGHT.name, (pair, right))


def _pair_reification_name(argument: Argument) -> str:
    """A name that tells an argument of a rule from others."""
    return str(argument) if isinstance(argument, Variable) else argument.n3()
