"""Messages that are datasets: where their time is, and what they assert."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest
from rdflib import RDF, BNode, Literal, URIRef

from pantarhei.errors import MalformedInputError, MissingTimestampError, TimestampError
from pantarhei.io import read_stream
from pantarhei.rdf.message_log import ANNOUNCEMENT

LOG = f"""{ANNOUNCEMENT}
PREFIX : <urn:x:>
PREFIX sosa: <http://www.w3.org/ns/sosa/>
"""
TIME = "http://www.w3.org/ns/sosa/resultTime"


def log(text, **options):
    return read_stream(io.BytesIO((LOG + text).encode()), **{"format": "trig"} | options)


def test_the_time_is_that_of_anything_in_the_message_and_is_asserted_too():
    (first, second) = log(":o sosa:resultTime 1 ; :of :belt . MESSAGE MESSAGE :p sosa:resultTime 2 .")
    assert (first.at, second.at) == (1, 2)
    assert (URIRef("urn:x:o"), URIRef("urn:x:of"), URIRef("urn:x:belt")) in first.triples
    assert len(first.triples) == 2 and len(second.triples) == 1


def test_what_is_said_about_a_graph_of_the_message_is_not_asserted():
    (abox,) = log(":g sosa:resultTime 1 ; :from :belt . :g { :a :b :c } :belt :is :old .")
    assert {s for s, _, _ in abox.triples} == {URIRef("urn:x:a"), URIRef("urn:x:belt")}


def test_the_name_of_a_graph_in_the_message_can_tell_its_time():
    assert [abox.at for abox in log("<urn:at:7> { :a :b :c } MESSAGE <urn:at:8> { :a :b :c }")] == [7, 8]
    assert [abox.at for abox in log("<urn:at:7> { :a sosa:resultTime 5 }", time="graph")] == [7]


def test_messages_of_one_time_are_one_abox_and_their_blank_nodes_are_their_own():
    (abox,) = log("_:b sosa:resultTime 1 . MESSAGE _:b sosa:resultTime 1 .")
    nodes = {s for s, _, _ in abox.triples}
    assert len(nodes) == 2 and all(isinstance(node, BNode) for node in nodes)
    assert [abox] == list(log("_:b sosa:resultTime 1 . MESSAGE _:c sosa:resultTime 1 ."))


def test_a_time_without_a_zone_takes_the_one_that_is_said():
    text = ':o sosa:resultTime "2026-07-01T12:00:00" .'
    assert [abox.at for abox in log(text, zone="Europe/Berlin")] == [datetime(2026, 7, 1, 10, tzinfo=UTC)]
    with pytest.raises(TimestampError, match=r"line 1: .*or set it with the option zone"):
        list(log(text))


@pytest.mark.parametrize(
    ("text", "error", "reason"),
    [
        (":a :b :c .", MissingTimestampError, "line 1: the message has no time; expected one of"),
        (":a sosa:resultTime 1, 2 .", TimestampError, "a message with the times 1 and 2"),
        (":a sosa:resultTime :noon .", TimestampError, "<urn:x:noon> as the time of a message"),
        (":a sosa:resultTime 1 ; a 5 .", MalformedInputError, "must be a class, not a literal"),
        (":a sosa:resultTime 1 . MESSAGE :a sosa:resultTime 1.5 .", TimestampError, "an integer"),
    ],
)
def test_what_is_wrong_is_an_error_or_skipped_and_counted(text, error, reason):
    with pytest.raises(error, match=reason):
        list(log(text))
    reader = log(text + " MESSAGE :z sosa:resultTime 9 .", on_error="skip")
    assert [abox.at for abox in reader][-1] == 9
    assert reader.skipped_count >= 1


def test_the_property_can_be_said():
    reader = log(":a :seen 3 ; sosa:resultTime 1 .", time="urn:x:seen")
    assert [abox.at for abox in reader] == [3]
    with pytest.raises(MissingTimestampError, match="the property <urn:x:seen> in it"):
        list(log(":a sosa:resultTime 1 .", time="urn:x:seen"))


@pytest.mark.parametrize("syntax", ["turtle", "ntriples"])
def test_a_syntax_without_graphs_has_to_be_a_log(syntax):
    with pytest.raises(MalformedInputError, match=f"{syntax} has no graphs.*begins with VERSION"):
        list(read_stream(io.BytesIO(b"<urn:a> <urn:b> <urn:c> ."), format=syntax))
    text = f'{ANNOUNCEMENT}\n<urn:a> <{TIME}> "1" .\nMESSAGE\n<urn:a> <{TIME}> "2" .\n'
    assert [abox.at for abox in read_stream(io.BytesIO(text.encode()), format=syntax)] == [1, 2]


def test_a_message_of_skipped_statements_alone_does_not_move_time():
    """Nor does it say which kind of time the stream has."""
    bad = f'<urn:x:a> <{RDF.type}> "lit" <urn:t:{{}}> .\n'
    good = "<urn:x:a> <urn:x:b> <urn:x:c> <urn:t:{}> .\n"
    parts = [bad.format("2026-01-01T00:00:00Z"), good.format(1), bad.format(99), good.format(2)]
    text = 'VERSION "1.2-messages"\n' + "MESSAGE\n".join(parts)
    reader = read_stream(io.BytesIO(text.encode()), format="nquads", on_error="skip")
    assert [(abox.at, len(abox.triples)) for abox in reader] == [(1, 1), (2, 1)]
    assert reader.skipped_count == 2


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
    with pytest.raises(MissingTimestampError, match="line 2: the message has no time"):
        list(jsonld('\n{"@id": "urn:x:a", "urn:x:p": 1}'))
