"""Texts of removals and contradictions: one notation wherever a repair is shown."""

import logging
import pickle
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, Graph, Literal, Namespace

from pantarhei import StreamReasoner, Window, load_ontology
from pantarhei.cli.run_report import cut_lines
from pantarhei.repair.removal_text import reasons, removal_texts

EX = Namespace("http://example.org/")
AT = datetime(2026, 3, 1, 8, 49, tzinfo=UTC)
ONTOLOGY = load_ontology(
    Graph().parse(
        data="""@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
        :temp_c a owl:DatatypeProperty , owl:FunctionalProperty .
        :setting a owl:DatatypeProperty . :Press rdfs:subClassOf [ a owl:Restriction ;
            owl:onProperty :setting ; owl:maxCardinality "1"^^xsd:nonNegativeInteger ] . :m a :Press .
        :level rdfs:range xsd:decimal . :level a owl:DatatypeProperty .
        :OpenValve owl:disjointWith :ClosedValve . :StuckValve rdfs:subClassOf :OpenValve .
        :feeds a owl:ObjectProperty , owl:IrreflexiveProperty .
        :Part owl:disjointWith [ owl:intersectionOf ( :Device :Sold ) ] ."""
    )
)


def kind(name, class_):
    return EX[name], RDF.type, EX[class_]


def value(name, of, text, datatype=XSD.decimal):
    return EX[name], EX[of], Literal(text, datatype=datatype, normalize=False)


def repaired(*steps, **options):
    """Return the repair of the last step; a step is a pair of seconds since `AT` and facts."""
    reasoner = StreamReasoner(ONTOLOGY, Window(range="2 days"), **options)
    for seconds, *facts in steps:
        update = reasoner.push(AT + timedelta(seconds=seconds), facts)
    return update.repair


def lines(*steps, **options):
    header, *lines = str(repaired(*steps, **options)).split("\n  ")
    assert header.startswith("at 2026-03-0")
    return lines


OLD, NEW = value("press-0", "temp_c", "70.7"), value("press-0", "temp_c", "68.9")
OPEN, CLOSED, STUCK = (kind("v", f"{state}Valve") for state in ("Open", "Closed", "Stuck"))
NOT_BOTH = "nothing is both a closed valve and an open valve"


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (
            [(0, OLD), (30, NEW)],
            ["08:49:30 press-0 temp_c: 68.9 replaces 70.7 (08:49:00); one value allowed"],
        ),
        (
            [(0, OLD), (10, OLD), (30, NEW)],
            ["08:49:30 press-0 temp_c: 68.9 replaces 70.7 (08:49:00, 08:49:10); one value allowed"],
        ),
        (
            [(0, OLD), (86400, NEW)],
            ["2026-03-02 08:49Z press-0 temp_c: 68.9 replaces 70.7 (2026-03-01 08:49Z); one value allowed"],
        ),
        (
            [(0, OLD, NEW)],
            ["08:49 press-0 temp_c: 68.9 and 70.7 (08:49, equally new) removed; one value allowed"],
        ),
        (
            [(0, OLD), (30, NEW, value("press-0", "temp_c", "69"))],
            [
                "08:49:30 press-0 temp_c: 68.9 and 69 (08:49:30, equally new) removed; one value allowed",
                "08:49:30 press-0 temp_c: 70.7 (08:49:00) removed, contradicted by 68.9 (removed as well); "
                "one value allowed",
            ],
        ),
        (
            [(0, value("m", "setting", "1")), (60, value("m", "setting", "2"))],
            ["08:50 m setting: 2 replaces 1 (08:49); one value allowed"],
        ),
        (
            [(0, value("s", "temp_c", "5", XSD.integer)), (60, value("s", "temp_c", "5.0", XSD.double))],
            ['08:50 s temp_c: "5.0"^^xsd:double replaces "5"^^xsd:integer (08:49); one value allowed'],
        ),
        (
            [(0, OPEN), (60, CLOSED)],
            [f"08:50 removed: v is an open valve (08:49), contradicted by v is a closed valve; {NOT_BOTH}"],
        ),
        (
            [(0, STUCK), (60, CLOSED)],
            [f"08:50 removed: v is a stuck valve (08:49), contradicted by v is a closed valve; {NOT_BOTH}"],
        ),
        (
            [(0, OPEN, CLOSED)],
            [f"08:49 removed: v is a closed valve and v is an open valve (08:49, equally new); {NOT_BOTH}"],
        ),
        (
            [(0, (EX.a, EX.feeds, EX.a))],
            [
                "08:49 removed: a feeds a (08:49), contradicted by itself or the background; "
                "nothing feeds itself"
            ],
        ),
        (
            [(0, value("s", "level", "300", XSD.byte))],
            ['08:49 removed: s level "300"^^xsd:byte (08:49); not a valid xsd:byte'],
        ),
        (
            [(0, value("s", "level", "3", XSD.double))],
            ['08:49 removed: s level "3"^^xsd:double (08:49); level Range xsd:decimal'],
        ),
    ],
)
def test_each_kind_of_removal_is_a_line(steps, said):
    assert lines(*steps) == said


