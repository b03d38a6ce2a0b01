"""Join plans: the order in which a rule's body is matched from one given fact; their integer encoding; and
their dispatch, the selection of the plans to run for a fact.

Plans are built as values and encoded last (`PlanCode`). The kernel's join machine
(materialize/kernel/matcher.py) interprets the integers; other modules use the values.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NONE, Integers

CHECK, FORWARD, BACKWARD = range(3)
PARAMETER = 4  # flag of a step that binds a parameter: only requested values match
DIFFERENT, IDENTICAL, INSIDE, OUTSIDE, HOLDS, COMPUTE, NAMED = range(7)

# Number of integers of a plan's header, and of each step and condition.
HEADER_SIZE, STEP_SIZE = 9, 5

# Indexes in the header: the number of steps, the predicate of the head, the arguments of the trigger.
STEPS, HEAD, TRIGGER = 1, 3, 6

# Indexes of an atom's arguments.
SUBJECT, OBJECT = range(2)


class PlanStep(NamedTuple):
    """Body atom joined by a plan: the kind of match (CHECK, FORWARD, BACKWARD), the encoded atom, and its
    index in the body.
    """

    kind: int
    predicate: int
    subject: int
    object: int
    atom: int


class PlanCondition(NamedTuple):
    """Condition on a match: its kind (DIFFERENT, …, COMPUTE) and up to four operands."""

    kind: int
    first: int
    second: int
    third: int = NONE
    fourth: int = NONE


class JoinPlan(NamedTuple):
    """Plan of one rule from one given fact.

    An encoded argument `a >= 0` is variable `a`, `NONE` an absent argument, and any other value the constant
    with number `-2 - a`.

    Args:
        rule: number of the rule.
        head: predicate and arguments of the head; all are NONE for a constraint.
        trigger: arguments of the atom that the given fact matches.
        atom: index of that atom in the body, NONE if it is the head.
        steps: the other body atoms, in the order in which they are joined.
        conditions: conditions tested after all steps.
    """

    rule: int
    head: tuple[int, int, int]
    trigger: tuple[int, int]
    atom: int
    steps: tuple[PlanStep, ...]
    conditions: tuple[PlanCondition, ...]

    @property
    def inclusion(self) -> int:
        """The superclass D if this is the forward plan of `D(x) :- C(x)`, otherwise NONE."""
        class_, *arguments = self.head
        is_simple = not self.steps and not self.conditions and class_ != NONE
        is_of_classes = self.trigger[OBJECT] == NONE and self.trigger[SUBJECT] >= 0
        return class_ if is_simple and is_of_classes and tuple(arguments) == self.trigger else NONE

    @property
    def code(self) -> list[int]:
        """The plan encoded as integers."""
        counts = (len(self.steps), len(self.conditions))
        return list(
            chain((self.rule, *counts, *self.head, *self.trigger, self.atom), *self.steps, *self.conditions)
        )

    @property
    def predicate_indexes(self) -> list[tuple[int, int]]:
        """Indexes of predicates in `code`, each with the index of the body atom, NONE for the head."""
        head = [] if self.head[0] == NONE else [(HEAD, NONE)]
        return head + [(HEADER_SIZE + STEP_SIZE * i + 1, step.atom) for i, step in enumerate(self.steps)]

    @classmethod
    def at(cls, code: Sequence[int], offset: int) -> JoinPlan:
        """Decode the plan that begins at index `offset` of `code`."""
        first = offset + HEADER_SIZE
        rule, steps, conditions, *head, subject, object_, atom = code[offset:first]
        middle, end = first + STEP_SIZE * steps, first + STEP_SIZE * (steps + conditions)
        return cls(
            rule,
            (head[0], head[1], head[2]),
            (subject, object_),
            atom,
            tuple(PlanStep(*code[at : at + STEP_SIZE]) for at in range(first, middle, STEP_SIZE)),
            tuple(PlanCondition(*code[at : at + STEP_SIZE]) for at in range(middle, end, STEP_SIZE)),
        )


class PlanCode:
    """Encoded plans, one after another. A plan is identified by the index of its first integer,
    its offset.
    """

    def __init__(self) -> None:
        self._integers = array("i")

    def __len__(self) -> int:
        return len(self._integers)

    def write(self, plan: JoinPlan) -> int:
        """Append a plan; return its offset."""
        return self.extend(plan.code)

    def extend(self, code: Sequence[int]) -> int:
        """Append already encoded plans; return the offset of the first."""
        offset = len(self._integers)
        self._integers.extend(code)
        return offset

    @property
    def integers(self) -> Integers:
        """The integers as an array for the kernel, which is never empty."""
        return np.array(self._integers or [0], np.int32)


def given_constants(code: Integers, offsets: Integers, side: int) -> Integers:
    """Return for each plan the constant that its trigger has as subject or object (`side`); negative if the
    trigger has a variable there.
    """
    constants: Integers = -2 - code[offsets + TRIGGER + side]
    return constants


def looked_up_classes(code: Integers, offsets: Integers, side: int) -> tuple[Integers, Integers]:
    """Return the classes of which plans require the variable on one side of their trigger to be a member. The
    result is two arrays of equal length: indexes into `offsets`, and classes, in the order of steps.
    """
    counts, variables = code[offsets + STEPS], code[offsets + TRIGGER + side]
    places, classes = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    for step in range(int(counts.max(initial=0))):
        having = np.flatnonzero(counts > step).astype(np.int32)
        at = offsets[having] + HEADER_SIZE + STEP_SIZE * step  # kind, predicate, subject, object, atom
        requires = (code[at] == CHECK) & (code[at + 3] == NONE) & (code[at + 2] == variables[having])
        places.append(having[requires])
        classes.append(code[at[requires] + 1])
    return np.concatenate(places), np.concatenate(classes)


Keys = npt.NDArray[np.int64]

SUBJECT_CLASS, OBJECT_CLASS = 2, 3  # kinds of switches beside SUBJECT and OBJECT

# Number of distinct keys from which on a switch is faster than trying all plans. A switch by class costs time
# whenever a fact of its classes is inserted or deleted, so a backward switch, which only retractions use,
# needs more keys.
LEAST_CONSTANTS = 6
LEAST_CLASSES = 24
LEAST_CLASSES_BACKWARD = 256

# An odd 64-bit multiplier (2**64 divided by the golden ratio) whose products have well-mixed high bits.
MULTIPLIER = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Plans of each predicate, and switches that select the plans which a given fact can match.

    A thousand restrictions on one property, `∃R.Fᵢ ⊑ Gᵢ`, make a thousand plans with the same trigger, but a
    fact R(a, b) can match only the plans for the classes of `b`. Such plans are attached to a *switch*, a
    hash table from a key to plans. The kinds of switch differ in the key:

        SUBJECT, OBJECT                  the constant that the trigger has as subject or object
        SUBJECT_CLASS, OBJECT_CLASS      a class of which the trigger's subject or object must be a member

    A plan is attached to at most one switch. A predicate with few plans has no switch, since trying all its
    plans is faster.

    The plans of predicate `p`, offsets into the program's code, are `plans[start[p]:start[p + 1]]`. Those
    before index `joining[p]` are inclusions between classes that the program's `superclasses` replace; those
    from there to `unswitched[p]` are tried with every fact. The switches of `p` are `range(switch_start[p],
    switch_start[p + 1])`. Switch `s` has kind `kinds[s]` and the plans `plans[switched[s, 0]:switched[s,
    1]]`. A key of `s` has the plans `plans[ranges[c, 0]:ranges[c, 1]]`, where `c` is the first slot at or
    after `home` with `keys[c] == s << 32 | key`; a slot with -1 ends the search without a result.
    """

    plans: Integers
    start: Integers
    joining: Integers
    unswitched: Integers
    switch_start: Integers
    kinds: Integers
    switched: Integers
    keys: Keys
    ranges: Integers
    shift: int


