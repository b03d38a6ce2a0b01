# C types of bags.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *


cpdef put(dict bag, tuple row, weight)
cdef tuple take(int[::1] items, int at, int[::1] places)


@cython.final
cdef class Reader:
    cdef object leaf
    cdef int[::1] places
    cdef tuple forms
    cdef int tested
    cdef dict known
    cdef object learn

    cdef bint passes(self, tuple row) except -1
    cdef tuple row(self, Ints found, int at, shown)
    cdef read(self, Ints found, int at, shown, dict changes)


@cython.final
cdef class Readers:
    cdef list of_all
    cdef dict of_some
    cdef int[::1] constants

    cdef read(self, Ints found, int at, shown, dict changes)
