# C types of groups.py, which describes the fields.

from pantarhei.materialize.kernel.constants cimport *


cdef int _ERRORS
cdef int _INTEGERS
cdef int _DECIMALS
cdef int _FLOATS
cdef int _DOUBLES
cdef int _EXACT
cdef int _SINGLES
cdef int _DOUBLED
cdef int _UP
cdef int _DOWN
cdef int _NAN
cdef int _TINY
cdef int _BITS
cdef long long _MOST

cdef tuple update_uniform(tuple before, items, addends)
cdef tuple update_mixed(tuple before, items, addends, fma)
cpdef tuple mixed_total(tuple total)
cpdef result_of(tuple total, is_average)
cdef result_of_uniform(tuple total, is_average)
cdef scaled_double(multiples, size)
