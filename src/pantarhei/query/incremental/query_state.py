"""What is known of one registered query.

What a checkpoint keeps of registered queries: their texts, and what they last reported.

All else is made again from the window. A query that reports at each step mostly has no more to be kept than
its text: what it reported last are its answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import NONE, Symbol, Symbols
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.message_text import counted
from pantarhei.model.term import RDF_TYPE, Term, short
from pantarhei.query.algebra.analysis import draws, symbols_of_query
from pantarhei.query.algebra.nodes import Distinct, Node, OrderBy, Project, Query, Slice
from pantarhei.query.continuous_query import ContinuousQuery, QueryStats, ReportPolicy
from pantarhei.query.incremental.answer_versions import Version
from pantarhei.query.incremental.closures import GRAPH_TERMS
from pantarhei.query.incremental.leaves import DescribeLeaf, instantiate, is_parameter, parameters_of
from pantarhei.query.incremental.network import is_idle
from pantarhei.query.incremental.operator import Bag, Operator, Row
from pantarhei.query.incremental.persistent_terms import Decoder, PersistentTermIds
from pantarhei.query.incremental.query_sources import QuerySource
from pantarhei.query.incremental.row_operators import AskOperator, ConstructOperator
from pantarhei.query.incremental.shared_plans import PlanInstance
from pantarhei.query.operators.pattern_joins import Profile
from pantarhei.query.plan_text import Show, title
from pantarhei.query.plan_text import plan_text as node_text
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.window.log import Log
from pantarhei.window.sliding import Window


@dataclass(eq=False)
class QueryState:
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
    it, None until there is one. `flush` adds to its answers what waits.
    """

    name: str
    text: str
    query: Query
    node: Node
    plan: PlanInstance
    source: QuerySource
    windows: Mapping[URIRef | None, QuerySource]
    policy: ReportPolicy
    reported: Bag = field(default_factory=dict)
    pending: Bag = field(default_factory=dict)
    changed_facts: Bag = field(default_factory=dict)
    version: Version | None = field(default=None, init=False)
    handle: ContinuousQuery | None = field(default=None, init=False)
    flush: Callable[[], None] = field(default_factory=lambda: nothing_pending, init=False)

    def __post_init__(self) -> None:
        self.is_plain = self.policy.is_plain  # asked at each step
        self.root = self.plan.root
        self.variables = tuple(each for each in self.root.variables if not is_parameter(each))

    @property
    def answers(self) -> Bag:
        """As last reported."""
        self.flush()
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
    def current_rows(self) -> Bag:
        """Its rows as things stand."""
        last, pending = self.answers, self.pending
        rows = {row: last.get(row, 0) + pending.get(row, 0) for row in {**last, **pending}}
        return {row: copies for row, copies in rows.items() if copies}

    @property
    def needed_symbols(self) -> Symbols:
        """The classes and properties whose facts it needs, None for all."""
        return needed_symbols(self.query, self.policy)

    def weight(self, content: QuerySource) -> int:
        """What a fact counts in `changed_facts` that comes to a content; 0 if the query is not asked of that.

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
    def reports_on_change(self) -> bool:
        """Whether it reports only if what it is asked of has changed, and not at each step."""
        return self.policy.reports_on_change


def nothing_pending() -> None:
    """What brings answers up to date to which nothing is to be added."""


def needed_symbols(query: Query, policy: ReportPolicy) -> Symbols:
    """The classes and properties whose facts the reports of a query need, None for all.

    One that tells all answers whenever what it is asked of has changed needs all: any fact may have changed.
    """
    if policy.reports_on_change and policy.emit == "rstream":
        return None
    return symbols_of_query(query)


def plan_text(
    registered: QueryState, content_of: Callable[[Operator], QuerySource], show: Show = short
) -> str:
    """A line for each operator, with what a change costs and how many rows it keeps; below it those that it
    takes rows from. Patterns stand below what matches them, and so does what is evaluated anew as a whole.
    What is asked of a graph with a name stands below that.

    Args:
        content_of: gives what an operator is asked of.
    """
    return "\n".join(_Lines(registered, content_of, show).of(registered.root, ""))


class _Lines:
    """The lines of a query's operators."""

    def __init__(
        self, registered: QueryState, content_of: Callable[[Operator], QuerySource], show: Show
    ) -> None:
        self._registered, self._content_of, self._show = registered, content_of, show

    def of(self, operator: Operator, around: str) -> list[str]:
        """Those of an operator and all below it; `around` says which graph the lines stand in."""
        graph = self._graph(operator)
        lines = self._within(operator, graph)
        return lines if graph == around else [f"Graph {graph}", *_indented(lines)]

    def _within(self, operator: Operator, graph: str) -> list[str]:
        below = [line for source in operator.inputs for line in self.of(source, graph)]
        names, node = self._registered.names, operator.node
        node = instantiate(node, names) if parameters_of(node) else node
        if is_idle(node):
            if operator.inputs:  # it brings the parameters behind, which are not shown
                return below
            (node,) = node.children
        if not operator.inputs:
            below = node_text(node, Profile(), self._show).splitlines()
            if not isinstance(operator, DescribeLeaf):
                below = [line.removeprefix("  ") for line in below[1:]]
        rows = sum(map(len, operator.bags))
        kept = f"  → {counted(rows, 'row')} kept" if rows else ""
        first = f"{self._title(operator, node)}  ({operator.maintenance.value}){kept}"
        return [first, *_indented(below)]

    def _graph(self, operator: Operator) -> str:
        """The names of the graph that an operator is asked of; none of the default graph."""
        content = self._content_of(operator)
        if content is self._registered.source:
            return ""
        named = [name for name, window in self._registered.windows.items() if window is content]
        names = [content.name, *named]
        return ", ".join(self._show(name) for name in names if name is not None)

    def _title(self, operator: Operator, node: Node) -> str:
        if isinstance(operator, AskOperator):
            return "Ask"
        if isinstance(operator, ConstructOperator):
            return "Construct"
        if isinstance(operator, DescribeLeaf):
            return "Describe"
        return "Terms of the graph" if node == GRAPH_TERMS else title(node, self._show)


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A query as a checkpoint keeps it.

    Args:
        name, text, policy: as they were registered.
        window: its own, None for the reasoner's.
        closed: the last boundary of it that has closed.
        rows: its answers as last reported, terms in N-Triples syntax with the count of copies last; None
            where it reports at each step, nothing is pending, and they come out the same again.
        moved: the triples that have come to what it is asked of since it looked last, or gone: terms in
            N-Triples syntax, with 1 or -1 last.
    """

    name: str
    text: str
    policy: ReportPolicy
    window: Window | None
    closed: int | None
    rows: list[list[Any]] | None
    changed_facts: list[list[Any]]

    @classmethod
    def of(cls, registered: QueryState, window: Window | None, decoder: Decoder) -> Callable[[], SavedQuery]:
        """Return a function that encodes the present state of a query."""
        policy, answers = registered.policy, None
        if not policy.is_plain or registered.pending or draws(registered.query.node):
            answers = dict(registered.answers)
        named = registered.name, registered.text, policy, window, registered.source.closed
        moved, lexicon = dict(registered.changed_facts), registered.source.model.vocabulary.lexicon

        def make() -> SavedQuery:
            rows = None if answers is None else [_written(row, n, decoder) for row, n in answers.items()]
            facts = np.array(list(moved), np.int32).reshape(-1, 3)
            signed = zip(lexicon.decode(facts, {}), moved.values(), strict=True)
            return cls(*named, rows, [[*map(write_term, triple), sign] for triple, sign in signed])

        return make

    def decode_answers(self, terms: PersistentTermIds) -> Bag:
        """The answers as last reported."""
        rows = self.rows or ()
        return {
            tuple(NONE if text is None else terms.id_of(parse_term(text)) for text in row): copies
            for *row, copies in rows
        }

    def decode_changed_facts(self, vocabulary: Vocabulary) -> Bag:
        """What has come and gone since it looked last; terms get numbers where they have none."""
        found: Bag = {}
        for *texts, sign in self.changed_facts:
            subject, predicate, object_ = map(parse_term, texts)
            is_class = predicate == RDF_TYPE and not vocabulary.has_class_variables
            symbol = Symbol(object_, 1) if is_class else Symbol(predicate, 2)  # type: ignore[arg-type]
            who, what = vocabulary.reserve(subject), NONE if is_class else vocabulary.reserve(object_)
            found[vocabulary.number_symbol(symbol), who, what] = sign
        return found


def _written(row: Row, copies: int, decoder: Decoder) -> list[Any]:
    return [*(None if term is None else write_term(term) for term in decoder.row(row)), copies]


def to_bytes(queries: list[SavedQuery]) -> bytes:
    """Queries as bytes, the same for the same queries."""
    return json.dumps([_plain(query) for query in queries], ensure_ascii=False).encode()


def _plain(query: SavedQuery) -> dict[str, Any]:
    window, policy = query.window, query.policy
    given = None
    if window is not None:
        given = [
            _json(each) for each in (window.range, window.slide, window.origin, window.closed, window.zone)
        ]
    return {
        "name": query.name,
        "text": query.text,
        "conditions": sorted(policy.conditions),
        "period": _json(policy.period),
        "emit": policy.emit,
        "tick": policy.tick,
        "window": given,
        "closed": query.closed,
        "rows": None if query.rows is None else sorted(query.rows, key=str),
        "moved": sorted(query.changed_facts, key=str),
    }


def from_bytes(saved: bytes) -> Iterator[SavedQuery]:
    """The queries that `to_bytes` wrote."""
    for each in json.loads(saved):
        given = each["window"]
        window = None if given is None else Window(*map(_from_json, given))
        policy = ReportPolicy(
            frozenset(each["conditions"]), _from_json(each["period"]), each["emit"], each["tick"]
        )
        rows, moved = each["rows"], each["moved"]
        yield SavedQuery(each["name"], each["text"], policy, window, each["closed"], rows, moved)


def _json(value: Any) -> Any:
    """A time or length, or a word, as JSON can say it."""
    if isinstance(value, timedelta):
        return {"microseconds": value // _MICROSECOND}
    return {"at": value.isoformat()} if isinstance(value, datetime) else value


def _from_json(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "at" in value:
        return datetime.fromisoformat(value["at"])
    return timedelta(microseconds=value["microseconds"])
