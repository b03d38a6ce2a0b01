"""`pantarhei run --spark`: what `pantarhei run` answers, and errors in one line."""

from __future__ import annotations

import json
import os
import re
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rdflib import RDF
from typer.testing import CliRunner

from pantarhei.cli import app
from pantarhei.errors import JavaNotFoundError, MasterUnreachableError
from pantarhei.spark.materialize_files import TableFiles

ROOT = Path(__file__).parents[3]
GENERATE = ROOT / "examples" / "building" / "generate.py"
SPARK = ("--spark", "local[2]")
PROCESS = [sys.executable, "-c", "from pantarhei.cli import main; main()"]


@pytest.fixture
def run(spark, monkeypatch):
    """Runs with and without Spark, from the root of the repository."""
    monkeypatch.chdir(ROOT)

    def invoke(*arguments, ontology="ontologies/pedals.ttl", stream, range_="2"):
        given = ["run", "--ontology", ontology, "--stream", stream, "--range", range_, *arguments]
        return CliRunner().invoke(app, list(map(str, given)))

    return invoke


@pytest.fixture
def quads(tmp_path):
    """A file of pedal readings in N-Quads, one line a graph's name (or a line as it is)."""
    reading = f"<urn:x> <{RDF.type}> <http://example.org/pedals#GasPedalPressed>"

    def write(*lines, name="stream.nq"):
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" if " " in line else f"{reading} <{line}> .\n" for line in lines))
        return path

    return write


@pytest.fixture(scope="module")
def building(tmp_path_factory):
    folder = tmp_path_factory.mktemp("building")
    stream, background = folder / "readings.nq", folder / "background.ttl"
    arguments = ["--readings", "2000", "--sensors", "150", "--rooms", "50", "--out", stream]
    subprocess.run([sys.executable, GENERATE, *arguments, "--background", background], check=True)
    return stream, background


# the same


