"""Property paths as algebra (SPARQL 1.1, section 18.2.2.4 and 18.4)."""

from __future__ import annotations

from typing import Any

from rdflib import URIRef

from pantarhei.model.term import Term
from pantarhei.query.algebra.nodes import (
    BGP,
    UNIT,
    Closure,
    Join,
    NegatedSet,
    Node,
    Place,
    TriplePattern,
    Union,
)
from pantarhei.query.syntax.names import Names


def plain_predicate(path: Any) -> Any:
    """The part of a path that is a single predicate or variable, None for any other path."""
    while getattr(path, "name", None) in _WRAPPERS and path.name != "PathEltOrInverse":
        if path.mod or (isinstance(path.part, list) and len(path.part) > 1):
            return None
        path = path.part[0] if isinstance(path.part, list) else path.part
    return None if getattr(path, "name", None) in (*_WRAPPERS, "PathNegatedPropertySet") else path


_WRAPPERS = ("PathAlternative", "PathSequence", "PathElt", "PathEltOrInverse", "DistinctPath")


def read_path(subject: Place, path: Any, object_: Place, names: Names) -> Node:
    """The rows of a path between two places; variables for the steps between may come in addition."""
    kind = getattr(path, "name", None)
    if kind == "PathAlternative":
        node = read_path(subject, path.part[0], object_, names)
        for part in path.part[1:]:
            node = Union(node, read_path(subject, part, object_, names))
        return node
    if kind == "PathSequence":
        node, here = UNIT, subject
        for part in path.part:
            there = object_ if part is path.part[-1] else names.fresh("step")
            node = joined(node, read_path(here, part, there, names))
            here = there
        return node
    if kind == "PathEltOrInverse":
        return read_path(object_, _only(path.part), subject, names)
    if kind == "PathElt":
        return _modified(subject, path, object_, names)
    if kind == "PathNegatedPropertySet":
        return _negated(subject, path, object_, names)
    if kind == "DistinctPath":
        return read_path(subject, path.part, object_, names)
    return BGP((TriplePattern(subject, names.iri(path), object_),))


def joined(left: Node, right: Node) -> Node:
    """The join of two nodes; of basic graph patterns one of both."""
    if left == UNIT:
        return right
    if isinstance(left, BGP) and isinstance(right, BGP):
        return BGP(left.patterns + right.patterns)
    if isinstance(left, Join) and isinstance(left.right, BGP) and isinstance(right, BGP):
        return Join(left.left, BGP(left.right.patterns + right.patterns))
    return Join(left, right)


def _modified(subject: Place, path: Any, object_: Place, names: Names) -> Node:
    part = _only(path.part)
    if not path.mod:
        return read_path(subject, part, object_, names)
    start, end = names.fresh("start"), names.fresh("end")
    step = read_path(start, part, end, names)
    return Closure(subject, object_, step, start, end, path.mod in "*?", path.mod in "*+")


def _negated(subject: Place, path: Any, object_: Place, names: Names) -> Node:
    forward: set[Term] = set()
    backward: set[Term] = set()
    for part in path.part or ():
        inverse = getattr(part, "name", None) == "InversePath"
        (backward if inverse else forward).add(names.iri(part.part if inverse else part))
    ahead = NegatedSet(subject, object_, frozenset(forward))
    back = NegatedSet(object_, subject, frozenset(backward))
    if not backward:
        return ahead
    return Union(ahead, back) if forward else back


def _only(part: Any) -> Any:
    return part[0] if isinstance(part, list) else part


def is_iri(part: Any) -> bool:
    """Whether a part of a parse tree is an IRI or a prefixed name."""
    return isinstance(part, URIRef) or getattr(part, "name", None) == "pname"
