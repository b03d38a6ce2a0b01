"""Arrays of integers as the kernel uses them: of C types where it is compiled, of Python ints where not."""

from __future__ import annotations

import cython
import numpy as np

CACHE_LINE = 64  # bytes


def aligned(dtype, count):
    """A zeroed array that begins where a line of the processor's cache does."""
    size = np.dtype(dtype).itemsize * count
    room = np.zeros(size + CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    return room[start : start + size].view(dtype)


def new_ints(count, value):
    """`count` 32-bit integers of the given value; uncompiled a memoryview, whose elements are Python ints."""
    array = np.full(count, value, np.int32) if value else np.zeros(count, np.int32)
    return array if cython.compiled else memoryview(array)


def new_longs(count):
    """`count` 64-bit zeros."""
    array = np.zeros(count, np.int64)
    return array if cython.compiled else memoryview(array)


def new_room(count):
    """`count` 32-bit integers of no particular value."""
    array = np.empty(count, np.int32)
    return array if cython.compiled else memoryview(array)


def new_bytes(count):
    """`count` zero bytes."""
    array = np.zeros(count, np.uint8)
    return array if cython.compiled else memoryview(array)


def lengthened(flags, size):
    """A copy of an array of bytes with zeros behind it."""
    longer = np.zeros(size, np.uint8)
    longer[: len(flags)] = flags
    return longer if cython.compiled else memoryview(longer)


def ints_of(array):
    """`array` as 32-bit integers the kernel can read (a copy, since numpy arrays may be read-only)."""
    copy = np.array(array, np.int32)
    return copy if cython.compiled else memoryview(copy)


@cython.cclass
class Ints:
    """A growable array of 32-bit integers."""

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
        """Twice the room. Apart, since a function that handles Python objects takes the GIL when it ends."""
        self.expect(self.size)
        return 0

    def expect(self, count):
        """Make room for `count` more."""
        size = self.size + count
        if size > len(self.items):
            larger = new_room(size)
            larger[: self.size] = self.items[: self.size]
            self.items = larger

    def array(self):
        """A copy as a numpy array."""
        copy = np.empty(self.size, np.int32)
        out: cython.int[::1] = copy
        i: cython.int
        for i in range(self.size):
            out[i] = self.items[i]
        return copy
