# C types of rows.py, which describes the fields.

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.cells cimport Cells
from pantarhei.materialize.kernel.constants cimport *

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define pantarhei_fetch(address) __builtin_prefetch(address)
    #else
    #define pantarhei_fetch(address) ((void)(address))
    #endif
    """
    void fetch "pantarhei_fetch" (const void *address) noexcept nogil


cdef struct Row:
    int predicate
    int subject
    int object
    int level
    int assertion_level
    int merged_level
    int flags
    int next_subject
    int previous_subject
    int next_object
    int previous_object
    int next_listed
    int previous_listed
    long long sequence


cdef class Rows:
    cdef Row[::1] rows
    cdef readonly int used
    cdef readonly int live
    cdef int free
    cdef Cells table
    cdef Cells subject_chains
    cdef Cells object_chains
    cdef unsigned char[::1] by_subject
    cdef unsigned char[::1] by_object
    cdef unsigned char[::1] unrecorded
    cdef Ints inserted
    cdef Ints deleted
    cdef Ints level_changes
    cdef readonly bint records_levels
    cdef public int max_facts
    cdef public long long max_bytes
    cdef int bytes_per_row
    cdef public bint prefetches
    cdef bint has_edge

    cdef int find(self, int predicate, int subject, int object) noexcept nogil
    cdef void prefetch_row(self, int row) noexcept nogil
    cdef void prefetch_fact(self, int predicate, int subject, int object) noexcept nogil
    cdef int probable_row(self, int predicate, int subject, int object) noexcept nogil
    cdef void prefetch_listed(self, int row) noexcept nogil
    cdef void prefetch_chain(self, int predicate, int term, int chain) noexcept nogil
    cdef void prefetch_chain_start(self, int predicate, int term, int chain) noexcept nogil
    cdef void prefetch_chains(self, int predicate, int subject, int object, int edge) noexcept nogil
    cdef void prefetch_chain_starts(self, int predicate, int subject, int object, int edge) noexcept nogil
    cdef void prefetch_neighbours(self, int row) noexcept nogil
    cdef int insert(self, int predicate, int subject, int object, int edge) except -1 nogil
    cdef int remove(self, int row) except -1 nogil
    cdef int record_level(self, int row) except -1 nogil
    cdef int first_with_subject(self, int predicate, int subject, int edge) noexcept nogil
    cdef int first_with_object(self, int predicate, int object, int edge) noexcept nogil
    cdef int make_edge(self, int row) except -1 nogil
    cdef int grow_chains(self) except -1 with gil
    cdef int reserve_row(self) except -1 nogil
    cdef int grow(self) except -1 with gil
    cdef int subject_cell(self, int predicate, int subject, int edge, int tag) noexcept nogil
    cdef int object_cell(self, int predicate, int object, int edge, int tag) noexcept nogil
    cdef int rebuild_tables(self) except -1 nogil
    cdef void link_subject(self, int row) noexcept nogil
    cdef void link_object(self, int row) noexcept nogil
    cdef void unlink_subject(self, int row) noexcept nogil
    cdef void unlink_object(self, int row) noexcept nogil
    cdef int add_predicate(self, int predicate) except -1 nogil
    cdef int grow_flags(self, int predicate) except -1 with gil
