"""Expressions of queries: variables, terms, and calls of functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from rdflib import Variable

from pantarhei.model.term import Term

TIMESTAMP: Final = "TIMESTAMP"
"""The function of a `Call` that stands for C-SPARQL's `timestamp(subject, predicate, object)`."""


@dataclass(frozen=True, slots=True)
class Call:
    """A function of expressions.

    Args:
        function: an operator (`= != < > <= >= + - * / ! && ||`, `neg` for the sign, and `+` of one), the
            name of a built-in in capital letters as SPARQL writes it (`IF`, `STRLEN`, `SAMETERM`, `IRI`, …),
            `IN`, or the IRI of a function, such as the casts to XML Schema's datatypes. `IN` compares its
            first argument with the others; `NOT IN` and `NOT EXISTS` are `!` of something. `BOUND` has a
            variable as argument.
        arguments: of a `&&` or `||` two or more; of `IRI` what relative ones are resolved against as well, if
            the query has that.
    """

    function: str
    arguments: tuple[Expression, ...]


Expression = Variable | Term | Call


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate over the rows of a group.

    Args:
        function: `COUNT`, `SUM`, `AVG`, `MIN`, `MAX`, `SAMPLE` or `GROUP_CONCAT`.
        argument: evaluated for each row; None is the `*` of `COUNT(*)`.
        distinct: each value, for `COUNT(*)` each row, counts once.
        separator: of `GROUP_CONCAT`.
        variable: variable that is bound to the result.
    """

    function: str
    argument: Expression | None
    distinct: bool
    separator: str
    variable: Variable


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A key of ORDER BY."""

    expression: Expression
    descending: bool = False


def parts_of(expression: Expression) -> Iterator[Expression]:
    """Return the expression and all its subexpressions, outermost first."""
    pending: list[Expression] = [expression]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, Call):
            pending.extend(reversed(part.arguments))


def variables_of(expression: Expression) -> frozenset[Variable]:
    """Return the variables of an expression."""
    return frozenset(part for part in parts_of(expression) if isinstance(part, Variable))


# Functions with another value at each call.
_DRAWN = frozenset(("RAND", "UUID", "STRUUID", "BNODE"))


def is_volatile(expression: Expression) -> bool:
    """Return True if two evaluations over one row may differ, as with RAND and UUID."""
    return any(isinstance(part, Call) and part.function in _DRAWN for part in parts_of(expression))


def uses_clock(expression: Expression) -> bool:
    """Return True if an expression calls NOW."""
    return any(isinstance(part, Call) and part.function == "NOW" for part in parts_of(expression))


def uses_timestamps(expression: Expression) -> bool:
    """Return True if an expression calls C-SPARQL's timestamp, whose value depends on the graph."""
    return any(isinstance(part, Call) and part.function == TIMESTAMP for part in parts_of(expression))


def replaced(expression: Expression, instead: Mapping[Variable, Expression]) -> Expression:
    """Substitute expressions for variables."""
    if isinstance(expression, Variable):
        return instead.get(expression, expression)
    if not isinstance(expression, Call):
        return expression
    return replace(expression, arguments=tuple(replaced(part, instead) for part in expression.arguments))
