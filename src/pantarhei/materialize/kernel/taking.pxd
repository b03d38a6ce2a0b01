# The C types of taking.py; what they mean is said there.

from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.heads cimport HeadRows


cdef class TakingRows(HeadRows):
    cdef long long clock
    cdef readonly bint merged

    cdef int run(self) except -1 nogil
    cdef int take_queued(self, int row, int level) except -1 nogil
    cdef void take(self, int row) noexcept nogil
    cdef int add_superclasses(self, int row, int level) except -1 nogil
    cdef void fetch_queued(self, int row) noexcept nogil
    cdef void fetch_superclasses(self, int row, bint listed) noexcept nogil
