# The C types of triggers.py; what they mean is said there.

cimport cython

from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.matcher cimport Matcher
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.switches cimport Switches
from pantarhei.materialize.kernel.visitor cimport Visitor


@cython.final
cdef class Triggers:
    cdef Matcher matcher
    cdef Store store
    cdef Switches forward
    cdef Switches backward
    cdef int known
    cdef unsigned char[::1] chosen
    cdef bint crossing_is_chosen
    cdef long long candidates
    cdef int[::1] partners

    cdef int fire(self, int row, int level, Visitor visitor) except -1 nogil
    cdef int fire_chosen(self, int row, int level, Visitor visitor) except -1 nogil
    cdef int fire_joining(self, int row, int level, Visitor visitor) except -1 nogil
    cdef int explain(self, int row, Visitor visitor) except -1 nogil
    cdef bint are_none(self, int predicate) noexcept nogil
    cdef void choose_crossing(self, unsigned char[::1] streamed) noexcept nogil
    cdef void choose_constraints(self) noexcept nogil
    cdef int attempt(
        self, Switches switches, int trigger, int row, int level, int which, Visitor visitor
    ) except -1 nogil
    cdef int attempt_switched(
        self, Switches switches, int switch, int trigger, int row, int level, bint chosen, Visitor visitor
    ) except -1 nogil
    cdef int attempt_key(
        self, Switches switches, int switch, int key, int trigger, int row, int level, bint chosen, Visitor visitor
    ) except -1 nogil
    cdef int attempt_range(
        self, Switches switches, int first, int end, int trigger, int row, int level, bint chosen, Visitor visitor
    ) except -1 nogil
    cdef void fetch_partner(self, int row, bint first) noexcept nogil
