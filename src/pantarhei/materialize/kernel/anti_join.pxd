# C types of anti_join.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.store cimport Store


@cython.final
cdef class AntiJoin:
    cdef Store store
    cdef int negated
    cdef int requested
    cdef int result
    cdef int unit

    cdef bint is_negated(self, int subject, int object) noexcept nogil
    cdef bint is_stored(self, int predicate, int subject, int object) noexcept nogil
    cdef int append(self, Ints rows, int subject, int object) except -1
