"""Table of SPARQL's functions, on single terms, and on columns where that avoids a call for each row.

Functional forms, which evaluate their arguments themselves, are in `evaluator`.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any, Final, NamedTuple

import numpy as np
from rdflib import BNode, Literal, URIRef

from pantarhei.encoding.numbers import NONE
from pantarhei.model.term import Term
from pantarhei.query.algebra.nodes import TIMESTAMP
from pantarhei.query.expressions import comparison, date_functions, kinds, term_functions
from pantarhei.query.expressions.arithmetic import arithmetic, arithmetic_of_terms, negation, rounding
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.expression_columns import (
    ERROR,
    Column,
    Function,
    IdColumn,
    NumberColumn,
    Truth,
    TruthColumn,
    call,
    common_size,
    distinct,
    spread_ids,
)
from pantarhei.query.expressions.regular_expressions import RegexError, compiled, matches
from pantarhei.query.expressions.scalars import CASTS, ExpressionError
from pantarhei.query.expressions.term_functions import TEXT_TESTS, simple
from pantarhei.query.solutions import SolutionTable

ByColumn = Callable[[Sequence[Column], SolutionTable, Context], Column | None]
"""Evaluates a function on columns of arguments; returns None if it must be called for each row."""


def _undefined(*terms: Term) -> Term:
    raise ExpressionError


class SparqlFunction(NamedTuple):
    """Function that can occur in expressions of a query.

    Args:
        of_terms: the function on single terms; by default it always raises an error.
        by_column: the function on columns; None if there is none.
        arities: numbers of arguments for which `by_column` is used.
        takes_context: whether the first argument of `of_terms` is the context.
    """

    of_terms: Function = _undefined
    by_column: ByColumn | None = None
    arities: tuple[int, ...] = ()
    takes_context: bool = False

    def in_context(self, context: Context) -> Function:
        """Return the function on single terms in a context."""
        return partial(self.of_terms, context) if self.takes_context else self.of_terms


# -- terms -------------------------------------------------------------------------------------------


def _same_term(arguments: Sequence[Column], table: SolutionTable, context: Context) -> Column:
    size = common_size(arguments)
    first, second = (spread_ids(argument, size) for argument in arguments)
    found = (first == second).astype(np.int8)
    found[(first == NONE) | (second == NONE)] = ERROR
    return TruthColumn(found, context)


def _is_kind(least: int, arguments: Sequence[Column], table: SolutionTable, context: Context) -> Column:
    """Test whether terms have a kind of at least `least`."""
    of_terms = arguments[0].kinds
    found = (of_terms >= least).astype(np.int8)
    found[of_terms == kinds.NOTHING] = ERROR
    return TruthColumn(found, context)


# -- strings -----------------------------------------------------------------------------------------


def _length(arguments: Sequence[Column], table: SolutionTable, context: Context) -> Column | None:
    """Evaluate STRLEN on columns of strings without language tags; None for other columns."""
    (texts,) = arguments
    if not (texts.kinds == kinds.STRING).all():
        return None
    lengths = [len(text) for text in context.terms_of(texts.ids) if text is not None]
    return NumberColumn.of_type(kinds.INTEGER, np.array(lengths, np.float64), context)


def _text_filter(
    name: str, arguments: Sequence[Column], table: SolutionTable, context: Context
) -> Column | None:
    """Evaluate CONTAINS, STRSTARTS, STRENDS or REGEX on a column and constants, once for each distinct
    string; None if the other arguments are not constant strings.
    """
    texts, *constants = arguments
    if not isinstance(texts, IdColumn) or not all(map(_is_string, constants)):
        return None
    strings = np.flatnonzero(texts.kinds == kinds.STRING)
    if len(strings) == len(texts):
        terms, indexes = distinct(texts.ids)
        wanted = [str(constant.at(np.zeros(1, np.intp))[0]) for constant in constants]
        found = _test_texts(name, [str(term) for term in context.terms_of(terms)], wanted, context)
        return TruthColumn(np.array(found, np.int8)[indexes], context)
    others = np.setdiff1d(np.arange(len(texts)), strings)
    truth = np.empty(len(texts), np.int8)
    truth[others] = call(function_of(name, context), [texts.take(others), *constants], context).truth
    if len(strings):
        of_strings = _text_filter(name, [texts.take(strings), *constants], table, context)
        assert of_strings is not None, "the column has only strings"
        truth[strings] = of_strings.truth
    return TruthColumn(truth, context)


def _is_string(column: Column) -> bool:
    return len(column) == 1 and column.kinds[0] == kinds.STRING


def _test_texts(name: str, texts: list[str], wanted: list[str], context: Context) -> Sequence[int]:
    test = TEXT_TESTS.get(name)
    if test is not None:
        (part,) = wanted
        return list(map(test, texts, repeat(part)))
    try:
        pattern = compiled(wanted[0], "".join(wanted[1:]))
    except RegexError:
        return [ERROR] * len(texts)
    return matches(texts, pattern, context.limits)


# -- volatile functions --------------------------------------------------------------------------------


def _rand(arguments: Sequence[Column], table: SolutionTable, context: Context) -> Column:
    numbers = np.random.default_rng().random(len(table))
    return NumberColumn.of_type(kinds.DOUBLE, numbers, context)


def _each_row(
    make: Callable[[], Term], arguments: Sequence[Column], table: SolutionTable, context: Context
) -> Column:
    return IdColumn.of((make() for _ in range(len(table))), context)


def _bnode(arguments: Sequence[Column], table: SolutionTable, context: Context) -> Column:
    """Create a blank node for each row; with an argument, one for each distinct text in a solution.

    A solution is identified by its row in the first column of the table, which persists while further
    variables are bound.
    """
    if not arguments:
        return _each_row(BNode, arguments, table, context)
    texts = arguments[0].at(np.arange(len(table)))
    address = 0
    if table.columns:
        first = next(iter(table.columns.values()))
        context.pinned.append(first)
        address = id(first)
    return IdColumn.of((_blank_node(context, address, row, text) for row, text in enumerate(texts)), context)


def _blank_node(context: Context, address: int, row: int, text: Term | None) -> BNode | None:
    if text is None:
        return None
    try:
        key = simple(text)
    except ExpressionError:
        return None
    return context.blank_nodes.setdefault((address, row, key), BNode()) if address else BNode()


# -- functions registered with rdflib --------------------------------------------------------------


def is_known_function(iri: str) -> bool:
    """Return whether a query may call a function with this IRI: a cast, or a function registered with
    rdflib.
    """
    return str(iri) in CASTS or URIRef(iri) in _custom_functions()


def _custom_functions() -> Mapping[URIRef, tuple[Callable[..., Any], bool]]:
    """Return the functions registered with rdflib, without importing rdflib's slow module."""
    operators = sys.modules.get("rdflib.plugins.sparql.operators")
    return {} if operators is None else operators._CUSTOM_FUNCTIONS


