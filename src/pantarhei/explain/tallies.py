"""How assertions fared in window and history, counted: by entity, by property or class, and by constraint."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NO_FACTS, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.explain.quality import Quality, QualityRow
from pantarhei.model.term import RDF_TYPE, Term, Triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.proof import Assertion
from pantarhei.repair.result import Repair
from pantarhei.window.log import Entry, trace

_Name = TypeVar("_Name", Term, str)


@dataclass(slots=True)
class _Fared:
    """What conflicts add to a row, each conflict counted once."""

    won: int = 0
    conflicts: int = 0
    disputes: int = 0
    members: set[Assertion] = field(default_factory=set)
    cut: set[Assertion] = field(default_factory=set)


def quality_of(
    entries: Sequence[Entry],
    left: Mapping[int, int],
    repairs: Iterable[tuple[int, Repair]],
    vocabulary: Vocabulary,
    now: TimePoint | None,
) -> Quality:
    """The quality of what entries assert.

    Costs a look at each fact, a step of Python for each entity and property, and what the repairs' conflicts
    cost to look at.

    Args:
        entries: those of history and window, oldest first.
        left: by level, the ticks at which entries left the window.
        repairs: with the levels of their ABoxes.
        vocabulary: what the numbers mean.
        now: the time that it is seen from.
    """
    rows, is_cut = _occurrences(entries, left)
    cut_at = {entry.level: _cut_of(entry, vocabulary) for entry in entries if len(entry.cut)}
    by_entity: dict[Term, _Fared] = defaultdict(_Fared)
    by_property: dict[Term, _Fared] = defaultdict(_Fared)
    by_constraint: dict[str, _Fared] = defaultdict(_Fared)
    told: set[frozenset[Assertion]] = set()
    for level, repair in repairs:
        gone = cut_at.get(level, frozenset())
        for conflict in repair.conflicts:
            if conflict.assertions in told:  # with `repair="off"` each step tells of it again
                continue
            told.add(conflict.assertions)
            fate = {member: fact_key(member[1], vocabulary) in gone for member in conflict.assertions}
            _note(by_entity, _grouped(fate, lambda member: member[1][0]), fate)
            _note(by_property, _grouped(fate, _predicate), fate)
            for axiom in {rule.axiom for rule in conflict.constraints}:
                _note(by_constraint, {axiom: list(fate)}, fate)

    def counts(
        column: Integers, named: Callable[[int], Term], fared: Mapping[Term, _Fared]
    ) -> list[QualityRow]:
        numbers, places = np.unique(column, return_inverse=True)
        assertions = np.bincount(places, minlength=len(numbers)).tolist()
        cut = np.bincount(places[is_cut], minlength=len(numbers)).tolist()
        last = np.full(len(numbers), -1, np.int64)
        np.maximum.at(last, places[~is_cut], rows[~is_cut, 0])
        found = []
        for number, total, lost, place in zip(numbers.tolist(), assertions, cut, last.tolist(), strict=True):
            about = named(number)
            kept = entries[place].at if place >= 0 else None
            fates = _conflicts(fared.get(about))
            found.append(QualityRow(about, total, lost, *fates, kept, since(kept, now)))
        return found

    predicates, lexicon = vocabulary.with_classes(rows[:, 1:])[:, 0], vocabulary.lexicon
    constraints = []
    for axiom, each in by_constraint.items():
        kept = max((at for at, _ in each.members - each.cut), default=None)
        sizes = len(each.members), len(each.cut)
        constraints.append(QualityRow(axiom, *sizes, *_conflicts(each), kept, since(kept, now)))
    return Quality(
        now,
        entries[0].at if entries else None,
        worst_first(counts(rows[:, 2], lexicon.term, by_entity)),
        worst_first(counts(predicates, lambda number: lexicon.symbols[number].name, by_property)),
        worst_first(constraints),
    )


def _occurrences(entries: Sequence[Entry], left: Mapping[int, int]) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """A row `place of the entry, predicate, subject, object` for each assertion, and which were cut."""
    places = np.repeat(np.arange(len(entries)), [len(entry.facts) for entry in entries])
    facts = np.concatenate([NO_FACTS, *(entry.facts for entry in entries)])
    rows = np.unique(np.column_stack([places, facts]), axis=0)
    found = trace(entries, np.concatenate([NO_FACTS, *(entry.cut for entry in entries)]))
    lasting = np.array([left.get(entry.level, np.iinfo(np.int64).max) for entry in entries], np.int64)
    ticks = np.array([*(entry.ticks for entry in entries), np.iinfo(np.int64).max], np.int64)
    was_cut = ticks[found.cut_at] < lasting[found.places] if len(entries) else np.empty(0, np.bool_)
    cut = np.unique(np.column_stack([found.places, found.facts])[was_cut], axis=0)
    every, counts = np.unique(np.concatenate([rows, cut]), axis=0, return_counts=True)
    return every, counts > 1


def _cut_of(entry: Entry, vocabulary: Vocabulary) -> frozenset[object]:
    """What the arrival of an entry cut, as `fact_key` has it."""
    return frozenset(fact_key(triple, vocabulary) for triple in vocabulary.decode(entry.cut))


def fact_key(triple: Triple, vocabulary: Vocabulary) -> object:
    """What is the same for triples that state one fact: its terms, a literal by its value."""
    subject, predicate, object_ = triple
    number = None if predicate == RDF_TYPE else vocabulary.find(object_)
    return subject, predicate, object_ if number is None else number


def _predicate(member: Assertion) -> Term:
    _, predicate, object_ = member[1]
    return object_ if predicate == RDF_TYPE else predicate


def _grouped(members: Iterable[Assertion], named: Callable[[Assertion], Term]) -> dict[Term, list[Assertion]]:
    parts: dict[Term, list[Assertion]] = defaultdict(list)
    for member in members:
        parts[named(member)].append(member)
    return parts


def _note(
    fared: dict[_Name, _Fared], parts: Mapping[_Name, Sequence[Assertion]], fate: Mapping[Assertion, bool]
) -> None:
    """Count a conflict in the rows of its members; `fate` says which of these were cut."""
    for name, members in parts.items():
        row = fared[name]
        row.conflicts += 1
        row.disputes += len(parts) > 1
        row.won += any(fate.values()) and not all(fate[member] for member in members)
        row.members.update(members)
        row.cut.update(member for member in members if fate[member])


def _conflicts(fared: _Fared | None) -> tuple[int, int, int]:
    return (0, 0, 0) if fared is None else (fared.won, fared.conflicts, fared.disputes)


def since(last: TimePoint | None, now: TimePoint | None) -> int | float | timedelta | None:
    """How long ago a time was; None where one of the two is not known."""
    return None if last is None or now is None else now - last  # type: ignore[operator]


def worst_first(rows: Iterable[QualityRow]) -> tuple[QualityRow, ...]:
    """Rows in the order of a table: first what is cut most, then what is in most conflicts."""
    return tuple(sorted(rows, key=lambda row: (-row.cut, -row.conflicts, -row.disputes, str(row.about))))
