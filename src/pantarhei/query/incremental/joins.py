"""Joins: operators that match the rows of two inputs by their shared variables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
from pantarhei.query.incremental.operator import EMPTY, Bag, Operator, Row, SharedState, places_of
from pantarhei.query.incremental.row_expressions import RowExpression

Found = Collection[tuple[Row, int]]


def index_of(
    shared: Sequence[Variable],
    mine: Sequence[Variable],
    theirs: Sequence[Variable],
    state: SharedState,
    sure: bool,
) -> HashIndex | PartialIndex:
    """Create an index of rows.

    Args:
        shared: variables of both inputs.
        mine: variables of the indexed rows.
        theirs: variables of the rows of lookups.
        sure: whether all rows bind all shared variables.
    """
    places = places_of(shared, mine), places_of(shared, theirs)
    return HashIndex(*places, state) if sure else PartialIndex(*places, state)


class HashIndex:
    """Bag of rows that bind all shared variables, indexed by their values.

    Args:
        mine, theirs: places of the shared variables in the indexed rows, and in the rows of lookups.
    """

    def __init__(self, mine: Sequence[int], theirs: Sequence[int], state: SharedState) -> None:
        self._shares = bool(mine)
        self._mine, self._theirs, self._state = state.key_of(mine), state.key_of(theirs), state
        self._rows: dict[Any, Bag] = {}

    def add(self, row: Row, weight: int) -> tuple[int, int]:
        """Add copies of a row; returns the number of copies before and after."""
        key = self._mine(row)
        rows = self._rows.get(key)
        if rows is None:
            self._state.journal.note(self._rows, key)
            rows = self._rows[key] = {}
        counts = self._state.add(rows, row, weight)
        if not rows:
            self._state.journal.note(self._rows, key)
            del self._rows[key]
        return counts

    def weight(self, row: Row) -> int:
        """Return the number of copies of a row."""
        return self._rows.get(self._mine(row), {}).get(row, 0)

    def compatible(self, other: Row, overlap: bool = False) -> Found:
        """Return the rows that agree with another row in all variables that both bind.

        Args:
            overlap: only rows that share a bound variable with the other row.
        """
        rows = self._rows.get(self._theirs(other))
        return () if rows is None or (overlap and not self._shares) else rows.items()

    @property
    def bags(self) -> Iterable[Bag]:
        return self._rows.values()

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        made: dict[Any, Bag] = {}
        for bag in self._rows.values():
            for row, weight in bag.items():
                new = rows(row)
                made.setdefault(self._mine(new), {})[new] = weight
        self._state.journal.replace(self._rows, made)


class PartialIndex:
    """Bag of rows that may leave shared variables unbound.

    Rows are partitioned by the set of shared variables that they bind; each combination of bound variables
    that a lookup uses gets a hash table, built at the first such lookup.

    Args: as for `HashIndex`.
    """

    def __init__(self, mine: Sequence[int], theirs: Sequence[int], state: SharedState) -> None:
        self._mine, self._theirs, self._state = mine, theirs, state
        # rows by the set of bound shared variables; hash tables by this set and the subset in their keys
        self._bags: dict[int, Bag] = {}
        self._tables: dict[tuple[int, int], dict[Row, Bag]] = {}
        self._all = (1 << len(mine)) - 1

    def add(self, row: Row, weight: int) -> tuple[int, int]:
        bound = self._bound(row, self._mine)
        journal = self._state.journal
        bag = self._bags.get(bound)
        if bag is None:
            journal.note(self._bags, bound)
            bag = self._bags[bound] = {}
        counts = self._state.add(bag, row, weight)
        for (whose, part), table in self._tables.items():
            if whose != bound:
                continue
            key = self._key(row, self._mine, part)
            rows = table.get(key)
            if rows is None:
                journal.note(table, key)
                rows = table[key] = {}
            self._state.add(rows, row, weight)
            if not rows:
                journal.note(table, key)
                del table[key]
        return counts

    def weight(self, row: Row) -> int:
        return self._bags.get(self._bound(row, self._mine), {}).get(row, 0)

    def compatible(self, other: Row, overlap: bool = False) -> Found:
        theirs = self._bound(other, self._theirs)
        found: list[tuple[Row, int]] = []
        for bound in self._bags:
            part = bound & theirs
            if part or not overlap:
                found += self._table(bound, part).get(self._key(other, self._theirs, part), {}).items()
        return found

    def _table(self, bound: int, part: int) -> dict[Row, Bag]:
        table = self._tables.get((bound, part))
        if table is None:
            table = {}
            for row, weight in self._bags[bound].items():
                table.setdefault(self._key(row, self._mine, part), {})[row] = weight
            self._state.journal.note(self._tables, (bound, part))
            self._tables[bound, part] = table
        return table

    def _bound(self, row: Row, places: Sequence[int]) -> int:
        """Return the set of shared variables that a row binds, as bits."""
        bound = 0
        for bit, place in enumerate(places):
            if row[place] != NONE:
                bound |= 1 << bit
        return bound

    def _key(self, row: Row, places: Sequence[int], part: int) -> Row:
        if part != self._all:
            places = [place for bit, place in enumerate(places) if part >> bit & 1]
        return self._state.key(row, places)

    @property
    def bags(self) -> Iterable[Bag]:
        return self._bags.values()

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        for bag in self._bags.values():
            self._state.renumber_bag(bag, rows)
        self._state.journal.replace(self._tables, {})


_TRUE, _FALSE = Literal(True), Literal(False)


def exists_parts(node: algebra.Exists) -> tuple[algebra.Node, tuple[algebra.Expression, ...]] | None:
    """Return the pattern of EXISTS and its correlated conditions, None if the pattern is correlated below a
    filter.
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
    """Move a condition of OPTIONAL into the right side if it uses only variables of that side."""
    if node.condition is None or not algebra.variables_of(node.condition).isdisjoint(node.left.variables):
        return node
    return replace(node, right=algebra.Filter(node.right, node.condition), condition=None)


