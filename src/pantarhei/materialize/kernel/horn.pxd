# C types of horn.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *


@cython.final
cdef class HornProgram:
    cdef readonly int atoms
    cdef readonly int rules
    cdef int[::1] head
    cdef int[::1] number
    cdef int[::1] start
    cdef int[::1] body
    cdef int[::1] body_start
    cdef int[::1] rules_by_body
    cdef int[::1] head_start
    cdef int[::1] rules_by_head


@cython.final
cdef class HornClosure:
    cdef HornProgram program
    cdef unsigned char[::1] known
    cdef unsigned char[::1] marked
    cdef int[::1] missing
    cdef int[::1] trail
    cdef int[::1] fired
    cdef int[::1] reason
    cdef unsigned char[::1] inconsistent
    cdef bint stops_at_inconsistent
    cdef int size
    cdef int done
    cdef int fires
    cdef readonly long long work

    cdef void seed(self, int x) noexcept nogil
    cdef void propagate(self, int most) noexcept nogil
    cdef void undo(self, int size, int fires) noexcept nogil
    cdef void commit(self, int size) noexcept nogil
