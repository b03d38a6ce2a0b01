"""Edges of transitive properties: which of their facts transitivity needs to join with.

For `P(x, z) :- P(x, y), P(y, z)` it is enough to join any `P(x, y)` with an *edge* `P(y, z)`: what follows
goes along a path of edges, and each end of it is reached edge by edge. A fact is an edge if it is asserted,
or if something else derives it than transitivity. Rules that only *copy* facts from property to property (of
subproperties, inverses, symmetric properties) hand on whether they are edges: else the facts that
transitivity derives would all come back as edges through the inverse.

A fact that is no edge is derived by transitivity, or copied from one that is no edge either: in the end it
joins the ends of a path of edges, which is copied along with it. So nothing is lost where a fact counts as an
edge that was one once and is not any more; it only costs firings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rdflib import Variable

from pantarhei.model.graphs import reached
from pantarhei.model.rule import Predicate, Rule

NO_EDGE = -1


class RuleEdges(NamedTuple):
    """What the kernel has to know to join with edges only.

    Args:
        atoms: for each rule the atom of its body that is to be an edge, `NO_EDGE` if none is.
        copies: whether each rule copies, from a property that is noted to one that is.
        noted: the properties of whose facts it is noted whether they are edges.
    """

    atoms: Sequence[int]
    copies: Sequence[bool]
    noted: frozenset[Predicate]


def edges_of(rules: Sequence[Rule]) -> RuleEdges:
    """What is to be known of edges in these rules. Costs time linear in their number.

    >>> from rdflib import URIRef
    >>> from pantarhei.model.rule import Atom
    >>> p, (x, y, z) = URIRef("urn:x/in"), map(Variable, "xyz")
    >>> transitive = Rule("prp-trp", (Atom(p, (x, y)), Atom(p, (y, z))), Atom(p, (x, z)))
    >>> edges_of([transitive]).atoms
    [1]
    """
    atoms = [_edge_atom(rule) for rule in rules]
    transitive = {_head(rule) for rule, atom in zip(rules, atoms, strict=True) if atom != NO_EDGE}
    copying = [_is_copy(rule) for rule in rules] if transitive else [False] * len(rules)
    pairs = [
        (rule.body[0].predicate, _head(rule)) for rule, is_one in zip(rules, copying, strict=True) if is_one
    ]
    noted = _reached(transitive, pairs) & _reached(transitive, [(to, from_) for from_, to in pairs])
    copies = [
        is_one and rule.body[0].predicate in noted and _head(rule) in noted
        for rule, is_one in zip(rules, copying, strict=True)
    ]
    return RuleEdges(atoms, copies, frozenset(noted))


def _head(rule: Rule) -> Predicate:
    assert rule.head is not None, "a constraint derives nothing"
    return rule.head.predicate


def _edge_atom(rule: Rule) -> int:
    """Of a rule of transitivity the atom with the head's object."""
    if rule.head is None or len(rule.body) != 2 or rule.different or rule.tests:
        return NO_EDGE
    atoms = (*rule.body, rule.head)
    if len({(atom.predicate, len(atom.arguments)) for atom in atoms}) > 1 or len(rule.head.arguments) != 2:
        return NO_EDGE
    start, end = rule.head.arguments
    for edge, other in ((1, 0), (0, 1)):
        first, middle = rule.body[other].arguments
        path = (start, middle, end)
        if first == start and rule.body[edge].arguments == (middle, end):
            return edge if len(set(path)) == 3 and all(isinstance(a, Variable) for a in path) else NO_EDGE
    return NO_EDGE


def _is_copy(rule: Rule) -> bool:
    """Whether the rule takes any fact of a property over into another, or turned round."""
    if rule.head is None or len(rule.body) != 1 or rule.different or rule.tests:
        return False
    given, made = rule.body[0].arguments, rule.head.arguments
    are_variables = all(isinstance(argument, Variable) for argument in given)
    return are_variables and len(given) == 2 == len(set(given)) and set(given) == set(made)


def _reached(start: Iterable[Predicate], pairs: Iterable[tuple[Predicate, Predicate]]) -> set[Predicate]:
    """What is reached from `start` along `pairs`, itself included."""
    after: dict[Predicate, list[Predicate]] = {}
    for from_, to in pairs:
        after.setdefault(from_, []).append(to)
    return set(reached(start, lambda predicate: after.get(predicate, ())))
