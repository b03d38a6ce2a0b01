"""The classes above each class, so that a class fact brings all that its inclusions give at once.

An inclusion `D(x) :- C(x)` is a plan without steps and conditions. One after another such plans climb a
hierarchy of classes, a fact at a time; here what they climb to is written out beforehand, in an order in
which each class follows from one before it. The plans are kept beside: proofs go by them, and retractions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pantarhei.encoding.numbers import Integers

# The inclusions of a class with more superclasses than these stay among the plans that are tried.
MOST_SUPERCLASSES = 64


@dataclass(frozen=True, slots=True)
class Superclasses:
    """What is above each class.

    The superclasses of predicate `p` are `classes[start[p]:start[p + 1]]`. Those behind place `i` and before
    `ends[i]` follow from the one at `i`.
    """

    start: Integers
    classes: Integers
    ends: Integers


def superclasses(above: Mapping[int, Sequence[int]], count: int) -> Superclasses:
    """The superclasses of the predicates `range(count)`, from the direct ones of each; none where there are
    more than `MOST_SUPERCLASSES`.

    Costs time linear in the inclusions above each class, as far as it looks.
    """
    start, classes, ends = [0], list[int](), list[int]()
    for predicate in range(count):
        if predicate in above:
            own, own_ends = list[int](), list[int]()
            _climb(above, predicate, {predicate}, own, own_ends)
            if len(own) <= MOST_SUPERCLASSES:
                ends += [len(classes) + end for end in own_ends]
                classes += own
        start.append(len(classes))
    return Superclasses(np.array(start, np.int32), np.array(classes, np.int32), np.array(ends, np.int32))


def _climb(
    above: Mapping[int, Sequence[int]], class_: int, seen: set[int], classes: list[int], ends: list[int]
) -> None:
    """Write down the classes above `class_` in preorder; breaks off where there are too many."""
    for higher in above.get(class_, ()):
        if higher in seen:
            continue
        seen.add(higher)
        place = len(classes)
        classes.append(higher)
        ends.append(place)
        if len(classes) > MOST_SUPERCLASSES:
            return
        _climb(above, higher, seen, classes, ends)
        ends[place] = len(classes)
