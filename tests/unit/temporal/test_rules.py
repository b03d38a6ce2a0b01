"""Rules from a text or a file, checked."""

import pickle

import pytest
from rdflib import Namespace

import pantarhei as pr

EX = Namespace("http://example.org/")
PREFIXES = {"": str(EX)}
ALARM = "alarm(V) :- overheated(V) always in [5 min], not asserted maintained(V) in [10 min]."


def test_a_text_is_read_and_a_path_too(tmp_path):
    path = tmp_path / "alarms.lars"
    path.write_text(ALARM)
    rules = pr.load_rules(ALARM, prefixes=PREFIXES)
    assert pr.load_rules(path, prefixes=PREFIXES) == pr.load_rules(str(path), prefixes=PREFIXES) == rules
    assert [rule.head.atom.predicate for rule in rules.rules] == [EX.alarm]


def test_rules_pickle():
    rules = pr.load_rules(ALARM + " remember alarm.", start=3, prefixes=PREFIXES, feedback=True)
    back = pickle.loads(pickle.dumps(rules))
    assert back == rules
    assert (back.remembered, back.start, back.feedback) == ({EX.alarm}, 3, True)


def test_a_text_of_rules_reads_back():
    prefixes = f"@prefix : <{EX}> .\n@prefix ex: <urn:ex#> .\n"
    text = f"{prefixes} remember alarm. {ALARM} q(X) at T+1 :- ex:P(X, _) at T in [3 #]."
    rules = pr.load_rules(text)
    assert pr.load_rules(str(rules)) == rules
    assert "ex:P(X, _2) at T in [3 #]" in str(rules)


def test_what_is_remembered_is_the_head_of_a_rule():
    with pytest.raises(pr.TemporalRuleError, match="hot is to be remembered, and no rule concludes it"):
        pr.load_rules("remember hot. alarm(X) :- hot(X).", prefixes=PREFIXES)


@pytest.mark.parametrize("missing", ["", "no/such.lars"])
def test_a_file_that_is_not_there_is_told_of(missing):
    with pytest.raises(pr.InputError):
        pr.load_rules(missing)


def test_a_file_that_is_no_text_is_told_of(tmp_path):
    path = tmp_path / "alarms.lars"
    path.write_bytes(b"a :- \xff")
    with pytest.raises(pr.MalformedInputError):
        pr.load_rules(path)


def test_a_start_that_is_no_time_is_told_of():
    with pytest.raises(pr.TimestampError):
        pr.load_rules(ALARM, start="noon", prefixes=PREFIXES)


@pytest.mark.parametrize("given", [3, None, b"a :- b."])
def test_a_source_is_a_path_or_a_text(given):
    with pytest.raises(pr.OptionError):
        pr.load_rules(given)
