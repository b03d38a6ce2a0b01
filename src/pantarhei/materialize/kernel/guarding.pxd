# C types of guarding.py; see there for their meaning.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.store cimport Store


@cython.final
cdef class Guarding:
    cdef Store store
    cdef int denied
    cdef int asked
    cdef int free
    cdef int unit

    cdef bint is_denied(self, int subject, int object) noexcept nogil
    cdef bint is_there(self, int predicate, int subject, int object) noexcept nogil
    cdef int note(self, Ints rows, int subject, int object) except -1
