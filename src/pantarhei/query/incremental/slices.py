"""LIMIT and OFFSET."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pantarhei.encoding.numbers import NONE
from pantarhei.query.algebra.expressions import OrderKey
from pantarhei.query.algebra.nodes import Slice
from pantarhei.query.expressions import order
from pantarhei.query.incremental.operator import Bag, Operator, Row, Shared, places_of, put, table_of, taken
from pantarhei.rdf.ntriples import write_term


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
    def held(self) -> Mapping[Row, int]:
        return self._said

    @property
    def bags(self) -> Iterable[Bag]:
        yield self._copies
        yield self._said

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        self.shared.rename(self._copies, rows)
        self.shared.rename(self._said, rows)
