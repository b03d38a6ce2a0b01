# The C types of keyed.py; what they mean is said there.

cimport cython

from pantarhei.materialize.kernel.cells cimport Cells
from pantarhei.materialize.kernel.constants cimport *


cdef int tag_of(int first, int second, int third) noexcept nogil


@cython.final
cdef class Keyed:
    cdef int[::1] entries
    cdef int[::1] next_entry
    cdef Cells cells

    cdef int find(self, int first, int second, int third) noexcept nogil
    cdef int value_of(self, int first, int second, int third) noexcept nogil
    cdef int cell_of(self, int first, int second, int third) noexcept nogil
