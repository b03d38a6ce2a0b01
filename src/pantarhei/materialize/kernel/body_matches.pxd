# C types of body_matches.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.bags cimport Readers
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.cells cimport Multimap
from pantarhei.materialize.kernel.matcher cimport Matcher
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.matcher cimport Visitor
from pantarhei.materialize.kernel.triggers cimport Triggers


@cython.final
cdef class BodyMatches(Visitor):
    cdef Triggers triggers
    cdef Store store
    cdef Matcher matcher
    cdef Multimap keys
    cdef Multimap steps
    cdef unsigned char[::1] key_kinds
    cdef int[::1] starts
    cdef int[::1] parameter_atoms
    cdef int[::1] variables
    cdef int[::1] first_steps
    cdef int[::1] states
    cdef int most_variables
    cdef Ints changed
    cdef Ints found
    cdef object no_rows
    cdef int delta_flag
    cdef bint returns_levels
    cdef int trigger_atom
    cdef int parameter_offset
    cdef long long candidates

    cdef search(self, int[:, ::1] noted, int[:, ::1] replaced)
    cdef result_rows(self)
    cdef prepare(self, Py_ssize_t count)
    cdef int flag_changed(self, int[:, ::1] noted) except -1 nogil
    cdef int flag_replaced(self, int[:, ::1] facts) noexcept nogil
    cdef int flag_inserted(self, int[:, ::1] facts) except -1 nogil
    cdef int flag_excluded(self, int[:, ::1] facts) noexcept nogil
    cdef int row_for(self, int predicate, int subject, int object) except -1 nogil
    cdef void log_row(self, int row) noexcept nogil
    cdef bint has_plan_key(self, int predicate, int subject, int object) noexcept nogil
    cdef int enumerate(self, int delta_flag) except -1 nogil
    cdef int begin(self, int row) except -1 nogil
    cdef int begin_keyed(self, int row, int subject, int object) except -1 nogil
    cdef bint binds_registered(self, int row, int atom) noexcept nogil
    cdef bint is_longer(self, int predicate, int term, bint forward, int most) noexcept nogil
    cdef void restore_rows(self) noexcept nogil
