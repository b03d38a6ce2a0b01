# The C types of fixpoint.py; what they mean is said there.

cimport cython

from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.deriving cimport Deriving
from pantarhei.materialize.kernel.edges cimport Edges
from pantarhei.materialize.kernel.heads cimport Heads
from pantarhei.materialize.kernel.levels cimport Levels
from pantarhei.materialize.kernel.triggers cimport Triggers


@cython.final
cdef class Fixpoint(Deriving):
    cdef Levels levels
    cdef Edges edges
    cdef Heads heads
    cdef int[::1] superclasses
    cdef int[::1] superclass_start
    cdef int[::1] superclass_ends
    cdef bint merged

    cdef int flags_of_head(self, int plan, int head, int level) noexcept nogil
    cdef bint is_unproven(self, int plan, int level) noexcept nogil
    cdef int run(self) except -1 nogil
    cdef int pop(self, int row, int level) except -1 nogil
    cdef void settle_row(self, int row) noexcept nogil
    cdef int add_superclasses(self, int row, int level) except -1 nogil
    cdef void fetch_queued(self, int row) noexcept nogil
    cdef void fetch_superclasses(self, int row, bint listed) noexcept nogil
