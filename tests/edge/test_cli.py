"""The command line: what it prints, and how it fails."""

from __future__ import annotations

import bz2
import csv
import gzip
import importlib.util
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rdflib import RDF, RDFS
from typer.testing import CliRunner

import pantarhei
from pantarhei.cli.commands import app, as_option
from pantarhei.errors import InvalidRowError, MemoryLimitError, MissingFileError, OptionError, QueryError
from pantarhei.errors.base import parameters_written
from pantarhei.model.message_text import one_line_path
from pantarhei.owl.report import Report

ROOT = Path(__file__).parents[2]
PEDALS = ROOT / "ontologies" / "pedals.ttl"
PEDALS_STREAM = ROOT / "examples" / "pedals" / "stream.trig"
PEDALS_QUERY = ROOT / "examples" / "pedals" / "query.rq"


@pytest.fixture
def cli():
    def invoke(*arguments, **options):
        return CliRunner().invoke(app, list(map(str, arguments)), **options)

    return invoke


@pytest.fixture
def run(cli):
    def invoke(*arguments, ontology=PEDALS, stream=PEDALS_STREAM, range_="2", **options):
        return cli(
            "run", "--ontology", ontology, "--stream", stream, "--range", range_, *arguments, **options
        )

    return invoke


@pytest.fixture
def quads(tmp_path):
    """A stream of pedal readings in N-Quads, one line a graph's name (or a line as it is)."""

    def write(*lines):
        reading = f"<urn:x> <{RDF.type}> <http://example.org/pedals#GasPedalPressed>"
        path = tmp_path / "stream.nq"
        path.write_text("".join(f"{line}\n" if " " in line else f"{reading} <{line}> .\n" for line in lines))
        return path

    return write


CUT = (
    "at 3 removed: the car x is in class 'gas pedal pressed' (at 1), "
    "contradicted by the car x is in class 'brakes pressed'; "
    "nothing is in both classes 'brakes pressed' and 'gas pedal pressed'"
)

# what it prints


def test_answers_as_ndjson(run):
    done = run("--query", PEDALS_QUERY, "--format", "ndjson")
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {tuple(row) for row in rows} == {("at", "who", "state")}
    short = {(row["at"], row["who"].split("#")[1], row["state"].split("#")[1]) for row in rows}
    assert short == {
        (0, "x", "Accelerating"),
        (1, "x", "Accelerating"),
        (3, "x", "Slowing"),
        (4, "x", "Slowing"),
        (4, "x", "Stopping"),
        (4, "alex", "HaltingDriver"),
    }


def test_answers_as_csv_into_a_file(run, tmp_path):
    path = tmp_path / "answers.csv"
    done = run("--query", PEDALS_QUERY, "--output", path)
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    rows = list(csv.reader(io.StringIO(path.read_text())))
    assert rows[0] == ["at", "who", "state"]
    assert len(rows) == 7


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT ?who {{ ?who a :Accelerating }} #{'x' * 5_000}",  # longer than names of files may be
        "DESCRIBE <http://example.org/pedals#x>",
        "PREFIX e: <http://example.org/pedals#>\ndescribe e:x",
    ],
)
def test_the_text_of_a_query_is_told_from_the_name_of_a_file(run, text):
    done = run("--query", text)
    assert done.exit_code == 0, done.output
    assert "GasPedalPressed" in done.stdout or "who" in done.stdout


def test_a_text_in_a_stream_language_brings_its_window(cli):
    text = "SELECT ?who FROM STREAM <urn:s> [RANGE 2 STEP 2] { ?who a :Accelerating }"
    done = cli(
        *("run", "--ontology", PEDALS, "--stream", PEDALS_STREAM, "--format", "csv"),
        *("--emit", "changes", "--query", text),
    )
    assert done.exit_code == 0, done.output
    x = "http://example.org/pedals#x"
    assert done.stdout.splitlines() == ["at,change,who", f"0,+,{x}", f"4,-,{x}"]


def test_answers_as_a_table_use_the_querys_prefixes(run):
    done = run("--query", PEDALS_QUERY)
    assert done.exit_code == 0, done.output
    assert ":HaltingDriver" in done.stdout


def test_without_a_query_each_update_is_a_line_with_what_was_removed_and_why(run):
    done = run()
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith("0  window -2 to 0: ")
    assert lines[3] == f"    {CUT}"


