"""Ticks: consecutive numbers of intervals of equal length, by which temporal rules count time.

By default a tick has the length of the window's slide, so that ticks end with the windows.

tick = 2              reports at 1, 2 and 5
time   0   1   2   3   4   5   6
tick   0 |---1---|---2---|---3---|         a report between two ends belongs to the tick of the later end
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, TypeVar

from rdflib import Literal

from pantarhei.errors import OptionError, TemporalRuleError, TimestampError
from pantarhei.model.rule import Builtin
from pantarhei.model.temporal_rule import Formula, TemporalRule, TimeWindow, builtin_text, duration_text
from pantarhei.model.time import (
    Duration,
    TimeKind,
    TimePoint,
    duration_ticks,
    kind_of,
    show_time,
    ticks_of,
    time_of,
)
from pantarhei.temporal.rule_form import MAX_WINDOW_SIZE, is_datetime, rule_error
from pantarhei.values.scalar_functions import is_computation
from pantarhei.window.sliding import Step, Window

_PLURAL: Final = {TimeKind.INTEGER: "integers", TimeKind.FLOAT: "floats", TimeKind.DATETIME: "datetimes"}
_MOST_TICK: Final = (1 << 61) - (
    1 << 40
)  # largest distance from 0; the expiry after any window is below 2**61


@dataclass(frozen=True, slots=True)
class Ticks:
    """Conversion between times and ticks, for a window over timestamps of one kind.

    Args:
        window: the reasoner's window; ticks are aligned with its boundaries.
        kind: kind of the stream's timestamps.
        tick: length of a tick; None for the slide of the window.

    Attributes:
        length: length of a tick, in the stream's smallest units.

    Raises:
        TemporalRuleError: the tick is invalid for the kind; or the tick is the slide of a window with a time
            zone, whose days differ in length.
    """

    window: Window
    kind: TimeKind
    tick: Duration | None = None

    _origin: int = field(init=False, repr=False, compare=False)  # time at which tick 0 ends
    length: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        origin = self.window.next_boundary(self.kind, 0)
        object.__setattr__(self, "_origin", origin)
        object.__setattr__(self, "length", self._length_from(origin))

    def _length_from(self, origin: int) -> int:
        if self.tick is not None:
            try:
                return duration_ticks(self.tick, self.kind)
            except TimestampError as error:
                problem = f"the tick {self.tick} does not fit a stream of {_PLURAL[self.kind]}"
                raise TemporalRuleError(problem, f"a tick that is {error.expected}") from None
        if self.window.zone is not None:
            problem = (
                f"ticks of temporal rules must have equal lengths, but days of {self.window.zone} differ"
            )
            raise TemporalRuleError(problem, "a tick of the reasoner, such as tick='PT1H'")
        return self.window.next_boundary(self.kind, origin + 1) - origin

    def tick_of_step(self, step: Step) -> int:
        """Return the tick of a step.

        Raises:
            TimestampError: the tick is too far from 0 to be stored with an expiry.
        """
        tick = self.tick_of_time(step.now)
        if abs(tick) > _MOST_TICK:
            now = show_time(time_of(step.now, self.kind))
            nearer = f"a time at most {_MOST_TICK:_} ticks from 0 with temporal rules"
            expected = f"{nearer}; give the reasoner a longer tick"
            raise TimestampError(f"the timestamp {now}", expected)
        return tick

    def tick_of_time(self, time: int) -> int:
        """Return the first tick that ends at a time or later; the time is in the stream's smallest units."""
        return -((self._origin - time) // self.length)

    def end_of(self, tick: int) -> int:
        """Return the time at which a tick ends, in the stream's smallest units."""
        return self._origin + tick * self.length

    def start_tick(self, start: TimePoint | None) -> int | None:
        """Return the tick of the `start` timestamp of rules; None if they have no start.

        Raises:
            TemporalRuleError: `start` is not of the same kind as the stream's timestamps.
        """
        if start is None:
            return None
        try:
            return self.tick_of_time(ticks_of(start, self.kind))
        except TimestampError as error:
            problem = f"start={show_time(start)} of the rules does not fit a stream of {_PLURAL[self.kind]}"
            raise TemporalRuleError(problem, f"a start that is {error.expected}") from None

    def literal_of(self, tick: int) -> Literal:
        """Return the literal that denotes a tick in rules: the time at which the tick ends."""
        return Literal(time_of(self.end_of(tick), self.kind))

    def normalize_time(self, given: Literal) -> Literal:
        """Convert a time literal of a rule to the stream's form: an integer to a float, a datetime to UTC."""
        if self.kind is TimeKind.FLOAT and isinstance(given.value, int):
            return Literal(float(given.value))
        if self.kind is TimeKind.DATETIME and isinstance(given.value, datetime) and given.value.tzinfo:
            return Literal(given.value.astimezone(UTC))
        return given

    def window_size(self, window: TimeWindow, formula: Formula) -> int:
        """Return the length of a formula's window in ticks.

        Raises:
            TemporalRuleError: the window has more than `MAX_WINDOW_SIZE` ticks; it is given in ticks, and the
                timestamps are datetimes; or it is given as a duration, and they are numbers.
        """
        size = window.size
        if isinstance(size, int):
            if size and self.kind is TimeKind.DATETIME:
                raise rule_error(f"{formula} counts ticks", "a window with a unit, such as [5 min]", formula)
            return size
        if self.kind is not TimeKind.DATETIME:
            problem = f"{formula} needs a stream with datetimes, but {self._numbers_are}"
            raise rule_error(problem, "a window in ticks, such as [5], or a range that is a time", formula)
        ticks = duration_ticks(size, self.kind) // self.length
        if ticks > MAX_WINDOW_SIZE:
            length = duration_text(timedelta(microseconds=self.length))
            problem = f"{formula} reaches back {ticks:_} ticks of {length}"
            expected = f"at most {MAX_WINDOW_SIZE:_} ticks; give the reasoner a longer tick"
            raise rule_error(problem, expected, formula)
        return ticks

    @property
    def _numbers_are(self) -> str:
        """Clause for error texts: the evidence that the stream's timestamps are numbers."""
        if self.window.range:
            return f"the range {self.window.range} is a number"
        return f"the timestamp {time_of(0, self.kind)} is a number"

    def eviction_time(self, at: int) -> int:
        """Return the first time at which the reasoner's window no longer contains an assertion made at `at`.

        Args:
            at: time of the assertion, in the stream's smallest units.
        """
        return self.window.leaving_at(self.kind, at)


def default_time_kind(window: Window) -> TimeKind:
    """Return the kind of timestamps that a window implies; integers if it permits several kinds."""
    return window.kind or TimeKind.INTEGER


def possible_time_kinds(window: Window) -> Iterator[TimeKind]:
    """Yield the kinds of timestamps that a window permits, integers first."""
    for kind in TimeKind if window.kind is None else (window.kind,):
        try:
            window.next_boundary(kind, 0)
        except (TimestampError, OptionError):
            continue
        yield kind


def check_tick(tick: Duration, window: Window) -> None:
    """Check the length of a tick.

    Raises:
        OptionError: it is not a duration above 0 that fits the timestamps of the window.
    """
    expected = "a duration above 0, such as 1s, or a number above 0 if timestamps are numbers"
    for kind in possible_time_kinds(window):
        try:
            if duration_ticks(tick, kind):
                return
        except TimestampError as error:
            expected = error.expected
    raise OptionError("tick", str(tick), expected)


Compiled = TypeVar("Compiled")


def compile_for_time_kind(
    rules: Iterable[TemporalRule],
    window: Window,
    start: TimePoint | None,
    make: Callable[[Ticks], Compiled],
    tick: Duration | None = None,
) -> Compiled:
    """Compile rules for the first kind of timestamps for which they are valid; return the result of `make`.

    Args:
        window: the reasoner's window; a range of 0 permits every kind.
        start: timestamp at which the rules begin; None if the stream decides.
        make: compiles the rules for given ticks; raises `TemporalRuleError` if they are invalid there.
        tick: length of a tick; None for the slide of the window.

    Raises:
        TemporalRuleError: the rules are valid for no kind. The error is that of the kind for which the rules
            appear to be written.
    """
    refusals: dict[TimeKind, TemporalRuleError] = {}
    for kind in possible_time_kinds(window):
        try:
            return make(Ticks(window, kind, tick))
        except TemporalRuleError as error:
            refusals[kind] = error
    raise _best_error(refusals, list(_kind_signs(rules)), start)


class _KindSign(NamedTuple):
    """Part of a rule that is valid for one kind of timestamps only: datetimes or numbers."""

    is_of_dates: bool
    place: Formula | Builtin
    rule: TemporalRule

    def __str__(self) -> str:
        text = builtin_text(self.place) if isinstance(self.place, Builtin) else f"{self.place}"
        return f"{text} is for times that are {'datetimes' if self.is_of_dates else 'numbers'}"


def _best_error(
    refusals: dict[TimeKind, TemporalRuleError], signs: list[_KindSign], start: TimePoint | None
) -> TemporalRuleError:
    """Choose the error of the kind of timestamps for which the rules appear to be written."""
    is_open = TimeKind.DATETIME in refusals and len(refusals) > 1
    if is_open and len({sign.is_of_dates for sign in signs}) > 1:
        other = next(sign for sign in signs if sign.is_of_dates is not signs[0].is_of_dates)
        problem = f"{other}, and {signs[0]}; a stream has one kind"
        return rule_error(problem, "windows and times of one kind in all rules", other.place, other.rule)
    is_of_dates = signs[0].is_of_dates if signs else None
    if start is not None:
        is_of_dates = kind_of(start) is TimeKind.DATETIME
    meant = (error for kind, error in refusals.items() if (kind is TimeKind.DATETIME) is is_of_dates)
    return next(meant, next(iter(refusals.values())))


def _kind_signs(rules: Iterable[TemporalRule]) -> Iterator[_KindSign]:
    """Yield the parts of rules that are valid for one kind of timestamps only, in the order of the text."""
    for rule in rules:
        for formula in rule.formulas:
            match formula.window:
                case TimeWindow(timedelta()):
                    yield _KindSign(True, formula, rule)
                case TimeWindow(int(size)) if size:
                    yield _KindSign(False, formula, rule)
            if isinstance(formula.time, Literal):
                yield _KindSign(is_datetime(formula.time), formula, rule)
        times = {formula.time for formula in rule.formulas if formula.time is not None}
        for test in rule.tests:
            if times.intersection(test.arguments):
                if is_computation(test):
                    yield _KindSign(False, test, rule)
                for literal in test.arguments:
                    if isinstance(literal, Literal):
                        yield _KindSign(is_datetime(literal), test, rule)
