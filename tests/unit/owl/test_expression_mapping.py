"""Expressions read from triples, and what is no expression."""

import pytest
from rdflib import OWL, RDF, RDFS, XSD, BNode, Graph, Literal

from pantarhei.owl.axiom import PropertyKind
from pantarhei.owl.expression_mapping import ExpressionReader, NameKinds, UnreadableError
from pantarhei.owl.triple_index import TripleIndex
from strategies import EX

PREFIXES = f"@prefix : <{EX}> . @prefix owl: <{OWL}> . @prefix rdfs: <{RDFS}> . @prefix xsd: <{XSD}> . "
KINDS = NameKinds({EX.d: PropertyKind.DATA}, frozenset((EX.Size,)))


def reader(text):
    """(a reader, the node that `:x` leads to, all triples about blank nodes)."""
    graph = Graph().parse(data=f"{PREFIXES} :x :is {text} .", format="turtle")
    node = graph.value(EX.x, EX["is"])
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
        ("[ owl:onProperty :p ; owl:maxCardinality -1 ]", "not below zero"),
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
    cell = [(one, RDF.first, EX.A), (one, RDF.rest, one)]
    with pytest.raises(UnreadableError, match="circle"):
        ExpressionReader(TripleIndex(cell), KINDS).sequence(one)
    loop = [(one, OWL.complementOf, other), (other, OWL.complementOf, one)]
    with pytest.raises(UnreadableError, match="contains itself"):
        ExpressionReader(TripleIndex(loop), KINDS).class_expression(one)


def test_literals_are_no_individuals_and_a_list_of_them_writes_a_data_range():
    read, node, _ = reader("[ owl:oneOf (1 2) ]")
    assert read.writes_data_range(node)
    with pytest.raises(UnreadableError):
        read.individual(Literal(1))
