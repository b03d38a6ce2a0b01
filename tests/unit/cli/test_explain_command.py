"""`pantarhei explain`: the time that is asked about, the triple, the forms, and what is wrong with them."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rdflib import PROV, RDF, Graph
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
        (["x a :Slowing"], "is no triple in Turtle"),
        (["who:x a :Slowing"], "the prefixes are :, owl:, rdf:, rdfs:, xsd:"),
        (["<x> a :Slowing"], "is no triple in Turtle"),
        ([":x a rdfs1:Class"], "The prefix rdfs1: has not been declared"),
        ([":x a rdfs1:Class"], "(did you mean rdfs?)"),
        ([":x a :Slowing, :Stopping"], "one triple is asked for, not 2"),
        ([""], "is no triple in Turtle"),
        (["[] a :Slowing"], "a blank node"),
        ([":x a :Slowing", "--at", "soon"], "--at"),
        ([":x a :Slowing", "--limit", "0"], "--limit"),
        ([":x a :Slowing", "--all", "--format", "svg"], "dot has all"),
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
    assert done.exit_code == 1 and "--why-not says what is missing" in done.stderr


def test_a_time_before_the_stream_is_refused(explain):
    done = explain(":x a :Accelerating", "--at", "-1")
    assert done.exit_code == 2 and "nothing at or before that time" in " ".join(done.stderr.split())
