"""The operators of all registered queries, and how changes go through them.

Queries share the operators of equal nodes. Changes go from the leaves up, each operator once a step, and only
to those that something changes for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import partial
from heapq import heappop, heappush
from typing import NamedTuple

from pantarhei.encoding.numbers import Symbol
from pantarhei.materialize.kernel.bags import put
from pantarhei.query.algebra.analysis import draws, expressions_of
from pantarhei.query.algebra.expressions import is_drawn, looks_at_clock
from pantarhei.query.algebra.nodes import (
    BGP,
    Closure,
    Distinct,
    Extend,
    Filter,
    Graph,
    Group,
    Join,
    LeftJoin,
    Mark,
    Minus,
    NegatedSet,
    Node,
    OrderBy,
    Place,
    Project,
    Slice,
    Union,
    Values,
)
from pantarhei.query.incremental.closures import (
    ALL_TRIPLES,
    GRAPH_TERMS,
    ClosureOperator,
    GraphTermsOperator,
    is_incremental,
    needs_graph_terms,
)
from pantarhei.query.incremental.group_operator import GroupOperator, extend_volatile_arguments
from pantarhei.query.incremental.joins import (
    ExistsOperator,
    JoinOperator,
    LeftJoinOperator,
    MinusOperator,
    exists_parts,
    push_condition_right,
)
from pantarhei.query.incremental.leaves import (
    Evaluate,
    FilteredPatternLeaf,
    PatternLeaf,
    RecomputeLeaf,
    ValuesLeaf,
    is_kernel_pattern,
    parameters_of,
    split_pattern,
)
from pantarhei.query.incremental.operator import Bag, Operator, Row, SharedState, bag_of, rows_of
from pantarhei.query.incremental.pattern_changes import FactLeaf
from pantarhei.query.incremental.query_sources import QuerySource
from pantarhei.query.incremental.row_expressions import RowExpression
from pantarhei.query.incremental.row_operators import (
    DistinctOperator,
    ExtendOperator,
    FilterOperator,
    ProjectOperator,
    UnionOperator,
)
from pantarhei.query.incremental.slices import SliceOperator, slice_parts
from pantarhei.query.solutions import Table

Use = Callable[[Node], Operator]
"""Gives the operator of a node, which may be shared."""


def compile_node(node: Node, shared: SharedState, look: Evaluate, use: Use) -> Operator:
    """A new operator for a node."""
    if is_recomputed(node):
        return RecomputeLeaf(node, shared, look)
    if isinstance(node, BGP):
        return _of_pattern(node, shared, look, use)
    if isinstance(node, NegatedSet):
        return FactLeaf(node, shared, look)
    if isinstance(node, Values):
        return ValuesLeaf(node, shared)
    if isinstance(node, Closure):
        return _of_path(node, shared, use)
    if isinstance(node, OrderBy):  # the rows are the same
        return ProjectOperator(Project(node.child, node.variables), shared, use(node.child))
    if isinstance(node, Mark):
        parts = exists_parts(node)
        assert parts is not None, "else it is whole"
        return ExistsOperator(node, shared, use(node.left), use(parts[0]), parts[1])
    if isinstance(node, Slice):
        sliced = slice_parts(node)
        assert sliced is not None, "else it is whole"
        return SliceOperator(node, shared, use(sliced[0]), sliced[1])
    if isinstance(node, Project) and _takes_of_pattern(node):
        return PatternLeaf(node, shared, look)
    if isinstance(node, Filter) and _is_matched_whole(node.child):
        condition = RowExpression(node.condition, node.variables, shared)
        if condition.test is not None:
            return FilteredPatternLeaf(node, shared, look, condition, condition.test)
    if isinstance(node, Project) and isinstance(node.child, Group) and _tells_groups(node, node.child):
        group = extend_volatile_arguments(node.child)
        return GroupOperator(group, shared, use(group.child), node.names)
    if isinstance(node, Group):
        node = extend_volatile_arguments(node)
    if isinstance(node, LeftJoin):
        node = push_condition_right(node)
    return _OPERATORS[type(node)](node, shared, *map(use, node.children))


def _of_pattern(node: BGP, shared: SharedState, look: Evaluate, use: Use) -> Operator:
    if not node.patterns:
        return ValuesLeaf(Values((), ((),)), shared)
    parts = split_pattern(node)
    if parts is not node:
        return compile_node(parts, shared, look, use)
    if is_kernel_pattern(node.patterns[0]):
        return PatternLeaf(node, shared, look)
    return FactLeaf(node, shared, look)


def _takes_of_pattern(node: Project) -> bool:
    """Whether a projection takes variables of a pattern that the kernel matches as one body."""
    return _is_matched_whole(node.child) and set(node.names) <= set(node.child.variables)


def _is_matched_whole(node: Node) -> bool:
    """Whether the kernel matches a pattern as one body."""
    if not isinstance(node, BGP) or not node.patterns or split_pattern(node) is not node:
        return False
    return is_kernel_pattern(node.patterns[0])


def _tells_groups(node: Project, group: Group) -> bool:
    """Whether a projection leaves a row of its own to each group, which follows the changes below."""
    return set(group.keys or ()) <= set(node.names) and not is_recomputed(group)


def _of_path(node: Closure, shared: SharedState, use: Use) -> Operator:
    if node == GRAPH_TERMS:
        return GraphTermsOperator(shared, use(ALL_TRIPLES))
    return ClosureOperator(
        node, shared, use(node.step), use(GRAPH_TERMS) if needs_graph_terms(node) else None
    )


def is_recomputed(node: Node) -> bool:
    """Whether a node is evaluated anew as a whole, and not from the changes of what is below it."""
    if isinstance(node, Graph) or any(map(looks_at_clock, expressions_of(node))):
        return True
    if isinstance(node, Closure):
        return not is_incremental(node)
    if isinstance(node, LeftJoin):
        return bool(node.marks) or (node.condition is not None and is_drawn(node.condition))
    if isinstance(node, Mark):
        return exists_parts(node) is None
    if isinstance(node, Filter):
        return is_drawn(node.condition)
    return isinstance(node, Slice) and slice_parts(node) is None


_OPERATORS: dict[type[Node], Callable[..., Operator]] = {
    Filter: FilterOperator,
    Extend: ExtendOperator,
    Project: ProjectOperator,
    Union: UnionOperator,
    Join: JoinOperator,
    LeftJoin: LeftJoinOperator,
    Minus: MinusOperator,
    Distinct: DistinctOperator,
    Group: GroupOperator,
}


class Network:
    """Operators, each with a serial number above those of its inputs.

    Args:
        look: evaluates a node by column over a content, as things stand.
        named: gives the content that a graph is, None for one that is evaluated anew.
    """

    def __init__(
        self,
        shared: SharedState,
        look: Callable[[QuerySource, Node], Table],
        named: Callable[[Place], QuerySource | None] = lambda name: None,
    ) -> None:
        self._shared, self._evaluate, self._named = shared, look, named
        self._operators: dict[int, Operator] = {}
        self._serials: dict[Operator, int] = {}
        self._known: dict[tuple[QuerySource, Node], Operator] = {}
        self._sources: dict[Operator, QuerySource] = {}
        # who takes the rows of an operator, in which place of its inputs, and its serial number
        self._readers: dict[Operator, list[tuple[Operator, int, int]]] = {}
        self.recompute_leaves: dict[QuerySource, list[RecomputeLeaf]] = {}
        """The leaves over each content that are evaluated anew where they may have changed."""
        self.last_serial = 0
        """How many operators have been made so far: the serial number of the last."""

    def __iter__(self) -> Iterator[Operator]:
        return iter(self._operators.values())

    def serial(self, operator: Operator) -> int:
        """The number of an operator."""
        return self._serials[operator]

    def source(self, operator: Operator) -> QuerySource:
        """What an operator is asked of."""
        return self._sources[operator]

    # -- making ------------------------------------------------------------------------------------

    def use(self, node: Node, content: QuerySource) -> Operator:
        """The operator of a node, which has not begun if it is new; it is there until `keep` leaves it out.

        What draws is shared with nobody; nor is a shape, of which others may want other rows.

        Args:
            content: what the node is asked of.
        """
        while is_idle(node):
            (node,) = node.children
        if isinstance(node, Graph) and (graph := self._named(node.name)) is not None:
            return self.use(node.child, graph)
        operator = self._known.get((content, node))
        if operator is None:
            operator = self._made(node, content)
            self.add(operator, content)
            if not draws(node) and not parameters_of(node):
                self._known[content, node] = operator
        return operator

    def add(self, operator: Operator, content: QuerySource) -> None:
        """Take up an operator."""
        self.last_serial += 1
        self._sources[operator] = content
        self._operators[self.last_serial] = operator
        self._serials[operator] = self.last_serial
        self._readers[operator] = []
        self._connect(operator, content)

    def keep(self, used: Iterable[Operator]) -> None:
        """Have these operators, those whose rows they take, and no others. Costs a look at all."""
        kept, waiting = set[Operator](), list(used)
        while waiting:
            operator = waiting.pop()
            if operator not in kept:
                kept.add(operator)
                waiting += operator.inputs
        for content in {*self._sources.values()}:
            content.patterns.keep(kept)
            content.facts.keep(kept)
        self._operators = {serial: each for serial, each in self._operators.items() if each in kept}
        self._serials = {operator: serial for serial, operator in self._operators.items()}
        self._known = {key: operator for key, operator in self._known.items() if operator in kept}
        self._sources = {operator: self._sources[operator] for operator in self._serials}
        self._readers = {operator: [] for operator in self._serials}
        self.recompute_leaves = {}
        for operator, content in self._sources.items():
            self._connect(operator, content)

    def _connect(self, operator: Operator, content: QuerySource) -> None:
        """Let an operator be told what changes for it."""
        if isinstance(operator, RecomputeLeaf):
            self.recompute_leaves.setdefault(content, []).append(operator)
        for slot, source in enumerate(operator.inputs):
            self._readers[source].append((operator, slot, self._serials[operator]))

    def _made(self, node: Node, content: QuerySource) -> Operator:
        operator = compile_node(
            node, self._shared, partial(self._evaluate, content), lambda child: self.use(child, content)
        )
        if isinstance(operator, PatternLeaf):
            content.patterns.add(operator)
        elif isinstance(operator, FactLeaf):
            content.facts.add(operator)
        return operator

    # -- beginning ---------------------------------------------------------------------------------

    def begin(self, after: int) -> Mapping[Operator, Mapping[Row, int]]:
        """Let the operators with higher serial numbers begin, as things stand; gives the rows of each."""
        rows: dict[Operator, Mapping[Row, int]] = {}
        for serial in sorted(serial for serial in self._operators if serial > after):
            operator = self._operators[serial]
            begun: Bag = dict(operator.begin())
            if operator.inputs:
                given = [self.rows(source, rows) for source in operator.inputs]
                for row, weight in operator.change(*given).items():
                    put(begun, row, weight)
            rows[operator] = begun
        return rows

    def rows(self, operator: Operator, begun: dict[Operator, Mapping[Row, int]]) -> Mapping[Row, int]:
        """All rows of an operator: those that it has `begun` with, else what its node comes to now."""
        found = begun.get(operator)
        if found is None:
            found = operator.stored
        if found is None:
            found = begun[operator] = bag_of(
                rows_of(self._evaluate(self._sources[operator], operator.node), operator.variables)
            )
        return found

    # -- steps -------------------------------------------------------------------------------------

    def recompute(
        self, touched: Mapping[QuerySource, Set[Symbol]], until: int
    ) -> dict[Operator, Mapping[Row, int]]:
        """Evaluate those of `recompute_leaves` anew that a step may have changed; gives the changes.

        Args:
            touched: the classes and properties whose facts changed in a content.
            until: as `step` takes it.
        """
        return {
            leaf: leaf.change()
            for content, leaves in self.recompute_leaves.items()
            for leaf in leaves
            if (leaf.symbols is None or not leaf.symbols.isdisjoint(touched.get(content, ())))
            and self._serials[leaf] <= until
        }

    def step(
        self, changes: Mapping[Operator, Mapping[Row, int]], until: int
    ) -> dict[Operator, Mapping[Row, int]]:
        """Let the changes of leaves go up; gives those of all operators that something changed for.

        Args:
            until: operators with higher serial numbers are left out.
        """
        going = _Propagation({}, {}, [], until)
        for operator, change in changes.items():
            if change:
                self._rise(operator, change, going)
        waiting = going.waiting
        while waiting:
            operator = self._operators[serial := heappop(waiting)]
            change = operator.change(*going.given.pop(serial))
            if change:
                self._rise(operator, change, going)
        return going.done

    def _rise(self, source: Operator, change: Mapping[Row, int], going: _Propagation) -> None:
        """Let a change of an operator go up: at once while there is one that takes it, and no others."""
        done, until = going.done, going.until
        while True:
            done[source] = change
            readers = self._readers[source]
            if len(readers) != 1:
                break
            ((reader, _, serial),) = readers
            if serial > until or len(reader.inputs) > 1:
                break
            source, change = reader, reader.change(change)
            if not change:
                return
        for reader, slot, serial in readers:
            if serial > until:
                continue
            inputs = going.given.get(serial)
            if inputs is None:
                inputs = going.given[serial] = [{}] * len(reader.inputs)
                heappush(going.waiting, serial)
            inputs[slot] = change


class _Propagation(NamedTuple):
    """How far the changes of a step have gone up.

    Args:
        done: the changes of operators.
        given: the changes of the inputs of those that wait, by serial number.
        waiting: these numbers, as a heap.
        until: operators with higher serial numbers are left out.
    """

    done: dict[Operator, Mapping[Row, int]]
    given: dict[int, list[Mapping[Row, int]]]
    waiting: list[int]
    until: int


def is_idle(node: Node) -> bool:
    """Whether a node has the rows of the one below it. An order is kept: answers are shown in it."""
    return (
        isinstance(node, Project)
        and node.names == node.child.variables
        and not isinstance(node.child, OrderBy)
    )
