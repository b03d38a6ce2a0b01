"""GROUP BY and aggregates, maintained by deltas.

An accumulator stores for each group the data from which its aggregate is computed: counts and sums for COUNT,
SUM and AVG (`totals.py`); the distinct values with their number of copies for MIN, MAX, SAMPLE, GROUP_CONCAT
and aggregates with DISTINCT. `expressions/aggregates.py` computes the same results by column.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import replace
from typing import Any, Final

from rdflib import BNode, Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.groups import (
    count_rows,
    count_values,
    group_items,
    project_rows,
    replace_group_rows,
    result_numbers,
    update_totals,
)
from pantarhei.model.term import Term
from pantarhei.query.algebra.nodes import Aggregate, Expression, Extend, Group, Node, is_hidden, is_volatile
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.aggregates import join_texts
from pantarhei.query.expressions.comparison import order_key
from pantarhei.query.incremental.journal import ABSENT
from pantarhei.query.incremental.leaves import is_parameter, parameters_of
from pantarhei.query.incremental.operator import (
    EMPTY,
    Bag,
    Maintenance,
    Operator,
    Row,
    Rows,
    SharedState,
    columns_of,
)
from pantarhei.query.incremental.persistent_terms import MAX_CACHED_TERMS, TermCache
from pantarhei.query.incremental.row_expressions import RowExpression
from pantarhei.query.incremental.totals import Result, Total, addends, plain_number
from pantarhei.rdf.ntriples import write_term
from pantarhei.values.numeric import EXACT, Numeric

ORDERED_AGGREGATES: Final = frozenset(("MIN", "MAX", "SAMPLE", "GROUP_CONCAT"))
"""Aggregates whose result depends on the order of a group's values."""


Items = Collection[tuple[Row, int]]
"""Delta of one group: rows with their signed number of copies. A row is the value of the aggregate's argument
alone, or a whole row for COUNT(*).
"""


class Accumulator:
    """State of one aggregate for all groups."""

    def __init__(self, shared: SharedState) -> None:
        self._shared = shared

    def change(self, parts: dict[Row, Items]) -> None:
        """Apply the deltas of groups."""
        for group, items in parts.items():
            self._change(group, items)

    def _change(self, group: Row, items: Items) -> None:
        """Apply the delta of one group."""
        raise NotImplementedError

    def values(self, groups: list[Row]) -> list[int]:
        """Return the results of groups as term numbers, `NONE` for an error."""
        return list(map(self._value, groups))

    def _value(self, group: Row) -> int:
        """Return the result of a group as a term number."""
        raise NotImplementedError

    def drop_group(self, group: Row) -> None:
        """Remove an empty group."""
        raise NotImplementedError

    @property
    def bags(self) -> Iterable[Bag]:
        """State bags; terms that occur in their rows are in use."""
        return ()

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        """Replace the term numbers in the state."""
        raise NotImplementedError

    def clear_caches(self) -> None:
        """Drop data that can be recomputed from the state."""


class _PerGroup(Accumulator):
    """Accumulator that stores one immutable value for each group, and caches the term numbers of results."""

    def __init__(self, shared: SharedState) -> None:
        super().__init__(shared)
        self._totals: dict[Row, Any] = {}
        self._numbers: dict[Hashable, int] = {}  # cache: numbers by result

    def _remember(self, result: Hashable, number: int) -> int:
        """Cache the term number of a result."""
        if len(self._numbers) > MAX_CACHED_TERMS:
            self._numbers.clear()
        self._numbers[result] = number
        return number

    def clear_caches(self) -> None:
        self._numbers.clear()

    def drop_group(self, group: Row) -> None:
        self._shared.journal.record(self._totals, group)
        self._totals.pop(group, None)

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        totals = {rows(group): total for group, total in self._totals.items()}
        self._shared.journal.replace(self._totals, totals)


