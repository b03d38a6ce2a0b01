"""Command `pantarhei run`: source of the stream, reasoner, output and summary.

`FileSource` reads the stream in this process; `pantarhei.cli.follow_on_spark.SparkSource` reads it on Spark.
"""

from __future__ import annotations

import os
import re
import sys
import time as clock
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import typer

from pantarhei.cli.conclusion_output import RunOutput, check_feedback, read_rules
from pantarhei.cli.given_values import (
    appending,
    end_line,
    iri_and_file,
    refuse_other_than_ndjson,
    refuse_unwritable,
    system_language,
)
from pantarhei.cli.query_output import output_of
from pantarhei.cli.run_checkpoint import RunCheckpoint
from pantarhei.cli.run_options import RunOptions, StreamOptions
from pantarhei.cli.run_report import (
    ConflictProofs,
    RunCounts,
    SkipReport,
    SourceCounts,
    assertion_texts,
    cut_lines,
    is_live,
    print_progress,
    print_summary,
)
from pantarhei.errors import UnknownFormatError
from pantarhei.io import reader as tables
from pantarhei.io.abox import TimestampedABox
from pantarhei.io.reader import LiveFile, Silence
from pantarhei.io.records import read_records
from pantarhei.io.stream_reader import StreamReader, read_stream
from pantarhei.io.writers import AnswerWriter, Cell, TableWriter, format_of, json_time, open_writer, time_text
from pantarhei.model.message_text import DisplayNames, counted
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint, in_zone_of, kind_of, ticks_of
from pantarhei.rdf.decompression import DecompressedFile
from pantarhei.rdf.statements import ByteFeed

if TYPE_CHECKING:
    import pantarhei as pr
    from pantarhei.io.tables.record_reader import RecordReader
    from pantarhei.temporal.rules import TemporalRules
    from pantarhei.window.sliding import Window


_FIRST_LINE = 1 << 16  # number of bytes inspected to tell JSON-LD from other JSON lines


class StreamSource(Protocol):
    """Stream that is pushed into a reasoner."""

    @property
    def account(self) -> SourceCounts:
        """Counters of the source."""

    def updates(
        self, reasoner: pr.StreamReasoner, counts: RunCounts
    ) -> Generator[pr.WindowUpdate, None, None]:
        """Push the ABoxes of the stream one by one, count them, and yield the updates.

        Raises:
            PantarheiError: the stream is invalid.
            OSError: the stream cannot be read.
        """


class FileSource:
    """Stream in a file or a pipe, read in this process as it arrives.

    Args:
        until: time after which ABoxes are ignored; if the stream must be in time order, the first such ABox
            ends the stream. None for no limit.
        silence: ticks while the stream is silent; None for no ticks.

    Attributes:
        checkpoint: the checkpoint of the run; None if none is written.

    Raises:
        OptionError: an option of the stream is invalid.
    """

    checkpoint: RunCheckpoint | None = None

    def __init__(
        self, options: StreamOptions, until: TimePoint | None = None, silence: Silence | None = None
    ) -> None:
        self._until = until
        self._live = None if silence is None else _live(options.stream, silence)
        with naming_format("stream_format"):
            self.account = _reader(options, self._live or options.stream)
        self.account.live = self._live
        self._disorder, self._skips = options.disorder, options.on_error == "skip"

    def updates(
        self, reasoner: pr.StreamReasoner, counts: RunCounts
    ) -> Generator[pr.WindowUpdate, None, None]:
        report, saved = counts.left_out.note_skipped, self.checkpoint
        self.account.on_skipped = report if saved is None else saved.reporting(report)
        handed: dict[str, Any] = {}
        if self._skips:
            handed = {"on_late": partial(counts.note_late, reasoner), "on_invalid": counts.note_invalid}
            if "max_ahead" in self._disorder:
                handed["on_ahead"] = counts.note_ahead
        counted = _Counted(self.account, self._counted(counts))
        yield from reasoner.run(counted, **self._disorder, **handed)

    def _counted(self, counts: RunCounts) -> Iterator[TimestampedABox]:
        saved = self.checkpoint
        for abox in self.account if saved is None else saved.remaining(self.account, counts):
            if self._until is not None and not _is_reached(abox.at, self._until):
                if not (self._disorder or self._skips):
                    return
                continue
            if self._live is None or len(abox.triples):  # a tick is not counted
                counts.note(len(abox.triples))
            yield abox


