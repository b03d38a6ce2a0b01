"""Bulk load: many facts into the kernel at once, and closed models of many ABoxes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NONE, Integers
from pantarhei.materialize.bulk.columns import (
    NO_COLUMNS,
    ONE_TERM,
    Columns,
    Keys,
    columns_by_predicate,
    columns_of,
    pair_keys,
    starts_of,
    subjects_of,
)
from pantarhei.materialize.bulk.evaluation import BulkProgram, Settled, TooManyError, TooSlowError, edges_of
from pantarhei.materialize.bulk.plans import MOST_ROWS, ColumnMatcher, Frame, JoinStep, Literals, term_starts
from pantarhei.materialize.kernel.constants import EDGE
from pantarhei.materialize.kernel.newest import NewestKernel
from pantarhei.materialize.kernel.rows import ROW
from pantarhei.materialize.kernel_values import contiguous
from pantarhei.rules.compilation.plan import FORWARD
from pantarhei.rules.compilation.program import Plans


def load(
    kernel: NewestKernel,
    program: BulkProgram,
    facts: Integers,
    levels: Integers,
    previous: Integers,
    literals: Literals,
) -> None:
    """Assert facts like `kernel.add`, but derive their consequences by column, and store them as settled.

    Costs some milliseconds, sorting the stored facts, and a fraction of the kernel's time for each fact. If
    too few facts are derived at a time, the kernel derives them by row. No interpretation may have been
    merged into the kernel, since the levels of its facts lack derivations.

    Args:
        program: the plans of the kernel's program.
        facts: int32, contiguous, shape (n, 3).
        levels: of each fact.
        previous: set as by `kernel.add`.

    Raises:
        CapacityExceededError: the kernel's limit is exceeded; the kernel is unusable.
    """
    new = _new(kernel, facts)
    most = min(kernel.store.max_facts, kernel.store.max_bytes // ROW.itemsize) - kernel.store.live
    try:
        closure = program.closure(_stored(kernel, program), facts[new], levels[new], literals, most)
    except TooManyError as error:
        kernel.store.reserve(error.facts)  # raises CapacityExceededError
        raise AssertionError("there was room") from error
    except TooSlowError:
        kernel.use_literals(literals)
        kernel.add(contiguous(facts), contiguous(levels), contiguous(previous))
        return
    kernel.use_literals(literals)  # its array may have been reallocated
    kernel.store.reserve(closure.inserted)
    for part in closure.settled:
        edges = _edges_among(part, closure.edges)
        kernel.insert_settled(contiguous(part.facts), contiguous(part.columns.levels), contiguous(edges))
    kernel.firings += closure.firings
    kernel.record_assertions(contiguous(facts), contiguous(levels), contiguous(previous))
    if program.noted:
        edges = np.concatenate([facts[:0], *(part.facts for part in closure.edges)])
        kernel.flag_edges(contiguous(edges))
    if kernel.detect:
        for plan, violating in closure.violating:
            kernel.find_violations_with(plan, contiguous(violating))


def _new(kernel: NewestKernel, facts: Integers) -> slice | npt.NDArray[np.bool_]:
    """Return a mask of the facts that are not stored."""
    if not kernel.store.live:
        return slice(None)
    levels = np.empty(len(facts), np.int32)
    kernel.find_levels(contiguous(facts), contiguous(levels))
    new: npt.NDArray[np.bool_] = levels == NONE
    return new


def _edges_among(part: Settled, edges: Sequence[Settled]) -> Integers:
    """Return 1 for each of the facts that is an edge, else 0."""
    found = np.zeros(len(part.columns), np.int32)
    for others in edges:
        if others.predicate == part.predicate:
            found[others.columns.find(part.columns.keys) >= 0] = 1
    return found


def _stored(kernel: NewestKernel, program: BulkProgram) -> dict[int, Columns]:
    """Return the columns of the kernel's facts, and of their edges."""
    if not kernel.store.live:
        return {}
    *fact, levels, flags = kernel.store.columns("predicate", "subject", "object", "level", "flags")
    present = fact[0] >= 0
    facts = np.stack([column[present] for column in fact], axis=1).astype(np.int32)
    levels = levels[present].astype(np.int32)
    columns = columns_of(facts, levels)
    if program.noted:
        edges = np.isin(facts[:, 0], list(program.noted)) & (flags[present] & EDGE != 0)
        found = columns_of(facts[edges], levels[edges])
        columns.update((edges_of(predicate), some) for predicate, some in found.items())
    return columns


