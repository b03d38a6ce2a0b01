"""Basic graph patterns as joins: what the kernel matches stays together, forms stay those of the text."""

import pytest

from answered import pattern
from pantarhei.query.algebra.nodes import BGP, Join, Project, nodes_of
from pantarhei.query.incremental.separation import is_kernel_pattern, separated


def parts(text):
    node = pattern(text)
    found = separated(node)
    assert found.variables == node.variables
    written = []
    for part in nodes_of(found):
        assert isinstance(part, BGP | Join | Project)
        if isinstance(part, BGP):
            written.append([node.patterns.index(each) for each in part.patterns])
    return written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?x a :A . ?x :p ?y", [[0, 1]]),
        ("?x a :A . ?y a :B", [[0], [1]]),
        ("?x a :A . ?y a :B . ?x :p ?y", [[0, 1, 2]]),
        ("?x a :A . :a :p :b", [[0], [1]]),
        ("?x ?p ?y", [[0]]),
        ("?x a :A . ?x ?p ?o . ?x :r ?y", [[0, 2], [1]]),
        ("?x a ?c . ?x :p ?y . ?x :q ?z", [[0], [1, 2]]),
        ("?y a :A . ?z a :B . ?y ?p ?z", [[0], [2], [1]]),
        ("?x :p ?v . ?x ?q ?v . ?x :r ?v", [[0], [1], [2]]),
        ("?x ?q ?v . ?x :p ?v . ?x :r ?v", [[0], [1, 2]]),
    ],
)
def test_a_pattern_is_a_join_of_parts(text, expected):
    assert parts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("?x a :A", True), ("?x :p 1", True), ("?x a ?c", False), ("?x ?p :a", False), ("?x a ?x", False)],
)
def test_the_kernel_matches_patterns_of_one_class_or_property(text, expected):
    (only,) = pattern(text).patterns
    assert is_kernel_pattern(only) is expected
