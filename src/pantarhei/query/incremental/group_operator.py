"""GROUP BY and aggregates.

Aggregates of groups whose rows come and go: each keeps as much of a group as it takes to say its value.

COUNT, SUM and AVG keep counts and sums (`totals.py`). With DISTINCT they keep the different values too, with
how often each is there, as do MIN, MAX, SAMPLE and GROUP_CONCAT. What they say is what
`expressions/aggregates.py` says by column.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from rdflib import BNode, Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.groups import (
    by_group,
    count_rows,
    count_values,
    numbers_of,
    picked,
    say,
    sum_up,
)
from pantarhei.model.term import Term
from pantarhei.query.algebra.expressions import Aggregate, Expression, is_drawn
from pantarhei.query.algebra.nodes import Extend, Group, Node, is_hidden
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.aggregates import joined_texts, ntriples
from pantarhei.query.expressions.ordering import order_key
from pantarhei.query.incremental.journal import ABSENT
from pantarhei.query.incremental.leaves import is_parameter, parameters_of
from pantarhei.query.incremental.operator import NOTHING, Bag, Maintenance, Operator, Row, Shared, places_of
from pantarhei.query.incremental.persistent_terms import MOST_REMEMBERED, Remembered
from pantarhei.query.incremental.row_expressions import RowExpression
from pantarhei.query.incremental.totals import Result, Total, addends, plain_number
from pantarhei.values.numeric import EXACT, Numeric

LOOKING_AT_ALL: Final = frozenset(("MIN", "MAX", "SAMPLE", "GROUP_CONCAT"))
"""The aggregates that may have to look at all values of a group."""


Items = Collection[tuple[Row, int]]
"""What came to one group and went: the value of the argument alone, or a whole row, and how many copies."""


class Accumulator:
    """One aggregate of all groups."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def change(self, parts: dict[Row, Items]) -> None:
        """Take in what came to groups and went."""
        for group, items in parts.items():
            self._change(group, items)

    def _change(self, group: Row, items: Items) -> None:
        """Take in what came to a group and went."""
        raise NotImplementedError

    def values(self, groups: list[Row]) -> list[int]:
        """The numbers of the terms that groups come to, `NONE` for an error."""
        return list(map(self._value, groups))

    def _value(self, group: Row) -> int:
        """The number of the term that a group comes to."""
        raise NotImplementedError

    def drop(self, group: Row) -> None:
        """Forget a group without rows."""
        raise NotImplementedError

    @property
    def bags(self) -> Iterable[Bag]:
        """The terms that are part of its state."""
        return ()

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        """Go on with other numbers of terms."""
        raise NotImplementedError

    def forget(self) -> None:
        """Forget what was only kept to save work."""


class _ByGroup(Accumulator):
    """What keeps one value for each group, which is never changed but replaced; it comes to a number."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._kept: dict[Row, Any] = {}
        self._numbers: dict[Hashable, int] = {}  # of some results

    def _remember(self, result: Hashable, number: int) -> int:
        """Note the number of a result, and give it."""
        if len(self._numbers) > MOST_REMEMBERED:
            self._numbers.clear()
        self._numbers[result] = number
        return number

    def forget(self) -> None:
        self._numbers.clear()

    def drop(self, group: Row) -> None:
        self._shared.journal.note(self._kept, group)
        self._kept.pop(group, None)

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        self._shared.journal.replace(self._kept, {rows(group): kept for group, kept in self._kept.items()})


class Count(_ByGroup):
    """How many rows there are, or have a value."""

    def __init__(self, shared: Shared, whole_rows: bool) -> None:
        super().__init__(shared)
        self._whole_rows = whole_rows

    def _change(self, group: Row, items: Items) -> None:
        more = 0
        for item, weight in items:
            if self._whole_rows or item[0] != NONE:
                more += weight
        if more:
            kept = self._kept
            self._shared.journal.entries.append((kept, group, kept.get(group, ABSENT)))
            kept[group] = kept.get(group, 0) + more

    def _value(self, group: Row) -> int:
        count = self._kept.get(group, 0)
        number = self._numbers.get(count)
        if number is None:
            number = self._shared.terms.id_of_number(Numeric(kinds.INTEGER, count))
            self._remember(count, number)
        return number


class _Summing(_ByGroup):
    """What keeps the total of a group's numbers."""

    def __init__(self, shared: Shared, is_average: bool) -> None:
        super().__init__(shared)
        self._is_average = is_average
        self._addends = addends(shared.terms.term)

    def change(self, parts: dict[Row, Items]) -> None:
        sum_up(self._kept, parts, self._addends, EXACT.fma, self._shared.journal.entries, ABSENT)

    def values(self, groups: list[Row]) -> list[int]:
        found: list[int] = numbers_of(
            groups, self._kept, self._is_average, self._numbers, self._number, self._numbers_of
        )
        return found

    def _numbers_of(self, results: list[Result]) -> list[int]:
        """The numbers of results; of those that the vocabulary knows they are remembered."""
        if len(self._numbers) > MOST_REMEMBERED:
            self._numbers.clear()
        return self._shared.terms.ids_of_plain(results, map(plain_number, results), self._numbers)

    def _number(self, total: tuple[Any, ...]) -> int:
        """The number of the term that a total comes to."""
        numbers = Total.of(total)
        value = numbers.average if self._is_average else numbers.sum
        return NONE if value is None else self._shared.terms.id_of_number(value)

    def forget(self) -> None:
        super().forget()
        self._addends.clear()


