"""Ontologies: parts, strictness, contradictions, pickling."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, URIRef, Variable

from pantarhei import StreamReasoner, Window
from pantarhei.encoding.numbers import Symbol
from pantarhei.errors import InconsistentOntologyError, InvalidTripleError, UnsupportedAxiomError
from pantarhei.model.rule import Atom, Origin, Rule
from pantarhei.ontology.ontology import Ontology, load_ontology
from pantarhei.owl.document import read_document
from pantarhei.rules.translation.demand import Theory

PREFIXES = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
X = Variable("x")
A, B, I = (URIRef("http://example.org/" + name) for name in "ABi")  # noqa: E741


def graph(text):
    return Graph().parse(data=PREFIXES + text, format="turtle")


def test_rules_constraints_and_background_come_out_of_a_graph():
    ontology = load_ontology(graph(":A rdfs:subClassOf :B . :A owl:disjointWith :C . :i a :A ; :p 1 ."))
    assert ontology.rules == (
        Rule("cax-sco", (Atom(A, (X,)),), Atom(B, (X,)), (), Origin("SubClassOf(A B)")),
    )
    assert [constraint.name for constraint in ontology.constraints] == ["cax-dw"]
    assert (I, RDF.type, A) in ontology.background
    assert len(ontology.background) == 2


def test_the_graph_is_a_copy_of_what_was_read():
    given = graph(":A rdfs:subClassOf :B .")
    ontology = load_ontology(given)
    assert set(ontology.graph) == set(given)
    ontology.graph.add((I, RDF.type, A))
    assert len(given) == 1


def test_an_ontology_pickles():
    ontology = load_ontology(graph(":A rdfs:subClassOf :B . :i a :A ; :p [ :q 1 ] ."))
    assert len(ontology.graph) == 4
    again = pickle.loads(pickle.dumps(ontology))
    assert again == ontology
    assert str(again.report()) == str(ontology.report())
    assert len(again.graph) == 4


def test_loading_twice_gives_the_same_rules_in_the_same_order():
    text = ":A owl:equivalentClass [ owl:unionOf (:B :C :D) ] . :p a owl:TransitiveProperty ; rdfs:range :A ."
    assert load_ontology(graph(text)).rules == load_ontology(graph(text)).rules


def test_an_empty_ontology_loads():
    ontology = load_ontology(Graph())
    assert ontology.rules == ontology.constraints == ()
    assert str(ontology.report()) == "no axioms"


def test_strict_loading_names_every_loss():
    lossy = graph(":A owl:hasKey () . :A rdfs:subClassOf [ owl:unionOf (:C :D) ] , :B .")
    with pytest.raises(UnsupportedAxiomError) as caught:
        load_ontology(lossy, strict=True)
    assert len(caught.value.axioms) == 2
    assert "HasKey" in str(caught.value)
    assert len(load_ontology(lossy).rules) == 1


def test_strict_loading_counts_unread_triples_as_losses():
    with pytest.raises(UnsupportedAxiomError, match="rubbish"):
        load_ontology(graph(":A owl:rubbish :B ."), strict=True)


def test_strict_loading_of_what_is_supported_succeeds():
    assert load_ontology(graph(":A rdfs:subClassOf :B ; rdfs:label 'a' ."), strict=True).rules


@pytest.mark.parametrize(
    "text",
    [
        ":i a owl:Nothing .",
        ":i a [ owl:complementOf owl:Thing ] .",
        ":i owl:differentFrom :i .",
        "owl:Thing rdfs:subClassOf owl:Nothing .",
    ],
)
def test_what_contradicts_itself_is_refused(text):
    with pytest.raises(InconsistentOntologyError):
        load_ontology(graph(text))


TWO_PLACES = ":isIn a owl:ObjectProperty, owl:FunctionalProperty . :cart :isIn :hall , :lobby . "


def test_the_report_warns_of_contradictions_that_only_unique_names_make():
    ontology = load_ontology(graph(TWO_PLACES))
    (found,) = ontology.report().contradictions
    with pytest.raises(InconsistentOntologyError) as refused:
        StreamReasoner(ontology, Window(1))
    (contradiction,) = refused.value.contradictions
    assert (found.text, found.unique_names) == (str(contradiction), True)
    assert found.proof == tuple(contradiction.proof.lines())
    StreamReasoner(ontology, Window(1), unique_names=False)


def test_the_report_of_what_a_reasoner_takes_warns_of_nothing():
    one_place = TWO_PLACES + ":hall owl:sameAs :lobby ."
    assert load_ontology(graph(one_place)).report().contradictions == ()


def test_rules_can_be_given_directly():
    rule = Rule("cax-sco", (Atom(A, (X,)),), Atom(B, (X,)))
    constraint = Rule("cls-nothing2", (Atom(B, (X,)),), None)
    ontology = Ontology.from_rules([rule, constraint, rule], [(BNode("n"), URIRef("urn:x/p"), Literal(1))])
    assert ontology.rules == (rule,)
    assert ontology.constraints == (constraint,)
    assert len(ontology.background) == 1


def test_a_background_that_is_no_triple_is_refused():
    with pytest.raises(InvalidTripleError):
        Ontology.from_rules([], [(Literal("x"), RDF.type, A)])  # type: ignore[list-item]


def test_membership_in_everything_is_no_fact():
    assert load_ontology(graph(":i a owl:Thing, owl:NamedIndividual .")).background == frozenset()


def test_importing_the_package_does_not_load_owlready2():
    program = "import sys, pantarhei.ontology.ontology; assert 'owlready2' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


ALIKE = """
@prefix room: <http://example.org/room#> . @prefix saref: <https://saref.etsi.org/core/> .
room:Sensor rdfs:subClassOf saref:Sensor . saref:Sensor owl:disjointWith room:Wall .
room:Odd rdfs:subClassOf room:Sensor , room:Wall ; rdfs:seeAlso <http://example.org/other/Odd> .
room:Wall owl:unionOf ( saref:Sensor room:Odd ) .
"""


def test_names_with_one_last_part_are_told_apart_in_all_that_is_said_of_an_ontology():
    ontology = load_ontology(graph(ALIKE))
    assert {rule.axiom for rule in ontology.rules} >= {"SubClassOf(room:Sensor saref:Sensor)"}
    text = ontology.report().text(details=True)
    assert "rules: room:Sensor SubClassOf saref:Sensor\n    saref:Sensor(?x) :- room:Sensor(?x)." in text
    assert "x is in class saref:Sensor (from " in text
    assert "(saref:Sensor or Odd) on the right is a choice" in text
    assert " Sensor" not in text
    assert "(Sensor" not in text


LOST = """
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Deep rdfs:label "deep pump" ; rdfs:subClassOf
    [ owl:onProperty :feeds ; owl:someValuesFrom :Big ] , [ owl:onProperty :feeds ; owl:minCardinality 3 ] ,
    [ owl:unionOf ( :Big :B ) ] , [ owl:onProperty :feeds ; owl:maxCardinality 4 ] ,
    [ owl:onProperties ( :weight :size ) ; owl:someValuesFrom xsd:integer ] .
