"""What is known of one registered query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import Symbols
from pantarhei.model.term import Term
from pantarhei.query.algebra.nodes import Distinct, Node, OrderBy, Project, Query, Slice
from pantarhei.query.algebra.symbols import symbols_of_query
from pantarhei.query.continuous import ContinuousQuery, QueryStats
from pantarhei.query.incremental.contents import Content
from pantarhei.query.incremental.operator import Bag, Row
from pantarhei.query.incremental.reports import Policy
from pantarhei.query.incremental.shapes import is_parameter
from pantarhei.query.incremental.shared_plans import SharedPlan
from pantarhei.query.incremental.versions import Version
from pantarhei.window.log import Log


@dataclass(eq=False)
class Registered:
    """A query that is kept up to date.

    Args:
        name: it is known by.
        text: as it was given.
        query: what that means.
        node: its rows.
        plan: how they are kept up.
        content: what its default graph is.
        windows: those that it is asked of, by the names of the graphs that they are; the default graph, if it
            is one, under None. It waits for their closing, and asks whether they hold assertions.
        policy: when it reports, and what.
        reported: its answers as last reported, but for what waits to be added to them.
        pending: what has changed since.
        moved: the facts that have come to what it is asked of, or gone, since it looked last, with the sum of
            `weight` of where they came to less that of where they went from; noted where it asks for that.

    `version`: all its answers as it reported them last, None where it has not. `handle` is how its user sees
    it, None until there is one. `catch_up` adds to its answers what waits.
    """

    name: str
    text: str
    query: Query
    node: Node
    plan: SharedPlan
    content: Content
    windows: Mapping[URIRef | None, Content]
    policy: Policy
    reported: Bag = field(default_factory=dict)
    pending: Bag = field(default_factory=dict)
    moved: Bag = field(default_factory=dict)
    version: Version | None = field(default=None, init=False)
    handle: ContinuousQuery | None = field(default=None, init=False)
    catch_up: Callable[[], None] = field(default_factory=lambda: nothing_waits, init=False)

    def __post_init__(self) -> None:
        self.is_plain = self.policy.is_plain  # asked at each step
        self.root = self.plan.root
        self.variables = tuple(each for each in self.root.variables if not is_parameter(each))

    @property
    def answers(self) -> Bag:
        """As last reported."""
        self.catch_up()
        return self.reported

    @property
    def order(self) -> OrderBy | None:
        """The node that orders its rows, None where none does."""
        node = self.query.node
        while isinstance(node, Project | Distinct | Slice):
            node = node.child
        return node if isinstance(node, OrderBy) else None

    @property
    def numbers(self) -> Row:
        """What the rows of its root end with that are its own."""
        return () if self.plan.member is None else self.plan.member.numbers

    @property
    def names(self) -> Mapping[Variable, Term]:
        """What the parameters of its family stand for."""
        names = () if self.plan.member is None else self.plan.member.names
        return dict(zip(filter(is_parameter, self.root.variables), names, strict=True))

    @property
    def current(self) -> Bag:
        """Its rows as things stand."""
        last, pending = self.answers, self.pending
        rows = {row: last.get(row, 0) + pending.get(row, 0) for row in {**last, **pending}}
        return {row: copies for row, copies in rows.items() if copies}

    @property
    def asks_for(self) -> Symbols:
        """The classes and properties whose facts it needs, None for all."""
        return needed_for(self.query, self.policy)

    def weight(self, content: Content) -> int:
        """What a fact counts in `moved` that comes to a content; 0 if the query is not asked of that.

        It is another power of 2 for each content, so that where a fact came to some and went from others, the
        sum is 0 for none.
        """
        of_windows = [*self.windows.values()]
        if content in of_windows:
            return 1 << of_windows.index(content)
        return 1 << len(of_windows) if content.name in self.query.graphs else 0

    def has_assertions(self, log: Log) -> bool:
        """Whether an assertion of the stream is inside any of its windows."""
        return any(content.has_assertions(log) for content in self.windows.values())

    @property
    def stats(self) -> QueryStats:
        """What it holds. Costs a look at each operator."""
        operators, waiting = {self.root}, [self.root]
        while waiting:
            new = [source for source in waiting.pop().inputs if source not in operators]
            operators.update(new)
            waiting += new
        kept = sum(len(bag) for operator in operators for bag in operator.bags)
        return QueryStats.of(len(self.answers), len(self.pending), kept)

    @property
    def asks_for_change(self) -> bool:
        """Whether it reports only if what it is asked of has changed, and not at each step."""
        return self.policy.asks_for_change


def nothing_waits() -> None:
    """What brings answers up to date to which nothing is to be added."""


def needed_for(query: Query, policy: Policy) -> Symbols:
    """The classes and properties whose facts the reports of a query need, None for all.

    One that tells all answers whenever what it is asked of has changed needs all: any fact may have changed.
    """
    if policy.asks_for_change and policy.emit == "rstream":
        return None
    return symbols_of_query(query)
