"""DRed for one transitive property in numpy: the rules of IM10's Table 3, literally.

An edge is a 64-bit key, a set of edges a sorted column of distinct keys. Recursive rules are evaluated
semi-naively. Explicit facts that remain are restored with the rederived ones; the table leaves this to its
caller.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.int64]
_NONE: Keys = np.zeros(0, np.int64)


class MaintenanceProgram:
    """Closure of a changing set of edges over a background.

    Args:
        background: pairs that are never deleted.
        edges: initial pairs.
    """

    def __init__(self, background: np.ndarray, edges: np.ndarray) -> None:
        self.background = _keys(background)
        self.explicit = np.union1d(self.background, _keys(edges))
        self.closure = _close(_NONE, self.explicit)

    def facts(self, predicate: int) -> np.ndarray:
        """Return the closure as facts of the kernel."""
        columns = np.full(len(self.closure), predicate), self.closure >> 32, self.closure & 0xFFFFFFFF
        return np.stack(columns, axis=1).astype(np.int32)

    def change(self, leaving: np.ndarray, entering: np.ndarray) -> int:
        """Delete and insert edges; return the number of deleted and inserted facts."""
        out, came = np.setdiff1d(_keys(leaving), self.background), _keys(entering)
        old = self.closure
        self.explicit = np.union1d(_difference(self.explicit, out), came)
        # Del(x, z) :- Del(x, y), isIn(y, z).        Del(x, z) :- isIn(x, y), Del(y, z).
        deleted = fresh = _difference(out, came)
        while len(fresh):
            found = np.union1d(_compose(fresh, old), _compose(old, fresh))
            fresh = _difference(found, deleted)
            deleted = np.union1d(deleted, fresh)
        # New(x, y) :- isIn(x, y), not Del(x, y).    New(x, y) :- Red(x, y).
        # Red(x, z) :- Del(x, z), New(x, y), New(y, z).
        new = _difference(old, deleted)
        red = fresh = np.union1d(_rederive(deleted, new), np.intersect1d(deleted, self.explicit))
        while len(fresh):
            new = np.union1d(new, fresh)
            found = np.union1d(_compose(fresh, new), _compose(new, fresh))
            fresh = _difference(np.intersect1d(found, deleted), red)
            red = np.union1d(red, fresh)
        # Ins(x, z) :- Ins(x, y), New(y, z).         Ins(x, z) :- New(x, y), Ins(y, z).
        # New(x, y) :- Ins(x, y).
        self.closure = _close(new, came)
        # isIn+ and isIn-: inserted and deleted facts
        return len(_difference(self.closure, old)) + len(_difference(old, self.closure))


def _keys(pairs: np.ndarray) -> Keys:
    return np.unique(pairs[:, 0].astype(np.int64) << 32 | pairs[:, 1].astype(np.int64))


def _difference(these: Keys, those: Keys) -> Keys:
    return these[~_is_member(these, those)]


def _is_member(these: Keys, those: Keys) -> npt.NDArray[np.bool_]:
    if not len(those):
        return np.zeros(len(these), bool)
    place = np.minimum(np.searchsorted(those, these), len(those) - 1)
    return those[place] == these


def _close(closure: Keys, entering: Keys) -> Keys:
    """Return the closure of `closure`, already closed, with the edges `entering`."""
    fresh = _difference(entering, closure)
    closure = np.union1d(closure, fresh)
    while len(fresh):
        found = np.union1d(_compose(fresh, closure), _compose(closure, fresh))
        fresh = _difference(found, closure)
        closure = np.union1d(closure, fresh)
    return closure


def _inverse(keys: Keys) -> Keys:
    return keys >> 32 | (keys & 0xFFFFFFFF) << 32


def _compose(first: Keys, second: Keys) -> Keys:
    """Return the distinct (x, z) with (x, y) in `first` and (y, z) in `second`, by lookups from the shorter
    side.
    """
    if len(first) > len(second):
        return np.unique(_inverse(_compose(_inverse(second), np.sort(_inverse(first)))))
    middle = first & 0xFFFFFFFF
    starts = np.searchsorted(second, middle << 32)
    counts = np.searchsorted(second, (middle + 1) << 32) - starts
    left = np.repeat(first >> 32, counts)
    places = np.arange(len(left)) + np.repeat(starts - np.cumsum(counts) + counts, counts)
    return np.unique(left << 32 | second[places] & 0xFFFFFFFF)


def _rederive(deleted: Keys, new: Keys) -> Keys:
    """Return the deleted (x, z) with a path (x, y), (y, z) in `new`."""
    subjects = np.unique(deleted >> 32)
    place = np.searchsorted(subjects, new >> 32)
    from_them = new[(place < len(subjects)) & (subjects[np.minimum(place, len(subjects) - 1)] == new >> 32)]
    return np.intersect1d(deleted, _compose(from_them, new))
