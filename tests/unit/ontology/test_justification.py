"""Justifications of entailments: all minimal sets of axioms, by the definition and on worked examples."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS, Graph, Namespace

import pantarhei as pr
import random_ontologies as random
from counts import seeds
from justified import are_all
from pantarhei.errors import OptionError
from pantarhei.ontology.closure import AssertionClosure
from pantarhei.ontology.justification import FAILS, HOLDS, all_of, any_of
from pantarhei.owl.imports import DocumentSet

EX = Namespace("http://example.org/")
PREFIXES = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def loaded(text):
    return pr.load_ontology(Graph().parse(data=PREFIXES + text))


def texts(entailment):
    return [sorted(axiom.axiom for axiom in each) for each in entailment.justifications]


DIAMOND = """
:Pump rdfs:subClassOf :Motor , :Device . :Motor rdfs:subClassOf :Machine . :Device rdfs:subClassOf :Machine .
"""
OF_DIAMOND = [
    ["SubClassOf(Device Machine)", "SubClassOf(Pump Device)"],
    ["SubClassOf(Motor Machine)", "SubClassOf(Pump Motor)"],
]


def test_a_diamond_has_two_justifications_each_with_a_proof():
    found = loaded(DIAMOND).explain((EX.Pump, RDFS.subClassOf, EX.Machine), all=True)
    assert texts(found) == OF_DIAMOND
    assert found.complete
    for justification in found.justifications:
        (proof,) = justification.proofs
        assert set(proof.axioms) == set(justification)
        assert len(justification) == 2


def test_one_justification_is_given_unless_all_are_wanted():
    ontology = loaded(DIAMOND)
    found = ontology.explain((EX.Pump, RDFS.subClassOf, EX.Machine))
    assert (texts(found), found.complete) == (OF_DIAMOND[:1], False)
    only = ontology.explain((EX.Pump, RDFS.subClassOf, EX.Motor))
    assert (texts(only), only.complete) == ([["SubClassOf(Pump Motor)"]], True)


def test_the_first_proof_uses_a_smallest_justification():
    text = (
        DIAMOND
        + ":Motor rdfs:subClassOf :M1 . :M1 rdfs:subClassOf :Pumping . :Pump rdfs:subClassOf :Pumping ."
    )
    (proof,) = loaded(text).explain((EX.Pump, RDFS.subClassOf, EX.Pumping)).proofs
    assert [axiom.axiom for axiom in proof.axioms] == ["SubClassOf(Pump Pumping)"]


def test_rules_of_one_axiom_count_once_and_equal_rules_of_two_axioms_twice():
    ontology = loaded(":A owl:equivalentClass :B . :A rdfs:subClassOf :B . :B rdfs:subClassOf :C .")
    assert texts(ontology.explain((EX.A, RDFS.subClassOf, EX.C), all=True)) == [
        ["EquivalentClasses(A B)", "SubClassOf(B C)"],
        ["SubClassOf(A B)", "SubClassOf(B C)"],
    ]
    twice = loaded(":A owl:equivalentClass :B . :x a :A .").explain((EX.x, RDF.type, EX.B), all=True)
    assert texts(twice) == [["ClassAssertion(A x)", "EquivalentClasses(A B)"]]


def test_assertions_are_members_of_justifications():
    text = """:touches a owl:SymmetricProperty . :feeds rdfs:subPropertyOf :touches .
        :u a owl:DatatypeProperty . :a :feeds :b . :b :touches :a . :a :u 7 . :a owl:sameAs :c ."""
    ontology = loaded(text)
    assert texts(ontology.explain((EX.a, EX.touches, EX.b), all=True)) == [
        ["ObjectPropertyAssertion(feeds a b)", "SubObjectPropertyOf(feeds touches)"],
        ["ObjectPropertyAssertion(touches b a)", "SymmetricObjectProperty(touches)"],
    ]
    seven = random.literal("7")
    assert texts(ontology.explain((EX.c, EX.u, seven), all=True)) == [
        ["DataPropertyAssertion(u a " + seven.n3() + ")", "SameIndividual(a c)"]
    ]


def test_what_two_axioms_state_has_two_justifications():
    text = ":a a [ owl:intersectionOf ( :A :B ) ] , :A ."
    assert texts(loaded(text).explain((EX.a, RDF.type, EX.A), all=True)) == [
        ["ClassAssertion(A a)"],
        ["ClassAssertion(ObjectIntersectionOf(A B) a)"],
    ]


def test_an_unsatisfiable_name_is_justified_in_all_ways():
    text = """:U rdfs:subClassOf :A , :B . :A owl:disjointWith :B , :C . :B rdfs:subClassOf :C .
        :p rdfs:domain :U . :p a owl:ObjectProperty ."""
    ontology = loaded(text)
    assert len(ontology.explain(EX.U, all=True).justifications) == 2
    (first, _) = ontology.explain(EX.p, all=True).justifications
    assert [each.axiom for each in first][-1] == "ObjectPropertyDomain(p U)"


def test_the_definition_of_a_datatype_belongs_to_the_axioms_that_use_it():
    text = """:hot a rdfs:Datatype ; owl:equivalentClass :warm . :warm a rdfs:Datatype ; owl:equivalentClass
        [ a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 80 ] ) ] .
        :t a owl:DatatypeProperty . [ a owl:Restriction ; owl:onProperty :t ; owl:someValuesFrom :hot ]
        rdfs:subClassOf :Danger . :a :t 90 ."""
    (only,) = texts(loaded(text).explain((EX.a, RDF.type, EX.Danger), all=True))
    assert [each.partition("(")[0] for each in only] == [
        "DataPropertyAssertion",
        "DatatypeDefinition",
        "DatatypeDefinition",
        "SubClassOf",
    ]


def test_a_tautology_has_one_empty_justification():
    found = loaded(DIAMOND).explain((EX.Pump, RDFS.subClassOf, OWL.Thing), all=True)
    assert (texts(found), found.proofs, found.complete) == ([[]], (), True)


def test_rules_without_axioms_are_their_own_axioms():
    ontology = pr.Ontology.from_rules(loaded(DIAMOND).rules, [(EX.p, RDF.type, EX.Pump)])
    found = ontology.explain((EX.p, RDF.type, EX.Machine), all=True)
    assert [len(each) for each in found.justifications] == [3, 3]


def test_a_budget_that_is_too_small_leaves_the_justification_of_one_proof():
    ladder = "".join(
        f":A{i} rdfs:subClassOf :B{i} , :C{i} . :B{i} rdfs:subClassOf :A{i + 1} . "
        f":C{i} rdfs:subClassOf :A{i + 1} ."
        for i in range(12)
    )
    ontology = loaded(ladder)
    question = (EX.A0, RDFS.subClassOf, EX.A12)
    found = ontology.explain(question, all=True, budget=pr.Budget(sets=100))
    assert (len(found.justifications), found.complete) == (1, False)
    assert len(found.justifications[0]) == 24
    assert len(ontology.explain((EX.A0, RDFS.subClassOf, EX.A6), all=True).justifications) == 2**6


@pytest.mark.parametrize("option", [{"all": 1}, {"budget": 5}])
def test_options_of_other_types_are_refused(option):
    with pytest.raises(OptionError):
        loaded(DIAMOND).explain((EX.Pump, RDFS.subClassOf, EX.Machine), **option)


def test_positions_and_order_are_those_of_the_ontology(tmp_path):
    path = tmp_path / "diamond.nt"
    graph = Graph().parse(data=PREFIXES + DIAMOND + ":p a :Pump .")
    lines = sorted(graph.serialize(format="nt").splitlines())
    path.write_text("\n".join(lines) + "\n")
    found = pr.load_ontology(path).explain((EX.p, RDF.type, EX.Machine), all=True)
    for justification in found.justifications:
        assert {(each.source, lines[each.line - 1].split()[0]) for each in justification} == {
            (str(path), each.subject.n3()) for each in justification
        }


@pytest.mark.parametrize("classes", [2, 30])
def test_further_justifications_cost_no_pass_over_the_ontology(tmp_path, monkeypatch, classes):
    path = tmp_path / "many.ttl"
    types = "".join(f":z a :C{i} . :C{i} rdfs:subClassOf :Top . " for i in range(classes))
    path.write_text(PREFIXES + types + "".join(f":i{i} a :C0 ." for i in range(200)))
    ontology, passes, sizes = pr.load_ontology(path), [], []
    positions, begin = DocumentSet.positions, AssertionClosure.__init__

    def counted(self, triples):
        passes.append(self)
        return positions(self, triples)

    def measured(self, rules, facts, *others, **options):
        stated = list(facts)
        sizes.append(len(stated))
        begin(self, rules, stated, *others, **options)

    ontology.explain((EX.z, RDF.type, EX.Top))  # computes the closure of the ontology
    monkeypatch.setattr(DocumentSet, "positions", counted)
    monkeypatch.setattr(AssertionClosure, "__init__", measured)
    found = ontology.explain((EX.z, RDF.type, EX.Top), all=True)
    assert len(found.justifications) == classes
    assert len(passes) == 1
    assert sizes and max(sizes) == 1


def test_a_justification_lists_axioms_and_assertions_with_labels():
    text = f"""{DIAMOND} :Motor rdfs:label "electric motor" . :p :feeds :q . :feeds rdfs:domain :Motor .
        :r :feeds :p . :feeds rdfs:range :Pump ."""
    first, *_, last = loaded(text).explain((EX.p, RDF.type, EX.Machine), all=True).justifications
    assert str(first) == "'electric motor' SubClassOf Machine\nfeeds Domain 'electric motor'\np feeds q"
    assert (first.size_text, last.size_text) == ("2 axioms and 1 assertion", "3 axioms and 1 assertion")
    assert [each["manchester"] for each in first.to_json()["axioms"]] == str(first).split("\n")
    assert [each["text"] for each in first.to_json()["axioms"]][-1] == "ObjectPropertyAssertion(feeds p q)"


def test_justifications_pickle():
    found = loaded(DIAMOND).explain((EX.Pump, RDFS.subClassOf, EX.Machine), all=True)
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize("seed", seeds(12, 120))
def test_justifications_are_all_minimal_sets_of_axioms(seed):
    generator = random.Generator(seed, rules_only=True)
    axioms = [generator.axiom() for _ in range(4)] + [generator.assertion() for _ in range(2)]
    try:
        ontology = pr.load_ontology(random.graph(tuple(dict.fromkeys(axioms))))
    except pr.PantarheiError:
        pytest.skip("inconsistent")
    every = ontology._axiom_index.axioms
    for question in random.schema_questions():
        triples = random.triples([question])
        if not ontology.entails(triples):
            continue
        reading = ontology._read_statement(triples, None)

        def follows(numbers, reading=reading):
            from pantarhei.ontology.entailment import entails_reading

            closure = ontology._closure_of_axioms([every[number] for number in numbers])
            return bool(entails_reading(closure, reading))

        found = ontology.explain(triples, all=True)
        sets = [frozenset(every.index(axiom) for axiom in each) for each in found.justifications]
        assert are_all(sets, range(len(every)), follows), question


verdicts = st.frozensets(st.frozensets(st.integers(0, 5), max_size=3), max_size=4).map(
    lambda sets: any_of([frozenset([each]) for each in sets])
)


def satisfied(verdict, axioms):
    return any(one <= axioms for one in verdict)


@given(st.lists(verdicts, max_size=4), st.frozensets(st.integers(0, 5)))
def test_verdicts_are_those_of_the_connectives(members, axioms):
    each = [satisfied(member, axioms) for member in members]
    assert satisfied(any_of(members), axioms) is any(each)
    assert satisfied(all_of(members), axioms) is all(each)
    for verdict in (any_of(members), all_of(members)):
        assert not any(a < b for a in verdict for b in verdict)


def test_verdicts_without_members_fail_and_hold():
    assert (any_of([]), all_of([])) == (FAILS, HOLDS)
