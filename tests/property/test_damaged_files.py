"""Files that were right and are cut, changed and put together wrong: read, or refused with a typed error."""

import io
import logging

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import cases
from mistakes import MAPPING, TABLE
from pantarhei import InputError, PantarheiError, load_ontology, read_records, read_stream

VERSION = b'VERSION "1.2-messages"\n'
TIME = b"<http://www.w3.org/ns/sosa/resultTime>"
STREAMS = {
    "nquads": b'<urn:a> <urn:b> "0.5"@en <urn:at:1> .\n_:x <urn:b> "7"^^<urn:d> <urn:at:2> .\n' * 2,
    "trig": b'@prefix : <urn:> .\n:at:1 { :a :b """x""" , 7.5 }\n:at:2 { [] a :C ; :d ( 1 true ) }\n',
    "ntriples": VERSION + b'<urn:a> %b "1" .\nMESSAGE\n_:b %b "2" .\n' % (TIME, TIME),
    "turtle": VERSION + b'@prefix : <urn:> .\n:a %b 1 ; :b "x"@en .\n@message .\n:a %b 2 .\n' % (TIME, TIME),
    "jsonld": b'[{"@context": {"@vocab": "urn:", "at": "http://www.w3.org/ns/prov#generatedAtTime"},\n'
    b' "@id": "urn:g", "at": 1, "@graph": [{"@id": "urn:a", "b": [1, 2.5, {"@id": "urn:c"}]}]}]\n',
}
LINES = b'{"time": "2026-01-01T10:00Z", "id": "a", "free": 1, "in": {"x": [1]}}\n' * 3
TABLES = {"csv": TABLE.encode() + b'2026-01-01 10:05,"b ""c""",2\n', "jsonl": LINES}
ONTOLOGIES = {
    "a.ttl": b"""@prefix : <urn:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:o a owl:Ontology . :A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:hasValue 7 ] .""",
    "a.rdf": b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE rdf:RDF [ <!ENTITY e "urn:e:"> ]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#">
<owl:Class rdf:about="&e;A"><owl:disjointWith rdf:resource="&e;B"/></owl:Class></rdf:RDF>""",
    "a.owx": b"""<?xml version="1.0"?><Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="urn:o">
<Prefix name="e" IRI="urn:e:"/>
<SubClassOf><Class abbreviatedIRI="e:A"/><ObjectSomeValuesFrom><ObjectProperty IRI="urn:p"/>
<Class IRI="urn:B"/></ObjectSomeValuesFrom></SubClassOf>
</Ontology>""",
    "a.ofn": b"""Prefix(:=<urn:>)
Ontology(<urn:o>
SubClassOf(:A ObjectAllValuesFrom(:p :B))
DataPropertyRange(:d DatatypeRestriction(xsd:decimal xsd:minInclusive "7"^^xsd:decimal)))
""",
    "a.jsonld": b'{"@context": {"owl": "http://www.w3.org/2002/07/owl#"}, "@id": "urn:A"}',
    "a.nt": b'<urn:A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:B> .\n<urn:A> <urn:p> "x" .\n',
    "a.trig": b"@prefix : <urn:> .\n:g { :A a :B . }\n:C a :D .\n",
}
IMPORTING = (
    b"<urn:o> a <http://www.w3.org/2002/07/owl#Ontology> ; <http://www.w3.org/2002/07/owl#imports> <urn:x> ."
)
CATALOG = b"""<?xml version="1.0"?>
<catalog prefer="public" xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
<group xml:base="sub/"><uri name="urn:x" uri="../b.ttl"/><nextCatalog catalog="file:other.xml"/></group>
</catalog>"""
PIECES = st.one_of(
    st.binary(max_size=4),
    st.sampled_from(
        [b'"', b"'", b"<", b">", b"{", b"}", b"[", b"]", b"(", b")", b"&", b";", b".", b":", b"\\"]
    ),
    st.sampled_from(
        [b"\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"\\ud800", b"MESSAGE\n", b"&e;", b"]]>", b"-->"]
    ),
)
SPOTS = st.floats(0, 1)
CHANGES = st.lists(st.tuples(SPOTS, SPOTS, PIECES), max_size=4)


def damaged(content, changes, cut):
    """Some stretches of the content are other pieces, and it ends early."""
    for begin, length, piece in changes:
        at = int(begin * len(content))
        content = content[:at] + piece + content[at + int(length * 8) :]
    return content[: int(cut * len(content)) + 1]


CUTS = st.one_of(st.just(1.0), SPOTS)


@pytest.fixture(autouse=True)
def _quiet():
    logging.disable(logging.CRITICAL)  # rdflib tells of each literal that it cannot read
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("format", STREAMS)
@pytest.mark.parametrize("on_error", ["raise", "skip"])
@given(changes=CHANGES, cut=CUTS)
@settings(max_examples=cases(13, 150, 10_000), deadline=None)
def test_a_damaged_stream_is_read_or_refused(format, on_error, changes, cut):
    content = damaged(STREAMS[format], changes, cut)
    try:
        for abox in read_stream(io.BytesIO(content), format=format, on_error=on_error):
            len(list(abox.triples))
    except InputError as error:
        assert str(error)


@pytest.mark.parametrize("format", TABLES)
@pytest.mark.parametrize("on_error", ["raise", "skip"])
@given(changes=CHANGES, cut=CUTS)
@settings(max_examples=cases(13, 150, 10_000), deadline=None)
def test_a_damaged_table_is_read_or_refused(format, on_error, changes, cut):
    content = damaged(TABLES[format], changes, cut)
    try:
        for abox in read_records(io.BytesIO(content), MAPPING, format=format, on_error=on_error):
            len(list(abox.triples))
    except InputError as error:
        assert str(error)


@given(changes=CHANGES, cut=CUTS)
@settings(max_examples=cases(20, 300, 10_000), deadline=None)
def test_a_damaged_mapping_is_read_or_refused(changes, cut):
    text = damaged(MAPPING.encode(), changes, cut).decode(errors="replace") + "\n"
    try:
        list(read_records(io.BytesIO(TABLE.encode()), text, format="csv"))
    except InputError as error:
        assert str(error)


@pytest.mark.parametrize("name", ONTOLOGIES)
@given(changes=CHANGES, cut=CUTS)
@settings(max_examples=cases(13, 150, 10_000), deadline=None)
def test_a_damaged_ontology_is_read_or_refused(tmp_path_factory, name, changes, cut):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(damaged(ONTOLOGIES[name], changes, cut))
    try:
        load_ontology(path, imports="skip")
    except PantarheiError as error:
        assert str(error)


@given(changes=CHANGES, cut=CUTS)
@settings(max_examples=cases(20, 300, 10_000), deadline=None)
def test_a_damaged_catalog_is_read_or_refused(tmp_path_factory, changes, cut):
    folder = tmp_path_factory.getbasetemp()
    (folder / "importing.ttl").write_bytes(IMPORTING)
    (folder / "b.ttl").write_bytes(b"<urn:A> a <urn:B> .")
    (folder / "catalog-v001.xml").write_bytes(damaged(CATALOG, changes, cut))
    for catalog in (None, folder / "catalog-v001.xml"):
        try:
            load_ontology(folder / "importing.ttl", catalog=catalog)
        except PantarheiError as error:
            assert str(error)
