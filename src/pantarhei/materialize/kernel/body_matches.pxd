# The C types of body_matches.py; what they mean is said there.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.matcher cimport Matcher
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.visitor cimport Visitor


@cython.final
cdef class BodyMatches(Visitor):
    cdef Store store
    cdef Matcher matcher
    cdef int[:, ::1] triggers
    cdef int variables
    cdef Ints given
    cdef Ints absent
    cdef Ints hidden
    cdef Ints found
    cdef readonly long long candidates

    cdef int hide(self, int[:, ::1] without) except -1 nogil
    cdef int give(self, int[:, ::1] facts) except -1 nogil
    cdef int enumerate(self) except -1 nogil
    cdef int take_back(self) except -1 nogil
