"""What the rows of a query come to for its form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pantarhei.query.algebra.nodes import Query
from pantarhei.query.incremental.distinct import EachOnce
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


class AskRoot(EachOnce):
    """ASK: one row if there is an answer, else none. Its columns are the parameters of a shape."""

    def __init__(self, query: Query, shared: Shared, child: Operator) -> None:
        parameters = parameters_of(child.node)
        super().__init__(query.node, shared, child, taker(places_of(parameters, child.variables)))
        self.variables = parameters


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
