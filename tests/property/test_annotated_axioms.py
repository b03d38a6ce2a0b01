"""Annotated axioms whose annotation writes the axiom's expressions once more, in blank nodes of its own."""

from __future__ import annotations

from random import Random

import pytest
from rdflib import OWL, RDF, RDFS, XSD, BNode, Graph, Literal
from rdflib.collection import Collection
from rdflib.term import Node

import pantarhei as pr
from counts import seeds
from pantarhei.owl.report import AxiomOutcome
from strategies import EX

LISTS = (OWL.intersectionOf, OWL.unionOf, OWL.oneOf)
MAIN = (RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith, RDFS.domain, OWL.propertyChainAxiom)


def expression(random: Random, depth: int) -> tuple[object, ...]:
    """A random class expression or list as a value, to be written into a graph any number of times."""
    if depth == 0 or random.random() < 0.2:
        return ("name", EX[random.choice("ABCD")])
    kind = random.choice(["list", "some", "all", "value", "not", "facet"])
    if kind == "list":
        return (
            kind,
            random.choice(LISTS[:2]),
            [expression(random, depth - 1) for _ in range(random.randint(2, 4))],
        )
    if kind in ("some", "all"):
        return (kind, EX[random.choice("pq")], expression(random, depth - 1))
    if kind == "value":
        return (kind, EX.p, random.choice([EX.a, Literal(3), Literal("x", lang="en")]))
    return (kind, expression(random, depth - 1)) if kind == "not" else (kind, random.randint(0, 2))


def written(graph: Graph, said: tuple[object, ...], random: Random) -> Node:
    """Write an expression; the order of operands and what its kind implies differ from copy to copy."""
    if said[0] == "name":
        return said[1]  # type: ignore[return-value]
    node = BNode()
    if said[0] != "facet" and random.random() < 0.7:
        graph.add((node, RDF.type, OWL.Class if said[0] in ("list", "not") else OWL.Restriction))
    if said[0] == "list":
        members = [written(graph, each, random) for each in said[2]]  # type: ignore[attr-defined]
        random.shuffle(members)
        graph.add((node, said[1], Collection(graph, BNode(), members).uri))  # type: ignore[arg-type]
    elif said[0] == "not":
        graph.add((node, OWL.complementOf, written(graph, said[1], random)))  # type: ignore[arg-type]
    elif said[0] == "facet":
        facet = BNode()
        graph.add((facet, XSD.minInclusive, Literal(said[1])))
        inner = BNode()
        graph.add((inner, RDF.type, RDFS.Datatype))
        graph.add((inner, OWL.onDatatype, XSD.integer))
        graph.add((inner, OWL.withRestrictions, Collection(graph, BNode(), [facet]).uri))
        graph.add((node, RDF.type, OWL.Restriction))
        graph.add((node, OWL.onProperty, EX.v))
        graph.add((node, OWL.someValuesFrom, inner))
    else:
        filler = {"some": OWL.someValuesFrom, "all": OWL.allValuesFrom, "value": OWL.hasValue}[str(said[0])]
        value = said[2] if said[0] == "value" else written(graph, said[2], random)  # type: ignore[arg-type]
        graph.add((node, OWL.onProperty, said[1]))  # type: ignore[arg-type]
        graph.add((node, filler, value))  # type: ignore[arg-type]
    return node


def annotate(graph: Graph, source: Node, predicate: Node, target: Node) -> BNode:
    node = BNode()
    graph.add((node, RDF.type, OWL.Axiom))
    graph.add((node, OWL.annotatedSource, source))
    graph.add((node, OWL.annotatedProperty, predicate))
    graph.add((node, OWL.annotatedTarget, target))
    graph.add((node, RDFS.comment, Literal("why")))
    return node


@pytest.mark.parametrize("seed", seeds(50, 500, 20_000))
def test_annotations_of_alike_axioms_are_annotations(seed: int) -> None:
    random = Random(seed)
    graph = Graph()
    for name in "pq":
        graph.add((EX[name], RDF.type, OWL.ObjectProperty))
    graph.add((EX.v, RDF.type, OWL.DatatypeProperty))
    axioms = []
    for number in range(random.randint(1, 4)):
        predicate, target = random.choice(MAIN), expression(random, 3)
        source: tuple[object, ...] = ("name", EX[f"S{number}"])
        if predicate in MAIN[:3] and random.random() < 0.4:
            source = expression(random, 2)
        if predicate == OWL.propertyChainAxiom:
            chain = [random.choice((EX.p, EX.q)) for _ in range(random.randint(2, 3))]
            graph.add((EX[f"S{number}"], predicate, Collection(graph, BNode(), chain).uri))
            axioms.append((source, predicate, chain))
            continue
        graph.add((written(graph, source, random), predicate, written(graph, target, random)))
        axioms.append((source, predicate, target))
    plain = pr.load_ontology(graph)
    for source, predicate, target in axioms:
        if random.random() < 0.8:
            is_chain = isinstance(target, list)
            again = Collection(graph, BNode(), target).uri if is_chain else written(graph, target, random)
            node = annotate(graph, written(graph, source, random), predicate, again)
            if random.random() < 0.3:
                inner = BNode()
                graph.add((inner, RDF.type, OWL.Annotation))
                graph.add((inner, OWL.annotatedSource, node))
                graph.add((inner, OWL.annotatedProperty, RDFS.comment))
                graph.add((inner, OWL.annotatedTarget, Literal("why")))
                graph.add((inner, RDFS.label, Literal("deeper")))
    found = pr.load_ontology(graph)
    assert len(found.report().losses) == len(plain.report().losses)
    assert {str(rule) for rule in found.rules} == {str(rule) for rule in plain.rules}


