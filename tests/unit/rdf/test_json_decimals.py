"""Numbers of JSON that are decimals have the values that they show."""

from __future__ import annotations

import io
import json
from decimal import Decimal

import pytest
from rdflib import RDF, XSD, Literal, Namespace

import pantarhei as pr

EX = Namespace("http://example.org/")
CONTEXT = {
    "@vocab": str(EX),
    "xsd": str(XSD),
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "at": "http://www.w3.org/ns/prov#generatedAtTime",
    "celsius": {"@type": "xsd:decimal"},
}


def value_of(number):
    message = {"@context": CONTEXT, "@id": "urn:probe", "at": 1, "celsius": number}
    (abox,) = pr.read_stream(io.BytesIO(json.dumps(message).encode()), format="jsonld")
    return next(value for _, prop, value in abox.triples if prop == EX.celsius)


@pytest.mark.parametrize("number", [12.5, -8.2, 0.00001, 1234567.25, 1e21, 9.0, 12, -0.5])
def test_a_number_in_the_place_of_a_decimal_has_its_value(number):
    value = value_of(number)
    assert value.datatype == XSD.decimal and "E" not in str(value)
    assert Decimal(str(value)) == Decimal(str(number))


def test_texts_that_are_no_decimals_stay_as_they_are():
    for text in ("warm", "12,5", "1e3", "INF"):
        assert value_of(text) == Literal(text, datatype=XSD.decimal, normalize=False)


def test_a_threshold_that_is_a_number_of_json_is_met(tmp_path):
    facet = {"xsd:minInclusive": {"@type": "xsd:decimal", "@value": 80.5}}
    hot = {
        "@type": "owl:Restriction",
        "owl:onProperty": {"@id": str(EX.celsius)},
        "owl:someValuesFrom": {
            "@type": "rdfs:Datatype",
            "owl:onDatatype": {"@id": "xsd:decimal"},
            "owl:withRestrictions": {"@list": [facet]},
        },
        "rdfs:subClassOf": {"@id": str(EX.Hot)},
    }
    celsius = {"@id": str(EX.celsius), "@type": "owl:DatatypeProperty"}
    path = tmp_path / "hot.jsonld"
    path.write_text(json.dumps({"@context": CONTEXT, "@graph": [hot, celsius]}))
    ontology = pr.load_ontology(path)
    assert not ontology.report().losses
    reasoner = pr.StreamReasoner(ontology, pr.Window(range=2))
    reasoner.push(
        1, [(EX[name], EX.celsius, value_of(number)) for name, number in (("a", 80.5), ("b", 80.4))]
    )
    assert set(reasoner.graph.subjects(RDF.type, EX.Hot)) == {EX.a}
