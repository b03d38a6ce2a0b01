"""The values of expressions over tables of rows, by column.

A function is evaluated by column where numbers, truth values or the kinds of terms suffice, else called once
for each combination of its arguments. What is an error for a row leaves the rest alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.errors import QueryError
from pantarhei.model.term import Term
from pantarhei.query.algebra.expressions import Call, Expression, variables_of
from pantarhei.query.expressions import comparison, kinds, term_functions, value_columns
from pantarhei.query.expressions.arithmetic import arithmetic, negation, rounding
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.date_functions import PARTS, part, parts
from pantarhei.query.expressions.functions import ARITIES, DRAWN, function_of, text_filter
from pantarhei.query.expressions.value_columns import (
    ERROR,
    Column,
    NumberColumn,
    TermColumn,
    Truth,
    TruthColumn,
    call,
    common_size,
    have_value,
    result_of,
    spread,
    spread_ids,
    together,
)
from pantarhei.query.table import Ids, Mask, Table
from pantarhei.values import canonical


def truth(expression: Expression, table: Table, context: Context) -> Truth:
    """The effective boolean values of an expression, by row: 1, 0, or -1 for an error.

    Raises:
        QueryError: the expression is nested too deeply.
        QueryTimeoutError: it takes too long.
    """
    return np.array(spread(values(expression, table, context).truth, len(table)), np.int8)


def compute(expression: Expression, table: Table, context: Context) -> Ids:
    """The terms that an expression results in, by row; `NONE` for an error.

    Raises: as `truth`.
    """
    return spread_ids(values(expression, table, context), len(table))


def values(expression: Expression, table: Table, context: Context) -> Column:
    """The values of an expression: one a row, or one for all.

    Raises: as `truth`.
    """
    context.guard.check()
    try:
        return _evaluate(expression, table, context)
    except RecursionError:
        raise QueryError("an expression of the query is nested too deeply") from None


def _evaluate(expression: Expression, table: Table, context: Context) -> Column:
    if isinstance(expression, Variable):
        return TermColumn(table.column(expression), context)
    if not isinstance(expression, Call):
        return TermColumn(np.array([context.terms.id_of(expression)], np.int64), context)
    name, operands = expression.function, expression.arguments
    form = _FORMS.get(name)
    if form is not None:
        return form(operands, table, context)
    if _takes_terms(expression):
        return _called(expression, table, context)
    arguments = [_evaluate(operand, table, context) for operand in operands]
    drawn = DRAWN.get(name)
    if drawn is not None:
        return drawn(arguments, table, context)
    return _BY_COLUMN[name].function(arguments, context)


# -- functions that are called with terms --------------------------------------------------------------


def _takes_terms(expression: Call) -> bool:
    """Whether its function is called with terms, and not evaluated by column."""
    name = expression.function
    if name in _FORMS or name in DRAWN:
        return False
    by_column = _BY_COLUMN.get(name)
    return by_column is None or len(expression.arguments) not in by_column.arities


def _called(expression: Call, table: Table, context: Context) -> Column:
    """The results of such a function. Others like it among its arguments are called with it, so that what
    they result in needs no numbers.
    """
    varying: list[Expression] = []
    function = _composed(expression, varying, context)
    arguments = [_evaluate(operand, table, context) for operand in varying]
    return call(lambda *terms: function(terms), arguments, context)


_OfTerms = Callable[[Sequence[Term]], Term | bool | int | None]


def _composed(expression: Call, varying: list[Expression], context: Context) -> _OfTerms:
    """The function of an expression, taking the terms of what is added to `varying`."""
    function = function_of(expression.function, context)
    operands = [_operand(operand, varying, context) for operand in expression.arguments]
    return lambda terms: result_of(function, [operand(terms) for operand in operands])


def _operand(operand: Expression, varying: list[Expression], context: Context) -> Callable[..., Term | None]:
    """What an operand is, as a function of the terms of `varying`."""
    if isinstance(operand, Call) and _takes_terms(operand):
        inner = _composed(operand, varying, context)
        return lambda terms: _as_term(inner(terms))
    if isinstance(operand, Variable | Call):
        if isinstance(operand, Call) or operand not in varying:
            varying.append(operand)
            return itemgetter(len(varying) - 1)
        return itemgetter(varying.index(operand))
    (constant,) = context.terms_of(np.array([context.terms.id_of(operand)], np.int64))
    return lambda terms: constant


def _as_term(result: Term | bool | int | None) -> Term | None:
    return None if result is None else canonical.of(result)


# -- functional forms, which look at errors, or at some rows only --------------------------------------


def _bound(operands: Sequence[Expression], table: Table, context: Context) -> Column:
    (variable,) = operands
    found = _evaluate(variable, table, context)
    return TruthColumn(have_value(found).astype(np.int8), context)


def _not(operands: Sequence[Expression], table: Table, context: Context) -> Column:
    (operand,) = operands
    return TruthColumn(value_columns.logical_not(_evaluate(operand, table, context).truth), context)


def _connected(
    decisive: int,
    combine: Callable[[Truth, Truth], Truth],
    operands: Sequence[Expression],
    table: Table,
    context: Context,
) -> Column:
    """The conjunction or disjunction of operands; the later ones are evaluated where it is not decided yet,
    if that is on few rows.
    """
    first, *others = operands
    found = _evaluate(first, table, context).truth
    for operand in others:
        undecided = found != decisive
        count = int(np.count_nonzero(undecided))
        if not count:
            break
        if len(found) == len(table) and 2 * count < len(found):
            found = found.copy()
            rest = _evaluate_at(operand, table, undecided, context).truth
            found[undecided] = combine(found[undecided], rest)
        else:
            found = combine(found, _evaluate(operand, table, context).truth)
    return TruthColumn(found, context)


def _evaluate_at(expression: Expression, table: Table, mask: Mask, context: Context) -> Column:
    """The values of an expression at the rows that `mask` marks, which are not all of one."""
    return _evaluate(expression, table.only(variables_of(expression)).kept(mask), context)


def _if(operands: Sequence[Expression], table: Table, context: Context) -> Column:
    condition, then, otherwise = operands
    found = _evaluate(condition, table, context).truth
    if len(found) == 1:
        chosen = {1: then, 0: otherwise}.get(int(found[0]))
        return _nothing(context) if chosen is None else _evaluate(chosen, table, context)
    branches = [
        (mask, _evaluate_at(branch, table, mask, context))
        for branch, mask in ((then, found == 1), (otherwise, found == 0))
        if mask.any()
    ]
    return together(len(found), branches, context)


def _coalesce(operands: Sequence[Expression], table: Table, context: Context) -> Column:
    size = len(table)
    left = np.ones(size, np.bool_)
    branches: list[tuple[Mask, Column]] = []
    for operand in operands:
        found = _evaluate_at(operand, table, left, context)
        there = np.array(spread(have_value(found), int(np.count_nonzero(left))))
        mask = left.copy()
        mask[left] = there
        if mask.any():
            branches.append((mask, found if len(found) == 1 else found.taken(np.flatnonzero(there))))
        left &= ~mask
        if not left.any():
            break
    return together(size, branches, context)


def _in(operands: Sequence[Expression], table: Table, context: Context) -> Column:
    """Whether the first is equal to one of the others: a disjunction of `=`."""
    first, *others = operands
    wanted = _evaluate(first, table, context)
    candidates = [_evaluate(other, table, context) for other in others]
    are_names = [len(each) == 1 and each.kinds[0] == kinds.NAME for each in candidates]
    names = [int(each.ids[0]) for each, is_name in zip(candidates, are_names, strict=True) if is_name]
    found = np.isin(wanted.ids, names).astype(np.int8) if names else np.zeros(len(wanted), np.int8)
    if names or not candidates:
        found[~have_value(wanted)] = ERROR if candidates else 0
    for candidate, is_name in zip(candidates, are_names, strict=True):
        if not is_name:
            found = value_columns.logical_or(found, comparison.equality(wanted, candidate, context))
    return TruthColumn(found, context)


def _nothing(context: Context) -> Column:
    return TermColumn(np.array([NONE], np.int64), context)


_Form = Callable[[Sequence[Expression], Table, Context], Column]
_FORMS: Final[dict[str, _Form]] = {
    "BOUND": _bound,
    "!": _not,
    "&&": partial(_connected, 0, value_columns.logical_and),
    "||": partial(_connected, 1, value_columns.logical_or),
    "IF": _if,
    "COALESCE": _coalesce,
    "IN": _in,
}


# -- functions by column -----------------------------------------------------------------------------


def _same_term(arguments: Sequence[Column], context: Context) -> Column:
    one, other = arguments
    size = common_size(arguments)
    first, second = spread_ids(one, size), spread_ids(other, size)
    found = (first == second).astype(np.int8)
    found[(first == NONE) | (second == NONE)] = ERROR
    return TruthColumn(found, context)


def _is_kind(least: int, arguments: Sequence[Column], context: Context) -> Column:
    """Whether the kinds are `least` or above."""
    of_terms = arguments[0].kinds
    found = (of_terms >= least).astype(np.int8)
    found[of_terms == kinds.NOTHING] = ERROR
    return TruthColumn(found, context)


def _part_of_time(name: str, arguments: Sequence[Column], context: Context) -> Column:
    found = parts(name, arguments[0], context)
    return call(partial(part, name), arguments, context) if found is None else found


def _length(arguments: Sequence[Column], context: Context) -> Column:
    """STRLEN, of strings without a look at each."""
    (texts,) = arguments
    if not (texts.kinds == kinds.STRING).all():
        return call(term_functions.strlen, arguments, context)
    lengths = [len(text) for text in context.terms_of(texts.ids) if text is not None]
    return NumberColumn.of_type(kinds.INTEGER, np.array(lengths, np.float64), context)


def _equality(given: Sequence[Column], context: Context) -> Column:
    return TruthColumn(comparison.equality(given[0], given[1], context), context)


def _inequality(given: Sequence[Column], context: Context) -> Column:
    return TruthColumn(comparison.inequality(given[0], given[1], context), context)


def _order(name: str, given: Sequence[Column], context: Context) -> Column:
    return TruthColumn(comparison.order(name, given[0], given[1], context), context)


def _arithmetic(name: str, given: Sequence[Column], context: Context) -> Column:
    return arithmetic(name, given[0], given[1], context)


def _rounding(name: str, given: Sequence[Column], context: Context) -> Column:
    return rounding(name, given[0], context)


class _ByColumn(NamedTuple):
    arities: tuple[int, ...]
    function: Callable[[Sequence[Column], Context], Column]


_BY_COLUMN: Final[dict[str, _ByColumn]] = {
    "=": _ByColumn((2,), _equality),
    "!=": _ByColumn((2,), _inequality),
    **{name: _ByColumn((2,), partial(_order, name)) for name in comparison.ORDERS},
    **{name: _ByColumn((2,), partial(_arithmetic, name)) for name in ("+", "-", "*", "/")},
    "neg": _ByColumn((1,), lambda given, context: negation(given[0], context)),
    **{name: _ByColumn((1,), partial(_rounding, name)) for name in ("ABS", "CEIL", "FLOOR", "ROUND")},
    "STRLEN": _ByColumn((1,), _length),
    "SAMETERM": _ByColumn((2,), _same_term),
    "ISLITERAL": _ByColumn((1,), partial(_is_kind, kinds.NAME + 1)),
    "ISNUMERIC": _ByColumn((1,), partial(_is_kind, kinds.FIRST_NUMBER)),
    **{name: _ByColumn((1,), partial(_part_of_time, name)) for name in PARTS},
    **{name: _ByColumn(arities, partial(text_filter, name)) for name, arities in ARITIES.items()},
}
