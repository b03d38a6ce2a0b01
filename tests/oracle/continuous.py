"""Continuous queries by their definitions: windows, ticks, reports, and answer streams.

A query is evaluated at instants, over the contents of its windows; its answers at one instant are a *report*.
The terms and definitions are those of

- SECRET: Botan, Derakhshan, Dindar, Haas, Miller & Tatbul, *SECRET: a model for analysis of the execution
  semantics of stream processing systems* (VLDB 2010): scope, content, report, tick;
- RSP-QL: Dell'Aglio, Della Valle, Calbimonte & Corcho, *RSP-QL semantics* (IJSWIS 10(4), 2014): time-based
  sliding windows, and the operators RStream, IStream and DStream of CQL (Arasu, Babu & Widom, VLDB Journal
  15, 2006), which also defines count-based windows;
- C-SPARQL: Barbieri, Braga, Ceri, Della Valle & Grossniklaus, *C-SPARQL: a continuous query language for RDF
  data streams* (IJSC 4(1), 2010), and CQELS: Le-Phuoc, Dao-Tran, Parreira & Hauswirth (ISWC 2011), for their
  policies.

A stream is a sequence of elements in time order, each a timestamp and a set of facts; several elements can
have one timestamp. All functions read the whole streams again for each report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from pantarhei.model.time import Duration, TimeKind, TimePoint, duration_ticks, ticks_of, time_of

Fact = TypeVar("Fact", bound=Hashable)
Row = TypeVar("Row", bound=Hashable)
Stream = Sequence[tuple[TimePoint, Iterable[Fact]]]
Closed = Literal["both", "right", "left"]
Condition = Literal["close", "change", "non-empty"]


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """Time-based sliding window: one window ends at each boundary `origin + k * step`.

    The window that ends at boundary `c` holds the facts of timestamps `t` with

        closed="right"   c - range <  t <= c      RSP-QL, C-SPARQL
        closed="left"    c - range <= t <  c      CSRBench's expected answers, YASPER, Kolibrie
        closed="both"    c - range <= t <= c      PB26

    With `ago`, `c` is replaced by `c - ago`: the window holds its earlier content.

    Args:
        range, step: lengths. If the step exceeds the range, timestamps between two windows are in no window.
        of: the name of its stream.
        ago: the shift into the past; None for no shift.
        origin: a boundary.
        since: windows that begin before it are incomplete and report nothing when they close (RSP-QL's `t0`);
            None if partial windows report too (C-SPARQL).
    """

    range: Duration
    step: Duration
    origin: TimePoint = 0
    closed: Closed = "right"
    since: TimePoint | None = None
    of: Hashable = None
    ago: Duration | None = None

    def boundaries(self, kind: TimeKind, first: int, last: int) -> Iterator[int]:
        """Yield the boundaries `c` with `first <= c <= last`, in ticks, ascending."""
        step, origin = duration_ticks(self.step, kind), _ticks(self.origin, kind)
        boundary = origin + (first - origin) // step * step
        while boundary <= last:
            if boundary >= first:
                yield boundary
            boundary += step

    def holds(self, kind: TimeKind, at: int, boundary: int) -> bool:
        """True if the window that ends at tick `boundary` includes the tick `at`."""
        end = boundary - self._lag(kind)
        start = end - duration_ticks(self.range, kind)
        match self.closed:
            case "right":
                return start < at <= end
            case "left":
                return start <= at < end
            case "both":
                return start <= at <= end

    def active(self, kind: TimeKind, at: int) -> int:
        """Return the end of the active window at an instant: the first boundary that has not closed.

        RSP-QL, Definition of the active window: among the windows that are not closed, the one that opened
        first.
        """
        first = at + 1 if self.closed == "left" else at
        return next(self.boundaries(kind, first, first + duration_ticks(self.step, kind)))

    def is_whole(self, kind: TimeKind, boundary: int) -> bool:
        """True if the window that ends at `boundary` does not begin before `since`."""
        start = boundary - self._lag(kind) - duration_ticks(self.range, kind)
        return self.since is None or start >= _ticks(self.since, kind)

    def _lag(self, kind: TimeKind) -> int:
        return 0 if self.ago is None else duration_ticks(self.ago, kind)


@dataclass(frozen=True, slots=True)
class CountedWindow:
    """Count-based window over the newest facts, or elements, of its stream; it never splits an element.

    From the first one on, the elements of the stream are grouped into parts: each part has the fewest
    elements with `step` or more units (facts or elements); the last part can have fewer. The window closes
    with the element that completes a part. It holds the newest part, preceded by the fewest elements with
    `size - n` or more units, where `n` is the number of units of that part once it is complete, at least
    `step`. So a step of `size` is a tumbling window (C-SPARQL), and a step of 1 holds the newest elements
    with `size` or more units (CQELS). If facts are counted, elements without facts are ignored.

    Args:
        size, step: numbers of units; the step is not larger than the size.
        facts: true if facts are counted, false if elements are.
        of: the name of its stream.
        whole: true if the window reports only when it has its full size (RSP-QL).
    """

    size: int
    step: int
    facts: bool = True
    of: Hashable = None
    whole: bool = False

    def content(self, came: Sequence[_Element[Fact]]) -> list[_Element[Fact]]:
        """Return the window's elements after the arrival of these elements of all streams."""
        before, newest = self._split_newest_part(came)
        room = self.size - max(self._count(newest), self.step)
        ends = (before[start:] for start in reversed(range(len(before) + 1)))
        fewest = next((each for each in ends if self._count(each) >= room), before)
        return [*fewest, *newest]

    def closes(self, came: Sequence[_Element[Fact]]) -> bool:
        """True if the last of these elements closes the window, so that it reports."""
        _, newest = self._split_newest_part(came)
        is_complete = bool(newest) and newest[-1] is came[-1] and self._count(newest) >= self.step
        return is_complete and (not self.whole or self._count(self.content(came)) >= self.size)

    def _split_newest_part(
        self, came: Sequence[_Element[Fact]]
    ) -> tuple[list[_Element[Fact]], list[_Element[Fact]]]:
        """Return the elements of its stream before the newest part, and that part."""
        before: list[_Element[Fact]] = []
        newest: list[_Element[Fact]] = []
        for element in came:
            if element.of == self.of and self._count([element]):
                if self._count(newest) >= self.step:
                    before, newest = [*before, *newest], []
                newest.append(element)
        return before, newest

    def _count(self, elements: Sequence[_Element[Fact]]) -> int:
        return sum(len(element.facts) for element in elements) if self.facts else len(elements)


@dataclass(frozen=True, slots=True)
class Policy:
    """Instants at which a query is evaluated, and conditions on which it reports.

    Args:
        conditions: all must be met (SECRET's report strategies): "close": a window closes, that is, time
            passes its boundary `c`: it reaches some `t > c`, or `t >= c` for windows closed to the left. If
            time passes several boundaries at once, each one is reported. A count-based window closes with an
            element if the query has no period; if all windows count and there is a period, the query is
            evaluated when time has passed a multiple of it. Without "close" the query is evaluated at each
            tick, over the active windows. "change": the contents of its windows differ from those at its last
            evaluation. "non-empty": some window holds a fact of the stream.
        period: the query is evaluated only at multiples of it, counted from 1970 or from 0.
        tick: "abox" evaluates after each element; "timestamp" when time leaves a timestamp, after its last
            element.
    """

    conditions: tuple[Condition, ...] = ("close",)
    period: Duration | None = None
    tick: Literal["abox", "timestamp"] = "timestamp"


C_SPARQL = Policy(("close", "non-empty"))
RSP_QL = Policy(("close",))
CQELS = Policy(("change", "non-empty"))


@dataclass(frozen=True, slots=True)
class _Element(Generic[Fact]):
    """Element of a stream: its tick, the name of its stream, and its facts."""

    at: int
    of: Hashable
    facts: frozenset[Fact]


@dataclass(frozen=True, slots=True)
class _Instant:
    """Instant at which a query is evaluated.

    Args:
        at: its tick.
        seen: the number of elements of all streams that have arrived.
        closing: "left" if windows closed to the left end at `at`, "others" if other windows do; None for a
            tick of the stream, or for an element that closes a count-based window.
    """

    at: int
    seen: int
    closing: Literal["left", "others"] | None = None


def reports(
    streams: Mapping[Hashable, Stream[Fact]],
    windows: Sequence[SlidingWindow | CountedWindow],
    query: Callable[..., Iterable[Row]],
    policy: Policy,
    kind: TimeKind,
    until: TimePoint | None = None,
    observed: Callable[..., Hashable] | None = None,
) -> list[tuple[TimePoint, Counter[Row]]]:
    """Return the answers of a query at each instant at which it reports.

    If there are several windows and one of them closes, all are read: the closing ones with their final
    content, the others with their present content.

    Args:
        streams: by the names that the windows use. Elements with equal timestamps arrive in the order of the
            streams.
        query: function from the contents of the windows, as frozen sets, to rows.
        kind: the type of timestamps.
        until: the time reached after the last element; None if time stops there, so that open windows stay
            open.
        observed: function from the contents, as frozen sets, to the part of them that the query depends on;
            None if it depends on the whole contents.

    >>> stream = [(1, {"a"}), (3, {"b"}), (9, {"c"})]
    >>> reports({None: stream}, [SlidingWindow(4, 2)], sorted, C_SPARQL, TimeKind.INTEGER)
    [(2, Counter({'a': 1})), (4, Counter({'a': 1, 'b': 1})), (6, Counter({'b': 1}))]
    """
    elements = [
        _Element(_ticks(at, kind), name, frozenset(facts))
        for name, stream in streams.items()
        for at, facts in stream
    ]
    elements.sort(key=lambda element: element.at)
    end = None if until is None else _ticks(until, kind)
    found: list[tuple[TimePoint, Counter[Row]]] = []
    holds = observed or (lambda *contents: contents)
    previous = holds(*(frozenset[Fact]() for _ in windows))
    for instant in _instants(elements, windows, policy, kind, end):
        contents = tuple(_content(elements, window, instant, kind) for window in windows)
        held = holds(*contents)
        changed, previous = held != previous, held
        if ("change" in policy.conditions and not changed) or (
            "non-empty" in policy.conditions and not any(contents)
        ):
            continue
        found.append((time_of(instant.at, kind), Counter(query(*contents))))
    return found


def _instants(
    elements: Sequence[_Element[Fact]],
    windows: Sequence[SlidingWindow | CountedWindow],
    policy: Policy,
    kind: TimeKind,
    end: int | None,
) -> Iterator[_Instant]:
    """Yield the instants at which a query is evaluated, in order."""
    times = [element.at for element in elements]
    if "close" in policy.conditions:
        sliding = [window for window in windows if isinstance(window, SlidingWindow)]
        if policy.period is not None and not sliding:
            sliding = [SlidingWindow(policy.period, policy.period)]
        instants: Iterable[_Instant] = _closings(times, sliding, kind, end)
        if policy.period is None:
            counted = [window for window in windows if isinstance(window, CountedWindow)]
            instants = sorted((*instants, *_completions(elements, counted)), key=_in_order)
    else:
        instants = _ticks_of_stream(times, policy, end)
    period = None if policy.period is None else duration_ticks(policy.period, kind)
    return (each for each in instants if period is None or each.at % period == 0)


def _ticks_of_stream(times: Sequence[int], policy: Policy, end: int | None) -> Iterator[_Instant]:
    for place, at in enumerate(times):
        following = times[place + 1] if place + 1 < len(times) else end
        if policy.tick == "abox" or (following is not None and following > at):
            yield _Instant(at, place + 1)


def _closings(
    times: Sequence[int], windows: Sequence[SlidingWindow], kind: TimeKind, end: int | None
) -> list[_Instant]:
    """Return the closing instants from the first timestamp on. At a boundary, windows closed to the left come
    first: they close before the elements with its timestamp, the others after them.
    """
    if not times:
        return []
    start, now = times[0], times[-1] if end is None else max(end, times[-1])
    found = set()
    for window in windows:
        is_left = window.closed == "left"
        first, last = (start + 1, now) if is_left else (start, now - 1)
        for boundary in window.boundaries(kind, first, last):
            if window.is_whole(kind, boundary):
                seen = sum(at < boundary if is_left else at <= boundary for at in times)
                found.add((boundary, seen, is_left))
    instants = (_Instant(boundary, seen, "left" if left else "others") for boundary, seen, left in found)
    return sorted(instants, key=_in_order)


def _completions(elements: Sequence[_Element[Fact]], windows: Sequence[CountedWindow]) -> Iterator[_Instant]:
    """Yield an instant for each element that closes a count-based window."""
    for seen in range(1, len(elements) + 1):
        if any(window.closes(elements[:seen]) for window in windows):
            yield _Instant(elements[seen - 1].at, seen)


def _in_order(instant: _Instant) -> tuple[int, int, int]:
    """Sort key: by tick, then windows closed to the left, instants of elements, and other windows that end
    there.
    """
    return instant.at, ("left", None, "others").index(instant.closing), instant.seen


def _content(
    elements: Sequence[_Element[Fact]],
    window: SlidingWindow | CountedWindow,
    instant: _Instant,
    kind: TimeKind,
) -> frozenset[Fact]:
    """Return the facts of a window at an instant: its final content if it closes, else its present one."""
    came = elements[: instant.seen]
    if isinstance(window, CountedWindow):
        return frozenset(fact for element in window.content(came) for fact in element.facts)
    ends_here = instant.at in window.boundaries(kind, instant.at, instant.at)
    closes = ends_here and instant.closing == ("left" if window.closed == "left" else "others")
    boundary = instant.at if closes else window.active(kind, instant.at)
    inside = [each for each in came if each.of == window.of and window.holds(kind, each.at, boundary)]
    return frozenset(fact for element in inside for fact in element.facts)


def rstream(answers: Iterable[tuple[TimePoint, Counter[Row]]]) -> list[tuple[TimePoint, Counter[Row]]]:
    """RStream: the answers of each report."""
    return list(answers)


def istream(answers: Iterable[tuple[TimePoint, Counter[Row]]]) -> list[tuple[TimePoint, Counter[Row]]]:
    """IStream: the bag difference of each report's answers and those of the report before."""
    return [(at, added) for at, added, _ in deltas(answers)]


def dstream(answers: Iterable[tuple[TimePoint, Counter[Row]]]) -> list[tuple[TimePoint, Counter[Row]]]:
    """DStream: the bag difference of the answers of the report before and each report's answers."""
    return [(at, removed) for at, _, removed in deltas(answers)]


def deltas(
    answers: Iterable[tuple[TimePoint, Counter[Row]]],
) -> Iterator[tuple[TimePoint, Counter[Row], Counter[Row]]]:
    """Yield for each report the inserted and the deleted answers, relative to the report before.

    >>> list(deltas([(1, Counter("ab")), (2, Counter("bb"))]))
    [(1, Counter({'a': 1, 'b': 1}), Counter()), (2, Counter({'b': 1}), Counter({'a': 1}))]
    """
    before: Counter[Row] = Counter()
    for at, now in answers:
        yield at, now - before, before - now
        before = now


def _ticks(at: TimePoint, kind: TimeKind) -> int:
    return 0 if type(at) is int and at == 0 else ticks_of(at, kind)
