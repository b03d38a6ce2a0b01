"""Facts as numbers: what the integers of the engine are, before anybody says what they mean.

A fact is a row `(predicate, subject, object)` of int32: `C(x)` is `(C, x, NONE)`, `R(x, y)` is `(R, x, y)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rdflib import Literal

from pantarhei.language.rule import Predicate

# Stands where there is no term, predicate or row.
NONE = -1

Integers = npt.NDArray[np.int32]

# The forms that literals were given in, where these are not the first ones of their values: by fact, and for
# what is derived from it by subject and object.
Forms = Mapping[tuple[int, ...], Literal]
NO_FORMS: Forms = {}

# Identifiers of literals start here, so that the kernel can tell a literal from a name.
FIRST_LITERAL = 1 << 30


class Symbol(NamedTuple):
    """A predicate as the kernel numbers it: a class (arity 1) or a property (arity 2)."""

    name: Predicate
    arity: int