_ABOX = -2  # column of frames: the number of the match's ABox, shifted to its place before a subject
_BITS = 31  # bits of a subject with its ABox number


class ClosedABoxes(NamedTuple):
    """Canonical models of ABoxes.

    Args:
        first: mask of the given facts that are the first occurrence in their ABox.
        derived: for each ABox the facts of its model that are neither asserted nor in the background, ordered
            so that each follows from preceding facts, asserted facts and the background.
        contradictory: the indexes of ABoxes that violate constraints.
    """

    first: npt.NDArray[np.bool_]
    derived: Sequence[Integers]
    contradictory: frozenset[int]


def most_aboxes(names: int) -> int:
    """Return the number of ABoxes that can be closed together in a vocabulary with `names` names."""
    return 1 << (_BITS - _bits(names))


class ABoxProgram:
    """Plans of a program on a background, for closing several ABoxes together, each one alone with the
    background.

    In the keys, the number of the ABox precedes the subject, so that facts of different ABoxes do not join. A
    match consists of facts of one ABox and of the background, which is stored once. All new facts have one
    level. Construction costs time linear in the plans, and sorting the background.

    Args:
        background: closed under the rules, shape (n, 3).
    """

    def __init__(self, plans: Plans, background: Integers) -> None:
        self._program = BulkProgram(plans, frozenset((_ABOX,)))
        self._background = columns_of(background, np.zeros(len(background), np.int32))
        for predicate in (
            self._program.noted & self._background.keys()
        ):  # every background fact counts as an edge
            self._background[edges_of(predicate)] = self._background[predicate]

    def close(
        self,
        facts: Integers,
        bounds: Sequence[int],
        names: int,
        literals: Literals,
        most: int = sys.maxsize,
    ) -> ClosedABoxes:
        """Return the models of the ABoxes `facts[bounds[i]:bounds[i + 1]]`, shape (n, 3) each.

        Args:
            names: number of names in the vocabulary.
            most: limit of facts in all models together, without the background.

        Raises:
            TooManyError: the limit is exceeded.
            TooSlowError: too few facts are derived at a time.
        """
        bits, count = _bits(names), len(bounds) - 1
        tagged = facts.copy()
        tagged[:, 1] |= np.repeat(np.arange(count, dtype=np.int32) << bits, np.diff(bounds))
        given = columns_by_predicate(tagged, np.arange(len(facts), dtype=np.int32))
        first = np.ones(len(facts), bool)
        asserted: dict[int, tuple[Keys, Integers]] = {}
        for predicate, (keys, places) in given.items():
            keys, of_keys = np.unique(keys, return_index=True)
            if len(keys) < len(places):
                first[places] = False
                first[places[of_keys]] = True
            asserted[predicate] = keys, np.zeros(len(keys), np.int32)
        matcher = _ABoxMatcher(self._background, literals, self._program.width, bits)
        closure = self._program.close(matcher, asserted, most)
        violating = [np.unique(some.facts[:, 1] >> bits) for some in closure.violating]
        return ClosedABoxes(
            first,
            _split_by_abox(_not_asserted(closure.settled, asserted), bits, count),
            frozenset(int(abox) for aboxes in violating for abox in aboxes),
        )


def _bits(names: int) -> int:
    """Return the number of bits of the largest of `names` numbers."""
    return max(1, (names - 1).bit_length())