class Count(_PerGroup):
    """COUNT of rows, or of bound values."""

    def __init__(self, shared: SharedState, whole_rows: bool) -> None:
        super().__init__(shared)
        self._whole_rows = whole_rows

    def _change(self, group: Row, items: Items) -> None:
        more = 0
        for item, weight in items:
            if self._whole_rows or item[0] != NONE:
                more += weight
        if more:
            counts = self._totals
            self._shared.journal.entries.append((counts, group, counts.get(group, ABSENT)))
            counts[group] = counts.get(group, 0) + more

    def _value(self, group: Row) -> int:
        count = self._totals.get(group, 0)
        number = self._numbers.get(count)
        if number is None:
            number = self._shared.terms.id_of_number(Numeric(kinds.INTEGER, count))
            self._remember(count, number)
        return number


class _Summing(_PerGroup):
    """SUM and AVG."""

    def __init__(self, shared: SharedState, is_average: bool) -> None:
        super().__init__(shared)
        self._is_average = is_average
        self._addends = addends(shared.terms.term)

    def change(self, parts: dict[Row, Items]) -> None:
        update_totals(self._totals, parts, self._addends, EXACT.fma, self._shared.journal.entries, ABSENT)

    def values(self, groups: list[Row]) -> list[int]:
        found: list[int] = result_numbers(
            groups, self._totals, self._is_average, self._numbers, self._number, self._numbers_of
        )
        return found

    def _numbers_of(self, results: list[Result]) -> list[int]:
        """Return the term numbers of results, as `PersistentTermIds.ids_of_plain`."""
        if len(self._numbers) > MAX_CACHED_TERMS:
            self._numbers.clear()
        return self._shared.terms.ids_of_plain(results, map(plain_number, results), self._numbers)

    def _number(self, total: tuple[Any, ...]) -> int:
        """Return the term number of the result of a total."""
        numbers = Total.of(total)
        value = numbers.average if self._is_average else numbers.sum
        return NONE if value is None else self._shared.terms.id_of_number(value)

    def clear_caches(self) -> None:
        super().clear_caches()
        self._addends.clear()


class _GroupedValues(Accumulator):
    """Accumulator that stores the distinct values or rows of each group with their number of copies."""

    def __init__(self, shared: SharedState) -> None:
        super().__init__(shared)
        self._values: dict[Row, Bag] = {}

    def _count_values(self, parts: dict[Row, Items], only_terms: bool) -> dict[Row, Items]:
        """Apply the deltas of groups; returns the values that appeared (1) and vanished (-1)."""
        entries = self._shared.journal.entries
        found: dict[Row, Items] = count_values(self._values, parts, only_terms, entries, ABSENT)
        return found

    def drop_group(self, group: Row) -> None:
        self._shared.journal.record(self._values, group)
        self._values.pop(group, None)

    @property
    def bags(self) -> Iterable[Bag]:
        return self._values.values()

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        for bag in self._values.values():
            self._shared.renumber_bag(bag, rows)
        self._shared.journal.replace(self._values, {rows(group): bag for group, bag in self._values.items()})


class DistinctAggregate(_GroupedValues):
    """Aggregate with DISTINCT: the inner accumulator receives only values that appear in a group or vanish
    from it.
    """

    def __init__(self, shared: SharedState, inner: Accumulator) -> None:
        super().__init__(shared)
        self._inner = inner

    def change(self, parts: dict[Row, Items]) -> None:
        self._inner.change(self._count_values(parts, only_terms=False))

    def values(self, groups: list[Row]) -> list[int]:
        return self._inner.values(groups)

    def drop_group(self, group: Row) -> None:
        super().drop_group(group)
        self._inner.drop_group(group)

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        super().renumber(rows)
        self._inner.renumber(rows)

    def clear_caches(self) -> None:
        self._inner.clear_caches()


_Key = tuple[tuple[Any, ...], str]
"""Sort key of a term within a group."""


def _keys(term: Callable[[int], Term]) -> TermCache[_Key]:
    """Cache the sort keys of terms by number."""

    def key_of(number: int) -> _Key:
        known = term(number)
        return order_key(known), write_term(known)

    return TermCache(key_of)


class _OrderedValues(_GroupedValues):
    """Accumulator of values, ordered as by ORDER BY and then by N-Triples text."""

    def __init__(self, shared: SharedState) -> None:
        super().__init__(shared)
        self._keys = _keys(shared.terms.term)

    def clear_caches(self) -> None:
        self._keys.clear()


