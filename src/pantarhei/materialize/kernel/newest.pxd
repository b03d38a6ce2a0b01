# C types of newest.py, which describes the fields.

cimport cython

from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.edges cimport Edges
from pantarhei.materialize.kernel.fixpoint cimport Fixpoint
from pantarhei.materialize.kernel.levels cimport Levels
from pantarhei.materialize.kernel.retraction cimport Retraction
from pantarhei.materialize.kernel.window_kernel cimport WindowKernel


@cython.final
cdef class NewestKernel(WindowKernel):
    cdef readonly Levels levels
    cdef Edges edges
    cdef Fixpoint fixpoint
    cdef Retraction retraction
    cdef readonly long long renewals

    cdef int remove_all(self, int row) except -1 nogil
