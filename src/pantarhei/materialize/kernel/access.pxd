# The C types of access.py; what they mean is said there.

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.rows cimport Rows


cdef class AccessRows(Rows):
    cdef void drop_stale(self) noexcept nogil
