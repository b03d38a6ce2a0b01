"""One spelling of one thing at every door: durations, options of commands, graphs."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import typer
from rdflib import RDF, Graph, Namespace, URIRef, Variable
from typer.testing import CliRunner

import pantarhei as pr
from pantarhei.cli.commands import app
from pantarhei.cli.given_values import length_of, seconds_given
from pantarhei.errors import MissingFileError, OptionError, PantarheiError, TimestampError
from pantarhei.model.time import TimeKind, duration_ticks
from pantarhei.query.languages import read_stream_text
from pantarhei.query.planner import limited
from pantarhei.temporal.builder import predicate
from pantarhei.window.calendar import calendar_length

ROOT = Path(__file__).parents[2]
PEDALS, PARKING = (ROOT / "ontologies" / f"{name}.ttl" for name in ("pedals", "parking"))
EX = Namespace("http://example.org/")
AT = datetime(2026, 3, 1, tzinfo=UTC)
ONTOLOGY = pr.load_ontology(Graph())
FIVE_MINUTES = ["5m", "5 min", "PT5M", "300 s", "5 minutes", "0h 5m", "PT300S"]
DAYS = ["1d", "1 day", "P1D", timedelta(days=1)]


def reasoner(window="1h", **options):
    return pr.StreamReasoner(ONTOLOGY, pr.Window(range=window), **options)


def facts(name):
    return [(EX.a, EX.p, EX[name])]


def by_range(given):
    lasting = pr.StreamReasoner(ONTOLOGY, pr.Window(range=given))
    lasting.push(AT, facts("b"))
    lasting.push(AT + timedelta(minutes=5), facts("c"))
    held = len(lasting.graph)
    lasting.push(AT + timedelta(minutes=5, microseconds=1), facts("d"))
    return held, len(lasting.graph)


def by_slide(given):
    window = pr.Window(range="1h", slide=given)
    return window.next_boundary(TimeKind.DATETIME, 1)


def disordered(minutes, **options):
    """Return the times of the updates, and of the ABoxes that are late or too far ahead."""
    stream = [(AT + timedelta(minutes=minute), facts(str(minute))) for minute in minutes]
    refused = []
    options["on_late"] = lambda at, _: refused.append(at)
    if "max_ahead" in options:
        options["on_ahead"] = options["on_late"]
    return [update.at for update in reasoner().run(stream, **options)], refused


def by_lateness(given):
    return disordered([0, 6, 1, 0.5, 20], allowed_lateness=given)


def by_advance(given):
    return disordered([0, 5, 10.5, 6, 7, 8], max_ahead=given)


def by_period(given):
    observed = reasoner()
    query = observed.register("SELECT ?x { ?x ?p ?y }", on=given)
    return [
        AT + timedelta(minutes=minute)
        for minute in range(1, 12)
        if observed.push(AT + timedelta(minutes=minute), facts(str(minute))).answers.get(query.name)
    ]


def by_rule_text(given):
    return str(pr.load_rules(f"alarm(X) :- hot(X) in [{given}].", prefixes={"": EX}))


def by_rule_window(given):
    return str(predicate(EX.hot)(Variable("X")).within(given))


def by_query_text(given):
    return read_stream_text(
        f"SELECT ?x FROM STREAM <urn:s> [RANGE {given} STEP {given}] {{ ?x a ?c }}"
    ).windows


DOORS = {
    "Window(range)": by_range,
    "Window(slide)": by_slide,
    "run(allowed_lateness)": by_lateness,
    "run(max_ahead)": by_advance,
    "register(on)": by_period,
    "temporal rules": by_rule_text,
    "rules in Python": by_rule_window,
    "stream languages": by_query_text,
    "query(timeout)": lambda given: limited(given).timeout,
    "a duration of the command line": lambda given: length_of(given, "--range"),
    "--query-timeout": seconds_given,
    "duration_ticks": lambda given: duration_ticks(given, TimeKind.DATETIME),
}


@pytest.mark.parametrize("door", DOORS)
def test_each_spelling_of_a_duration_has_one_meaning_at_each_door(door):
    first, *others = (DOORS[door](given) for given in FIVE_MINUTES)
    assert all(other == first for other in others)
    assert DOORS[door]("6m") != first


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("given", ["5 minuts", "P1Y", "3 years"])
def test_each_door_refuses_another_text_and_names_valid_forms(door, given):
    with pytest.raises(Exception) as raised:
        DOORS[door](given)
    text = str(raised.value)
    assert isinstance(raised.value, PantarheiError | ValueError) or "BadParameter" in repr(raised.value)
    assert "PT5M" in text or "PT5S" in text, text


@pytest.mark.parametrize("given", [*FIVE_MINUTES, timedelta(minutes=5)])
def test_a_checkpoint_keeps_the_window(given, tmp_path):
    saved = reasoner(given)
    saved.push(AT, facts("b"))
    saved.checkpoint(tmp_path / "state")
    restored = pr.StreamReasoner.restore(tmp_path / "state", ONTOLOGY)
    restored.push(AT + timedelta(minutes=5), facts("c"))
    assert len(restored.graph) == 2
    restored.push(AT + timedelta(minutes=5, microseconds=1), facts("d"))
    assert len(restored.graph) == 2


@pytest.mark.parametrize("given", DAYS)
def test_a_window_in_calendar_days_takes_each_spelling(given):
    berlin = pr.Window(range=given, slide=given, zone="Europe/Berlin")
    assert berlin.content_at(TimeKind.DATETIME, 0) == pr.Window("P1D", zone="Europe/Berlin").content_at(
        TimeKind.DATETIME, 0
    )


@pytest.mark.parametrize(("given", "months"), [("1 month", 1), ("P1M", 1), ("1 year", 12), ("P1Y", 12)])
def test_months_measure_windows_in_a_zone_only(given, months):
    assert calendar_length(given).months == months
    with pytest.raises(TimestampError, match="months and years vary in length"):
        pr.Window(range=given)


@pytest.mark.parametrize("given", [5, 5.0, "PT5S", "5s", timedelta(seconds=5)])
def test_a_timeout_is_in_seconds_or_a_duration(given):
    assert reasoner().query("SELECT ?s { ?s ?p ?o }", timeout=given) is not None
    assert limited(given).timeout == 5


@pytest.mark.parametrize("given", [0, -1, "0s", "soon", "5", True, timedelta(0), []])
def test_other_timeouts_are_refused(given):
    with pytest.raises(OptionError, match=r"timeout=.* a duration such as 5s or PT5S"):
        limited(given)


COMMANDS = {
    name: {each.name: each for each in command.params}
    for name, command in typer.main.get_command(app).commands.items()
    if name != "demo"
}


@pytest.mark.parametrize("name", sorted({name for params in COMMANDS.values() for name in params}))
def test_an_option_is_spelled_and_described_alike_by_all_commands(name):
    found = [params[name] for params in COMMANDS.values() if name in params]
    spellings = {tuple(sorted(each.opts)) for each in found if not each.hidden}
    assert len(spellings) <= 1
    if name not in ("ontology", "stream", "format", "output"):
        assert len({each.metavar for each in found}) == 1


@pytest.mark.parametrize("command", ["run", "explain", "timeline", "check"])
def test_each_command_takes_ontologies_by_the_same_option(command):
    option = COMMANDS[command]["ontology"]
    assert option.opts == ["--ontology"] and option.multiple


@pytest.mark.parametrize(
    "given",
    [
        ("--ontology", PEDALS, "--ontology", PARKING),
        (PEDALS, PARKING),
        (PEDALS, "--ontology", PARKING),
        ("--ontology", PARKING, PEDALS),
    ],
)
def test_check_joins_the_files_of_the_option_and_of_the_arguments(given):
    result = CliRunner().invoke(app, ["check", *map(str, given)])
    expected = CliRunner().invoke(app, ["check", str(PEDALS), str(PARKING)])
    assert result.exit_code == 0
    assert sorted(result.stdout.splitlines()[:2]) == sorted(expected.stdout.splitlines()[:2])


@pytest.mark.parametrize("option", ["--stream-format", "--format"])
def test_map_takes_the_format_of_a_table_as_run_does(option, tmp_path):
    (tmp_path / "readings").write_text("at,x\n1,2\n")
    result = CliRunner().invoke(app, ["map", str(tmp_path / "readings"), option, "csv"])
    assert result.exit_code == 0 and "column: at" in result.stdout


def test_a_format_that_is_missing_is_asked_for_by_the_visible_option(tmp_path):
    (tmp_path / "readings").write_text("at,x\n1,2\n")
    result = CliRunner().invoke(app, ["map", str(tmp_path / "readings")])
    assert result.exit_code == 2 and "--stream-format" in result.stderr


KEPT = "SELECT ?x FROM <http://example.org/g> FROM STREAM <urn:s> [RANGE 4 STEP 2] { ?x ?p ?y }"
PUMPS = pr.load_ontology(
    Graph().parse(
        data="""@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :p rdfs:domain :Pump ."""
    )
)
FACT = (EX.a, EX.p, EX.b)


def pushed(given):
    taking = pr.StreamReasoner(PUMPS, pr.Window(range=1))
    taking.push(1, given)
    return set(taking.graph)


def changed(given):
    graph = pr.DynamicGraph(PUMPS)
    graph.change(insert=given)
    inserted = set(graph.graph)
    graph.change(delete=given)
    return inserted, set(graph.graph)


def answered(given):
    stream = [(1, [(EX.c, EX.p, EX.d)]), (5, [])]
    query = pr.register(KEPT, streams={"urn:s": stream}, static={str(EX.g): given})
    return [report.added for report in query.run()]


def restored(given):
    source = pr.StreamReasoner(PUMPS, pr.Window(range=1), [FACT]).snapshot()
    return set(pr.StreamReasoner.restore(source, PUMPS, background=given).graph)


GRAPH_DOORS = {
    "StreamReasoner(background)": lambda given: set(
        pr.StreamReasoner(PUMPS, pr.Window(range=1), given).graph
    ),
    "StreamReasoner.restore(background)": restored,
    "StreamReasoner.push": pushed,
    "DynamicGraph(background)": lambda given: set(pr.DynamicGraph(PUMPS, given).graph),
    "DynamicGraph.change": changed,
    "Foundation.of(background)": lambda given: pr.Foundation.of(PUMPS, given).background.facts.tolist(),
    "ontology.entails": lambda given: PUMPS.with_background(given)[0].entails(given),
    "ontology.with_background": lambda given: set(PUMPS.with_background(given)[1]),
    "ontology.sharding_report(background)": lambda given: PUMPS.sharding_report(background=given).to_json(),
    "register(static)": answered,
    "abox_stream": lambda given: [(at, set(abox)) for at, abox in pr.abox_stream([(1, given)])],
    "load_ontology": lambda given: set(pr.load_ontology(given).triples),
}


@pytest.fixture
def facts_file(tmp_path):
    Graph().add(FACT).serialize(tmp_path / "facts.ttl", format="turtle")
    return tmp_path / "facts.ttl"


@pytest.mark.parametrize("door", GRAPH_DOORS)
def test_each_door_for_graphs_takes_files(door, facts_file, monkeypatch):
    take = GRAPH_DOORS[door]
    expected = take(Graph().add(FACT))
    monkeypatch.chdir(facts_file.parent)
    for given in (facts_file, str(facts_file), "facts.ttl", facts_file.parent, "*.ttl", [facts_file]):
        assert take(given) == expected


@pytest.mark.parametrize("door", GRAPH_DOORS)
def test_each_door_for_graphs_names_a_missing_file(door, tmp_path):
    with pytest.raises(MissingFileError, match=r"missing\.ttl"):
        GRAPH_DOORS[door](tmp_path / "missing.ttl")
    with pytest.raises(MissingFileError, match="neither a graph nor a file"):
        GRAPH_DOORS[door]("neither a graph nor a file")


@pytest.mark.parametrize("door", GRAPH_DOORS)
def test_each_door_for_graphs_refuses_a_text_of_rdf(door):
    with pytest.raises(OptionError, match=r"rdflib.Graph\(\).parse\(data=text, format=…\)"):
        GRAPH_DOORS[door]("@prefix : <urn:x#> .\n:a :b :c .\n")


def test_axioms_in_a_file_of_background_are_explained_with_the_name_of_the_file(tmp_path):
    Graph().parse(
        data="""@prefix : <urn:x#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :p rdfs:range :Tank . :a :p :b ."""
    ).serialize(tmp_path / "more.ttl", format="turtle")
    held = pr.StreamReasoner(PUMPS, pr.Window(range=1), tmp_path / "more.ttl")
    held.push(1, [FACT])
    tank = (URIRef("urn:x#b"), RDF.type, URIRef("urn:x#Tank"))
    assert tank in held.graph and "more.ttl" in str(held.explain(tank))
