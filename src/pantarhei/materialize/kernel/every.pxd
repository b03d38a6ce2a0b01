# C types of every.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.triggers cimport DerivationVisitor
from pantarhei.materialize.kernel.level_sets cimport LevelSets
from pantarhei.materialize.kernel.matcher cimport Matcher
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.triggers cimport Triggers
from pantarhei.materialize.kernel.matcher cimport Visitor
from pantarhei.materialize.kernel.window_kernel cimport WindowKernel


@cython.final
cdef class AttachmentVisitor(DerivationVisitor):
    cdef LevelSets sets
    cdef int only_bit
    cdef Ints queue

    cdef bint is_background(self, int plan) noexcept nogil
    cdef int make_background(self, int row) except -1 nogil
    cdef int attach(self, int row) except -1 nogil
    cdef int enqueue(self, int row) except -1 nogil
    cdef int dequeue(self) noexcept nogil
    cdef int run(self) except -1 nogil


@cython.final
cdef class RederivationVisitor(Visitor):
    cdef AttachmentVisitor attachment
    cdef Matcher matcher
    cdef LevelSets sets
    cdef int head


@cython.final
cdef class OverdeletionVisitor(Visitor):
    cdef AttachmentVisitor attachment
    cdef Matcher matcher
    cdef Store store
    cdef LevelSets sets
    cdef int cause
    cdef Ints stale

    cdef int mark_stale(self, int row) except -1 nogil


@cython.final
cdef class EveryKernel(WindowKernel):
    cdef public int newest
    cdef LevelSets sets
    cdef AttachmentVisitor attachment
    cdef OverdeletionVisitor overdeletion
    cdef RederivationVisitor rederivation

    cdef int queue_loss(self, int row) except -1
