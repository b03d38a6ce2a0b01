"""Value of an expression for a row (SPARQL 1.1, section 17), or `ExpressionError`.

A variable that the row does not bind has its external binding, if there is one.
"""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from rdflib import BNode, URIRef, Variable

from oracle.answers import comparing, numbers, terms, texts, times
from oracle.answers.algebra import Aggregate, Call, Exists, Expression, Pattern
from oracle.answers.casts import CASTS
from oracle.answers.comparing import truth
from oracle.answers.context import Context, Row
from oracle.answers.terms import ExpressionError, boolean, iri, literal, string
from oracle.answers.times import Temporal
from pantarhei.model.term import Term

TIMESTAMP: Final = "http://larkc.eu/csparql/sparql/jena/ext#timestamp"
"""C-SPARQL's function."""

HasSolution = Callable[[Pattern, Row, Context], bool]


def _or_times(
    of_numbers: Callable[..., Term], of_times: Callable[[Temporal, Temporal], Term]
) -> Callable[[Term, Term], Term]:
    """Combine a sum or difference of numbers with that of times and durations."""

    def compute(left: Term, right: Term) -> Term:
        one, other = times.temporal(left), times.temporal(right)
        return of_numbers(left, right) if one is None or other is None else of_times(one, other)

    return compute


_FUNCTIONS: Final[dict[str, Callable[..., Term]]] = {
    **terms.FUNCTIONS,
    **numbers.FUNCTIONS,
    "+": _or_times(numbers.FUNCTIONS["+"], times.plus),
    "-": _or_times(numbers.FUNCTIONS["-"], times.minus),
    **comparing.FUNCTIONS,
    **texts.FUNCTIONS,
    **times.FUNCTIONS,
    **CASTS,
}


class Expressions:
    """Evaluator of expressions for one row, so that `BNODE("a")` is one node in all of them.

    Args:
        row: the row.
        context: the context of the evaluation.
        has_solution: function that is true if a pattern has a solution compatible with the row.
    """

    def __init__(self, row: Row, context: Context, has_solution: HasSolution) -> None:
        self.row, self._context, self._has_solution = dict(row), context, has_solution
        self._nodes: dict[str, BNode] = {}

    def value(self, expression: Expression) -> Term:
        """Return the value of an expression.

        Raises:
            ExpressionError: the expression is an error.
        """
        if isinstance(expression, Variable):
            found = self.row.get(expression, self._context.given.get(expression))
            if found is None:
                raise ExpressionError
            return found
        if isinstance(expression, Call):
            special = _SPECIAL.get(expression.name)
            if special is not None:
                return special(self, *expression.arguments)
            return _call(expression.name, [self.value(argument) for argument in expression.arguments])
        if isinstance(expression, Exists):
            return boolean(self._has_solution(expression.pattern, self.row, self._context))
        assert not isinstance(expression, Aggregate), expression
        return expression

    def value_or_none(self, expression: Expression) -> Term | None:
        """Return the value of an expression, None for an error."""
        with suppress(ExpressionError):
            return self.value(expression)
        return None

    def holds(self, condition: Expression) -> bool:
        """True if a condition is true, neither false nor an error."""
        return self._truth(condition) is True

    def _truth(self, condition: Expression) -> bool | None:
        """Return the effective boolean value of a condition, None for an error."""
        with suppress(ExpressionError):
            return truth(self.value(condition))
        return None

    # -- functional forms, which do not evaluate all arguments first ------------------------------------

    def _or(self, *operands: Expression) -> Term:
        found = [self._truth(operand) for operand in operands]
        if None in found and True not in found:
            raise ExpressionError
        return boolean(True in found)

    def _and(self, *operands: Expression) -> Term:
        found = [self._truth(operand) for operand in operands]
        if None in found and False not in found:
            raise ExpressionError
        return boolean(False not in found)

    def _not(self, operand: Expression) -> Term:
        return boolean(not truth(self.value(operand)))

    def _is_bound(self, variable: Expression) -> Term:
        return boolean(self.value_or_none(variable) is not None)

    def _if(self, condition: Expression, then: Expression, otherwise: Expression) -> Term:
        return self.value(then if truth(self.value(condition)) else otherwise)

    def _coalesce(self, *choices: Expression) -> Term:
        for choice in choices:
            with suppress(ExpressionError):
                return self.value(choice)
        raise ExpressionError

    def _in(self, searched: Expression, *members: Expression) -> Term:
        """IN: the disjunction (`||`) of `=` with each member."""
        return self._or(*(Call("=", (searched, member)) for member in members))

    def _not_in(self, searched: Expression, *members: Expression) -> Term:
        return boolean(not truth(self._in(searched, *members)))

    # -- functions that depend on the context -----------------------------------------------------------

    def _iri(self, name: Expression) -> Term:
        return iri(self.value(name), self._context.base)

    def _node(self, label: Expression | None = None) -> Term:
        return BNode() if label is None else self._nodes.setdefault(string(self.value(label)), BNode())

    def _now(self) -> Term:
        return times.at(self._context.now)

    def _time_of(self, subject: Expression, predicate: Expression, object: Expression) -> Term:
        """Return the timestamp of a triple in the active graph (C-SPARQL); an error if it has none."""
        found = self._context.graph.time_of((self.value(subject), self.value(predicate), self.value(object)))
        if found is None:
            raise ExpressionError
        return found

    def _random(self) -> Term:
        self._context.notes.is_determined = False
        return numbers.to_literal(numbers.Number(numbers.LONG, secrets.randbelow(1 << 53) / (1 << 53)))

    def _uuid(self) -> Term:
        self._context.notes.is_determined = False
        return URIRef(uuid.uuid4().urn)

    def _uuid_text(self) -> Term:
        self._context.notes.is_determined = False
        return literal(str(uuid.uuid4()))


def _call(name: str, arguments: Sequence[Term]) -> Term:
    """Return the value of a function; an unknown function is an error (section 17.6)."""
    function = _FUNCTIONS.get(name)
    if function is None or (name in CASTS and len(arguments) != 1):
        raise ExpressionError
    return function(*arguments)


_SPECIAL: Final[dict[str, Callable[..., Term]]] = {
    "||": Expressions._or,
    "&&": Expressions._and,
    "!": Expressions._not,
    "BOUND": Expressions._is_bound,
    "IF": Expressions._if,
    "COALESCE": Expressions._coalesce,
    "IN": Expressions._in,
    "NOT IN": Expressions._not_in,
    "IRI": Expressions._iri,
    "URI": Expressions._iri,
    "BNODE": Expressions._node,
    "NOW": Expressions._now,
    TIMESTAMP: Expressions._time_of,
    "RAND": Expressions._random,
    "UUID": Expressions._uuid,
    "STRUUID": Expressions._uuid_text,
}
