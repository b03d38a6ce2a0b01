"""GROUP BY and aggregates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from rdflib import Variable

from pantarhei.materialize.kernel.groups import by_group, picked, say, weighed
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
    """

    def __init__(self, node: Group, shared: Shared, child: Operator) -> None:
        super().__init__(node, shared, (child,))
        self._is_one = node.keys is None or all(map(is_parameter, node.keys))
        self._is_shape = bool(parameters_of(node))
        self._keys = list(places_of(node.keys or (), child.variables))
        self._accumulators = [accumulator(made, shared) for made in node.aggregates]
        arguments = dict.fromkeys(made.argument for made in node.aggregates if made.argument is not None)
        self._arguments = {each: RowExpression(each, child.variables, shared) for each in arguments}
        self._of = [made.argument for made in node.aggregates]
        self._shown = [place for place, v in enumerate(child.variables) if not is_hidden(v)]
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
        more = weighed(groups, weights)
        self.shared.add_all(self._sizes, {group: weight for group, weight in more.items() if weight})
        items: dict[Expression | None, dict[Row, Items]] = {
            argument: by_group(groups, [(id_,) for id_ in value.ids(change)], weights)
            for argument, value in self._arguments.items()
        }
        if None in self._of:
            items[None] = by_group(groups, picked(change, self._shown), weights)
        for kept, argument in zip(self._accumulators, self._of, strict=True):
            kept.change(items[argument])
        if self._is_one:
            return self._say(list(more))
        sizes = self._sizes
        left = [group for group in more if group not in sizes]
        if not left:
            return self._say(list(more))
        return {**self._say([group for group in more if group in sizes]), **self._drop(left)}

    def _say(self, groups: list[Row]) -> Bag:
        """Say the rows of groups that changed."""
        columns = [kept.values(groups) for kept in self._accumulators]
        made: Bag = say(groups, columns, self._said, self.shared.journal.entries, ABSENT)
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
        for argument in self._arguments.values():
            argument.forget()
