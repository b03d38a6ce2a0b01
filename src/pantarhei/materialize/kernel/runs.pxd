# C types of runs.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.cells cimport Cells
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.fact_selection cimport FactSelection


@cython.final
cdef class Runs:
    cdef int[::1] sizes
    cdef long long first
    cdef long long tick
    cdef int[::1] facts
    cdef long long[::1] spans
    cdef unsigned char[::1] is_held
    cdef Cells cells
    cdef int[::1] support_counts
    cdef Ints touched
    cdef bint is_new
    cdef Ints listed
    cdef Ints free
    cdef int used
    cdef readonly int held

    cdef int extend(self, int predicate, int subject, int object) except -1
    cdef int run_of(self, int predicate, int subject, int object) noexcept nogil
    cdef int end(self, int run) noexcept nogil
    cdef int record_change(self, int run, Ints inserted, Ints deleted) except -1
    cdef int cell_of(self, int predicate, int subject, int object, int tag) noexcept nogil
    cdef int put(self, int cell, int tag, int predicate, int subject, int object) except -1
    cdef bint is_long(self, int run) noexcept nogil
    cdef int delete(self, int run) except -1
    cdef grow(self)
