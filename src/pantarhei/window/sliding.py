"""The sliding window: the timestamps that it contains as time passes.

    range = 4, slide = 2, origin = 0                 now = 7, end = 8
    time  0   1   2   3   4   5   6   7   8
                          [---------------]          closed="both":  4 <= t <= 8
                          (---------------]          closed="right": 4 <  t <= 8
                          [---------------)          closed="left":  4 <= t <  8

The end of the window moves in steps of `slide`, on the boundaries `origin + k * slide`. At time `now` the end
is the first boundary whose window can contain `now`: the first one at or after `now`, or after it with
`closed="left"`. So a restarted stream has the windows of an uninterrupted one. By default the slide is one
tick, the smallest unit of time, so that the end is `now` itself.

A boundary closes when time has passed all timestamps that its window can contain: at the first instant after
it, or at the boundary itself with `closed="left"`. If the slide of a query's window exceeds its range, some
timestamps are in no window. A reasoner's window must contain each timestamp (`step_to`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property, reduce
from heapq import merge
from itertools import combinations, groupby, islice
from math import gcd
from operator import eq
from typing import Literal, get_args, overload

from pantarhei.errors import LateABoxError, OptionError, QueryWindowError, TimestampError
from pantarhei.errors.base import parameter
from pantarhei.model.time import (
    Duration,
    TimeKind,
    TimePoint,
    duration_ticks,
    in_zone_of,
    kind_of,
    plain_length,
    show_length,
    show_time,
    ticks_of,
    time_of,
)
from pantarhei.window.calendar import Boundaries, CalendarBounds


@dataclass(frozen=True)
class Times(Sequence[TimePoint]):
    """Timestamps of ranges of ticks, ascending, without duplicates. Pickles as the ranges.

    Args:
        kind: kind of the timestamps.
        ranges: ascending ranges of ticks, which may overlap.

    >>> times = Times(TimeKind.INTEGER, (range(2, 9, 2), range(0, 7, 3)))
    >>> list(times), len(times), times[-1]
    ([0, 2, 3, 4, 6, 8], 6, 8)
    """

    kind: TimeKind
    ranges: tuple[range, ...]

    @cached_property
    def _length(self) -> int:
        """Size of the union of the ranges, by inclusion and exclusion."""
        return sum(
            (-1) ** (size - 1) * len(reduce(common, some))
            for size in range(1, len(self.ranges) + 1)
            for some in combinations(self.ranges, size)
        )

    def __len__(self) -> int:
        return self._length

    def ticks(self) -> Iterator[int]:
        """Iterate over the ticks, ascending."""
        if len(self.ranges) == 1:
            return iter(self.ranges[0])
        return (tick for tick, _ in groupby(merge(*self.ranges)))

    def __iter__(self) -> Iterator[TimePoint]:
        kind = self.kind
        return (time_of(tick, kind) for tick in self.ticks())

    @overload
    def __getitem__(self, place: int) -> TimePoint: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[TimePoint, ...]: ...
    def __getitem__(self, place: int | slice) -> TimePoint | tuple[TimePoint, ...]:
        """Return the timestamp at an index. With several ranges this costs linear time in the preceding
        timestamps.
        """
        if isinstance(place, slice):
            return tuple(self[each] for each in range(*place.indices(len(self))))
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        if len(self.ranges) == 1:
            return time_of(self.ranges[0][place], self.kind)
        at = place % len(self)
        if at == len(self) - 1:
            return time_of(max(each[-1] for each in self.ranges if each), self.kind)
        return time_of(next(islice(self.ticks(), at, None)), self.kind)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Times) and (self.kind, self.ranges) == (other.kind, other.ranges):
            return True
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]


def common(one: range, other: range) -> range:
    """Return the numbers in both of two ascending ranges.

    >>> common(range(1, 30, 4), range(0, 30, 3))
    range(9, 30, 12)
    """
    shared = gcd(one.step, other.step)
    apart, remainder = divmod(other.start - one.start, shared)
    if remainder:
        return range(0)
    cycle = other.step // shared
    first = one.start + apart * pow(one.step // shared, -1, cycle) % cycle * one.step
    step, low = one.step * cycle, max(one.start, other.start)
    return range(first - (first - low) // step * step, min(one.stop, other.stop), step)


def joined(before: Sequence[TimePoint], later: Sequence[TimePoint]) -> Times | None:
    """Return the concatenation of two sequences of timestamps as one range; None if it is not a range.

    >>> joined(Times(TimeKind.INTEGER, (range(2, 3),)), Times(TimeKind.INTEGER, (range(5, 12, 3),)))
    Times(kind=<TimeKind.INTEGER: 'an integer'>, ranges=(range(2, 12, 3),))
    """
    if not isinstance(before, Times) or not isinstance(later, Times):
        return None
    if len(before.ranges) != 1 or len(later.ranges) != 1:
        return None
    (one,), (other,) = before.ranges, later.ranges
    step = other[0] - one[-1]
    if any(len(each) > 1 and each.step != step for each in (one, other)):
        return None
    return Times(before.kind, (range(one[0], other[-1] + 1, step),))


Closed = Literal["both", "right", "left"]


@dataclass(frozen=True, slots=True, repr=False)
class Window:
    """Sliding time window `[end - range, end]`, both ends included.

    With `closed="right"` it is `(end - range, end]`, with `closed="left"` it is `[end - range, end)`.

    Args:
        range: length, a duration: a number for streams of numbers; for datetimes a timedelta or a text such
            as `5m`, `1 h 30 min` or `PT5M`. 0, which contains the newest timestamp alone, is valid for both.
        slide: distance of the boundaries at which the window can end; None for one tick of the stream's
            timestamps, so that the window moves with every ABox. For datetimes 1 is a tick too, a
            microsecond. A slide that exceeds the range is valid for windows of queries only.
        origin: a boundary; for datetimes the default 0 is 1970-01-01T00:00Z.
        closed: `"both"` (as PB26) or `"right"` (as C-SPARQL and RSP-QL; with slide = range it tumbles); for
            windows of queries also `"left"` (as CSRBench's expected answers, YASPER and Kolibrie).
        zone: name of a time zone in whose calendar range and slide are measured: `1d`, `1 week`, `P1M` or
            `P1Y`, by default a slide of `P1D`. Boundaries are then starts of local days, mostly 23 to 25
            hours apart. The origin is one of them, by default Monday, 1970-01-05; for months, 1970-01-01.

    Methods with a parameter `kind` raise `TimestampError` or `OptionError` if the window is invalid for it.

    Raises:
        OptionError: `closed` has another value, the slide is 0, no timestamp is in a window, or the zone is
            unknown.
        TimestampError: range or slide is not a duration.

    >>> Window(range=2)
    Window(range=2, slide=None, origin=0, closed='both')
    >>> Window("P1D", zone="Europe/Berlin")  # a day there has 23 to 25 hours
    Window(range='P1D', slide='P1D', origin=0, closed='both', zone='Europe/Berlin')
    """

    range: Duration
    slide: Duration | None = None
    origin: TimePoint = 0
    closed: Closed = "both"
    zone: str | None = None
    _bounds: dict[TimeKind, _Bounds | CalendarBounds] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.closed not in get_args(Closed):
            raise OptionError(
                "closed", repr(self.closed), " or ".join(f'"{each}"' for each in get_args(Closed))
            )
        if self.zone is not None and self.slide is None:
            object.__setattr__(self, "slide", "P1D")
        self._in_ticks(self.kind or TimeKind.INTEGER)  # validate

    def __repr__(self) -> str:
        names = ["range", "slide", "origin", "closed", *([] if self.zone is None else ["zone"])]
        return f"Window({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    @property
    def kind(self) -> TimeKind | None:
        """Kind of timestamps that the window requires; None if both integers and floats are possible."""
        if self.zone is not None or isinstance(self.range, str | timedelta):
            return TimeKind.DATETIME
        lengths = plain_length(self.range), plain_length(1 if self.slide is None else self.slide)
        kinds = {kind_of(each) for each in (*lengths, self.origin) if not isinstance(each, timedelta)}
        return TimeKind.FLOAT if TimeKind.FLOAT in kinds else None

    def is_as(self, other: Window, kind: TimeKind) -> bool:
        """Test whether both windows always contain the same timestamps, in a stream of a kind valid for
        `self`.
        """
        try:
            return self._in_ticks(kind) == other._in_ticks(kind)
        except (TimestampError, OptionError):
            return False

    def step_at(self, kind: TimeKind, now: int) -> Step:
        """Return the position of the window at a tick."""
        bounds = self._in_ticks(kind)
        end = bounds.end(now)
        return Step(kind, now, bounds.first(end), end, bounds.start(end))

    def next_boundary(self, kind: TimeKind, at: int) -> int:
        """Return the first boundary at or after a tick."""
        return self._in_ticks(kind).boundary(at)

    def content_at(self, kind: TimeKind, boundary: int) -> tuple[int, int]:
        """Return the first and the last tick inside the window that ends at a boundary.

        >>> [Window(4, 2, closed=each).content_at(TimeKind.INTEGER, 8) for each in get_args(Closed)]
        [(4, 8), (5, 8), (4, 7)]
        """
        bounds = self._in_ticks(kind)
        return bounds.first(boundary), boundary - bounds.open_end

    def start_at(self, kind: TimeKind, boundary: int) -> int:
        """Return the lower bound, whether included or not, of the window that ends at a boundary."""
        return self._in_ticks(kind).start(boundary)

    def closings(self, kind: TimeKind, before: int, now: int) -> Boundaries:
        """Return the boundaries that close when time advances from tick `before` to tick `now`, ascending.

        The result is a range, so that many boundaries take no memory. A window in calendar days returns only
        the first two boundaries; `stops` yields the ticks at which to call again.

        >>> list(Window(4, 2).closings(TimeKind.INTEGER, 2, 6))  # 6 closes when time comes to 7
        [2, 4]
        """
        bounds = self._in_ticks(kind)
        return bounds.closings(before, now + bounds.open_end)

    def stops(self, kind: TimeKind, before: int, now: int) -> Iterator[int]:
        """Yield the ticks at which to split an advance of time so that `closings` returns all boundaries."""
        return self._in_ticks(kind).stops(before, now)

    def whole(self, kind: TimeKind, boundaries: Boundaries, began: int) -> Boundaries:
        """Return the boundaries whose windows begin at tick `began` or later."""
        return self._in_ticks(kind).whole(boundaries, began)

    def leaving_at(self, kind: TimeKind, at: int) -> int:
        """Return the first present tick at which the window no longer contains tick `at`.

        >>> [Window(4, 2, closed=each).leaving_at(TimeKind.INTEGER, 1) for each in get_args(Closed)]
        [5, 5, 4]
        """
        return self._in_ticks(kind).leaving(at)

    def entering_at(self, kind: TimeKind, at: int) -> int:
        """Return the first present tick at which the end of the window is not before tick `at`.

        >>> [Window(4, 2, closed=each).entering_at(TimeKind.INTEGER, 2) for each in get_args(Closed)]
        [1, 1, 2]
        """
        return self._in_ticks(kind).entering(at)

    def range_to_hold(self, other: Window, kind: TimeKind) -> int:
        """Return the range, in ticks, with which this window would always contain another window.

        It also contains the other window at each boundary at which the other one closes.
        """
        mine, its = self._in_ticks(kind), other._in_ticks(kind)
        if isinstance(mine, CalendarBounds) and isinstance(its, CalendarBounds) and mine.holds(its):
            return mine.extent[0]
        if isinstance(mine, _Bounds) and isinstance(its, _Bounds):
            ends_with_it = its.slide % mine.slide == 0 and (its.origin - mine.origin) % mine.slide == 0
        else:
            ends_with_it = False
        later = (
            0 if ends_with_it else mine.longest_slide - 1
        )  # ticks by which this window may end after the other one
        return its.extent[1] + later + mine.open_start - its.open_start

    def length(self, kind: TimeKind) -> int:
        """Return the length of the window in ticks; in calendar days, the minimum length."""
        return self._in_ticks(kind).extent[0]

    def check_holds_all(self, kind: TimeKind) -> None:
        """Check that the window contains each timestamp of a stream when it arrives, as a reasoner requires.

        Raises:
            QueryWindowError: the window is closed to the left, or its slide exceeds its range.
            TimestampError, OptionError: the window is invalid for this kind of timestamps.
        """
        bounds = self._in_ticks(kind)
        if bounds.open_end:
            raise QueryWindowError("closed", repr(self.closed), '"both" or "right"')
        if bounds.leaves_out:
            expected = f"a slide of at most {self.range}, so that each timestamp is in a window"
            raise QueryWindowError("slide", str(self.slide), expected)

    def _in_ticks(self, kind: TimeKind) -> _Bounds | CalendarBounds:
        """Return the bounds in ticks of a kind, from a cache."""
        found = self._bounds.get(kind)
        if found is None:
            found = self._bounds[kind] = self._calendar(kind) if self.zone else _Bounds.of(self, kind)
        return found

    def _calendar(self, kind: TimeKind) -> CalendarBounds:
        assert self.zone is not None and self.slide is not None
        if kind is not TimeKind.DATETIME:
            raise TimestampError(f"a window in days of {self.zone}", f"one whose times are {kind.value}")
        ends = int(self.closed == "right"), int(self.closed == "left")
        return CalendarBounds.of(self.zone, self.range, self.slide, self.origin, *ends)


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Bounds of a window, in ticks of one kind; see `CalendarBounds` for the methods."""

    range: int
    slide: int
    origin: int
    open_start: int  # 1 if the window excludes its start
    open_end: int  # 1 if the window excludes its end

    @classmethod
    def of(cls, window: Window, kind: TimeKind) -> _Bounds:
        def plainly(given: object, number: int) -> bool:
            """Test whether a number is valid for datetimes, although it is not a duration."""
            return kind is TimeKind.DATETIME and type(given) is int and given == number

        length = 0 if plainly(window.range, 0) else duration_ticks(window.range, kind)
        is_tick = window.slide is None or plainly(window.slide, 1)
        slide = 1 if is_tick else duration_ticks(window.slide, kind)  # type: ignore[arg-type]
        origin = 0 if plainly(window.origin, 0) else ticks_of(window.origin, kind)
        if slide < 1:
            raise OptionError("slide", str(window.slide), "a slide above 0")
        if length < 1 and window.closed != "both":
            closed = parameter("closed", f'"{window.closed}"')
            raise OptionError("range", str(window.range), f"a length above 0 with {closed}")
        return cls(length, slide, origin, int(window.closed == "right"), int(window.closed == "left"))

    def boundary(self, at: int) -> int:
        return self.origin - (self.origin - at) // self.slide * self.slide

    def end(self, now: int) -> int:
        return self.boundary(now + self.open_end)

    def start(self, end: int) -> int:
        return end - self.range

    def first(self, end: int) -> int:
        return end - self.range + self.open_start

    def closings(self, before: int, until: int) -> Boundaries:
        """Return all boundaries from the end of the window at tick `before` on, and before tick `until`."""
        return range(self.end(before), until, self.slide)

    def stops(self, before: int, until: int) -> Iterator[int]:
        """Yield nothing, since `closings` returns all boundaries."""
        return iter(())

    def whole(self, boundaries: Boundaries, began: int) -> Boundaries:
        if not boundaries:
            return boundaries
        missing = began - self.start(boundaries[0])
        return boundaries[max(0, -(-missing // boundaries.step)) :]

    def leaving(self, at: int) -> int:
        oldest = self.boundary(
            at + self.range + 1 - self.open_start
        )  # the first boundary whose window excludes `at`
        return oldest - self.slide + 1 - self.open_end

    def entering(self, at: int) -> int:
        return self.end(at) - self.slide + 1 - self.open_end

    @property
    def leaves_out(self) -> bool:
        return self.slide > self.range + 1 - self.open_start

    @property
    def extent(self) -> tuple[int, int]:
        return self.range, self.range

    @property
    def longest_slide(self) -> int:
        return self.slide


@dataclass(frozen=True, slots=True)
class Step:
    """Position of the window at tick `now`.

    Args:
        kind: kind of the timestamps.
        now: the tick.
        first: oldest tick inside the window; after `now` if a query's window is empty.
        end: upper bound of the window, a boundary.
        start: lower bound of the window, whether included or not.
    """

    kind: TimeKind
    now: int
    first: int
    end: int
    start: int


def step_to(window: Window, current: Step | None, at: TimePoint) -> Step:
    """Return the position of a reasoner's window at a timestamp.

    Args:
        window: the window.
        current: position so far; None before the first timestamp.
        at: the timestamp.

    Raises:
        LateABoxError: `at` is older than the present time.
        QueryWindowError: some timestamps of this kind are in no window.
        TimestampError: `at` is not a timestamp, or its kind differs from that of the stream or the window.
    """
    kind = kind_at(window, current, at)
    now = ticks_of(at, kind)
    if current is None:
        window.check_holds_all(kind)
    elif now < current.now:
        newest = show_time(in_zone_of(time_of(current.now, kind), at))
        raise LateABoxError(show_time(at), newest, lateness=show_length(current.now - now, kind))
    return window.step_at(kind, now)


def kind_at(window: Window, current: Step | None, at: TimePoint, known: TimeKind | None = None) -> TimeKind:
    """Return the kind of timestamps of a stream that has the timestamp `at`.

    Args:
        known: kind of the timestamps of waiting ABoxes, before the first step; None if there are none.

    Raises:
        TimestampError: `at` is not a timestamp, or its kind differs from that of the stream or the window.
    """
    given = kind_of(at)
    kind = current.kind if current else known or window.kind or given
    if given is not kind and not (kind is TimeKind.FLOAT and given is TimeKind.INTEGER):
        expected = f"{kind.value}, as the stream's other timestamps are"
        if not (current or known):
            length = "a duration such as 5m" if given is TimeKind.DATETIME else "a number"
            expected = f"{kind.value}, since the window's range is {window.range}; or {length} as the range"
        raise TimestampError(f"the timestamp {show_time(at)}", expected)
    return kind
