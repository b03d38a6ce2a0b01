"""Where something stands in a text."""

from pantarhei.errors import TemporalRuleError
from pantarhei.model.written import Written, told_place


def test_an_error_takes_a_place_as_its_last_arguments():
    told = TemporalRuleError("no", "yes", *Written(2, 3, "  a.", "rules.lars"))
    assert str(told).startswith("temporal rule refused, rules.lars, line 2, column 3: no; expected yes")


def test_a_message_begins_with_the_place_where_that_is_known():
    assert (told_place(Written(2, 3, "  a.")), told_place(None)) == ("line 2, column 3: ", "")
