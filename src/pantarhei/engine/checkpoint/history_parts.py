"""Histories of the shards of a stream: one history divided by the subjects of assertions, or several united.

Pieces of a history have the ticks of their entries; levels are renumbered when a `Piece` becomes a history.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate, chain
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
from rdflib import BNode, Literal

from pantarhei.encoding.numbers import Encoded, Fact, Forms, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.stream_history import Arrival, Counters, PastRepair, StreamHistory
from pantarhei.errors import CheckpointSplitError
from pantarhei.model.term import Term
from pantarhei.model.time import show_time
from pantarhei.proofs.step import Assertion
from pantarhei.rdf.ntriples import parse_term
from pantarhei.rdf.triple_table import NAMES, is_table
from pantarhei.repair.result import Conflict, Repair
from pantarhei.window.log import ByLevel, Entry, Log
from pantarhei.window.retention import Departure, PastEntries
from pantarhei.window.watermark import Timed, Waiting

PartOf = Callable[[Term], int]
"""Function that returns the part of a subject, or of another term with the key of a part."""


# -- a history in parts ----------------------------------------------------------------------------


class Owners:
    """Parts of subjects, by term and by number; each subject is looked up once."""

    def __init__(self, vocabulary: Vocabulary, part_of: PartOf) -> None:
        self._vocabulary, self.of_term = vocabulary, cache(part_of)
        self._parts = np.zeros(len(vocabulary.names), np.int64)
        self._is_known = np.zeros(len(vocabulary.names), bool)

    def of(self, subjects: Integers) -> npt.NDArray[np.int64]:
        """Return the parts of subjects, given by number."""
        for number in np.unique(subjects[~self._is_known[subjects]]).tolist():
            self._parts[number], self._is_known[number] = self.of_term(self._vocabulary.term(number)), True
        return self._parts[subjects]

    def of_subject(self, number: int) -> int:
        """Return the part of one subject, given by number."""
        return int(self.of(np.array([number], np.int32))[0])


@dataclass(slots=True)
class Piece:
    """History of one part. The levels of its entries are those of the histories that it comes from.

    Args:
        log: the entries in the window.
        departures: the entries that have left.
        early: ticks of the entries that left early.
        repairs: the repairs by tick.
        contradicted: true if the newest entry was in conflict at its arrival.
        known_from: the tick from which on the window can be reconstructed; None for the beginning.
        waiting: the waiting ABoxes.
    """

    log: list[Entry] = field(default_factory=list)
    departures: list[Departure] = field(default_factory=list)
    early: set[int] = field(default_factory=set)
    repairs: dict[int, Repair] = field(default_factory=dict)
    contradicted: bool = False
    known_from: int | None = None
    waiting: Waiting[Any] = field(default_factory=Waiting)

    @property
    def counters(self) -> Counters:
        """Counters of the remembered entries."""
        entries = [*chain.from_iterable(each.entries for each in self.departures), *self.log]
        undecided = sum(repair.undecided_facts for repair in self.repairs.values())
        cut = sum(len(entry.cut) for entry in entries)
        return Counters(pushes=len(entries), repairs=len(self.repairs), cut=cut, undecided=undecided)

    def history(self, whole: StreamHistory, counters: Counters) -> StreamHistory:
        """Return the history, with consecutive levels; its time and messages are those of `whole`."""
        levels: dict[int, int] = {}

        def numbered(entries: Iterable[Entry]) -> Iterator[Entry]:
            for entry in entries:
                level = levels[entry.ticks] = len(levels)
                yield replace(entry, level=level, previous_distances=None, evidence=0)

        departures = [each._replace(entries=tuple(numbered(each.entries))) for each in self.departures]
        early = frozenset(levels[ticks] for ticks in self.early)
        past = tuple(
            each._replace(early=tuple(entry.level for entry in each.entries if entry.level in early))
            for each in departures
        )
        log = Log.of(numbered(self.log), len(levels))
        repairs = ByLevel.of(PastRepair(levels[at], self.repairs[at]) for at in sorted(self.repairs))
        arrival, newest = None, log.newest
        if newest is not None:
            arrival = Arrival(
                newest.level, newest.facts, np.empty(0, np.int32), newest.cut, self.contradicted
            )
        of_past = PastEntries(whole.past.bounds, past, known_from=self.known_from)
        return StreamHistory(
            log, whole.step, arrival, repairs, counters, whole.messages, of_past, self.waiting
        )


def pieces_of(whole: StreamHistory, owners: Owners) -> defaultdict[int, Piece]:
    """Divide a history, whose entries have consecutive levels, into pieces by part."""
    pieces: defaultdict[int, Piece] = defaultdict(
        lambda: Piece(known_from=whole.past.known_from, waiting=_waiting_with(whole.waiting, ()))
    )
    for part, items in _divided_waiting(whole.waiting, owners.of_term).items():
        pieces[part].waiting = _waiting_with(whole.waiting, items)
    for each in whole.past.departures():
        of_parts: defaultdict[int, list[Entry]] = defaultdict(list)
        for entry in each.entries:
            for part, own in _divided_entry(entry, owners):
                of_parts[part].append(own)
                if entry.level in each.early:
                    pieces[part].early.add(entry.ticks)
        for part, entries in of_parts.items():
            pieces[part].departures.append(each._replace(entries=entries))
    for entry in whole.log:
        for part, own in _divided_entry(entry, owners):
            pieces[part].log.append(own)
    ticks = {entry.level: entry.ticks for entry in chain(whole.past.entries(), whole.log)}
    for level, repair in whole.repairs:
        for part, own_repair in _divided_repair(repair, owners.of_term).items():
            pieces[part].repairs[ticks[level]] = own_repair
    _mark_contradicted(whole, pieces)
    return pieces


def _mark_contradicted(whole: StreamHistory, pieces: Mapping[int, Piece]) -> None:
    """Record in which parts the newest ABox was in conflict; in all parts if not all conflicts are known."""
    newest = whole.log.newest
    if newest is None or whole.arrival is None or not whole.arrival.contradicted:
        return
    repair = whole.repair_of(newest.level)
    is_complete = repair is not None and repair.conflicts.complete and not repair.unlisted
    for piece in pieces.values():
        piece.contradicted = newest.ticks in piece.repairs or not is_complete


def _divided_entry(entry: Entry, owners: Owners) -> Iterator[tuple[int, Entry]]:
    """Yield the parts of an entry."""
    of_facts, of_cut = owners.of(entry.facts[:, 1]), owners.of(entry.cut[:, 1])
    parts = np.unique(np.concatenate([of_facts, of_cut])).tolist()
    forms: defaultdict[int, list[tuple[Fact, Literal]]] = defaultdict(list)
    for fact, form in entry.forms.rows():
        forms[owners.of_subject(fact[1])].append((fact, form))
    for part in parts:
        facts, cut = entry.facts[of_facts == part], entry.cut[of_cut == part]
        yield part, Entry(entry.level, entry.at, entry.ticks, facts, cut, Forms.of_rows(forms[part]))


def _divided_repair(repair: Repair, part_of: PartOf) -> dict[int, Repair]:
    """Return the repairs of the parts that a repair concerns.

    Raises:
        CheckpointSplitError: a conflict joins two parts.
    """
    conflicts: defaultdict[int, list[Conflict]] = defaultdict(list)
    for conflict in repair.conflicts:
        parts = {part_of(triple[0]) for _, triple in conflict.assertions}
        if len(parts) > 1:
            one, other, *_ = sorted(parts)
            reason = f"a conflict at {show_time(repair.at)} joins assertions of the parts {one} and {other}"
            raise CheckpointSplitError(
                reason, "divide it by a key that each conflict and each derivation shares"
            )
        conflicts[parts.pop()].append(conflict)
    removed, undecided = (_by_part(some, part_of) for some in (repair.removed, repair.undecided))
    is_complete = repair.conflicts.complete
    return {
        part: Repair.of(
            repair.at,
            repair.method,
            conflicts[part],
            frozenset(removed[part]),
            frozenset(undecided[part]),
            repair.unlisted,
            is_complete,
        )
        for part in sorted({*conflicts, *removed, *undecided})
    }


def _by_part(assertions: Iterable[Assertion], part_of: PartOf) -> defaultdict[int, list[Assertion]]:
    found: defaultdict[int, list[Assertion]] = defaultdict(list)
    for assertion in assertions:
        found[part_of(assertion[1][0])].append(assertion)
    return found


def divided_counters(whole: Counters, pieces: Sequence[Piece]) -> list[Counters]:
    """Return counters of parts that add up to `whole`, if no part's own exceed it."""
    own = [piece.counters for piece in pieces]
    others = [sum(column) for column in zip(*own[1:], strict=True)] or [0] * len(whole)
    first = Counters(*(max(0, count - beside) for count, beside in zip(whole, others, strict=True)))
    return [first, *own[1:]][: len(pieces)]


