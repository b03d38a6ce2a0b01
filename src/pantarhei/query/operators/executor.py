"""Evaluation of the algebra by column: the rows of a node, joined with given rows.

`join(start, node)` joins the rows of `start` with a node. Where possible, the node uses the bindings of
`start`: a pattern is matched from the rows of `start`. Otherwise the node is evaluated by itself and joined
afterwards; for example if one of its expressions must not see a variable that is bound outside its group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any

import numpy as np
from rdflib import Literal, Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.errors import QueryMemoryError
from pantarhei.model.term import Term
from pantarhei.query.algebra import nodes as algebra
from pantarhei.query.algebra.analysis import correlated_variables, substitute
from pantarhei.query.expressions import Context, aggregate, compute, least, order, truth
from pantarhei.query.operators.pattern_joins import (
    Step,
    compatible,
    first_occurrences,
    join,
    join_patterns,
    row_codes,
    row_mask,
)
from pantarhei.query.operators.property_paths import join_closure, join_negated
from pantarhei.query.solutions import NO_ROWS, UNIT, Ids, Indexes, Mask, SolutionTable
from pantarhei.query.sources.relation import FactSource, LazyGraphs


class Profile:
    """Numbers of rows of the nodes in one execution."""

    def __init__(self) -> None:
        self._rows: dict[int, int] = {}
        self._steps: dict[int, list[Step]] = {}

    def note(self, node: algebra.Node, rows: int) -> None:
        """Add to the number of rows of a node."""
        self._rows[id(node)] = self._rows.get(id(node), 0) + rows

    def note_steps(self, node: algebra.Node, steps: list[Step]) -> None:
        """Record the steps of matching a basic graph pattern; only its first execution counts."""
        self._steps.setdefault(id(node), steps)

    def rows(self, node: algebra.Node) -> int | None:
        """Return the total number of rows of a node; None if the node was not evaluated by itself."""
        return self._rows.get(id(node))

    def steps(self, node: algebra.Node) -> Sequence[Step]:
        """Return the steps of matching a basic graph pattern."""
        return self._steps.get(id(node), ())


class Executor:
    """Evaluation of a query, or of a part of it.

    Args:
        dataset: graphs to be queried.
        context: terms, limits, and the evaluation context of expressions.
        source: graph to which patterns are matched; by default the default graph.
        profile: records the number of rows of each node.
    """

    def __init__(
        self,
        dataset: LazyGraphs,
        context: Context,
        source: FactSource | None = None,
        profile: Profile | None = None,
    ) -> None:
        self._dataset, self._context = dataset, context
        self._source = dataset.default if source is None else source
        self._profile = Profile() if profile is None else profile
        self._fresh = count()

    def rows(self, node: algebra.Node) -> SolutionTable:
        """Return all rows of a node."""
        return self.join(UNIT, node)

    def join(self, start: SolutionTable, node: algebra.Node) -> SolutionTable:
        """Join the rows of `start` with a node."""
        self._context.limits.check()
        if start is not UNIT and isinstance(node, _SOLUTION_MODIFIERS):
            found = self._join_separately(start, node)
        else:
            found = _RULES[type(node)](self, start, node)
        self._profile.note(node, found.size)
        return found

    def first_rows(self, node: algebra.Node, wanted: int) -> SolutionTable:
        """Return the first `wanted` rows of a node in its order; all rows if there are fewer.

        Without ORDER BY, any rows are returned: the matches of one triple pattern are extended to rows in
        growing portions, until there are enough rows.
        """
        if isinstance(node, algebra.Project):
            return self.first_rows(node.child, wanted).select(node.names)
        if isinstance(node, algebra.OrderBy):
            table = self.rows(node.child)
            return table.take(least(node.keys, table, self._context, wanted))
        first = _first_pattern(node, self._source.has_forms)
        if first is None or not self._source.is_distinct:
            return self.rows(node)
        begin, _ = join_patterns(UNIT, self._source, algebra.BGP((first,)), (), None, self._context)
        parts, found, at, size = [], 0, 0, max(_FIRST_ROWS, wanted)
        while found < wanted and at < max(begin.size, 1):
            try:
                parts.append(self.join(begin.take(np.arange(at, min(at + size, begin.size))), node))
            except QueryMemoryError:  # each of these matches extends to many rows
                if size == 1:
                    raise
                size = 1
                continue
            found, at, size = found + parts[-1].size, at + size, size * _GROWTH
        return self._concat(parts)

    def _concat(self, parts: Sequence[SolutionTable]) -> SolutionTable:
        """Concatenate tables within the limits."""
        width = len({variable for part in parts for variable in part.columns})
        self._context.limits.check_room(sum(part.size for part in parts), width)
        return SolutionTable.concat(parts)

    def _join_separately(self, start: SolutionTable, node: algebra.Node) -> SolutionTable:
        """Evaluate a node by itself, and join its rows with the rows of `start`."""
        return join(start, self.rows(node), self._context.terms, self._context.limits)

    def _binds_for_certain(self, start: SolutionTable, used: Iterable[Variable], node: algebra.Node) -> bool:
        """Return whether each row of a node binds certain variables.

        Args:
            used: the variables; a variable that `start` does not bind is ignored.
        """
        return all(v in node.certain for v in used if v in start.columns)

    # -- leaves ------------------------------------------------------------------------------------

    def _bgp(
        self,
        start: SolutionTable,
        node: algebra.BGP,
        tests: Sequence[algebra.Test] = (),
        keep: frozenset[Variable] | None = None,
    ) -> SolutionTable:
        if not node.patterns:
            return self._filtered(start, tests)
        found, steps = join_patterns(start, self._source, node, tests, keep, self._context)
        self._profile.note_steps(node, steps)
        return found

    def _closure(self, start: SolutionTable, node: algebra.Closure) -> SolutionTable:
        return join_closure(start, node, self._source, self.join, self._context)

    def _negated(self, start: SolutionTable, node: algebra.NegatedSet) -> SolutionTable:
        return join_negated(start, node, self._source, self._context)

    def _values(self, start: SolutionTable, node: algebra.Values) -> SolutionTable:
        columns = list(zip(*node.rows, strict=True)) if node.rows else [()] * len(node.names)
        ids = {v: self._context.terms.ids_of(c) for v, c in zip(node.names, columns, strict=True)}
        return join(start, SolutionTable(ids, len(node.rows)), self._context.terms, self._context.limits)

    # -- joins -------------------------------------------------------------------------------------

    def _join(self, start: SolutionTable, node: algebra.Join) -> SolutionTable:
        return self.join(self.join(start, node.left), node.right)

    def _left_join(self, start: SolutionTable, node: algebra.LeftJoin) -> SolutionTable:
        used = set(node.right.variables)
        if node.condition is not None:
            used |= algebra.variables_of(node.condition)
        for _, pattern in node.exists:
            used.update(pattern.variables, correlated_variables(pattern))
        if not self._binds_for_certain(start, used, node.left):
            return self._join_separately(start, node)
        left = self.join(start, node.left)
        row = self._row()
        joined = self.join(left.with_column(row, np.arange(left.size)), node.right)
        for variable, pattern in node.exists:
            joined = joined.with_column(variable, self._truths(self._exists(joined, pattern)))
        if node.condition is not None:
            joined = self._filtered(joined, ((node.condition, frozenset()),))
        unmatched = left.filter(~row_mask(joined.column(row), left.size))
        variables = [v for v in joined.columns if v != row and all(v != mark for mark, _ in node.exists)]
        return self._concat([joined.select(variables), unmatched])

    def _union(self, start: SolutionTable, node: algebra.Union) -> SolutionTable:
        return self._concat([self.join(start, node.left), self.join(start, node.right)])

    def _minus(self, start: SolutionTable, node: algebra.Minus) -> SolutionTable:
        if not self._binds_for_certain(start, node.left.variables, node.left):
            return self._join_separately(start, node)
        left = self.join(start, node.left)
        shared = [v for v in node.right.variables if v in node.left.variables]
        if not shared or not left.size:
            return left
        (mine, indexes), row = _distinct(left.select(shared)), self._row()
        if any(v in node.left.certain and v in node.right.certain for v in shared):
            found = self.join(mine.with_column(row, np.arange(mine.size)), node.right).column(row)
        else:
            other = self.rows(node.right).select(shared)
            found, _ = compatible(mine, other, self._context.terms, self._context.limits, overlap=True)
        excluded = row_mask(found, mine.size)
        return left.filter(~(excluded if indexes is None else excluded[indexes]))

    # -- EXISTS ------------------------------------------------------------------------------------

    def _exists_column(self, start: SolutionTable, node: algebra.Exists) -> SolutionTable:
        used = (*node.right.variables, *correlated_variables(node.right))
        if not self._binds_for_certain(start, used, node.left):
            return self._join_separately(start, node)
        left = self.join(start, node.left)
        return left.with_column(node.variable, self._truths(self._exists(left, node.right)))

    def _truths(self, mask: Mask) -> Ids:
        yes, no = self._context.terms.id_of(_TRUE), self._context.terms.id_of(_FALSE)
        return np.where(mask, np.int64(yes), np.int64(no))

    def _exists(self, table: SolutionTable, pattern: algebra.Node) -> Mask:
        """Return a mask of the rows for which the pattern has a compatible match."""
        used = correlated_variables(pattern).union(pattern.variables)
        distinct, indexes = _distinct(table.select([v for v in table.columns if v in used]))
        row = self._row()
        numbered = distinct.with_column(row, np.arange(distinct.size))
        found = row_mask(self._correlated(numbered, pattern).column(row), distinct.size)
        return found if indexes is None else found[indexes]

    def _correlated(self, table: SolutionTable, pattern: algebra.Node) -> SolutionTable:
        """Join rows with a pattern whose expressions can use the rows' variables."""
        if isinstance(pattern, algebra.Filter):
            return self._filtered(self._correlated(table, pattern.base), pattern.tests)
        if isinstance(pattern, algebra.Exists):
            found = self._correlated(table, pattern.left)
            return found.with_column(pattern.variable, self._truths(self._exists(found, pattern.right)))
        if isinstance(pattern, algebra.Project) and all(
            algebra.is_hidden(v) for v in pattern.child.variables if v not in pattern.names
        ):
            return self._correlated(table, pattern.child)
        outside = [v for v in correlated_variables(pattern) if v in table.columns]
        return self._substituted(table, pattern, outside) if outside else self.join(table, pattern)

    def _substituted(
        self, table: SolutionTable, pattern: algebra.Node, outside: Sequence[Variable]
    ) -> SolutionTable:
        """Join rows with a pattern, after substituting the rows' values in the pattern, once for each
        combination of values.
        """
        columns = [table.columns[v] for v in outside]
        found, groups = row_codes(columns, table.size)
        parts = []
        for group in range(groups):
            self._context.limits.check()
            part = table.filter(found == group)
            values = {v: int(part.columns[v][0]) for v in outside}
            terms = {v: self._context.terms.term(id_) for v, id_ in values.items() if id_ != NONE}
            parts.append(self.join(part, substitute(pattern, terms)))
        return self._concat(parts) if parts else table

    # -- operators on single rows ------------------------------------------------------------------

    def _filtered(self, table: SolutionTable, tests: Sequence[algebra.Test]) -> SolutionTable:
        for condition, _ in tests:
            table = table.filter(truth(condition, table, self._context) == 1)
        return table

    def _filter(self, start: SolutionTable, node: algebra.Filter) -> SolutionTable:
        if not self._binds_for_certain(start, node.used, node.base):
            return self._join_separately(start, node)
        if isinstance(node.base, algebra.BGP):
            return self._bgp(start, node.base, node.tests)
        return self._filtered(self.join(start, node.base), node.tests)

    def _extend(self, start: SolutionTable, node: algebra.Extend) -> SolutionTable:
        used = algebra.variables_of(node.expression)
        is_bound = node.variable in start.columns or not self._binds_for_certain(start, used, node.child)
        if is_bound or (start is not UNIT and algebra.is_volatile(node.expression)):
            return self._join_separately(start, node)
        table = self.join(start, node.child)
        return table.with_column(node.variable, compute(node.expression, table, self._context))

    def _graph(self, start: SolutionTable, node: algebra.Graph) -> SolutionTable:
        if not isinstance(node.name, Variable):
            return self._within_graph(start, node.child, node.name)
        parts: list[SolutionTable] = []
        for name in self._dataset.names():
            self._context.limits.check()
            number = self._context.terms.id_of(name)
            known = start.columns.get(node.name)
            rows = start
            if known is not None:
                rows = start.filter((self._context.terms.values(known) == number) | (known == NONE))
            rows = rows.with_column(node.name, np.full(rows.size, number, np.int64))
            if rows.size:
                parts.append(self._within_graph(rows, node.child, name))
        return self._concat(parts) if parts else NO_ROWS

    def _within_graph(self, start: SolutionTable, child: algebra.Node, name: Term) -> SolutionTable:
        source = self._dataset.graph(name)
        if source is None:
            return NO_ROWS
        return Executor(self._dataset, self._context.within(name), source, self._profile).join(start, child)

    def _project(self, start: SolutionTable, node: algebra.Project) -> SolutionTable:
        if start.columns and any(v in start.columns for v in node.dropped):
            return self._join_separately(start, node)
        child = node.child
        if isinstance(child, algebra.BGP):
            table = self._bgp(start, child, (), node.kept)
        elif (
            isinstance(child, algebra.Filter)
            and isinstance(child.base, algebra.BGP)
            and self._binds_for_certain(start, child.used, child.base)
        ):
            table = self._bgp(start, child.base, child.tests, node.kept)
        else:
            table = self.join(start, child)
        return table.select((*start.columns, *(v for v in node.names if v not in start.columns)))

    # -- operators on all rows --------------------------------------------------------------------------

    def _distinct(self, start: SolutionTable, node: algebra.Distinct) -> SolutionTable:
        table = self.rows(node.child)
        columns = [table.columns[v] for v in table.columns if not algebra.is_hidden(v)]
        return table.take(first_occurrences(columns, table.size))

    def _order_by(self, start: SolutionTable, node: algebra.OrderBy) -> SolutionTable:
        table = self.rows(node.child)
        return table.take(order(node.keys, table, self._context))

    def _slice(self, start: SolutionTable, node: algebra.Slice) -> SolutionTable:
        if node.limit == 0:
            return NO_ROWS
        if node.limit is None:
            table = self.rows(node.child)
        else:
            table = self.first_rows(node.child, node.offset + node.limit)
        end = table.size if node.limit is None else min(table.size, node.offset + node.limit)
        return table.take(np.arange(min(node.offset, table.size), end))

    def _group(self, start: SolutionTable, node: algebra.Group) -> SolutionTable:
        table = self.rows(node.child)
        if any(made.argument is None and made.distinct for made in node.aggregates):
            # COUNT(DISTINCT *) compares whole rows
            table = table.select([v for v in table.columns if not algebra.is_hidden(v)])
        if node.keys is None:
            groups, number = np.zeros(table.size, np.intp), 1
        else:
            groups, number = row_codes([table.column(v) for v in node.keys], table.size)
        first = np.zeros(number, np.intp)
        first[groups[::-1]] = np.arange(table.size)[::-1]
        columns = {v: table.column(v)[first] for v in node.keys or ()}
        made = aggregate(node.aggregates, table, groups, number, self._context)
        columns |= {a.variable: ids for a, ids in zip(node.aggregates, made, strict=True)}
        return SolutionTable(columns, number)

    def _row(self) -> Variable:
        """Return a new variable, to be bound to row numbers."""
        return Variable(f"#row{next(self._fresh)}")


