# C types of watching.py; see there for their meaning.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *


@cython.final
cdef class Watching:
    cdef int[::1] groups
    cdef list watchers

    cdef list apart(self, int[:, ::1] given)
    cdef int put(self, Ints part, int[:, ::1] given, Py_ssize_t place) except -1
