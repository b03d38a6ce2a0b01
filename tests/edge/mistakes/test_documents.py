"""What typically goes wrong with several documents, folders and globs, and what a stranger is told then."""

from __future__ import annotations

import gzip

import pytest
from rdflib import OWL, RDF, Graph, URIRef

from mistakes import at_least_twenty, message_for_command, message_of, write_files
from pantarhei import StreamReasoner, Window, load_ontology

PREFIXES = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
VENDOR = ":Probe rdfs:subClassOf :Sensor . :Sensor owl:disjointWith :Room ."
FILES = {
    "vendor.ttl": PREFIXES + VENDOR,
    "broken.ttl": f"{PREFIXES}:A rdfs:subClassOf",
    "importing.ttl": f"{PREFIXES}<urn:site> a owl:Ontology ; owl:imports <http://example.org/vendor> .",
    "against.ttl": f"{PREFIXES}:x a :Probe , :Room .",
    "notes.md": "# notes",
    "readings.csv": "time,id\n1,a\n",
    "stream.nq": '<urn:s> <http://example.org/celsius> "5" <urn:at:1> .\n',
    "mixed/a.ttl": PREFIXES + VENDOR,
    "mixed/b.owl": "<!DOCTYPE html>\n<html></html>",
    "others/model.obj": "v 0 0 0",
    "below/site/site.ttl": PREFIXES + VENDOR,
    "twice/a.ttl": f"{PREFIXES}<urn:a> a owl:Ontology ; owl:imports <urn:b> .",
    "packed.ttl": gzip.compress(b"<urn:a> <urn:b> <urn:c> ."),
}
RUN = ("run", "--stream", "stream.nq", "--range", "5", "--ontology")
CHECK = ("check",)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, FILES)
    (tmp_path / "empty").mkdir()


def told(*wrong):
    """What is said of what is typed, or of what is loaded in Python."""
    if isinstance(wrong[0], str):
        return message_for_command(*wrong)
    return message_of(wrong[0])


