# C types of fixpoint.py, which describes the fields.

cimport cython
from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.triggers cimport DerivationVisitor
from pantarhei.materialize.kernel.edges cimport Edges
from pantarhei.materialize.kernel.levels cimport Levels
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.triggers cimport Triggers


@cython.final
cdef class HeadBuffer:
    cdef Store store
    cdef Levels levels
    cdef Edges edges
    cdef Ints buffer
    cdef int highest

    cdef int add(self, int predicate, int subject, int object, int level, int flags) except -1 nogil
    cdef bint must_flush(self) noexcept nogil
    cdef int flush(self) except -1 nogil
    cdef void prefetch(self, int start) noexcept nogil
    cdef int derive(self, int predicate, int subject, int object, int level, int flags) except -1 nogil
    cdef void prefetch_block(self, int[:, ::1] facts, Py_ssize_t start, bint entering) noexcept nogil


@cython.final
cdef class Fixpoint(DerivationVisitor):
    cdef Levels levels
    cdef Edges edges
    cdef HeadBuffer heads
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
    cdef void prefetch_queued(self, int row) noexcept nogil
    cdef void prefetch_superclasses(self, int row, bint listed) noexcept nogil
