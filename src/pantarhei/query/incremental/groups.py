"""GROUP BY and aggregates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from rdflib import Variable

from pantarhei.materialize.kernel.bags import put
from pantarhei.query.algebra.expressions import Expression, is_drawn
from pantarhei.query.algebra.nodes import Extend, Group, Node, is_hidden
from pantarhei.query.incremental.accumulators import LOOKING_AT_ALL, accumulator
from pantarhei.query.incremental.journal import ABSENT
from pantarhei.query.incremental.maintenance import Maintenance
from pantarhei.query.incremental.operator import (
    NOTHING,
    Bag,
    Operator,
    Row,
    Shared,
    places_of,
    taker,
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


def _by_group(
    groups: Iterable[Row], items: Iterable[Row], weights: Iterable[int]
) -> dict[Row, list[tuple[Row, int]]]:
    """What came to each group and went."""
    found: dict[Row, list[tuple[Row, int]]] = {}
    for group, item, weight in zip(groups, items, weights, strict=True):
        if group in found:
            found[group].append((item, weight))
        else:
            found[group] = [(item, weight)]
    return found


class GroupOperator(Operator):
    """A row for each group: its keys and aggregates.

    Costs what came to the group and went; where a first or last value went, or all are to be said one after
    another, the different values of the group.
    """

    def __init__(self, node: Group, shared: Shared, child: Operator) -> None:
        super().__init__(node, shared, (child,))
        self._is_one = node.keys is None or all(map(is_parameter, node.keys))
        self._is_shape = bool(parameters_of(node))
        self._key = taker(places_of(node.keys or (), child.variables))
        self._accumulators = [accumulator(made, shared) for made in node.aggregates]
        arguments = dict.fromkeys(made.argument for made in node.aggregates if made.argument is not None)
        self._arguments = {each: RowExpression(each, child.variables, shared) for each in arguments}
        self._of = [made.argument for made in node.aggregates]
        self._shown = taker([place for place, v in enumerate(child.variables) if not is_hidden(v)])
        if any(made.function in LOOKING_AT_ALL for made in node.aggregates):
            self.maintenance = Maintenance.GROUPS
        self._sizes: Bag = {}
        self._said: dict[Row, Row] = {}

    def begin(self) -> Mapping[Row, int]:
        return NOTHING if self._is_shape else self.enter(())

    def enter(self, numbers: Row) -> Mapping[Row, int]:
        made: Bag = {}
        if self._is_one:
            self._say(numbers, made)
        return made

    def leave(self, numbers: Row) -> Mapping[Row, int]:
        made: Bag = {}
        if self._is_one:
            self._drop(numbers, made)
        return made

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        (change,) = changes
        groups = list(map(self._key, change))
        more: Bag = {}
        for group, weight in zip(groups, change.values(), strict=True):
            more[group] = more.get(group, 0) + weight
        self.shared.add_all(self._sizes, {group: weight for group, weight in more.items() if weight})
        items: dict[Expression | None, dict[Row, list[tuple[Row, int]]]] = {
            argument: _by_group(groups, [(id_,) for id_ in value.ids(change)], change.values())
            for argument, value in self._arguments.items()
        }
        if None in self._of:
            items[None] = _by_group(groups, map(self._shown, change), change.values())
        made: Bag = {}
        told = [(kept, items[argument]) for kept, argument in zip(self._accumulators, self._of, strict=True)]
        for group in more:
            for kept, of_group in told:
                kept.change(group, of_group[group])
            self._say(group, made)
        return made

    def _say(self, group: Row, made: Bag) -> None:
        """Say the row of a group that changed."""
        if not self._is_one and group not in self._sizes:
            self._drop(group, made)
            return
        old = self._said.get(group)
        now = (*group, *[kept.value(group) for kept in self._accumulators])
        if now == old:
            return
        self.shared.journal.entries.append((self._said, group, ABSENT if old is None else old))
        self._said[group] = now
        if old is not None:
            put(made, old, -1)
        put(made, now, 1)

    def _drop(self, group: Row, made: Bag) -> None:
        """Have no row of a group any more."""
        for kept in self._accumulators:
            kept.drop(group)
        if group in self._said:
            self.shared.journal.note(self._said, group)
            put(made, self._said.pop(group), -1)

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
