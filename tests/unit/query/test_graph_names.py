"""The names of graphs, and what an ontology declares."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from rdflib import OWL, RDF, Literal, URIRef

from engine_answers import graph
from pantarhei.query.graph_names import ONTOLOGY_GRAPH, declarations, is_timestamp_graph, timestamp_graph


def test_timestamps_of_one_instant_have_one_name():
    there = datetime(2026, 1, 31, 11, 30, tzinfo=timezone(timedelta(hours=1)))
    assert timestamp_graph(there) == timestamp_graph(there.astimezone(UTC))
    assert str(timestamp_graph(0.5)) == "urn:pantarhei:at:0.5"


@pytest.mark.parametrize("name", [ONTOLOGY_GRAPH, Literal("urn:pantarhei:at:1"), URIRef("urn:at:1")])
def test_only_an_iri_that_begins_as_they_do_may_name_a_timestamp(name):
    assert is_timestamp_graph(timestamp_graph(1))
    assert not is_timestamp_graph(name)


def test_declarations_are_of_names_by_kind():
    ontology = graph(
        f"""
        :A a <{OWL.Class}> . [] a <{OWL.Class}> . :a a :A .
        :p a <{OWL.ObjectProperty}>, <{OWL.FunctionalProperty}> . :o a <{OWL.Ontology}> .
        """
    )
    assert declarations(ontology) == [
        (URIRef("urn:A"), RDF.type, OWL.Class),
        (URIRef("urn:p"), RDF.type, OWL.ObjectProperty),
        (URIRef("urn:p"), RDF.type, OWL.FunctionalProperty),
    ]
