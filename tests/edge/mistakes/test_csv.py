"""What typically goes wrong with a table in CSV, and what a stranger is told then."""

from __future__ import annotations

import bz2
import gzip

import pytest

from mistakes import DECIMAL, MAPPING, TABLE, at_least_twenty, message_for_table


def row(text, mapping=MAPPING):
    """A table with one more row."""
    return f"{TABLE}{text}\n", mapping


def at(time, mapping=MAPPING):
    """A table whose row has another time."""
    return TABLE.replace("2026-01-01 10:00", time), mapping


def of(datatype):
    return MAPPING.replace("xsd:integer", datatype)


# Of each mistake the table, its mapping, and what is said.
MISTAKES = {
    "the line with names is missing": (
        TABLE.splitlines()[1],
        MAPPING,
        (
            "the mapping, line 2: <table> has no column time; expected one of 2026-01-01 10:00, a, 1;"
            " the first line looks like a row: insert a line with the names of columns before it"
        ),
    ),
    "a logger writes about itself first": (
        f"# logger 7, firmware 3.1\n{TABLE}",
        MAPPING,
        (
            "the mapping, line 2: <table> has no column time; expected one of # logger 7,  firmware"
            " 3.1; the first line must have the names: remove the lines before it"
        ),
    ),
    "a title stands above the table": (
        f"Garages of May\n\n{TABLE}",
        MAPPING,
        (
            "the mapping, line 2: <table> has no column time; expected one of Garages of May; the"
            " first line must have the names: remove the lines before it"
        ),
    ),
    "a column's name is in other case": (
        TABLE,
        MAPPING.replace("(free)", "(Free)"),
        (
            "the mapping, line 7: <table> has no column Free; expected one of time, id, free (did you"
            " mean free?)"
        ),
    ),
    "spaces stand behind commas": (
        TABLE.replace(",", ", "),
        MAPPING,
        (
            "the mapping, line 5: <table> has no column id; expected one of time,  id,  free; the "
            'name " id" has spaces around it: write $( id)'
        ),
    ),
    "a column's name has a unit behind it": (
        TABLE.replace("free", "free (cars)"),
        MAPPING,
        (
            "the mapping, line 7: <table> has no column free; expected one of time, id, free (cars) "
            "(did you mean $(free \\(cars\\))?)"
        ),
    ),
    "a column's name has brackets": (
        TABLE,
        MAPPING.replace("(free)", "(free (cars))"),
        (
            "the mapping, line 7: the reference in '$(free (cars))' has no end, or no name; expected "
            "$(column); a bracket in its name is written \\( or \\)"
        ),
    ),
    "a column is there twice": (
        "time,id,free,free\n2026-01-01 10:00,a,1,2\n",
        MAPPING,
        (
            "the mapping, line 7: <table> has 2 columns with the name free; expected one, since the "
            "mapping refers to it; rename the others"
        ),
    ),
    "semicolons, and the mapping says commas": (
        TABLE.replace(",", ";"),
        f'{MAPPING}delimiter: ","\n',
        (
            "the mapping, line 2: <table> has no column time; expected one of time;id;free; the"
            ' delimiter seems to be ";": set delimiter: ";"'
        ),
    ),
    "semicolons in one line": (
        *row("2026-01-01 10:05;b;2"),
        ("<table>, line 3: 1 cell, but the header has 3; the delimiter of this line may be ';'"),
    ),
    "a decimal comma": (
        "time;id;free\n2026-01-01 10:00;a;1,5\n",
        DECIMAL,
        (
            "<table>, line 2, column free: '1,5' is not of type xsd:decimal; if , is the decimal"
            ' mark, set decimal: "," in the mapping'
        ),
    ),
    "a mark between thousands": (
        *row('2026-01-01 10:05,a,"1,234"'),
        ("<table>, line 3, column free: '1,234' is not of type xsd:integer; remove the thousands separators"),
    ),
    "a mark between thousands, and decimals": (
        *row('2026-01-01 10:05,a,"1,234.5"', DECIMAL),
        (
            "<table>, line 3, column free: '1,234.5' is not of type xsd:decimal; remove the thousands"
            " separators"
        ),
    ),
    "a unit in the cell": (
        *row("2026-01-01 10:05,a,21.5 °C", DECIMAL),
        (
            "<table>, line 3, column free: '21.5 °C' is not of type xsd:decimal; the cell must"
            " contain only the number: remove °C"
        ),
    ),
    "a word for no value": (
        *row("2026-01-01 10:05,a,n/a"),
        (
            "<table>, line 3, column free: 'n/a' is not of type xsd:integer; if it means no value,"
            ' set null: ["", "n/a"] in the mapping'
        ),
    ),
    "an error of a spreadsheet": (
        *row("2026-01-01 10:05,a,#REF!"),
        (
            "<table>, line 3, column free: '#REF!' is not of type xsd:integer; if it means no value,"
            ' set null: ["", "#REF!"] in the mapping'
        ),
    ),
    "a word where a number is": (
        *row("2026-01-01 10:05,a,many"),
        ("<table>, line 3, column free: 'many' is not of type xsd:integer, the datatype in the mapping"),
    ),
    "decimals where whole numbers are said": (
        *row("2026-01-01 10:05,a,12.0"),
        (
            "<table>, line 3, column free: '12.0' is not of type xsd:integer; for a number with"
            " decimals, use the datatype xsd:decimal in the mapping"
        ),
    ),
    "an exponent where decimals are said": (
        *row("2026-01-01 10:05,a,1.2E-3", DECIMAL),
        (
            "<table>, line 3, column free: '1.2E-3' is not of type xsd:decimal; for a number with an"
            " exponent, use the datatype xsd:double in the mapping"
        ),
    ),
    "yes for true": (
        *row("2026-01-01 10:05,a,yes", of("xsd:boolean")),
        ("<table>, line 3, column free: 'yes' is not of type xsd:boolean; expected true, false, 1 or 0"),
    ),
    "a day as Germans write it": (
        "time,id,free\n2026-01-01 10:00,a,31.01.2026\n",
        of("xsd:date"),
        ("<table>, line 2, column free: '31.01.2026' is not of type xsd:date; expected 2026-01-31"),
    ),
    "a time with a space in a literal": (
        "time,id,free\n2026-01-01 10:00,a,2026-01-31 10:00\n",
        of("xsd:dateTime"),
        (
            "<table>, line 2, column free: '2026-01-31 10:00' is not of type xsd:dateTime; expected"
            " 2026-01-31T10:00:00Z"
        ),
    ),
    "a number below what its type has": (
        *row("2026-01-01 10:05,a,-1", of("xsd:nonNegativeInteger")),
        (
            "<table>, line 3, column free: '-1' is not of type xsd:nonNegativeInteger, the datatype"
            " in the mapping"
        ),
    ),
    "a file in Latin-1": (
        f"{TABLE}2026-01-01 10:05,å,1\n".encode("latin-1"),
        MAPPING,
        (
            "<table>, line 3: it is not UTF-8; only UTF-8 is read; convert it first: iconv -f"
            " ISO-8859-1 -t UTF-8, or another encoding"
        ),
    ),
    "a file in UTF-16": (
        TABLE.encode("utf-16"),
        MAPPING,
        ("<table>, line 1: it is UTF-16; only UTF-8 is read; convert it first: iconv -f UTF-16 -t UTF-8"),
    ),
    "unprintable characters": (
        "\0\1\2\n",
        MAPPING,
        (
            "the mapping, line 2: <table> has no column time; expected one of \\x00\\x01\\x02; the first "
            "line must have the names: remove the lines before it"
        ),
    ),
    "an Excel workbook": (
        b"PK\x03\x04\x14\x00\x06\x00[Content_Types].xml",
        MAPPING,
        (
            "<table>: it is compressed (zip), and only text is read; unpack it first (unzip), or pipe"
            " the unpacked text (unzip -p) (for an Excel workbook, save the sheet as CSV)"
        ),
    ),
    "an old Excel workbook": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00",
        MAPPING,
        ("<table>, line 1: it is an Excel workbook; save the sheet as CSV (UTF-8)"),
    ),
    "a web page instead of the file": (
        "<!DOCTYPE html>\n<html><body>Sign in</body></html>\n",
        MAPPING,
        ("<table>, line 1: it is a web page, not a table; download the file that the page offers"),
    ),
    "JSON instead of CSV": (
        '[{"time": "2026-01-01 10:00", "id": "a", "free": 1}]\n',
        MAPPING,
        (
            'the mapping, line 2: <table> has no column time; expected one of [{"time": "2026-01-01 '
            '10:00",  "id": "a",  "free": 1}]; it looks like JSON: JSON lines are read as format '
            '"jsonl", an object on each line'
        ),
    ),
    "Parquet instead of CSV": (
        b"PAR1\x15\x04\x15\x10",
        MAPPING,
        ('<table>, line 1: it is Parquet; use the suffix .parquet or format "parquet"'),
    ),
    "an empty file": (
        "",
        MAPPING,
        ("<table>: it is empty; expected a line with the names of its columns, and one for each row"),
    ),
    "a file compressed with bzip2": (
        bz2.compress(TABLE.encode()),
        MAPPING,
        (
            "<table>: it is compressed (bzip2), and only text is read; unpack it first (bzip2 -d), or"
            " pipe the unpacked text (bzip2 -dc)"
        ),
    ),
    "a download that broke off": (
        gzip.compress(TABLE.encode())[:-10],
        MAPPING,
        "<table>: it cannot be unpacked: Truncated compressed stream",
    ),
    "a line with too few cells": (
        *row("2026-01-01 10:05,b"),
        "<table>, line 3: 2 cells, but the header has 3",
    ),
    "a comma in a cell": (
        *row("2026-01-01 10:05,b,1,000"),
        ("<table>, line 3: 4 cells, but the header has 3; put a cell that contains ',' into quotation marks"),
    ),
    "a comma at the end of each row": (
        TABLE.replace("a,1", "a,1,"),
        MAPPING,
        (
            "<table>, line 2: 4 cells, but the header has 3; it ends in ',': remove that, or add it"
            " to the header"
        ),
    ),
    "a quotation mark that is not closed": (
        *row('2026-01-01 10:05,"b,1\n2026-01-01 10:06,c,1'),
        ("<table>, line 3: unclosed quotation mark; inside a cell, write it twice"),
    ),
    "a line of totals at the end": (
        *row("Total,,12"),
        (
            "<table>, line 3, column time: 'Total' is not a time; expected an ISO 8601 time such as"
            " 2026-01-31T10:00:00Z, or a format: in the mapping such as %d.%m.%Y %H:%M"
        ),
    ),
    "files put together with their headers": (
        TABLE + TABLE,
        MAPPING,
        (
            "<table>, line 3, column time: 'time' is not a time; the names of columns a second time;"
            " remove this line"
        ),
    ),
    "a time without a zone": (
        TABLE,
        MAPPING.replace(", zone: UTC", ""),
        (
            "<table>, line 2, column time: '2026-01-01 10:00' is a time without a zone; expected one,"
            " or zone: Europe/Copenhagen (or another zone) in the mapping"
        ),
    ),
    "seconds since 1970, and no unit": (
        *at("1700000000"),
        (
            "<table>, line 2, column time: '1700000000' is not a time; for a number, set unit: s, ms,"
            " us or ns for a time since 1970, or unit: number where numbers are the stream's times in"
            " the mapping"
        ),
    ),
    "milliseconds, and the mapping says seconds": (
        *at("1700000000000", MAPPING.replace("zone: UTC", "unit: s")),
        (
            "<table>, line 2, column time: 1700000000000 s since 1970 is not a time from the year 1"
            " to 9999; the unit seems to be ms: set unit: ms"
        ),
    ),
    "a day before its month": (
        *at("31/01/2026 10:00"),
        (
            "<table>, line 2, column time: '31/01/2026 10:00' is not a time; expected an ISO 8601"
            " time such as 2026-01-31T10:00:00Z, or a format: in the mapping such as %d.%m.%Y %H:%M"
        ),
    ),
    "a clock with two halves": (
        *at("2026-01-01 10:00 PM"),
        (
            "<table>, line 2, column time: '2026-01-01 10:00 PM' is not a time; expected an ISO 8601"
            " time such as 2026-01-31T10:00:00Z, or a format: in the mapping such as %Y-%m-%d %I:%M"
            " %p"
        ),
    ),
    "a column with clocks only": (
        *at("10:00"),
        (
            "<table>, line 2, column time: '10:00' is not a time; a time of day alone; if the day is"
            " in another column, set value: $(day)T$(time) in the mapping"
        ),
    ),
    "a month that is none": (
        *at("2026-13-01 10:00"),
        (
            "<table>, line 2, column time: '2026-13-01 10:00' is not a time; expected an ISO 8601"
            " time such as 2026-01-31T10:00:00Z, or a format: in the mapping such as %d.%m.%Y %H:%M"
        ),
    ),
    "another format than the mapping says": (
        TABLE,
        MAPPING.replace("zone", "format: '%d.%m.%Y %H:%M', zone"),
        (
            "<table>, line 2, column time: '2026-01-01 10:00' does not have the format '%d.%m.%Y"
            " %H:%M', such as 31.01.2026 10:00"
        ),
    ),
    "an hour that clocks skip": (
        *at("2025-03-30 02:30", MAPPING.replace("UTC", "Europe/Copenhagen")),
        (
            "<table>, line 2, column time: '2025-03-30 02:30' does not exist in Europe/Copenhagen: "
            "clocks were put forward over it"
        ),
    ),
    "an hour that clocks show twice": (
        *at("2025-10-26 02:30", MAPPING.replace("UTC", "Europe/Copenhagen")),
        (
            "<table>, line 2, column time: '2025-10-26 02:30' occurred twice in Europe/Copenhagen,"
            " when clocks were put back; expected a time with its offset, or ambiguous: infer in the"
            " mapping if rows are in the order of time (earlier or later merges both hours)"
        ),
    ),
    "a row without time": (
        *row(",b,2"),
        ("<table>, line 3, column time: there is no time; expected one in each row"),
    ),
    "a name where the mapping says an IRI": (
        TABLE,
        MAPPING.replace("ex:$(id)", "$(id)"),
        (
            "<table>, line 2, column id: 'a' is not an IRI; expected a full IRI, or a template such"
            " as ex:$(column) in the mapping"
        ),
    ),
    "an IRI with a space": (
        TABLE.replace(",a,", ",http://example.org/a b,"),
        MAPPING.replace("ex:$(id)", "$(id)"),
        (
            "<table>, line 2, column id: 'http://example.org/a b' is not an IRI; expected a full IRI,"
            " or a template such as ex:$(column) in the mapping"
        ),
    ),
}


@pytest.mark.parametrize("name", at_least_twenty(MISTAKES))
def test_a_stranger_is_told_what_is_wrong_and_what_to_do(name):
    table, mapping, expected = MISTAKES[name]
    assert message_for_table(table, mapping, "csv") == expected
