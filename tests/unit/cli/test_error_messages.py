"""Errors with their options as they are typed."""

import pytest

from pantarhei.cli.error_messages import as_typed, one_line, warning_as_typed
from pantarhei.errors import (
    OptionError,
    QueryError,
    QueryLengthError,
    QueryMemoryError,
    QueryTimeoutError,
    RegistrationMemoryError,
    TemporalTextError,
    TimesCutWarning,
)

NAMES = ["on_error", "master", "range", "max_bytes"]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            OptionError("on_error", "'no'", 'raise or on_error="skip"'),
            "--on-error no is not possible",
        ),
        (OptionError("master", "'yarn'", "local[2]"), "--spark yarn is not possible"),
        (OptionError("unique_names", "False", "nothing"), "--no-unique-names is not possible"),
        (QueryTimeoutError(2.5), "stopped after --query-timeout 2.5 seconds"),
        (RegistrationMemoryError(115_000, 156_297, 0, 45_000), "where --max-bytes 115000; allow more"),
        (QueryLengthError(2_000, 1_000), "has 2_000 characters, where 1_000 are permitted; give data as"),
        (QueryMemoryError(1_000, 2_000, 5), "2_000 bytes, where 1_000 are permitted; query for less"),
        (QueryMemoryError(1_000, 2_000), "2_000 bytes, where 1_000 are permitted; make fewer or shorter"),
        (QueryError('the literal "range=1"'), 'the literal "range=1"'),
    ],
)
def test_options_are_as_typed_and_what_was_given_stays(error, text):
    assert text in as_typed(error, NAMES)


def test_warnings_name_options_as_they_are_typed():
    assert "--precision exact refuses them" in warning_as_typed(TimesCutWarning("s.nq", "10:00"))


def test_a_message_of_several_lines_is_one():
    assert "\n" not in one_line(str(OptionError("range", "1\n2", "one number")))


def test_of_a_prefix_that_is_missing_no_argument_of_python_is_told():
    error = TemporalTextError("ex has no prefix", "a line above, or prefixes={'ex': '…'}", 1, 2, "ex:a.")
    said = as_typed(error, [])
    assert said.splitlines()[0].endswith("line 1, column 2: ex has no prefix; expected a line above")
    assert said.endswith(" ^")