def merged_histories(histories: Sequence[StreamHistory]) -> Piece:
    """Unite histories of different subjects.

    Raises:
        CheckpointSplitError: ABoxes wait for a proof of their times.
    """
    logs: defaultdict[int, list[Entry]] = defaultdict(list)
    for entry in chain.from_iterable(history.log for history in histories):
        logs[entry.ticks].append(entry)
    first = min(logs, default=None)
    piece = Piece([_united(logs[ticks]) for ticks in sorted(logs)])
    left: defaultdict[int, list[Entry]] = defaultdict(list)
    left_at = dict[int, int]()
    known_from = [each.past.known_from for each in histories if each.past.known_from is not None]
    for each in chain.from_iterable(history.past.departures() for history in histories):
        for entry in each.entries:
            if first is not None and entry.ticks >= first:  # evicted, but not from each of the histories
                known_from.append(each.ticks)
                continue
            left[entry.ticks].append(entry)
            left_at[entry.ticks] = min(each.ticks, left_at.get(entry.ticks, each.ticks))
            if entry.level in each.early:
                piece.early.add(entry.ticks)
    piece.departures = _departures(left, left_at, histories)
    remembered, newest = logs.keys() | left.keys(), max(logs, default=None)
    repairs: defaultdict[int, list[Repair]] = defaultdict(list)
    for history in histories:
        ticks = {entry.level: entry.ticks for entry in chain(history.past.entries(), history.log)}
        for level, repair in history.repairs:
            if ticks[level] in remembered:
                repairs[ticks[level]].append(repair)
        own, arrival = history.log.newest, history.arrival
        if own is not None and own.ticks == newest and arrival is not None:
            piece.contradicted = piece.contradicted or arrival.contradicted
    piece.repairs = {ticks: _united_repairs(some) for ticks, some in repairs.items()}
    piece.waiting = _united_waiting([history.waiting for history in histories])
    piece.known_from = max(known_from, default=None)
    return piece