def _custom(iri: str, *arguments: Term) -> Term:
    """Call the function that is registered with rdflib under an IRI.

    Raises:
        ExpressionError: the function is no longer registered, or its result is not a term.
    """
    function, raw = _custom_functions().get(URIRef(iri), (None, False))
    if function is None:
        raise ExpressionError
    result = _raw(function, iri, arguments) if raw else function(*arguments)
    if not isinstance(result, URIRef | BNode | Literal):
        raise ExpressionError
    return result


def _raw(function: Callable[..., Any], iri: str, arguments: tuple[Term, ...]) -> object:
    """Call a raw function, whose argument is a parse tree, as rdflib's evaluator does."""
    from rdflib.plugins.sparql.parserutils import Expr
    from rdflib.plugins.sparql.sparql import FrozenBindings, QueryContext

    expression = Expr("Function", function, iri=URIRef(iri), expr=list(arguments), distinct=[])
    return function(expression, FrozenBindings(QueryContext()))


# -- the table ---------------------------------------------------------------------------------------


def _of_columns(function: Callable[..., Column | None]) -> ByColumn:
    """Adapt a function whose arguments are columns and the context."""
    return lambda arguments, table, context: function(*arguments, context)


def _comparison(function: Callable[[Column, Column, Context], Truth]) -> SparqlFunction:
    def by_column(arguments: Sequence[Column], table: SolutionTable, context: Context) -> Column:
        left, right = arguments
        return TruthColumn(function(left, right, context), context)

    return SparqlFunction(by_column=by_column, arities=(2,))


