"""Leaves of the operator network, and the shapes of patterns.

The kernel matches connected patterns in which each triple pattern names a class or property. `split_pattern`
makes a basic graph pattern a join of such parts; a triple pattern with a variable class or property is a part
of its own, matched to changed facts directly.

Nodes that differ only in the names in their patterns have one shape: the node with parameters in place of
names. The rows of a shape end with the values of the parameters, so that one plan maintains all such nodes.
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
    SharedState,
    bag_of,
    places_of,
    rows_of,
    selector,
)
from pantarhei.query.incremental.row_expressions import RowExpression, RowTest
from pantarhei.query.solutions import SolutionTable

_Places = list[int]
"""Positions of triple patterns in a basic graph pattern, ascending."""


def is_kernel_pattern(pattern: algebra.TriplePattern) -> bool:
    """Return whether the facts that match a triple pattern belong to one class or property."""
    if isinstance(pattern.predicate, Variable) or isinstance(pattern.subject, Literal):
        return False
    return pattern.predicate != RDF_TYPE or not isinstance(pattern.object, Variable | Literal)


def split_pattern(node: algebra.BGP) -> algebra.Node:
    """Rewrite a pattern as a join of parts; a pattern of one part is returned unchanged.

    A variable has the literal form of its first occurrence in the query, so the part with that occurrence is
    first.
    """
    parts = [algebra.BGP(tuple(node.patterns[place] for place in places)) for places in _parts(node.patterns)]
    if len(parts) == 1:
        return node
    joined, *others = _in_order(parts, _with_forms(node.patterns))
    made: algebra.Node = joined
    for other in others:
        made = algebra.Join(made, other)
    return made if made.variables == node.variables else algebra.Project(made, node.variables)


def _parts(patterns: Sequence[algebra.TriplePattern]) -> list[_Places]:
    """Return the parts, ordered by their first triple patterns."""
    kernel = [place for place, pattern in enumerate(patterns) if is_kernel_pattern(pattern)]
    others = [place for place in range(len(patterns)) if place not in kernel]
    mixed = _variables(patterns, kernel) & _variables(patterns, others) & _with_forms(patterns)
    runs: list[_Places] = [] if mixed else [kernel]
    for place in kernel if mixed else ():
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return sorted([[place] for place in others] + [part for run in runs for part in _hanging(patterns, run)])


def _hanging(patterns: Sequence[algebra.TriplePattern], places: _Places) -> list[_Places]:
    """Return the connected components of some triple patterns."""
    parts: list[tuple[set[Variable], _Places]] = []
    for place in places:
        variables, members = _variables(patterns, [place]), [place]
        for part in [part for part in parts if part[0] & variables]:
            parts.remove(part)
            variables, members = part[0] | variables, part[1] + members
        parts.append((variables, members))
    return [sorted(members) for _, members in parts]


def _in_order(parts: Iterable[algebra.BGP], with_forms: set[Variable]) -> list[algebra.BGP]:
    """Order parts so that each shares a variable with those before it, if possible."""
    left = list(parts)
    ordered = [left.pop(0)]
    while left:
        seen = {variable for part in ordered for variable in part.variables}
        free = [
            part
            for place, part in enumerate(left)
            if not any(with_forms.intersection(part.variables, earlier.variables) for earlier in left[:place])
        ]
        chosen = next((part for part in free if not seen.isdisjoint(part.variables)), free[0])
        left.remove(chosen)
        ordered.append(chosen)
    return ordered


def _variables(patterns: Sequence[algebra.TriplePattern], places: Iterable[int]) -> set[Variable]:
    return {each for place in places for each in patterns[place].places if isinstance(each, Variable)}


def _with_forms(patterns: Sequence[algebra.TriplePattern]) -> set[Variable]:
    """Return the variables that may be bound to literals: those that occur only as objects."""
    objects = {each.object for each in patterns if isinstance(each.object, Variable)}
    names = {place for each in patterns for place in (each.subject, each.predicate)}
    return {each for each in objects if isinstance(each, Variable) and each not in names}


class Parameter(Variable):
    """Variable of a shape in place of a name; its label cannot occur in a query."""

    __slots__ = ()


class Shape(NamedTuple):
    """Node with parameters in place of names.

    Args:
        node: the parameterised node; the parameters are the last of its variables.
        names: the names in the original node, in the order of the parameters.
    """

    node: algebra.Node
    names: tuple[Term, ...]


def is_parameter(variable: Variable) -> bool:
    return isinstance(variable, Parameter)


def parameters_of(node: algebra.Node) -> tuple[Variable, ...]:
    """Return the parameters among the variables of a node."""
    return tuple(filter(is_parameter, node.variables))


def shape_of(node: algebra.Node) -> Shape | None:
    """Return the shape of a node.

    None if its patterns contain no names, or if the node is not a chain of unary operators above one basic
    graph pattern.
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

    def general(place: algebra.Place) -> algebra.Place:
        if isinstance(place, Variable):
            return place
        return parameters.setdefault(place, Parameter(f"#parameter{len(parameters)}"))

    patterns = _with_ends(below, general)
    if not parameters or any(isinstance(name, Literal) for name in parameters):
        return None
    behind = tuple(parameters.values())
    made = _general(node, patterns, behind)
    variables = [variable for variable in made.variables if not is_parameter(variable)]
    return Shape(algebra.Project(made, (*variables, *behind)), tuple(parameters))


