"""Terms of the parser as rdflib's."""

import pyoxigraph as ox
import pytest
from rdflib import RDF, XSD

from pantarhei.errors import InvalidTripleError
from pantarhei.rdf import term_reader
from pantarhei.rdf.blank_nodes import nodes_of_message
from pantarhei.rdf.term_reader import TermReader

A, P, NODE = ox.NamedNode("urn:a"), ox.NamedNode("urn:p"), ox.BlankNode("x")
TYPE = ox.NamedNode(str(RDF.type))


def test_a_label_is_one_node_in_a_message_and_the_same_when_it_is_read_again():
    reader = TermReader()
    one, again, other = (nodes_of_message("a.nq", "urn:g", number) for number in (1, 1, 2))
    first = reader.triple(ox.Quad(NODE, P, NODE), one)
    assert first[0] == first[2] == reader.triple(ox.Quad(NODE, P, A), again)[0]
    assert first[0] != reader.triple(ox.Quad(NODE, P, A), other)[0]
    assert one["y"] != one["x"]


def test_a_literal_is_as_written():
    written = ox.Literal("01", datatype=ox.NamedNode(str(XSD.integer)))
    assert str(TermReader().triple(ox.Quad(A, P, written), nodes_of_message("", "", 0))[2]) == "01"


@pytest.mark.parametrize(
    "quad", [ox.Quad(A, TYPE, ox.Literal("a")), ox.Quad(A, P, ox.Triple(A, P, A))], ids=["literal", "triple"]
)
def test_what_rdf_does_not_have_is_an_error(quad):
    with pytest.raises(InvalidTripleError):
        TermReader().triple(quad, nodes_of_message("", "", 0))


def test_terms_come_out_the_same_when_the_cache_is_full(monkeypatch):
    monkeypatch.setattr(term_reader, "MOST_CACHED", 2)
    reader, nodes = TermReader(), nodes_of_message("", "", 0)
    quads = [ox.Quad(ox.NamedNode(f"urn:{i % 5}"), P, A) for i in range(20)]
    assert [str(reader.triple(quad, nodes)[0]) for quad in quads] == [f"urn:{i % 5}" for i in range(20)]
    assert len(reader._cache) <= 2
