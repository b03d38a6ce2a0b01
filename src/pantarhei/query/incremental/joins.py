"""Joins: operators that match the rows of two inputs by their shared variables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from rdflib import Literal, Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.errors import QueryMemoryError
from pantarhei.materialize.kernel.bags import put
from pantarhei.query.algebra import nodes as algebra
from pantarhei.query.algebra.analysis import correlated_variables
from pantarhei.query.answers import MAX_BYTES
from pantarhei.query.continuous_query import BYTES_A_ROW
from pantarhei.query.incremental.operator import EMPTY, Bag, Operator, Row, Rows, SharedState, columns_of
from pantarhei.query.incremental.row_expressions import RowExpression

Found = Collection[tuple[Row, int]]


def index_of(
    shared: Sequence[Variable],
    own: Sequence[Variable],
    other: Sequence[Variable],
    state: SharedState,
    always_bound: bool,
) -> HashIndex | PartialIndex:
    """Create an index of the rows of one input of a join.

    Args:
        shared: variables of both inputs.
        own: variables of the indexed rows.
        other: variables of the rows of the other input, for which matches are looked up.
        always_bound: whether all rows of both inputs bind all shared variables.
    """
    columns = columns_of(shared, own), columns_of(shared, other)
    return HashIndex(*columns, state) if always_bound else PartialIndex(*columns, state)


class HashIndex:
    """Bag of rows that bind all shared variables, indexed by their values.

    Args:
        own_columns: columns of the shared variables in the indexed rows.
        other_columns: columns of the shared variables in the rows of the other input.
    """

    def __init__(self, own_columns: Sequence[int], other_columns: Sequence[int], state: SharedState) -> None:
        self._shares = bool(own_columns)
        self._own_key, self._other_key = state.key_of(own_columns), state.key_of(other_columns)
        self._state = state
        self._rows: dict[Any, Bag] = {}

    def add(self, row: Row, weight: int) -> tuple[int, int]:
        """Add copies of a row; returns the number of copies before and after."""
        key = self._own_key(row)
        rows = self._rows.get(key)
        if rows is None:
            self._state.journal.record(self._rows, key)
            rows = self._rows[key] = {}
        counts = self._state.add(rows, row, weight)
        if not rows:
            self._state.journal.record(self._rows, key)
            del self._rows[key]
        return counts

    def weight(self, row: Row) -> int:
        """Return the number of copies of a row."""
        return self._rows.get(self._own_key(row), {}).get(row, 0)

    def compatible(self, other: Row, overlap: bool = False) -> Found:
        """Return the rows that agree with a row of the other input in all variables that both bind, with
        their number of copies.

        Args:
            overlap: return only rows that bind a shared variable which the other row binds too.
        """
        rows = self._rows.get(self._other_key(other))
        return () if rows is None or (overlap and not self._shares) else rows.items()

    @property
    def bags(self) -> Iterable[Bag]:
        return self._rows.values()

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        renumbered: dict[Any, Bag] = {}
        for bag in self._rows.values():
            for row, weight in bag.items():
                new = rows(row)
                renumbered.setdefault(self._own_key(new), {})[new] = weight
        self._state.journal.replace(self._rows, renumbered)


class PartialIndex:
    """Bag of rows that may leave shared variables unbound.

    Rows are partitioned by the set of shared variables that they bind. A row of the other input is looked up
    in each partition by the variables that both bind; the hash table for such a set of variables is built at
    the first lookup.

    Args: as for `HashIndex`.
    """

    def __init__(self, own_columns: Sequence[int], other_columns: Sequence[int], state: SharedState) -> None:
        self._own_columns, self._other_columns, self._state = own_columns, other_columns, state
        # rows by the set of shared variables that they bind, as bits
        self._bags: dict[int, Bag] = {}
        # hash tables, by this set and the subset of it whose values are the keys
        self._tables: dict[tuple[int, int], dict[Row, Bag]] = {}
        self._all = (1 << len(own_columns)) - 1

    def add(self, row: Row, weight: int) -> tuple[int, int]:
        bound = self._bound(row, self._own_columns)
        journal = self._state.journal
        bag = self._bags.get(bound)
        if bag is None:
            journal.record(self._bags, bound)
            bag = self._bags[bound] = {}
        counts = self._state.add(bag, row, weight)
        for (partition, common), table in self._tables.items():
            if partition != bound:
                continue
            key = self._key(row, self._own_columns, common)
            rows = table.get(key)
            if rows is None:
                journal.record(table, key)
                rows = table[key] = {}
            self._state.add(rows, row, weight)
            if not rows:
                journal.record(table, key)
                del table[key]
        return counts

    def weight(self, row: Row) -> int:
        return self._bags.get(self._bound(row, self._own_columns), {}).get(row, 0)

    def compatible(self, other: Row, overlap: bool = False) -> Found:
        other_bound = self._bound(other, self._other_columns)
        found: list[tuple[Row, int]] = []
        for bound in self._bags:
            common = bound & other_bound
            if common or not overlap:
                key = self._key(other, self._other_columns, common)
                found += self._table(bound, common).get(key, {}).items()
        return found

    def _table(self, bound: int, common: int) -> dict[Row, Bag]:
        table = self._tables.get((bound, common))
        if table is None:
            table = {}
            for row, weight in self._bags[bound].items():
                table.setdefault(self._key(row, self._own_columns, common), {})[row] = weight
            self._state.journal.record(self._tables, (bound, common))
            self._tables[bound, common] = table
        return table

    def _bound(self, row: Row, columns: Sequence[int]) -> int:
        """Return the set of shared variables that a row binds, as bits."""
        bound = 0
        for bit, column in enumerate(columns):
            if row[column] != NONE:
                bound |= 1 << bit
        return bound

    def _key(self, row: Row, columns: Sequence[int], common: int) -> Row:
        if common != self._all:
            columns = [column for bit, column in enumerate(columns) if common >> bit & 1]
        return self._state.key(row, columns)

    @property
    def bags(self) -> Iterable[Bag]:
        return self._bags.values()

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        for bag in self._bags.values():
            self._state.renumber_bag(bag, rows)
        self._state.journal.replace(self._tables, {})


_TRUE, _FALSE = Literal(True), Literal(False)


def exists_parts(node: algebra.Exists) -> tuple[algebra.Node, tuple[algebra.Expression, ...]] | None:
    """Return the pattern of EXISTS and its correlated conditions; None if variables of the outer pattern
    occur elsewhere in it than in a filter at its top.
    """
    right: algebra.Node = node.right
    outside = frozenset(node.left.variables)
    conditions: tuple[algebra.Expression, ...] = ()
    inner: tuple[algebra.Expression, ...] = ()
    while True:
        if isinstance(right, algebra.Filter):
            if outside.isdisjoint(algebra.variables_of(right.condition)):
                inner, right = (right.condition, *inner), right.child
            else:
                conditions, right = (right.condition, *conditions), right.child
        elif isinstance(right, algebra.Project) and all(map(algebra.is_hidden, right.dropped)):
            right = right.child
        else:
            break
    if any(algebra.is_volatile(each) or algebra.uses_clock(each) for each in (*conditions, *inner)):
        return None
    for condition in inner:
        right = algebra.Filter(right, condition)
    return None if correlated_variables(right) & outside else (right, conditions)


def push_condition_right(node: algebra.LeftJoin) -> algebra.LeftJoin:
    """Move the condition of an OPTIONAL into its right child if it uses no variable of the left child."""
    if node.condition is None or not algebra.variables_of(node.condition).isdisjoint(node.left.variables):
        return node
    return replace(node, right=algebra.Filter(node.right, node.condition), condition=None)


def check_row_limit(delta: Bag) -> None:
    """Check the number of rows in the delta of a join.

    Raises:
        QueryMemoryError: the rows exceed the bytes that one operator of a query may use.
    """
    if len(delta) > _MAX_ROWS:
        raise QueryMemoryError(MAX_BYTES, BYTES_A_ROW * len(delta), len(delta))


_MAX_ROWS = MAX_BYTES // BYTES_A_ROW


class _BinaryOperator(Operator):
    """Base class of joins: both inputs are indexed by the variables that they share."""

    def __init__(self, node: algebra.Node, shared: SharedState, left: Operator, right: Operator) -> None:
        super().__init__(node, shared, (left, right))
        own, other = left.variables, right.variables
        both = [variable for variable in own if variable in other]
        always_bound = left.node.certain & right.node.certain >= set(both)
        self._left = index_of(both, own, other, shared, always_bound)
        self._right = index_of(both, other, own, shared, always_bound)
        self._right_only = [column for column, variable in enumerate(other) if variable not in own]
        self._shared_columns = [(own.index(variable), other.index(variable)) for variable in both]
        pairs, certain = zip(self._shared_columns, both, strict=True), left.node.certain
        self._may_be_unbound = [pair for pair, variable in pairs if variable not in certain]

    def _merged(self, left: Row, right: Row) -> Row:
        """Merge two compatible rows; a variable that both bind keeps the literal form of the left row."""
        if self._may_be_unbound:
            filled = list(left)
            for own, other in self._may_be_unbound:
                if filled[own] == NONE:
                    filled[own] = right[other]
            left = tuple(filled)
        return (*left, *[right[column] for column in self._right_only])

    @property
    def bags(self) -> Iterable[Bag]:
        yield from self._left.bags
        yield from self._right.bags

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        self._left.renumber(rows)
        self._right.renumber(rows)


class JoinOperator(_BinaryOperator):
    """Natural join."""

    node: algebra.Join

    def change(self, *changes: Rows) -> Rows:
        left_change, right_change = changes
        delta: Bag = {}
        for left, weight in left_change.items():
            for right, copies in self._right.compatible(left):
                put(delta, self._merged(left, right), weight * copies)
            self._left.add(left, weight)
            check_row_limit(delta)
        for right, weight in right_change.items():
            for left, copies in self._left.compatible(right):
                put(delta, self._merged(left, right), weight * copies)
            self._right.add(right, weight)
            check_row_limit(delta)
        return delta


class _MatchCounter(_BinaryOperator):
    """Base class of OPTIONAL, MINUS and EXISTS: the output for a left row depends on its number of right
    matches.

    Args:
        conditions: conditions that the merged row of a match must fulfil.
        overlap: whether a left row and its match must bind a common variable.
    """

    def __init__(
        self,
        node: algebra.Node,
        shared: SharedState,
        left: Operator,
        right: Operator,
        conditions: Sequence[algebra.Expression] = (),
        overlap: bool = False,
    ) -> None:
        super().__init__(node, shared, left, right)
        both = (*left.variables, *(right.variables[column] for column in self._right_only))
        self._tests = [RowExpression(condition, both, shared) for condition in conditions]
        self._overlap = overlap
        self._match_counts: Bag = {}
        """Number of right matches of each left row, without rows that have no match."""

    def _row_for(self, row: Row, has_match: bool) -> Row | None:
        """Return the output for a left row, depending on whether it has a match; None for no output."""
        raise NotImplementedError

    def _joined_row(self, left: Row, right: Row) -> Row | None:
        """Return the output for a left row and one of its matches; None for no output."""
        return None

    def change(self, *changes: Rows) -> Rows:
        left_change, right_change = changes
        delta: Bag = {}
        for left, weight in left_change.items():
            self._change_left(left, weight, delta)
            check_row_limit(delta)
        before: dict[Row, int] = {}
        for right, weight in right_change.items():
            self._change_right(right, weight, before, delta)
            check_row_limit(delta)
        for left, matches_before in before.items():
            has_match = left in self._match_counts
            if (matches_before > 0) is not has_match:
                copies = self._left.weight(left)
                self._put(delta, self._row_for(left, matches_before > 0), -copies)
                self._put(delta, self._row_for(left, has_match), copies)
        return delta or EMPTY

    def _change_left(self, left: Row, weight: int, delta: Bag) -> None:
        found = self._right.compatible(left, self._overlap)
        matches = self._matching_pairs([(left, right, n) for right, n in found])
        for _, right, copies in matches:
            self._put(delta, self._joined_row(left, right), weight * copies)
        before, after = self._left.add(left, weight)
        if not before and matches:
            self.shared.add(self._match_counts, left, sum(copies for _, _, copies in matches))
        elif not after and left in self._match_counts:
            self.shared.add(self._match_counts, left, -self._match_counts[left])
        self._put(delta, self._row_for(left, bool(matches)), weight)

    def _change_right(self, right: Row, weight: int, before: dict[Row, int], delta: Bag) -> None:
        found = self._left.compatible(right, self._overlap)
        for left, _, copies in self._matching_pairs([(left, right, n) for left, n in found]):
            self._put(delta, self._joined_row(left, right), weight * copies)
            matches_before, _ = self.shared.add(self._match_counts, left, weight)
            before.setdefault(left, matches_before)
        self._right.add(right, weight)

    def _matching_pairs(self, pairs: list[tuple[Row, Row, int]]) -> list[tuple[Row, Row, int]]:
        """Return the pairs of rows that fulfil the conditions."""
        for test in self._tests if pairs else ():
            truths = test.truths([self._merged(left, right) for left, right, _ in pairs])
            pairs = [pair for pair, is_true in zip(pairs, truths, strict=True) if is_true]
        return pairs

    def _put(self, delta: Bag, row: Row | None, weight: int) -> None:
        if row is not None and weight:
            put(delta, row, weight)

    @property
    def bags(self) -> Iterable[Bag]:
        yield from super().bags
        yield self._match_counts

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        super().renumber(rows)
        self.shared.renumber_bag(self._match_counts, rows)

    def clear_caches(self) -> None:
        for test in self._tests:
            test.clear_caches()


class LeftJoinOperator(_MatchCounter):
    """OPTIONAL."""

    def __init__(self, node: algebra.LeftJoin, shared: SharedState, left: Operator, right: Operator) -> None:
        super().__init__(node, shared, left, right, () if node.condition is None else (node.condition,))
        self._unbound = (NONE,) * len(self._right_only)

    def _row_for(self, row: Row, has_match: bool) -> Row | None:
        return None if has_match else (*row, *self._unbound)

    def _joined_row(self, left: Row, right: Row) -> Row | None:
        return self._merged(left, right)


class MinusOperator(_MatchCounter):
    """MINUS."""

    def __init__(self, node: algebra.Minus, shared: SharedState, left: Operator, right: Operator) -> None:
        super().__init__(node, shared, left, right, overlap=True)

    def _row_for(self, row: Row, has_match: bool) -> Row | None:
        return None if has_match else row


class ExistsOperator(_MatchCounter):
    """EXISTS: the left rows, each extended by the truth value of EXISTS."""

    def __init__(
        self,
        node: algebra.Exists,
        shared: SharedState,
        left: Operator,
        right: Operator,
        conditions: Sequence[algebra.Expression],
    ) -> None:
        super().__init__(node, shared, left, right, conditions)
        self._truths: dict[bool, int] = {}

    def _row_for(self, row: Row, has_match: bool) -> Row | None:
        number = self._truths.get(has_match)
        if number is None:
            number = self._truths[has_match] = self.shared.terms.id_of(_TRUE if has_match else _FALSE)
        return (*row, number)

    def clear_caches(self) -> None:
        super().clear_caches()
        self._truths.clear()
