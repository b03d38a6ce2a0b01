"""DRed for one transitive property, by the rules of IM10's Table 3 as they stand, in numpy.

An edge is a key of 64 bits, a set of edges a sorted column of distinct keys. Recursive rules are evaluated
semi-naively. Explicit facts that remain are put back with the rederived ones, which the table leaves to its
caller.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.int64]
_NONE: Keys = np.zeros(0, np.int64)


class MaintenanceProgram:
    """The closure of a changing set of edges over a background.

    Args:
        background: pairs that never leave.
        edges: pairs to begin with.
    """

    def __init__(self, background: np.ndarray, edges: np.ndarray) -> None:
        self.background = _keys(background)
        self.explicit = np.union1d(self.background, _keys(edges))
        self.closure = _closed(_NONE, self.explicit)

    def facts(self, predicate: int) -> np.ndarray:
        """The closure as facts of the kernel."""
        columns = np.full(len(self.closure), predicate), self.closure >> 32, self.closure & 0xFFFFFFFF
        return np.stack(columns, axis=1).astype(np.int32)

    def change(self, leaving: np.ndarray, entering: np.ndarray) -> int:
        """Let edges leave and others enter; returns how many facts came or went."""
        out, came = np.setdiff1d(_keys(leaving), self.background), _keys(entering)
        old = self.closure
        self.explicit = np.union1d(_minus(self.explicit, out), came)
        # Del(x, z) :- Del(x, y), isIn(y, z).        Del(x, z) :- isIn(x, y), Del(y, z).
        deleted = fresh = _minus(out, came)
        while len(fresh):
            found = np.union1d(_joined(fresh, old), _joined(old, fresh))
            fresh = _minus(found, deleted)
            deleted = np.union1d(deleted, fresh)
        # New(x, y) :- isIn(x, y), not Del(x, y).    New(x, y) :- Red(x, y).
        # Red(x, z) :- Del(x, z), New(x, y), New(y, z).
        new = _minus(old, deleted)
        red = fresh = np.union1d(_rederived(deleted, new), np.intersect1d(deleted, self.explicit))
        while len(fresh):
            new = np.union1d(new, fresh)
            found = np.union1d(_joined(fresh, new), _joined(new, fresh))
            fresh = _minus(np.intersect1d(found, deleted), red)
            red = np.union1d(red, fresh)
        # Ins(x, z) :- Ins(x, y), New(y, z).         Ins(x, z) :- New(x, y), Ins(y, z).
        # New(x, y) :- Ins(x, y).
        self.closure = _closed(new, came)
        # isIn+ and isIn-: what came and what went
        return len(_minus(self.closure, old)) + len(_minus(old, self.closure))


def _keys(pairs: np.ndarray) -> Keys:
    return np.unique(pairs[:, 0].astype(np.int64) << 32 | pairs[:, 1].astype(np.int64))


def _minus(these: Keys, those: Keys) -> Keys:
    return these[~_within(these, those)]


def _within(these: Keys, those: Keys) -> npt.NDArray[np.bool_]:
    if not len(those):
        return np.zeros(len(these), bool)
    place = np.minimum(np.searchsorted(those, these), len(those) - 1)
    return those[place] == these


def _closed(closure: Keys, entering: Keys) -> Keys:
    """`closure`, which is one, with `entering` and all that follows."""
    fresh = _minus(entering, closure)
    closure = np.union1d(closure, fresh)
    while len(fresh):
        found = np.union1d(_joined(fresh, closure), _joined(closure, fresh))
        fresh = _minus(found, closure)
        closure = np.union1d(closure, fresh)
    return closure


def _swapped(keys: Keys) -> Keys:
    return keys >> 32 | (keys & 0xFFFFFFFF) << 32


def _joined(first: Keys, second: Keys) -> Keys:
    """The distinct (x, z) with (x, y) in `first` and (y, z) in `second`; the shorter side is looked up."""
    if len(first) > len(second):
        return np.unique(_swapped(_joined(_swapped(second), np.sort(_swapped(first)))))
    middle = first & 0xFFFFFFFF
    starts = np.searchsorted(second, middle << 32)
    counts = np.searchsorted(second, (middle + 1) << 32) - starts
    left = np.repeat(first >> 32, counts)
    places = np.arange(len(left)) + np.repeat(starts - np.cumsum(counts) + counts, counts)
    return np.unique(left << 32 | second[places] & 0xFFFFFFFF)


def _rederived(deleted: Keys, new: Keys) -> Keys:
    """The deleted (x, z) with a path (x, y), (y, z) in `new`."""
    subjects = np.unique(deleted >> 32)
    place = np.searchsorted(subjects, new >> 32)
    from_them = new[(place < len(subjects)) & (subjects[np.minimum(place, len(subjects) - 1)] == new >> 32)]
    return np.intersect1d(deleted, _joined(from_them, new))
