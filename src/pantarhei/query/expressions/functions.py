"""The functions that are called with terms, by the names that expressions have for them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from rdflib import BNode, Literal, URIRef
from rdflib.plugins.sparql import operators
from rdflib.plugins.sparql.parserutils import Expr
from rdflib.plugins.sparql.sparql import FrozenBindings, QueryContext

from pantarhei.model.term import Term
from pantarhei.query.algebra.expressions import TIMESTAMP
from pantarhei.query.expressions import date_functions, kinds, term_functions
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.regular_expressions import PatternError, compiled, matches
from pantarhei.query.expressions.scalars import CASTS, ExpressionError, number_of
from pantarhei.query.expressions.term_functions import simple
from pantarhei.query.expressions.value_columns import (
    Column,
    Function,
    NumberColumn,
    TermColumn,
    TruthColumn,
    call,
    distinct,
)
from pantarhei.query.table import Places, Table
from pantarhei.values import canonical


def is_known_function(iri: str) -> bool:
    """Whether a query may call a function of this IRI: a cast, or one registered with rdflib."""
    return str(iri) in CASTS or URIRef(iri) in operators._CUSTOM_FUNCTIONS


def custom_function(iri: str) -> Callable[..., Term]:
    """The function registered with rdflib under an IRI; an error where it is gone, or results in no term."""

    def call(*arguments: Term) -> Term:
        function, raw = operators._CUSTOM_FUNCTIONS.get(URIRef(iri), (None, False))
        if function is None:
            raise ExpressionError
        result = _raw(function, iri, arguments) if raw else function(*arguments)  # type: ignore[arg-type]
        if not isinstance(result, URIRef | BNode | Literal):
            raise ExpressionError
        return result

    return call


def _raw(function: Callable[..., Any], iri: str, arguments: tuple[Term, ...]) -> object:
    """What a function says that is asked as rdflib's evaluator would."""
    expression = Expr("Function", function, iri=URIRef(iri), expr=list(arguments), distinct=[])
    return function(expression, FrozenBindings(QueryContext()))


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


_FUNCTIONS: Final[dict[str, Function]] = {
    **CASTS,
    **term_functions.HASHES,
    "STR": term_functions.str_,
    "STRLEN": term_functions.strlen,
    "SUBSTR": term_functions.substr,
    "UCASE": term_functions.ucase,
    "LCASE": term_functions.lcase,
    "STRSTARTS": term_functions.strstarts,
    "STRENDS": term_functions.strends,
    "CONTAINS": term_functions.contains,
    "STRBEFORE": term_functions.strbefore,
    "STRAFTER": term_functions.strafter,
    "LANG": term_functions.lang,
    "LANGMATCHES": term_functions.langmatches,
    "IRI": term_functions.iri,
    "ISIRI": term_functions.is_iri,
    "ISURI": term_functions.is_iri,
    "ISBLANK": term_functions.is_blank,
    "DATATYPE": term_functions.datatype,
    "STRDT": term_functions.strdt,
    "STRLANG": term_functions.strlang,
    "TIMEZONE": date_functions.timezone,
    "TZ": date_functions.tz,
}


# Functions that may take long, or make texts longer than their arguments: they check limits before.
_LIMITED: Final[dict[str, Callable[..., Term | bool]]] = {
    "REGEX": term_functions.regex,
    "REPLACE": term_functions.replace,
    "ENCODE_FOR_URI": term_functions.encode_for_uri,
    "CONCAT": term_functions.concat,
}


def function_of(name: str, context: Context) -> Function:
    """The function of a name, for arguments that are terms."""
    known = _FUNCTIONS.get(str(name))  # an IRI's hash is not that of its text
    if known is not None:
        return known
    if name == "NOW":
        return lambda: context.now
    if name == TIMESTAMP:
        return context.time_of
    limited = _LIMITED.get(str(name))
    if limited is not None:
        return partial(limited, context.guard)
    return _plus if name == "+" else custom_function(name)


def _plus(term: Term) -> Term:
    """The number itself, in canonical form."""
    return canonical.number(number_of(term))


_ONLY = np.zeros(1, np.intp)


def text_filter(name: str, arguments: Sequence[Column], context: Context) -> Column:
    """The truth of a filter, by row."""
    texts, *constants = arguments
    if not isinstance(texts, TermColumn) or not all(map(_is_string, constants)):
        return call(function_of(name, context), arguments, context)
    strings = np.flatnonzero(texts.kinds == kinds.STRING)
    if len(strings) < len(texts):
        return _of_strings_and_others(name, texts, strings, constants, context)
    terms, places = distinct(texts.ids)
    wanted = [str(constant.at(_ONLY)[0]) for constant in constants]
    found = _FILTERS[name]([str(term) for term in context.terms_of(terms)], wanted, context)
    return TruthColumn(np.array(found, np.int8)[places], context)


def _is_string(column: Column) -> bool:
    return len(column) == 1 and column.kinds[0] == kinds.STRING


def _of_strings_and_others(
    name: str, texts: TermColumn, strings: Places, constants: Sequence[Column], context: Context
) -> Column:
    others = np.setdiff1d(np.arange(len(texts)), strings)
    truth = np.empty(len(texts), np.int8)
    truth[others] = call(function_of(name, context), [texts.taken(others), *constants], context).truth
    if len(strings):
        truth[strings] = text_filter(name, [texts.taken(strings), *constants], context).truth
    return TruthColumn(truth, context)


def _matching(texts: list[str], wanted: list[str], context: Context) -> list[bool] | list[int]:
    try:
        pattern = compiled(wanted[0], "".join(wanted[1:]))
    except PatternError:
        return [-1] * len(texts)
    return matches(texts, pattern, context.guard)


_FILTERS: Final[dict[str, Callable[[list[str], list[str], Context], Sequence[int]]]] = {
    "CONTAINS": lambda texts, wanted, context: [wanted[0] in text for text in texts],
    "STRSTARTS": lambda texts, wanted, context: [text.startswith(wanted[0]) for text in texts],
    "STRENDS": lambda texts, wanted, context: [text.endswith(wanted[0]) for text in texts],
    "REGEX": _matching,
}
ARITIES: Final[dict[str, tuple[int, ...]]] = {
    "CONTAINS": (2,),
    "STRSTARTS": (2,),
    "STRENDS": (2,),
    "REGEX": (2, 3),
}
