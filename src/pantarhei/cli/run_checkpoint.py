"""Checkpoints of `pantarhei run`: after a crash, the same command continues where the last one was written.

A checkpoint has the state of the reasoner, the number of ABoxes read, and the sizes of the files written. A
restart cuts the files to these sizes, and skips these ABoxes: the files then become those of a run without
interruption.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pantarhei.cli.run_options import RunOptions
from pantarhei.cli.run_report import RunCounts
from pantarhei.engine.checkpoint import read_checkpoint
from pantarhei.io.abox import TimestampedABox
from pantarhei.io.reader import Skipped
from pantarhei.io.writers import AnswerWriter, format_of
from pantarhei.model.term import Triple

if TYPE_CHECKING:
    import pantarhei as pr
    from pantarhei.temporal.rules import TemporalRules
    from pantarhei.window.sliding import Window

INTERVAL = 5.0
"""Seconds between checkpoints; more if writing one takes longer than a tenth of this."""
_SAME = ("stream", "mapping", "stream_format", "query", "emit", "output", "history", "dead_letters")
_FILES = ("output", "history", "dead_letters")


class RunCheckpoint:
    """Checkpoint of a run in the folder `--checkpoint`.

    Raises:
        BadParameter: the options do not permit checkpoints, or differ from those of the existing one.
        CheckpointError: the existing checkpoint is damaged.
    """

    def __init__(self, options: RunOptions, folder: Path) -> None:
        _refuse(options)
        self._path, self._options = folder / "checkpoint", options
        self._files = [Path(name) for name in (getattr(options, each) for each in _FILES) if name is not None]
        self._given = {name: getattr(options, name) for name in _SAME}
        self._saved: dict[str, Any] = dict(read_checkpoint(self._path).note) if self._path.is_file() else {}
        if self.exists:
            self._check()
        self._skips = self._reported = self._saved.get("skipped", 0)
        self._count, self._due = self._saved.get("aboxes", 0), time.monotonic() + INTERVAL

    @property
    def exists(self) -> bool:
        """True if the run continues a former one."""
        return bool(self._saved)

    def _check(self) -> None:
        for name, value in self._saved["options"].items():
            if value != self._given.get(name):
                given = "is not given" if value is None else f"was {value}"
                problem = f"in the checkpoint of {self._path.parent} it {given}; repeat the command, or name "
                raise typer.BadParameter(f"{problem}another folder", param_hint=f"--{name.replace('_', '-')}")
        for path, size in zip(self._files, self._saved["sizes"], strict=True):
            if not path.is_file() or path.stat().st_size < size:
                problem = f"{path} is shorter than the checkpoint in {self._path.parent}; restore the file, "
                raise typer.BadParameter(f"{problem}or name another folder", param_hint="--checkpoint")

    def cut_files(self) -> None:
        """Remove what was written after the checkpoint. Raises `OSError`."""
        for path, size in zip(self._files, self._saved.get("sizes", ()), strict=False):
            os.truncate(path, size)

    def reasoner(
        self,
        ontology: pr.Ontology,
        background: Sequence[Triple],
        window: Window | None,
        rules: TemporalRules | None,
    ) -> pr.StreamReasoner:
        """Return the reasoner of the checkpoint.

        Raises:
            CheckpointError: it is damaged, or ontology, rules or options have changed.
        """
        import pantarhei as pr

        options = self._options.reasoning(window)
        return pr.StreamReasoner.restore(
            self._path,
            ontology,
            background=background or None,
            limits=options.limits,
            history=options.history,
            temporal=rules,
            window=options.window,
            repair=options.repair,
            keep=options.keep,
            unique_names=options.unique_names,
            derive=options.derive,
            conclusions=options.conclusions,
            numbers=options.numbers,
            tick=options.tick,
        )

    def begin(self, reasoner: pr.StreamReasoner, writer: AnswerWriter) -> None:
        """Continue a former run, or write the first checkpoint. Raises `CheckpointError`."""
        self._reasoner, self._writer = reasoner, writer
        if self.exists:
            writer.had_answers = self._saved["had_answers"]
        else:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._save()

    def _save(self) -> None:
        began = time.monotonic()
        note: dict[str, Any] = {
            "options": self._given,
            "aboxes": self._count,
            "skipped": self._reported,
            "had_answers": self._writer.had_answers,
            "sizes": [_synced_size(path) for path in self._files],
        }
        self._reasoner.checkpoint(self._path, note)
        now = time.monotonic()
        self._due = now + max(INTERVAL, 10 * (now - began))

    # input

    def remaining(self, aboxes: Iterable[TimestampedABox], counts: RunCounts) -> Iterator[TimestampedABox]:
        """Yield the ABoxes after the checkpoint; write checkpoints between them, and before the last one,
        which may get further rows if the file grows.
        """
        before: TimestampedABox | None = None
        for place, abox in enumerate(aboxes):
            if place < self._count:
                counts.note(len(abox.triples))
                continue
            if before is not None:
                yield before
                self._count += 1
                if time.monotonic() >= self._due:
                    self._save()
            before = abox
        if before is not None:
            self._save()
            yield before

    def reporting(self, report: Callable[[Skipped, int], object]) -> Callable[[Skipped, int], object]:
        """Return a function that reports skipped input, except what was reported before the checkpoint."""
        seen = 0

        def once(skipped: Skipped, count: int) -> None:
            nonlocal seen
            seen += 1
            if seen > self._skips:
                self._reported = seen
                report(skipped, count)

        return once


def _synced_size(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open("rb") as file:
        os.fsync(file.fileno())
        return os.fstat(file.fileno()).st_size


def _refuse(options: RunOptions) -> None:
    """Check that a run can be continued. Raises `BadParameter`."""
    problem = None
    if not Path(options.stream).is_file():
        problem = "the stream must be a file, which can be read again"
    elif options.spark is not None or options.models is not None:
        problem = f"it cannot be combined with {'--models' if options.spark is None else '--spark'}; omit one"
    elif options.output in (None, "-"):
        problem = "the answers must be written to a file; give --output FILE"
    elif format_of(options.output, options.format) == "parquet":
        problem = "a Parquet file is written as a whole; write .ndjson, .csv or .tsv"
    if problem is not None:
        raise typer.BadParameter(problem, param_hint="--checkpoint")
