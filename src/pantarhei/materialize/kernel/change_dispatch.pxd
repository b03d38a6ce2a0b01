# C types of change_dispatch.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.arrays cimport Ints
from pantarhei.materialize.kernel.constants cimport *


@cython.final
cdef class ChangeDispatch:
    cdef int[::1] groups
    cdef list subscribers

    cdef list split_mixed(self, int[:, ::1] rows)
    cdef int put(self, Ints part, int[:, ::1] rows, Py_ssize_t place) except -1
