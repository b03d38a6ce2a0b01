"""Reports of a run on standard error: repairs, skipped input, progress and summary."""

from __future__ import annotations

import json
import os
import stat
import sys
import time as clock
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Literal, Protocol, TextIO

from rdflib import RDF

from pantarhei.cli.run_options import RunOptions
from pantarhei.engine.update import not_asserted_text
from pantarhei.errors import InputError
from pantarhei.io.reader import Skipped
from pantarhei.io.writers import json_time, time_text
from pantarhei.model.message_text import NO_NAMES, DisplayNames, counted, disambiguate
from pantarhei.model.term import Triple, short
from pantarhei.model.time import TimePoint, show_time
from pantarhei.proofs.sentences import TimeFormat
from pantarhei.temporal.conclusion_sets import ConclusionChanges

if TYPE_CHECKING:
    import pantarhei as pr


Reason = Literal["late", "ahead", "invalid"]
SHOWN = 10
"""Number of skipped rows and of skipped ABoxes that are reported one by one."""


@dataclass(slots=True)
class SkipReport:
    """Report of skipped ABoxes and rows.

    Args:
        is_live: whether to report skipped items on standard error at once: the first `SHOWN` of them, and
            then only each one whose number is a power of two.
        letters: the file of dead letters; None for no file.
        counts: number of skipped ABoxes by reason.
        shown: texts on the first `SHOWN` skipped ABoxes.
    """

    is_live: bool = False
    letters: TextIO | None = None
    counts: Counter[Reason] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)

    def note(self, reason: Reason, at: TimePoint, abox: Collection[Triple], detail: str) -> None:
        """Count and report a skipped ABox."""
        self.counts[reason] += 1
        text = f"skipped the ABox at {show_time(at)}: {detail}"
        if len(self.shown) < SHOWN:
            self.shown.append(text)
        self._report(self.counts[reason], text)
        if self.letters is not None:
            triples = [" ".join(term.n3() for term in triple) for triple in abox]
            self._write({"reason": reason, "detail": detail, "at": json_time(at), "triples": triples})

    def note_skipped(self, skipped: Skipped, count: int) -> None:
        """Report a malformed statement or row; `count` is the number of those skipped so far."""
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
        except (OSError, ValueError):  # standard input is not a file of the operating system
            return True
    try:
        return not stat.S_ISREG(os.stat(stream).st_mode) and not os.path.isdir(stream)
    except OSError:
        return False


_MOST_LINES = 40


class ConflictProofs:
    """Proofs of derived contradictions; each kind of contradiction is shown only once.

    The kind of a contradiction is the classes and properties of its assertions, and its axioms.

    Attributes:
        day: the day of the last removal; None before the first, and for times that are numbers.
    """

    def __init__(self) -> None:
        self._shown: set[tuple[str, ...]] = set()
        self.day: str | None = None

    def begins_day(self, at: TimePoint) -> bool:
        """Return whether a removal is on another day than the removal before it."""
        before, self.day = self.day, TimeFormat.of([at]).day
        return self.day != before

    def lines(self, conflict: pr.Conflict) -> list[str]:
        """Return the lines of the proofs of a contradiction.

        Empty if its kind was shown before, or if the assertions violate the constraint without any rule.
        """
        kinds = sorted(str(triple[2 if triple[1] == RDF.type else 1]) for _, triple in conflict.assertions)
        key = (*kinds, *(rule.axiom for rule in conflict.constraints))
        if key in self._shown:
            return []
        self._shown.add(key)
        derived = (
            proof for proof in conflict.proofs if any(step.rule is not None for step in proof.steps[:-1])
        )
        return [line for proof in derived for line in _shortened(proof)]


def _shortened(proof: pr.Proof) -> list[str]:
    lines = str(proof).splitlines()
    left_out = len(lines) - _MOST_LINES
    return [*lines[:_MOST_LINES], f"… and {left_out} more lines"] if left_out > 0 else lines


def cut_lines(repair: pr.Repair, chains: ConflictProofs | None = None) -> list[str]:
    """Return a line for each fact that a repair removed, with its timestamps and the reason.

    Args:
        chains: source of further lines with the proofs of contradictions; None for no proofs.
    """
    lines = []
    for text, conflict in repair.removals():
        lines.append(text)
        if chains is not None and conflict is not None:
            lines += [f"    {line}" for line in chains.lines(conflict)]
    return lines


def assertion_texts(
    assertions: Iterable[tuple[TimePoint, Triple]], names: DisplayNames = NO_NAMES
) -> list[str]:
    """Return the texts of asserted facts with their timestamps, sorted."""
    given = tuple(assertions)
    return disambiguate(lambda: sorted(map(_assertion_text, given)), names)


def _assertion_text(assertion: tuple[TimePoint, Triple]) -> str:
    """Return the text of an asserted fact with its timestamp."""
    at, triple = assertion
    return f"{fact_text(triple)} at {time_text(at)}"