def test_tables_give_the_same_bytes(run, tmp_path, monkeypatch):
    """Two files, read side by side and in parts, with a bad row in each."""
    monkeypatch.setattr("pantarhei.spark.materialize_files.SMALLEST_PART", 1_000)
    monkeypatch.setattr("pantarhei.io.tables.csv_table.BLOCK", 200)
    divided, parts = [], TableFiles.parts
    monkeypatch.setattr(TableFiles, "parts", lambda *asked: divided.append(parts(*asked)) or divided[-1])
    generate = runpy.run_path(str(ROOT / "examples" / "parking" / "generate.py"))
    header, *rows = [",".join(map(str, row)) for row in (generate["COLUMNS"], *generate["rows"](7, 60))]
    tables = tmp_path / "tables"
    tables.mkdir()
    for number, part in enumerate((rows[: len(rows) // 6], rows[len(rows) // 6 :])):
        lines = [header, *part, part[-1].replace("2026-", "sometime ")]
        (tables / f"{number}.csv").write_text("".join(f"{line}\n" for line in lines))
    asked = {"stream": tables, "ontology": "ontologies/parking.ttl", "range_": "PT10M"}
    given = ["--mapping", "examples/parking/mapping.yaml", "--query", "examples/parking/query.rq"]
    skipping = [*given, "--on-error", "skip", "--format", "ndjson"]
    here, there = run(*skipping, **asked), run(*skipping, *SPARK, **asked)
    assert (there.exit_code, there.stdout) == (0, here.stdout)
    assert here.stdout.count("\n") > 50 and len(divided[0]) > 2
    assert "0.csv, line" in there.stderr and "1.csv, line" in there.stderr
    here, there = run(*given, **asked), run(*given, *SPARK, **asked)
    assert here.exit_code == there.exit_code == 1
    assert there.stderr == here.stderr.splitlines(keepends=True)[-1]
    assert there.stdout == ""
    refused = run(*given, *SPARK, "--time", "graph", **asked)
    assert refused.exit_code == 2 and "set it in the mapping" in " ".join(
        refused.stderr.replace("│", " ").split()
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--query", "examples/pedals/query.rq", "--repairs"],
        ["--query", "examples/pedals/query.rq", "--format", "csv"],
        ["--format", "ndjson", "--closed", "right", "--keep", "every"],
        ["--no-unique-names", "--repair", "off", "--slide", "2", "--origin", "1"],
    ],
)
def test_the_pedals_give_the_same_bytes(run, arguments):
    stream = "examples/pedals/stream.trig"
    here, there = run(*arguments, stream=stream), run(*arguments, *SPARK, stream=stream)
    assert here.exit_code == 0, here.output
    assert here.stdout.count("\n") >= 4
    assert (there.exit_code, there.stdout, there.stderr) == (0, here.stdout, here.stderr)


def test_temporal_rules_conclude_the_same(run):
    arguments = ["--slide", "PT30S", "--rules", "examples/reactor/alarms.lars"]
    given = {"ontology": "ontologies/reactor.ttl", "stream": "examples/reactor/shift.trig", "range_": "PT1M"}
    here, there = run(*arguments, **given), run(*arguments, *SPARK, **given)
    assert "+ callOut(vessel)" in here.stdout
    assert (there.exit_code, there.stdout, there.stderr) == (0, here.stdout, here.stderr)


def test_the_reactor_gives_the_same_bytes(run):
    arguments = ["--slide", "PT30S", "--repairs", "--query", "examples/reactor/query.rq", "--format", "csv"]
    given = {"ontology": "ontologies/reactor.ttl", "stream": "examples/reactor/stream.trig", "range_": "PT1M"}
    here, there = run(*arguments, **given), run(*arguments, *SPARK, **given)
    assert here.exit_code == 0, here.output
    assert "removed " in here.stderr
    assert (there.exit_code, there.stderr) == (0, here.stderr)
    assert sorted(there.stdout.splitlines()) == sorted(here.stdout.splitlines())


@pytest.mark.parametrize("time_", ["auto", "graph"])
def test_the_building_gives_the_same_answers_and_the_same_summary(run, building, monkeypatch, time_):
    monkeypatch.setattr("pantarhei.spark.materialize_files.SMALLEST_PART", 50_000)
    stream, background = building
    query = ["--query", "examples/building/query.rq", "--format", "ndjson", "--time", time_]
    given = {"ontology": "ontologies/building.ttl", "stream": stream, "range_": "PT10M"}
    arguments = ["--background", background, "--slide", "PT1M"]
    for more in (query, ["--format", "ndjson", "--time", time_]):
        here = run(*arguments, *more, **given)
        there = run(*arguments, *more, *SPARK, **given)
        assert here.exit_code == 0, here.output
        assert (there.exit_code, there.stderr) == (0, here.stderr)
        rows, expected = there.stdout.splitlines(), here.stdout.splitlines()
        assert len(expected) > 30
        assert [json.loads(row)["at"] for row in rows] == [json.loads(row)["at"] for row in expected]
        assert sorted(rows) == sorted(expected)
    assert " 0 cut" not in here.stderr


def test_times_are_as_they_were_given_and_blank_nodes_apart_in_each_graph(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "o.ttl").write_text("<urn:p> a <http://www.w3.org/2002/07/owl#ObjectProperty> .")
    (tmp_path / "q.rq").write_text("SELECT ?s ?o { ?s <urn:p> ?o } ORDER BY ?s ?o")
    (tmp_path / "s.nq").write_text(
        "_:a <urn:p> _:b <urn:at:2026-01-31T11:00:00.000001+01:00> .\n"
        "_:a <urn:p> _:a <urn:at:2026-01-31T10:00:00.000001Z> .\n"
        "_:a <urn:p> <urn:c> <urn:at:2026-01-31T12:00:00+01:00> .\n"
    )
    arguments = ["--query", "q.rq", "--format", "csv"]
    given = {"ontology": "o.ttl", "stream": "s.nq", "range_": "PT2H"}
    here, there = run(*arguments, **given), run(*arguments, *SPARK, **given)
    assert here.stdout.splitlines()[1].startswith("2026-01-31T11:00:00.000001+01:00,_:")
    assert there.stderr == here.stderr
    assert relabelled(there.stdout) == relabelled(here.stdout)
    assert len(set(LABEL.findall(there.stdout))) == 4


LABEL = re.compile(r"_:\w[\w-]*")


def relabelled(text):
    """Blank nodes numbered as they appear: their labels are nobody's business."""
    numbers = {}
    return LABEL.sub(lambda match: f"_:{numbers.setdefault(match[0], len(numbers))}", text)


def test_a_graph_that_asserts_nothing_moves_time_on(run, tmp_path):
    stream = tmp_path / "s.trig"
    stream.write_text(
        "@prefix p: <http://www.w3.org/ns/prov#> .\n"
        "<urn:a> { <urn:a> <urn:b> <urn:c> ; p:generatedAtTime 1 . }\n"
        "<urn:b> { <urn:b> p:generatedAtTime 5 . } <urn:c> { <urn:c> p:generatedAtTime 4 . }"
    )
    here, there = run("--allowed-lateness", "2", stream=stream), run(*SPARK, stream=stream)
    assert [line.split()[0] for line in here.stdout.splitlines()] == ["1", "4", "5"]
    assert "window 2 to 4, 1 timestamp expired" in here.stdout
    assert (there.stdout, there.stderr) == (here.stdout, here.stderr)


def test_a_stream_that_asserts_nothing_has_updates_all_the_same(run, tmp_path):
    stream = tmp_path / "s.trig"
    time_ = '<http://www.w3.org/ns/prov#generatedAtTime> "2026-01-31T10:00:00Z"'
    stream.write_text(f"<urn:a> {{ <urn:a> {time_} }}")
    here, there = (run(*more, stream=stream, range_="PT5M") for more in ((), SPARK))
    assert here.stdout.startswith("2026-01-31T10:00:00Z  window 2026-01-31T09:55:00Z to ")
    assert (there.stdout, there.stderr) == (here.stdout, here.stderr)


# what is different: order, folders, standard input


def test_a_folder_in_no_order_is_put_in_order_and_what_is_skipped_is_counted(run, quads, tmp_path):
    quads("urn:9", "not a quad", "urn:5", name="a.nq")
    quads("urn:1", "urn:none", "urn:5", "urn:2026-01-31T10:00:00", name="b.nq")
    there = run("--on-error", "skip", "--format", "csv", *SPARK, stream=tmp_path)
    assert there.exit_code == 0, there.output
    assert [line.split(",")[0] for line in there.stdout.splitlines()] == ["at", "1", "5", "9"]
    lines = there.stderr.splitlines()
    assert lines[0].startswith("3 ABoxes, 4 assertions, 0 facts cut, 3 skipped, ")
    assert lines[1].startswith(f"  skipped {tmp_path}/a.nq, line 2: ")
    assert [line.split(":")[0] for line in lines[2:]] == [
        f"  skipped {tmp_path}/b.nq, line {n}" for n in (2, 4)
    ]
    assert run("--on-error", "skip", *SPARK, stream=tmp_path / "[ab].nq").stderr == there.stderr


def test_one_file_names_its_lines_as_without_spark(run, quads):
    stream = quads("urn:1", "not a quad", "urn:none", "urn:5")
    here, there = (run("--on-error", "skip", *more, stream=stream) for more in ((), SPARK))
    assert "2 skipped" in here.stderr and "  skipped line 2: " in here.stderr
    assert (there.stdout, there.stderr) == (here.stdout, here.stderr)


def test_a_stream_without_an_abox_is_read_to_its_end(run, quads):
    there = run("--on-error", "skip", *SPARK, stream=quads("not a quad", "nor this one"))
    assert there.exit_code == 0, there.output
    assert there.stderr.startswith("0 ABoxes, 0 assertions, 0 facts cut, 2 skipped, ")


# errors


@pytest.mark.parametrize(
    "lines",
    [
        ["urn:1", "this is not a quad"],
        ["urn:1", "urn:2", "urn:none"],
        ["urn:1", "urn:2026-01-31T10:00:00Z"],
        ["not a quad"],
    ],
)
def test_errors_in_the_stream_are_the_same_line(run, quads, lines):
    stream = quads(*lines)
    here, there = (run(*more, stream=stream) for more in ((), SPARK))
    assert here.exit_code == 1
    assert here.stderr.startswith("error: ")
    assert there.exit_code == 1
    assert (there.stderr, there.stdout) == (here.stderr, "")


def test_a_window_that_does_not_fit_the_times_is_found_out_before_spark_works(run, quads, monkeypatch):
    monkeypatch.setattr("pantarhei.spark.sessions.session", None)
    done = run(*SPARK, stream=quads("urn:1"), range_="PT5M")
    assert done.exit_code == 1
    assert "expected a datetime with a time zone" in done.stderr


@pytest.mark.parametrize(
    ("stream", "arguments", "part", "code"),
    [
        ("-", [], "--stream - is invalid: expected a file, a folder or a glob", 2),
        ("nowhere.nq", [], "nowhere.nq: No such file", 1),
        ("nowhere*.nq", [], "nowhere*.nq: No file matches", 1),
        ("README.md", [], "the format of README.md is unknown", 2),
        ("README.md", [], "the option --stream-format (nquads or trig)", 2),
        ("examples/pedals/stream.trig", ["--time", "clock"], "clock", 2),
    ],
)
def test_streams_that_cannot_be_read_are_refused_in_one_line(run, stream, arguments, part, code):
    done = run(*SPARK, *arguments, stream=stream)
    assert done.exit_code == code
    assert part in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            JavaNotFoundError(["there is none"], 17),
            "error: Spark needs Java 17 or newer: there is none; install",
        ),
        (
            MasterUnreachableError("spark://h:7077", ["h:7077: refused"]),
            "responds at spark://h:7077: h:7077: ref",
        ),
    ],
)
def test_that_spark_cannot_start_is_said_in_one_line(run, monkeypatch, error, line):
    def session(master):
        raise error

    monkeypatch.setattr("pantarhei.spark.sessions.session", session)
    done = run(*SPARK, stream="examples/pedals/stream.trig")
    assert (done.exit_code, done.stdout) == (1, "")
    assert line in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_master_that_is_not_there_is_said_in_one_line():
    stream = [
        "--ontology",
        "ontologies/pedals.ttl",
        "--stream",
        "examples/pedals/stream.trig",
        "--range",
        "2",
    ]
    command = [*PROCESS, "run", *stream, "--spark", "spark://127.0.0.1:1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: no Spark master responds at spark://127.0.0.1:1: 127.0.0.1:1: ")
    assert done.stderr.count("\n") == 1


