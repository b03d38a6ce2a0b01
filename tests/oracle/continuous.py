"""Continuous queries by their definitions: windows, ticks, reports, and streams of answers.

A query is evaluated at instants, over the contents of its windows; what it reports then is one *report*. The
words and definitions are those of

- SECRET: Botan, Derakhshan, Dindar, Haas, Miller & Tatbul, *SECRET: a model for analysis of the execution
  semantics of stream processing systems* (VLDB 2010): scope, content, report, tick;
- RSP-QL: Dell'Aglio, Della Valle, Calbimonte & Corcho, *RSP-QL semantics* (IJSWIS 10(4), 2014): time-based
  sliding windows, and the operators RStream, IStream and DStream, which are those of CQL (Arasu, Babu &
  Widom, VLDB Journal 15, 2006), which has windows that count too;
- C-SPARQL: Barbieri, Braga, Ceri, Della Valle & Grossniklaus, *C-SPARQL: a continuous query language for RDF
  data streams* (IJSC 4(1), 2010), and CQELS: Le-Phuoc, Dao-Tran, Parreira & Hauswirth (ISWC 2011), for their
  policies.

A stream is a sequence of elements, each a timestamp and a set of facts, in time order; several may have one
timestamp. Everything here looks at the whole streams again for each report.
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
    """A time-based sliding window: one window ends at each boundary `origin + k * step`.

    The window that ends at boundary `c` holds the facts of timestamps `t` with

        closed="right"   c - range <  t <= c      RSP-QL, C-SPARQL
        closed="left"    c - range <= t <  c      CSRBench's expected answers, YASPER, Kolibrie
        closed="both"    c - range <= t <= c      PB26

    With `ago` it holds instead what it held that long before: the same with `c - ago` for `c`.

    Args:
        range, step: lengths. A step beyond the range leaves out what lies between windows.
        of: the name of its stream.
        ago: how long; None for not at all.
        origin: a boundary.
        since: windows that begin before it report nothing when they close, since they are not whole (RSP-QL's
            `t0`); None where partial windows report too (C-SPARQL).
    """

    range: Duration
    step: Duration
    origin: TimePoint = 0
    closed: Closed = "right"
    since: TimePoint | None = None
    of: Hashable = None
    ago: Duration | None = None

    def boundaries(self, kind: TimeKind, first: int, last: int) -> Iterator[int]:
        """The boundaries `c` with `first <= c <= last`, in ticks, ascending."""
        step, origin = duration_ticks(self.step, kind), _ticks(self.origin, kind)
        boundary = origin + (first - origin) // step * step
        while boundary <= last:
            if boundary >= first:
                yield boundary
            boundary += step

    def holds(self, kind: TimeKind, at: int, boundary: int) -> bool:
        """Whether the window that ends at `boundary` holds what has the timestamp `at`, both in ticks."""
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
        """The end of the active window at an instant: the first boundary that has not closed by then.

        RSP-QL, Definition of the active window: the one that opened earliest of those not closed.
        """
        first = at + 1 if self.closed == "left" else at
        return next(self.boundaries(kind, first, first + duration_ticks(self.step, kind)))

    def is_whole(self, kind: TimeKind, boundary: int) -> bool:
        """Whether the window that ends at `boundary` begins no earlier than `since`."""
        start = boundary - self._lag(kind) - duration_ticks(self.range, kind)
        return self.since is None or start >= _ticks(self.since, kind)

    def _lag(self, kind: TimeKind) -> int:
        return 0 if self.ago is None else duration_ticks(self.ago, kind)


@dataclass(frozen=True, slots=True)
class CountedWindow:
    """A window that counts the newest facts, or elements, of its stream; elements are in it as a whole.

    The elements of the stream, of the first on, are put together to parts: each has the fewest elements that
    have `step` or more, and the last one may have less. The window closes with the element that completes a
    part. It holds the newest part, and the fewest elements before it that have `size - n` or more, where `n`
    is how many that part has, or will have: `step` at least. So with `size` as its step it tumbles
    (C-SPARQL), and with 1 it holds the newest elements that have `size` or more (CQELS). Where facts are
    counted, an element without one is none.

    Args:
        size, step: how many; the step is no longer than the size.
        facts: whether facts are counted, and not elements.
        of: the name of its stream.
        whole: whether it reports only when it has its size (RSP-QL).
    """

    size: int
    step: int
    facts: bool = True
    of: Hashable = None
    whole: bool = False

    def content(self, came: Sequence[_Element[Fact]]) -> list[_Element[Fact]]:
        """What it holds when these elements of all streams have come."""
        before, newest = self._parted(came)
        room = self.size - max(self._count(newest), self.step)
        ends = (before[start:] for start in reversed(range(len(before) + 1)))
        fewest = next((each for each in ends if self._count(each) >= room), before)
        return [*fewest, *newest]

    def closes(self, came: Sequence[_Element[Fact]]) -> bool:
        """Whether it closes, so that it reports, with the last of these."""
        _, newest = self._parted(came)
        is_complete = bool(newest) and newest[-1] is came[-1] and self._count(newest) >= self.step
        return is_complete and (not self.whole or self._count(self.content(came)) >= self.size)

    def _parted(self, came: Sequence[_Element[Fact]]) -> tuple[list[_Element[Fact]], list[_Element[Fact]]]:
        """The elements of its stream before the newest part, and that part."""
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
    """When a query reports: at which instants it looks, and on what condition.

    Args:
        conditions: all must be met (SECRET's report strategies):
            "close": a window closes; time has passed its boundary `c`, that is, has come to some `t > c`, or
            `t >= c` for windows closed to the left. Of several boundaries that time passes at once each is
            reported. A window that counts closes with an element, if the query has no period; if all do count
            and it has one, it looks when time has passed a multiple of that. Without "close" the query looks
            at each tick, at the active windows.
            "change": what holds in the contents of its windows is another than when the query last looked.
            "non-empty": some window holds a fact of the stream.
        period: the query looks only at instants that are multiples of it after 1970, or after 0.
        tick: "abox": it looks after each element; "timestamp": when time leaves a timestamp, after the last
            element of it.
    """

    conditions: tuple[Condition, ...] = ("close",)
    period: Duration | None = None
    tick: Literal["abox", "timestamp"] = "timestamp"


C_SPARQL = Policy(("close", "non-empty"))
RSP_QL = Policy(("close",))
CQELS = Policy(("change", "non-empty"))


@dataclass(frozen=True, slots=True)
class _Element(Generic[Fact]):
    """What comes at once: its tick, the name of its stream, and its facts."""

    at: int
    of: Hashable
    facts: frozenset[Fact]


@dataclass(frozen=True, slots=True)
class _Instant:
    """A moment at which a query looks.

    Args:
        at: its tick.
        seen: how many elements of all streams have come.
        closing: what closes then: the windows that end at `at` and are closed to the left, or the others that
            end there; None for a tick of the stream, or an element with which one closes that counts.
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
    holding: Callable[..., Hashable] | None = None,
) -> list[tuple[TimePoint, Counter[Row]]]:
    """The answers of a query at each instant at which it reports.

    Of several windows all are looked at when one of them closes: those that close as well as they close, the
    others as they stand.

    Args:
        streams: by the names that the windows have for them. What several bring with one timestamp comes in
            their order.
        query: the rows over the contents of the windows, which are its arguments, as frozen sets.
        kind: what timestamps are.
        until: time goes on to there after the last element; None: it stays, and what has not closed stays
            open.
        holding: what holds in the contents, which are its arguments, as frozen sets: what the query sees of
            them. None where that is all that they are.

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
    holds = holding or (lambda *contents: contents)
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
    """The instants at which a query looks, in order."""
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
    """What closes from the first timestamp on. At a boundary, windows closed to the left are first: they
    close before what comes with its timestamp, the others after it.
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
    """What closes with an element."""
    for seen in range(1, len(elements) + 1):
        if any(window.closes(elements[:seen]) for window in windows):
            yield _Instant(elements[seen - 1].at, seen)


