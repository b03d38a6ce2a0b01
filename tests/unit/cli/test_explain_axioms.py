"""`pantarhei explain` of axioms, and of facts without a stream: entailments and qualified denials."""

import json
from xml.etree import ElementTree

import pytest
from rdflib import RDFS, Graph, Namespace
from typer.testing import CliRunner

import pantarhei as pr
from pantarhei.cli.commands import app

E = Namespace("http://e/")
HEADER = """@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
ONTOLOGY = """
:Sub rdfs:subClassOf :Cat . :Cat rdfs:subClassOf :Animal . :Animal owl:disjointWith :Plant .
:Lone owl:equivalentClass :Single . :Odd rdfs:subClassOf :Cat , :Plant .
:feeds a owl:ObjectProperty ; rdfs:subPropertyOf :touches ; rdfs:domain :Cat ; rdfs:range :Cat .
:touches a owl:ObjectProperty , owl:SymmetricProperty , owl:TransitiveProperty .
:fedBy owl:inverseOf :feeds . :ownedBy a owl:ObjectProperty , owl:FunctionalProperty .
:uncle a owl:ObjectProperty ; owl:propertyChainAxiom ( :parent :brother ) . :parent a owl:ObjectProperty .
:brother a owl:ObjectProperty . :above a owl:ObjectProperty , owl:AsymmetricProperty .
:left owl:propertyDisjointWith :right . :left a owl:ObjectProperty . :right a owl:ObjectProperty .
:tom a :Sub ; :feeds :rex ; :ownedBy :ann , :anna . :rex owl:differentFrom :tom .
"""
LOST = ":Cat rdfs:subClassOf [ owl:onProperty :feeds ; owl:someValuesFrom :Cat ] .\n"
ENTAILED = [
    ":Sub rdfs:subClassOf :Animal",
    ":Lone owl:equivalentClass :Single",
    ":Cat owl:disjointWith :Plant",
    ":Sub rdfs:subClassOf [ a owl:Class ; owl:unionOf ( :Animal :Plant ) ]",
    "[ a owl:Class ; owl:intersectionOf ( :Cat :Plant ) ] rdfs:subClassOf owl:Nothing",
    ":Odd rdfs:subClassOf owl:Nothing",
    ":feeds rdfs:subPropertyOf :touches",
    ":feeds rdfs:domain :Animal",
    ":feeds rdfs:range :Animal",
    ":fedBy owl:inverseOf :feeds",
    ":touches a owl:SymmetricProperty",
    ":touches a owl:TransitiveProperty",
    ":ownedBy a owl:FunctionalProperty",
    ":above a owl:IrreflexiveProperty",
    ":left owl:propertyDisjointWith :right",
    ":uncle owl:propertyChainAxiom ( :parent :brother )",
    ":tom a :Animal",
    ":tom a [ owl:onProperty :feeds ; owl:someValuesFrom :Animal ]",
    ":rex :touches :tom",
    ":ann owl:sameAs :anna",
    ":tom owl:differentFrom :rex",
    "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :tom ; owl:assertionProperty :above ; "
    "owl:targetIndividual :tom",
]
DENIED = [
    ":Animal rdfs:subClassOf :Sub",
    ":Lone owl:equivalentClass :Cat",
    ":Cat owl:disjointWith :Single",
    ":touches rdfs:subPropertyOf :feeds",
    ":touches rdfs:domain :Cat",
    ":fedBy owl:inverseOf :touches",
    ":feeds a owl:SymmetricProperty",
    ":touches a owl:FunctionalProperty",
    ":uncle owl:propertyChainAxiom ( :brother :parent )",
    ":Animal rdfs:subClassOf [ owl:onProperty :feeds ; owl:allValuesFrom :Sub ]",
]


@pytest.fixture
def explain(tmp_path):
    def invoke(*arguments, ontology=ONTOLOGY, background=""):
        (tmp_path / "o.ttl").write_text(HEADER + ontology)
        given = ["explain", "--ontology", tmp_path / "o.ttl"]
        if background:
            (tmp_path / "b.ttl").write_text(HEADER + background)
            given += ["--background", tmp_path / "b.ttl"]
        return CliRunner().invoke(app, list(map(str, [*given, *arguments])))

    return invoke


@pytest.fixture
def stream(tmp_path):
    path = tmp_path / "s.nq"
    type_ = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    path.write_text(f"<http://e/kit> {type_} <http://e/Sub> <urn:t:1> .\n")
    return "--stream", path, "--range", "1"


def said(done):
    return " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize("statement", ENTAILED)
def test_what_the_ontology_entails_is_explained_without_a_stream(explain, statement):
    done = explain(statement)
    assert done.exit_code == 0, done.output
    ontology = pr.load_ontology(Graph().parse(data=HEADER + ONTOLOGY))
    given = Graph().parse(data=f"{HEADER}{statement} .")
    assert (
        ontology.entails(given)
        and done.stdout.splitlines()[0] == f"{ontology.explain(given)}".splitlines()[0]
    )
    why_not = explain("--why-not", statement)
    assert why_not.exit_code == 1 and "nothing is missing" in why_not.stderr


@pytest.mark.parametrize(
    "statement", [each for each in ENTAILED if each not in (":rex :touches :tom", ":tom a :Animal")]
)
def test_axioms_are_explained_beside_a_stream_too(explain, stream, statement):
    consistent = ONTOLOGY.replace(" :ownedBy :ann , :anna", " :ownedBy :ann") + ":ann owl:sameAs :anna ."
    assert explain(statement, *stream, ontology=consistent).exit_code == 0


@pytest.mark.parametrize("statement", DENIED)
@pytest.mark.parametrize("lost", [0, 1])
def test_a_denial_counts_the_losses(explain, stream, statement, lost):
    ontology = ONTOLOGY + LOST * lost
    for given in ((), stream[:2]):
        done = explain(statement, *given, ontology=ontology)
        assert done.exit_code == 1 and "does not hold" in done.stderr
        assert ("1 axiom of the ontology is lost" in done.stderr) == bool(lost)
        done = explain(statement, "--why-not", *given, ontology=ontology)
        assert done.exit_code == 0 and ("1 axiom of the ontology is lost" in done.stdout) == bool(lost)


@pytest.mark.parametrize(
    ("statement", "kind", "near"),
    [
        (":Sub rdfs:subClassOf :Anmal", "class Anmal", "Animal"),
        (":Subb rdfs:subClassOf :Animal", "class Subb", "Sub"),
        (
            ":Sub owl:disjointWith [ owl:onProperty :feds ; owl:hasValue :tom ]",
            "property feds",
            "feeds",
        ),
        (":feeds rdfs:subPropertyOf :touchs", "property touchs", "touches"),
        (":uncle owl:propertyChainAxiom ( :parent :broter )", "property broter", "brother"),
        (":tom a :Plnt", "class Plnt", "Plant"),
        (":tim a :Plant", "name tim", "tom"),
        (":tom :feds :rex", "property feds", "feeds"),
        (":tom owl:sameAs :rexx", "name rexx", "rex"),
        (":Sub rdfs:subclassOf :Plant", "property subclassOf", "subClassOf"),
    ],
)
def test_a_denial_names_what_is_misspelt(explain, statement, kind, near):
    done = explain(statement)
    assert done.exit_code == 1 and f"unknown {kind} (did you mean {near}" in done.stderr


def test_a_name_of_another_namespace_is_told_apart(explain):
    done = explain(":Sub rdfs:subClassOf <http://other/Animal>")
    assert "unknown class <http://other/Animal> (did you mean :Animal" in done.stderr.replace(
        "<http://e/Animal>", ":Animal"
    )


def test_the_window_denies_with_losses_and_unknown_names_too(explain, stream):
    done = explain(":kit a :Plant", *stream, ontology=ONTOLOGY.replace(", :anna", "") + LOST)
    assert done.exit_code == 1 and "1 axiom of the ontology is lost" in done.stderr
    assert "--why-not says what is missing" in done.stderr
    done = explain(":kitt a :Plnt", *stream, ontology=ONTOLOGY.replace(", :anna", ""))
    assert "unknown name kitt (did you mean kit?)" in done.stderr
    assert "unknown class Plnt (did you mean Plant" in done.stderr


def test_the_background_counts(explain):
    background = ":kit a :Sub ; rdfs:label 'the kitten' . :Cub rdfs:subClassOf :Cat ."
    done = explain(":kit a :Animal", background=background)
    assert done.exit_code == 0 and "because the kitten is a sub (always so)" in done.stdout
    assert explain(":Cub rdfs:subClassOf :Animal", background=background).exit_code == 0


def test_the_forms_of_an_entailment(explain, tmp_path):
    asked = (":Lone owl:equivalentClass :Single", "--format")
    found = json.loads(explain(*asked, "json").stdout)
    assert set(found) == {"text", "proofs"} and len(found["proofs"]) == 2
    assert explain(*asked, "dot").stdout.count("digraph") == 2
    assert len(Graph().parse(data=explain(*asked, "rdf").stdout, format="turtle"))
    done = explain(*asked, "svg")
    assert done.exit_code == 2 and "this has 2" in said(done)
    found = json.loads(explain(":Sub rdfs:subClassOf :Anmal", "--why-not", "--format", "json").stdout)
    assert found["lost"] == 0 and [each["nearest"] for each in found["unknown"]] == [["<http://e/Animal>"]]


@pytest.mark.parametrize(
    ("suffix", "begins"),
    [
        (".txt", "whatever is a sub is an animal:"),
        (".json", "{"),
        (".dot", "digraph"),
        (".gv", "digraph"),
        (".svg", "<svg"),
        (".SVG", "<svg"),
        (".html", "<!DOCTYPE html>"),
        (".ttl", "@prefix"),
    ],
)
def test_the_suffix_decides_what_is_written(explain, tmp_path, suffix, begins):
    file = tmp_path / f"why{suffix}"
    done = explain(":Sub rdfs:subClassOf :Animal", "-o", file)
    assert (done.exit_code, done.stdout) == (0, "") and file.read_text().startswith(begins)
    if begins == "<svg":
        assert ElementTree.parse(file).getroot().tag.endswith("svg")


@pytest.mark.parametrize("name", ["why.png", "why", "why.svg.gz"])
def test_a_suffix_that_cannot_be_written_is_refused(explain, tmp_path, name):
    done = explain(":Sub rdfs:subClassOf :Animal", "-o", tmp_path / name)
    assert done.exit_code == 2 and ".svg" in done.stderr and not (tmp_path / name).exists()
    assert explain(":Sub rdfs:subClassOf :Animal", "--format", "svg", "-o", tmp_path / name).exit_code == 0


def test_an_existing_output_is_kept_unless_it_may_be_replaced(explain, tmp_path):
    file = tmp_path / "why.txt"
    file.write_text("mine")
    done = explain(":Sub rdfs:subClassOf :Animal", "-o", file)
    assert done.exit_code == 2 and "--overwrite" in said(done) and file.read_text() == "mine"
    assert explain(":Sub rdfs:subClassOf :Animal", "-o", file, "--overwrite").exit_code == 0
    assert file.read_text().startswith("whatever")
    done = explain(":Sub rdfs:subClassOf :Animal", "-o", tmp_path / "none" / "why.txt")
    assert done.exit_code == 2 and "does not exist" in said(done)


@pytest.mark.parametrize(
    "option", [("--at", "1"), ("--all",), ("--rules", "r.lars"), ("--mapping", "m.yaml")]
)
def test_options_about_streams_take_one(explain, option):
    done = explain(":Sub rdfs:subClassOf :Animal", *option)
    assert done.exit_code == 2 and "--stream" in said(done)


def test_a_window_names_the_way_to_a_proof_of_an_axiom():
    ontology = pr.load_ontology(Graph().parse(data=HEADER + ONTOLOGY.replace(", :anna", "")))
    reasoner = pr.StreamReasoner(ontology, pr.Window(1))
    with pytest.raises(pr.NotEntailedError, match="the ontology entails it"):
        reasoner.explain((E.Sub, RDFS.subClassOf, E.Animal))
    absence = reasoner.why_not((E.Sub, RDFS.subClassOf, E.Animal))
    assert absence.entailed and "does not hold" not in str(absence)
    assert not reasoner.why_not((E.Animal, RDFS.subClassOf, E.Sub)).entailed
