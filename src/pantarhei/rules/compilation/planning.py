"""Planning of one rule: for each atom of its body, and for its head, the order in which the remaining atoms
are joined after a fact has matched that atom.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Protocol

from rdflib import Literal, URIRef, Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Symbol
from pantarhei.encoding.vocabulary import NumberedProgram
from pantarhei.errors import InvalidRuleError
from pantarhei.model.data_range import DataRange
from pantarhei.model.rule import Argument, Atom, Member, Rule, Test
from pantarhei.model.term import Term
from pantarhei.rules.compilation.plan import (
    BACKWARD,
    CHECK,
    COMPUTE,
    DIFFERENT,
    FORWARD,
    HOLDS,
    IDENTICAL,
    INSIDE,
    NAMED,
    OUTSIDE,
    JoinPlan,
    PlanCondition,
    PlanStep,
)
from pantarhei.values.membership import tested_range
from pantarhei.values.scalar_functions import EQUAL, is_computation
from pantarhei.values.value import value_of


class Numbered(Protocol):
    """Existing numbers of symbols, terms and data ranges; the number of each is its index."""

    symbols: list[Symbol]
    literals: list[Literal]
    value_of: Callable[[Term], Hashable]

    @property
    def names(self) -> Sequence[Term]:
        """The names (IRIs and blank nodes)."""

    @property
    def ranges(self) -> Sequence[DataRange]:
        """The data ranges."""


class Numbering:
    """Assigns numbers to predicates, terms, data ranges and built-ins in order of first use.

    Args:
        numbered: existing numbers, which are kept.
    """

    def __init__(self, numbered: Numbered | None = None) -> None:
        self.predicates: dict[Symbol, int] = {}
        self.names: dict[Term, int] = {}
        self.literals: dict[object, tuple[int, Literal]] = {}  # by value
        self.ranges: dict[DataRange, int] = {}
        self.builtins: dict[URIRef, int] = {}
        self.value_of: Callable[[Term], Hashable] = value_of
        if numbered is not None:
            self.value_of = numbered.value_of
            self.predicates.update((symbol, i) for i, symbol in enumerate(numbered.symbols))
            self.names.update((name, i) for i, name in enumerate(numbered.names))
            for literal in numbered.literals:
                self.argument(literal, {})
            self.ranges.update((range_, i) for i, range_ in enumerate(numbered.ranges))

    @classmethod
    def of(cls, program: NumberedProgram, value_of: Callable[[Term], Hashable]) -> Numbering:
        """Return the numbering of a compiled program. `value_of` must be the function it was compiled with;
        literals with equal values share a number.
        """
        made = cls()
        made.value_of = value_of
        made.predicates = {symbol: i for i, symbol in enumerate(program.predicates)}
        made.names = {name: i for i, name in enumerate(program.names)}
        literals = enumerate(program.literals, FIRST_LITERAL)
        made.literals = {value_of(literal): (i, literal) for i, literal in literals}
        made.ranges = {range_: i for i, range_ in enumerate(program.ranges)}
        made.builtins = {name: i for i, name in enumerate(program.builtins)}
        return made

    def predicate(self, atom: Atom) -> int:
        """Return the number of an atom's class or property."""
        return self.predicates.setdefault(Symbol(atom.predicate, len(atom.arguments)), len(self.predicates))

    def argument(self, argument: Argument, variables: Mapping[Variable, int]) -> int:
        """Encode an argument: the number of a variable, or `-2 - n` for constant number n."""
        if isinstance(argument, Variable):
            return variables[argument]
        if isinstance(argument, Literal):
            fresh = (FIRST_LITERAL + len(self.literals), argument)
            return -2 - self.literals.setdefault(self.value_of(argument), fresh)[0]
        return -2 - self.names.setdefault(argument, len(self.names))

    def atom(self, atom: Atom, variables: Mapping[Variable, int]) -> tuple[int, int, int]:
        """Encode an atom as (predicate, subject, object); the object of a class atom is NONE."""
        arguments = [self.argument(a, variables) for a in atom.arguments]
        return (self.predicate(atom), arguments[0], arguments[1] if len(arguments) > 1 else NONE)

    def range(self, range: DataRange) -> int:
        """Return the number of a data range."""
        return self.ranges.setdefault(range, len(self.ranges))

    def builtin(self, name: URIRef) -> int:
        """Return the number of a built-in."""
        return self.builtins.setdefault(name, len(self.builtins))


