"""The window's facts as they are asked for: single ones looked up, many by column."""

import numpy as np
import pytest
from rdflib import RDF, XSD, Graph, Literal, Namespace

from pantarhei import StreamReasoner, Window, load_ontology
from pantarhei.query.solutions import TermSpace
from pantarhei.query.sources.relation import ColumnRelation
from pantarhei.query.sources.view import GraphFacts
from pantarhei.query.sources.window import JoinedFacts, JoinedRelation

EX = Namespace("http://example.org/")


def number(text):
    return Literal(text, datatype=XSD.integer, normalize=False)


@pytest.fixture
def reasoner():
    """The value one in three forms, zero in two, and many facts beside."""
    reasoner = StreamReasoner(load_ontology(Graph()), Window(range=1))
    forms = {EX.a: "1", EX.b: "01", EX.c: "+1", EX.d: "0", EX.e: "00"}
    reasoner.push(0, [(name, EX.v, number(text)) for name, text in forms.items()])
    reasoner.push(0, [(EX[f"n{i}"], EX.v, number(str(i))) for i in range(10, 5000)])
    return reasoner


def shown(reasoner, text):
    return sorted(tuple(map(str, row)) for row in reasoner.query(f"PREFIX : <{EX}> {text}"))


def copied(reasoner):
    """Whether the facts of the state that was asked last stand in columns."""
    return reasoner._query_service._view.dataset.default.has_columns


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT ?v { :b :v ?v }", [("01",)]),
        ("SELECT ?v { :a :v ?v }", [("1",)]),
        ("SELECT ?v { VALUES ?x { :e :d :c } ?x :v ?v }", [("+1",), ("0",), ("00",)]),
        ("SELECT ?v { ?x :v ?v . ?x :v 1.0 }", [("+1",), ("01",), ("1",)]),
    ],
)
def test_a_look_up_shows_the_form_of_each_fact_without_a_copy_of_all_facts(reasoner, text, expected):
    assert shown(reasoner, text) == expected
    assert not copied(reasoner)


def test_looked_up_facts_are_shown_as_those_in_columns_are(reasoner):
    text = "SELECT ?v { VALUES ?x { :a :b :c :d :e } ?x :v ?v }"
    before = shown(reasoner, text)
    assert len(shown(reasoner, "SELECT ?x ?v { ?x :v ?v }")) == 4995
    assert copied(reasoner) and shown(reasoner, text) == before


ONE = Literal("01", datatype=XSD.integer, normalize=False)
LARGE = [(EX.a, EX.p, EX.b), (EX.b, EX.p, EX.c), (EX.a, RDF.type, EX.C), (EX.a, EX.q, EX.b)]
SMALL = [(EX.a, EX.p, EX.c), (EX.b, RDF.type, EX.C), (EX.c, EX.v, ONE), (EX.c, EX.v, Literal(2))]


@pytest.fixture
def terms():
    return TermSpace()


@pytest.fixture
def joined(terms):
    terms.id_of(Literal(1))  # so that the other form has another number
    return JoinedFacts(GraphFacts.of(terms, LARGE), GraphFacts.of(terms, SMALL))


def ids(terms, *names):
    return terms.values(terms.ids_of(names))


def shown_of_joined(terms, pairs, asked):
    return {
        (asked[row], term) for row, term in zip(pairs.rows.tolist(), terms.terms(pairs.form_ids), strict=True)
    }


def test_a_relation_has_the_pairs_of_both(joined, terms):
    relation = joined.relation(EX.p)
    subjects, objects, _ = relation.pairs()
    assert len(relation) == 3
    found = set(zip(terms.terms(subjects), terms.terms(objects), strict=True))
    assert found == {(EX.a, EX.b), (EX.b, EX.c), (EX.a, EX.c)}


def test_both_are_looked_through_from_either_end(joined, terms):
    relation, asked = joined.relation(EX.p), (EX.c, EX.a)
    forward = relation.forward(ids(terms, *asked))
    assert shown_of_joined(terms, forward, asked) == {(EX.a, EX.b), (EX.a, EX.c)}
    backward = relation.backward(ids(terms, *asked))
    others = zip(backward.rows.tolist(), terms.terms(backward.others), strict=True)
    assert set(others) == {(0, EX.a), (0, EX.b)}
    assert relation.holds(ids(terms, EX.a, EX.b), ids(terms, EX.c, EX.b)).tolist() == [True, False]


def test_a_literal_keeps_the_form_that_it_has_in_its_graph(joined, terms):
    pairs = joined.relation(EX.v).forward(ids(terms, EX.c))
    assert shown_of_joined(terms, pairs, (EX.c,)) == {(EX.c, ONE), (EX.c, Literal(2))}
    assert joined.has_forms


def test_members_are_those_of_both(joined, terms):
    subjects, _, _ = joined.members(EX.C).pairs()
    assert set(terms.terms(subjects)) == {EX.a, EX.b}


def test_what_the_small_one_does_not_have_is_asked_of_the_large_one_alone(joined):
    assert joined.relation(EX.q) is joined._large.relation(EX.q)
    assert joined.members(EX.D) is joined._large.members(EX.D)


def test_all_triples_are_those_of_both(joined, terms):
    found = joined.triples.all()
    columns = (terms.terms(ids) for ids in (found.subjects, found.predicates, found.form_ids))
    assert set(zip(*columns, strict=True)) == {*LARGE, *SMALL}
    assert set(terms.terms(joined.triples.nodes)) == {EX.a, EX.b, EX.c, EX.C, Literal(1), Literal(2)}
    assert np.array_equal(np.unique(joined.triples.nodes), joined.triples.nodes)


def test_values_that_are_shown_as_they_are_stay_one_array():
    numbers = np.arange(3)
    one, other = (ColumnRelation(numbers + start, numbers + 9) for start in (0, 3))
    _, objects, form_ids = JoinedRelation(one, other).pairs()
    found = JoinedRelation(one, other).forward(numbers)
    assert form_ids is objects and found.form_ids is found.others
