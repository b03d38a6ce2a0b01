"""Parts of a CSV file give together what the file gives."""

import gzip
from random import Random

import pytest

from counts import seeds
from pantarhei.io.mapping.read import read_mapping
from pantarhei.io.tables import csv_table
from pantarhei.io.tables.csv_parts import parts_of
from pantarhei.io.tables.opening import Sources
from pantarhei.io.tables.reader import RecordReader

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


def read(items):
    """The rows of files or parts, one after the other, and what is left out of them."""
    rows, skipped = [], []
    for item in items:
        reader = RecordReader(Sources("in.csv", (item,), None), MAPPING, True)
        rows += [(abox.at, *triple) for abox in reader for triple in abox.triples]
        skipped += reader.skipped
    return rows, skipped


@pytest.mark.parametrize("seed", seeds(20, 300, long=2_000))
@pytest.mark.parametrize("broken", [0, 0.1])
def test_parts_give_together_what_the_file_gives(tmp_path, monkeypatch, seed, broken):
    monkeypatch.setattr(csv_table, "BLOCK", 64)
    random, path = Random(seed), tmp_path / "in.csv"
    path.write_bytes(written(random, broken))
    parts = parts_of(str(path), random.choice([1, 100, 300]), None)
    assert read(parts or [str(path)]) == read([str(path)])
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
