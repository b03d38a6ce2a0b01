"""Documents into triples, and a parser's errors into this package's."""

import pyoxigraph
import pytest
from rdflib import XSD, Literal, URIRef

from pantarhei.errors import MalformedInputError
from pantarhei.rdf.blank_nodes import nodes_of_document
from pantarhei.rdf.parse import DocumentTerms, parse, parser_errors

TURTLE = pyoxigraph.RdfFormat.TURTLE


def triples(text, scope="s", prefixes=None):
    known = {} if prefixes is None else prefixes
    terms = DocumentTerms(nodes_of_document(scope.encode()))
    return list(parse(text.encode(), TURTLE, "a.ttl", "urn:base/", known, terms))


def test_literals_stay_as_written_and_blank_nodes_are_numbered_as_they_appear():
    prefixes = {}
    found = triples(f'@prefix x: <{XSD}> . <a> <p> _:z, _:y, "01"^^x:integer .', prefixes=prefixes)
    one, nodes = Literal("01", datatype=XSD.integer, normalize=False), nodes_of_document(b"s")
    assert [object_ for *_, object_ in found] == [nodes["z"], nodes["y"], one]
    assert found[0][0] == URIRef("urn:base/a") and prefixes == {"x": str(XSD)}


def test_nodes_of_two_documents_are_apart():
    one, other = (triples("_:a <p> _:a .", scope) for scope in ("1", "2"))
    assert one[0][0] == one[0][2] != other[0][0]


def test_an_error_has_the_file_the_line_and_the_reason_without_the_place():
    with pytest.raises(MalformedInputError) as raised:
        triples("<a> <p> <b> .\n<a> ; .")
    assert (raised.value.source, raised.value.line) == ("a.ttl", 2)
    assert "Parser error" not in raised.value.reason


def test_a_term_too_long_is_the_documents_fault_and_no_memory_is_not():
    with pytest.raises(MalformedInputError, match="16 MiB"), parser_errors("a", lambda: 7):
        raise MemoryError("Reached the buffer maximal size")
    with pytest.raises(MemoryError), parser_errors("a"):
        raise MemoryError
