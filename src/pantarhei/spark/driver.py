"""Driver of a stream: applies batches of interpretations to the window, and maintains the checkpoint.

A batch is applied as a whole or not at all, and only once: its number is saved with the window.

The checkpoint folder holds the reasoner's file `reasoner` and Spark's own folder `spark`. Before a batch
runs, Spark records in `spark/offsets` the rows of which it consists, and afterwards in `spark/commits` that
it ran. The reasoner's file holds the window and the number of the last batch applied to it, which is at most
one ahead of Spark's commits.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, cast

import pyarrow as pa
from pyspark.sql import SparkSession

from pantarhei.engine.checkpoint import Json
from pantarhei.engine.intake import ahead_error, late_error
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import CheckpointError, StreamError
from pantarhei.interpretation.interpretation import InterpretationTables
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.datetimes import FIRST_TICK
from pantarhei.model.message_text import counted
from pantarhei.model.representation import call_text
from pantarhei.model.time import Duration, TimeKind, TimePoint, show_time, ticks_of, time_of
from pantarhei.reasoner import StreamReasoner
from pantarhei.spark.file_system import Folder, folder_at
from pantarhei.spark.progress import BatchReport, Counts
from pantarhei.spark.worker import (
    OnError,
    TimedInterpretation,
    log_skipped,
    pack,
    read_blocks,
    read_skipped,
    unpack,
)
from pantarhei.window.watermark import Arrived, Timed, Tolerance, Waiting

NO_BATCH = -1

_log = logging.getLogger("pantarhei.spark")


class _Progress(NamedTuple):
    """Progress of a driver: its last batch, its counters, the newest tick of the window, and held-back
    ABoxes.
    """

    batch: int
    counts: Counts
    passed: int | None
    waiting: Waiting[TimedInterpretation]


class RefusedABox(NamedTuple):
    """ABox of which a batch decided that it is not pushed.

    Args:
        kind: "late" or "ahead".
        timed: the ABox.
        reason: the error as text.
        is_new: whether its rows are in this batch; otherwise it was held back.
    """

    kind: str
    timed: TimedInterpretation
    reason: str
    is_new: bool


class LateABox(NamedTuple):
    """ABox that was not pushed, since it is late or too far ahead.

    Args:
        at: its timestamp.
        abox: its triples, with columns `subject`, `predicate` and `object` in N-Triples syntax.

    >>> abox = pa.table({"subject": ["<urn:a>"], "predicate": ["<urn:p>"], "object": ["<urn:b>"]})
    >>> late = LateABox(3, abox)
    >>> late.at, late.abox.num_rows
    (3, 1)
    """

    at: TimePoint
    abox: pa.Table

    def __repr__(self) -> str:
        return call_text(self, [f"at {show_time(self.at)}: {counted(self.abox.num_rows, 'triple')}"])


class Driver:
    """Pushes a stream into a reasoner, batch by batch.

    Args:
        reasoner: the reasoner; the progress of the driver is stored in its checkpoint as the `note`.
        kind: the kind of the stream's timestamps.
        allowed_lateness: duration by which ABoxes may be out of order between batches, and for which they are
            held back.
        on_error: handling of rows that are not timestamped triples.
        on_update: called with each update; the reasoner is in the state after it.
        on_late: called with each late ABox.
        entries: further entries of the note.
        max_ahead: maximum distance of a timestamp ahead of the clock, or of the newest timestamp if there is
            no clock.
        clock: returns the present time; None to use the newest timestamp.
        on_ahead: called with each ABox that is too far ahead.
    """

    def __init__(
        self,
        reasoner: StreamReasoner,
        kind: TimeKind,
        allowed_lateness: Duration | None,
        on_error: OnError,
        on_update: Callable[[WindowUpdate], object],
        on_late: Callable[[LateABox], object] | None,
        entries: Mapping[str, Json] | None = None,
        max_ahead: Duration | None = None,
        clock: Callable[[], TimePoint] | None = None,
        on_ahead: Callable[[LateABox], object] | None = None,
    ) -> None:
        self.reasoner, self.kind, self.entries = reasoner, kind, dict(entries or {})
        self._on_error, self._on_update, self._on_late = on_error, on_update, on_late
        self._clock, self._on_ahead = clock, on_ahead
        self._tolerance = Tolerance.of(allowed_lateness, max_ahead, kind)
        self._allowed_lateness, self._max_ahead = allowed_lateness, max_ahead
        self._arrived: dict[int, TimedInterpretation] = {}  # ABoxes of the present batch by identity
        self.refused: list[RefusedABox] = []
        self.report: BatchReport | None = None
        self._restore(self._progress_of(reasoner.note))

    def _progress_of(self, note: dict[str, Json]) -> _Progress:
        """Decode the progress stored in the note of a checkpoint."""
        newest = cast("int | None", note.get("newest"))
        waiting, unproven = self._unpacked(note, "waiting"), self._unpacked(note, "unproven")
        return _Progress(
            cast(int, note.get("batch", NO_BATCH)),
            Counts(**cast("dict[str, int]", note.get("counts", {}))),
            cast("int | None", note.get("passed")),
            Waiting.of(self.kind, newest, waiting, unproven),
        )

    def _unpacked(self, note: dict[str, Json], name: str) -> list[Timed[TimedInterpretation]]:
        if name not in note:
            return []
        packed = base64.b64decode(cast(str, note[name]))
        found = unpack(packed, self.kind, ABoxMaterializer(self.reasoner.foundation))
        return [Timed(each.ticks, each.at, each) for each in found]

    def _restore(self, progress: _Progress) -> None:
        self.batch, self.counts, self._passed, self._waiting = progress

    @property
    def newest(self) -> TimePoint | None:
        """Newest timestamp pushed into the window; None before the first."""
        return None if self._passed is None else time_of(self._passed, self.kind)

    @property
    def complete_until(self) -> TimePoint | None:
        """Newest time until which changes are final, as in a `BatchReport`."""
        if self._passed is None:
            return None
        newest = self._waiting.newest
        is_closed = newest is not None and self._passed < newest - self._tolerance.lateness
        last = self._passed if is_closed else self._passed - 1
        return None if last < FIRST_TICK and self.kind is TimeKind.DATETIME else time_of(last, self.kind)

    @property
    def note(self) -> dict[str, Json]:
        """Progress as JSON, to be saved in the reasoner's checkpoint."""
        return {
            "batch": self.batch,
            "counts": asdict(self.counts),
            "newest": self._waiting.newest,
            "passed": self._passed,
            **self.entries,
            **self._packed("waiting", self._waiting),
            **self._packed("unproven", self._waiting.unproven),
        }

    def _packed(self, name: str, items: Iterable[Timed[TimedInterpretation]]) -> dict[str, Json]:
        given = [each.item for each in items]
        return {name: base64.b64encode(pack(given, self._texts)).decode()} if given else {}

    def apply(self, batch: int, blocks: pa.Table, deliver: Callable[[], object]) -> None:
        """Apply a batch, and call `deliver` to save results and state; after an error, the batch has no
        effect. Then `report` is about this batch.

        Raises:
            InvalidRowError: a row is not a timestamped triple, and `on_error` is "raise".
            Any error raised by `on_update`, `on_late` or `deliver`.
        """
        before = asdict(self.counts)
        with self._all_or_nothing():
            self._push_batch(blocks)
            self.batch = batch
            deliver()
        done = {name: count - before[name] for name, count in asdict(self.counts).items()}
        del done["late_aboxes"]
        facts = self.reasoner.stats().facts
        self.report = BatchReport(batch, self.complete_until, facts=facts, **done)
        _log.info("%s", self.report)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        before = _Progress(self.batch, self.counts, self._passed, self._waiting)
        try:
            with self.reasoner.all_or_nothing(each_step=True):
                yield
        except BaseException:
            self._restore(before)
            raise

    def _push_batch(self, blocks: pa.Table) -> None:
        skipped = read_skipped(blocks)
        if skipped.count and self._on_error == "raise":
            raise skipped.examples[0]
        log_skipped(skipped)
        self._count(skipped=skipped.count)
        clock = None if self._clock is None else ticks_of(self._clock(), self.kind)
        self._arrived, self.refused = {id(each): each for each in read_blocks(blocks, self.kind)}, []
        for each in self._arrived.values():
            timed = Timed(each.ticks, each.at, each)
            arrived = self._waiting.arrive(timed, self._tolerance, self._passed, clock)
            if arrived.is_late:
                self._count(late_aboxes=1, late=each.interpretation.asserted)
                times = (arrived.waiting.newest, self._passed)
                newest = max(time for time in times if time is not None)
                error = late_error(timed, newest, self.kind, self._allowed_lateness)
                self._refuse("late", each, error, self._on_late)
            self._report_ahead(arrived, clock)
        while self._waiting.is_complete(self._tolerance.lateness):
            self._push_oldest()

    def flush(self) -> None:
        """Push the held-back ABoxes, at the end of a stream."""
        with self._all_or_nothing():
            self._report_ahead(self._waiting.end())
            while self._waiting.is_complete(None):
                self._push_oldest()

    def _push_oldest(self) -> None:
        parts, self._waiting = self._waiting.without_oldest()
        self._push([part.item for part in parts])

    def _push(self, parts: Sequence[TimedInterpretation]) -> None:
        """Push an ABox that is given in parts with one timestamp."""
        first, made = parts[0], [part.interpretation for part in parts]
        update = self.reasoner.push_materialized(first.at, *made, scope=first.scope)
        self._passed = first.ticks
        asserted = sum(part.asserted for part in made)
        cut = len(update.repair.taken_out)
        self._count(aboxes=len(parts), assertions=asserted, cut=cut, conflicts=int(cut > 0))
        self._on_update(update)

    def _report_ahead(self, arrived: Arrived[TimedInterpretation], clock: int | None = None) -> None:
        """Store the new set of held-back ABoxes, and report those whose timestamps proved too far ahead."""
        self._waiting = arrived.waiting
        for timed in arrived.refuted:
            _log.warning("the ABox at %s is too far ahead and is not pushed", show_time(timed.at))
            self._count(ahead=1)
            time = arrived.waiting.newest if clock is None else clock
            # The first ABox of a stream is refuted by the second one, which is held back now.
            time = arrived.waiting.unproven[0].ticks if time is None else time
            error = ahead_error(timed, time, self.kind, self._max_ahead, clock is not None)
            self._refuse("ahead", timed.item, error, self._on_ahead)

    def _refuse(
        self,
        kind: str,
        timed: TimedInterpretation,
        error: StreamError,
        take: Callable[[LateABox], object] | None,
    ) -> None:
        self.refused.append(RefusedABox(kind, timed, str(error), id(timed) in self._arrived))
        if take is not None:
            take(LateABox(timed.at, self.asserted(timed)))

    @property
    def undecided(self) -> list[tuple[TimedInterpretation, bool]]:
        """ABoxes that may prove too far ahead, each with whether its rows are in the last batch."""
        return [(each.item, id(each.item) in self._arrived) for each in self._waiting.unproven]

    def asserted(self, timed: TimedInterpretation) -> pa.Table:
        """Return the asserted triples of an ABox, with columns `subject`, `predicate` and `object`."""
        facts = self._texts.table(timed.interpretation).slice(0, timed.interpretation.asserted)
        return facts.drop_columns(["derived"])

    def _count(self, **more: int) -> None:
        counts = asdict(self.counts)
        self.counts = Counts(**{name: counts[name] + more.get(name, 0) for name in counts})

    @cached_property
    def _texts(self) -> InterpretationTables:
        return InterpretationTables(self.reasoner.foundation)


