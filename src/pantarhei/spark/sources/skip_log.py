"""Log of a worker: what `on_error="skip"` left out, and how many times were cut to microseconds.

A data source gives Spark rows and nothing beside them, so what was skipped or cut is a warning of the logger
`pantarhei.spark.sources.source`: on the executor's standard error and, with
`spark.sql.pyspark.worker.logging.enabled`, in the table `spark.tvf.python_worker_logs()`. A task that is
tried again, or a frame that is computed twice, says it twice.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from pantarhei.io.graph_times import OnCut

LOGGER = logging.getLogger("pantarhei.spark.sources.source")


class SkipLog:
    """Counts what is left out of a source and keeps the first reasons."""

    SHOWN = 10

    def __init__(self) -> None:
        self.count = 0
        self._shown: list[str] = []

    def __call__(self, line: int | None, reason: str, text: str, count: int = 1) -> None:
        """Take note of `count` statements that are left out, from the given line on."""
        self.count += count
        if len(self._shown) < self.SHOWN:
            self._shown.append(reason if line is None else f"line {line}: {reason}")

    def __str__(self) -> str:
        more = "; …" if self.count > len(self._shown) else ""
        return f"{self.count} skipped: {'; '.join(self._shown)}{more}"


@contextmanager
def skipping(source: str, skips: bool) -> Iterator[SkipLog | None]:
    """A log to skip into, None if nothing is to be skipped; says at the end what was."""
    log = SkipLog() if skips else None
    try:
        yield log
    finally:
        if log is not None and log.count:
            LOGGER.warning("%s: %s", source, log)


@contextmanager
def cutting(source: str, is_exact: bool) -> Iterator[OnCut | None]:
    """Give a function that counts times that are cut, None if they are refused; log the count at the end."""
    texts: list[str] = []
    count = 0

    def note(text: str) -> None:
        nonlocal count
        count += 1
        if not texts:
            texts.append(text)

    try:
        yield None if is_exact else note
    finally:
        if count:
            LOGGER.warning("%s: %d times cut to microseconds, the first %s", source, count, texts[0])