def failing(batches):
    yield from batches
    raise RuntimeError("no room left")


def test_what_a_worker_raises_is_one_line(run, monkeypatch):
    def by_timestamp(df, *_):
        return df.mapInArrow(failing, df.schema)

    monkeypatch.setattr("pantarhei.spark.materialize_files.by_timestamp", by_timestamp)
    done = run(*SPARK, stream="examples/pedals/stream.trig")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "error: a worker failed: RuntimeError: no room left\n"


def test_plain_runs_do_not_load_spark():
    code = (
        "import sys; from pantarhei.cli import app\n"
        "try: app(sys.argv[1:])\n"
        "finally: print([name for name in ('pyspark', 'py4j', 'pantarhei.spark') if name in sys.modules])"
    )
    arguments = ["run", "--ontology", "ontologies/pedals.ttl", "--stream", "examples/pedals/stream.trig"]
    command = [sys.executable, "-c", code, *arguments, "--range", "2", "--output", os.devnull]
    done = subprocess.run(
        [*command, "--format", "csv"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "[]\n", done.stderr


def processes(session_id):
    listed = ["ps", "-s", str(session_id), "-o", "args="]
    return subprocess.run(listed, capture_output=True, text=True, check=False).stdout


@pytest.mark.long
def test_an_interrupt_while_spark_works_ends_with_a_summary_and_nothing_else(tmp_path):
    fifo = tmp_path / "stream.nq"
    os.mkfifo(fifo)
    window = ["--ontology", "ontologies/pedals.ttl", "--range", "2"]
    process = subprocess.Popen(
        [*PROCESS, "run", *window, "--stream", fifo, *SPARK],
        cwd=ROOT, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        fifo.write_text("<urn:a> <urn:b> <urn:c> <urn:at:1> .\n")  # tells the kind of its times
        while processes(process.pid).count("pyspark.daemon") < 2:  # a worker, who waits for the rest
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        out, text = process.communicate()
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert out == ""
    assert text.startswith("0 ABoxes, 0 assertions, 0 facts cut, 0 skipped, ")
    assert text.count("\n") == 1
