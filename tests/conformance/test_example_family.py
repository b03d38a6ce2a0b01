"""The family in four syntaxes: each says the same, and the stream's answers are those that its page tells."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pantarhei as pr

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FOLDER = EXAMPLES / "family"
SUFFIXES = (".owl", ".owx", ".ofn", ".omn")
FAMILY = "http://example.org/family#"


def family(suffix):
    if suffix == ".omn":
        pytest.importorskip("pyhornedowl", reason="py-horned-owl is not installed: pantarhei[manchester]")
    return pr.load_ontology(FOLDER / f"family{suffix}")


@pytest.mark.parametrize("suffix", SUFFIXES[1:])
def test_each_syntax_has_the_consequences_of_turtle(suffix):
    turtle, other = family(".owl"), family(suffix)
    assert other.fingerprints == turtle.fingerprints
    assert sorted(entry.axiom for entry in other.losses) == sorted(entry.axiom for entry in turtle.losses)
    assert other.labels == turtle.labels and other.prefixes
    assert other.entails(turtle.background)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_stream_has_the_answers_of_the_page(suffix):
    reasoner = pr.StreamReasoner(family(suffix), pr.Window(range=2, slide=1))
    query = (FOLDER / "query.rq").read_text()
    answers = {}
    for update in reasoner.run(pr.read_stream(FOLDER / "playground.trig")):
        children = reasoner.graph.query(query)
        answers[update.at] = sorted(str(row.child).removeprefix(FAMILY) for row in children)
    assert answers == {1: ["cleo"], 2: ["cleo"], 3: ["cleo", "dan"], 5: ["dan"]}


def test_the_page_counts_the_lines():
    page = (EXAMPLES / "README.md").read_text("utf-8").partition("## A family")[2].partition("\n## ")[0]
    counted = dict(re.findall(r"`family(\.\w+)` \((\d+)", page))
    lines = {suffix: len((FOLDER / f"family{suffix}").read_text().splitlines()) for suffix in SUFFIXES}
    assert {suffix: int(number) for suffix, number in counted.items()} == lines
