"""Incremental antijoin of two predicates, for negation between strata."""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.store import Store

from pantarhei.materialize.kernel.arrays import Ints


@cython.cclass
class AntiJoin:
    """Incremental difference `result = requested - negated`, three predicates of one store.

    Args:
        store: the rows.
        negated, requested, result: predicates.
        unit: if `negated` is a class, the subject that its members have in `requested` and `result`, where
            they are objects; else `NONE`.
    """

    def __init__(self, store: Store, negated, requested, result, unit):
        self.store = store
        self.negated = negated
        self.requested = requested
        self.result = result
        self.unit = unit

    def changes(self, changed: cython.int[:, ::1]):
        """Return the facts to insert into and to delete from `result` after changes of `negated` and
        `requested`.

        A fact may occur several times in the changes and in the result. Each change costs three lookups.
        """
        inserted: Ints = Ints()
        deleted: Ints = Ints()
        i: cython.Py_ssize_t
        subject: cython.int
        object_: cython.int
        holds: cython.bint
        for i in range(len(changed)):
            subject = changed[i, 1]
            object_ = changed[i, 2]
            if changed[i, 0] == self.negated and self.unit != NONE:
                object_ = subject
                subject = self.unit
            holds = self.is_stored(self.requested, subject, object_) and not self.is_negated(subject, object_)
            if holds != self.is_stored(self.result, subject, object_):
                self.append(inserted if holds else deleted, subject, object_)
        return inserted.array().reshape(-1, 3), deleted.array().reshape(-1, 3)

    def is_negated(self, subject, object):
        """Return true if `negated` has the fact with the requested `subject` and `object`, so that no row may
        match.
        """
        if self.unit != NONE:
            return self.is_stored(self.negated, object, NONE)
        return self.is_stored(self.negated, subject, object)

    def is_stored(self, predicate, subject, object):
        """True if a fact is stored."""
        return self.store.find(predicate, subject, object) >= 0

    def append(self, rows, subject, object):
        """Append a fact of `result`."""
        rows.push(self.result)
        rows.push(subject)
        rows.push(object)
        return 0
