# C types of arrays.py, which describes the fields.

from pantarhei.materialize.kernel.constants cimport *


cdef class Ints:
    cdef int[::1] items
    cdef public int size
    cdef int push(self, int item) except -1 nogil
    cdef int grow(self) except -1 with gil
    cpdef reserve(self, int count)