class _Counted:
    """ABoxes of a reader, with the reader's counter `times_cut`, which `StreamReasoner.run` reads."""

    def __init__(self, reader: StreamReader | RecordReader, aboxes: Iterator[TimestampedABox]) -> None:
        self._reader, self._aboxes = reader, aboxes

    @property
    def times_cut(self) -> int:
        return self._reader.times_cut

    def __iter__(self) -> Iterator[TimestampedABox]:
        return self._aboxes


def _live(stream: str, silence: Silence) -> LiveFile:
    """Open a live stream. Raises `BadParameter` for a file."""
    if not is_live(stream):
        problem = "the stream is a file, which is read to its end; omit it, or give --stream -"
        raise typer.BadParameter(problem, param_hint="--idle")
    return LiveFile(stream, silence)


def _reader(options: StreamOptions, stream: str | LiveFile) -> StreamReader | RecordReader:
    """Return a reader of the stream's RDF messages or table rows.

    Raises:
        BadParameter: the stream is a table, but there is no mapping.
        OptionError: an option of the stream is invalid.
    """
    name, on_error = options.stream_format, options.on_error
    if options.mapping is None:
        is_table = name in tables.FORMATS or (name is None and tables.format_of(options.stream))
        if is_table and not (name is None and _is_json_ld(options.stream)):
            problem = "a table needs a mapping; give --mapping FILE (pantarhei map writes a first draft)"
            raise typer.BadParameter(problem, param_hint="--stream")
        return read_stream(
            stream,
            format=name,
            time=options.time,
            on_error=on_error,
            base=options.base,
            contexts=dict(iri_and_file(each, "--context") for each in options.context or ()),
            zone=options.zone,
            precision=options.precision or "microseconds",
        )
    refuse_mapped_options(options)
    return read_records(stream, options.mapping, format=name, on_error=on_error, precision=options.precision)


def refuse_mapped_options(options: StreamOptions) -> None:
    """Refuse options of RDF streams that are given together with a mapping. Raises `BadParameter`."""
    for option, given in (
        ("--time", options.time != "auto"),
        ("--base", options.base),
        ("--zone", options.zone),
    ):
        if given:
            raise typer.BadParameter("it has no effect on a table; set it in the mapping", param_hint=option)
    if options.context:
        problem = "contexts are for JSON-LD, but --mapping is for tables; omit one of them"
        raise typer.BadParameter(problem, param_hint="--context")


def _is_json_ld(path: str) -> bool:
    """Return whether a file named as JSON lines contains JSON-LD documents.

    Raises:
        MalformedInputError: the file is compressed and cannot be decompressed.
    """
    if tables.format_of(path) != "jsonl" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return ByteFeed(DecompressedFile(file, path)).look_ahead(_begins_with_json_ld, _FIRST_LINE)


def _begins_with_json_ld(first: bytes) -> bool | None:
    """Return whether the first line is a JSON-LD document; None if more bytes are needed."""
    line, end, _ = first.partition(b"\n")
    return re.search(rb'"@(context|id|graph)"', line) is not None or (False if end else None)


def _is_reached(at: TimePoint, until: TimePoint) -> bool:
    """Return whether timestamp `at` of the stream is at or before the time `until`.

    Raises:
        TimestampError: `until` is of another kind (number or datetime) than the stream's timestamps.
    """
    kind = kind_of(at)
    return ticks_of(at, kind) <= ticks_of(until, kind)


@contextmanager
def naming_format(option: str | None) -> Iterator[None]:
    """Context in which errors on unknown formats name the option `option`; None to name no option."""
    try:
        yield
    except UnknownFormatError as error:
        raise UnknownFormatError(option, error.source, error.suffixes, error.formats) from None


