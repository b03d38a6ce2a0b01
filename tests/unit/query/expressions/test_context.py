"""Values of the vocabulary's literals and of those that only the query knows."""

import numpy as np
from rdflib import XSD, BNode, Literal, URIRef

from expressions import Vocabulary, literal_of
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.query.expressions import Context, LiteralValues, kinds
from pantarhei.query.expressions.context import TripleTimes
from pantarhei.query.solutions import QueryLimits, TermSpace


def test_values_come_from_the_vocabulary_and_from_the_query() -> None:
    vocabulary = Vocabulary([literal_of("7", "integer"), Literal("a")])
    terms = TermSpace(vocabulary.find, vocabulary.term)
    context = Context(terms, QueryLimits(), LiteralValues(vocabulary.literals), Literal("now"))
    local = terms.id_of(literal_of("8.5", "decimal"))
    ids = np.array([FIRST_LITERAL, local, NONE, 3, FIRST_LITERAL + 1, terms.id_of(URIRef("urn:a"))])
    found = context.values(ids)
    expected = [kinds.INTEGER, kinds.DECIMAL, kinds.NOTHING, kinds.NAME, kinds.STRING, kinds.NAME]
    assert found.kinds.tolist() == expected
    assert found.numbers.tolist() == [7, 8.5, 0, 0, 1, 0]
    assert context.values(ids[:1]).numbers.tolist() == [7]


def test_terms_are_those_of_the_numbers() -> None:
    vocabulary = Vocabulary([Literal("a")])
    terms = TermSpace(vocabulary.find, vocabulary.term)
    context = Context(terms, QueryLimits(), LiteralValues(vocabulary.literals), Literal("now"))
    assert context.terms_of(np.array([FIRST_LITERAL])) == [Literal("a")]
    assert context.terms_of(np.array([FIRST_LITERAL, NONE])) == [Literal("a"), None]


def test_times_are_those_of_the_graph_that_is_looked_at() -> None:
    a, w = URIRef("urn:a"), URIRef("urn:w")
    times = {None: TripleTimes([((a, a, a), Literal(1))]), w: TripleTimes([((a, a, a), Literal(2))])}
    context = Context(TermSpace(), QueryLimits(), LiteralValues([]), Literal("now"), times)
    context.blank_nodes[0, 0, ""] = BNode()
    within = context.within(w)
    assert [each.time_of(a, a, a) for each in (context, within)] == [Literal(1), Literal(2)]
    assert context.within(a).time_of(a, a, a) is None
    assert within.blank_nodes is context.blank_nodes


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