def check_row_limit(made: Bag) -> None:
    """Check the number of rows that a join makes at once.

    Raises:
        QueryMemoryError: they exceed the bytes that one operator of a query may use.
    """
    if len(made) > _MOST_ROWS:
        raise QueryMemoryError(MAX_BYTES, BYTES_A_ROW * len(made), len(made))


_MOST_ROWS = MAX_BYTES // BYTES_A_ROW


class _BinaryOperator(Operator):
    """Base class of joins: both inputs are indexed by the variables that they share."""

    def __init__(self, node: algebra.Node, shared: SharedState, left: Operator, right: Operator) -> None:
        super().__init__(node, shared, (left, right))
        mine, theirs = left.variables, right.variables
        both = [variable for variable in mine if variable in theirs]
        sure = left.node.certain & right.node.certain >= set(both)
        self._left = index_of(both, mine, theirs, shared, sure)
        self._right = index_of(both, theirs, mine, shared, sure)
        self._further = [place for place, variable in enumerate(theirs) if variable not in mine]
        self._common = [(mine.index(variable), theirs.index(variable)) for variable in both]
        self._may_be_unbound = [
            pair for pair, v in zip(self._common, both, strict=True) if v not in left.node.certain
        ]

    def _merged(self, left: Row, right: Row) -> Row:
        """Merge two compatible rows; of a variable that both bind the left literal form is kept."""
        if self._may_be_unbound:
            filled = list(left)
            for mine, theirs in self._may_be_unbound:
                if filled[mine] == NONE:
                    filled[mine] = right[theirs]
            left = tuple(filled)
        return (*left, *[right[place] for place in self._further])

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

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        left_change, right_change = changes
        made: Bag = {}
        for left, weight in left_change.items():
            for right, copies in self._right.compatible(left):
                put(made, self._merged(left, right), weight * copies)
            self._left.add(left, weight)
            check_row_limit(made)
        for right, weight in right_change.items():
            for left, copies in self._left.compatible(right):
                put(made, self._merged(left, right), weight * copies)
            self._right.add(right, weight)
            check_row_limit(made)
        return made


