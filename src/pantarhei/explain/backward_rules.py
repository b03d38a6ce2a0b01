"""Rules for backward search, whose terms are numbers, and the solver of their inequalities and tests.

Numbers up to `FIRST_VARIABLE` are variables; the second argument of a class atom is `NONE`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, product
from typing import NamedTuple

import numpy as np
from rdflib import Literal, Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Fact, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.model import WindowModel
from pantarhei.model.data_range import (
    DataComplementOf,
    DataIntersectionOf,
    DataOneOf,
    DataRange,
    DatatypeRestriction,
    DataUnionOf,
)
from pantarhei.model.rule import Argument, Atom, Member, Rule, Test
from pantarhei.model.term import Term
from pantarhei.rdf.ntriples import write_term
from pantarhei.rules.compilation.program import Program
from pantarhei.values.membership import passes
from pantarhei.values.scalar_functions import EQUAL, compute, holds, is_computation

FIRST_VARIABLE = -10
"""Number of the first variable; further variables have smaller numbers."""

# The rules that replace a fact's subject, and its object, by an equal name.
_REPLACING = "eq-rep-s", "eq-rep-o"

# For each body atom of a rule of equality, the rules that need not be applied to derive it. Every proof can
# be rewritten to one without them: a chain of equal names is extended by one name at a time, and the
# arguments of a fact are each replaced once, the subject last.
_NEEDLESS = {
    "eq-sym": (frozenset({"eq-sym"}),),
    "eq-trans": (frozenset({"eq-trans"}), frozenset[str]()),
    "eq-rep-s": (frozenset[str](), frozenset({"eq-rep-s"})),
    "eq-rep-o": (frozenset[str](), frozenset({"eq-rep-s", "eq-rep-o"})),
}

# The rules that need not be applied if the subject, or the object, is unbound: the variable can be bound to
# the equal name itself, and a chain of equal names starts at the bound argument.
_NEEDLESS_UNBOUND = frozenset({"eq-rep-s", "eq-trans"}), frozenset({"eq-rep-o"})


class NumberedAtom(NamedTuple):
    """Atom whose predicate and arguments are numbers."""

    predicate: int
    subject: int
    object: int


def needless_for(atom: NumberedAtom) -> frozenset[str]:
    """Return the names of the rules that need not be applied to derive an atom, because of its unbound
    arguments.
    """
    unbound = (
        rules for term, rules in zip(atom[1:], _NEEDLESS_UNBOUND, strict=True) if term <= FIRST_VARIABLE
    )
    return frozenset().union(*unbound)


class BackwardRule(NamedTuple):
    """Rule with numbers for its terms.

    Args:
        variables: the numbers of its variables, from `FIRST_VARIABLE` downwards.
        needless: for each body atom the names of the rules that need not be applied to derive it, since
            another proof exists.
    """

    rule: Rule
    head: NumberedAtom
    body: tuple[NumberedAtom, ...]
    different: tuple[tuple[int, int], ...]
    tests: tuple[Test, ...]
    variables: Mapping[Variable, int]
    needless: tuple[frozenset[str], ...]


class BackwardRules:
    """Rules of a program, grouped by the predicate of the head. A rule is numbered when it is first used."""

    def __init__(self, program: Program, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._numbers = {symbol: number for number, symbol in enumerate(program.predicates)}
        self._rules: defaultdict[int, list[Rule]] = defaultdict(list)
        self._consequences: defaultdict[int, list[Rule]] = defaultdict(list)
        for rule in program.rules:
            if rule.head is not None:
                self._rules[self._predicate(rule.head)].append(rule)
                if len(rule.body) == 1 and not rule.tests:
                    self._consequences[self._predicate(rule.body[0])].append(rule)
        self._clauses: dict[int, tuple[BackwardRule, ...]] = {}

    def concluding(self, predicate: int) -> tuple[BackwardRule, ...]:
        """Return the rules whose head has this predicate."""
        known = self._clauses.get(predicate)
        if known is None:
            known = tuple(map(self._numbered, self._rules.get(predicate, ())))
            self._clauses[predicate] = known
        return known

    def following(self, fact: Fact) -> Iterator[Fact]:
        """Yield the direct consequences of one fact alone, such as the membership in a superclass."""
        for rule in self._consequences.get(fact[0], ()):
            clause = self._numbered(rule)
            (atom,) = clause.body
            bound = dict(zip(atom[1:], fact[1:], strict=True))
            if all(term <= FIRST_VARIABLE or term == value for term, value in bound.items()):
                head = clause.head
                yield (
                    head.predicate,
                    bound.get(head.subject, head.subject),
                    bound.get(head.object, head.object),
                )

    @cached_property
    def predicates(self) -> frozenset[int]:
        """The predicates of the program."""
        return frozenset(range(len(self._numbers)))

    @cached_property
    def unconcluded(self) -> frozenset[int]:
        """The predicates that are not in the head of a rule."""
        return self.predicates.difference(self._rules)

    def within_reach(self, assumable: Iterable[int]) -> set[int]:
        """Return the assumable predicates, and the predicates that can be derived from them."""
        reached, news = set(assumable), list(assumable)
        while news:
            for head in self._above.get(news.pop(), ()):
                if head not in reached:
                    reached.add(head)
                    news.append(head)
        return reached

    @cached_property
    def _above(self) -> Mapping[int, set[int]]:
        """For each predicate the head predicates of the rules that have it in the body."""
        above: defaultdict[int, set[int]] = defaultdict(set)
        for head, rules in self._rules.items():
            for rule in rules:
                for atom in rule.body:
                    above[self._predicate(atom)].add(head)
        return above

    def _predicate(self, atom: Atom) -> int:
        return self._numbers[Symbol(atom.predicate, len(atom.arguments))]

    def _numbered(self, rule: Rule) -> BackwardRule:
        variables: dict[Variable, int] = {}
        assert rule.head is not None, "it concludes something"
        atoms = [self._atom(atom, variables) for atom in (rule.head, *rule.body)]
        pairs = [
            (self._argument(pair.left, variables), self._argument(pair.right, variables))
            for pair in rule.different
        ]
        for test in rule.tests:
            for argument in test.arguments:
                if isinstance(argument, Variable):
                    self._argument(argument, variables)
        head, *body = atoms
        return BackwardRule(
            rule, head, tuple(body), tuple(pairs), rule.tests, variables, _needless(rule.name, body)
        )

    def _atom(self, atom: Atom, variables: dict[Variable, int]) -> NumberedAtom:
        subject, *object_ = (self._argument(argument, variables) for argument in atom.arguments)
        return NumberedAtom(self._predicate(atom), subject, object_[0] if object_ else NONE)

    def _argument(self, argument: Argument, variables: dict[Variable, int]) -> int:
        if isinstance(argument, Variable):
            return variables.setdefault(argument, FIRST_VARIABLE - len(variables))
        return self._vocabulary.number(argument)


def _needless(name: str, body: Sequence[NumberedAtom]) -> tuple[frozenset[str], ...]:
    """Return for each body atom the names of the replacement rules (eq-rep-s, eq-rep-o) that need not be
    applied to derive it.

    A name has to be replaced by an equal name only if the body constrains it: if the argument is a constant,
    or a variable that occurs more than once. For other arguments the name can be replaced in the conclusion
    instead.
    """
    if name in _NEEDLESS:
        return _NEEDLESS[name]
    times = Counter(term for atom in body for term in atom[1:])
    return tuple(
        frozenset(
            rule
            for term, rule in zip(atom[1:], _REPLACING, strict=True)
            if term <= FIRST_VARIABLE and times[term] == 1
        )
        for atom in body
    )


# Largest number of literals tried for a variable, and of combinations of literals.
_MOST_VALUES = 100
_MOST_CHOICES = 1_000

RuleCondition = tuple[BackwardRule, int]
"""A rule whose inequalities and tests must hold, and the number added to its variables."""

Resolver = Callable[[int], int]


class ConditionSolver:
    """Solver of inequalities and tests over a model.

    Variables for literals that are not bound are bound to values of the property in the window, and to
    constants of tests. `is_complete` is False after all combinations have failed, since other literals might
    succeed.
    """

    def __init__(self, model: WindowModel) -> None:
        self._model, self._vocabulary = model, model.vocabulary
        self.is_complete = True
        self._literals: dict[int, list[int]] = {}

    def met(
        self, atoms: Sequence[NumberedAtom], conditions: Iterable[RuleCondition], walk: Resolver
    ) -> Mapping[int, Term] | None:
        """Return literals for unbound variables such that all conditions hold; None if none are found.

        Args:
            atoms: the facts that an abduction adds, whose variables may be unbound.
            conditions: comparisons and computations on these variables.
            walk: resolves a variable to its value, or to an unbound variable.
        """
        given = list(conditions)
        open_ = self._open_literals(atoms, given, walk)
        values = [self._values(variable, atoms, given) for variable in open_]
        for choice in islice(product(*values), _MOST_CHOICES):
            terms = dict(zip(open_, choice, strict=True))
            # A rule's computations precede the tests of the rules that use its conclusion.
            if all(self._holds(clause, shift, walk, terms) for clause, shift in reversed(given)):
                return terms
        self.is_complete = self.is_complete and not open_
        return None

    def _open_literals(
        self, atoms: Sequence[NumberedAtom], conditions: Sequence[RuleCondition], walk: Resolver
    ) -> list[int]:
        """Return the unbound variables that need a literal and are not computed by a test."""
        found = [
            atom.object
            for atom in atoms
            if atom.object <= FIRST_VARIABLE and self._literals_of(atom.predicate)
        ]
        computed = set[int]()
        for clause, shift in conditions:
            for test in clause.tests:
                numbers = [
                    walk(clause.variables[argument] + shift) if isinstance(argument, Variable) else NONE
                    for argument in test.arguments
                ]
                if is_computation(test):
                    computed.add(numbers[0])
                found += [number for number in numbers if number <= FIRST_VARIABLE]
        return [number for number in dict.fromkeys(found) if number not in computed]

    def _literals_of(self, predicate: int) -> list[int]:
        """Return at most `_MOST_VALUES` literals that are values of a property in the window."""
        known = self._literals.get(predicate)
        if known is None:
            known = []
            if self._vocabulary.symbols[predicate].arity == 2:
                objects = np.unique(self._model.select(predicate, None, None)[:, 2])
                known = objects[objects >= FIRST_LITERAL][:_MOST_VALUES].tolist()
            self._literals[predicate] = known
        return known

    def _values(
        self, variable: int, atoms: Sequence[NumberedAtom], conditions: Sequence[RuleCondition]
    ) -> list[Term]:
        """Return candidate literals for a variable: constants of tests with adjacent numbers, then known
        values.
        """
        named = (each for clause, _ in conditions for test in clause.tests for each in _named(test))
        known = (
            self._vocabulary.term(number)
            for atom in atoms
            if atom.object == variable
            for number in self._literals_of(atom.predicate)
        )
        around = (near for literal in named for near in _around(literal))
        return list(dict.fromkeys((*around, *sorted(known, key=write_term))))

    def _holds(self, clause: BackwardRule, shift: int, walk: Resolver, terms: dict[int, Term]) -> bool:
        """Return True if a rule's inequalities and tests hold. Computed values are added to `terms`."""

        def term(argument: Argument) -> Term | None:
            if not isinstance(argument, Variable):
                return self._vocabulary.read(argument)
            number = walk(clause.variables[argument] + shift)
            known = terms.get(number) if number <= FIRST_VARIABLE else self._vocabulary.term(number)
            return None if known is None else self._vocabulary.read(known)

        for test in clause.tests:
            values = [term(argument) for argument in test.arguments]
            if isinstance(test, Member):
                (value,) = values
                if not isinstance(value, Literal) or not passes(test, value):
                    return False
            elif is_computation(test):
                operands = [value for value in values[1:] if value is not None]
                result = compute(test.name, *operands) if len(operands) == len(values) - 1 else None
                if result is None:
                    return False
                if values[0] is None and isinstance(test.arguments[0], Variable):
                    terms[walk(clause.variables[test.arguments[0]] + shift)] = result
                elif values[0] is None or not holds(EQUAL, values[0], self._vocabulary.read(result)):
                    return False
            elif None in values or not holds(test.name, *(value for value in values if value is not None)):
                return False

        def number(argument: int) -> int:
            return walk(argument + shift) if argument <= FIRST_VARIABLE else argument

        return all(self._differ(number(one), number(other), terms) for one, other in clause.different)

    def _differ(self, one: int, other: int, terms: Mapping[int, Term]) -> bool:
        """Return True if two terms differ. All unbound variables without a literal stand for the same new
        name.
        """
        if one > FIRST_VARIABLE and other > FIRST_VARIABLE:
            return one != other
        first, second = (
            terms.get(number) if number <= FIRST_VARIABLE else self._vocabulary.term(number)
            for number in (one, other)
        )
        if first is None or second is None:
            return first is not second
        return self._vocabulary.value_of(first) != self._vocabulary.value_of(second)


def _named(test: Test) -> Iterator[Literal]:
    """Yield the constants in a test."""
    if isinstance(test, Member):
        yield from _named_in(test.range)
    else:
        yield from (argument for argument in test.arguments if isinstance(argument, Literal))


def _named_in(range_: DataRange) -> Iterator[Literal]:
    match range_:
        case DataIntersectionOf(operands) | DataUnionOf(operands):
            for operand in operands:
                yield from _named_in(operand)
        case DataComplementOf(operand):
            yield from _named_in(operand)
        case DataOneOf(literals):
            yield from (literal for literal in literals if isinstance(literal, Literal))
        case DatatypeRestriction(_, facets):
            yield from (value for _, value in facets if isinstance(value, Literal))


def _around(literal: Literal) -> Iterator[Literal]:
    """Yield the literal; for a number also the number plus one and minus one."""
    yield literal
    value = literal.value
    if isinstance(value, bool) or literal.datatype is None:
        return
    try:
        yield Literal(str(value + 1), datatype=literal.datatype)
        yield Literal(str(value - 1), datatype=literal.datatype)
    except TypeError:
        return  # not a number
