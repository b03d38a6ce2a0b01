# C types of retraction.py, which describes the fields.

cimport cython
from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.fixpoint cimport Fixpoint
from pantarhei.materialize.kernel.levels cimport Levels
from pantarhei.materialize.kernel.matcher cimport Matcher
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.triggers cimport Triggers
from pantarhei.materialize.kernel.matcher cimport Visitor


@cython.final
cdef class Support(Visitor):
    cdef Triggers triggers
    cdef Store store
    cdef int mark_level
    cdef long long mark_sequence
    cdef int best
    cdef int enough
    cdef long long reads_left
    cdef long long searches

    cdef bint is_supported(self, int row) except -1 nogil
    cdef int best_for(self, int row, int enough) except -2 nogil
    cdef int search(self, int row, int enough) except -2 nogil


@cython.final
cdef class Retraction(Visitor):
    cdef Fixpoint fixpoint
    cdef Levels levels
    cdef Triggers triggers
    cdef Matcher matcher
    cdef Store store
    cdef Support support
    cdef Ints overdeleted
    cdef Ints unreliable
    cdef Ints affected_heads
    cdef Ints support_levels
    cdef long long rederivations

    cdef int dependency_level(self, int row) noexcept nogil
    cdef int lower_assertion(self, int row, int level) except -1 nogil
    cdef int mark_unreliable(self, int row) except -1 nogil
    cdef int record_loss(self, int row, int level) except -1 nogil
    cdef int overdelete_unsupported(self, int row) except -1 nogil
    cdef int run(self) except -1 nogil
    cdef int overdelete(self) except -1 nogil
    cdef int affected(self, int i) noexcept nogil
    cdef int find_support(self) except -1 nogil
    cdef int unlink_overdeleted(self) except -1 nogil
    cdef int queue_rederived(self) except -1 nogil
    cdef int remove_unsupported(self) except -1 nogil
