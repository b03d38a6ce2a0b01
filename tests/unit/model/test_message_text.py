"""Numbers with their nouns."""

import pytest

from pantarhei.errors import TemporalRuleError
from pantarhei.model.message_text import TextPosition, counted, did_you_mean, position_prefix


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
