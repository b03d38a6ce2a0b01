# The C types of switches.py; what they mean is said there.


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
