"""Valid inputs of each door, mutated: each is read and accounted for, or refused with a message.

No door raises anything but a typed error, and the command line never ends with status 0 where something was
left out and nothing said.
"""

from __future__ import annotations

import io
import json
import re
import warnings
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rdflib import RDF, Graph, Literal, Namespace
from typer.testing import CliRunner

import pantarhei as pr
from counts import cases
from pantarhei.cli.commands import app
from valid_files import LINES, ONTOLOGIES, STREAMS

CASES = cases(4, 40, long=200)
EX = Namespace("http://example.org/")
PIECES = [
    *(
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xc3",
        b"\r",
        b"\n",
        b"\n\n",
        b"\t",
        b"\xe2\x80\xa8",
        b"\\u0000",
        b"\\ud800",
    ),
    *(
        b'"',
        b"'",
        b"<",
        b">",
        b"{",
        b"}",
        b"[",
        b"]",
        b"(",
        b")",
        b",",
        b";",
        b".",
        b":",
        b"#",
        b"%",
        b"$(",
        b"\\",
    ),
    *(b"9" * 400, b"-1", b"1e999", b"NaN", b"0.1", b"-0", b"99999999999999999999", b"1/0"),
    *(b"0000-00-00", b"9999-12-31T23:59:59-05:00", b"2026-02-30", b"24:00:00", b"P1Y", b"PT0S", b"now"),
    *(
        b"null",
        b"true",
        b"[" * 300,
        b"(" * 300,
        b"{" * 50,
        b"<!--",
        b"]]>",
        b"&e;",
        b"@base <x> .",
        b"_:",
        b"rdf:type",
    ),
]

pytestmark = [
    pytest.mark.usefixtures("quiet"),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.timeout(600),
]


