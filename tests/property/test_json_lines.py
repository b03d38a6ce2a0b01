"""Lines of JSON: what one of them says depends on no other, and on nothing but its text."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st

from chunked_file import ChunkedFile
from counts import cases
from json_rows import LINES, MAPPING, expected
from pantarhei import read_records


def said(source):
    """The rows that are read, each with its time and triples; and the lines that are left out."""
    reader = read_records(source, MAPPING, format="jsonl", on_error="skip")
    found = [(abox.at, triple) for abox in reader for triple in abox.triples]
    return [(type(at), at, *triple) for at, triple in found], [each.line for each in reader.skipped]


@given(st.lists(LINES, max_size=6), st.lists(st.integers(0, 300), max_size=8))
@settings(max_examples=cases(50, 1_000, 20_000), deadline=None)
def test_a_line_says_what_it_says_by_itself(lines, cuts):
    lines = [b'{"t": 0}', *lines]  # whole numbers are the times
    content = b"\n".join(lines)
    alone = [expected(line) for line in lines]
    rows = [(int, at, *triple) for at, triples in filter(None, alone) for triple in triples]
    bad = [
        number
        for number, (line, each) in enumerate(zip(lines, alone, strict=True), 1)
        if each is None and line.strip()
    ]
    assert said(io.BytesIO(content)) == (rows, bad)
    assert said(ChunkedFile(content, cuts)) == (rows, bad)