def test_updates_have_rows_too(run):
    done = run("--format", "ndjson")
    rows = {row["at"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert rows[3]["cut"] == "GasPedalPressed(x) at 1"
    assert rows[4]["start"] == 2
    assert rows[4]["facts"] > 0


def test_the_summary_goes_to_standard_error(run):
    done = run("--query", PEDALS_QUERY, "--format", "csv")
    assert done.stderr.startswith("4 ABoxes, 5 assertions, 1 fact cut, 0 skipped, ")
    assert "facts in the window" in done.stderr


def test_the_summary_counts_a_cut_fact_once_however_many_timestamps_assert_it(run, tmp_path):
    pedal = "<urn:x> a <http://example.org/pedals#{}>"
    stream = tmp_path / "stream.trig"
    stream.write_text(
        f"<urn:1> {{ {pedal.format('GasPedalPressed')} }} <urn:2> {{ {pedal.format('GasPedalPressed')} }}"
        f"<urn:3> {{ {pedal.format('BrakesPressed')} }}"
    )
    done = run(stream=stream)
    assert (
        "at 3 removed: urn:x is in class 'gas pedal pressed' (at 1, 2), contradicted by urn:x is"
        in done.stdout
    )
    assert "3 assertions, 1 fact cut, " in done.stderr


@pytest.mark.parametrize(
    ("format_", "said"),
    [
        ("ndjson", ['{"at": 1, "s": "urn:x"}', '{"at": 3}', '{"at": 6, "s": "urn:x"}']),
        ("csv", ["at,s", "1,urn:x", "3,", "6,urn:x"]),
    ],
)
def test_that_there_are_no_answers_any_more_is_written_once(run, quads, tmp_path, format_, said):
    query = tmp_path / "query.rq"
    query.write_text("SELECT ?s { ?s a <http://example.org/pedals#GasPedalPressed> }")
    other = "<urn:x> <urn:p> <urn:y> <urn:{}> ."
    stream = quads(other.format(0), "urn:1", other.format(3), other.format(4), "urn:6")
    done = run("--query", query, "--format", format_, stream=stream, range_="1")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == said


def test_repairs_are_told_on_standard_error(run):
    done = run("--query", PEDALS_QUERY, "--format", "csv", "--repairs")
    assert done.stderr.startswith(f"{CUT}\n")
    assert "removed" not in done.stdout


def test_a_window_of_floats_moves_with_every_abox(run, quads):
    done = run(stream=quads("urn:at:0.9", "urn:at:1.1"), range_="0.5")
    assert "0.9  window 0.4 to 0.9: " in done.stdout and "1.1  window 0.6 to 1.1: " in done.stdout


def test_options_of_the_window_and_of_repair_reach_the_reasoner(run):
    off = run(
        "--repair", "off", "--keep", "every", "--closed", "right", "--slide", "1", "--origin", "0", range_="4"
    )
    assert off.exit_code == 0, off.output
    assert "removed G" not in off.stdout


@pytest.mark.parametrize(("option", "removed"), [("--unique-names", True), ("--no-unique-names", False)])
def test_names_are_unique_or_not(run, tmp_path, option, removed):
    ontology, stream = tmp_path / "o.ttl", tmp_path / "s.nq"
    ontology.write_text(
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . "
        "<urn:in> a owl:ObjectProperty, owl:FunctionalProperty ."
    )
    stream.write_text("<urn:cart> <urn:in> <urn:hall> <urn:1> .\n<urn:cart> <urn:in> <urn:lobby> <urn:2> .\n")
    done = run(option, ontology=ontology, stream=stream)
    assert done.exit_code == 0, done.output
    assert ("replaces" in done.stdout) is removed


def test_background_is_read(run, tmp_path):
    background = tmp_path / "background.ttl"
    background.write_text("<urn:a> <urn:b> <urn:c> .")
    query = tmp_path / "query.rq"
    query.write_text("SELECT ?o { <urn:a> <urn:b> ?o }")
    done = run("--background", background, "--query", query, "--format", "csv")
    assert done.stdout.splitlines()[:2] == ["at,o", "0,urn:c"]


def test_all_backgrounds_are_read(run, tmp_path):
    named = []
    for name in "abc":
        path = tmp_path / f"{name}.ttl"
        path.write_text(f"<urn:{name}> <urn:in> <urn:hall> .")
        named += ["--background", path]
    query = tmp_path / "query.rq"
    query.write_text("SELECT ?s { ?s <urn:in> <urn:hall> } ORDER BY ?s")
    done = run(*named, "--query", query, "--format", "csv")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[1:4] == ["0,urn:a", "0,urn:b", "0,urn:c"]


def test_standard_input_is_followed(run, quads):
    done = run(
        "--stream-format", "nquads", "--format", "csv", stream="-", input=quads("urn:1", "urn:2").read_text()
    )
    assert done.exit_code == 0, done.output
    assert done.stderr.startswith("2 ABoxes")


def test_skipping_counts_what_it_skips(run, quads):
    stream = quads("urn:1", "not a quad", "urn:none", "urn:5", "urn:2")
    done = run("--on-error", "skip", stream=stream)
    assert done.exit_code == 0, done.output
    assert done.stderr.startswith("2 ABoxes, 2 assertions, 0 facts cut, 2 skipped, 1 late ABox skipped, ")
    assert "  skipped line 2: " in done.stderr


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_time_of_hundreds_of_digits_is_skipped_and_counted(run, quads, digits):
    done = run("--on-error", "skip", stream=quads("urn:1", f"urn:{'1' * digits}", "urn:3"))
    assert done.exit_code == 0, done.output
    assert done.stderr.startswith("2 ABoxes, 2 assertions, 0 facts cut, 1 skipped, ")


def test_a_range_of_integers_may_have_more_digits_than_one_of_floats(run, quads):
    done = run(stream=quads("urn:1", "urn:3"), range_=str(10**18))
    assert "window -999999999999999997 to 3" in done.stdout


PREFIXES = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""


@pytest.fixture
def written(tmp_path):
    """A file with the given Turtle."""

    def write(text):
        path = tmp_path / "ontology.ttl"
        path.write_text(PREFIXES + text)
        return path

    return write


LOSSY = ":A owl:equivalentClass [ owl:unionOf ( :B :C ) ] ."


def test_check_reports(cli):
    done = cli("check", PEDALS)
    assert done.exit_code == 0
    assert "axioms" in done.stdout
    assert len(cli("check", PEDALS, "--details").stdout) > len(done.stdout)


def test_check_says_what_is_kept_and_lost_of_an_axiom_and_how_to_see_more(cli, written):
    text = cli("check", written(LOSSY)).stdout
    assert "(… or …) on the right is a choice" in text
    assert "kept: B SubClassOf A and 1 more" in text
    assert "lost: A SubClassOf B or C" in text
    assert "no constraints\n" in text
    assert "--details" in text


def test_check_lists_what_can_have_no_instance_what_is_merged_and_what_owl_dl_forbids(cli, written):
    path = written(
        ":A owl:disjointWith :B . :C rdfs:subClassOf :A , :B . :i owl:sameAs :j ."
        ":p a owl:TransitiveProperty , owl:FunctionalProperty ."
    )
    text = cli("check", path).stdout
    assert "<http://example.org/C>\n        1. " in text
    assert "<http://example.org/i> = <http://example.org/j>" in text
    assert "p is not simple, since it is transitive" in text
    whole = json.loads(cli("check", path, "--format", "json").stdout)
    assert [found["name"] for found in whole["unsatisfiable"]] == ["http://example.org/C"]
    assert whole["merged"] == [["http://example.org/i", "http://example.org/j"]]


JSON_KEYS = ["axioms", "totals", "counts", "losses", "documents", "imports_skipped"]
JSON_KEYS += ["unsatisfiable", "merged", "notes", "consistent", "contradictions", "all_contradictions"]
JSON_KEYS += ["omitted_contradictions"]


def test_check_gives_programs_everything(cli):
    whole = json.loads(cli("check", PEDALS, "--format", "json").stdout)
    assert list(whole) == JSON_KEYS
    place = ["manchester", "source", "line", "subject", "label"]
    assert list(whole["axioms"][0]) == ["axiom", *place, "construct", "outcome", "rules", "kept", "lost"]
    assert {Path(axiom["source"]).resolve() for axiom in whole["axioms"]} == {PEDALS}
    listed = Report.to_json.__doc__
    assert all(f"`{key}`" in listed for key in [*JSON_KEYS, "inconsistency_normal_form"])


def test_check_warns_of_contradictions_for_which_run_refuses(cli, run, written, quads):
    path = written(":isIn a owl:ObjectProperty, owl:FunctionalProperty . :cart :isIn :hall , :lobby .")
    text = cli("check", path).stdout
    assert "Contradictions under unique names" in text
    assert "--no-unique-names" in text
    assert "Contradictions" not in cli("check", path, "--no-unique-names").stdout
    refused = run(ontology=path, stream=quads("urn:1"))
    fails(refused, "cart is in two things, hall and lobby", "be one thing, with --no-unique-names")
    assert run("--no-unique-names", ontology=path, stream=quads("urn:1")).exit_code == 0


def test_unique_names_are_no_matter_where_values_contradict(run, written, quads):
    path = written(":weight a owl:DatatypeProperty, owl:FunctionalProperty . :cart :weight 1 , 2 .")
    refused = run(ontology=path, stream=quads("urn:1"))
    fails(refused, "the ontology is inconsistent: cart has two weights, 1 and 2; weight is functional")
    assert "--no-unique-names" not in refused.stderr


def test_a_strict_check_shows_the_report_and_fails_if_something_is_lost(cli, written):
    done = cli("check", written(LOSSY), "--strict")
    assert "lost: A SubClassOf B or C" in done.stdout
    fails(done, "lost in whole or in part: 1", "--strict")
    assert cli("check", PEDALS, "--strict").exit_code == 0


ENDLESS = """
@prefix swrl: <http://www.w3.org/2003/11/swrl#> .
@prefix swrlb: <http://www.w3.org/2003/11/swrlb#> .
:p a owl:DatatypeProperty . :q a owl:DatatypeProperty ; rdfs:subPropertyOf :p .
:x a swrl:Variable . :v a swrl:Variable . :w a swrl:Variable .
[] a swrl:Imp ;
   swrl:body ( [ a swrl:DatavaluedPropertyAtom ; swrl:propertyPredicate :p ;
                 swrl:argument1 :x ; swrl:argument2 :v ]
               [ a swrl:BuiltinAtom ; swrl:builtin swrlb:add ; swrl:arguments ( :w :v 1 ) ] ) ;
   swrl:head ( [ a swrl:DatavaluedPropertyAtom ; swrl:propertyPredicate :q ;
                 swrl:argument1 :x ; swrl:argument2 :w ] ) .
"""


def test_rules_that_together_compute_without_end_are_a_loss(cli, written):
    done = cli("check", written(ENDLESS))
    assert done.exit_code == 0, done.output
    assert "2 axioms: 1 as rules, 1 not supported" in done.stdout
    assert "could derive literals without end" in " ".join(done.stdout.split())
    alone = written(ENDLESS.replace("rdfs:subPropertyOf", "rdfs:seeAlso"))
    assert cli("check", alone, "--strict").exit_code == 0


@pytest.mark.parametrize("text", ["", PREFIXES])
def test_check_of_an_empty_document_says_so(cli, tmp_path, text):
    path = tmp_path / "empty.ttl"
    path.write_text(text)
    done = cli("check", path)
    assert done.exit_code == 0
    assert done.stdout == "no axioms\nthe document holds no triples\n"


def test_check_shows_the_inconsistency_normal_form(cli):
    done = cli("check", PEDALS, "--depth", "2")
    assert done.exit_code == 0, done.output
    assert "GasPedalPressed" in done.stdout.split("Inconsistency-normal form")[1]
    whole = json.loads(cli("check", PEDALS, "--depth", "2", "--format", "json").stdout)
    assert whole["inconsistency_normal_form"]["depth"] == 2
    assert whole["inconsistency_normal_form"]["constraints"][0]["atoms"]


def test_names_that_would_look_the_same_have_their_prefix_in_all_that_is_printed(cli, run, written, quads):
    path = written(
        "@prefix room: <urn:room#> . @prefix saref: <urn:saref#> ."
        "room:Sensor rdfs:subClassOf saref:Sensor . saref:Sensor owl:disjointWith :Wall ."
    )
    text = cli("check", path, "--details", "--depth", "2").stdout
    assert "rules: room:Sensor SubClassOf saref:Sensor\n    saref:Sensor(?x) :- room:Sensor(?x)." in text
    assert "\n    saref:Sensor(?x) :- room:Sensor(?x).\n" in text.partition("unfolded to depth 2:")[2]
    of_x = f"<urn:a> <{RDF.type}> <{{}}> <urn:{{}}> ."
    stream = quads(of_x.format("urn:room#Sensor", 1), of_x.format("http://example.org/Wall", 2))
    said = (
        "at 2 removed: urn:a is in class room:Sensor (at 1), contradicted by urn:a is a wall; "
        "nothing is both a wall and in class saref:Sensor"
    )
    assert said in run(ontology=path, stream=stream).stdout
    assert "room:Sensor(urn:a) at 1" in run("--format", "csv", ontology=path, stream=stream).stdout


def test_version(cli):
    assert cli("--version").stdout == f"pantarhei {pantarhei.__version__}\n"


def test_a_window_with_too_many_facts_is_an_error_that_says_so(run, quads):
    stream = quads(*(f"http://example.org/{at}" for at in range(3)))
    done = run("--max-facts", "4", stream=stream, range_="10")
    assert done.exit_code == 1
    assert "--max-facts 4;" in done.stderr and "with --on-limit drop" in done.stderr


def test_timestamps_that_leave_early_are_told(run, tmp_path):
    lines = [
        f"<urn:x{at}> <{RDF.type}> <http://example.org/pedals#GasPedalPressed> <http://example.org/{at}> ."
        for at in range(4)
    ]
    stream = tmp_path / "stream.nq"
    stream.write_text("\n".join(lines))
    facts = len(pantarhei.StreamReasoner(pantarhei.load_ontology(PEDALS), pantarhei.Window(10)).graph)
    each = run("--output", tmp_path / "one.txt", stream=stream, range_="10")
    assert each.exit_code == 0
    one = int((tmp_path / "one.txt").read_text().splitlines()[0].split(": ")[1].split()[0]) - facts
    arguments = ("--max-facts", str(facts + 2 * one), "--max-bytes", "100MB", "--on-limit", "drop")
    done = run(*arguments, stream=stream, range_="10")
    assert done.exit_code == 0, done.output
    assert done.stdout.count("1 timestamp expired, 1 of them early") == 2
    assert "2 timestamps dropped early" in done.stderr


@pytest.mark.parametrize("size", ["much", "0", "-5MB"])
def test_a_size_that_is_none_is_wrong_usage(run, size):
    done = run("--max-bytes", size)
    assert done.exit_code == 2
    assert "max" in done.stderr and "bytes" in done.stderr


# temporal rules


REACTOR = {"ontology": ROOT / "ontologies" / "reactor.ttl", "range_": "PT1M"}
SHIFT = ROOT / "examples" / "reactor" / "shift.trig"
ALARMS = ROOT / "examples" / "reactor" / "alarms.lars"


def test_conclusions_are_written_with_the_time_they_came_or_went_at(run):
    done = run("--slide", "PT30S", "--rules", ALARMS, stream=SHIFT, **REACTOR)
    assert done.exit_code == 0, done.output
    lines = [line for line in done.stdout.splitlines() if "callOut" in line]
    assert [line.removeprefix("2026-03-02T") for line in lines] == [
        "14:07:00Z  + callOut(vessel)",  # overheated since 14:05
        "14:08:00Z  - callOut(vessel)",  # serviced
        "14:18:30Z  + callOut(vessel)",  # overheated still, ten minutes after that
        "14:21:00Z  - callOut(vessel)",
    ]
    came = sum("  + " in line for line in done.stdout.splitlines())
    assert f"{came} conclusions began, {came} ended" in done.stderr


def test_conclusions_have_rows_too(run):
    done = run("--slide", "PT30S", "--rules", ALARMS, "--format", "ndjson", stream=SHIFT, **REACTOR)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {tuple(row) for row in rows} == {("at", "change", "predicate", "argument1")}
    assert {row["change"] for row in rows} == {"+", "-"}


COOLING = {
    "ontology": ROOT / "ontologies" / "cooling.ttl",
    "stream": ROOT / "examples" / "cooling" / "stream.trig",
    "range_": "0",
}
COOLED = ROOT / "examples" / "cooling" / "cooling.lars"


def test_the_cooling_system_alarms_at_each_tick_that_ends_three_of_steam(run):
    done = run("--rules", COOLED, "--format", "ndjson", **COOLING)
    held, told = set(), {}
    for row in map(json.loads, done.stdout.splitlines()):
        argument = row.get("argument1")
        name = row["predicate"].partition("#")[2] + (f"({argument})" if argument is not None else "")
        held = held | {name} if row["change"] == "+" else held - {name}
        told[row["at"]] = frozenset(held)
    told[11] = told[10]  # nothing changes there
    states = [next(iter(told[at] & {"alarm", "normal", "freeze"}))[0] for at in range(13)]
    assert "".join(states) == "ffnffaaffnfff"
    assert [at for at in range(13) if "veryHot(5)" in told[at]] == [5, 6, 7]
    assert [at for at in range(13) if "veryCold(9)" in told[at]] == [9, 10, 11]
    assert "2 facts cut" in done.stderr


def test_rooms_that_waste_at_each_of_three_minutes_are_reported(run):
    ontology, folder = ROOT / "ontologies" / "building.ttl", ROOT / "examples" / "building"
    given = {"ontology": ontology, "stream": folder / "sample.nq", "range_": "PT5M"}
    background = folder / "background.ttl"
    query = "PREFIX : <http://example.org/building#> SELECT ?room { ?room a :WastefulRoom }"
    minutes = ["--background", background, "--slide", "PT1M", "--format", "ndjson"]
    asked = run(*minutes, "--query", query, **given)
    wasting = {}
    for row in map(json.loads, asked.stdout.splitlines()):
        wasting.setdefault(row["at"], set()).add(row["room"])
    done = run(*minutes, "--rules", folder / "waste.lars", **given)
    rows = [
        row for row in map(json.loads, done.stdout.splitlines()) if row["predicate"].endswith("#reported")
    ]
    assert {row["argument1"] for row in rows} == set.intersection(*wasting.values()) != set()
    assert len(wasting) == 3 and {(row["at"], row["change"]) for row in rows} == {(max(wasting), "+")}


def test_with_feedback_conclusions_are_asserted_and_what_cannot_be_is_said(run, cli, tmp_path):
    rules, stream = tmp_path / "rules.lars", tmp_path / "stream.nq"
    rules.write_text(
        "@prefix : <http://example.org/reactor#> .\n"
        ":Overheating(V) :- asserted :Reported(V), not asserted :Overheating(V).\n"
        "read(N) :- asserted :temperature(V, N).\n"
    )
    of, xsd = "<http://example.org/reactor#{}>", "http://www.w3.org/2001/XMLSchema#"
    a = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    stream.write_text(
        f"{of.format('v')} {a} {of.format('Reported')} <urn:0> .\n"
        f'{of.format("v")} {of.format("temperature")} "7"^^<{xsd}integer> <urn:0> .\n'
        f"{of.format('w')} {a} {of.format('Vessel')} <urn:3> .\n"
    )
    given = {"ontology": REACTOR["ontology"], "stream": stream, "range_": "5"}
    query = "PREFIX : <http://example.org/reactor#> SELECT ?v { ?v a :Overheating }"
    ndjson = "--rules", rules, "--query", query, "--conclusions", "graph", "--format", "ndjson"
    done = run("--feedback", *ndjson, **given)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["at"], row.get("v")) for row in rows] == [(3, "http://example.org/reactor#v")]
    assert "1 conclusion asserted, 1 conclusion not asserted: a literal in first place" in done.stderr
    assert "warning: line 3, column 1: N may be a literal in read(N)" in done.stderr
    without = run(*ndjson, **given)
    assert without.stdout == ""
    assert "asserted:" not in without.stderr and "warning" not in without.stderr
    checked = cli("check", "--rules", rules, "--feedback")
    assert "warning: line 3, column 1: N may be a literal in read(N)" in checked.stdout
    for command in (run("--feedback"), cli("check", REACTOR["ontology"], "--feedback")):
        fails(command, "it asserts conclusions of temporal rules; give", code=2)
    both = run("--rules", rules, "--models", "0", "--feedback")
    fails(both, "it cannot be combined with --models, whose answer streams differ", code=2)
    rules.write_text("@prefix : <http://example.org/reactor#> .\non :- asserted :Reported(V).\n")
    fails(run("--rules", rules, "--feedback"), "line 2, column 1", "on is not a triple, and with feedback")


