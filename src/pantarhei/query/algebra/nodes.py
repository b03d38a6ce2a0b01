"""SPARQL algebra (SPARQL 1.1, section 18) as frozen trees.

Each node has its `variables`, in the order of their first occurrence in the text, and its `certain`
variables, which every row binds. Variables whose names begin with `#` are generated: for blank nodes, the
steps of paths, aggregates, and the results of EXISTS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
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


Place = Variable | Term
"""A component of a triple pattern."""

Test = tuple[Expression, frozenset[Variable]]
"""A condition with its variables."""


def is_hidden(variable: Variable) -> bool:
    """Return True if the variable is generated, not written in the query."""
    return variable.startswith("#")


def _in_order(variables: Iterable[Variable]) -> tuple[Variable, ...]:
    return tuple(dict.fromkeys(variables))


def _variables_of(places: Iterable[Place]) -> tuple[Variable, ...]:
    return _in_order(place for place in places if isinstance(place, Variable))


@dataclass(frozen=True)
class Node:
    """An operator of the algebra; its result is a bag of rows."""

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
    """Return the node and all its descendants, in preorder."""
    pending = [node]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(reversed(part.children))


@dataclass(frozen=True)
class TriplePattern:
    """A triple pattern."""

    subject: Place
    predicate: Place
    object: Place

    @property
    def places(self) -> tuple[Place, Place, Place]:
        return self.subject, self.predicate, self.object


class _Leaf(Node):
    """Base class of nodes whose rows bind all their variables."""

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return frozenset(self.variables)


@dataclass(frozen=True)
class BGP(_Leaf):
    """A basic graph pattern: all patterns match at once. Without patterns it has one row."""

    patterns: tuple[TriplePattern, ...]

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _variables_of(place for pattern in self.patterns for place in pattern.places)


@dataclass(frozen=True)
class Closure(_Leaf):
    """A path `p*`, `p+` or `p?` as a set of pairs; `step` has a row for each pair of `p`.

    Args:
        subject, object: the ends.
        step: the path `p`.
        start, end: the variables of `step` that are its ends.
        is_reflexive: the path may have no step: it relates each term of the graph, and each given end, to
            itself.
        repeats: the path may have several steps.
        given: ends to which EXISTS may substitute terms that are not in the graph (see `mark_given_ends`).
    """

    subject: Place
    object: Place
    step: Node
    start: Variable
    end: Variable
    is_reflexive: bool
    repeats: bool
    given: frozenset[Variable] = frozenset()

    @property
    def children(self) -> tuple[Node, ...]:
        return (self.step,)

    @cached_property
    def may_be_empty(self) -> bool:
        """True if the path, with the paths inside of it, may have no step."""
        return any(isinstance(part, Closure) and part.is_reflexive for part in nodes_of(self))

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _variables_of((self.subject, self.object))


@dataclass(frozen=True)
class NegatedSet(_Leaf):
    """A path `!(p|q)`: a row for each triple with another predicate."""

    subject: Place
    object: Place
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
        return frozenset(
            v for v, column in zip(self.names, columns, strict=True) if all(t is not None for t in column)
        )


@dataclass(frozen=True)
class _Pair(Node):
    left: Node
    right: Node

    @property
    def children(self) -> tuple[Node, ...]:
        return self.left, self.right

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _in_order((*self.left.variables, *self.right.variables))


@dataclass(frozen=True)
class Join(_Pair):
    """Join; a shared variable has the literal form of the left row."""

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.left.certain | self.right.certain


@dataclass(frozen=True)
class LeftJoin(_Pair):
    """OPTIONAL: left rows, joined with the right rows that satisfy the condition, or alone if there are none.

    Args:
        condition: None if every compatible row matches.
        marks: variables of the condition that stand for EXISTS, with the patterns.
    """

    condition: Expression | None = None
    marks: tuple[tuple[Variable, Node], ...] = ()

    @property
    def children(self) -> tuple[Node, ...]:
        return self.left, self.right, *(pattern for _, pattern in self.marks)

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.left.certain


@dataclass(frozen=True)
class Union(_Pair):
    """UNION: bag union."""

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.left.certain & self.right.certain


@dataclass(frozen=True)
class Minus(_Pair):
    """MINUS: left rows without a compatible right row that shares a bound variable."""

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return self.left.variables

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.left.certain


@dataclass(frozen=True)
class Exists(_Pair):
    """EXISTS: left rows with a Boolean column: True if the right pattern matches with the row's values
    substituted.

    Args:
        variable: the Boolean column.
    """

    variable: Variable

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return (*self.left.variables, self.variable)

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.left.certain | {self.variable}


@dataclass(frozen=True)
class _Single(Node):
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
class Filter(_Single):
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
class Extend(_Single):
    """BIND: rows with one more variable, unbound where the expression has an error."""

    variable: Variable
    expression: Expression

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _in_order((*self.child.variables, self.variable))


@dataclass(frozen=True)
class Graph(_Single):
    """GRAPH: rows over a named graph, or over each one."""

    name: Place

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _in_order((*_variables_of((self.name,)), *self.child.variables))

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.child.certain.union(_variables_of((self.name,)))


@dataclass(frozen=True)
class Project(_Single):
    """Projection to some variables."""

    names: tuple[Variable, ...]

    @cached_property
    def dropped(self) -> tuple[Variable, ...]:
        """Variables of the operand that are projected away."""
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
class Distinct(_Single):
    """DISTINCT: each row once."""


@dataclass(frozen=True)
class OrderBy(_Single):
    """ORDER BY."""

    keys: tuple[OrderKey, ...]


@dataclass(frozen=True)
class Slice(_Single):
    """OFFSET and LIMIT."""

    offset: int = 0
    limit: int | None = None


@dataclass(frozen=True)
class Group(_Single):
    """GROUP BY: a row for each group, with its keys and aggregates.

    Args:
        keys: variables of the operand; None for a single group of all rows, which exists without rows too.
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
    """A parsed query.

    Args:
        form: `SELECT`, `ASK`, `CONSTRUCT` or `DESCRIBE`.
        node: its pattern with the solution modifiers.
        variables: columns of SELECT.
        template: triples of CONSTRUCT.
        described: terms and variables of DESCRIBE.
        default_graphs, named_graphs: FROM and FROM NAMED; None if the query has neither.
        base: base of relative IRIs.
        prefixes: declared and predefined prefixes with their namespaces.
    """

    form: str
    node: Node
    variables: tuple[Variable, ...] = ()
    template: tuple[TriplePattern, ...] = ()
    described: tuple[Place, ...] = ()
    default_graphs: tuple[Term, ...] | None = None
    named_graphs: tuple[Term, ...] | None = None
    base: str | None = None
    prefixes: tuple[tuple[str, str], ...] = ()

    @property
    def graphs(self) -> frozenset[Place]:
        """Names of its graphs: in GRAPH, FROM and FROM NAMED."""
        named = (node.name for node in nodes_of(self.node) if isinstance(node, Graph))
        return frozenset((*named, *(self.default_graphs or ()), *(self.named_graphs or ())))


Pass = Callable[[Node], Node]


def with_children(node: Node, change: Pass) -> Node:
    """Apply a function to each child of a node."""
    if isinstance(node, LeftJoin):
        marks = tuple((variable, change(pattern)) for variable, pattern in node.marks)
        return replace(node, left=change(node.left), right=change(node.right), marks=marks)
    if isinstance(node, Join | Union | Minus | Exists):
        return replace(node, left=change(node.left), right=change(node.right))
    if isinstance(node, Closure):
        return replace(node, step=change(node.step))
    if node.children:
        return replace(node, child=change(node.children[0]))  # type: ignore[call-arg]
    return node
