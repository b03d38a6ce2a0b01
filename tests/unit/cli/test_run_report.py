"""Input never ends a run that skips errors, whatever other options say; what is left out is said and kept."""

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from rdflib import RDF, Namespace, URIRef, Variable
from typer.testing import CliRunner

import pantarhei.cli.run_report as summary_module
from counts import some
from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.cli.commands import app
from pantarhei.cli.given_values import length_of
from pantarhei.cli.run_report import SHOWN, ConflictProofs, SkipReport, cut_lines, is_live
from pantarhei.model.message_text import DisplayNames
from pantarhei.model.rule import Atom, Origin, Rule
from strategies import A, a

ONTOLOGY = (
    "@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . :A a owl:Class ."
)
MAPPING = {
    "prefixes": {"": "http://example.org/"},
    "time": {"column": "at", "unit": "number"},
    "mappings": {"reading": {"s": ":$(who)", "po": [[":v", "$(value)", "xsd:integer"]]}},
}
RULES = "@prefix : <http://example.org/> .\nhigh(X) :- :v(X, V), V > 5."


@pytest.fixture
def files(tmp_path):
    (tmp_path / "o.ttl").write_text(ONTOLOGY)
    (tmp_path / "m.yaml").write_text(json.dumps(MAPPING))
    (tmp_path / "r.lars").write_text(RULES)
    (tmp_path / "q.rq").write_text("SELECT ?s { ?s ?p ?o }")
    return tmp_path


FORMATS = {
    "nquads": (lambda at: f"<{a}> <{RDF.type}> <{A}> <urn:at:{at}> .\n", "this is no quad\n"),
    "csv": (lambda at: f"{at},x,7\n", "soon,x,7\n"),
    "jsonl": (lambda at: json.dumps({"at": at, "who": "x", "value": 7}) + "\n", "{no json\n"),
}


def text_of(format_, times):
    row, bad = FORMATS[format_]
    header = "at,who,value\n" if format_ == "csv" else ""
    return header + "".join(bad if at is None else row(at) for at in times)


def run(files, format_, times, *more, as_file=False, range_="5"):
    """What `pantarhei run` does with rows of these times; None is a malformed one."""
    stream, text = "-", text_of(format_, times)
    if as_file:
        (files / "stream").write_text(text)
        stream = str(files / "stream")
    given = ["--ontology", files / "o.ttl", "--stream", stream, "--stream-format", format_, "--range", range_]
    mapped = [] if format_ == "nquads" else ["--mapping", files / "m.yaml"]
    arguments = ["run", *given, *mapped, "--format", "ndjson", *more]
    done = CliRunner().invoke(app, list(map(str, arguments)), input=text)
    return done, [json.loads(line)["at"] for line in done.stdout.splitlines()]


@pytest.mark.parametrize("as_file", [False, True])
@pytest.mark.parametrize("lateness", [None, "0", "2"])
@pytest.mark.parametrize("max_ahead", [None, "50"])
@pytest.mark.parametrize("more", [(), ("--rules", "r.lars"), ("--query", "q.rq"), ("--emit", "changes")])
@pytest.mark.parametrize("format_", FORMATS)
def test_no_row_ends_a_run_that_skips_errors(files, format_, lateness, max_ahead, more, as_file):
    if more == ("--emit", "changes"):
        more = (*more, "--query", "q.rq")
    more = [str(files / each) if "." in each else each for each in more]
    options = [] if lateness is None else ["--allowed-lateness", lateness]
    options += [] if max_ahead is None else ["--max-ahead", max_ahead]
    letters = files / "letters.ndjson"
    times = [10, None, 11, 3, 12, *([9_000] if max_ahead else []), 13, 4, 14, None, 15]
    done, _ = run(
        files,
        format_,
        times,
        "--on-error",
        "skip",
        "--dead-letters",
        letters,
        *options,
        *more,
        as_file=as_file,
    )
    assert done.exit_code == 0, done.output
    assert "6 ABoxes, 6 assertions, " in done.stderr
    assert "2 skipped, 2 late ABoxes skipped" in done.stderr
    assert ("1 ABox too far ahead skipped" in done.stderr) is (max_ahead is not None)
    kept = [json.loads(line) for line in letters.read_text().splitlines()]
    found = sorted((each["reason"], each.get("at")) for each in kept if each["reason"] != "malformed")
    assert found == [*([("ahead", 9_000)] if max_ahead else []), ("late", 3), ("late", 4)]
    assert [each["reason"] for each in kept].count("malformed") == 2
    assert all(each.get("triples") or each.get("text") for each in kept)


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize(
    ("more", "times", "said"),
    [
        ((), (10, 3), "is older than the newest time, 10"),
        (("--allowed-lateness", "2"), (10, 3), "later than --allowed-lateness 2 permits"),
        (
            ("--max-ahead", "5"),
            (10, 11, 99, 12),
            "further ahead than --max-ahead 5 permits: the time by the other ABoxes is",
        ),
    ],
)
def test_without_skipping_the_error_says_which_option_takes_the_row_in(files, format_, more, times, said):
    done, _ = run(files, format_, times, *more)
    assert done.exit_code == 1
    assert said in done.stderr