def test_check_says_what_rules_look_back_at(cli):
    done = cli("check", REACTOR["ontology"], "--rules", ALARMS, "--range", "PT1M", "--slide", "PT30S")
    assert done.exit_code == 0, done.output
    assert "Overheating(V) always in [2 min]: 4 ticks" in done.stdout
    assert "the ontology does not mention: Serviced" in done.stdout
    done = cli("check", "--rules", ALARMS)
    assert done.exit_code == 0 and done.stdout.startswith("2 temporal rules in 1 stratum")


def test_several_documents_are_one_ontology(cli, tmp_path):
    (tmp_path / "own.ttl").write_text(
        "@prefix : <http://example.org/pedals#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        ":BrakesPressed rdfs:subClassOf :Careful ."
    )
    done = cli("check", PEDALS, tmp_path, "--details")
    assert f"{tmp_path / 'own.ttl'} (1 axiom)" in done.stdout
    given = ("--stream", PEDALS_STREAM, "--range", "2")
    alone = cli("run", "--ontology", PEDALS, *given)
    both = cli("run", "--ontology", PEDALS, "--ontology", tmp_path, *given)
    assert both.exit_code == 0 and both.stdout != alone.stdout
    fails(cli("run", "--ontology", f"{tmp_path}/*.owl", *given), "no file matches this pattern")