def instantiate(node: algebra.Node, names: Mapping[Variable, Term]) -> algebra.Node:
    """Replace the parameters of a shape's node by names."""
    if isinstance(node, algebra.BGP):
        return _with_ends(
            node, lambda place: names.get(place, place) if isinstance(place, Variable) else place
        )
    fields: dict[str, Any] = {}
    if isinstance(node, algebra.Project):
        fields["names"] = tuple(name for name in node.names if name not in names)
    elif isinstance(node, algebra.Group):
        fields["keys"] = tuple(key for key in node.keys or () if key not in names) or None
    (child,) = node.children
    return replace(node, child=instantiate(child, names), **fields)  # type: ignore[call-arg]


def _general(node: algebra.Node, patterns: algebra.BGP, behind: tuple[Variable, ...]) -> algebra.Node:
    """Parameterise a node: replace its pattern, and add the parameters to projections and group keys."""
    if isinstance(node, algebra.BGP):
        return patterns
    fields: dict[str, Any] = {}
    if isinstance(node, algebra.Project):
        fields["names"] = (*node.names, *behind)
    elif isinstance(node, algebra.Group):
        fields["keys"] = (*(node.keys or ()), *behind)
    (child,) = node.children
    return replace(node, child=_general(child, patterns, behind), **fields)  # type: ignore[call-arg]


def _with_ends(node: algebra.BGP, changed: Callable[[algebra.Place], algebra.Place]) -> algebra.BGP:
    """Map the subjects and objects of a pattern; classes are unchanged."""
    return algebra.BGP(
        tuple(
            algebra.TriplePattern(
                changed(pattern.subject),
                pattern.predicate,
                pattern.object if pattern.predicate == RDF_TYPE else changed(pattern.object),
            )
            for pattern in node.patterns
        )
    )


Evaluate = Callable[[algebra.Node], SolutionTable]
"""Evaluates a node at the present step, by column."""


class PatternLeaf(Operator):
    """Basic graph pattern; the kernel supplies inserted and deleted matches, so the leaf has no state.

    A parameterised pattern emits only rows whose parameters are bound to one of `parameter_values`, which has
    the names by their numbers.

    Args:
        node: the pattern or a projection of it; `pattern` is the pattern itself.
    """

    test: RowTest | None = None
    """Condition on a single variable of the matches, None for all matches."""

    def __init__(self, node: algebra.BGP | algebra.Project, shared: SharedState, evaluate: Evaluate) -> None:
        super().__init__(node, shared)
        pattern = node.child if isinstance(node, algebra.Project) else node
        assert isinstance(pattern, algebra.BGP), "a pattern or its projection"
        self.pattern, self._evaluate = pattern, evaluate
        self.parameters = parameters_of(pattern)
        self.parameter_values: dict[Row, tuple[Term, ...]] = {}

    def begin(self) -> Mapping[Row, int]:
        return EMPTY if self.parameters else bag_of(rows_of(self._now(), self.variables))

    def _now(self) -> SolutionTable:
        """Evaluate the leaf at the present state."""
        return self._evaluate(self.node)

    def rows_with(self, names: tuple[Term, ...], numbers: Row) -> Bag:
        """Evaluate the leaf for one parameter binding, given by names and by their numbers."""
        node = instantiate(self.node, dict(zip(self.parameters, names, strict=True)))
        variables = (*node.variables, *self.parameters)
        rows = [(*row, *numbers) for row in rows_of(self._evaluate(node), node.variables)]
        return bag_of(map(selector(places_of(self.variables, variables)), rows))


class FilteredPatternLeaf(PatternLeaf):
    """Basic graph pattern with a condition on one variable; other matches are dropped before a row is made.

    Args:
        condition: the condition of the node.
        test: the condition for single rows.
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

    def _now(self) -> SolutionTable:
        matches = self._evaluate(self.pattern)  # all, so that the truths of later deletions are cached
        return matches.filter(self._condition.cache_truths(matches))

    def clear_caches(self) -> None:
        self._condition.clear_caches()


class ValuesLeaf(Operator):
    """VALUES: constant rows."""

    node: algebra.Values

    def begin(self) -> Mapping[Row, int]:
        id_of = self.shared.terms.id_of
        return bag_of(
            tuple([NONE if term is None else id_of(term) for term in row]) for row in self.node.rows
        )


class RecomputeLeaf(Operator):
    """Node that is re-evaluated when it may have changed; the delta is the difference to its last rows.

    `symbols` are the classes and properties that the node reads; None if it reads all of them, or more than
    the facts.
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

    def begin(self) -> Mapping[Row, int]:
        return self.change()

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        return self.shared.replace_bag(self._last_rows, bag_of(self._rows()))

    @property
    def stored(self) -> Mapping[Row, int]:
        return self._last_rows


class DescribeLeaf(RecomputeLeaf):
    """DESCRIBE: triples, re-evaluated at each step with a change.

    Args:
        described: returns the triples at the present state.
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
