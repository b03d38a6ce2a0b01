# C types of decision.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.horn cimport HornClosure, HornProgram


@cython.final
cdef class Decision:
    cdef HornProgram program
    cdef readonly HornClosure possible
    cdef readonly HornClosure kept
    cdef bint is_split
    cdef unsigned char[::1] status
    cdef unsigned char[::1] cone
    cdef unsigned char[::1] inconsistent
    cdef unsigned char[::1] untested
    cdef unsigned char[::1] needed
    cdef int[::1] coned
    cdef int cones
    cdef int[::1] inside
    cdef int insides
    cdef int kept_count
    cdef int[::1] candidates
    cdef int[::1] stack
    cdef int[::1] met
    cdef int[::1] roots
    cdef int[::1] path
    cdef int meets
    cdef int trees
    cdef int[::1] parent
    cdef int[::1] child
    cdef int[::1] sibling
    cdef int[::1] stamp
    cdef int[::1] sizes
    cdef int[::1] fires
    cdef long long most_tests
    cdef long long tests
    cdef readonly bint is_complete
    cdef readonly Ints singles

    cdef int decide_level(self, int[::1] order, int low, int high) except -1 nogil
    cdef int without_kept(self, int count) noexcept nogil
    cdef int split(self) except -1 with gil
    cdef void keep(self, int x) noexcept nogil
    cdef void catch_up(self) noexcept nogil
    cdef bint is_kept(self, int x) noexcept nogil
    cdef void extend_cone(self, int fires) noexcept nogil
    cdef void shrink_cone(self, int cones) noexcept nogil
    cdef int test(self, HornClosure closure, int count, bint names_constraints) except -1 nogil
    cdef int grow_forest(self, HornClosure closure, int count) except -1 nogil
    cdef int derived_alone(self, HornClosure closure, int x) noexcept nogil
    cdef int test_tree(self, HornClosure closure, int root, long long before, bint names_constraints) except -1 nogil
    cdef int learn(self, HornClosure closure, int base, int first) noexcept nogil
    cdef int mark_tree(self, int root, int base, bint is_out) noexcept nogil
    cdef int push_children(self, int x, int top) noexcept nogil
    cdef int name_constraints(self, HornClosure closure, int x, int base) except -1 nogil
