"""Whether rows are the answers."""

import pytest
from rdflib import BNode, Literal, URIRef

from oracle.answers import agrees, answers, difference
from oracle_answers import triples

DATA = triples(":a :p 1 . :b :p 1 . :c :p 2 .")
A, B, C = ((URIRef(f"urn:{name}"),) for name in "abc")


@pytest.mark.parametrize(
    ("modifiers", "rows", "is_right"),
    [
        ("", [A, B, C], True),
        ("", [C, A, B], True),
        ("", [A, B], False),
        ("", [A, B, C, C], False),
        ("", [A, B, B], False),
        ("ORDER BY ?v", [B, A, C], True),
        ("ORDER BY ?v", [A, C, B], False),
        ("ORDER BY DESC(?v) ?x", [C, A, B], True),
        ("ORDER BY DESC(?v) ?x", [C, B, A], False),
        ("LIMIT 2", [C, B], True),
        ("LIMIT 2", [A], False),
        ("LIMIT 2", [A, A], False),
        ("OFFSET 2", [B], True),
        ("ORDER BY ?v LIMIT 1", [B], True),
        ("ORDER BY ?v LIMIT 1", [C], False),
        ("ORDER BY ?v LIMIT 2 OFFSET 1", [B, C], True),
        ("ORDER BY ?v LIMIT 2 OFFSET 1", [A, C], True),
        ("ORDER BY ?v LIMIT 2 OFFSET 1", [A, B], False),
        ("LIMIT 0", [], True),
    ],
)
def test_rows_in_an_order_that_is_allowed_agree(modifiers, rows, is_right):
    found = answers(f"SELECT ?x {{ ?x <urn:p> ?v }} {modifiers}", DATA)
    assert agrees(found, ["x"], rows) is is_right
    assert agrees(found, ["x"], found.rows_in_order)
    assert not agrees(found, ["y"], rows)


def test_rows_that_are_alike_may_take_each_others_place():
    found = answers("SELECT ?v { ?x <urn:p> ?v } ORDER BY ?x", DATA)
    one, two = (Literal(1),), (Literal(2),)
    assert agrees(found, ["v"], [one, one, two])
    assert not agrees(found, ["v"], [one, two, one])
    distinct = answers("SELECT DISTINCT ?v { ?x <urn:p> ?v } ORDER BY DESC(?x)", DATA)
    assert agrees(distinct, ["v"], [two, one])
    assert not agrees(distinct, ["v"], [one, two])


def test_forms_are_told_apart():
    found = answers("SELECT ?v { <urn:c> <urn:p> ?v }", DATA)
    assert difference(found, ["v"], [(Literal("02", datatype=Literal(2).datatype, normalize=False),)])


def test_blank_nodes_that_are_made_may_have_any_name():
    found = answers("SELECT (BNODE() AS ?n) { ?x <urn:p> ?v }", DATA)
    assert agrees(found, ["n"], [(BNode(),), (BNode(),), (BNode(),)])
    known = triples("[] :p 1 .")
    assert not agrees(answers("SELECT ?x { ?x <urn:p> ?v }", known), ["x"], [(BNode(),)])
    made = answers("CONSTRUCT { ?x <urn:n> [ <urn:v> ?v ] } { ?x <urn:p> ?v }", DATA)
    again = answers("CONSTRUCT { ?x <urn:n> [ <urn:v> ?v ] } { ?x <urn:p> ?v }", DATA)
    assert made.triples != again.triples
    assert agrees(made, [], again.triples)
    assert not agrees(made, [], DATA)


def test_a_row_that_is_there_twice_makes_no_difference_to_a_construct():
    template = "CONSTRUCT { [] <urn:n> ( ?v ) }"
    twice = answers(f"{template} {{ ?x <urn:p> ?v }}", DATA)
    once = answers(f"{template} {{ SELECT DISTINCT ?v {{ ?x <urn:p> ?v }} }}", DATA)
    assert len(twice.triples) > len(once.triples)
    assert agrees(twice, [], once.triples) and agrees(once, [], twice.triples)
    assert not agrees(answers(f"{template} {{ <urn:a> <urn:p> ?v }}", DATA), [], once.triples)


def test_an_ask_is_its_truth():
    assert agrees(answers("ASK {}", DATA), [], [()])
    assert not agrees(answers("ASK {}", DATA), [], [])
