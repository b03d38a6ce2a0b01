"""What a query is made of: patterns, paths and expressions, as frozen values.

The operators are those of SPARQL 1.1, section 18.2; the solution modifiers of one SELECT stand in one node,
since what a LIMIT leaves open depends on the ORDER BY beside it. Blank nodes of a pattern are variables whose
name begins with `_:`; they are no part of its solutions.
"""

from __future__ import annotations

from dataclasses import dataclass

from rdflib import Literal, URIRef, Variable

from pantarhei.model.term import Term

# -- expressions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """An operator or a function, by SPARQL's name (`+`, `&&`, `STRLEN`) or IRI, and its arguments.

    The unary minus is `negative`, the unary plus `positive`.
    """

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether a pattern has a solution."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Aggregate:
    """COUNT, SUM, MIN, MAX, AVG, SAMPLE or GROUP_CONCAT of a group; without argument, COUNT of its rows."""

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
    """`path?`, `path*` or `path+`: whether no step will do, and more than one."""

    path: Path
    is_zero_allowed: bool
    is_many_allowed: bool


@dataclass(frozen=True, slots=True)
class Negated:
    """`!(p|q)`: a step by any other predicate than these."""

    predicates: frozenset[URIRef]


Path = URIRef | Inverse | Sequence | Alternative | Repeated | Negated

# -- patterns --------------------------------------------------------------------------------------

Node = Variable | Term  # an end of a triple pattern


@dataclass(frozen=True, slots=True)
class TriplePattern:
    """A triple, some of whose places are variables, with a path for its predicate."""

    subject: Node
    predicate: Variable | Path
    object: Node


@dataclass(frozen=True, slots=True)
class Basic:
    """A basic graph pattern: triple patterns in the order of the text."""

    patterns: tuple[TriplePattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """VALUES: rows of terms, None for UNDEF."""

    variables: tuple[Variable, ...]
    rows: tuple[tuple[Term | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Join:
    """Both, `left` before `right` in the text."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class LeftJoin:
    """OPTIONAL, with the filters of its group; None without."""

    left: Pattern
    right: Pattern
    condition: Expression | None


@dataclass(frozen=True, slots=True)
class Union:
    """One or the other."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class Minus:
    """`left` without what agrees with `right` in a variable of both."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class Filter:
    """Where a condition is true."""

    condition: Expression
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Extend:
    """BIND, or the expressions of a SELECT, one after the other."""

    pattern: Pattern
    assignments: tuple[tuple[Variable, Expression], ...]


@dataclass(frozen=True, slots=True)
class InGraph:
    """GRAPH: in one named graph, or in each."""

    name: Variable | URIRef
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Group:
    """One row for each group: its keys and its aggregates; without keys, all is one group."""

    pattern: Pattern
    keys: tuple[Variable, ...]
    aggregates: tuple[tuple[Variable, Aggregate], ...]


@dataclass(frozen=True, slots=True)
class OrderCondition:
    """A sort key of ORDER BY."""

    expression: Expression
    is_descending: bool


@dataclass(frozen=True, slots=True)
class Select:
    """A SELECT without its expressions, which `Extend` has: ORDER BY, projection, DISTINCT, OFFSET, LIMIT."""

    pattern: Pattern
    variables: tuple[Variable, ...]
    order: tuple[OrderCondition, ...] = ()
    is_distinct: bool = False
    offset: int = 0
    limit: int | None = None


Pattern = Basic | Table | Join | LeftJoin | Union | Minus | Filter | Extend | InGraph | Group | Select


@dataclass(frozen=True, slots=True)
class Query:
    """A query: its form, its solutions, and what is made of them.

    Args:
        template: the triples of CONSTRUCT.
        described: what DESCRIBE names.
        default: the graphs of FROM; None without FROM and FROM NAMED.
        named: the graphs of FROM NAMED; None likewise.
    """

    form: str
    solutions: Select
    base: str
    template: tuple[TriplePattern, ...] = ()
    described: tuple[Variable | URIRef, ...] = ()
    default: tuple[URIRef, ...] | None = None
    named: tuple[URIRef, ...] | None = None


def visible(pattern: Pattern) -> tuple[Variable, ...]:
    """The variables that are in scope outside of a pattern, in the order of their first appearance.

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
