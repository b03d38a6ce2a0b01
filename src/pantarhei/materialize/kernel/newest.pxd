# The C types of newest.py; what they mean is said there.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.renewal cimport Renewal


@cython.final
cdef class NewestKernel(Renewal):
    cdef int mark_level
    cdef long long mark_sequence
    cdef int best
    cdef int enough
    cdef long long patience
    cdef Ints found
    cdef Ints shaken
    cdef readonly long long rederivations
    cdef readonly long long searches

    cdef bint is_unproven(self, int plan, int level) noexcept nogil
    cdef int flags_of_head(self, int plan, int head, int level) noexcept nogil
    cdef int settled_level(self, int row) noexcept nogil
    cdef int derive_head(self, int plan, int level) except -1 nogil
    cdef int supporting_level(self, int row) noexcept nogil
    cdef int note_support(self, int level) noexcept nogil
    cdef int doubt_head(self, int plan, int level) except -1 nogil
    cdef int rested_on(self, int row) noexcept nogil
    cdef int shake(self, int row) except -1 nogil
    cdef int touch(self, int row, int level) except -1 nogil
    cdef int consider(self, int row, Ints doomed) except -1 nogil
    cdef int overdelete(self, Ints doomed) except -1 nogil
    cdef int support(self, int row, int enough, int mark_level, long long mark_sequence) except -2 nogil
    cdef int rederive(self, Ints doomed) except -1 nogil
