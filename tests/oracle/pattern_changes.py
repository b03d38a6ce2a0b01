"""What comes to the answers of a basic graph pattern, and what goes, as the graph changes: by the definition,
and by the algorithms of GD (Gergatsoulis & Damigos; see the glossary).

A query is a set of triple patterns whose predicates are constants; its answers are its embeddings in the
graph (GD Definition 2), and a change of the graph makes some come and others go (Definition 13, `changes`).

The algorithms find that without the graph, for queries in which no pattern joins two variables (*loosely
connected*, Definition 11): such a query falls into a ground part and a star for each variable (Definition
10), whose answers multiply. They are here as they must read to be right. As they are printed they are wrong:

- Algorithm 1 takes the graph to be empty at the start. Here it is given (so in all of them).
- Algorithm 2 lets an edge match one pattern only. One edge may be several patterns of one value of the
  variable (`{a p ?x, ?x p a}` and `a p a`), and a pattern each of several values (`{a p ?x, ?x p b}` and
  `a p b`). And on a deletion it returns before the match is cleared, so that later ones are told again.
- Algorithm 3 hands Algorithm 2 the answers of a star where its list of instances is meant. Each star has a
  list of its own.
- Lemma 1 takes what is left of a variable for a simple star, which `{?x p ?x}` is not: its only neighbour is
  no constant. Algorithm 2 as it is here does not ask for that.
- Told one edge at a time they report what is gone again at the end of a batch. `net` comes first.
- Section 6.5, a sketch for queries of connected variables, lets the edge that binds a pattern count for this
  pattern alone; it may be others too. `first_matches` is what is meant.
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
    """An answer that came (positive) or went (negative)."""

    sign: Literal["positive", "negative"]
    row: Row


# -- the definition --------------------------------------------------------------------------------


def variables_of(query: Iterable[Pattern]) -> tuple[Variable, ...]:
    """The variables of a query, in the order of their names."""
    return tuple(sorted({node for s, _, o in query for node in (s, o) if isinstance(node, Variable)}))


def unified(pattern: Pattern, edge: Triple) -> dict[Variable, Term] | None:
    """What the variables of a pattern must be for it to be the edge; None if it cannot be."""
    if pattern[1] != edge[1]:
        return None
    found: dict[Variable, Term] = {}
    for node, term in ((pattern[0], edge[0]), (pattern[2], edge[2])):
        if (found.setdefault(node, term) if isinstance(node, Variable) else node) != term:
            return None
    return found


def instance(query: Iterable[Pattern], values: Embedding) -> Query:
    """The query with values in the place of variables."""

    def node(given: Argument) -> Argument:
        return values.get(given, given) if isinstance(given, Variable) else given

    return frozenset((node(s), p, node(o)) for s, p, o in query)


def embeddings(query: Query, graph: Collection[Triple]) -> Iterator[dict[Variable, Term]]:
    """Every way to give the variables values so that each pattern is in the graph (GD Definition 2)."""
    if not query:
        yield {}
        return
    pattern = min(query)
    for edge in graph:
        values = unified(pattern, edge)
        if values is not None:
            for rest in embeddings(instance(query - {pattern}, values), graph):
                yield {**values, **rest}


def answers(query: Query, graph: Collection[Triple]) -> frozenset[Row]:
    """The answers of a query; `()` is the one of a ground query that holds."""
    names = variables_of(query)
    return frozenset(tuple(found[name] for name in names) for found in embeddings(query, graph))


def changes(query: Query, before: Collection[Triple], after: Collection[Triple]) -> frozenset[Change]:
    """What a change of the graph makes come and go (GD Definition 13)."""
    were, are = answers(query, before), answers(query, after)
    came = {Change("positive", row) for row in are - were}
    return frozenset(came | {Change("negative", row) for row in were - are})


def changed(graph: Iterable[Triple], messages: Iterable[Message]) -> frozenset[Triple]:
    """The graph after the messages, one after another (GD section 5)."""
    edges = set(graph)
    for operation, edge in messages:
        (edges.add if operation == "ins" else edges.discard)(edge)
    return frozenset(edges)


# -- decomposition ---------------------------------------------------------------------------------


class Decomposition(NamedTuple):
    """A query's connected-variable decomposition (GD Definition 10).

    Args:
        ground: the patterns without variables.
        connected: for each set of variables that patterns join, the patterns with any of them.
    """

    ground: Query
    connected: Mapping[frozenset[Variable], Query]


def decomposition(query: Query) -> Decomposition:
    """The parts of a query that share no variable; its answers are the product of theirs (GD Lemma 3)."""
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
    """Whether no pattern joins two variables (GD Definition 11)."""
    return all(len(variables_of([pattern])) < 2 for pattern in query)


# -- GD's algorithms -------------------------------------------------------------------------------


class Ground:
    """A ground query (GD Algorithm 1, with `ground_BGP_eval` of Algorithm 4).

    Args:
        query: patterns without variables.
        graph: the graph at the start.
    """

    def __init__(self, query: Query, graph: Collection[Triple] = ()) -> None:
        self.matched = {pattern: pattern in graph for pattern in query}  # the triple match state M

    @property
    def holds(self) -> bool:
        """Whether all of it is in the graph."""
        return all(self.matched.values())

    def process(self, message: Message) -> Literal["positive", "negative"] | None:
        """What one message comes to."""
        held = self.holds
        if message.edge in self.matched:
            self.matched[message.edge] = message.operation == "ins"
        if self.holds == held:
            return None
        return "negative" if held else "positive"


class Star:
    """The patterns of one variable (GD Algorithm 2).

    Args:
        query: patterns with this variable, and no other.
        graph: the graph at the start.

    `instances` has for each value of the variable that any pattern matches the ground instance with its match
    state (the list L).
    """

    def __init__(self, query: Query, graph: Iterable[Triple] = ()) -> None:
        (self.variable,) = variables_of(query)
        self.query = query
        self.instances: dict[Term, Ground] = {}
        for edge in graph:
            self.process(Message("ins", edge))

    @property
    def values(self) -> frozenset[Term]:
        """The answers."""
        return frozenset(value for value, ground in self.instances.items() if ground.holds)

    def process(self, message: Message) -> list[tuple[Literal["positive", "negative"], Term]]:
        """What one message comes to, for each value of the variable that it matches a pattern with."""
        found: list[tuple[Literal["positive", "negative"], Term]] = []
        unifiers = (unified(pattern, message.edge) for pattern in sorted(self.query))
        for value in dict.fromkeys(values[self.variable] for values in unifiers if values is not None):
            ground = self.instances.setdefault(value, Ground(instance(self.query, {self.variable: value})))
            sign = ground.process(message)
            if sign is not None:
                found.append((sign, value))
            if not any(ground.matched.values()):  # `all_zero` of Algorithm 4
                del self.instances[value]
        return found


class LooselyConnected:
    """A loosely connected query (GD Algorithm 3): a ground part, and stars that share no variable.

    Args:
        query: no pattern joins two variables.
        graph: the graph at the start.
    """

    def __init__(self, query: Query, graph: Collection[Triple] = ()) -> None:
        ground, connected = decomposition(query)
        self.ground = Ground(ground, graph)
        self.stars = [Star(patterns, graph) for patterns in connected.values()]
        self.held = [star.values for star in self.stars]  # the answers T_S

    def process(self, message: Message) -> Iterator[Change]:
        """What one message comes to: part by part, each change beside what the other parts hold by then."""
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
        """What several messages come to as one change."""
        return frozenset(change for message in net(messages) for change in self.process(message))


def net(messages: Iterable[Message]) -> list[Message]:
    """What a batch comes to: of each edge the last message, deletions first."""
    last = {message.edge: message for message in messages}
    return sorted(last.values())


def first_matches(query: Query, inserted: Sequence[Triple]) -> Iterator[dict[Variable, Term]]:
    """The embeddings of a query in the edges inserted so far, as section 6.5 finds them: the first edge that
    matches a pattern binds its variables, and what is left is evaluated over this edge and those after it.

    One embedding may come several times.
    """
    if not query:
        yield {}
    for place, edge in enumerate(inserted):
        for pattern in query:
            values = unified(pattern, edge)
            if values is not None:
                rest = instance(query - {pattern}, values)
                for found in first_matches(rest, inserted[place:]):
                    yield {**values, **found}
