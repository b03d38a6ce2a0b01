# C types of body_matches.py; see there for their meaning.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.bags cimport Readers
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.cells cimport Keyed
from pantarhei.materialize.kernel.matcher cimport Matcher
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.matcher cimport Visitor


@cython.final
cdef class BodyMatches(Visitor):
    cdef Store store
    cdef Matcher matcher
    cdef Keyed keys
    cdef Keyed steps
    cdef unsigned char[::1] key_kinds
    cdef int[::1] starts
    cdef int[::1] asked
    cdef int[::1] variables
    cdef int[::1] first_steps
    cdef int[::1] states
    cdef int most_variables
    cdef Ints changed
    cdef Ints found
    cdef object none
    cdef int seen
    cdef bint tells_levels
    cdef int trigger
    cdef int asked_from
    cdef readonly long long candidates

    cdef search(self, int[:, ::1] noted, int[:, ::1] reformed)
    cdef signed_rows(self, list readers, noted, reformed, shown)
    cdef taken(self)
    cdef expect(self, Py_ssize_t count)
    cdef int note(self, int[:, ::1] noted) except -1 nogil
    cdef int reform(self, int[:, ::1] facts) noexcept nogil
    cdef int give(self, int[:, ::1] facts) except -1 nogil
    cdef int hide(self, int[:, ::1] facts) noexcept nogil
    cdef int row_for(self, int predicate, int subject, int object) except -1 nogil
    cdef void list_changed(self, int row) noexcept nogil
    cdef bint is_asked_for(self, int predicate, int subject, int object) noexcept nogil
    cdef int enumerate(self, int seen) except -1 nogil
    cdef int begin(self, int row) except -1 nogil
    cdef int begin_keyed(self, int row, int subject, int object) except -1 nogil
    cdef bint is_wanted(self, int row, int atom) noexcept nogil
    cdef bint is_longer(self, int predicate, int term, bint forward, int most) noexcept nogil
    cdef void take_back(self) noexcept nogil
