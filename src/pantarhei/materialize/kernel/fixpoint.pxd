# The C types of fixpoint.py; what they mean is said there.

from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.heads cimport Heads


cdef class Fixpoint(Heads):
    cdef long long clock
    cdef readonly bint merged

    cdef int run(self) except -1 nogil
    cdef int pop(self, int row, int level) except -1 nogil
    cdef void settle_row(self, int row) noexcept nogil
    cdef int add_superclasses(self, int row, int level) except -1 nogil
    cdef void fetch_queued(self, int row) noexcept nogil
    cdef void fetch_superclasses(self, int row, bint listed) noexcept nogil
