"""Message logs as rdflib reads them."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest
from rdflib import BNode, Dataset, Graph, URIRef, plugin
from rdflib.parser import Parser

from pantarhei.errors import MalformedInputError, OptionError
from pantarhei.rdf import message_log
from pantarhei.rdf.message_log import ANNOUNCEMENT

LOG = f"{ANNOUNCEMENT}\n_:b <urn:p> <urn:o1> .\nMESSAGE\n_:b <urn:p> <urn:o2> .\n"
NAMES = {
    "turtle-messages": "TurtleMessages",
    "trig-messages": "MessageLogParser",
    "ntriples-messages": "NTriplesMessages",
    "nquads-messages": "NQuadsMessages",
}


@pytest.fixture(autouse=True)
def registered():
    for name, of in NAMES.items():
        plugin.register(name, Parser, "pantarhei.rdf.message_log", of)


def test_the_package_tells_rdflib_of_them():
    found = {
        each.name: each.load() for each in entry_points(group="rdf.plugins.parser") if each.name in NAMES
    }
    if not found:
        pytest.skip("the package is not installed, or was before it had these entry points")
    assert found == {name: getattr(message_log, of) for name, of in NAMES.items()}


@pytest.mark.parametrize("format", NAMES)
def test_all_messages_are_in_one_graph_and_their_blank_nodes_are_their_own(format):
    graph = Graph().parse(data=LOG, format=format)
    assert {o for _, _, o in graph} == {URIRef("urn:o1"), URIRef("urn:o2")}
    subjects = set(graph.subjects())
    assert len(subjects) == 2 and all(isinstance(each, BNode) for each in subjects)


def test_named_graphs_are_those_of_a_dataset():
    text = f"{ANNOUNCEMENT}\n<urn:g> {{ <urn:a> <urn:p> <urn:b> }} <urn:c> <urn:p> <urn:d> ."
    dataset = Dataset()
    dataset.parse(data=text, format="trig-messages")
    assert (URIRef("urn:a"), URIRef("urn:p"), URIRef("urn:b")) in dataset.graph(URIRef("urn:g"))
    assert (URIRef("urn:c"), URIRef("urn:p"), URIRef("urn:d")) in dataset
    with pytest.raises(OptionError, match=r"an rdflib.Dataset, since there is a graph <urn:g>"):
        Graph().parse(data=text, format="trig-messages")


def test_what_is_no_log_is_refused_and_what_is_malformed_too():
    with pytest.raises(OptionError, match="begins with VERSION"):
        Graph().parse(data="<urn:a> <urn:p> <urn:b> .", format="turtle-messages")
    with pytest.raises(MalformedInputError, match="line 2"):
        Graph().parse(data=f"{ANNOUNCEMENT}\n<urn:a> oops", format="turtle-messages")


def test_a_file_is_read_with_its_place_as_base(tmp_path):
    path = tmp_path / "log.ttl"
    path.write_text(f"{ANNOUNCEMENT}\n<a> <urn:p> <urn:b> .")
    assert set(Graph().parse(path, format="turtle-messages").subjects()) == {URIRef(f"{tmp_path.as_uri()}/a")}
