"""State of one registered query: its answers and their versions, its plan as text, and its form in
checkpoints.

A checkpoint contains the texts of queries and their last reported answers; everything else is recomputed from
the window. For a query that reports at each step, the last reported answers are omitted in most cases, since
they are its answers.

A version is the bag of answers after one report, stored as a delta of the version before, and decoded when it
is first read. So a report costs its delta; a read costs the deltas since the last version read, and a copy of
all rows. Once the deltas since the last version read have more rows than the answers, the next version stores
all rows. So unread versions use at most twice the memory of the answers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from heapq import merge
from typing import Any, Final, NamedTuple

import numpy as np
from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import NONE, Pace, Symbol, Symbols
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.message_text import counted
from pantarhei.model.term import RDF_TYPE, Term, short
from pantarhei.query.algebra.analysis import is_volatile_node, symbols_of_query
from pantarhei.query.algebra.nodes import Distinct, Node, OrderBy, Project, Query, Slice
from pantarhei.query.answer_reports import AnswerRow
from pantarhei.query.continuous_query import ContinuousQuery, QueryStats, ReportPolicy
from pantarhei.query.incremental.closures import GRAPH_TERMS
from pantarhei.query.incremental.leaves import DescribeLeaf, instantiate, is_parameter, parameters_of
from pantarhei.query.incremental.network import keeps_all_columns
from pantarhei.query.incremental.operator import Bag, Operator, Row, Rows
from pantarhei.query.incremental.persistent_terms import Decoder, PersistentTermIds
from pantarhei.query.incremental.query_sources import QuerySource
from pantarhei.query.incremental.row_operators import AskOperator, ConstructOperator
from pantarhei.query.incremental.shared_plans import PlanInstance
from pantarhei.query.operators.executor import Profile
from pantarhei.query.plan_text import Show, node_title
from pantarhei.query.plan_text import plan_text as node_text
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.window.log import Log
from pantarhei.window.sliding import Window

_MIN_HELD: Final = 256
"""Number of changed rows that versions may hold even if there are fewer answers."""


class _Delta(NamedTuple):
    """Answers as a delta of the version before."""

    before: Version
    change: Rows
    decoder: RowDecoder


class _AllRows(NamedTuple):
    """Answers as a bag of rows of term numbers."""

    rows: Rows
    decoder: RowDecoder


class RowDecoder:
    """Decoder of rows to terms. It caches the decoded rows of the version read last.

    Args:
        decoder: maps term numbers to terms.
    """

    def __init__(self, decoder: Decoder) -> None:
        self.decoder = decoder
        self._decoded: dict[Row, AnswerRow] = {}

    def bag(self, bag: Rows) -> Counter[AnswerRow]:
        """Decode all rows of a bag."""
        self._decoded = {row: self.decoder.row(row) for row in bag}
        return Counter({made: bag[row] for row, made in self._decoded.items()})

    def add(self, rows: Counter[AnswerRow], change: Rows) -> None:
        """Apply a delta to decoded rows. Most rows need one lookup, since hashing terms takes most of the
        time.
        """
        made = self._decoded
        for row, weight in change.items():
            decoded = made.get(row)
            if decoded is None:
                decoded = made[row] = self.decoder.row(row)
            if weight < 0:
                weight += rows.pop(decoded)
                if weight:
                    rows[decoded] = weight
                else:
                    made.pop(row, None)
                continue
            size, copies = len(rows), rows.setdefault(decoded, weight)
            if len(rows) == size:
                rows[decoded] = copies + weight
        if len(made) > 2 * len(rows) + _MIN_HELD:  # many cached rows are deleted
            self._decoded = {}

    def is_equal_to(self, decoder: Decoder) -> bool:
        """Return whether another decoder maps all term numbers to the same terms."""
        return self.decoder.locals is decoder.locals and self.decoder.known == decoder.known


class Version:
    """Answers of a query after one of its reports. Threads may read it concurrently.

    Args:
        source: a delta of another version, or all rows.
        held: number of changed rows since the last version that stores all rows or was read.
    """

    __slots__ = ("_source", "decoder", "held")

    def __init__(self, source: _Delta | _AllRows, held: int) -> None:
        # assigned in one operation, so that other threads may read it
        self._source: _Delta | _AllRows | Counter[AnswerRow] = source
        self.decoder, self.held = source.decoder, held

    @classmethod
    def after(cls, before: Version | None, change: Rows, answers: Rows, decoder: Decoder) -> Version:
        """Return the version after a delta.

        Args:
            before: the version before the delta; None if there is none.
            answers: the rows after the delta; copied if the version has to store all rows.
        """
        if before is not None and not change:
            return before
        held = 0 if before is None else before.held + len(change)
        has_equal_decoder = before is not None and before.decoder.is_equal_to(decoder)
        rows = before.decoder if before is not None and has_equal_decoder else RowDecoder(decoder)
        if before is None or held > max(_MIN_HELD, len(answers)):
            return cls(_AllRows(dict(answers), rows), 0)
        return cls(_Delta(before, change, rows), held)

    def rows(self) -> Counter[AnswerRow]:
        """Decode the answers, with their number of copies; returns a new counter."""
        changes: list[_Delta] = []
        source = self._source
        while isinstance(source, _Delta):
            changes.append(source)
            source = source.before._source
        rows = source.decoder.bag(source.rows) if isinstance(source, _AllRows) else Counter(source)
        for later in reversed(changes):
            later.decoder.add(rows, later.change)
        if not isinstance(self._source, Counter):
            self._source, self.held = Counter(rows), 0
        return rows


class ReadAnswers:
    """Cache of the answers read last, so that the next read decodes only the changed rows."""

    def __init__(self) -> None:
        self._numbers: Rows = {}
        self._version: Version | None = None

    def rows(self, answers: Rows, decoder: Decoder) -> Counter[AnswerRow]:
        """Decode answers. The cost is a lookup for each row, and decoding of the rows that changed since the
        last call.
        """
        last, before = self._numbers, self._version
        if before is not None and not before.decoder.is_equal_to(decoder):
            last, before = {}, None
        change = {row: n - last.get(row, 0) for row, n in answers.items() if last.get(row) != n}
        change.update({row: -n for row, n in last.items() if row not in answers})
        self._version, self._numbers = Version.after(before, change, answers, decoder), dict(answers)
        return self._version.rows()


@dataclass(eq=False)
class QueryState:
    """State of a registered query.

    Args:
        name: name of the query.
        text: text of the query, as given.
        query: the parsed query.
        node: algebra node of the query's rows.
        plan: operators that maintain the rows.
        source: source of the default graph.
        windows: sources of the query's windows by graph name; None is the default graph, if it is a window. A
            report is triggered when one of these windows closes; the condition "non-empty" counts their
            assertions.
        policy: times and content of reports.
        reported: last reported answers, to which deferred deltas are not applied yet.
        pending: delta since the last report.
        changed_facts: facts inserted into or deleted from the query's sources since its last evaluation, each
            with a signed sum of the weights of these sources (`weight`); recorded only if the policy needs
            it.

    `version` has all answers of the last report, None before a report of all answers. `handle` is the user's
    object, None while the query is being registered. `flush` applies the deferred deltas to `reported`.
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
        self.is_plain = self.policy.is_plain  # stored, since it is read at each step
        self.root = self.plan.root
        self.variables = tuple(each for each in self.root.variables if not is_parameter(each))

    @property
    def answers(self) -> Bag:
        """Last reported answers."""
        self.flush()
        return self.reported

    @property
    def order(self) -> OrderBy | None:
        """The ORDER BY node of the query; None without ORDER BY."""
        node = self.query.node
        while isinstance(node, Project | Distinct | Slice):
            node = node.child
        return node if isinstance(node, OrderBy) else None

    @property
    def numbers(self) -> Row:
        """Term numbers of the parameter values, which end the query's rows in a parameterised plan."""
        return () if self.plan.member is None else self.plan.member.numbers

    @property
    def names(self) -> Mapping[Variable, Term]:
        """Names bound to the parameters of a parameterised plan."""
        names = () if self.plan.member is None else self.plan.member.names
        return dict(zip(filter(is_parameter, self.root.variables), names, strict=True))

    @property
    def current_rows(self) -> Bag:
        """Rows at the present state."""
        last, pending = self.answers, self.pending
        rows = {row: last.get(row, 0) + pending.get(row, 0) for row in {**last, **pending}}
        return {row: copies for row, copies in rows.items() if copies}

    def weight(self, source: QuerySource) -> int:
        """Return the weight of a source in `changed_facts`; 0 if the query does not read the source.

        Weights are distinct powers of 2, so that the sum is not 0 for a fact that was inserted into some
        sources and deleted from others.
        """
        of_windows = [*self.windows.values()]
        if source in of_windows:
            return 1 << of_windows.index(source)
        return 1 << len(of_windows) if source.name in self.query.graphs else 0

    def has_assertions(self, log: Log) -> bool:
        """Return whether one of its windows contains an assertion of the stream."""
        return any(source.has_assertions(log) for source in self.windows.values())

    @property
    def stats(self) -> QueryStats:
        """Memory statistics. The cost is linear in the number of the query's operators."""
        operators, waiting = {self.root}, [self.root]
        while waiting:
            new = [source for source in waiting.pop().inputs if source not in operators]
            operators.update(new)
            waiting += new
        kept = sum(len(bag) for operator in operators for bag in operator.bags)
        return QueryStats.of(len(self.answers), len(self.pending), kept)


