"""Names of the named graphs in a reasoner's dataset, and the declarations of an ontology."""

from __future__ import annotations

from datetime import UTC, datetime

from rdflib import OWL, RDF, RDFS, Graph, URIRef

from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimePoint

ONTOLOGY_GRAPH = URIRef("urn:pantarhei:ontology")
SCHEMA_GRAPH = URIRef("urn:pantarhei:schema")
QUALITY_GRAPH = URIRef("urn:pantarhei:quality")
CONCLUSIONS_GRAPH = URIRef("urn:pantarhei:conclusions")
_AT = "urn:pantarhei:at:"

_DECLARED: tuple[Term, ...] = (
    OWL.Class,
    RDFS.Class,
    RDFS.Datatype,
    RDF.Property,
    OWL.ObjectProperty,
    OWL.DatatypeProperty,
    OWL.AnnotationProperty,
    OWL.NamedIndividual,
    OWL.FunctionalProperty,
    OWL.InverseFunctionalProperty,
    OWL.TransitiveProperty,
    OWL.SymmetricProperty,
    OWL.AsymmetricProperty,
    OWL.ReflexiveProperty,
    OWL.IrreflexiveProperty,
)


def timestamp_graph(at: TimePoint) -> URIRef:
    """Return the name of the graph with the interpretation of a timestamp; datetimes are converted to UTC.

    >>> timestamp_graph(7), timestamp_graph(datetime(2026, 1, 31, 10, tzinfo=UTC))
    (rdflib.term.URIRef('urn:pantarhei:at:7'), rdflib.term.URIRef('urn:pantarhei:at:2026-01-31T10:00:00Z'))
    """
    if isinstance(at, datetime):
        return URIRef(_AT + at.astimezone(UTC).isoformat().replace("+00:00", "Z"))
    return URIRef(f"{_AT}{at}")


def is_timestamp_graph(name: Term) -> bool:
    """Return whether a name has the form of the name of a timestamp's graph."""
    return isinstance(name, URIRef) and name.startswith(_AT)


def declarations(ontology: Graph) -> list[Triple]:
    """Return the rdf:type triples that declare an ontology's classes, properties and individuals."""
    return [
        (name, RDF.type, kind)
        for kind in _DECLARED
        for name in ontology.subjects(RDF.type, kind)
        if isinstance(name, URIRef)
    ]
