"""What nodes have in common that differ in the names in their patterns alone.

A shape has parameters in place of the names. Its rows are those of each such node, and behind them what the
parameters stand for there: so one plan keeps all these nodes up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from rdflib import Literal, Variable

from pantarhei.model.term import RDF_TYPE, Term
from pantarhei.query.algebra.binding import draws, tells_time
from pantarhei.query.algebra.nodes import (
    BGP,
    Distinct,
    Extend,
    Filter,
    Group,
    Node,
    OrderBy,
    Place,
    Project,
    TriplePattern,
)
from pantarhei.query.incremental.separation import is_kernel_pattern, separated


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
    if separated(below) is not below or not is_kernel_pattern(below.patterns[0]):
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


def particular(node: Node, names: Mapping[Variable, Term]) -> Node:
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
    return replace(node, child=particular(child, names), **fields)  # type: ignore[call-arg]


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
