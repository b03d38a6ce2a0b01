# The C types of heads.py; what they mean is said there.

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.edges cimport Edges


cdef class Heads(Edges):
    cdef Ints heads
    cdef int highest_head

    cdef int note_head(self, int predicate, int subject, int object, int level, int flags) except -1 nogil
    cdef bint heads_are_due(self) noexcept nogil
    cdef int enter_heads(self) except -1 nogil
    cdef void fetch_heads(self, int start) noexcept nogil
    cdef int derive(self, int predicate, int subject, int object, int level, int flags) except -1 nogil
    cdef void fetch_ahead(self, int[:, ::1] facts, Py_ssize_t start, bint entering) noexcept nogil
