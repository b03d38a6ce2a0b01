"""A check: an ontology, temporal rules, or both; as text or for programs."""

import json

import pytest
import typer

from pantarhei import TemporalRuleError
from pantarhei.cli.check_command import check
from pantarhei.cli.check_options import Checking

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
    assert check(Checking(rules=rules())) is None
    assert capsys.readouterr().out.startswith("1 temporal rule in 1 stratum; remembered: nothing\n")


def test_with_an_ontology_its_report_comes_first_and_its_prefixes_are_known(ontology, rules, capsys):
    assert check(Checking([ontology()], rules("alarm(X) :- :Hot(X) in [3]."), range="9")) is None
    first, second = capsys.readouterr().out.split("\n\n1 temporal rule ")
    assert first.startswith("1 axiom") and ":Hot" not in second and "Hot(X) in [3]: 3 ticks" in second


def test_json_has_both(ontology, rules, capsys):
    check(Checking([ontology()], rules(), format="json", depth=1))
    data = json.loads(capsys.readouterr().out)
    assert {"axioms", "inconsistency_normal_form", "temporal_rules"} <= set(data)
    check(Checking(rules=rules(), format="json"))
    assert list(json.loads(capsys.readouterr().out)) == ["temporal_rules"]


def test_rules_that_cannot_be_run_over_the_window_do_not_pass(rules):
    with pytest.raises(TemporalRuleError, match="counts ticks"):
        check(Checking(rules=rules(), range="PT5M"))


def test_a_strict_check_fails_if_something_of_the_ontology_is_lost(ontology, capsys):
    assert check(Checking([ontology()], strict=True)) is None
    assert "--strict allows no loss" in check(Checking([ontology(LOSS)], strict=True))
    assert check(Checking([ontology(LOSS)])) is None


def test_something_is_to_be_checked():
    with pytest.raises(typer.BadParameter, match="nothing to check"):
        check(Checking())


TWICE = ":isIn a owl:FunctionalProperty, owl:ObjectProperty . :cart :isIn :hall , :lobby ."


def test_what_run_would_refuse_is_told_unless_names_are_not_unique(ontology, capsys):
    path = ontology(TWICE)
    assert check(Checking([path])) is None
    assert "Contradictions of unique names" in capsys.readouterr().out
    assert "run would refuse this ontology" in check(Checking([path], strict=True))
    assert check(Checking([path], strict=True, unique_names=False)) is None
    capsys.readouterr()
    check(Checking([path], unique_names=False, format="json"))
    assert json.loads(capsys.readouterr().out)["contradiction"] is None
