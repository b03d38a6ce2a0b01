"""Plain N-Quads read by column are what the parser reads line by line."""

from __future__ import annotations

import io
import os
import pickle
import random
import threading

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef

from counts import cases, some
from pantarhei.errors import InputError, MalformedInputError
from pantarhei.io import abox_stream, read_stream
from pantarhei.io import stream_reader as nquads
from pantarhei.rdf import plain_quads
from pantarhei.rdf import plain_quads as canonical
from pantarhei.rdf.plain_quads import CanonicalTerms, are_ordinary_iris
from pantarhei.rdf.triple_table import ColumnarTriples, split_lines
from quad_lines import NODES, ODD, PROV, WORDS, any_lines


class Named(io.BytesIO):
    name = "stream.nq"


def read(data, by_column, short=1, most_odd=4, block=1 << 20, **options):
    """What comes before an error, the error or None, and what was skipped."""
    found, error = [], None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nquads, "FEWEST_BYTES", 1 if by_column else len(data) + 1)
        patch.setattr(nquads, "BLOCK", block)
        patch.setattr(plain_quads, "_SHORT", short)
        patch.setattr(plain_quads, "_MOST_ODD", most_odd)
        reader = read_stream(Named(data), format="nquads", **options)
        try:
            found.extend(reader)
        except InputError as raised:
            error = type(raised), str(raised)
    return found, error, reader.skipped, reader.skipped_count


def told(found, error, skipped, count):
    """The same with all that tells terms apart."""
    aboxes = [(type(at), at, [tuple(map(shown, triple)) for triple in triples]) for at, triples in found]
    return aboxes, error, skipped, count


def shown(term):
    assert isinstance(term, URIRef | BNode | Literal)
    is_literal = isinstance(term, Literal)
    return type(term), str(term), *((term.datatype, term.language, term.ill_typed) if is_literal else ())


@settings(deadline=None)
@given(
    st.lists(any_lines, max_size=12),
    st.sampled_from(["auto", "graph", PROV[1:-1]]),
    st.sampled_from(["raise", "skip"]),
    st.sampled_from([1, 3, 100]),
    st.sampled_from([1, 2]),
)
def test_lines_by_column_are_the_lines_that_are_parsed(lines, time, on_error, short, most_odd):
    data = "\n".join(lines).encode()
    options = {"time": time, "on_error": on_error}
    expected = told(*read(data, by_column=False, **options))
    assert told(*read(data, by_column=True, short=short, most_odd=most_odd, **options)) == expected


@settings(deadline=None)
@given(st.lists(any_lines, max_size=30), st.integers(20, 300), st.sampled_from([1, 100]))
def test_it_does_not_matter_where_blocks_end(lines, size, short):
    data = "\n".join(lines).encode()
    expected = told(*read(data, by_column=False, on_error="skip"))
    found = read(data, by_column=True, short=short, most_odd=1, block=size, on_error="skip")
    assert told(*found) == expected


def a_large_stream(seed=5):
    chance = random.Random(seed)
    return [
        f"{chance.choice(NODES)} <urn:p{chance.randrange(3)}> {chance.choice(NODES + WORDS)} <urn:at:{at}> ."
        for at in range(60)
        for _ in range(200)
    ]


@pytest.mark.parametrize("short", [1, 1000])
def test_a_large_stream_with_odd_lines_is_read_the_same(short):
    lines = a_large_stream()
    for place in range(0, len(lines), 97):
        lines.insert(place, ODD[place % len(ODD)].replace("\r", ""))
    data = "\n".join(lines).encode()
    options = {"block": 1 << 16, "on_error": "skip", "short": short}
    assert told(*read(data, True, **options)) == told(*read(data, False, **options))


def test_odd_lines_leave_their_neighbours_as_columns():
    lines = [f"<urn:x:{i}> <urn:p> <urn:y> <urn:at:1> ." for i in range(1000)]
    lines[500:500] = ["", "# a comment", '<urn:x> <urn:p>  "two  spaces" <urn:at:1> .']
    ((_, triples),), *_ = read(("\n".join(lines) + "\n").encode(), by_column=True)
    assert isinstance(triples, ColumnarTriples) and len(triples) == 1001
    assert [getattr(part, "height", 1) for part in triples.parts] == [500, 1, 500]


@pytest.mark.parametrize("odd", some(["\t", "  "], ["\t"]))
@pytest.mark.parametrize("end", some(["\n", "\r\n"], ["\n"]))
def test_lines_that_are_only_written_oddly_come_by_column_too(odd, end):
    lines = [line.replace(" <urn:p", odd + "<urn:p") for line in a_large_stream()]
    data = end.join([*lines, ""]).encode()
    found = read(data, by_column=True)
    assert all(isinstance(triples, ColumnarTriples) for _, triples in found[0])
    assert told(*found) == told(*read(data, by_column=False))


def test_an_error_names_the_line_between_plain_ones():
    lines = a_large_stream()
    lines[7000:7000] = ["", ODD[2]]
    found, error, *_ = read("\n".join(lines).encode(), by_column=True, time="graph")
    assert error[0] is MalformedInputError and error[1].startswith("stream.nq, line 7002: ")
    assert [at for at, _ in found] == list(range(34))  # that of 34 has not ended


def test_what_has_arrived_through_a_pipe_is_given_out(monkeypatch):
    monkeypatch.setattr(nquads, "FEWEST_BYTES", 1)
    read_end, write_end = os.pipe()
    got, more = [], threading.Event()

    def write():
        with os.fdopen(write_end, "wb", buffering=0) as pipe:
            for at in range(3):
                pipe.write(
                    b"".join(b"<urn:x:%d> <urn:p> <urn:y> <urn:at:%d> .\n" % (i, at) for i in range(99))
                )
                if at:
                    assert more.wait(60)
                    more.clear()

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(read_end, "rb") as pipe:
        for at, triples in read_stream(pipe, format="nquads", time="graph"):
            got.append((at, len(triples)))
            more.set()
    writer.join()
    assert got == [(0, 99), (1, 99), (2, 99)]


