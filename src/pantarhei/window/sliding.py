"""The sliding window: which timestamps it holds as time passes.

    range = 4, slide = 2, origin = 0                 now = 7, end = 8
    time  0   1   2   3   4   5   6   7   8
                          [---------------]          closed="both":  4 <= t <= 8
                          (---------------]          closed="right": 4 <  t <= 8
                          [---------------)          closed="left":  4 <= t <  8

The window's end moves in steps of `slide`, on boundaries `origin + k * slide`: at time `now` it is the first
boundary whose window `now` may still fall into, which is the next one not before `now`, or, with
`closed="left"`, after it. What a restart sees is therefore what it would have seen. By default a step is one
tick, the smallest there is, so that the end is `now` itself.

A boundary closes when time has passed all that its window can hold: at the first instant after it, or, with
`closed="left"`, at the boundary itself. A query's window may leave timestamps out: those between windows if
its steps are longer than its range. A reasoner's may not (`step_to`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal, get_args

from pantarhei.errors import LateABoxError, OptionError, QueryWindowError, TimestampError
from pantarhei.language.time import (
    Duration,
    TimeKind,
    TimePoint,
    duration_ticks,
    kind_of,
    show_length,
    show_time,
    ticks_of,
    time_of,
)

Closed = Literal["both", "right", "left"]
Boundaries = range
"""Boundaries of a window, ascending."""


@dataclass(frozen=True, slots=True)
class Window:
    """A sliding time window `[end - range, end]`, both ends included, `(end - range, end]` with
    `closed="right"`, or `[end - range, end)` with `closed="left"`.

    Args:
        range: its length: a number for streams of numbers, a timedelta or ISO 8601 duration (`PT5M`) for
            datetimes. 0, the newest timestamp alone, is for either.
        slide: the step in which its end moves; None, the default, for one tick of the stream's kind of time,
            so that it moves with every ABox. For datetimes 1 is a tick too, a microsecond. A step beyond the
            range, which leaves timestamps out, is for windows of queries only.
        origin: a boundary that the steps are aligned to; for datetimes the default 0 is 1970-01-01T00:00Z.
        closed: `"both"` (as PB26) or `"right"` (as C-SPARQL and RSP-QL; with slide = range it tumbles); for
            windows of queries also `"left"` (as CSRBench's expected answers, YASPER and Kolibrie).

    Raises:
        OptionError: `closed` is none of these, a step is of no length, or no timestamp falls into a window.
        TimestampError: range or slide is no duration.

    >>> Window(range=2)
    Window(range=2, slide=None, origin=0, closed='both')
    """

    range: Duration
    slide: Duration | None = None
    origin: TimePoint = 0
    closed: Closed = "both"
    _bounds: dict[TimeKind, _Bounds] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.closed not in get_args(Closed):
            raise OptionError(
                "closed", repr(self.closed), " or ".join(f'"{each}"' for each in get_args(Closed))
            )
        self._in_ticks(self.kind or TimeKind.INTEGER)  # raises what there is to raise

    @property
    def kind(self) -> TimeKind | None:
        """The kind of timestamps it needs, None where integers and floats would both do."""
        if isinstance(self.range, str | timedelta):
            return TimeKind.DATETIME
        kinds = {
            kind_of(each)
            for each in (self.range, 1 if self.slide is None else self.slide, self.origin)
            if not isinstance(each, str | timedelta)
        }
        return TimeKind.FLOAT if TimeKind.FLOAT in kinds else None

    def is_as(self, other: Window, kind: TimeKind) -> bool:
        """Whether both hold the same timestamps at any time, in a stream of that kind, which `self` fits."""
        try:
            return self._in_ticks(kind) == other._in_ticks(kind)
        except (TimestampError, OptionError):
            return False

    def step_at(self, kind: TimeKind, now: int) -> Step:
        """Where it stands at a tick.

        Raises:
            TimestampError, OptionError: it is no window of that kind of time.
        """
        bounds = self._in_ticks(kind)
        end = bounds.end(now)
        return Step(kind, now, bounds.first(end), end, end - bounds.range)

    def next_boundary(self, kind: TimeKind, at: int) -> int:
        """The first boundary not before a tick.

        Raises:
            TimestampError, OptionError: it is no window of that kind of time.
        """
        return self._in_ticks(kind).boundary(at)

    def content_at(self, kind: TimeKind, boundary: int) -> tuple[int, int]:
        """The first and the last tick inside the window that ends at a boundary.

        Raises:
            TimestampError, OptionError: it is no window of that kind of time.

        >>> windows = [Window(4, 2, closed=closed) for closed in ("both", "right", "left")]
        >>> [window.content_at(TimeKind.INTEGER, 8) for window in windows]
        [(4, 8), (5, 8), (4, 7)]
        """
        bounds = self._in_ticks(kind)
        return bounds.first(boundary), boundary - bounds.open_end

    def start_at(self, kind: TimeKind, boundary: int) -> int:
        """The older end, itself inside or not, of the window that ends at a boundary.

        Raises:
            TimestampError, OptionError: it is no window of that kind of time.
        """
        return boundary - self._in_ticks(kind).range

    def closings(self, kind: TimeKind, before: int, now: int) -> Boundaries:
        """The boundaries that close when time goes on from tick `before` to tick `now`, ascending.

        All that are passed are among them, however many: they are a range, and take no room.

        Raises:
            TimestampError, OptionError: it is no window of that kind of time.

        >>> list(Window(4, 2).closings(TimeKind.INTEGER, 2, 6))  # 6 closes when time comes to 7
        [2, 4]
        """
        bounds = self._in_ticks(kind)
        return range(bounds.end(before), now + bounds.open_end, bounds.slide)

    def leaving_at(self, kind: TimeKind, at: int) -> int:
        """The first tick at which the window has left tick `at` behind.

        Raises:
            TimestampError, OptionError: it is no window of that kind of time.

        >>> windows = [Window(4, 2, closed=closed) for closed in ("both", "right", "left")]
        >>> [window.leaving_at(TimeKind.INTEGER, 1) for window in windows]
        [5, 5, 4]
        """
        bounds = self._in_ticks(kind)
        oldest = bounds.boundary(
            at + bounds.range + 1 - bounds.open_start
        )  # the first end that leaves it out
        return oldest - bounds.slide + 1 - bounds.open_end

    def entering_at(self, kind: TimeKind, at: int) -> int:
        """The first tick at which tick `at` is not after the window's end.

        Raises:
            TimestampError, OptionError: it is no window of that kind of time.

        >>> windows = [Window(4, 2, closed=closed) for closed in ("both", "right", "left")]
        >>> [window.entering_at(TimeKind.INTEGER, 2) for window in windows]
        [1, 1, 2]
        """
        bounds = self._in_ticks(kind)
        return bounds.end(at) - bounds.slide + 1 - bounds.open_end

    def range_to_hold(self, other: Window, kind: TimeKind) -> int:
        """How long this window must be, in ticks, to hold at any time what another window holds then, and
        when that closes.
        """
        mine, its = self._in_ticks(kind), other._in_ticks(kind)
        ends_with_it = its.slide % mine.slide == 0 and (its.origin - mine.origin) % mine.slide == 0
        later = 0 if ends_with_it else mine.slide - 1  # so many ticks after the other this one may end
        return its.range + later + mine.open_start - its.open_start

    def check_holds_all(self, kind: TimeKind) -> None:
        """Nothing, if each timestamp of a stream falls into it when it comes, as a reasoner's window needs.

        Raises:
            QueryWindowError: it is closed to the left, or its steps leave some out.
            TimestampError, OptionError: it is no window of that kind of time.
        """
        bounds = self._in_ticks(kind)
        if bounds.open_end:
            raise QueryWindowError("closed", repr(self.closed), '"both" or "right"')
        if bounds.slide > bounds.range + 1 - bounds.open_start:
            expected = f"a step no longer than {self.range}, or some times are in no window"
            raise QueryWindowError("slide", str(self.slide), expected)

    def _in_ticks(self, kind: TimeKind) -> _Bounds:
        """Its bounds in ticks of a kind, found out once."""
        found = self._bounds.get(kind)
        if found is None:
            found = self._bounds[kind] = _Bounds.of(self, kind)
        return found


@dataclass(frozen=True, slots=True)
class _Bounds:
    """A window in ticks of one kind."""

    range: int
    slide: int
    origin: int
    open_start: int  # 1 if the start is outside
    open_end: int  # 1 if the end is outside

    @classmethod
    def of(cls, window: Window, kind: TimeKind) -> _Bounds:
        def plainly(given: object, number: int) -> bool:
            """Whether it is a number that does for datetimes too."""
            return kind is TimeKind.DATETIME and type(given) is int and given == number

        length = 0 if plainly(window.range, 0) else duration_ticks(window.range, kind)
        is_tick = window.slide is None or plainly(window.slide, 1)
        slide = 1 if is_tick else duration_ticks(window.slide, kind)  # type: ignore[arg-type]
        origin = 0 if plainly(window.origin, 0) else ticks_of(window.origin, kind)
        if slide < 1:
            raise OptionError("slide", str(window.slide), "a step longer than nothing")
        if length < 1 and window.closed != "both":
            raise OptionError("range", str(window.range), f'a length above 0 with closed="{window.closed}"')
        return cls(length, slide, origin, int(window.closed == "right"), int(window.closed == "left"))

    def boundary(self, at: int) -> int:
        return self.origin - (self.origin - at) // self.slide * self.slide

    def end(self, now: int) -> int:
        return self.boundary(now + self.open_end)

    def first(self, end: int) -> int:
        """The oldest tick inside the window that ends at `end`."""
        return end - self.range + self.open_start


@dataclass(frozen=True, slots=True)
class Step:
    """Where the window stands at `now`, in ticks; `first` is the oldest inside, `start` its lower end.

    Where a query's window has steps beyond its range, `first` may lie after `now`: then nothing is inside.
    """

    kind: TimeKind
    now: int
    first: int
    end: int
    start: int


def step_to(window: Window, current: Step | None, at: TimePoint) -> Step:
    """Where a reasoner's `window` stands at time `at`, if time has come to `current` so far.

    Raises:
        LateABoxError: time has passed `at` already.
        QueryWindowError: not every timestamp of that kind would fall into the window.
        TimestampError: `at` is no timestamp, or of another kind than the stream's or the window's.
    """
    kind = kind_at(window, current, at)
    now = ticks_of(at, kind)
    if current is None:
        window.check_holds_all(kind)
    elif now < current.now:
        newest, late = show_time(time_of(current.now, kind)), show_length(current.now - now, kind)
        raise LateABoxError(show_time(at), newest, lateness=late)
    return window.step_at(kind, now)


def kind_at(window: Window, current: Step | None, at: TimePoint, known: TimeKind | None = None) -> TimeKind:
    """Return the kind of time of a stream in which `at` comes.

    Args:
        known: the kind where the stream has begun and time has not come to any step.

    Raises:
        TimestampError: `at` is no timestamp, or of another kind than the stream's or the window's.
    """
    given = kind_of(at)
    kind = current.kind if current else known or window.kind or given
    if given is not kind and not (kind is TimeKind.FLOAT and given is TimeKind.INTEGER):
        others, range_ = "as the stream's other timestamps are", f"since the window's range is {window.range}"
        expected = f"{kind.value}, {others if current or known else range_}"
        raise TimestampError(f"the timestamp {show_time(at)}", expected)
    return kind
