"""What typically goes wrong with imports and their catalogs, and what a stranger is told then."""

from __future__ import annotations

from pathlib import Path

import pytest

from mistakes import at_least_twenty, message_of, write_files
from pantarhei.ontology.ontology import load_ontology

TURTLE = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://example.org/o> a owl:Ontology .
"""
IMPORTING = TURTLE + "<http://example.org/o> owl:imports <http://example.org/other> ."
XMLNS = "urn:oasis:names:tc:entity:xmlns:xml:catalog"
CATALOG = f'<catalog xmlns="{XMLNS}">\n<uri name="{{}}" uri="{{}}"/></catalog>'
OTHER = "http://example.org/other"


def catalog(uri, name=OTHER):
    return {"pizza.ttl": IMPORTING, "catalog-v001.xml": CATALOG.format(name, uri)}


def told(files, **options):
    """What is said of the first of some files in the current folder."""
    write_files(Path(), files)
    text = message_of(lambda: load_ontology(next(iter(files)), **options))
    return text.replace(f"{Path.cwd()}/", "")


# Of each mistake the files, the options, and what is said.
MISTAKES = {
    "an import that is nowhere": (
        {"pizza.ttl": IMPORTING},
        {},
        (
            "pizza.ttl imports <http://example.org/other>, which is in no catalog; give its file "
            "as catalog={'http://example.org/other': 'path/to/file'} or the folder it is in, or "
            'load with imports="skip"'
        ),
    ),
    "a catalog without the import": (
        catalog("a.ttl", "http://example.org/another"),
        {},
        (
            "pizza.ttl imports <http://example.org/other>, which is in no catalog; give its file "
            "as catalog={'http://example.org/other': 'path/to/file'} or the folder it is in, or "
            'load with imports="skip"'
        ),
    ),
    "a catalog with a slash too many": (
        catalog("a.ttl", f"{OTHER}/"),
        {},
        (
            "pizza.ttl imports <http://example.org/other>, which is in no catalog; there is "
            "the similar <http://example.org/other/>; give its file as "
            "catalog={'http://example.org/other': 'path/to/file'} or the folder it is in, or load"
            ' with imports="skip"'
        ),
    ),
    "a catalog with https for http": (
        catalog("a.ttl", "https://example.org/other"),
        {},
        (
            "pizza.ttl imports <http://example.org/other>, which is in no catalog; there is "
            "the similar <https://example.org/other>; give its file as "
            "catalog={'http://example.org/other': 'path/to/file'} or the folder it is in, or load"
            ' with imports="skip"'
        ),
    ),
    "a catalog that has it on the network": (
        catalog("http://example.org/other.owl"),
        {},
        (
            "pizza.ttl imports <http://example.org/other>, which catalog-v001.xml maps to a "
            "remote document, and nothing is fetched; give its file as "
            "catalog={'http://example.org/other': 'path/to/file'} or the folder it is in, or load"
            ' with imports="skip"'
        ),
    ),
    "a catalog that has it in another folder": (
        catalog("../../elsewhere.ttl"),
        {},
        (
            "pizza.ttl imports <http://example.org/other>, which catalog-v001.xml maps to a "
            "file outside its folder, which is permitted only if you give it as catalog; give its file "
            "as catalog={'http://example.org/other': 'path/to/file'} or the folder it is in, or "
            'load with imports="skip"'
        ),
    ),
    "a catalog whose file is gone": (
        catalog("gone.ttl"),
        {},
        (
            "pizza.ttl imports <http://example.org/other>, which catalog-v001.xml maps to "
            "gone.ttl, which does not exist; give its file as "
            "catalog={'http://example.org/other': 'path/to/file'} or the folder it is in, or load"
            ' with imports="skip"'
        ),
    ),
    "a catalog whose file is broken": (
        catalog("b.ttl") | {"b.ttl": f"{TURTLE}:A :B"},
        {},
        "b.ttl, line 4: Unexpected end",
    ),
    "a catalog that is broken": (
        {"pizza.ttl": IMPORTING, "catalog-v001.xml": CATALOG.format(OTHER, "a.ttl")[:-5]},
        {},
        ("catalog-v001.xml, line 2: the document ends inside an element"),
    ),
    "a catalog that is another file": (
        {"pizza.ttl": IMPORTING, "catalog-v001.xml": "<project/>"},
        {},
        ("catalog-v001.xml: not an XML catalog: the root element is project"),
    ),
    "a catalog with another name": (
        {"pizza.ttl": IMPORTING, "catalog.xml": CATALOG.format(OTHER, "a.ttl")},
        {},
        (
            "pizza.ttl imports <http://example.org/other>, which is in no catalog; give its file "
            "as catalog={'http://example.org/other': 'path/to/file'} or the folder it is in, or "
            'load with imports="skip"'
        ),
    ),
    "a catalog as ontology": (
        {"catalog-v001.xml": CATALOG.format(OTHER, "a.ttl")},
        {},
        "catalog-v001.xml, line 2: XML namespaces are required in RDF/XML",
    ),
    "a catalog that is not there": (
        {"pizza.ttl": IMPORTING},
        {"catalog": "catalogue.xml"},
        (
            "catalog='catalogue.xml' is invalid: expected a folder, an XML catalog "
            "(catalog-v001.xml), or in Python a mapping from IRIs to paths"
        ),
    ),
    "a folder that is not there": (
        {"pizza.ttl": IMPORTING},
        {"catalog": "ontologies"},
        (
            "catalog='ontologies' is invalid: expected a folder, an XML catalog "
            "(catalog-v001.xml), or in Python a mapping from IRIs to paths"
        ),
    ),
    "a folder without the import": (
        {"pizza.ttl": IMPORTING, "imports/another.ttl": TURTLE},
        {"catalog": "imports"},
        (
            "pizza.ttl imports <http://example.org/other>, which is in no catalog; give its file "
            "as catalog={'http://example.org/other': 'path/to/file'} or the folder it is in, or "
            'load with imports="skip"'
        ),
    ),
    "the import's file as catalog": (
        {"pizza.ttl": IMPORTING, "b.ttl": TURTLE},
        {"catalog": "b.ttl"},
        ("b.ttl, line 1: not an XML catalog: not well-formed (invalid token): line 1, column 0"),
    ),
    "a dictionary whose file is gone": (
        {"pizza.ttl": IMPORTING},
        {"catalog": {OTHER: "gone.ttl"}},
        "gone.ttl cannot be read: No such file or directory",
    ),
    "a dictionary without the import": (
        {"pizza.ttl": IMPORTING},
        {"catalog": {"other": "b.ttl"}},
        (
            "pizza.ttl imports <http://example.org/other>, which is in no catalog; give its file "
            "as catalog={'http://example.org/other': 'path/to/file'} or the folder it is in, or "
            'load with imports="skip"'
        ),
    ),
    "a list as catalog": (
        {"pizza.ttl": IMPORTING},
        {"catalog": ["b.ttl"]},
        (
            "catalog=\"['b.ttl']\" is invalid: expected a folder, an XML catalog "
            "(catalog-v001.xml), or in Python a mapping from IRIs to paths"
        ),
    ),
    "a word for imports that is none": (
        {"pizza.ttl": IMPORTING},
        {"imports": "ignore"},
        ("imports='ignore' is invalid: expected 'error' or 'skip'"),
    ),
    "an import of an import that is nowhere": (
        catalog("b.ttl") | {"b.ttl": IMPORTING.replace("/other", "/third").replace("/o>", "/other>")},
        {},
        (
            "b.ttl imports <http://example.org/third>, which is in no catalog; give its file as "
            "catalog={'http://example.org/third': 'path/to/file'} or the folder it is in, or load"
            ' with imports="skip"'
        ),
    ),
    "an import that is a web page": (
        catalog("b.ttl") | {"b.ttl": "<!DOCTYPE html>\n<html></html>"},
        {},
        ("b.ttl: a web page, not an ontology; download the file that the page links to"),
    ),
    "a file beside it that nothing names": (
        {"pizza.ttl": IMPORTING, "other.ttl": TURTLE},
        {},
        (
            "pizza.ttl imports <http://example.org/other>, which is in no catalog; give its file "
            "as catalog={'http://example.org/other': 'path/to/file'} or the folder it is in, or "
            'load with imports="skip"'
        ),
    ),
}


@pytest.mark.parametrize("name", at_least_twenty(MISTAKES))
def test_a_stranger_is_told_what_is_wrong_and_what_to_do(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files, options, expected = MISTAKES[name]
    assert told(files, **options) == expected
