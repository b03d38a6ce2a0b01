"""Inserted and deleted answers of a basic graph pattern as the graph changes: by the definition, and by the
algorithms of GD (Gergatsoulis & Damigos; see the glossary).

A query is a set of triple patterns whose predicates are constants; its answers are its embeddings in the
graph (GD Definition 2). A change of the graph inserts and deletes answers (Definition 13, `changes`).

The algorithms compute these without storing the graph, for queries in which no pattern joins two variables
(*loosely connected*, Definition 11). Such a query consists of a ground part and a star for each variable
(Definition 10), and its answers are the product of the answers of the parts. The printed algorithms are
wrong; they are corrected here as follows:

- Algorithm 1 assumes an initially empty graph. Here, in all algorithms, the initial graph is an argument.
- Algorithm 2 lets an edge match only one pattern. One edge can match several patterns with one value of the
  variable (`{a p ?x, ?x p a}` and `a p a`), or patterns with several values (`{a p ?x, ?x p b}` and `a p b`).
  And for a deletion it returns before the match is cleared, so that later deletions are reported again.
- Algorithm 3 passes the answers of a star to Algorithm 2, which expects its list of instances. Here each star
  has a list of its own.
- Lemma 1 claims that the patterns of one variable form a simple star. `{?x p ?x}` does not, since its only
  neighbour is not a constant. Algorithm 2 as corrected does not require it.
- If batches are processed edge by edge, answers are reported that are deleted again within the batch. `net`
  reduces the batch first.
- Section 6.5, a sketch for queries with connected variables, matches the edge that binds a pattern with this
  pattern only, although it can match others too. `first_matches` implements the intended meaning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple

from rdflib import Variable

from pantarhei.model.rule import Argument
from pantarhei.model.term import Term, Triple

Pattern = tuple[Argument, Term, Argument]
Query = frozenset[Pattern]
Embedding = Mapping[Variable, Term]
Row = tuple[Term, ...]
"""The values of a query's variables, in the order of their names: GD's output pattern."""


class Message(NamedTuple):
    """An update of the graph (GD section 5): an edge is inserted or deleted."""

    operation: Literal["ins", "del"]
    edge: Triple


class Change(NamedTuple):
    """Inserted (positive) or deleted (negative) answer."""

    sign: Literal["positive", "negative"]
    row: Row


# -- the definition --------------------------------------------------------------------------------


def variables_of(query: Iterable[Pattern]) -> tuple[Variable, ...]:
    """Return the variables of a query, sorted by name."""
    return tuple(sorted({node for s, _, o in query for node in (s, o) if isinstance(node, Variable)}))


def match_edge(pattern: Pattern, edge: Triple) -> dict[Variable, Term] | None:
    """Return the binding that maps a pattern to the edge, or None if there is none."""
    if pattern[1] != edge[1]:
        return None
    found: dict[Variable, Term] = {}
    for node, term in ((pattern[0], edge[0]), (pattern[2], edge[2])):
        if (found.setdefault(node, term) if isinstance(node, Variable) else node) != term:
            return None
    return found


def instance(query: Iterable[Pattern], values: Embedding) -> Query:
    """Replace variables of the query by their values."""

    def node(given: Argument) -> Argument:
        return values.get(given, given) if isinstance(given, Variable) else given

    return frozenset((node(s), p, node(o)) for s, p, o in query)


def embeddings(query: Query, graph: Collection[Triple]) -> Iterator[dict[Variable, Term]]:
    """Yield all assignments of the variables with which each pattern is in the graph (GD Definition 2)."""
    if not query:
        yield {}
        return
    pattern = min(query)
    for edge in graph:
        values = match_edge(pattern, edge)
        if values is not None:
            for rest in embeddings(instance(query - {pattern}, values), graph):
                yield {**values, **rest}


def answers(query: Query, graph: Collection[Triple]) -> frozenset[Row]:
    """Return the answers of a query; the answer of a ground query that holds is `()`."""
    names = variables_of(query)
    return frozenset(tuple(found[name] for name in names) for found in embeddings(query, graph))


def changes(query: Query, before: Collection[Triple], after: Collection[Triple]) -> frozenset[Change]:
    """Return the answers that a change of the graph inserts and deletes (GD Definition 13)."""
    were, are = answers(query, before), answers(query, after)
    came = {Change("positive", row) for row in are - were}
    return frozenset(came | {Change("negative", row) for row in were - are})


def apply_messages(graph: Iterable[Triple], messages: Iterable[Message]) -> frozenset[Triple]:
    """Apply the messages to the graph, in order (GD section 5)."""
    edges = set(graph)
    for operation, edge in messages:
        (edges.add if operation == "ins" else edges.discard)(edge)
    return frozenset(edges)


# -- decomposition ---------------------------------------------------------------------------------


class Decomposition(NamedTuple):
    """Connected-variable decomposition of a query (GD Definition 10).

    Args:
        ground: the patterns without variables.
        connected: for each set of variables connected by patterns, the patterns that contain any of them.
    """

    ground: Query
    connected: Mapping[frozenset[Variable], Query]


def decomposition(query: Query) -> Decomposition:
    """Split a query into parts without shared variables; its answers are the product of the parts' (GD Lemma
    3).
    """
    joined: list[frozenset[Variable]] = []
    for pattern in query:
        together = frozenset(variables_of([pattern]))
        apart = [names for names in joined if not names & together]
        joined = [*apart, together.union(*(names for names in joined if names & together))]
    parts = sorted(filter(None, joined), key=sorted)
    ground = frozenset(pattern for pattern in query if not variables_of([pattern]))
    return Decomposition(
        ground,
        {names: frozenset(p for p in query if names.intersection(variables_of([p]))) for names in parts},
    )


def is_loosely_connected(query: Query) -> bool:
    """True if no pattern joins two variables (GD Definition 11)."""
    return all(len(variables_of([pattern])) < 2 for pattern in query)


# -- GD's algorithms -------------------------------------------------------------------------------


class Ground:
    """Ground query (GD Algorithm 1, with `ground_BGP_eval` of Algorithm 4).

    Args:
        query: patterns without variables.
        graph: the initial graph.
    """

    def __init__(self, query: Query, graph: Collection[Triple] = ()) -> None:
        self.matched = {pattern: pattern in graph for pattern in query}  # the triple match state M

    @property
    def holds(self) -> bool:
        """True if all patterns are in the graph."""
        return all(self.matched.values())

    def process(self, message: Message) -> Literal["positive", "negative"] | None:
        """Apply one message; return the changes of the answers."""
        held = self.holds
        if message.edge in self.matched:
            self.matched[message.edge] = message.operation == "ins"
        if self.holds == held:
            return None
        return "negative" if held else "positive"


class Star:
    """Patterns of one variable (GD Algorithm 2).

    Args:
        query: patterns that contain this variable and no other.
        graph: the initial graph.

    `instances` maps each value of the variable that some pattern matches to the ground instance with its
    match state (the list L).
    """

    def __init__(self, query: Query, graph: Iterable[Triple] = ()) -> None:
        (self.variable,) = variables_of(query)
        self.query = query
        self.instances: dict[Term, Ground] = {}
        for edge in graph:
            self.process(Message("ins", edge))

    @property
    def values(self) -> frozenset[Term]:
        """Values of the variable that are answers."""
        return frozenset(value for value, ground in self.instances.items() if ground.holds)

    def process(self, message: Message) -> list[tuple[Literal["positive", "negative"], Term]]:
        """Apply one message; return the changes for each value of the variable with which it matches a
        pattern.
        """
        found: list[tuple[Literal["positive", "negative"], Term]] = []
        unifiers = (match_edge(pattern, message.edge) for pattern in sorted(self.query))
        for value in dict.fromkeys(values[self.variable] for values in unifiers if values is not None):
            ground = self.instances.setdefault(value, Ground(instance(self.query, {self.variable: value})))
            sign = ground.process(message)
            if sign is not None:
                found.append((sign, value))
            if not any(ground.matched.values()):  # `all_zero` of Algorithm 4
                del self.instances[value]
        return found


class LooselyConnected:
    """Loosely connected query (GD Algorithm 3): a ground part, and stars without shared variables.

    Args:
        query: no pattern joins two variables.
        graph: the initial graph.
    """

    def __init__(self, query: Query, graph: Collection[Triple] = ()) -> None:
        ground, connected = decomposition(query)
        self.ground = Ground(ground, graph)
        self.stars = [Star(patterns, graph) for patterns in connected.values()]
        self.held = [star.values for star in self.stars]  # the answers T_S

    def process(self, message: Message) -> Iterator[Change]:
        """Apply one message part by part; each change is multiplied by the present answers of the other
        parts.
        """
        sign = self.ground.process(message)
        if sign is not None:
            yield from (Change(sign, row) for row in product(*self.held))
        for place, star in enumerate(self.stars):
            told = star.process(message)
            others = list(self.held)
            self.held[place] = star.values
            if self.ground.holds:
                for each, value in told:
                    others[place] = frozenset([value])
                    yield from (Change(each, row) for row in product(*others))

    def batch(self, messages: Sequence[Message]) -> frozenset[Change]:
        """Apply several messages as one change."""
        return frozenset(change for message in net(messages) for change in self.process(message))


def net(messages: Iterable[Message]) -> list[Message]:
    """Reduce a batch to the last message of each edge, deletions first."""
    last = {message.edge: message for message in messages}
    return sorted(last.values())


def first_matches(query: Query, inserted: Sequence[Triple]) -> Iterator[dict[Variable, Term]]:
    """Yield the embeddings of a query in the edges inserted so far, by section 6.5: the first edge that
    matches a pattern binds its variables, and the remaining patterns are evaluated over this edge and
    later ones.

    An embedding can be yielded several times.
    """
    if not query:
        yield {}
    for place, edge in enumerate(inserted):
        for pattern in query:
            values = match_edge(pattern, edge)
            if values is not None:
                rest = instance(query - {pattern}, values)
                for found in first_matches(rest, inserted[place:]):
                    yield {**values, **found}
