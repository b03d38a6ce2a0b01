# The C types of every.py; what they mean is said there.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.proofs cimport Proofs


@cython.final
cdef class EveryKernel(Proofs):
    cdef unsigned long long[:, ::1] held
    cdef unsigned long long[:, ::1] asserted
    cdef unsigned long long[:, ::1] lost
    cdef unsigned long long[::1] attached
    cdef unsigned long long[::1] others
    cdef int words
    cdef int inner
    cdef Ints queue
    cdef Ints touched

    cdef int ensure(self) except -1 nogil
    cdef int grow_sets(self) except -1 with gil
    cdef int row_for(self, int predicate, int subject, int object) except -1 nogil
    cdef int enqueue(self, int row) except -1 nogil
    cdef int highest(self, unsigned long long[:, ::1] sets, int row) noexcept nogil
    cdef int highest_difference(self, int row, int other) noexcept nogil
    cdef void minimal_oldest(self, int atoms) noexcept nogil
    cdef int attach(self, int row) except -1 nogil
    cdef int attach_again(self, int plan) except -1 nogil
    cdef int derive_head(self, int plan) except -1 nogil
    cdef int attach_head(self, int plan) except -1 nogil
    cdef int lose_head(self, int plan) except -1 nogil
    cdef void refresh(self, int row) noexcept nogil
    cdef int run(self) except -1 nogil
    cdef int touch(self, int row) except -1 nogil
