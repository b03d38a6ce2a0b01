"""The admission report as text and JSON."""

from __future__ import annotations

import json
import pickle

from pantarhei.owl.report import Entry, Outcome, Report

REPORT = Report(
    (
        Entry("SubClassOf(A B)", "SubClassOf", Outcome.RULES, ("B(?x) :- A(?x).",)),
        Entry(
            "EquivalentClasses(A C)", "EquivalentClasses", Outcome.PARTLY, ("C(?x) :- A(?x).",), ("a part",)
        ),
        Entry("HasKey(A (p) ())", "HasKey", Outcome.NOT_SUPPORTED, (), ("keys",)),
    ),
    (("declarations", 4), ("annotations", 0)),
    ("http://example.org/nowhere",),
)


def test_the_text_begins_with_the_summary_and_names_losses_with_reasons():
    lines = str(REPORT).splitlines()
    assert lines[:3] == [
        "3 axioms: 1 rules, 1 partly, 1 not supported",
        "4 declarations",
        "import skipped: <http://example.org/nowhere>",
    ]
    assert "not supported: HasKey(A (p) ())" in lines
    assert "    keys" in lines
    assert "B(?x) :- A(?x)." not in str(REPORT)


def test_details_show_every_axiom_with_its_rules_and_totals():
    text = REPORT.text(details=True)
    assert text.startswith(str(REPORT))
    assert "rules: SubClassOf(A B)\n    B(?x) :- A(?x)." in text
    assert "HasKey: 1 not supported" in text


def test_json_holds_everything():
    whole = json.loads(REPORT.to_json())
    assert [axiom["outcome"] for axiom in whole["axioms"]] == ["rules", "partly", "not supported"]
    assert whole["axioms"][1]["reasons"] == ["a part"]
    assert whole["totals"]["SubClassOf"] == {"rules": 1}
    assert whole["counts"] == {"declarations": 4, "annotations": 0}
    assert whole["imports_skipped"] == ["http://example.org/nowhere"]


def test_an_empty_report_says_so():
    assert str(Report(())) == "no axioms"


def test_a_report_pickles():
    assert pickle.loads(pickle.dumps(REPORT)) == REPORT
