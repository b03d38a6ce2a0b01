"""What typically goes wrong with a file from Protégé, and what a stranger is told then."""

from __future__ import annotations

import gzip

import pytest

from pantarhei.errors import PantarheiError
from pantarhei.ontology import load_ontology

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
CATALOG = """<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
<uri name="http://example.org/other" uri="{}"/></catalog>"""
IMPORTING = TURTLE + "<http://example.org/o> owl:imports <http://example.org/other> ."
MISSING = r"imports <http://example\.org/other>, which is in no catalog; give its file as catalog="

# Of each mistake the files, the one that is loaded first, and what is said.
MISTAKES = {
    "the web page instead of the file": (
        {"pizza.owl": "<!DOCTYPE html>\n<html><body>Download</body></html>"},
        "pizza.owl: a web page and no ontology; download the file that the page offers",
    ),
    "an empty file without a suffix": ({"pizza": ""}, "the format of .*pizza is not known: expected a name"),
    "another program's file": ({"pizza.txt": "pizza,price"}, r"pizza\.txt is not known: .* ends in \.ttl, "),
    "a compressed file": (
        {"pizza.owl": gzip.compress(TURTLE.encode())},
        r"it is compressed \(gzip\), and only text is read; unpack it first",
    ),
    "Turtle with a prefix that is not declared": (
        {"pizza.owl": TURTLE + "ex:Pizza a owl:Class ."},
        "pizza.owl, line 4: .*prefix",
    ),
    "Turtle without a point": ({"pizza.owl": TURTLE + ":A a owl:Class\n:B a owl:Class ."}, "line 5: "),
    "Turtle with a byte of Latin-1": (
        {"pizza.ttl": TURTLE.encode() + b':A rdfs:label "caf\xe9" .'},
        "it is not UTF-8; write it so, or turn it into UTF-8 with iconv",
    ),
    "XML that ends too early": (
        {"pizza.owl": RDF_XML.format("", "")[:-10]},
        "line 4: the document ends inside an element",
    ),
    "XML in an encoding that nobody knows": (
        {"pizza.owl": RDF_XML.format(' encoding="klingon"', "")},
        "line 1: it is said to be written in klingon, which is not read; save it as UTF-8",
    ),
    "XML with a byte that its encoding does not have": (
        {"pizza.owl": RDF_XML.format(' encoding="UTF-8"', "<!-- caf@ -->").encode().replace(b"@", b"\xe9")},
        "line 4: a byte that is no utf-8, which the document is said to be written in; save it as UTF-8",
    ),
    "OWL/XML with an element that is none": (
        {"pizza.owx": OWL_XML.format("<SubClasOf/>")},
        "line 3: not OWL/XML: the element SubClasOf is no axiom of OWL 2",
    ),
    "OWL/XML with a prefix that is not declared": (
        {"pizza.owx": OWL_XML.format('<Declaration><Class abbreviatedIRI="ex:A"/></Declaration>')},
        "line 3: not OWL/XML: the prefix ex: is not declared",
    ),
    "functional syntax with a prefix that is not declared": (
        {"pizza.owl": OFN.format("Declaration(Class(ex:A))")},
        r"line 3: not OWL functional syntax: the prefix ex: is not declared; write Prefix\(ex:=<…>\) above",
    ),
    "functional syntax without a colon": (
        {"pizza.ofn": OFN.format("SubClassOf(A :B)")},
        "line 3: not OWL functional syntax: A is no name; a name has a prefix or stands in < >",
    ),
    "functional syntax with an axiom that is none": (
        {"pizza.ofn": OFN.format("SubClasOf(:A :B)")},
        r"line 3: not OWL functional syntax: SubClasOf\(…\) where an axiom is expected",
    ),
    "functional syntax with a bracket too few": (
        {"pizza.ofn": OFN.format("SubClassOf(:A :B")},
        r"line 2: not OWL functional syntax: Ontology\( has no closing bracket",
    ),
    "an import that is nowhere": ({"pizza.owl": IMPORTING}, MISSING),
    "an import that the catalog has on the network": (
        {"pizza.owl": IMPORTING, "catalog-v001.xml": CATALOG.format("http://example.org/other.owl")},
        MISSING,
    ),
    "an import that the catalog has in another folder": (
        {"pizza.owl": IMPORTING, "catalog-v001.xml": CATALOG.format("../../elsewhere.owl")},
        MISSING,
    ),
    "a catalog that is broken": (
        {"pizza.owl": IMPORTING, "catalog-v001.xml": CATALOG.format("a.owl")[:-5]},
        r"catalog-v001\.xml, line 2: the document ends inside an element",
    ),
    "a catalog for an ontology": (
        {"catalog-v001.xml": CATALOG.format("a.owl")},
        r"catalog-v001\.xml",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_stranger_is_told_what_is_wrong(name, tmp_path):
    files, reason = MISTAKES[name]
    for file, content in files.items():
        (tmp_path / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(PantarheiError, match=reason) as raised:
        load_ontology(tmp_path / next(iter(files)))
    assert "Traceback" not in str(raised.value) and len(str(raised.value)) < 500


def test_there_are_twenty_of_them():
    assert len(MISTAKES) >= 20
