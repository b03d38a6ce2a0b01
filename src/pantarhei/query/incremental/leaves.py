"""Leaves of the operator network, and parameterised patterns.

The kernel matches a connected basic graph pattern in which each triple pattern has a constant class or
property. `split_pattern` rewrites any basic graph pattern as a join of such connected patterns and of single
triple patterns with a variable class or property, which are matched to the changed facts directly.

Nodes that differ only in the names in their patterns have one shape: the node with parameters in place of the
names. The rows of the shape end with the values of the parameters, so that one plan maintains all such nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rdflib import Literal, Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.model.term import RDF_TYPE, Term, Triple
from pantarhei.query.algebra import nodes as algebra
from pantarhei.query.algebra.analysis import depends_on_clock, is_volatile_node, symbols_of
from pantarhei.query.incremental.operator import (
    EMPTY,
    Bag,
    Maintenance,
    Operator,
    Row,
    Rows,
    SharedState,
    bag_of,
    columns_of,
    rows_of,
    selector,
)
from pantarhei.query.incremental.row_expressions import RowExpression, RowTest
from pantarhei.query.solutions import SolutionTable

_Positions = list[int]
"""Positions of triple patterns in a basic graph pattern, ascending."""


def is_kernel_pattern(pattern: algebra.TriplePattern) -> bool:
    """Return whether all facts that match a triple pattern belong to one class or one property."""
    if isinstance(pattern.predicate, Variable) or isinstance(pattern.subject, Literal):
        return False
    return pattern.predicate != RDF_TYPE or not isinstance(pattern.object, Variable | Literal)


def split_pattern(node: algebra.BGP) -> algebra.Node:
    """Rewrite a basic graph pattern as a join of smaller ones, such that each has one leaf. A pattern that
    has one leaf is returned unchanged.

    A variable keeps the literal form of its first occurrence in the query, so the pattern with this
    occurrence is joined first.
    """
    parts = [
        algebra.BGP(tuple(node.patterns[position] for position in positions))
        for positions in _parts(node.patterns)
    ]
    if len(parts) == 1:
        return node
    joined, *others = _order_parts(parts, _literal_variables(node.patterns))
    made: algebra.Node = joined
    for other in others:
        made = algebra.Join(made, other)
    return made if made.variables == node.variables else algebra.Project(made, node.variables)


def _parts(patterns: Sequence[algebra.TriplePattern]) -> list[_Positions]:
    """Return the positions of the triple patterns of each smaller pattern, ordered by the first position."""
    kernel = [position for position, pattern in enumerate(patterns) if is_kernel_pattern(pattern)]
    others = [position for position in range(len(patterns)) if position not in kernel]
    mixed = _variables(patterns, kernel) & _variables(patterns, others) & _literal_variables(patterns)
    runs: list[_Positions] = [] if mixed else [kernel]
    for position in kernel if mixed else ():
        if runs and runs[-1][-1] == position - 1:
            runs[-1].append(position)
        else:
            runs.append([position])
    matched = [part for run in runs for part in _components(patterns, run)]
    return sorted([*([position] for position in others), *matched])


def _components(patterns: Sequence[algebra.TriplePattern], positions: _Positions) -> list[_Positions]:
    """Return the connected components of these triple patterns, which are connected by shared variables."""
    parts: list[tuple[set[Variable], _Positions]] = []
    for position in positions:
        variables, members = _variables(patterns, [position]), [position]
        for part in [part for part in parts if part[0] & variables]:
            parts.remove(part)
            variables, members = part[0] | variables, part[1] + members
        parts.append((variables, members))
    return [sorted(members) for _, members in parts]


def _order_parts(parts: Iterable[algebra.BGP], literal_variables: set[Variable]) -> list[algebra.BGP]:
    """Order patterns such that each shares a variable with a pattern before it, if possible.

    Args:
        literal_variables: variables that may be bound to literals; patterns that share one keep their order.
    """
    left = list(parts)
    ordered = [left.pop(0)]
    while left:
        seen = {variable for part in ordered for variable in part.variables}
        free = [
            part
            for position, part in enumerate(left)
            if not any(
                literal_variables.intersection(part.variables, earlier.variables)
                for earlier in left[:position]
            )
        ]
        chosen = next((part for part in free if not seen.isdisjoint(part.variables)), free[0])
        left.remove(chosen)
        ordered.append(chosen)
    return ordered


def _variables(patterns: Sequence[algebra.TriplePattern], positions: Iterable[int]) -> set[Variable]:
    return {each for position in positions for each in patterns[position].terms if isinstance(each, Variable)}


def _literal_variables(patterns: Sequence[algebra.TriplePattern]) -> set[Variable]:
    """Return the variables that occur only as objects, since only these may be bound to literals."""
    objects = {each.object for each in patterns if isinstance(each.object, Variable)}
    names = {term for each in patterns for term in (each.subject, each.predicate)}
    return {each for each in objects if isinstance(each, Variable) and each not in names}


class Parameter(Variable):
    """Variable that replaces a name in a shape; its label cannot occur in a query."""

    __slots__ = ()


class Shape(NamedTuple):
    """Node with parameters in place of names.

    Args:
        node: the parameterised node; its last variables are the parameters.
        names: names of the original node, in the order of the parameters.
    """

    node: algebra.Node
    names: tuple[Term, ...]


def is_parameter(variable: Variable) -> bool:
    return isinstance(variable, Parameter)


def parameters_of(node: algebra.Node) -> tuple[Variable, ...]:
    """Return the parameters among the variables of a node."""
    return tuple(filter(is_parameter, node.variables))


def shape_of(node: algebra.Node) -> Shape | None:
    """Return the shape of a node; None if it has none.

    A node has a shape if it is a chain of unary operators above one basic graph pattern that the kernel
    matches as one body, if this pattern contains a name besides classes and properties, and if it contains no
    literal and no volatile or clock-dependent expression.
    """
    below = node
    while isinstance(
        below,
        algebra.Project
        | algebra.Filter
        | algebra.Extend
        | algebra.Group
        | algebra.Distinct
        | algebra.OrderBy,
    ):
        below = below.child
    if (
        not isinstance(below, algebra.BGP)
        or not below.patterns
        or is_volatile_node(node)
        or depends_on_clock(node)
    ):
        return None
    if split_pattern(below) is not below or not is_kernel_pattern(below.patterns[0]):
        return None
    parameters: dict[Term, Variable] = {}

    def general(term: algebra.PatternTerm) -> algebra.PatternTerm:
        if isinstance(term, Variable):
            return term
        return parameters.setdefault(term, Parameter(f"#parameter{len(parameters)}"))

    patterns = _map_arguments(below, general)
    if not parameters or any(isinstance(name, Literal) for name in parameters):
        return None
    added = tuple(parameters.values())
    made = _parameterise(node, patterns, added)
    variables = [variable for variable in made.variables if not is_parameter(variable)]
    return Shape(algebra.Project(made, (*variables, *added)), tuple(parameters))


def instantiate(node: algebra.Node, names: Mapping[Variable, Term]) -> algebra.Node:
    """Replace the parameters of a shape's node by names."""
    if isinstance(node, algebra.BGP):
        return _map_arguments(node, lambda t: names.get(t, t) if isinstance(t, Variable) else t)
    fields: dict[str, Any] = {}
    if isinstance(node, algebra.Project):
        fields["names"] = tuple(name for name in node.names if name not in names)
    elif isinstance(node, algebra.Group):
        fields["keys"] = tuple(key for key in node.keys or () if key not in names) or None
    (child,) = node.children
    return replace(node, child=instantiate(child, names), **fields)  # type: ignore[call-arg]