def mutated(random, content):
    """The content with one to three changes."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at = random.randrange(len(content) + 1)
        until = min(len(content), at + random.choice((0, 1, 1, 4, 30)))
        kind = random.randrange(7)
        if kind == 0 and at < len(content):
            content = content[:at] + bytes([content[at] ^ (1 << random.randrange(8))]) + content[at + 1 :]
        elif kind == 1:
            content = content[:at]
        elif kind == 2:
            content = content[:until] + content[at:until] * random.choice((1, 1, 50)) + content[until:]
        elif kind == 3:
            content = content[:at] + content[until:]
        elif kind == 4:
            content = content[until:] + content[:at]
        else:
            content = content[:at] + random.choice(PIECES) + content[until:]
    return content


def each_mutation(content, text=False):
    for seed in range(CASES):
        changed = mutated(Random(f"{seed} {len(content)}"), content)
        yield seed, changed.decode(errors="replace") if text else changed


# -- Python --------------------------------------------------------------------------------------------------

ONTOLOGY = b"""@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Open owl:disjointWith :Closed . :p rdfs:range :Value ; rdfs:domain [ owl:unionOf ( :A :B ) ] .
"""
RULES = b"""@prefix : <http://example.org/> .
hot(X) :- :p(X, V) always in [3], V > 2.5, not :Open(X).
often(X) :- asserted :p(X, V) at least 2 times in [10 #].
late(X) at T :- hot(X) at T in [2], :p(X, V), V >= 1.
"""
QUERIES = {
    "SPARQL": b"SELECT ?x (COUNT(?y) AS ?n) { ?x <http://example.org/p> ?y OPTIONAL { ?y a ?c } "
    b'FILTER(?y > 2.5 || REGEX(STR(?x), "a+")) } GROUP BY ?x ORDER BY ?n LIMIT 3',
    "CONSTRUCT": b"PREFIX : <http://example.org/> CONSTRUCT { ?x :q [ :r ?y ] } "
    b"WHERE { ?x :p/:q* ?y MINUS { ?x a :B } }",
}
TEXTS = {
    "C-SPARQL": b"REGISTER QUERY q COMPUTED EVERY 2 AS SELECT ?x "
    b"FROM STREAM <urn:s> [RANGE 10 STEP 2] { ?x ?p ?y }",
    "RSP-QL": b"REGISTER RSTREAM <urn:q> AS SELECT ?x "
    b"FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE 10 STEP 2] WHERE { WINDOW <urn:w> { ?x ?p ?y } }",
    "CQELS": b"SELECT ?x WHERE { STREAM <urn:s> [RANGE 10 SLIDE 2] { ?x ?p ?y } "
    b"STREAM <urn:s> [TRIPLES 3] { ?x ?q ?z } }",
}


def loaded():
    return pr.load_ontology(Graph().parse(data=ONTOLOGY))


def reasoner():
    made = pr.StreamReasoner(loaded(), pr.Window(5), temporal=pr.load_rules(RULES.decode()))
    made.register("SELECT ?x { ?x ?p ?y }", window=pr.Window(3, 1), on="close", emit="rstream")
    for at in range(4):
        made.push(at, [(EX.a, EX.p, Literal(at)), (EX.valve, RDF.type, EX.Open if at % 2 else EX.Closed)])
    return made


def check_raises_typed(act, seed, given):
    """Assert that the act succeeds, or raises a typed error with a message."""
    try:
        act()
    except pr.PantarheiError as error:
        assert str(error), (seed, given)
    except Exception as error:
        raise AssertionError(f"seed {seed}: {type(error).__name__}: {error} of {given!r}"[:2000]) from error


def test_mutated_rules():
    for seed, text in each_mutation(RULES, text=True):
        check_raises_typed(lambda text=text: pr.load_rules(text + "\n"), seed, text)


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_mutated_queries(query):
    asked = reasoner()
    for seed, text in each_mutation(query, text=True):
        check_raises_typed(lambda text=text: list(asked.query(text, timeout=20)), seed, text)
        check_raises_typed(lambda text=text: asked.register(text).close(), seed, text)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_mutated_texts(text):
    stream = [(at, [(EX.a, EX.p, Literal(at))]) for at in range(3)]
    for seed, changed in each_mutation(text, text=True):

        def act(changed=changed):
            query = pr.register(changed, loaded(), streams={"urn:s": stream}, since=0)
            for _, _ in zip(query.run(), range(50), strict=False):
                pass

        check_raises_typed(act, seed, changed)


def test_mutated_checkpoints():
    made = reasoner()
    for seed, data in each_mutation(made.snapshot()):
        check_raises_typed(
            lambda data=data: pr.StreamReasoner.restore(data, made.ontology).materialization(),
            seed,
            data[:80],
        )


# -- the command line ----------------------------------------------------------------------------------------

QUADS = b"".join(
    b'<http://example.org/x%d> <http://example.org/p> "%d.5"^^<%b#decimal> <urn:at:%d> .\n'
    % (place, place, b"http://www.w3.org/2001/XMLSchema", place // 2)
    for place in range(8)
)
MAPPING = b"""prefixes: {ex: "http://example.org/"}
time: {column: time, unit: number}
mappings:
  readings:
    s: ex:$(id)
    po: [[a, ex:Reading], [ex:p, $(v), xsd:decimal]]
"""
CSV = b"time,id,v\n" + b"".join(b"%d,r%d,%d.5\n" % (at, at, at) for at in range(1, 9))
JSON_LINES = b"".join(
    json.dumps({"time": at, "id": f"r{at}", "v": at / 2}).encode() + b"\n" for at in range(1, 9)
)


def parquet():
    columns = {
        "time": range(1, 9),
        "id": [f"r{at}" for at in range(1, 9)],
        "v": [at / 2 for at in range(1, 9)],
    }
    sink = io.BytesIO()
    pq.write_table(pa.table({name: list(values) for name, values in columns.items()}), sink)
    return sink.getvalue()


FILES = {
    "o.ttl": ONTOLOGY,
    "s.nq": QUADS,
    "s.csv": CSV,
    "s.jsonl": JSON_LINES,
    "m.yaml": MAPPING,
    "r.lars": RULES,
    "q.rq": QUERIES["SPARQL"],
}
RUN = ("run", "--ontology", "o.ttl", "--range", "5", "--stream", "s.nq")
EXPLAIN = ("explain", "--ontology", "o.ttl", "--stream", "s.nq", "--range", "5")
TABLE = ("run", "--ontology", "o.ttl", "--range", "5", "--mapping", "m.yaml", "--stream")
DOORS = {
    **{f"check {name}": (name, content, ("check", name)) for name, content in ONTOLOGIES.items()},
    "check rules": ("r.lars", RULES, ("check", "o.ttl", "--rules", "r.lars")),
    "run ontology": ("o.ttl", ONTOLOGY, RUN),
    "run background": ("b.ttl", ONTOLOGY, (*RUN, "--background", "b.ttl")),
    "run quads": ("s.nq", QUADS, RUN),
    "run trig": ("s.trig", STREAMS["trig"], (*RUN[:-1], "s.trig")),
    "run jsonld": ("s.jsonld", STREAMS["jsonld"], (*RUN[:-1], "s.jsonld")),
    "run log": ("s.ttl", STREAMS["turtle"], (*RUN[:-1], "s.ttl")),
    "run csv": ("s.csv", CSV, (*TABLE, "s.csv")),
    "run jsonl": ("s.jsonl", JSON_LINES, (*TABLE, "s.jsonl")),
    "run parquet": ("s.parquet", parquet(), (*TABLE, "s.parquet")),
    "run mapping": ("m.yaml", MAPPING, (*TABLE, "s.csv")),
    "run rules": ("r.lars", RULES, (*RUN, "--rules", "r.lars")),
    "run query": ("q.rq", QUERIES["SPARQL"], (*RUN, "--query", "q.rq", "--format", "csv")),
    "run text": ("t.rq", TEXTS["RSP-QL"], (*RUN[:3], *RUN[5:], "--query", "t.rq")),
    "explain": ("s.nq", QUADS, (*EXPLAIN, ":x7 :p 7.5")),
    "timeline": ("s.nq", QUADS, ("timeline", *EXPLAIN[1:], "--output", "t.svg")),
    "map": ("s.csv", CSV, ("map", "s.csv")),
    "map jsonl": ("l.jsonl", LINES, ("map", "l.jsonl")),
}
SKIPS = ("quads", "trig", "jsonld", "log", "csv", "jsonl", "parquet")


ARGUMENTS = (
    (*RUN, "--slide", "2", "--origin", "1", "--closed", "right"),
    (*RUN, "--allowed-lateness", "2", "--zone", "UTC"),
    (*TABLE, "s.csv", "--precision", "exact"),
    (*RUN, "--query", "q.rq", "--format", "ndjson", "--output", "out.ndjson"),
    (*EXPLAIN, "--at", "2", ":x3 :p 3.5"),
    ("check", "o.ttl", "--rules", "r.lars"),
    (*RUN, "--max-facts", "100", "--on-limit", "drop"),
    (*RUN, "--base", "http://example.org/", "--time", "graph"),
    ("map", "s.csv"),
)


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Run a command in a folder of valid files, and check that it ends as commands may."""
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)

    def run(arguments, told):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = CliRunner().invoke(app, list(arguments))
        assert done.exception is None or isinstance(done.exception, SystemExit), (told, repr(done.exception))
        assert "Traceback" not in done.output, told
        assert done.exit_code == 0 or done.stderr.strip(), told
        return done

    return run


