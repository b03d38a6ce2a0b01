"""`&&`, `||` and `!` with errors (SPARQL 1.1, section 17.2)."""

from __future__ import annotations

import numpy as np

from pantarhei.query.expressions.columns import ERROR, Truth


def negation(truth: Truth) -> Truth:
    """1 for 0, 0 for 1, an error for an error."""
    return np.where(truth == ERROR, truth, 1 - truth).astype(np.int8, copy=False)


def conjunction(left: Truth, right: Truth) -> Truth:
    """0 where either is 0, else an error where either is one, else 1."""
    return np.where((left == 0) | (right == 0), 0, np.minimum(left, right)).astype(np.int8, copy=False)


def disjunction(left: Truth, right: Truth) -> Truth:
    """1 where either is 1, else an error where either is one, else 0."""
    return np.where((left == 1) | (right == 1), 1, np.minimum(left, right)).astype(np.int8, copy=False)
