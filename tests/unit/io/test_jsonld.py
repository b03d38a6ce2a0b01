"""JSON-LD streams: graphs in one document, documents on lines and in arrays, documents that are messages."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest
from rdflib import BNode, Literal, URIRef

from pantarhei.errors import MalformedInputError, MissingTimestampError
from pantarhei.io import read_stream

CONTEXT = {"@vocab": "urn:x:", "at": "http://www.w3.org/ns/prov#generatedAtTime"}


def graph(name, at, *content):
    return {"@id": name, "at": at, "@graph": list(content)}


def reading(document):
    return {"@context": CONTEXT, **document}


def jsonld(text, **options):
    return read_stream(io.BytesIO(text.encode()), format="jsonld", **options)


GRAPHS = [graph(f"_:g{at}", at, {"@id": "urn:x:belt", "speed": at}) for at in (1, 2, 3)]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"@context": CONTEXT, "@graph": GRAPHS}),
        json.dumps([reading(each) for each in GRAPHS], indent=1),
        "\n".join(json.dumps(reading(each)) for each in GRAPHS),
        "\n".join(json.dumps(reading(each | {"@id": "_:g"})) for each in GRAPHS),
        "\n".join(json.dumps(reading({"@id": "urn:x:belt", "speed": at, "at": at})) for at in (1, 2, 3)),
    ],
)
def test_each_form_has_the_same_times_and_readings(text):
    aboxes = list(jsonld(text))
    assert [abox.at for abox in aboxes] == [1, 2, 3]
    speeds = [{o for _, p, o in abox.triples if p == URIRef("urn:x:speed")} for abox in aboxes]
    assert speeds == [{Literal(at)} for at in (1, 2, 3)]


def test_blank_nodes_belong_to_their_graph_or_document():
    document = reading({"@id": "_:b", "at": 1})
    (abox,) = jsonld(json.dumps(document) + json.dumps(document))
    assert len({s for s, _, _ in abox.triples if isinstance(s, BNode)}) == 2


def test_local_times_and_relative_names_are_completed_as_said():
    text = json.dumps(reading({"@id": "belt", "at": "2026-07-01T12:00:00"}))
    ((at, ((subject, _, _),)),) = jsonld(text, zone="+02:00", base="http://example.org/")
    assert at == datetime(2026, 7, 1, 10, tzinfo=UTC)
    assert subject == URIRef("http://example.org/belt")


def test_documents_that_are_wrong_are_skipped_and_counted_with_their_lines():
    first, last = (json.dumps(reading({"@id": "urn:x:a", "at": at})) for at in (1, 2))
    text = f'{first}\n{{"@id": "urn:x:b"\n{{"@id": "urn:x:c", "urn:x:p": 1}}\n{last}'
    reader = jsonld(text, on_error="skip")
    assert [abox.at for abox in reader] == [1, 2]
    assert [skipped.line for skipped in reader.skipped] == [3, 3]
    assert [skipped.text[:16] for skipped in reader.skipped] == ['{"@id": "urn:x:b', "<urn:x:c> <urn:x"]
    with pytest.raises(MalformedInputError, match=r"line [23]: "):
        list(jsonld(text))


def test_a_document_without_a_time_is_told_with_its_line():
    with pytest.raises(MissingTimestampError, match="line 2: no time found for the message"):
        list(jsonld('\n{"@id": "urn:x:a", "urn:x:p": 1}'))
