"""Counts of a reader: what it left out, and times that it cut to microseconds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

from pantarhei.errors import TimesCutWarning


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
