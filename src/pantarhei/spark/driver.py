"""Driver of a stream: applies batches of interpretations to the window, and keeps its checkpoint.

A batch is applied as a whole or not at all, and once: its number is saved with the window.

Checkpoint on disk: the reasoner's file beside Spark's own folder. Spark writes to `spark/offsets` which rows
make a batch before it runs, and to `spark/commits` that it ran. The reasoner's file holds the window and the
number of its last batch, which is at most one batch ahead of Spark's commits.
"""

from __future__ import annotations

import base64
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pyarrow as pa

from pantarhei.engine.checkpoint import Json
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import CheckpointError, OptionError
from pantarhei.interpretation.interpretation import InterpretationTables
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.time import Duration, TimeKind, TimePoint, show_time, ticks_of, time_of
from pantarhei.reasoner import StreamReasoner
from pantarhei.spark.worker import OnError, TimedInterpretation, pack, read_blocks, read_skipped, unpack
from pantarhei.window.watermark import Arrived, Timed, Tolerance, Waiting

NO_BATCH = -1

_log = logging.getLogger("pantarhei.spark")


@dataclass(frozen=True, slots=True)
class Counts:
    """Totals since the stream began, restarts included.

    Args:
        aboxes: ABoxes pushed; parts of one timestamp in several batches count separately.
        assertions: facts asserted in them.
        cut: assertions that repairs removed.
        late_aboxes: ABoxes that arrived after the watermark.
        late: assertions in late ABoxes.
        skipped: rows skipped because they are not timestamped triples.
        ahead: ABoxes whose timestamps were too far ahead.
    """

    aboxes: int = 0
    assertions: int = 0
    cut: int = 0
    late_aboxes: int = 0
    late: int = 0
    skipped: int = 0
    ahead: int = 0


class _Progress(NamedTuple):
    """Progress of a driver: its last batch and counts, the newest tick of the window, and waiting ABoxes."""

    batch: int
    counts: Counts
    passed: int | None
    waiting: Waiting[TimedInterpretation]


class LateABox(NamedTuple):
    """ABox that is not pushed, too late or too far ahead: its timestamp, and its triples as strings."""

    at: TimePoint
    abox: pa.Table


class Driver:
    """Reasoner that receives a stream batch by batch.

    Args:
        reasoner: receives the ABoxes; its note holds the progress.
        kind: the kind of the stream's timestamps.
        allowed_lateness: the tolerated disorder of ABoxes from batch to batch; ABoxes wait so long.
        on_error: handling of rows that are not timestamped triples.
        on_update: called with each update, in the state after it.
        on_late: called with each late ABox.
        entries: further entries of the note.
        max_ahead: the greatest tolerated distance of a timestamp ahead of the clock, or without a clock of
            the newest timestamp.
        clock: returns the present time.
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
        self.reasoner, self.kind, self._entries = reasoner, kind, dict(entries or {})
        self._on_error, self._on_update, self._on_late = on_error, on_update, on_late
        self._clock, self._on_ahead = clock, on_ahead
        self._tolerance = Tolerance.of(allowed_lateness, max_ahead, kind)
        self._restore(self._progress_of(reasoner.note))

    def _progress_of(self, note: dict[str, Json]) -> _Progress:
        """Return the progress stored in a note."""
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
        """The newest timestamp of the window."""
        return None if self._passed is None else time_of(self._passed, self.kind)

    @property
    def note(self) -> dict[str, Json]:
        """The progress, to be saved with the reasoner."""
        return {
            "batch": self.batch,
            "counts": asdict(self.counts),
            "newest": self._waiting.newest,
            "passed": self._passed,
            **self._entries,
            **self._packed("waiting", self._waiting),
            **self._packed("unproven", self._waiting.unproven),
        }

    def _packed(self, name: str, items: Iterable[Timed[TimedInterpretation]]) -> dict[str, Json]:
        given = [each.item for each in items]
        return {name: base64.b64encode(pack(given, self._texts)).decode()} if given else {}

    def apply(self, batch: int, blocks: pa.Table, deliver: Callable[[], object]) -> None:
        """Apply a batch and call `deliver`, which saves results and state; after an error, the batch has no
        effect.

        Raises:
            InvalidRowError: a row is not a timestamped triple, and such rows are not to be skipped.
            Whatever `on_update`, `on_late` and `deliver` raise.
        """
        with self._all_or_nothing():
            self._push_batch(blocks)
            self.batch = batch
            deliver()

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
        if skipped.count:
            _log.warning("%s", skipped)
        self._count(skipped=skipped.count)
        clock = None if self._clock is None else ticks_of(self._clock(), self.kind)
        for each in read_blocks(blocks, self.kind):
            timed = Timed(each.ticks, each.at, each)
            arrived = self._waiting.arrive(timed, self._tolerance, self._passed, clock)
            if arrived.is_late:
                self._count(late_aboxes=1, late=each.interpretation.asserted)
                self._report(each, self._on_late)
            self._report_ahead(arrived)
        while self._waiting.is_complete(self._tolerance.lateness):
            self._push_oldest()

    def flush(self) -> None:
        """Push the ABoxes that wait for the watermark, at the end of a stream."""
        with self._all_or_nothing():
            self._report_ahead(self._waiting.end())
            while self._waiting.is_complete(None):
                self._push_oldest()

    def _push_oldest(self) -> None:
        parts, self._waiting = self._waiting.without_oldest()
        self._push([part.item for part in parts])

    def _push(self, parts: Sequence[TimedInterpretation]) -> None:
        """Push the parts of one timestamp's ABox."""
        first, made = parts[0], [part.interpretation for part in parts]
        update = self.reasoner.push_materialized(first.at, *made, scope=first.scope)
        self._passed = first.ticks
        asserted = sum(part.asserted for part in made)
        self._count(aboxes=len(parts), assertions=asserted, cut=len(update.repair.taken_out))
        self._on_update(update)

    def _report_ahead(self, arrived: Arrived[TimedInterpretation]) -> None:
        """Store the waiting ABoxes, and report those whose timestamps are too far ahead."""
        self._waiting = arrived.waiting
        for timed in arrived.refuted:
            _log.warning("the ABox at %s is too far ahead and is not pushed", show_time(timed.at))
            self._count(ahead=1)
            self._report(timed.item, self._on_ahead)

    def _report(self, timed: TimedInterpretation, take: Callable[[LateABox], object] | None) -> None:
        if take is not None:
            facts = self._texts.table(timed.interpretation).slice(0, timed.interpretation.asserted)
            take(LateABox(timed.at, facts.drop_columns(["derived"])))

    def _count(self, **more: int) -> None:
        counts = asdict(self.counts)
        self.counts = Counts(**{name: counts[name] + more.get(name, 0) for name in counts})

    @cached_property
    def _texts(self) -> InterpretationTables:
        return InterpretationTables(self.reasoner.foundation)


