"""Operators that take the changes of their inputs, and give the change of their rows.

A change is a signed bag: how many copies of a row came (above 0) or went (below). No row has weight 0. A row
is a tuple of terms' numbers (`PersistentTermIds`), one for each variable of the node in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import itemgetter

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.bags import add_noted
from pantarhei.query.algebra.nodes import Node
from pantarhei.query.expressions import Context
from pantarhei.query.incremental.journal import ABSENT, Journal
from pantarhei.query.incremental.persistent_terms import PersistentTermIds, TermValues
from pantarhei.query.solutions import Ids, Table


class Maintenance(Enum):
    """In which of these ways; the value says it for people."""

    ROWS = "exact per row"
    GROUPS = "each changed group anew"
    SOURCES = "each source anew from which a change is reached"
    SLICE = "the slice anew, of rows kept in order"
    WHOLE = "anew as a whole, and compared"


Row = tuple[int, ...]
Bag = dict[Row, int]
"""Rows with how many copies there are; in a change, with how many came or went."""

EMPTY: Mapping[Row, int] = {}


@dataclass
class SharedState:
    """What all operators share.

    Args:
        journal: takes down what changes in their state.
        terms: what numbers in rows stand for.
        context: of expressions, at the present step.

    `values` are what is known of terms.
    """

    journal: Journal
    terms: PersistentTermIds
    context: Context

    def __post_init__(self) -> None:
        self.values = TermValues(self.terms)

    def add(self, bag: Bag, row: Row, weight: int) -> tuple[int, int]:
        """Add copies of a row to a bag that is part of the state; returns how many there were, and are."""
        before = bag.get(row, 0)
        after = before + weight
        self.journal.entries.append((bag, row, before or ABSENT))
        if after:
            bag[row] = after
        elif before:
            del bag[row]
        return before, after

    def add_all(self, bag: Bag, change: Mapping[Row, int]) -> None:
        """Add the copies of rows that a change says to a bag that is part of the state."""
        self.add_to_each(((bag, change),))

    def add_to_each(self, changes: Iterable[tuple[Bag, Mapping[Row, int]]]) -> None:
        """Add to each bag the copies of rows that its change says; a bag may recur."""
        add_noted(self.journal.entries, changes, ABSENT)

    def replace_bag(self, bag: Bag, now: Mapping[Row, int]) -> Bag:
        """Let a bag that is part of the state have the rows that are there `now`; returns the change."""
        made: Bag = {}
        for row in {**bag, **now}:
            weight = now.get(row, 0) - bag.get(row, 0)
            if weight:
                made[row] = weight
                self.add(bag, row, weight)
        return made

    def renumber_bag(self, bag: Bag, rows: Callable[[Row], Row]) -> None:
        """Give the rows of a bag other numbers."""
        self.journal.replace(bag, {rows(row): weight for row, weight in bag.items()})

    def key_of(self, places: Sequence[int]) -> Callable[[Row], object]:
        """What gives the values at places of a row."""
        value = self.terms.value
        if len(places) == 1:
            (place,) = places
            return lambda row: value(row[place])
        return lambda row: tuple([value(row[place]) for place in places])

    def key(self, row: Row, places: Sequence[int]) -> Row:
        """The values at places of a row."""
        value = self.terms.value
        return tuple([value(row[place]) for place in places])


class Operator:
    """One node of a registered query.

    Args:
        node: what it gives the rows of.
        inputs: the operators whose rows it takes.
    """

    maintenance = Maintenance.ROWS
    """What a change costs."""

    def __init__(self, node: Node, shared: SharedState, inputs: Sequence[Operator] = ()) -> None:
        self.node, self.shared, self.inputs = node, shared, tuple(inputs)
        self.variables = node.variables

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        """The change of its rows that those of its inputs come to."""
        raise NotImplementedError

    def begin(self) -> Mapping[Row, int]:
        """The rows that it has before its inputs have any."""
        return EMPTY

    def add_parameters(self, numbers: Row) -> Mapping[Row, int]:
        """The rows that it has whatever its input, where parameters stand for what has these numbers."""
        return EMPTY

    def remove_parameters(self, numbers: Row) -> Mapping[Row, int]:
        """Have those rows no more, after all of the input have gone; gives the change."""
        return EMPTY

    @property
    def stored(self) -> Mapping[Row, int] | None:
        """All its rows, None where it does not hold them as they are."""
        return None

    @property
    def bags(self) -> Iterable[Bag]:
        """The rows that are part of its state, for who looks for the terms in use."""
        return ()

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        """Go on with other numbers of terms.

        Args:
            rows: gives rows in the new numbers.
        """

    def clear_caches(self) -> None:
        """Forget what was only kept to save work."""


def set_delta(before: Mapping[Row, int], now: Bag) -> Bag:
    """Which rows came (1) and went (-1), where copies do not count.

    Args:
        before: how many copies of the changed rows there were.
        now: how many copies there are, of these and others.
    """
    return {
        row: 1 if row in now else -1 for row, copies in before.items() if (copies > 0) is not (row in now)
    }


def places_of(wanted: Iterable[Variable], variables: Sequence[Variable]) -> tuple[int, ...]:
    """Where variables stand in rows, `NONE` for those that do not."""
    at = {variable: place for place, variable in enumerate(variables)}
    return tuple(at.get(variable, NONE) for variable in wanted)


def select(row: Sequence[int], places: Sequence[int]) -> Row:
    """A row of what stands at places of another, unbound where that is nowhere."""
    return tuple([NONE if place < 0 else row[place] for place in places])


def selector(places: Sequence[int]) -> Callable[[Sequence[int]], Row]:
    """`select` from these places, for many rows."""
    if not places or min(places) < 0:
        return lambda row: select(row, places)
    if len(places) == 1:
        (place,) = places
        return lambda row: (row[place],)
    found: Callable[[Sequence[int]], Row] = itemgetter(*places)
    return found


def table_of(rows: Sequence[Row], variables: Sequence[Variable]) -> Table:
    """Rows as a table of columns."""
    columns: Ids = np.array(rows, np.int64).reshape(len(rows), len(variables)).T
    return Table(dict(zip(variables, columns, strict=True)), len(rows))


def rows_of(table: Table, variables: Sequence[Variable]) -> list[Row]:
    """The rows of a table."""
    if not variables:
        return [()] * table.size
    return list(zip(*(table.column(variable).tolist() for variable in variables), strict=True))


def bag_of(rows: Iterable[Row]) -> Bag:
    """Rows as a bag."""
    bag: Bag = {}
    for row in rows:
        bag[row] = bag.get(row, 0) + 1
    return bag
