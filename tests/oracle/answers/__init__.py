"""Answers of SPARQL queries, by the definitions of the standard.

rdflib parses the texts (`syntax`). All other stages are implemented here, short and slow: the `translation`
into the `algebra`, its `evaluation` over a `graph`, `expressions` with the functions of `terms`, `numbers`,
`texts`, `times`, `casts` and `comparing`, and the `aggregates`.

Where SPARQL 1.1 leaves a choice, or the window semantics deviates, each module documents its choice. The main
ones: joins of all kinds compare literals by value, and a joined variable has the lexical form that occurs
first in the text; DISTINCT, groups and results distinguish lexical forms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from rdflib import BNode, Literal, URIRef, Variable

from oracle.answers.algebra import Query, Select, TriplePattern
from oracle.answers.context import Context, Row
from oracle.answers.evaluation import Ranked, is_open, ranked_solutions
from oracle.answers.graph import Graph, merge
from oracle.answers.result import Answers, agrees, difference
from oracle.answers.terms import plain
from oracle.answers.translation import translate
from pantarhei.model.term import Term, Triple

__all__ = ["Answers", "agrees", "answers", "difference"]


def answers(
    text: str,
    default: Iterable[Triple],
    named: Mapping[URIRef, Iterable[Triple]] | None = None,
    namespaces: Mapping[str, str] | None = None,
    bindings: Mapping[str, Term] | None = None,
    now: datetime | None = None,
    times: Mapping[URIRef | None, Mapping[Triple, Term]] | None = None,
) -> Answers:
    """Return the answers of a query over a dataset.

    FROM and FROM NAMED select from `named`; a missing graph is empty.

    Args:
        text: the query.
        default: the default graph.
        named: the named graphs.
        namespaces: prefixes that the query can use without a declaration.
        bindings: terms that replace variables everywhere in the query.
        now: the value of NOW.
        times: the values of C-SPARQL's `timestamp` for triples, by graph; None is the default graph. A graph
            merged by FROM has no times.

    Raises:
        QueryError: the query is malformed.

    >>> from rdflib import RDF
    >>> triples = [(URIRef("urn:a"), RDF.type, URIRef("urn:C"))]
    >>> answers("SELECT ?x { ?x a <urn:C> }", triples).rows_in_order
    [(rdflib.term.URIRef('urn:a'),)]
    """
    query = translate(text, {prefix: str(iri) for prefix, iri in (namespaces or {}).items()})
    given: Row = {Variable(name): plain(term) for name, term in (bindings or {}).items()}
    times = times or {}
    graphs = {name: Graph(triples, times.get(name)) for name, triples in (named or {}).items()}
    context = Context(
        Graph(default, times.get(None)), graphs, now or datetime.now(UTC), query.base, given, given
    )
    context = _with_dataset(query, context)
    select = query.solutions
    if query.form in ("CONSTRUCT", "DESCRIBE"):
        select = replace(select, variables=_all_variables(query))
    solutions = ranked_solutions(select, context)
    end = len(solutions) if select.limit is None else select.offset + select.limit
    rows = [{**given, **row} for row, _ in solutions[select.offset : end]]
    is_determined = context.notes.is_determined
    known = _blank_nodes(context)
    if query.form == "SELECT":
        return replace(_selected(select, solutions, context), is_determined=is_determined, known=known)
    if query.form == "ASK":
        return Answers("ASK", ask=bool(rows), is_determined=is_determined)
    is_determined &= not is_open(solutions, select.offset) and not is_open(solutions, end)
    make = _construct if query.form == "CONSTRUCT" else _describe
    return Answers(query.form, triples=make(query, rows, context), is_determined=is_determined, known=known)


def _with_dataset(query: Query, context: Context) -> Context:
    """Return the context with the dataset that FROM and FROM NAMED define."""
    if query.default is None or query.named is None:
        return context
    default = merge(context.named.get(name, Graph(())) for name in query.default)
    named = {name: context.named.get(name, Graph(())) for name in query.named}
    return replace(context, graph=default, named=named)


def _selected(select: Select, solutions: list[Ranked], context: Context) -> Answers:
    rows = [
        (tuple(row.get(v, context.fixed.get(v)) for v in select.variables), rank) for row, rank in solutions
    ]
    names = tuple(map(str, select.variables))
    return Answers("SELECT", variables=names, solutions=tuple(rows), offset=select.offset, limit=select.limit)


def _blank_nodes(context: Context) -> frozenset[BNode]:
    """Return the blank nodes of all graphs."""
    graphs = (context.graph, *context.named.values())
    terms = (term for graph in graphs for triple in graph.triples for term in triple)
    return frozenset(term for term in terms if isinstance(term, BNode))


def _all_variables(query: Query) -> tuple[Variable, ...]:
    """Return the variables in the template of CONSTRUCT, or in the resources of DESCRIBE."""
    places = [place for t in query.template for place in (t.subject, t.predicate, t.object)]
    return tuple(dict.fromkeys(v for v in (*places, *query.described) if isinstance(v, Variable)))


def _construct(query: Query, rows: Sequence[Row], context: Context) -> frozenset[Triple]:
    """Instantiate the template for each row, with new blank nodes; invalid triples are omitted."""
    made = set()
    for row in rows:
        nodes: dict[Variable, Term] = {}
        for pattern in query.template:
            triple = _instance(pattern, row, nodes)
            if triple is not None:
                made.add(triple)
    return frozenset(made)


def _instance(pattern: TriplePattern, row: Row, nodes: dict[Variable, Term]) -> Triple | None:
    terms = []
    for place in (pattern.subject, pattern.predicate, pattern.object):
        if isinstance(place, Variable) and place.startswith("_:"):
            place = nodes.setdefault(place, BNode())
        terms.append(row.get(place) if isinstance(place, Variable) else place)
    subject, predicate, object_ = terms
    if not isinstance(subject, URIRef | BNode) or not isinstance(predicate, URIRef):
        return None
    return (subject, predicate, object_) if isinstance(object_, URIRef | BNode | Literal) else None


def _describe(query: Query, rows: Sequence[Row], context: Context) -> frozenset[Triple]:
    """Return the concise bounded descriptions: the triples whose subject is a resource, and recursively those
    of their blank nodes.
    """
    pending: list[Term] = []
    for place in query.described:
        pending += [row[place] for row in rows if place in row] if isinstance(place, Variable) else [place]
    seen: set[Term] = set()
    found: set[Triple] = set()
    while pending:
        resource = pending.pop()
        if resource in seen:
            continue
        seen.add(resource)
        triples = [triple for triple in context.graph.triples if triple[0] == resource]
        found.update(triples)
        pending += [triple[2] for triple in triples if isinstance(triple[2], BNode)]
    return frozenset(found)
