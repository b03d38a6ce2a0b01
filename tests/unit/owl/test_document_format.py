"""Which format a document has: by its first words, and by its suffix where they leave a choice."""

from pathlib import Path

import pytest

from pantarhei.errors import MalformedInputError, UnknownFormatError
from pantarhei.owl.document_format import format_of

TURTLE = "@prefix : <urn:x/> . :a a :C ."
STATEMENT = "<http://example.org/a> a <urn:x/C> ."
JSON = '{"@id": "urn:a", "@type": "urn:C"}'
RDF_XML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>'
OWL_XML = '<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>'
COMMENTED = "\n# <rdf:RDF\n  # {\r\n"


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.owl", TURTLE, "turtle"),
        ("a.owl", COMMENTED + TURTLE, "turtle"),
        ("a.owl", COMMENTED + "PREFIX ex: <urn:x/>", "turtle"),
        ("a.rdf", "prefix ex: <urn:x/>", "turtle"),
        ("a.xml", "BASE <urn:x/>", "turtle"),
        ("a.owl", STATEMENT, "turtle"),
        ("a.owl", "<> a <urn:o> .", "turtle"),
        ("a.owl", "<#a> a <urn:o> .", "turtle"),
        ("a.owl", "_:a a <urn:o> .", "turtle"),
        ("a.owl", "[ a <urn:o> ] .", "turtle"),
        ("a.nt", STATEMENT, "nt"),
        ("a.nq", STATEMENT, "nquads"),
        ("a.trig", STATEMENT, "trig"),
        ("a.trig", TURTLE, "trig"),
        ("a.nt", TURTLE, "turtle"),
        ("a.json", STATEMENT, "turtle"),
        ("a.ttl", RDF_XML, "xml"),
        ("a.ttl", "<!-- <urn:a> -->" + RDF_XML, "xml"),
        ("a.ttl", "<?xml version='1.0'?>" + OWL_XML, "owl-xml"),
        ("a.rdf", OWL_XML, "owl-xml"),
        ("a.owx", RDF_XML, "xml"),
        ("a.ttl", JSON, "json-ld"),
        ("a.owl", "[ " + JSON + "]", "json-ld"),
        ("a.owl", "{}", "json-ld"),
        ("a.txt", TURTLE, "turtle"),
        ("ontology", RDF_XML, "xml"),
        ("a.owl", "Prefix(:=<urn:x/>)", "functional"),
        ("a.owl", COMMENTED + "Ontology ( <urn:o>", "functional"),
        ("a.owl", "Prefix: : <urn:x/>", "manchester"),
        ("a.txt", "Ontology: <urn:o>", "manchester"),
        ("a.ofn", "SubClassOf(", "functional"),
        ("a.omn", "Class: <urn:A>", "manchester"),
        ("a.trig", "{ <urn:a> <urn:b> <urn:c> }", "trig"),
        ("a.ttl", "", "turtle"),
    ],
)
def test_content_decides_and_the_suffix_chooses_among_what_it_leaves(name, content, format):
    assert format_of(Path(name), content.encode(), None) == format


def test_what_is_given_goes_first():
    assert format_of(Path("a.owl"), TURTLE.encode(), "nt") == "nt"


def test_where_nothing_tells_the_error_says_what_would():
    with pytest.raises(UnknownFormatError, match=r"a\.txt is not known: expected a name that ends in \.ttl"):
        format_of(Path("a.txt"), b"once upon a time", None)


@pytest.mark.parametrize("page", ["<!DOCTYPE html>", "<html lang='en'>", "\n<HTML>"])
def test_a_web_page_is_called_one(page):
    with pytest.raises(MalformedInputError, match="a web page and no ontology; download the file"):
        format_of(Path("pizza.owl"), page.encode(), None)


def test_long_beginnings_take_no_time():
    for beginning in (" " * 10**6, "# x\n" * 10**5, "#" * 10**6, "<" + "a:" * 10**6, "<" + "a" * 10**6):
        format_of(Path("a.ttl"), beginning.encode(), None)