def test_the_other_facts_of_larger_conflicts_are_listed_with_their_times():
    steps = (0, kind("d", "Part")), (30, kind("d", "Sold")), (60, kind("d", "Device"))
    (line,) = lines(*steps)
    assert line.startswith("08:50:00 removed: d is a part (08:49:00), contradicted by d is ")
    assert "sold (08:49:30) and d is a device; nothing is" in line


def test_numbers_are_times_too():
    reasoner = StreamReasoner(ONTOLOGY, Window(range=9))
    reasoner.push(1, [OLD])
    said = "at 2 press-0 temp_c: 68.9 replaces 70.7 (at 1); one value allowed"
    assert str(reasoner.push(2, [NEW]).repair).endswith(f"\n  {said}")


def test_undecided_facts_are_marked():
    repair = repaired((0, OPEN), (60, CLOSED))
    by_text = removal_texts(repair.at, repair.removed, repair.removed, repair.conflicts)
    assert [text for text, _ in by_text] == [
        "08:50 removed undecided: v is an open valve (08:49), contradicted by v is a closed valve; "
        f"{NOT_BOTH}",
    ]


def test_a_fact_beyond_the_budget_has_no_reason():
    repair = repaired((0, OPEN), (60, CLOSED)).without_evidence()
    assert str(repair).split("\n  ")[1:] == [
        "08:50 removed: v is an open valve (08:49)",
        "and others, which are too many to list",
    ]


def test_without_repair_the_conflicts_are_shown():
    assert lines((0, OLD, OPEN), (30, NEW, CLOSED), repair="off") == [
        "press-0 temp_c: 70.7 (08:49:00) contradicts 68.9 (08:49:30); one value allowed",
        f"v is an open valve (08:49:00) contradicts v is a closed valve (08:49:30); {NOT_BOTH}",
    ]


def test_labels_of_the_ontology_are_shown_and_pickled():
    graph = Graph().parse(
        data="""@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :temp_c a owl:FunctionalProperty ,
        owl:DatatypeProperty ; rdfs:label "temperature" . :press-0 rdfs:label "the large press" ."""
    )
    reasoner = StreamReasoner(load_ontology(graph), Window(range="1h"))
    reasoner.push(AT, [OLD])
    repair = reasoner.push(AT + timedelta(minutes=1), [NEW]).repair
    said = "08:50 the large press temperature: 68.9 replaces 70.7 (08:49); one value allowed"
    kept = "the large press temperature: 70.7 (08:49) contradicts 68.9 (08:50); one value allowed"
    for one in (repair, pickle.loads(pickle.dumps(repair))):
        assert str(one).endswith(f"\n  {said}") and str(one.conflicts[0]) == kept


def test_texts_from_a_stream_are_on_one_line():
    bad = value("press-0", "temp_c", "7\n0\x1b[31m", XSD.string)
    (line,) = lines((0, bad), (30, NEW))
    assert "\n" not in line and "\x1b" not in line


def test_the_api_the_command_line_and_the_log_have_one_text(caplog):
    with caplog.at_level(logging.DEBUG, logger="pantarhei.repair"):
        repair = repaired((0, OLD, STUCK), (30, NEW, CLOSED))
    said = str(repair).split("\n  ")[1:]
    assert said == cut_lines(repair) == [text for text, _ in repair.removals()]
    prefix = "at 2026-03-01T08:49:30+00:00: "
    assert [each.removeprefix(prefix) for each in caplog.messages[1:]] == said and len(said) == 2


FACTS = [
    OLD,
    NEW,
    value("press-0", "temp_c", "69"),
    OPEN,
    CLOSED,
    STUCK,
    kind("d", "Part"),
    kind("d", "Sold"),
]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.lists(st.sampled_from(FACTS), min_size=1)), min_size=1, max_size=5
    )
)
def test_each_removed_fact_is_in_one_line_and_each_reason_is_a_conflict_of_the_fact(steps):
    reasoner, at = StreamReasoner(ONTOLOGY, Window(range="1h")), AT
    for seconds, facts in steps:
        at += timedelta(seconds=seconds)
        repair = reasoner.push(at, facts).repair
        removed = {triple for _, triple in repair.removed}
        texts = repair.removals()
        assert bool(texts) == bool(removed) and len(texts) <= len(removed)
        for triple, conflict in reasons(repair.conflicts, removed).items():
            assert triple in {fact for _, fact in conflict.assertions}
            word = (
                str(triple[2]) if isinstance(triple[2], Literal) else triple[2].rpartition("/")[2][:4].lower()
            )
            assert sum(word in text for text, _ in texts) >= 1
