# C types of fixpoint.py; see there for their meaning.

cimport cython
from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.triggers cimport Deriving
from pantarhei.materialize.kernel.edges cimport Edges
from pantarhei.materialize.kernel.levels cimport Levels
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.triggers cimport Triggers


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
