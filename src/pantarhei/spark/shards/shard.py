"""One shard of a stream: its reasoner, held-back rows, registered queries and timers; independent of
Spark.
"""

from __future__ import annotations

import pickle
import uuid
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pantarhei.encoding.numbers import Integers
from pantarhei.engine.checkpoint import BlockWriter, Json, StoredBlocks
from pantarhei.engine.options import Options
from pantarhei.engine.update import NumberedChanges, WindowUpdate
from pantarhei.errors import CheckpointMismatchError, InvalidTripleError
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimeKind, TimePoint, show_time, ticks_of, time_of
from pantarhei.ontology.ontology import Ontology
from pantarhei.query.continuous_query import ContinuousQuery, Registration, ReportPolicy
from pantarhei.rdf.ntriples import name_of_timestamp, parse_term, prefix_of_name
from pantarhei.reasoner import StreamReasoner
from pantarhei.repair.conflict import Budget
from pantarhei.rules.sharding.key_map import Key
from pantarhei.rules.sharding.routing import Routing
from pantarhei.rules.sharding.sharding_report import ShardingReport
from pantarhei.spark.collectors import TextRow, changed_rows, conclusion_rows
from pantarhei.spark.frame import TERMS, TIMESTAMP
from pantarhei.spark.invalid_rows import drop_rows, find_invalid_rows, row_error
from pantarhei.spark.worker import OnError
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
        on_error: handling of rows that are not timestamped triples.
        hot_keys: values of the key whose shards a second key divides, as for `Routing`.
        carried: further columns of the rows, which are handed out with rows that are not processed.
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
    on_error: OnError = "raise"
    hot_keys: Mapping[Term, Key] = field(default_factory=dict)
    carried: pa.Schema = field(default_factory=lambda: pa.schema([]))

    @property
    def routing(self) -> Routing:
        """Routing of names to shards."""
        return Routing.of(self.report, self.key, self.hot_keys)

    @property
    def rows(self) -> pa.Schema:
        """Schema of rows: ticks, terms, and the carried columns."""
        return pa.schema([*ROWS, *self.carried])

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


_MOST_TURNS = 10_000  # steps of rules that a shard makes one by one
_ONLY = "answers"  # name under which `ShardSetup.query` is registered


class ShardQueries:
    """Registered queries of a shard, maintained by its reasoner.

    Queries that a restored reasoner already has are not registered again.

    Raises:
        OptionError: a query cannot be registered with its options.
        QueryError: a query is malformed or refused.
    """

    def __init__(self, setup: ShardSetup, reasoner: StreamReasoner) -> None:
        self.setup, self._reasoner = setup, reasoner
        registered = setup.queries if setup.query is None else {_ONLY: Registration(setup.query)}
        self._each = [_ShardQuery(setup, reasoner, name, given) for name, given in registered.items()]

    def changes(self, update: WindowUpdate) -> Iterator[ShardChange]:
        """Yield the changes that the queries reported in an update, query by query, ordered by time."""
        for each in self._each:
            answered = update.answers.get(each.query)
            for report in () if answered is None else answered.reports.nonempty():
                for row, copies in changed_rows(report):
                    yield ShardChange(ticks_of(report.at, self.setup.kind), self._row(each, row), copies)

    def late(self, ticks: int) -> Iterator[ShardChange]:
        """Yield for each query a change of 0, which marks a late row."""
        for each in self._each:
            yield ShardChange(ticks, self._row(each, ()), 0)

    def timers(self, now: int) -> Iterator[int]:
        """Yield ticks after `now` at which queries may report although no rows arrive."""
        kind = self.setup.kind
        timestamps = [ticks_of(at, kind) for at in self._reasoner.timestamps]
        for each in self._each:
            yield from each.timers(now, timestamps)

    def _row(self, each: _ShardQuery, row: TextRow) -> TextRow:
        """Return the columns `ShardSetup.names` of an answer, padded with None."""
        named = row if self.setup.query is not None else (each.query.name, *row)
        return (*named, *[None] * (len(self.setup.names) - len(named)))


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


TEXT = pa.dictionary(pa.int32(), pa.string())
"""Type of columns of terms: each distinct text once, and its number for each row."""