@pytest.mark.parametrize("predicate", [RDFS.subClassOf, OWL.equivalentClass, OWL.propertyChainAxiom])
def test_annotations_of_other_axioms_are_kept_aside_by_name(predicate: Node) -> None:
    graph = Graph()
    for name in "pq":
        graph.add((EX[name], RDF.type, OWL.ObjectProperty))
    if predicate == OWL.propertyChainAxiom:  # whose order matters
        graph.add((EX.p, predicate, Collection(graph, BNode(), [EX.p, EX.q]).uri))
        annotate(graph, EX.p, predicate, Collection(graph, BNode(), [EX.q, EX.p]).uri)
    else:
        graph.add((EX.A, predicate, written(graph, ("some", EX.p, ("name", EX.B)), Random(1))))
        annotate(graph, EX.A, predicate, written(graph, ("some", EX.p, ("name", EX.C)), Random(1)))
    report = pr.load_ontology(graph).report()
    aside = [each for each in report.entries if each.outcome is AxiomOutcome.ASIDE]
    assert [each.construct for each in aside] == ["annotation of an axiom"]
    assert "annotation of an axiom" not in {each.construct for each in report.losses}


AXIOM = """[] a owl:Axiom ; owl:annotatedSource {} ; owl:annotatedProperty {} ; owl:annotatedTarget {} ;
  rdfs:comment 1 ."""
PREFIXES = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:p a owl:ObjectProperty . :q a owl:ObjectProperty . :d a owl:DatatypeProperty . :steps a owl:ObjectProperty .
:note a owl:AnnotationProperty . :a a owl:NamedIndividual .
"""
SOME = "[ owl:onProperty :p ; owl:someValuesFrom :B ]"


@pytest.mark.parametrize(
    ("source", "predicate", "target", "again"),
    [
        (":A", "owl:disjointWith", ":B", (":B", ":A")),
        (":A", "owl:disjointWith", SOME, (SOME, ":A")),
        (":p", "owl:inverseOf", ":q", (":q", ":p")),
        (":A", "owl:hasKey", "( :p :d )", (":A", "( :d :p )")),
        (":A", "owl:disjointUnionOf", "( :B :C )", (":A", "( :C :B )")),
        (":a", "a", SOME.replace("some", "all"), (":a", SOME.replace("some", "all"))),
        (":d", "rdfs:range", '[ a rdfs:Datatype ; owl:oneOf ( 1 "x" ) ]', (":d", '[ owl:oneOf ( "x" 1 ) ]')),
        ("[ owl:inverseOf :p ]", "rdfs:subPropertyOf", ":q", ("[ owl:inverseOf :p ]", ":q")),
        (":a", ":steps", "( :x ( :y 1 ) )", (":a", "( :x ( :y 1 ) )")),
        (":A", ":note", "( 1 2 )", (":A", "( 1 2 )")),
    ],
)
def test_each_kind_of_axiom_can_be_annotated_with_its_structure(
    source: str, predicate: str, target: str, again: tuple[str, str]
) -> None:
    axiom = f"{PREFIXES}{source} {predicate} {target} .\n"
    plain = pr.load_ontology(Graph().parse(data=axiom))
    verb = "rdf:type" if predicate == "a" else predicate
    annotated = pr.load_ontology(Graph().parse(data=axiom + AXIOM.format(again[0], verb, again[1])))
    assert len(annotated.losses) == len(plain.losses)
    assert len(annotated.background) == len(plain.background)
    assert {str(rule) for rule in annotated.rules} == {str(rule) for rule in plain.rules}


@pytest.mark.parametrize(
    ("target", "again"),
    [("( :x :y )", "( :y :x )"), ("( :x ( :y 1 ) )", "( :x :y 1 )"), ("[ :q :x ]", "[ :q :x ]")],
)
def test_lists_that_are_data_have_an_order_and_individuals_are_themselves(target: str, again: str) -> None:
    text = f"{PREFIXES}:a :steps {target} .\n{AXIOM.format(':a', ':steps', again)}"
    ontology = pr.load_ontology(Graph().parse(data=text))
    (aside,) = (each for each in ontology.report().entries if each.outcome is AxiomOutcome.ASIDE)
    assert str(aside) == "kept aside: comment on the steps of 'a'"
    assert not ontology.losses


def test_annotations_that_stand_on_an_axioms_own_node_are_annotations() -> None:
    text = f"""{PREFIXES}
    [] a owl:NegativePropertyAssertion ; owl:sourceIndividual :a ; owl:assertionProperty :p ;
       owl:targetIndividual :b ; rdfs:comment "c" ; :note ( 1 2 ) .
    [] a owl:AllDisjointClasses ; owl:members ( :A {SOME} ) ; rdfs:comment "c" ."""
    assert not pr.load_ontology(Graph().parse(data=text)).report().losses
