"""Which atom of a rule is to be an edge, and which rules hand on whether a fact is one."""

import pytest
from rdflib import URIRef, Variable

from pantarhei.model.rule import Atom, Different, Rule
from pantarhei.rules.compilation.transitive_edges import NO_EDGE, edges_of

P, Q, S, N, A, C = (URIRef(f"urn:x/{name}") for name in "pqsnaC")
x, y, z, w = map(Variable, "xyzw")


def rule(head, *body, different=()):
    """`rule((P, x, z), (P, x, y), (P, y, z))`, the head first."""
    first, *atoms = (
        Atom(predicate, arguments)
        for predicate, *arguments in (head, *body)
        for arguments in [tuple(arguments)]
    )
    return Rule("pr-test", tuple(atoms), first, different)


TRANSITIVE = rule((P, x, z), (P, x, y), (P, y, z))
TURNED = rule((Q, x, z), (Q, y, z), (Q, x, y))


def test_the_edge_is_the_atom_with_the_object_of_the_head():
    assert edges_of([TRANSITIVE, TURNED]).atoms == [1, 0]


@pytest.mark.parametrize(
    "other",
    [
        rule((P, x, z), (P, x, y), (Q, y, z)),
        rule((P, z, x), (P, x, y), (P, y, z)),
        rule((P, x, x), (P, x, y), (P, y, x)),
        rule((P, x, A), (P, x, y), (P, y, A)),
        rule((P, x, z), (P, x, y), (P, y, z), different=(Different(x, z),)),
        rule((P, x, w), (P, x, y), (P, y, z), (P, z, w)),
        rule((C, x), (P, x, y), (C, y)),
        Rule("prp-irp", (Atom(P, (x, x)),), None),
    ],
    ids=str,
)
def test_of_no_other_rule_an_atom_has_to_be_an_edge(other):
    assert edges_of([other]).atoms == [NO_EDGE]
    assert edges_of([other]).noted == frozenset()


def test_copies_are_those_on_the_way_from_a_transitive_property_to_one():
    rules = [
        TRANSITIVE,
        TURNED,
        rule((N, x, y), (P, x, y)),
        rule((Q, y, x), (N, x, y)),
        rule((P, x, y), (S, x, y)),  # nothing transitive is copied to S
        rule((A, x, y), (P, x, y)),  # and nothing from A
    ]
    edges = edges_of(rules)
    assert edges.copies == [False, False, True, True, False, False]
    assert edges.noted == {P, Q, N}


@pytest.mark.parametrize(
    "other",
    [
        rule((P, x, x), (P, x, x)),
        rule((P, x, A), (P, x, y)),
        rule((P, x, y), (P, x, y), (C, x)),
        rule((P, y, x), (P, x, y), different=(Different(x, y),)),
    ],
    ids=str,
)
def test_what_says_something_else_or_asks_for_more_is_no_copy(other):
    assert edges_of([TRANSITIVE, other]).copies == [False, False]
