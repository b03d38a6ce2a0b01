"""Operators that look at many rows at once: those that are equal, those of a group, those that come first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from pantarhei.encoding.numbers import NONE
from pantarhei.query.algebra.expressions import OrderKey
from pantarhei.query.algebra.nodes import Distinct, Group, Slice, is_hidden
from pantarhei.query.expressions import aggregate, order
from pantarhei.query.incremental.operator import (
    Bag,
    Operator,
    Row,
    Shared,
    places_of,
    put,
    table_of,
    taken,
)
from pantarhei.rdf.ntriples import write_term


class DistinctOperator(Operator):
    """Each row once."""

    def __init__(self, node: Distinct, shared: Shared, child: Operator) -> None:
        super().__init__(node, shared, (child,))
        self._places = tuple(NONE if is_hidden(v) else place for place, v in enumerate(child.variables))
        self._copies: Bag = {}

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        (change,) = changes
        before: dict[Row, int] = {}
        for row, weight in change.items():
            seen = taken(row, self._places)
            was, _ = self.shared.add(self._copies, seen, weight)
            before.setdefault(seen, was)
        made: Bag = {}
        for row, was in before.items():
            is_there = row in self._copies
            if (was > 0) is not is_there:
                made[row] = 1 if is_there else -1
        return made

    @property
    def bags(self) -> Iterable[Bag]:
        yield self._copies

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        self.shared.rename(self._copies, rows)


class GroupOperator(Operator):
    """A row for each group: its keys and aggregates, which are computed anew when the group changes."""

    def __init__(self, node: Group, shared: Shared, child: Operator) -> None:
        super().__init__(node, shared, (child,))
        self._group = node
        self._keys = places_of(node.keys or (), child.variables)
        hides = any(made.argument is None and made.distinct for made in node.aggregates)
        kept = [v for v in child.variables if not (hides and is_hidden(v))]
        self._variables, self._places = kept, places_of(kept, child.variables)
        self._rows: dict[Row, Bag] = {}
        self._said: dict[Row, Row] = {}

    def begin(self) -> Mapping[Row, int]:
        if self._group.keys is not None:
            return {}
        made: Bag = {}
        self._say([()], made)
        return made

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        (change,) = changes
        touched: dict[Row, None] = {}
        journal = self.shared.journal
        for row, weight in change.items():
            key = taken(row, self._keys)
            touched[key] = None
            rows = self._rows.get(key)
            if rows is None:
                journal.note(self._rows, key)
                rows = self._rows[key] = {}
            self.shared.add(rows, taken(row, self._places), weight)
        made: Bag = {}
        self._say(touched, made)
        return made

    def _say(self, touched: Iterable[Row], made: Bag) -> None:
        """Compute the rows of groups that changed."""
        journal, said, alive = self.shared.journal, self._said, []
        for key in touched:
            journal.note(said, key)
            old = said.pop(key, None)
            if old is not None:
                put(made, old, -1)
            if self._rows.get(key) or self._group.keys is None:
                alive.append(key)
            elif key in self._rows:
                journal.note(self._rows, key)
                del self._rows[key]
        for key, row in zip(alive, self._computed(alive), strict=True):
            said[key] = row
            put(made, row, 1)

    def _computed(self, keys: list[Row]) -> list[Row]:
        """The rows of groups."""
        if not keys:
            return []
        bags = [self._rows.get(key, {}) for key in keys]
        rows = [row for bag in bags for row in bag]
        copies = np.array([weight for bag in bags for weight in bag.values()], np.int64)
        table = table_of(rows, self._variables).taken(np.repeat(np.arange(len(rows)), copies))
        groups = np.repeat(np.arange(len(keys)), [sum(bag.values()) for bag in bags])
        found = aggregate(self._group.aggregates, table, groups, len(keys), self.shared.context)
        columns = [ids.tolist() for ids in found]
        return [(*key, *ids) for key, *ids in zip(keys, *columns, strict=True)]

    @property
    def bags(self) -> Iterable[Bag]:
        yield from self._rows.values()
        yield dict.fromkeys(self._said.values(), 1)

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        for bag in self._rows.values():
            self.shared.rename(bag, rows)
        journal = self.shared.journal
        journal.replace(self._rows, {rows(key): bag for key, bag in self._rows.items()})
        journal.replace(self._said, {rows(key): rows(row) for key, row in self._said.items()})


class SliceOperator(Operator):
    """Some of the rows, in an order that leaves open nothing: the keys, then the N-Triples text of a row.

    Args:
        keys: looks at the child's variables.
    """

    def __init__(self, node: Slice, shared: Shared, child: Operator, keys: Sequence[OrderKey]) -> None:
        super().__init__(node, shared, (child,))
        self._slice, self._keys = node, keys
        self._places = places_of(node.variables, child.variables)
        self._copies: Bag = {}
        self._said: Bag = {}

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        (change,) = changes
        for row, weight in change.items():
            self.shared.add(self._copies, row, weight)
        now, made = self._first(), Bag()
        for row in {**self._said, **now}:
            weight = now.get(row, 0) - self._said.get(row, 0)
            if weight:
                made[row] = weight
                self.shared.add(self._said, row, weight)
        return made

    def _first(self) -> Bag:
        """The rows that are taken."""
        terms, shown = self.shared.terms, {row: taken(row, self._places) for row in self._copies}
        texts = {row: ["" if n == NONE else write_term(terms.term(n)) for n in shown[row]] for row in shown}
        rows = sorted(self._copies, key=texts.__getitem__)
        ordered = order(self._keys, table_of(rows, self.inputs[0].variables), self.shared.context)
        skipped, left, found = self._slice.offset, self._slice.limit, Bag()
        for place in ordered.tolist():
            if left == 0:
                break
            row = rows[place]
            copies = self._copies[row]
            skips = min(skipped, copies)
            skipped, copies = skipped - skips, copies - skips
            if left is not None:
                copies = min(copies, left)
                left -= copies
            if copies:
                put(found, shown[row], copies)
        return found

    @property
    def bags(self) -> Iterable[Bag]:
        yield self._copies
        yield self._said

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        self.shared.rename(self._copies, rows)
        self.shared.rename(self._said, rows)
