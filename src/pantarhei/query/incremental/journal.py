"""Undo journal for dictionaries: any marked state, earlier or later, can be restored.

The state of registered queries is held in dictionaries. Every change of an entry is recorded in the journal
first. A mark represents the state at the time it was made; the journal moves the dictionaries from one marked
state to another. A mark holds the entries that lead back to it, so states without a mark cost no memory
(rerooting: H. Baker, Shallow binding in Lisp 1.5, 1978; Conchon and Filliâtre, Semi-persistent data
structures, 2008).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

Entry = tuple[dict[Any, Any], Any, Any]
"""Dictionary, key, and former value, `ABSENT` for none. A plain tuple, since each change makes one."""

ABSENT: Final = object()


class Mark:
    """Marked state of the dictionaries.

    Args:
        entries: entries that lead from the state of `next` to this state, the last entry first.
        next: the mark that is nearer to the present state; None for the nearest one, whose `entries` lead
            there from the
            present state.
    """

    __slots__ = ("entries", "next")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.next: Mark | None = None


class Journal:
    """Record of changes to dictionaries; not thread-safe.

    `entries` are the changes since the last mark. Bulk changes may append to it directly.
    """

    def __init__(self) -> None:
        self._nearest = Mark()
        self.entries = self._nearest.entries
        self._noted = 0  # before `entries`

    @property
    def change_count(self) -> int:
        """Number of changes recorded so far; it grows with each change, and with each return to a mark."""
        return self._noted + len(self.entries)

    def note(self, table: dict[Any, Any], key: Any) -> None:
        """Record the present value of an entry that is about to change."""
        self.entries.append((table, key, table.get(key, ABSENT)))

    def note_all(self, table: dict[Any, Any], keys: Collection[Any]) -> None:
        """Record the present values of entries that are about to change."""
        get = table.get
        self.entries += [(table, key, get(key, ABSENT)) for key in keys]

    def replace(self, table: dict[Any, Any], content: Mapping[Any, Any]) -> None:
        """Replace the content of a dictionary."""
        self.note_all(table, table.keys())
        table.clear()
        self.note_all(table, content.keys())
        table.update(content)

    def set(self, owner: object, name: str, value: object) -> None:
        """Set an attribute of an object."""
        table = vars(owner)
        self.entries.append((table, name, table.get(name, ABSENT)))
        table[name] = value

    def mark(self) -> Mark:
        """Return a mark of the present state."""
        if self.entries:
            self._noted += len(self.entries)
            self._nearest.next = Mark()
            self._nearest = self._nearest.next
            self.entries = self._nearest.entries
        return self._nearest

    def back(self, mark: Mark) -> None:
        """Restore the state of a mark. Costs the changes in between."""
        self._noted = self.change_count + 1
        path = [mark]
        while path[-1].next is not None:
            path.append(path[-1].next)
        nearest = path.pop()
        _applied(nearest)  # the present state has no mark
        while path:
            older = path.pop()
            nearest.entries, nearest.next = _applied(older), older
            older.next = None
            nearest = older
        self._nearest, self.entries = nearest, nearest.entries


def _applied(mark: Mark) -> list[Entry]:
    """Apply the entries of a mark, and clear them; returns the entries that undo them."""
    done = []
    for table, key, value in reversed(mark.entries):
        done.append((table, key, table.get(key, ABSENT)))
        if value is ABSENT:
            table.pop(key, None)
        else:
            table[key] = value
    mark.entries = []
    return done
