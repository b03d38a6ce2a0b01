"""Blank nodes: a label means one node in its scope, and none of another scope's."""

from itertools import combinations

import pytest

from pantarhei.errors import OptionError
from pantarhei.rdf.blank_nodes import (
    name_of_timestamp,
    nodes_of_document,
    nodes_of_message,
    prefix_beside,
    prefix_of_name,
    prefix_of_push,
)

LABELS = ["x", "1", "1-x", "-x", "2.1-x", "b0", "n0"]


def test_no_two_scopes_have_a_node_in_common():
    prefixes = [
        *(prefix_of_push(number, part) for number in (1, 2, 12, 21) for part in (0, 1, 2, 12)),
        *map(prefix_of_name, ("m", "m1x", "t", "t1", "b1", "belt")),
        *(prefix_of_name(name_of_timestamp(ticks)) for ticks in (-12, -2, 0, 2, 12)),
    ]
    scopes = [{prefix + label for label in LABELS} for prefix in prefixes]
    numbered = [
        nodes_of_message("a.nq", "urn:g", 0),
        nodes_of_message("a.nq", "urn:g", 1),
        nodes_of_document(b""),
    ]
    scopes += [{str(nodes[label]) for label in LABELS} for nodes in numbered]
    assert all(len(scope) == len(LABELS) for scope in scopes)
    assert all(one.isdisjoint(other) for one, other in combinations(scopes, 2))


def test_nodes_are_numbered_as_they_appear_and_have_the_same_names_when_they_are_read_again():
    for made in (lambda: nodes_of_message("a.nq", "urn:g", 1), lambda: nodes_of_document(b"_:x")):
        nodes, again = made(), made()
        assert nodes["x"] is nodes["x"]
        assert [nodes["x"], nodes["y"]] == [again["other"], again["x"]]


@pytest.mark.parametrize("name", ["", "a-b", "1a", "m1", "é", "a_b", "m1.2"])
def test_a_name_that_could_be_another_scopes_is_refused(name):
    with pytest.raises(OptionError) as raised:
        prefix_of_name(name)
    assert (raised.value.option, raised.value.given) == ("scope", repr(name))


def test_a_prefix_beside_labels_begins_none_of_them():
    assert prefix_beside([]) == ""
    assert prefix_beside(["x"]) == "m"
    assert prefix_beside(["m1", "mm"]) == "mmm"
