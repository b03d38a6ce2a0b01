"""Common expressions as Python functions of a row: for a few rows that is faster than by column.

Comparisons, arithmetic, `&&`, `||`, `!`, BOUND, IF, COALESCE and IN are compiled over numbers, plain strings,
truth values, times and names, whose values are remembered. Whatever else a row brings is `Odd`: it is left to
`expressions/evaluation.py`, which this agrees with.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from rdflib import Literal, Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.model.term import Term
from pantarhei.query.algebra.expressions import Call, Expression
from pantarhei.query.expressions.comparison import ORDERS, Comparator
from pantarhei.query.expressions.values import ExpressionError, Time
from pantarhei.query.incremental.lasting_terms import LastingTerms
from pantarhei.query.incremental.operator import Row
from pantarhei.query.incremental.term_values import ODD, Name, TermValues, Value, value_for
from pantarhei.values import canonical
from pantarhei.values.numeric import Numeric, computed, negated, promoted


class Odd(Exception):
    """A row has a value that is not compiled for."""


Operand = Callable[[Row], Value | None]
"""The value of an expression for a row, None for an error."""

Result = Callable[[Row], int]
"""The number of the term that an expression results in for a row, `NONE` for an error."""


class NotCompiled(Exception):
    """An expression has parts that are only evaluated by column."""


class Compiler:
    """Compiles expressions over rows.

    Args:
        variables: of the rows.
        values: of terms.
        terms: what numbers stand for.
    """

    def __init__(self, variables: Sequence[Variable], values: TermValues, terms: LastingTerms) -> None:
        self._places = {variable: place for place, variable in enumerate(variables)}
        self._values, self._terms = values, terms

    # -- results -----------------------------------------------------------------------------------

    def result(self, expression: Expression) -> Result:
        """What an expression results in.

        Raises:
            NotCompiled: it has parts that are not compiled.
        """
        if isinstance(expression, Variable):
            place = self._places.get(expression)
            return (lambda row: NONE) if place is None else operator.itemgetter(place)
        if not isinstance(expression, Call):
            return lambda row: self._terms.id_of(expression)
        if expression.function == "IF":
            condition, then, otherwise = expression.arguments
            return _chosen(self.truth(condition), self.result(then), self.result(otherwise), NONE)
        if expression.function == "COALESCE":
            return _first(list(map(self.result, expression.arguments)), NONE)
        operand, terms = self.operand(expression), self._terms

        def result(row: Row) -> int:
            value = operand(row)
            if value is None:
                return NONE
            if isinstance(value, bool):
                return terms.id_of(canonical.boolean(value))
            assert isinstance(value, Numeric), "what is computed is a number or a truth value"
            return terms.id_of_number(value)

        return result

    # -- operands ----------------------------------------------------------------------------------

    def operand(self, expression: Expression) -> Operand:
        """The value of an expression.

        Raises: as `result`.
        """
        if isinstance(expression, Variable):
            place, values = self._places.get(expression), self._values
            return (lambda row: None) if place is None else lambda row: values[row[place]]
        if not isinstance(expression, Call):
            return self._constant(expression)
        name, arguments = expression.function, expression.arguments
        if name in _ARITHMETIC and len(arguments) == 2:
            return _computed(name, *map(self.operand, arguments))
        if name == "neg":
            return _negative(self.operand(arguments[0]))
        if name == "IF":
            condition, then, otherwise = arguments
            return _chosen(self.truth(condition), self.operand(then), self.operand(otherwise), None)
        if name == "COALESCE":
            return _first(list(map(self.operand, arguments)), None)
        return self._truth_of(expression)

    def _constant(self, term: Term) -> Operand:
        """The value of a term. Its number may change; so may the name that it is."""
        if not isinstance(term, Literal):
            id_of, values = self._terms.id_of, self._values
            return lambda row: values[id_of(term)]
        known = value_for(term)
        return lambda row: known

    # -- truth values ------------------------------------------------------------------------------

    def truth(self, expression: Expression) -> Callable[[Row], bool | None]:
        """The effective boolean value of an expression, None for an error.

        Raises: as `result`.
        """
        if isinstance(expression, Call) and expression.function in _TRUTHS:
            return self._truth_of(expression)
        operand = self.operand(expression)
        return lambda row: _is_true(operand(row))

    def _truth_of(self, expression: Call) -> Callable[[Row], bool | None]:
        name, arguments = expression.function, expression.arguments
        if name in ("=", "!="):
            return _equality(name == "=", *map(self.operand, arguments))
        if name in ORDERS:
            return _order(ORDERS[name], *map(self.operand, arguments))
        if name in ("&&", "||"):
            return _connected(list(map(self.truth, arguments)), name == "||")
        if name == "!":
            truth = self.truth(arguments[0])
            return lambda row: None if (found := truth(row)) is None else not found
        if name == "BOUND":
            result = self.result(arguments[0])
            return lambda row: result(row) != NONE
        if name == "IN":
            wanted, *members = map(self.operand, arguments)
            return _connected([_equality(True, wanted, member) for member in members], True)
        raise NotCompiled


_TRUTHS: Final = frozenset(("=", "!=", *ORDERS, "&&", "||", "!", "BOUND", "IN"))
_ARITHMETIC: Final = frozenset("+-*/")

_Found = TypeVar("_Found")


def _chosen(
    condition: Callable[[Row], bool | None],
    then: Callable[[Row], _Found],
    otherwise: Callable[[Row], _Found],
    error: _Found,
) -> Callable[[Row], _Found]:
    """IF."""

    def chosen(row: Row) -> _Found:
        found = condition(row)
        return error if found is None else then(row) if found else otherwise(row)

    return chosen


def _first(parts: Sequence[Callable[[Row], _Found]], error: _Found) -> Callable[[Row], _Found]:
    """COALESCE."""

    def first(row: Row) -> _Found:
        for part in parts:
            found = part(row)
            if found != error:
                return found
        return error

    return first


def _connected(parts: Sequence[Callable[[Row], bool | None]], decisive: bool) -> Callable[[Row], bool | None]:
    """`||`, where true is decisive, and `&&`."""

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
    _refuse_odd(value)
    return None


def _refuse_odd(*values: Value | None) -> None:
    """Raises: Odd: one of them is."""
    if any(value is ODD for value in values):
        raise Odd


def _equality(is_equal: bool, left: Operand, right: Operand) -> Callable[[Row], bool | None]:
    """`=`, or `!=`."""

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
        raise Odd

    return equality


def _order(compare: Comparator, left: Operand, right: Operand) -> Callable[[Row], bool | None]:
    """`<`, `>`, `<=` or `>=`."""

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
            raise Odd
        if type(one) is type(other) and type(one) in (str, bool):
            return bool(compare(one, other))
        _refuse_odd(one, other)
        return None

    return order


def _computed(name: str, left: Operand, right: Operand) -> Operand:
    """Arithmetic."""

    def number(row: Row) -> Numeric | None:
        one, other = left(row), right(row)
        if type(one) is Numeric and type(other) is Numeric:
            try:
                return computed(name, one, other)
            except (ExpressionError, ArithmeticError):
                return None
        if type(one) is Time or type(other) is Time:
            raise Odd
        _refuse_odd(one, other)
        return None

    return number


def _negative(of: Operand) -> Operand:
    def negative(row: Row) -> Numeric | None:
        value = of(row)
        if type(value) is not Numeric:
            _refuse_odd(value)
            return None
        try:
            return negated(value)
        except ArithmeticError:
            return None

    return negative
