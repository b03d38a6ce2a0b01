# The C types of matcher.py; what they mean is said there.

from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.switches cimport Switches


cdef class Matcher:
    cdef readonly Store store
    cdef int[::1] code
    cdef Switches forward
    cdef Switches backward
    cdef int[::1] superclasses
    cdef int[::1] superclass_start
    cdef int[::1] superclass_ends
    cdef unsigned char[::1] chosen
    cdef bint crossing_is_chosen
    cdef readonly int known
    cdef readonly int widest
    cdef int[::1] edge_atoms
    cdef int edge_atom
    cdef int[::1] edges_noted
    cdef int[::1] partners
    cdef int[::1] slots
    cdef int[::1] body
    cdef int width
    cdef const unsigned char[::1] memberships
    cdef object literals
    cdef readonly long long candidates

    cdef int fire(self, int row, int level) except -1 nogil
    cdef int fire_chosen(self, int row, int level) except -1 nogil
    cdef int fire_joining(self, int row, int level) except -1 nogil
    cdef int explain(self, int row) except -1 nogil
    cdef void choose_crossing(self, unsigned char[::1] streamed) noexcept nogil
    cdef void choose_constraints(self) noexcept nogil
    cdef int attempt(self, Switches switches, int trigger, int row, int level, int which) except -1 nogil
    cdef int attempt_switched(
        self, Switches switches, int switch, int trigger, int row, int level, bint chosen
    ) except -1 nogil
    cdef int attempt_key(
        self, Switches switches, int switch, int key, int trigger, int row, int level, bint chosen
    ) except -1 nogil
    cdef int attempt_range(
        self, Switches switches, int first, int end, int trigger, int row, int level, bint chosen
    ) except -1 nogil
    cdef int begin(self, int plan, int row, int subject, int object, int level) except -1 nogil
    cdef int extend(self, int plan, int step, int level) except -1 nogil
    cdef int is_met(self, int at) except -1 nogil
    cdef int is_member(self, int term, int data_range) noexcept nogil
    cdef int evaluate(self, int builtin, int left, int right) except -2 with gil
    cdef int value(self, int argument) noexcept nogil
    cdef int walk(self, int plan, int step, int level, bint edges) except -1 nogil
    cdef void fetch_partner(self, int row, bint first) noexcept nogil
    cdef bint has_edges(self, int predicate) noexcept nogil
    cdef bint is_edge(self, int row) noexcept nogil
    cdef int weigh_at(self, int atom, int row, int level) noexcept nogil
    cdef int weigh(self, int row, int level) noexcept nogil
    cdef int leaf(self, int plan, int level) except -1 nogil
