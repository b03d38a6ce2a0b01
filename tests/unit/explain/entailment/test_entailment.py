"""Why an ontology entails something: proofs from what is supposed."""

import pickle

import pytest
from rdflib import OWL, RDF, RDFS, Graph, Literal, Namespace, URIRef

import pantarhei as pr

EX = Namespace("http://example.org/")
PLANT = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Smoke rdfs:subClassOf :Danger . :Danger rdfs:subClassOf :Alarm . :Alarm owl:disjointWith :Safe .
:Odd rdfs:subClassOf :Smoke , :Safe .
:feeds a owl:ObjectProperty ; rdfs:subPropertyOf :touches ; rdfs:domain :Pump .
:touches a owl:ObjectProperty , owl:SymmetricProperty .
:Lone owl:equivalentClass :Single .
:p1 a :Pump . :p1 :feeds :p2 .
"""


@pytest.fixture(scope="module")
def ontology():
    return pr.load_ontology(Graph().parse(data=PLANT))


def kinds(proof):
    return [step.kind.value for step in proof.steps]


def test_an_entailed_inclusion_is_proved_of_something_that_is_supposed(ontology):
    entailment = ontology.explain((EX.Smoke, RDFS.subClassOf, EX.Alarm))
    (proof,) = entailment.proofs
    assert kinds(proof) == ["supposed", "derived", "derived"]
    assert [step.rule and step.rule.axiom for step in proof.steps] == [
        None,
        "SubClassOf(Smoke Danger)",
        "SubClassOf(Danger Alarm)",
    ]
    assert [str(axiom) for axiom in entailment.axioms] == [
        "SubClassOf(Smoke Danger)",
        "SubClassOf(Danger Alarm)",
    ]
    assert "supposed" in str(entailment) and str(entailment).startswith(
        "whatever is a smoke is an alarm:\nsomething is an alarm"
    )


def test_an_equivalence_has_a_proof_in_each_direction(ontology):
    entailment = ontology.explain([(EX.Lone, OWL.equivalentClass, EX.Single)])
    assert [kinds(proof) for proof in entailment.proofs] == [["supposed", "derived"]] * 2


def test_a_class_that_can_have_no_instance_is_explained_by_name_and_by_axiom(ontology):
    by_name = ontology.explain(EX.Odd)
    by_axiom = ontology.explain((EX.Odd, RDFS.subClassOf, OWL.Nothing))
    for entailment in (by_name, by_axiom):
        (proof,) = entailment.proofs
        assert proof.triple is None and kinds(proof)[-1] == "contradiction"
        assert "DisjointClasses(Alarm Safe)" in {str(axiom) for axiom in entailment.axioms}


def test_assertions_and_properties_are_explained_too(ontology):
    (fact,) = ontology.explain((EX.p2, EX.touches, EX.p1)).proofs
    assert kinds(fact) == ["background", "derived", "derived"]
    (domain,) = ontology.explain((EX.feeds, RDFS.domain, EX.Pump)).proofs
    assert kinds(domain) == ["supposed", "derived"]
    disjoint = ontology.explain((EX.Smoke, OWL.disjointWith, EX.Safe))
    assert disjoint.proofs[0].triple is None


def test_an_annotation_is_no_axiom_and_no_way_to_ask_for_one_is_advised(ontology):
    with pytest.raises(pr.InputError, match="none is part of an axiom") as caught:
        ontology.explain((EX.Smoke, RDFS.comment, Literal("it bites")))
    assert "annotations=True" not in str(caught.value)


def test_what_holds_by_itself_needs_no_axiom(ontology):
    entailment = ontology.explain((EX.Smoke, RDFS.subClassOf, EX.Smoke))
    assert entailment.axioms == () and pickle.loads(pickle.dumps(entailment)) == entailment


@pytest.mark.parametrize(
    "axiom", [(EX.Alarm, RDFS.subClassOf, EX.Smoke), (EX.p1, RDF.type, EX.Smoke), EX.Smoke, EX.Nowhere]
)
def test_what_is_not_entailed_is_refused(ontology, axiom):
    with pytest.raises(pr.NotEntailedError) as raised:
        ontology.explain(axiom)
    assert "does not hold" in str(raised.value) and "why_not" not in str(raised.value)


def test_entailed_means_the_same_with_and_without_an_explanation(ontology):
    classes = [EX.Smoke, EX.Danger, EX.Alarm, EX.Safe, EX.Odd, EX.Lone, EX.Single]
    for one in classes:
        for other in classes:
            for relation in (RDFS.subClassOf, OWL.disjointWith):
                axiom = (one, relation, other)
                try:
                    found = bool(ontology.explain(axiom))
                except pr.NotEntailedError:
                    found = False
                assert found == ontology.entails([axiom])


@pytest.mark.parametrize("given", [None, 5])
def test_what_is_no_axiom_at_all_is_refused(given):
    with pytest.raises(pr.OptionError, match="a triple, triples, a graph, or a name"):
        pr.load_ontology(Graph()).explain(given)


def test_of_a_class_that_may_have_instances_that_is_said():
    with pytest.raises(pr.NotEntailedError) as raised:
        pr.load_ontology(Graph()).explain(URIRef("urn:C"))
    assert str(raised.value).startswith("that <urn:C> can have no instance does not hold: nothing")
