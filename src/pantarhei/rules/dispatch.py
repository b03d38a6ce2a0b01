"""Which plans of a predicate to try with a fact, where there are too many to try them all.

A thousand restrictions on one property, `∃R.Fᵢ ⊑ Gᵢ`, make a thousand plans with the same trigger. A fact
R(a, b) concerns those of the classes that `b` is in. Such plans hang on a *switch*, which tells them apart by
a key that each of them asks for:

    SUBJECT, OBJECT                  the constant that the trigger's subject or object has to be
    SUBJECT_CLASS, OBJECT_CLASS      a class that the trigger's subject or object has to be in

A plan hangs on one switch or on none. Where there are few plans there is no switch: trying them costs less.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pantarhei.rules.plan import CHECK, NONE, WrittenPlan

Integers = npt.NDArray[np.int32]
Keys = npt.NDArray[np.int64]

SUBJECT, OBJECT, SUBJECT_CLASS, OBJECT_CLASS = range(4)

# From so many different keys on a switch takes less time than trying all plans. One by class costs something
# whenever a fact of its classes comes or goes: it has to gain more where only retractions use it.
LEAST_CONSTANTS = 6
LEAST_CLASSES = 24
LEAST_CLASSES_BACKWARD = 256

# An odd 64-bit multiplier (2**64 divided by the golden ratio), whose products' upper bits are well mixed.
MULTIPLIER = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class Dispatch:
    """The plans of each predicate, and its switches.

    The plans of predicate `p`, offsets into the program's code, are `plans[start[p]:start[p + 1]]`. Those up
    to `joining[p]` are the inclusions of classes that the program's superclasses have, and those up to
    `unswitched[p]` are to be tried with every fact. Its switches are `range(switch_start[p],
    switch_start[p + 1])`. Switch `s` is of kind `kinds[s]` and has `plans[switched[s, 0]:switched[s, 1]]`; of
    these a key has `plans[ranges[c, 0]:ranges[c, 1]]`, where `keys[c]` is `s << 32 | key`: the first such `c`
    from `home` on, before a key is -1.
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


@dataclass(frozen=True, slots=True)
class _Switch:
    """A switch of a predicate: its kind, and its plans by their keys."""

    kind: int
    plans: Mapping[int, Sequence[int]]


def dispatch(
    code: Sequence[int],
    entries: Sequence[tuple[int, int]],
    count: int,
    inclusions: Collection[int] = (),
    least_classes: int = LEAST_CLASSES,
) -> tuple[Dispatch, set[int]]:
    """The dispatch of `entries`, (predicate, offset) of each plan, and the classes that switches ask for.

    Costs time linear in the plans' steps.

    Args:
        count: how many predicates there are.
        inclusions: the offsets of plans that are inclusions between classes.
        least_classes: the least different keys of a switch by class.
    """
    offsets = defaultdict[int, list[int]](list)
    for predicate, offset in entries:
        offsets[predicate].append(offset)
    plans: list[int] = []
    start, joining, unswitched, switch_start = [0], list[int](), list[int](), [0]
    kinds: list[int] = []
    switched: list[tuple[int, int]] = []
    found: list[tuple[int, int, int]] = []  # (key, first plan, plan after the last)
    classes: set[int] = set()
    for predicate in range(count):
        own = offsets.get(predicate, [])
        plans += [offset for offset in own if offset in inclusions]
        joining.append(len(plans))
        others = [offset for offset in own if offset not in inclusions]
        every, switches = _switches(code, others, least_classes)
        plans += every
        unswitched.append(len(plans))
        for switch in switches:
            first = len(plans)
            for key, asking in switch.plans.items():
                found.append((len(kinds) << 32 | key, len(plans), len(plans) + len(asking)))
                plans += asking
            kinds.append(switch.kind)
            switched.append((first, len(plans)))
            if switch.kind >= SUBJECT_CLASS:
                classes.update(switch.plans)
        start.append(len(plans))
        switch_start.append(len(kinds))
    keys, ranges, shift = _table(found)
    return Dispatch(
        np.array(plans, np.int32),
        np.array(start, np.int32),
        np.array(joining, np.int32),
        np.array(unswitched, np.int32),
        np.array(switch_start, np.int32),
        np.array(kinds, np.int32),
        np.array(switched, np.int32).reshape(-1, 2),
        keys,
        ranges,
        shift,
    ), classes


def _switches(code: Sequence[int], offsets: list[int], least_classes: int) -> tuple[list[int], list[_Switch]]:
    """The plans to be tried with every fact, and the switches of the others."""
    switches: list[_Switch] = []
    if len(offsets) < min(LEAST_CONSTANTS, least_classes):
        return offsets, switches
    waiting = {offset: WrittenPlan.at(code, offset) for offset in offsets}

    def switch(kind: int, keys: Mapping[int, int], least: int) -> None:
        if len(set(keys.values())) >= least:
            plans = defaultdict[int, list[int]](list)
            for offset, key in keys.items():
                plans[key].append(offset)
                del waiting[offset]
            switches.append(_Switch(kind, plans))

    for kind in (OBJECT, SUBJECT):
        asked = {offset: plan.trigger[kind] for offset, plan in waiting.items()}
        switch(kind, {offset: -2 - a for offset, a in asked.items() if a < NONE}, LEAST_CONSTANTS)
    for side in (OBJECT, SUBJECT):
        classes = {offset: _classes_asked(plan, side) for offset, plan in waiting.items()}
        asking = Counter(class_ for several in classes.values() for class_ in several)
        # of the classes that a plan asks for the rarest tells it apart best
        keys = {o: min(several, key=asking.__getitem__) for o, several in classes.items() if several}
        switch(side + SUBJECT_CLASS, keys, least_classes)
    return list(waiting), switches


def _classes_asked(plan: WrittenPlan, side: int) -> list[int]:
    """The classes that a plan looks up of the variable on a side of its trigger."""
    variable = plan.trigger[side]
    return [step[1] for step in plan.steps if step[0] == CHECK and step[3] == NONE and step[2] == variable]


def _table(found: Sequence[tuple[int, int, int]]) -> tuple[Keys, Integers, int]:
    """(keys, ranges, shift) of a hash table with open addressing, at most half full, and no need to wrap
    around: a key that finds no room stands past the end.
    """
    size, shift = 2, 63
    while size < 2 * len(found):
        size, shift = 2 * size, shift - 1
    keys = np.array([key for key, _, _ in found], np.int64)
    homes = home(keys, shift)
    order = np.argsort(homes, kind="stable")
    steps = np.arange(len(found))
    places = np.maximum.accumulate(homes[order] - steps) + steps if len(found) else steps
    length = max(size, int(places[-1]) + 1 if len(found) else 0) + 1
    table, ranges = np.full(length, -1, np.int64), np.zeros((length, 2), np.int32)
    table[places] = keys[order]
    ranges[places] = np.array([pair for _, *pair in found], np.int32).reshape(-1, 2)[order]
    return table, ranges, shift


def home(keys: Keys, shift: int) -> Keys:
    """Where each key is looked for first: the upper `64 - shift` bits of its product with `MULTIPLIER`."""
    return (keys.astype(np.uint64) * np.uint64(MULTIPLIER) >> np.uint64(shift)).astype(np.int64)
