# C types of triggers.py, which describes the fields.

cimport cython
from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.matcher cimport Matcher
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.matcher cimport Visitor


cdef class Switches:
    cdef int[::1] plans
    cdef int[::1] start
    cdef int[::1] joining
    cdef int[::1] unswitched
    cdef int[::1] switch_start
    cdef int[::1] kinds
    cdef int[::1] switched
    cdef int[::1] ranges
    cdef long long[::1] keys
    cdef int shift

    cdef Py_ssize_t find(self, int switch, int key) noexcept nogil


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
    cdef int fire_backward(self, int row, Visitor visitor) except -1 nogil
    cdef bint are_without_plans(self, int predicate) noexcept nogil
    cdef void choose_crossing(self, unsigned char[::1] streamed) noexcept nogil
    cdef void choose_constraints(self) noexcept nogil
    cdef int start_plans(
        self, Switches switches, int trigger, int row, int level, int which, Visitor visitor
    ) except -1 nogil
    cdef int start_switched(
        self, Switches switches, int switch, int trigger, int row, int level, bint chosen, Visitor visitor
    ) except -1 nogil
    cdef int start_key(
        self, Switches switches, int switch, int key, int trigger, int row, int level, bint chosen, Visitor visitor
    ) except -1 nogil
    cdef int start_range(
        self, Switches switches, int first, int end, int trigger, int row, int level, bint chosen, Visitor visitor
    ) except -1 nogil
    cdef void prefetch_partner(self, int row, bint first) noexcept nogil


cdef class DerivationVisitor(Visitor):
    cdef Triggers triggers
    cdef Matcher matcher
    cdef Store store
    cdef bint detects
    cdef Ints violations
    cdef long long pops
    cdef long long firings

    cdef int derive(self, int plan, int level) except -1 nogil
