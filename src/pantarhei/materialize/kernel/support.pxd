# The C types of support.py; what they mean is said there.

cimport cython

from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.triggers cimport Triggers
from pantarhei.materialize.kernel.visitor cimport Visitor


@cython.final
cdef class Support(Visitor):
    cdef Triggers triggers
    cdef Store store
    cdef int mark_level
    cdef long long mark_sequence
    cdef int best
    cdef int enough
    cdef long long patience
    cdef long long searches

    cdef bint holds(self, int row) except -1 nogil
    cdef int best_for(self, int row, int enough) except -2 nogil
    cdef int search(self, int row, int enough) except -2 nogil
