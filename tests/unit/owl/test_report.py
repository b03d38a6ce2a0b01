"""The admission report as text and JSON."""

from __future__ import annotations

import json
import pickle

from rdflib import Graph

from pantarhei import load_ontology
from pantarhei.model.rule import Origin
from pantarhei.owl.report import AxiomOutcome, Report, ReportedContradiction, ReportEntry

SOME = "ObjectSomeValuesFrom({}) on the right requires more"
REPORT = Report(
    (
        ReportEntry(Origin("SubClassOf(A B)"), "SubClassOf", AxiomOutcome.RULES, ("B(?x) :- A(?x).",)),
        ReportEntry(
            Origin("EquivalentClasses(A C)"),
            "EquivalentClasses",
            AxiomOutcome.PARTLY,
            ("C(?x) :- A(?x).",),
            (("SubClassOf(C A)", SOME.format("p (q r)")),),
            ("SubClassOf(A C)",),
        ),
        ReportEntry(
            Origin("SubClassOf(D E)"),
            "SubClassOf",
            AxiomOutcome.NOT_SUPPORTED,
            (),
            (("SubClassOf(D E)", SOME.format("q")),),
        ),
        ReportEntry(
            Origin("HasKey(A (p) ())"),
            "HasKey",
            AxiomOutcome.NOT_SUPPORTED,
            (),
            (("HasKey(A (p) ())", "keys"),),
        ),
        ReportEntry(Origin("_:l first 1"), "rdf:first", AxiomOutcome.UNUSED),
    ),
    (("declarations", 4), ("annotations", 0)),
    ("http://example.org/nowhere",),
    (("http://example.org/Nobody", ("1. x type Nobody  (asserted)", "2. ⊥")),),
    (("http://example.org/a", "http://example.org/b"),),
    (("FunctionalObjectProperty(p)", "p is not simple"),),
)


def test_the_text_begins_with_the_summary():
    assert str(REPORT).splitlines()[:4] == [
        "4 axioms: 1 as rules, 1 in part, 2 not supported",
        "besides: declarations 4",
        "unused: 1 expression or list in no axiom",
        "import skipped: <http://example.org/nowhere>",
    ]


def test_losses_are_grouped_by_reason_whatever_the_operands():
    most, other = REPORT.losses_by_reason()
    assert most.reason == "(… some …) on the right requires more"
    assert most.constructs() == {"EquivalentClasses": 1, "SubClassOf": 1}
    assert (other.reason, len(other.entries)) == ("keys", 1)


def test_a_group_of_losses_has_examples_with_what_is_kept_and_lost():
    text = str(REPORT)
    assert "Lost in whole or in part: 3 axioms" in text
    assert "  (… some …) on the right requires more\n" in text
    assert (
        "      EquivalentClasses(A C)\n          kept: SubClassOf(A C)\n          lost: SubClassOf(C A)\n"
        in text
    )
    assert "      SubClassOf(D E)\n" in text


def test_a_group_says_how_many_it_has_in_all():
    lost = AxiomOutcome.NOT_SUPPORTED, (), (("a part", "keys"),)
    entries = [
        ReportEntry(Origin(f"{name}({i})"), name, *lost)
        for name, n in (("A", 2), ("HasKey", 3))
        for i in range(n)
    ]
    assert "      in all 3 HasKey, 2 A" in str(Report(tuple(entries)))
    many = [ReportEntry(Origin(f"N{i}(x)"), f"N{i}", *lost) for i in range(9)]
    assert "      in all 1 N0, 1 N1, 1 N2, 1 N3, 1 N4, 4 others" in str(Report(tuple(many)))


def test_names_without_instance_names_of_one_thing_and_notes_are_told():
    lines = [line.strip() for line in str(REPORT).splitlines()]
    assert "Can have no instance: at least 1, since 3 axioms are lost" in lines
    assert lines[lines.index("<http://example.org/Nobody>") + 2] == "2. ⊥"
    assert "<http://example.org/a> = <http://example.org/b>" in lines
    assert lines[lines.index("FunctionalObjectProperty(p)") + 1] == "p is not simple"


def test_what_can_have_no_instance_is_listed_in_full_unless_something_is_lost():
    text = str(Report(REPORT.entries[:1], unsatisfiable=REPORT.unsatisfiable))
    assert "Can have no instance: 1\n" in text
    one = str(Report(REPORT.entries[:2], unsatisfiable=REPORT.unsatisfiable))
    assert "Can have no instance: at least 1, since 1 axiom is lost" in one


