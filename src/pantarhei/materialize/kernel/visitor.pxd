# The C types of visitor.py; what they mean is said there.

from pantarhei.materialize.kernel.constants cimport *


cdef class Visitor:
    cdef int weigh(self, int row, int level, int atom) noexcept nogil
    cdef int bind(self, int plan, int step, int level) except -1 nogil
    cdef int visit(self, int plan, int level) except -1 nogil
