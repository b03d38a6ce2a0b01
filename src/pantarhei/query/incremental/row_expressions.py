"""Expressions over single rows: compiled to Python functions where possible, otherwise evaluated by column.

Compiled functions are faster than the evaluation by column if a delta has few rows. Comparisons, arithmetic,
`&&`, `||`, `!`, BOUND, IF, COALESCE and IN are compiled for numbers, plain strings, booleans, times and
names. On any other value a compiled function raises `Deoptimize`, and the row is evaluated by column
(`expressions/evaluator.py`) with the same result. Results are cached by the term numbers of the expression's
variables.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

import numpy as np
from rdflib import Literal, Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.bags import true_rows
from pantarhei.model.term import Term
from pantarhei.query.algebra.nodes import Call, Expression, is_volatile, variables_of
from pantarhei.query.expressions import compute, truth
from pantarhei.query.expressions.comparison import ORDERS
from pantarhei.query.expressions.scalars import Time
from pantarhei.query.incremental.operator import Row, Rows, SharedState, table_of
from pantarhei.query.incremental.persistent_terms import (
    MAX_CACHED_TERMS,
    UNSUPPORTED,
    Name,
    PersistentTermIds,
    TermCache,
    Value,
    supported_value,
)
from pantarhei.query.solutions import Mask, SolutionTable
from pantarhei.values import canonical
from pantarhei.values.numeric import Numeric, promoted
from pantarhei.values.scalar_functions import SIGNED, Comparator


class Deoptimize(Exception):
    """A row has a value that compiled code does not support."""


Operand = Callable[[Row], Value | None]
"""Returns the value of an expression for a row, None for an error."""

Result = Callable[[Row], int]
"""Returns the result of an expression for a row as a term number, `NONE` for an error."""


class NotCompilable(Exception):
    """An expression has a part that can only be evaluated by column."""


class Compiler:
    """Compiler of expressions over rows.

    Args:
        variables: columns of the rows.
        values: cache of the values of terms, by term number.
        terms: maps term numbers to terms.
    """

    def __init__(
        self, variables: Sequence[Variable], values: TermCache[Value | None], terms: PersistentTermIds
    ) -> None:
        self._columns = {variable: column for column, variable in enumerate(variables)}
        self._values, self._terms = values, terms

    # -- results -----------------------------------------------------------------------------------

    def result(self, expression: Expression) -> Result:
        """Compile an expression to a function that returns a term number.

        Raises:
            NotCompilable: a part of the expression cannot be compiled.
        """
        if isinstance(expression, Variable):
            column = self._columns.get(expression)
            return (lambda row: NONE) if column is None else operator.itemgetter(column)
        if not isinstance(expression, Call):
            return lambda row: self._terms.id_of(expression)
        if expression.function == "IF":
            condition, then, otherwise = expression.arguments
            return _compile_if(self.truth(condition), self.result(then), self.result(otherwise), NONE)
        if expression.function == "COALESCE":
            return _compile_coalesce(list(map(self.result, expression.arguments)), NONE)
        operand, terms = self.operand(expression), self._terms

        def result(row: Row) -> int:
            value = operand(row)
            if value is None:
                return NONE
            if isinstance(value, bool):
                return terms.id_of(canonical.boolean(value))
            assert isinstance(value, Numeric), "operators return numbers and truth values"
            return terms.id_of_number(value)

        return result

    # -- operands ----------------------------------------------------------------------------------

    def operand(self, expression: Expression) -> Operand:
        """Compile an expression to a function that returns a value.

        Raises: as `result`.
        """
        if isinstance(expression, Variable):
            column, values = self._columns.get(expression), self._values
            return (lambda row: None) if column is None else lambda row: values[row[column]]
        if not isinstance(expression, Call):
            return self._constant(expression)
        name, arguments = expression.function, expression.arguments
        if name in SIGNED and not (name == "+" and len(arguments) == 1):
            compile_ = _compile_binary if len(arguments) == 2 else _compile_unary
            return compile_(SIGNED[name], *map(self.operand, arguments))
        if name == "IF":
            condition, then, otherwise = arguments
            return _compile_if(self.truth(condition), self.operand(then), self.operand(otherwise), None)
        if name == "COALESCE":
            return _compile_coalesce(list(map(self.operand, arguments)), None)
        return self._truth_of(expression)

    def _constant(self, term: Term) -> Operand:
        """Compile a constant. The number of a name is looked up at each call, since renumbering may change
        it.
        """
        if not isinstance(term, Literal):
            id_of, values = self._terms.id_of, self._values
            return lambda row: values[id_of(term)]
        known = supported_value(term)
        return lambda row: known

    # -- truth values ------------------------------------------------------------------------------

    def truth(self, expression: Expression) -> Callable[[Row], bool | None]:
        """Compile an expression to a function that returns its effective boolean value, None for an error.

        Raises: as `result`.
        """
        if isinstance(expression, Call) and expression.function in _TRUTHS:
            return self._truth_of(expression)
        operand = self.operand(expression)
        return lambda row: _is_true(operand(row))

    def _truth_of(self, expression: Call) -> Callable[[Row], bool | None]:
        name, arguments = expression.function, expression.arguments
        if name in ("=", "!="):
            return _compile_equality(name == "=", *map(self.operand, arguments))
        if name in ORDERS:
            return _compile_order(ORDERS[name], *map(self.operand, arguments))
        if name in ("&&", "||"):
            return _compile_connective(list(map(self.truth, arguments)), name == "||")
        if name == "!":
            truth = self.truth(arguments[0])
            return lambda row: None if (found := truth(row)) is None else not found
        if name == "BOUND":
            result = self.result(arguments[0])
            return lambda row: result(row) != NONE
        if name == "IN":
            used, *members = map(self.operand, arguments)
            return _compile_connective([_compile_equality(True, used, member) for member in members], True)
        raise NotCompilable


_TRUTHS: Final = frozenset(("=", "!=", *ORDERS, "&&", "||", "!", "BOUND", "IN"))

_Found = TypeVar("_Found")


def _compile_if(
    condition: Callable[[Row], bool | None],
    then: Callable[[Row], _Found],
    otherwise: Callable[[Row], _Found],
    error: _Found,
) -> Callable[[Row], _Found]:
    """Compile IF."""

    def chosen(row: Row) -> _Found:
        found = condition(row)
        return error if found is None else then(row) if found else otherwise(row)

    return chosen


def _compile_coalesce(parts: Sequence[Callable[[Row], _Found]], error: _Found) -> Callable[[Row], _Found]:
    """Compile COALESCE."""

    def first(row: Row) -> _Found:
        for part in parts:
            found = part(row)
            if found != error:
                return found
        return error

    return first


def _compile_connective(
    parts: Sequence[Callable[[Row], bool | None]], decisive: bool
) -> Callable[[Row], bool | None]:
    """Compile a disjunction (`decisive` is True) or conjunction (False) in three-valued logic."""

    def connected(row: Row) -> bool | None:
        undecided: bool | None = not decisive
        for part in parts:
            found = part(row)
            if found is decisive:
                return decisive
            if found is None:
                undecided = None
        return undecided

    return connected


def _is_true(value: Value | None) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, Numeric):
        return value.value != 0 and value.value == value.value
    if isinstance(value, str):
        return bool(value)
    _check_supported(value)
    return None


def _check_supported(*values: Value | None) -> None:
    """Raise `Deoptimize` if a value is unsupported."""
    if any(value is UNSUPPORTED for value in values):
        raise Deoptimize


def _compile_equality(is_equal: bool, left: Operand, right: Operand) -> Callable[[Row], bool | None]:
    """Compile `=` or `!=`."""

    def equality(row: Row) -> bool | None:
        one, other = left(row), right(row)
        if type(one) is Numeric and type(other) is Numeric:
            if one.type == other.type:
                return (one.value == other.value) is is_equal
            _, first, second = promoted(one, other)
            return (first == second) is is_equal
        if one is None or other is None:
            return None
        if type(one) is Name or type(other) is Name:
            same = type(one) is type(other) and one.number == other.number  # type: ignore[union-attr]
            return same is is_equal
        if type(one) is type(other) and type(one) in (str, bool):
            return (one == other) is is_equal
        raise Deoptimize

    return equality


def _compile_order(compare: Comparator, left: Operand, right: Operand) -> Callable[[Row], bool | None]:
    """Compile `<`, `>`, `<=` or `>=`."""

    def order(row: Row) -> bool | None:
        one, other = left(row), right(row)
        if type(one) is Numeric and type(other) is Numeric:
            if one.type == other.type:
                return bool(compare(one.value, other.value))
            _, first, second = promoted(one, other)
            return bool(compare(first, second))
        if one is None or other is None:
            return None
        if type(one) is Time and type(other) is Time:
            if one.datatype == other.datatype and one.zoned == other.zoned:
                return bool(compare(one.seconds, other.seconds))
            raise Deoptimize
        if type(one) is type(other) and type(one) in (str, bool):
            return bool(compare(one, other))
        _check_supported(one, other)
        return None

    return order


def _compile_binary(function: Callable[..., Numeric], left: Operand, right: Operand) -> Operand:
    """Compile a function of two numbers."""

    def number(row: Row) -> Numeric | None:
        one, other = left(row), right(row)
        if type(one) is Numeric and type(other) is Numeric:
            try:
                return function(one, other)
            except ArithmeticError:
                return None
        if type(one) is Time or type(other) is Time:
            raise Deoptimize
        _check_supported(one, other)
        return None

    return number


def _compile_unary(function: Callable[..., Numeric], operand: Operand) -> Operand:
    """Compile a function of one number."""

    def number(row: Row) -> Numeric | None:
        value = operand(row)
        if type(value) is not Numeric:
            _check_supported(value)
            return None
        try:
            return function(value)
        except ArithmeticError:
            return None

    return number


_Value = TypeVar("_Value")


class RowTest(NamedTuple):
    """Test of an expression over a single variable, for the kernel.

    Args:
        column: column of the variable.
        known: cached truth values by term number.
        evaluate: evaluates the expression for a row, and caches the result.
    """

    column: int
    known: Mapping[int, bool | None]
    evaluate: Callable[[Row], bool]


class RowExpression:
    """Expression over rows with given columns. Results are cached unless the expression is volatile."""

    def __init__(self, expression: Expression, variables: Sequence[Variable], shared: SharedState) -> None:
        self._expression, self._shared = expression, shared
        used = variables_of(expression)
        self._variables = tuple(variable for variable in variables if variable in used)
        self._columns = tuple(column for column, variable in enumerate(variables) if variable in used)
        self.is_volatile = is_volatile(expression)
        self._known: dict[Row, Any] = {}
        compiler = Compiler(variables, shared.values, shared.terms)
        self._result = _Function(_compiled(compiler.result, expression), self._columns)
        self._truth = _Function(_compiled(compiler.truth, expression), self._columns)

    @property
    def test(self) -> RowTest | None:
        """Test of single rows; None if the expression has several variables, or is not compiled."""
        column, known = self._truth.column, self._truth.known
        if column is None or self._truth.compiled is None:
            return None

        def evaluate_row(row: Row) -> bool:
            try:
                return self._truth.evaluate_and_cache(row) is True
            except Deoptimize:
                return self.truths([row])[0]

        return RowTest(column, known, evaluate_row)

    def cache_truths(self, table: SolutionTable) -> Mask:
        """Return which rows of a table fulfil an expression over one variable. The truth values are cached,
        unless there are more than `MAX_CACHED_TERMS`.
        """
        (variable,) = self._variables
        terms, columns = np.unique(table.column(variable), return_inverse=True)
        distinct = SolutionTable({variable: terms}, len(terms))
        are_true = truth(self._expression, distinct, self._shared.context) == 1
        if len(terms) <= MAX_CACHED_TERMS:
            self._truth.known.update(zip(terms.tolist(), are_true.tolist(), strict=True))
        found: Mask = are_true[columns]
        return found

    def ids(self, rows: Collection[Row]) -> list[int]:
        """Return the results as term numbers, `NONE` for an error."""

        def by_column(table: SolutionTable) -> list[int]:
            found: list[int] = compute(self._expression, table, self._shared.context).tolist()
            return found

        return self._by_row(self._result, rows, by_column)

    def true_rows(self, change: Rows) -> Rows:
        """Return the rows of a delta that fulfil the expression."""
        found = self._truth.true_rows(change)
        if found is not None:
            return found
        truths = self.truths(change)
        return {row: weight for (row, weight), is_true in zip(change.items(), truths, strict=True) if is_true}

    def truths(self, rows: Collection[Row]) -> list[bool]:
        """Return for each row whether it fulfils the expression."""

        def by_column(table: SolutionTable) -> list[bool | None]:
            found: list[bool | None] = (truth(self._expression, table, self._shared.context) == 1).tolist()
            return found

        return [found is True for found in self._by_row(self._truth, rows, by_column)]

    def _by_row(
        self,
        function: _Function[_Value],
        rows: Collection[Row],
        by_column: Callable[[SolutionTable], list[_Value]],
    ) -> list[_Value]:
        """Evaluate compiled code for each row; rows with unsupported values are evaluated by column."""
        if function.compiled is None:
            return self._evaluate_columns(rows, by_column)
        known = function.cached_values(rows)
        if known is not None:
            return known
        found: list[_Value] = []
        unsupported: dict[int, Row] = {}
        for row in rows:
            try:
                value = function.compiled(row)
            except Deoptimize:
                unsupported[len(unsupported) + len(found)] = row
            else:
                found.append(value)
        for (column, _), value in zip(
            unsupported.items(), self._evaluate_columns(unsupported.values(), by_column), strict=True
        ):
            found.insert(column, value)
        return found

    def _evaluate_columns(
        self, rows: Iterable[Row], evaluate: Callable[[SolutionTable], list[_Value]]
    ) -> list[_Value]:
        columns = self._columns
        keys = [tuple([row[column] for column in columns]) for row in rows]
        if not keys:
            return []
        if self.is_volatile:
            return evaluate(table_of(keys, self._variables))
        known = self._known
        new = list(dict.fromkeys(key for key in keys if key not in known))
        if new:
            if len(known) > MAX_CACHED_TERMS:
                known.clear()
                new = list(dict.fromkeys(keys))
            known.update(zip(new, evaluate(table_of(new, self._variables)), strict=True))
        return [known[key] for key in keys]

    def clear_caches(self) -> None:
        """Drop cached results, since term numbers may have changed their meaning."""
        self._known.clear()
        self._result.known.clear()
        self._truth.known.clear()


class _Function(Generic[_Value]):
    """Compiled expression, with a cache of its results by term number if it has one variable.

    Args:
        compiled: the compiled function; None if the expression is not compilable.
        columns: columns of the expression's variables.
    """

    def __init__(self, compiled: Callable[[Row], _Value] | None, columns: Sequence[int]) -> None:
        self.compiled = compiled
        self.column = columns[0] if len(columns) == 1 else None
        self.known: dict[int, _Value] = {}

    def true_rows(self, change: Rows) -> Rows | None:
        """Return the rows of a delta that fulfil the expression; None if a row's result is not cached."""
        if self.column is None:
            return None
        found: Rows | None = true_rows(change, self.column, self.known)
        return found

    def evaluate_and_cache(self, row: Row) -> _Value:
        """Evaluate an expression over one variable for a row, and cache the result.

        Raises:
            Deoptimize: the value is not supported.
        """
        assert self.column is not None and self.compiled is not None, "there is one variable"
        found = self.compiled(row)
        if len(self.known) > MAX_CACHED_TERMS:
            self.known.clear()
        self.known[row[self.column]] = found
        return found

    def cached_values(self, rows: Collection[Row]) -> list[_Value] | None:
        """Return the results for rows through the cache; None if the expression has several variables, or a
        value is not supported.
        """
        column, known = self.column, self.known
        if column is None or self.compiled is None:
            return None
        try:
            return [known[row[column]] for row in rows]
        except KeyError:
            pass
        if len(known) > MAX_CACHED_TERMS:
            known.clear()
        try:
            for row in rows:
                if row[column] not in known:
                    known[row[column]] = self.compiled(row)
        except Deoptimize:
            return None
        return [known[row[column]] for row in rows]


_Compiled = TypeVar("_Compiled")


def _compiled(compile_: Callable[[Expression], _Compiled], expression: Expression) -> _Compiled | None:
    try:
        return compile_(expression)
    except NotCompilable:
        return None
