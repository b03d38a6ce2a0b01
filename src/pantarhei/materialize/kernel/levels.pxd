# C types of levels.py, which describes the fields.

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
    cdef Ints unsettled
    cdef unsigned char[::1] inert
    cdef long long next_sequence

    cdef int bucket(self, int level) noexcept nogil
    cdef void link(self, int row) noexcept nogil
    cdef void unlink(self, int row) noexcept nogil
    cdef void settle(self, int row) noexcept nogil
    cdef int raise_to(self, int row, int level) except -1 nogil
    cdef int renewal_level(self, int row) noexcept nogil
    cdef int renew(self, int row) except -1 nogil
    cdef int record_unsettled(self, int row) except -1 nogil
    cdef void mark_streamed(self, int predicate, int level) noexcept nogil
    cdef int enqueue(self, int row, int level) except -1 nogil
    cdef int agenda_push(self, int level) except -1 nogil
    cdef int grow_agenda(self) except -1 with gil
    cdef void agenda_pop(self) noexcept nogil
