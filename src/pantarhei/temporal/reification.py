"""Reification: rules with atoms of any number of arguments, rewritten to atoms of at most two.

Tuples: `p(x, y, z)` becomes `p()(s, z), first(s, x), rest(s, y)`, where s is the number of the tuple (x, y).
With more arguments, x is a tuple itself. A rule that concludes or negates an atom with a tuple is preceded by
a rule that requests the tuple's number (`tuples`). The temporal kernel permits no literal as first argument:
if a conclusion can have one, the unit is prepended, and `big(5)` becomes `big()(unit, 5)`. Conclusions of
such a predicate that are triples are also stored as `big(x)`.

Pairs: `p(x, y, t)`, with a tick t, becomes `p(s, y), left(s, x), right(s, t)`, where s is the number of the
pair (x, t). All facts about x at one tick share this pair. A rule whose head has a pair that its body lacks
is preceded by a rule that requests the pair's number.
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
    """Concluded predicate whose atoms are reified as tuples in the temporal kernel.

    Args:
        name: the predicate in the rules.
        arity: its number of arguments in the rules.
        has_unit: true if the unit is prepended to the arguments, since the first argument may be a literal.
    """

    name: URIRef
    arity: int
    has_unit: bool

    @property
    def predicate(self) -> URIRef:
        """Predicate of the reified atoms in the temporal kernel."""
        return URIRef(f"{self.name}()")

    @property
    def plain(self) -> TemporalAtom | None:
        """Atom of the predicate in the form of a triple; None if it has more than two arguments."""
        terms = tuple(Variable(f"x{place}") for place in range(self.arity))
        return TemporalAtom(self.name, terms) if self.arity < 3 else None

    @property
    def bridges(self) -> tuple[TemporalRule, ...]:
        """Rules that derive the reified atoms from the triples, and the triples from the reified atoms."""
        if self.plain is None:
            return ()
        plain, reified = Formula(self.plain), reify_atom(self, self.plain.arguments)
        to_tuple = TemporalRule(Formula(reified.atom), (plain,))
        to_triple = TemporalRule(plain, (Formula(reified.atom), *map(Formula, reified.links)))
        return (*_with_requests(to_tuple, reified.requests), to_triple)


class TupleRequest(NamedTuple):
    """Tuple of two terms, as atoms.

    Args:
        atom: atom that requests the tuple's number.
        links: atoms that relate the number to the two terms.
    """

    atom: TemporalAtom
    links: tuple[TemporalAtom, TemporalAtom]


class ReifiedAtom(NamedTuple):
    """Atom with two arguments, and the tuples in it, inner tuples first."""

    atom: TemporalAtom
    requests: tuple[TupleRequest, ...]

    @property
    def links(self) -> Iterator[TemporalAtom]:
        """Atoms that relate the numbers of the tuples to their terms."""
        return (link for each in self.requests for link in each.links)


def reify_atom(
    wide: TuplePredicate, arguments: Sequence[Argument], predicate: URIRef | None = None
) -> ReifiedAtom:
    """Return an atom with all arguments except the last in a tuple.

    Args:
        predicate: predicate of the atom in the temporal kernel; None for `wide.predicate`.

    >>> x, y, z = map(Variable, "xyz")
    >>> found = reify_atom(TuplePredicate(URIRef("urn:x:p"), 3, False), (x, y, z))
    >>> for atom in found.links:
    ...     print(atom)
    urn:pantarhei:temporal:first(?(x y), ?x)
    urn:pantarhei:temporal:rest(?(x y), ?y)
    """
    left, *others = (UNIT, *arguments) if wide.has_unit else arguments
    requests = []
    for right in others[:-1]:
        number = Variable(f"({_name(left)} {_name(right)})")
        links = TemporalAtom(FIRST, (number, left)), TemporalAtom(REST, (number, right))
        requests.append(TupleRequest(TemporalAtom(TUPLE, (left, right)), links))
        left = number
    return ReifiedAtom(TemporalAtom(predicate or wide.predicate, (left, others[-1])), tuple(requests))


class TupleReification:
    """Temporal rules after reification of tuples.

    Args:
        rules: the rules as written.

    Attributes:
        rules: the reified rules.
        wide: reified predicates by name: those with more than two arguments, and those whose first argument
            may be a literal.
    """

    def __init__(self, rules: Collection[TemporalRule]) -> None:
        self._heads = {rule.head.atom.predicate: len(rule.head.atom.arguments) for rule in rules}
        self._literals = _literal_positions(rules, self._heads)
        found = (
            TuplePredicate(name, arity, (name, 0) in self._literals) for name, arity in self._heads.items()
        )
        self.wide = {each.name: each for each in found if each.arity > 2 or each.has_unit}
        parts = (part for rule in rules for part in self._parts(rule))
        self.rules = [each for part in parts for each in _reified_rule(part, self.wide)]

    def _parts(self, rule: TemporalRule) -> Iterator[TemporalRule]:
        """Split a rule into cases: for each variable that may be a literal under negation, a name or a
        literal.

        No stored fact has a literal subject, so the negated atom is dropped from the case of a literal.
        """
        denied = [each for each in rule.body if each.is_negated and self._is_doubtful(each, rule)]
        firsts = {each.atom.arguments[0] for each in denied}
        computed = {test.arguments[0] for test in rule.tests if is_computation(test)}
        variables = sorted(each for each in firsts - computed if isinstance(each, Variable))
        constants = firsts.difference(
            variables
        )  # including variables bound to results of computations, which are literals
        for count in range(len(variables) + 1):
            for chosen in combinations(variables, count):
                literals = constants.union(chosen)
                true = [each for each in denied if each.atom.arguments[0] in literals]
                body = tuple(each for each in rule.body if each not in true)
                tests = (Builtin(IS_LITERAL, (each, each)) for each in chosen)
                yield replace(rule, body=body, tests=(*rule.tests, *tests))

    def _is_doubtful(self, formula: Formula, rule: TemporalRule) -> bool:
        """Test whether the first argument of a negated atom may be a literal, although no stored fact has one
        there.
        """
        atom = formula.atom
        wide = None if atom.is_asserted else self.wide.get(atom.predicate)
        if (wide is not None and wide.has_unit) or not atom.arguments:
            return False
        if len(atom.arguments) == 1 and formula.mode is not Mode.AT:
            return False  # in the kernel the unit is its first argument
        return _may_be_literal(atom.arguments[0], rule, self._heads, self._literals)


def _reified_rule(rule: TemporalRule, wide: Mapping[URIRef, TuplePredicate]) -> Iterator[TemporalRule]:
    """Yield the rules that request tuples for a rule, then the rule with its tuples reified."""

    def reified(formula: Formula) -> tuple[Formula, ReifiedAtom | None]:
        if formula.atom.is_asserted or formula.atom.predicate not in wide:
            return formula, None
        found = reify_atom(wide[formula.atom.predicate], formula.atom.arguments)
        return replace(formula, atom=found.atom), found

    body: list[Formula] = []
    links: dict[TemporalAtom, None] = {}
    requests: dict[TupleRequest, None] = {}
    head, of_head = reified(rule.head)
    for formula in rule.body:
        narrow, found = reified(formula)
        body.append(narrow)
        if found is not None and formula.is_negated:
            requests.update(dict.fromkeys(found.requests))
        elif found is not None:
            links.update(dict.fromkeys(found.links))
    requests.update(dict.fromkeys(() if of_head is None else of_head.requests))
    waiting = [each for each in requests if each.links[0] not in links]
    yield from _with_requests(replace(rule, head=head, body=(*body, *map(Formula, links))), waiting)


def _with_requests(rule: TemporalRule, requests: Sequence[TupleRequest]) -> Iterator[TemporalRule]:
    """Yield a rule with the links of further tuples, after the rules that request these tuples.

    A tuple is requested for each match of the positive body.
    """
    for each in requests:
        positive = tuple(formula for formula in rule.body if not formula.is_negated)
        yield replace(rule, head=Formula(each.atom), body=positive)
        rule = replace(rule, body=(*rule.body, *map(Formula, each.links)))
    yield rule


def _name(argument: Argument) -> str:
    """Return a text that is unique for each argument of a rule."""
    return str(argument) if isinstance(argument, Variable) else argument.n3()


# -- where literals can be -------------------------------------------------------------------------


def rules_with_literal_subjects(rules: Collection[TemporalRule]) -> tuple[TemporalRule, ...]:
    """Return the rules whose conclusions may have a literal as first argument."""
    heads = {rule.head.atom.predicate: len(rule.head.atom.arguments) for rule in rules}
    literals = _literal_positions(rules, heads)
    return tuple(
        rule
        for rule in rules
        if (front := rule.head.atom.arguments[:1]) and _may_be_literal(front[0], rule, heads, literals)
    )


_Positions = set[tuple[URIRef, int]]


def _literal_positions(rules: Collection[TemporalRule], heads: Mapping[URIRef, int]) -> _Positions:
    """Return the argument positions of concluded predicates that may contain literals (a fixpoint)."""
    found: _Positions = {(name, 1) for name, arity in heads.items() if arity == 2}
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
    argument: Argument, rule: TemporalRule, heads: Mapping[URIRef, int], literals: _Positions
) -> bool:
    """Test whether an argument of a rule's head or of a negated atom may be a literal."""
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
"""`pair(x, t)` requests the number of a pair."""