def test_axioms_of_the_background_count(run, tmp_path):
    site = tmp_path / "site.ttl"
    site.write_text(
        "@prefix : <http://example.org/pedals#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . :BrakesPressed rdfs:subClassOf :Careful ,"
        " [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :Careful ] ."
    )
    done = run("--background", site, "--query", "SELECT ?x { ?x a <http://example.org/pedals#Careful> }")
    assert done.exit_code == 0 and "│ :x │" in done.stdout
    assert f"{site} is supported in part: 1 axiom lost" in done.stderr


@pytest.mark.filterwarnings("ignore::pantarhei.AxiomsInStreamWarning")
def test_the_summary_says_what_a_stream_should_not_say(run, quads):
    axiom = f"<urn:A> <{RDFS.subClassOf}> <urn:B> <urn:1> ."
    slip = f"<urn:x> <{RDF.type}> <http://example.org/pedals#BrakePressed> <urn:1> ."
    done = run(stream=quads(axiom, slip))
    assert "1 assertion writes an axiom, from which nothing follows" in done.stderr
    assert "class BrakePressed (did you mean BrakesPressed?)" in done.stderr


@pytest.mark.parametrize("command", ["run", "explain", "timeline", "check", "demo"])
def test_help_has_an_example_for_each_command(cli, command):
    done = cli(command, "--help")
    assert done.exit_code == 0
    assert f"pantarhei {command}" in done.stdout


