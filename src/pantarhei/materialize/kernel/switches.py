"""Which plans to try with a fact: the arrays of a `rules.dispatch.Dispatch`, where their layout is said."""

from __future__ import annotations

import cython
import numpy as np

from pantarhei.materialize.kernel.arrays import ints_of

_MULTIPLIER = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)  # rules.dispatch.MULTIPLIER


@cython.cclass
class Switches:
    """Plans by predicate, and by keys."""

    def __init__(self, dispatch):
        self.plans = ints_of(dispatch.plans)
        self.start = ints_of(dispatch.start)
        self.joining = ints_of(dispatch.joining)
        self.unswitched = ints_of(dispatch.unswitched)
        self.switch_start = ints_of(dispatch.switch_start)
        self.kinds = ints_of(dispatch.kinds)
        self.switched = ints_of(dispatch.switched.ravel())
        self.ranges = ints_of(dispatch.ranges.ravel())
        keys = np.array(dispatch.keys, np.int64)
        self.keys = keys if cython.compiled else memoryview(keys)
        self.shift = dispatch.shift

    def find(self, switch, key):
        """Where `keys` has the key of the switch, or -1."""
        wanted: cython.longlong = (cython.cast(cython.longlong, switch) << 32) | key
        product: cython.ulonglong = cython.cast(cython.ulonglong, wanted) * _MULTIPLIER
        if not cython.compiled:
            product &= 0xFFFFFFFFFFFFFFFF
        at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, product >> self.shift)
        while self.keys[at] >= 0:
            if self.keys[at] == wanted:
                return at
            at += 1
        return -1