class GivenNumbers(Numbering):
    """Numbering that begins with given predicates and data ranges, and obtains the numbers of terms from a
    function.

    A program with this numbering does not list its terms, so unused terms cost nothing.

    Args:
        symbols: the first predicates.
        ranges: the first data ranges.
        number: returns the number of a term.
    """

    def __init__(
        self, symbols: Iterable[Symbol], ranges: Iterable[DataRange], number: Callable[[Term], int]
    ) -> None:
        super().__init__()
        self.predicates = {symbol: i for i, symbol in enumerate(dict.fromkeys(symbols))}
        self.ranges = {range_: i for i, range_ in enumerate(ranges)}
        self._number = number

    def argument(self, argument: Argument, variables: Mapping[Variable, int]) -> int:
        """Encode an argument as `Numbering.argument` does."""
        return variables[argument] if isinstance(argument, Variable) else -2 - self._number(argument)


class RulePlanner:
    """Planner of one rule.

    Args:
        rule: a rule or a constraint.
        number: number of the rule, stored in its plans.
        numbering: assigns the numbers of symbols, terms, data ranges and built-ins.
        first: body variables that get the lowest numbers, and that the plans bind as early as possible.

    Raises:
        InvalidRuleError: a variable of the head, the inequalities or the tests is not in the body.
    """

    def __init__(self, rule: Rule, number: int, numbering: Numbering, first: Iterable[Variable] = ()) -> None:
        self._rule, self._number, self._numbering = rule, number, numbering
        self.variables = {variable: i for i, variable in enumerate(first)}
        self._first = frozenset(self.variables)
        self._number_variables(rule.body)
        self._check_bound(set(self.variables))
        self._number_variables(rule.tests)

    def _number_variables(self, parts: Iterable[Atom | Test]) -> None:
        for part in parts:
            for argument in part.arguments:
                if isinstance(argument, Variable):
                    self.variables.setdefault(argument, len(self.variables))

    def _check_bound(self, bound: set[Variable]) -> None:
        """Raise `InvalidRuleError` if the rule has a variable that neither its body nor a
        computation binds.
        """
        rule = self._rule
        for test in rule.tests:
            used = test.arguments[1:] if is_computation(test) else test.arguments
            _refuse_unbound(rule, used, bound)
            bound.update(a for a in test.arguments if isinstance(a, Variable))
        for difference in rule.different:
            _refuse_unbound(rule, (difference.left, difference.right), bound)
        if rule.head is not None:
            _refuse_unbound(rule, rule.head.arguments, bound)

    def plan_from(self, trigger: Atom, position: int) -> JoinPlan:
        """Return the plan that starts from a given fact of `trigger`: the body atom with index `position`, or
        the head if `position` is NONE.

        Raises:
            InvalidRuleError: the body is not connected, so it would require a cross product.
        """
        rule, numbering = self._rule, self._numbering
        head = (NONE, NONE, NONE) if rule.head is None else numbering.atom(rule.head, self.variables)
        steps = tuple(self._steps(trigger, position))
        conditions = tuple(self._conditions(_variables(trigger)))
        given = numbering.atom(trigger, self.variables)[1:]
        return JoinPlan(self._number, head, given, position, steps, conditions)

    def _conditions(self, given: set[Variable]) -> list[PlanCondition]:
        """Return the inequalities and tests, each after the computations of its operands.

        If the trigger is the head, the value of a computed variable is already `given`; the plan then
        compares the computed value with it.
        """
        rule = self._rule
        bound = set[Variable]().union(*map(_variables, rule.body))
        different = [(DIFFERENT, d.left, d.right) for d in rule.different]
        early = [d for d in different if bound.issuperset(a for a in d[1:] if isinstance(a, Variable))]
        tests = [c for test in rule.tests for c in self._test(test, bound, given)]
        late = [d for d in different if d not in early]
        if rule.head is not None and rule.head.has_class_variable:  # a class must not be a literal
            class_ = self._numbering.argument(rule.head.arguments[1], self.variables)
            tests.append(PlanCondition(NAMED, class_, NONE))

        def encoded(condition: tuple[int, Argument, Argument]) -> PlanCondition:
            kind, left, right = condition
            first, second = (self._numbering.argument(side, self.variables) for side in (left, right))
            return PlanCondition(kind, first, second)

        return [*map(encoded, early), *tests, *map(encoded, late)]

    def _test(self, test: Test, bound: set[Variable], given: set[Variable]) -> Iterator[PlanCondition]:
        """Yield the conditions of one test. If the result variable of a computation is already bound, the
        computed value is compared with it.
        """
        if isinstance(test, Member):
            number = self._numbering.range(tested_range(test))
            argument = self._numbering.argument(test.argument, self.variables)
            yield PlanCondition(INSIDE if test.inside else OUTSIDE, argument, number)
            return
        builtin = self._numbering.builtin(test.name)
        arguments = [self._numbering.argument(a, self.variables) for a in test.arguments]
        if not is_computation(test):
            yield PlanCondition(HOLDS, builtin, arguments[0], arguments[1])
            return
        result, left, right = arguments if len(arguments) == 3 else (*arguments, NONE)
        first = test.arguments[0]
        spare = len(self.variables)
        if not isinstance(first, Variable) or first in bound:
            equal = self._numbering.builtin(EQUAL)
            yield PlanCondition(COMPUTE, builtin, left, right, spare)
            yield PlanCondition(HOLDS, equal, spare, result, NONE)
            return
        bound.add(first)
        if first in given:
            yield PlanCondition(COMPUTE, builtin, left, right, spare)
            yield PlanCondition(IDENTICAL, spare, result)
        else:
            yield PlanCondition(COMPUTE, builtin, left, right, result)

    def _steps(self, trigger: Atom, position: int) -> list[PlanStep]:
        """Order the body atoms other than the trigger: lookups of single facts before iterations over facts;
        among iterations, those that bind `first` variables before others.

        The cost is O(n log n) for n atoms: when a variable is bound, only the atoms that contain it are
        ranked again.
        """
        rule = self._rule
        having: defaultdict[Variable, list[int]] = defaultdict(list)
        for i, atom in enumerate(rule.body):
            for variable in _variables(atom):
                having[variable].append(i)
        bound = _variables(trigger)
        waiting = set(range(len(rule.body))) - {position}
        ranked = [rank for i in waiting if (rank := self._rank(i, bound)) is not None]
        heapify(ranked)
        steps = []
        while waiting:
            if not ranked:
                raise InvalidRuleError(str(rule), "its body is not connected")
            *_, kind, i = heappop(ranked)
            if i not in waiting:
                continue
            waiting.remove(i)
            predicate, first, second = self._numbering.atom(rule.body[i], self.variables)
            steps.append(PlanStep(kind, predicate, first, second, i))
            for variable in _variables(rule.body[i]) - bound:
                bound.add(variable)
                for other in having[variable]:
                    if other in waiting and (better := self._rank(other, bound)) is not None:
                        heappush(ranked, better)
        return steps

    def _rank(self, i: int, bound: set[Variable]) -> tuple[bool, bool, int, int] | None:
        """Return the sort key of body atom i: (is iterated, binds no `first` variable, kind of match, i).
        None if it shares no variable with the atoms matched so far.
        """
        atom = self._rule.body[i]
        kind = _kind(atom, bound)
        if kind is None:
            return None
        return kind != CHECK, self._first.isdisjoint(_variables(atom) - bound), kind, i


def _variables(atom: Atom) -> set[Variable]:
    return {argument for argument in atom.arguments if isinstance(argument, Variable)}


def _refuse_unbound(rule: Rule, arguments: Iterable[Argument], bound: set[Variable]) -> None:
    unbound = {a for a in arguments if isinstance(a, Variable)} - bound
    if unbound:
        raise InvalidRuleError(str(rule), f"its body lacks {', '.join(sorted(unbound))}")


def _kind(atom: Atom, bound: set[Variable]) -> int | None:
    """Return the kind of an atom's match if the variables `bound` are bound: CHECK if all arguments are
    known, FORWARD if only the subject is, BACKWARD if only the object is, None if no argument is.
    """
    known = [not isinstance(a, Variable) or a in bound for a in atom.arguments]
    if all(known):
        return CHECK
    if len(known) == 1 or not any(known):
        return None
    return FORWARD if known[0] else BACKWARD
