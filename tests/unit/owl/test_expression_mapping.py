"""Expressions read from triples, and what is no expression."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS, XSD, BNode, Graph, Literal, Namespace

from pantarhei.owl.axiom import PropertyKind
from pantarhei.owl.expression_mapping import (
    ExpressionReader,
    NameKinds,
    TripleIndex,
    UnreadableError,
    triple_key,
)
from strategies import EX as StrategiesEX

PREFIXES = (
    f"@prefix : <{StrategiesEX}> . @prefix owl: <{OWL}> . @prefix rdfs: <{RDFS}> . @prefix xsd: <{XSD}> . "
)
KINDS = NameKinds({StrategiesEX.d: PropertyKind.DATA}, frozenset((StrategiesEX.Size,)))


def reader(text):
    """(a reader, the node that `:x` leads to, all triples about blank nodes)."""
    graph = Graph().parse(data=f"{PREFIXES} :x :is {text} .", format="turtle")
    node = graph.value(StrategiesEX.x, StrategiesEX["is"])
    return (
        ExpressionReader(TripleIndex(list(graph)), KINDS),
        node,
        {t for t in graph if isinstance(t[0], BNode)},
    )


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        (":A", "A"),
        ("[ owl:unionOf (:A :B) ]", "ObjectUnionOf(A B)"),
        ("[ owl:intersectionOf (:A) ]", "A"),
        ("[ owl:onProperty :p ; owl:someValuesFrom :A ]", "ObjectSomeValuesFrom(p A)"),
        ("[ owl:onProperty :d ; owl:allValuesFrom :Size ]", "DataAllValuesFrom(d Size)"),
        ("[ owl:onProperty [ owl:inverseOf :p ] ; owl:hasSelf true ]", "ObjectHasSelf(ObjectInverseOf(p))"),
    ],
)
def test_what_is_read_is_used_to_the_last_triple(text, expression):
    read, node, triples = reader(text)
    assert str(read.class_expression(node)) == expression
    assert read.used == triples


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("'text'", "a class is expected"),
        (":Size", "datatype"),
        ("[ owl:unionOf (:A), (:B) ]", "2 values"),
        ("[ owl:onProperty :p ; owl:maxCardinality -1 ]", "nonnegative integer"),
        ("[ owl:onProperty :p ]", "no"),
    ],
)
def test_what_is_no_class_expression_says_why(text, reason):
    read, node, _ = reader(text)
    with pytest.raises(UnreadableError) as raised:
        read.class_expression(node)
    assert reason in raised.value.reason


def test_lists_and_expressions_that_run_in_circles_end():
    one, other = BNode(), BNode()
    cell = [(one, RDF.first, StrategiesEX.A), (one, RDF.rest, one)]
    with pytest.raises(UnreadableError, match="cyclic"):
        ExpressionReader(TripleIndex(cell), KINDS).sequence(one)
    loop = [(one, OWL.complementOf, other), (other, OWL.complementOf, one)]
    with pytest.raises(UnreadableError, match="contains itself"):
        ExpressionReader(TripleIndex(loop), KINDS).class_expression(one)


def test_literals_are_no_individuals_and_a_list_of_them_writes_a_data_range():
    read, node, _ = reader("[ owl:oneOf (1 2) ]")
    assert read.writes_data_range(node)
    with pytest.raises(UnreadableError):
        read.individual(Literal(1))


EX = Namespace("http://example.org/")
NODES = (EX.a, EX.b, BNode("a"), BNode("b"))
OBJECTS = (*NODES, Literal("a"), Literal("a", lang="en"), Literal("1"), Literal("1", datatype=XSD.integer))
TRIPLES = st.lists(
    st.tuples(st.sampled_from(NODES), st.sampled_from((RDF.type, EX.p, EX.q)), st.sampled_from(OBJECTS))
)


@given(TRIPLES, st.integers(0, 1000))
def test_triples_are_each_once_in_the_order_of_their_keys_whatever_order_they_come_in(triples, seed):
    shuffled = Random(seed).sample(triples, len(triples))
    expected = tuple(sorted(set(triples), key=triple_key))
    assert TripleIndex(triples).triples == expected
    assert TripleIndex(iter(shuffled)).triples == expected


@given(TRIPLES)
def test_look_ups_give_what_a_scan_gives(triples):
    index = TripleIndex(triples)
    assert set(index.terms) == {term for triple in triples for term in triple}
    assert set(index.predicates()) == {p for _, p, _ in triples}
    for node in NODES:
        assert list(index.about(node)) == [t for t in index.triples if t[0] == node]
        for predicate in (RDF.type, EX.p):
            found = [o for s, p, o in index.triples if (s, p) == (node, predicate)]
            assert index.objects(node, predicate) == found
    for term in OBJECTS:
        assert index.instances(term) == [s for s, p, o in index.triples if (p, o) == (RDF.type, term)]
    assert index.with_predicate(EX.p) == [t for t in index.triples if t[1] == EX.p]


def test_of_triples_that_differ_only_in_the_case_of_a_language_the_first_stays():
    first, second = ((EX.a, EX.p, Literal("x", lang=lang)) for lang in ("en", "EN"))
    assert [t[2].n3() for t in TripleIndex([first, second]).triples] == ['"x"@en']
    assert [t[2].n3() for t in TripleIndex([second, first]).triples] == ['"x"@EN']
