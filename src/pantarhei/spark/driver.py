"""The driver's part of a stream: batches of interpretations in, updates of the window out.

A batch is applied as a whole or not at all, and once: its number is saved with the window.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import NamedTuple, cast

import pyarrow as pa

from pantarhei.engine.checkpoint import Json
from pantarhei.engine.update import WindowUpdate
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.interpretation.writing import Texts
from pantarhei.language.time import Duration, TimeKind, TimePoint, duration_ticks, time_of
from pantarhei.reasoner import StreamReasoner
from pantarhei.spark.blocks import TimedInterpretation, pack, read_blocks, read_skipped, unpack
from pantarhei.spark.worker import OnError
from pantarhei.window.watermark import Waiting

NO_BATCH = -1

_log = logging.getLogger("pantarhei.spark")


@dataclass(frozen=True, slots=True)
class Counts:
    """What went by since the stream began, restarts included.

    Args:
        aboxes: ABoxes taken in; parts of one timestamp that came apart count apart.
        assertions: facts asserted in them.
        cut: assertions that repairs took out.
        late_aboxes: ABoxes that came after the watermark had passed them.
        late: the assertions in those.
        skipped: rows left out because they are no timestamped triples.
    """

    aboxes: int = 0
    assertions: int = 0
    cut: int = 0
    late_aboxes: int = 0
    late: int = 0
    skipped: int = 0


class _Place(NamedTuple):
    """How far a driver has come: its last batch and counts, the newest time seen and the newest that the
    window has come to (in ticks), and what waits.
    """

    batch: int
    counts: Counts
    newest: int | None
    passed: int | None
    waiting: tuple[TimedInterpretation, ...]


class LateABox(NamedTuple):
    """An ABox that came too late: its timestamp, and its triples as strings."""

    at: TimePoint
    abox: pa.Table


class Driver:
    """A reasoner that is fed batch by batch.

    Args:
        reasoner: what is fed; its note says how far it has come.
        kind: the kind of the stream's timestamps.
        allowed_lateness: how far ABoxes may come out of order from batch to batch; they wait so long.
        on_error: what to do with rows that are no timestamped triples.
        on_update: called with each update, at the state that it led to.
        on_late: called with each ABox that comes too late.
        said: what else its note says.
    """

    def __init__(
        self,
        reasoner: StreamReasoner,
        kind: TimeKind,
        allowed_lateness: Duration | None,
        on_error: OnError,
        on_update: Callable[[WindowUpdate], object],
        on_late: Callable[[LateABox], object] | None,
        said: Mapping[str, Json] | None = None,
    ) -> None:
        self.reasoner, self.kind, self._said = reasoner, kind, dict(said or {})
        self._on_error, self._on_update, self._on_late = on_error, on_update, on_late
        lateness = 0 if allowed_lateness is None else duration_ticks(allowed_lateness, kind)
        self._lateness = lateness
        self._stand(self._place_of(reasoner.note))

    def _place_of(self, note: dict[str, Json]) -> _Place:
        """Where a note says that it stood."""
        return _Place(
            cast(int, note.get("batch", NO_BATCH)),
            Counts(**cast("dict[str, int]", note.get("counts", {}))),
            cast("int | None", note.get("newest")),
            cast("int | None", note.get("passed")),
            self._waiting_of(note),
        )

    def _waiting_of(self, note: dict[str, Json]) -> tuple[TimedInterpretation, ...]:
        if "waiting" not in note:
            return ()
        packed = base64.b64decode(cast(str, note["waiting"]))
        return tuple(unpack(packed, self.kind, ABoxMaterializer(self.reasoner.foundation)))

    @property
    def _place(self) -> _Place:
        return _Place(self.batch, self.counts, self._waiting.newest, self._passed, tuple(self._waiting))

    def _stand(self, place: _Place) -> None:
        self.batch, self.counts, newest, self._passed, waiting = place
        self._waiting: Waiting[TimedInterpretation] = Waiting(self._lateness, newest)
        for timed in waiting:
            self._waiting.add(timed.ticks, timed)

    @property
    def newest(self) -> TimePoint | None:
        """The newest timestamp that the window has come to."""
        return None if self._passed is None else time_of(self._passed, self.kind)

    @property
    def note(self) -> dict[str, Json]:
        """How far it has come, to be saved with the reasoner."""
        return {
            "batch": self.batch,
            "counts": asdict(self.counts),
            "newest": self._waiting.newest,
            "passed": self._passed,
            **self._said,
            **self._note_of_waiting,
        }

    @property
    def _note_of_waiting(self) -> dict[str, Json]:
        waiting = tuple(self._waiting)
        return {"waiting": base64.b64encode(pack(waiting, self._texts)).decode()} if waiting else {}

    def apply(self, batch: int, blocks: pa.Table, deliver: Callable[[], object]) -> None:
        """Take in a batch and call `deliver`, which saves what is to be saved; or do nothing, after an error.

        Raises:
            InvalidRowError: a row is no timestamped triple, and such rows are not to be left out.
            Whatever `on_update`, `on_late` and `deliver` raise.
        """
        with self._all_or_nothing():
            self._take_in(blocks)
            self.batch = batch
            deliver()

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        before = self._place
        try:
            with self.reasoner.all_or_nothing(each_step=True):
                yield
        except BaseException:
            self._stand(before)
            raise

    def _take_in(self, blocks: pa.Table) -> None:
        skipped = read_skipped(blocks)
        if skipped.count and self._on_error == "raise":
            raise skipped.examples[0]
        if skipped.count:
            _log.warning("%s", skipped)
        self._count(skipped=skipped.count)
        timed = read_blocks(blocks, self.kind)
        for each in timed:
            if self._waiting.is_late(each.ticks) or self._is_passed(each.ticks):
                self._leave_out(each)
            else:
                self._waiting.add(each.ticks, each)
        if timed:
            self._waiting.come_to(timed[-1].ticks)
        for parts in self._waiting.complete():
            self._push(parts)

    def _is_passed(self, ticks: int) -> bool:
        """Whether the window is past that time; so it may be where less lateness was allowed before."""
        return self._passed is not None and ticks < self._passed

    def take_in_what_waits(self) -> None:
        """Push what waits for the watermark: nothing more will come."""
        with self._all_or_nothing():
            for parts in self._waiting.rest():
                self._push(parts)

    def _push(self, parts: Sequence[TimedInterpretation]) -> None:
        """Push the parts of one timestamp's ABox."""
        first, made = parts[0], [part.made for part in parts]
        update = self.reasoner.push_materialized(first.at, *made, scope=first.scope)
        self._passed = first.ticks
        asserted = sum(part.asserted for part in made)
        self._count(aboxes=len(parts), assertions=asserted, cut=len(update.repair.taken_out))
        self._on_update(update)

    def _leave_out(self, timed: TimedInterpretation) -> None:
        self._count(late_aboxes=1, late=timed.made.asserted)
        if self._on_late is not None:
            facts = self._texts.table(timed.made).slice(0, timed.made.asserted)
            self._on_late(LateABox(timed.at, facts.drop_columns(["derived"])))

    def _count(self, **more: int) -> None:
        counts = asdict(self.counts)
        self.counts = Counts(**{name: counts[name] + more.get(name, 0) for name in counts})

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self.reasoner.foundation)
