# The C types of edges.py; what they mean is said there.

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.levels cimport Levels
from pantarhei.materialize.kernel.proofs cimport Proofs


cdef class Edges(Proofs):
    cdef Levels levels
    cdef int[::1] copies
    cdef int[::1] copy_plans
    cdef int[::1] copy_start
    cdef Ints new_edges

    cdef int edge_of(self, int predicate) noexcept nogil
    cdef bint makes_edge(self, int plan) noexcept nogil
    cdef int flag(self, int row) except -1 nogil
    cdef int hand_on(self) except -1 nogil
