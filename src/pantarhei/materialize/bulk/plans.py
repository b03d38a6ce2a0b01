"""Matching of rule bodies by column, like the kernel's matching by row (materialize/kernel/matcher.py).

A plan is decoded from the kernel's code. Matching maintains a *frame*: partial matches as an array for each
bound variable, and the smallest level of each partial match. Each step extends or filters the frame. A frame
that would exceed a limit is split in halves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers
from pantarhei.materialize.bulk.columns import (
    NO_COLUMNS,
    ONE_TERM,
    Columns,
    Keys,
    Places,
    objects_of,
    pair_keys,
    starts_of,
    subjects_of,
)
from pantarhei.rules.compilation.plan import (
    CHECK,
    COMPUTE,
    DIFFERENT,
    FORWARD,
    HOLDS,
    IDENTICAL,
    INSIDE,
    NAMED,
)

MOST_ROWS = 1 << 22
"""Maximum number of rows of a frame, of 16 to 40 bytes each."""

TRIGGER = -1
"""Column of the frames of a constraint: the index of the given fact that is the trigger."""


class JoinStep(NamedTuple):
    """Further atom of a body, or a condition, as in matcher.py; `needed` are the variables used after it."""

    kind: int
    operands: tuple[int, int, int, int]
    needed: frozenset[int]


class Plan(NamedTuple):
    """One rule, matched starting from one atom of its body, the trigger.

    Args:
        offset: index of the plan in the kernel's code.
        head: predicate and arguments, NONE for a constraint.
        trigger: arguments of the trigger.
        steps: the other atoms.
        conditions: evaluated after the atoms.
        derives_edges: true if the heads are edges of their property.
    """

    offset: int
    head: tuple[int, int, int]
    trigger: tuple[int, int]
    steps: tuple[JoinStep, ...]
    conditions: tuple[JoinStep, ...]
    derives_edges: bool

    @property
    def renames(self) -> bool:
        """True if the rule copies each fact, or the subject of each fact, to another predicate."""
        first, second = self.trigger
        plain = first >= 0 and first != second and (second >= 0 or second == NONE)
        alone = not self.steps and not self.conditions
        return alone and plain and self.head[1:] in (self.trigger, (first, NONE))


class Literals(Protocol):
    """Data ranges of literals, and built-ins, of a vocabulary."""

    memberships: npt.NDArray[np.uint8]

    def evaluate(self, builtin: int, left: int, right: int) -> int:
        """Evaluate a built-in, like `Vocabulary.evaluate`."""


class Frame(NamedTuple):
    """Partial matches: the terms bound to the variables that are still needed, and the smallest level of each
    match.
    """

    slots: Mapping[int, Integers]
    levels: Integers

    def rows(self, places: Places | npt.NDArray[np.bool_] | slice) -> Frame:
        """Return the matches with these indexes."""
        return Frame({slot: terms[places] for slot, terms in self.slots.items()}, self.levels[places])

    def only(self, needed: frozenset[int]) -> Frame:
        """Return the frame without the variables that are no longer needed."""
        return Frame({slot: terms for slot, terms in self.slots.items() if slot in needed}, self.levels)

    def halves(self) -> tuple[Frame, Frame]:
        """Return the first and the second half of the matches."""
        middle = len(self.levels) // 2
        return self.rows(slice(0, middle)), self.rows(slice(middle, None))

    def value(self, argument: int) -> Integers | int:
        """Return an argument of a plan: the column of a variable, or a constant."""
        if argument >= 0:
            return self.slots[argument]
        return argument if argument == NONE else -2 - argument

    def column(self, argument: int) -> Integers:
        """Return an argument of a plan as a column."""
        return np.broadcast_to(np.asarray(self.value(argument), np.int32), self.levels.shape)


def term_starts(frame: Frame, known: int) -> Keys:
    """Return for each match the lowest key of the term of an argument."""
    return starts_of(frame.column(known))


class ColumnMatcher:
    """Matcher of plans against columns.

    Args:
        columns: the facts by predicate, which the caller may change between matches.
        literals: evaluates conditions.
        width: bytes of data ranges for each literal.
        most_rows: maximum number of rows of a frame.
    """

    def __init__(self, columns: dict[int, Columns], literals: Literals, width: int, most_rows: int) -> None:
        self.columns, self._literals, self._width = columns, literals, width
        self.most_rows = most_rows

    def newer(self, predicate: int, keys: Keys, levels: Integers) -> Columns:
        """Return those of the given facts that are missing or have a lower level in the columns."""
        return self.columns.get(predicate, NO_COLUMNS).newer(keys, levels)

    def keys(self, frame: Frame, first: int, second: int) -> Keys:
        """Return for each match the key of the fact that has these two arguments."""
        return np.broadcast_to(pair_keys(frame.value(first), frame.value(second)), frame.levels.shape)

    def matches(self, plan: Plan, given: Columns) -> Iterator[Frame]:
        """Yield the matches of `plan` whose trigger is one of the facts `given`, as frames."""
        frame = self._begin(plan, given)
        return self._match(plan, 0, frame) if len(frame.levels) else iter(())

    def _begin(self, plan: Plan, given: Columns) -> Frame:
        """Return the frame of the facts that match the trigger."""
        first, second = plan.trigger
        subjects, objects = self._subjects(given.keys), objects_of(given.keys)
        kept: npt.NDArray[np.bool_] | None = None
        if first < 0:
            kept = subjects == -2 - first
        if second == first and first >= 0:
            kept = subjects == objects
        elif second < 0 and second != NONE:
            agreeing = objects == -2 - second
            kept = agreeing if kept is None else kept & agreeing
        slots = {slot: terms for slot, terms in ((first, subjects), (second, objects)) if slot >= 0}
        slots |= self._extra_columns(given.keys)
        if plan.head[0] == NONE:
            slots[TRIGGER] = np.arange(len(given), dtype=np.int32)
        frame = Frame(slots, given.levels)
        return frame if kept is None else frame.rows(kept)

    def _subjects(self, keys: Keys) -> Integers:
        return subjects_of(keys)

    def _extra_columns(self, _keys: Keys) -> Mapping[int, Integers]:
        """Return columns of the first frame in addition to the variables of the plan."""
        return {}

    def _match(self, plan: Plan, at: int, frame: Frame) -> Iterator[Frame]:
        if at == len(plan.steps):
            for condition in plan.conditions:
                frame = self._met(condition, frame)
            if len(frame.levels):
                yield frame
            return
        step = plan.steps[at]
        for longer in self._check(frame, step) if step.kind == CHECK else self._walk(frame, step):
            if len(longer.levels):
                yield from self._match(plan, at + 1, longer)

    def _check(self, frame: Frame, step: JoinStep) -> Iterator[Frame]:
        predicate, first, second, _ = step.operands
        columns = self.columns.get(predicate, NO_COLUMNS)
        if not len(columns):
            return
        places = columns.find(self.keys(frame, first, second))
        found = np.flatnonzero(places >= 0)
        frame = frame.only(step.needed)
        if len(found) < len(places):
            frame, places = frame.rows(found), places[found]
        yield Frame(frame.slots, np.minimum(frame.levels, columns.levels[places]))

    def _walk(self, frame: Frame, step: JoinStep) -> Iterator[Frame]:
        """Join a step with one bound argument, from subjects to objects or from objects to subjects."""
        columns = self.columns.get(step.operands[0], NO_COLUMNS)
        return self._join_ranges(columns, frame, step, term_starts, ONE_TERM)

    def _join_ranges(
        self,
        columns: Columns,
        frame: Frame,
        step: JoinStep,
        starts_of: Callable[[Frame, int], Keys],
        width: int,
    ) -> Iterator[Frame]:
        """Join a step with facts of `columns`: those whose keys are in the range that the bound argument
        determines.

        Args:
            starts_of: returns the start of the range for each partial match, given the frame and the bound
                argument.
            width: length of the ranges.
        """
        if not len(columns):
            return
        _, first, second, _ = step.operands
        if step.kind == FORWARD:
            known, bound = first, second
            count, find = columns.count_forwards, columns.forwards
        else:
            known, bound = second, first
            count, find = columns.count_backwards, columns.backwards
        for part in self._parts(frame, lambda some: count(starts_of(some, known), width)):
            rows, places = find(starts_of(part, known), width)
            longer = part.only(step.needed).rows(rows)
            slots = dict(longer.slots)
            if bound in step.needed:
                keys = columns.keys[places]
                slots[bound] = objects_of(keys) if step.kind == FORWARD else self._subjects(keys)
            yield Frame(slots, np.minimum(longer.levels, columns.levels[places]))

    def _parts(self, frame: Frame, count: Callable[[Frame], int]) -> Iterator[Frame]:
        """Split the frame into parts that stay within the limit when they are extended."""
        if len(frame.levels) > 1 and count(frame) > self.most_rows:
            for half in frame.halves():
                yield from self._parts(half, count)
        else:
            yield frame

    # -- conditions --------------------------------------------------------------------------------

    def _met(self, condition: JoinStep, frame: Frame) -> Frame:
        """Return the matches that meet a condition. A computation also binds its slot."""
        kind, (first, second, third, slot) = condition.kind, condition.operands
        if kind in (DIFFERENT, IDENTICAL):
            same = frame.column(first) == frame.column(second)
            return frame.rows(same if kind == IDENTICAL else ~same).only(condition.needed)
        if kind in (HOLDS, COMPUTE):
            result = self._evaluated(first, frame.column(second), frame.column(third))
            if kind == HOLDS:
                return frame.rows(result != 0).only(condition.needed)
            frame = Frame({**frame.slots, slot: result}, frame.levels)
            return frame.rows(result >= 0).only(condition.needed)
        terms = frame.column(first)
        is_literal = terms >= FIRST_LITERAL
        if kind == NAMED:
            return frame.rows(~is_literal).only(condition.needed)
        wanted = self._members(terms, is_literal, second) == (kind == INSIDE)
        return frame.rows(is_literal & wanted).only(condition.needed)

    def _members(
        self, terms: Integers, is_literal: npt.NDArray[np.bool_], range_: int
    ) -> npt.NDArray[np.bool_]:
        literals = np.where(is_literal, terms.astype(np.int64) - FIRST_LITERAL, 0)
        if not is_literal.any():
            return is_literal
        bits = self._literals.memberships[literals * self._width + (range_ >> 3)]
        members: npt.NDArray[np.bool_] = np.bitwise_and(bits, 1 << (range_ & 7)) != 0
        return members

    def _evaluated(self, builtin: int, left: Integers, right: Integers) -> Integers:
        """Evaluate a built-in for each match, but once for each distinct pair of operands."""
        pairs = (left.astype(np.int64) << 32) | (right.astype(np.int64) & 0xFFFFFFFF)
        distinct, rows = np.unique(pairs, return_inverse=True)
        evaluate = self._literals.evaluate
        lefts, rights = (
            (distinct >> 32).tolist(),
            distinct.astype(np.int32).tolist(),
        )  # the lower half of the pair
        answers = [evaluate(builtin, one, other) for one, other in zip(lefts, rights, strict=True)]
        return np.array(answers, np.int32)[rows]
