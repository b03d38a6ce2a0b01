"""Basic graph patterns as joins of parts.

The kernel matches what hangs together by variables, with a class or property in each pattern. A pattern that
leaves open which is a part of its own: it is read from the facts that changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rdflib import Literal, Variable

from pantarhei.model.term import RDF_TYPE
from pantarhei.query.algebra.nodes import BGP, Join, Node, Project, TriplePattern

_Places = list[int]
"""Which patterns of a text a part has, in order."""


def is_kernel_pattern(pattern: TriplePattern) -> bool:
    """Whether the facts that match a pattern are those of one class or property."""
    if isinstance(pattern.predicate, Variable) or isinstance(pattern.subject, Literal):
        return False
    return pattern.predicate != RDF_TYPE or not isinstance(pattern.object, Variable | Literal)


def separated(node: BGP) -> Node:
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
