"""Incremental operators: each maps the deltas of its inputs to the delta of its own rows.

A delta is a signed bag: the number of copies of each row that were inserted (above 0) or deleted (below 0).
No row has weight 0. A row is a tuple of term numbers (`PersistentTermIds`), one for each variable of the
node, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import itemgetter

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.bags import add_logged
from pantarhei.query.algebra.nodes import Node
from pantarhei.query.expressions import Context
from pantarhei.query.incremental.journal import ABSENT, Journal
from pantarhei.query.incremental.persistent_terms import PersistentTermIds, term_values
from pantarhei.query.solutions import Ids, SolutionTable


class Maintenance(Enum):
    """Cost class of an operator's updates; the value is its description in plans."""

    ROWS = "exact per row"
    GROUPS = "recomputes each changed group"
    SOURCES = "recomputes each source that reaches a change"
    SLICE = "recomputes the slice from sorted rows"
    WHOLE = "re-evaluates the node, and compares the rows"


Row = tuple[int, ...]
Bag = dict[Row, int]
"""Rows with their number of copies; in a delta, signed."""
Rows = Mapping[Row, int]
"""Read-only bag of rows."""

EMPTY: Rows = {}


@dataclass
class SharedState:
    """State shared by all operators.

    Args:
        journal: records changes of operator state, so that they can be undone.
        terms: maps term numbers to terms.
        context: evaluation context of expressions at the present step.

    `values` caches the values of terms by term number.
    """

    journal: Journal
    terms: PersistentTermIds
    context: Context

    def __post_init__(self) -> None:
        self.values = term_values(self.terms)

    def add(self, bag: Bag, row: Row, weight: int) -> tuple[int, int]:
        """Add copies of a row to a state bag; returns the number of copies before and after."""
        before = bag.get(row, 0)
        after = before + weight
        self.journal.entries.append((bag, row, before or ABSENT))
        if after:
            bag[row] = after
        elif before:
            del bag[row]
        return before, after

    def add_all(self, bag: Bag, change: Rows) -> None:
        """Apply a delta to a state bag."""
        self.add_to_each(((bag, change),))

    def add_to_each(self, changes: Iterable[tuple[Bag, Rows]]) -> None:
        """Apply deltas to state bags; the same bag may occur in several pairs."""
        add_logged(self.journal.entries, changes, ABSENT)

    def replace_bag(self, bag: Bag, now: Rows) -> Bag:
        """Replace the content of a state bag by `now`; returns the delta."""
        made: Bag = {}
        for row in {**bag, **now}:
            weight = now.get(row, 0) - bag.get(row, 0)
            if weight:
                made[row] = weight
                self.add(bag, row, weight)
        return made

    def renumber_bag(self, bag: Bag, rows: Callable[[Row], Row]) -> None:
        """Replace the term numbers in a state bag.

        Args:
            rows: maps a row to the row with the new numbers.
        """
        self.journal.replace(bag, {rows(row): weight for row, weight in bag.items()})

    def key_of(self, columns: Sequence[int]) -> Callable[[Row], object]:
        """Return a function that computes the join key of a row: its values' numbers in these columns."""
        value = self.terms.value
        if len(columns) == 1:
            (column,) = columns
            return lambda row: value(row[column])
        return lambda row: tuple([value(row[column]) for column in columns])

    def key(self, row: Row, columns: Sequence[int]) -> Row:
        """Return the numbers of the values in these columns of a row."""
        value = self.terms.value
        return tuple([value(row[column]) for column in columns])


class Operator:
    """Incremental operator of one algebra node.

    Args:
        node: the node whose rows the operator maintains.
        inputs: operators whose deltas it consumes.
    """

    maintenance = Maintenance.ROWS
    """Cost class of an update."""

    def __init__(self, node: Node, shared: SharedState, inputs: Sequence[Operator] = ()) -> None:
        self.node, self.shared, self.inputs = node, shared, tuple(inputs)
        self.variables = node.variables
        self._state_bags: list[Bag] = []

    def _new_bag(self) -> Bag:
        """Create a state bag, which `bags` and `renumber` include."""
        self._state_bags.append({})
        return self._state_bags[-1]

    def change(self, *changes: Rows) -> Rows:
        """Return the delta of the operator's rows for the deltas of its inputs."""
        raise NotImplementedError

    def initial_rows(self) -> Rows:
        """Return the operator's rows before its inputs have delivered a row."""
        return EMPTY

    def add_parameters(self, numbers: Row) -> Rows:
        """Return the rows for a new parameter binding that has no input row.

        Args:
            numbers: term numbers of the parameters' values.
        """
        return EMPTY

    def remove_parameters(self, numbers: Row) -> Rows:
        """Remove the rows of a parameter binding that has no input row any more; returns the delta.

        Args:
            numbers: term numbers of the parameters' values.
        """
        return EMPTY

    @property
    def stored(self) -> Rows | None:
        """All present rows; None if the operator does not store them."""
        return None

    @property
    def bags(self) -> Iterable[Bag]:
        """State bags; terms that occur in their rows are in use."""
        return self._state_bags

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        """Replace the term numbers in the state.

        Args:
            rows: maps a row to the row with the new numbers.
        """
        for bag in self._state_bags:
            self.shared.renumber_bag(bag, rows)
        self.clear_caches()

    def clear_caches(self) -> None:
        """Drop data that can be recomputed from the state."""


def set_delta(before: Rows, now: Bag) -> Bag:
    """Return the delta of the set of distinct rows: 1 for a row that appeared, -1 for a row that vanished.

    Args:
        before: former number of copies of each changed row.
        now: the bag after the change.
    """
    return {
        row: 1 if row in now else -1 for row, copies in before.items() if (copies > 0) is not (row in now)
    }


def columns_of(selected: Iterable[Variable], variables: Sequence[Variable]) -> tuple[int, ...]:
    """Return the columns of variables in rows, `NONE` for absent variables."""
    at = {variable: column for column, variable in enumerate(variables)}
    return tuple(at.get(variable, NONE) for variable in selected)


def select(row: Sequence[int], columns: Sequence[int]) -> Row:
    """Return a row with the terms in these columns of another row; unbound for column `NONE`."""
    return tuple([NONE if column < 0 else row[column] for column in columns])


def selector(columns: Sequence[int]) -> Callable[[Sequence[int]], Row]:
    """Return a function that applies `select` with these columns."""
    if not columns or min(columns) < 0:
        return lambda row: select(row, columns)
    if len(columns) == 1:
        (column,) = columns
        return lambda row: (row[column],)
    found: Callable[[Sequence[int]], Row] = itemgetter(*columns)
    return found


def table_of(rows: Sequence[Row], variables: Sequence[Variable]) -> SolutionTable:
    """Convert rows to a table."""
    columns: Ids = np.array(rows, np.int64).reshape(len(rows), len(variables)).T
    return SolutionTable(dict(zip(variables, columns, strict=True)), len(rows))


def rows_of(table: SolutionTable, variables: Sequence[Variable]) -> list[Row]:
    """Convert a table to rows."""
    if not variables:
        return [()] * table.size
    return list(zip(*(table.column(variable).tolist() for variable in variables), strict=True))


def bag_of(rows: Iterable[Row]) -> Bag:
    """Count the copies of each row."""
    bag: Bag = {}
    for row in rows:
        bag[row] = bag.get(row, 0) + 1
    return bag
