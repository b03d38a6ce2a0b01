"""Facts of one predicate as columns: sorted 64-bit keys, and the level of each fact.

A key is `subject << 32 | object + 1`; a class fact has object -1. Columns are immutable; changes create new
columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import Integers
from pantarhei.materialize.kernel import arrays as radix

Keys = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]

_radix: Any = radix  # compiled, therefore untyped
_SHIFT = np.int64(32)
_LOW = np.int64(0xFFFFFFFF)

ONE_TERM = 1 << 32
"""Number of possible keys of one subject."""


def pair_keys(subjects: Integers | int, objects: Integers | int) -> Keys:
    """Return the keys of facts; a single number is broadcast."""
    high = np.left_shift(np.asarray(subjects, np.int64), _SHIFT)
    low = np.add(objects, 1, dtype=np.int64)
    if high.shape == low.shape and high.ndim:
        return np.bitwise_or(high, low, out=high)
    return np.asarray(high | low)


def classes_of_subjects(keys: Keys) -> Keys:
    """Return the keys of the class facts about the subjects of these keys."""
    return np.bitwise_and(keys, ~_LOW)


def subjects_of(keys: Keys) -> Integers:
    """Return the subject of each key."""
    return np.right_shift(keys, _SHIFT).astype(np.int32)


def objects_of(keys: Keys) -> Integers:
    """Return the object of each key."""
    return (np.bitwise_and(keys, _LOW) - 1).astype(np.int32)


class RowMatches(NamedTuple):
    """Pairs of a row of the query and the index of a matching fact in the columns."""

    rows: Places
    places: Places | Integers


class Columns:
    """Facts of one predicate.

    Args:
        keys: ascending and distinct.
        levels: of each fact.
    """

    def __init__(self, keys: Keys, levels: Integers) -> None:
        self.keys, self.levels = keys, levels

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def _keys_by_object(self) -> tuple[Keys, Integers]:
        """Keys with subject and object exchanged, ascending, and for each the index of its fact."""
        turned = pair_keys(objects_of(self.keys), subjects_of(self.keys) - 1) if len(self.keys) else self.keys
        places = np.arange(len(turned), dtype=np.int32)
        keys, order = _radix.sorted_with(turned, places)
        return keys, order

    def find(self, keys: Keys) -> Places:
        """Return the index of each of `keys`, -1 for a missing one."""
        if not len(self.keys):
            return np.full(len(keys), -1, np.intp)
        places = np.searchsorted(self.keys, keys)
        places[places == len(self.keys)] = 0
        places[self.keys[places] != keys] = -1
        return places

    def forwards(self, starts: Keys, width: int) -> RowMatches:
        """Return the facts whose keys are in `[start, start + width)`, for each of `starts`."""
        return _ranges(self.keys, starts, width)

    def backwards(self, starts: Keys, width: int) -> RowMatches:
        """Return the facts whose keys are in `[start, start + width)` after exchanging subject and object,
        for each of `starts`.
        """
        turned, order = self._keys_by_object
        rows, places = _ranges(turned, starts, width)
        return RowMatches(rows, order[places])

    def count_forwards(self, starts: Keys, width: int) -> int:
        """Return the number of matches of `forwards`."""
        return _count(self.keys, starts, width)

    def count_backwards(self, starts: Keys, width: int) -> int:
        """Return the number of matches of `backwards`."""
        return _count(self._keys_by_object[0], starts, width)

    def newer(self, keys: Keys, levels: Integers) -> Columns:
        """Return those of the given facts that are missing here or have a lower level here."""
        given = _distinct(keys, levels)
        if not len(self.keys):
            return given
        places = self.find(given.keys)
        newer = np.where(places < 0, True, given.levels > self.levels[places])
        return Columns(given.keys[newer], given.levels[newer])

    def merged_with(self, newer: Columns) -> Columns:
        """Return the columns with the facts of `newer` inserted or raised to their new levels.

        Costs time linear in all facts.
        """
        if not len(self.keys):
            return newer
        places = np.searchsorted(self.keys, newer.keys)
        inside = np.minimum(places, len(self.keys) - 1)
        known = self.keys[inside] == newer.keys
        levels = self.levels
        if known.any():
            levels = levels.copy()
            levels[places[known]] = newer.levels[known]
        new = ~known
        where = places[new]
        return Columns(
            np.insert(self.keys, where, newer.keys[new]), np.insert(levels, where, newer.levels[new])
        )


NO_COLUMNS = Columns(np.empty(0, np.int64), np.empty(0, np.int32))


def columns_of(facts: Integers, levels: Integers) -> dict[int, Columns]:
    """Return columns by predicate of facts, shape (n, 3). The cost is that of sorting the facts."""
    return {
        predicate: _distinct(keys, at)
        for predicate, (keys, at) in columns_by_predicate(facts, levels).items()
    }


def merged(parts: Sequence[tuple[Keys, Integers]]) -> tuple[Keys, Integers]:
    """Merge parts, each keys and levels: each fact once, at its highest level."""
    if len(parts) == 1:
        return parts[0]
    keys, levels = (np.concatenate(column) for column in zip(*parts, strict=True))
    whole = _distinct(keys, levels)
    return whole.keys, whole.levels


def columns_by_predicate(facts: Integers, levels: Integers) -> Mapping[int, tuple[Keys, Integers]]:
    """Return the keys and levels of facts, shape (n, 3), grouped by ascending predicate."""
    if not len(facts):
        return {}
    column = facts[:, 0]
    # numpy uses radix sort for 16-bit numbers
    order = np.argsort(column.astype(np.uint16) if column.max() <= 0xFFFF else column, kind="stable")
    predicates, keys = facts[order, 0], pair_keys(facts[order, 1], facts[order, 2])
    starts = np.flatnonzero(np.diff(predicates, prepend=-1))
    ends = [*starts[1:].tolist(), len(order)]
    levels = levels[order]
    return {
        int(predicates[start]): (keys[start:end], levels[start:end])
        for start, end in zip(starts.tolist(), ends, strict=True)
    }


def _distinct(keys: Keys, levels: Integers) -> Columns:
    """Return the distinct facts, each at its highest level."""
    if np.all(keys[1:] > keys[:-1]):  # usual where facts are derived column by column
        return Columns(keys, levels)
    if levels.min() == levels.max():
        keys = _radix.sorted_keys(keys)
        new = keys[1:] != keys[:-1]
        if new.all():
            return Columns(keys, levels)
        keys = np.append(keys[:1], keys[1:][new])
        return Columns(keys, levels[: len(keys)])
    keys, levels = _radix.sorted_with(keys, levels)
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    return Columns(keys[starts], np.maximum.reduceat(levels, starts))


def starts_of(terms: Integers) -> Keys:
    """Return the lowest key of each of `terms`; the keys of one term span `ONE_TERM` numbers."""
    return terms.astype(np.int64) << _SHIFT


def _bounds(keys: Keys, starts: Keys, width: int) -> tuple[Places, Places]:
    return np.searchsorted(keys, starts), np.searchsorted(keys, starts + width)


def _count(keys: Keys, starts: Keys, width: int) -> int:
    begins, ends = _bounds(keys, starts, width)
    return int((ends - begins).sum())


def _ranges(keys: Keys, starts: Keys, width: int) -> RowMatches:
    """Return the indexes of the keys in the range of each of `starts`."""
    begins, ends = _bounds(keys, starts, width)
    counts = ends - begins
    rows = np.repeat(np.arange(len(starts)), counts)
    before = np.cumsum(counts) - counts
    return RowMatches(rows, np.arange(len(rows)) + np.repeat(begins - before, counts))