# Of each mistake what is typed or done, and what is said.
MISTAKES = {
    "a file that is not there": (
        *RUN,
        "nowhere.ttl",
        ("error: nowhere.ttl cannot be read: No such file or directory"),
    ),
    "a typing mistake in the name of a file": (
        *RUN,
        "vendr.ttl",
        ("error: vendr.ttl cannot be read: No such file or directory (did you mean vendor.ttl?)"),
    ),
    "a typing mistake in a folder": (
        *CHECK,
        "--ontology",
        "mixed/a.tt",
        ("error: mixed/a.tt cannot be read: No such file or directory (did you mean mixed/a.ttl?)"),
    ),
    "one of several that is not there": (
        *RUN,
        "vendor.ttl",
        "--ontology",
        "nowhere.ttl",
        ("error: nowhere.ttl cannot be read: No such file or directory"),
    ),
    "an empty folder": (
        *RUN,
        "empty",
        (
            "error: empty cannot be read: no file in this folder ends in .ttl, .rdf, .owl, .nt, "
            ".jsonld, .trig, .nq, .owx, .ofn, .fss, .omn"
        ),
    ),
    "a folder with other files": (
        *RUN,
        "others",
        (
            "error: others cannot be read: no file in this folder ends in .ttl, .rdf, .owl, .nt, "
            ".jsonld, .trig, .nq, .owx, .ofn, .fss, .omn"
        ),
    ),
    "a folder whose files are further down": (
        *RUN,
        "below",
        (
            "error: below cannot be read: no file in this folder ends in .ttl, .rdf, .owl, .nt, "
            ".jsonld, .trig, .nq, .owx, .ofn, .fss, .omn; those in folders below are "
            "below/**/*.ttl"
        ),
    ),
    "a folder with a broken file": (*RUN, ".", "error: broken.ttl, line 3: Unexpected end"),
    "a folder with a web page": (
        *RUN,
        "mixed",
        ("error: mixed/b.owl: a web page, not an ontology; download the file that the page links to"),
    ),
    "a glob that matches nothing": (
        *RUN,
        "*.owl",
        "error: *.owl cannot be read: no file matches this pattern",
    ),
    "a glob that matches what is no ontology": (
        *RUN,
        "*.md",
        (
            "error: the format of notes.md is unknown: expected a name that ends in .ttl, .rdf,"
            " .xml, .owl, .nt, .jsonld, .json, .trig, .nq, .owx, .ofn, .fss or .omn"
        ),
    ),
    "files behind one option": (
        *RUN,
        "vendor.ttl",
        "against.ttl",
        (
            "Error Invalid value: against.ttl is not the value of an option; put a glob in quotation "
            "marks, or repeat the option for each file"
        ),
    ),
    "an import that no document is": (
        *RUN,
        "importing.ttl",
        (
            "error: importing.ttl imports <http://example.org/vendor>, which is in no catalog; "
            "give its folder or an XML catalog as --catalog, or go on with --imports skip"
        ),
    ),
    "an import that no document in the folder is": (
        *RUN,
        "twice",
        (
            "error: twice/a.ttl imports <urn:b>, which is in no catalog; give its folder or an "
            "XML catalog as --catalog, or go on with --imports skip"
        ),
    ),
    "documents that contradict one another": (
        *CHECK,
        "vendor.ttl",
        "against.ttl",
        "--strict",
        ("error: the ontology is inconsistent: 1 contradiction"),
    ),
    "no ontology": ("run", "--stream", "stream.nq", "--range", "5", "Missing option '--ontology'."),
    "nothing to check": (*CHECK, ("Invalid value: nothing to check: give --ontology, --rules, or both")),
    "a compressed document": (
        *CHECK,
        "vendor.ttl",
        "packed.ttl",
        (
            "error: packed.ttl: it is compressed (gzip), and only text is read; unpack it first "
            "(gzip -d), or pipe the unpacked text (gzip -dc)"
        ),
    ),
    "a table as ontology": (
        *CHECK,
        "readings.csv",
        (
            "error: the format of readings.csv is unknown: expected a name that ends in .ttl, "
            ".rdf, .xml, .owl, .nt, .jsonld, .json, .trig, .nq, .owx, .ofn, .fss or .omn"
        ),
    ),
    "an address": (
        *CHECK,
        "https://brickschema.org/schema/Brick.ttl",
        (
            "error: https://brickschema.org/schema/Brick.ttl cannot be read: nothing is fetched; "
            "download it, and give its path"
        ),
    ),
    "a folder as stream": (
        "run",
        "--stream",
        "mixed",
        "--range",
        "5",
        "--ontology",
        "vendor.ttl",
        "error: mixed cannot be read: Is a directory",
    ),
    "an empty folder as background": (
        *RUN,
        "vendor.ttl",
        "--background",
        "empty",
        (
            "error: empty cannot be read: no file in this folder ends in .ttl, .rdf, .owl, .nt, "
            ".jsonld, .trig, .nq, .owx, .ofn, .fss, .omn"
        ),
    ),
    "a background that a glob does not match": (
        *RUN,
        "vendor.ttl",
        "--background",
        "site-*.ttl",
        ("error: site-*.ttl cannot be read: no file matches this pattern"),
    ),
    "a broken background": (
        *RUN,
        "vendor.ttl",
        "--background",
        "broken.ttl",
        "error: broken.ttl, line 3: Unexpected end",
    ),
    "a background against the ontology": (
        *RUN,
        "vendor.ttl",
        "--background",
        "against.ttl",
        (
            "error: the ontology is inconsistent: x is a room and a sensor, which are disjoint; this follows "
            "from: x is a probe (vendor.ttl) repair the ontology or the background; only streamed ABoxes are "
            "repaired"
        ),
    ),
    "an empty list": (
        lambda: load_ontology([]),
        ("source=[] is invalid: expected at least one document: a path, an rdflib.Graph, or several"),
    ),
    "a list with nothing in it": (
        lambda: load_ontology(["vendor.ttl", None]),
        ("source=None is invalid: expected a path, an rdflib.Graph, or an owlready2 ontology or world"),
    ),
    "a set": (
        lambda: load_ontology({"vendor.ttl"}),
        (
            "source={'vendor.ttl'} is invalid: expected a path, an rdflib.Graph, or an "
            "owlready2 ontology or world"
        ),
    ),
    "triples": (
        lambda: load_ontology([(URIRef("urn:A"), RDF.type, OWL.Class)]),
        (
            "source=(rdflib.term.URIRef('urn:A'), "
            "rdflib.term.URIRef('http://www.w3.org/1999/02/22-rdf-syntax-ns#type'), "
            "rdflib.term.URIRef('http://www.w3.org/2002/07/owl#Class')) is invalid: expected"
            " triples in an rdflib.Graph: Graph().add(triple)"
        ),
    ),
    "a text of Turtle": (
        lambda: load_ontology(PREFIXES + VENDOR),
        (
            "source='@prefix : <http://example.org/> . @prefix owl: <http://www.… is "
            "invalid: expected a path; parse a text by rdflib.Graph().parse(data=text, format=…)"
        ),
    ),
    "bytes": (
        lambda: load_ontology(VENDOR.encode()),
        (
            "source=b':Probe rdfs:subClassOf :Sensor . :Sensor owl:disjointWith :Room .' is "
            "invalid: expected a path, an rdflib.Graph, or an owlready2 ontology or world"
        ),
    ),
    "a file that is no ontology": (
        lambda: load_ontology("notes.md"),
        (
            "the format of notes.md is unknown: expected a name that ends in .ttl, .rdf, .xml, "
            ".owl, .nt, .jsonld, .json, .trig, .nq, .owx, .ofn, .fss or .omn, or the option "
            "format (turtle, xml, nt, json-ld, trig, nquads, owl-xml, functional or manchester)"
        ),
    ),
    "a text as background": (
        lambda: StreamReasoner(load_ontology(Graph()), Window(5), "@prefix : <urn:x#> . :a :b :c ."),
        (
            "background='@prefix : <urn:x#> . :a :b :c .'… is invalid: expected a path; parse a text by "
            "rdflib.Graph().parse(data=text, format=…)"
        ),
    ),
}


@pytest.mark.parametrize("name", at_least_twenty(MISTAKES))
def test_a_stranger_is_told_what_is_wrong_and_what_to_do(name):
    *wrong, expected = MISTAKES[name]
    assert told(*wrong) == expected
