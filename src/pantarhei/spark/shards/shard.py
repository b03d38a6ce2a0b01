"""One shard of a stream: its reasoner, held-back rows, registered queries and timers; independent of
Spark.
"""

from __future__ import annotations

import pickle
import uuid
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pantarhei.engine.options import Options
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import CheckpointMismatchError
from pantarhei.model.term import Triple
from pantarhei.model.time import TimeKind, TimePoint, ticks_of, time_of
from pantarhei.ontology.ontology import Ontology
from pantarhei.query.continuous_query import ContinuousQuery, Registration, ReportPolicy
from pantarhei.rdf.ntriples import name_of_timestamp, parse_term, prefix_of_name, write_term
from pantarhei.reasoner import StreamReasoner
from pantarhei.repair.conflict import Budget
from pantarhei.rules.sharding.sharding_report import Key, ShardingReport
from pantarhei.spark.collectors import TextRow, changed_rows, conclusion_rows
from pantarhei.temporal.rules import TemporalRules

Value = TypeVar("Value")

# Values that this process has unpickled, in order of use; a process serves few streams at a time.
_UNPICKLED: dict[Hashable, object] = {}
_MOST_UNPICKLED = 4


class SharedValue(Generic[Value]):
    """Value that is sent with tasks, and that each worker process unpickles only once.

    `name` identifies the value: all copies have the same name.
    """

    def __init__(self, value: Value) -> None:
        self.name = uuid.uuid4().hex
        self._pickled = pickle.dumps(value)

    @property
    def value(self) -> Value:
        """The value; a process usually gets the same object at each access."""
        found = _UNPICKLED.pop(self.name, None)
        if found is None:
            found = pickle.loads(self._pickled)
            for oldest in list(_UNPICKLED)[: 1 - _MOST_UNPICKLED]:
                del _UNPICKLED[oldest]
        _UNPICKLED[self.name] = found
        return cast(Value, found)