def _parameterise(node: algebra.Node, patterns: algebra.BGP, added: tuple[Variable, ...]) -> algebra.Node:
    """Parameterise a node: replace its pattern, and add the parameters to projections and group keys."""
    if isinstance(node, algebra.BGP):
        return patterns
    fields: dict[str, Any] = {}
    if isinstance(node, algebra.Project):
        fields["names"] = (*node.names, *added)
    elif isinstance(node, algebra.Group):
        fields["keys"] = (*(node.keys or ()), *added)
    (child,) = node.children
    return replace(node, child=_parameterise(child, patterns, added), **fields)  # type: ignore[call-arg]


def _map_arguments(
    node: algebra.BGP, mapped: Callable[[algebra.PatternTerm], algebra.PatternTerm]
) -> algebra.BGP:
    """Apply a function to the subjects and objects of the triple patterns, except to classes."""
    return algebra.BGP(
        tuple(
            algebra.TriplePattern(
                mapped(pattern.subject),
                pattern.predicate,
                pattern.object if pattern.predicate == RDF_TYPE else mapped(pattern.object),
            )
            for pattern in node.patterns
        )
    )


Evaluate = Callable[[algebra.Node], SolutionTable]
"""Evaluates a node at the present state, by column."""


class PatternLeaf(Operator):
    """Basic graph pattern that the kernel matches. The kernel supplies the inserted and deleted matches, so
    the leaf has no state.

    The leaf of a parameterised pattern emits only rows whose parameter values are a key of
    `parameter_values`, which maps the term numbers of parameter bindings to their terms.

    Args:
        node: the pattern, or a projection of it; `pattern` is the pattern itself.
    """

    test: RowTest | None = None
    """Condition on one variable of a match; None if all matches are emitted."""

    def __init__(self, node: algebra.BGP | algebra.Project, shared: SharedState, evaluate: Evaluate) -> None:
        super().__init__(node, shared)
        pattern = node.child if isinstance(node, algebra.Project) else node
        assert isinstance(pattern, algebra.BGP), "a pattern or its projection"
        self.pattern, self._evaluate = pattern, evaluate
        self.parameters = parameters_of(pattern)
        self.parameter_values: dict[Row, tuple[Term, ...]] = {}

    def initial_rows(self) -> Rows:
        return EMPTY if self.parameters else bag_of(rows_of(self._evaluate_now(), self.variables))

    def _evaluate_now(self) -> SolutionTable:
        """Evaluate the node at the present state."""
        return self._evaluate(self.node)

    def rows_with(self, names: tuple[Term, ...], numbers: Row) -> Bag:
        """Return the present rows of one parameter binding.

        Args:
            names: values of the parameters.
            numbers: term numbers of these values.
        """
        node = instantiate(self.node, dict(zip(self.parameters, names, strict=True)))
        variables = (*node.variables, *self.parameters)
        rows = [(*row, *numbers) for row in rows_of(self._evaluate(node), node.variables)]
        return bag_of(map(selector(columns_of(self.variables, variables)), rows))