_SOLUTION_MODIFIERS = (algebra.Distinct, algebra.OrderBy, algebra.Slice, algebra.Group)
_RULES: dict[type[algebra.Node], Callable[[Executor, SolutionTable, Any], SolutionTable]] = {
    algebra.BGP: Executor._bgp,
    algebra.Closure: Executor._closure,
    algebra.NegatedSet: Executor._negated,
    algebra.Values: Executor._values,
    algebra.Join: Executor._join,
    algebra.LeftJoin: Executor._left_join,
    algebra.Union: Executor._union,
    algebra.Minus: Executor._minus,
    algebra.Exists: Executor._exists_column,
    algebra.Filter: Executor._filter,
    algebra.Extend: Executor._extend,
    algebra.Graph: Executor._graph,
    algebra.Project: Executor._project,
    algebra.Distinct: Executor._distinct,
    algebra.OrderBy: Executor._order_by,
    algebra.Slice: Executor._slice,
    algebra.Group: Executor._group,
}


# Minimum number of rows for which EXISTS and MINUS search equal rows, to evaluate each only once.
_MIN_ROWS_TO_DISTINGUISH = 256

# Number of matches of one pattern that `first_rows` extends at once, and the factor by which it grows.
_FIRST_ROWS, _GROWTH = 64, 8