@dataclass(frozen=True)
class ShardSetup:
    """Sharding of a stream, and the configuration of the reasoner in each shard.

    Args:
        ontology: the ontology, with the whole background.
        options: the options of each shard's reasoner.
        kind: the kind of timestamps, integers or datetimes.
        key: the key of the shards.
        shards: the number of shards.
        report: the analysis of the rules for sharding: the key of each fact, and the names that the stream
            may assert.
        waits: whether ABoxes are held back until the watermark passes them.
        query: the query of each shard; None for no query or for `queries`.
        queries: registered queries by name, instead of `query`.
        variables: the variables of each of `queries`, in order.
        names: the columns of terms in a shard's changes: the variables of `query`; for `queries` the columns
            `query`, `value1` and so on; otherwise those of conclusions or of a fact.
        temporal: the temporal rules of each shard.
        types: kinds of columns whose terms are converted to values later.
    """

    ontology: Ontology
    options: Options
    kind: TimeKind
    key: Key
    shards: int
    report: ShardingReport
    waits: bool
    query: str | None = None
    queries: Mapping[str, Registration] = field(default_factory=dict)
    variables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names: tuple[str, ...] = ("subject", "predicate", "object")
    temporal: TemporalRules | None = None
    types: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of terms in the results; for `queries`, the distinct variables of all queries."""
        if not self.queries:
            return self.names
        return tuple(sorted({name for names in self.variables.values() for name in names}))

    @property
    def has_queries(self) -> bool:
        """True if shards answer a query."""
        return self.query is not None or bool(self.queries)

    def reasoner(self) -> StreamReasoner:
        """Return a new reasoner for a shard."""
        return StreamReasoner.with_options(self.ontology, self.options, temporal=self.temporal)


class ShardChange(NamedTuple):
    """Change of a fact, an answer or a conclusion in a shard.

    Args:
        ticks: the time of the change.
        terms: the columns `ShardSetup.names`: the terms of the fact; the predicate and the arguments of the
            conclusion; or the answer, with None for unbound variables, and preceded by the name of the query
            if there are `queries`. The remaining columns are None.
        change: the signed change of the multiplicity; 0 marks a late row, whose terms are None if there are
            queries or rules.
    """

    ticks: int
    terms: TextRow
    change: int


_ONLY = "answers"  # name under which `ShardSetup.query` is registered


class ShardQueries:
    """Registered queries of a shard, maintained by its reasoner.

    Queries that a restored reasoner already has are not registered again.

    Raises:
        OptionError: a query cannot be registered with its options.
        QueryError: a query is malformed or refused.
    """

    def __init__(self, setup: ShardSetup, reasoner: StreamReasoner) -> None:
        self._setup, self._reasoner = setup, reasoner
        registered = setup.queries if setup.query is None else {_ONLY: Registration(setup.query)}
        self._each = [_ShardQuery(setup, reasoner, name, given) for name, given in registered.items()]

    def changes(self, update: WindowUpdate) -> Iterator[ShardChange]:
        """Yield the changes that the queries reported in an update, query by query, ordered by time."""
        for each in self._each:
            answered = update.answers.get(each.query)
            for report in () if answered is None else answered.reports.nonempty():
                for row, copies in changed_rows(report):
                    yield ShardChange(ticks_of(report.at, self._setup.kind), self._row(each, row), copies)

    def late(self, ticks: int) -> Iterator[ShardChange]:
        """Yield for each query a change of 0, which marks a late row."""
        for each in self._each:
            yield ShardChange(ticks, self._row(each, ()), 0)

    def timers(self, now: int) -> Iterator[int]:
        """Yield ticks after `now` at which queries may report although no rows arrive."""
        kind = self._setup.kind
        timestamps = [ticks_of(at, kind) for at in self._reasoner.timestamps]
        for each in self._each:
            yield from each.timers(now, timestamps)

    def _row(self, each: _ShardQuery, row: TextRow) -> TextRow:
        """Return the columns `ShardSetup.names` of an answer, padded with None."""
        named = row if self._setup.query is not None else (each.query.name, *row)
        return (*named, *[None] * (len(self._setup.names) - len(named)))


class _ShardQuery:
    """One query of a shard."""

    def __init__(self, setup: ShardSetup, reasoner: StreamReasoner, name: str, given: Registration) -> None:
        text, window, on, emit = given
        self.query: ContinuousQuery = reasoner.queries.get(name) or reasoner.register(
            text, name, window, on, emit
        )
        self._kind, self._window, self._policy = (
            setup.kind,
            window or setup.options.window,
            ReportPolicy.of(on, emit),
        )

    def timers(self, now: int, timestamps: list[int]) -> Iterator[int]:
        """Yield ticks after `now` at which the query may report although no rows arrive.

        Args:
            timestamps: the ticks of the timestamps in the reasoner's window, ascending.
        """
        step = self._window.step_at(self._kind, now)
        inside = bisect_left(timestamps, step.first)
        if inside < len(timestamps):
            yield self._window.leaving_at(self._kind, timestamps[inside])
        elif "non-empty" in self._policy.conditions:
            return
        if self._policy.closes:
            stats = self.query.stats()
            if stats.pending or (self._policy.emit == "rstream" and stats.answers):
                yield step.end + (self._window.closed != "left")  # the first tick after the window has closed


ROWS = pa.schema(
    [("ticks", pa.int64()), ("subject", pa.string()), ("predicate", pa.string()), ("object", pa.string())]
)
NO_ROWS = ROWS.empty_table()
_TERMS = ("subject", "predicate", "object")


class SavedShard(NamedTuple):
    """Shard as bytes: the reasoner's snapshot, and the held-back rows as an Arrow stream."""

    snapshot: bytes
    held: bytes


