"""What a mapping to begin with guesses."""

import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from rdflib import XSD

from pantarhei import MissingFileError
from pantarhei.io.mapping.mapping_reader import read_mapping
from pantarhei.io.tables.guess import ROWS, Sample, first_rows, guess


def test_the_first_rows_are_looked_at_and_no_more(tmp_path):
    (tmp_path / "cars.2026.csv").write_text("a;b\n" + "1;x\n" * (2 * ROWS))
    name, columns, delimiter = first_rows(str(tmp_path / "cars.2026.csv"), None)
    assert (name, delimiter) == ("cars", ";")
    assert columns == {"a": Sample(["1"] * ROWS), "b": Sample(["x"] * ROWS)}


def test_columns_of_types_keep_them_and_those_of_lists_are_left_out(tmp_path):
    parquet.write_table(pa.table({"a": [1.5, None], "b": [[1], [2]]}), tmp_path / "cars.parquet")
    assert first_rows(str(tmp_path), None).columns == {"a": Sample(["1.5", ""], XSD.double)}


def test_a_table_without_rows_has_columns(tmp_path):
    (tmp_path / "cars.csv").write_text("a,b\n")
    assert first_rows(str(tmp_path / "cars.csv"), None).columns == {"a": Sample([]), "b": Sample([])}
    with pytest.raises(MissingFileError):
        first_rows(str(tmp_path / "none.csv"), None)


def guessed(delimiter=",", **columns):
    """The lines of the guess below the prefixes, without indentation; each is a mapping that can be read."""
    samples = {
        name: values if isinstance(values, Sample) else Sample(values) for name, values in columns.items()
    }
    text = guess("cars", samples, delimiter)
    read_mapping(f"{text}\n")
    return [line.strip() for line in text.splitlines()[4:]]


AT = ["2026-03-02T07:00:00Z", "2026-03-02T07:05:00Z"]


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (AT, []),
        (["2026-03-02 07:00:00"], ["zone: UTC"]),
        (["02.03.2026 07:00"], ['format: "%d.%m.%Y %H:%M"', "zone: UTC"]),
        (["25/03/2026 07:00:00"], ['format: "%d/%m/%Y %H:%M:%S"', "zone: UTC"]),
        (["1772434800"], ["unit: s"]),
        (["1772434800000"], ["unit: ms"]),
        (["7", "8"], ["unit: number"]),
    ],
)
def test_the_column_of_times_is_found_with_what_they_are_written_in(times, said):
    lines = guessed(time=times, free=["1"] * len(times))
    assert lines[:2] == ["time:", "column: time"]
    end = next(place for place, line in enumerate(lines) if line.startswith(("mappings", "null")))
    assert [line.partition("  #")[0] for line in lines[2:end]] == said


def test_a_day_that_may_be_a_month_is_said():
    assert 'format: "%d/%m/%Y %H:%M"  # or %m/%d/%Y %H:%M: both fit these rows' in guessed(
        time=["02/03/2026 07:00"]
    )


def test_a_day_and_a_clock_in_two_columns_are_one_time():
    assert "value: $(day)T$(clock)" in guessed(day=["2026-03-02"], clock=["07:00"], free=["1"])


def test_dates_come_before_numbers_whose_names_speak_of_time():
    assert "column: stamp" in guessed(measuredTime=["74"], stamp=AT[:1])


def test_where_no_column_has_times_this_is_said():
    assert "column: WHICH  # no column of times was found; name it" in guessed(free=["1"])


def test_the_column_of_names_is_the_subject():
    assert "s: ex:$(garage)" in guessed(time=AT, garage=["a", "a"], free=["1", "2"])
    lines = guessed(time=[*AT, *AT], report=["x", "y"] * 2, sensorID=["7"] * 4, free=["1"] * 4)
    assert "s: ex:$(sensorID)  # or $(report)" in lines
    assert "s: ex:cars  # a single thing: no column looks like an identifier" in guessed(
        time=AT, free=["1", "2"]
    )


def test_numbers_booleans_and_iris_are_told_by_all_their_values():
    lines = guessed(
        time=AT, whole=["1", "n/a"], real=["1", "2.5"], large=["1e5", "1"], open=["True", "false"],
        link=["http://a/b", "http://a/c"], text=["1", "two"],
    )  # fmt: skip
    assert "- [ex:whole, $(whole), xsd:integer]" in lines
    assert "- [ex:real, $(real), xsd:decimal]" in lines
    assert "- [ex:large, $(large), xsd:double]" in lines
    assert "- [ex:open, $(open), xsd:boolean]" in lines
    assert "- [ex:link, $(link)~iri]" in lines
    assert "- [ex:text, $(text)]" in lines
    assert 'null: ["", "n/a"]  # cells without a value' in lines


def test_decimal_commas_are_told():
    lines = guessed(";", time=AT, temp=["21,5", "20"])
    assert {'delimiter: ";"', 'decimal: ","', "- [ex:temp, $(temp), xsd:decimal]"} <= set(lines)


