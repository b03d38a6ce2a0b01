"""What typically goes wrong with a frame of pandas or a table of Arrow, and what a stranger is told then."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import pantarhei as pr
from mistakes import DECIMAL, MAPPING, at_least_twenty, message_for_table, message_of

TEN = pd.to_datetime(["2026-01-01 10:00"])
COPENHAGEN = MAPPING.replace("UTC", "Europe/Copenhagen")


def frame(**columns):
    """A frame with one row, some of whose columns are other ones."""
    return pd.DataFrame({"time": TEN, "id": ["a"], "free": [1], **columns})


class OfSpark:
    """Has what a frame of Spark has."""

    def toArrow(self):
        raise NotImplementedError

    def __repr__(self):
        return "DataFrame[time: timestamp]"


# Of each mistake the frame, the mapping, and what is said.
MISTAKES = {
    "a list of dictionaries": (
        [{"time": 1, "id": "a"}],
        MAPPING,
        (
            "source=[{'time': 1, 'id': 'a'}] is invalid: expected a path, a folder, a glob,"
            ' several of these, "-", a binary file, or a table or frame of Arrow'
            " (__arrow_c_stream__); for a list of dictionaries: pyarrow.Table.from_pylist(…)"
        ),
    ),
    "a dictionary of columns": (
        {"time": [1], "id": ["a"]},
        MAPPING,
        (
            "source={'time': [1], 'id': ['a']} is invalid: expected a path, a folder, a glob,"
            ' several of these, "-", a binary file, or a table or frame of Arrow'
            " (__arrow_c_stream__); for a dictionary of columns: pyarrow.table(…)"
        ),
    ),
    "a series": (
        frame()["free"],
        MAPPING,
        (
            "source=0 1 Name: free, dtype: int64 is invalid: expected a path, a folder, a glob,"
            ' several of these, "-", a binary file, or a table or frame of Arrow'
            " (__arrow_c_stream__); for a series: series.to_frame()"
        ),
    ),
    "an array of numpy": (
        np.zeros((2, 2)),
        MAPPING,
        (
            "source=array([[0., 0.], [0., 0.]]) is invalid: expected a path, a folder, a glob,"
            ' several of these, "-", a binary file, or a table or frame of Arrow'
            " (__arrow_c_stream__); for a numpy array: a pandas.DataFrame with names"
        ),
    ),
    "a frame of Spark": (
        OfSpark(),
        MAPPING,
        (
            "source=DataFrame[time: timestamp] is invalid: expected a path, a folder, a glob,"
            ' several of these, "-", a binary file, or a table or frame of Arrow'
            " (__arrow_c_stream__); for a Spark frame: frame.toArrow()"
        ),
    ),
    "nothing at all": (
        None,
        MAPPING,
        (
            'source=None is invalid: expected a path, a folder, a glob, several of these, "-", a'
            " binary file, or a table or frame of Arrow (__arrow_c_stream__)"
        ),
    ),
    "a frame without columns": (
        pd.DataFrame(),
        MAPPING,
        ("the mapping, line 2: <DataFrame> has no columns; expected a column time"),
    ),
    "columns that have numbers for names": (
        pd.DataFrame([["2026-01-01 10:00", "a", 1]]),
        MAPPING,
        ("the mapping, line 2: <DataFrame> has no column time; expected one of 0, 1, 2"),
    ),
    "columns' names in other case": (
        frame().rename(columns=str.upper),
        MAPPING,
        (
            "the mapping, line 2: <DataFrame> has no column time; expected one of TIME, ID, FREE (did"
            " you mean TIME?)"
        ),
    ),
    "an index without a name": (
        frame().set_index("time").rename_axis(None),
        MAPPING,
        (
            "the mapping, line 2: <DataFrame> has no column time; expected one of id, free, "
            "__index_level_0__; the frame's index has no name: frame.rename_axis(…) gives it one"
        ),
    ),
    "a column that is there twice": (
        pd.concat([frame(), frame()[["free"]]], axis=1),
        MAPPING,
        (
            "source=<DataFrame> is invalid: expected a table that Arrow accepts, each column of"
            " one type: Duplicate column names found: ['time', 'id', 'free', 'free']"
        ),
    ),
    "numbers and texts in one column": (
        pd.DataFrame({"time": [TEN[0]] * 2, "id": ["a", "b"], "free": [1, "many"]}),
        MAPPING,
        (
            "source=<DataFrame> is invalid: expected a table that Arrow accepts, each column of"
            " one type: Could not convert 'many' with type str: tried to convert to int64; Conversion"
            " failed for column free with type object"
        ),
    ),
    "complex numbers": (
        frame(free=[1j]),
        MAPPING,
        (
            "source=<DataFrame> is invalid: expected a table that Arrow accepts, each column of"
            " one type: Unsupported numpy type 15; Conversion failed for column free with type"
            " complex128"
        ),
    ),
    "lists in cells": (
        frame(free=[[1]]),
        MAPPING,
        (
            "the mapping, line 7: column free of <DataFrame> is of type list<item: int64>; expected a"
            " column of texts, numbers, booleans, dates or times, one value a row; make a row of each"
            " value first"
        ),
    ),
    "dictionaries in cells": (
        frame(free=[{"now": 1}]),
        MAPPING,
        (
            "the mapping, line 7: <DataFrame> has no column free; expected one of time, id, free.now "
            "(did you mean free.now?)"
        ),
    ),
    "time deltas": (
        frame(free=[pd.Timedelta("1s")]),
        MAPPING,
        (
            "the mapping, line 7: column free of <DataFrame> is of type duration[ns]; expected a "
            "column of texts, numbers, booleans, dates or times"
        ),
    ),
    "periods as times": (
        frame(time=[pd.Period("2026-01")]),
        MAPPING,
        (
            "the mapping, line 2: column time of <DataFrame> is of type "
            "extension<pandas.period<ArrowPeriodType>>; expected a column of texts, numbers, "
            "booleans, dates or times"
        ),
    ),
    "bytes as names": (
        frame(id=[b"a"]),
        MAPPING,
        (
            "the mapping, line 5: column id of <DataFrame> is of type binary; expected a column of "
            "texts, numbers, booleans, dates or times"
        ),
    ),
    "times without a zone": (
        frame(),
        MAPPING.replace(", zone: UTC", ""),
        (
            "the mapping, line 2: the times in column time are local times without a zone; expected"
            " zone: Europe/Copenhagen, or another zone"
        ),
    ),
    "a time that is none": (
        frame(time=[pd.NaT]),
        MAPPING,
        ("<DataFrame>, row 1, column time: there is no time; expected one in each row"),
    ),
    "texts as times, the day first": (
        frame(time=["31/01/2026"]),
        MAPPING,
        (
            "<DataFrame>, row 1, column time: '31/01/2026' is not a time; expected an ISO 8601 time"
            " such as 2026-01-31T10:00:00Z, or a format: in the mapping such as %d.%m.%Y %H:%M"
        ),
    ),
    "numbers as times, and no unit": (
        frame(time=[1_767_261_600]),
        MAPPING,
        (
            "the mapping, line 2: the times in column time are numbers; expected unit: s, ms, us or "
            "ns for a time since 1970, or unit: number where numbers are the stream's times"
        ),
    ),
    "nanoseconds, and the mapping says seconds": (
        frame(time=TEN.astype("int64")),
        MAPPING.replace("zone: UTC", "unit: s"),
        (
            "<DataFrame>, row 1, column time: 1767261600000000000 s since 1970 is not a time from the"
            " year 1 to 9999; the unit seems to be ns: set unit: ns"
        ),
    ),
    "an hour that clocks show twice": (
        frame(time=pd.to_datetime(["2025-10-26 02:30"])),
        COPENHAGEN,
        (
            "<DataFrame>, row 1, column time: '2025-10-26 02:30:00.000000' occurred twice in"
            " Europe/Copenhagen, when clocks were put back; expected a time with its offset, or"
            " ambiguous: infer in the mapping if rows are in the order of time (earlier or later"
            " merges both hours)"
        ),
    ),
    "a timestamp after the year 9999": (
        pa.table({"time": pa.array([10**12], pa.timestamp("s", "UTC")), "id": ["a"], "free": [1]}),
        MAPPING,
        (
            "<Table>, row 1, column time: 1000000000000000000 us since 1970 is not a time from the"
            " year 1 to 9999"
        ),
    ),
    "decimals where whole numbers are said": (
        frame(free=[1.5]),
        MAPPING,
        (
            "<DataFrame>, row 1, column free: '1.5' is not of type xsd:integer; for a number with"
            " decimals, use the datatype xsd:decimal in the mapping"
        ),
    ),
    "a number that is infinite": (
        frame(free=[np.inf]),
        DECIMAL,
        ("<DataFrame>, row 1, column free: 'INF' is not of type xsd:decimal, the datatype in the mapping"),
    ),
    "a word for no value": (
        frame(free=["n/a"]),
        MAPPING,
        (
            "<DataFrame>, row 1, column free: 'n/a' is not of type xsd:integer; if it means no value,"
            ' set null: ["", "n/a"] in the mapping'
        ),
    ),
    "days where times are said": (
        frame(free=[dt.date(2026, 1, 1)]),
        MAPPING.replace("xsd:integer", "xsd:dateTime"),
        (
            "<DataFrame>, row 1, column free: '2026-01-01' is not of type xsd:dateTime; expected"
            " 2026-01-31T10:00:00Z"
        ),
    ),
    "a name where the mapping says an IRI": (
        frame(),
        MAPPING.replace("ex:$(id)", "$(id)"),
        (
            "<DataFrame>, row 1, column id: 'a' is not an IRI; expected a full IRI, or a template"
            " such as ex:$(column) in the mapping"
        ),
    ),
}


@pytest.mark.parametrize("name", at_least_twenty(MISTAKES))
def test_a_stranger_is_told_what_is_wrong_and_what_to_do(name):
    given, mapping, expected = MISTAKES[name]
    assert message_for_table(given, mapping) == expected


def test_a_reader_that_has_given_its_rows_is_not_read_as_if_there_were_none():
    rows = pr.read_records(pa.Table.from_pandas(frame()).to_reader(), MAPPING)
    assert len(list(rows)) == 1
    assert message_of(lambda: list(rows)) == (
        "source=<RecordBatchReader> is invalid: expected a reader that has not been read"
        " before; reader.read_all() makes a table"
    )
