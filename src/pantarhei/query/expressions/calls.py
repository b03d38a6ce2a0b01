"""Functions of terms, called once for each combination of arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pantarhei.encoding.numbers import NONE
from pantarhei.errors import QueryError
from pantarhei.model.term import Term
from pantarhei.query.expressions.columns import Column, column_of, rows_of
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.distinct import distinct_rows
from pantarhei.query.solutions import Ids, Places

Function = Callable[..., Term | bool | int | None]
"""Takes terms; None, and whatever it raises, is an error of SPARQL's."""

_CALLS_BETWEEN_CHECKS = 256


def result_of(function: Function, arguments: Sequence[Term | None]) -> Term | bool | int | None:
    """A function's result, None where an argument is an error, or where it fails."""
    for argument in arguments:  # `in` would ask rdflib whether terms are equal
        if argument is None:
            return None
    try:
        return function(*arguments)
    except (QueryError, MemoryError):
        raise
    except Exception:  # whatever data does to a function
        return None


def call(function: Function, arguments: Sequence[Column], context: Context) -> Column:
    """The results of a function, by row. Costs a call for each combination of arguments."""
    if not arguments:
        return column_of([_counted(result_of(function, ()), context)], np.zeros(1, np.intp), context)
    size = common_size(arguments)
    rows, codes = distinct_rows([spread_ids(argument, size) for argument in arguments])
    terms = [context.terms_of(argument.ids[rows_of(argument, rows)]) for argument in arguments]
    return column_of(results_of(function, terms, context), codes, context)


def results_of(
    function: Function, arguments: Sequence[Sequence[Term | None]], context: Context
) -> list[Term | bool | int | None]:
    """The results of a function for each row of arguments, given by column."""
    results: list[Term | bool | int | None] = []
    for place, row in enumerate(zip(*arguments, strict=True)):
        if place % _CALLS_BETWEEN_CHECKS == 0:
            context.guard.check()
        results.append(_counted(result_of(function, row), context))
    return results


def _counted(result: Term | bool | int | None, context: Context) -> Term | bool | int | None:
    """Return a function's result; a term's text is counted."""
    if isinstance(result, str):
        context.guard.count_text(result)
    return result


def exactly(
    function: Function, arguments: Sequence[Column], context: Context
) -> Callable[[Places], list[Term | None]]:
    """The terms that a function results in, for rows that are asked for."""

    def at(rows: Places) -> list[Term | None]:
        found = results_of(function, [argument.at(rows) for argument in arguments], context)
        return [result if not isinstance(result, bool | int) else None for result in found]

    return at


def common_size(columns: Sequence[Column]) -> int:
    """How many places a result of columns has: one if all have one."""
    sizes = set(map(len, columns)) - {1}
    assert len(sizes) <= 1, sizes
    return sizes.pop() if sizes else 1


def spread_ids(column: Column, size: int) -> Ids:
    """A column's numbers of terms, one for each of `size` rows."""
    return column.ids if len(column) == size else np.full(size, column.ids[0] if len(column) else NONE)
