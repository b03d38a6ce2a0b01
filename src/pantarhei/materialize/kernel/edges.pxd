# C types of edges.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.matcher cimport Matcher
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.matcher cimport Visitor


@cython.final
cdef class Edges:
    cdef Matcher matcher
    cdef Store store
    cdef int[::1] copies
    cdef int[::1] copy_plans
    cdef int[::1] copy_start
    cdef Ints pending

    cdef int edge_flag(self, int predicate) noexcept nogil
    cdef bint derives_edge(self, int plan) noexcept nogil
    cdef int schedule_flag(self, int row) except -1 nogil
    cdef int propagate_flag(self, Visitor visitor) except -1 nogil
