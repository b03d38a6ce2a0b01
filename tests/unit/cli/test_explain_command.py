"""`pantarhei explain`: the time that is asked about, the triple, the forms, and what is wrong with them."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rdflib import PROV, RDF, RDFS, Graph, Namespace
from typer.testing import CliRunner

import pantarhei as pr
from pantarhei.cli.commands import app

ROOT = Path(__file__).parents[3]
PEDALS = ROOT / "ontologies" / "pedals.ttl"
STREAM = ROOT / "examples" / "pedals" / "stream.trig"


@pytest.fixture
def explain():
    def invoke(*arguments, stream=STREAM, **options):
        given = ("explain", "--ontology", PEDALS, "--stream", stream, "--range", "2", *arguments)
        return CliRunner().invoke(app, list(map(str, given)), **options)

    return invoke


def test_it_says_what_the_reasoner_does(explain):
    reasoner = pr.StreamReasoner(pr.load_ontology(PEDALS), pr.Window(2))
    for at, abox in pr.read_stream(STREAM):
        reasoner.push(at, abox)
    pedals = "http://example.org/pedals#"
    (asked,) = Graph().parse(data=f"<{pedals}alex> a <{pedals}HaltingDriver> .")
    done = explain(":alex a :HaltingDriver")
    assert (done.exit_code, done.stdout) == (0, f"{reasoner.explain(asked)}\n")
    assert explain(f"<{pedals}alex> <{RDF.type}> <{pedals}HaltingDriver> .").stdout == done.stdout


def test_what_temporal_rules_conclude_is_explained_too():
    reactor = ROOT / "ontologies" / "reactor.ttl", ROOT / "examples" / "reactor" / "shift.trig"
    given = ["explain", "--ontology", *reactor[:1], "--stream", *reactor[1:], "--range", "PT1M"]
    given += ["--slide", "PT30S", "--rules", ROOT / "examples" / "reactor" / "alarms.lars"]
    asked = [*given, "--at", "2026-03-02T14:07:00Z", ":vessel a :callOut"]
    done = CliRunner().invoke(app, list(map(str, asked)))
    assert done.exit_code == 0 and done.stdout.splitlines()[:3] == [
        "the vessel is a call out [1]",
        "├─ because always from 14:05:00 to 14:07:00: the vessel is overheating",
        "│  ├─ because the vessel is overheating (held from 14:05:00 to 14:06:30)",
    ]
    as_atom = [*asked[:-1], "callOut(:vessel)"]
    assert CliRunner().invoke(app, list(map(str, as_atom))).stdout == done.stdout
    done = CliRunner().invoke(app, list(map(str, [*asked, "--format", "json"])))
    assert json.loads(done.stdout)["steps"][-1]["kind"] == "concluded"
    done = CliRunner().invoke(app, list(map(str, [*given, ":vessel a :callOut"])))
    assert done.exit_code == 1 and "does not hold" in done.stderr


@pytest.mark.parametrize(
    ("at", "state", "holds"),
    [
        ("0", "Accelerating", True),
        ("2", "Accelerating", True),
        ("3", "Accelerating", False),
        ("3", "Slowing", True),
        ("6", "Slowing", True),
        ("7", "Slowing", False),
    ],
)
def test_it_is_asked_as_of_a_time(explain, at, state, holds):
    done = explain(f":x a :{state}", "--at", at)
    assert done.exit_code == (0 if holds else 1), done.output
    assert holds or f"does not hold at {at}" in done.stderr


def test_what_comes_out_of_order_counts(explain, tmp_path):
    late = tmp_path / "stream.nq"
    line = f"<urn:x> <{RDF.type}> <http://example.org/pedals#{{}}> <urn:{{}}> .\n"
    late.write_text(
        line.format("ClutchPressed", 1) + line.format("GasPedalPressed", 3) + line.format("BrakesPressed", 2)
    )
    asked = ("<urn:x> a :Stopping", "--at", 2)
    assert explain(*asked, "--allowed-lateness", 2, stream=late).exit_code == 0
    assert explain(*asked, stream=late).exit_code == 1


def test_the_forms(explain, tmp_path):
    asked = (":alex a :HaltingDriver", "--format")
    said = json.loads(explain(*asked, "json").stdout)
    assert said["text"] == "Alex is a halting driver"
    assert [one["complete"] for one in json.loads(explain(*asked, "json", "--all").stdout)] == [True]
    graph = Graph().parse(data=explain(*asked, "rdf").stdout, format="turtle")
    assert len(list(graph.subjects(RDF.type, PROV.Activity))) == 2
    assert explain(*asked, "dot").stdout.startswith("digraph proof {")
    file = tmp_path / "why.svg"
    assert explain(*asked, "svg", "-o", file).stdout == ""
    assert ElementTree.parse(file).getroot().tag.endswith("svg")


def test_all_explanations_are_numbered(explain, tmp_path):
    stream = tmp_path / "stream.nq"
    line = "<urn:{}> <http://example.org/pedals#drives> <urn:car> <urn:1> .\n"
    stream.write_text(line.format("a") + line.format("b"))
    lines = explain("<urn:car> a :Car", "--all", stream=stream).stdout.splitlines()
    assert [line for line in lines if line.startswith("Explanation")] == [
        "Explanation 1 of 2",
        "Explanation 2 of 2",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["x a :Slowing"], "is not a triple in Turtle"),
        ([":x a"], "expected a subject, a predicate and an object, such as ':alex a :Driver'"),
        (["who:x a :Slowing"], "the prefixes are :, owl:, rdf:, rdfs:, xsd:"),
        (["<x> a :Slowing"], "is not a triple in Turtle"),
        ([":x a rdfs1:Class"], "The prefix rdfs1: has not been declared"),
        ([":x a rdfs1:Class"], "(did you mean rdfs?)"),
        ([":x a :Slowing, :Stopping"], "has 2 triples; give one"),
        ([""], "is not a triple in Turtle"),
        (["[] a :Slowing"], "a blank node"),
        ([":x a :Slowing", "--at", "soon"], "--at"),
        ([":x a :Slowing", "--limit", "0"], "--limit"),
        (
            [":x a :Slowing", "--all", "--format", "svg"],
            "shows one explanation; write all of them in another format",
        ),
        ([":x a :Slowing", "--on-limit", "drop"], "needs a limit"),
    ],
)
def test_wrong_usage_is_told(explain, arguments, said):
    done = explain(*arguments)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())


def test_a_time_of_another_kind_is_told(explain):
    done = explain(":x a :Slowing", "--at", "2026-01-01T00:00:00Z")
    assert done.exit_code == 1
    assert "expected an integer like the stream's other timestamps" in done.stderr


def test_prefixes_of_the_background_do(explain, tmp_path):
    background = tmp_path / "background.ttl"
    background.write_text(
        "@prefix fleet: <http://example.org/fleet#> . fleet:ada <http://example.org/pedals#drives> fleet:z ."
    )
    done = explain("fleet:ada a :Driver", "--background", background)
    assert done.exit_code == 0, done.output
    assert "└─ because ada drives z (always so)" in done.stdout


def test_what_does_not_hold_leads_to_the_option_that_says_why(explain):
    done = explain(":x a :Accelerating", "--at", "3")
    assert done.exit_code == 1 and "--why-not lists what is missing" in done.stderr
    done = explain(":alex a :HaltingDriver", "--why-not")
    assert (done.exit_code, done.stdout) == (1, "")
    text = " ".join(done.stderr.split())
    assert text.endswith(" holds at 4, so no facts are missing; omit --why-not to see why it holds")


def test_a_time_before_the_stream_is_refused(explain):
    done = explain(":x a :Accelerating", "--at", "-1")
    assert done.exit_code == 2 and "the stream begins after -1; give a later time" in " ".join(
        done.stderr.replace("│", " ").split()
    )


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
def explain_of_explain_axioms(tmp_path):
    def invoke(*arguments, ontology=ONTOLOGY, background=""):
        (tmp_path / "o.ttl").write_text(HEADER + ontology)
        given = ["explain", "--ontology", tmp_path / "o.ttl"]
        if background:
            (tmp_path / "b.ttl").write_text(HEADER + background)
            given += ["--background", tmp_path / "b.ttl"]
        return CliRunner().invoke(app, list(map(str, [*given, *arguments])))

    return invoke


@pytest.fixture
def stream_of_explain_axioms(tmp_path):
    path = tmp_path / "s.nq"
    type_ = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    path.write_text(f"<http://e/kit> {type_} <http://e/Sub> <urn:t:1> .\n")
    return "--stream", path, "--range", "1"


def said(done):
    return " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize("statement", ENTAILED)
def test_what_the_ontology_entails_is_explained_without_a_stream(explain_of_explain_axioms, statement):
    done = explain_of_explain_axioms(statement)
    assert done.exit_code == 0, done.output
    ontology = pr.load_ontology(Graph().parse(data=HEADER + ONTOLOGY))
    given = Graph().parse(data=f"{HEADER}{statement} .")
    assert (
        ontology.entails(given)
        and done.stdout.splitlines()[0] == f"{ontology.explain(given)}".splitlines()[0]
    )
    for form in ("text", "json"):
        why_not = explain_of_explain_axioms("--why-not", statement, "--format", form)
        assert (why_not.exit_code, why_not.stdout) == (1, "")
        last = " holds, so no facts are missing; omit --why-not to see why it holds"
        assert " ".join(why_not.stderr.split()).endswith(last)


@pytest.mark.parametrize(
    "statement", [each for each in ENTAILED if each not in (":rex :touches :tom", ":tom a :Animal")]
)
def test_axioms_are_explained_beside_a_stream_too(
    explain_of_explain_axioms, stream_of_explain_axioms, statement
):
    consistent = ONTOLOGY.replace(" :ownedBy :ann , :anna", " :ownedBy :ann") + ":ann owl:sameAs :anna ."
    assert explain_of_explain_axioms(statement, *stream_of_explain_axioms, ontology=consistent).exit_code == 0


DOUBT = "1 axiom is lost, so it may still be entailed: see check"


@pytest.mark.parametrize("statement", DENIED)
@pytest.mark.parametrize("lost", [0, 1])
def test_a_denial_counts_the_losses(explain_of_explain_axioms, stream_of_explain_axioms, statement, lost):
    ontology = ONTOLOGY + LOST * lost
    for given in ((), stream_of_explain_axioms[:2]):
        done = explain_of_explain_axioms(statement, *given, ontology=ontology)
        denied = (
            "has no proof: not derivable by rules. " if lost else "does not hold: not derivable by rules\n"
        )
        assert done.exit_code == 1 and denied in done.stderr
        assert (DOUBT in done.stderr) == bool(lost)
        done = explain_of_explain_axioms(statement, "--why-not", *given, ontology=ontology)
        assert done.exit_code == 0 and (DOUBT in done.stdout) == bool(lost)


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
def test_a_denial_names_what_is_misspelt(explain_of_explain_axioms, statement, kind, near):
    done = explain_of_explain_axioms(statement)
    assert done.exit_code == 1 and f"Unknown {kind}; did you mean {near}" in done.stderr


def test_a_name_of_another_namespace_is_told_apart(explain_of_explain_axioms):
    done = explain_of_explain_axioms(":Sub rdfs:subClassOf <http://other/Animal>")
    assert "Unknown class <http://other/Animal>; did you mean :Animal" in done.stderr.replace(
        "<http://e/Animal>", ":Animal"
    )


def test_the_window_denies_with_losses_and_unknown_names_too(
    explain_of_explain_axioms, stream_of_explain_axioms
):
    done = explain_of_explain_axioms(
        ":kit a :Plant", *stream_of_explain_axioms, ontology=ONTOLOGY.replace(", :anna", "") + LOST
    )
    assert done.exit_code == 1 and DOUBT in done.stderr
    assert "--why-not lists what is missing" in done.stderr
    done = explain_of_explain_axioms(
        ":kitt a :Plnt", *stream_of_explain_axioms, ontology=ONTOLOGY.replace(", :anna", "")
    )
    assert "Unknown name kitt; did you mean kit?" in done.stderr
    assert "Unknown class Plnt; did you mean Plant" in done.stderr


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            ":kit a :Fern",
            "The class 'green fern' occurs only in an axiom that is lost: "
            "Moss SubClassOf 'green fern' or Ivy.",
        ),
        (
            ":kit :shades :rex",
            "The property shades occurs only in axioms that are lost: Moss SubClassOf shades some Cat; "
            "Moss SubClassOf shades min 3.",
        ),
    ],
)
def test_a_name_in_lost_axioms_alone_is_shown_with_them(explain_of_explain_axioms, statement, said):
    lost = """
        :Fern rdfs:label "green fern" .
        :Moss rdfs:subClassOf [ owl:unionOf ( :Fern :Ivy ) ] ,
            [ owl:onProperty :shades ; owl:someValuesFrom :Cat ] ,
            [ owl:onProperty :shades ; owl:minCardinality 3 ] ."""
    ontology = ONTOLOGY.replace(", :anna", "") + lost
    done = explain_of_explain_axioms(statement, "--why-not", ontology=ontology)
    assert said in done.stdout.splitlines()
    done = explain_of_explain_axioms(statement, "--why-not", "--format", "json", ontology=ontology)
    (unknown,) = (each for each in json.loads(done.stdout)["unknown"] if "lost_in" in each)
    assert unknown["nearest"] == []
    assert all(axiom.startswith("SubClassOf(Moss ") for axiom in unknown["lost_in"])


def test_the_background_counts(explain_of_explain_axioms):
    background = ":kit a :Sub ; rdfs:label 'the kitten' . :Cub rdfs:subClassOf :Cat ."
    done = explain_of_explain_axioms(":kit a :Animal", background=background)
    assert done.exit_code == 0 and "because the kitten is a sub (always so)" in done.stdout
    assert explain_of_explain_axioms(":Cub rdfs:subClassOf :Animal", background=background).exit_code == 0


def test_the_forms_of_an_entailment(explain_of_explain_axioms, tmp_path):
    asked = (":Lone owl:equivalentClass :Single", "--format")
    found = json.loads(explain_of_explain_axioms(*asked, "json").stdout)
    assert list(found) == ["text", "complete", "proofs", "justifications"] and len(found["proofs"]) == 2
    (only,) = found["justifications"]
    assert [axiom["manchester"] for axiom in only["axioms"]] == ["Lone EquivalentTo Single"]
    assert explain_of_explain_axioms(*asked, "dot").stdout.count("digraph") == 2
    assert len(Graph().parse(data=explain_of_explain_axioms(*asked, "rdf").stdout, format="turtle"))
    assert explain_of_explain_axioms(*asked, "svg").stdout.count("<svg ") == 3  # both are in one
    assert "<details open>" in explain_of_explain_axioms(*asked, "html").stdout


@pytest.mark.parametrize(
    ("name", "shown"),
    [(":Odd", "Odd can have no instance:"), ("<http://e/Odd>", "Odd can have no instance:")],
)
def test_the_name_of_an_unsatisfiable_class_is_explained(explain_of_explain_axioms, name, shown):
    done = explain_of_explain_axioms(name)
    assert done.exit_code == 0 and done.stdout.splitlines()[0] == shown
    why_not = explain_of_explain_axioms("--why-not", name)
    assert why_not.exit_code == 1 and "that <http://e/Odd> can have no instance holds" in why_not.stderr


@pytest.mark.parametrize(("name", "unknown"), [(":Cat", False), (":Animl", True)])
def test_the_name_of_a_class_that_can_have_instances_is_refused(explain_of_explain_axioms, name, unknown):
    done = explain_of_explain_axioms(name)
    assert done.exit_code == 1 and "can have no instance does not hold" in done.stderr
    assert ("did you mean Animal?" in done.stderr) is unknown


def test_all_justifications_are_shown_without_a_stream(explain_of_explain_axioms):
    more = ONTOLOGY + ":Sub rdfs:subClassOf :Pet . :Pet rdfs:subClassOf :Animal ."
    done = explain_of_explain_axioms(":Sub rdfs:subClassOf :Animal", "--all", ontology=more)
    assert done.stdout.startswith("whatever is a sub is an animal, for 2 reasons:\n\nJustification 1 of 2, ")
    assert "\nJustification 2 of 2, 2 axioms:\nx is an animal [1]\n" in done.stdout
    found = explain_of_explain_axioms(
        ":Sub rdfs:subClassOf :Animal", "--all", "--format", "json", ontology=more
    )
    assert len(json.loads(found.stdout)["justifications"]) == 2
    found = json.loads(
        explain_of_explain_axioms(":Sub rdfs:subClassOf :Anmal", "--why-not", "--format", "json").stdout
    )
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
def test_the_suffix_decides_what_is_written(explain_of_explain_axioms, tmp_path, suffix, begins):
    file = tmp_path / f"why{suffix}"
    done = explain_of_explain_axioms(":Sub rdfs:subClassOf :Animal", "-o", file)
    assert (done.exit_code, done.stdout) == (0, "") and file.read_text().startswith(begins)
    if begins == "<svg":
        assert ElementTree.parse(file).getroot().tag.endswith("svg")


@pytest.mark.parametrize("name", ["why.png", "why", "why.svg.gz"])
def test_a_suffix_that_cannot_be_written_is_refused(explain_of_explain_axioms, tmp_path, name):
    done = explain_of_explain_axioms(":Sub rdfs:subClassOf :Animal", "-o", tmp_path / name)
    assert done.exit_code == 2 and ".svg" in done.stderr and not (tmp_path / name).exists()
    assert (
        explain_of_explain_axioms(
            ":Sub rdfs:subClassOf :Animal", "--format", "svg", "-o", tmp_path / name
        ).exit_code
        == 0
    )


def test_an_existing_output_is_kept_unless_it_may_be_replaced(explain_of_explain_axioms, tmp_path):
    file = tmp_path / "why.txt"
    file.write_text("mine")
    done = explain_of_explain_axioms(":Sub rdfs:subClassOf :Animal", "-o", file)
    assert done.exit_code == 2 and "--overwrite" in said(done) and file.read_text() == "mine"
    assert explain_of_explain_axioms(":Sub rdfs:subClassOf :Animal", "-o", file, "--overwrite").exit_code == 0
    assert file.read_text().startswith("whatever")
    done = explain_of_explain_axioms(":Sub rdfs:subClassOf :Animal", "-o", tmp_path / "none" / "why.txt")
    assert done.exit_code == 2 and "does not exist" in said(done)


@pytest.mark.parametrize("option", [("--at", "1"), ("--rules", "r.lars"), ("--mapping", "m.yaml")])
def test_options_about_streams_take_one(explain_of_explain_axioms, option):
    done = explain_of_explain_axioms(":Sub rdfs:subClassOf :Animal", *option)
    assert done.exit_code == 2 and "--stream" in said(done)


def test_a_window_names_the_way_to_a_proof_of_an_axiom():
    ontology = pr.load_ontology(Graph().parse(data=HEADER + ONTOLOGY.replace(", :anna", "")))
    reasoner = pr.StreamReasoner(ontology, pr.Window(1))
    with pytest.raises(pr.NotEntailedError, match="the ontology entails it"):
        reasoner.explain((E.Sub, RDFS.subClassOf, E.Animal))
    absence = reasoner.why_not((E.Sub, RDFS.subClassOf, E.Animal))
    assert absence.entailed and "does not hold" not in str(absence)
    assert not reasoner.why_not((E.Animal, RDFS.subClassOf, E.Sub)).entailed


@pytest.fixture
def timeline():
    def invoke(*arguments, stream=ROOT / "examples" / "pedals" / "stream.trig"):
        ontology = ROOT / "ontologies" / "pedals.ttl"
        given = ("timeline", "--ontology", ontology, "--stream", stream, "--range", "2", *arguments)
        return CliRunner().invoke(app, list(map(str, given)))

    return invoke


def texts(done):
    assert done.exit_code == 0, done.output
    return [
        text.text for text in ElementTree.fromstring(done.stdout).iter("{http://www.w3.org/2000/svg}text")
    ]


def test_the_pedals_are_drawn(timeline):
    shown = texts(timeline())
    assert shown.count("✗1") == 1
    removal = (
        "at 3 removed: the car x is in class 'gas pedal pressed' (at 1), "
        "contradicted by the car x is in class 'brakes pressed'; nothing"
    )
    denied = "is in both classes 'brakes pressed' and 'gas pedal pressed'"
    assert f"{removal} {denied}" in " ".join(shown)


def test_conflicts_that_are_not_repaired_are_drawn_as_found(timeline):
    shown = texts(timeline("--repair", "off"))
    found = (
        "the car x is in class 'gas pedal pressed' (at 1) contradicts "
        "the car x is in class 'brakes pressed' (at 3)"
    )
    assert found in " ".join(shown)
    assert not any(text.startswith("✗1") for text in shown)


@pytest.mark.parametrize(
    ("arguments", "steps"),
    [
        ((), "4 steps from 0 to 4"),
        (("--from", 1), "3 steps from 1 to 4"),
        (("--until", 1), "2 steps from 0 to 1"),
    ],
)
def test_the_steps_of_some_time_are_drawn(timeline, arguments, steps):
    assert steps in texts(timeline(*arguments))


def test_of_a_long_stream_the_last_steps_are_drawn(timeline, tmp_path):
    stream = tmp_path / "stream.nq"
    line = f"<urn:x> <{RDF.type}> <http://example.org/pedals#GasPedalPressed> <urn:{{}}> .\n"
    stream.write_text("".join(map(line.format, range(100))))
    shown = texts(timeline(stream=stream))
    assert "60 steps from 40 to 99" in shown and "40 earlier steps not drawn" in shown


def test_with_rules_their_conclusions_are_drawn():
    reactor = ROOT / "ontologies" / "reactor.ttl", ROOT / "examples" / "reactor"
    given = ["timeline", "--ontology", reactor[0], "--stream", reactor[1] / "shift.trig", "--range", "PT1M"]
    given += ["--slide", "PT30S", "--rules", reactor[1] / "alarms.lars"]
    done = CliRunner().invoke(app, list(map(str, given)))
    assert {"4 conclusions from 14:00:00 to 14:23:30, 2026-03-02 (UTC)", "probeA is pressing"} <= {
        *texts(done)
    }
    later = CliRunner().invoke(app, [*map(str, given), "--from", "2026-03-02T14:20:00Z"])
    assert "4 conclusions from 14:20:00 to 14:23:30, 2026-03-02 (UTC)" in texts(later)


def test_the_changes_of_a_step_are_drawn(timeline):
    shown = texts(timeline("--step", 3))
    assert shown[0] == "at 3: window from 1 to 3; 1 conflict, 1 assertion removed"
    assert {"+1 asserted", "−1 removed by the repair"} <= {*shown}
    assert texts(timeline("--step", 2))[0].startswith("at 1: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--step", 3, "--until", 4), "--until"),
        (("--step", "soon"), "--step"),
        (("--step", -1), "no step at or before"),
    ],
)
def test_a_step_that_cannot_be_drawn_is_refused(timeline, arguments, said):
    done = timeline(*arguments)
    assert done.exit_code == 2 and said in done.stderr


def test_feedback_needs_rules(timeline):
    done = timeline("--feedback")
    assert done.exit_code == 2 and "--rules" in done.stderr


def test_it_goes_into_a_file(timeline, tmp_path):
    file = tmp_path / "timeline.svg"
    done = timeline("-o", file)
    assert (done.exit_code, done.stdout) == (0, "")
    assert ElementTree.parse(file).getroot().get("role") == "img"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--from", "soon"), "--from"),
        (("--from", 9), "it has no steps between --from and --until"),
        (("--from", 3, "--until", 1), "1 is before --from 3; give a later time"),
        (("--from", 3, "--until", "2026-01-01T00:00:00Z"), "are of different kinds"),
    ],
)
def test_wrong_usage_is_told_of_timeline_command(timeline, arguments, said):
    done = timeline(*arguments)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())