@pytest.mark.parametrize("door", DOORS)
def test_files_that_are_not_mutated_are_read(door, command, tmp_path):
    name, content, arguments = DOORS[door]
    (tmp_path / name).write_bytes(content)
    assert command(arguments, door).exit_code == 0


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lambda given: " ".join(given[-2:]))
def test_arguments_that_are_not_mutated_are_taken(arguments, command):
    assert command(arguments, arguments).exit_code == 0


@pytest.mark.parametrize("door", DOORS)
def test_mutated_files_of_commands(door, command, tmp_path):
    name, content, arguments = DOORS[door]
    for seed, changed in each_mutation(content):
        (tmp_path / name).write_bytes(changed)
        told = f"{door}, seed {seed}: {changed[:1500]!r}"
        for more in ((), ("--on-error", "skip")) if door.removeprefix("run ") in SKIPS else ((),):
            (tmp_path / "t.svg").unlink(missing_ok=True)
            done = command((*arguments, *more), told)
            if (
                door == "run quads" and done.exit_code == 0 and "late" not in done.stderr
            ):  # which counts ABoxes
                check_lines(changed, done.stderr, told)


def check_lines(content, summary, told):
    """Assert that each line is an assertion, or counted as left out."""
    lines = {re.sub(rb"[\s\0]", b"", line) for line in re.split(rb"[\r\n]", content)}
    lines = {line.removeprefix(b"\xef\xbb\xbf") for line in lines}
    lines = {line for line in lines if line and not line.startswith(b"#")}
    counted = sum(int(n.replace(",", "")) for n in re.findall(r"([\d,]+) (?:assertions?|skipped)\b", summary))
    assert counted >= len(lines), f"{told}\n{len(lines)} lines, {summary}"


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lambda given: " ".join(given[-2:]))
def test_mutated_arguments(arguments, command, tmp_path):
    for seed in range(CASES):
        random = Random(f"{seed} {arguments}")
        changed = list(arguments)
        place = random.randrange(1, len(changed))
        text = mutated(random, changed[place].encode()).replace(b"\0", b"")
        changed[place] = text.decode(errors="surrogateescape")
        (tmp_path / "out.ndjson").unlink(missing_ok=True)
        command(changed, f"seed {seed}: {changed}")
