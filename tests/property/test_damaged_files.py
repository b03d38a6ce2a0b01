"""Files that were right and are cut, changed and put together wrong: read, or refused with a typed error."""

import io
import logging

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import cases
from mistakes import MAPPING, TABLE
from pantarhei import InputError, PantarheiError, load_ontology, read_records, read_stream
from valid_files import LINES, ONTOLOGIES, STREAMS

TABLES = {"csv": TABLE.encode() + b'2026-01-01 10:05,"b ""c""",2\n', "jsonl": LINES}
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
@settings(max_examples=cases(6, 150, 10_000), deadline=None)
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
@settings(max_examples=cases(6, 150, 10_000), deadline=None)
def test_a_damaged_table_is_read_or_refused(format, on_error, changes, cut):
    content = damaged(TABLES[format], changes, cut)
    try:
        for abox in read_records(io.BytesIO(content), MAPPING, format=format, on_error=on_error):
            len(list(abox.triples))
    except InputError as error:
        assert str(error)


@given(changes=CHANGES, cut=CUTS)
@settings(max_examples=cases(10, 300, 10_000), deadline=None)
def test_a_damaged_mapping_is_read_or_refused(changes, cut):
    text = damaged(MAPPING.encode(), changes, cut).decode(errors="replace") + "\n"
    try:
        list(read_records(io.BytesIO(TABLE.encode()), text, format="csv"))
    except InputError as error:
        assert str(error)


@pytest.mark.parametrize("name", ONTOLOGIES)
@given(changes=CHANGES, cut=CUTS)
@settings(max_examples=cases(6, 150, 10_000), deadline=None)
def test_a_damaged_ontology_is_read_or_refused(tmp_path_factory, name, changes, cut):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(damaged(ONTOLOGIES[name], changes, cut))
    try:
        load_ontology(path, imports="skip")
    except PantarheiError as error:
        assert str(error)


@given(changes=CHANGES, cut=CUTS)
@settings(max_examples=cases(10, 300, 10_000), deadline=None)
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