def _first_pattern(node: algebra.Node, in_order: bool) -> algebra.TriplePattern | None:
    """Return a triple pattern whose matches can be extended to rows of the node independently of each other;
    None if there is none.

    Args:
        in_order: return the first pattern in the text, which determines the literal forms; otherwise the
            pattern with the fewest variables.
    """
    while isinstance(
        node,
        algebra.Project
        | algebra.Filter
        | algebra.Extend
        | algebra.Join
        | algebra.LeftJoin
        | algebra.Minus
        | algebra.Exists,
    ):
        if isinstance(node, algebra.Project) and any(
            not algebra.is_hidden(v) for v in node.child.variables if v not in node.names
        ):
            return None
        node = node.children[0]
    if not isinstance(node, algebra.BGP) or not node.patterns:
        return None
    return node.patterns[0] if in_order else min(node.patterns, key=_openness)


def _openness(pattern: algebra.TriplePattern) -> int:
    """Count the variables of a triple pattern; a variable as predicate counts twice."""
    terms = (pattern.subject, pattern.object, pattern.predicate, pattern.predicate)
    return sum(isinstance(term, Variable) for term in terms)


_TRUE, _FALSE = Literal(True), Literal(False)


def _distinct(table: SolutionTable) -> tuple[SolutionTable, Indexes | None]:
    """Return the distinct rows of a table, and for each row its index among them; the index is None if the
    rows are left unchanged, as most are distinct.
    """
    if table.size < _MIN_ROWS_TO_DISTINGUISH:
        return table, None
    found, count = row_codes(list(table.columns.values()), table.size)
    if 2 * count > table.size:
        return table, None
    first = np.empty(count, np.intp)
    first[found] = np.arange(table.size)
    return table.take(first), found
