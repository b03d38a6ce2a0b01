"""Undo journal for dictionaries: any savepoint, earlier or later, can be restored.

The state of registered queries is held in dictionaries. Before a dictionary entry changes, its former value
is appended to the journal. A savepoint represents the state at the time of its creation. It holds the changes
that lead back to it, so a state without a savepoint costs no memory (rerooting: H. Baker, Shallow binding in
Lisp 1.5, 1978; Conchon and Filliâtre, Semi-persistent data structures, 2008).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

Entry = tuple[dict[Any, Any], Any, Any]
"""A change: dictionary, key, and former value (`ABSENT` for a new key). A plain tuple, for speed."""

ABSENT: Final = object()


class JournalSavepoint:
    """State of the dictionaries that can be restored.

    The savepoints form a tree whose root is the savepoint nearest to the present state.

    Args:
        entries: changes that restore this state if they are applied, last one first, to the state of `next`;
            the changes of the nearest savepoint are applied to the present state.
        next: the next savepoint on the way to the present state; None for the nearest savepoint.
    """

    __slots__ = ("entries", "next")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.next: JournalSavepoint | None = None


class Journal:
    """Record of changes to dictionaries; not thread-safe.

    `entries` are the changes since the last savepoint. Code that makes many changes may append to it
    directly.
    """

    def __init__(self) -> None:
        self._nearest = JournalSavepoint()
        self.entries = self._nearest.entries
        self._earlier_changes = 0  # number of changes recorded before `entries`

    @property
    def change_count(self) -> int:
        """Number of changes recorded so far; restoring a savepoint increases it too."""
        return self._earlier_changes + len(self.entries)

    def record(self, table: dict[Any, Any], key: Any) -> None:
        """Record the present value of a dictionary entry that is about to change."""
        self.entries.append((table, key, table.get(key, ABSENT)))

    def record_all(self, table: dict[Any, Any], keys: Collection[Any]) -> None:
        """Record the present values of dictionary entries that are about to change."""
        get = table.get
        self.entries += [(table, key, get(key, ABSENT)) for key in keys]

    def replace(self, table: dict[Any, Any], content: Mapping[Any, Any]) -> None:
        """Replace the content of a dictionary."""
        self.record_all(table, table.keys())
        table.clear()
        self.record_all(table, content.keys())
        table.update(content)

    def set(self, owner: object, name: str, value: object) -> None:
        """Set an attribute of an object, and record its former value."""
        table = vars(owner)
        self.entries.append((table, name, table.get(name, ABSENT)))
        table[name] = value

    def savepoint(self) -> JournalSavepoint:
        """Return a savepoint of the present state."""
        if self.entries:
            self._earlier_changes += len(self.entries)
            self._nearest.next = JournalSavepoint()
            self._nearest = self._nearest.next
            self.entries = self._nearest.entries
        return self._nearest

    def restore(self, savepoint: JournalSavepoint) -> None:
        """Restore a savepoint. The cost is linear in the number of changes since or until then."""
        self._earlier_changes = self.change_count + 1
        path = [savepoint]
        while path[-1].next is not None:
            path.append(path[-1].next)
        nearest = path.pop()
        _swap(nearest)  # undoes the changes since the nearest savepoint
        while path:
            older = path.pop()
            nearest.entries, nearest.next = _swap(older), older
            older.next = None
            nearest = older
        self._nearest, self.entries = nearest, nearest.entries


def _swap(savepoint: JournalSavepoint) -> list[Entry]:
    """Apply the changes of a savepoint, and clear them; returns the changes that undo them."""
    undo = []
    for table, key, value in reversed(savepoint.entries):
        undo.append((table, key, table.get(key, ABSENT)))
        if value is ABSENT:
            table.pop(key, None)
        else:
            table[key] = value
    savepoint.entries = []
    return undo
