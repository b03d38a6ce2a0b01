"""The changes of dictionaries, noted so that each earlier or later state can be come back to.

The state of registered queries is a number of dictionaries. Whoever changes an entry notes it first. A mark
stands for the state at the time it was asked for; the journal goes from one marked state to any other, older
or newer. A mark holds what it takes to come back to it, so what nobody holds a mark of costs no memory
(rerooting: H. Baker, Shallow binding in Lisp 1.5, 1978; Conchon and Filliâtre, Semi-persistent data
structures, 2008).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

Entry = tuple[dict[Any, Any], Any, Any]
"""A dictionary, a key, and what the key stood for there; `ABSENT` for nothing. A plain tuple, since each
change makes one.
"""

ABSENT: Final = object()


class Mark:
    """A state of the dictionaries.

    Args:
        entries: what leads from the state of `next` to this one, the last entry first.
        next: the state that is nearer to the present one; None for the mark nearest to it, whose `entries`
            lead there from the present state.
    """

    __slots__ = ("entries", "next")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.next: Mark | None = None


class Journal:
    """Notes of what changes; not for several threads at once.

    `entries` are those since the last mark. Who changes many entries may add to them directly.
    """

    def __init__(self) -> None:
        self._nearest = Mark()
        self.entries = self._nearest.entries
        self._noted = 0  # before these

    @property
    def change_count(self) -> int:
        """How many changes have been noted so far; more after each change, and after going back."""
        return self._noted + len(self.entries)

    def note(self, table: dict[Any, Any], key: Any) -> None:
        """The entry of `key` is about to change, to come or to go."""
        self.entries.append((table, key, table.get(key, ABSENT)))

    def note_all(self, table: dict[Any, Any], keys: Collection[Any]) -> None:
        """The entries of these keys are about to change, to come or to go."""
        get = table.get
        self.entries += [(table, key, get(key, ABSENT)) for key in keys]

    def replace(self, table: dict[Any, Any], content: Mapping[Any, Any]) -> None:
        """Let a dictionary have this content, and no other."""
        self.note_all(table, table.keys())
        table.clear()
        self.note_all(table, content.keys())
        table.update(content)

    def set(self, owner: object, name: str, value: object) -> None:
        """Let an attribute of an object have this value."""
        table = vars(owner)
        self.entries.append((table, name, table.get(name, ABSENT)))
        table[name] = value

    def mark(self) -> Mark:
        """A mark for the present state."""
        if self.entries:
            self._noted += len(self.entries)
            self._nearest.next = Mark()
            self._nearest = self._nearest.next
            self.entries = self._nearest.entries
        return self._nearest

    def back(self, mark: Mark) -> None:
        """Bring the dictionaries to the state of a mark. Costs what has changed in between."""
        self._noted = self.change_count + 1
        path = [mark]
        while path[-1].next is not None:
            path.append(path[-1].next)
        nearest = path.pop()
        _applied(nearest)  # nobody has a mark of the present state
        while path:
            older = path.pop()
            nearest.entries, nearest.next = _applied(older), older
            older.next = None
            nearest = older
        self._nearest, self.entries = nearest, nearest.entries


def _applied(mark: Mark) -> list[Entry]:
    """Do what the entries of a mark say, and forget them; returns what undoes it."""
    done = []
    for table, key, value in reversed(mark.entries):
        done.append((table, key, table.get(key, ABSENT)))
        if value is ABSENT:
            table.pop(key, None)
        else:
            table[key] = value
    mark.entries = []
    return done
