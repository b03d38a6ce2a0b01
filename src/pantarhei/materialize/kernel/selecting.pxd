# C types of selecting.py; see there for their meaning.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *


@cython.final
cdef class Selecting:
    cdef int[::1] starts
    cdef int[::1] feeds
    cdef int[::1] conditions
    cdef int width
    cdef const unsigned char[::1] memberships
    cdef int[::1] ends
    cdef Ints kinds
    cdef Ints found

    cdef int take(self, int[:, ::1] facts, const unsigned char[::1] memberships, int time) except -1
    cdef int note(self, int feed, int subject, int object, int time, int place) except -1 nogil
    cdef bint meets(self, int feed, int subject, int object) noexcept nogil
    cdef bint is_in(self, int literal, int byte, int wanted) noexcept nogil
    cdef list place(self, int count)