ROWS = pa.schema([(TIMESTAMP, pa.int64()), *((name, TEXT) for name in TERMS)])
"""Schema of rows: ticks, and terms. The names are those of `COLUMNS`, which no carried column has."""


class SavedShard(NamedTuple):
    """Shard as bytes.

    Args:
        head, blocks: the state of the reasoner.
        held: the held-back rows as an Arrow stream.
    """

    head: bytes
    blocks: Mapping[int, bytes]
    held: bytes


class ChangedShard(NamedTuple):
    """Changes of a saved shard.

    Args:
        head, held: as for `SavedShard`.
        added: new blocks by number, to be stored before the head.
        dropped: numbers of blocks to be removed.
    """

    head: bytes
    added: Mapping[int, bytes]
    dropped: Sequence[int]
    held: bytes


class ShardCounts(NamedTuple):
    """Counters of a shard's steps.

    Args:
        assertions: facts asserted in the pushed ABoxes.
        cut: assertions removed by repairs.
        conflicts: ABoxes whose arrival contradicted the window, so that a repair removed assertions.
        late: late rows.
        skipped: rows that were skipped because they are not triples.
    """

    assertions: int = 0
    cut: int = 0
    conflicts: int = 0
    late: int = 0
    skipped: int = 0

    def __add__(self, other: tuple[int, ...]) -> ShardCounts:  # type: ignore[override]
        return ShardCounts(*map(sum, zip(self, other, strict=True)))


class LostRows(NamedTuple):
    """Rows that were not processed, each with its reason.

    Args:
        rows: the rows, with the columns of the setup.
        kind: "late" or "invalid".
        reasons: a text for each row.
    """

    rows: pa.Table
    kind: str
    reasons: list[str]


class ShardBatch:
    """Outcome of the rows of one batch in a shard.

    Attributes:
        changes: the changes, in order.
        lost: rows that were not processed.
        ticks: the ticks of the pushed ABoxes.
        counts: counters of the batch.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.lost: list[LostRows] = []
        self.ticks: list[int] = []
        self.counts = ShardCounts()
        self._names, self._tables = names, list[pa.Table]()
        self._noted: list[tuple[int, NumberedChanges]] = []
        self._changes: list[ShardChange] = []

    def count(self, **more: int) -> None:
        """Add to the counters."""
        self.counts += ShardCounts(**more)

    def add(self, change: ShardChange) -> None:
        """Record one change."""
        self._write_noted()
        self._changes.append(change)

    def add_facts(self, ticks: int, changes: NumberedChanges) -> None:
        """Record the changes of facts in a step. They are converted to text later, together with those of
        other steps.
        """
        if not len(changes.rows):
            return
        if self._noted:
            last = self._noted[-1][1]
            if last.lexicon is not changes.lexicon or last.forms or changes.forms:
                self._write_noted()
        self._write_changes()
        self._noted.append((ticks, changes))

    def table(self) -> pa.Table:
        """Return the changes as a table with the columns `at` (in ticks), those of terms, and `change`."""
        self._write_noted()
        self._write_changes()
        return pa.concat_tables([change_schema(self._names).empty_table(), *self._tables])

    def _write_changes(self) -> None:
        if self._changes:
            rows = [(ticks, *terms, change) for ticks, terms, change in self._changes]
            at, *terms, change = zip(*rows, strict=True)
            texts = (pa.array(column, pa.string()).dictionary_encode() for column in terms)
            self._append([pa.array(at, pa.int64()), *texts, pa.array(change, pa.int32())])
            self._changes = []

    def _write_noted(self) -> None:
        if not self._noted:
            return
        noted, self._noted = self._noted, []
        steps = np.repeat(np.arange(len(noted)), [len(changes.rows) for _, changes in noted])
        rows, weights, steps = _net(np.concatenate([changes.rows for _, changes in noted]), steps)
        terms = noted[0][1].lexicon.columns(rows, noted[0][1].forms)
        ticks = np.array([at for at, _ in noted], np.int64)
        columns = [
            pa.DictionaryArray.from_arrays(each.codes, pa.array(each.distinct, pa.string())) for each in terms
        ]
        self._append([pa.array(ticks[steps]), *columns, pa.array(weights, pa.int32())])

    def _append(self, columns: Sequence[pa.Array]) -> None:
        self._tables.append(pa.table(list(columns), schema=change_schema(self._names)))


def change_schema(names: Iterable[str]) -> pa.Schema:
    """Return the schema of a shard's changes; terms are numbered by dictionaries."""
    return pa.schema([("at", pa.int64()), *((name, TEXT) for name in names), ("change", pa.int32())])


