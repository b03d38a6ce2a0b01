# C types of fact_selection.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *


@cython.final
cdef class FactSelection:
    cdef int[::1] starts
    cdef int[::1] projections
    cdef int[::1] conditions
    cdef int width
    cdef const unsigned char[::1] memberships
    cdef int[::1] ends
    cdef Ints kinds
    cdef Ints found

    cdef int select(self, int[:, ::1] facts, const unsigned char[::1] memberships, int time) except -1
    cdef int append(self, int projection, int subject, int object, int time, int group_by_kind) except -1 nogil
    cdef bint meets(self, int projection, int subject, int object) noexcept nogil
    cdef bint is_in_ranges(self, int literal, int byte, int wanted) noexcept nogil
    cdef list group_by_kind(self, int count)
