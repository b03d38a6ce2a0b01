# The C types of cells.py; what they mean is said there.


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
