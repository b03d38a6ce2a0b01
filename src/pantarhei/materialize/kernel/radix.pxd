# The constants that radix.py uses.

from pantarhei.materialize.kernel.constants cimport *
