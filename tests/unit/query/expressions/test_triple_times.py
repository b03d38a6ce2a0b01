"""The times of triples, found by the values of their terms."""

from rdflib import XSD, Literal, URIRef

from pantarhei.query.expressions.triple_times import TripleTimes

A, P = URIRef("urn:a"), URIRef("urn:p")
ONE = Literal("1", datatype=XSD.integer)


def test_triples_of_one_value_have_the_time_that_is_given_last() -> None:
    times = TripleTimes(
        [((A, P, ONE), Literal(3)), ((A, P, Literal("01", datatype=XSD.integer)), Literal(5))]
    )
    assert times.of((A, P, ONE)) == Literal(5)
    assert times.of((A, P, Literal("1.0", datatype=XSD.decimal))) == Literal(5)


def test_other_triples_have_none() -> None:
    times = TripleTimes([((A, P, ONE), Literal(3))])
    assert times.of((A, P, A)) is None
    assert times.of((ONE, P, A)) is None
