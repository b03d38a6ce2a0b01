"""Which variables the body of a rule binds, and by what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from rdflib import Variable

from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import Formula, Mode, TemporalRule
from pantarhei.values.builtin import is_computation


class Step(NamedTuple):
    """Something that binds variables as soon as others are bound.

    Args:
        needs: those that must be bound.
        gives: those that then are.
        source: what it is.
    """

    needs: frozenset[Variable]
    gives: frozenset[Variable]
    source: object


def variables(arguments: Iterable[Argument | None]) -> frozenset[Variable]:
    """The variables among arguments."""
    return frozenset(argument for argument in arguments if isinstance(argument, Variable))


def is_unbounded(formula: Formula) -> bool:
    """Whether it is an @ that looks at all ticks: it finds what holds at a time, not the time."""
    return formula.mode is Mode.AT and formula.window is None


def steps(rule: TemporalRule) -> list[Step]:
    """What binds variables in a rule: positive formulas, then computations."""
    positive = [formula for formula in rule.body if not formula.is_negated]
    return [
        *(Step(variables([f.time] if is_unbounded(f) else ()), f.variables, f) for f in positive),
        *(
            Step(_operands(test), variables(test.arguments[:1]), test)
            for test in rule.tests
            if is_computation(test)
        ),
    ]


def with_tests_in_order(rule: TemporalRule) -> TemporalRule:
    """The rule with each test behind the computations of what it looks at, else in the order of the text.

    >>> from pantarhei.temporal.rules import load_rules
    >>> rules = load_rules("a(X) :- b(X, N), K > 4, K = N + 1.", prefixes={"": "http://example.org/"})
    >>> print(with_tests_in_order(rules.rules[0]))
    a(X) :- b(X, N), K = N + 1, K > 4.
    """
    bound = {variable for each in rule.body if not each.is_negated for variable in each.variables}
    waiting, ordered = list(rule.tests), list[Builtin]()
    while waiting:
        test = next((each for each in waiting if _operands(each) <= bound), waiting[0])
        waiting.remove(test)
        ordered.append(test)
        bound |= variables(test.arguments)
    return rule if ordered == list(rule.tests) else replace(rule, tests=tuple(ordered))


def _operands(test: Builtin) -> frozenset[Variable]:
    """What a test needs to know: all but the result of a computation."""
    return variables(test.arguments[is_computation(test) :])


def taken(given: Sequence[Step]) -> tuple[frozenset[Variable], list[Step]]:
    """The variables that are bound in the end, and the steps that bound a further one, in their order.

    Of steps that can be taken the first is. Costs linear time.
    """
    bound: set[Variable] = set()
    missing = [len(step.needs) for step in given]
    waiting: dict[Variable, list[int]] = defaultdict(list)
    for number, step in enumerate(given):
        for variable in step.needs:
            waiting[variable].append(number)
    found: list[Step] = []
    ready = [number for number, count in enumerate(missing) if not count]
    for number in ready:
        new = given[number].gives - bound
        if new:
            found.append(given[number])
            bound |= new
        for variable in new:
            for other in waiting[variable]:
                missing[other] -= 1
                if not missing[other]:
                    ready.append(other)
    return frozenset(bound), found
