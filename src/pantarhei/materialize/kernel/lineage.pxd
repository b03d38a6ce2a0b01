# C types collect lineage.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.matcher cimport Matcher
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.triggers cimport Triggers
from pantarhei.materialize.kernel.matcher cimport Visitor


@cython.final
cdef class LineageWalk(Visitor):
    cdef Triggers triggers
    cdef Matcher matcher
    cdef Store store
    cdef int head
    cdef long long recorded
    cdef long long max_per_head
    cdef long long max_instances
    cdef int min_level
    cdef long long[::1] counts
    cdef int oldest
    cdef Ints instances

    cdef bint is_full(self) noexcept nogil
    cdef int record_instances(self, int row, Ints reached) except -1 nogil
    cdef int add_reached(self, int row, Ints reached) except -1 nogil
