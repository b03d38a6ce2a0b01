# C types of matcher.py, which describes the fields.

cimport cython
from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.store cimport Store


cdef class Visitor:
    cdef int weigh(self, int row, int level, int atom) noexcept nogil
    cdef int bind(self, int plan, int step, int level) except -1 nogil
    cdef int visit(self, int plan, int level) except -1 nogil


@cython.final
cdef class Matcher:
    cdef Store store
    cdef int[::1] code
    cdef readonly int widest
    cdef int[::1] edge_atoms
    cdef int edge_atom
    cdef int[::1] edges_noted
    cdef int[::1] slots
    cdef int[::1] body
    cdef int width
    cdef const unsigned char[::1] memberships
    cdef object literals

    cdef int begin(self, int plan, int row, int subject, int object, int level, Visitor visitor) except -1 nogil
    cdef int extend(self, int plan, int step, int level, Visitor visitor) except -1 nogil
    cdef int is_met(self, int at) except -1 nogil
    cdef int is_member(self, int term, int data_range) noexcept nogil
    cdef int evaluate(self, int builtin, int left, int right) except -2 with gil
    cdef int value(self, int argument) noexcept nogil
    cdef int walk(self, int plan, int step, int level, bint edges, Visitor visitor) except -1 nogil
    cdef bint has_edges(self, int predicate) noexcept nogil
    cdef bint is_edge(self, int row) noexcept nogil
    cdef int weigh_at(self, int atom, int row, int level, Visitor visitor) noexcept nogil
    cdef int atoms_of(self, int plan) noexcept nogil
    cdef int find_head(self, int plan) noexcept nogil
    cdef int record(self, int plan, Ints into) except -1 nogil
