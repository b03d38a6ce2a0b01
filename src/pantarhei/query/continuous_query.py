"""Registered queries: the user's handle, its live answers, its report policy, and its changes by step."""

from __future__ import annotations

import logging
import sys
import threading
from collections import Counter
from collections.abc import (
    AsyncIterator,
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    ValuesView,
)
from dataclasses import dataclass, replace
from functools import partial
from inspect import iscoroutinefunction
from itertools import islice
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, Protocol, get_args
from typing import Literal as OneOf
from weakref import WeakSet

from rdflib import Literal

from pantarhei.errors import OptionError, QueryError
from pantarhei.model.durations import A_DURATION
from pantarhei.model.message_text import counted, one_line
from pantarhei.model.representation import ROWS, call_text, folded, html_of, panel
from pantarhei.model.time import Duration, TimeKind, TimePoint, duration_ticks
from pantarhei.query.answer_reports import (
    MAX_QUEUED,
    AnswerChange,
    AnswerRow,
    Follower,
    Overflow,
    answers_in_html,
)
from pantarhei.query.answers import AnswerTable, column_names, columns_of
from pantarhei.rdf.ntriples import exactly
from pantarhei.window.sliding import Window, common

if TYPE_CHECKING:
    from pantarhei.model.term import Term
    from pantarhei.query.algebra.nodes import Query


def run_all(actions: Iterable[Callable[[], None]]) -> None:
    """Run all actions in order, then raise the first exception that any raised."""
    raised: BaseException | None = None
    for action in actions:
        try:
            action()
        except BaseException as error:
            raised = raised or error
    if raised is not None:
        raise raised


Condition = OneOf["change", "close", "non-empty"]
"""Condition of a report."""

Emit = OneOf["delta", "istream", "dstream", "rstream"]
"""Content of a report."""

Tick = OneOf["abox", "timestamp"]
"""Time at which a query without `"close"` is evaluated: after each ABox, or when time leaves a timestamp."""