_Row = SparqlFunction
_BY_COLUMN: Final[dict[str, SparqlFunction]] = {
    "=": _comparison(comparison.equality),
    "!=": _comparison(comparison.inequality),
    **{sign: _comparison(partial(comparison.order, sign)) for sign in comparison.ORDERS},
    **{
        sign: _Row(partial(arithmetic_of_terms, sign), _of_columns(partial(arithmetic, sign)), (2,))
        for sign in "+-*/"
    },
    "neg": _Row(partial(arithmetic_of_terms, "neg"), _of_columns(negation), (1,)),
    **{
        name: _Row(partial(arithmetic_of_terms, name), _of_columns(partial(rounding, name)), (1,))
        for name in ("ABS", "CEIL", "FLOOR", "ROUND")
    },
    **{
        name: _Row(
            partial(date_functions.part_of_time, name),
            _of_columns(partial(date_functions.parts_of_times, name)),
            (1,),
        )
        for name in date_functions.PARTS
    },
    **{
        name: _Row(partial(term_functions.text_test, name), partial(_text_filter, name), (2,))
        for name in TEXT_TESTS
    },
    "REGEX": _Row(term_functions.regex, partial(_text_filter, "REGEX"), (2, 3), takes_context=True),
    "STRLEN": _Row(term_functions.strlen, _length, (1,)),
    "SAMETERM": _Row(by_column=_same_term, arities=(2,)),
    "ISLITERAL": _Row(by_column=partial(_is_kind, kinds.NAME + 1), arities=(1,)),
    "ISNUMERIC": _Row(by_column=partial(_is_kind, kinds.FIRST_NUMBER), arities=(1,)),
    "RAND": _Row(by_column=_rand, arities=(0,)),
    "UUID": _Row(by_column=partial(_each_row, lambda: URIRef(uuid.uuid4().urn)), arities=(0,)),
    "STRUUID": _Row(by_column=partial(_each_row, lambda: Literal(str(uuid.uuid4()))), arities=(0,)),
    "BNODE": _Row(by_column=_bnode, arities=(0, 1)),
}
_BY_TERM: Final[dict[str, Function]] = {
    **CASTS,
    **term_functions.HASHES,
    "STR": term_functions.str_,
    "SUBSTR": term_functions.substr,
    "UCASE": partial(term_functions.map_text, str.upper),
    "LCASE": partial(term_functions.map_text, str.lower),
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
_IN_CONTEXT: Final[dict[str, Function]] = {
    "NOW": lambda context: context.now,
    TIMESTAMP: Context.time_of,
    # these check limits first, since they may be slow or return texts longer than their arguments
    "REPLACE": term_functions.replace,
    "ENCODE_FOR_URI": term_functions.encode_for_uri,
    "CONCAT": term_functions.concat,
}
FUNCTIONS: Final[dict[str, SparqlFunction]] = {
    **_BY_COLUMN,
    **{name: SparqlFunction(function) for name, function in _BY_TERM.items()},
    **{name: SparqlFunction(function, takes_context=True) for name, function in _IN_CONTEXT.items()},
}


def function_of(name: str, context: Context) -> Function:
    """Return the SPARQL function called `name` that takes a term, not a column, for each argument."""
    known = FUNCTIONS.get(str(name))  # an IRI's hash differs from that of its text
    return partial(_custom, name) if known is None else known.in_context(context)
