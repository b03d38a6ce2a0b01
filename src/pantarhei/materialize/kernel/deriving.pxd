# The C types of deriving.py; what they mean is said there.

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.matcher cimport Matcher
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.triggers cimport Triggers
from pantarhei.materialize.kernel.visitor cimport Visitor


cdef class Deriving(Visitor):
    cdef Triggers triggers
    cdef Matcher matcher
    cdef Store store
    cdef bint detects
    cdef Ints violations
    cdef long long pops
    cdef long long firings

    cdef int derive(self, int plan, int level) except -1 nogil