COMMA = 'decimal: ","'
WHOLE = "integer]  # Write {} as 1234 in the table"
POINT = "decimal]  # Write 4,5 as 4.5 in the table"
DOUBT = "  # a guess: if {} means 1234, write it as 1234 in the table"


@pytest.mark.parametrize(
    ("delimiter", "columns", "mark", "found"),
    [
        (";", {"a": ["-0,5", "+4"]}, COMMA, ["decimal]"]),
        (";", {"a": ["1,5e3", ",5"]}, COMMA, ["double]"]),
        ("\t", {"a": ["4,5"]}, COMMA, ["decimal]"]),
        (",", {"a": ["4,5"]}, COMMA, ["decimal]"]),
        (";", {"a": ["1.234,5", "4,5"]}, COMMA, ["decimal]  # Write 1.234,5 as 1234,5 in the table"]),
        (";", {"a": ["1 234,5"]}, COMMA, ["decimal]  # Write 1 234,5 as 1234,5 in the table"]),
        (";", {"a": ["1,234.5"]}, None, ["decimal]  # Write 1,234.5 as 1234.5 in the table"]),
        (";", {"a": ["1,234"]}, COMMA + DOUBT.format("1,234"), ["decimal]"]),
        (";", {"a": ["1.234"]}, 'decimal: "."' + DOUBT.format("1.234"), ["decimal]"]),
        (",", {"a": ["1.234"]}, None, ["decimal]"]),
        (",", {"a": ["1,234"]}, None, [WHOLE.format("1,234")]),
        (";", {"a": ["0,125", "1,234"]}, COMMA, ["decimal]"]),
        (";", {"a": ["1.234"], "b": ["1,5"]}, COMMA, [WHOLE.format("1.234"), "decimal]"]),
        (";", {"a": ["1,234"], "b": ["1.5"]}, None, [WHOLE.format("1,234"), "decimal]"]),
        (";", {"a": ["4,5", "1.5"]}, COMMA, ["decimal]  # Write 1.5 as 1,5 in the table"]),
        (",", {"a": ["4,5", "1.5"]}, None, [POINT]),
        (";", {"a": ["4,5"], "b": ["1.5", "2"] * 2}, None, [POINT, "decimal]"]),
        (";", {"a": ["4,5", "many"], "b": ["1,2.5"], "c": ["5 rooms"]}, None, [""] * 3),
        (";", {"a [°C]": ["1.234,5"]}, COMMA, ["decimal]  # °C? Write 1.234,5 as 1234,5 in the table"]),
        (";", {"a": ["4,5 °C", "n/a"]}, COMMA, ["decimal]  # Write 4,5 °C as 4,5 in the table"]),
        (",", {"a": ["40%", "5 kW"]}, None, ["integer]  # Write 40% as 40 in the table"]),
    ],
)  # fmt: skip
def test_the_decimal_mark_is_decided_by_all_numbers_then_by_the_delimiter(delimiter, columns, mark, found):
    lines = guessed(delimiter, time=AT[:1], **columns)
    assert [line for line in lines if line.startswith("decimal")] == ([mark] if mark else [])
    assert [line.partition("xsd:")[2] for line in lines if line.startswith("- [ex:")] == found


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "-"]), st.integers(0, 9_999_999), st.integers(0, 999)), min_size=1
    ),
    st.sampled_from(",."),
    st.booleans(),
)
def test_a_draft_reads_the_numbers_or_advises_how_to_write_them(numbers, mark, are_grouped):
    group = "." if mark == "," else ","
    texts = [
        sign + (f"{whole:,}".replace(",", group) if are_grouped else str(whole)) + f"{mark}{part:04d}"
        for sign, whole, part in numbers
    ]
    draft = guess("t", {"time": Sample(AT), "n": Sample(texts)}, ";")
    assert read_mapping(f"{draft}\n").decimal == mark and "xsd:decimal" in draft
    refused = [text for text in texts if group in text]
    advice = [f"{text} as {text.replace(group, '')} in the table" for text in refused]
    assert re.findall("Write (.*)", draft) == advice[:1]


def test_units_in_names_are_said():
    lines = guessed(time=AT, temp_c=["1", "2"], **{"speed [km/h]": ["3", "4"]})
    assert "- [ex:temp_c, $(temp_c), xsd:integer]  # °C?" in lines
    assert '- [ex:speed, "$(speed [km/h])", xsd:integer]  # km/h?' in lines


def test_types_of_columns_are_taken_as_they_are():
    lines = guessed(time=Sample(AT, XSD.dateTime), level=Sample(["1.0", "2.0"], XSD.double), empty=["", ""])
    assert "- [ex:level, $(level), xsd:decimal]" in lines
    assert "- [ex:empty, $(empty)]  # no value in the first rows: add a datatype for numbers" in lines


def test_many_columns_of_numbers_may_be_melted():
    gases = {name: ["1", "2"] for name in ("o3", "no2", "so2", "c o")}
    assert '# melt: {columns: [o3, no2, so2, "c o"]}' in guessed(time=AT, **gases)
    assert not any("melt" in line for line in guessed(time=AT, o3=["1", "2"]))
