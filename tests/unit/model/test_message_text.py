"""Numbers with their nouns."""

import pytest
from rdflib import OWL, Namespace, Variable

from pantarhei.errors import TemporalRuleError
from pantarhei.model.message_text import (
    DisplayNames,
    TextPosition,
    counted,
    did_you_mean,
    disambiguate,
    position_prefix,
    with_prefix,
)
from pantarhei.model.rule import Atom, Rule, names_of
from pantarhei.model.term import short


@pytest.mark.parametrize(
    ("number", "nouns", "text"),
    [
        (1, ("fact",), "1 fact"),
        (0, ("fact",), "0 facts"),
        (12_345, ("ABox",), "12,345 ABoxes"),
        (1, ("property", "properties"), "1 property"),
        (2, ("property", "properties"), "2 properties"),
    ],
)
def test_a_number_has_its_noun(number, nouns, text):
    assert counted(number, *nouns) == text


def test_a_name_that_differs_by_case_or_spaces_only_is_near():
    assert did_you_mean(" vehiclecount", ["status", "vehicleCount"]) == " (did you mean vehicleCount?)"


def test_nothing_is_asked_where_no_name_is_near():
    assert did_you_mean("temperature", ["id", "free"]) == ""


def test_an_error_takes_a_place_as_its_last_arguments():
    told = TemporalRuleError("no", "yes", *TextPosition(2, 3, "  a.", "rules.lars"))
    assert str(told).startswith("temporal rule refused, rules.lars, line 2, column 3: no; expected yes")


def test_a_message_begins_with_the_place_where_that_is_known():
    assert (position_prefix(TextPosition(2, 3, "  a.")), position_prefix(None)) == ("line 2, column 3: ", "")


ROOM, SAREF = Namespace("http://example.org/room#"), Namespace("https://saref.etsi.org/core/")
X = Variable("x")


def text(*terms, **prefixes):
    return disambiguate(lambda: " ".join(map(short, terms)), DisplayNames({"room": str(ROOM), **prefixes}))


def test_names_that_would_look_the_same_have_their_prefix_or_are_in_full():
    assert text(ROOM.Sensor, SAREF.Sensor) == "room:Sensor <https://saref.etsi.org/core/Sensor>"
    assert text(ROOM.Sensor, SAREF.Sensor, saref=str(SAREF)) == "room:Sensor saref:Sensor"


def test_names_that_look_like_no_other_are_shown_by_their_last_part():
    assert text(ROOM.Sensor, ROOM.Sensor, SAREF.Device) == "Sensor Sensor Device"
    assert text(ROOM.Sensor, SAREF.Sensor, SAREF.Device).endswith(" Device")


def test_a_rule_shows_apart_what_has_one_last_part():
    rule = Rule("cax-sco", (Atom(ROOM.Sensor, (X,)),), Atom(SAREF.Sensor, (X,)))
    assert str(rule) == f"<{SAREF.Sensor}>(?x) :- <{ROOM.Sensor}>(?x)."
    assert (
        str(Rule("cax-sco", (Atom(ROOM.Sensor, (X,)),), Atom(SAREF.Device, (X,))))
        == "Device(?x) :- Sensor(?x)."
    )


def test_a_text_shows_a_name_in_one_way_in_all_its_parts():
    rules = [Rule("r", (Atom(name, (X,)),), Atom(ROOM.Device, (X,))) for name in (ROOM.Sensor, SAREF.Sensor)]
    assert [str(rule) for rule in rules] == ["Device(?x) :- Sensor(?x)."] * 2
    together = disambiguate(lambda: [str(rule) for rule in rules], DisplayNames({"room": str(ROOM)}))
    assert together == ["Device(?x) :- room:Sensor(?x).", f"Device(?x) :- <{SAREF.Sensor}>(?x)."]


def test_names_known_beforehand_are_told_apart_where_only_one_of_them_is_shown():
    names = names_of([Rule("r", (Atom(ROOM.Sensor, (X,)), Atom(SAREF.Sensor, (X,))), None)])
    assert disambiguate(lambda: short(ROOM.Sensor), names) == f"<{ROOM.Sensor}>"


def test_a_text_that_fails_changes_no_other():
    with pytest.raises(ZeroDivisionError):
        disambiguate(lambda: 1 / 0, DisplayNames().disambiguated([ROOM.Sensor, SAREF.Sensor]))
    assert short(ROOM.Sensor) == "Sensor"


def test_the_usual_prefixes_are_known_and_an_empty_one_shortens_nothing():
    assert disambiguate(lambda: f"{short(OWL.Thing)} {short(SAREF.Thing)}").startswith("owl:Thing <")
    assert with_prefix(ROOM.Sensor, {"none": "", "": str(ROOM)}) == ":Sensor"