class Extremum(_OrderedValues):
    """MIN, MAX and SAMPLE. If the present result is deleted, the result is searched again among all values of
    the group.
    """

    def __init__(self, shared: SharedState, is_last: bool) -> None:
        super().__init__(shared)
        self._is_last = is_last
        self._best: Bag = {}

    def change(self, parts: dict[Row, Items]) -> None:
        super().change(self._count_values(parts, only_terms=True))

    def _change(self, group: Row, delta: Items) -> None:
        best = self._best.get(group)
        if best is not None and ((best,), -1) in delta:
            self._choose(group, self._values[group])
        elif inserted := [item for item, sign in delta if sign > 0]:
            self._choose(group, inserted if best is None else [(best,), *inserted])

    def _choose(self, group: Row, items: Iterable[Row]) -> None:
        found = self._first(items)
        if found != self._best.get(group):
            self._shared.journal.record(self._best, group)
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

    def drop_group(self, group: Row) -> None:
        super().drop_group(group)
        self._shared.journal.record(self._best, group)
        self._best.pop(group, None)

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        super().renumber(rows)
        best = {rows(group): rows((number,))[0] for group, number in self._best.items()}
        self._shared.journal.replace(self._best, best)


class Concatenation(_OrderedValues):
    """GROUP_CONCAT; blank nodes are skipped."""

    def __init__(self, shared: SharedState, separator: str, is_distinct: bool) -> None:
        super().__init__(shared)
        self._separator, self._is_distinct = separator, is_distinct

    def change(self, parts: dict[Row, Items]) -> None:
        self._count_values(parts, only_terms=True)

    def _value(self, group: Row) -> int:
        bag, keys, texts = self._values.get(group, {}), self._keys, []
        for item in sorted(bag, key=lambda item: keys[item[0]]):
            term = self._shared.terms.term(item[0])
            if not isinstance(term, BNode):
                texts += [str(term)] * (1 if self._is_distinct else bag[item])
        made = join_texts(self._separator, texts, self._shared.context.limits)
        return self._shared.terms.id_of(made)


def accumulator_for(made: Aggregate, shared: SharedState) -> Accumulator:
    """Create the accumulator of an aggregate."""
    if made.function in ("MIN", "MAX", "SAMPLE"):
        return Extremum(shared, made.function == "MAX")
    if made.function == "GROUP_CONCAT":
        return Concatenation(shared, made.separator, made.distinct)
    inner: Accumulator
    if made.function == "COUNT":
        inner = Count(shared, made.argument is None)
    else:
        inner = _Summing(shared, made.function == "AVG")
    return DistinctAggregate(shared, inner) if made.distinct else inner


def extend_volatile_arguments(node: Group) -> Group:
    """Evaluate the volatile arguments of aggregates in BIND nodes below the group, so that each is evaluated
    once for a row.
    """
    child: Node = node.child
    volatile: dict[Expression, Variable] = {}
    for made in node.aggregates:
        if made.argument is not None and is_volatile(made.argument) and made.argument not in volatile:
            variable = volatile[made.argument] = Variable(f"#drawn{len(volatile)}")
            child = Extend(child, variable, made.argument)
    made_of = (
        made if made.argument is None else replace(made, argument=volatile.get(made.argument, made.argument))
        for made in node.aggregates
    )
    return replace(node, child=child, aggregates=tuple(made_of))


