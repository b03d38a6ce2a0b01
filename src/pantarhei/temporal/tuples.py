"""Numbers for pairs (a term and a time) and for tuples of terms, which the temporal kernel uses as names.

The numbers are outside the range of the vocabulary. Pairs count down from the largest name. The number of a
pair is reused once no fact has the pair. Tuples count up from `FIRST_TUPLE`. A tuple consists of two sides,
of which the left one may be a tuple itself; it keeps its number, since remembered conclusions contain it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import (
    FIRST_LITERAL,
    NO_FACTS,
    NONE,
    Fact,
    Integers,
    Renaming,
    as_tuples,
    net_changes,
)
from pantarhei.temporal.expiry_model import EXPIRED, ExpiryModel, RowChanges, StratumOperator

_FEW = 1024
"""Minimum number of pairs, or of tuples, before unused ones are collected."""

_FIRST = FIRST_LITERAL - 1
"""Number of the pair with index 0; numbers descend as indexes ascend."""


class PairNumbers(StratumOperator):
    """Numbers of pairs in facts and of pairs that rules request; also the operator that answers these
    requests.

    Args:
        requested: predicate of requested pairs.
        left, right: predicates of the kernel that relate the number of a pair to its two terms.
    """

    def __init__(self, requested: int, left: int, right: int) -> None:
        self.watched, self.derives = (requested,), NONE
        self._left, self._right = left, right
        self._indexes: dict[int, int] = {}  # indexes of pairs, by the key of their terms
        self._terms = np.empty((0, 2), np.int32)  # by index, as the following arrays
        self._until = np.empty(0, np.int64)  # largest expiry of facts with the pair
        self._is_requested = np.empty(0, bool)  # true if rules request the pair
        self._uses = np.empty(0, np.int32)  # number of rows without expiry that have the pair
        self._links: list[
            tuple[npt.NDArray[np.intp], int]
        ] = []  # pairs to define, with the expiry of their links
        self._allocated = 0  # number of indexes allocated so far
        self._free: list[int] = []
        self._threshold = _FEW

    def numbers_at(self, names: Integers, time: int, expiry: int) -> Integers:
        """Return the numbers of pairs of `names` with one time; the numbers are in use until `expiry`."""
        indexes, fresh = self._indexes_of(names.astype(np.int64) | time << 32)
        self._until[fresh] = expiry
        longer = np.flatnonzero(self._until[indexes] < expiry)
        linked = fresh
        if len(longer):
            raised = np.unique(indexes[longer])
            self._until[raised] = expiry
            linked = np.append(fresh, raised)
        if len(linked):
            self._links.append((linked, expiry))
        return (_FIRST - indexes).astype(np.int32)

    def numbers(self, terms: Integers) -> Integers:
        """Return the numbers of pairs, given as an array of shape (n, 2); `use` counts the rows that contain
        them.
        """
        return (_FIRST - self._indexes_of(_keys(terms))[0]).astype(np.int32)

    def use(self, more: Integers, fewer: Integers) -> Integers:
        """Count rows without expiry that contain pairs.

        Args:
            more: numbers of the pairs of inserted rows.
            fewer: numbers of the pairs of deleted rows.

        Returns: The rows that define the pairs of inserted rows.
        """
        indexes = _FIRST - more
        np.add.at(self._uses, indexes, 1)
        np.subtract.at(self._uses, _FIRST - fewer, 1)
        return self._rows_of(np.unique(indexes))

    def _indexes_of(self, keys: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return the indexes of pairs, and the indexes of those that are new, without duplicates."""
        known, given = self._indexes, keys.tolist()
        fresh = [key for key in dict.fromkeys(given) if key not in known]
        new = self._new(len(fresh))
        known.update(zip(fresh, new.tolist(), strict=True))
        self._terms[new] = np.array(fresh, np.int64).view(np.int32).reshape(-1, 2)
        return np.fromiter(map(known.__getitem__, given), np.intp, len(given)), new

    def _new(self, count: int) -> npt.NDArray[np.intp]:
        """Allocate indexes, free ones first."""
        reused = self._free[len(self._free) - min(count, len(self._free)) :]
        del self._free[len(self._free) - len(reused) :]
        first_new, self._allocated = self._allocated, self._allocated + count - len(reused)
        if self._allocated > len(self._until):
            more = max(_FEW, 2 * self._allocated) - len(self._until)
            self._until = np.append(self._until, np.full(more, EXPIRED, np.int64))
            self._is_requested = np.append(self._is_requested, np.zeros(more, bool))
            self._uses = np.append(self._uses, np.zeros(more, np.int32))
            self._terms = np.append(self._terms, np.empty((more, 2), np.int32), axis=0)
        return np.array([*reused, *range(first_new, self._allocated)], np.intp)

    def _rows_of(self, indexes: npt.NDArray[np.intp]) -> Integers:
        """Return the rows that define pairs: all `left` rows, then all `right` rows."""
        rows = np.empty((2, len(indexes), 3), np.int32)
        rows[0, :, 0], rows[1, :, 0] = self._left, self._right
        rows[:, :, 1], rows[:, :, 2] = _FIRST - indexes, self._terms[indexes].T
        return rows.reshape(-1, 3)

    def first_terms(self, numbers: Integers) -> Integers:
        """Return the first terms of pairs."""
        found: Integers = self._terms[_FIRST - numbers, 0]
        return found

    def take_links(self) -> Iterator[tuple[Integers, int]]:
        """Return the defining rows, with expiries, of pairs that were numbered or extended since the last
        call.
        """
        links, self._links = self._links, []
        return ((self._rows_of(indexes), expiry) for indexes, expiry in links)

    def react(self, changed: Integers, model: ExpiryModel) -> RowChanges:
        """Return the defining rows of newly requested pairs."""
        rows = net_changes(changed)[:, :3]
        (indexes, _), requested = self._indexes_of(_keys(rows[:, 1:])), model.present(rows)
        self._is_requested[indexes] = requested
        return RowChanges(self._rows_of(indexes[requested]), NO_FACTS)

    def remove_unused(self, tick: int) -> Integers:
        """Free the numbers of pairs that no fact has after a tick; return their defining rows."""
        if len(self._indexes) < self._threshold:
            return NO_FACTS
        indexes = np.array(list(self._indexes.values()), np.intp)
        is_used = self._is_requested[indexes] | (self._uses[indexes] > 0)
        unused = np.sort(indexes[(self._until[indexes] < tick) & ~is_used])
        for key in _keys(self._terms[unused]).tolist():
            del self._indexes[key]
        self._until[unused] = EXPIRED
        self._free += unused.tolist()
        self._threshold = max(_FEW, 2 * len(self._indexes))
        return self._rows_of(unused)