:Big rdfs:label "big pump" ; owl:equivalentClass [ owl:onProperty :feeds ; owl:cardinality 5 ] .
[ owl:complementOf :Big ] rdfs:subClassOf :Deep .
[ owl:onProperty :feeds ; owl:allValuesFrom :Big ] rdfs:subClassOf :Deep .
:feeds rdfs:label "feeds into" ; a owl:ObjectProperty . :weight a owl:DatatypeProperty .
"""


def test_reasons_of_losses_are_in_manchester_syntax_with_labels():
    ontology = load_ontology(graph(LOST))
    constructor = re.compile(r"\b(Object|Data)\w+\(")
    reasons = " ".join(reason for each in ontology.losses for reason in each.reasons)
    assert set(constructor.findall(reasons)) == {"Object", "Data"}
    report = ontology.report()
    for text in (str(report), report.text(details=True)):
        assert not constructor.search(text) and "(… some …) on the right requires" in text
    assert "('feeds into' some 'big pump') on the right requires individuals without a name" in text
    assert "('feeds into' only 'big pump') on the left" in text
    with pytest.raises(UnsupportedAxiomError) as raised:
        load_ontology(graph(LOST), strict=True)
    assert not constructor.search(str(raised.value))
    assert "('big pump' or B) on the right is a choice" in str(raised.value)


def test_reprs_are_one_line():
    ontology = load_ontology(graph(ALIKE))
    assert repr(ontology) == "Ontology(4 rules, 1 constraint, 0 assertions)"
    assert repr(ontology.report()) == "Report(5 axioms, 1 of them lost in whole or in part)"
    assert repr(ontology.inconsistency_normal_form()) == (
        "InconsistencyNormalForm(1 constraint, none of them recursive)"
    )
    assert repr(ontology.schema) == (
        "Schema(1 class, 0 object properties, 0 data properties, 3 without an instance)"
    )


# --- Where rules come from ---

SAYS = """
:A rdfs:subClassOf :B . :B owl:disjointWith :C . :p rdfs:range :T . :i a :A .
:T a rdfs:Datatype ; owl:equivalentClass [ a rdfs:Datatype ; owl:oneOf ( 1 2 ) ] .
[] a owl:AllDisjointClasses ; owl:members ( :C :D :E ) .
[] a swrl:Imp ; swrl:body ( [ a swrl:ClassAtom ; swrl:classPredicate :D ; swrl:argument1 <urn:swrl#x> ] ) ;
  swrl:head ( [ a swrl:ClassAtom ; swrl:classPredicate :E ; swrl:argument1 <urn:swrl#x> ] ) .
"""
SWRL = "@prefix swrl: <http://www.w3.org/2003/11/swrl#> ."
SUBJECTS = {
    "SubClassOf(A B)": A,
    "DisjointClasses(B C)": B,
    "DataPropertyRange(p T)": URIRef("http://example.org/p"),
    "DisjointClasses(C D E)": None,
    "DLSafeRule(Body(ClassAtom(D Variable(x))) Head(ClassAtom(E Variable(x))))": None,
}


def serialized(folder, suffix, format):
    path = folder / f"plant{suffix}"
    graph(SWRL + SAYS).serialize(path, format=format, encoding="utf-8")
    return path


def origins(ontology):
    return {rule.origin.axiom: rule.origin for rule in (*ontology.rules, *ontology.constraints)}


@pytest.mark.parametrize(
    ("suffix", "format"), [(".ttl", "turtle"), (".rdf", "xml"), (".jsonld", "json-ld"), (".trig", "turtle")]
)
def test_a_rule_leads_to_file_and_subject(tmp_path, suffix, format):
    path = serialized(tmp_path, suffix, format)
    found = origins(load_ontology(path))
    assert {axiom: origin.subject for axiom, origin in found.items()} == SUBJECTS
    assert {(origin.source, origin.line) for origin in found.values()} == {(str(path), None)}


@pytest.mark.parametrize(("suffix", "format"), [(".nt", "nt"), (".nq", "nt")])
def test_a_rule_leads_to_the_line_of_its_main_triple(tmp_path, suffix, format):
    path = serialized(tmp_path, suffix, format)
    lines = ["# a comment", "", *path.read_text("utf-8").splitlines()]
    path.write_text("\n".join([*lines, *lines]), "utf-8")  # what is said twice stands where it is said first
    found = origins(load_ontology(str(path)))
    assert {axiom: origin.subject for axiom, origin in found.items()} == SUBJECTS
    assert {origin.source for origin in found.values()} == {str(path)}
    marks = [
        "A> <http://www.w3.org/2000/01/rdf-schema#subClassOf",
        "disjointWith",
        "#range>",
        "AllDisj",
        "#Imp>",
    ]
    expected = [next(i for i, line in enumerate(lines, 1) if mark in line) for mark in marks]
    assert [found[axiom].line for axiom in SUBJECTS] == expected


def test_what_is_read_from_an_object_has_no_file():
    found = origins(load_ontology(graph(SWRL + SAYS)))
    assert {axiom: origin.subject for axiom, origin in found.items()} == SUBJECTS
    assert {(origin.source, origin.line) for origin in found.values()} == {(None, None)}


def test_the_report_tells_where_each_axiom_is_written_and_each_leftover(tmp_path):
    ttl, path = tmp_path / "a.ttl", tmp_path / "a.nt"
    ttl.write_text(
        f"{PREFIXES} :A rdfs:subClassOf [] . :T a rdfs:Datatype ; owl:equivalentClass :U .", "utf-8"
    )
    Graph().parse(ttl).serialize(path, format="nt", encoding="utf-8")
    entries = json.loads(load_ontology(path).report().to_json())["axioms"]
    lines = path.read_text("utf-8").splitlines()
    assert [
        (entry["source"], lines[entry["line"] - 1].split()[1], entry["subject"]) for entry in entries
    ] == [
        (str(path), f"<{OWL.equivalentClass}>", "http://example.org/T"),
        (str(path), f"<{RDFS.subClassOf}>", "http://example.org/A"),
    ]
    assert [entry["outcome"] for entry in entries] == ["schema only", "not supported"]


def test_what_no_ontology_says_has_no_file(tmp_path):
    path = serialized(tmp_path, ".nt", "nt")
    demanded = Theory.of(load_ontology(path).rules, True).demanded([Symbol(OWL.Nothing, 1)], [])
    assert [(rule.axiom, rule.origin.source) for rule in demanded] == [
        ("the definition of owl:Nothing", None)
    ]


def test_conflicts_lead_to_the_file(tmp_path):
    path = serialized(tmp_path, ".nt", "nt")
    reasoner = StreamReasoner(load_ontology(path), Window(range=5))
    reasoner.push(1, graph(":x a :A ."))
    update = reasoner.push(2, graph(":x a :C ."))
    ((constraint,),) = [conflict.constraints for conflict in update.repair.conflicts]
    assert (constraint.origin.source, constraint.axiom) == (str(path), "DisjointClasses(B C)")


def test_the_steps_of_a_proof_lead_to_the_file(tmp_path):
    path = tmp_path / "a.ttl"
    path.write_text(f"{PREFIXES} :A rdfs:subClassOf :B , :C . :B owl:disjointWith :C .", "utf-8")
    proof = load_ontology(path).schema.unsatisfiable[A]
    assert len(proof.rules) == 3
    assert {rule.origin.source for rule in proof.rules} == {str(path)}


def test_fingerprints_and_equality_do_not_depend_on_where_a_file_lies(tmp_path):
    read = []
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        read.append(load_ontology(serialized(tmp_path / name, ".nt", "nt")))
    here, there = read
    assert (here.fingerprint, here.rules, here.constraints) == (
        there.fingerprint,
        there.rules,
        there.constraints,
    )
    assert {r.origin.source for r in here.rules} != {r.origin.source for r in there.rules}


def test_origins_pickle_with_their_ontology(tmp_path):
    ontology = load_ontology(serialized(tmp_path, ".nt", "nt"))
    again = pickle.loads(pickle.dumps(ontology))
    for rule, same in zip(ontology.rules, again.rules, strict=True):
        assert (same.origin.source, same.origin.line) == (rule.origin.source, rule.origin.line)
        assert same.origin.line is not None


# -- a background that says axioms -----------------------------------------------------------------

VENDOR = ":Probe rdfs:subClassOf :Sensor . :isIn a owl:FunctionalProperty ."
SITE = """
    :Own rdfs:subClassOf :Probe ; rdfs:label "own" . :p1 a :Own ; rdfs:label "one" ; :isIn :hall .
    [ a owl:AllDisjointClasses ; owl:members ( :Own :Room ) ] .
"""


def test_the_axioms_of_a_background_make_another_ontology_and_its_facts_stay_facts():
    vendor = load_ontology(graph(VENDOR))
    before, text = vendor.fingerprint, str(vendor.report())
    joined, facts = vendor.with_background(graph(SITE))
    assert joined.fingerprints.rules == load_ontology([graph(VENDOR), graph(SITE)]).fingerprints.rules
    assert {str(p).rpartition("#")[2] for _, p, _ in facts} == {"label", "type", "http://example.org/isIn"}
    assert len(facts) == 4 and not joined.background
    assert (vendor.fingerprint, str(vendor.report())) == (before, text)
    assert joined.with_background(facts)[0] is joined


def test_a_background_without_axioms_changes_nothing():
    vendor = load_ontology(graph(VENDOR))
    given = tuple(graph(":p1 a :Probe ; rdfs:label 'one' ."))
    assert vendor.with_background(given) == (vendor, given)
    assert vendor.with_background(None)[0] is vendor


def test_an_ontology_made_of_rules_takes_axioms_too():
    rules = Ontology.from_rules(
        [Rule("r", (Atom(B, (X,)),), Atom(URIRef(A + "z"), (X,)))], [(I, RDF.type, A)]
    )
    joined, facts = rules.with_background(graph(":A rdfs:subClassOf :B ."))
    assert [rule.name for rule in joined.rules] == ["r", "cax-sco"] and facts == ()
    assert joined.background == rules.background
    contradicting = graph(":A rdfs:subClassOf owl:Nothing .")
    with pytest.raises(InconsistentOntologyError):
        rules.with_background(contradicting)


def test_axioms_of_documents_name_their_file_and_imports_that_are_no_document_are_skipped(tmp_path):
    path = tmp_path / "site.ttl"
    path.write_text(
        PREFIXES + ":A rdfs:subClassOf :B . <urn:site> a owl:Ontology ; owl:imports <urn:v>, <urn:w> ."
    )
    vendor = load_ontology(graph("<urn:v> a owl:Ontology . :B rdfs:subClassOf :C ."))
    joined, _ = vendor.with_documents([read_document(path)])
    assert [rule.origin.source for rule in joined.rules] == [str(path), None]
    assert joined.report().documents == (str(path),) and joined.imports_skipped == ("urn:w",)


def test_what_an_axiom_of_the_background_loses_is_in_the_report():
    joined, _ = load_ontology(graph(VENDOR)).with_background(
        graph(":Own rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] .")
    )
    assert len(joined.losses) == 1


def test_shards_are_of_the_ontology_with_the_axioms_of_the_background():
    vendor, site = load_ontology(graph(VENDOR)), graph(SITE + ":next a owl:TransitiveProperty .")
    whole = load_ontology([graph(VENDOR), graph(":next a owl:TransitiveProperty ."), graph(SITE)])
    found, wanted = (
        [str(obstacle) for obstacle in report.obstacles["subject"]]
        for report in (vendor.sharding_report(background=site), whole.sharding_report())
    )
    assert found == wanted != []


def test_what_is_written_as_dl_does_not_have_it_has_its_effect_and_a_note():
    ontology = load_ontology(
        graph(
            ":Watched a owl:Restriction ; owl:onProperty :watchedBy ; owl:someValuesFrom :Guard . "
            "[] owl:sourceIndividual :i ; owl:assertionProperty :p ; owl:targetIndividual :j . "
            "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :j ; owl:assertionProperty :p ; "
            "owl:targetIndividual :i ."
        )
    )
    assert [str(rule) for rule in ontology.rules] == ["Watched(?x) :- watchedBy(?x, ?y), Guard(?y)."]
    assert len(ontology.constraints) == 2
    notes = dict(ontology.report().notes)
    assert list(notes) == [
        "EquivalentClasses(Watched ObjectSomeValuesFrom(watchedBy Guard))",
        "NegativeObjectPropertyAssertion(p i j)",
    ]
    assert all("read as" in reason for reason in notes.values())
    assert "Outside OWL 2 DL, without effect on the rules: 2" in str(ontology.report())


def test_labels_are_read_again_only_for_facts_with_labels():
    label, tank = "<http://www.w3.org/2000/01/rdf-schema#label>", URIRef("urn:tank")
    ontology = load_ontology(Graph().parse(data=f'<{tank}> {label} "tank" .'))
    assert ontology.labels_beside([(tank, RDF.value, tank)]) is ontology.labels
    valve = URIRef("urn:valve")
    found = ontology.labels_beside([(valve, RDFS.label, Literal("valve"))])
    assert found == {tank: "tank", valve: "valve"}
