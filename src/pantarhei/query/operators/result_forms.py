"""Results of CONSTRUCT and DESCRIBE: triples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np
from rdflib import BNode, Literal, URIRef, Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.model.term import Term, Triple
from pantarhei.query.algebra.nodes import PatternTerm, TriplePattern, is_hidden
from pantarhei.query.solutions import Ids, Indexes, SolutionTable, TermSpace
from pantarhei.query.sources.relation import FactSource
from pantarhei.rdf.ntriples import write_term


def construct(template: Sequence[TriplePattern], table: SolutionTable, terms: TermSpace) -> Ids:
    """Instantiate the template of a CONSTRUCT for all rows; returns the distinct triples, shape (n, 3).
    Invalid triples are left out.

    A blank node of the template is a new blank node in each distinct row: its label is a hash of the template
    and the row.
    """
    triples: Ids = np.unique(construct_by_row(template, table, terms)[1], axis=0)
    return triples


def construct_by_row(
    template: Sequence[TriplePattern], table: SolutionTable, terms: TermSpace
) -> tuple[Indexes, Ids]:
    """Instantiate a template for all rows; returns the row index of each triple, and the triples, shape (n,
    3).

    Each triple pattern of the template produces at most one triple for a row.
    """
    blank: set[PatternTerm] = {p for pattern in template for p in pattern.terms if isinstance(p, BNode)}
    made = _blank_nodes(template, blank, table, terms) if blank else {}
    parts = [_instantiate(pattern, table, made, terms) for pattern in template]
    if not parts:
        return np.empty(0, np.intp), np.empty((0, 3), np.int64)
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([triples for _, triples in parts])


def _instantiate(
    pattern: TriplePattern, table: SolutionTable, made: Mapping[PatternTerm, Ids], terms: TermSpace
) -> tuple[Indexes, Ids]:
    columns = [_column(term, table, made, terms) for term in pattern.terms]
    fits = np.ones(table.size, np.bool_)
    for column, kinds in zip(columns, _TERM_TYPES, strict=True):
        distinct, codes = np.unique(column, return_inverse=True)
        good = [number != NONE and isinstance(terms.term(number), kinds) for number in distinct.tolist()]
        fits &= np.array(good, np.bool_)[codes] if len(good) else False
    return np.flatnonzero(fits), np.stack(columns, axis=1)[fits]


_TERM_TYPES: tuple[tuple[type, ...], ...] = ((URIRef, BNode), (URIRef,), (URIRef, BNode, Literal))


def _column(
    term: PatternTerm, table: SolutionTable, made: Mapping[PatternTerm, Ids], terms: TermSpace
) -> Ids:
    if isinstance(term, Variable):
        return table.column(term)
    if term in made:
        return made[term]
    return np.full(table.size, terms.id_of(term), np.int64)


def _blank_nodes(
    template: Sequence[TriplePattern], labels: set[PatternTerm], table: SolutionTable, terms: TermSpace
) -> dict[PatternTerm, Ids]:
    """Return for each blank node of a template the column of its instances in the rows."""
    # plans have columns in any order, and may omit columns without bindings
    variables = sorted(v for v in table.columns if not is_hidden(v))
    columns = [terms.terms(table.columns[v]) for v in variables]
    rows = zip(*columns, strict=True) if columns else [()] * table.size
    texts = [
        "\n".join(
            f"{v} {write_term(term)}" for v, term in zip(variables, row, strict=True) if term is not None
        )
        for row in rows
    ]
    order = {label: index for index, label in enumerate(dict.fromkeys(p for t in template for p in t.terms))}
    shape = repr([[str(p) for p in t.terms if not isinstance(p, BNode)] for t in template])
    return {
        label: terms.ids_of([BNode(_label_of(f"{shape}\n{order[label]}\n{text}")) for text in texts])
        for label in labels
    }


def _label_of(text: str) -> str:
    return "q" + blake2b(text.encode(errors="surrogatepass"), digest_size=12).hexdigest()


def describe(
    described: Sequence[PatternTerm], table: SolutionTable, source: FactSource, terms: TermSpace
) -> list[Triple]:
    """Return the triples whose subject is a described term, or a blank node that is reached from one through
    objects.
    """
    found: dict[int, None] = {}
    for term in described:
        column = table.column(term) if isinstance(term, Variable) else np.array([terms.id_of(term)], np.int64)
        found.update(dict.fromkeys(np.unique(terms.values(column[column != NONE])).tolist()))
    triples: dict[Triple, None] = {}
    known, frontier = set(found), list(found)
    while frontier:
        matches = source.triples.matching(np.array(frontier, np.int64), None, None)
        frontier = []
        ids = matches.subjects, matches.predicates, matches.form_ids
        columns: list[list[Term | None]] = list(map(terms.terms, ids))
        for subject, predicate, object_, number in zip(*columns, matches.objects.tolist(), strict=True):
            triples[subject, predicate, object_] = None
            if isinstance(object_, BNode) and number not in known:
                known.add(number)
                frontier.append(number)
    return list(triples)
