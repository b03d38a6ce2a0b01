"""What went by in a stream, for people, when it has been followed to its end."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Literal, Protocol

from pantarhei.cli.left_out import SHOWN, SkipReport
from pantarhei.cli.run_options import Following
from pantarhei.cli.wording import warning_as_typed
from pantarhei.engine.feedback import not_asserted_text
from pantarhei.errors import InputError
from pantarhei.io.reader_counts import Skipped
from pantarhei.model.messages import counted
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint, show_time
from pantarhei.temporal.conclusions import ConclusionChanges

if TYPE_CHECKING:
    import pantarhei as pr

PROGRESS = 60.0
"""Seconds between reports of progress on a live stream."""
LATE = (
    "late ABoxes: --allowed-lateness waits for what comes out of order, --max-ahead keeps a wrong clock from "
    "moving time"
)


@dataclass(slots=True)
class Followed:
    """Counts of what went by.

    Args:
        aboxes, assertions: how many were taken in or wait.
        came, went: how many conclusions of temporal rules did.
        left_out: what was not taken in.
        on_progress: called now and then, None for never.
    """

    aboxes: int = 0
    assertions: int = 0
    came: int = 0
    went: int = 0
    left_out: SkipReport = field(default_factory=SkipReport, repr=False)
    on_progress: Callable[[], None] | None = field(default=None, repr=False)
    _told: float = field(default_factory=clock.monotonic, repr=False)

    def note(self, assertions: int, sign: Literal[1, -1] = 1) -> None:
        """Count an ABox, or with sign -1 count it no longer."""
        self.aboxes += sign
        self.assertions += sign * assertions
        if self.on_progress is not None and clock.monotonic() - self._told >= PROGRESS:
            self._told = clock.monotonic()
            self.on_progress()

    def note_late(self, reasoner: pr.StreamReasoner, at: TimePoint, abox: Collection[Triple]) -> None:
        """Count an ABox as late."""
        self.note(len(abox), -1)
        newest = "" if reasoner.newest is None else f": time has come to {show_time(reasoner.newest)}"
        self.left_out.note("late", at, abox, f"late{newest}")

    def note_ahead(self, at: TimePoint, abox: Collection[Triple]) -> None:
        """Count an ABox as too far ahead."""
        self.note(len(abox), -1)
        self.left_out.note("ahead", at, abox, "too far ahead")

    def note_invalid(self, at: TimePoint, abox: Collection[Triple], error: InputError) -> None:
        """Count an ABox that cannot be taken in."""
        self.note(len(abox), -1)
        self.left_out.note("invalid", at, abox, str(error))

    def note_conclusions(self, changes: ConclusionChanges) -> None:
        """Conclusions came and went."""
        self.came += sum(len(turn.added) for turn in changes.turns)
        self.went += sum(len(turn.removed) for turn in changes.turns)


class Account(Protocol):
    """What became of a stream's bytes so far."""

    @property
    def skipped(self) -> Sequence[Skipped]:
        """The first of what was left out."""

    @property
    def skipped_count(self) -> int:
        """How much was left out."""

    @property
    def size(self) -> int | None:
        """How many bytes there are to read, None where nobody knows."""

    @property
    def bytes_read(self) -> int | None:
        """How many bytes have been read, None where nobody knows."""


def print_summary(
    reasoner: pr.StreamReasoner, account: Account, counts: Followed, options: Following
) -> None:
    """Print on standard error what went by."""
    print(counters(reasoner, account, counts, options), file=sys.stderr)
    for line in reasoner.unexpected().lines():
        print(f"  {warning_as_typed(line)}", file=sys.stderr)
    for skipped in islice(account.skipped, SHOWN):
        line = f"line {skipped.line}: " if skipped.line is not None else ""
        print(f"  skipped {line}{skipped.reason}", file=sys.stderr)
    if account.skipped_count > SHOWN:
        print(f"  … and {account.skipped_count - SHOWN} more", file=sys.stderr)
    left_out = counts.left_out
    if not left_out.is_live:
        for text in left_out.shown:
            print(f"  {text}", file=sys.stderr)
        if more := left_out.counts.total() - len(left_out.shown):
            print(f"  … and {counted(more, 'ABox')} more", file=sys.stderr)
    if left_out.counts["late"] and options.max_ahead is None:
        print(f"  {LATE}", file=sys.stderr)


def print_progress(
    reasoner: pr.StreamReasoner, account: Account, counts: Followed, options: Following
) -> None:
    """Print on standard error what went by so far, as one line."""
    print(f"so far: {counters(reasoner, account, counts, options)}", file=sys.stderr, flush=True)


def counters(reasoner: pr.StreamReasoner, account: Account, counts: Followed, options: Following) -> str:
    """Return the counters as one line."""
    stats, left_out = reasoner.stats(), counts.left_out
    undecided = f" ({stats.undecided:,} undecided)" if stats.undecided else ""
    parts = [
        counted(counts.aboxes, "ABox"),
        counted(counts.assertions, "assertion"),
        f"{counted(stats.cut, 'fact')} cut{undecided}",
        f"{account.skipped_count + left_out.counts['invalid']} skipped",
        f"{counted(stats.facts, 'fact')} {'in the window' if stats.running == stats.rules else 'kept up'}",
    ]
    if ahead := left_out.counts["ahead"]:
        parts.insert(4, f"{counted(ahead, 'ABox')} too far ahead skipped")
    if late := left_out.counts["late"]:
        parts.insert(4, f"{counted(late, 'late ABox')} skipped")
    if stats.waiting:
        parts.insert(-1, f"{counted(stats.waiting, 'ABox')} held back")
    if stats.times_cut:
        parts.insert(-1, f"{counted(stats.times_cut, 'time')} cut to microseconds")
    if stats.dropped_early:
        parts.insert(-1, f"{counted(stats.dropped_early, 'timestamp')} dropped early")
    if options.rules is not None and options.models is None:
        parts.append(f"{counted(counts.came, 'conclusion')} came, {counts.went:,} went")
    if options.feedback:
        parts.append(f"{counted(stats.fed_back, 'conclusion')} asserted")
    if stats.not_fed_back:
        parts.append(not_asserted_text(stats.not_fed_back))
    return ", ".join(parts)