# how it fails


def fails(done, *parts, code=1):
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    text = " ".join(done.stderr.replace("│", " ").split())
    for part in parts:
        assert part in text
    return text


def test_malformed_rdf(run, quads):
    stream = quads("urn:1", "this is not a quad")
    fails(run(stream=stream), f"error: {stream}, line 2: ")


def test_malformed_trig(run, tmp_path):
    stream = tmp_path / "stream.trig"
    stream.write_text("<urn:1> { <urn:a> <urn:b> <urn:c> }\n<urn:2> { <urn:a> }\n")
    fails(run(stream=stream), f"error: {stream}, line 2: ")


def test_a_timestamp_of_another_kind(run, quads):
    stream = quads("urn:1", "urn:2026-01-31T10:00:00Z")
    fails(run(stream=stream), f"{stream}, line 2", "an integer like the stream's other timestamps")


def test_a_range_of_another_kind_than_the_streams_time(run):
    fails(run(range_="PT5M"), "error: ", "datetime")


def test_a_timestamp_without_a_zone(run, quads):
    fails(run(stream=quads("urn:2026-01-31T10:00:00"), range_="PT5M"), "line 1", "add the zone")


def test_a_graph_without_a_time(run, quads):
    fails(run(stream=quads("urn:none")), "line 1", "<urn:none>", "time")


def test_an_abox_out_of_order(run, quads):
    fails(run(stream=quads("urn:5", "urn:2")), "older than the newest", "time order", "--max-ahead excludes")


@pytest.fixture
def inconsistent(tmp_path):
    ontology = tmp_path / "wrong.ttl"
    ontology.write_text(
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <urn:x:> .\n"
        ":A a owl:Class ; owl:disjointWith :B . :B a owl:Class . :i a :A , :B , owl:NamedIndividual ."
    )
    return ontology


def test_an_inconsistent_ontology_is_not_run(run, inconsistent):
    fails(run(ontology=inconsistent), "inconsistent")


def test_an_inconsistent_ontology_does_not_pass_the_check(cli, inconsistent):
    done = cli("check", inconsistent)
    fails(done, "the ontology is inconsistent: 1 contradiction")
    assert re.search(r"Contradiction 1 of 1: .* are disjoint \(.*\)\.\n", done.stdout)


THREE = """
    :m :maker "Acme" , "Bolt" . :maker a owl:DatatypeProperty , owl:FunctionalProperty .
    :tom a :Cat , :Plant . :rex a :Cat , :Plant .
    :Cat rdfs:subClassOf :Animal . :Animal owl:disjointWith :Plant .
    :isIn a owl:ObjectProperty , owl:FunctionalProperty . :cart :isIn :hall , :lobby .
"""


def test_every_contradiction_is_listed_as_text_and_as_json(cli, written):
    path = written(THREE)
    text = cli("check", path).stdout
    place = f"({one_line_path(str(path))})"
    assert text.startswith(
        "The ontology is inconsistent, so it entails everything:\n"
        f'Contradiction 1 of 4: m has two makers, "Acme" and "Bolt"; maker is functional {place}.\n'
        "Contradiction 2 of 4: rex is an animal and a plant, which are disjoint; this follows from: rex is a "
        f"cat {place}.\n"
        "Contradiction 3 of 4: tom is an animal and a plant, which are disjoint; this follows from: tom is a "
        f"cat {place}.\n"
        "Contradiction 4 of 4, under unique names: cart is in two things, hall and lobby; 'is in' is "
        f"functional {place}.\n"
    )
    done = cli("check", path, "--format", "json", "--no-unique-names")
    fails(done, "the ontology is inconsistent: 3 contradictions")
    whole = json.loads(done.stdout)
    assert whole["consistent"] is False
    first, rex, tom = whole["contradictions"]
    assert list(first) == ["text", "unique_names", "assertions", "axioms", "proof"]
    assert [each["text"] for each in rex["assertions"]] == ["rex is a cat", "rex is a plant"]
    assert [each["text"] for each in tom["axioms"]] == [
        "SubClassOf(Cat Animal)",
        "DisjointClasses(Animal Plant)",
    ]
    assert {each["file"] for each in (*tom["axioms"], *tom["assertions"])} == {str(path)}
    assert tom["proof"]["steps"][-1]["kind"] == "contradiction"


def test_of_many_contradictions_the_first_thousand_are_listed_and_all_counted(cli, written):
    path = written(":A owl:disjointWith :B . " + "".join(f":i{n} a :A , :B . " for n in range(1_003)))
    done = cli("check", path)
    assert "\nContradiction 1,000 of 1,003: " in done.stdout
    assert "Contradiction 1,001" not in done.stdout and "\n3 more not shown\n" in done.stdout
    fails(done, "the ontology is inconsistent: 1,003 contradictions")
    data = json.loads(cli("check", path, "--format", "json").stdout)
    assert (len(data["contradictions"]), data["omitted_contradictions"]) == (1_000, 3)


