"""Plans of registered queries; queries that differ only in names share a parameterised plan.

Each row of a parameterised plan ends with the values of the parameters, which identify the query. Adding a
query inserts its rows by propagating them through the plan, as a step does; removing a query deletes them in
the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from pantarhei.materialize.kernel.bags import put
from pantarhei.model.term import Term
from pantarhei.query.algebra.nodes import Node, PatternTerm, Query
from pantarhei.query.incremental.leaves import DescribeLeaf, PatternLeaf, RecomputeLeaf, shape_of
from pantarhei.query.incremental.network import Network
from pantarhei.query.incremental.operator import Bag, Operator, Row, Rows, SharedState
from pantarhei.query.incremental.pattern_changes import PatternMatcher
from pantarhei.query.incremental.query_sources import QuerySource, StateEvaluator
from pantarhei.query.incremental.row_operators import AskOperator, ConstructOperator


@dataclass(eq=False)
class PlanMember:
    """Queries of a parameterised plan that have the same names.

    Args:
        names: values of the parameters.
        numbers: term numbers of these values.
    """

    names: tuple[Term, ...]
    numbers: Row


class ParameterisedPlan:
    """Plan of the queries with one shape over one source.

    Args:
        root: operator of the answers; each operator above the leaf has one input.
        patterns: matcher of the leaf.
        number: returns the term number of a name.
    """

    def __init__(self, root: Operator, patterns: PatternMatcher, number: Callable[[Term], int]) -> None:
        self.root, self._patterns, self._number = root, patterns, number
        self._members: dict[Row, PlanMember] = {}
        self._removed: list[PlanMember] = []  # removed members that have rows left
        self._above: list[Operator] = []
        while root.inputs:
            self._above.insert(0, root)
            (root,) = root.inputs
        assert isinstance(root, PatternLeaf), "a shape has a pattern leaf"
        self._leaf = root

    @property
    def is_used(self) -> bool:
        """True if the plan has a query."""
        return len(self._removed) < len(self._members)

    @property
    def next_removed(self) -> PlanMember | None:
        """The member whose rows `remove_next` will delete; None if no removed member has rows left."""
        return self._removed[-1] if self._removed else None

    def add(self, names: tuple[Term, ...]) -> tuple[PlanMember, Bag | None]:
        """Add a query; returns its member, and its rows unless the member exists already.

        It must not be called during a step, nor while removed members have rows.
        """
        numbers = self._numbers(names)
        member, rows = self._members.get(numbers), None
        if member is None:
            member = PlanMember(names, numbers)
            self._add(member)
            rows = {row[: -len(numbers)]: weight for row, weight in self._propagate(member, 1).items()}
        return member, rows

    def keep(self, members: Container[PlanMember | None], undone: bool) -> None:
        """Remove all members except these; `undone` as in `SharedPlans.keep`."""
        for member in list(self._members.values()):
            if member not in members and member not in self._removed:
                if undone:
                    self._forget(member)
                else:
                    self._removed.append(member)

    def remove_next(self) -> None:
        """Delete the rows of one removed member. It must not be called during a step or a block of steps.

        If it is interrupted, the caller rolls the journal back and calls `restore`.
        """
        self._propagate(self._removed[-1], -1)
        self._forget(self._removed.pop())

    def restore(self, left: PlanMember) -> None:
        """Restore a removed member after the deletion of its rows was interrupted."""
        if left not in self._removed:
            self._removed.append(left)
        self._add(left)
        for operator in (self._leaf, *self._above):
            operator.clear_caches()

    def renumber(self) -> bool:
        """Recompute the term numbers of the parameter values; returns whether one has changed."""
        members = list(self._members.values())
        if all(self._numbers(member.names) == member.numbers for member in members):
            return False
        self._leaf.parameter_values.clear()
        self._members.clear()
        for member in members:
            member.numbers = self._numbers(member.names)
            self._add(member)
        return True

    def _forget(self, member: PlanMember) -> None:
        self._members.pop(member.numbers, None)
        self._leaf.parameter_values.pop(member.numbers, None)
        self._patterns.invalidate()

    def _add(self, member: PlanMember) -> None:
        self._members[member.numbers], self._leaf.parameter_values[member.numbers] = member, member.names
        self._patterns.invalidate()

    def _numbers(self, names: tuple[Term, ...]) -> Row:
        return tuple(map(self._number, names))

    def _propagate(self, member: PlanMember, sign: int) -> Rows:
        """Insert (1) or delete (-1) the rows of a member; returns the delta of the root."""
        rows = self._leaf.rows_with(member.names, member.numbers)
        change: Bag = {row: sign * weight for row, weight in rows.items()}
        for operator in self._above:
            made = dict(operator.change(change))
            complete = operator.add_parameters if sign > 0 else operator.remove_parameters
            more = complete(member.numbers)
            for row, weight in more.items():
                put(made, row, weight)
            change = made
        return change


class PlanInstance(NamedTuple):
    """Plan of one query.

    Args:
        root: operator of the answers.
        member: the query's member of a parameterised plan; None for a plan used by this query alone.
        rows: the answers of a new member; None if the member has another query, or the plan is not
            parameterised.
    """

    root: Operator
    member: PlanMember | None = None
    rows: Bag | None = None


class SharedPlans:
    """Factory of plans.

    Args:
        named: returns the query source of a named graph, as for `Network`.
    """

    def __init__(
        self,
        shared: SharedState,
        evaluator: StateEvaluator,
        named: Callable[[PatternTerm], QuerySource | None],
    ) -> None:
        self._shared, self._evaluator = shared, evaluator
        self.network = Network(shared, evaluator.rows, named)
        self._parameterised: dict[tuple[QuerySource, str, Node], ParameterisedPlan] = {}

    def make(self, query: Query, node: Node, source: QuerySource) -> PlanInstance:
        """Create the plan of a query. It must not be called during a step.

        `keep` removes the plan, also if `make` was interrupted. If the plan is not parameterised, its new
        operators are to be initialised by `Network.initialise`.

        Args:
            node: algebra of the query's rows.
            source: source of the query's default graph.
        """
        can_share = query.form in ("SELECT", "ASK") and not query.has_dataset_clause
        shape = shape_of(node) if can_share else None
        if shape is None:
            return PlanInstance(self._root(query, node, source))
        key = source, query.form, shape.node
        plan = self._parameterised.get(key)
        if plan is None:
            root = self._root(query, shape.node, source)
            plan = ParameterisedPlan(root, source.patterns, self._shared.terms.find_value)
            self._parameterised[key] = plan
        return PlanInstance(plan.root, *plan.add(shape.names))

    def _root(self, query: Query, node: Node, source: QuerySource) -> Operator:
        if query.form == "SELECT":
            return self._rows_operator(query, node, source)
        root: Operator
        if query.form == "DESCRIBE":
            evaluate = partial(self._evaluator.rows, source, query=query)
            described = partial(self._evaluator.describe, query, source=source)
            root = DescribeLeaf(node, self._shared, evaluate, described)
        else:
            kind = AskOperator if query.form == "ASK" else ConstructOperator
            root = kind(query, self._shared, self._rows_operator(query, node, source))
        self.network.add(root, source)
        return root

    def _rows_operator(self, query: Query, node: Node, source: QuerySource) -> Operator:
        """Return the operator of a query's rows."""
        if not query.has_dataset_clause:
            return self.network.use(node, source)
        leaf = RecomputeLeaf(node, self._shared, partial(self._evaluator.rows, source, query=query))
        leaf.symbols = None  # it may read graphs outside the source
        self.network.add(leaf, source)
        return leaf

    def keep(self, plans: Iterable[PlanInstance], undone: bool = False) -> None:
        """Remove all plans except these. The cost is linear in the number of all operators.

        Args:
            undone: True if the journal rolls back the effects of the other plans. Otherwise `purge` deletes
                the rows of members that are removed from plans still in use.
        """
        members: dict[Operator, set[PlanMember | None]] = {}
        for plan in plans:
            members.setdefault(plan.root, set()).add(plan.member)
        for shared in self._parameterised.values():
            shared.keep(members.get(shared.root, set()), undone)
        self._parameterised = {key: shared for key, shared in self._parameterised.items() if shared.is_used}
        self.network.keep(members)

    @property
    def has_removed(self) -> bool:
        """True if rows of removed queries have not been deleted yet."""
        return any(plan.next_removed for plan in self._parameterised.values())

    def purge(self) -> None:
        """Delete the rows of removed queries. If interrupted, some queries keep all their rows."""
        journal = self._shared.journal
        for plan in self._parameterised.values():
            while (left := plan.next_removed) is not None:
                before = journal.savepoint()
                try:
                    plan.remove_next()
                except BaseException:
                    journal.restore(before)
                    plan.restore(left)
                    raise

    def renumber(self) -> bool:
        """Recompute the term numbers of all parameter values; returns whether one has changed."""
        changed = [plan.renumber() for plan in self._parameterised.values()]
        return any(changed)
