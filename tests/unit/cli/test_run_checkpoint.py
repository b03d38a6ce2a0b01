"""A run that crashes and continues writes the files of a run without interruption."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import typer

from pantarhei.cli import run_checkpoint
from pantarhei.cli.follow import FileSource, follow
from pantarhei.cli.run_options import RunOptions
from pantarhei.errors import CheckpointOptionError

ONTOLOGY = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://example.org/o> a owl:Ontology .
:A a owl:Class ; rdfs:subClassOf :B . :B a owl:Class ; owl:disjointWith :C . :C a owl:Class .
"""
RULES = "@prefix : <http://example.org/> .\nsteady(X) :- :B(X) always in [2 sec].\n"
QUERY = "SELECT ?x WHERE { ?x a <http://example.org/B> }"
CQELS = "SELECT ?x WHERE { STREAM <urn:s> [RANGE 3s] { ?x a <http://example.org/B> } }"
WAYS = {
    "updates": {"output": "out.ndjson"},
    "table": {"output": "out.txt", "format": "table", "query": QUERY},
    "answers": {"output": "out.csv", "query": QUERY},
    "needed": {"output": "out.tsv", "query": QUERY, "derive": "needed"},
    "changes": {"output": "out.csv", "query": QUERY, "emit": "changes", "slide": "2s"},
    "conclusions": {"output": "out.ndjson", "rules": "rules.lars", "slide": "1s"},
    "disorder": {
        "output": "out.ndjson",
        "query": QUERY,
        "allowed_lateness": "2s",
        "max_ahead": "20s",
        "on_error": "skip",
        "dead_letters": "dead.ndjson",
        "history": "history.ndjson",
    },
}


class Crash(BaseException):
    """The end of the process."""


class CrashingSource(FileSource):
    """A source that crashes after some updates."""

    def __init__(self, options, after):
        super().__init__(options)
        self._after = after

    def updates(self, reasoner, counts):
        for number, update in enumerate(super().updates(reasoner, counts)):
            if number == self._after:
                raise Crash
            yield update


def quads(chance, disorder):
    at, lines = 0, []
    for _ in range(30):
        at += chance.choice([0, 1, 1, 2])
        shown = max(0, at - chance.randint(0, 4)) if disorder else at
        time = f"urn:at:2024-01-01T00:{shown // 60:02}:{shown % 60:02}Z"
        kind, name = chance.choice("ABC"), chance.choice("abc")
        lines.append(
            f"<http://example.org/{name}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
            f"<http://example.org/{kind}> <{time}> .\n"
        )
        if disorder and chance.random() < 0.1:
            lines.append("malformed\n")
    return "".join(lines)


@pytest.fixture
def make(tmp_path, monkeypatch):
    monkeypatch.setattr(run_checkpoint, "INTERVAL", 0.0)
    monkeypatch.chdir(tmp_path)
    Path("o.ttl").write_text(ONTOLOGY)
    Path("rules.lars").write_text(RULES)

    def made(**given):
        return RunOptions(["o.ttl"], "s.nq", "5s", **given)

    return made


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 6))])
@pytest.mark.parametrize("way", WAYS)
def test_after_crashes_the_files_are_those_of_a_run_without_one(make, way, seed, monkeypatch):
    monkeypatch.setattr(run_checkpoint, "time", Clock(seed))
    chance, given = random.Random(seed), dict(WAYS[way])
    Path("s.nq").write_text(quads(chance, way == "disorder"))
    names = [name for key in ("output", "dead_letters", "history") if (name := given.get(key))]
    follow(options := make(**given, checkpoint=Path("whole")), FileSource(options))
    expected = [Path(name).read_bytes() for name in names]
    assert all(expected)
    for name in names:
        Path(name).unlink()
    options = make(**given, checkpoint=Path("state"))
    for _ in range(3):
        with pytest.raises(Crash):
            follow(options, CrashingSource(options, chance.randint(0, 9)))
        with Path(names[0]).open("ab") as file:
            file.write(b"torn")
    follow(options, FileSource(options))
    assert [Path(name).read_bytes() for name in names] == expected
    follow(options, FileSource(options))
    assert [Path(name).read_bytes() for name in names] == expected


class Clock:
    """Clock by which every second checkpoint or so is due."""

    def __init__(self, seed):
        self._chance, self._now = random.Random(seed), 0.0

    def monotonic(self):
        self._now += self._chance.choice([0.0, 0.0, 1.0])
        return self._now


def test_a_file_that_has_grown_is_read_on(make):
    whole = quads(random.Random(5), False).splitlines(keepends=True)
    Path("s.nq").write_text("".join(whole))
    follow(options := make(output="whole.csv", query=QUERY, checkpoint=Path("whole")), FileSource(options))
    options = make(output="out.csv", query=QUERY, checkpoint=Path("state"))
    for end in (1, 20, len(whole)):
        Path("s.nq").write_text("".join(whole[:end]))
        follow(options, FileSource(options))
    assert Path("out.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_what_was_in_an_output_before_is_kept(make):
    Path("s.nq").write_text(quads(random.Random(6), False))
    Path("out.ndjson").write_text("{}\n")
    options = make(output="out.ndjson", append=True, checkpoint=Path("state"))
    with pytest.raises(Crash):
        follow(options, CrashingSource(options, 3))
    follow(options, FileSource(options))
    follow(whole := make(output="whole.ndjson"), FileSource(whole))
    assert Path("out.ndjson").read_text() == "{}\n" + Path("whole.ndjson").read_text()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, "give --output FILE"),
        ({"output": "out.parquet"}, "a Parquet file is written as a whole"),
        ({"output": "o.csv", "models": 1, "rules": Path("rules.lars")}, "cannot be combined with --models"),
        ({"output": "o.csv", "spark": "local[1]"}, "cannot be combined with --spark"),
    ],
)
def test_runs_that_cannot_be_continued_are_refused(make, given, text):
    Path("s.nq").write_text("")
    with pytest.raises(typer.BadParameter, match=text):
        follow(options := make(checkpoint=Path("state"), **given), FileSource(options))


def test_other_options_and_shortened_files_are_refused(make):
    Path("s.nq").write_text(quads(random.Random(7), False))
    options = make(output="out.csv", query=QUERY, checkpoint=Path("state"))
    follow(options, FileSource(options))
    other = make(output="out.csv", query=QUERY, emit="changes", checkpoint=Path("state"))
    with pytest.raises(typer.BadParameter, match="it was answers; repeat the command"):
        follow(other, FileSource(other))
    other = make(output="out.csv", query=QUERY, keep="every", checkpoint=Path("state"))
    with pytest.raises(CheckpointOptionError, match="keep"):
        follow(other, FileSource(other))
    Path("out.csv").write_text("")
    with pytest.raises(typer.BadParameter, match="shorter than the checkpoint"):
        follow(options, FileSource(options))
