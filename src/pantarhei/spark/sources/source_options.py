"""Options of the data sources, and counters of input that workers skip and of times that they cut.

A data source can return only rows. So skipped input and cut times are logged as warnings by the logger
`pantarhei.spark.sources.source`: to the executor's standard error and, from Spark 4.1 on with
`spark.sql.pyspark.worker.logging.enabled`, to the table `spark.tvf.python_worker_logs()`. A task that is
retried, or a DataFrame that is computed twice, logs them twice.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypedDict

from pantarhei.errors import MissingOptionError, OptionError
from pantarhei.io.graph_messages import AUTO, time_properties
from pantarhei.io.reader import ReaderCounts
from pantarhei.model.time import TimeKind
from pantarhei.spark.frame import TIME_TYPES
from pantarhei.spark.sources.text_rows import TextReading

SPLIT_SIZE = 128 << 20
_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_OWN_TO_SPARK = ("spark.", "__")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """Options that all data sources have.

    Attributes:
        time: the option `time` of `read_stream`.
        skip_errors: whether invalid input is skipped, counted and logged; otherwise it is an error.
        kind: the kind of the timestamps; None for the kind of the first ABox.
        is_exact: whether times that are finer than microseconds are refused.
    """

    time: str = AUTO
    skip_errors: bool = False
    kind: TimeKind | None = None
    is_exact: bool = False

    def reading(self, syntax: str, counts: WorkerCounts, kind: TimeKind | None = None) -> TextReading:
        """Return the options for reading text whose timestamps are of `kind`."""
        skip = counts.skip if self.skip_errors else None
        on_cut = None if self.is_exact else counts.cut
        return TextReading(syntax, self.time, kind, skip, on_cut=on_cut)


_COMMON = ("time", "on_error", "timestampType", "precision")


def common_options(options: Mapping[str, str]) -> _CommonOptions:
    """Validate the options of Spark that `SourceOptions` has; return them as its fields.

    Raises:
        OptionError: an option has an invalid value.
    """
    time, kind = options.get("time", AUTO), options.get("timestampType")
    time_properties(time)
    if kind is not None and kind.lower() not in TIME_TYPES:
        raise OptionError("timestampType", repr(kind), ", ".join(TIME_TYPES))
    return {
        "time": time,
        "skip_errors": _one_of(options, "on_error", "raise", "skip") == "skip",
        "kind": None if kind is None else TIME_TYPES[kind.lower()],
        "is_exact": _one_of(options, "precision", "microseconds", "exact") == "exact",
    }


class _CommonOptions(TypedDict):
    time: str
    skip_errors: bool
    kind: TimeKind | None
    is_exact: bool


@dataclass(frozen=True, slots=True)
class FileOptions(SourceOptions):
    """Options of a stream in files.

    Attributes:
        paths: absolute paths of files or folders, or globs.
        format: "nquads" or "trig"; None to use the suffix of each file.
        split_size: minimum number of bytes of the parts into which an N-Quads file is divided; 0 to read
            files as a whole.
        max_files: maximum number of files of a micro-batch; None for no limit.
        accept_changes: whether a batch that is read again may have files that have changed.
    """

    paths: tuple[str, ...]
    format: str | None = None
    split_size: int = SPLIT_SIZE
    max_files: int | None = None
    accept_changes: bool = False

    @classmethod
    def of(cls, given: Mapping[str, str]) -> FileOptions:
        """Validate options as passed by Spark, whose keys are in upper or lower case.

        Raises:
            OptionError: an option is unknown or has an invalid value, or the path is missing.
        """
        names = ("path", "paths", "format", "splitSize", "maxFilesPerTrigger", "on_change")
        options = known_options(given, *names)
        return cls(
            _paths(options),
            options.get("format"),
            _size("splitSize", options.get("splitSize", str(SPLIT_SIZE))),
            positive(options, "maxFilesPerTrigger"),
            _one_of(options, "on_change", "raise", "accept") == "accept",
            **common_options(options),
        )


def known_options(given: Mapping[str, str], *names: str) -> dict[str, str]:
    """Return options with their keys spelled as documented.

    Args:
        names: the options of the data source, in addition to the common ones.

    Raises:
        OptionError: an option is unknown.
    """
    names += _COMMON
    spelled = {name.lower(): name for name in names}
    found = {}
    for key, value in given.items():
        if key.lower() in spelled:
            found[spelled[key.lower()]] = value
        elif not key.startswith(_OWN_TO_SPARK):
            raise OptionError(key, repr(value), f"one of the options {', '.join(names)}")
    return found


def _one_of(options: Mapping[str, str], name: str, default: str, other: str) -> str:
    given = options.get(name, default)
    if given not in (default, other):
        raise OptionError(name, repr(given), f'"{default}" or "{other}"')
    return given


def positive(options: Mapping[str, str], name: str) -> int | None:
    """Parse an option that is a number above 0; None if it is not given.

    Raises:
        OptionError: the value is not such a number.
    """
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
        raise MissingOptionError("path", "…", "load() needs a file, a folder or a glob.")
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


class WorkerCounts(ReaderCounts):
    """Counters of a worker's input; a worker logs them, since its warnings do not reach the driver.

    Attributes:
        first_cut: the text of the first time that was cut to microseconds.
    """

    SKIPS_KEPT = 10

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self.first_cut = ""

    skip = ReaderCounts._skip

    def cut(self, text: str) -> None:
        """Count a time that is cut to microseconds."""
        self.first_cut = self.first_cut or text
        self.times_cut += 1


@contextmanager
def logged_counts(source: str) -> Iterator[WorkerCounts]:
    """Context with counters, which are logged at its end, also after an error."""
    counts = WorkerCounts(source)
    try:
        yield counts
    finally:
        if counts.skipped_count:
            shown = "; ".join(
                each.reason if each.line is None else f"line {each.line}: {each.reason}"
                for each in counts.skipped
            )
            more = "; …" if counts.skipped_count > len(counts.skipped) else ""
            LOGGER.warning("%s: %d skipped: %s%s", source, counts.skipped_count, shown, more)
        if counts.times_cut:
            message = "%s: %d times cut to microseconds, the first %s"
            LOGGER.warning(message, source, counts.times_cut, counts.first_cut)