@dataclass(frozen=True, slots=True)
class ReportPolicy:
    """Times and content of a query's reports.

    Args:
        conditions: conditions of a report, all of which must hold. `"close"`: the window closes. `"change"`:
            the facts of the window have changed since the last evaluation. `"non-empty"`: the window has an
            assertion of the stream, even if a repair has removed it.
        period: the query is evaluated only at multiples of this period; None for any time.
        emit: `"delta"`: the rows inserted and deleted since the last report; `"istream"`: the inserted rows;
            `"dstream"`: the deleted rows; `"rstream"`: all answers.
        tick: without `"close"`: `"abox"` to evaluate after each step, `"timestamp"` when time leaves a
            timestamp.
        whole: with `"close"`: whether only windows are evaluated that begin at `since` or later.
        since: None for the beginning of time, or of the registration.
    """

    conditions: frozenset[Condition] = frozenset(("change",))
    period: Duration | None = None
    emit: Emit = "delta"
    tick: Tick = "abox"
    whole: bool = False
    since: TimePoint | None = None

    @classmethod
    def of(cls, on: object, emit: object, tick: Tick = "abox") -> ReportPolicy:
        """Return the policy for the options of `register`.

        Raises:
            OptionError: an option is invalid.
        """
        given = on if isinstance(on, tuple) else (on,)
        conditions = frozenset(each for each in get_args(Condition) if each in given)
        periods = [each for each in given if each not in get_args(Condition)]
        expected = f"{', '.join(map(repr, get_args(Condition)))}, {A_DURATION}, or a tuple of these"
        if not given or len(periods) > 1:
            raise OptionError("on", repr(on), expected)
        for period in periods:
            check_period(period, expected)
        if emit not in get_args(Emit):
            raise OptionError("emit", repr(emit), " or ".join(map(repr, get_args(Emit))))
        return cls(conditions, periods[0] if periods else None, emit, tick)  # type: ignore[arg-type]

    @property
    def is_plain(self) -> bool:
        """True for the default policy: a delta after each step."""
        return self == ReportPolicy()

    @property
    def on(self) -> str | Duration | tuple[str | Duration, ...]:
        """Conditions and period, as an argument of `of`."""
        parts = (*sorted(self.conditions), *(() if self.period is None else (self.period,)))
        return parts[0] if len(parts) == 1 else parts

    def is_equivalent(self, other: ReportPolicy, kind: TimeKind) -> bool:
        """Return whether another policy reports at the same times in a stream with times of this kind."""
        both = self.period, other.period
        periods = {None if each is None else duration_ticks(each, kind) for each in both}
        return len(periods) == 1 and replace(self, period=None) == replace(other, period=None)

    @property
    def reports_on_change(self) -> bool:
        """True if the query is evaluated only after changes of its data."""
        return not self.is_plain and "change" in self.conditions

    @property
    def closes(self) -> bool:
        """True if the query is evaluated when its window closes."""
        return "close" in self.conditions

    def is_due(self, kind: TimeKind, now: int) -> bool:
        """Return whether a tick is a multiple of the period."""
        return self.period is None or now % duration_ticks(self.period, kind) == 0

    def due_ticks(self, kind: TimeKind, ranges: Iterable[range]) -> Iterable[range]:
        """Return the ticks in ascending ranges that are multiples of the period, if there is a period."""
        if self.period is None:
            return ranges
        every = duration_ticks(self.period, kind)
        return (common(each, range(each[0] // every * every, each.stop, every)) for each in ranges if each)


def check_period(period: object, expected: str) -> None:
    """Check that a period is a duration above 0.

    Raises:
        OptionError: the period is invalid.
    """
    for kind in TimeKind:
        try:
            if duration_ticks(period, kind) > 0:  # type: ignore[arg-type]
                return
        except Exception:  # the period is of another kind of time, or is not a duration
            continue
    raise OptionError("on", repr(period), expected)


PLAIN: Final = ReportPolicy()


class Registration(NamedTuple):
    """Arguments of `StreamReasoner.register`.

    Args:
        text: the query.
        window: the query's own window inside the reasoner's window; None for the reasoner's window.
        on: conditions of the query's reports.
        emit: content of the reports.

    >>> from pantarhei import Window
    >>> hourly = Registration("SELECT ?x { ?x a ?c }", window=Window("PT1H"), on="close")
    >>> hourly.emit
    'delta'
    """

    text: str
    window: Window | None = None
    on: str | Duration | tuple[str | Duration, ...] = "change"
    emit: str = "delta"


BYTES_A_ROW = 250
"""Estimated bytes of a stored row, which is a tuple of numbers as a dictionary key."""

_log = logging.getLogger("pantarhei.queries")


class AnswerChanges(Mapping["ContinuousQuery", AnswerChange]):
    """Changes of the answers of registered queries by one step; keys are queries, or names of queries.

    The mapping contains the queries whose answers changed. Changes are computed at first access.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> query = reasoner.register("SELECT ?state { ?car a ?state }")
    >>> update = reasoner.push(1, [gas])
    >>> len(update.answers), update.answers[query] is update.answers[query.name]
    (1, True)
    """

    _pending: tuple[Callable[[], bool], Callable[[], Iterable[_Changed]]] | None = None

    def __init__(self, changes: Iterable[tuple[ContinuousQuery | str, AnswerChange]] = ()) -> None:
        self._made = {_name(query): (query, change) for query, change in changes} if changes else {}

    def fill(self, are_followed: Callable[[], bool], make: Callable[[], Iterable[_Changed]]) -> None:
        """Set the changes of a step.

        Args:
            are_followed: returns whether one of the queries has a follower.
            make: returns the changes; called at first access.
        """
        self._pending = are_followed, make

    @property
    def _changes(self) -> dict[str, tuple[ContinuousQuery | str, AnswerChange]]:
        if (pending := self._pending) is not None:
            self._made = {query.name: (query, change) for query, change in pending[1]()}
            self._pending = None
        return self._made

    @property
    def has_followers(self) -> bool:
        """True if one of the queries has a follower."""
        if self._pending is not None:
            return self._pending[0]()
        return any(isinstance(query, ContinuousQuery) and query.has_followers for query in self)

    def notify(self) -> None:
        """Notify the followers of the queries."""
        changes = self._changes.values()
        run_all(partial(q.notify, change) for q, change in changes if isinstance(q, ContinuousQuery))

    def __getitem__(self, query: ContinuousQuery | str) -> AnswerChange:
        try:
            return self._changes[_name(query)][1]
        except KeyError:
            known = f"{_name(query)!r} reported nothing in this step; test with `in`, or use `get`"
            raise KeyError(known) from None

    def __contains__(self, query: object) -> bool:
        return _name(query) in self._changes

    def __iter__(self) -> Iterator[Any]:
        return (query for query, _ in self._changes.values())

    def __len__(self) -> int:
        return len(self._changes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AnswerChanges):
            return NotImplemented
        mine, others = ({name: c for name, (_, c) in each._changes.items()} for each in (self, other))
        return mine == others

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self._pending is not None:
            return "AnswerChanges(not read yet)"
        return call_text(self, [counted(len(self._made), "query", "queries"), *map(one_line, self._made)])

    def _repr_html_(self) -> str:
        changes = islice(self._changes.items(), ROWS)
        parts = [folded(one_line(name), change._repr_html_()) for name, (_, change) in changes]
        return panel(f"AnswerChanges({counted(len(self), 'query', 'queries')})", *parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return AnswerChanges, ([(name, change) for name, (_, change) in self._changes.items()],)


_Changed = tuple["ContinuousQuery", AnswerChange]

NO_ANSWER_CHANGES: Final = AnswerChanges()
"""Changes of a step without registered queries."""


def _name(query: Any) -> Any:
    """Return the name of a query; other objects are returned unchanged."""
    return query.name if isinstance(query, ContinuousQuery) else query


class QueryStats(NamedTuple):
    """Memory of a continuous query.

    Args:
        answers: number of distinct rows in the last reported answers.
        pending: number of rows inserted or deleted since the last report.
        kept: number of rows in the state of its operators, including operators that are shared with other
            queries; for a query that is recomputed at each report, the number of triples in its windows.
        bytes: estimated bytes of these rows.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> query = reasoner.register("SELECT ?state { ?car a ?state }")
    >>> update = reasoner.push(1, [gas])
    >>> query.stats().answers
    5
    """

    answers: int
    pending: int
    kept: int
    bytes: int

    @classmethod
    def of(cls, answers: int, pending: int, kept: int) -> QueryStats:
        """Return the statistics for these numbers of rows."""
        return cls(answers, pending, kept, BYTES_A_ROW * (answers + pending + kept))


class QueryMaintainer(Protocol):
    """Evaluator of a continuous query behind its handle."""

    @property
    def name(self) -> str:
        """Name of the registration."""

    @property
    def text(self) -> str:
        """Text of the query."""

    @property
    def query(self) -> Query:
        """Algebra of the query."""

    def count(self) -> int:
        """Return the number of distinct rows."""

    def rows(self) -> Counter[AnswerRow]:
        """Return the rows in order with their number of copies; the counter is never changed."""

    def plan(self) -> str:
        """Return the text of the plan."""

    def stats(self) -> QueryStats:
        """Return the memory statistics."""

    def close(self) -> None:
        """End the evaluation."""


class LiveAnswers(AnswerTable, Mapping[AnswerRow, int]):
    """Last reported answers of a registered query: a mapping of rows to their number of copies.

    Each read is consistent with one state, even while another thread runs steps. `dict(answers)` and
    `sorted(answers, key=answers.get)` count as one read each, although Python calls several methods of the
    mapping for them: these calls come from one bytecode instruction of the caller, and read the counts in the
    order of the rows. A `for` loop over the answers reads the rows of one state, and their counts.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> query = reasoner.register("SELECT ?state { ?car a ?state }")
    >>> update = reasoner.push(1, [gas])
    >>> query.answers[EX.Accelerating,]
    1
    >>> len(query.answers.to_pandas()["state"])
    5
    """

    def __init__(self, maintainer: QueryMaintainer) -> None:
        self._maintainer = maintainer
        self._read = _Read()

    def copy(self) -> Counter[AnswerRow]:
        """Return a copy of all answers of one state."""
        return Counter(self._rows)

    __copy__ = copy

    def __getitem__(self, row: AnswerRow) -> int:
        return self._count(row, sys._getframe(1))

    def get(self, row: Any, default: Any = None) -> Any:
        try:
            return self._count(row, sys._getframe(1))
        except KeyError:
            return default

    def _count(self, row: AnswerRow, caller: FrameType) -> int:
        read = self._read
        if read.instruction == _instruction(caller):
            expected, count = next(read.left, _NO_ROW)
            if expected is row and row is not None:
                return count
            read.instruction = None  # the read has ended
        if read.row is row and row is not None:
            return read.count
        found = self._rows.get(row)  # indexing a Counter would return 0 for an absent row
        if found is None:
            raise KeyError(row)
        return found

    def __iter__(self) -> Iterator[AnswerRow]:
        return self._loop(self._begin(sys._getframe(1)))

    def _loop(self, rows: Counter[AnswerRow]) -> Iterator[AnswerRow]:
        read = self._read
        try:
            for row, count in rows.items():
                read.row, read.count = row, count
                yield row
        finally:
            read.row = None

    def keys(self) -> KeysView[AnswerRow]:
        return self._begin(sys._getframe(1)).keys()

    def values(self) -> ValuesView[int]:
        return self._rows.values()

    def items(self) -> ItemsView[AnswerRow, int]:
        return self._rows.items()

    def _begin(self, caller: FrameType) -> Counter[AnswerRow]:
        """Return the rows of the present state; the caller's instruction may read their counts next."""
        read, rows = self._read, self._rows
        read.instruction, read.left = _instruction(caller), iter(rows.items())
        return rows

    def __len__(self) -> int:
        return self._maintainer.count()

    def columns(self) -> dict[str, list[Term | None]]:
        """Return the answers of one state as the columns of `QueryResult.columns`; a row occurs as often as
        it has copies.
        """
        rows, query = self._rows, self._maintainer.query
        if query.form == "ASK":
            return {"answer": [Literal(bool(rows))]}
        return columns_of(column_names(query), list(rows.elements()))

    @property
    def _rows(self) -> Counter[AnswerRow]:
        return self._maintainer.rows()

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(Counter, dict(self._rows))

    def __repr__(self) -> str:
        return call_text(self, [f"{one_line(self._maintainer.name)}: {counted(len(self), 'row')}"])

    def _repr_html_(self) -> str:
        query = self._maintainer.query
        variables = column_names(query) if query.form == "SELECT" else ()
        return panel(repr(self), answers_in_html(self._rows, variables))


class _Read(threading.local):
    """State of a read of answers by one thread.

    Args:
        instruction: the bytecode instruction that reads, None if there is none.
        left: rows whose counts the instruction has not read yet, with their counts. The counts are read once,
            in this order; a request for any other row ends the read, so that a later execution of the
            instruction reads a later state.
        row: present row of a loop, None without a loop; `count` is its number of copies.
    """

    def __init__(self) -> None:
        self.instruction: tuple[CodeType, int] | None = None
        self.left: Iterator[tuple[AnswerRow | None, int]] = iter(())
        self.row: AnswerRow | None = None
        self.count = 0


_NO_ROW: tuple[AnswerRow | None, int] = (None, 0)


def _instruction(frame: FrameType) -> tuple[CodeType, int]:
    """Return the bytecode instruction that a frame executes."""
    return frame.f_code, frame.f_lasti


class ContinuousQuery:
    """Query whose answers are maintained while the window changes; returned by `StreamReasoner.register`.

    Args:
        maintainer: evaluator of the query.
        followed: set to which the query is added when it gets its first follower.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> query = reasoner.register("SELECT ?state { ?car a ?state }")
    >>> added = []
    >>> unsubscribe = query.subscribe(lambda change: added.extend(change.added))
    >>> _ = reasoner.push(1, [gas])
    >>> len(query.answers), len(added)
    (5, 3)
    """

    def __init__(self, maintainer: QueryMaintainer, followed: WeakSet[ContinuousQuery] | None = None) -> None:
        self._maintainer, self._followed = maintainer, WeakSet() if followed is None else followed
        self._followers: dict[object, Callable[[AnswerChange], object]] = {}
        self._queues: list[Follower] = []
        self.is_closed = self._has_ended = False
        self.failures = 0
        """Number of errors that subscribed functions have raised."""

    @property
    def name(self) -> str:
        """Name of the registration."""
        return self._maintainer.name

    @property
    def text(self) -> str:
        """Text of the query."""
        return self._maintainer.text

    @property
    def form(self) -> str:
        """Query form: `"SELECT"`, `"ASK"`, `"CONSTRUCT"` or `"DESCRIBE"`."""
        return self._maintainer.query.form

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the columns of the answers, in order."""
        query = self._maintainer.query
        return column_names(query) if query.form == "SELECT" else ()

    @property
    def answers(self) -> LiveAnswers:
        """Last reported answers, a live mapping of rows to their number of copies.

        Each read is consistent with one state, even while another thread runs steps; `answers.copy()` is a
        Counter of one state. The first read of a state decodes all its rows that have changed since the last
        read.
        """
        return LiveAnswers(self._maintainer)

    def plan(self) -> str:
        """Return the text of the plan that maintains the answers."""
        return self._maintainer.plan()

    def stats(self) -> QueryStats:
        """Return the memory statistics. The cost is linear in the number of operators of the plan."""
        return self._maintainer.stats()

    def close(self) -> None:
        """Stop maintaining the answers. The present answers stay readable."""
        if not self.is_closed:
            self._maintainer.close()
            self.is_closed = True
            self._end_changes()

    def _end_changes(self) -> None:
        """End the iterations of all followers."""
        self._has_ended = True
        self._deliver(None)

    def subscribe(self, follower: Callable[[AnswerChange], object]) -> Callable[[], None]:
        """Call a function with each change, after the step; returns a function that unsubscribes it.

        Errors of the function are logged and counted in `failures`; the stream continues.

        Raises:
            QueryError: the function is not callable, or is an `async` function, which would not be awaited.
        """
        if not callable(follower):
            raise QueryError(f"{follower!r} is not callable; expected a function of one argument")
        if iscoroutinefunction(follower):
            raise QueryError(
                f"{follower!r} is async and would not be awaited; use `async for change in query` instead"
            )
        key = object()
        self._followers[key] = follower
        self._followed.add(self)
        return lambda: self._followers.pop(key, None) and None

    def __aiter__(self) -> AsyncIterator[AnswerChange]:
        return aiter(self.follow())

    def follow(self, limit: int = MAX_QUEUED, overflow: Overflow = "error") -> Follower:
        """Wait for changes in an event loop: `async for change in query.follow(…)`.

        `async for change in query` uses the default arguments.

        Args:
            limit: number of changes that may be queued.
            overflow: policy for a change that arrives when `limit` changes are queued. `"error"` drops this
                change and all later ones; after the queued changes have been read, `FollowerOverflowError` is
                raised. `"drop_oldest"` drops the oldest queued change. `"coalesce"` merges this change and
                later ones into one, until the merged change is read; the merged change has the sum of their
                inserted and deleted rows. It requires `emit="delta"`; for other queries it drops the oldest
                change. `"block"` delays the step until there is room; for steps in the event loop's own
                thread it is equivalent to `"error"`.

        Raises:
            OptionError: an argument is invalid.
        """
        return Follower(self.name, limit, overflow, self._begin_following, self._end_following)

    def _begin_following(self, follower: Follower) -> bool:
        if self._has_ended:
            return False
        self._queues.append(follower)
        self._followed.add(self)
        return True

    def _end_following(self, follower: Follower) -> None:
        self._queues.remove(follower)

    @property
    def has_followers(self) -> bool:
        """True if a function is subscribed, or a loop waits for changes."""
        return bool(self._followers or self._queues)

    def notify(self, change: AnswerChange) -> None:
        """Notify all followers of a change, even if one of them is interrupted."""
        followers = [partial(self._call, each, change) for each in list(self._followers.values())]
        run_all([*followers, partial(self._deliver, change)])

    def _call(self, follower: Callable[[AnswerChange], object], change: AnswerChange) -> None:
        """Call a subscribed function with a change."""
        try:
            follower(change)
        except Exception:
            self.failures += 1
            _log.exception("query %s: a subscribed function raised an error", self.name)

    def _deliver(self, change: AnswerChange | None) -> None:
        """Queue a change for all followers; None ends their iterations."""
        for follower in list(self._queues):
            if change is None:
                follower.end()
            else:
                follower.put(change)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{self!r} cannot be pickled without its evaluator: pickle dict(query.answers), or a "
            "snapshot() of the reasoner, which includes its queries"
        )

    def __repr__(self) -> str:
        state = "closed" if self.is_closed else counted(self._maintainer.count(), "row")
        return call_text(self, [repr(one_line(self.name)), state])

    _repr_html_ = html_of

    def _shown_parts(self) -> dict[str, object]:
        return {"query": self.text, "answers": self.answers, "plan": self.plan()}
