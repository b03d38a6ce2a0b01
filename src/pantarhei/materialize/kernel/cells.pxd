# C types of cells.py, which describes the fields.

cimport cython
from pantarhei.materialize.kernel.constants cimport *


cdef class Cells:
    cdef int[::1] cells
    cdef int mask
    cdef readonly int keys

    cdef bint is_full(self) noexcept nogil
    cdef void put(self, int row, int tag) noexcept nogil
    cdef void put_at(self, int cell, int row, int tag) noexcept nogil
    cdef void remove(self, int row, int tag) noexcept nogil
    cdef void remove_at(self, int cell) noexcept nogil
    cdef void clear(self) noexcept nogil


cdef int tag_of(int first, int second, int third) noexcept nogil


@cython.final
cdef class Multimap:
    cdef int[::1] entries
    cdef int[::1] next_entry
    cdef Cells cells

    cdef int find(self, int first, int second, int third) noexcept nogil
    cdef int value_of(self, int first, int second, int third) noexcept nogil
    cdef int cell_of(self, int first, int second, int third) noexcept nogil
