"""Text of a query plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rdflib import XSD, Literal, Variable

from pantarhei.model.message_text import counted
from pantarhei.model.term import Term
from pantarhei.query.algebra import nodes as algebra
from pantarhei.query.operators.executor import Profile

Show = Callable[[Term], str]


def plan_text(node: algebra.Node, profile: Profile, show: Show) -> str:
    """Format a plan: a line for each operator with its number of rows; the inputs of the operator are
    indented below.

    Args:
        profile: numbers of rows of the plan's execution.
        show: formats a term.
    """
    return "\n".join(_lines(node, profile, show, ""))


def _lines(node: algebra.Node, profile: Profile, show: Show, indent: str) -> Iterator[str]:
    rows = profile.rows(node)
    counts = "" if rows is None else f"  → {counted(rows, 'row')}"
    yield f"{indent}{node_title(node, show)}{counts}"
    steps = profile.steps(node) if isinstance(node, algebra.BGP) else ()
    for pattern, expected, actual in steps:
        yield f"{indent}  {_pattern(pattern, show)}  → {_about(expected)} expected, {actual:,} actual"
    if isinstance(node, algebra.BGP) and not steps:
        for pattern in node.patterns:
            yield f"{indent}  {_pattern(pattern, show)}"
    for child in node.children:
        yield from _lines(child, profile, show, indent + "  ")


def _about(expected: float) -> str:
    return f"{round(expected):,}"


def node_title(node: algebra.Node, show: Show) -> str:
    """Format a node without its children, in one line."""
    kind = type(node).__name__
    return f"{_TITLES.get(kind, kind)} {_details(node, show)}".rstrip()


_TITLES = {"BGP": "Match", "Closure": "Path", "LeftJoin": "Optional", "Extend": "Bind"}


def _details(node: algebra.Node, show: Show) -> str:
    if isinstance(node, algebra.Filter):
        return expression_text(node.condition, show)
    if isinstance(node, algebra.LeftJoin):
        return "" if node.condition is None else f"if {expression_text(node.condition, show)}"
    if isinstance(node, algebra.Extend):
        return f"{expression_text(node.expression, show)} as {_term_text(node.variable, show)}"
    if isinstance(node, algebra.Project):
        return " ".join(_term_text(v, show) for v in node.names)
    if isinstance(node, algebra.Group):
        keys = " ".join(_term_text(v, show) for v in node.keys or ())
        made = ", ".join(_aggregate(a, show) for a in node.aggregates)
        return "; ".join(part for part in (f"by {keys}" if keys else "all rows", made) if part)
    if isinstance(node, algebra.OrderBy):
        signs = ("desc " * key.descending + expression_text(key.expression, show) for key in node.keys)
        return ", ".join(signs)
    if isinstance(node, algebra.Slice):
        limit = "" if node.limit is None else f"limit {node.limit} "
        return f"{limit}{f'offset {node.offset}' if node.offset else ''}"
    if isinstance(node, algebra.Values):
        return f"{' '.join(_term_text(v, show) for v in node.names)}, {counted(len(node.rows), 'row')}"
    if isinstance(node, algebra.Graph):
        return _term_text(node.name, show)
    if isinstance(node, algebra.Exists):
        return f"as {_term_text(node.variable, show)}"
    if isinstance(node, algebra.Closure):
        sign = ("*" if node.repeats else "?") if node.is_reflexive else "+"
        return f"{_term_text(node.subject, show)} ({sign}) {_term_text(node.object, show)}"
    if isinstance(node, algebra.NegatedSet):
        names = " ".join(sorted(map(show, node.predicates)))
        return f"{_term_text(node.subject, show)} !({names}) {_term_text(node.object, show)}"
    return ""


def _pattern(pattern: algebra.TriplePattern, show: Show) -> str:
    return " ".join(_term_text(term, show) for term in pattern.terms)


def _term_text(term: algebra.PatternTerm, show: Show) -> str:
    if isinstance(term, Variable):
        return f"_:{term[1:]}" if algebra.is_hidden(term) else f"?{term}"
    return str(term) if isinstance(term, Literal) and term.datatype in _BARE else show(term)


_BARE = frozenset((XSD.integer, XSD.decimal, XSD.double, XSD.boolean))  # written without quotes in queries


def _aggregate(made: algebra.Aggregate, show: Show) -> str:
    inside = "*" if made.argument is None else expression_text(made.argument, show)
    name = "" if algebra.is_hidden(made.variable) else f" as ?{made.variable}"
    return f"{made.function}({'DISTINCT ' if made.distinct else ''}{inside}){name}"


def expression_text(expression: algebra.Expression, show: Show) -> str:
    """Format an expression in the syntax of queries."""
    if not isinstance(expression, algebra.Call):
        return _term_text(expression, show)
    inside = [expression_text(part, show) for part in expression.arguments]
    name = str(expression.function)
    if len(inside) == 1 and name in ("!", "neg", "+"):
        return f"{'-' if name == 'neg' else name}{inside[0]}"
    if name == "IN":
        return f"{inside[0]} IN ({', '.join(inside[1:])})"
    if not name[0].isalpha():
        return f"({f' {name} '.join(inside)})"
    return f"{name if name.isupper() else f'<{name}>'}({', '.join(inside)})"
