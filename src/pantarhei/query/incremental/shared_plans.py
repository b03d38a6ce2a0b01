"""The operators that keep up the answers of each query: its own, or those of a family.

Queries that differ in names alone: one plan keeps the answers of all of them.

Each of its rows ends with what the parameters of the shape stand for, and so says whose it is. Who joins
brings rows, and who leaves takes them away, as a step does.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from pantarhei.materialize.kernel.bags import put
from pantarhei.model.term import Term
from pantarhei.query.algebra.nodes import Node, Place, Query
from pantarhei.query.incremental.leaves import DescribeLeaf, PatternLeaf, RecomputeLeaf, Shape, shape_of
from pantarhei.query.incremental.network import Network
from pantarhei.query.incremental.operator import Bag, Operator, Row, SharedState
from pantarhei.query.incremental.pattern_changes import PatternMatcher
from pantarhei.query.incremental.query_sources import QuerySource
from pantarhei.query.incremental.row_operators import AskOperator, ConstructOperator
from pantarhei.query.incremental.window_state import StateEvaluator


@dataclass(eq=False)
class PlanMember:
    """The queries of a family that have the same names.

    Args:
        names: what the parameters stand for.
        numbers: the numbers of the names.
    """

    names: tuple[Term, ...]
    numbers: Row


class ParameterisedPlan:
    """The queries of one shape over one content.

    Args:
        root: the operator of their answers. Each above its leaf has one input.
        patterns: tell its leaf what comes and goes.
        number: gives the number of a name.
    """

    def __init__(self, root: Operator, patterns: PatternMatcher, number: Callable[[Term], int]) -> None:
        self.root, self._patterns, self._number = root, patterns, number
        self._members: dict[Row, PlanMember] = {}
        self._removed: list[PlanMember] = []  # who left, and whose rows are still there
        self._above: list[Operator] = []
        while root.inputs:
            self._above.insert(0, root)
            (root,) = root.inputs
        assert isinstance(root, PatternLeaf), "a shape has a pattern below"
        self._leaf = root

    @property
    def is_used(self) -> bool:
        """Whether it has any query."""
        return len(self._removed) < len(self._members)

    @property
    def next_removed(self) -> PlanMember | None:
        """Whose rows `purge` lets go of, None where nobody has left whose rows are there."""
        return self._removed[-1] if self._removed else None

    def add(self, names: tuple[Term, ...]) -> tuple[PlanMember, Bag | None]:
        """One query more, and its rows; None if there is another one with these names. No step is under way,
        and nobody has left whose rows are there.
        """
        numbers = self._numbers(names)
        member, rows = self._members.get(numbers), None
        if member is None:
            member = PlanMember(names, numbers)
            self._add(member)
            rows = {row[: -len(numbers)]: weight for row, weight in self._propagate(member, 1).items()}
        return member, rows

    def keep(self, members: Container[PlanMember | None], undone: bool) -> None:
        """Have no members but these; `undone` as `SharedPlans.keep` takes it."""
        for member in list(self._members.values()):
            if member not in members and member not in self._removed:
                if undone:
                    self._forget(member)
                else:
                    self._removed.append(member)

    def remove_next(self) -> None:
        """Have the rows of one of those no more that have left. No step is under way, nor a block of steps.

        If it is interrupted, the caller rolls the journal back and calls `restore`.
        """
        self._propagate(self._removed[-1], -1)
        self._forget(self._removed.pop())

    def restore(self, left: PlanMember) -> None:
        """Have the rows of one still that has left, whose going was broken off."""
        if left not in self._removed:
            self._removed.append(left)
        self._add(left)
        for operator in (self._leaf, *self._above):
            operator.clear_caches()

    def renumber(self) -> bool:
        """Look up the numbers of names again; gives whether any is another one."""
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

    def _propagate(self, member: PlanMember, sign: int) -> Mapping[Row, int]:
        """What comes out when the rows of a member come (1) or go (-1)."""
        rows = self._leaf.rows_with(member.names, member.numbers)
        change: Bag = {row: sign * weight for row, weight in rows.items()}
        for operator in self._above:
            made = dict(operator.change(change))
            more = (
                operator.add_parameters(member.numbers)
                if sign > 0
                else operator.remove_parameters(member.numbers)
            )
            for row, weight in more.items():
                put(made, row, weight)
            change = made
        return change


class PlanInstance(NamedTuple):
    """How a query is answered.

    Args:
        root: the operator of its answers.
        member: who the query is in its family; None where the operator is its own.
        rows: its answers; None if they are those of another query, or the operator is its own.
    """

    root: Operator
    member: PlanMember | None = None
    rows: Bag | None = None


class SharedPlans:
    """Makes operators for queries, and drops them.

    Args:
        named: as `Network` takes it.
    """

    def __init__(
        self, shared: SharedState, outlook: StateEvaluator, named: Callable[[Place], QuerySource | None]
    ) -> None:
        self._shared, self._evaluator = shared, outlook
        self.network = Network(shared, outlook.rows, named)
        self._families: dict[tuple[QuerySource, str, Node], ParameterisedPlan] = {}

    def make(self, query: Query, node: Node, content: QuerySource) -> PlanInstance:
        """A plan for a query whose rows are those of a node. No step is under way.

        It is there until `keep` leaves it out, also where this ended with an error. Operators of its own have
        not begun if they are new.
        """
        asks_all = query.default_graphs is None and query.named_graphs is None
        shape = shape_of(node) if query.form in ("SELECT", "ASK") and asks_all else None
        if shape is None:
            return PlanInstance(self._own_root(query, node, content))
        key = content, query.form, shape.node
        family = self._families.get(key)
        if family is None:
            family = self._families[key] = self._family(query, shape, content)
        return PlanInstance(family.root, *family.add(shape.names))

    def _family(self, query: Query, shape: Shape, content: QuerySource) -> ParameterisedPlan:
        root = self.network.use(shape.node, content)
        if query.form == "ASK":
            root = AskOperator(query, self._shared, root)
            self.network.add(root, content)
        return ParameterisedPlan(root, content.patterns, self._shared.terms.find_value)

    def _own_root(self, query: Query, node: Node, content: QuerySource) -> Operator:
        if query.form == "SELECT":
            return self._rows(query, node, content)
        root: Operator
        if query.form == "DESCRIBE":
            look = partial(self._evaluator.rows, content, query=query)
            root = DescribeLeaf(
                node, self._shared, look, lambda table: self._evaluator.describe(query, table, content)
            )
        else:
            kind = AskOperator if query.form == "ASK" else ConstructOperator
            root = kind(query, self._shared, self._rows(query, node, content))
        self.network.add(root, content)
        return root

    def _rows(self, query: Query, node: Node, content: QuerySource) -> Operator:
        """The operator of a query's rows."""
        if query.default_graphs is None and query.named_graphs is None:
            return self.network.use(node, content)
        leaf = RecomputeLeaf(node, self._shared, partial(self._evaluator.rows, content, query=query))
        leaf.symbols = None  # its graphs may be others than that of the content
        self.network.add(leaf, content)
        return leaf

    def keep(self, plans: Iterable[PlanInstance], undone: bool = False) -> None:
        """Have these plans and no others. Costs a look at all.

        Args:
            undone: what the others have changed has been undone; else the rows of a family's members go with
                `purge`, unless nobody is left there.
        """
        members: dict[Operator, set[PlanMember | None]] = {}
        for plan in plans:
            members.setdefault(plan.root, set()).add(plan.member)
        for family in self._families.values():
            family.keep(members.get(family.root, set()), undone)
        self._families = {key: family for key, family in self._families.items() if family.is_used}
        self.network.keep(members)

    @property
    def has_removed(self) -> bool:
        """Whether rows of queries are there that are kept up no more."""
        return any(family.next_removed for family in self._families.values())

    def purge(self) -> None:
        """Have these rows no more; where it is broken off, those of some are there still, as they were."""
        journal = self._shared.journal
        for family in self._families.values():
            while (left := family.next_removed) is not None:
                before = journal.mark()
                try:
                    family.remove_next()
                except BaseException:
                    journal.back(before)
                    family.restore(left)
                    raise

    def renumber(self) -> bool:
        """Look up the numbers of names again; gives whether any is another one."""
        changed = [family.renumber() for family in self._families.values()]
        return any(changed)
