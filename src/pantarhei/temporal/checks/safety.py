"""Whether the body of a rule says what its variables can be, so that it is found and not guessed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rdflib import Variable

from pantarhei.model.temporal_rule import Formula, TemporalRule, builtin_text, term_text
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
        expected = _none_at_all(formula, bound) if formula.is_negated else _IN_BODY
        _check_bound(formula.variables, bound, where, rule, formula, expected)
    for test in rule.tests:
        _check_bound(variables(test.arguments), bound, builtin_text(test), rule, test)


def _none_at_all(denied: Formula, bound: frozenset[Variable]) -> str:
    """How to say that there is nothing, whatever a variable stands for."""
    known = [each for each in denied.atom.arguments if each in bound]
    some = f"some({', '.join(map(term_text, known))})" if known else "some"
    return (
        f"{_IN_BODY}; for none at all a rule {some} :- {replace(denied, is_negated=False)}., and not {some}"
    )


def _check_bound(
    given: Iterable[Variable],
    bound: frozenset[Variable],
    where: str,
    rule: TemporalRule,
    place: Place,
    expected: str = _IN_BODY,
) -> None:
    if free := sorted(set(given) - bound):
        problem = f"{term_text(free[0])} is in {where}, and nothing binds it"
        raise refused_for(free[0], problem, expected, place, rule)
