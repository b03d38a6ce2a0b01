# The C types of groups.py; what they mean is said there.

from pantarhei.materialize.kernel.constants cimport *

cdef int _ERRORS
cdef int _INTEGERS
cdef int _DECIMALS
cdef int _FLOATS
cdef int _DOUBLES
cdef int _EXACT
cdef int _DOUBLED
cdef int _UP
cdef int _DOWN
cdef int _NAN
cdef int _TINY

cpdef result_of(tuple total, is_average)
