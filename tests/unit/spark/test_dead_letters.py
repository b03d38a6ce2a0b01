"""Dead letters: their columns, and their reasons."""

import pyarrow as pa
import pytest

from pantarhei.errors import InvalidRowError
from pantarhei.model.time import TimeKind
from pantarhei.spark.dead_letters import invalid_letters, letters_of
from pantarhei.spark.frame import arrow_schema
from pantarhei.spark.invalid_rows import error_rows, find_invalid_rows
from spark_streams import table_of

A = "<urn:a>"
NORMALIZED = arrow_schema(TimeKind.INTEGER)
HEAD = [pa.field("kind", pa.string()), pa.field("reason", pa.string())]
LETTERS = pa.schema([*HEAD, *NORMALIZED, pa.field("offset", pa.int32())])


def rows(*given):
    return table_of(given, pa.int64()).append_column("offset", pa.array(range(len(given)), pa.int64()))


def test_invalid_rows_keep_their_values_and_carried_columns_in_the_declared_types():
    table = rows((1, A, A, A), (2, "a", A, A), (None, A, A, "x"))
    found = find_invalid_rows(table)
    letters = invalid_letters(table, found, LETTERS)
    assert letters.schema == LETTERS
    assert [tuple(row.values()) for row in letters.to_pylist()] == [
        ("invalid", f"column subject: {found[0].reason}", 2, "a", A, A, 1),
        ("invalid", "column timestamp: it is null", None, A, A, "x", 2),
    ]


@pytest.mark.parametrize("text", ["left out: ", "left out: {}", 'left out: ["a"]', "left out: [[1], 2]"])
def test_a_text_of_the_user_is_not_taken_for_the_error_of_a_mapping(text):
    table = rows((None, text, A, A))
    (letter,) = invalid_letters(table, find_invalid_rows(table), LETTERS).to_pylist()
    assert (letter["reason"], letter["subject"]) == ("column timestamp: it is null", text)


def test_rows_that_do_not_fit_a_mapping_have_their_text_in_the_reason():
    error = InvalidRowError(["at=8", "ozone=many"], "ozone", "'many' is not of type xsd:integer")
    schema = NORMALIZED.append(pa.field("offset", pa.int64()))
    table = pa.Table.from_batches([error_rows([error], schema, {"offset": pa.array([7])})])
    (letter,) = invalid_letters(table, find_invalid_rows(table), LETTERS).to_pylist()
    assert letter == {
        "kind": "invalid", "reason": error.what, **dict.fromkeys(NORMALIZED.names), "offset": 7
    }  # fmt: skip


def test_bytes_that_are_not_utf_8_become_text():
    wrong = pa.array([b"<urn:\xff>"]).view(pa.string())
    table = rows((1, A, A, A)).set_column(3, "object", wrong)
    (letter,) = letters_of(table, "late", "why", LETTERS).to_pylist()
    assert (letter["object"], letter["kind"], letter["reason"]) == (
        "<urn:\N{REPLACEMENT CHARACTER}>",
        "late",
        "why",
    )