@pytest.mark.parametrize(
    ("option", "seconds", "said"),
    [
        ("--allowed-lateness", (10, 3), "later than --allowed-lateness PT2S permits"),
        (
            "--max-ahead",
            (10, 11, 59, 12),
            "further ahead than --max-ahead PT2S permits: the time by the other ABoxes is",
        ),
    ],
)
def test_the_error_has_a_duration_as_the_option_takes_it(files, option, seconds, said):
    times = [f"2026-01-01T00:00:{second:02}Z" for second in seconds]
    done, _ = run(files, "nquads", times, option, "2s", range_="PT5M")
    assert done.exit_code == 1 and said in done.stderr


def test_a_time_of_another_kind_is_skipped_and_counted(files):
    done, out = run(files, "nquads", (1, 2, 2.5, "2026-01-01T00:00:00Z", 3), "--on-error", "skip")
    assert done.exit_code == 0, done.output
    assert out == [1, 2, 3]
    assert "3 ABoxes, 3 assertions, 0 facts cut, 2 skipped, " in done.stderr
    assert "an integer like the stream's other timestamps" in done.stderr


def test_the_clock_of_the_machine_bounds_times(files):
    times = ("2026-01-01T00:00:00Z", "9000-01-01T00:00:00Z", "2026-01-01T00:00:01Z")
    more = ("--max-ahead", "5s", "--clock", "wall", "--on-error", "skip", "--range", "PT1M")
    stream = "".join(FORMATS["nquads"][0](at) for at in times)
    given = ["run", "--ontology", files / "o.ttl", "--stream", "-", "--stream-format", "nquads", *more]
    done = CliRunner().invoke(app, list(map(str, given)), input=stream)
    assert done.exit_code == 0, done.output
    assert "2 ABoxes, 2 assertions" in done.stderr and "1 ABox too far ahead" in done.stderr


def test_a_window_of_length_0_goes_with_bounds_of_either_kind(files):
    times = ("2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z")
    for given, bounds in ((times, ("--allowed-lateness", "PT1S")), ((2, 1), ("--allowed-lateness", "1"))):
        done, out = run(files, "nquads", given, *bounds, range_="0")
        assert done.exit_code == 0, done.output
        assert out == sorted(given)


@pytest.mark.parametrize(
    "more",
    [
        ("--clock", "wall"),
        ("--max-ahead", "PT5S"),
        ("--allowed-lateness", "PT5S"),
        ("--max-ahead", "-1"),
        ("--max-ahead", "soon"),
    ],
)
def test_bounds_that_do_not_fit_are_refused_before_the_stream_is_read(files, more):
    done, out = run(files, "nquads", (1, 2), "--on-error", "skip", *more)
    assert (done.exit_code, out) == (2, [])


def test_a_clock_of_another_kind_than_the_stream_is_an_error_though_errors_are_skipped(files):
    done, out = run(files, "nquads", (1, 2), "--on-error", "skip", "--max-ahead", "5", "--clock", "wall")
    assert done.exit_code == 2 and "--clock" in done.stderr and out == []


@pytest.mark.parametrize(
    ("text", "seconds"), [("5s", 5), ("1h30m", 5400), ("250ms", 0.25), ("1.5m", 90), ("PT5S", 5), ("7", None)]
)
def test_lengths_may_have_units(text, seconds):
    length = length_of(text, "--max-ahead")
    assert length == 7 if seconds is None else length.total_seconds() == seconds