def test_many_contradictions_of_names_are_counted_too(cli, written):
    values = "".join(f":i{n} :p :a , :b . " for n in range(1_003))
    done = cli("check", written(f":p a owl:ObjectProperty , owl:FunctionalProperty . {values}"))
    assert "\nContradiction 1,000 of 1,003: " in done.stdout and "\n3 more not shown\n" in done.stdout


@pytest.mark.parametrize(
    ("options", "exit_code"),
    [
        ((), 0),
        (("--fail-on", "unsatisfiable"), 1),
        (("--fail-on", "lost"), 1),
        (("--fail-on", "inconsistent"), 1),
        (("--fail-on", "inconsistent", "--no-unique-names"), 0),
        (("--fail-on", "inconsistent,lost"), 1),
        (("--fail-on", "inconsistent", "--fail-on", "unsatisfiable"), 1),
        (("--strict",), 1),
        (("--fail-on", "losses"), 2),
    ],
)
def test_the_exit_status_follows_the_conditions(cli, written, options, exit_code):
    path = written(
        ":U rdfs:subClassOf :X , :Y . :X owl:disjointWith :Y . :A rdfs:subClassOf [ owl:unionOf ( :B :C ) ] ."
        ":isIn a owl:ObjectProperty , owl:FunctionalProperty . :cart :isIn :hall , :lobby ."
    )
    done = cli("check", path, *options)
    assert done.exit_code == exit_code
    assert bool(done.stdout) is (exit_code != 2)  # an invalid command line prints no report
    if exit_code == 1:
        named = [each for each in ("unsatisfiable", "lost", "--no-unique-names") if each in done.stderr]
        wanted = {"inconsistent": "--no-unique-names"}
        given = ",".join(each for each in options if not each.startswith("--")) or "lost,inconsistent"
        assert sorted(named) == sorted(wanted.get(each, each) for each in given.split(","))


def test_the_exit_statuses_are_in_the_help(cli):
    assert "Exit statuses: 0, the check succeeds; 1, the ontology is inconsistent" in " ".join(
        cli("check", "--help").stdout.replace("│", " ").split()
    )


def test_an_inconsistency_that_is_derived_is_proved(cli, written):
    path = written(":A owl:disjointWith :B . :C rdfs:subClassOf :B . :i a :A , :C .")
    fails(done := cli("check", path, "--details"), "the ontology is inconsistent: 1 contradiction")
    assert "; this follows from: i is in class C" in done.stdout
    assert "\n    4. a contradiction: nothing is in both classes A and B (from 1, 3 by " in done.stdout


def test_a_missing_import_says_which_options_help(cli, written):
    path = written("<urn:o> a owl:Ontology ; owl:imports <urn:other> .")
    fails(cli("check", path), "<urn:other>", "--catalog", "--imports skip")
    assert "import skipped: <urn:other>" in cli("check", path, "--imports", "skip").stdout


def test_a_malformed_ontology(cli, written):
    path = written(":A :p .")
    fails(cli("check", path), f"error: {path}, line 5: ")


def test_a_missing_import(run, tmp_path):
    ontology = tmp_path / "importing.ttl"
    ontology.write_text(
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n<urn:o> a owl:Ontology ; owl:imports <urn:other> ."
    )
    fails(run(ontology=ontology), "urn:other")
    assert run("--imports", "skip", ontology=ontology).exit_code == 0


@pytest.mark.parametrize("which", ["ontology", "stream"])
def test_a_missing_file(run, which):
    fails(run(**{which: "nowhere.trig"}), "nowhere.trig", "No such file")


@pytest.mark.parametrize("option", ["--query", "--background", "--mapping", "--rules"])
def test_a_missing_file_in_an_option(run, option):
    text = "error: /nonexistent/file.csv cannot be read: No such file or directory"
    fails(run(option, "/nonexistent/file.csv"), text)


@pytest.mark.parametrize("option", ["--output", "--history", "--dead-letters"])
def test_a_missing_folder_of_an_output(run, option):
    done = run(option, "/nonexistent/file.ndjson", "--on-error", "skip")
    fails(done, option, "the folder /nonexistent does not exist; name a file in an existing", code=2)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT * { ?s ?p }", "line 1, column"),
        ("SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }", "SERVICE is refused"),
        ("DELETE WHERE { ?s ?p ?o }", "update"),
    ],
)
def test_a_query_that_is_refused(run, tmp_path, text, reason):
    query = tmp_path / "query.rq"
    query.write_text(text)
    fails(run("--query", query), "error: ", reason)


def test_a_malformed_query_is_named(run, tmp_path):
    query = tmp_path / "query.rq"
    query.write_text("SELECT ?x\n{ ?x ?y }")
    fails(run("--query", query), f"error: {query}: malformed query, line 2, column 9: ")


def test_what_an_ontology_loses_is_told_after_the_answers(run, written, quads):
    stream = quads("urn:1")
    lossy = run(ontology=written(LOSSY), stream=stream)
    assert lossy.exit_code == 0, lossy.output
    assert "1 axiom lost in whole or in part; pantarhei check lists them" in lossy.stderr.splitlines()[-1]
    empty = run(ontology=written(""), stream=stream)
    assert "has no rules and no constraints" in empty.stderr.splitlines()[-1]
    assert len(run(stream=stream).stderr.splitlines()) == 1


def test_where_a_graph_without_a_time_has_one_is_told_as_it_is_typed(run, quads):
    fails(run(stream=quads("urn:none")), "the option --time takes the IRI of another property")


def test_what_is_skipped_names_its_place_once(run, quads):
    lines = run("--on-error", "skip", stream=quads("urn:1", "urn:none")).stderr.splitlines()
    assert lines[1].startswith("  skipped line 2: graph <urn:none> has no time")


def test_a_window_that_holds_no_time_is_refused(run):
    done = run("--closed", "right", range_="0")
    fails(done, "--range 0 is invalid: expected a length above 0 with --closed right", code=2)


def test_a_window_of_another_kind_than_the_streams_time_is_worded(run, quads):
    text = fails(
        run(stream=quads("urn:1"), range_="PT5M"),
        "the timestamp 1",
        "the window's range is 0:05:00; or a number as the range",
    )
    assert "timedelta" not in text
    dates = quads("urn:2026-01-01T00:00:00Z")
    fails(
        run(stream=dates, range_="2.5"),
        "since the window's range is 2.5; or a duration such as 5m as the range",
    )
    text = fails(run("--origin", "2026-01-01T00:00:00Z"), "the timestamp 2026-01-01T00:00:00+00:00")
    assert "datetime" not in text


def test_help_has_the_names_of_all_options_in_full(cli):
    text = cli("run", "--help").stdout
    for name in ("--allowed-lateness", "--no-unique-names", "--stream-format", "spark://host:7077"):
        assert name in text


