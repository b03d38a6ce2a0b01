import io
import json

import pytest
from rdflib import RDF, XSD, Literal, Namespace, URIRef

from pantarhei import MalformedInputError, PantarheiError, TimestampError, read_stream

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