def test_terms_are_made_when_somebody_looks(monkeypatch):
    made = []
    monkeypatch.setattr(
        "pantarhei.rdf.triple_table.parse_term", lambda text: made.append(text) or URIRef(text)
    )
    data = b"".join(b"<urn:x:%d> <urn:p> <urn:y> <urn:at:1> .\n" % i for i in range(100))
    ((_, triples),), *_ = read(data, by_column=True)
    assert len(triples) == 100 and not made
    assert len(list(triples)) == 100 and len(made) == 102
    assert triples[0] is triples[0] and len(made) == 102


# to those who look it is a tuple of triples


def columnar():
    data = b"".join(b'<urn:x:%d> <urn:p> "%d" <urn:at:1> .\n' % (i, i % 3) for i in range(10))
    ((_, triples),), *_ = read(data, by_column=True)
    assert isinstance(triples, ColumnarTriples)
    return triples, tuple((URIRef(f"urn:x:{i}"), URIRef("urn:p"), Literal(str(i % 3))) for i in range(10))


def test_columns_are_equal_to_the_tuple_of_their_triples():
    found, expected = columnar()
    assert found == expected and expected == found and found == columnar()[0]
    assert found != list(expected) and found != expected[1:]
    assert hash(found) == hash(expected) and repr(found) == repr(expected)


def test_columns_can_be_taken_apart_and_put_together_like_a_tuple():
    found, expected = columnar()
    assert found[2] == expected[2] and found[-3:] == expected[-3:] and expected[4] in found
    assert found + expected == expected + found == expected * 2
    assert found.index(expected[3]) == 3 and found.count(expected[3]) == 1
    assert list(reversed(found)) == list(reversed(expected))


def test_columns_are_pickled_as_their_triples():
    found, expected = columnar()
    assert pickle.loads(pickle.dumps(found)) == expected


def test_a_stream_made_of_aboxes_that_were_read_keeps_their_columns():
    found, expected = columnar()
    more = (URIRef("urn:x"), URIRef("urn:p"), BNode("b"))
    ((at, triples),) = abox_stream([(1, found), (1, [more])])
    assert at == 1 and isinstance(triples, ColumnarTriples) and triples == (*expected, more)


ORDINARY = [
    "<http://a>",
    "<http://example.org/a>",
    "<https://example.org/>",
    "<https://example.org#b>",
    "<http://example.org/a/b_c~d.e-f#g/h>",
    "<http://1.2.3.4/5>",
    "<http://a//b>",
    "<http://a/#>",
]
OTHERS = [
    "<urn:a>",
    "<http://>",
    "<http:///a>",
    "<http://a:80/>",
    "<http://a/?b>",
    "<http://a#b#c>",
    "<http://a/é>",
    "<http://a/%20>",
    "<http://a",
    "http://aaaaaaaa>",
    "<<http://a>>",
    "<http://a>b>",
    "<http://a<b>",
    "<HTTP://a/b>",
    "<http:#//aaaaa>",
    "<http://a:b#c>",
    "_:b",
    '"a"',
    ".",
    "",
]

pieces = st.sampled_from(
    ["<", ">", "http", "https", "s", ":", "/", "//", "#", "a", "9", "-", "_", "é", "[", "@"]
)
words = st.one_of(
    st.lists(pieces, max_size=12).map("".join),
    st.lists(pieces, max_size=5).map(lambda rest: f"<http://{''.join(rest)}>"),
    st.lists(pieces, max_size=5).map(lambda rest: f"<https://x{''.join(rest)}>"),
    st.sampled_from(['"a"', '"a"@en', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>', "_:a", "."]),
)


def written_anew(text):
    """What pyoxigraph makes of a term, None if it is none or not of RDF 1.1."""
    try:
        (quad,) = ox.parse(f"<urn:x> <urn:x> {text} .\n".encode(), ox.RdfFormat.N_TRIPLES)
    except (SyntaxError, ValueError):
        return None
    return None if isinstance(quad.object, ox.Triple) else str(quad.object)


def split(texts):
    found = split_lines("\n".join(texts).encode() + b"\n", 1).words
    return found, found.decoded()


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_iris_are_told_from_their_bytes(text):
    assert are_ordinary_iris(split([text])[0]).tolist() == [True]
    assert written_anew(text) == text


@pytest.mark.parametrize("text", OTHERS)
def test_others_are_not(text):
    assert are_ordinary_iris(split(["<http://a>", text, "<http://b>"])[0]).tolist() == [True, False, True]


@settings(deadline=None, max_examples=cases(52, 400))
@given(st.lists(words, min_size=1, max_size=20))
def test_canonical_words_are_what_the_parser_would_write(texts):
    found, decoded = split(texts)
    flags = CanonicalTerms().among(found, decoded).tolist()
    written = [written_anew(text) == text for text in decoded]
    assert flags == written


@settings(deadline=None)
@given(st.lists(st.lists(words, min_size=1, max_size=6), max_size=5), st.sampled_from([1, 3]))
def test_what_was_asked_before_changes_no_answer(several, cached):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canonical, "MOST_CACHED", cached)
        known = CanonicalTerms()
        for texts in several:
            found, decoded = split(texts)
            assert known.among(found, decoded).tolist() == CanonicalTerms().among(found, decoded).tolist()


@settings(deadline=None)
@given(st.from_regex(canonical._ORDINARY, fullmatch=True))
def test_a_term_that_looks_ordinary_is_canonical(text):
    assert written_anew(text) == text
