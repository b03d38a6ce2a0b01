"""What typically goes wrong with an ontology's file, and what a stranger is told then."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mistakes import at_least_twenty, message_of, write_files
from pantarhei.ontology.ontology import load_ontology

TURTLE = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://example.org/o> a owl:Ontology .
"""
RDF_XML = """<?xml version="1.0"{}?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:e="http://example.org/">
{}</rdf:RDF>"""
OWL_XML = """<?xml version="1.0"?>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://example.org/o">
{}</Ontology>"""
OFN = "Prefix(:=<http://example.org/>)\nOntology(<http://example.org/o>\n{}\n)"
OMN = """Prefix: : <http://example.org/>
Ontology: <http://example.org/o>
{}
"""
JSON_LD = '{"@context": {"owl": "http://www.w3.org/2002/07/owl#"}, "@id": "urn:A", "@type": "owl:Class"}'


def told(file, content, **options):
    """What is said of a file in the current folder."""
    write_files(Path(), {file: content})
    return message_of(lambda: load_ontology(file, **options))


# Of each mistake the file's name, its content, and what is said.
MISTAKES = {
    "the web page instead of the file": (
        "pizza.owl",
        "<!DOCTYPE html>\n<html><body>Download</body></html>",
        ("pizza.owl: a web page, not an ontology; download the file that the page links to"),
    ),
    "a name without a suffix": (
        "pizza",
        "",
        (
            "the format of pizza is unknown: expected a name that ends in .ttl, .rdf, .xml, "
            ".owl, .nt, .jsonld, .json, .trig, .nq, .owx, .ofn, .fss or .omn, or the option "
            "format (turtle, xml, nt, json-ld, trig, nquads, owl-xml, functional or manchester)"
        ),
    ),
    "another program's file": (
        "pizza.txt",
        "pizza,price",
        (
            "the format of pizza.txt is unknown: expected a name that ends in .ttl, .rdf, .xml,"
            " .owl, .nt, .jsonld, .json, .trig, .nq, .owx, .ofn, .fss or .omn, or the option "
            "format (turtle, xml, nt, json-ld, trig, nquads, owl-xml, functional or manchester)"
        ),
    ),
    "a compressed file": (
        "pizza.owl",
        gzip.compress(TURTLE.encode()),
        (
            "pizza.owl: it is compressed (gzip), and only text is read; unpack it first (gzip "
            "-d), or pipe the unpacked text (gzip -dc)"
        ),
    ),
    "a workbook": (
        "pizza.ttl",
        b"PK\x03\x04\x14\x00[Content_Types].xml",
        (
            "pizza.ttl: it is compressed (zip), and only text is read; unpack it first (unzip), "
            "or pipe the unpacked text (unzip -p) (for an Excel workbook, save the "
            "sheet as CSV)"
        ),
    ),
    "a prefix of Turtle that is not declared": (
        "pizza.owl",
        f"{TURTLE}ex:Pizza a owl:Class .",
        "pizza.owl, line 4: The prefix ex: has not been declared",
    ),
    "a point of Turtle that is missing": (
        "pizza.owl",
        f"{TURTLE}:A a owl:Class\n:B a owl:Class .",
        ("pizza.owl, line 5: A dot is expected at the end of statements"),
    ),
    "a comma for a semicolon": (
        "pizza.ttl",
        f"{TURTLE}:A a owl:Class , rdfs:label 'A' .",
        "pizza.ttl, line 4: 'A' is not a valid subject or graph name",
    ),
    "a quotation mark of Turtle that is not closed": (
        "pizza.ttl",
        f'{TURTLE}:A rdfs:label "A .\n:B a :A .',
        "pizza.ttl, line 4: Unexpected end of file",
    ),
    "a name with a space": (
        "pizza.ttl",
        f"{TURTLE}<http://example.org/Hot Pizza> a owl:Class .",
        "pizza.ttl, line 4: Invalid IRI code point ' '",
    ),
    "a byte of Latin-1": (
        "pizza.ttl",
        TURTLE.encode() + b':A rdfs:label "caf\xe9" .',
        ("pizza.ttl, line 4: it is not UTF-8; convert it, for example with iconv"),
    ),
    "XML that ends too early": (
        "pizza.owl",
        RDF_XML.format("", "")[:-10],
        "pizza.owl, line 4: the document ends inside an element",
    ),
    "XML with a mark that is not escaped": (
        "pizza.owl",
        RDF_XML.format("", "<e:A>Salt & Pepper</e:A>"),
        ("pizza.owl, line 4: Error while escaping character: Cannot find ';' after '&'"),
    ),
    "XML with a prefix that is not declared": (
        "pizza.owl",
        RDF_XML.format("", "<foaf:Person/>"),
        "pizza.owl, line 4: Unknown prefix foaf:",
    ),
    "XML with tags that cross": (
        "pizza.owl",
        RDF_XML.format("", "<owl:Class></owl:Thing>"),
        ("pizza.owl, line 4: ill-formed document: expected `</owl:Class>`, but `</owl:Thing>` was found"),
    ),
    "XML in an encoding that nobody knows": (
        "pizza.owl",
        RDF_XML.format(' encoding="klingon"', ""),
        ("pizza.owl, line 1: it declares the encoding klingon, which is not supported; save it as UTF-8"),
    ),
    "XML with a byte that its encoding does not have": (
        "pizza.owl",
        RDF_XML.format(' encoding="UTF-8"', "<!-- caf@ -->").encode().replace(b"@", b"\xe9"),
        (
            "pizza.owl, line 4: a byte that is invalid in utf-8, the encoding that the document declares"
            "; save it as UTF-8"
        ),
    ),
    "OWL/XML with an element that is none": (
        "pizza.owx",
        OWL_XML.format("<SubClasOf/>"),
        ("pizza.owx, line 3: not OWL/XML: the element SubClasOf is not an axiom of OWL 2"),
    ),
    "OWL/XML with a prefix that is not declared": (
        "pizza.owx",
        OWL_XML.format('<Declaration><Class abbreviatedIRI="ex:A"/></Declaration>'),
        ("pizza.owx, line 3: not OWL/XML: the prefix ex: is not declared"),
    ),
    "OWL/XML with a class too few": (
        "pizza.owx",
        OWL_XML.format('<SubClassOf><Class IRI="#A"/></SubClassOf>'),
        ("pizza.owx, line 3: not OWL/XML: SubClassOf has too few or too many elements"),
    ),
    "functional syntax with a prefix that is not declared": (
        "pizza.owl",
        OFN.format("Declaration(Class(ex:A))"),
        (
            "pizza.owl, line 3: not OWL functional syntax: the prefix ex: is not declared; write "
            "Prefix(ex:=<…>) above"
        ),
    ),
    "functional syntax without a colon": (
        "pizza.ofn",
        OFN.format("SubClassOf(A :B)"),
        (
            "pizza.ofn, line 3: not OWL functional syntax: A is not a name; write a prefixed name, "
            "or an IRI in < >"
        ),
    ),
    "functional syntax with an axiom that is none": (
        "pizza.ofn",
        OFN.format("SubClasOf(:A :B)"),
        ("pizza.ofn, line 3: not OWL functional syntax: SubClasOf(…) where an axiom is expected"),
    ),
    "functional syntax with a bracket too few": (
        "pizza.ofn",
        OFN.format("SubClassOf(:A :B"),
        ("pizza.ofn, line 2: not OWL functional syntax: Ontology( has no closing bracket"),
    ),
    "functional syntax with a class too few": (
        "pizza.ofn",
        OFN.format("SubClassOf(:A)"),
        ("pizza.ofn, line 3: not OWL functional syntax: SubClassOf( has 1 argument, too few or too many"),
    ),
    "Manchester syntax with a word that is none": (
        "pizza.omn",
        OMN.format("Clas: :A\n  SubClassOf: :B"),
        ("pizza.omn, line 3: not OWL Manchester syntax: ' :A' cannot be read; expected SPARQL_PnLocal"),
    ),
    "Manchester syntax with a prefix that is not declared": (
        "pizza.omn",
        OMN.format("Class: ex:A"),
        ("pizza.omn, line 3: not OWL Manchester syntax: undefined prefix: ex:A"),
    ),
    "JSON-LD that is not closed": (
        "pizza.jsonld",
        JSON_LD[:-1],
        (
            "pizza.jsonld, line 1: Object values must be followed by a comma to add a new value "
            "or a curly bracket to end the object"
        ),
    ),
    "JSON-LD with a context on the network": (
        "pizza.jsonld",
        '{"@context": "https://schema.org", "@id": "urn:a"}',
        ("pizza.jsonld: its context is elsewhere, and nothing is fetched; put the context into the document"),
    ),
    "N-Triples with a prefix": (
        "pizza.nt",
        ":A a :B .",
        ("pizza.nt, line 1: The subject of a triple must be an IRI or a blank node"),
    ),
}


@pytest.mark.parametrize("name", at_least_twenty(MISTAKES))
def test_a_stranger_is_told_what_is_wrong_and_what_to_do(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    *wrong, expected = MISTAKES[name]
    assert told(*wrong) == expected
