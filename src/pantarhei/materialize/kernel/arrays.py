"""Integer arrays of the kernel, and a radix sort of 64-bit keys.

An array has C integers in a compiled kernel. In an uncompiled kernel it is a memoryview, whose items are
Python ints.

The sort (LSD radix sort) takes nonnegative keys. It skips digits that all keys share: keys composed of a
subject and an object usually need four passes instead of six.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *

CACHE_LINE = 64  # bytes


def aligned(dtype, count):
    """Return a zeroed array that starts at a line of the processor's cache."""
    size = np.dtype(dtype).itemsize * count
    room = np.zeros(size + CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    return room[start : start + size].view(dtype)


def new_ints(count, value):
    """Return `count` 32-bit integers of the given value."""
    array = np.full(count, value, np.int32) if value else np.zeros(count, np.int32)
    return array if cython.compiled else memoryview(array)


def new_longs(count):
    """Return `count` 64-bit zeros."""
    array = np.zeros(count, np.int64)
    return array if cython.compiled else memoryview(array)


def new_room(count):
    """Return `count` uninitialized 32-bit integers."""
    array = np.empty(count, np.int32)
    return array if cython.compiled else memoryview(array)


def new_bytes(count):
    """Return `count` zero bytes."""
    array = np.zeros(count, np.uint8)
    return array if cython.compiled else memoryview(array)


def lengthened(flags, size):
    """Return a copy of an array of bytes, padded with zeros to `size`."""
    longer = np.zeros(size, np.uint8)
    longer[: len(flags)] = flags
    return longer if cython.compiled else memoryview(longer)


def ints_of(array):
    """Copy `array` to 32-bit integers for the kernel (numpy arrays may be read-only)."""
    copy = np.array(array, np.int32)
    return copy if cython.compiled else memoryview(copy)


@cython.cclass
class Ints:
    """Growable array of 32-bit integers."""

    def __init__(self):
        self.items = new_ints(16, 0)
        self.size = 0

    def push(self, item):
        if self.size == len(self.items):
            self.grow()
        self.items[self.size] = item
        self.size += 1
        return 0

    def grow(self):
        """Double the capacity.

        This is a separate function because a function that creates Python objects takes the GIL.
        """
        self.reserve(self.size)
        return 0

    def reserve(self, count):
        """Make room for `count` more integers."""
        size = self.size + count
        if size > len(self.items):
            larger = new_room(size)
            larger[: self.size] = self.items[: self.size]
            self.items = larger

    def array(self):
        """Return the contents as a new numpy array."""
        copy = np.empty(self.size, np.int32)
        out: cython.int[::1] = copy
        i: cython.int
        for i in range(self.size):
            out[i] = self.items[i]
        return copy


# numpy is as fast below this size
_FEW = 2048


def sorted_keys(keys):
    """Return a sorted copy of `keys`, an int64 array, in linear time."""
    if not cython.compiled or len(keys) < _FEW:
        return np.sort(keys)
    one = np.array(keys, np.int64)
    other = np.empty_like(one)
    for shift in varying_digits(one):
        move_keys(one, other, shift)
        one, other = other, one
    return one


def sorted_with(keys, beside):
    """Return `keys` sorted, and the int32 array `beside` in the same order. The sort is stable."""
    if not cython.compiled or len(keys) < _FEW:
        order = np.argsort(keys, kind="stable")
        return keys[order], beside[order]
    one, beside_one = np.array(keys, np.int64), np.array(beside, np.int32)
    other, beside_other = np.empty_like(one), np.empty_like(beside_one)
    for shift in varying_digits(one):
        move_pairs(one, beside_one, other, beside_other, shift)
        one, other, beside_one, beside_other = other, one, beside_other, beside_one
    return one, beside_one


def varying_digits(keys: cython.longlong[::1]):
    """Return the shifts of the digits in which the keys differ, lowest first."""
    some: cython.longlong = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(1, keys.shape[0]):
            some |= keys[i] ^ keys[0]
    return [shift for shift in range(0, 63, DIGIT_BITS) if (some >> shift) & DIGIT_MASK]


def move_keys(source: cython.longlong[::1], target: cython.longlong[::1], shift: cython.int):
    """Distribute the keys to `target` in the order of one digit."""
    places: cython.longlong[::1] = np.zeros(DIGIT_VALUES, np.int64)
    i: cython.Py_ssize_t
    at: cython.longlong
    with cython.nogil:
        find_places(source, shift, places)
        for i in range(source.shape[0]):
            at = places[(source[i] >> shift) & DIGIT_MASK]
            places[(source[i] >> shift) & DIGIT_MASK] = at + 1
            target[at] = source[i]


def move_pairs(
    source: cython.longlong[::1],
    beside_source: cython.int[::1],
    target: cython.longlong[::1],
    beside_target: cython.int[::1],
    shift: cython.int,
):
    """Distribute the keys and their companions to the targets in the order of one digit."""
    places: cython.longlong[::1] = np.zeros(DIGIT_VALUES, np.int64)
    i: cython.Py_ssize_t
    at: cython.longlong
    with cython.nogil:
        find_places(source, shift, places)
        for i in range(source.shape[0]):
            at = places[(source[i] >> shift) & DIGIT_MASK]
            places[(source[i] >> shift) & DIGIT_MASK] = at + 1
            target[at] = source[i]
            beside_target[at] = beside_source[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_places(keys: cython.longlong[::1], shift: cython.int, places: cython.longlong[::1]) -> cython.void:
    """Fill `places`, initially zero, with the index of the first key for each value of a digit."""
    i: cython.Py_ssize_t
    before: cython.longlong = 0
    count: cython.longlong
    for i in range(keys.shape[0]):
        places[(keys[i] >> shift) & DIGIT_MASK] += 1
    for i in range(DIGIT_VALUES):
        count = places[i]
        places[i] = before
        before += count
