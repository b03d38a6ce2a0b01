"""Dead letters: their columns, and their reasons."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from pantarhei.errors import InvalidRowError
from pantarhei.model.time import TimeKind, ticks_of
from pantarhei.spark.dead_letters import FindLetters, invalid_letters, letters_of, time_number
from pantarhei.spark.frame import arrow_schema
from pantarhei.spark.invalid_rows import error_rows, find_invalid_rows
from pantarhei.spark.worker import TimedInterpretation
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


AT_NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "times", "found"),
    [
        (TimeKind.INTEGER, [1, 2, 2, None, -3], [2, -3]),
        (TimeKind.FLOAT, [0.5, -0.0, 0.0, float("nan"), 2.5], [0.0, 2.5]),
        (TimeKind.DATETIME, [AT_NOON, AT_NOON + timedelta(microseconds=1), None], [AT_NOON]),
    ],
)
@pytest.mark.parametrize("invalid", [True, False])
def test_rows_of_the_named_times_are_found_in_any_kind_of_time(kind, times, found, invalid):
    schema = pa.schema([*HEAD, *arrow_schema(kind)])
    column = pa.array(times, schema.field("timestamp").type)
    rows = pa.record_batch([column, *[[A] * len(times)] * 3], NORMALIZED.names)
    named = [time_number(TimedInterpretation(ticks_of(at, kind), at, None)) for at in found]
    task = FindLetters(schema, invalid, named, ["late", "ahead"][: len(found)], ["one", "two"][: len(found)])
    letters = pa.Table.from_batches(task(iter([rows, rows])), schema).to_pylist()
    expected = {"late": sum(at == found[0] for at in times), "ahead": sum(at == found[-1] for at in times)}
    if len(found) == 1:
        del expected["ahead"]
    if invalid:
        expected["invalid"] = sum(at is None or at != at for at in times)
    assert Counter(letter["kind"] for letter in letters) == Counter({k: 2 * n for k, n in expected.items()})
    reasons = {"late": "one", "ahead": "two"}
    assert all(letter["reason"] == reasons.get(letter["kind"], letter["reason"]) for letter in letters)
