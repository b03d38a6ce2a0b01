"""`pantarhei timeline`: which steps are drawn, and what is wrong with the question."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from rdflib import RDF
from typer.testing import CliRunner

from pantarhei.cli.commands import app

ROOT = Path(__file__).parents[3]


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
    assert "✗ the car x is gas pedal pressed (1)" in shown
    assert any(text.startswith("against the car x is brakes pressed (3): nothing is both") for text in shown)


def test_what_is_not_repaired_is_drawn_as_found(timeline):
    shown = texts(timeline("--repair", "off"))
    assert any(text.startswith("! the car x is ") for text in shown)
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


def test_it_goes_into_a_file(timeline, tmp_path):
    file = tmp_path / "timeline.svg"
    done = timeline("-o", file)
    assert (done.exit_code, done.stdout) == (0, "")
    assert ElementTree.parse(file).getroot().get("role") == "img"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--from", "soon"), "--from"),
        (("--from", 9), "no steps in that time"),
        (("--from", 3, "--until", 1), "1 is before 3 of --from"),
        (("--from", 3, "--until", "2026-01-01T00:00:00Z"), "are a number"),
    ],
)
def test_wrong_usage_is_told(timeline, arguments, said):
    done = timeline(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr
