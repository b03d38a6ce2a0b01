"""The algebra of queries (SPARQL 1.1, section 18): what is to be answered, as frozen trees.

Each node knows its `variables`, in the order of their first appearance in the text, and those that are
`certain`: bound in every row. Names of variables that begin with `#` cannot be written in a query; they stand
for blank nodes, the steps of paths, aggregates, and what EXISTS comes to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from rdflib import Variable

from pantarhei.model.term import Term
from pantarhei.query.algebra.expressions import Aggregate, Call, Expression, OrderKey, variables_of

Place = Variable | Term
"""What stands in a pattern."""

Test = tuple[Expression, frozenset[Variable]]
"""A condition, and the variables that it looks at."""


def is_hidden(variable: Variable) -> bool:
    """Whether nobody can have written the variable."""
    return variable.startswith("#")


def _in_order(variables: Iterable[Variable]) -> tuple[Variable, ...]:
    return tuple(dict.fromkeys(variables))


def _variables_of(places: Iterable[Place]) -> tuple[Variable, ...]:
    return _in_order(place for place in places if isinstance(place, Variable))


@dataclass(frozen=True)
class Node:
    """A part of a query that has rows."""

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes that it is made of."""
        return ()

    @property
    def variables(self) -> tuple[Variable, ...]:
        """What its rows may bind."""
        raise NotImplementedError

    @property
    def certain(self) -> frozenset[Variable]:
        """What each of its rows binds."""
        raise NotImplementedError


def nodes_of(node: Node) -> Iterator[Node]:
    """The node and all below it."""
    pending = [node]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(reversed(part.children))


@dataclass(frozen=True)
class TriplePattern:
    """A triple with variables in some places."""

    subject: Place
    predicate: Place
    object: Place

    @property
    def places(self) -> tuple[Place, Place, Place]:
        return self.subject, self.predicate, self.object


class _Leaf(Node):
    """A node whose rows bind all of its variables."""

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
    """The paths `p*`, `p+` and `p?`, as a set of pairs: `step` has a row for each pair of `p`.

    Args:
        subject, object: the ends.
        step: the rows of the path below.
        start, end: the variables of `step` that are its ends.
        is_reflexive: each term of the graph, and each end that is given, is related to itself.
        repeats: many steps may follow each other.
        given: the ends that EXISTS gives values which may be no terms of the graph (given_ends.py).
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
        """Whether it may have no step at all, so that terms are related to themselves."""
        return any(isinstance(part, Closure) and part.is_reflexive for part in nodes_of(self))

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _variables_of((self.subject, self.object))


@dataclass(frozen=True)
class NegatedSet(_Leaf):
    """The path `!(p|q)`: a row for each triple with another predicate."""

    subject: Place
    object: Place
    predicates: frozenset[Term]

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _variables_of((self.subject, self.object))


@dataclass(frozen=True)
class Values(Node):
    """Rows that are given; None is UNDEF."""

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
    """Compatible rows of both; a shared variable shows the form that the left has."""

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.left.certain | self.right.certain


@dataclass(frozen=True)
class LeftJoin(_Pair):
    """OPTIONAL: the rows of the left, joined with those of the right that meet the condition, if there are.

    Args:
        condition: None where any do.
        marks: the patterns of the EXISTS in it, with the variables that stand for them there.
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
    """The rows of both."""

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.left.certain & self.right.certain


@dataclass(frozen=True)
class Minus(_Pair):
    """The rows of the left without those that are compatible with, and share a bound variable with, a row of
    the right.
    """

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return self.left.variables

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.left.certain


@dataclass(frozen=True)
class Exists(_Pair):
    """EXISTS: the rows of the left with one column more, whether the pattern on the right has a match where
    the row's values stand for its variables.

    Args:
        variable: is bound to true or false.
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
    """The rows for which the condition is true."""

    condition: Expression

    @cached_property
    def base(self) -> Node:
        """What this filter and those directly below it filter."""
        return self.child.base if isinstance(self.child, Filter) else self.child

    @cached_property
    def tests(self) -> tuple[Test, ...]:
        """The conditions of all these filters, each with the variables that it looks at."""
        inner = self.child.tests if isinstance(self.child, Filter) else ()
        is_and = isinstance(self.condition, Call) and self.condition.function == "&&"
        parts = self.condition.arguments if is_and and isinstance(self.condition, Call) else (self.condition,)
        return (*inner, *((part, variables_of(part)) for part in parts))

    @cached_property
    def used(self) -> frozenset[Variable]:
        """What the conditions look at."""
        return frozenset(variable for _, variables in self.tests for variable in variables)


@dataclass(frozen=True)
class Extend(_Single):
    """BIND: the rows with a variable more, unbound where the expression errs."""

    variable: Variable
    expression: Expression

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _in_order((*self.child.variables, self.variable))


@dataclass(frozen=True)
class Graph(_Single):
    """GRAPH: the rows of a named graph, or of each."""

    name: Place

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _in_order((*_variables_of((self.name,)), *self.child.variables))

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.child.certain.union(_variables_of((self.name,)))


@dataclass(frozen=True)
class Project(_Single):
    """The rows with some variables only."""

    names: tuple[Variable, ...]

    @cached_property
    def dropped(self) -> tuple[Variable, ...]:
        """The variables that the rows had before."""
        return tuple(variable for variable in self.child.variables if variable not in self.names)

    @cached_property
    def kept(self) -> frozenset[Variable]:
        """The variables as a set."""
        return frozenset(self.names)

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.names

    @cached_property
    def certain(self) -> frozenset[Variable]:
        return self.child.certain.intersection(self.names)


@dataclass(frozen=True)
class Distinct(_Single):
    """Each row once."""


@dataclass(frozen=True)
class OrderBy(_Single):
    """The rows in order."""

    keys: tuple[OrderKey, ...]


@dataclass(frozen=True)
class Slice(_Single):
    """Some of the rows, from `offset` on, `limit` at most."""

    offset: int = 0
    limit: int | None = None


@dataclass(frozen=True)
class Group(_Single):
    """A row for each group of rows that agree in `keys`: these, and the aggregates.

    Args:
        keys: variables of the child. None where there is one group of all rows, even of none.
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
"""One row that binds nothing."""


@dataclass(frozen=True)
class Query:
    """A whole query.

    Args:
        form: `SELECT`, `ASK`, `CONSTRUCT` or `DESCRIBE`.
        node: its rows.
        variables: the columns of SELECT.
        template: the triples of CONSTRUCT.
        described: the terms and variables of DESCRIBE.
        default_graphs, named_graphs: FROM and FROM NAMED; None where the query has neither.
        base: the IRI that relative ones are resolved against.
        prefixes: those that it could use, with their namespaces.
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
        """What it names graphs by: in GRAPH, FROM and FROM NAMED."""
        named = (node.name for node in nodes_of(self.node) if isinstance(node, Graph))
        return frozenset((*named, *(self.default_graphs or ()), *(self.named_graphs or ())))


Pass = Callable[[Node], Node]


def with_children(node: Node, change: Pass) -> Node:
    """The node with each of its children changed."""
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
