# The C types of proofs.py; what they mean is said there.

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.matcher cimport Matcher


cdef class Proofs(Matcher):
    cdef public int oldest
    cdef public int newest
    cdef public bint detect
    cdef int purpose
    cdef int explained
    cdef int bound
    cdef Ints violations
    cdef Ints instances
    cdef readonly long long pops
    cdef public long long firings

    cdef int record_violation(self, int plan) except -1 nogil
    cdef int record_instance(self, int plan) except -1 nogil
    cdef int record_match(self, int plan) except -1 nogil
    cdef int seen_level(self, int row) noexcept nogil
    cdef int atoms_of(self, int plan) noexcept nogil
    cdef int record(self, int plan, Ints into) except -1 nogil