class Entries:
    """Offsets of plans with the predicates of their triggers, in the order in which the plans
    were written.
    """

    def __init__(self) -> None:
        self.predicates, self.offsets = array("i"), array("i")

    def add(self, predicate: int, offset: int) -> None:
        """Add the plan at `offset`, whose trigger has this predicate."""
        self.predicates.append(predicate)
        self.offsets.append(offset)

    def since(self, offset: int) -> list[int]:
        """Return the offsets that are at least `offset`."""
        return self.offsets[bisect_left(self.offsets, offset) :].tolist()

    def by_predicate(self, count: int) -> tuple[Integers, npt.NDArray[np.intp]]:
        """Return all offsets grouped by the predicates `range(count)`, and the start of each group, followed
        by the end of the last.
        """
        predicates = np.array(self.predicates, np.int32)
        order = np.argsort(predicates, kind="stable")
        starts = np.searchsorted(predicates[order], np.arange(count + 1))
        return np.array(self.offsets, np.int32)[order], starts


@dataclass(frozen=True, slots=True)
class _Switch:
    """Switch of a predicate: its kind, its distinct keys, the number of plans of each key, and all plans
    ordered by key.
    """

    kind: int
    keys: Integers
    counts: npt.NDArray[np.intp]
    plans: Integers


