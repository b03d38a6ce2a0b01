"""Negation between strata: requested facts that are not denied are free."""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.store import Store

from pantarhei.materialize.kernel.arrays import Ints


@cython.cclass
class Guarding:
    """Incremental difference `free = asked - denied`.

    Args:
        store: the rows of all three predicates.
        denied, asked, free: predicates.
        unit: where `denied` is a class, the subject that its members have in `asked` and `free`; else `NONE`.
    """

    def __init__(self, store: Store, denied, asked, free, unit):
        self.store = store
        self.denied = denied
        self.asked = asked
        self.free = free
        self.unit = unit

    def turned(self, changed: cython.int[:, ::1]):
        """Return the facts to insert into and to delete from `free` after changes of `denied` and `asked`.

        A changed row may recur. Costs three lookups for each.
        """
        coming: Ints = Ints()
        going: Ints = Ints()
        i: cython.Py_ssize_t
        subject: cython.int
        object_: cython.int
        wanted: cython.bint
        for i in range(len(changed)):
            subject = changed[i, 1]
            object_ = changed[i, 2]
            if changed[i, 0] == self.denied and self.unit != NONE:
                object_ = subject
                subject = self.unit
            wanted = self.is_there(self.asked, subject, object_) and not self.is_denied(subject, object_)
            if wanted != self.is_there(self.free, subject, object_):
                self.note(coming if wanted else going, subject, object_)
        return coming.array().reshape(-1, 3), going.array().reshape(-1, 3)

    def is_denied(self, subject, object):
        """True if `denied` holds for the requested fact."""
        if self.unit != NONE:
            return self.is_there(self.denied, object, NONE)
        return self.is_there(self.denied, subject, object)

    def is_there(self, predicate, subject, object):
        """True if a fact is stored."""
        return self.store.find(predicate, subject, object) >= 0

    def note(self, rows, subject, object):
        """Append a row of `free`."""
        rows.push(self.free)
        rows.push(subject)
        rows.push(object)
        return 0
