"""One shard of a stream: a reasoner, the rows that wait, and when to look again. Knows no Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import CheckpointMismatchError
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint, ticks_of, time_of
from pantarhei.rdf.blank_nodes import name_of_timestamp, prefix_of_name
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.reasoner import StreamReasoner
from pantarhei.repair.conflict import Budget
from pantarhei.spark.answer_rows import turned_rows
from pantarhei.spark.shards.change import Change
from pantarhei.spark.shards.setup import ShardSetup
from pantarhei.spark.shards.shard_queries import ShardQueries

ROWS = pa.schema(
    [("ticks", pa.int64()), ("subject", pa.string()), ("predicate", pa.string()), ("object", pa.string())]
)
NO_ROWS = ROWS.empty_table()
_TERMS = ("subject", "predicate", "object")


class SavedShard(NamedTuple):
    """A shard as bytes: the reasoner's snapshot, and the rows that wait as an Arrow stream."""

    snapshot: bytes
    held: bytes


class Shard:
    """The state of one shard.

    Times are in ticks. Rows may come in any order within one call of `take`.
    """

    def __init__(self, setup: ShardSetup, reasoner: StreamReasoner, held: pa.Table = NO_ROWS) -> None:
        self.reasoner, self._setup, self._held = reasoner, setup, held
        now = reasoner.note.get("now")
        self._now = now if isinstance(now, int) else None
        self._queries = ShardQueries(setup, reasoner) if setup.asks else None

    @classmethod
    def restore(cls, setup: ShardSetup, saved: SavedShard) -> Shard:
        """The shard that was saved.

        Raises:
            CheckpointMismatchError: it was saved with another ontology, background, window, key, number of
                shards, queries, temporal rules or types.
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
        """The shard as bytes. Costs the window's assertions."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, ROWS) as writer:
            writer.write_table(self._held)
        snapshot = self.reasoner.snapshot({"now": self._now, "layout": _layout(self._setup)})
        return SavedShard(snapshot, sink.getvalue().to_pybytes())

    def take_in(self, rows: pa.Table, closed: int | None) -> list[Change]:
        """Take in rows, and let time come as far as is known.

        Args:
            rows: with the schema `ROWS`.
            closed: no row older than this is taken any more; None if nothing is known. The same for all
                shards.
        """
        limits = [limit for limit in (closed, self._now) if limit is not None]
        late, timely = _split(rows, max(limits)) if limits else (NO_ROWS, rows)
        changes = [change for row in late.to_pylist() for change in self._late(**row)]
        waiting = pa.concat_tables([self._held, timely])
        if self._setup.holds:
            ready, self._held = _split(waiting, closed) if closed is not None else (NO_ROWS, waiting)
        else:
            ready = waiting
        for ticks, abox in _aboxes(ready):
            changes += self._changes(self.reasoner.push(self._time(ticks), abox), ticks)
        if closed is not None and (self._now is None or self._now < closed):
            changes += self._changes(self.reasoner.advance(self._time(closed)), closed)
        return changes

    @property
    def next_look(self) -> int | None:
        """The first tick that, once it is closed, changes something without more rows; None if none does."""
        looks = []
        if self._held.num_rows:
            looks.append(pc.min(self._held["ticks"]).as_py() + 1)
        if self.reasoner.timestamps:
            oldest = ticks_of(self.reasoner.timestamps[0], self._setup.kind)
            looks.append(self._setup.options.window.leaving_at(self._setup.kind, oldest))
        if self._queries is not None and self._now is not None:
            looks += self._queries.looks(self._now)
        if (turn := self.reasoner.next_turn) is not None:
            looks.append(ticks_of(turn, self._setup.kind))
        return min(looks, default=None)

    def _time(self, ticks: int) -> TimePoint:
        return time_of(ticks, self._setup.kind)

    def _late(self, ticks: int, **terms: str) -> Iterator[Change]:
        if self._queries is not None:
            yield from self._queries.late(ticks)
        elif self._setup.temporal is not None:
            yield Change(ticks, (None,) * len(self._setup.names), 0)
        else:
            yield Change(ticks, tuple(terms.values()), 0)

    def _changes(self, update: WindowUpdate, ticks: int) -> Iterator[Change]:
        self._now = ticks
        if self._queries is not None:
            yield from self._queries.changes(update)
            return
        if self._setup.temporal is not None:
            for turn in update.conclusions.turns:
                for row, change in turned_rows(turn, len(self._setup.names)):
                    yield Change(ticks_of(turn.at, self._setup.kind), row, change)
            return
        for triples, change in ((update.delta.removed, -1), (update.delta.added, 1)):
            for triple in triples:
                yield Change(ticks, tuple(map(write_term, triple)), change)


def _layout(setup: ShardSetup) -> str:
    options = setup.options
    # the default budget is None in the layouts that earlier versions saved
    budget = None if options.budget == Budget() else options.budget
    others = (options.repair, options.keep, options.unique_names, budget, setup.holds)
    numbers = "" if options.numbers == "by_datatype" else f", numbers={options.numbers}"
    asked = "" if setup.query is None else f", query={setup.query}"
    asked += f", queries={dict(sorted(setup.queries.items()))}" if setup.queries else ""
    rules = "" if setup.temporal is None else f", temporal={setup.temporal}"
    if setup.temporal is not None and setup.temporal.feedback:
        rules += ", feedback"
    types = f", types={dict(setup.types)}" if setup.types else ""
    more = f"{numbers}{asked}{rules}{types}"
    return f"{options.window}, shards={setup.shards}, shard_by={setup.key!s}, options={others}{more}"


def _split(rows: pa.Table, at: int) -> tuple[pa.Table, pa.Table]:
    """The rows before a tick, and the others."""
    before = pc.less(rows["ticks"], at)
    return rows.filter(before), rows.filter(pc.invert(before))


def _aboxes(rows: pa.Table) -> Iterator[tuple[int, pa.Table | list[Triple]]]:
    """The ABox of each tick, in order."""
    if not rows.num_rows:
        return
    ordered = rows.take(np.argsort(rows["ticks"].to_numpy(), kind="stable"))
    ticks, starts = np.unique(ordered["ticks"].to_numpy(), return_index=True)
    for at, start, end in zip(ticks.tolist(), starts, [*starts[1:], len(ordered)], strict=True):
        abox = ordered.slice(start, end - start).select(_TERMS)
        yield at, _scoped(abox, prefix_of_name(name_of_timestamp(at))) if _has_blank_nodes(abox) else abox


def _has_blank_nodes(abox: pa.Table) -> bool:
    return any(pc.any(pc.starts_with(abox[name], "_:")).as_py() for name in ("subject", "object"))


def _scoped(abox: pa.Table, scope: str) -> list[Triple]:
    """Triples whose blank nodes have the same names in each shard: a timestamp's rows are one message."""
    columns = ([parse_term(text, scope) for text in abox[name].to_pylist()] for name in _TERMS)
    return list(zip(*columns, strict=True))