def _departures(
    left: Mapping[int, Sequence[Entry]], left_at: Mapping[int, int], histories: Sequence[StreamHistory]
) -> list[Departure]:
    """Return the departures of united entries: each at the earliest time at which it or a newer one left."""
    found: list[Departure] = []
    earliest: int | None = None
    entries: dict[int, list[Entry]] = {}
    for ticks in sorted(left, reverse=True):
        earliest = left_at[ticks] if earliest is None else min(earliest, left_at[ticks])
        entries.setdefault(earliest, []).append(_united(left[ticks]))
    departures = chain.from_iterable(history.past.departures() for history in histories)
    known = sorted((each.ticks, each.arrivals_before) for each in departures)
    arrivals = list(accumulate((before for _, before in known), max))
    for at in sorted(entries):
        before = arrivals[bisect_right(known, at, key=itemgetter(0)) - 1]
        found.append(Departure(at, before, entries[at][::-1], (), 0))
    return found


def _united(entries: Sequence[Entry]) -> Entry:
    """Return one entry with the facts of several entries of one tick."""
    if len(entries) == 1:
        return entries[0]
    whole = Encoded.together([Encoded(entry.facts, entry.forms) for entry in entries])
    cut = np.concatenate([entry.cut for entry in entries])
    return Entry(0, entries[0].at, entries[0].ticks, whole.facts, cut, whole.forms)