# -- said at once ----------------------------------------------------------------------------------


def test_what_is_left_out_is_said_while_the_stream_goes_on(files):
    """One row is written after the other, and what is said of it is waited for."""
    command = [*("run", "--ontology", "o.ttl", "--stream", "-", "--stream-format", "jsonl"), "--mapping"]
    command += ["m.yaml", "--range", "5", "--on-error", "skip", "--max-ahead", "50", "--format", "ndjson"]
    process = subprocess.Popen(
        [sys.executable, "-m", "pantarhei", *command],
        cwd=files, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    timer = threading.Timer(60, process.kill)
    timer.start()
    try:
        for at in (10, 11, 12, 9_000, 13, 3, 14):
            process.stdin.write(FORMATS["jsonl"][0](at))
        process.stdin.flush()
        assert process.stderr.readline() == "skipped the ABox at 9000: too far ahead\n"
        process.stdin.write(FORMATS["jsonl"][0](15))
        process.stdin.flush()
        assert process.stderr.readline() == "skipped the ABox at 3: late: the newest time is 13\n"
        process.stdin.close()
        process.stdin = None
        assert process.stderr.readline().startswith("6 ABoxes, 6 assertions, ")
        assert process.wait() == 0
    finally:
        timer.cancel()
        process.kill()
        process.communicate()


def test_progress_is_reported_on_a_live_stream(files, monkeypatch):
    monkeypatch.setattr(summary_module, "PROGRESS", 0.0)
    done, _ = run(files, "nquads", (1, 2, 3))
    lines = done.stderr.splitlines()
    assert lines[0].startswith("so far: 1 ABox, 1 assertion, ")
    done, _ = run(files, "nquads", (1, 2, 3), as_file=True)
    assert "so far" not in done.stderr


def test_of_many_the_first_are_said_and_then_whenever_their_number_has_doubled(capsys):
    left_out = SkipReport(is_live=True)
    for at in range(40):
        left_out.note("late", at, [], "late")
    said = capsys.readouterr().err.splitlines()
    assert len(said) == SHOWN + 2 and said[-1] == "skipped the ABox at 31: late (32 so far)"
    assert len(left_out.shown) == SHOWN


def test_a_pipe_is_live_and_a_file_is_not(tmp_path, monkeypatch):
    path = tmp_path / "stream.nq"
    path.write_text("")
    assert not is_live(str(path)) and not is_live(str(tmp_path)) and not is_live(str(tmp_path / "none"))
    os.mkfifo(tmp_path / "pipe")
    assert is_live(str(tmp_path / "pipe"))
    with path.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert not is_live("-")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert is_live("-")


# -- outputs ---------------------------------------------------------------------------------------

OUTPUTS = {"--output": "out.ndjson", "--history": "history.ndjson", "--dead-letters": "letters.ndjson"}


@pytest.mark.parametrize("option", OUTPUTS)
def test_an_output_that_exists_is_not_changed_without_append(files, option):
    path = files / OUTPUTS[option]
    more = ("--on-error", "skip", option, path)
    path.write_text("of another run\n")
    done, _ = run(files, "nquads", (5, 6, 20, 1), *more)
    assert done.exit_code == 2 and "--append" in done.stderr
    assert path.read_text() == "of another run\n"
    done, _ = run(files, "nquads", (5, 6, 20, 1), *more, "--append")
    assert done.exit_code == 0, done.output
    first, *lines = path.read_text().splitlines()
    assert first == "of another run" and lines and all(map(json.loads, lines))
    path.write_text("")  # empty: nothing is lost
    assert run(files, "nquads", (5, 6), *more)[0].exit_code == 0


@pytest.mark.parametrize("option", OUTPUTS)
def test_what_a_killed_writer_left_is_a_line_of_its_own(files, option):
    path = files / OUTPUTS[option]
    path.write_text('{"at": 1}\n{"at"')
    done, _ = run(files, "nquads", (5, 6, 20, 1), "--append", "--on-error", "skip", option, path)
    assert done.exit_code == 0, done.output
    whole, torn, *lines = path.read_text().splitlines()
    assert torn == '{"at"' and all(map(json.loads, [whole, *lines]))


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--output", "out.xlsx"),
        ("--output", "out"),
        ("--output", "out.ndjson.gz"),
        ("--history", "history.csv"),
        ("--history", "history.parquet"),
        ("--dead-letters", "letters.txt"),
    ],
)
def test_a_suffix_that_cannot_be_written_is_an_error(files, option, name):
    given = ["--ontology", files / "o.ttl", "--stream", "-", "--stream-format", "nquads", "--range", "5"]
    done = CliRunner().invoke(app, list(map(str, ["run", *given, option, files / name])), input="")
    assert done.exit_code != 0
    assert name in "".join(done.stderr.split()).replace("│", "") and not (files / name).exists()


