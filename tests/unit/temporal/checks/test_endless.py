"""Rules that compute from their own results end by themselves, or are refused when they go too far."""

from decimal import Decimal

import pytest
from rdflib import Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.errors import TemporalRuleError
from pantarhei.temporal import numbered
from pantarhei.temporal.checks.endless import maybe_endless
from pantarhei.temporal.models import program

EX = Namespace("http://e/")
COUNTING = "a(X, Y) :- asserted v(X, Y).\na(X, Z) :- a(X, Y), Z = Y + 1"


def rules_of(text):
    return pr.load_rules(f"{text}\n", prefixes={"": str(EX)})


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a(X, Z) :- a(X, Y), Z = Y + 1.", 1),
        ("a(X, Z) :- b(X, Y), Z = Y * 2.\nb(X, Y) :- a(X, Y) in [3].", 1),
        ("b(X, Y) :- a(X, _, Y).\na(X, X, Z) :- b(X, Y), Z = Y + 1.", 2),
        ("a(X, Z) :- a(X, Y), Z = Y + 1, Z < 9.", 1),
        ("b(X, Z) :- a(X, Y), Z = Y + 1.", None),
        ("a(X, Z) :- asserted a(X, Y), Z = Y + 1.", None),
        ("a(X, Z) :- a(X, Y), b(X, Z), Z = Y + 1.", None),
        ("a(X, Z) :- a(X, Y) at T in [3], Z = T + 1.", None),
    ],
)
def test_what_may_compute_without_end_is_known(text, line):
    rule = maybe_endless(rules_of(text).rules)
    assert (rule and rule.written.line) == line


def test_what_compares_nothing_is_warned_of():
    (warning,) = rules_of(f"{COUNTING}.").warnings
    assert str(warning).startswith("line 2, column 21: Z = Y + 1 computes from what may come of its own")
    assert rules_of(f"{COUNTING}, Z < 9.").warnings == ()


def test_what_does_is_refused_when_it_goes_too_far_and_nothing_remains_of_it(monkeypatch):
    monkeypatch.setattr(numbered, "MOST_MADE", 100)
    window, ontology = pr.Window(range=0), pr.load_ontology(Graph())
    reasoner = pr.StreamReasoner(ontology, window, temporal=rules_of(f"{COUNTING}."))
    reasoner.push(0, [])
    with pytest.raises(TemporalRuleError, match="101 new literals at a tick") as told:
        reasoner.push(1, [(EX.x, EX.v, Literal(1))])
    assert (told.value.line, told.value.column) == (2, 21)
    assert reasoner.push(1, []).at == 1 and not reasoner.conclusions()


def test_what_a_comparison_ends_is_concluded(monkeypatch):
    monkeypatch.setattr(numbered, "MOST_MADE", 100)
    rules = rules_of(f"{COUNTING}, Z < 60.")
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=0), temporal=rules)
    for at in range(4):  # at each tick anew
        reasoner.push(at, [(EX.x, EX.v, Literal(Decimal(at) / 10))])
    assert len(reasoner.conclusions()) == 60


def test_an_answer_stream_without_end_is_refused_too(monkeypatch):
    pytest.importorskip("clingo")
    monkeypatch.setattr(program, "MOST_MADE", 100)
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=0))
    choices = pr.AnswerStreams(reasoner, f"@prefix : <{EX}> .\n{COUNTING}.")
    reasoner.push(1, [(EX.x, EX.v, Literal(1))])
    with pytest.raises(TemporalRuleError, match="new literals at a tick"):
        choices.models()
