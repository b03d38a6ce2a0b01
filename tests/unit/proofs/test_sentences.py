from datetime import UTC, datetime, timedelta, timezone

import pytest
from rdflib import OWL, RDF, RDFS, XSD, Literal, Variable

from pantarhei.model.rule import Atom, Different, Rule
from pantarhei.proofs.sentences import (
    TimeFormat,
    class_phrase,
    denied_statement,
    one_line,
    sentence,
    term_name,
)
from strategies import EX

x, y, z = map(Variable, "xyz")


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("open valve", "an open valve"),
        ("unit", "a unit"),
        ("hour meter", "an hour meter"),
        ("HVAC unit", "an HVAC unit"),
        ("out of range", "out of range"),
        ("the vessel", "the vessel"),
        ("brakes pressed", "brakes pressed"),
        ("movable", "movable"),
        ("overheating", "overheating"),
        ("building", "a building"),
        ("cooling loop", "a cooling loop"),
    ],
)
def test_a_class_is_said_with_an_article_where_it_is_a_noun(label, said):
    assert class_phrase(EX.C, {EX.C: label}) == said


@pytest.mark.parametrize(
    ("property_", "said"),
    [
        (EX.locatedIn, "a is located in b"),
        (EX.partOf, "a is part of b"),
        (EX.on_floor, "a is on floor b"),
        (EX.isIn, "a is in b"),
        (EX.hasPart, "a has part b"),
        (EX.houses, "a houses b"),
        (EX.worksFor, "a works for b"),
        (EX.degreeFrom, "a has degree from b"),
        (EX.securityZone, "a has security zone b"),
        (EX.status, "a has status b"),
        (EX.CO2Level, "a has CO2 level b"),
        (EX["part-of"], "a is part of b"),
        (OWL.sameAs, "a is the same as b"),
    ],
)
def test_a_property_is_said_as_a_verb(property_, said):
    assert sentence((EX.a, property_, EX.b)) == said


def test_a_subclass_is_said_of_its_members():
    assert sentence((EX.Pump, RDFS.subClassOf, EX.Device)) == "whatever is a pump is a device"
    assert sentence((EX.Pump, RDFS.subClassOf, OWL.Nothing)) == "nothing is a pump"


def test_labels_take_the_place_of_names():
    labels = {EX.a: "pump 7", EX.Running: "running pump", EX.partOf: "belongs to"}
    assert sentence((EX.a, RDF.type, EX.Running), labels) == "pump 7 is a running pump"
    assert sentence((EX.a, EX.partOf, EX.b), labels) == "pump 7 belongs to b"


@pytest.mark.parametrize(
    ("literal", "said"),
    [
        (Literal("85.50", datatype=XSD.decimal), "85.50"),
        (Literal("true", datatype=XSD.boolean), "true"),
        (Literal("high"), "“high”"),
        (Literal("high", lang="en"), "“high”"),
        (Literal("two\nlines"), "“two lines”"),
        (Literal("5 kW", datatype=EX.power), "“5 kW”"),
    ],
)
def test_a_literal_is_said_without_datatype(literal, said):
    assert term_name(literal) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\u202eflipped", "\\u202eflipped"),
        (" a\t b\u00a0\r\n c ", "a b c"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\ud800", "\\ud800"),
        ("</script>", "</script>"),
    ],
)
def test_what_is_invisible_is_shown(text, said):
    assert one_line(text) == said


def test_long_texts_are_shortened_and_say_how_long_they_are():
    assert one_line("x" * 10_000) == "x" * 80 + "… (10,000 characters)"
    assert one_line("x" * 80) == "x" * 80
    assert one_line(" " * 10_000 + "x").endswith("… (10,001 characters)")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (
            Rule("cax-dw", (Atom(EX.Open, (x,)), Atom(EX.Shut, (x,))), None),
            "nothing is both open and shut",
        ),
        (Rule("cls-nothing2", (Atom(EX.Open, (x,)),), None), "nothing is open"),
        (
            Rule("prp-fp", (Atom(EX.isIn, (x, y)), Atom(EX.isIn, (x, z))), None, (Different(y, z),)),
            "nothing is in more than one thing",
        ),
        (
            Rule("prp-fp", (Atom(EX.level, (x, y)), Atom(EX.level, (x, z))), None, (Different(y, z),)),
            "nothing has more than one level",
        ),
        (Rule("prp-irp", (Atom(EX.isIn, (x, x)),), None), "⊥ :- isIn(?x, ?x)."),
    ],
)
def test_a_constraint_is_said_as_what_it_forbids(rule, said):
    assert denied_statement(rule) == said


DAY = datetime(2026, 3, 2, 7, tzinfo=UTC)
EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("times", "day", "first"),
    [
        ([DAY, DAY + timedelta(minutes=5)], "2026-03-02 (UTC)", "07:00"),
        ([DAY, DAY + timedelta(seconds=5)], "2026-03-02 (UTC)", "07:00:00"),
        ([DAY, DAY + timedelta(milliseconds=5)], "2026-03-02 (UTC)", "07:00:00.000"),
        ([DAY.replace(tzinfo=EAST)], "2026-03-02 (+02:00)", "07:00"),
        ([DAY, DAY + timedelta(days=1)], None, "2026-03-02 07:00Z"),
        ([DAY.replace(tzinfo=EAST), DAY], None, "2026-03-02T07:00:00+02:00"),
        ([7, 9], None, "7"),
        ([0.5], None, "0.5"),
    ],
)
def test_the_day_is_said_once_where_it_is_one(times, day, first):
    shown = TimeFormat.of(times)
    assert (shown.day, shown(times[0])) == (day, first)


def test_a_span_goes_from_the_first_to_the_last():
    times = [DAY + timedelta(minutes=minute) for minute in (5, 0, 3)]
    assert TimeFormat.of(times).span(times) == "from 07:00 to 07:05 on 2026-03-02 (UTC)"
    assert TimeFormat.of(times[:1]).span(times[:1]) == "at 07:05 on 2026-03-02 (UTC)"
    assert TimeFormat.of([7]).span([7]) == "at 7"
