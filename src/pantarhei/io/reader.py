"""Counts of a reader: what it left out, and times that it cut to microseconds."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from pantarhei.errors import TimesCutWarning
from pantarhei.rdf.unpacking import without_packing

FORMATS = ("csv", "tsv", "jsonl", "parquet", "json")
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def format_of(name: str) -> str | None:
    """The format that a file's name tells, None if it does not.

    >>> format_of("readings.csv.gz"), format_of("readings.nq")
    ('csv', None)
    """
    return SUFFIXES.get(Path(without_packing(name)).suffix.lower())


_CONVERT: Final = "only UTF-8 is read; convert it first: iconv -f {} -t UTF-8"
NOT_UTF_8: Final = f"it is not UTF-8; {_CONVERT.format('ISO-8859-1')}, or whatever it is"
_WEB_PAGE = re.compile(rb"\s*<(!doctype\s+html|html)\b", re.IGNORECASE)
_WORKBOOK = "it is an Excel workbook; save the sheet as CSV (UTF-8)"
_BEGINNINGS = {
    b"\xff\xfe": f"it is UTF-16; {_CONVERT.format('UTF-16')}",
    b"\xfe\xff": f"it is UTF-16; {_CONVERT.format('UTF-16')}",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": _WORKBOOK,
    b"PAR1": 'it is Parquet; say so with the suffix .parquet or format "parquet"',
}


def other_kind(first: bytes) -> str | None:
    """Return what a file is that begins so, and what to do about it; None if it may be a table in text.

    >>> other_kind(b"PAR1...")
    'it is Parquet; say so with the suffix .parquet or format "parquet"'
    """
    if _WEB_PAGE.match(first):
        return "it is a web page and no table; download the file that the page offers"
    return next((said for begin, said in _BEGINNINGS.items() if first.startswith(begin)), None)


class Skipped(NamedTuple):
    """Something that was left out under `on_error="skip"`: its line (if known), why, and how it reads."""

    line: int | None
    reason: str
    text: str


class ReaderCounts:
    """Counts of a reader, which begin anew with each iteration.

    Args:
        name: the source, as errors call it.

    Attributes:
        skipped: what was left out under `on_error="skip"`, the first `SKIPS_KEPT` of `skipped_count`.
        on_skipped: called at once with each of them and the count so far.
        times_cut: number of messages or rows whose time was cut to microseconds.
    """

    SKIPS_KEPT = 1000

    def __init__(self, name: str) -> None:
        self.name = name
        self.on_skipped: Callable[[Skipped, int], object] | None = None
        self._begin_counts()

    def _begin_counts(self) -> None:
        self.skipped: list[Skipped] = []
        self.skipped_count = self.times_cut = 0

    def _note_skipped(self, skipped: Skipped, count: int = 1) -> None:
        """Count what is left out; `count` is its number of statements or rows."""
        self.skipped_count += count
        if len(self.skipped) < self.SKIPS_KEPT:
            self.skipped.append(skipped)
        if self.on_skipped is not None:
            self.on_skipped(skipped, self.skipped_count)

    def _note_cut(self, text: str, count: int = 1) -> None:
        """Count times that are cut, with a warning at the first; `text` is the first of them."""
        if count and not self.times_cut:
            warnings.warn(TimesCutWarning(self.name, text), stacklevel=2)
        self.times_cut += count