def test_what_is_late_is_told_which_option_would_wait_for_it(run, quads):
    stream = quads("http://example.org/3", "http://example.org/1")
    fails(run(stream=stream), "wait for them with --allowed-lateness 2, or more")
    fails(run("--allowed-lateness", "1", stream=stream), "than --allowed-lateness 1 permits")


@pytest.mark.parametrize(
    ("error", "typed"),
    [
        (
            OptionError("slide", "5", "no more than range"),
            "--slide 5 is invalid: expected no more than range",
        ),
        (OptionError("unique_names", "False", "True"), "--no-unique-names is invalid: expected True"),
        (OptionError("time", "'clock'", "a name"), "--time clock is invalid: expected a name"),
        (OptionError("master", "'there'", "local[*]"), "--spark there is invalid: expected local[*]"),
        (QueryError("max_facts=10 unique_names=True"), "max_facts=10 unique_names=True"),
        (
            MissingFileError("max_facts.ttl", "no such file"),
            str(MissingFileError("max_facts.ttl", "no such file")),
        ),
        (
            MemoryLimitError("max_facts", 4, 5, "range=5", True),
            str(MemoryLimitError("max_facts", 4, 5, "range=5", True)).replace("max_facts=4", "--max-facts 4"),
        ),
        (
            InvalidRowError(["range=1", "max_facts"], "on_error", "keep=newest"),
            str(InvalidRowError(["range=1", "max_facts"], "on_error", "keep=newest")).replace(
                'on_error="skip"', "--on-error skip"
            ),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_options_stand_as_they_are_typed_and_what_was_given_as_it_was(error, typed):
    with parameters_written(as_option):
        assert str(error) == typed


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--nosuch"], "--nosuch"),
        (["--repair", "maybe"], "maybe"),
        (["--format", "xml"], "xml"),
        (["--slide", "often"], "often"),
        (["--slide", "-1"], "--slide: the duration -1 is invalid"),
        (["--origin", "soon"], "soon"),
        (["--time", "clock"], "clock"),
        (["--output", "answers.xlsx"], "answers.xlsx"),
        (["--slide", "5"], "--slide 5 is invalid"),
        (["--on-limit", "drop"], "drop needs a limit; give --max-facts or --max-bytes"),
    ],
)
def test_wrong_usage(run, arguments, part):
    fails(run(*arguments), part, code=2)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--window-zone", "Europe/Nowhere"], "--window-zone Europe/Nowhere is invalid"),
        (["--window-zone", "UTC", "--slide", "PT1H"], "--slide: the duration 'PT1H' is invalid"),
        (["--window-zone", "UTC", "--origin", "5"], "--origin: the origin 5 is invalid"),
    ],
)
def test_wrong_usage_of_windows_in_days_of_a_zone(run, arguments, part):
    fails(run(*arguments, range_="P1D"), part, code=2)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--stream", PEDALS_STREAM),
        ("--query", PEDALS_QUERY),
        ("--range", "5"),
        ("--catalog", "folder"),
    ],
)
def test_an_option_that_takes_one_value_is_refused_a_second_one(run, option, value):
    given = [option, value] * (1 if option in ("--ontology", "--stream", "--range") else 2)
    fails(run(*given), f"{option}: it is given 2 times; give it once", code=2)


def test_options_of_check_are_given_once_too(cli):
    fails(
        cli("check", PEDALS, "--depth", "1", "--depth", "2"),
        "--depth: it is given 2 times; give it once",
        code=2,
    )


def test_wrong_usage_of_commands(cli):
    fails(cli("fly"), "fly", code=2)
    fails(cli("run"), "Missing option", code=2)
    fails(cli("run", "--ontology", PEDALS, "--stream", PEDALS_STREAM, "--range", "long"), "long", code=2)
    fails(cli("check", PEDALS, "--depth", "-1"), "depth", code=2)


def test_a_stream_without_a_suffix_is_asked_for_its_format(run):
    fails(run(stream="-"), "the format of <stdin> is unknown", "--stream-format (nquads, trig, ", code=2)


def test_a_format_that_is_not_known_is_told_by_an_option_only_where_there_is_one(run, cli, quads, tmp_path):
    path = tmp_path / "file.dat"
    path.write_bytes(quads("urn:1").read_bytes())
    unknown = tmp_path / "ontology.dat"
    unknown.write_text("Class Pump under Machine\n")
    stream = fails(run(stream=path), f"the format of {path} is unknown", ".nquads, .trig, ", code=2)
    assert "the option --stream-format (nquads, trig, " in stream
    answers = fails(
        run("--output", path), ".ndjson", "the option --format (table, ndjson, csv, tsv or parquet)", code=2
    )
    assert "stream" not in answers
    for done in (run(ontology=unknown), run("--background", unknown), cli("check", unknown)):
        assert "option" not in fails(done, f"the format of {unknown} is unknown", ".ttl, ", code=2)


def test_a_stream_in_a_syntax_without_times_is_refused_by_the_name_of_its_option(run):
    fails(run(stream="stream.rdf"), "--stream stream.rdf is invalid", "carry its time", code=2)


@pytest.mark.parametrize("which", ["ontology", "stream"])
def test_what_is_compressed_and_not_unpacked_is_to_be_so_first(run, tmp_path, which):
    pack = {"ontology": gzip.compress, "stream": bz2.compress}[which]
    compression = {"ontology": "gzip", "stream": "bzip2"}[which]
    for name in ("file.nq", "file.nq.gz"):
        path = tmp_path / name
        path.write_bytes(pack(b""))
        fails(run(**{which: path}), f"error: {path}: it is compressed ({compression})", f"{compression} -d")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("alarm(X) :- :hot(X) in [5 lightyears].", ("malformed temporal rules", "line 1, column 27")),
        ("alarm(X) :- :hot(X),\n  not alarm(X).", ("line 2, column 3", "depends on its own absence")),
        ("alarm(X) :- :hot(X) in [5 min].", ("line 1, column 13", "needs a stream with datetimes")),
    ],
)
def test_rules_that_are_refused_are_marked_where_they_are_written(run, cli, tmp_path, text, parts):
    path = tmp_path / "alarms.lars"
    path.write_text(text)
    for done in (run("--rules", path), cli("check", PEDALS, "--rules", path, "--range", "2")):
        assert fails(done, *parts).endswith("^") and done.stdout == ""


def test_a_check_of_nothing_is_wrong_usage(cli):
    fails(cli("check"), "give --ontology, --rules, or both", code=2)
    fails(cli("check", "--rules", ALARMS, "--slide", "5"), "--range", code=2)