class Shard:
    """State of one shard. Times are in ticks.

    Args:
        held: rows that are held back until the watermark passes them.
    """

    def __init__(self, setup: ShardSetup, reasoner: StreamReasoner, held: pa.Table = NO_ROWS) -> None:
        self.reasoner, self._setup, self._held = reasoner, setup, held
        now = reasoner.note.get("now")
        self._now = now if isinstance(now, int) else None
        self._queries = ShardQueries(setup, reasoner) if setup.has_queries else None

    @classmethod
    def restore(cls, setup: ShardSetup, saved: SavedShard) -> Shard:
        """Restore a saved shard.

        Raises:
            CheckpointMismatchError: the shard was saved with another ontology, background, window, key,
                number of shards, queries, temporal rules or types.
        """
        options = setup.options
        reasoner = StreamReasoner.restore(
            saved.snapshot, setup.ontology, limits=options.limits, history=options.history
        )
        given, was = _layout(setup), str(reasoner.note.get("layout"))
        if was != given:
            raise CheckpointMismatchError(
                "of a shard",
                "window, key, number of shards, queries, temporal rules, types or options",
                was,
                given,
            )
        return cls(setup, reasoner, pa.ipc.open_stream(saved.held).read_all())

    def save(self) -> SavedShard:
        """Return the shard as bytes. Cost is linear in the assertions in the window."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, ROWS) as writer:
            writer.write_table(self._held)
        snapshot = self.reasoner.snapshot({"now": self._now, "layout": _layout(self._setup)})
        return SavedShard(snapshot, sink.getvalue().to_pybytes())

    def process(self, rows: pa.Table, closed: int | None) -> list[ShardChange]:
        """Process rows, which may be in any order, and advance the time to the watermark.

        Args:
            rows: rows with the schema `ROWS`.
            closed: the watermark, equal for all shards, before which rows are late; None if there is no
                watermark.
        """
        limits = [limit for limit in (closed, self._now) if limit is not None]
        late, timely = _split(rows, max(limits)) if limits else (NO_ROWS, rows)
        changes = [change for row in late.to_pylist() for change in self._late(**row)]
        waiting = pa.concat_tables([self._held, timely])
        if self._setup.waits:
            ready, self._held = _split(waiting, closed) if closed is not None else (NO_ROWS, waiting)
        else:
            ready = waiting
        for ticks, abox in _aboxes(ready):
            changes += self._changes(self.reasoner.push(self._time(ticks), abox), ticks)
        if closed is not None and (self._now is None or self._now < closed):
            changes += self._changes(self.reasoner.advance(self._time(closed)), closed)
        return changes

    @property
    def next_timer(self) -> int | None:
        """First tick at which the shard changes although no rows arrive; None if it does not change."""
        ticks = []
        if self._held.num_rows:
            ticks.append(pc.min(self._held["ticks"]).as_py() + 1)
        if self.reasoner.timestamps:
            oldest = ticks_of(self.reasoner.timestamps[0], self._setup.kind)
            ticks.append(self._setup.options.window.leaving_at(self._setup.kind, oldest))
        if self._queries is not None and self._now is not None:
            ticks += self._queries.timers(self._now)
        if (turn := self.reasoner.next_turn) is not None:
            ticks.append(ticks_of(turn, self._setup.kind))
        return min(ticks, default=None)

    def _time(self, ticks: int) -> TimePoint:
        return time_of(ticks, self._setup.kind)

    def _late(self, ticks: int, **terms: str) -> Iterator[ShardChange]:
        if self._queries is not None:
            yield from self._queries.late(ticks)
        elif self._setup.temporal is not None:
            yield ShardChange(ticks, (None,) * len(self._setup.names), 0)
        else:
            yield ShardChange(ticks, tuple(terms.values()), 0)

    def _changes(self, update: WindowUpdate, ticks: int) -> Iterator[ShardChange]:
        self._now = ticks
        if self._queries is not None:
            yield from self._queries.changes(update)
            return
        if self._setup.temporal is not None:
            for turn in update.conclusions.turns:
                for row, change in conclusion_rows(turn, len(self._setup.names)):
                    yield ShardChange(ticks_of(turn.at, self._setup.kind), row, change)
            return
        for triples, change in ((update.delta.removed, -1), (update.delta.added, 1)):
            for triple in triples:
                yield ShardChange(ticks, tuple(map(write_term, triple)), change)


def _layout(setup: ShardSetup) -> str:
    options = setup.options
    # Layouts saved by earlier versions have None for the default budget.
    budget = None if options.budget == Budget() else options.budget
    others = (options.repair, options.keep, options.unique_names, budget, setup.waits)
    numbers = "" if options.numbers == "by_datatype" else f", numbers={options.numbers}"
    queries = "" if setup.query is None else f", query={setup.query}"
    queries += f", queries={dict(sorted(setup.queries.items()))}" if setup.queries else ""
    rules = "" if setup.temporal is None else f", temporal={setup.temporal}"
    if setup.temporal is not None and setup.temporal.feedback:
        rules += ", feedback"
    types = f", types={dict(setup.types)}" if setup.types else ""
    more = f"{numbers}{queries}{rules}{types}"
    return f"{options.window}, shards={setup.shards}, shard_by={setup.key!s}, options={others}{more}"


def _split(rows: pa.Table, at: int) -> tuple[pa.Table, pa.Table]:
    """Split rows into those before tick `at` and the others."""
    before = pc.less(rows["ticks"], at)
    return rows.filter(before), rows.filter(pc.invert(before))


def _aboxes(rows: pa.Table) -> Iterator[tuple[int, pa.Table | list[Triple]]]:
    """Yield the ABox of each tick, in time order."""
    if not rows.num_rows:
        return
    ordered = rows.take(np.argsort(rows["ticks"].to_numpy(), kind="stable"))
    ticks, starts = np.unique(ordered["ticks"].to_numpy(), return_index=True)
    for at, start, end in zip(ticks.tolist(), starts, [*starts[1:], len(ordered)], strict=True):
        abox = ordered.slice(start, end - start).select(_TERMS)
        is_scoped = any(pc.any(pc.starts_with(abox[name], "_:")).as_py() for name in ("subject", "object"))
        yield at, _scoped(abox, prefix_of_name(name_of_timestamp(at))) if is_scoped else abox


def _scoped(abox: pa.Table, scope: str) -> list[Triple]:
    """Parse an ABox; blank nodes are prefixed by `scope`, so that they are named equally in all shards."""
    columns = ([parse_term(text, scope) for text in abox[name].to_pylist()] for name in _TERMS)
    return list(zip(*columns, strict=True))