def _keys(terms: Integers) -> npt.NDArray[np.int64]:
    """Return one 64-bit key for each row of two 32-bit numbers."""
    keys: npt.NDArray[np.int64] = np.ascontiguousarray(terms).view(np.int64)[:, 0]
    return keys


FIRST_TUPLE: Final = FIRST_LITERAL // 2
"""Smallest number of a tuple."""


class TupleNumbers:
    """Bijection between tuples and numbers; numbers are never reused.

    Args:
        parts: the two sides of each tuple, by the tuple's number.
    """

    def __init__(self, parts: Mapping[int, tuple[int, int]] | None = None) -> None:
        self._parts = dict(parts or {})
        self._numbers = {both: number for number, both in self._parts.items()}
        self._next = max(self._parts, default=FIRST_TUPLE - 1) + 1

    def number(self, left: int, right: int) -> int:
        """Return the number of a tuple; a new tuple gets the next number."""
        number = self._numbers.get((left, right))
        if number is None:
            number, self._next = self._next, self._next + 1
            self._parts[number] = left, right
            self._numbers[left, right] = number
        return number

    def parts(self, number: int) -> tuple[int, int]:
        """Return the two sides of a tuple, given its number."""
        return self._parts[number]

    def terms(self, number: int) -> list[int]:
        """Return the terms of a tuple, or the number itself in a list if it is a term."""
        found = []
        while is_tuple(number):
            number, right = self._parts[number]
            found.append(right)
        return [number, *reversed(found)]

    def with_inner(self, numbers: Iterable[int]) -> list[int]:
        """Return the tuples among numbers and the tuples nested in them, inner ones first, without
        duplicates.
        """
        found: dict[int, None] = {}
        for number in numbers:
            nested = []
            while is_tuple(number):
                nested.append(number)
                number = self._parts[number][0]
            found.update(dict.fromkeys(reversed(nested)))
        return list(found)

    def without_tuples(self, facts: Integers) -> Integers:
        """Return rows that contain all terms of facts, with `NONE` in place of tuples.

        For each tuple there is a further row with its terms.
        """
        tuples = are_tuples(facts[:, 1])
        if not tuples.any():
            return facts
        inner = [self._parts[number] for number in self.with_inner(facts[tuples, 1].tolist())]
        rows = np.concatenate([facts, [(NONE, left, right) for left, right in inner]]).astype(np.int32)
        rows[are_tuples(rows[:, 1]), 1] = NONE
        return rows

    def renamed(self, renaming: Renaming, used: Iterable[int]) -> TupleNumbers:
        """Return the used tuples and the tuples nested in them, with renumbered terms."""
        numbers = self.with_inner(used)
        rows = np.array([(NONE, *self._parts[number]) for number in numbers], np.int32).reshape(-1, 3)
        renamed = renamed_facts(renaming, rows).tolist()
        return TupleNumbers(
            {number: (left, right) for number, (_, left, right) in zip(numbers, renamed, strict=True)}
        )