class _Values(Accumulator):
    """What keeps the different values of each group, or whole rows, with how many copies there are."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._of: dict[Row, Bag] = {}

    def _take(self, parts: dict[Row, Items], only_terms: bool) -> dict[Row, Items]:
        """Count values of groups; gives those that are new (1), and those that are there no more (-1)."""
        found: dict[Row, Items] = count_values(
            self._of, parts, only_terms, self._shared.journal.entries, ABSENT
        )
        return found

    def drop(self, group: Row) -> None:
        self._shared.journal.note(self._of, group)
        self._of.pop(group, None)

    @property
    def bags(self) -> Iterable[Bag]:
        return self._of.values()

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        for bag in self._of.values():
            self._shared.rename(bag, rows)
        self._shared.journal.replace(self._of, {rows(group): bag for group, bag in self._of.items()})


class Each(_Values):
    """An aggregate with DISTINCT: another one is told when a value's first copy comes and its last goes."""

    def __init__(self, shared: Shared, inner: Accumulator) -> None:
        super().__init__(shared)
        self._inner = inner

    def change(self, parts: dict[Row, Items]) -> None:
        self._inner.change(self._take(parts, only_terms=False))

    def values(self, groups: list[Row]) -> list[int]:
        return self._inner.values(groups)

    def drop(self, group: Row) -> None:
        super().drop(group)
        self._inner.drop(group)

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        super().renamed(rows)
        self._inner.renamed(rows)

    def forget(self) -> None:
        self._inner.forget()


_Key = tuple[tuple[Any, ...], str]
"""Where a term stands in the order of a group's values."""


def _keys(term: Callable[[int], Term]) -> Remembered[_Key]:
    """The keys of terms by their numbers; `term` gives the term of one."""

    def key_of(number: int) -> _Key:
        known = term(number)
        return order_key(known), ntriples(known)

    return Remembered(key_of)


class _InOrder(_Values):
    """What follows the order of a group's values: that of ORDER BY, then N-Triples text."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._keys = _keys(shared.terms.term)

    def forget(self) -> None:
        self._keys.clear()


class Extreme(_InOrder):
    """The first value, or the last; the others are looked at when it goes."""

    def __init__(self, shared: Shared, is_last: bool) -> None:
        super().__init__(shared)
        self._is_last = is_last
        self._best: Bag = {}

    def change(self, parts: dict[Row, Items]) -> None:
        super().change(self._take(parts, only_terms=True))

    def _change(self, group: Row, taken: Items) -> None:
        best = self._best.get(group)
        if best is not None and ((best,), -1) in taken:
            self._say(group, self._of[group])
        elif came := [item for item, sign in taken if sign > 0]:
            self._say(group, came if best is None else [(best,), *came])

    def _say(self, group: Row, items: Iterable[Row]) -> None:
        found = self._first(items)
        if found != self._best.get(group):
            self._shared.journal.note(self._best, group)
            if found is None:
                del self._best[group]
            else:
                self._best[group] = found

    def _first(self, items: Iterable[Row]) -> int | None:
        keys = self._keys
        keyed = [(keys[number], number) for (number,) in items]
        if not keyed:
            return None
        if self._is_last:
            most = max(order for (order, _), _ in keyed)
            keyed = [each for each in keyed if each[0][0] == most]
        return min(keyed)[1]

    def _value(self, group: Row) -> int:
        return self._best.get(group, NONE)

    def drop(self, group: Row) -> None:
        super().drop(group)
        self._shared.journal.note(self._best, group)
        self._best.pop(group, None)

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        super().renamed(rows)
        best = {rows(group): rows((number,))[0] for group, number in self._best.items()}
        self._shared.journal.replace(self._best, best)


class Concatenation(_InOrder):
    """GROUP_CONCAT; blank nodes have no text."""

    def __init__(self, shared: Shared, separator: str, is_distinct: bool) -> None:
        super().__init__(shared)
        self._separator, self._is_distinct = separator, is_distinct

    def change(self, parts: dict[Row, Items]) -> None:
        self._take(parts, only_terms=True)

    def _value(self, group: Row) -> int:
        bag, keys, texts = self._of.get(group, {}), self._keys, []
        for item in sorted(bag, key=lambda item: keys[item[0]]):
            term = self._shared.terms.term(item[0])
            if not isinstance(term, BNode):
                texts += [str(term)] * (1 if self._is_distinct else bag[item])
        made = joined_texts(self._separator, texts, self._shared.context.guard)
        return self._shared.terms.id_of(made)


def accumulator(made: Aggregate, shared: Shared) -> Accumulator:
    """What keeps up an aggregate."""
    if made.function in ("MIN", "MAX", "SAMPLE"):
        return Extreme(shared, made.function == "MAX")
    if made.function == "GROUP_CONCAT":
        return Concatenation(shared, made.separator, made.distinct)
    inner: Accumulator
    if made.function == "COUNT":
        inner = Count(shared, made.argument is None)
    else:
        inner = _Summing(shared, made.function == "AVG")
    return Each(shared, inner) if made.distinct else inner


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
