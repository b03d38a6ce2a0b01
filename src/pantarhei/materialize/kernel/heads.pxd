# The C types of heads.py; what they mean is said there.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.edges cimport Edges
from pantarhei.materialize.kernel.levels cimport Levels
from pantarhei.materialize.kernel.store cimport Store


@cython.final
cdef class Heads:
    cdef Store store
    cdef Levels levels
    cdef Edges edges
    cdef Ints noted
    cdef int highest

    cdef int note(self, int predicate, int subject, int object, int level, int flags) except -1 nogil
    cdef bint are_due(self) noexcept nogil
    cdef int enter(self) except -1 nogil
    cdef void fetch(self, int start) noexcept nogil
    cdef int derive(self, int predicate, int subject, int object, int level, int flags) except -1 nogil
    cdef void fetch_ahead(self, int[:, ::1] facts, Py_ssize_t start, bint entering) noexcept nogil
