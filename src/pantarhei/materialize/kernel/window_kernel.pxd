# C types of window_kernel.py, which describes the fields.

from pantarhei.materialize.kernel.constants cimport *
from pantarhei.materialize.kernel.triggers cimport DerivationVisitor
from pantarhei.materialize.kernel.matcher cimport Matcher
from pantarhei.materialize.kernel.store cimport Store
from pantarhei.materialize.kernel.triggers cimport Triggers


cdef class WindowKernel:
    cdef readonly Store store
    cdef Matcher matcher
    cdef Triggers triggers
    cdef DerivationVisitor derivation
