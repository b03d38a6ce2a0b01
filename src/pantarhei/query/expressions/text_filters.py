"""CONTAINS, STRSTARTS, STRENDS and REGEX of many strings and one constant, without a call for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.calls import call
from pantarhei.query.expressions.columns import Column, TermColumn, TruthColumn
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.distinct import distinct
from pantarhei.query.expressions.functions import function_of
from pantarhei.query.expressions.regular_expressions import PatternError, compiled, matches
from pantarhei.query.solutions import Places

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