def _net(
    rows: Integers, steps: npt.NDArray[np.int64]
) -> tuple[Integers, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Sum the signed changes of each fact in each step; return facts, sums other than 0, and steps."""
    order = np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0], steps))
    facts, steps = rows[order, :3], steps[order]
    differs = (facts[1:] != facts[:-1]).any(axis=1) | (steps[1:] != steps[:-1])
    begins = np.flatnonzero(np.concatenate([[True], differs]))
    sums = np.add.reduceat(rows[order, 3].astype(np.int64), begins)
    kept = begins[sums != 0]
    return facts[kept], sums[sums != 0], steps[kept]


class Shard:
    """State of one shard. Times are in ticks.

    Args:
        setup: the setup of all shards.
        held: rows that are held back until the watermark passes them.
    """

    def __init__(self, setup: ShardSetup, reasoner: StreamReasoner, held: pa.Table | None = None) -> None:
        self.reasoner, self.setup = reasoner, setup
        self.held = setup.rows.empty_table() if held is None else held
        now, facts = reasoner.note.get("now"), reasoner.note.get("facts")
        self._now = now if isinstance(now, int) else None
        self.facts = facts if isinstance(facts, int) else 0
        self._writer = BlockWriter()
        self._queries = ShardQueries(setup, reasoner) if setup.has_queries else None

    @classmethod
    def restore(cls, setup: ShardSetup, saved: SavedShard) -> Shard:
        """Restore a saved shard.

        Raises:
            CheckpointMismatchError: the shard was saved with another ontology, background, window, key,
                number of shards, queries, temporal rules or types.
        """
        options = setup.options
        stored = StoredBlocks(saved.head, saved.blocks)
        reasoner = StreamReasoner.restore(
            stored, setup.ontology, limits=options.limits, history=options.history
        )
        given, was = _layout(setup), str(reasoner.note.get("layout"))
        if was != given:
            raise CheckpointMismatchError(
                "of a shard",
                "window, key, number of shards, queries, temporal rules, types or options",
                was,
                given,
            )
        held = pa.ipc.open_stream(saved.held).read_all()
        kept = [*ROWS, *held.schema]  # other columns are carried since this run, or with another type
        columns = [
            held[field.name] if field in kept else pa.nulls(len(held), field.type) for field in setup.rows
        ]
        shard = cls(setup, reasoner, pa.table(columns, schema=setup.rows))
        shard._writer = BlockWriter(stored)
        return shard

    def changed(self) -> ChangedShard:
        """Return the changes since the shard was restored, or since the last call. The cost is linear in the
        changed assertions, amortized.
        """
        changes = self.reasoner.changed_blocks(self._writer, self._note_now)
        return ChangedShard(changes.head, changes.added, changes.dropped, pack_table(self.held))

    def saved(self) -> SavedShard:
        """Return the shard as bytes. The cost is linear in the assertions in the window."""
        changes = self.reasoner.changed_blocks(BlockWriter(), self._note_now)
        return SavedShard(changes.head, changes.added, pack_table(self.held))

    @property
    def _note_now(self) -> dict[str, Json]:
        return self.note(self.setup, self._now, self.facts)

    def snapshot(self) -> bytes:
        """Return the state of the reasoner, which `merge` and `split` of checkpoints accept."""
        return self.reasoner.snapshot(self._note_now)

    @staticmethod
    def note(setup: ShardSetup, now: int | None, facts: int) -> dict[str, Json]:
        """Return the note in the saved state of a shard."""
        return {"now": now, "facts": facts, "layout": _layout(setup)}

    def process(self, rows: pa.Table, closed: int | None) -> ShardBatch:
        """Process rows, which may be in any order, and advance the time to the watermark.

        Facts that leave the window are reported at the tick at which they leave it.

        Args:
            rows: rows with the schema `ShardSetup.rows`.
            closed: the watermark, equal for all shards, before which rows are late; None if there is no
                watermark.

        Raises:
            InvalidRowError: a row is not a triple, and such rows are not skipped.
            MemoryLimitError: an ABox exceeds the limits.
        """
        batch = ShardBatch(self.setup.names)
        rows = rows.unify_dictionaries()
        limits = [limit for limit in (closed, self._now) if limit is not None]
        if limits:
            late, rows = _split(rows, max(limits))
            self._refuse_late(late, max(limits), batch)
        if self.held.num_rows:
            rows = pa.concat_tables([self.held, rows]).unify_dictionaries()
        if self.setup.waits:
            rows, self.held = _split(rows, closed) if closed is not None else (rows.slice(0, 0), rows)
        for ticks, abox in _aboxes(rows):
            self._advance(ticks - 1, batch)
            self._push(ticks, abox, batch)
        if closed is not None and (self._now is None or self._now < closed):
            self._advance(closed - 1, batch)
            self._note(self.reasoner.advance(self._time(closed)), closed, batch)
        return batch

    @property
    def next_timer(self) -> int | None:
        """First tick at which the shard changes although no rows arrive; None if it does not change."""
        ticks = [*self._next_changes()]
        if self.held.num_rows:
            ticks.append(pc.min(self.held[TIMESTAMP]).as_py() + 1)
        return min(ticks, default=None)

    def _next_changes(self, of_rules: bool = True) -> Iterator[int]:
        """Yield the next ticks at which facts leave the window, or answers or, if asked, conclusions may
        change.
        """
        if self.reasoner.timestamps:
            oldest = ticks_of(self.reasoner.timestamps[0], self.setup.kind)
            yield self.setup.options.window.leaving_at(self.setup.kind, oldest)
        if self._queries is not None and self._now is not None:
            yield from self._queries.timers(self._now)
        if of_rules and (turn := self.reasoner.next_turn) is not None:
            yield ticks_of(turn, self.setup.kind)

    def _advance(self, until: int, batch: ShardBatch) -> None:
        """Advance the time to each tick, at most `until`, at which the shard changes without rows.

        Some temporal rules may conclude at each tick for ever: after `_MOST_TURNS`, the reasoner makes the
        steps of rules itself, which is faster, and reports their changes at the ends of slides.
        """
        for step in count():
            ticks = min(self._next_changes(step < _MOST_TURNS), default=None)
            if ticks is None or ticks > until or (self._now is not None and ticks <= self._now):
                break  # the last is such as the end of a window that reports once more at its next tick
            self._note(self.reasoner.advance(self._time(ticks)), ticks, batch)

    def _push(self, ticks: int, abox: pa.Table, batch: ShardBatch) -> None:
        """Push the rows of one tick, without those that are not triples."""
        try:
            update = self.reasoner.push(self._time(ticks), _scoped(ticks, abox))
        except (InvalidTripleError, UnicodeDecodeError, pa.ArrowException):
            given = self._normalized(abox)
            found = find_invalid_rows(given)
            if not found:
                raise  # the error has another cause
            if self.setup.on_error == "raise":
                raise row_error(given, found[0]) from None
            lost = abox.take([problem.row for problem in found])
            batch.lost.append(LostRows(lost, "invalid", [problem.reason for problem in found]))
            batch.count(skipped=len(found))
            abox = drop_rows(abox, found)
            update = self.reasoner.push(self._time(ticks), _scoped(ticks, abox))
        batch.ticks.append(ticks)
        batch.count(
            assertions=len(abox.group_by(list(TERMS), use_threads=False).aggregate([])),
            cut=len(update.repair.taken_out),
            conflicts=int(bool(update.repair)),
        )
        self._note(update, ticks, batch)

    def _normalized(self, rows: pa.Table) -> pa.Table:
        """Return rows with the columns of a normalized DataFrame."""
        return normalized_rows(rows, self.setup.kind)

    def _time(self, ticks: int) -> TimePoint:
        return time_of(ticks, self.setup.kind)

    def _refuse_late(self, late: pa.Table, limit: int, batch: ShardBatch) -> None:
        if not late.num_rows:
            return
        batch.count(late=len(late))
        reason = f"it is older than {show_time(self._time(limit))}, up to which the stream is complete"
        batch.lost.append(LostRows(late, "late", [reason] * len(late)))
        for ticks, *terms in zip(*(late[name].to_pylist() for name in ROWS.names), strict=True):
            if self._queries is not None:
                for change in self._queries.late(ticks):
                    batch.add(change)
            elif self.setup.temporal is not None:
                batch.add(ShardChange(ticks, (None,) * len(self.setup.names), 0))
            else:
                batch.add(ShardChange(ticks, tuple(terms), 0))

    def _note(self, update: WindowUpdate, ticks: int, batch: ShardBatch) -> None:
        """Record the changes of a step."""
        self._now = ticks
        numbered, delta = update.delta.numbered, update.delta
        if numbered is not None:
            self.facts += int(numbered.rows[:, 3].sum())
        else:  # of a step that asserted conclusions
            self.facts += len(delta.added) - len(delta.removed)
        if self._queries is not None:
            for change in self._queries.changes(update):
                batch.add(change)
        elif self.setup.temporal is not None:
            for turn in update.conclusions.turns:
                for row, weight in conclusion_rows(turn, len(self.setup.names)):
                    batch.add(ShardChange(ticks_of(turn.at, self.setup.kind), row, weight))
        elif numbered is not None:
            batch.add_facts(ticks, numbered)


def normalized_rows(rows: pa.Table, kind: TimeKind) -> pa.Table:
    """Return rows with the columns of a normalized DataFrame: timestamps in place of ticks."""
    times = rows[TIMESTAMP]
    if kind is TimeKind.DATETIME:
        times = times.cast(pa.timestamp("us", "UTC"))
    texts = (rows[name].cast(pa.string()) for name in TERMS)
    return pa.table([times, *texts, *rows.columns[4:]], rows.column_names)


def pack_table(table: pa.Table, compression: str | None = None) -> bytes:
    """Encode a table as bytes, in Arrow's stream format."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression, unify_dictionaries=True)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def unpack_table(packed: bytes) -> pa.Table:
    """Decode the table that `pack_table` encoded."""
    return pa.ipc.open_stream(packed).read_all()


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
    hot = {key.n3(): str(second) for key, second in setup.hot_keys.items()}
    types += f", hot_keys={dict(sorted(hot.items()))}" if hot else ""
    more = f"{numbers}{queries}{rules}{types}"
    return f"{options.window}, shards={setup.shards}, shard_by={setup.key!s}, options={others}{more}"


def _split(rows: pa.Table, at: int) -> tuple[pa.Table, pa.Table]:
    """Split rows into those before tick `at` and the others."""
    before = pc.less(rows[TIMESTAMP], at)
    return rows.filter(before), rows.filter(pc.invert(before))


def _aboxes(rows: pa.Table) -> Iterator[tuple[int, pa.Table]]:
    """Yield the rows of each tick, in time order."""
    if not rows.num_rows:
        return
    given = rows[TIMESTAMP].to_numpy()
    if (given[1:] < given[:-1]).any():
        rows = rows.take(np.argsort(given, kind="stable"))
    for at, start, end in equal_runs(rows[TIMESTAMP].to_numpy()):
        yield at, rows.slice(start, end - start)


def equal_runs(ordered: npt.NDArray[np.integer[Any]]) -> Iterator[tuple[int, int, int]]:
    """Yield each value of an ordered array with the start and the end of its positions."""
    values, starts = np.unique(ordered, return_index=True)
    bounds = [*starts.tolist(), len(ordered)]
    return zip(values.tolist(), bounds, bounds[1:], strict=False)


def _scoped(ticks: int, rows: pa.Table) -> pa.Table | list[Triple]:
    """Return the ABox of rows. If it has blank nodes, it is parsed, and their labels get a prefix of the
    tick, so that they are named equally in all shards.
    """
    abox = rows.select(TERMS)
    if not any(map(_has_blank_nodes, (abox["subject"], abox["object"]))):
        return abox
    scope = prefix_of_name(name_of_timestamp(ticks))
    columns = ([parse_term(text, scope) for text in abox[name].to_pylist()] for name in TERMS)
    return list(zip(*columns, strict=True))


def _has_blank_nodes(column: pa.ChunkedArray) -> bool:
    if not any(pc.any(pc.starts_with(chunk.dictionary, "_:")).as_py() for chunk in column.chunks):
        return False
    return bool(pc.any(pc.starts_with(column.cast(pa.string()), "_:")).as_py())