def nothing_pending() -> None:
    """Default of `QueryState.flush`: no deferred deltas."""


def needed_symbols(query: Query, policy: ReportPolicy) -> Symbols:
    """Return the classes and properties whose facts the reports of a query depend on, None for all.

    A query that reports all answers on each change of its sources depends on all facts.
    """
    if policy.reports_on_change and policy.emit == "rstream":
        return None
    return symbols_of_query(query)


def plan_text(
    registered: QueryState, source_of: Callable[[Operator], QuerySource], show: Show = short
) -> str:
    """Format a plan: a line for each operator, with its cost class and number of stored rows; the inputs of
    the operator are indented below.

    The triple patterns of a leaf are listed below it, as is the plan of a re-evaluated node. Operators over a
    named graph are listed below its name.

    Args:
        source_of: returns the source of an operator.
    """
    return "\n".join(_PlanLines(registered, source_of, show).of(registered.root, ""))


class _PlanLines:
    """Formatter of the operators of a query's plan."""

    def __init__(
        self, registered: QueryState, source_of: Callable[[Operator], QuerySource], show: Show
    ) -> None:
        self._registered, self._source_of, self._show = registered, source_of, show

    def of(self, operator: Operator, enclosing: str) -> list[str]:
        """Format an operator and its inputs.

        Args:
            enclosing: name of the graph of the operator above, empty for the default graph.
        """
        graph = self._graph(operator)
        lines = self._within(operator, graph)
        return lines if graph == enclosing else [f"Graph {graph}", *_indented(lines)]

    def _within(self, operator: Operator, graph: str) -> list[str]:
        below = [line for source in operator.inputs for line in self.of(source, graph)]
        names, node = self._registered.names, operator.node
        node = instantiate(node, names) if parameters_of(node) else node
        if keeps_all_columns(node):
            if operator.inputs:  # the projection only reorders parameters, which are not displayed
                return below
            (node,) = node.children
        if not operator.inputs:
            below = node_text(node, Profile(), self._show).splitlines()
            if not isinstance(operator, DescribeLeaf):
                below = [line.removeprefix("  ") for line in below[1:]]
        rows = sum(map(len, operator.bags))
        kept = f"  → {counted(rows, 'row')} kept" if rows else ""
        title = _TITLES.get(type(operator))
        if title is None:
            title = "Terms of the graph" if node == GRAPH_TERMS else node_title(node, self._show)
        first = f"{title}  ({operator.maintenance.value}){kept}"
        return [first, *_indented(below)]

    def _graph(self, operator: Operator) -> str:
        """Return the graph names of an operator's source; empty for the default graph."""
        source = self._source_of(operator)
        if source is self._registered.source:
            return ""
        named = [name for name, window in self._registered.windows.items() if window is source]
        names = [source.name, *named]
        return ", ".join(self._show(name) for name in names if name is not None)


