"""Rows as triples on the executors, without Spark: what comes out, and what becomes of bad rows."""

import logging
from datetime import UTC, datetime

import pyarrow as pa
import pytest

from pantarhei import InvalidRowError
from pantarhei.io.mapping.binding import bind
from pantarhei.io.mapping.mapping_reader import read_mapping
from pantarhei.model.time import TimeKind
from pantarhei.spark.frame import arrow_schema
from pantarhei.spark.frame_mapping import MapRowsTask
from pantarhei.spark.invalid_rows import find_invalid_rows, row_error

MAPPING = {
    "prefixes": {"ex": "http://example.org/"},
    "time": {"column": "at", "unit": "number"},
    "melt": {"columns": ["ozone", "no2"]},
    "mappings": {"air": {"s": "ex:$(place)", "po": [["ex:$(variable)", "$(value)", "xsd:integer"]]}},
}
TEXTS = {
    "at": ["7", "8", "9.5"],
    "place": ["a b", "c", "d"],
    "ozone": ["81", "many", "3"],
    "no2": ["34", "2", ""],
}


def melted(columns, wrong, kind=TimeKind.INTEGER, mapping=MAPPING):
    """The rows that come out of one batch with these columns."""
    batch = pa.record_batch(columns)
    bound = bind(read_mapping(mapping), batch.schema.names, "it")
    task = MapRowsTask(bound, "m.yaml", kind, arrow_schema(kind), wrong)
    return pa.Table.from_batches(list(task(iter([batch]))), arrow_schema(kind))


def test_the_columns_of_a_wide_table_are_rows_and_empty_cells_are_none():
    rows = melted({name: cells[:1] + cells[2:] for name, cells in TEXTS.items()}, "skip", TimeKind.FLOAT)
    cells = zip(*rows.to_pydict().values(), strict=True)
    assert [
        (at, *(text.removeprefix("<http://example.org/").split("^")[0] for text in terms))
        for at, *terms in cells
    ] == [(7.0, "a%20b>", "ozone>", '"81"'), (7.0, "a%20b>", "no2>", '"34"'), (9.5, "d>", "ozone>", '"3"')]


def test_a_row_that_is_not_as_the_mapping_says_is_named_with_all_its_cells():
    with pytest.raises(InvalidRowError) as raised:
        melted(TEXTS, "raise")
    assert raised.value.column == "ozone"
    assert raised.value.row == ("at=8", "place=c", "ozone=many", "no2=2")
    assert raised.value.reason == "'many' is not of type xsd:integer, the datatype in the mapping"


def test_rows_that_are_left_out_are_counted_in_the_log(caplog):
    with caplog.at_level(logging.WARNING, "pantarhei.spark"):
        rows = melted(TEXTS, "skip")
    assert rows.column("timestamp").to_pylist() == [7, 7]
    (record,) = caplog.records
    assert record.getMessage().startswith("skipped 2 rows")


def test_rows_that_are_left_out_carry_what_is_wrong_to_who_looks_at_rows():
    rows = melted(TEXTS, "carry")
    errors = [row_error(rows, problem) for problem in find_invalid_rows(rows)]
    assert [(error.column, error.row[0]) for error in errors] == [("ozone", "at=8"), ("at", "at=9.5")]
    assert "cast the column of a DataFrame to double" in errors[1].reason
    assert rows.column("timestamp").to_pylist() == [7, 7, None, None]


def test_texts_that_are_times_may_be_whole_numbers_among_others():
    rows = melted({**TEXTS, "ozone": ["1", "2", "3"]}, "carry")
    assert rows.column("timestamp").to_pylist() == [7, 7, 8, 8, None]


def test_instants_are_told_in_utc_whatever_the_zone_of_the_session():
    at = datetime(2026, 3, 2, 7, tzinfo=UTC)
    mapping = {
        "prefixes": MAPPING["prefixes"],
        "time": "at",
        "mappings": {"x": {"s": "ex:x", "po": [["ex:at", "$(at)"]]}},
    }
    found = [
        melted({"at": pa.array([at], pa.timestamp("us", zone))}, "raise", TimeKind.DATETIME, mapping)
        for zone in ("UTC", "Europe/Copenhagen")
    ]
    assert found[0].equals(found[1])
    assert found[0].column("timestamp").to_pylist() == [at]
    assert found[0].column("object")[0].as_py().startswith('"2026-03-02T07:00:00')


INSTANTS = {**MAPPING, "time": "at"}


@pytest.mark.parametrize("wrong", ["raise", "skip", "carry"])
def test_a_row_with_a_time_beyond_pythons_years_is_one_that_is_not_as_the_mapping_says(wrong):
    at = pa.array([0, 2**62, 10**6], pa.timestamp("us", "UTC"))
    columns = {**TEXTS, "at": at, "ozone": ["1", "2", "3"]}
    if wrong == "raise":
        with pytest.raises(InvalidRowError, match=r"column at of the row \(at=148108-.*, place=c"):
            melted(columns, wrong, TimeKind.DATETIME, INSTANTS)
        return
    rows = melted(columns, wrong, TimeKind.DATETIME, INSTANTS)
    told = [None] if wrong == "carry" else []
    assert [at and at.second for at in rows.column("timestamp").to_pylist()] == [0, 0, 1, *told]


def test_a_fraction_among_whole_times_leaves_out_its_own_row_alone():
    large = 2**62 - 1
    at = ["8.5", str(large), None, "7.0", "x"]
    columns = {"at": at, "place": list("abcde"), "ozone": ["1"] * 5, "no2": [""] * 5}
    rows = melted(columns, "carry")
    assert rows.column("timestamp").to_pylist() == [large, 7, None, None, None]
    errors = [row_error(rows, problem) for problem in find_invalid_rows(rows)]
    assert [error.row[1] for error in errors] == ["place=a", "place=c", "place=e"]
    for error, said in zip(errors, ("not a whole number", "no time", "'x' is not a number"), strict=True):
        assert said in error.reason
