import pytest
from rdflib import RDF, BNode, Literal, URIRef

from pantarhei import InvalidTripleError
from pantarhei.model.place import Place
from pantarhei.model.term import check_triple

IRI, NODE, TEXT = URIRef("urn:x"), BNode("b"), Literal("text")


@pytest.mark.parametrize(
    ("place", "admitted"),
    [
        (Place.SUBJECT, {IRI, NODE}),
        (Place.PREDICATE, {IRI}),
        (Place.OBJECT, {IRI, NODE, TEXT}),
        (Place.CLASS, {IRI, NODE}),
    ],
)
def test_each_place_admits_its_terms_and_no_others(place, admitted):
    assert {term for term in (IRI, NODE, TEXT, "urn:x", None) if place.admits(term)} == admitted


@pytest.mark.parametrize(
    ("triple", "place"),
    [
        ((TEXT, IRI, IRI), Place.SUBJECT),
        ((IRI, NODE, IRI), Place.PREDICATE),
        ((IRI, IRI, "text"), Place.OBJECT),
        ((IRI, RDF.type, "text"), Place.OBJECT),
        ((IRI, RDF.type, TEXT), Place.CLASS),
        ((TEXT, NODE, TEXT), Place.SUBJECT),
    ],
)
def test_a_triple_is_refused_for_the_first_place_that_is_wrong(triple, place):
    with pytest.raises(InvalidTripleError) as raised:
        check_triple(triple)
    assert raised.value.reason == place.expected


def test_a_misplaced_term_is_named_with_what_it_was_part_of():
    with pytest.raises(InvalidTripleError, match=r"the whole.*predicate must be an IRI"):
        Place.PREDICATE.check(TEXT, "the whole")