class GroupOperator(Operator):
    """One row for each group: its keys and aggregates.

    A step costs the delta of each changed group, and all distinct values of the group if it deletes an
    extremum, or if an aggregate is GROUP_CONCAT.

    Args:
        variables: columns of the rows, which include the group keys, in any order; by default the node's
            variables.
    """

    def __init__(
        self, node: Group, shared: SharedState, child: Operator, variables: tuple[Variable, ...] | None = None
    ) -> None:
        super().__init__(node, shared, (child,))
        if variables is not None:
            self.variables = variables
        self._output_columns = list(columns_of(self.variables, node.variables))
        self._keeps_empty_group = node.keys is None or all(map(is_parameter, node.keys))
        self._is_parameterised = bool(parameters_of(node))
        self._keys = list(columns_of(node.keys or (), child.variables))
        self._accumulators = [accumulator_for(made, shared) for made in node.aggregates]
        self._arguments = [made.argument for made in node.aggregates]
        self._argument_columns: dict[Expression | None, list[int]] = {
            argument: list(columns_of((argument,), child.variables))
            for argument in self._arguments
            if isinstance(argument, Variable)
        }
        if any(made.argument is None and made.distinct for made in node.aggregates):
            self._argument_columns[None] = [i for i, v in enumerate(child.variables) if not is_hidden(v)]
        self._computed: dict[Expression, RowExpression] = {
            argument: RowExpression(argument, child.variables, shared)
            for argument in self._arguments
            if argument is not None and not isinstance(argument, Variable)
        }
        if any(made.function in ORDERED_AGGREGATES for made in node.aggregates):
            self.maintenance = Maintenance.GROUPS
        self._sizes: Bag = {}
        self._rows: dict[Row, Row] = {}

    def initial_rows(self) -> Rows:
        return EMPTY if self._is_parameterised else self.add_parameters(())

    def add_parameters(self, numbers: Row) -> Rows:
        return self._update_rows([numbers]) if self._keeps_empty_group else EMPTY

    def remove_parameters(self, numbers: Row) -> Rows:
        return self._drop_groups([numbers]) if self._keeps_empty_group else EMPTY

    def change(self, *changes: Rows) -> Rows:
        (change,) = changes
        groups, weights = project_rows(change, self._keys), list(change.values())
        parts: dict[Expression | None, dict[Row, Items]] = {}
        for argument in self._arguments or (None,):
            if argument not in parts:
                values = self._argument_values(argument, change, groups)
                parts[argument] = group_items(groups, values, weights)
        *_, any_parts = parts.values()
        left = count_rows(self._sizes, any_parts, self.shared.journal.entries, ABSENT)
        for accumulator, argument in zip(self._accumulators, self._arguments, strict=True):
            accumulator.change(parts[argument])
        if self._keeps_empty_group or not left:
            return self._update_rows(list(any_parts))
        removed = set(left)
        remaining = [group for group in any_parts if group not in removed]
        return {**self._update_rows(remaining), **self._drop_groups(left)}

    def _argument_values(self, argument: Expression | None, change: Rows, groups: list[Row]) -> list[Row]:
        """Return the values of an aggregate's argument for the rows of a delta. If no argument is needed,
        each value is the group itself.
        """
        columns = self._argument_columns.get(argument)
        if columns is not None:
            found: list[Row] = project_rows(change, columns)
            return found
        return groups if argument is None else [(id_,) for id_ in self._computed[argument].ids(change)]

    def _update_rows(self, groups: list[Row]) -> Bag:
        """Recompute the rows of changed groups; returns the delta."""
        columns = [accumulator.values(groups) for accumulator in self._accumulators]
        entries = self.shared.journal.entries
        made: Bag = replace_group_rows(groups, columns, self._output_columns, self._rows, entries, ABSENT)
        return made

    def _drop_groups(self, groups: list[Row]) -> Bag:
        """Remove empty groups; returns the delta."""
        made: Bag = {}
        for group in groups:
            for accumulator in self._accumulators:
                accumulator.drop_group(group)
            if group in self._rows:
                self.shared.journal.record(self._rows, group)
                made[self._rows.pop(group)] = -1
        return made

    @property
    def bags(self) -> Iterable[Bag]:
        yield self._sizes
        yield dict.fromkeys(self._rows.values(), 1)
        for accumulator in self._accumulators:
            yield from accumulator.bags

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        self.shared.renumber_bag(self._sizes, rows)
        self.shared.journal.replace(self._rows, {rows(key): rows(row) for key, row in self._rows.items()})
        for accumulator in self._accumulators:
            accumulator.renumber(rows)

    def clear_caches(self) -> None:
        for accumulator in self._accumulators:
            accumulator.clear_caches()
        for computed in self._computed.values():
            computed.clear_caches()
