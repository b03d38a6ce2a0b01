"""What went by in a stream, for people, when it has been followed to its end."""

from __future__ import annotations

import json
import os
import stat
import sys
import time as clock
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Literal, Protocol, TextIO

from rdflib import RDF

from pantarhei.cli.run_options import RunOptions
from pantarhei.engine.update import not_asserted_text
from pantarhei.errors import InputError
from pantarhei.io.reader import Skipped
from pantarhei.io.writers import time_text
from pantarhei.model.display_names import NO_NAMES, DisplayNames, disambiguate
from pantarhei.model.message_text import counted
from pantarhei.model.term import Triple, short
from pantarhei.model.time import TimePoint, show_time
from pantarhei.temporal.conclusion_sets import ConclusionChanges

if TYPE_CHECKING:
    import pantarhei as pr


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


_CONFLICTS_LOOKED_AT = 1000
_MOST_LINES = 40


class ConflictProofs:
    """Tells how contradictions follow where a removal alone does not say it; each kind once."""

    def __init__(self) -> None:
        self._told: set[tuple[str, ...]] = set()

    def lines(self, conflict: pr.Conflict) -> list[str]:
        """The derivation of ⊥ on all sides; nothing where the constraint is about the assertions themselves,
        or if the same was told of other facts.
        """
        kinds = sorted(str(triple[2 if triple[1] == RDF.type else 1]) for _, triple in conflict.assertions)
        key = (*kinds, *(rule.axiom for rule in conflict.constraints))
        if key in self._told:
            return []
        self._told.add(key)
        return [line for proof in conflict.proofs if _is_derived(proof) for line in _whole(proof)]


def _is_derived(proof: pr.Proof) -> bool:
    return any(step.rule is not None for step in proof.steps[:-1])


def _whole(proof: pr.Proof) -> list[str]:
    lines = str(proof).splitlines()
    left_out = len(lines) - _MOST_LINES
    return [*lines[:_MOST_LINES], f"… and {left_out} more lines"] if left_out > 0 else lines


def cut_lines(
    repair: pr.Repair, names: DisplayNames = NO_NAMES, chains: ConflictProofs | None = None
) -> list[str]:
    """The facts that the repair removed, with their timestamps and the newest conflict that each was in.

    Args:
        chains: tells how these contradictions follow, in lines of their own.
    """
    return disambiguate(lambda: list(_cut_lines(repair, chains)), names)


def assertion_texts(
    assertions: Iterable[tuple[TimePoint, Triple]], names: DisplayNames = NO_NAMES
) -> list[str]:
    """The facts with their timestamps, for people; in order."""
    given = tuple(assertions)
    return disambiguate(lambda: sorted(map(_assertion_text, given)), names)


def _cut_lines(repair: pr.Repair, chains: ConflictProofs | None) -> Iterator[str]:
    times: dict[Triple, list[TimePoint]] = {}
    for at, triple in repair.removed:
        times.setdefault(triple, []).append(at)
    why = reasons(repair, times) if times else {}
    for text, triple in sorted((fact_text(triple), triple) for triple in times):
        when = ", ".join(map(time_text, sorted(times[triple])))
        reason, conflict = why.get(triple, ("", None))
        yield f"removed {text} at {when}{reason}"
        if chains is not None and conflict is not None:
            yield from (f"    {line}" for line in chains.lines(conflict))


def reasons(repair: pr.Repair, removed: Collection[Triple]) -> dict[Triple, tuple[str, pr.Conflict]]:
    """Why each fact was removed: of the conflicts it was in, the one whose other facts are newest; of those
    that are equally new the first as they read, since the order of conflicts is not fixed.
    """
    best: dict[Triple, tuple[list[TimePoint], str, pr.Conflict]] = {}
    for conflict in islice(repair.conflicts, _CONFLICTS_LOOKED_AT):
        for _, triple in conflict.assertions:
            if triple not in removed:
                continue
            others = [assertion for assertion in conflict.assertions if assertion[1] != triple]
            age = sorted(at for at, _ in others)
            newest, text, _ = best.get(triple, ([], "", None))
            if triple in best and age < newest:
                continue
            reason = _reason(others, conflict.constraints)
            if triple not in best or age > newest or reason < text:
                best[triple] = (age, reason, conflict)
    return {triple: (reason, conflict) for triple, (_, reason, conflict) in best.items()}


def _reason(others: Iterable[tuple[TimePoint, Triple]], constraints: Iterable[pr.Rule]) -> str:
    """Who contradicts, and by which axiom."""
    facts = " and ".join(assertion_texts(others)) or "itself or the background"
    axioms = " and ".join(dict.fromkeys(rule.axiom for rule in constraints))
    return f", contradicted by {facts}: {axioms}"


def _assertion_text(assertion: tuple[TimePoint, Triple]) -> str:
    """The fact and its timestamp, for people."""
    at, triple = assertion
    return f"{fact_text(triple)} at {time_text(at)}"


def fact_text(triple: Triple) -> str:
    """`Class(x)` or `property(x, y)`, for people.

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
    "late ABoxes: --allowed-lateness waits for what comes out of order, --max-ahead keeps a wrong clock from "
    "moving time"
)


@dataclass(slots=True)
class RunCounts:
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


class SourceCounts(Protocol):
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
    reasoner: pr.StreamReasoner, account: SourceCounts, counts: RunCounts, options: RunOptions
) -> None:
    """Print on standard error what went by."""
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
    """Print on standard error what went by so far, as one line."""
    print(f"so far: {counters(reasoner, account, counts, options)}", file=sys.stderr, flush=True)


def counters(
    reasoner: pr.StreamReasoner, account: SourceCounts, counts: RunCounts, options: RunOptions
) -> str:
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
