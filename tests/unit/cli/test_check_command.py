"""A check: an ontology, temporal rules, or both; as text or for programs."""

import json

import pytest
import typer
from rdflib import Graph, Namespace

import pantarhei as pr
from pantarhei import TemporalRuleError
from pantarhei.answer_streams import rules_without_strata
from pantarhei.cli.check_command import AnswerStreamsReport, RulesReport, check
from pantarhei.cli.check_options import CheckOptions

ONTOLOGY = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Hot rdfs:subClassOf :Odd . {more}
"""
LOSS = ":Odd rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :Odd ] ."


@pytest.fixture
def ontology(tmp_path):
    def written(more=""):
        path = tmp_path / "o.ttl"
        path.write_text(ONTOLOGY.format(more=more))
        return path

    return written


@pytest.fixture
def rules(tmp_path):
    def written(text="@prefix : <http://example.org/> .\nalarm(X) :- :Hot(X) in [3]."):
        path = tmp_path / "alarms.lars"
        path.write_text(text)
        return path

    return written


def test_rules_are_checked_by_themselves(rules, capsys):
    assert check(CheckOptions(rules=rules())) is None
    assert capsys.readouterr().out.startswith("1 temporal rule in 1 stratum; remembered: nothing\n")


def test_with_an_ontology_its_report_comes_first_and_its_prefixes_are_known(ontology, rules, capsys):
    assert check(CheckOptions([ontology()], rules=rules("alarm(X) :- :Hot(X) in [3]."), range="9")) is None
    first, second = capsys.readouterr().out.split("\n\n1 temporal rule ")
    assert first.startswith("1 axiom") and ":Hot" not in second and "Hot(X) in [3]: 3 ticks" in second


def test_json_has_both(ontology, rules, capsys):
    check(CheckOptions([ontology()], rules=rules(), format="json", depth=1))
    data = json.loads(capsys.readouterr().out)
    assert {"axioms", "inconsistency_normal_form", "temporal_rules"} <= set(data)
    check(CheckOptions(rules=rules(), format="json"))
    assert list(json.loads(capsys.readouterr().out)) == ["temporal_rules"]


def test_rules_that_cannot_be_run_over_the_window_do_not_pass(rules):
    with pytest.raises(TemporalRuleError, match="counts ticks"):
        check(CheckOptions(rules=rules(), range="PT5M"))


def test_a_strict_check_fails_if_something_of_the_ontology_is_lost(ontology, capsys):
    assert check(CheckOptions([ontology()], strict=True)) is None
    assert "--strict allows no loss" in check(CheckOptions([ontology(LOSS)], strict=True))
    assert check(CheckOptions([ontology(LOSS)])) is None


def test_something_is_to_be_checked():
    with pytest.raises(typer.BadParameter, match="nothing to check"):
        check(CheckOptions())


TWICE = ":isIn a owl:FunctionalProperty, owl:ObjectProperty . :cart :isIn :hall , :lobby ."


def test_what_run_would_refuse_is_told_unless_names_are_not_unique(ontology, capsys):
    path = ontology(TWICE)
    assert check(CheckOptions([path])) is None
    assert "Contradictions under unique names" in capsys.readouterr().out
    assert "run would refuse this ontology" in check(CheckOptions([path], strict=True))
    assert check(CheckOptions([path], strict=True, unique_names=False)) is None
    capsys.readouterr()
    check(CheckOptions([path], unique_names=False, format="json"))
    assert json.loads(capsys.readouterr().out)["contradictions"] == []


EX = Namespace("http://example.org/")
ONTOLOGY_OF_RULES_REPORT = pr.load_ontology(
    Graph().parse(
        data=f"@prefix : <{EX}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        ":Hot rdfs:subClassOf :Odd ."
    )
)
RULES = pr.load_rules(
    """remember alarm.
    late(X)  :- alarm(X) always in [1 min].
    quiet(X) :- :Odd(X), not alarm(X), not asserted served(X) in [10 min].
    alarm(X) :- :Hot(X) in [5 min], asserted served(X) in [3 #].
    """,
    prefixes={"": str(EX)},
)
RUN = "a run per fact: work when it begins, is long enough, and ends; none in between"
HALF_MINUTES = pr.Window(range="PT1M", slide="PT30S")


def test_rules_are_listed_by_their_strata():
    lines = RulesReport(RULES).text().splitlines()
    assert lines[0] == "3 temporal rules in 2 strata; remembered: alarm"
    assert [line.partition("(")[0].strip() for line in lines[1:6]] == [
        "stratum 0",
        "alarm",
        "stratum 1",
        "late",
        "quiet",
    ]


def test_windows_are_counted_in_ticks_where_the_reasoners_window_is_known():
    lines = RulesReport(RULES, HALF_MINUTES).text().splitlines()
    assert "windows, a tick is 30 sec" in lines
    assert f"    alarm(X) always in [1 min]: 2 ticks; {RUN}" in lines
    assert "    not asserted served(X) in [10 min]: 20 ticks; a row per event; no work as ticks pass" in lines
    assert (
        "    asserted served(X) in [3 #]: a queue of the last assertions: work when one enters or leaves"
        in lines
    )  # of assertions, not of time
    assert "the history is kept for 20 ticks" in lines


def test_without_the_reasoners_window_windows_stand_as_they_are_written():
    text = RulesReport(RULES).text()
    assert "in ticks if --range and --tick are given" in text
    assert f"    alarm(X) always in [1 min]: {RUN}\n" in text and "is kept for" not in text


def test_ticks_of_numbers_have_the_length_of_the_slide():
    rules = pr.load_rules("a(X) :- b(X) in [3].", prefixes={"": str(EX)})
    assert (
        "a tick is 2\n    b(X) in [3]: 3 ticks; a row per fact"
        in RulesReport(rules, pr.Window(range=4, slide=2)).text()
    )


def test_what_does_not_fit_the_window_is_refused():
    with pytest.raises(pr.TemporalRuleError, match="needs a stream with datetimes"):
        RulesReport(RULES, pr.Window(range=4))


def test_names_that_the_ontology_does_not_have_are_told():
    assert (
        "the ontology does not mention: served" in RulesReport(RULES, None, ONTOLOGY_OF_RULES_REPORT).text()
    )
    assert "does not mention" not in RulesReport(RULES).text()


def test_warnings_are_part_of_the_report():
    rules = pr.load_rules("a(X) :- b(X).\nc(X) :- a(X) in [3].", prefixes={"": str(EX)})
    assert "warning: line 2, column 9: a(X) in [3] reads conclusions" in RulesReport(rules).text()
    assert "windows" in RulesReport(rules).text()
    assert len(RulesReport(rules).to_data()["warnings"]) == 1


def test_programs_get_the_same():
    data = RulesReport(RULES, HALF_MINUTES, ONTOLOGY_OF_RULES_REPORT).to_data()
    assert [each["stratum"] for each in data["rules"]] == [1, 1, 0]
    assert data["remembered"] == [EX.alarm] and data["not_in_ontology"] == [EX.served]
    assert [each["ticks"] for each in data["windows"]] == [2, 20, 10, None]
    assert data["windows"][0]["cost"] == RUN


def test_what_looks_at_any_tick_is_among_the_windows():
    rules = pr.load_rules("a(X) :- b(X, T), c(X) at T.", prefixes={"": str(EX)})
    assert (
        "    c(X) at T: a row per fact and tick at which it holds; the whole history"
        in RulesReport(rules).text()
    )


def test_the_ontologys_rules_that_conclusions_lead_to_are_told():
    rules = pr.load_rules(":Hot(X) :- warm(X) in [2].\nlate(X) :- :Odd(X) in [2].", prefixes={"": str(EX)})
    report = RulesReport(rules, pr.Window(range=2), ONTOLOGY_OF_RULES_REPORT)
    assert "remembered: Hot, Odd" in report.text() and "1 rule of the ontology joins them" in report.text()
    assert not report.to_data()["warnings"]
    assert report.to_data()["ontology_rules"] == ["Odd(?x) :- Hot(?x)."]


# -- without strata --------------------------------------------------------------------------------

CHOICE = """on(X)  :- :Hot(X), not off(X) in [1 min].
off(X) :- seen(X), not on(X).
"""


def test_rules_without_strata_are_reported_for_answer_streams():
    rules = rules_without_strata(CHOICE, {"": str(EX)}, ONTOLOGY_OF_RULES_REPORT.predicates)
    lines = AnswerStreamsReport(rules, HALF_MINUTES, ONTOLOGY_OF_RULES_REPORT).text().splitlines()
    assert lines[0] == "2 temporal rules for answer streams, which need no strata"
    assert "    not off(X) in [1 min]: 2 ticks" in lines and lines[-1].endswith("does not mention: seen")
    data = AnswerStreamsReport(rules).to_data()
    assert [each["stratum"] for each in data["rules"]] == [None, None]
    assert data["windows"] == [{"formula": "not off(X) in [1 min]", "ticks": None}]


def test_rules_without_strata_must_fit_the_window():
    rules = rules_without_strata(CHOICE, {"": str(EX)}, ())
    with pytest.raises(pr.TemporalRuleError, match="needs a stream with datetimes"):
        AnswerStreamsReport(rules, pr.Window(range=5))


def test_a_rule_on_silence_that_concludes_nothing_is_warned_of(ontology, rules, capsys):
    text = "said(S) :- :Hot(S). silent(S) :- said(S) in [10], not said(S) in [5]."
    check(CheckOptions([ontology()], rules=rules(text)))
    assert "warning: line 1, column" in (out := capsys.readouterr().out)
    assert "silent(S) is never concluded" in out and "write: remember said." in out
