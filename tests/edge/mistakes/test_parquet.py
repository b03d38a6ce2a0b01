"""What typically goes wrong with a table in Parquet, and what a stranger is told then."""

from __future__ import annotations

import datetime as dt
import io

import pyarrow as pa
import pytest
from pyarrow import parquet

from mistakes import DECIMAL, MAPPING, TABLE, at_least_twenty, message_for_table

TEN = dt.datetime(2026, 1, 1, 10)
COPENHAGEN = MAPPING.replace("UTC", "Europe/Copenhagen")


def columns(**given):
    """A file with one row, some of whose columns are other ones."""
    return written(pa.table({"time": ["2026-01-01 10:00"], "id": ["a"], "free": [1], **given}))


def written(table):
    file = io.BytesIO()
    parquet.write_table(table, file)
    return file.getvalue()


def doubled():
    """A file two columns of which have one name, as a join leaves them."""
    values = [pa.array(["2026-01-01 10:00"]), pa.array(["a"]), pa.array([1]), pa.array([2])]
    return written(pa.Table.from_arrays(values, ["time", "id", "free", "free"]))


def in_unit(unit):
    return MAPPING.replace("zone: UTC", f"unit: {unit}")


# Of each mistake the file, the mapping, and what is said.
MISTAKES = {
    "CSV with another suffix": (
        TABLE.encode(),
        MAPPING,
        (
            "<table>: it is not Parquet, or is truncated: Parquet magic bytes not found in footer."
            " Either the file is corrupted or this is not a parquet file."
        ),
    ),
    "an empty file": (
        b"",
        MAPPING,
        ("<table>: it is not Parquet, or is truncated: Parquet file size is 0 bytes"),
    ),
    "a file whose writer was killed": (
        columns()[:-20],
        MAPPING,
        (
            "<table>: it is not Parquet, or is truncated: Parquet magic bytes not found in footer."
            " Either the file is corrupted or this is not a parquet file."
        ),
    ),
    "a column that is not there": (
        columns(),
        MAPPING.replace("(free)", "(vacant)"),
        ("the mapping, line 7: <table> has no column vacant; expected one of time, id, free"),
    ),
    "a column's name in other case": (
        columns(),
        MAPPING.replace("(free)", "(Free)"),
        (
            "the mapping, line 7: <table> has no column Free; expected one of time, id, free (did you"
            " mean free?)"
        ),
    ),
    "two columns of one name": (
        doubled(),
        MAPPING,
        (
            "the mapping, line 7: <table> has 2 columns with the name free; expected one, since the "
            "mapping refers to it; rename the others"
        ),
    ),
    "a column inside a struct": (
        columns(free=[{"now": 1}]),
        MAPPING,
        (
            "the mapping, line 7: <table> has no column free; expected one of time, id, free.now (did"
            " you mean free.now?)"
        ),
    ),
    "a column of lists": (
        columns(free=[[1]]),
        MAPPING,
        (
            "the mapping, line 7: column free of <table> is of type list<element: int64>; expected a "
            "column of texts, numbers, booleans, dates or times, one value a row; make a row of each "
            "value first"
        ),
    ),
    "a column of maps": (
        columns(free=pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))),
        MAPPING,
        (
            "the mapping, line 7: column free of <table> is of type map<string, int64 ('free')>; "
            "expected a column of texts, numbers, booleans, dates or times, one value a row; make a "
            "row of each value first"
        ),
    ),
    "a column of bytes": (
        columns(id=pa.array([b"a"])),
        MAPPING,
        (
            "the mapping, line 5: column id of <table> is of type binary; expected a column of texts,"
            " numbers, booleans, dates or times"
        ),
    ),
    "a column of durations": (
        columns(free=pa.array([dt.timedelta(1)])),
        MAPPING,
        (
            "the mapping, line 7: column free of <table> is of type duration[us]; expected a column "
            "of texts, numbers, booleans, dates or times"
        ),
    ),
    "times without a zone": (
        columns(time=pa.array([TEN])),
        MAPPING.replace(", zone: UTC", ""),
        (
            "the mapping, line 2: the times in column time are local times without a zone; expected"
            " zone: Europe/Copenhagen, or another zone"
        ),
    ),
    "a unit for a column of timestamps": (
        columns(time=pa.array([TEN])),
        in_unit("s"),
        (
            "the mapping, line 2: the times in column time are of type timestamp[us]; expected"
            " no unit and no format: these are for numbers and texts"
        ),
    ),
    "a format for a column of timestamps": (
        columns(time=pa.array([TEN])),
        MAPPING.replace("zone", "format: '%Y', zone"),
        (
            "the mapping, line 2: the times in column time are of type timestamp[us]; expected"
            " no unit and no format: these are for numbers and texts"
        ),
    ),
    "numbers as times, and no unit": (
        columns(time=[1_700_000_000]),
        MAPPING,
        (
            "the mapping, line 2: the times in column time are numbers; expected unit: s, ms, us or "
            "ns for a time since 1970, or unit: number where numbers are the stream's times"
        ),
    ),
    "milliseconds, and the mapping says seconds": (
        columns(time=[1_700_000_000_000]),
        in_unit("s"),
        (
            "<table>, row 1, column time: 1700000000000 s since 1970 is not a time from the year 1 to"
            " 9999; the unit seems to be ms: set unit: ms"
        ),
    ),
    "nanoseconds, and the mapping says milliseconds": (
        columns(time=[1_700_000_000 * 10**9]),
        in_unit("ms"),
        (
            "<table>, row 1, column time: 1700000000000000000 ms since 1970 is not a time from the"
            " year 1 to 9999; the unit seems to be ns: set unit: ns"
        ),
    ),
    "a time that is null": (
        columns(time=pa.array([None], pa.timestamp("us", "UTC"))),
        MAPPING,
        ("<table>, row 1, column time: there is no time; expected one in each row"),
    ),
    "a column with clocks only": (
        columns(time=pa.array([dt.time(10)])),
        MAPPING,
        (
            "<table>, row 1, column time: '10:00:00.000000' is not a time; a time of day alone; if"
            " the day is in another column, set value: $(day)T$(time) in the mapping"
        ),
    ),
    "texts as times, the day first": (
        columns(time=["31.01.2026 10:00"]),
        MAPPING,
        (
            "<table>, row 1, column time: '31.01.2026 10:00' is not a time; expected an ISO 8601 time"
            " such as 2026-01-31T10:00:00Z, or a format: in the mapping such as %d.%m.%Y %H:%M"
        ),
    ),
    "an hour that clocks show twice": (
        columns(time=pa.array([dt.datetime(2025, 10, 26, 2, 30)])),
        COPENHAGEN,
        (
            "<table>, row 1, column time: '2025-10-26 02:30:00.000000' occurred twice in"
            " Europe/Copenhagen, when clocks were put back; expected a time with its offset, or"
            " ambiguous: infer in the mapping if rows are in the order of time (earlier or later"
            " merges both hours)"
        ),
    ),
    "an hour that clocks skip": (
        columns(time=pa.array([dt.datetime(2025, 3, 30, 2, 30)])),
        COPENHAGEN,
        (
            "<table>, row 1, column time: '2025-03-30 02:30:00.000000' does not exist in "
            "Europe/Copenhagen: clocks were put forward over it"
        ),
    ),
    "decimals where whole numbers are said": (
        columns(free=[1.5]),
        MAPPING,
        (
            "<table>, row 1, column free: '1.5' is not of type xsd:integer; for a number with"
            " decimals, use the datatype xsd:decimal in the mapping"
        ),
    ),
    "a double that is no number": (
        columns(free=[float("nan")]),
        DECIMAL,
        (
            "<table>, row 1, column free: 'NaN' is not of type xsd:decimal; if it means no value, set"
            ' null: ["", "NaN"] in the mapping'
        ),
    ),
    "a double that is infinite": (
        columns(free=[float("inf")]),
        DECIMAL,
        ("<table>, row 1, column free: 'INF' is not of type xsd:decimal, the datatype in the mapping"),
    ),
    "numbers as texts with a decimal comma": (
        columns(free=["1,5"]),
        DECIMAL,
        (
            "<table>, row 1, column free: '1,5' is not of type xsd:decimal; if , is the decimal mark,"
            ' set decimal: "," in the mapping'
        ),
    ),
    "booleans where numbers are said": (
        columns(free=[True]),
        MAPPING,
        ("<table>, row 1, column free: 'true' is not of type xsd:integer, the datatype in the mapping"),
    ),
    "days where times are said": (
        columns(free=[dt.date(2026, 1, 1)]),
        MAPPING.replace("xsd:integer", "xsd:dateTime"),
        (
            "<table>, row 1, column free: '2026-01-01' is not of type xsd:dateTime; expected"
            " 2026-01-31T10:00:00Z"
        ),
    ),
    "a number beyond what its type has": (
        columns(free=[300]),
        MAPPING.replace("xsd:integer", "xsd:byte"),
        ("<table>, row 1, column free: '300' is not of type xsd:byte, the datatype in the mapping"),
    ),
    "a name where the mapping says an IRI": (
        columns(),
        MAPPING.replace("ex:$(id)", "$(id)"),
        (
            "<table>, row 1, column id: 'a' is not an IRI; expected a full IRI, or a template such as"
            " ex:$(column) in the mapping"
        ),
    ),
}


@pytest.mark.parametrize("name", at_least_twenty(MISTAKES))
def test_a_stranger_is_told_what_is_wrong_and_what_to_do(name):
    file, mapping, expected = MISTAKES[name]
    assert message_for_table(file, mapping, "parquet") == expected
