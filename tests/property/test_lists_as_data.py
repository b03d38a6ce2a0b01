"""Lists, containers and reification that are data mean the same in an ontology, a background and a stream."""

from __future__ import annotations

from random import Random

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, URIRef

import pantarhei as pr
from counts import seeds
from pantarhei.owl.axiom_mapping import read_axioms
from strategies import EX

AXIOMS = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:steps a owl:ObjectProperty . :tail a owl:ObjectProperty , owl:TransitiveProperty .
:item a owl:ObjectProperty . :p a owl:ObjectProperty .
rdf:rest rdfs:subPropertyOf :tail . :item owl:propertyChainAxiom ( rdf:first ) , ( :tail rdf:first ) .
:first owl:propertyChainAxiom ( :steps rdf:first ) . :any owl:propertyChainAxiom ( :steps :item ) .
rdf:_1 rdfs:subPropertyOf :first . rdf:subject rdfs:range :Described .
rdf:value rdfs:subPropertyOf :measures .
:Recipe a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :any ; owl:allValuesFrom :Step ] .
"""
LIST_WORDS = (RDF.first, RDF.rest)
CELLS = [BNode(f"cell{i}") for i in range(4)] + [EX.cell]
NODES = [EX.a, EX.b, EX.recipe, BNode("x"), BNode("y")]
VALUES = [*NODES, Literal(1), Literal("mix"), Literal("mischen", lang="de")]
WORDS = [
    RDF.first,
    RDF.rest,
    EX.steps,
    EX.p,
    RDF.value,
    RDF._1,
    RDF._2,
    RDF.subject,
    RDF.predicate,
    RDF.object,
]
TYPES = [RDF.List, RDF.Seq, RDF.Bag, RDF.Alt, RDF.Statement, EX.Recipe, RDFS.Container]


def drawn(random: Random) -> set:
    """A few triples in which lists are nested, shared, cyclic, broken, named, and full of literals."""
    triples = set()
    for cell in random.sample(CELLS, random.randint(1, len(CELLS))):
        if random.random() < 0.9:
            triples.add((cell, RDF.first, random.choice([*VALUES, *CELLS])))
        rest = random.choice([RDF.nil, RDF.nil, RDF.nil, *CELLS, EX.a, Literal("end")])
        if random.random() < 0.9:
            triples.add((cell, RDF.rest, rest))
        if random.random() < 0.3:
            triples.add((cell, RDF.type, RDF.List))
    for _ in range(random.randint(1, 6)):
        subject = random.choice([*NODES, *CELLS])
        if random.random() < 0.3:
            triples.add((subject, RDF.type, random.choice(TYPES)))
        else:
            triples.add((subject, random.choice(WORDS), random.choice([*VALUES, *CELLS, RDF.nil])))
    return {t for t in triples if not (t[1] in (EX.steps, RDF.rest) and isinstance(t[2], Literal))}


def is_of_a_list(triple: tuple) -> bool:
    return triple[1] in LIST_WORDS or (triple[1] == RDF.type and triple[2] == RDF.List)


def said(triples: set, used: set) -> set:
    """The triples without the lists that nothing leads to, unless they have names: these say nothing.

    Args:
        used: what axioms are written with; a name that only they use is theirs.
    """
    reached = {t[0] for t in triples - used if is_of_a_list(t) and isinstance(t[0], URIRef)}
    reached |= {term for t in triples if not is_of_a_list(t) for term in (t[0], t[2])}
    while more := {t[2] for t in triples if is_of_a_list(t) and t[0] in reached} - reached:
        reached |= more
    return {t for t in triples if not is_of_a_list(t) or t[0] in reached}


def graph_of(triples: set) -> Graph:
    graph = Graph()
    for triple in triples:
        graph.add(triple)
    return graph


def facts(reasoner: pr.StreamReasoner) -> set:
    return set(reasoner.materialization())


SHARED = "[ a owl:Class ; owl:unionOf _:cell ] rdfs:subClassOf :Listed ."


def given(seed: int) -> tuple[set, set]:
    """Axioms and data; one axiom in three times is written with a list that may be data too."""
    random = Random(seed)
    axioms, data = set(Graph().parse(data=AXIOMS)), drawn(random)
    if random.random() < 0.3:
        axioms |= {(BNode("u"), OWL.unionOf, random.choice(CELLS)), (BNode("u"), RDFS.subClassOf, EX.Listed)}
    return axioms, data


@pytest.mark.parametrize("seed", seeds(100, 500, 20_000))
def test_lists_that_data_leads_to_are_data_whatever_else_they_are(seed):
    axioms, data = given(seed)
    reading = read_axioms(axioms | data)
    reading.check_invariants(axioms | data)
    assert said(data, reading.axiom_triples) <= reading.assertions


@pytest.mark.parametrize("seed", seeds(20, 150, 3_000))
def test_data_is_the_same_by_every_door(seed):
    axioms, data = given(seed)
    kept = said(data, read_axioms(axioms | data).axiom_triples)
    schema = pr.load_ontology(graph_of(axioms))
    together = pr.load_ontology(graph_of(axioms | data))
    as_ontology = pr.StreamReasoner(together, pr.Window(range=1), unique_names=False)
    as_background = pr.StreamReasoner(schema, pr.Window(range=1), background=list(kept), unique_names=False)
    as_stream = pr.StreamReasoner(schema, pr.Window(range=1), unique_names=False)
    as_stream.push(1, list(kept))
    if not any(predicate == OWL.unionOf for _, predicate, _ in axioms):  # its list is read in one door alone
        assert facts(as_ontology) == facts(as_background) == facts(as_stream)
    nothing = pr.load_ontology(Graph())
    site = pr.StreamReasoner(nothing, pr.Window(range=1), background=axioms | data, unique_names=False)
    assert kept <= facts(site) and kept <= facts(as_ontology)