class _MatchCounter(_BinaryOperator):
    """Base class of OPTIONAL, MINUS and EXISTS: the output for a left row depends on its number of right
    matches.

    Args:
        conditions: conditions on the merged row of a match.
        overlap: whether a match must bind a common variable.
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
        both = (*left.variables, *(right.variables[place] for place in self._further))
        self._tests = [RowExpression(condition, both, shared) for condition in conditions]
        self._overlap = overlap
        self._match_counts: Bag = {}
        """Number of right matches of each left row, without rows that have no match."""

    def _row_for(self, row: Row, is_met: bool) -> Row | None:
        """Return the output for a left row by itself, None for no output."""
        raise NotImplementedError

    def _joined_row(self, left: Row, right: Row) -> Row | None:
        """Return the output for a left row and one of its matches, None for no output."""
        return None

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        left_change, right_change = changes
        made: Bag = {}
        for left, weight in left_change.items():
            self._change_left(left, weight, made)
            check_row_limit(made)
        before: dict[Row, int] = {}
        for right, weight in right_change.items():
            self._change_right(right, weight, before, made)
            check_row_limit(made)
        for left, met in before.items():
            is_met = left in self._match_counts
            if (met > 0) is not is_met:
                copies = self._left.weight(left)
                self._put(made, self._row_for(left, met > 0), -copies)
                self._put(made, self._row_for(left, is_met), copies)
        return made or EMPTY

    def _change_left(self, left: Row, weight: int, made: Bag) -> None:
        meets = self._matching_pairs(
            [(left, right, n) for right, n in self._right.compatible(left, self._overlap)]
        )
        for _, right, copies in meets:
            self._put(made, self._joined_row(left, right), weight * copies)
        before, after = self._left.add(left, weight)
        if not before and meets:
            self.shared.add(self._match_counts, left, sum(copies for _, _, copies in meets))
        elif not after and left in self._match_counts:
            self.shared.add(self._match_counts, left, -self._match_counts[left])
        self._put(made, self._row_for(left, bool(meets)), weight)

    def _change_right(self, right: Row, weight: int, before: dict[Row, int], made: Bag) -> None:
        found = self._left.compatible(right, self._overlap)
        for left, _, copies in self._matching_pairs([(left, right, n) for left, n in found]):
            self._put(made, self._joined_row(left, right), weight * copies)
            met, _ = self.shared.add(self._match_counts, left, weight)
            before.setdefault(left, met)
        self._right.add(right, weight)

    def _matching_pairs(self, pairs: list[tuple[Row, Row, int]]) -> list[tuple[Row, Row, int]]:
        """Return the pairs that fulfil the conditions."""
        for test in self._tests if pairs else ():
            truths = test.truths([self._merged(left, right) for left, right, _ in pairs])
            pairs = [pair for pair, is_true in zip(pairs, truths, strict=True) if is_true]
        return pairs

    def _put(self, made: Bag, row: Row | None, weight: int) -> None:
        if row is not None and weight:
            put(made, row, weight)

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
        self._unbound = (NONE,) * len(self._further)

    def _row_for(self, row: Row, is_met: bool) -> Row | None:
        return None if is_met else (*row, *self._unbound)

    def _joined_row(self, left: Row, right: Row) -> Row | None:
        return self._merged(left, right)


class MinusOperator(_MatchCounter):
    """MINUS."""

    def __init__(self, node: algebra.Minus, shared: SharedState, left: Operator, right: Operator) -> None:
        super().__init__(node, shared, left, right, overlap=True)

    def _row_for(self, row: Row, is_met: bool) -> Row | None:
        return None if is_met else row


class ExistsOperator(_MatchCounter):
    """EXISTS: the left rows, each extended by a truth value: whether it has a match."""

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

    def _row_for(self, row: Row, is_met: bool) -> Row | None:
        number = self._truths.get(is_met)
        if number is None:
            number = self._truths[is_met] = self.shared.terms.id_of(_TRUE if is_met else _FALSE)
        return (*row, number)

    def clear_caches(self) -> None:
        super().clear_caches()
        self._truths.clear()
