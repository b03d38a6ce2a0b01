# The C types of groups.py; what they mean is said there.

from pantarhei.materialize.kernel.constants cimport *
