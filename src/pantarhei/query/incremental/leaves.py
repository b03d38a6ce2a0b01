"""Operators without inputs: what the facts of the window say directly.

Basic graph patterns as joins of parts.

The kernel matches what hangs together by variables, with a class or property in each pattern. A pattern that
leaves open which is a part of its own: it is read from the facts that changed.

What nodes have in common that differ in the names in their patterns alone.

A shape has parameters in place of the names. Its rows are those of each such node, and behind them what the
parameters stand for there: so one plan keeps all these nodes up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rdflib import Literal, Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.model.term import RDF_TYPE, Term, Triple
from pantarhei.query.algebra.analysis import draws, symbols_of, tells_time
from pantarhei.query.algebra.nodes import (
    BGP,
    Distinct,
    Extend,
    Filter,
    Group,
    Join,
    Node,
    OrderBy,
    Place,
    Project,
    TriplePattern,
    Values,
)
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
from pantarhei.query.solutions import Table

_Places = list[int]
"""Which patterns of a text a part has, in order."""


def is_kernel_pattern(pattern: TriplePattern) -> bool:
    """Whether the facts that match a pattern are those of one class or property."""
    if isinstance(pattern.predicate, Variable) or isinstance(pattern.subject, Literal):
        return False
    return pattern.predicate != RDF_TYPE or not isinstance(pattern.object, Variable | Literal)


def split_pattern(node: BGP) -> Node:
    """A pattern as a join of parts, or itself if it is one part.

    A variable shows the form that it has in the first pattern of the text: that is in the first part with it.
    """
    parts = [BGP(tuple(node.patterns[place] for place in places)) for places in _parts(node.patterns)]
    if len(parts) == 1:
        return node
    joined, *others = _in_order(parts, _with_forms(node.patterns))
    made: Node = joined
    for other in others:
        made = Join(made, other)
    return made if made.variables == node.variables else Project(made, node.variables)


def _parts(patterns: Sequence[TriplePattern]) -> list[_Places]:
    """The parts, in the order of their first patterns."""
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


def _hanging(patterns: Sequence[TriplePattern], places: _Places) -> list[_Places]:
    """Those of some patterns that hang together by variables."""
    parts: list[tuple[set[Variable], _Places]] = []
    for place in places:
        variables, members = _variables(patterns, [place]), [place]
        for part in [part for part in parts if part[0] & variables]:
            parts.remove(part)
            variables, members = part[0] | variables, part[1] + members
        parts.append((variables, members))
    return [sorted(members) for _, members in parts]


def _in_order(parts: Iterable[BGP], with_forms: set[Variable]) -> list[BGP]:
    """The parts in an order in which each has a variable of those before it, where that may be."""
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


def _variables(patterns: Sequence[TriplePattern], places: Iterable[int]) -> set[Variable]:
    return {each for place in places for each in patterns[place].places if isinstance(each, Variable)}


def _with_forms(patterns: Sequence[TriplePattern]) -> set[Variable]:
    """The variables that may stand for literals: those that are objects, and nothing else."""
    objects = {each.object for each in patterns if isinstance(each.object, Variable)}
    names = {place for each in patterns for place in (each.subject, each.predicate)}
    return {each for each in objects if isinstance(each, Variable) and each not in names}


class Parameter(Variable):
    """Stands for a name. Nobody can have written it."""

    __slots__ = ()


class Shape(NamedTuple):
    """What nodes have in common.

    Args:
        node: has a parameter for each different name; they are the last of its variables.
        names: what the parameters stand for in one of the nodes.
    """

    node: Node
    names: tuple[Term, ...]


def is_parameter(variable: Variable) -> bool:
    """Whether a variable stands for a name."""
    return isinstance(variable, Parameter)


def parameters_of(node: Node) -> tuple[Variable, ...]:
    """The parameters among the variables of a node."""
    return tuple(filter(is_parameter, node.variables))


def shape_of(node: Node) -> Shape | None:
    """The shape of a node; None where there are no names in its patterns, or it is not made from the matches
    of one basic graph pattern by operators of one input.
    """
    below = node
    while isinstance(below, Project | Filter | Extend | Group | Distinct | OrderBy):
        below = below.child
    if not isinstance(below, BGP) or not below.patterns or draws(node) or tells_time(node):
        return None
    if split_pattern(below) is not below or not is_kernel_pattern(below.patterns[0]):
        return None
    parameters: dict[Term, Variable] = {}

    def general(place: Place) -> Place:
        if isinstance(place, Variable):
            return place
        return parameters.setdefault(place, Parameter(f"#parameter{len(parameters)}"))

    patterns = _with_ends(below, general)
    if not parameters or any(isinstance(name, Literal) for name in parameters):
        return None
    behind = tuple(parameters.values())
    made = _general(node, patterns, behind)
    variables = [variable for variable in made.variables if not is_parameter(variable)]
    return Shape(Project(made, (*variables, *behind)), tuple(parameters))


def instantiate(node: Node, names: Mapping[Variable, Term]) -> Node:
    """The node of a shape where the parameters stand for these names."""
    if isinstance(node, BGP):
        return _with_ends(
            node, lambda place: names.get(place, place) if isinstance(place, Variable) else place
        )
    fields: dict[str, Any] = {}
    if isinstance(node, Project):
        fields["names"] = tuple(name for name in node.names if name not in names)
    elif isinstance(node, Group):
        fields["keys"] = tuple(key for key in node.keys or () if key not in names) or None
    (child,) = node.children
    return replace(node, child=instantiate(child, names), **fields)  # type: ignore[call-arg]


def _general(node: Node, patterns: BGP, behind: tuple[Variable, ...]) -> Node:
    """A node with these patterns below, whose rows have parameters behind."""
    if isinstance(node, BGP):
        return patterns
    fields: dict[str, Any] = {}
    if isinstance(node, Project):
        fields["names"] = (*node.names, *behind)
    elif isinstance(node, Group):
        fields["keys"] = (*(node.keys or ()), *behind)
    (child,) = node.children
    return replace(node, child=_general(child, patterns, behind), **fields)  # type: ignore[call-arg]


def _with_ends(node: BGP, changed: Callable[[Place], Place]) -> BGP:
    """Patterns with other subjects and objects; classes stay."""
    return BGP(
        tuple(
            TriplePattern(
                changed(pattern.subject),
                pattern.predicate,
                pattern.object if pattern.predicate == RDF_TYPE else changed(pattern.object),
            )
            for pattern in node.patterns
        )
    )


Evaluate = Callable[[Node], Table]
"""Evaluates a node by column, at the present step."""


class PatternLeaf(Operator):
    """A basic graph pattern whose matches the kernel tells of as they come and go; it has no state.

    Of a shape it has the rows in which parameters stand for names by `parameter_values`, by number.

    Args:
        node: the pattern, or a projection of it: `pattern` is the pattern itself.
    """

    test: RowTest | None = None
    """Which rows of the matches it has; None for all."""

    def __init__(self, node: BGP | Project, shared: SharedState, look: Evaluate) -> None:
        super().__init__(node, shared)
        pattern = node.child if isinstance(node, Project) else node
        assert isinstance(pattern, BGP), "a pattern or its projection"
        self.pattern, self._evaluate = pattern, look
        self.parameters = parameters_of(pattern)
        self.parameter_values: dict[Row, tuple[Term, ...]] = {}

    def begin(self) -> Mapping[Row, int]:
        return EMPTY if self.parameters else bag_of(rows_of(self._now(), self.variables))

    def _now(self) -> Table:
        """All its rows, as things stand."""
        return self._evaluate(self.node)

    def rows_with(self, names: tuple[Term, ...], numbers: Row) -> Bag:
        """The rows in which parameters stand for names with these numbers."""
        node = instantiate(self.node, dict(zip(self.parameters, names, strict=True)))
        variables = (*node.variables, *self.parameters)
        rows = [(*row, *numbers) for row in rows_of(self._evaluate(node), node.variables)]
        return bag_of(map(selector(places_of(self.variables, variables)), rows))


class FilteredPatternLeaf(PatternLeaf):
    """A basic graph pattern with a condition on one of its variables; of other matches no row is made.

    Args:
        condition: that of the node.
        test: the same of single rows.
    """

    def __init__(
        self, node: Filter, shared: SharedState, look: Evaluate, condition: RowExpression, test: RowTest
    ) -> None:
        assert isinstance(node.child, BGP), "a pattern is below"
        super().__init__(node.child, shared, look)
        self.node, self._condition, self.test = node, condition, test

    def _now(self) -> Table:
        matches = self._evaluate(self.pattern)  # all of them: when one goes, what the condition says is known
        return matches.kept(self._condition.cache_truths(matches))

    def clear_caches(self) -> None:
        self._condition.clear_caches()


class ValuesLeaf(Operator):
    """Rows that are always the same."""

    node: Values

    def begin(self) -> Mapping[Row, int]:
        id_of = self.shared.terms.id_of
        return bag_of(
            tuple([NONE if term is None else id_of(term) for term in row]) for row in self.node.rows
        )


class RecomputeLeaf(Operator):
    """A node that is evaluated anew whenever it may have changed, and compared with what it was.

    `symbols` are the classes and properties that it looks at, None for all, and for more than the facts.
    """

    maintenance = Maintenance.WHOLE

    def __init__(self, node: Node, shared: SharedState, look: Evaluate) -> None:
        super().__init__(node, shared)
        self._evaluate = look
        self._last_rows: Bag = {}
        self.symbols = None if tells_time(node) else symbols_of(node)

    def _rows(self) -> Iterable[Row]:
        """Its rows as things stand."""
        return rows_of(self._evaluate(self.node), self.variables)

    def begin(self) -> Mapping[Row, int]:
        return self.change()

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        return self.shared.replace_bag(self._last_rows, bag_of(self._rows()))

    @property
    def stored(self) -> Mapping[Row, int]:
        return self._last_rows

    @property
    def bags(self) -> Iterable[Bag]:
        yield self._last_rows

    def renumber(self, rows: Callable[[Row], Row]) -> None:
        self.shared.renumber_bag(self._last_rows, rows)


class DescribeLeaf(RecomputeLeaf):
    """DESCRIBE: triples, evaluated anew whenever anything changes.

    Args:
        described: gives the triples as things stand.
    """

    def __init__(
        self, node: Node, shared: SharedState, look: Evaluate, described: Callable[[Table], Iterable[Triple]]
    ) -> None:
        super().__init__(node, shared, look)
        self._described = described
        self.variables = ()
        self.symbols = None

    def _rows(self) -> Iterable[Row]:
        id_of = self.shared.terms.id_of
        return [tuple(map(id_of, triple)) for triple in self._described(self._evaluate(self.node))]