def _not_asserted(settled: Sequence[Settled], asserted: Mapping[int, tuple[Keys, Integers]]) -> Integers:
    """Return the settled facts that are not asserted, in order."""
    found = [NO_FACTS]
    for predicate, columns in settled:
        known = asserted.get(predicate)
        if known is None:
            found.append(Settled(predicate, columns).facts)
            continue
        derived = Columns(*known).find(columns.keys) < 0
        found.append(Settled(predicate, Columns(columns.keys[derived], columns.levels[derived])).facts)
    return np.concatenate(found)


def _split_by_abox(facts: Integers, bits: int, count: int) -> list[Integers]:
    """Return the facts of each ABox, in order, with the number of the ABox removed from the subjects."""
    aboxes = facts[:, 1] >> bits
    # numpy uses radix sort for 16-bit numbers
    order = np.argsort(aboxes.astype(np.uint16) if count <= 1 << 16 else aboxes, kind="stable")
    facts = facts[order]
    facts[:, 1] &= (1 << bits) - 1
    return np.split(facts, np.searchsorted(aboxes[order], np.arange(1, count)))


class _ABoxMatcher(ColumnMatcher):
    """Matcher of bodies whose facts belong to one ABox or to a background; `columns` has the facts of all
    ABoxes.
    """

    def __init__(self, background: Mapping[int, Columns], literals: Literals, width: int, bits: int) -> None:
        super().__init__({}, literals, width, MOST_ROWS)
        self._background, self._bits = background, bits
        self._name = np.int32((1 << bits) - 1)

    def newer(self, predicate: int, keys: Keys, levels: Integers) -> Columns:
        news = super().newer(predicate, keys, levels)
        background = self._background.get(predicate)
        if background is None:
            return news
        plain = news.keys & np.int64((1 << (32 + self._bits)) - 1)
        fresh = background.find(plain) < 0
        return news if fresh.all() else Columns(news.keys[fresh], news.levels[fresh])

    def keys(self, frame: Frame, first: int, second: int) -> Keys:
        return pair_keys(frame.slots[_ABOX] | frame.value(first), frame.value(second))

    def _subjects(self, keys: Keys) -> Integers:
        return subjects_of(keys) & self._name

    def _extra_columns(self, keys: Keys) -> Mapping[int, Integers]:
        return {_ABOX: subjects_of(keys) & ~self._name}

    def _check(self, frame: Frame, step: JoinStep) -> Iterator[Frame]:
        predicate, first, second, _ = step.operands
        frame = _with_name_subjects(frame, first)
        own, background = (part.get(predicate, NO_COLUMNS) for part in (self.columns, self._background))
        found = own.find(self.keys(frame, first, second)) >= 0
        if len(background):
            found |= background.find(super().keys(frame, first, second)) >= 0
        frame = frame.only(step.needed)
        yield frame if found.all() else frame.rows(np.flatnonzero(found))

    def _walk(self, frame: Frame, step: JoinStep) -> Iterator[Frame]:
        predicate, first, _, _ = step.operands
        frame = _with_name_subjects(frame, first) if step.kind == FORWARD else frame
        background, own = (part.get(predicate, NO_COLUMNS) for part in (self._background, self.columns))
        yield from self._join_ranges(background, frame, step, term_starts, ONE_TERM)
        if step.kind == FORWARD:
            yield from self._join_ranges(own, frame, step, _of_subjects, ONE_TERM)
        else:
            yield from self._join_ranges(own, frame, step, _of_objects, 1 << self._bits)


def _with_name_subjects(frame: Frame, subject: int) -> Frame:
    """Return the matches in which an argument is not a literal.

    A literal's number combined with that of an ABox would look like a name.
    """
    names = frame.column(subject) < FIRST_LITERAL
    return frame if names.all() else frame.rows(names)


def _of_subjects(frame: Frame, known: int) -> Keys:
    return starts_of(frame.slots[_ABOX] | frame.column(known))


def _of_objects(frame: Frame, known: int) -> Keys:
    return term_starts(frame, known) | frame.slots[_ABOX]