def test_two_outputs_in_one_file_are_refused(files):
    more = ("--output", files / "one.ndjson", "--history", files / "one.ndjson")
    done, _ = run(files, "nquads", (1, 2), *more)
    said = " ".join(done.stderr.replace("│", " ").split())
    assert done.exit_code == 2 and "is also the file of --output" in said


@pytest.mark.parametrize("option", ["--history", "--dead-letters"])
def test_standard_output_has_the_answers_alone(files, option, monkeypatch):
    monkeypatch.chdir(files)
    done, out = run(files, "nquads", (1, 2), option, "-")
    assert done.exit_code == 2 and out == [] and not (files / "-").exists()


def test_rows_are_appended_under_the_header_that_is_there(files):
    path = files / "out.csv"
    given = ["run", "--ontology", files / "o.ttl", "--stream-format", "nquads", "--range", "5"]
    given += ["--stream", "-", "--query", files / "q.rq", "--output", path, "--append"]
    for at in (1, 2):
        done = CliRunner().invoke(app, list(map(str, given)), input=FORMATS["nquads"][0](at))
        assert done.exit_code == 0, done.output
    assert path.read_text().splitlines() == ["at,s", f"1,{a}", f"2,{a}"]
    (files / "q.rq").write_text("SELECT ?o { ?s ?p ?o }")
    done = CliRunner().invoke(app, list(map(str, given)), input=FORMATS["nquads"][0](3))
    text = "The file has the columns at,s, but at,o are written. Omit --append."
    assert done.exit_code == 2 and text in " ".join(done.stderr.replace("│", " ").split())
    assert len(path.read_text().splitlines()) == 3


# -- signals ---------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("name", "status"), [("SIGTERM", 143), pytest.param("SIGINT", 130, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("format_", some(FORMATS, ["csv"]))
def test_a_signal_ends_the_run_with_its_summary_though_the_pipe_is_quiet(files, format_, name, status):
    import signal

    command = ["run", "--ontology", "o.ttl", "--stream", "-", "--stream-format", format_, "--range", "5"]
    command += [] if format_ == "nquads" else ["--mapping", "m.yaml"]
    process = subprocess.Popen(
        [sys.executable, "-m", "pantarhei", *command, "--output", "out.ndjson"],
        cwd=files, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a shell may ignore it
    )  # fmt: skip
    timer = threading.Timer(60, process.kill)
    timer.start()
    try:
        process.stdin.write(text_of(format_, (1, 2, 3)))
        process.stdin.flush()
        out = Path(files / "out.ndjson")
        while process.poll() is None and not (out.exists() and out.stat().st_size):
            threading.Event().wait(0.05)
        process.send_signal(getattr(signal, name))
        assert process.wait() == status
        assert " cut, 0 skipped, " in process.stderr.readline()
        assert [json.loads(line)["at"] for line in out.read_text().splitlines()][:1] == [1]
    finally:
        timer.cancel()
        process.kill()
        process.communicate()


EX = Namespace("http://example.org/")
x = Variable("x")
OPEN, CLOSED, STUCK = ((EX.v, RDF.type, EX[state]) for state in ("Open", "Closed", "Stuck"))
DISJOINT = [
    Rule("cax-dw", (Atom(EX.Open, (x,)), Atom(EX[other], (x,))), None, origin=Origin(f"{other} is not Open"))
    for other in ("Closed", "Stuck")
]


def test_a_removed_fact_has_all_its_times_and_the_newest_that_contradicts_it():
    reasoner = StreamReasoner(Ontology.from_rules(DISJOINT), Window(10))
    reasoner.push(1, [OPEN])
    reasoner.push(2, [OPEN])
    update = reasoner.push(3, [CLOSED, STUCK])
    (line,) = cut_lines(update.repair)
    assert line == (  # both are new, this is first as it reads
        "at 3 removed: v is open (at 1, 2), contradicted by v is closed; nothing is both open and closed"
    )


