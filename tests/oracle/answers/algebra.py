"""Algebra of a query: patterns, paths and expressions, as frozen values.

The operators are those of SPARQL 1.1, section 18.2. The solution modifiers of one SELECT are one node, since
the rows that a LIMIT may choose depend on its ORDER BY. Blank nodes of a pattern are variables whose name
begins with `_:`; they are not part of its solutions.
"""

from __future__ import annotations

from dataclasses import dataclass

from rdflib import Literal, URIRef, Variable

from pantarhei.model.term import Term

# -- expressions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """Operator or function, by SPARQL's name (`+`, `&&`, `STRLEN`) or IRI, with its arguments.

    The unary minus is `negative`, the unary plus `positive`.
    """

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    """EXISTS: true if a pattern has a solution."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Aggregate:
    """COUNT, SUM, MIN, MAX, AVG, SAMPLE or GROUP_CONCAT of a group; COUNT without argument counts rows."""

    name: str
    argument: Expression | None
    is_distinct: bool = False
    separator: str = " "


Expression = Variable | URIRef | Literal | Call | Exists | Aggregate

# -- paths -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Inverse:
    """`^path`"""

    path: Path


@dataclass(frozen=True, slots=True)
class Sequence:
    """`first/second`"""

    first: Path
    second: Path


@dataclass(frozen=True, slots=True)
class Alternative:
    """`first|second`"""

    first: Path
    second: Path


@dataclass(frozen=True, slots=True)
class Repeated:
    """`path?`, `path*` or `path+`: flags allow zero steps, and more than one step."""

    path: Path
    is_zero_allowed: bool
    is_many_allowed: bool


@dataclass(frozen=True, slots=True)
class Negated:
    """`!(p|q)`: a step by any predicate except these."""

    predicates: frozenset[URIRef]


Path = URIRef | Inverse | Sequence | Alternative | Repeated | Negated

# -- patterns --------------------------------------------------------------------------------------

Node = Variable | Term  # subject or object of a triple pattern


@dataclass(frozen=True, slots=True)
class TriplePattern:
    """Triple with variables at some positions, and a path as its predicate."""

    subject: Node
    predicate: Variable | Path
    object: Node


@dataclass(frozen=True, slots=True)
class Basic:
    """Basic graph pattern: triple patterns in the order of the text."""

    patterns: tuple[TriplePattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """VALUES: rows of terms, None for UNDEF."""

    variables: tuple[Variable, ...]
    rows: tuple[tuple[Term | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Join:
    """Join; `left` precedes `right` in the text."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class LeftJoin:
    """OPTIONAL, with the filters of its group, or None."""

    left: Pattern
    right: Pattern
    condition: Expression | None


@dataclass(frozen=True, slots=True)
class Union:
    """UNION of two patterns."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class Minus:
    """MINUS: `left` without solutions compatible with one of `right` that shares a variable."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class Filter:
    """Solutions for which a condition is true."""

    condition: Expression
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Extend:
    """BIND, or the expressions of a SELECT, in order."""

    pattern: Pattern
    assignments: tuple[tuple[Variable, Expression], ...]


@dataclass(frozen=True, slots=True)
class InGraph:
    """GRAPH: a pattern in one named graph, or in each of them."""

    name: Variable | URIRef
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Group:
    """One row per group, with its keys and aggregates; without keys, all rows are one group."""

    pattern: Pattern
    keys: tuple[Variable, ...]
    aggregates: tuple[tuple[Variable, Aggregate], ...]


@dataclass(frozen=True, slots=True)
class OrderCondition:
    """Sort key of ORDER BY."""

    expression: Expression
    is_descending: bool


@dataclass(frozen=True, slots=True)
class Select:
    """Solution modifiers of a SELECT; its expressions are in `Extend`."""

    pattern: Pattern
    variables: tuple[Variable, ...]
    order: tuple[OrderCondition, ...] = ()
    is_distinct: bool = False
    offset: int = 0
    limit: int | None = None


Pattern = Basic | Table | Join | LeftJoin | Union | Minus | Filter | Extend | InGraph | Group | Select


@dataclass(frozen=True, slots=True)
class Query:
    """Query: its form, its pattern, and the parts that define its result.

    Args:
        template: the triples of CONSTRUCT.
        described: the terms and variables of DESCRIBE.
        default: the graphs of FROM; None without FROM and FROM NAMED.
        named: the graphs of FROM NAMED; None without FROM and FROM NAMED.
    """

    form: str
    solutions: Select
    base: str
    template: tuple[TriplePattern, ...] = ()
    described: tuple[Variable | URIRef, ...] = ()
    default: tuple[URIRef, ...] | None = None
    named: tuple[URIRef, ...] | None = None


def visible(pattern: Pattern) -> tuple[Variable, ...]:
    """Return the variables in scope outside a pattern, in the order of their first occurrence.

    Source: SPARQL 1.1, section 18.2.1.
    """
    match pattern:
        case Basic(patterns):
            nodes = (node for t in patterns for node in (t.subject, t.predicate, t.object))
            found = [n for n in nodes if isinstance(n, Variable) and not n.startswith("_:")]
        case Table(variables, _) | Select(_, variables):
            found = list(variables)
        case Join(left, right) | LeftJoin(left, right, _) | Union(left, right):
            found = [*visible(left), *visible(right)]
        case Minus(inner, _) | Filter(_, inner):
            found = [*visible(inner)]
        case Extend(inner, assignments):
            found = [*visible(inner), *(variable for variable, _ in assignments)]
        case InGraph(name, inner):
            found = [*([name] if isinstance(name, Variable) else []), *visible(inner)]
        case Group(_, keys, _):
            found = list(keys)
    return tuple(dict.fromkeys(found))
