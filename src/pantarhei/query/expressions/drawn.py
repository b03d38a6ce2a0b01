"""Functions that are drawn once a row: RAND, UUID, STRUUID and BNODE (SPARQL 1.1, section 17.4)."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from rdflib import BNode, Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.columns import Column, NumberColumn, TermColumn
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.strings import simple
from pantarhei.query.expressions.values import ExpressionError
from pantarhei.query.solutions import Table


def _rand(arguments: Sequence[Column], table: Table, context: Context) -> Column:
    numbers = np.random.default_rng().random(len(table))
    return NumberColumn.of_type(kinds.DOUBLE, numbers, context)


def _each_row(make: Callable[[], Term]) -> Callable[[Sequence[Column], Table, Context], Column]:
    def column(arguments: Sequence[Column], table: Table, context: Context) -> Column:
        return TermColumn.of((make() for _ in range(len(table))), context)

    return column


def _bnode(arguments: Sequence[Column], table: Table, context: Context) -> Column:
    """A new blank node; with an argument the same one for one text in one solution.

    A solution is known by its row in the first column, which is still there when something is bound.
    """
    if not arguments:
        return _each_row(BNode)(arguments, table, context)
    texts = arguments[0].at(np.arange(len(table)))
    place = 0
    if table.columns:
        first = next(iter(table.columns.values()))
        context.kept.append(first)
        place = id(first)
    return TermColumn.of((_node(context, place, row, text) for row, text in enumerate(texts)), context)


def _node(context: Context, place: int, row: int, text: Term | None) -> BNode | None:
    if text is None:
        return None
    try:
        key = simple(text)
    except ExpressionError:
        return None
    return context.blank_nodes.setdefault((place, row, key), BNode()) if place else BNode()


DRAWN: Final[dict[str, Callable[[Sequence[Column], Table, Context], Column]]] = {
    "RAND": _rand,
    "UUID": _each_row(lambda: URIRef(uuid.uuid4().urn)),
    "STRUUID": _each_row(lambda: Literal(str(uuid.uuid4()))),
    "BNODE": _bnode,
}
