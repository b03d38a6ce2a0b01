"""Facts as numbers: what the integers of the engine are, before anybody says what they mean.

A fact is a row `(predicate, subject, object)` of int32: `C(x)` is `(C, x, NONE)`, `R(x, y)` is `(R, x, y)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from pantarhei.model.rule import Predicate

# Stands where there is no term, predicate or row.
NONE = -1

Integers = npt.NDArray[np.int32]

NO_FACTS: Integers = np.empty((0, 3), np.int32)

NO_CHANGES: Integers = np.empty((0, 4), np.int32)

Fact = tuple[int, int, int]
Pair = tuple[int, int]  # a subject and a value

# Identifiers of literals start here, so that the kernel can tell a literal from a name.
FIRST_LITERAL = 1 << 30


class Symbol(NamedTuple):
    """A predicate as the kernel numbers it: a class (arity 1) or a property (arity 2)."""

    name: Predicate
    arity: int


Symbols = frozenset[Symbol] | None
"""Classes and properties; None for all that there are."""


def together(*parts: Symbols) -> Symbols:
    """Those of all parts."""
    known = [part for part in parts if part is not None]
    return frozenset().union(*known) if len(known) == len(parts) else None


def as_tuples(facts: Integers) -> list[Fact]:
    """Facts, shape (n, 3), as keys for sets and dictionaries. Costs a step of Python each."""
    return cast("list[Fact]", list(map(tuple, facts.tolist())))


def from_tuples(facts: Iterable[Fact]) -> Integers:
    """Return facts as an array of shape (n, 3): the inverse of `as_tuples`. Costs a step of Python each."""
    return np.array(list(facts), np.int32).reshape(-1, 3)


def keys_of(facts: Integers) -> npt.NDArray[np.int64]:
    """A 64-bit key of each fact; different facts rarely share one."""
    predicates, subjects, objects = facts.astype(np.int64).T
    keys: npt.NDArray[np.int64] = (subjects << 32) ^ (objects << 8) ^ predicates
    return keys


def narrowed(numbers: npt.NDArray[np.integer]) -> npt.NDArray[np.unsignedinteger] | None:
    """Numbers from 0 on in the smallest type that has them; None if all are 0."""
    most = max(numbers.tolist(), default=0) if len(numbers) < 16 else int(numbers.max())
    if most == 0:
        return None
    return numbers.astype(np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.uint32)


def each_once(facts: Integers) -> Integers:
    """Each fact where it stands first. Costs sorting a key of each, sorting the facts if some share one."""
    if len(facts) < 2:
        return facts
    keys = np.sort(keys_of(facts))
    if (keys[1:] != keys[:-1]).all():
        return facts
    order = np.lexsort(facts.T)
    ordered = facts[order]
    is_first = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    once: Integers = facts[np.sort(order[is_first])]
    return once


def by_predicate(facts: Integers) -> Iterator[tuple[int, Integers]]:
    """The facts of each predicate that is there, in their order."""
    if not len(facts):
        return
    predicates = facts[:, 0]
    if (predicates == predicates[0]).all():
        yield int(predicates[0]), facts
        return
    ordered = facts.take(predicates.argsort(kind="stable"), axis=0)
    begins = ((ordered[1:, 0] != ordered[:-1, 0]).nonzero()[0] + 1).tolist()
    for begin, end in pairwise((0, *begins, len(ordered))):
        yield int(ordered[begin, 0]), ordered[begin:end]


def signed(facts: Integers, sign: int) -> Integers:
    """Facts as changes: those that came (1) or went (-1, last column)."""
    changes = np.empty((len(facts), 4), np.int32)
    changes[:, :3], changes[:, 3] = facts, sign
    return changes


def parted(changes: Integers) -> tuple[Integers, Integers]:
    """What came, and what went."""
    signs = changes[:, 3]
    return changes[signs > 0, :3], changes[signs < 0, :3]


_FEW = 12


def net_changes(noted: Integers) -> Integers:
    """Each fact once, with the sum of its signs; none whose sum is 0."""
    if len(noted) < 2:
        return noted
    if len(noted) <= _FEW:  # where steps of Python cost less than sorting does
        total: dict[Fact, int] = {}
        for *fact, sign in noted.tolist():
            key = cast(Fact, tuple(fact))
            total[key] = total.get(key, 0) + sign
        few = sorted((*fact, sign) for fact, sign in total.items() if sign)
        return np.array(few, np.int32).reshape(-1, 4)
    facts = noted[np.lexsort(noted[:, 2::-1].T)]
    begins = np.flatnonzero(np.append(True, (facts[1:, :3] != facts[:-1, :3]).any(axis=1)))
    found: Integers = facts[begins]
    found[:, 3] = np.add.reduceat(facts[:, 3], begins)
    net: Integers = found[found[:, 3] != 0]
    return net
