"""Warnings of conclusions that may have a literal in first place, where they are to be asserted."""

import pickle
from decimal import Decimal

import pytest
from rdflib import Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.errors import TemporalRuleError
from pantarhei.temporal import answer_sets, numbered
from pantarhei.temporal.rule_warnings import ImpossibleRule, first_unbounded_rule

PREFIXES = {"": "http://example.org/"}


def warnings_of(text, **options):
    return pr.load_rules(f"{text}\n", prefixes=PREFIXES, **options).warnings


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        ("a(Y) :- b(X, Y).", "Y"),
        ("a(M, X) :- b(X, N), M = N + 1.", "M"),
        ("a(3) :- d(X).", "3"),
        ("a(T) :- d(X) at T in [3].", "T"),
    ],
)
def test_a_head_that_may_begin_with_a_literal_has_a_warning(rule, named):
    (warning,) = warnings_of(f"ok(X) :- b(X, Y).\n{rule}", feedback=True)
    assert warning.rule.head.atom.predicate.endswith("a")
    assert str(warning).startswith(f"line 2, column 1: {named} may be a literal in a(")
    assert "not_fed_back" in str(warning)


@pytest.mark.parametrize("rule", ["a(Y) :- b(X, Y), c(Y).", "a(X) :- b(X, 3).", "a(k) :- b(X, Y)."])
def test_a_head_that_begins_with_a_name_has_none(rule):
    assert warnings_of(rule, feedback=True) == ()


def test_nor_has_one_that_is_not_to_be_asserted():
    assert warnings_of("a(Y) :- b(X, Y).") == ()


def test_what_follows_from_a_literal_by_another_rule_is_told_of_too():
    found = warnings_of("a(Y) :- b(X, Y).\nc(Z) :- a(Z).", feedback=True)
    assert [warning.rule.head.atom.predicate[-1] for warning in found] == ["a", "c"]


def constant_warnings_of(text):
    return pr.load_rules(f"{text}\n", prefixes=PREFIXES).warnings


@pytest.mark.parametrize("text", ["alarm(v) :- hot(v) in [5].", "alarm(:V) :- hot(:V), not served(:V)."])
def test_a_rule_about_one_name_alone_has_a_warning(text):
    (warning,) = constant_warnings_of(f"ok(X) :- hot(X).\n{text}")
    name = str(warning.name).rpartition("/")[2]
    assert str(warning).startswith("line 2, column 1: alarm(")
    assert f"has no variable and holds for {name} only" in str(warning)
    assert str(warning).endswith(f"or begins with a question mark: ?{name}")


@pytest.mark.parametrize(
    "text",
    [
        "alarm(X) :- hot(X), near(X, k).",
        "on :- hot(k).",
        "alarm(k) :- hot(j).",
        "alarm(k).",
        "on(3) :- b(3).",
    ],
)
def test_other_rules_have_none(text):
    assert constant_warnings_of(text) == ()


@pytest.mark.parametrize("condition", ["b in [3]", "b always in [1 sec]", "b at T in [3]", "not b in [PT1M]"])
def test_a_window_over_conclusions_of_earlier_ticks_has_a_warning(condition):
    rules = pr.load_rules(f"b :- c.\na :- {condition}.", prefixes=PREFIXES)
    (warning,) = rules.warnings
    assert warning.predicate.endswith("b")
    assert str(warning).startswith(f"line 2, column 6: {warning.formula} reads conclusions of earlier")
    assert "write: remember b." in str(warning)


@pytest.mark.parametrize(
    "text",
    [
        "b :- c. a :- b in [3]. remember b.",
        "b :- c. a :- b in [0].",
        "b :- c. a :- b in [0 sec].",
        "b :- c. a :- b.",
        "b :- c. a :- b at 3.",
        "b :- c. a :- asserted b in [3].",
        "b at T :- c at T in [9]. a :- b in [3].",
        "a :- b in [3].",
    ],
)
def test_what_looks_at_the_present_or_is_remembered_has_none(text):
    assert pr.load_rules(f"{text}\n", prefixes=PREFIXES).warnings == ()


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
    rule = first_unbounded_rule(rules_of(text).rules)
    assert (rule and rule.written.line) == line


