"""Network of the operators of all registered queries.

Equal nodes share an operator. Deltas are propagated from the leaves to the roots; in a step an operator runs
at most once, and only if one of its inputs has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import partial
from heapq import heappop, heappush
from typing import NamedTuple

from pantarhei.encoding.numbers import Symbol
from pantarhei.materialize.kernel.bags import put
from pantarhei.query.algebra import nodes as algebra
from pantarhei.query.algebra.analysis import expressions_of, is_volatile_node
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
from pantarhei.query.incremental.operator import Bag, Operator, Rows, SharedState, bag_of, rows_of
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
from pantarhei.query.solutions import SolutionTable

Use = Callable[[algebra.Node], Operator]
"""Returns the operator of a node, which may be shared."""


def compile_node(node: algebra.Node, shared: SharedState, evaluate: Evaluate, use: Use) -> Operator:
    """Create the operator of a node."""
    if is_recomputed(node):
        return RecomputeLeaf(node, shared, evaluate)
    if isinstance(node, algebra.BGP):
        return _compile_pattern(node, shared, evaluate, use)
    if isinstance(node, algebra.NegatedSet):
        return FactLeaf(node, shared, evaluate)
    if isinstance(node, algebra.Values):
        return ValuesLeaf(node, shared)
    if isinstance(node, algebra.Closure):
        return _compile_path(node, shared, use)
    if isinstance(node, algebra.OrderBy):  # the bag of rows does not depend on the order
        return ProjectOperator(algebra.Project(node.child, node.variables), shared, use(node.child))
    if isinstance(node, algebra.Exists):
        parts = exists_parts(node)
        assert parts is not None, "is_recomputed excludes other nodes"
        return ExistsOperator(node, shared, use(node.left), use(parts[0]), parts[1])
    if isinstance(node, algebra.Slice):
        sliced = slice_parts(node)
        assert sliced is not None, "is_recomputed excludes other nodes"
        return SliceOperator(node, shared, use(sliced[0]), sliced[1])
    if isinstance(node, algebra.Project) and _is_projected_kernel_pattern(node):
        return PatternLeaf(node, shared, evaluate)
    if isinstance(node, algebra.Filter) and _is_one_kernel_pattern(node.child):
        condition = RowExpression(node.condition, node.variables, shared)
        if condition.test is not None:
            return FilteredPatternLeaf(node, shared, evaluate, condition, condition.test)
    if (
        isinstance(node, algebra.Project)
        and isinstance(node.child, algebra.Group)
        and _keeps_group_keys(node, node.child)
    ):
        group = extend_volatile_arguments(node.child)
        return GroupOperator(group, shared, use(group.child), node.names)
    if isinstance(node, algebra.Group):
        node = extend_volatile_arguments(node)
    if isinstance(node, algebra.LeftJoin):
        node = push_condition_right(node)
    return _OPERATORS[type(node)](node, shared, *map(use, node.children))


def _compile_pattern(node: algebra.BGP, shared: SharedState, evaluate: Evaluate, use: Use) -> Operator:
    if not node.patterns:
        return ValuesLeaf(algebra.Values((), ((),)), shared)
    parts = split_pattern(node)
    if parts is not node:
        return compile_node(parts, shared, evaluate, use)
    if is_kernel_pattern(node.patterns[0]):
        return PatternLeaf(node, shared, evaluate)
    return FactLeaf(node, shared, evaluate)


def _is_projected_kernel_pattern(node: algebra.Project) -> bool:
    """Return whether a node is a projection of a pattern that the kernel matches as one body."""
    return _is_one_kernel_pattern(node.child) and set(node.names) <= set(node.child.variables)


def _is_one_kernel_pattern(node: algebra.Node) -> bool:
    """Return whether a node is a pattern that the kernel matches as one body."""
    if not isinstance(node, algebra.BGP) or not node.patterns or split_pattern(node) is not node:
        return False
    return is_kernel_pattern(node.patterns[0])


def _keeps_group_keys(node: algebra.Project, group: algebra.Group) -> bool:
    """Return whether a projection keeps all group keys, and the group is maintained by deltas."""
    return set(group.keys or ()) <= set(node.names) and not is_recomputed(group)


def _compile_path(node: algebra.Closure, shared: SharedState, use: Use) -> Operator:
    if node == GRAPH_TERMS:
        return GraphTermsOperator(shared, use(ALL_TRIPLES))
    nodes = use(GRAPH_TERMS) if needs_graph_terms(node) else None
    return ClosureOperator(node, shared, use(node.step), nodes)


def is_recomputed(node: algebra.Node) -> bool:
    """Return whether a node is re-evaluated as a whole because deltas of its children do not suffice to
    maintain it.
    """
    if isinstance(node, algebra.Graph) or any(map(algebra.uses_clock, expressions_of(node))):
        return True
    if isinstance(node, algebra.Closure):
        return not is_incremental(node)
    if isinstance(node, algebra.LeftJoin):
        return bool(node.exists) or (node.condition is not None and algebra.is_volatile(node.condition))
    if isinstance(node, algebra.Exists):
        return exists_parts(node) is None
    if isinstance(node, algebra.Filter):
        return algebra.is_volatile(node.condition)
    return isinstance(node, algebra.Slice) and slice_parts(node) is None


_OPERATORS: dict[type[algebra.Node], Callable[..., Operator]] = {
    algebra.Filter: FilterOperator,
    algebra.Extend: ExtendOperator,
    algebra.Project: ProjectOperator,
    algebra.Union: UnionOperator,
    algebra.Join: JoinOperator,
    algebra.LeftJoin: LeftJoinOperator,
    algebra.Minus: MinusOperator,
    algebra.Distinct: DistinctOperator,
    algebra.Group: GroupOperator,
}


class Network:
    """Operators with serial numbers; an operator has a higher serial number than its inputs.

    Args:
        evaluate: evaluates a node over a query source at the present state.
        named: returns the query source of a named graph; None if GRAPH with that name is re-evaluated.
    """

    def __init__(
        self,
        shared: SharedState,
        evaluate: Callable[[QuerySource, algebra.Node], SolutionTable],
        named: Callable[[algebra.PatternTerm], QuerySource | None] = lambda name: None,
    ) -> None:
        self._shared, self._evaluate, self._named = shared, evaluate, named
        self._operators: dict[int, Operator] = {}
        self._serials: dict[Operator, int] = {}
        self._known: dict[tuple[QuerySource, algebra.Node], Operator] = {}
        self._sources: dict[Operator, QuerySource] = {}
        # readers of each operator, with their input slots and serial numbers
        self._readers: dict[Operator, list[tuple[Operator, int, int]]] = {}
        self.recompute_leaves: dict[QuerySource, list[RecomputeLeaf]] = {}
        """Leaves that are re-evaluated, by their query source."""
        self.last_serial = 0
        """Serial number of the newest operator."""

    def __iter__(self) -> Iterator[Operator]:
        return iter(self._operators.values())

    def source(self, operator: Operator) -> QuerySource:
        """Return the query source of an operator."""
        return self._sources[operator]

    # -- making ------------------------------------------------------------------------------------

    def use(self, node: algebra.Node, source: QuerySource) -> Operator:
        """Return the operator of a node; a new operator is to be initialised by `initialise`.

        `keep` removes the operator once it is unused. Volatile nodes are not shared. Parameterised nodes are
        not shared either, since plans have different parameter bindings.
        """
        while keeps_all_columns(node):
            (node,) = node.children
        if isinstance(node, algebra.Graph) and (graph := self._named(node.name)) is not None:
            return self.use(node.child, graph)
        operator = self._known.get((source, node))
        if operator is None:
            evaluate = partial(self._evaluate, source)
            operator = compile_node(node, self._shared, evaluate, lambda child: self.use(child, source))
            if isinstance(operator, PatternLeaf):
                source.patterns.add(operator)
            elif isinstance(operator, FactLeaf):
                source.facts.add(operator)
            self.add(operator, source)
            if not is_volatile_node(node) and not parameters_of(node):
                self._known[source, node] = operator
        return operator

    def add(self, operator: Operator, source: QuerySource) -> None:
        """Add an operator."""
        self.last_serial += 1
        self._sources[operator] = source
        self._operators[self.last_serial] = operator
        self._serials[operator] = self.last_serial
        self._readers[operator] = []
        self._connect(operator, source)

    def keep(self, used: Iterable[Operator]) -> None:
        """Remove all operators except these and their transitive inputs. The cost is linear in the number of
        all operators.
        """
        kept, waiting = set[Operator](), list(used)
        while waiting:
            operator = waiting.pop()
            if operator not in kept:
                kept.add(operator)
                waiting += operator.inputs
        for source in {*self._sources.values()}:
            source.patterns.keep(kept)
            source.facts.keep(kept)
        self._operators = {serial: each for serial, each in self._operators.items() if each in kept}
        self._serials = {operator: serial for serial, operator in self._operators.items()}
        self._known = {key: operator for key, operator in self._known.items() if operator in kept}
        self._sources = {operator: self._sources[operator] for operator in self._serials}
        self._readers = {operator: [] for operator in self._serials}
        self.recompute_leaves = {}
        for operator, source in self._sources.items():
            self._connect(operator, source)

    def _connect(self, operator: Operator, source: QuerySource) -> None:
        """Register an operator as reader of its inputs; also register a leaf that is re-evaluated."""
        if isinstance(operator, RecomputeLeaf):
            self.recompute_leaves.setdefault(source, []).append(operator)
        for slot, child in enumerate(operator.inputs):
            self._readers[child].append((operator, slot, self._serials[operator]))

    # -- beginning ---------------------------------------------------------------------------------

    def initialise(self, after: int) -> Mapping[Operator, Rows]:
        """Initialise the operators with serial numbers above `after`; returns the present rows of each."""
        rows: dict[Operator, Rows] = {}
        for serial in sorted(serial for serial in self._operators if serial > after):
            operator = self._operators[serial]
            initialised: Bag = dict(operator.initial_rows())
            if operator.inputs:
                given = [self.rows(child, rows) for child in operator.inputs]
                for row, weight in operator.change(*given).items():
                    put(initialised, row, weight)
            rows[operator] = initialised
        return rows

    def rows(self, operator: Operator, initialised: dict[Operator, Rows]) -> Rows:
        """Return all present rows of an operator: those in `initialised`, the stored ones, or its node's.

        Args:
            initialised: rows of the operators that `initialise` has initialised; evaluated rows are added.
        """
        found = initialised.get(operator)
        if found is None:
            found = operator.stored
        if found is None:
            found = initialised[operator] = bag_of(
                rows_of(self._evaluate(self._sources[operator], operator.node), operator.variables)
            )
        return found

    # -- steps -------------------------------------------------------------------------------------

    def recompute(self, touched: Mapping[QuerySource, Set[Symbol]], until: int) -> dict[Operator, Rows]:
        """Re-evaluate the leaves that a step may have changed; returns their deltas.

        Args:
            touched: classes and properties of the facts that changed, by query source.
            until: as in `step`.
        """
        return {
            leaf: leaf.change()
            for source, leaves in self.recompute_leaves.items()
            for leaf in leaves
            if (leaf.symbols is None or not leaf.symbols.isdisjoint(touched.get(source, ())))
            and self._serials[leaf] <= until
        }

    def step(self, changes: Mapping[Operator, Rows], until: int) -> dict[Operator, Rows]:
        """Propagate the deltas of leaves; returns the deltas of all operators that changed.

        Args:
            until: operators with higher serial numbers are not run.
        """
        progress = _Propagation({}, {}, [], until)
        for operator, change in changes.items():
            if change:
                self._propagate(operator, change, progress)
        waiting = progress.waiting
        while waiting:
            operator = self._operators[serial := heappop(waiting)]
            change = operator.change(*progress.given.pop(serial))
            if change:
                self._propagate(operator, change, progress)
        return progress.done

    def _propagate(self, operator: Operator, change: Rows, progress: _Propagation) -> None:
        """Propagate the delta of an operator to its readers.

        A reader runs immediately if it is the only one and has a single input; other readers are pushed on
        the heap, to run after all their inputs.
        """
        done, until = progress.done, progress.until
        while True:
            done[operator] = change
            readers = self._readers[operator]
            if len(readers) != 1:
                break
            ((reader, _, serial),) = readers
            if serial > until or len(reader.inputs) > 1:
                break
            operator, change = reader, reader.change(change)
            if not change:
                return
        for reader, slot, serial in readers:
            if serial > until:
                continue
            inputs = progress.given.get(serial)
            if inputs is None:
                inputs = progress.given[serial] = [{}] * len(reader.inputs)
                heappush(progress.waiting, serial)
            inputs[slot] = change


class _Propagation(NamedTuple):
    """Progress of a step.

    Args:
        done: deltas of operators that have run.
        given: deltas of the inputs of waiting operators, by serial number of the operator.
        waiting: heap of the serial numbers of waiting operators.
        until: operators with higher serial numbers are not run.
    """

    done: dict[Operator, Rows]
    given: dict[int, list[Rows]]
    waiting: list[int]
    until: int


def keeps_all_columns(node: algebra.Node) -> bool:
    """Return whether a node is a projection that keeps all columns of its child. A projection of ORDER BY is
    excluded, since answers are listed in its order.
    """
    return (
        isinstance(node, algebra.Project)
        and node.names == node.child.variables
        and not isinstance(node.child, algebra.OrderBy)
    )