def _in_order(instant: _Instant) -> tuple[int, int, int]:
    """Of one tick first what closes before its elements, then what they close, then what it ends."""
    return instant.at, ("left", None, "others").index(instant.closing), instant.seen


def _content(
    elements: Sequence[_Element[Fact]],
    window: SlidingWindow | CountedWindow,
    instant: _Instant,
    kind: TimeKind,
) -> frozenset[Fact]:
    """The facts of the window at an instant: as it closes, or else as it stands, of what has come so far."""
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
    """IStream: the answers of each report that the report before it had not, as bags."""
    return [(at, added) for at, added, _ in deltas(answers)]


def dstream(answers: Iterable[tuple[TimePoint, Counter[Row]]]) -> list[tuple[TimePoint, Counter[Row]]]:
    """DStream: the answers that the report before had and this one has not, as bags."""
    return [(at, removed) for at, _, removed in deltas(answers)]


def deltas(
    answers: Iterable[tuple[TimePoint, Counter[Row]]],
) -> Iterator[tuple[TimePoint, Counter[Row], Counter[Row]]]:
    """What came and what went with each report: the answers before, with the one and without the other, are
    those now.

    >>> list(deltas([(1, Counter("ab")), (2, Counter("bb"))]))
    [(1, Counter({'a': 1, 'b': 1}), Counter()), (2, Counter({'b': 1}), Counter({'a': 1}))]
    """
    before: Counter[Row] = Counter()
    for at, now in answers:
        yield at, now - before, before - now
        before = now


def _ticks(at: TimePoint, kind: TimeKind) -> int:
    return 0 if type(at) is int and at == 0 else ticks_of(at, kind)