REASONER = "reasoner"
_SPARK = "spark"


def uri_of(folder: Path) -> str:
    """Return the URI of a folder for Spark: Hadoop does not decode the path in a URI, not even `%20`.

    >>> uri_of(Path("/a folder"))
    'file:///a folder'
    """
    return f"file://{folder.resolve()}"


def is_sharded(folder: Path) -> bool:
    """Return whether a checkpoint is Spark's alone, which is so for sharded streams."""
    return (folder / "offsets").is_dir()


def local_folder(name: str, given: str | Path) -> Path:
    """Return the folder that a path or `file:` URI names.

    Raises:
        OptionError: the URI has another scheme, and the driver has not mounted its file system.

    >>> local_folder("output", "file:///a%20b")
    PosixPath('/a b')
    """
    scheme = re.match("([A-Za-z][A-Za-z0-9+.-]+):/", str(given))
    if scheme is None:
        return Path(given)
    if scheme[1].lower() != "file":
        raise OptionError(name, repr(str(given)), "a folder on a file system that the driver has mounted")
    return Path(url2pathname(urlsplit(str(given)).path))


class CheckpointFolder:
    """Folder of a stream's checkpoint.

    Args:
        folder: on a file system that the driver has mounted; created if it does not exist.

    Raises:
        CheckpointError: the path is a file, or the checkpoint of a sharded stream.
    """

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise CheckpointError(str(folder), "it is a file; a stream's checkpoint is a folder")
        if is_sharded(folder):
            raise CheckpointError(
                str(folder), "it belongs to a sharded stream; resume with the same shard_by"
            )
        folder.mkdir(parents=True, exist_ok=True)
        self.reasoner = folder / REASONER
        self.spark = folder / _SPARK

    @property
    def exists(self) -> bool:
        """True if the folder has the checkpoint of a stream.

        Raises:
            CheckpointError: it has one whose window is lost.
        """
        if self.reasoner.exists():
            return True
        if self._batches("offsets"):
            raise CheckpointError(
                str(self.reasoner),
                f"it is missing, but {self.spark} shows that the stream has been read; restore the file, "
                "or start again with an empty checkpoint folder",
            )
        return False

    def check(self, batch: int) -> None:
        """Refuse to resume where the window and Spark's folder do not belong together.

        Args:
            batch: the last batch in the window.

        Raises:
            CheckpointError: Spark's folder is lost or belongs to another state of the window.
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
                str(self.reasoner),
                f"its window ends with batch {batch}, while {self.spark} is past batch {max(committed)}: it "
                "is an older copy; restore the newer one, or start again with an empty checkpoint folder",
            )

    def _batches(self, kind: str) -> set[int]:
        """Return the batches that Spark has recorded. Spark removes old ones, never the last."""
        folder = self.spark / kind
        return (
            {int(path.name) for path in folder.iterdir() if path.name.isdigit()} if folder.is_dir() else set()
        )