def fact_text(triple: Triple) -> str:
    """Return the text of a fact: `Class(x)` or `property(x, y)`.

    >>> from rdflib import URIRef
    >>> fact_text((URIRef("urn:x#belt"), RDF.type, URIRef("urn:x#Stopped")))
    'Stopped(belt)'
    """
    subject, predicate, object_ = triple
    if predicate == RDF.type:
        return f"{short(object_)}({short(subject)})"
    return f"{short(predicate)}({short(subject)}, {short(object_)})"


PROGRESS = 60.0
"""Seconds between reports of progress on a live stream."""
LATE = (
    "late ABoxes: --allowed-lateness waits for ABoxes that arrive out of order, --max-ahead ignores "
    "timestamps of a wrong clock"
)


@dataclass(slots=True)
class RunCounts:
    """Counters of a run.

    Args:
        aboxes, assertions: numbers of ABoxes and assertions that were pushed or are held back.
        began, ended: numbers of conclusions of temporal rules that were inserted and deleted.
        left_out: report of skipped input.
        on_progress: called about every `PROGRESS` seconds; None for no calls.
    """

    aboxes: int = 0
    assertions: int = 0
    began: int = 0
    ended: int = 0
    left_out: SkipReport = field(default_factory=SkipReport, repr=False)
    on_progress: Callable[[], None] | None = field(default=None, repr=False)
    _last_report: float = field(default_factory=clock.monotonic, repr=False)

    def note(self, assertions: int, sign: Literal[1, -1] = 1) -> None:
        """Count an ABox of `assertions` triples; with sign -1, undo the count of an ABox that was then
        skipped.
        """
        self.aboxes += sign
        self.assertions += sign * assertions
        if self.on_progress is not None and clock.monotonic() - self._last_report >= PROGRESS:
            self._last_report = clock.monotonic()
            self.on_progress()

    def note_late(self, reasoner: pr.StreamReasoner, at: TimePoint, abox: Collection[Triple]) -> None:
        """Count a late ABox as skipped."""
        self.note(len(abox), -1)
        newest = "" if reasoner.newest is None else f": the newest time is {show_time(reasoner.newest)}"
        self.left_out.note("late", at, abox, f"late{newest}")

    def note_ahead(self, at: TimePoint, abox: Collection[Triple]) -> None:
        """Count an ABox whose timestamp is too far ahead as skipped."""
        self.note(len(abox), -1)
        self.left_out.note("ahead", at, abox, "too far ahead")

    def note_invalid(self, at: TimePoint, abox: Collection[Triple], error: InputError) -> None:
        """Count an invalid ABox as skipped."""
        self.note(len(abox), -1)
        self.left_out.note("invalid", at, abox, str(error))

    def note_conclusions(self, changes: ConclusionChanges) -> None:
        """Count the conclusions inserted and deleted by an update."""
        self.began += sum(len(turn.added) for turn in changes.turns)
        self.ended += sum(len(turn.removed) for turn in changes.turns)


class SourceCounts(Protocol):
    """Counters that a reader of a stream provides."""

    @property
    def skipped(self) -> Sequence[Skipped]:
        """First skipped items."""

    @property
    def skipped_count(self) -> int:
        """Number of skipped items."""

    @property
    def size(self) -> int | None:
        """Size of the source in bytes; None if it is unknown."""

    @property
    def bytes_read(self) -> int | None:
        """Number of bytes read so far; None if it is unknown."""


def print_summary(
    reasoner: pr.StreamReasoner, account: SourceCounts, counts: RunCounts, options: RunOptions
) -> None:
    """Print the summary of a run on standard error."""
    print(counters(reasoner, account, counts, options), file=sys.stderr)
    for line in reasoner.unexpected().lines():
        print(f"  {line}", file=sys.stderr)
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
    reasoner: pr.StreamReasoner, account: SourceCounts, counts: RunCounts, options: RunOptions
) -> None:
    """Print the counters so far as one line on standard error."""
    print(f"so far: {counters(reasoner, account, counts, options)}", file=sys.stderr, flush=True)


def counters(
    reasoner: pr.StreamReasoner, account: SourceCounts, counts: RunCounts, options: RunOptions
) -> str:
    """Return the counters of a run as one line of text."""
    stats, left_out = reasoner.stats(), counts.left_out
    undecided = f" ({stats.undecided:,} undecided)" if stats.undecided else ""
    parts = [
        counted(counts.aboxes, "ABox"),
        counted(counts.assertions, "assertion"),
        f"{counted(stats.cut, 'fact')} cut{undecided}",
        f"{account.skipped_count + left_out.counts['invalid']} skipped",
        f"{counted(stats.facts, 'fact')} {'in the window' if stats.running == stats.rules else 'maintained'}",
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
        parts.append(f"{counted(counts.began, 'conclusion')} began, {counts.ended:,} ended")
    if options.feedback:
        parts.append(f"{counted(stats.fed_back, 'conclusion')} asserted")
    if stats.not_fed_back:
        parts.append(not_asserted_text(stats.not_fed_back))
    return ", ".join(parts)
