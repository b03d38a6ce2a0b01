"""Operators that process one row at a time; some also store the number of copies of each row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.bags import project, put
from pantarhei.query.algebra.nodes import Distinct, Extend, Filter, Node, Project, Query, Union, is_hidden
from pantarhei.query.incremental.leaves import is_parameter, parameters_of
from pantarhei.query.incremental.operator import (
    EMPTY,
    Bag,
    Operator,
    Row,
    Rows,
    SharedState,
    columns_of,
    select,
    selector,
    set_delta,
    table_of,
)
from pantarhei.query.incremental.row_expressions import RowExpression
from pantarhei.query.operators.result_forms import construct_by_row


class DistinctProjection(Operator):
    """Set of the projections of the input's rows.

    Args:
        project: returns the projection of a row.
    """

    def __init__(
        self, node: Node, shared: SharedState, child: Operator, projected_row: Callable[[Sequence[int]], Row]
    ) -> None:
        super().__init__(node, shared, (child,))
        self._project = projected_row
        self._copies = self._new_bag()

    def change(self, *changes: Rows) -> Rows:
        (change,) = changes
        before: dict[Row, int] = {}
        for row, weight in change.items():
            projected_row = self._project(row)
            was, _ = self.shared.add(self._copies, projected_row, weight)
            before.setdefault(projected_row, was)
        return set_delta(before, self._copies)


class DistinctOperator(DistinctProjection):
    """DISTINCT: each row once."""

    def __init__(self, node: Distinct, shared: SharedState, child: Operator) -> None:
        columns = [
            NONE if is_hidden(variable) and not is_parameter(variable) else column
            for column, variable in enumerate(child.variables)
        ]
        super().__init__(node, shared, child, selector(columns))


class FilterOperator(Operator):
    """FILTER: the rows for which all conditions are true."""

    def __init__(self, node: Filter, shared: SharedState, child: Operator) -> None:
        super().__init__(node, shared, (child,))
        self._test = RowExpression(node.condition, child.variables, shared)

    def change(self, *changes: Rows) -> Rows:
        (change,) = changes
        return self._test.true_rows(change)

    def clear_caches(self) -> None:
        self._test.clear_caches()


class ExtendOperator(Operator):
    """BIND: the rows extended by the value of an expression.

    A volatile expression such as RAND() is evaluated once for all copies of a row; the result is stored until
    the last copy is deleted.
    """

    def __init__(self, node: Extend, shared: SharedState, child: Operator) -> None:
        super().__init__(node, shared, (child,))
        self._value = RowExpression(node.expression, child.variables, shared)
        self._is_volatile = self._value.is_volatile
        self._copies: Bag = {}
        self._volatile_values: dict[Row, int] = {}

    def change(self, *changes: Rows) -> Rows:
        (change,) = changes
        if not self._is_volatile:
            ids = self._value.ids(change)
            return {(*row, id_): weight for (row, weight), id_ in zip(change.items(), ids, strict=True)}
        new = [row for row in change if row not in self._copies]
        for row, id_ in zip(new, self._value.ids(new), strict=True):
            self.shared.journal.record(self._volatile_values, row)
            self._volatile_values[row] = id_
        delta: Bag = {}
        for row, weight in change.items():
            delta[*row, self._volatile_values[row]] = weight
            if not self.shared.add(self._copies, row, weight)[1]:
                self.shared.journal.record(self._volatile_values, row)
                del self._volatile_values[row]
        return delta

    @property
    def bags(self) -> Iterable[Bag]:
        yield {(*row, id_): 1 for row, id_ in self._volatile_values.items()}

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        both = [rows((*row, id_)) for row, id_ in self._volatile_values.items()]
        self.shared.renumber_bag(self._copies, rows)
        self.shared.journal.replace(self._volatile_values, {row[:-1]: row[-1] for row in both})

    def clear_caches(self) -> None:
        self._value.clear_caches()


class ProjectOperator(Operator):
    """Projection to some of the variables."""

    def __init__(self, node: Project, shared: SharedState, child: Operator) -> None:
        super().__init__(node, shared, (child,))
        self._columns = list(columns_of(node.variables, child.variables))

    def change(self, *changes: Rows) -> Rows:
        (change,) = changes
        delta: Bag = project(change, self._columns)
        return delta


class UnionOperator(Operator):
    """UNION: the rows of both inputs."""

    def __init__(self, node: Union, shared: SharedState, left: Operator, right: Operator) -> None:
        super().__init__(node, shared, (left, right))
        self._columns = [columns_of(node.variables, side.variables) for side in (left, right)]

    def change(self, *changes: Rows) -> Rows:
        delta: Bag = {}
        for change, columns in zip(changes, self._columns, strict=True):
            for row, weight in change.items():
                put(delta, select(row, columns), weight)
        return delta or EMPTY


class AskOperator(DistinctProjection):
    """ASK: one empty row if the pattern has a solution; in a parameterised plan one row for each parameter
    binding with a solution.
    """

    def __init__(self, query: Query, shared: SharedState, child: Operator) -> None:
        parameters = parameters_of(child.node)
        super().__init__(query.node, shared, child, selector(columns_of(parameters, child.variables)))
        self.variables = parameters


class ConstructOperator(Operator):
    """CONSTRUCT: the set of triples that the template produces from the input's rows."""

    def __init__(self, query: Query, shared: SharedState, child: Operator) -> None:
        super().__init__(query.node, shared, (child,))
        self.variables = ()
        self._template = query.template
        self._triples = self._new_bag()

    def change(self, *changes: Rows) -> Rows:
        (change,) = changes
        weights = list(change.values())
        table = table_of(list(change), self.inputs[0].variables)
        columns, triples = construct_by_row(self._template, table, self.shared.terms)
        before: dict[Row, int] = {}
        for column, triple in zip(columns.tolist(), map(tuple, triples.tolist()), strict=True):
            was, _ = self.shared.add(self._triples, triple, weights[column])
            before.setdefault(triple, was)
        return set_delta(before, self._triples)
