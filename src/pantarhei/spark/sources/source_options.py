"""The options of the data source, checked as a whole before anything is read.

Log of a worker: what `on_error="skip"` left out, and how many times were cut to microseconds.

A data source gives Spark rows and nothing beside them, so what was skipped or cut is a warning of the logger
`pantarhei.spark.sources.file_source`: on the executor's standard error and, with
`spark.sql.pyspark.worker.logging.enabled`, in the table `spark.tvf.python_worker_logs()`. A task that is
tried again, or a frame that is computed twice, says it twice.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pantarhei.errors import OptionError
from pantarhei.io.graph_messages import AUTO, OnCut, time_properties
from pantarhei.model.time import TimeKind
from pantarhei.spark.frame import TIME_TYPES

SPLIT_SIZE = 128 << 20
_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_OWN_TO_SPARK = ("spark.", "__")


@dataclass(frozen=True, slots=True)
class FileOptions:
    """What to read from files, and how.

    Attributes:
        paths: absolute paths of files or folders, or globs.
        format: "nquads" or "trig", or None where each file's suffix tells.
        time: where a graph's time is, as `read_stream` takes it.
        skip_errors: leave out what is wrong, count it and say so.
        kind: what the timestamps are, None if the first ABox is to tell.
        split_size: bytes of N-Quads a part of a file has at least; 0 to read files whole.
        max_files: how many files a step of a stream takes; None for all there are.
        accept_changes: when a batch is read again, take its files as they are now.
        is_exact: refuse times that are finer than microseconds.
    """

    paths: tuple[str, ...]
    format: str | None = None
    time: str = AUTO
    skip_errors: bool = False
    kind: TimeKind | None = None
    split_size: int = SPLIT_SIZE
    max_files: int | None = None
    accept_changes: bool = False
    is_exact: bool = False

    @classmethod
    def of(cls, given: Mapping[str, str]) -> FileOptions:
        """The options as Spark gives them, keys in any case.

        Raises:
            OptionError: one is unknown, has an impossible value, or the path is missing.
        """
        options = known_options(
            given, "path", "paths", "format", "time", "on_error", "timestampType", "splitSize",
            "maxFilesPerTrigger", "on_change", "precision",
        )  # fmt: skip
        time = options.get("time", AUTO)
        time_properties(time)
        return cls(
            _paths(options),
            options.get("format"),
            time,
            skips_errors(options),
            kind_option(options),
            _size("splitSize", options.get("splitSize", str(SPLIT_SIZE))),
            positive(options, "maxFilesPerTrigger"),
            _one_of(options, "on_change", "raise", "accept") == "accept",
            is_exact(options),
        )


def known_options(given: Mapping[str, str], *names: str) -> dict[str, str]:
    """The options under the names as they are written here.

    Raises:
        OptionError: there is one of another name.
    """
    spelled = {name.lower(): name for name in names}
    found = {}
    for key, value in given.items():
        if key.lower() in spelled:
            found[spelled[key.lower()]] = value
        elif not key.startswith(_OWN_TO_SPARK):
            raise OptionError(key, repr(value), f"one of the options {', '.join(names)}")
    return found


def skips_errors(options: Mapping[str, str]) -> bool:
    """Whether `on_error` is "skip"."""
    return _one_of(options, "on_error", "raise", "skip") == "skip"


def is_exact(options: Mapping[str, str]) -> bool:
    """Return whether `precision` is "exact"."""
    return _one_of(options, "precision", "microseconds", "exact") == "exact"


def _one_of(options: Mapping[str, str], name: str, default: str, other: str) -> str:
    given = options.get(name, default)
    if given not in (default, other):
        raise OptionError(name, repr(given), f'"{default}" or "{other}"')
    return given


def kind_option(options: Mapping[str, str]) -> TimeKind | None:
    """The kind that `timestampType` chooses."""
    name = options.get("timestampType")
    if name is not None and name.lower() not in TIME_TYPES:
        raise OptionError("timestampType", repr(name), ", ".join(TIME_TYPES))
    return None if name is None else TIME_TYPES[name.lower()]


def positive(options: Mapping[str, str], name: str) -> int | None:
    """The option as a number above 0."""
    text = options.get(name)
    if text is not None and not (text.isascii() and text.isdigit() and int(text) > 0):
        raise OptionError(name, repr(text), "a whole number above 0")
    return None if text is None else int(text)


def _paths(options: Mapping[str, str]) -> tuple[str, ...]:
    try:
        given = [options["path"]] if "path" in options else json.loads(options.get("paths", "[]"))
    except ValueError:
        given = []
    if not given:
        raise OptionError("path", "nothing", "a file, a folder or a glob, as load(path) gives it")
    return tuple(_local(path) for path in given)


def _local(path: str) -> str:
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):/", path)
    if scheme is None:
        return os.path.abspath(path)
    if scheme[1].lower() != "file":
        raise OptionError("path", path, "a path in a file system that every worker has mounted")
    return os.path.abspath(re.sub(r"^file:/+", "/", path, flags=re.IGNORECASE))


def _size(name: str, text: str) -> int:
    match = re.fullmatch(r"(\d+)\s*([bkmg]?)(?:i?b)?", text.strip().lower(), re.ASCII)
    if match is None:
        expected = "a number of bytes such as 134217728 or 128m; 0 to read files whole"
        raise OptionError(name, repr(text), expected)
    return int(match[1]) * _UNITS[match[2]]


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
