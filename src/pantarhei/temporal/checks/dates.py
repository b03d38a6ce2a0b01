"""Whether rules take the times of a stream with datetimes for what they are, and not for numbers."""

from __future__ import annotations

from decimal import Decimal

from rdflib import XSD, Literal, Variable

from pantarhei.model.rule import Argument
from pantarhei.model.temporal_rule import TemporalRule, builtin_text
from pantarhei.model.time import TimeKind
from pantarhei.temporal.checks.refusal import refused
from pantarhei.values.builtin import is_computation

_EXPECTED = (
    "windows for lengths of time, and times compared with each other or with a literal such as "
    '"2026-01-01T00:00:00Z"^^xsd:dateTime'
)


def check_dates(rule: TemporalRule, kind: TimeKind) -> None:
    """Nothing, if no time that is a datetime is computed with, or compared with a number, and no time that is
    a number with a datetime: that never holds.

    Raises:
        TemporalRuleError: one is.
    """
    if kind is not TimeKind.DATETIME:
        _check_numbers(rule)
        return
    for formula in rule.formulas:
        if _is_number(formula.time):
            raise refused(f"{formula} names a number, and the stream has datetimes", _EXPECTED, formula, rule)
    times = {formula.time for formula in rule.formulas if isinstance(formula.time, Variable)}
    for test in rule.tests:
        does_what = "computes with" if is_computation(test) else "compares a number with"
        if is_computation(test) or any(map(_is_number, test.arguments)):
            for time in times.intersection(test.arguments):
                problem = f"{builtin_text(test)} {does_what} the time {time}, and the stream has datetimes"
                raise refused(problem, _EXPECTED, test, rule)


def _check_numbers(rule: TemporalRule) -> None:
    """That the times of a stream of numbers are not taken for datetimes."""
    for formula in rule.formulas:
        if is_date(formula.time):
            problem = f"{formula} names a datetime, and the stream has numbers"
            raise refused(problem, "a number", formula, rule)
    times = {formula.time for formula in rule.formulas if isinstance(formula.time, Variable)}
    for test in rule.tests:
        if any(map(is_date, test.arguments)):
            for time in times.intersection(test.arguments):
                problem = f"{builtin_text(test)} compares a datetime with the time {time}, and the stream has"
                raise refused(f"{problem} numbers", "a number", test, rule)


def is_date(given: Argument | None) -> bool:
    """Return whether a term is a literal with a datatype of datetimes."""
    return isinstance(given, Literal) and given.datatype in (XSD.dateTime, XSD.dateTimeStamp)


def _is_number(given: Argument | None) -> bool:
    return isinstance(given, Literal) and type(given.value) in (int, float, Decimal)
