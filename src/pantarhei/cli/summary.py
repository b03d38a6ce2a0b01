"""What went by in a stream, for people, when it has been followed to its end."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from pantarhei.cli.run_options import Following
from pantarhei.cli.wording import with_options
from pantarhei.engine.feedback import not_asserted_text
from pantarhei.language.counted import counted
from pantarhei.language.time import TimePoint
from pantarhei.streams.read import Skipped
from pantarhei.temporal.conclusions import ConclusionChanges

if TYPE_CHECKING:
    import pantarhei as pr


@dataclass(slots=True)
class Followed:
    """What went by.

    Args:
        aboxes, assertions, late: how many came, and how many of the ABoxes came late.
        came, went: how many conclusions of temporal rules did.
        newest: the newest time.
    """

    aboxes: int = 0
    assertions: int = 0
    late: int = 0
    came: int = 0
    went: int = 0
    newest: TimePoint | None = field(default=None, repr=False)

    def note(self, at: TimePoint, assertions: int) -> None:
        """An ABox goes by."""
        self.newest = at
        self.aboxes += 1
        self.assertions += assertions

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
    """Say it on standard error."""
    stats = reasoner.stats()
    undecided = f" ({stats.undecided:,} undecided)" if stats.undecided else ""
    parts = [
        counted(counts.aboxes, "ABox"),
        counted(counts.assertions, "assertion"),
        f"{counted(stats.cut, 'fact')} cut{undecided}",
        f"{account.skipped_count} skipped",
        f"{counted(stats.facts, 'fact')} {'in the window' if stats.running == stats.rules else 'kept up'}",
    ]
    if counts.late:
        parts.insert(4, f"{counted(counts.late, 'late ABox')} skipped")
    if stats.dropped_early:
        parts.insert(-1, f"{counted(stats.dropped_early, 'timestamp')} dropped early")
    if options.rules is not None and options.models is None:
        parts.append(f"{counted(counts.came, 'conclusion')} came, {counts.went:,} went")
    if options.feedback:
        parts.append(f"{counted(stats.fed_back, 'conclusion')} asserted")
    if stats.not_fed_back:
        parts.append(not_asserted_text(stats.not_fed_back))
    print(", ".join(parts), file=sys.stderr)
    for line in reasoner.unexpected().lines():
        print(f"  {with_options(line, {'numbers'})}", file=sys.stderr)
    for skipped in islice(account.skipped, 10):
        line = f"line {skipped.line}: " if skipped.line is not None else ""
        print(f"  skipped {line}{skipped.reason}", file=sys.stderr)
    if account.skipped_count > 10:
        print(f"  … and {account.skipped_count - 10} more", file=sys.stderr)
