"""LIMIT and OFFSET over a total order of the rows."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import total_ordering
from typing import Any

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.bags import put
from pantarhei.query.algebra import nodes as algebra
from pantarhei.query.expressions.comparison import order_key
from pantarhei.query.incremental.operator import (
    EMPTY,
    Bag,
    Maintenance,
    Operator,
    Row,
    Rows,
    SharedState,
    columns_of,
    selector,
)
from pantarhei.query.incremental.persistent_terms import PersistentTermIds, TermCache
from pantarhei.query.incremental.row_expressions import RowExpression
from pantarhei.rdf.ntriples import write_term


def slice_parts(node: algebra.Slice) -> tuple[algebra.Node, tuple[algebra.OrderKey, ...]] | None:
    """Return the node below ORDER BY and the sort keys; None if the keys are volatile, or if DISTINCT drops a
    variable of the keys.
    """
    above: list[algebra.Distinct | algebra.Project] = []
    child = node.child
    while isinstance(child, algebra.Distinct | algebra.Project):
        above.append(child)
        child = child.child
    if not isinstance(child, algebra.OrderBy):
        return node.child, ()
    if any(algebra.is_volatile(key.expression) or algebra.uses_clock(key.expression) for key in child.keys):
        return None
    seen = {variable for key in child.keys for variable in algebra.variables_of(key.expression)}
    plain: algebra.Node = child.child
    if not any(isinstance(part, algebra.Distinct) for part in above):
        return plain, child.keys
    for part in reversed(above):
        plain = replace(part, child=plain)
    return (plain, child.keys) if seen <= set(plain.variables) else None


@total_ordering
class _Descending:
    """Text with descending order."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Descending) and self.text == other.text

    def __lt__(self, other: _Descending) -> bool:
        return other.text < self.text

    __hash__ = None  # type: ignore[assignment]


def _descending(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """Reverse the order of a sort key. Numbers are negated, since numbers compare faster than objects."""
    return tuple([_Descending(part) if isinstance(part, str) else -part for part in key])


def _keys(terms: PersistentTermIds, is_descending: bool) -> TermCache[tuple[Any, ...]]:
    """Cache the sort keys of terms by number."""

    def key_of(number: int) -> tuple[Any, ...]:
        key: tuple[Any, ...] = order_key(None if number == NONE else terms.term(number))
        return _descending(key) if is_descending else key

    return TermCache(key_of)


@total_ordering
class _Text:
    """Sort key of a row: the N-Triples texts of its terms, which are written only when rows with equal ORDER
    BY keys are compared.
    """

    __slots__ = ("_row", "_terms", "_texts")

    def __init__(self, row: Row, terms: PersistentTermIds) -> None:
        self._row, self._terms = row, terms
        self._texts: list[str] | None = None

    @property
    def texts(self) -> list[str]:
        """N-Triples texts of the columns."""
        if self._texts is None:
            term = self._terms.term
            self._texts = ["" if number == NONE else write_term(term(number)) for number in self._row]
        return self._texts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Text) and self.texts == other.texts

    def __lt__(self, other: _Text) -> bool:
        return self.texts < other.texts

    __hash__ = None  # type: ignore[assignment]


_Rank = tuple[Any, ...]
"""Sort key of a row: the ORDER BY keys, the N-Triples text, and the row itself."""


_RESORT_FRACTION = 16
"""The rows are sorted anew if more than one in this many has changed."""


class SliceOperator(Operator):
    """LIMIT and OFFSET over the rows ordered by the sort keys, then by N-Triples text.

    All rows are kept sorted. A changed row costs a number of comparisons that is logarithmic in the number of
    rows. A change at or before the end of the slice also costs a pass over the rows up to its end.

    Args:
        keys: sort keys over the child's variables.
    """

    maintenance = Maintenance.SLICE

    def __init__(
        self, node: algebra.Slice, shared: SharedState, child: Operator, keys: Sequence[algebra.OrderKey]
    ) -> None:
        super().__init__(node, shared, (child,))
        self._slice = node
        self._keys = [
            (RowExpression(k.expression, child.variables, shared), _keys(shared.terms, k.descending))
            for k in keys
        ]
        self._projected = selector(columns_of(node.variables, child.variables))
        self._copies = self._new_bag()
        self._output = self._new_bag()
        # caches: the sort keys of all rows by row; all of them sorted, None before they are computed
        self._ranks: dict[Row, _Rank] = {}
        self._in_order: list[_Rank] | None = None
        self._last: _Rank | None = (
            None  # last rank of the slice; None if it has all further rows, or is unknown
        )

    def change(self, *changes: Rows) -> Rows:
        (change,) = changes
        inserted, deleted = [], []
        for row, weight in change.items():
            before, after = self.shared.add(self._copies, row, weight)
            if not before:
                inserted.append(row)
            elif not after:
                deleted.append(row)
        last, ranks = self._last, [self._ranks[row] for row in change if row in self._ranks]
        self._update_order(inserted, deleted)
        ranks += [self._ranks[row] for row in inserted]
        if last is not None and all(last < rank for rank in ranks):
            return EMPTY
        return self.shared.replace_bag(self._output, self._current_rows())

    def _update_order(self, inserted: Sequence[Row], deleted: Sequence[Row]) -> None:
        """Update the list of sorted rows."""
        if self._in_order is None:
            self._ranks = dict(zip(self._copies, self._ranked(self._copies), strict=True))
            self._in_order = sorted(self._ranks.values())
            return
        in_order, ranked = self._in_order, self._ranked(inserted)
        removed = [self._ranks.pop(row) for row in deleted]
        self._ranks.update(zip(inserted, ranked, strict=True))
        if _RESORT_FRACTION * (len(inserted) + len(deleted)) > len(in_order):
            gone = set(deleted)
            left = [rank for rank in in_order if rank[-1] not in gone]
            self._in_order = sorted(left + sorted(ranked))  # two sorted parts are merged in linear time
            return
        for rank in removed:
            del in_order[bisect_left(in_order, rank)]
        for rank in ranked:
            insort(in_order, rank)

    def _ranked(self, rows: Collection[Row]) -> list[_Rank]:
        terms = self.shared.terms
        columns = [list(map(known.__getitem__, keys.ids(rows))) for keys, known in self._keys]
        texts = [_Text(row, terms) for row in map(self._projected, rows)]
        return list(zip(*columns, texts, rows, strict=True))

    def _current_rows(self) -> Bag:
        """Compute the rows of the slice."""
        assert self._in_order is not None, "`_update_order` has been called"
        skipped, left, found = self._slice.offset, self._slice.limit, Bag()
        self._last = None
        for rank in self._in_order:
            if left == 0:
                break
            self._last = rank
            row = rank[-1]
            copies = self._copies[row]
            skips = min(skipped, copies)
            skipped, copies = skipped - skips, copies - skips
            if left is not None:
                copies = min(copies, left)
                left -= copies
            if copies:
                put(found, self._projected(row), copies)
        if left != 0:
            self._last = None
        return found

    def in_order(self) -> list[Row]:
        """Return the rows of the slice, sorted. The cost is linear in the number of rows up to the end of the
        slice.
        """
        if self._in_order is None:
            self._update_order((), ())
        return list(self._current_rows())

    @property
    def stored(self) -> Rows:
        return self._output

    def clear_caches(self) -> None:
        self._ranks, self._in_order, self._last = {}, None, None
        for expression, known in self._keys:
            expression.clear_caches()
            known.clear()