REASONER = "reasoner"
_SPARK = "spark"


def checkpoint_folder(given: str | Path, spark: SparkSession) -> Folder:
    """Return the folder at a path or URI, which need not exist.

    Raises:
        OptionError, FileSystemError: as for `folder_at`.
        CheckpointError: there is a file.
    """
    folder = folder_at("checkpoint", given, spark)
    if folder.is_file():
        raise CheckpointError(str(folder), "it is a file; a stream's checkpoint is a folder")
    return folder


def is_sharded(folder: Folder) -> bool:
    """Return whether a folder is the checkpoint of a sharded stream."""
    return folder.exists("offsets")


class CheckpointFolder:
    """Folder of a stream's checkpoint.

    Args:
        folder: the folder; it is created if missing.

    Raises:
        CheckpointError: it is the checkpoint of a sharded stream.
    """

    def __init__(self, folder: Folder) -> None:
        if is_sharded(folder):
            raise CheckpointError(
                str(folder), "it belongs to a sharded stream; resume with the same shard_by"
            )
        folder.make()
        self.folder, self.spark = folder, folder / _SPARK

    @property
    def reasoner(self) -> str:
        """Path or URI of the reasoner's file, for messages."""
        return self.folder.place(REASONER)

    def restore(self, restore: Callable[[Path | bytes], StreamReasoner]) -> StreamReasoner:
        """Restore the reasoner with the function `restore`; errors name the file, also if it is given as
        bytes.
        """
        try:
            return restore(self.folder.source(REASONER))
        except CheckpointError as error:
            raise type(error)(self.reasoner, *error.args[1:]) from error

    def save(self, reasoner: StreamReasoner, note: Mapping[str, Json]) -> None:
        """Write the reasoner's file; after an error or a crash the old file is unchanged."""
        self.folder.write(REASONER, reasoner.snapshot(note))

    @property
    def exists(self) -> bool:
        """True if the folder contains the checkpoint of a stream.

        Raises:
            CheckpointError: Spark's part of a checkpoint exists, but the reasoner's file is missing.
        """
        if self.folder.exists(REASONER):
            return True
        if self._batches("offsets"):
            raise CheckpointError(
                self.reasoner,
                f"it is missing, but {self.spark} shows that the stream has been read; restore the file, "
                "or start again with an empty checkpoint folder",
            )
        return False

    def check(self, batch: int) -> None:
        """Check that the reasoner's file and Spark's folder belong to the same state of the stream.

        Args:
            batch: the last batch applied to the window in the reasoner's file.

        Raises:
            CheckpointError: Spark's folder does not know the batch, or has committed later batches.
        """
        begun, committed = self._batches("offsets"), self._batches("commits")
        if batch >= 0 and batch not in begun:
            raise CheckpointError(
                str(self.spark),
                f"it has no batch {batch}, which is in the window of {self.reasoner}: rows would be lost or "
                "processed twice; restore the folder, or start again with an empty checkpoint folder",
            )
        if committed and max(committed) > batch:
            raise CheckpointError(
                self.reasoner,
                f"its window ends with batch {batch}, while {self.spark} is past batch {max(committed)}: it "
                "is an older copy; restore the newer one, or start again with an empty checkpoint folder",
            )

    def _batches(self, kind: str) -> set[int]:
        """Return the numbers of batches recorded in a subfolder; Spark removes old ones, but never the
        last.
        """
        return {int(name) for name in (self.spark / kind).names() if name.isdigit()}
