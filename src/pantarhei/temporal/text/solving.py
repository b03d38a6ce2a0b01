"""Equations of a rule's text that say what nothing else says, in the form that says it.

q(X) :- p(Y), X = Y.                  reads as    q(Y) :- p(Y).
q(X) at T :- p(X) at T - 1 in [5].    reads as    q(X) at T :- p(X) at _1 in [5], T = _1 + 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from rdflib import Variable

from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import Formula, TemporalRule
from pantarhei.temporal.binding import Step, steps, taken, variables
from pantarhei.values.builtin import EQUAL, SWRLB


class _Solution(NamedTuple):
    """A test, and what it becomes if it is what binds a variable.

    Args:
        computation: of that variable; None where the variable is another name of `same`.
    """

    test: Builtin
    variable: Variable
    computation: Builtin | None = None
    same: Argument | None = None


def solved(rule: TemporalRule) -> TemporalRule:
    """The rule, with each equation by which alone a variable is known solved for it.

    What equals a variable is put in its place; a sum or a difference is solved.
    """
    ways = [*steps(rule), *(way for test in rule.tests for way in _ways(test))]
    found = [step.source for step in taken(ways)[1] if isinstance(step.source, _Solution)]
    if not found:
        return rule
    computations = {id(each.test): each.computation for each in found}
    tests = [computations.get(id(test), test) for test in rule.tests]
    same: dict[Argument, Argument] = {}
    for each in found:
        if each.same is not None:
            same[each.variable] = same.get(each.same, each.same)

    def put(argument: Argument) -> Argument:
        return same.get(argument, argument)

    def put_in(formula: Formula) -> Formula:
        arguments = tuple(map(put, formula.atom.arguments))
        time = None if formula.time is None else put(formula.time)
        return replace(formula, atom=replace(formula.atom, arguments=arguments), time=time)

    return replace(
        rule,
        head=put_in(rule.head),
        body=tuple(map(put_in, rule.body)),
        tests=tuple(test.with_arguments(put) for test in tests if test is not None),
    )


def _ways(test: Builtin) -> Iterator[Step]:
    """How a test says what one of its variables is, if the others are known."""
    for solution in _solutions(test):
        needs = variables(each for each in test.arguments if each != solution.variable)
        yield Step(needs, frozenset([solution.variable]), solution)


def _solutions(test: Builtin) -> Iterator[_Solution]:
    if test.name == EQUAL:
        for one, other in (test.arguments, test.arguments[::-1]):
            if isinstance(one, Variable) and one != other:
                yield _Solution(test, one, same=other)
    elif test.name in (SWRLB.add, SWRLB.subtract) and len(set(test.arguments)) == 3:
        result, left, right = test.arguments
        back = SWRLB.subtract if test.name == SWRLB.add else SWRLB.add
        if isinstance(left, Variable):
            yield _Solution(test, left, replace(test, name=back, arguments=(left, result, right)))
        if isinstance(right, Variable):
            operands = (result, left) if test.name == SWRLB.add else (left, result)
            computation = replace(test, name=SWRLB.subtract, arguments=(right, *operands))
            yield _Solution(test, right, computation)
