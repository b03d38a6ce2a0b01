"""What the rows of a query come to for its form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pantarhei.query.algebra.nodes import Query
from pantarhei.query.incremental.operator import (
    Bag,
    Operator,
    Row,
    Shared,
    appearances,
    places_of,
    table_of,
    taker,
)
from pantarhei.query.incremental.shapes import parameters_of
from pantarhei.query.operators.forms import made_by_rows


class AskRoot(Operator):
    """ASK: one row if there is an answer, else none. Its columns are the parameters of a shape."""

    def __init__(self, query: Query, shared: Shared, child: Operator) -> None:
        super().__init__(query.node, shared, (child,))
        self.variables = parameters_of(child.node)
        self._seen = taker(places_of(self.variables, child.variables))
        self._copies: Bag = {}

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        (change,) = changes
        before: dict[Row, int] = {}
        for row, weight in change.items():
            seen = self._seen(row)
            was, _ = self.shared.add(self._copies, seen, weight)
            before.setdefault(seen, was)
        return appearances(before, self._copies)

    @property
    def bags(self) -> Iterable[Bag]:
        yield self._copies

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        self.shared.rename(self._copies, rows)


class ConstructRoot(Operator):
    """CONSTRUCT: the triples that the template makes of rows, each once."""

    def __init__(self, query: Query, shared: Shared, child: Operator) -> None:
        super().__init__(query.node, shared, (child,))
        self.variables = ()
        self._template = query.template
        self._made: Bag = {}

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        (change,) = changes
        weights = list(change.values())
        table = table_of(list(change), self.inputs[0].variables)
        places, triples = made_by_rows(self._template, table, self.shared.terms)
        before: dict[Row, int] = {}
        for place, triple in zip(places.tolist(), map(tuple, triples.tolist()), strict=True):
            was, _ = self.shared.add(self._made, triple, weights[place])
            before.setdefault(triple, was)
        return appearances(before, self._made)

    @property
    def bags(self) -> Iterable[Bag]:
        yield self._made

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        self.shared.rename(self._made, rows)
