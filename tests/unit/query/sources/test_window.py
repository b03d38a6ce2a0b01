"""The window's facts as they are asked for: single ones looked up, many by column."""

import pytest
from rdflib import XSD, Graph, Literal, Namespace

from pantarhei import StreamReasoner, Window, load_ontology

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
    return reasoner._door._view.dataset.default.has_columns


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
