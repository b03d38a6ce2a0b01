"""What the names of a graph are."""

import pytest
from rdflib import OWL, RDF, RDFS, Graph, URIRef

from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.name_kinds import is_defined


@pytest.mark.parametrize("namespace", [OWL, RDF, RDFS])
def test_a_namespace_itself_is_none_of_its_names(namespace):
    assert not is_defined(URIRef(str(namespace)))
    for text in ("<urn:a> <{}> <urn:b> .", "<urn:a> a <{}> .", "<{}> a <urn:C> ."):
        load_ontology(Graph().parse(data=text.format(namespace)))


def test_names_of_a_namespace_are_defined_and_others_in_it_are_not():
    assert is_defined(RDF.type) and is_defined(RDF["_1"])
    assert not is_defined(URIRef(f"{RDF}kind"))