class FilteredPatternLeaf(PatternLeaf):
    """Basic graph pattern with a condition on one variable; the kernel skips matches that do not fulfil the
    condition before it creates their rows.

    Args:
        condition: the filter's condition.
        test: the condition, compiled for single rows.
    """

    def __init__(
        self,
        node: algebra.Filter,
        shared: SharedState,
        evaluate: Evaluate,
        condition: RowExpression,
        test: RowTest,
    ) -> None:
        assert isinstance(node.child, algebra.BGP), "a pattern is below"
        super().__init__(node.child, shared, evaluate)
        self.node, self._condition, self.test = node, condition, test

    def _evaluate_now(self) -> SolutionTable:
        # all matches, since the truth values of matches deleted later are to be cached
        matches = self._evaluate(self.pattern)
        return matches.filter(self._condition.cache_truths(matches))

    def clear_caches(self) -> None:
        self._condition.clear_caches()


class ValuesLeaf(Operator):
    """VALUES: constant rows."""

    node: algebra.Values

    def initial_rows(self) -> Rows:
        id_of = self.shared.terms.id_of
        rows = ([NONE if term is None else id_of(term) for term in row] for row in self.node.rows)
        return bag_of(map(tuple, rows))


class RecomputeLeaf(Operator):
    """Node that is re-evaluated after each step that may have changed its rows; the delta is the difference
    to the rows of the last evaluation.

    `symbols` are the classes and properties that the node reads; None if it reads all facts, or depends on
    the clock.
    """

    maintenance = Maintenance.WHOLE

    def __init__(self, node: algebra.Node, shared: SharedState, evaluate: Evaluate) -> None:
        super().__init__(node, shared)
        self._evaluate = evaluate
        self._last_rows = self._new_bag()
        self.symbols = None if depends_on_clock(node) else symbols_of(node)

    def _rows(self) -> Iterable[Row]:
        """Evaluate the node at the present state."""
        return rows_of(self._evaluate(self.node), self.variables)

    def initial_rows(self) -> Rows:
        return self.change()

    def change(self, *changes: Rows) -> Rows:
        return self.shared.replace_bag(self._last_rows, bag_of(self._rows()))

    @property
    def stored(self) -> Rows:
        return self._last_rows


class DescribeLeaf(RecomputeLeaf):
    """DESCRIBE: a set of triples, re-evaluated after each step that changed a fact.

    Args:
        described: returns the triples that describe the resources of a table.
    """

    def __init__(
        self,
        node: algebra.Node,
        shared: SharedState,
        evaluate: Evaluate,
        described: Callable[[SolutionTable], Iterable[Triple]],
    ) -> None:
        super().__init__(node, shared, evaluate)
        self._described = described
        self.variables = ()
        self.symbols = None

    def _rows(self) -> Iterable[Row]:
        id_of = self.shared.terms.id_of
        return [tuple(map(id_of, triple)) for triple in self._described(self._evaluate(self.node))]
