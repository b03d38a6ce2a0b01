"""Evaluation of expressions over tables, by column.

A function is evaluated by column where numbers, truth values or the kinds of terms suffice. Otherwise it is
called once for each distinct combination of arguments. An error in one row does not affect other rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Final

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.errors import QueryError
from pantarhei.model.term import Term
from pantarhei.query.algebra.nodes import Call, Expression, OrderKey, variables_of
from pantarhei.query.expressions import comparison, expression_columns, kinds
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.expression_columns import (
    ERROR,
    Column,
    IdColumn,
    Truth,
    TruthColumn,
    call,
    choose_rows,
    have_value,
    result_of,
    spread,
    spread_ids,
)
from pantarhei.query.expressions.sparql_functions import FUNCTIONS, function_of
from pantarhei.query.solutions import Ids, Indexes, Mask, SolutionTable
from pantarhei.values import canonical


def truth(expression: Expression, table: SolutionTable, context: Context) -> Truth:
    """Evaluate the effective boolean value of an expression for each row: 1 is true, 0 is false, -1 is an
    error.

    Raises:
        QueryError: the expression is nested too deeply.
        QueryTimeoutError: the time limit is exceeded.
    """
    return np.array(spread(values(expression, table, context).truth, len(table)), np.int8)


def compute(expression: Expression, table: SolutionTable, context: Context) -> Ids:
    """Evaluate an expression to a term number for each row; `NONE` for an error.

    Raises: as `truth`.
    """
    return spread_ids(values(expression, table, context), len(table))


def values(expression: Expression, table: SolutionTable, context: Context) -> Column:
    """Evaluate an expression to a column, of length one if its value does not depend on the row.

    Raises: as `truth`.
    """
    context.limits.check()
    try:
        return _evaluate(expression, table, context)
    except RecursionError:
        raise QueryError("an expression of the query is nested too deeply") from None


# -- ORDER BY -----------------------------------------------------------------------------------------


def order(keys: Sequence[OrderKey], table: SolutionTable, context: Context) -> Indexes:
    """Return the row indexes in sorted order; equal rows keep their order."""
    ranks = [_ranks_of(key, table, context) for key in keys]
    return _sorted(ranks) if ranks else np.arange(len(table))


def least(keys: Sequence[OrderKey], table: SolutionTable, context: Context, most: int) -> Indexes:
    """Return the first `most` row indexes of `order`."""
    if most >= len(table) or not keys:
        return order(keys, table, context)[:most]
    ranks = [_ranks_of(key, table, context) for key in keys]
    if not most:
        return np.empty(0, np.intp)
    bound = np.partition(ranks[0], most - 1)[most - 1]
    candidates = np.flatnonzero(ranks[0] <= bound)
    return candidates[_sorted([each[candidates] for each in ranks])[:most]]


def _sorted(ranks: Sequence[comparison.Ranks]) -> Indexes:
    if len(ranks) == 1:
        return np.argsort(ranks[0], kind="stable")
    return np.lexsort(tuple(reversed(ranks)))


def _ranks_of(key: OrderKey, table: SolutionTable, context: Context) -> comparison.Ranks:
    column = values(key.expression, table, context)
    ranks = spread(comparison.ranks(column, context), len(table))
    return np.negative(ranks) if key.descending else ranks


# -- evaluation by the form of an expression -----------------------------------------------------------


def _evaluate(expression: Expression, table: SolutionTable, context: Context) -> Column:
    if isinstance(expression, Variable):
        return IdColumn(table.column(expression), context)
    if not isinstance(expression, Call):
        return IdColumn(np.array([context.terms.id_of(expression)], np.int64), context)
    name, operands = expression.function, expression.arguments
    form = _FORMS.get(name)
    if form is not None:
        return form(operands, table, context)
    if _is_called_with_terms(expression):
        return _call_composed(expression, table, context)
    arguments = [_evaluate(operand, table, context) for operand in operands]
    by_column = FUNCTIONS[name].by_column
    assert by_column is not None, "other functions are called with terms"
    found = by_column(arguments, table, context)
    return call(function_of(name, context), arguments, context) if found is None else found


# -- functions that are called with terms --------------------------------------------------------------


def _is_called_with_terms(expression: Call) -> bool:
    """Return whether an expression's function is called with terms, not evaluated by column."""
    function = FUNCTIONS.get(str(expression.function))
    is_by_column = function is not None and len(expression.arguments) in function.arities
    return not is_by_column and expression.function not in _FORMS


def _call_composed(expression: Call, table: SolutionTable, context: Context) -> Column:
    """Call a function of terms for each distinct combination of arguments.

    A call of another such function among its arguments is composed with it, so that the inner results need no
    term numbers.
    """
    varying: list[Expression] = []
    function = _compose(expression, varying, context)
    arguments = [_evaluate(operand, table, context) for operand in varying]
    return call(lambda *terms: function(terms), arguments, context)


