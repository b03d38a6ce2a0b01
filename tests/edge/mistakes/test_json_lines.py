"""What typically goes wrong with a table in JSON lines, and what a stranger is told then."""

from __future__ import annotations

import io
import re

import pytest

from mistakes import DECIMAL, MAPPING, TABLE, at_least_twenty, message_for_table
from pantarhei import MissingMemberWarning, read_records

LINE = '{"time": "2026-01-01T10:00", "id": "a", "free": 1}\n'
IN_SECONDS = MAPPING.replace("zone: UTC", "unit: s")


def second(before, after):
    """Two lines, something in the second of which is another."""
    assert before in LINE
    return LINE + LINE.replace(before, after)


# Of each mistake the file, the mapping, and what is said.
MISTAKES = {
    "an array on several lines": (
        f"[{LINE.strip()},\n{LINE.strip()}]\n",
        MAPPING,
        (
            "<table>, line 1: it is not a line of JSON: Expecting value at column 53; write each"
            " object of an array on its own line: jq -c '.[]'"
        ),
    ),
    "an array on one line": (
        f"[{LINE.strip()}]\n",
        MAPPING,
        (
            "<table>, line 1: it is an array, but each line must be an object; write each object of"
            " an array on its own line: jq -c '.[]'"
        ),
    ),
    "an object over several lines": (
        '{\n  "time": "2026-01-01T10:00"\n}\n',
        MAPPING,
        (
            "<table>, line 1: it is not a line of JSON: Expecting property name enclosed in double"
            " quotes at column 2; write an object on one line: jq -c ."
        ),
    ),
    "commas between lines": (
        f"{LINE.strip()},\n{LINE}",
        MAPPING,
        (
            "<table>, line 1: it is not a line of JSON: Extra data at column 51; remove the comma"
            " after the object"
        ),
    ),
    "two objects on a line": (
        LINE.strip() + LINE,
        MAPPING,
        (
            "<table>, line 1: it is not a line of JSON: Extra data at column 51; write a second"
            " object on its own line"
        ),
    ),
    "a dictionary as Python prints it": (
        LINE + LINE.replace('"', "'"),
        MAPPING,
        (
            "<table>, line 2: it is not a line of JSON: Expecting property name enclosed in double"
            " quotes at column 2; it is Python syntax: json.dumps(…) writes JSON"
        ),
    ),
    "None for null": (
        second("1}", "None}"),
        MAPPING,
        (
            "<table>, line 2: it is not a line of JSON: Expecting value at column 49; it is Python "
            "syntax: json.dumps(…) writes JSON"
        ),
    ),
    "NaN in a number's place": (
        second("1}", "NaN}"),
        DECIMAL,
        (
            "<table>, line 2, column free: 'NaN' is not of type xsd:decimal; if it means no value,"
            ' set null: ["", "NaN"] in the mapping'
        ),
    ),
    "a comment": (
        f"// garages\n{LINE}",
        MAPPING,
        (
            "<table>, line 1: it is not a line of JSON: Expecting value at column 1; JSON has no "
            "comments: remove it"
        ),
    ),
    "names without quotation marks": (
        second('"time"', "time"),
        MAPPING,
        (
            "<table>, line 2: it is not a line of JSON: Expecting property name enclosed in double"
            " quotes at column 2; names must be in double quotation marks"
        ),
    ),
    "a comma behind the last member": (
        second("1}", "1,}"),
        MAPPING,
        (
            "<table>, line 2: it is not a line of JSON: Expecting property name enclosed in double"
            " quotes at column 51; remove the comma before the closing bracket"
        ),
    ),
    "a backslash that stands for nothing": (
        second('"a"', '"C:\\garage"'),
        MAPPING,
        ("<table>, line 2: it is not a line of JSON: Invalid \\escape at column 39"),
    ),
    "a last line that broke off": (
        LINE + LINE[:20],
        MAPPING,
        ("<table>, line 2: it is not a line of JSON: Unterminated string starting at column 10"),
    ),
    "an empty file": ("\n\n", MAPPING, "<table>: it is empty; expected an object in each line"),
    "CSV instead of JSON": (
        TABLE,
        MAPPING,
        ("<table>, line 1: it is not a line of JSON: Expecting value at column 1; an object begins with {"),
    ),
    "a web page instead of the file": (
        "<!DOCTYPE html>\n<html>",
        MAPPING,
        ("<table>, line 1: it is a web page, not a table; download the file that the page offers"),
    ),
    "a file in UTF-16": (
        LINE.encode("utf-16"),
        MAPPING,
        ("<table>, line 1: it is UTF-16; only UTF-8 is read; convert it first: iconv -f UTF-16 -t UTF-8"),
    ),
    "a file in Latin-1": (
        LINE.replace('"a"', '"å"').encode("latin-1"),
        MAPPING,
        (
            "<table>, line 1: it is not UTF-8; only UTF-8 is read; convert it first: iconv -f"
            " ISO-8859-1 -t UTF-8, or another encoding"
        ),
    ),
    "a number on a line": (
        f"{LINE}7\n",
        MAPPING,
        ("<table>, line 2: it is a number, but each line must be an object"),
    ),
    "half a character": (
        second('"a"', '"\\ud800"'),
        MAPPING,
        ("<table>, line 2: half of a pair of surrogates (\\ud800 to \\udfff), which is not a character"),
    ),
    "an object in a member": (
        second("1}", '{"now": 2}}'),
        MAPPING,
        ("<table>, line 2, column free: an object is not a value; refer to a member of it: $(free.now)"),
    ),
    "a word where a number is": (
        second("1}", '"many"}'),
        MAPPING,
        ("<table>, line 2, column free: 'many' is not of type xsd:integer, the datatype in the mapping"),
    ),
    "decimals where whole numbers are said": (
        second("1}", "1.5}"),
        MAPPING,
        (
            "<table>, line 2, column free: '1.5' is not of type xsd:integer; for a number with"
            " decimals, use the datatype xsd:decimal in the mapping"
        ),
    ),
    "true where a number is": (
        second("1}", "true}"),
        MAPPING,
        ("<table>, line 2, column free: 'true' is not of type xsd:integer, the datatype in the mapping"),
    ),
    "a time that is null": (
        second('"2026-01-01T10:00"', "null"),
        MAPPING,
        ("<table>, line 2, column time: there is no time; expected one in each row"),
    ),
    "numbers as times, and no unit": (
        LINE.replace('"2026-01-01T10:00"', "1767261600"),
        MAPPING,
        (
            "<table>, line 1, column time: '1767261600' is not a time; for a number, set unit: s, ms,"
            " us or ns for a time since 1970, or unit: number where numbers are the stream's times in"
            " the mapping"
        ),
    ),
    "milliseconds, and the mapping says seconds": (
        LINE.replace('"2026-01-01T10:00"', "1767261600000"),
        IN_SECONDS,
        (
            "<table>, line 1, column time: 1767261600000 s since 1970 is not a time from the year 1"
            " to 9999; the unit seems to be ms: set unit: ms"
        ),
    ),
    "times of two kinds": (
        second('"2026-01-01T10:00"', "1767261600"),
        MAPPING,
        (
            "<table>, line 2, column time: '1767261600' is not a time; for a number, set unit: s, ms,"
            " us or ns for a time since 1970, or unit: number where numbers are the stream's times in"
            " the mapping"
        ),
    ),
    "times without a zone": (
        LINE,
        MAPPING.replace(", zone: UTC", ""),
        (
            "<table>, line 1, column time: '2026-01-01T10:00' is a time without a zone; expected one,"
            " or zone: Europe/Copenhagen (or another zone) in the mapping"
        ),
    ),
    "a name where the mapping says an IRI": (
        LINE,
        MAPPING.replace("ex:$(id)", "$(id)"),
        (
            "<table>, line 1, column id: 'a' is not an IRI; expected a full IRI, or a template such"
            " as ex:$(column) in the mapping"
        ),
    ),
}


# Of each member that no line has the file, the mapping, and what is said.
MISSING = {
    "a member that is misspelt": (LINE, MAPPING.replace("(free)", "(fre)"), "(did you mean free?)"),
    "a member inside another": (
        '{"time": "2026-01-01T10:00", "sensor": {"id": "a"}, "free": 1}\n',
        MAPPING,
        "(did you mean $(sensor.id)?)",
    ),
}


@pytest.mark.parametrize("name", MISSING)
def test_a_stranger_is_warned_of_a_member_that_no_line_has(name):
    file, mapping, expected = MISSING[name]
    with pytest.warns(MissingMemberWarning, match=re.escape(expected)):
        list(read_records(io.BytesIO(file.encode()), mapping, format="jsonl"))


@pytest.mark.parametrize("name", at_least_twenty(MISTAKES))
def test_a_stranger_is_told_what_is_wrong_and_what_to_do(name):
    file, mapping, expected = MISTAKES[name]
    assert message_for_table(file, mapping, "jsonl") == expected