def dispatch(
    code: Integers,
    entries: Entries,
    count: int,
    inclusions: Collection[int] = (),
    least_classes: int = LEAST_CLASSES,
) -> tuple[Dispatch, set[int]]:
    """Return the dispatch of `entries`, and the classes that are keys of switches.

    The cost is linear in the number of plan steps, plus sorting.

    Args:
        code: the encoded plans.
        count: number of predicates.
        inclusions: offsets of plans that the table of superclasses replaces.
        least_classes: minimal number of distinct keys of a switch by class.
    """
    offsets, starts = entries.by_predicate(count)
    joins = np.isin(offsets, np.fromiter(inclusions, np.int32, len(inclusions)))
    plans = offsets.copy()
    joining, unswitched, switch_start = list[int](), list[int](), [0]
    switches: list[_Switch] = []
    switched: list[tuple[int, int]] = []
    for start, end in pairwise(starts.tolist()):
        own, are_joining = offsets[start:end], joins[start:end]
        joining.append(start + int(np.count_nonzero(are_joining)))
        every, found = _switches(code, own[~are_joining], least_classes)
        parts = [own[are_joining], every, *(switch.plans for switch in found)]
        plans[start:end] = np.concatenate(parts)
        at = joining[-1] + len(every)
        unswitched.append(at)
        for switch in found:
            switches.append(switch)
            switched.append((at, at := at + len(switch.plans)))
        switch_start.append(len(switches))
    keys, ranges, shift = _table(switches, [first for first, _ in switched])
    return Dispatch(
        plans,
        starts.astype(np.int32),
        np.array(joining, np.int32),
        np.array(unswitched, np.int32),
        np.array(switch_start, np.int32),
        np.array([switch.kind for switch in switches], np.int32),
        np.array(switched, np.int32).reshape(-1, 2),
        keys,
        ranges,
        shift,
    ), {class_ for switch in switches if switch.kind >= SUBJECT_CLASS for class_ in switch.keys.tolist()}


def _switches(code: Integers, offsets: Integers, least_classes: int) -> tuple[Integers, list[_Switch]]:
    """Return the offsets of plans to try with every fact, and the switches that the other plans are attached
    to.
    """
    switches: list[_Switch] = []
    if len(offsets) < min(LEAST_CONSTANTS, least_classes):
        return offsets, switches
    waiting = offsets
    for kind in (OBJECT, SUBJECT):
        keys = given_constants(code, waiting, kind)
        waiting = _switch_off(kind, waiting, keys, keys >= 0, LEAST_CONSTANTS, switches)
    for side in (OBJECT, SUBJECT):
        keys = _rarest_classes(code, waiting, side)
        waiting = _switch_off(side + SUBJECT_CLASS, waiting, keys, keys != NONE, least_classes, switches)
    return waiting, switches


def _switch_off(
    kind: int,
    offsets: Integers,
    keys: Integers,
    has_key: npt.NDArray[np.bool_],
    least: int,
    switches: list[_Switch],
) -> Integers:
    """Attach the plans that have a key to a new switch, provided that there are at least `least` distinct
    keys; return the remaining plans.
    """
    with_key = offsets[has_key]
    found, first, inverse = np.unique(keys[has_key], return_index=True, return_inverse=True)
    if not len(found) or len(found) < least:
        return offsets
    order = np.argsort(first)  # keys in the order of their first plans
    ranks = np.argsort(order)[inverse]
    plans = with_key[np.argsort(ranks, kind="stable")]
    switches.append(_Switch(kind, found[order], np.bincount(ranks), plans))
    return offsets[~has_key]


def _rarest_classes(code: Integers, offsets: Integers, side: int) -> Integers:
    """Return for each plan the class on which to switch: among the classes required of the variable on one
    side of its trigger, the class required by the fewest plans. NONE if no class is required.
    """
    rarest = np.full(len(offsets), NONE, np.int32)
    plan_indexes, classes = looked_up_classes(code, offsets, side)
    _, inverse, numbers = np.unique(classes, return_inverse=True, return_counts=True)
    order = np.lexsort(
        (numbers[inverse], plan_indexes)
    )  # stable: among equally rare classes the first step wins
    found, first = np.unique(plan_indexes[order], return_index=True)
    rarest[found] = classes[order][first]
    return rarest


def _table(switches: Sequence[_Switch], firsts: Sequence[int]) -> tuple[Keys, Integers, int]:
    """Return (keys, ranges, shift) of a hash table with open addressing that is at most half full.

    The table does not wrap around: keys that collide at the end are stored beyond it.

    Args:
        firsts: index in `Dispatch.plans` of the first plan of each switch.
    """
    none = np.zeros(0, np.int64)
    ends = [first + np.cumsum(switch.counts) for switch, first in zip(switches, firsts, strict=True)]
    after = np.concatenate([none, *ends])
    before = after - np.concatenate([none, *(switch.counts for switch in switches)])
    numbered = (number << 32 | switch.keys.astype(np.int64) for number, switch in enumerate(switches))
    keys = np.concatenate([none, *numbered])
    size, shift = 2, 63
    while size < 2 * len(keys):
        size, shift = 2 * size, shift - 1
    homes = home(keys, shift)
    order = np.argsort(homes, kind="stable")
    steps = np.arange(len(keys))
    places = np.maximum.accumulate(homes[order] - steps) + steps if len(keys) else steps
    length = max(size, int(places[-1]) + 1 if len(keys) else 0) + 1
    table, ranges = np.full(length, -1, np.int64), np.zeros((length, 2), np.int32)
    table[places] = keys[order]
    ranges[places] = np.stack((before, after), axis=1)[order]
    return table, ranges, shift


def home(keys: Keys, shift: int) -> Keys:
    """Return the first slot of each key: the upper `64 - shift` bits of its product with `MULTIPLIER`."""
    return (keys.astype(np.uint64) * np.uint64(MULTIPLIER) >> np.uint64(shift)).astype(np.int64)