def follow(options: RunOptions, source: StreamSource) -> None:
    """Process the stream until its end or an interrupt; then print a summary on standard error.

    Raises:
        PantarheiError: an option, the ontology, the query or the stream is invalid.
        OSError: a file cannot be read or written.
    """
    check_feedback(options.feedback, options.rules)
    saved = None if options.checkpoint is None else RunCheckpoint(options, options.checkpoint)
    appends = options.append or (saved is not None and saved.exists)
    _check_outputs(options, appends)
    ontology, background, _ = read_knowledge(options)
    has_one_answer = options.rules is not None and options.models is None
    rules = read_rules(Path(str(options.rules)), ontology, options.feedback) if has_one_answer else None
    output = output_of(options, ontology, rules)
    window = None if output is None else output.window
    options.reasoning(window)  # raises errors in options before the stream is read
    always = () if output is None else output.background
    if saved is not None and saved.exists:
        saved.cut_files()
        reasoner = saved.reasoner(ontology, (*background, *always), window, rules)
    else:
        reasoner = make_reasoner(options, ontology, (*background, *always), window, rules)
    for warning in () if rules is None else rules.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if output is not None:
        output.begin(reasoner)
    if options.history is not None:
        end_line(options.history)  # raises before the stream is read if the file cannot be written
    prefixes = {} if output is None else output.prefixes
    with (
        appending(options.dead_letters) as letters,
        open_writer(options.output, options.format, prefixes, appends) as writer,
    ):
        if saved is not None:
            assert isinstance(source, FileSource), "Spark and checkpoints exclude each other"
            source.checkpoint = saved
            saved.begin(reasoner, writer)
        live = is_live(options.stream) and options.spark is None
        counts = RunCounts(left_out=SkipReport(live, letters))
        if live and not sys.stderr.isatty():
            counts.on_progress = lambda: print_progress(reasoner, source.account, counts, options)
        try:
            _follow(reasoner, source, counts, options, output, ontology.names, writer)
        except KeyboardInterrupt:
            print_summary(reasoner, source.account, counts, options)
            raise
        finally:
            if options.history is not None:
                reasoner.flush_history()
        if output is not None:
            output.end(writer)
    print_summary(reasoner, source.account, counts, options)
    for line in _ontology_lines(reasoner.ontology, options.ontology):
        print(line, file=sys.stderr)


def _check_outputs(options: RunOptions, appends: bool) -> None:
    """Check the output files: existing files require `--append`, no two options may name the same file, and
    `--dead-letters` requires `--on-error skip`.

    Raises:
        BadParameter: a file is refused.
        OptionError: the suffix of `--output` is unknown.
    """
    format_of(options.output, options.format)
    output = None if options.output == "-" else options.output
    files = {"--output": output, "--history": options.history, "--dead-letters": options.dead_letters}
    taken: dict[Path, str] = {}
    for option, path in ((option, Path(name)) for option, name in files.items() if name is not None):
        if option != "--output":
            refuse_other_than_ndjson(path, option)
        refuse_unwritable(path, appends, "--append", option)
        before = taken.setdefault(path.resolve(), option)
        if before != option:
            raise typer.BadParameter(f"{path} is also the file of {before}; name another", param_hint=option)
    if options.dead_letters is not None and options.on_error == "raise":
        problem = "nothing is skipped, so that the file stays empty; give --on-error skip"
        raise typer.BadParameter(problem, param_hint="--dead-letters")


def _follow(
    reasoner: pr.StreamReasoner,
    source: StreamSource,
    counts: RunCounts,
    options: RunOptions,
    output: RunOutput | None,
    names: DisplayNames,
    writer: AnswerWriter,
) -> None:
    """Process the stream, and write the results of each update."""
    chains = ConflictProofs()
    with closing(source.updates(reasoner, counts)) as updates:
        for update in _with_progress(updates, source, counts, options):
            counts.note_conclusions(update.conclusions)
            if output is None:
                _write_update(update, len(reasoner.graph), names, writer)
            else:
                output.write(update, writer)
            if options.repairs:
                _print_removed(update, names, chains)