def test_a_contradiction_of_unique_names_is_told_with_its_proof():
    steps = ("1. cart is in hall (always so)", "2. cart is in lobby (always so)")
    found = ReportedContradiction("cart is in two things, hall and lobby", True, steps, {"text": "…"})
    report = Report((), contradictions=(found,))
    title, *lines = report.text(details=True).splitlines()
    assert title.startswith("Contradictions under unique names") and "unique_names=False" in title
    line = "Contradiction 1 of 1: cart is in two things, hall and lobby."
    assert lines[:3] == [line, *(f"    {step}" for step in steps)]
    assert report.text().splitlines()[:3] == [title, line, ""]
    data = json.loads(report.to_json())
    assert (data["consistent"], data["contradictions"]) == (True, [{"text": "…"}])
    assert json.loads(REPORT.to_json())["contradictions"] == []


def test_contradictions_of_an_inconsistent_ontology_come_first_and_those_of_names_are_marked():
    found = [ReportedContradiction(text, names, (), {}) for text, names in (("one", False), ("two", True))]
    for omitted, count, last in (
        (1_000, "1,002", "1,000 more not shown"),
        (None, "at least 2", "Further contradictions are not shown: they are too many to count"),
        (0, "2", ""),
    ):
        report = Report((), contradictions=tuple(found), omitted_contradictions=omitted)
        assert report.text().splitlines()[:4] == [
            "The ontology is inconsistent, so it entails everything:",
            f"Contradiction 1 of {count}: one.",
            f"Contradiction 2 of {count}, under unique names: two.",
            last,
        ]
        assert not report.consistent
        data = json.loads(report.to_json())
        assert (data["all_contradictions"], data["omitted_contradictions"]) == (omitted == 0, omitted)


def test_the_summary_of_a_large_ontology_is_short():
    lost = (AxiomOutcome.NOT_SUPPORTED, ())
    entries = [
        ReportEntry(Origin(f"A{i}({'x' * 500})"), f"A{i}", *lost, (("x", f"reason {i % 40}: {'y' * 300}"),))
        for i in range(5000)
    ]
    name = (f"urn:{'n' * 500}", ("a step", "⊥"))
    report = Report(tuple(entries), unsatisfiable=(name,) * 1000, notes=(name[:1] * 2,) * 1000)
    lines = str(report).splitlines()
    assert len(lines) < 100
    assert max(map(len, lines)) < 300
    assert "… and 28 more reasons" in str(report)


def test_details_show_every_axiom_with_its_rules_and_totals():
    text = REPORT.text(details=True)
    assert text.startswith(str(REPORT).split("\n\n")[0])
    assert "rules: SubClassOf(A B)\n    B(?x) :- A(?x)." in text
    assert (
        "partly: EquivalentClasses(A C)\n    kept: SubClassOf(A C)\n    lost: SubClassOf(C A): ObjectSome"
        in text
    )
    assert "not supported: HasKey(A (p) ())\n    keys" in text
    assert "    HasKey: 1 not supported" in text


def test_json_holds_everything():
    whole = json.loads(REPORT.to_json())
    assert [axiom["outcome"] for axiom in whole["axioms"]] == [
        "rules",
        "partly",
        "not supported",
        "not supported",
        "unused",
    ]
    assert whole["axioms"][1]["kept"] == ["SubClassOf(A C)"]
    assert whole["axioms"][3]["lost"] == [{"part": "HasKey(A (p) ())", "reason": "keys"}]
    assert whole["totals"]["SubClassOf"] == {"not supported": 1, "rules": 1}
    assert whole["losses"][1] == {"reason": "keys", "axioms": 1, "constructs": {"HasKey": 1}}
    assert whole["counts"] == {"declarations": 4, "annotations": 0}
    assert whole["imports_skipped"] == ["http://example.org/nowhere"]
    assert whole["unsatisfiable"][0]["name"] == "http://example.org/Nobody"
    assert whole["merged"] == [["http://example.org/a", "http://example.org/b"]]
    assert whole["notes"] == [{"axiom": "FunctionalObjectProperty(p)", "reason": "p is not simple"}]


def test_an_empty_report_says_so():
    assert str(Report(())) == "no axioms"


def test_html_shows_axioms_and_names_with_labels():
    text = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :A rdfs:label "a <thing>" ; rdfs:subClassOf :B, :C ,
            [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] .
        :B owl:disjointWith :C . :i owl:sameAs :j . :i rdfs:label "first" ."""
    html = load_ontology(Graph().parse(data=text)).report()._repr_html_()
    lost = "&#x27;a &lt;thing&gt;&#x27; SubClassOf p some B"
    assert html.count(lost) == 2  # among the losses, and among the axioms
    assert ">&#x27;a &lt;thing&gt;&#x27; &lt;http://example.org/A&gt;<" in html
    assert "&#x27;first&#x27; &lt;http://example.org/i&gt; = &lt;http://example.org/j&gt;" in html
    assert "<summary>not supported: &#x27;a &lt;thing&gt;&#x27; SubClassOf p some B</summary>" in html
    assert "SubClassOf(" not in html.partition("axioms: ")[0]


def test_a_report_pickles():
    assert pickle.loads(pickle.dumps(REPORT)) == REPORT
