"""The operators that keep up the answers of each query: its own, or those of a family."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from pantarhei.query.algebra.nodes import Node, Place, Query
from pantarhei.query.incremental.contents import Content
from pantarhei.query.incremental.families import Family, FamilyMember
from pantarhei.query.incremental.leaves import DescribeLeaf, WholeLeaf
from pantarhei.query.incremental.network import Network
from pantarhei.query.incremental.operator import Bag, Operator, Shared
from pantarhei.query.incremental.present import Outlook
from pantarhei.query.incremental.roots import AskRoot, ConstructRoot
from pantarhei.query.incremental.shapes import Shape, shape_of


class SharedPlan(NamedTuple):
    """How a query is answered.

    Args:
        root: the operator of its answers.
        member: who the query is in its family; None where the operator is its own.
        rows: its answers; None if they are those of another query, or the operator is its own.
    """

    root: Operator
    member: FamilyMember | None = None
    rows: Bag | None = None


class SharedPlans:
    """Makes operators for queries, and drops them.

    Args:
        named: as `Network` takes it.
    """

    def __init__(self, shared: Shared, outlook: Outlook, named: Callable[[Place], Content | None]) -> None:
        self._shared, self._outlook = shared, outlook
        self.network = Network(shared, outlook.rows, named)
        self._families: dict[tuple[Content, str, Node], Family] = {}

    def make(self, query: Query, node: Node, content: Content) -> SharedPlan:
        """A plan for a query whose rows are those of a node. No step is under way.

        It is there until `keep` leaves it out, also where this ended with an error. Operators of its own have
        not begun if they are new.
        """
        asks_all = query.default_graphs is None and query.named_graphs is None
        shape = shape_of(node) if query.form in ("SELECT", "ASK") and asks_all else None
        if shape is None:
            return SharedPlan(self._own_root(query, node, content))
        key = content, query.form, shape.node
        family = self._families.get(key)
        if family is None:
            family = self._families[key] = self._family(query, shape, content)
        return SharedPlan(family.root, *family.join(shape.names))

    def _family(self, query: Query, shape: Shape, content: Content) -> Family:
        root = self.network.use(shape.node, content)
        if query.form == "ASK":
            root = AskRoot(query, self._shared, root)
            self.network.add(root, content)
        return Family(root, content.patterns, self._shared.terms.find_value)

    def _own_root(self, query: Query, node: Node, content: Content) -> Operator:
        if query.form == "SELECT":
            return self._rows(query, node, content)
        root: Operator
        if query.form == "DESCRIBE":
            look = partial(self._outlook.rows, content, query=query)
            root = DescribeLeaf(
                node, self._shared, look, lambda table: self._outlook.described(query, table, content)
            )
        else:
            kind = AskRoot if query.form == "ASK" else ConstructRoot
            root = kind(query, self._shared, self._rows(query, node, content))
        self.network.add(root, content)
        return root

    def _rows(self, query: Query, node: Node, content: Content) -> Operator:
        """The operator of a query's rows."""
        if query.default_graphs is None and query.named_graphs is None:
            return self.network.use(node, content)
        leaf = WholeLeaf(node, self._shared, partial(self._outlook.rows, content, query=query))
        leaf.symbols = None  # its graphs may be others than that of the content
        self.network.add(leaf, content)
        return leaf

    def keep(self, plans: Iterable[SharedPlan], undone: bool = False) -> None:
        """Have these plans and no others. Costs a look at all.

        Args:
            undone: what the others have changed has been undone; else the rows of a family's members go with
                `let_go`, unless nobody is left there.
        """
        members: dict[Operator, set[FamilyMember | None]] = {}
        for plan in plans:
            members.setdefault(plan.root, set()).add(plan.member)
        for family in self._families.values():
            family.keep(members.get(family.root, set()), undone)
        self._families = {key: family for key, family in self._families.items() if family.is_used}
        self.network.keep(members)

    @property
    def have_left(self) -> bool:
        """Whether rows of queries are there that are kept up no more."""
        return any(family.next_to_go for family in self._families.values())

    def let_go(self) -> None:
        """Have these rows no more; where it is broken off, those of some are there still, as they were."""
        journal = self._shared.journal
        for family in self._families.values():
            while (left := family.next_to_go) is not None:
                before = journal.mark()
                try:
                    family.let_go()
                except BaseException:
                    journal.back(before)
                    family.stay(left)
                    raise

    def renumber(self) -> bool:
        """Look up the numbers of names again; gives whether any is another one."""
        changed = [family.renumber() for family in self._families.values()]
        return any(changed)
