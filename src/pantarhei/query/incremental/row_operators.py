"""Operators that look at one row at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pantarhei.materialize.kernel.bags import projected, put
from pantarhei.query.algebra.nodes import Extend, Filter, Project, Union
from pantarhei.query.incremental.operator import (
    NOTHING,
    Bag,
    Operator,
    Row,
    Shared,
    places_of,
    taken,
)
from pantarhei.query.incremental.row_expressions import RowExpression


class FilterOperator(Operator):
    """The rows for which all conditions are true."""

    def __init__(self, node: Filter, shared: Shared, child: Operator) -> None:
        super().__init__(node, shared, (child,))
        self._test = RowExpression(node.condition, child.variables, shared)

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        (change,) = changes
        return self._test.true_rows(change)

    def forget(self) -> None:
        self._test.forget()


class ExtendOperator(Operator):
    """The rows with a variable more.

    What is drawn is drawn once for all copies of a row, and kept as long as there is one.
    """

    def __init__(self, node: Extend, shared: Shared, child: Operator) -> None:
        super().__init__(node, shared, (child,))
        self._value = RowExpression(node.expression, child.variables, shared)
        self._is_drawn = self._value.is_drawn
        self._copies: Bag = {}
        self._drawn: dict[Row, int] = {}

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        (change,) = changes
        if not self._is_drawn:
            ids = self._value.ids(change)
            return {(*row, id_): weight for (row, weight), id_ in zip(change.items(), ids, strict=True)}
        new = [row for row in change if row not in self._copies]
        for row, id_ in zip(new, self._value.ids(new), strict=True):
            self.shared.journal.note(self._drawn, row)
            self._drawn[row] = id_
        made: Bag = {}
        for row, weight in change.items():
            made[*row, self._drawn[row]] = weight
            if not self.shared.add(self._copies, row, weight)[1]:
                self.shared.journal.note(self._drawn, row)
                del self._drawn[row]
        return made

    @property
    def bags(self) -> Iterable[Bag]:
        yield {(*row, id_): 1 for row, id_ in self._drawn.items()}

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        both = [rows((*row, id_)) for row, id_ in self._drawn.items()]
        self.shared.rename(self._copies, rows)
        self.shared.journal.replace(self._drawn, {row[:-1]: row[-1] for row in both})

    def forget(self) -> None:
        self._value.forget()


class ProjectOperator(Operator):
    """The rows with some variables only."""

    def __init__(self, node: Project, shared: Shared, child: Operator) -> None:
        super().__init__(node, shared, (child,))
        self._places = list(places_of(node.variables, child.variables))

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        (change,) = changes
        made: Bag = projected(change, self._places)
        return made


class UnionOperator(Operator):
    """The rows of both."""

    def __init__(self, node: Union, shared: Shared, left: Operator, right: Operator) -> None:
        super().__init__(node, shared, (left, right))
        self._places = [places_of(node.variables, side.variables) for side in (left, right)]

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        made: Bag = {}
        for change, places in zip(changes, self._places, strict=True):
            for row, weight in change.items():
                put(made, taken(row, places), weight)
        return made or NOTHING