def _united_repairs(repairs: Sequence[Repair]) -> Repair:
    """Return one repair with the conflicts and removals of several repairs of one tick."""
    if len(repairs) == 1:
        return repairs[0]
    removed, undecided = (
        frozenset(chain.from_iterable(some))
        for some in zip(*((repair.removed, repair.undecided) for repair in repairs), strict=True)
    )
    return Repair.of(
        repairs[0].at,
        repairs[0].method,
        [*chain.from_iterable(repair.conflicts for repair in repairs)],
        removed,
        undecided,
        sum(repair.unlisted for repair in repairs),
        all(repair.conflicts.complete for repair in repairs),
    )


def _united_waiting(parts: Sequence[Waiting[Any]]) -> Waiting[Any]:
    """Return one buffer with the ABoxes of all.

    Raises:
        CheckpointSplitError: ABoxes wait for a proof of their times.
    """
    some = [each for each in parts if each.kind is not None]
    kind = some[0].kind if some else None
    if kind is None:
        return Waiting()
    _refuse_unproven(some)
    newest = max((each.newest for each in some if each.newest is not None), default=None)
    items: list[Timed[Any]] = sorted(chain.from_iterable(some), key=lambda timed: timed.ticks)
    return Waiting.of(kind, newest, items, ())


# -- waiting ABoxes --------------------------------------------------------------------------------


def _waiting_with(whole: Waiting[Any], items: Sequence[Timed[Any]]) -> Waiting[Any]:
    """Return a buffer with other ABoxes; it has equal times."""
    return Waiting() if whole.kind is None else Waiting.of(whole.kind, whole.newest, items, ())


def _divided_waiting(waiting: Waiting[Any], part_of: PartOf) -> dict[int, list[Timed[Any]]]:
    """Divide the ABoxes that wait for the watermark.

    Raises:
        CheckpointSplitError: ABoxes wait for a proof of their times, or a table has blank nodes.
    """
    _refuse_unproven([waiting])
    found: defaultdict[int, list[Timed[Any]]] = defaultdict(list)
    for timed in waiting:
        abox = _triples_of_table(timed) if is_table(timed.item) else timed.item
        parts: defaultdict[int, list[Any]] = defaultdict(list)
        for triple in abox:
            parts[part_of(triple[0])].append(triple)
        for part, triples in parts.items():
            found[part].append(timed._replace(item=tuple(triples)))
    return found


def _triples_of_table(timed: Timed[Any]) -> list[tuple[Term, ...]]:
    rows = zip(*(timed.item.column(name).to_pylist() for name in NAMES), strict=True)
    triples = [tuple(map(parse_term, row)) for row in rows]
    if any(isinstance(term, BNode) for triple in triples for term in triple):
        raise CheckpointSplitError(
            f"the table at {show_time(timed.at)}, which waits for the watermark, has blank nodes",
            "end the stream before the split, so that no ABox waits",
        )
    return triples


def _refuse_unproven(parts: Iterable[Waiting[Any]]) -> None:
    if any(each.unproven for each in parts):
        raise CheckpointSplitError(
            "ABoxes far ahead of the others wait for a proof of their times",
            "end the stream before the split, or use a clock, so that none waits",
        )
