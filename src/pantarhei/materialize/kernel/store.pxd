# C types of store.py, which describes the fields.

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.rows cimport Rows


cdef class Store(Rows):
    cdef void drop_stale(self) noexcept nogil