_TITLES = {AskOperator: "Ask", ConstructOperator: "Construct", DescribeLeaf: "Describe"}


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """Registered query in a checkpoint.

    Args:
        name, text, policy: as registered.
        window: the query's window; None for the reasoner's window.
        closed: the last boundary that has closed; None before the first step.
        rows: last reported answers, as terms in N-Triples syntax followed by the number of copies; None if
            the query reports at each step, has no pending delta, and its answers can be recomputed.
        changed_facts: triples inserted or deleted since the query's last evaluation, as terms in N-Triples
            syntax followed by the signed sum of weights.
    """

    name: str
    text: str
    policy: ReportPolicy
    window: Window | None
    closed: int | None
    rows: list[list[Any]] | None
    changed_facts: list[list[Any]]

    @classmethod
    def of(
        cls, registered: QueryState, window: Window | None, decoder: Decoder
    ) -> Callable[[Pace], SavedQuery]:
        """Return a function that encodes the query in its state at the time of this call."""
        policy, answers = registered.policy, None
        if not policy.is_plain or registered.pending or is_volatile_node(registered.query.node):
            answers = dict(registered.answers)
        named = registered.name, registered.text, policy, window, registered.source.closed
        changed, lexicon = dict(registered.changed_facts), registered.source.model.vocabulary.lexicon

        def make(pace: Pace) -> SavedQuery:
            rows = None
            if answers is not None:
                rows = [_written(row, n, decoder) for row, n in pace(answers.items())]
            facts = np.array(list(changed), np.int32).reshape(-1, 3)
            signed = zip(lexicon.decode(facts, {}), changed.values(), strict=True)
            return cls(*named, rows, [[*map(write_term, triple), sign] for triple, sign in pace(signed)])

        return make

    def decode_answers(self, terms: PersistentTermIds) -> Bag:
        """Decode the last reported answers."""
        rows = self.rows or ()
        return {
            tuple(NONE if text is None else terms.id_of(parse_term(text)) for text in row): copies
            for *row, copies in rows
        }

    def decode_changed_facts(self, vocabulary: Vocabulary) -> Bag:
        """Decode the changed facts; new terms are added to the vocabulary."""
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


