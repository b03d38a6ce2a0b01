"""Parts of a CSV file give together what the file gives."""

import gzip
import io
from random import Random

import pytest

from counts import seeds
from pantarhei import MalformedInputError
from pantarhei.io.mapping.mapping_reader import read_mapping
from pantarhei.io.tables import csv_table
from pantarhei.io.tables.csv_table import BLOCK, CSVTable, parts_of
from pantarhei.io.tables.record_reader import RecordReader
from pantarhei.io.tables.table_sources import TableSources
from pantarhei.rdf.statements import LONGEST_LINE, ByteFeed


def opened(content, delimiter=None):
    table = CSVTable("t.csv", ByteFeed(io.BytesIO(content)), delimiter)
    table.open()
    return table


def read(content, delimiter=None):
    """The rows of a table with their lines, and the lines of what is none."""
    table = opened(content, delimiter)
    rows, left_out = [], []
    for block in table.blocks(table.names):
        cells = zip(*(block.columns[name].to_pylist() for name in table.names), strict=True)
        rows += zip(block.places(), cells, strict=True)
        left_out += [(each.line, each.reason, each.rows_before) for each in block.left_out]
    return rows, left_out


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_what_most_often_is_in_the_first_line(delimiter):
    content = delimiter.join(["a", '"b,;|\t,;|\t"', "c", "d", "e", "f", "g", "h"]).encode() + b"\n"
    assert opened(content).delimiter == delimiter
    assert opened(b"a\n").delimiter == ","


def test_lines_are_counted_over_line_ends_in_cells_and_empty_lines():
    content = b'\na,"b\nb"\n1,2\n\n"3\n\n",4\r\n5,6'
    rows, left_out = read(content)
    assert rows == [(4, ("1", "2")), (6, ("3\n\n", "4")), (9, ("5", "6"))]
    assert not left_out


def test_what_is_no_row_is_left_out_with_its_line_and_place():
    rows, left_out = read(b"a,b\n1,2\n3\n\xff,5\n6,7\n8,9,10\n")
    assert rows == [(2, ("1", "2")), (5, ("6", "7"))]
    assert [(line, before) for line, _, before in left_out] == [(3, 1), (4, 1), (6, 2)]


def test_reading_goes_on_behind_a_quotation_mark_that_is_not_closed():
    rows, left_out = read(b'a,b\n1,"2\n3,4\n5,6\n')
    assert rows == [(3, ("3", "4")), (4, ("5", "6"))]
    assert [line for line, *_ in left_out] == [2]


def test_a_quotation_mark_inside_a_cell_is_one():
    assert read(b'a,b\n1,5" pipe\n2,"6"" pipe"\n')[0] == [(2, ("1", '5" pipe')), (3, ("2", '6" pipe'))]


def test_a_quoted_cell_may_be_cut_anywhere(monkeypatch):
    monkeypatch.setattr(csv_table, "BLOCK", 1)
    assert read(b'a,b,c,d\n0,,"\n",\n') == ([(2, ("0", "", "\n", ""))], [])


def test_a_line_that_is_too_long_is_left_out():
    rows, left_out = read(b"a,b\n1," + b"x" * (LONGEST_LINE + 2 * BLOCK) + b"\n3,4\n")
    assert rows == [(3, ("3", "4"))]
    assert "longer than" in left_out[0][1]


def test_a_table_that_never_ends_is_read_as_it_comes():
    class Endless:
        def __init__(self):
            self.count = 0

        def read1(self, size):
            self.count += 1
            return b"a,b\n" if self.count == 1 else b"1,2\n3," + b"4\n"

        read = read1

    file = Endless()
    table = CSVTable("t.csv", ByteFeed(file), None)
    table.open()
    blocks = table.blocks(["a", "b"])
    heights = [next(blocks).height for _ in range(5)]
    assert heights == [2] * 5
    assert file.count == 6


def test_an_empty_table_is_refused_and_a_header_alone_has_no_rows():
    for content in (b"", b"\n\n", b"\xef\xbb\xbf"):
        with pytest.raises(MalformedInputError, match="it is empty"):
            opened(content)
    assert read(b"a,b") == ([], [])


def test_lines_that_end_as_those_of_old_macs_do_are_lines():
    assert read(b"a,b\n1,2\r3\r4,5\r") == (
        [(2, ("1", "2")), (4, ("4", "5"))],
        [(3, "1 cell, but the header has 2", 1)],
    )


def test_a_name_may_be_longer_than_pythons_reader_takes():
    assert [len(name) for name in opened(b"a," + b"b" * 200_000 + b"\n").names] == [1, 200_000]


SAID = [["urn:p", "$(level)", "xsd:integer"], ["urn:q", "$(note)"]]
MAPPING = read_mapping(
    {"time": {"column": "at", "unit": "number"}, "mappings": {"it": {"s": "urn:$(who)", "po": SAID}}}
)
NOTES = ["", "plain", '"in ""marks"""', '"of, two"', '"two\nlines"', '"three\r\n\r\nlines"', 'a "b', "ü"]
BROKEN = ["1,x", "1,a,2,x,too,many", "now,a,2,x", "1,a,some,x", '1,a,2,"open', "\xff", ""]


def written(random, broken):
    """A table of random rows."""
    end = random.choice(["\n", "\r\n"])
    rows = [
        random.choice(BROKEN)
        if random.random() < broken
        else f"{number},{random.choice('abc')},{random.randrange(99)},{random.choice(NOTES)}"
        for number in range(random.randrange(5, 60))
    ]
    text = end.join(["at,who,level,note", *rows]) + random.choice(["", end])
    return random.choice([b"", b"\xef\xbb\xbf"]) + b"".join(
        b"\xff" if each == "\xff" else each.encode() for each in text
    )


def read_of_csv_parts(items):
    """The rows of files or parts, one after the other, and what is left out of them."""
    rows, skipped = [], []
    for item in items:
        reader = RecordReader(TableSources("in.csv", (item,), None), MAPPING, True)
        rows += [(abox.at, *triple) for abox in reader for triple in abox.triples]
        skipped += reader.skipped
    return rows, skipped


@pytest.mark.parametrize("seed", seeds(10, 300, long=2_000))
@pytest.mark.parametrize("broken", [0, 0.1])
def test_parts_give_together_what_the_file_gives(tmp_path, monkeypatch, seed, broken):
    monkeypatch.setattr(csv_table, "BLOCK", 64)
    random, path = Random(seed), tmp_path / "in.csv"
    path.write_bytes(written(random, broken))
    parts = parts_of(str(path), random.choice([1, 100, 300]), None)
    assert read_of_csv_parts(parts or [str(path)]) == read_of_csv_parts([str(path)])
    assert [part.start for part in parts[1:]] == [part.end for part in parts[:-1]]


def test_large_files_alone_are_divided(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_table, "BLOCK", 64)
    path = tmp_path / "in.csv"
    path.write_bytes(b"at,who,level,note\n" + b"1,a,2,x\n" * 100)
    assert len(parts_of(str(path), 200, None)) == 4
    assert parts_of(str(path), 10_000, None) == []
    assert parts_of(str(tmp_path / "none.csv"), 1, None) == []
    packed = tmp_path / "in.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert parts_of(str(packed), 1, None) == []
    path.write_bytes(b"\xff\xfe,a\n" * 100)
    assert parts_of(str(path), 1, None) == []
