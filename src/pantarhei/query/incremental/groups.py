"""GROUP BY and aggregates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from rdflib import Variable

from pantarhei.materialize.kernel.groups import by_group, count_rows, picked, say
from pantarhei.query.algebra.expressions import Expression, is_drawn
from pantarhei.query.algebra.nodes import Extend, Group, Node, is_hidden
from pantarhei.query.incremental.accumulators import LOOKING_AT_ALL, Items, accumulator
from pantarhei.query.incremental.journal import ABSENT
from pantarhei.query.incremental.maintenance import Maintenance
from pantarhei.query.incremental.operator import (
    NOTHING,
    Bag,
    Operator,
    Row,
    Shared,
    places_of,
)
from pantarhei.query.incremental.row_expressions import RowExpression
from pantarhei.query.incremental.shapes import is_parameter, parameters_of


def drawn_below(node: Group) -> Group:
    """The same where what aggregates draw of a row is drawn below, once for each row."""
    child: Node = node.child
    drawn: dict[Expression, Variable] = {}
    for made in node.aggregates:
        if made.argument is not None and is_drawn(made.argument) and made.argument not in drawn:
            variable = drawn[made.argument] = Variable(f"#drawn{len(drawn)}")
            child = Extend(child, variable, made.argument)
    made_of = (
        made if made.argument is None else replace(made, argument=drawn.get(made.argument, made.argument))
        for made in node.aggregates
    )
    return replace(node, child=child, aggregates=tuple(made_of))


class GroupOperator(Operator):
    """A row for each group: its keys and aggregates.

    Costs what came to the group and went; where a first or last value went, or all are to be said one after
    another, the different values of the group.

    Args:
        variables: what its rows have: the keys at least, in any order. None for what the node has.
    """

    def __init__(
        self, node: Group, shared: Shared, child: Operator, variables: tuple[Variable, ...] | None = None
    ) -> None:
        super().__init__(node, shared, (child,))
        if variables is not None:
            self.variables = variables
        self._places = list(places_of(self.variables, node.variables))
        self._is_one = node.keys is None or all(map(is_parameter, node.keys))
        self._is_shape = bool(parameters_of(node))
        self._keys = list(places_of(node.keys or (), child.variables))
        self._accumulators = [accumulator(made, shared) for made in node.aggregates]
        self._of = [made.argument for made in node.aggregates]
        self._places_of: dict[Expression | None, list[int]] = {
            argument: list(places_of((argument,), child.variables))
            for argument in self._of
            if isinstance(argument, Variable)
        }
        if any(made.argument is None and made.distinct for made in node.aggregates):
            self._places_of[None] = [place for place, v in enumerate(child.variables) if not is_hidden(v)]
        self._computed: dict[Expression, RowExpression] = {
            argument: RowExpression(argument, child.variables, shared)
            for argument in self._of
            if argument is not None and not isinstance(argument, Variable)
        }
        if any(made.function in LOOKING_AT_ALL for made in node.aggregates):
            self.maintenance = Maintenance.GROUPS
        self._sizes: Bag = {}
        self._said: dict[Row, Row] = {}

    def begin(self) -> Mapping[Row, int]:
        return NOTHING if self._is_shape else self.enter(())

    def enter(self, numbers: Row) -> Mapping[Row, int]:
        return self._say([numbers]) if self._is_one else NOTHING

    def leave(self, numbers: Row) -> Mapping[Row, int]:
        return self._drop([numbers]) if self._is_one else NOTHING

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        (change,) = changes
        groups, weights = picked(change, self._keys), list(change.values())
        parts: dict[Expression | None, dict[Row, Items]] = {}
        for argument in self._of or (None,):
            if argument not in parts:
                parts[argument] = by_group(groups, self._items(argument, change, groups), weights)
        *_, of_any = parts.values()
        left = count_rows(self._sizes, of_any, self.shared.journal.entries, ABSENT)
        for kept, argument in zip(self._accumulators, self._of, strict=True):
            kept.change(parts[argument])
        if self._is_one or not left:
            return self._say(list(of_any))
        gone = set(left)
        return {**self._say([group for group in of_any if group not in gone]), **self._drop(left)}

    def _items(self, argument: Expression | None, change: Mapping[Row, int], groups: list[Row]) -> list[Row]:
        """What an aggregate looks at of each row of a change; where that is nothing, the group."""
        places = self._places_of.get(argument)
        if places is not None:
            found: list[Row] = picked(change, places)
            return found
        return groups if argument is None else [(id_,) for id_ in self._computed[argument].ids(change)]

    def _say(self, groups: list[Row]) -> Bag:
        """Say the rows of groups that changed."""
        columns = [kept.values(groups) for kept in self._accumulators]
        made: Bag = say(groups, columns, self._places, self._said, self.shared.journal.entries, ABSENT)
        return made

    def _drop(self, groups: list[Row]) -> Bag:
        """Have no rows of groups any more."""
        made: Bag = {}
        for group in groups:
            for kept in self._accumulators:
                kept.drop(group)
            if group in self._said:
                self.shared.journal.note(self._said, group)
                made[self._said.pop(group)] = -1
        return made

    @property
    def bags(self) -> Iterable[Bag]:
        yield self._sizes
        yield dict.fromkeys(self._said.values(), 1)
        for kept in self._accumulators:
            yield from kept.bags

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        self.shared.rename(self._sizes, rows)
        self.shared.journal.replace(self._said, {rows(key): rows(row) for key, row in self._said.items()})
        for kept in self._accumulators:
            kept.renamed(rows)

    def forget(self) -> None:
        for kept in self._accumulators:
            kept.forget()
        for computed in self._computed.values():
            computed.forget()
