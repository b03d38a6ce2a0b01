"""`pantarhei run --spark`: the executors read the stream and close its ABoxes, this process joins them across
timestamps and repairs. Answers and summary are those of `pantarhei.cli.follow`.
"""

from __future__ import annotations

from collections.abc import Generator

from pantarhei.cli.follow import naming_format, refuse_mapped_options
from pantarhei.cli.run_options import RunOptions
from pantarhei.cli.run_report import RunCounts
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import OptionError
from pantarhei.interpretation.interpretation import Interpretation
from pantarhei.io.graph_messages import time_properties
from pantarhei.io.mapping.mapping_reader import read_mapping
from pantarhei.io.mapping.text_times import check_unordered
from pantarhei.io.records import with_precision
from pantarhei.model.time import TimeKind, time_of
from pantarhei.reasoner import StreamReasoner
from pantarhei.spark.materialize_files import FileCounts, StreamFiles, TableFiles, materialize_files
from pantarhei.spark.sources.source_options import FileOptions
from pantarhei.window.sliding import Window, step_to


class SparkSource:
    """A file, a folder or a glob, read as a whole on Spark before the first ABox is pushed, in time order.

    Args:
        options: of the stream and of how it is followed; nothing is late, so allowed lateness has no effect.
        master: where Spark runs, as `session` takes it.

    Raises:
        OptionError: an option of the stream has no such value, or Spark has no use for it.
    """

    def __init__(self, options: RunOptions, master: str) -> None:
        if options.stream == "-":
            expected = "a file, a folder or a glob with --spark, whose workers cannot read standard input"
            raise OptionError("stream", "-", expected)
        if options.max_ahead is not None:
            expected = "none with --spark, which puts the whole stream in time order before the first ABox"
            raise OptionError("max_ahead", options.max_ahead, expected)
        if options.dead_letters is not None:
            expected = "none with --spark, whose workers hand over only the first of what they leave out"
            raise OptionError("dead_letters", options.dead_letters, expected)
        self._master, self.account = master, FileCounts()
        self._files: StreamFiles | TableFiles
        skips = options.on_error == "skip"
        if options.mapping is not None:
            refuse_mapped_options(options)
            mapping = with_precision(read_mapping(options.mapping), options.precision)
            check_unordered(mapping, "tables on Spark")
            self._files = TableFiles(options.stream, options.stream_format, mapping, skips)
            return
        context = ", ".join(options.context or ()) or None
        for name, given in (("base", options.base), ("zone", options.zone), ("context", context)):
            if given is not None:
                raise OptionError(name, given, "a run without --spark")
        time_properties(options.time)
        self._files = StreamFiles(
            FileOptions(
                (options.stream,),
                options.stream_format,
                time=options.time,
                skip_errors=skips,
                is_exact=options.precision == "exact",
            )
        )

    def updates(self, reasoner: StreamReasoner, counts: RunCounts) -> Generator[WindowUpdate, None, None]:
        """Push the ABoxes one by one, once Spark's work is done and Spark has been stopped.

        Raises:
            InputError: something in the files is not as it should be; then nothing has been pushed.
            SparkError: Spark cannot be started, or fails.
            OSError: a file cannot be read.
        """
        with naming_format("stream_format"):
            kind = self._kind(reasoner.window)
        step_to(reasoner.window, None, time_of(0, kind))  # raises where they do not fit
        closed = self._closed(reasoner, kind)
        if self.account.error is not None:
            raise self.account.error
        reasoner._note_times_cut(self.account.times_cut)
        for ticks, given in sorted(self.account.times.items()):
            counts.note(given.assertions)
            made = closed.get(ticks)
            yield reasoner.push(given.at, ()) if made is None else reasoner.push_materialized(given.at, made)

    def _kind(self, window: Window) -> TimeKind:
        """What the timestamps are. Where nothing is asserted at any, the window tells: the files are still to
        be read for what is wrong in them.
        """
        try:
            return self._files.kind()
        except OptionError as error:
            if error.option != "timestampType":
                raise
            return window.kind or TimeKind.INTEGER

    def _closed(self, reasoner: StreamReasoner, kind: TimeKind) -> dict[int, Interpretation]:
        """The canonical models by their ticks, of ABoxes that assert something; takes the files' account."""
        closed = materialize_files(self._files, kind, reasoner.foundation, self._master)
        self.account = closed.account
        return closed.interpretations
