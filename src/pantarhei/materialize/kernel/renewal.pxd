# The C types of renewal.py; what they mean is said there.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.fixpoint cimport Fixpoint


cdef class Renewal(Fixpoint):
    cdef readonly long long renewals

    cdef int remove_all(self, int row) except -1 nogil
    @cython.final
    cdef int reach(self, int row) noexcept nogil
    @cython.final
    cdef int renew(self, int row) except -1 nogil
    @cython.final
    cdef int wait(self, int row) except -1 nogil