_OfTerms = Callable[[Sequence[Term]], Term | bool | int | None]


def _compose(expression: Call, varying: list[Expression], context: Context) -> _OfTerms:
    """Compose an expression to a function of the terms of the expressions in `varying`, to which it adds the
    expression's arguments.
    """
    function = function_of(expression.function, context)
    operands = [_compile_operand(operand, varying, context) for operand in expression.arguments]
    return lambda terms: result_of(function, [operand(terms) for operand in operands])


def _compile_operand(
    operand: Expression, varying: list[Expression], context: Context
) -> Callable[..., Term | None]:
    """Compile an argument to a function of the terms of the expressions in `varying`."""
    if isinstance(operand, Call) and _is_called_with_terms(operand):
        inner = _compose(operand, varying, context)
        return lambda terms: _as_term(inner(terms))
    if isinstance(operand, Variable | Call):
        if isinstance(operand, Call) or operand not in varying:
            varying.append(operand)
            return itemgetter(len(varying) - 1)
        return itemgetter(varying.index(operand))
    (constant,) = context.terms_of(np.array([context.terms.id_of(operand)], np.int64))
    return lambda terms: constant


def _as_term(result: Term | bool | int | None) -> Term | None:
    return None if result is None else canonical.of_result(result)


# -- functional forms, which handle errors or evaluate on some rows only --------------------------------


def _bound(operands: Sequence[Expression], table: SolutionTable, context: Context) -> Column:
    (variable,) = operands
    found = _evaluate(variable, table, context)
    return TruthColumn(have_value(found).astype(np.int8), context)


def _not(operands: Sequence[Expression], table: SolutionTable, context: Context) -> Column:
    (operand,) = operands
    return TruthColumn(expression_columns.logical_not(_evaluate(operand, table, context).truth), context)


def _connective(
    decisive: int,
    combine: Callable[[Truth, Truth], Truth],
    operands: Sequence[Expression],
    table: SolutionTable,
    context: Context,
) -> Column:
    """Evaluate a conjunction or disjunction. A later operand is evaluated only for the rows that are still
    undecided, if less than half of the rows are.

    Args:
        decisive: truth value of an operand that decides the result: 0 for a conjunction, 1 for a disjunction.
        combine: combines the truth values of two operands.
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


def _evaluate_at(expression: Expression, table: SolutionTable, mask: Mask, context: Context) -> Column:
    """Evaluate an expression for the rows of a mask."""
    return _evaluate(expression, table.select(variables_of(expression)).filter(mask), context)


def _if(operands: Sequence[Expression], table: SolutionTable, context: Context) -> Column:
    condition, then, otherwise = operands
    found = _evaluate(condition, table, context).truth
    if len(found) == 1:
        chosen = {1: then, 0: otherwise}.get(int(found[0]))
        return _error_column(context) if chosen is None else _evaluate(chosen, table, context)
    branches = [
        (mask, _evaluate_at(branch, table, mask, context))
        for branch, mask in ((then, found == 1), (otherwise, found == 0))
        if mask.any()
    ]
    return choose_rows(len(found), branches, context)


def _coalesce(operands: Sequence[Expression], table: SolutionTable, context: Context) -> Column:
    size = len(table)
    undecided_rows = np.ones(size, np.bool_)
    branches: list[tuple[Mask, Column]] = []
    for operand in operands:
        found = _evaluate_at(operand, table, undecided_rows, context)
        has_result = np.array(spread(have_value(found), int(np.count_nonzero(undecided_rows))))
        mask = undecided_rows.copy()
        mask[undecided_rows] = has_result
        if mask.any():
            branches.append((mask, found if len(found) == 1 else found.take(np.flatnonzero(has_result))))
        undecided_rows &= ~mask
        if not undecided_rows.any():
            break
    return choose_rows(size, branches, context)


def _in(operands: Sequence[Expression], table: SolutionTable, context: Context) -> Column:
    """Evaluate IN, which is a disjunction of `=`."""
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
            found = expression_columns.logical_or(found, comparison.equality(wanted, candidate, context))
    return TruthColumn(found, context)


def _error_column(context: Context) -> Column:
    return IdColumn(np.array([NONE], np.int64), context)


_Form = Callable[[Sequence[Expression], SolutionTable, Context], Column]
_FORMS: Final[dict[str, _Form]] = {
    "BOUND": _bound,
    "!": _not,
    "&&": partial(_connective, 0, expression_columns.logical_and),
    "||": partial(_connective, 1, expression_columns.logical_or),
    "IF": _if,
    "COALESCE": _coalesce,
    "IN": _in,
}
