"""The kind of time that temporal rules fit, where the reasoner's window leaves it open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import NamedTuple, TypeVar

from rdflib import Literal

from pantarhei.errors import TemporalRuleError
from pantarhei.model.rule import Builtin
from pantarhei.model.temporal_rule import Formula, TemporalRule, TimeWindow, builtin_text
from pantarhei.model.time import TimeKind, TimePoint, kind_of
from pantarhei.temporal.checks.dates import is_date
from pantarhei.temporal.checks.refusal import refused
from pantarhei.temporal.ticks import Ticks, kinds_for
from pantarhei.values.builtin import is_computation
from pantarhei.window.sliding import Window

Made = TypeVar("Made")


def fitted(
    rules: Iterable[TemporalRule], window: Window, start: TimePoint | None, make: Callable[[Ticks], Made]
) -> Made:
    """What `make` makes of the ticks of the first kind of time that it does not refuse.

    Args:
        window: the reasoner's; one with a length of 0 leaves the kind of time open.
        start: the timestamp that the rules begin at, None where the stream says it.
        make: compiles the rules.

    Raises:
        TemporalRuleError: it refuses all: the refusal of the kind that the rules are written for.
    """
    refusals: dict[TimeKind, TemporalRuleError] = {}
    for kind in kinds_for(window):
        try:
            return make(Ticks(window, kind))
        except TemporalRuleError as error:
            refusals[kind] = error
    raise _fitting(refusals, list(_signs(rules)), start)


class _Sign(NamedTuple):
    """What tells that a rule is written for streams with datetimes, or for those with numbers."""

    is_of_dates: bool
    place: Formula | Builtin
    rule: TemporalRule

    def __str__(self) -> str:
        text = builtin_text(self.place) if isinstance(self.place, Builtin) else f"{self.place}"
        return f"{text} is for times that are {'datetimes' if self.is_of_dates else 'numbers'}"


def _fitting(
    refusals: dict[TimeKind, TemporalRuleError], signs: list[_Sign], start: TimePoint | None
) -> TemporalRuleError:
    """The refusal that says what is wrong with the rules as they are meant."""
    is_open = TimeKind.DATETIME in refusals and len(refusals) > 1
    if is_open and len({sign.is_of_dates for sign in signs}) > 1:
        other = next(sign for sign in signs if sign.is_of_dates is not signs[0].is_of_dates)
        problem = f"{other}, and {signs[0]}; a stream has one kind"
        return refused(problem, "windows and times of one kind in all rules", other.place, other.rule)
    is_of_dates = signs[0].is_of_dates if signs else None
    if start is not None:
        is_of_dates = kind_of(start) is TimeKind.DATETIME
    meant = (error for kind, error in refusals.items() if (kind is TimeKind.DATETIME) is is_of_dates)
    return next(meant, next(iter(refusals.values())))


def _signs(rules: Iterable[TemporalRule]) -> Iterator[_Sign]:
    """What the rules are written for, in the order of the text."""
    for rule in rules:
        for formula in rule.formulas:
            match formula.window:
                case TimeWindow(timedelta()):
                    yield _Sign(True, formula, rule)
                case TimeWindow(int(size)) if size:
                    yield _Sign(False, formula, rule)
            if isinstance(formula.time, Literal):
                yield _Sign(is_date(formula.time), formula, rule)
        times = {formula.time for formula in rule.formulas if formula.time is not None}
        for test in rule.tests:
            if times.intersection(test.arguments):
                if is_computation(test):
                    yield _Sign(False, test, rule)
                for literal in test.arguments:
                    if isinstance(literal, Literal):
                        yield _Sign(is_date(literal), test, rule)
