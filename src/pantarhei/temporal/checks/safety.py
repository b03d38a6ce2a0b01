"""Whether the body of a rule says what its variables can be, so that it is found and not guessed."""

from __future__ import annotations

from collections.abc import Iterable

from rdflib import Variable

from pantarhei.language.rule_text import builtin_text, term_text
from pantarhei.language.temporal_rule import TemporalRule
from pantarhei.temporal.binding import is_unbounded, steps, taken, variables
from pantarhei.temporal.checks.refusal import Place, refused_for

_IN_BODY = "an atom of the body that has it, not negated, or a computation of it"


def check_safety(rule: TemporalRule) -> None:
    """Nothing, if each variable of the rule is bound by what is positive in its body, or computed from that.

    Raises:
        TemporalRuleError: a variable is not bound.
    """
    bound, _ = taken(steps(rule))
    for formula in rule.body:
        time = formula.time
        if (
            is_unbounded(formula)
            and not formula.is_negated
            and isinstance(time, Variable)
            and time not in bound
        ):
            problem = f"nothing bounds the time {term_text(time)} of {formula}"
            expected = f"a window, as in {formula} in [10], or another atom of the body that has it"
            raise refused_for(time, problem, expected, formula, rule)
    for formula in (rule.head, *rule.body):
        where = "the head" if formula is rule.head else f"{formula}"
        _check_bound(formula.variables, bound, where, rule, formula)
    for test in rule.tests:
        _check_bound(variables(test.arguments), bound, builtin_text(test), rule, test)


def _check_bound(
    given: Iterable[Variable], bound: frozenset[Variable], where: str, rule: TemporalRule, place: Place
) -> None:
    if free := sorted(set(given) - bound):
        problem = f"{term_text(free[0])} is in {where}, and nothing binds it"
        raise refused_for(free[0], problem, _IN_BODY, place, rule)
