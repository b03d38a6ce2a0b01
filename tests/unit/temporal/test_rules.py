"""Rules from a text or a file, checked."""

import pickle

import pytest
from rdflib import Graph, Namespace

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


def test_what_is_remembered_in_vain_is_told_of_where_it_stands():
    with pytest.raises(pr.TemporalRuleError, match="zzz is to be remembered") as told:
        pr.load_rules("alarm(X) :- hot(X).\nremember alarm, zzz.", prefixes=PREFIXES)
    assert (told.value.line, told.value.column) == (2, 17)


@pytest.mark.parametrize(
    "prefixes", [["x"], "x", 5, {"ex": 5}, {"": "not an iri"}, {"": "http://example.org/ "}, {3: str(EX)}]
)
def test_prefixes_stand_for_iris(prefixes):
    with pytest.raises(pr.OptionError, match=r"prefixes=.*expected prefixes with the IRIs"):
        pr.load_rules(ALARM, prefixes=prefixes)


@pytest.mark.parametrize("sign", [":-", "<-", "←"])
def test_what_has_an_arrow_is_text(sign):
    assert len(pr.load_rules(f"a(X) {sign} b(X).", prefixes=PREFIXES).rules) == 1


@pytest.mark.parametrize("text", ["on.", "a(:x) at 3. "])
def test_facts_on_one_line_are_a_path_and_an_error_says_what_to_do(text):
    with pytest.raises(pr.InputError, match="if it is the text of rules, put a line break behind it"):
        pr.load_rules(text, prefixes=PREFIXES)
    assert len(pr.load_rules(text + "\n", prefixes=PREFIXES).rules) == 1


@pytest.mark.parametrize("missing", ["", "no/such.lars"])
def test_a_file_that_is_not_there_is_told_of(missing):
    with pytest.raises(pr.InputError) as told:
        pr.load_rules(missing)
    assert "line break" not in str(told.value)


def test_a_file_that_is_no_text_is_told_of(tmp_path):
    path = tmp_path / "alarms.lars"
    path.write_bytes(b"a :- \xff")
    with pytest.raises(pr.MalformedInputError):
        pr.load_rules(path)


def test_a_file_without_rules_is_told_of(tmp_path):
    path = tmp_path / "alarms.lars"
    path.write_text(f"% {ALARM}")
    with pytest.raises(pr.MalformedInputError, match="there is no rule in it"):
        pr.load_rules(path)


@pytest.mark.parametrize("text", ["\n", f"% {ALARM}\n", "@prefix : <http://example.org/> .\n"])
def test_a_text_without_rules_is_told_of(text):
    with pytest.raises(pr.TemporalTextError, match="there is no rule in the text; expected one such as"):
        pr.load_rules(text)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("a(X) :- b(X, _), not c(X, _).", r": _ is in not c\(X, _\), and nothing binds it"),
        ("a(_) :- b(X).", ": _ is in the head, and"),
        ("a(X) :- b(X, _1), not c(X, _2, _).", r": _2 is in not c\(X, _2, _\), and"),
    ],
)
def test_a_variable_without_a_name_has_none_in_an_error(rule, said):
    with pytest.raises(pr.TemporalRuleError, match=said):
        pr.load_rules(rule, prefixes=PREFIXES)


def test_a_start_that_is_no_time_is_told_of():
    with pytest.raises(pr.TimestampError):
        pr.load_rules(ALARM, start="noon", prefixes=PREFIXES)


@pytest.mark.parametrize("given", [3, None, b"a :- b."])
def test_a_source_is_a_path_or_a_text(given):
    with pytest.raises(pr.OptionError):
        pr.load_rules(given)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("a(X) :- b(X).\nc(Y) :- b(X).", 2, 3), ("a(X) :- b(X)", 1, 13), ('a("x) :- b(X).', 1, 3)],
)
def test_an_error_names_the_file_that_was_read(tmp_path, text, line, column):
    path = tmp_path / "alarms.lars"
    path.write_text(text)
    with pytest.raises(pr.TemporalRuleError) as told:
        pr.load_rules(path, prefixes=PREFIXES)
    assert (told.value.source, told.value.line, told.value.column) == (str(path), line, column)
    assert f"{path}, line {line}, column {column}: " in str(told.value)
    with pytest.raises(pr.TemporalRuleError) as told:
        pr.load_rules(text + "\n:-", prefixes=PREFIXES)
    assert told.value.source is None


def test_what_the_reasoner_refuses_has_its_file_too(tmp_path):
    path = tmp_path / "alarms.lars"
    path.write_text("a(X) :- b(X) in [5 min].")
    rules = pr.load_rules(path, prefixes=PREFIXES)
    with pytest.raises(pr.TemporalRuleError) as told:
        pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=3), temporal=rules)
    assert told.value.source == str(path)


def test_a_window_of_time_that_is_too_short_for_a_count_is_refused_by_the_reasoner():
    rules = pr.load_rules("a(X) :- b(X) at least 8 times in [5 min].", prefixes=PREFIXES)
    with pytest.raises(pr.TemporalRuleError, match="the window has 6 ticks at most") as told:
        pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window("PT1H", slide="PT1M"), temporal=rules)
    assert told.value.column == 9
    pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window("PT1H", slide="PT30S"), temporal=rules)
