"""Whether the body of a rule says what its variables can be, so that it is found and not guessed."""

from __future__ import annotations

from collections.abc import Iterable

from rdflib import Variable

from pantarhei.language.rule import Argument
from pantarhei.language.rule_text import builtin_text, term_text
from pantarhei.language.temporal_rule import Formula, Mode, TemporalRule
from pantarhei.literals.builtin import is_computation
from pantarhei.temporal.checks.refusal import refused

_IN_BODY = "an atom of the body that has it, not negated, or a computation of it"


def check_safety(rule: TemporalRule) -> None:
    """Nothing, if each variable of the rule is bound by what is positive in its body, or computed from that.

    An @ that looks at all ticks finds what holds at a time; the time itself has to be bound by something
    else.

    Raises:
        TemporalRuleError: a variable is not bound.
    """
    positive = [formula for formula in rule.body if not formula.is_negated]
    unbounded = [formula for formula in positive if formula.mode is Mode.AT and formula.window is None]
    bound = {variable for formula in positive if formula not in unbounded for variable in formula.variables}
    computations = [test for test in rule.tests if is_computation(test)]
    while ready := [f for f in unbounded if _variables([f.time]) <= bound] + [
        c for c in computations if _variables(c.arguments[1:]) <= bound
    ]:
        for each in ready:
            bound |= each.variables if isinstance(each, Formula) else _variables(each.arguments[:1])
        unbounded = [each for each in unbounded if each not in ready]
        computations = [each for each in computations if each not in ready]
    for formula in unbounded:
        assert formula.time is not None
        problem = f"nothing bounds the time {term_text(formula.time)} of {formula}"
        expected = f"a window, as in {formula} in [10], or another atom of the body that has it"
        raise refused(problem, expected, formula, rule)
    for formula in (rule.head, *rule.body):
        where = "the head" if formula is rule.head else f"{formula}"
        _check_bound(formula.variables, bound, where, rule, formula)
    for test in rule.tests:
        _check_bound(_variables(test.arguments), bound, builtin_text(test), rule)


def _check_bound(
    variables: Iterable[Variable], bound: set[Variable], where: str, rule: TemporalRule, *place: Formula
) -> None:
    if free := sorted(set(variables) - bound):
        raise refused(f"{term_text(free[0])} is in {where}, and nothing binds it", _IN_BODY, *place, rule)


def _variables(arguments: Iterable[Argument | None]) -> set[Variable]:
    return {argument for argument in arguments if isinstance(argument, Variable)}
