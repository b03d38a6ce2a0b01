# C types of level_sets.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.store cimport Store


@cython.final
cdef class LevelSets:
    cdef Store store
    cdef public int oldest
    cdef readonly int words
    cdef unsigned long long[:, ::1] held
    cdef unsigned long long[:, ::1] asserted
    cdef unsigned long long[:, ::1] lost
    cdef unsigned long long[::1] attached
    cdef unsigned long long[::1] others

    cdef int row_for(self, int predicate, int subject, int object) except -1 nogil
    cdef int grow(self) except -1 with gil
    cdef bint holds(self, int row, int bit) noexcept nogil
    cdef bint asserts(self, int row, int bit) noexcept nogil
    cdef void assert_at(self, int row, int bit) noexcept nogil
    cdef void retract_at(self, int row, int bit) noexcept nogil
    cdef void retract_all(self, int row) noexcept nogil
    cdef void remove_lost(self, int row) noexcept nogil
    cdef void set_attached(self, int bit) noexcept nogil
    cdef bint add_attached(self, int row) noexcept nogil
    cdef void refresh(self, int row) noexcept nogil
    cdef int highest(self, unsigned long long[:, ::1] sets, int row) noexcept nogil
    cdef int highest_difference(self, int row, int other) noexcept nogil
    cdef void find_attached(self, int[::1] body, int atoms) noexcept nogil
    cdef int overdelete_head(self, int row, int[::1] body, int atoms, int cause) noexcept nogil