def test_a_repair_that_removed_nothing_has_no_line():
    reasoner = StreamReasoner(Ontology.from_rules(DISJOINT), Window(10))
    assert list(cut_lines(reasoner.push(1, [OPEN]).repair)) == []


def test_names_with_one_last_part_are_shown_with_their_prefix():
    other = URIRef("urn:other#Open")
    names = DisplayNames({"ex": str(EX), "other": "urn:other#"})
    axiom = Rule(
        "cax-dw", (Atom(EX.Open, (x,)), Atom(other, (x,))), None, origin=Origin("they differ", names=names)
    )
    reasoner = StreamReasoner(Ontology.from_rules([axiom]), Window(10))
    reasoner.push(1, [OPEN])
    repair = reasoner.push(2, [(EX.v, RDF.type, other)]).repair
    assert cut_lines(repair) == [
        "at 2 removed: v is in class ex:Open (at 1), contradicted by v is in class other:Open; "
        "nothing is in both classes ex:Open and other:Open"
    ]


SMOKE, SAFE = ((EX.hall, RDF.type, EX[state]) for state in ("Smoke", "Safe"))
ALARM = [
    Rule(
        "cax-sco",
        (Atom(EX[lower], (x,)),),
        Atom(EX[upper], (x,)),
        origin=Origin(f"SubClassOf({lower} {upper})"),
    )
    for lower, upper in (("Smoke", "Danger"), ("Danger", "Alarm"))
]
SAFELY = Rule(
    "cax-dw", (Atom(EX.Alarm, (x,)), Atom(EX.Safe, (x,))), None, origin=Origin("DisjointClasses(Safe Alarm)")
)


def test_a_contradiction_that_is_derived_is_told_as_a_whole_once():
    reasoner, chains = (
        StreamReasoner(Ontology.from_rules([*ALARM, SAFELY, *DISJOINT]), Window(10)),
        ConflictProofs(),
    )
    reasoner.push(1, [SMOKE, OPEN])
    lines = cut_lines(reasoner.push(2, [SAFE, CLOSED]).repair, chains=chains)
    assert lines == [
        "at 2 removed: hall is in class 'smoke' (at 1), contradicted by hall is safe; "
        "nothing is both an alarm and safe",
        "    a contradiction: nothing is both an alarm and safe [1]",
        "    ├─ because hall is an alarm [2]",
        "    │  └─ because hall is a danger [3]",
        "    │     └─ because hall is in class 'smoke' (asserted at 1)",
        "    └─ and hall is safe (asserted at 2)",
        "    It rests on 2 assertions made from 1 to 2.",
        "    By the axioms:",
        "    [1] DisjointClasses(Safe Alarm)",
        "    [2] SubClassOf(Danger Alarm)",
        "    [3] SubClassOf(Smoke Danger)",
        "at 2 removed: v is open (at 1), contradicted by v is closed; nothing is both open and closed",
    ]
    reasoner.push(3, [(EX.cellar, RDF.type, EX.Smoke)])
    again = cut_lines(reasoner.push(4, [(EX.cellar, RDF.type, EX.Safe)]).repair, chains=chains)
    assert again == [
        "at 4 removed: cellar is in class 'smoke' (at 3), contradicted by cellar is safe; "
        "nothing is both an alarm and safe"
    ]


def test_a_long_chain_is_cut_short():
    steps = [
        Rule("cax-sco", (Atom(EX[f"C{n}"], (x,)),), Atom(EX[f"C{n + 1}"], (x,)), origin=Origin(f"{n}"))
        for n in range(100)
    ]
    rules = [*steps, Rule("cax-dw", (Atom(EX.C100, (x,)), Atom(EX.Safe, (x,))), None)]
    reasoner = StreamReasoner(Ontology.from_rules(rules), Window(10))
    reasoner.push(1, [(EX.hall, RDF.type, EX.C0)])
    lines = cut_lines(reasoner.push(2, [SAFE]).repair, chains=ConflictProofs())
    assert len(lines) == 42
    assert lines[-1].startswith("    … and ") and lines[-1].endswith(" more lines")