def test_what_compares_nothing_is_warned_of():
    (warning,) = rules_of(f"{COUNTING}.").warnings
    assert str(warning).startswith("line 2, column 21: Z = Y + 1 may compute from its own")
    assert rules_of(f"{COUNTING}, Z < 9.").warnings == ()


def test_what_does_is_refused_when_it_goes_too_far_and_nothing_remains_of_it(monkeypatch):
    monkeypatch.setattr(numbered, "MAX_NEW_LITERALS", 100)
    window, ontology = pr.Window(range=0), pr.load_ontology(Graph())
    reasoner = pr.StreamReasoner(ontology, window, temporal=rules_of(f"{COUNTING}."))
    reasoner.push(0, [])
    with pytest.raises(TemporalRuleError, match="has made 101 new literals at one tick") as told:
        reasoner.push(1, [(EX.x, EX.v, Literal(1))])
    assert (told.value.line, told.value.column) == (2, 21)
    assert reasoner.push(1, []).at == 1 and not reasoner.conclusions()


def test_what_a_comparison_ends_is_concluded(monkeypatch):
    monkeypatch.setattr(numbered, "MAX_NEW_LITERALS", 100)
    rules = rules_of(f"{COUNTING}, Z < 60.")
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=0), temporal=rules)
    for at in range(4):  # at each tick anew
        reasoner.push(at, [(EX.x, EX.v, Literal(Decimal(at) / 10))])
    assert len(reasoner.conclusions()) == 60


def test_an_answer_stream_without_end_is_refused_too(monkeypatch):
    pytest.importorskip("clingo")
    monkeypatch.setattr(answer_sets, "MAX_NEW_LITERALS", 100)
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=0))
    choices = pr.AnswerStreams(reasoner, f"@prefix : <{EX}> .\n{COUNTING}.")
    reasoner.push(1, [(EX.x, EX.v, Literal(1))])
    with pytest.raises(TemporalRuleError, match="new literals at one tick"):
        choices.models()


SAID = "@prefix : <http://example.org/> . said(S) :- :reading(S, V). "


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (
            "silent(S) :- said(S) in [10 min], not said(S) in [5 min].",
            "line 1, column 96: silent(S) is never concluded: said(S) in [10 min] requires said(S) at the "
            "present tick, since conclusions of earlier ticks are not remembered, and not said(S) in [5 min] "
            "excludes it; write: remember said.",
        ),
        (
            "silent(S) :- :reading(S, V), not :reading(S, V) in [5].",
            "line 1, column 91: silent(S) is never concluded: reading(S, V) and not reading(S, V) in [5] "
            "exclude each other; bind the variables by a condition on earlier ticks, such as reading(S, V) "
            "in a longer window, or by facts of the background",
        ),
        (
            "silent(S) :- :reading(S, V), not said(S).",
            "line 1, column 91: silent(S) is never concluded: said(S) follows from reading(S, V), and not "
            "said(S) excludes it; bind the variables by a condition on earlier ticks, such as "
            "reading(S, V) in a longer window, or by facts of the background",
        ),
    ],
)
def test_a_rule_on_silence_that_concludes_nothing_has_a_warning_with_a_remedy(rule, said):
    (warning,) = pr.load_rules(SAID + rule).warnings
    assert str(warning) == said and isinstance(warning, ImpossibleRule)
    assert pickle.loads(pickle.dumps(warning)) == warning


@pytest.mark.parametrize(
    "rule",
    [
        "silent(S) :- :Sensor(S), not said(S).",
        "remember said. silent(S) :- said(S) in [10], not said(S) in [5].",
        "silent(S) :- :reading(S, V) in [10], not :reading(S, V) in [5].",
        "silent(S) :- :reading(S, V), not said(V).",
        "other(S) :- :reading(S, V), V > 3. silent(S) :- :reading(S, V), not other(S).",
        "other(S) :- :reading(S, V), not :Off(S). silent(S) :- :reading(S, V), not other(S).",
    ],
)
def test_other_rules_on_silence_have_no_such_warning(rule):
    assert not any(isinstance(each, ImpossibleRule) for each in pr.load_rules(SAID + rule).warnings)
