"""Aggregates of a group (SPARQL 1.1, section 18.5.1).

COUNT, MIN, MAX, SAMPLE and GROUP_CONCAT ignore the rows for which their expression is an error or unbound;
SUM and AVG are an error then. Over no values, COUNT, SUM and AVG are 0, GROUP_CONCAT is the empty text, and
MIN, MAX and SAMPLE are an error.

MIN and MAX are the first and the last term in the order of ORDER BY, SAMPLE is the first, and GROUP_CONCAT
uses this order. Terms that are equal in this order are sorted by their N-Triples text, and MIN, MAX and
SAMPLE return the first of them. DISTINCT compares terms, not values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from rdflib import BNode

from oracle.answers.algebra import Aggregate
from oracle.answers.comparing import OrderKey, order_key
from oracle.answers.numbers import INTEGER, Number, divide, to_literal, total
from oracle.answers.terms import ExpressionError, literal, ntriples
from pantarhei.model.term import Term


def aggregate_values(aggregate: Aggregate, values: Sequence[Term | None]) -> Term:
    """Aggregate the values of an expression for the rows of a group; None stands for an error.

    Raises:
        ExpressionError: the aggregate is an error.
    """
    terms = [term for term in values if term is not None]
    if len(terms) < len(values) and aggregate.name in ("SUM", "AVG"):
        raise ExpressionError
    if aggregate.is_distinct:
        terms = list(dict.fromkeys(terms))
    if aggregate.name == "GROUP_CONCAT":
        return _concatenate(terms, aggregate.separator)
    return _AGGREGATES[aggregate.name](terms)


def in_order(term: Term) -> tuple[OrderKey, str]:
    """Total order: by ORDER BY, then by N-Triples text."""
    return order_key(term), ntriples(term)


def _first(terms: Sequence[Term]) -> Term:
    if not terms:
        raise ExpressionError
    return min(terms, key=in_order)


def _last(terms: Sequence[Term]) -> Term:
    if not terms:
        raise ExpressionError
    greatest = max(map(order_key, terms))
    return min((term for term in terms if order_key(term) == greatest), key=ntriples)


def _count(terms: Sequence[Term]) -> Term:
    return to_literal(Number(INTEGER, len(terms)))


def _average(terms: Sequence[Term]) -> Term:
    return divide(total(terms), _count(terms)) if terms else _count(terms)


def _concatenate(terms: Sequence[Term], separator: str) -> Term:
    """Concatenate the texts of the terms; blank nodes have no text and are ignored."""
    texts = [str(term) for term in sorted(terms, key=in_order) if not isinstance(term, BNode)]
    return literal(separator.join(texts))


_AGGREGATES: Final[dict[str, Callable[[Sequence[Term]], Term]]] = {
    "COUNT": _count,
    "SUM": total,
    "AVG": _average,
    "MIN": _first,
    "MAX": _last,
    "SAMPLE": _first,
}
