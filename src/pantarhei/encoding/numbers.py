"""Facts as numbers: what the integers of the engine are, before anybody says what they mean.

A fact is a row `(predicate, subject, object)` of int32: `C(x)` is `(C, x, NONE)`, `R(x, y)` is `(R, x, y)`.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from pantarhei.language.rule import Predicate

# Stands where there is no term, predicate or row.
NONE = -1

Integers = npt.NDArray[np.int32]

NO_FACTS: Integers = np.empty((0, 3), np.int32)

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
