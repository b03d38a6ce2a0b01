# C types of residue.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.horn cimport HornProgram


@cython.final
cdef class Residue:
    cdef HornProgram program
    cdef long long[::1] levels
    cdef int[::1] leader
    cdef unsigned char[::1] is_joined
    cdef int[::1] stack

    cdef int leader_of(self, int x) noexcept nogil
    cdef void unite(self, int x, int y) noexcept nogil
    cdef void spread(self, unsigned char[::1] mark, int top, bint forward) noexcept nogil
    cdef int supports(self, int x, unsigned char[::1] mark, Ints members) except -1 nogil
