"""What no axiom uses goes where it belongs."""

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal

import random_ontologies as random
from counts import seeds
from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.axiom import PropertyKind
from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.owl.expression_mapping import NameKinds, TripleIndex
from pantarhei.owl.leftover import sort_remainder
from pantarhei.owl.report import AxiomOutcome
from strategies import EX

NODE = BNode("n")
KINDS = NameKinds({EX.p: PropertyKind.OBJECT, EX.note: PropertyKind.ANNOTATION}, frozenset())
DECLARED, SAID, NOTED = (EX.C, RDF.type, OWL.Class), (EX.a, EX.p, EX.b), (EX.a, EX.note, Literal("n"))
IDLE = [(NODE, RDF.type, OWL.Restriction), (NODE, OWL.onProperty, EX.p), (NODE, OWL.someValuesFrom, EX.C)]


def sorted_(triples, used=(), failed=()):
    return sort_remainder(TripleIndex(triples), KINDS, used, failed, frozenset((EX.C,)))


def test_each_triple_is_in_one_part():
    found = sorted_([DECLARED, SAID, NOTED, *IDLE])
    assert (found.declarations, found.assertions, found.annotations) == ({DECLARED}, {SAID}, {NOTED})
    (idle,) = found.leftovers
    assert set(idle.triples) == set(IDLE) and idle.is_idle


def test_what_was_used_is_nowhere_and_what_failed_is_left_with_its_reason():
    failed = (EX.C, RDFS.subClassOf, NODE)
    found = sorted_([SAID, failed], [SAID], [(failed, "no such node")])
    assert not found.assertions
    (left,) = found.leftovers
    assert (left.construct, left.triples, left.reason) == ("rdfs:subClassOf", (failed,), "no such node")
    assert not left.is_idle


def annotated(axiom, rename="copy"):
    """The triples of an axiom, and an annotation of it whose expressions have blank nodes of their own."""
    triples = list(random.graph([axiom]))
    (main, *others) = read_axioms(triples).main_triples
    assert not others

    def copied(term):
        return BNode(f"{rename}{term}") if isinstance(term, BNode) else term

    node = BNode("annotation")
    parts = [triple for triple in triples if triple != main and isinstance(triple[0], BNode)]
    copies = [(copied(s), p, copied(o)) for s, p, o in parts]
    about = zip((OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget), main, strict=True)
    annotation = [
        (node, RDF.type, OWL.Axiom),
        *((node, place, copied(term)) for place, term in about),
        (node, RDFS.comment, Literal("why")),
    ]
    return triples, [*annotation, *copies], main


@pytest.mark.parametrize("seed", seeds(30, 300, 1_000))
def test_an_annotation_belongs_to_its_axiom_whatever_blank_nodes_it_has(seed):
    axiom = random.Generator(seed).axiom()
    if axiom[0] == "DLSafeRule":
        pytest.skip("a rule is annotated at its node")
    triples, annotation, _ = annotated(axiom)
    reading = read_axioms([*triples, *annotation])
    assert reading.axioms == read_axioms(triples).axioms
    assert not reading.leftovers
    assert set(annotation) <= reading.annotations
    reading.check_invariants([*triples, *annotation])


@pytest.mark.parametrize("seed", seeds(30, 300, 1_000))
def test_an_annotation_without_its_axiom_is_kept_aside_and_no_loss(seed):
    axiom = random.Generator(seed).axiom()
    if axiom[0] == "DLSafeRule":
        pytest.skip("a rule is annotated at its node")
    if axiom[0] == "InverseObjectProperties" and axiom[2] == ("ObjectInverseOf", axiom[1]):
        pytest.skip("the triple of the inverse is equal to the triple of the axiom")
    _, annotation, main = annotated(axiom)
    declared = list(random.graph([]))
    reading = read_axioms([*declared, *annotation])
    assert not reading.axioms
    (leftover,) = reading.leftovers
    assert leftover.aside is not None
    assert leftover.aside[:1] == ((RDFS.comment,),) and leftover.aside.property == main[1]
    reading.check_invariants([*declared, *annotation])
    graph = Graph()
    for triple in (*declared, *annotation):
        graph.add(triple)
    ontology = load_ontology(graph, strict=True)
    assert not ontology.losses
    (entry,) = ontology.report().entries
    assert (entry.outcome, entry.axiom) == (AxiomOutcome.ASIDE, str(leftover))
    assert f"Annotation kept aside: {leftover}\n" in f"{ontology.report()}\n"


def test_an_annotation_that_is_kept_aside_has_the_label_of_its_subject():
    text = """
        @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :R2131 a owl:ObjectProperty ; rdfs:label "overlaps" . :p a owl:ObjectProperty .
        [] a owl:Axiom ; owl:annotatedSource :R2131 ; owl:annotatedProperty owl:propertyChainAxiom ;
            owl:annotatedTarget ( :p :p ) ; rdfs:comment "why" .
    """
    report = load_ontology(Graph().parse(data=text)).report()
    assert "Annotation kept aside: comment on the chain of 'overlaps'" in report.text().splitlines()
    many = "".join(
        f"[] a owl:Axiom ; owl:annotatedSource :C{n} ; owl:annotatedProperty rdfs:subClassOf ; "
        'owl:annotatedTarget :D ; rdfs:comment "why" . '
        for n in range(7)
    )
    lines = load_ontology(Graph().parse(data=text + many)).report().text().splitlines()
    assert sum(line.startswith("Annotation kept aside: ") for line in lines) == 5
    assert "… and 3 more annotations whose axioms are missing" in lines
