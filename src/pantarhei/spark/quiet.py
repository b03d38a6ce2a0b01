"""A session for a program with a terminal: it starts without a word and ends with the program's work."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

from pantarhei.errors import SparkError
from pantarhei.spark.failures import FAILURES, spark_error
from pantarhei.spark.master import is_local
from pantarhei.spark.session import active_session, session

_STANDARD_ERROR = 2


@contextmanager
def quiet_session(master: str) -> Iterator[SparkSession]:
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