_ENCODER = json.JSONEncoder(ensure_ascii=False)
_SORTED_AT_ONCE = 256  # rows


def to_bytes(queries: list[SavedQuery], pace: Pace = iter) -> bytes:
    """Encode queries as canonical JSON."""
    return "".join(pace(_ENCODER.iterencode([_plain(query, pace) for query in queries]))).encode()


def _sorted(rows: list[list[Any]], pace: Pace) -> list[list[Any]]:
    """Sort rows by their texts. Short sorts are merged, since a sort blocks other threads."""
    starts = pace(range(0, len(rows), _SORTED_AT_ONCE))
    runs = [sorted(rows[start : start + _SORTED_AT_ONCE], key=str) for start in starts]
    return list(pace(merge(*runs, key=str)))


def _plain(query: SavedQuery, pace: Pace) -> dict[str, Any]:
    window, policy = query.window, query.policy
    given = None
    if window is not None:
        fields = window.range, window.slide, window.origin, window.closed, window.zone
        given = list(map(_json, fields))
    return {
        "name": query.name,
        "text": query.text,
        "conditions": sorted(policy.conditions),
        "period": _json(policy.period),
        "emit": policy.emit,
        "tick": policy.tick,
        "window": given,
        "closed": query.closed,
        "rows": None if query.rows is None else _sorted(query.rows, pace),
        "moved": _sorted(query.changed_facts, pace),
    }


def from_bytes(saved: bytes) -> Iterator[SavedQuery]:
    """Decode queries encoded by `to_bytes`."""
    for each in json.loads(saved):
        given = each["window"]
        window = None if given is None else Window(*map(_from_json, given))
        conditions, period = frozenset(each["conditions"]), _from_json(each["period"])
        policy = ReportPolicy(conditions, period, each["emit"], each["tick"])
        rows, changed = each["rows"], each["moved"]
        yield SavedQuery(each["name"], each["text"], policy, window, each["closed"], rows, changed)


def _json(value: Any) -> Any:
    """Convert a time, duration or word to JSON."""
    if isinstance(value, timedelta):
        return {"microseconds": value // _MICROSECOND}
    return {"at": value.isoformat()} if isinstance(value, datetime) else value


def _from_json(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "at" in value:
        return datetime.fromisoformat(value["at"])
    return timedelta(microseconds=value["microseconds"])
