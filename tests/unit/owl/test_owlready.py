"""owlready2 ontologies and worlds that the caller has."""

from __future__ import annotations

import io

import owlready2
import pytest
from rdflib import XSD, Literal, URIRef

from pantarhei.errors import OptionError
from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.document import read_graph


@pytest.fixture
def onto():
    world = owlready2.World()
    onto = world.get_ontology("http://example.org/test#")
    with onto:

        class A(owlready2.Thing):
            pass

        class B(owlready2.Thing):
            pass

        class C(owlready2.Thing):
            pass

        class p(owlready2.ObjectProperty, owlready2.FunctionalProperty):
            domain = [A]  # noqa: RUF012

        class d(owlready2.DataProperty):
            pass

        A.equivalent_to.append(B & p.some(A))
        owlready2.AllDisjoint([A, C])
    a = A("a")
    a.p = A("b")
    a.d = ["v", 3, 0.5, True]
    return onto


def test_an_ontology_and_its_world_give_the_same_rules(onto):
    ours = load_ontology(onto)
    assert {str(rule) for rule in ours.rules} == {
        "A(?x) :- B(?x), p(?x, ?y), A(?y).",
        "A(?x) :- p(?x, ?y).",
        "B(?x) :- A(?x).",
    }
    assert len(ours.constraints) == 2
    assert set(load_ontology(onto.world).rules) == set(ours.rules)


def test_the_same_as_through_a_file_that_owlready2_writes(onto, tmp_path):
    file = io.BytesIO()
    onto.save(file, format="rdfxml")
    path = tmp_path / "saved.owl"
    path.write_bytes(file.getvalue())
    assert set(load_ontology(path).rules) == set(load_ontology(onto).rules)


def test_values_are_literals_of_their_datatype(onto):
    d = URIRef("http://example.org/test#d")
    assert {o for _, p, o in read_graph(onto) if p == d} == {
        Literal("v"),
        Literal("3", datatype=XSD.integer),
        Literal("0.5", datatype=XSD.decimal),
        Literal("true", datatype=XSD.boolean),
    }


def test_loaded_imports_are_read_too(onto):
    top = onto.world.get_ontology("http://example.org/top#")
    top.imported_ontologies.append(onto)
    assert set(load_ontology(top).rules) == set(load_ontology(onto).rules)


def test_reading_changes_nothing_in_the_world(onto):
    before = len(onto.world.graph)
    load_ontology(onto)
    assert len(onto.world.graph) == before


def test_other_objects_of_owlready2_are_refused(onto):
    with pytest.raises(OptionError, match="owlready2"):
        load_ontology(onto.A)
    with pytest.raises(OptionError, match="owlready2"):
        load_ontology(owlready2.class_construct.Not(onto.A))
