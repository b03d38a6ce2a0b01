"""What is a triple, and when two terms denote one thing."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Literal, URIRef, Variable

from pantarhei.errors import InvalidTripleError
from pantarhei.model.term import Delta, Place, check_triple, in_order
from pantarhei.values.value import is_well_typed, value_of

A, P = URIRef("urn:a"), URIRef("urn:p")


def literal(text, datatype=None, lang=None):
    return Literal(text, datatype=datatype, lang=lang, normalize=False)


@pytest.mark.parametrize(
    "triple",
    [(A, P, A), (BNode(), P, BNode()), (A, P, Literal("x")), (A, RDF.type, A), (A, RDF.type, BNode())],
)
def test_triples_pass(triple):
    assert check_triple(triple) == triple


@pytest.mark.parametrize(
    "given",
    [
        None, "abc", [A, P, A], (A, P), (A, P, A, A), ("urn:a", P, A), (A, "urn:p", A), (A, P, "a"),
        (A, P, 1),
        (Literal("a"), P, A), (A, BNode(), A), (A, Literal("p"), A), (A, RDF.type, Literal("C")),
        (Variable("x"), P, A), (A, Variable("p"), A), (A, P, Variable("o")), (None, P, A),
    ],
)  # fmt: skip
def test_other_things_are_no_triples(given):
    with pytest.raises(InvalidTripleError):
        check_triple(given)


@pytest.mark.parametrize("term", [A, BNode("b"), Literal("x")])
def test_a_term_where_a_triple_is_expected_is_refused_with_advice(term):
    with pytest.raises(InvalidTripleError, match=r"of rdflib terms; write a single triple as \[triple\]$"):
        check_triple(term)


def test_names_are_their_own_value():
    assert value_of(A) is A
    assert value_of(URIRef("x")) != value_of(BNode("x")) and value_of(A) != value_of(literal("urn:a"))


def test_an_ill_typed_literal_is_none_of_its_datatype_and_differs_from_all_others():
    assert not is_well_typed(literal("one", XSD.integer)) and is_well_typed(literal("1", XSD.integer))
    assert value_of(literal("one", XSD.integer)) != value_of(literal("one", XSD.byte))
    assert value_of(literal("one", XSD.integer)) != value_of(literal("two", XSD.integer))
    assert value_of(literal("one", XSD.integer)) not in (value_of(literal("one")), value_of(URIRef("one")))


@given(
    st.lists(
        st.sampled_from([literal("1", XSD.integer), literal("1"), literal("1", lang="en"), A, BNode("b")])
    )
)
def test_triples_in_order_do_not_depend_on_the_order_given(objects):
    triples = [(A, P, each) for each in objects]
    shuffled = triples[:]
    random.Random(1).shuffle(shuffled)
    assert in_order(shuffled) == in_order(triples)


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


changes = st.lists(st.tuples(st.sampled_from("abc"), st.integers(-2, 2)), max_size=8)


@given(changes)
def test_no_weight_is_zero(given):
    assert 0 not in Delta.of(given).weights.values()


@given(changes, changes)
def test_a_delta_is_the_sum_of_its_changes_in_any_order(one, other):
    assert Delta.of([*one, *other]) == Delta.of([*other, *one])
    assert Delta.of([*one, *other]) == Delta.of(
        [*Delta.of(one).weights.items(), *Delta.of(other).weights.items()]
    )
    total = Counter()
    for fact, weight in one:
        total[fact] += weight
    assert dict(Delta.of(one).weights) == {fact: weight for fact, weight in total.items() if weight}


@given(changes)
def test_a_change_and_its_reverse_are_nothing(given):
    assert Delta.of([*given, *((fact, -weight) for fact, weight in given)]) == Delta.of([])
