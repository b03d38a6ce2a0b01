"""Expressions evaluated on single terms, written as in N-Triples with `xsd:` for XML Schema's namespace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from rdflib import XSD, Literal, URIRef, Variable

from pantarhei.encoding.numbers import FIRST_LITERAL
from pantarhei.model.term import Term
from pantarhei.query.algebra.nodes import Aggregate, Call, OrderKey
from pantarhei.query.expressions import Context, LiteralValues, aggregate, compute, order, truth
from pantarhei.query.solutions import QueryLimits, SolutionTable, TermSpace
from pantarhei.rdf.ntriples import parse_term

NOW = "2026-01-31T10:00:00Z"
X = Variable("x")


def term(text: str) -> Term:
    """Parse a term; `1`, `1.5`, `1e0` and `true` abbreviate literals of their datatypes."""
    short = {"true": "boolean", "false": "boolean"}.get(text)
    if short is None and text[:1] in "0123456789-+.":
        short = "double" if "e" in text else "decimal" if "." in text else "integer"
    text = text if short is None else f'"{text}"^^xsd:{short}'
    lexical, typed, datatype = text.rpartition("^^xsd:")
    return parse_term(f"{lexical}^^<{XSD}{datatype}>" if typed else text, "")


def shown(given: Term | None) -> str | None:
    """Write a term, without abbreviations; the inverse of `term`."""
    if given is None:
        return None
    text = given.n3() if not isinstance(given, Literal) else f'"{given}"'
    if isinstance(given, Literal) and given.language:
        return f"{text}@{given.language}"
    return f"{text}^^xsd:{given.datatype[len(str(XSD)) :]}" if getattr(given, "datatype", None) else text


def context(terms: TermSpace | None = None, limits: QueryLimits | None = None) -> Context:
    now = Literal(NOW, datatype=XSD.dateTime, normalize=False)
    return Context(terms or TermSpace(), limits or QueryLimits(), LiteralValues([]), now)


def table_of(values: Sequence[Term | None], given: Context, variable: Variable = X) -> SolutionTable:
    return SolutionTable({variable: given.terms.ids_of(values)}, len(values))


def call(name: str, *arguments: str | None, base: str | None = None) -> str | None:
    """Return the value of a function of terms in a row, None for an error. An argument None is unbound."""
    given = context()
    variables = tuple(Variable(f"x{place}") for place in range(len(arguments)))
    terms = [None if argument is None else term(argument) for argument in arguments]
    rows = SolutionTable({v: given.terms.ids_of([t, t]) for v, t in zip(variables, terms, strict=True)}, 2)
    operands = (*variables, URIRef(base)) if name == "IRI" and base else variables
    one, other = given.terms.terms(compute(Call(name, operands), rows, given))
    assert one == other
    return shown(one)


def literal_of(text: str, datatype: str) -> Literal:
    return Literal(text, datatype=XSD[datatype], normalize=False)


def truths(name: str, *arguments: str | None) -> int:
    """Return the truth value of a function of terms."""
    given = context()
    variables = tuple(Variable(f"x{place}") for place in range(len(arguments)))
    terms = [None if argument is None else term(argument) for argument in arguments]
    rows = SolutionTable({v: given.terms.ids_of([t]) for v, t in zip(variables, terms, strict=True)}, 1)
    return int(truth(Call(name, variables), rows, given)[0])


def aggregated(function: str, *values: str | None, distinct: bool = False) -> str | None:
    """Return an aggregate of one group."""
    given = context()
    rows = table_of([None if value is None else term(value) for value in values], given)
    wanted = Aggregate(function, X, distinct, "|", Variable("result"))
    (found,) = aggregate([wanted], rows, np.zeros(len(rows), np.intp), 1, given)
    return shown(given.terms.terms(found)[0])


def ordered(values: Iterable[str | None], descending: bool = False) -> list[str | None]:
    """Return terms in the order of ORDER BY."""
    listed, given = list(values), context()
    rows = table_of([None if value is None else term(value) for value in listed], given)
    return [listed[place] for place in order([OrderKey(X, descending)], rows, given)]


class Vocabulary:
    """Literals that are numbered before the query is read."""

    def __init__(self, literals: list[Literal]) -> None:
        self.literals = literals

    def find(self, term: Term) -> int | None:
        return FIRST_LITERAL + self.literals.index(term) if term in self.literals else None

    def term(self, number: int) -> Term:
        return self.literals[number - FIRST_LITERAL]
