"""SPARQL algebra (SPARQL 1.1, section 18) as immutable trees.

Each node has its `variables`, in the order of their first occurrence in the text, and its `certain`
variables, which every row binds. Variables whose names begin with `#` are generated: for blank nodes, steps
of paths, aggregates, and results of EXISTS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from rdflib import Variable

from pantarhei.model.term import Term

TIMESTAMP: Final = "TIMESTAMP"
"""Function name in a `Call` of C-SPARQL's `timestamp(subject, predicate, object)`."""


@dataclass(frozen=True, slots=True)
class Call:
    """Function call, or application of an operator.

    Args:
        function: an operator (`= != < > <= >= + - * / ! && ||`, where `+` may have one argument, and `neg`
            for the unary minus); the name of a built-in function in capital letters, as in SPARQL (`IF`,
            `STRLEN`, `SAMETERM`, `IRI`, …); `IN`; or the IRI of a function, such as the casts to datatypes of
            XML Schema. `IN` compares its first argument with the others; `NOT IN` and `NOT EXISTS` are
            expressed by `!`. The argument of `BOUND` is a variable.
        arguments: two or more for `&&` and `||`; for `IRI` also the base of relative IRIs, if the query has
            one.
    """

    function: str
    arguments: tuple[Expression, ...]


Expression = Variable | Term | Call


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Aggregate over the rows of a group.

    Args:
        function: `COUNT`, `SUM`, `AVG`, `MIN`, `MAX`, `SAMPLE` or `GROUP_CONCAT`.
        argument: expression that is evaluated for each row; None for `COUNT(*)`.
        distinct: whether each value, or for `COUNT(*)` each row, counts once.
        separator: separator of `GROUP_CONCAT`.
        variable: variable that is bound to the result.
    """

    function: str
    argument: Expression | None
    distinct: bool
    separator: str
    variable: Variable


@dataclass(frozen=True, slots=True)
class OrderKey:
    """Sort key of ORDER BY."""

    expression: Expression
    descending: bool = False


def parts_of(expression: Expression) -> Iterator[Expression]:
    """Iterate over an expression and all its subexpressions, outermost first."""
    pending: list[Expression] = [expression]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, Call):
            pending.extend(reversed(part.arguments))


def variables_of(expression: Expression) -> frozenset[Variable]:
    """Return the variables of an expression."""
    return frozenset(part for part in parts_of(expression) if isinstance(part, Variable))


# Functions whose value differs from call to call.
_VOLATILE = frozenset(("RAND", "UUID", "STRUUID", "BNODE"))


def is_volatile(expression: Expression) -> bool:
    """Return whether two evaluations of an expression over one row may differ, as with RAND and UUID."""
    return any(isinstance(part, Call) and part.function in _VOLATILE for part in parts_of(expression))


def uses_clock(expression: Expression) -> bool:
    """Return whether an expression calls NOW."""
    return any(isinstance(part, Call) and part.function == "NOW" for part in parts_of(expression))


def uses_timestamps(expression: Expression) -> bool:
    """Return whether an expression calls C-SPARQL's `timestamp`, whose value depends on the graph."""
    return any(isinstance(part, Call) and part.function == TIMESTAMP for part in parts_of(expression))


def replaced(expression: Expression, values: Mapping[Variable, Expression]) -> Expression:
    """Substitute expressions for variables."""
    if isinstance(expression, Variable):
        return values.get(expression, expression)
    if not isinstance(expression, Call):
        return expression
    return replace(expression, arguments=tuple(replaced(part, values) for part in expression.arguments))


PatternTerm = Variable | Term
"""Term or variable of a triple pattern."""

Test = tuple[Expression, frozenset[Variable]]
"""A condition with its variables."""


def is_hidden(variable: Variable) -> bool:
    """Return whether a variable is generated, not written in the query."""
    return variable.startswith("#")


def _in_order(variables: Iterable[Variable]) -> tuple[Variable, ...]:
    return tuple(dict.fromkeys(variables))


def _variables_of(terms: Iterable[PatternTerm]) -> tuple[Variable, ...]:
    return _in_order(term for term in terms if isinstance(term, Variable))