def is_tuple(number: int) -> bool:
    """Test whether a number denotes a tuple."""
    return FIRST_TUPLE <= number < FIRST_LITERAL


def are_tuples(numbers: Integers) -> npt.NDArray[np.bool_]:
    """Return a mask of the numbers that denote tuples."""
    return (numbers >= FIRST_TUPLE) & (numbers < FIRST_LITERAL)


def renamed_facts(renaming: Renaming, facts: Integers) -> Integers:
    """Renumber the terms of facts of the temporal kernel; predicates and tuples keep their numbers."""
    bare, tuples = facts.copy(), are_tuples(facts[:, 1])
    bare[:, 0] = NONE
    bare[tuples, 1] = NONE
    renamed = renaming.facts(bare)
    renamed[:, 0], renamed[tuples, 1] = facts[:, 0], facts[tuples, 1]
    return renamed


class TupleRows(StratumOperator):
    """Operator that answers requests for tuples with the rows that define them.

    Args:
        tuples: numbers the tuples.
        requested: predicate of requested tuples.
        first, rest: predicates of the kernel that relate the number of a tuple to its two sides.
    """

    def __init__(self, tuples: TupleNumbers, requested: int, first: int, rest: int) -> None:
        self.watched, self.derives = (requested,), NONE
        self._tuples, self._requested, self._first, self._rest = tuples, requested, first, rest
        self._linked: dict[int, None] = {}
        self._threshold = _FEW

    def define(self, facts: Integers) -> Integers:
        """Return the rows that define the tuples in facts."""
        return self._link(self._tuples.with_inner(facts[:, 1].tolist()))

    def react(self, changed: Integers, model: ExpiryModel) -> RowChanges:
        """Return the defining rows of newly requested tuples."""
        rows = net_changes(changed)[:, :3]
        requested = as_tuples(rows[model.present(rows)])
        return RowChanges(
            self._link(self._tuples.number(left, right) for _, left, right in requested), NO_FACTS
        )

    def _link(self, numbers: Iterable[int]) -> Integers:
        fresh = [number for number in numbers if number not in self._linked]
        self._linked.update(dict.fromkeys(fresh))
        return self._rows(fresh)

    def _rows(self, numbers: Iterable[int]) -> Integers:
        rows: list[Fact] = []
        for number in numbers:
            left, right = self._tuples.parts(number)
            rows += [(self._first, number, left), (self._rest, number, right)]
        return np.array(rows, np.int32).reshape(-1, 3)

    def remove_unused(self, model: ExpiryModel) -> Integers:
        """Return the defining rows of tuples that no fact contains.

        Scans the model once the number of defined tuples has doubled since the last scan.
        """
        if len(self._linked) < self._threshold:
            return NO_FACTS
        facts = model.facts()
        facts = facts[(facts[:, 0] != self._first) & (facts[:, 0] != self._rest)]
        requested = facts[facts[:, 0] == self._requested, 1:].tolist()
        used = [self._tuples.number(left, right) for left, right in requested]
        used += facts[:, 1:][are_tuples(facts[:, 1:])].tolist()
        kept = dict.fromkeys(number for number in self._tuples.with_inner(used) if number in self._linked)
        unused = self._rows(number for number in self._linked if number not in kept)
        self._linked, self._threshold = kept, max(_FEW, 2 * len(kept))
        return unused
