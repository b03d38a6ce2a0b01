"""Source of `pantarhei run --spark`: Spark executors read the stream and materialize its ABoxes.

The reasoner of this process derives facts across timestamps and repairs contradictions.
"""

from __future__ import annotations

from collections.abc import Generator

from pantarhei.cli.follow import naming_format, refuse_mapped_options
from pantarhei.cli.run_options import RunOptions
from pantarhei.cli.run_report import RunCounts
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import ExcludedOptionError, OptionError
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
    """Stream in a file, a folder or a glob that is first read as a whole on Spark, and then pushed in time
    order.

    Args:
        options: the options of the run; `--allowed-lateness` has no effect, since ABoxes are sorted.
        master: the address of the Spark master, as for `session`.

    Raises:
        OptionError: an option of the stream is invalid, or not supported on Spark.
    """

    def __init__(self, options: RunOptions, master: str) -> None:
        if options.stream == "-":
            expected = "a file, a folder or a glob with --spark, whose workers cannot read standard input"
            raise OptionError("stream", "-", expected)
        if options.max_ahead is not None:
            reason = "With --spark the whole stream is sorted first, so that no ABox is ahead."
            raise ExcludedOptionError("max_ahead", options.max_ahead, reason)
        if options.dead_letters is not None:
            reason = "With --spark only the first skipped items are known."
            raise ExcludedOptionError("dead_letters", options.dead_letters, reason)
        if options.idle is not None:
            raise ExcludedOptionError("idle", options.idle, "With --spark the stream is read to its end.")
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
                raise ExcludedOptionError(name, given, "With --spark this option is not supported.")
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
        """Read the stream on Spark, stop Spark, push the ABoxes one by one, and yield the updates.

        Raises:
            InputError: a file has invalid input; no ABox has been pushed then.
            SparkError: Spark cannot be started, or fails.
            OSError: a file cannot be read.
        """
        with naming_format("stream_format"):
            kind = self._kind(reasoner.window)
        step_to(reasoner.window, None, time_of(0, kind))  # raises if the timestamps do not fit the window
        closed = self._closed(reasoner, kind)
        if self.account.error is not None:
            raise self.account.error
        reasoner._note_times_cut(self.account.times_cut)
        for ticks, given in sorted(self.account.times.items()):
            counts.note(given.assertions)
            made = closed.get(ticks)
            yield reasoner.push(given.at, ()) if made is None else reasoner.push_materialized(given.at, made)

    def _kind(self, window: Window) -> TimeKind:
        """Return the kind of the stream's timestamps, or of the window if the stream has no ABoxes.

        A stream without ABoxes must still be read, to find errors in it.
        """
        try:
            return self._files.kind()
        except OptionError as error:
            if error.option != "timestampType":
                raise
            return window.kind or TimeKind.INTEGER

    def _closed(self, reasoner: StreamReasoner, kind: TimeKind) -> dict[int, Interpretation]:
        """Materialize the ABoxes on Spark; return those with facts by tick, and keep the counters of
        the files.
        """
        closed = materialize_files(self._files, kind, reasoner.foundation, self._master)
        self.account = closed.account
        return closed.interpretations