@dataclass(frozen=True)
class Node:
    """Operator of the algebra; its result is a bag of rows."""

    @property
    def children(self) -> tuple[Node, ...]:
        """Operands."""
        return ()

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Variables that some row may bind."""
        raise NotImplementedError

    @property
    def certain(self) -> frozenset[Variable]:
        """Variables that each row binds."""
        raise NotImplementedError


def nodes_of(node: Node) -> Iterator[Node]:
    """Iterate over a node and all its descendants, in preorder."""
    pending = [node]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(reversed(part.children))


@dataclass(frozen=True)
class TriplePattern:
    """A triple pattern."""

    subject: PatternTerm
    predicate: PatternTerm
    object: PatternTerm

    @property
    def terms(self) -> tuple[PatternTerm, PatternTerm, PatternTerm]:
        return self.subject, self.predicate, self.object


class _Leaf(Node):
    """Base class of nodes whose rows bind all their variables."""

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return frozenset(self.variables)


@dataclass(frozen=True)
class BGP(_Leaf):
    """Basic graph pattern: all triple patterns match at once. Without triple patterns it has one row."""

    patterns: tuple[TriplePattern, ...]

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _variables_of(term for pattern in self.patterns for term in pattern.terms)


@dataclass(frozen=True)
class Closure(_Leaf):
    """Path `p*`, `p+` or `p?`, as a set of pairs; `step` has a row for each pair of `p`.

    Args:
        subject, object: ends of the path.
        step: the path `p`.
        start, end: variables of `step` that are bound to the ends of `p`.
        is_reflexive: whether the path may have length zero, and so relates each term of the graph, and each
            constant or substituted end, to itself.
        repeats: whether the path may have several steps.
        substituted: ends for which EXISTS may substitute terms that are not in the graph (see
            `mark_substituted_ends`).
    """

    subject: PatternTerm
    object: PatternTerm
    step: Node
    start: Variable
    end: Variable
    is_reflexive: bool
    repeats: bool
    substituted: frozenset[Variable] = frozenset()

    @property
    def children(self) -> tuple[Node, ...]:
        return (self.step,)

    @cached_property
    def may_be_empty(self) -> bool:
        """True if the path, or a path nested in it, may have length zero."""
        return any(isinstance(part, Closure) and part.is_reflexive for part in nodes_of(self))

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _variables_of((self.subject, self.object))


@dataclass(frozen=True)
class NegatedSet(_Leaf):
    """Negated property set `!(p|q)`: a row for each triple with another predicate."""

    subject: PatternTerm
    object: PatternTerm
    predicates: frozenset[Term]

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _variables_of((self.subject, self.object))


@dataclass(frozen=True)
class Values(Node):
    """VALUES: constant rows; None is UNDEF."""

    names: tuple[Variable, ...]
    rows: tuple[tuple[Term | None, ...], ...]

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.names

    @cached_property
    def certain(self) -> frozenset[Variable]:
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.names)
        bound = zip(self.names, columns, strict=True)
        return frozenset(v for v, column in bound if all(t is not None for t in column))


@dataclass(frozen=True)
class _Binary(Node):
    left: Node
    right: Node

    @property
    def children(self) -> tuple[Node, ...]:
        return self.left, self.right

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _in_order((*self.left.variables, *self.right.variables))


@dataclass(frozen=True)
class Join(_Binary):
    """Join; a shared variable has the literal form of the left row."""

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.left.certain | self.right.certain


@dataclass(frozen=True)
class LeftJoin(_Binary):
    """OPTIONAL: left rows joined with each compatible right row that fulfils the condition; a left row
    without such right rows stays alone.

    Args:
        condition: condition on the joined row; None if there is none.
        exists: variables of the condition that stand for truth values of EXISTS, each with the pattern of the
            EXISTS.
    """

    condition: Expression | None = None
    exists: tuple[tuple[Variable, Node], ...] = ()

    @property
    def children(self) -> tuple[Node, ...]:
        return self.left, self.right, *(pattern for _, pattern in self.exists)

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.left.certain


@dataclass(frozen=True)
class Union(_Binary):
    """UNION: bag union."""

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.left.certain & self.right.certain


@dataclass(frozen=True)
class Minus(_Binary):
    """MINUS: left rows, except rows that a compatible right row shares a bound variable with."""

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return self.left.variables

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.left.certain


@dataclass(frozen=True)
class Exists(_Binary):
    """EXISTS: left rows extended by a truth value, which is true if the right pattern has a match after
    substitution of the row's values.

    Args:
        variable: column of the truth value.
    """

    variable: Variable

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return (*self.left.variables, self.variable)

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.left.certain | {self.variable}


@dataclass(frozen=True)
class _Unary(Node):
    child: Node

    @property
    def children(self) -> tuple[Node, ...]:
        return (self.child,)

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.child.variables

    @property
    def certain(self) -> frozenset[Variable]:
        return self.child.certain


@dataclass(frozen=True)
class Filter(_Unary):
    """FILTER: rows for which the condition is true."""

    condition: Expression

    @cached_property
    def base(self) -> Node:
        """Operand of the lowest of the adjacent filters."""
        return self.child.base if isinstance(self.child, Filter) else self.child

    @cached_property
    def tests(self) -> tuple[Test, ...]:
        """Conditions of the adjacent filters, each with its variables."""
        inner = self.child.tests if isinstance(self.child, Filter) else ()
        is_and = isinstance(self.condition, Call) and self.condition.function == "&&"
        parts = self.condition.arguments if is_and and isinstance(self.condition, Call) else (self.condition,)
        return (*inner, *((part, variables_of(part)) for part in parts))

    @cached_property
    def used(self) -> frozenset[Variable]:
        """Variables of the conditions."""
        return frozenset(variable for _, variables in self.tests for variable in variables)


@dataclass(frozen=True)
class Extend(_Unary):
    """BIND: rows extended by a variable, which is unbound if the expression has an error."""

    variable: Variable
    expression: Expression

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _in_order((*self.child.variables, self.variable))


@dataclass(frozen=True)
class Graph(_Unary):
    """GRAPH: rows of a pattern over a named graph, or over each named graph if `name` is a variable."""

    name: PatternTerm

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _in_order((*_variables_of((self.name,)), *self.child.variables))

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.child.certain.union(_variables_of((self.name,)))


@dataclass(frozen=True)
class Project(_Unary):
    """Projection to some variables."""

    names: tuple[Variable, ...]

    @cached_property
    def dropped(self) -> tuple[Variable, ...]:
        """Variables of the operand that the projection drops."""
        return tuple(variable for variable in self.child.variables if variable not in self.names)

    @cached_property
    def kept(self) -> frozenset[Variable]:
        """Projected variables as a set."""
        return frozenset(self.names)

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.names

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.child.certain.intersection(self.names)


@dataclass(frozen=True)
class Distinct(_Unary):
    """DISTINCT: each row once."""


@dataclass(frozen=True)
class OrderBy(_Unary):
    """ORDER BY."""

    keys: tuple[OrderKey, ...]


@dataclass(frozen=True)
class Slice(_Unary):
    """OFFSET and LIMIT."""

    offset: int = 0
    limit: int | None = None


@dataclass(frozen=True)
class Group(_Unary):
    """GROUP BY: one row for each group, with its keys and aggregates.

    Args:
        keys: variables of the operand; None for a single group of all rows, which exists even without rows.
    """

    keys: tuple[Variable, ...] | None
    aggregates: tuple[Aggregate, ...] = field(default=())

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return (*(self.keys or ()), *(aggregate.variable for aggregate in self.aggregates))

    @cached_property
    def certain(self) -> frozenset[Variable]:
        counts = {a.variable for a in self.aggregates if a.function == "COUNT"}
        return self.child.certain.intersection(self.keys or ()) | counts


UNIT = BGP(())
"""One row that binds no variable."""


@dataclass(frozen=True)
class Query:
    """Parsed query.

    Args:
        form: `SELECT`, `ASK`, `CONSTRUCT` or `DESCRIBE`.
        node: the pattern with the solution modifiers.
        variables: columns of a SELECT.
        template: triples of a CONSTRUCT.
        described: terms and variables of a DESCRIBE.
        default_graphs, named_graphs: graphs of FROM and FROM NAMED; None if the query has neither clause.
        base: base of relative IRIs.
        prefixes: declared and predefined prefixes with their namespaces.
    """

    form: str
    node: Node
    variables: tuple[Variable, ...] = ()
    template: tuple[TriplePattern, ...] = ()
    described: tuple[PatternTerm, ...] = ()
    default_graphs: tuple[Term, ...] | None = None
    named_graphs: tuple[Term, ...] | None = None
    base: str | None = None
    prefixes: tuple[tuple[str, str], ...] = ()

    @property
    def has_dataset_clause(self) -> bool:
        """True if the query has FROM or FROM NAMED."""
        return self.default_graphs is not None or self.named_graphs is not None

    @property
    def graphs(self) -> frozenset[PatternTerm]:
        """Names of the graphs in GRAPH, FROM and FROM NAMED."""
        named = (node.name for node in nodes_of(self.node) if isinstance(node, Graph))
        return frozenset((*named, *(self.default_graphs or ()), *(self.named_graphs or ())))


Pass = Callable[[Node], Node]


def with_children(node: Node, change: Pass) -> Node:
    """Apply a function to each child of a node."""
    if isinstance(node, LeftJoin):
        marks = tuple((variable, change(pattern)) for variable, pattern in node.exists)
        return replace(node, left=change(node.left), right=change(node.right), exists=marks)
    if isinstance(node, Join | Union | Minus | Exists):
        return replace(node, left=change(node.left), right=change(node.right))
    if isinstance(node, Closure):
        return replace(node, step=change(node.step))
    if node.children:
        return replace(node, child=change(node.children[0]))  # type: ignore[call-arg]
    return node