def _ontology_lines(ontology: pr.Ontology, paths: Sequence[str]) -> Iterator[str]:
    """Yield notes on an ontology without rules or with lost axioms, which may explain missing answers."""
    if not (ontology.rules or ontology.constraints):
        yield f"{', '.join(paths)} has no rules and no constraints; pantarhei check reports its content"
    if ontology.losses:
        files = dict.fromkeys(entry.origin.source for entry in ontology.losses if entry.origin.source)
        yield (
            f"{', '.join(files or paths)} is supported in part: {counted(len(ontology.losses), 'axiom')} "
            "lost in whole or in part; pantarhei check lists them with reasons"
        )


class Knowledge(NamedTuple):
    """Ontology and background of a run.

    Args:
        ontology: the ontology, with axioms in the background files added.
        background: the facts in the background files.
        prefixes: the prefixes declared in the background files.
    """

    ontology: pr.Ontology
    background: Sequence[Triple]
    prefixes: Mapping[str, str]


def read_knowledge(options: StreamOptions) -> Knowledge:
    """Read the files of `--ontology` and `--background`."""
    import pantarhei as pr
    from pantarhei.owl.graph_files import documents_at

    with naming_format(None):
        ontology = pr.load_ontology(
            options.ontology,
            catalog=options.catalog,
            imports=options.imports,
            language=options.language or system_language(os.environ),
        )
        documents = documents_at(options.background, "background") or []
    prefixes = {prefix: iri for each in documents for prefix, iri in each.prefixes.items()}
    return Knowledge(*ontology.with_documents(documents), prefixes)


def make_reasoner(
    options: StreamOptions,
    ontology: pr.Ontology,
    background: Sequence[Triple],
    window: Window | None = None,
    rules: TemporalRules | None = None,
) -> pr.StreamReasoner:
    """Return a reasoner with the options; `window` replaces the window of the options."""
    import pantarhei as pr

    return pr.StreamReasoner.with_options(ontology, options.reasoning(window), background, rules)


_PROGRESS_INTERVAL = 0.2  # seconds between updates of the progress line


def _with_progress(
    updates: Iterator[pr.WindowUpdate], source: StreamSource, counts: RunCounts, options: RunOptions
) -> Iterator[pr.WindowUpdate]:
    """Yield the updates, and show a progress line on standard error if it is a terminal without answers."""
    answers_on_terminal = options.output in (None, "-") and sys.stdout.isatty()
    if answers_on_terminal or not sys.stderr.isatty() or source.account.bytes_read is None:
        yield from updates
        return

    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[aboxes]:,} ABoxes"),
        TextColumn("{task.fields[rate]:,.0f} readings/s"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=source.account.size, aboxes=0, rate=0.0)
        began = shown = clock.monotonic()
        for update in updates:
            now = clock.monotonic()
            if now - shown >= _PROGRESS_INTERVAL:
                shown, rate = now, counts.assertions / (now - began)
                completed = source.account.bytes_read
                progress.update(task, completed=completed, aboxes=counts.aboxes, rate=rate)
            yield update


# output without a query


def _write_update(update: pr.WindowUpdate, facts: int, names: DisplayNames, writer: AnswerWriter) -> None:
    gained, lost = len(update.delta.added), len(update.delta.removed)
    start, end = in_zone_of(update.start, update.at), in_zone_of(update.end, update.at)
    if isinstance(writer, TableWriter):
        window = f"window {time_text(start)} to {time_text(end)}"
        expired = f", {counted(len(update.dropped), 'timestamp')} expired" if update.dropped else ""
        if update.dropped_early:
            expired += f", {len(update.dropped_early):,} of them early"
        writer.line(f"{time_text(update.at)}  {window}{expired}: {counted(facts, 'fact')}, +{gained} -{lost}")
        for line in cut_lines(update.repair):
            writer.line(f"    {line}")
        return
    columns: dict[str, list[Cell]] = {
        "start": [json_time(start)],
        "end": [json_time(end)],
        "facts": [facts],
        "added": [gained],
        "removed": [lost],
        "cut": ["; ".join(assertion_texts(update.repair.removed, names))],
    }
    writer.report(update.at, columns)


def _print_removed(update: pr.WindowUpdate, names: DisplayNames, chains: ConflictProofs) -> None:
    lines = cut_lines(update.repair, chains)
    if lines and chains.begins_day(update.at):
        print(f"on {chains.day}:", file=sys.stderr)
    for line in lines:
        print(line, file=sys.stderr)
