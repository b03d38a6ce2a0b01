"""JSON-LD documents one after another, and what each says."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, XSD, Literal, Namespace, URIRef

from pantarhei import MissingFileError, OptionError, PantarheiError, TimestampError, read_stream
from pantarhei.errors import MalformedInputError
from pantarhei.rdf import json_documents
from pantarhei.rdf.json_documents import Contexts, documents, read_document
from pantarhei.rdf.statements import ByteFeed

DOCUMENTS = [{"@id": "urn:a", "urn:p": text} for text in ("{", '"}', "\\", "[]")]


def split(text):
    return list(documents(ByteFeed(io.BytesIO(text.encode())), "a.json"))


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, DOCUMENTS)),
        "".join(map(json.dumps, DOCUMENTS)),
        json.dumps(DOCUMENTS),
        json.dumps(DOCUMENTS, indent=2),
        "\n\n".join(json.dumps(each, indent="\t") for each in DOCUMENTS),
        "[\n" + ",\n".join(map(json.dumps, DOCUMENTS)),
    ],
)
def test_documents_stand_on_lines_of_their_own_or_in_an_array(text):
    assert [json.loads(part) for _, part in split(text)] == DOCUMENTS


def test_lines_are_those_on_which_documents_begin():
    assert [line for line, _ in split('\n[{"a":\n1}, {}\n,{}]')] == [2, 3, 4]


def test_a_document_that_breaks_off_does_not_take_the_next_with_it():
    parts = [part for _, part in split('{"@id": "urn:a"\n{"@id": "urn:b"}\n{"a": [\n{"b": 1}\n]}')]
    assert parts == [b'{"@id": "urn:a"\n', b'{"@id": "urn:b"}', b'{"a": [\n{"b": 1}\n]}']


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1}\nhello', "line 2: hello: expected a JSON-LD document"),
        ('"a"', "line 1: .*expected a JSON-LD document"),
        ('\n{"a": [1', "line 2: .*closing brace of the document is missing"),
    ],
)
def test_what_is_no_document_is_told_with_its_line(text, reason):
    with pytest.raises(MalformedInputError, match=reason):
        split(text)


def test_bytes_that_are_not_utf_8_are_told():
    with pytest.raises(MalformedInputError, match="not UTF-8"):
        list(documents(ByteFeed(io.BytesIO(b"\xff")), "a.json"))


def test_a_document_is_held_whole_and_so_has_a_limit(monkeypatch):
    monkeypatch.setattr(json_documents, "LONGEST_DOCUMENT", 100)
    with pytest.raises(MalformedInputError, match="line 1: the document is longer than 100 bytes"):
        split('{"a": [\n' + "1,\n" * 100)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"@id": "urn:a",\n}', "line 8: it is not JSON-LD: Trailing commas"),
        ('{"@context": "http://example.org/c.jsonld", "@id": "urn:a", "urn:p": 1}', "nothing is fetched"),
        ('{"@id": "belt", "urn:p": 1}', "belt is a relative IRI; give its base by the option base"),
        ('{"a":' * 1000, "nested deeper"),
    ],
)
def test_what_is_wrong_in_a_document_is_told_or_skipped(text, reason):
    with pytest.raises(MalformedInputError, match=reason):
        read_document(7, text.encode(), "a.json", None, None)
    skipped = []
    assert read_document(7, text.encode(), "a.json", None, lambda *what: skipped.append(what)) is None
    assert len(skipped) == 1


@pytest.mark.parametrize("members", ['"p": []', '"p": null', '"p": [null, []]', '"@graph": [{"p": []}]'])
def test_members_without_a_value_say_nothing_and_nothing_is_wrong_with_them(members):
    text = '{"@context": {"@vocab": "http://e/"}, "@id": "http://e/x", ' + members + "}"
    assert read_document(1, text.encode(), "a.json", None, None) == []


def test_a_member_that_no_context_knows_may_have_any_number():
    with pytest.raises(MalformedInputError, match="no statement follows from its members a"):
        read_document(1, b'{"a": ' + b"1" * 5_000 + b"}", "a.json", None, None)


def test_relative_iris_begin_with_the_base():
    (statement,) = read_document(1, b'{"@id": "belt", "urn:p": 1}', "a.json", "http://x.org/", None)
    assert str(statement.quad.subject) == "<http://x.org/belt>"


@given(st.text(alphabet='{}[],:"\\a1 \n', max_size=60))
def test_any_text_gives_documents_or_a_typed_error(text):
    try:
        for line, part in split(text):
            read_document(line, part, "a.json", None, None)
    except MalformedInputError as error:
        assert error.source == "a.json"


A, B = "https://example.org/a", "https://example.org/b"
TERMS = {"@context": {"p": "urn:p"}}


def inlined(document, contexts):
    return json.loads(Contexts(contexts).inlined(json.dumps(document).encode(), "d.jsonld", 3))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (A, {"p": "urn:p"}),
        ([A, {"q": "urn:q"}], [{"p": "urn:p"}, {"q": "urn:q"}]),
        ([B, A], [{"p": "urn:p"}, {"r": "urn:r"}, {"p": "urn:p"}]),
        ({"@import": A, "q": "urn:q"}, {"p": "urn:p", "q": "urn:q"}),
        ({"x": {"@id": "urn:x", "@context": A}}, {"x": {"@id": "urn:x", "@context": {"p": "urn:p"}}}),
        ({"q": "urn:q"}, {"q": "urn:q"}),
        (None, None),
    ],
)
def test_contexts_are_put_in_the_place_of_their_iris(given, expected):
    contexts = {A: TERMS, B: {"@context": [A, {"r": "urn:r"}]}}
    document = {"@context": given, "v": '"@context": ', "inner": {"@context": given, "n": 1}}
    found = inlined(document, contexts)
    assert found == {**document, "@context": expected, "inner": {"@context": expected, "n": 1}}


def test_numbers_and_all_else_stay_as_they_are_written():
    text = b'{"@context": "https://example.org/a", "v": 1.50, "w": "\\u00e9"}'
    assert Contexts({A: TERMS}).inlined(text, "d", 1).endswith(b', "v": 1.50, "w": "\\u00e9"}')


def test_a_context_that_is_missing_is_named():
    with pytest.raises(
        MalformedInputError, match=f"line 3: the context {A} is not known, and nothing is fetched"
    ):
        inlined({"@context": [{}, A]}, {B: TERMS})


def test_a_context_that_contains_itself_is_refused():
    with pytest.raises(MalformedInputError, match=f"the context {A} contains itself"):
        inlined({"@context": A}, {A: {"@context": B}, B: {"@context": [A]}})


def test_contexts_are_files_and_checked_at_once(tmp_path):
    path = tmp_path / "a.jsonld"
    path.write_text(json.dumps(TERMS))
    assert inlined({"@context": A}, {A: path}) == {"@context": {"p": "urn:p"}}
    with pytest.raises(MissingFileError):
        Contexts({A: tmp_path / "none.jsonld"})
    path.write_text("[]")
    with pytest.raises(MalformedInputError, match="it is not a context"):
        Contexts({A: path})
    path.write_text("{")
    with pytest.raises(MalformedInputError, match="it is not JSON"):
        Contexts({A: path})
    for wrong in ({A: 7}, {A: {"p": "urn:p"}}, "a.jsonld"):
        with pytest.raises(OptionError):
            Contexts(wrong)


NGSI = Namespace("https://uri.etsi.org/ngsi-ld/default-context/")
S = URIRef("urn:s")
NINE, TEN = "2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z"


def entity(**attributes):
    return json.dumps({"id": "urn:s", "type": "Sensor", **attributes}).encode()


def attribute(value, at=TEN, **more):
    return {"type": "Property", "value": value, "observedAt": at, **more}


def read(*documents, **options):
    return list(read_stream(io.BytesIO(b"\n".join(documents)), format="ngsi-ld", **options))


def test_each_attribute_has_the_time_of_its_own():
    is_in = {"type": "Relationship", "object": "urn:room", "observedAt": NINE}
    found = read(entity(warm=attribute(21.5, unitCode="CEL"), isIn=is_in))
    assert [(abox.at.hour, set(abox.triples)) for abox in found] == [
        (9, {(S, RDF.type, NGSI.Sensor), (S, NGSI.isIn, URIRef("urn:room"))}),
        (10, {(S, RDF.type, NGSI.Sensor), (S, NGSI.warm, Literal("21.5", datatype=XSD.decimal))}),
    ]


@pytest.mark.parametrize(
    ("value", "terms"),
    [
        (21, {Literal(21)}),
        (10**30, {Literal(10**30)}),
        (True, {Literal(True)}),
        ("x", {Literal("x")}),
        ([1, "x"], {Literal(1), Literal("x")}),
        ({"@type": "DateTime", "@value": NINE}, {Literal(NINE, datatype=XSD.dateTime, normalize=False)}),
    ],
)
def test_values_have_the_types_of_json(value, terms):
    (abox,) = read(entity(warm=attribute(value)))
    assert {term for _, predicate, term in abox.triples if predicate == NGSI.warm} == terms


@pytest.mark.parametrize(
    ("times", "options"),
    [
        (("2026-03-02T24:00:00Z", "2026-03-03T01:00:00Z"), {}),
        (("2026-03-02T12:00:00", "2026-03-02T04:00:00Z"), {"zone": "Asia/Tokyo"}),
        (("2026-03-02T10:00:00.1234567Z", "2026-03-02T10:00:01Z"), {}),
        (("9", "10"), {}),
    ],
)
@pytest.mark.filterwarnings("ignore::pantarhei.TimesCutWarning")
@pytest.mark.parametrize("is_turned", [False, True])
def test_attributes_of_an_entity_are_in_the_order_of_time(times, options, is_turned):
    given = [(f"a{place}", attribute(place, at)) for place, at in enumerate(times)]
    found = read(entity(**dict(given[::-1] if is_turned else given)), **options)
    assert [term.toPython() for abox in found for _, _, term in abox.triples if term != NGSI.Sensor] == [0, 1]


def test_an_entity_may_have_an_attribute_named_data():
    (abox,) = read(entity(data=[attribute(1)]))
    assert (S, NGSI.data, Literal(1)) in set(abox.triples)


def test_contexts_notifications_and_several_instances_are_read():
    context = {"@context": {"warm": "urn:warm", "Sensor": "urn:Sensor"}}
    one = json.loads(entity(warm=[attribute(1, NINE), attribute(2)]))
    notification = {"type": "Notification", "id": "urn:n", "@context": "urn:c", "data": [one]}
    found = read(json.dumps(notification).encode(), contexts={"urn:c": context})
    assert [set(abox.triples) for abox in found] == [
        {(S, RDF.type, URIRef("urn:Sensor")), (S, URIRef("urn:warm"), Literal(number))} for number in (1, 2)
    ]
    with pytest.raises(MalformedInputError, match="the context urn:c is not known"):
        read(json.dumps(notification).encode())


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"type": "Property", "value": 1}, "has no observedAt"),
        (7, "is not an object"),
        (attribute({"deep": 1}), "has a compound value"),
        ({"type": "Relationship", "object": 7, "observedAt": TEN}, "an object that is not an IRI"),
        ({"observedAt": TEN}, "neither a value nor an object"),
    ],
)
def test_an_attribute_that_is_none_is_left_out_by_itself(wrong, reason):
    document = entity(bad=wrong, warm=attribute(1))
    with pytest.raises(MalformedInputError, match=f"the attribute bad of urn:s .*{reason}"):
        read(document)
    reader = read_stream(io.BytesIO(document), format="ngsi-ld", on_error="skip")
    assert [len(abox.triples) for abox in reader] == [2]
    assert reader.skipped_count == 1


def test_bad_documents_and_times_are_skipped():
    soon, half = entity(warm=attribute(1, "soon")), entity(warm=attribute(1, TEN + "\ud800"))
    content = b"\n".join([half, b"\xff", b'{"type": "Sensor"}', soon, entity(warm=attribute(1))])
    with pytest.raises(TimestampError):
        read(content)
    with pytest.raises(MalformedInputError):
        read(b"\xff")
    for bad in (soon, half):
        with pytest.raises(PantarheiError):
            read(bad)
    reader = read_stream(io.BytesIO(content), format="ngsi-ld", on_error="skip")
    assert [abox.at.hour for abox in reader] == [10]
    assert reader.skipped_count >= 3