def test_an_interrupt_ends_with_a_summary(run, monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr("pantarhei.io.stream_reader.StreamReader.__iter__", interrupted)
    done = run()
    assert done.exit_code == 130
    assert done.stderr.startswith("0 ABoxes")


PROCESS = [sys.executable, "-c", "from pantarhei.cli import main; main()"]


def test_a_closed_pipe_is_no_error(quads):
    stream = quads(*(f"urn:{at}" for at in range(5000)))
    command = [*PROCESS, "run", "--ontology", PEDALS, "--stream", stream, "--range", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) != 0
    process.stderr.close()


@pytest.mark.parametrize("completed", ["", "; [getattr(pantarhei, name) for name in dir(pantarhei)]"])
def test_importing_is_light(completed):
    heavy = "pyspark pandas pyarrow owlready2 rich typer"
    code = f"import pantarhei, sys{completed}; print([m for m in '{heavy}'.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_answer_streams_of_rules_without_strata_are_written_after_each_abox(run, tmp_path):
    rules = tmp_path / "choice.lars"
    rules.write_text("@prefix : <urn:x#> .\non(:a) :- not off(:a).\noff(:a) :- not on(:a).")
    fails(run("--models", "0"), "it computes answer streams of temporal rules; give", code=2)
    query = "SELECT * { ?s ?p ?o }"
    fails(
        run("--rules", rules, "--models", "0", "--query", query),
        "it cannot be combined with --query: answer streams cannot be queried",
        code=2,
    )
    fails(run("--rules", rules), "depends on its own absence")
    done = run("--rules", rules, "--models", "0")
    if importlib.util.find_spec("clingo") is None:
        fails(done, "pip install 'pantarhei[clingo]'")
    else:
        lines = done.stdout.splitlines()
        assert len(lines) == 8 and lines[0].endswith("1 of 2: off(a)") and lines[1].endswith("2 of 2: on(a)")


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("on(:a) :- not off(:a).\noff(:a) :- not on(:a).", True),
        ("on(:a) :- :p(:a).", True),
        ("on(:a) :- off(:a) always in [3].\noff(X) :- on(X).", True),
        ("remember on.\non(:a) :- not off(:a).\noff(:a) :- not on(:a).", False),
        ("ped:Car(:a) :- not off(:a).\noff(:a) :- not ped:Car(:a).", False),
        ("on(X) :- not off(X).\noff(X) :- not on(X).", False),
        ("on(:a) :- :p(:a) in [5 min].", False),
        ("on(:a) :- :p(:a) in [5 lightyears].", False),
    ],
)
def test_check_takes_the_rules_that_run_takes_with_models(cli, run, tmp_path, text, taken):
    path = tmp_path / "choice.lars"
    path.write_text(f"@prefix : <urn:x#> .\n@prefix ped: <http://example.org/pedals#> .\n{text}")
    checked = cli("check", PEDALS, "--rules", path, "--models", "0", "--range", "2")
    assert (checked.exit_code == 0) is taken, checked.output
    ran = run("--rules", path, "--models", "0")
    if taken:
        assert ran.exit_code == 0 or "pip install 'pantarhei[clingo]'" in ran.stderr
    else:
        assert (ran.exit_code, ran.stderr) == (1, checked.stderr)
    fails(cli("check", PEDALS, "--rules", path, "--models", "0", "--feedback"), "--feedback", code=2)


def test_models_are_those_of_rules_in_a_check(cli):
    fails(cli("check", PEDALS, "--models", "0"), "give", code=2)


BFO = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:BFO_2 a owl:Class ; rdfs:label "continuant"@en , "Kontinuante"@de .
:BFO_4 a owl:Class ; skos:prefLabel "independent continuant"@en ; rdfs:subClassOf :BFO_2 ,
    [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :BFO_2 ] .
:p a owl:ObjectProperty ; rdfs:label "part of"@en . :m a :BFO_4 ."""
KONTINUANTE = """\
m is in class 'Kontinuante':
m is in class 'Kontinuante' [1]
└─ because m is an independent continuant (always so)
It needs no assertion: it always holds.
By the axioms:
[1] 'independent continuant' SubClassOf 'Kontinuante' (bfo.ttl)
"""


@pytest.fixture
def bfo(tmp_path, monkeypatch):
    """A file with labels, below the working directory, in an environment without a language."""
    (tmp_path / "bfo.ttl").write_text(BFO)
    monkeypatch.chdir(tmp_path)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "bfo.ttl"


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        (("--language", "de"), {}),
        (("--language", "de-AT"), {}),
        (("--language", "fr", "--language", "de"), {}),
        ((), {"LANG": "de_DE.UTF-8"}),
        ((), {"LC_ALL": "de_CH", "LANG": "en_GB"}),
        (("--language", "de"), {"LANG": "en_GB"}),
    ],
)
def test_names_are_shown_in_the_language_of_the_user(cli, bfo, options, environment):
    done = cli("explain", "--ontology", bfo, ":m a :BFO_2", *options, env=environment)
    assert done.stdout == KONTINUANTE


def test_without_a_language_labels_are_in_english(cli, bfo):
    done = cli("explain", "--ontology", bfo, ":m a :BFO_2", env={"LANG": "C.UTF-8"})
    english = KONTINUANTE.replace("in class 'Kontinuante'", "a continuant").replace(
        "Kontinuante", "continuant"
    )
    assert done.stdout == english
    fails(cli("check", bfo, "--language", "de_DE"), "--language", "de-AT", code=2)


def test_a_check_shows_labels_and_manchester_syntax(cli, bfo):
    text = cli("check", bfo).stdout
    assert "\n      'independent continuant' SubClassOf 'part of' some 'continuant'\n" in text
    assert "BFO_" not in text
    details = cli("check", bfo, "--details").stdout
    assert "rules: 'independent continuant' SubClassOf 'continuant'\n    BFO_2(?x) :- BFO_4(?x)." in details
    whole = json.loads(cli("check", bfo, "--format", "json", "--language", "de").stdout)
    shown = {(axiom["axiom"], axiom["manchester"], axiom["label"]) for axiom in whole["axioms"]}
    assert shown == {
        (
            "SubClassOf(BFO_4 BFO_2)",
            "'independent continuant' SubClassOf 'Kontinuante'",
            "independent continuant",
        ),
        (
            "SubClassOf(BFO_4 ObjectSomeValuesFrom(p BFO_2))",
            "'independent continuant' SubClassOf 'part of' some 'Kontinuante'",
            "independent continuant",
        ),
    }
    assert {axiom["source"] for axiom in whole["axioms"]} == {"bfo.ttl"} == set(whole["documents"])
