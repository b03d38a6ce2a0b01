"""Triples by column are, to those who look, the tuple of the triples."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Literal, URIRef

from counts import cases
from pantarhei.errors import InvalidTripleError, OptionError
from pantarhei.rdf.triple_table import NAMES, ColumnarTriples, columns_of, is_table, split_lines, triples_of

TRIPLES = [
    (URIRef(f"urn:{i % 3}"), RDF.type if i % 2 else URIRef("urn:p"), URIRef("urn:o")) for i in range(9)
]
TABLE = pa.table({name: [triple[i].n3() for triple in TRIPLES] for i, name in enumerate(NAMES)})


def test_in_whole_or_in_part_they_equal_the_tuple_and_pickle_as_one():
    columns = columns_of(TABLE)
    more = (URIRef("urn:x"), URIRef("urn:p"), Literal("01"))
    made = ColumnarTriples([columns.slice(0, 4), (more,), columns.slice(4, 9)])
    expected = (*TRIPLES[:4], more, *TRIPLES[4:])
    assert len(made) == 10 and made._made is None
    assert made == expected and made[4] == more and more in made and hash(made) == hash(expected)
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is tuple and again == expected


def test_a_column_of_some_rows_has_the_terms_of_these_alone_in_their_order():
    some = columns_of(TABLE).subject.occurring(slice(4, 6))
    assert (some.codes.tolist(), some.distinct.tolist()) == ([0, 1], ["<urn:1>", "<urn:2>"])


@pytest.mark.parametrize(
    "columns",
    [{"subject": ["<urn:a>"]}, {"subject": [None], "predicate": ["<urn:p>"], "object": ["<urn:o>"]}],
    ids=["a column is missing", "a cell is null"],
)
def test_a_table_that_holds_no_triples_is_refused(columns):
    with pytest.raises(InvalidTripleError):
        columns_of(pa.table(columns))


def test_background_is_a_graph_triples_or_a_table_and_nothing_else():
    assert triples_of(None) == () and list(triples_of(TRIPLES)) == TRIPLES
    assert list(triples_of(TABLE)) == TRIPLES
    assert is_table(TABLE) and not is_table(TRIPLES)
    with pytest.raises(OptionError, match="background"):
        triples_of("background.ttl")


pieces = st.sampled_from(
    ["a", "<b>", "é", "☃", " ", " ", "  ", "\t", "\x1f", '"', '""', '"c d"', r"\"", "\\", r"\\", "\r", "."]
)
texts = st.lists(st.lists(pieces, max_size=9).map("".join), min_size=1, max_size=12).map("\n".join)


def words_of(line):
    """The words of a line and what is between them, byte by byte."""
    words, between, is_inside, is_escaped = [b""], [], False, False
    for byte in line:
        if byte == ord('"') and not is_escaped:
            is_inside = not is_inside
        is_escaped = byte == ord("\\") and not is_escaped
        if byte <= ord(" ") and not is_inside:
            between.append(byte)
            words.append(b"")
        else:
            words[-1] += bytes([byte])
    return words, between


def by_line(block, width):
    """The places of lines with so many words and single spaces between them, with these words."""
    lines = block.removesuffix(b"\n").split(b"\n")
    split = {place: words_of(line) for place, line in enumerate(lines)}
    fitting = {place: words for place, (words, _) in split.items() if len(words) == width}
    return {place: words for place, words in fitting.items() if set(split[place][1]) <= {ord(" ")}}, len(
        lines
    )


def by_column(block, width):
    codes, words, places, lines = split_lines(block, width)
    texts = [text.encode() for text in words.decoded()]
    assert len(texts) == len(words)
    assert [len(text) for text in texts] == words.lengths.tolist()
    assert [(text + b"\n")[0] for text in texts] == words.firsts.tolist()
    assert codes.shape == (len(places), width)
    rows = [[texts[code] for code in row] for row in codes.tolist()]
    return dict(zip(places.tolist(), rows, strict=True)), lines


@settings(deadline=None, max_examples=cases(80, 500))
@given(texts, st.integers(1, 5), st.sampled_from(["", "\n"]))
def test_words_by_column_are_those_of_each_line(text, width, end):
    block = (text + end).encode()
    if not block:
        return
    assert by_column(block, width) == by_line(block, width)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"a b c", [b"a", b"b", b"c"]),
        (b'a "b c" d', [b"a", b'"b c"', b"d"]),
        (rb'a "b\" c" d', [b"a", rb'"b\" c"', b"d"]),
        (rb'a "b\\" d', [b"a", rb'"b\\"', b"d"]),
        (b'a "b\tc" d', [b"a", b'"b\tc"', b"d"]),
    ],
)
def test_a_string_is_one_word_whatever_is_in_it(line, words):
    assert by_column(line + b"\n" + line, 3) == ({0: words, 1: words}, 2)


@pytest.mark.parametrize("line", [b"a b", b"a  b c", b" a b c", b"a\tb c", b'a "b c', b"", b"a b c d"])
def test_a_line_that_is_otherwise_is_left_out_and_its_neighbours_are_not(line):
    found, lines = by_column(b"x y z\n" + line + b"\nx y w\n", 3)
    assert (found, lines) == ({0: [b"x", b"y", b"z"], 2: [b"x", b"y", b"w"]}, 3)


def test_words_of_lines_that_are_left_out_are_not_kept():
    assert split_lines(b"a b c\nd e\n", 3).words.decoded() == ["a", "b", "c"]


def test_bytes_that_are_no_text_are_told_when_they_are_decoded():
    with pytest.raises(UnicodeDecodeError):
        split_lines(b"a b\xff c\n", 3).words.decoded()
