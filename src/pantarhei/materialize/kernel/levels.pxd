# C types of levels.py; see there for their meaning.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.store cimport Store


@cython.final
cdef class Levels:
    cdef Store store
    cdef int known
    cdef public int oldest
    cdef public int kept
    cdef public int newest
    cdef unsigned char[::1] streamed
    cdef bint streamed_more
    cdef int[::1] partitions
    cdef int[::1] queues
    cdef int[::1] queue_ends
    cdef int[::1] agenda
    cdef int agenda_size
    cdef Ints waiting
    cdef unsigned char[::1] inert
    cdef long long clock

    cdef int bucket(self, int level) noexcept nogil
    cdef void enlist(self, int row) noexcept nogil
    cdef void delist(self, int row) noexcept nogil
    cdef void settle(self, int row) noexcept nogil
    cdef int raise_to(self, int row, int level) except -1 nogil
    cdef int reach(self, int row) noexcept nogil
    cdef int renew(self, int row) except -1 nogil
    cdef int wait(self, int row) except -1 nogil
    cdef void note_streamed(self, int predicate, int level) noexcept nogil
    cdef int enqueue(self, int row, int level) except -1 nogil
    cdef int agenda_push(self, int level) except -1 nogil
    cdef int grow_agenda(self) except -1 with gil
    cdef void agenda_pop(self) noexcept nogil
