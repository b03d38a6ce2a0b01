"""Extraction of aggregates from the expressions of a SELECT (SPARQL 1.1, section 18.2.4.1)."""

from __future__ import annotations

from collections.abc import Iterable

from rdflib import Variable

from oracle.answers.algebra import Aggregate, Call, Expression
from pantarhei.errors import QueryError


def has_aggregate(expression: Expression) -> bool:
    """True if an expression contains an aggregate."""
    if isinstance(expression, Call):
        return any(map(has_aggregate, expression.arguments))
    return isinstance(expression, Aggregate)


class Aggregation:
    """Aggregates of one SELECT, each with the variable that replaces it."""

    def __init__(self, keys: Iterable[Variable]) -> None:
        self._known = set(keys)
        self._variables: dict[Aggregate, Variable] = {}

    def add_grouped_variable(self, alias: Variable) -> None:
        """Record that a variable has one value for each group."""
        self._known.add(alias)

    def check(self, expression: Expression) -> None:
        """Check that an expression of the SELECT can be projected (section 11.4).

        Raises:
            QueryError: a variable in it does not have one value for a group.
        """
        if isinstance(expression, Variable) and expression not in self._known:
            raise QueryError(f"?{expression} is selected from groups, and neither grouped by nor aggregated")
        for argument in expression.arguments if isinstance(expression, Call) else ():
            self.check(argument)

    def without_aggregates(self, expression: Expression) -> Expression:
        """Replace aggregates by variables; a variable that is not a key is replaced by SAMPLE of it."""
        if isinstance(expression, Call):
            return Call(expression.name, tuple(map(self.without_aggregates, expression.arguments)))
        if isinstance(expression, Variable) and expression not in self._known:
            return self._variable(Aggregate("SAMPLE", expression))
        return self._variable(expression) if isinstance(expression, Aggregate) else expression

    def _variable(self, aggregate: Aggregate) -> Variable:
        return self._variables.setdefault(aggregate, Variable(f"_:aggregate{len(self._variables)}"))

    def aggregates(self) -> tuple[tuple[Variable, Aggregate], ...]:
        """Return all extracted aggregates."""
        return tuple((variable, aggregate) for aggregate, variable in self._variables.items())
