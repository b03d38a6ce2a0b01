# The C types of joins.py; what they mean is said there.

from pantarhei.materialize.kernel.rows cimport Rows


cdef class Joins(Rows):
    cdef int[::1] code
    cdef int[::1] forward_plans
    cdef int[::1] forward_start
    cdef int[::1] crossing_plans
    cdef int[::1] crossing_start
    cdef unsigned char[::1] streamed
    cdef bint crossing_is_stale
    cdef int[::1] backward_plans
    cdef int[::1] backward_start
    cdef readonly int known
    cdef readonly int widest
    cdef int[::1] slots
    cdef int[::1] body
    cdef int width
    cdef const unsigned char[::1] memberships
    cdef object literals

    cdef int fire(self, int row, int level) except -1 nogil
    cdef int fire_crossing(self, int row, int level) except -1 nogil
    cdef int explain(self, int row) except -1 nogil
    cdef int begin(self, int plan, int row, int subject, int object, int level) except -1 nogil
    cdef int extend(self, int plan, int step, int level) except -1 nogil
    cdef int is_met(self, int at) except -1 nogil
    cdef int is_member(self, int term, int data_range) noexcept nogil
    cdef int evaluate(self, int builtin, int left, int right) except -2 with gil
    cdef int value(self, int argument) noexcept nogil
    cdef int weigh(self, int row, int level) noexcept nogil
    cdef int leaf(self, int plan, int level) except -1 nogil
