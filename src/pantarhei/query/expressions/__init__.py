"""Evaluation of a query's expressions, aggregates and sort keys by column."""

from pantarhei.query.expressions.aggregates import aggregate
from pantarhei.query.expressions.context import Context, clock_at
from pantarhei.query.expressions.evaluator import compute, least, order, truth
from pantarhei.query.expressions.literal_values import LiteralValues
from pantarhei.query.expressions.regular_expressions import check_pattern
from pantarhei.query.expressions.sparql_functions import is_known_function

__all__ = [
    "Context",
    "LiteralValues",
    "aggregate",
    "check_pattern",
    "clock_at",
    "compute",
    "is_known_function",
    "least",
    "order",
    "truth",
]
