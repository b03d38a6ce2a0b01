"""`pantarhei run --spark`: the executors read the stream and close its ABoxes, this process joins them across
timestamps and repairs. Answers and summary are those of `pantarhei.streams.follow`.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from pantarhei.errors import OptionError, SparkError
from pantarhei.interpretation import Interpretation
from pantarhei.language.time import TimeKind, time_of
from pantarhei.reasoner import StreamReasoner, WindowUpdate
from pantarhei.spark.blocks import BlockWriter, block_schema, read_blocks
from pantarhei.spark.clustering import by_timestamp
from pantarhei.spark.counted_files import Account, CountedFiles
from pantarhei.spark.failures import FAILURES, spark_error
from pantarhei.spark.frame import TIMESTAMP, normalized
from pantarhei.spark.master import is_local
from pantarhei.spark.materialize import Closing
from pantarhei.spark.session import active_session, session
from pantarhei.spark.sources.file_source import infer_kind
from pantarhei.spark.sources.options import FileOptions
from pantarhei.streams.follow import Counts, Following
from pantarhei.streams.read import Skipped
from pantarhei.streams.times import time_properties
from pantarhei.window.sliding import step_to

_STANDARD_ERROR = 2


class SparkSource:
    """A file, a folder or a glob, read as a whole on Spark before the first ABox is pushed, in time order.

    Args:
        options: of the stream and of how it is followed; nothing is late, so allowed lateness has no effect.
        master: where Spark runs, as `session` takes it.

    Raises:
        OptionError: an option of the stream has no such value, or the stream is standard input.
    """

    size = None
    bytes_read = None

    def __init__(self, options: Following, master: str) -> None:
        if options.stream == "-":
            expected = "a file, a folder or a glob with --spark, whose workers cannot read standard input"
            raise OptionError("stream", "-", expected)
        time_properties(options.time)
        self._files = FileOptions(
            (options.stream,), options.stream_format, options.time, options.on_error == "skip"
        )
        self._range, self._master = options.range, master
        self._account = Account()

    @property
    def skipped(self) -> Sequence[Skipped]:
        """The first of what was left out."""
        return self._account.skipped

    @property
    def skipped_count(self) -> int:
        """How much was left out."""
        return self._account.skipped_count

    def updates(self, reasoner: StreamReasoner, counts: Counts) -> Generator[WindowUpdate, None, None]:
        """Push the ABoxes one by one, once Spark's work is done and Spark has been stopped.

        Raises:
            InputError: something in the files is not as it should be; then nothing has been pushed.
            SparkError: Spark cannot be started, or fails.
            OSError: a file cannot be read.
        """
        kind = self._kind()
        step_to(reasoner.window, None, time_of(0, kind))  # raises where they do not fit
        closed = self._closed(reasoner, kind)
        if self._account.error is not None:
            raise self._account.error
        for ticks, given in sorted(self._account.times.items()):
            counts.note(given.at, given.assertions)
            made = closed.get(ticks)
            yield reasoner.push(given.at, ()) if made is None else reasoner.push_materialized(given.at, made)

    def _kind(self) -> TimeKind:
        """What the timestamps are. Where nothing is asserted at any, the window tells: the files are still to
        be read for what is wrong in them.
        """
        try:
            return infer_kind(self._files)
        except OptionError as error:
            if error.option != "timestampType":
                raise
            return TimeKind.INTEGER if isinstance(self._range, int | float) else TimeKind.DATETIME

    def _closed(self, reasoner: StreamReasoner, kind: TimeKind) -> dict[int, Interpretation]:
        """The canonical models by their ticks, of ABoxes that assert something; takes the files' account."""
        with _spark_of(self._master) as spark:
            files = CountedFiles(spark, self._files, kind)
            given = normalized(files.rows)
            schema = block_schema(given.schema[TIMESTAMP].dataType)
            write = BlockWriter(to_arrow_schema(schema, timezone="UTC"))
            closing = Closing(spark, reasoner.foundation, schema, write, "raise", None)
            blocks = closing.of(by_timestamp(given, None, None)).toArrow()
            self._account = files.account
        return {timed.ticks: timed.made for timed in read_blocks(blocks, kind)}


@contextmanager
def _spark_of(master: str) -> Iterator[SparkSession]:
    """A session on `master`, stopped at the end if it was started here; its failures as `SparkError`.

    Raises:
        KeyboardInterrupt: it was interrupted.
        JavaNotFoundError, MasterUnreachableError: as `session`.
        SparkError: Spark does not start, or fails.
    """
    is_ours = active_session() is None
    with _interrupts_put_back():
        try:
            spark = _started(master) if is_ours else session(master)
            try:
                yield spark
            finally:
                if is_ours:
                    spark.stop()
        except FAILURES as failure:
            if _follows_an_interrupt(failure):
                raise KeyboardInterrupt from failure
            raise spark_error(failure) from failure


def _follows_an_interrupt(failure: BaseException | None) -> bool:
    """Whether a job failed because Ctrl-C cancelled it, which is what Spark then speaks of."""
    while failure is not None and not isinstance(failure, KeyboardInterrupt):
        failure = failure.__context__
    return failure is not None


def _started(master: str) -> SparkSession:
    """A new session. On this machine what Java says on standard error is kept from the terminal: all that
    matters of it comes back as an exception. That of a cluster is shown, since it may say why nothing moves.

    Raises:
        SparkError: Java does not start; has the last that it said.
    """
    if not is_local(master):
        return session(master)
    with tempfile.TemporaryFile() as said:
        try:
            with _redirected(said.fileno()):
                return session(master)
        except FAILURES as failure:
            said.seek(0)
            lines = said.read().decode(errors="replace").split("\n")
            last = next((line.strip() for line in reversed(lines) if line.strip()), str(failure))
            raise SparkError(f"Spark does not start: {last}") from failure


@contextmanager
def _redirected(to: int) -> Iterator[None]:
    """Standard error goes elsewhere, also that of processes started meanwhile, as long as they live."""
    kept = os.dup(_STANDARD_ERROR)
    try:
        os.dup2(to, _STANDARD_ERROR)
        yield
    finally:
        os.dup2(kept, _STANDARD_ERROR)
        os.close(kept)


@contextmanager
def _interrupts_put_back() -> Iterator[None]:
    """Spark takes Ctrl-C over, and its handler does not survive Spark."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)
