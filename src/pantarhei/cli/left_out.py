"""Reports of what a run leaves out: at once on a live stream, in the summary, and as dead letters."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TextIO

from pantarhei.io.reader_counts import Skipped
from pantarhei.io.write import time_text
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint, show_time

Reason = Literal["late", "ahead", "invalid"]
SHOWN = 10
"""Number of rows and of ABoxes left out that are reported one by one."""


@dataclass(slots=True)
class SkipReport:
    """ABoxes and rows that a run leaves out.

    Args:
        is_live: whether each is reported on standard error at once: the first ones, then whenever their
            number has doubled.
        letters: the file of dead letters, None for none.
        counts: how many ABoxes were left out, by reason.
        shown: reports of the first of them.
    """

    is_live: bool = False
    letters: TextIO | None = None
    counts: Counter[Reason] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)

    def note(self, reason: Reason, at: TimePoint, abox: Collection[Triple], detail: str) -> None:
        """Note an ABox that is not taken in."""
        self.counts[reason] += 1
        text = f"skipped the ABox at {show_time(at)}: {detail}"
        if len(self.shown) < SHOWN:
            self.shown.append(text)
        self._report(self.counts[reason], text)
        if self.letters is not None:
            triples = [" ".join(term.n3() for term in triple) for triple in abox]
            time = time_text(at) if isinstance(at, datetime) else at
            self._write({"reason": reason, "detail": detail, "at": time, "triples": triples})

    def note_skipped(self, skipped: Skipped, count: int) -> None:
        """Note a row that is malformed; there are so many now."""
        line = "" if skipped.line is None else f"line {skipped.line}: "
        self._report(count, f"skipped {line}{skipped.reason}")
        at_line = {"line": skipped.line, "text": skipped.text}
        self._write({"reason": "malformed", "detail": skipped.reason, **at_line})

    def _report(self, count: int, text: str) -> None:
        if self.is_live and (count <= SHOWN or count & (count - 1) == 0):
            print(text if count <= SHOWN else f"{text} ({count:,} so far)", file=sys.stderr, flush=True)

    def _write(self, record: dict[str, object]) -> None:
        if self.letters is not None:
            self.letters.write(json.dumps(record, ensure_ascii=False) + "\n")
            self.letters.flush()


def is_live(stream: str) -> bool:
    """Return whether a stream arrives over time: standard input, or a pipe."""
    if stream == "-":
        try:
            return not stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
        except (OSError, ValueError):  # standard input is no file of the system
            return True
    try:
        return not stat.S_ISREG(os.stat(stream).st_mode) and not os.path.isdir(stream)
    except OSError:
        return False
