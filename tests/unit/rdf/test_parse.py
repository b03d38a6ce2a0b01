"""Documents into triples, and a parser's errors into this package's."""

from __future__ import annotations

import io
import json
from decimal import Decimal

import pyoxigraph
import pytest
from rdflib import RDF, XSD, Literal, Namespace, URIRef

import pantarhei as pr
from pantarhei.errors import MalformedInputError
from pantarhei.rdf.ntriples import nodes_of_document
from pantarhei.rdf.parse import (
    DEEPEST_ELEMENT,
    DEEPEST_OBJECT,
    DEEPEST_TRIPLE_TERM,
    DocumentTerms,
    parse,
    parser_errors,
    refuse_deep_nesting,
)

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


EX = Namespace("http://example.org/")
CONTEXT = {
    "@vocab": str(EX),
    "xsd": str(XSD),
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "at": "http://www.w3.org/ns/prov#generatedAtTime",
    "celsius": {"@type": "xsd:decimal"},
}


def value_of(number):
    message = {"@context": CONTEXT, "@id": "urn:probe", "at": 1, "celsius": number}
    (abox,) = pr.read_stream(io.BytesIO(json.dumps(message).encode()), format="jsonld")
    return next(value for _, prop, value in abox.triples if prop == EX.celsius)


@pytest.mark.parametrize("number", [12.5, -8.2, 0.00001, 1234567.25, 1e21, 9.0, 12, -0.5])
def test_a_number_in_the_place_of_a_decimal_has_its_value(number):
    value = value_of(number)
    assert value.datatype == XSD.decimal and "E" not in str(value)
    assert Decimal(str(value)) == Decimal(str(number))


def test_texts_that_are_no_decimals_stay_as_they_are():
    for text in ("warm", "12,5", "1e3", "INF"):
        assert value_of(text) == Literal(text, datatype=XSD.decimal, normalize=False)


def test_a_threshold_that_is_a_number_of_json_is_met(tmp_path):
    facet = {"xsd:minInclusive": {"@type": "xsd:decimal", "@value": 80.5}}
    hot = {
        "@type": "owl:Restriction",
        "owl:onProperty": {"@id": str(EX.celsius)},
        "owl:someValuesFrom": {
            "@type": "rdfs:Datatype",
            "owl:onDatatype": {"@id": "xsd:decimal"},
            "owl:withRestrictions": {"@list": [facet]},
        },
        "rdfs:subClassOf": {"@id": str(EX.Hot)},
    }
    celsius = {"@id": str(EX.celsius), "@type": "owl:DatatypeProperty"}
    path = tmp_path / "hot.jsonld"
    path.write_text(json.dumps({"@context": CONTEXT, "@graph": [hot, celsius]}))
    ontology = pr.load_ontology(path)
    assert not ontology.report().losses
    reasoner = pr.StreamReasoner(ontology, pr.Window(range=2))
    reasoner.push(
        1, [(EX[name], EX.celsius, value_of(number)) for name, number in (("a", 80.5), ("b", 80.4))]
    )
    assert set(reasoner.graph.subjects(RDF.type, EX.Hot)) == {EX.a}


@pytest.mark.parametrize(
    ("format", "begin", "end", "deepest"),
    [
        ("json-ld", b'{"a": ', b"1}", DEEPEST_OBJECT),
        ("xml", b"<a>", b"</a>", DEEPEST_ELEMENT),
        ("turtle", b"<<( <urn:a> <urn:b> ", b" )>>", DEEPEST_TRIPLE_TERM),
    ],
)
def test_the_deepest_passes_and_what_is_deeper_does_not(format, begin, end, deepest):
    refuse_deep_nesting(begin * deepest + end * deepest, format, "a")
    with pytest.raises(MalformedInputError, match=f"nested deeper than {deepest} levels"):
        refuse_deep_nesting(begin * (deepest + 1), format, "a")


@pytest.mark.parametrize("content", [b"<a>\n<b/>", b"<a>\n<b", b"<a>\n<b>text", b'<a>\n<b c="'])
def test_xml_that_is_cut_off_is_refused(content):
    with pytest.raises(MalformedInputError, match="the document ends inside an element") as raised:
        refuse_deep_nesting(content, "xml", "a.rdf")
    assert raised.value.line == 2


def test_many_beside_one_another_are_not_deep():
    refuse_deep_nesting(b'{"a": 1}' * 1000, "json-ld", "a")


def test_brackets_in_strings_do_not_count():
    refuse_deep_nesting(b'{"a": "' + b"{" * 1000 + b'\\" {"}', "json-ld", "a")
    refuse_deep_nesting(b'<urn:a> <urn:b> "' + b"<<( " * 1000 + b'" .', "turtle", "a")