ReifiedRule = tuple[tuple[Atom, ...], Atom, tuple[Test, ...]]
"""Body, head and tests of a rule."""


def reify_pairs(program: TemporalProgram) -> TemporalProgram:
    """Return the program with its ternary atoms reified as pairs."""
    rules = dict[Rule, None]()
    for rule in program.rules:
        if rule.head is None or all(len(atom.arguments) < 3 for atom in rule.atoms):
            rules[rule] = None
            continue
        for body, head, tests in reify_pairs_in_rule(rule.body, rule.head, rule.tests):
            rules[Rule(rule.name, body, head, tests=tests)] = None
    return replace(program, rules=tuple(rules))


def reify_pairs_in_rule(body: Iterable[Atom], head: Atom, tests: tuple[Test, ...]) -> Iterator[ReifiedRule]:
    """Yield rules with binary atoms that express a rule with atoms of up to three arguments.

    >>> x, y, t = Variable("x"), Variable("y"), Variable("t")
    >>> body, head = [Atom(URIRef("p"), (x, y, t))], Atom(URIRef("q"), (x, t))
    >>> for atoms, head, _ in reify_pairs_in_rule(body, head, ()):
    ...     print(len(atoms), atoms[0])
    3 p(?pair-x-t, ?y)
    """
    atoms = dict.fromkeys(part for atom in body for part in _pair_atoms(atom))
    first, *links = _pair_atoms(head)
    if not atoms.keys() >= set(links):
        request = Atom(PAIR.name, (head.arguments[0], head.arguments[-1]))
        yield _needed(atoms, request, tests), request, tests
    yield _needed(atoms | dict.fromkeys(links), first, tests), first, tests


def _needed(body: Collection[Atom], head: Atom, tests: tuple[Test, ...]) -> tuple[Atom, ...]:
    """Remove the links of pairs to variables that occur nowhere else; every pair has both links."""
    uses = Counter(argument for part in (*body, head, *tests) for argument in part.arguments)
    return tuple(
        atom
        for atom in body
        if atom.predicate not in (LEFT.name, RIGHT.name)
        or not isinstance(term := atom.arguments[1], Variable)
        or uses[term] > 1
    )


def _pair_atoms(atom: Atom) -> Iterator[Atom]:
    """Yield an atom itself, or a ternary atom as a binary one with the two links of its pair."""
    if len(atom.arguments) < 3:
        yield atom
        return
    left, other, right = atom.arguments
    pair = Variable(f"pair-{_name(left)}-{_name(right)}")
    yield Atom(atom.predicate, (pair, other))
    yield Atom(LEFT.name, (pair, left))
    yield Atom(RIGHT.name, (pair, right))
