"""Rows of text are what `read_stream` reads, whichever way they are taken out of the file."""

from __future__ import annotations

import io
import random
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef

from pantarhei.errors import InputError, MalformedInputError, TimestampError
from pantarhei.io import read_stream
from pantarhei.io import stream_reader as nquads
from pantarhei.model.time import TimeKind, kind_of
from pantarhei.rdf.ntriples import parse_term
from pantarhei.rdf.plain_quads import PlainQuadsReader
from pantarhei.rdf.statements import ByteFeed
from pantarhei.rdf.triple_table import NAMES
from pantarhei.spark.frame import COLUMNS
from pantarhei.spark.sources import text_rows
from pantarhei.spark.sources.source_options import WorkerCounts
from pantarhei.spark.sources.text_rows import TextReading, TextTriples, read_rows, record_batches
from quad_lines import NODES, ODD, PROV, WORDS, XSD, any_lines, plain_lines

NAME = "stream.nq"


class Named(io.BytesIO):
    name = NAME


def flat(aboxes):
    return [(at, *triple) for at, triples in aboxes for triple in triples]


def by_read_stream(data, syntax="nquads", time="auto", on_error="raise"):
    """As the parser reads it, line by line."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nquads, "FEWEST_BYTES", len(data) + 1)
        reader = read_stream(Named(data), format=syntax, time=time, on_error=on_error)
        return flat(reader), reader.skipped_count


def as_text(data, syntax="nquads", time="auto", on_error="raise", kind=None):
    counts = WorkerCounts()
    skip = counts.skip if on_error == "skip" else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nquads, "FEWEST_BYTES", 1)
        rows = flat(read_rows(ByteFeed(io.BytesIO(data)), NAME, TextReading(syntax, time, kind, skip)))
    return rows, counts.skipped_count


def parsed(rows):
    return [(at, *map(parse_term, terms)) for at, *terms in rows]


def shown(rows):
    """Terms with all that tells them apart; rdflib keeps a language's capitals, pyoxigraph does not."""
    return [(at, kind_of(at), *map(shown_term, terms)) for at, *terms in rows]


def shown_term(term):
    assert isinstance(term, URIRef | BNode | Literal)
    language = term.language.lower() if isinstance(term, Literal) and term.language else None
    return type(term), str(term), str(term.datatype) if isinstance(term, Literal) else None, language


def outcome(read):
    try:
        return read()
    except InputError as error:
        return type(error), str(error)


def assert_same(data, **options):
    expected = outcome(lambda: by_read_stream(data, **options))
    found = outcome(lambda: as_text(data, **options))
    if isinstance(expected[0], type):
        assert found == expected
    else:
        assert (shown(parsed(found[0])), found[1]) == (shown(expected[0]), expected[1])


@settings(deadline=None)
@given(
    st.lists(any_lines, max_size=12),
    st.sampled_from(["auto", "graph", PROV[1:-1]]),
    st.sampled_from(["raise", "skip"]),
    st.sampled_from([1, 4, 100]),
)
def test_rows_are_what_read_stream_reads(lines, time, on_error, fewest):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_rows, "_FEWEST_A_BATCH", fewest)
        assert_same("\n".join(lines).encode(), time=time, on_error=on_error)


@settings(deadline=None)
@given(st.lists(any_lines, max_size=30), st.integers(20, 300))
def test_rows_do_not_depend_on_where_blocks_end(lines, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nquads, "BLOCK", size)
        assert_same("\n".join(lines).encode(), on_error="skip")


@settings(deadline=None)
@given(st.lists(plain_lines, min_size=1, max_size=10))
def test_a_line_of_canonical_terms_is_split_and_not_parsed(lines):
    canonical = [str(quad) + " ." for line in lines for quad in ox.parse(line.encode(), ox.RdfFormat.N_QUADS)]
    runs = PlainQuadsReader(()).read(1, "\n".join(canonical).encode())
    assert [tuple(row.values()) for run in runs for row in run.batch().to_pylist()] == [
        (str(quad.subject), str(quad.predicate), str(quad.object))
        for line in canonical
        for quad in ox.parse(line.encode(), ox.RdfFormat.N_QUADS)
    ]


TRIG = f"""@prefix : <urn:x:> . @prefix at: <urn:at:> . @prefix xsd: <{XSD}> .
at:1 {{ :a :b "one\\ntwo"@en-GB , '''long "quoted"''' , 01 , 1.50 , true ; a :C . [] :b [ :c () ] .
  _:x :b _:y }}
at:1 {{ _:x :b _:y }}  at:2 {{ _:x :b :d }}
:g {PROV} "2" . :g {{ :a :b "x"^^:own }}
:h {{ :h {PROV} "3" . :a :b "<p>"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML> }}
at:4 {{ :a a "no class" . :a :b :e }}
"""


@pytest.mark.parametrize("time", ["auto", "graph", PROV[1:-1]])
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_trig_is_read_the_same(time, on_error):
    assert_same(TRIG.encode(), syntax="trig", time=time, on_error=on_error)
    assert_same(TRIG.replace('a "no class"', "a :D").encode(), syntax="trig", time=time, on_error=on_error)
    assert_same(TRIG.replace("at:4 {", "at:4 { oops").encode(), syntax="trig", time=time, on_error=on_error)


def test_a_large_stream_of_many_blocks_is_read_the_same(monkeypatch):
    chance = random.Random(5)
    lines = [
        f"{chance.choice(NODES)} <urn:p{chance.randrange(3)}> {chance.choice(NODES + WORDS)} <urn:at:{at}> ."
        for at in range(60)
        for _ in range(200)
    ]
    lines[7000:7000] = ["", ODD[2]]
    data = "\n".join(lines).encode()
    monkeypatch.setattr(nquads, "BLOCK", 1 << 16)
    assert_same(data, on_error="skip")
    assert outcome(lambda: as_text(data)) == (
        MalformedInputError,
        f"{NAME}, line 7002: The object of a triple must be an IRI, a blank node or a literal",
    )


# times of one type


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (TimeKind.INTEGER, "1", "2.5"),
        (TimeKind.FLOAT, "1.5", "2026-01-31T10:00:00Z"),
        (TimeKind.DATETIME, "2026-01-31T10:00:00Z", "2"),
        (TimeKind.INTEGER, "1", "99999999999999999999"),
    ],
)
def test_a_time_that_the_column_cannot_hold_is_an_error_that_names_the_line(kind, good, bad):
    data = f"<urn:a> <urn:b> <urn:c> <urn:at:{good}> .\n<urn:a> <urn:b> <urn:c> <urn:at:{bad}> .\n".encode()
    with pytest.raises(TimestampError, match=f"{NAME}, line 2: .*is invalid"):
        as_text(data, kind=kind)
    rows, skipped = as_text(data, kind=kind, on_error="skip")
    assert (len(rows), skipped) == (1, 1)


def test_a_column_of_floats_holds_integers():
    data = b"<urn:a> <urn:b> <urn:c> <urn:at:1.5> .\n<urn:a> <urn:b> <urn:c> <urn:at:2> .\n"
    rows, _ = as_text(data, kind=TimeKind.FLOAT)
    assert [(row[0], type(row[0])) for row in rows] == [(1.5, float), (2.0, float)]


triples = st.lists(st.tuples(*[st.sampled_from("abc")] * 3), max_size=4)
ways = st.lists(st.tuples(st.sampled_from(["one by one", "by column", "as a batch", "as another"]), triples))


def grown(parts):
    made = TextTriples()
    for how, some in parts:
        columns = [[triple[i] for triple in some] for i in range(3)]
        if how == "one by one":
            for triple in some:
                made.append(triple)
        elif how == "by column":
            made.append_columns(*columns)
        elif how == "as a batch":
            made.append_part(
                pa.record_batch([pa.array(column, pa.string()) for column in columns], list(NAMES))
            )
        else:
            other = TextTriples()
            other.append_columns(*columns)
            made.extend(other)
    return made


@given(ways, st.integers(1, 5))
def test_all_are_there_in_their_order_in_whole_and_in_pieces(parts, size):
    made, expected = grown(parts), [triple for _, some in parts for triple in some]
    assert len(made) == len(expected) and list(made) == expected
    pieces = list(made.pieces(size))
    assert [triple for piece in pieces for triple in piece] == expected
    assert all(len(piece) <= size for piece in pieces)


def test_what_another_took_over_is_not_shared():
    one, other = grown([("one by one", [("a", "b", "c")])]), TextTriples()
    other.extend(one)
    other.append(("x", "y", "z"))
    assert list(one) == [("a", "b", "c")]


@pytest.mark.parametrize("size", [1, 3])
def test_nothing_is_three_empty_columns(size):
    assert [len(column) for column in TextTriples().arrays()] == [0, 0, 0]
    assert [len(piece) for piece in TextTriples().pieces(size)] == [0]


SCHEMAS = {
    TimeKind.INTEGER: pa.int64(),
    TimeKind.FLOAT: pa.float64(),
    TimeKind.DATETIME: pa.timestamp("us", tz="UTC"),
}
BEGIN = datetime(2026, 1, 31, 10, 0, 0, 123456, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "times"),
    [
        (TimeKind.INTEGER, [-3, 0, 2**61]),
        (TimeKind.FLOAT, [-0.5, 0.0, 1e-9]),
        (TimeKind.DATETIME, [BEGIN, BEGIN + timedelta(microseconds=1), datetime(1931, 1, 1, tzinfo=UTC)]),
    ],
)
def test_batches_hold_the_rows_in_order_with_their_exact_times(kind, times, monkeypatch):
    monkeypatch.setattr(text_rows, "ROWS_A_BATCH", 10)
    schema = pa.schema([("timestamp", SCHEMAS[kind]), *((name, pa.string()) for name in COLUMNS[1:])])
    sizes = [4, 35, 0, 6, 1]
    rows = []
    for i, count in enumerate(sizes):
        triples = TextTriples()
        for j in range(count):
            triples.append((f"<urn:{i}>", "<urn:p>", f'"{j}"'))
        rows.append((times[i % 3], triples))
    batches = list(record_batches(rows, kind, schema))
    assert all(0 < batch.num_rows <= 10 and batch.schema == schema for batch in batches)
    found = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    assert found == [(at, *triple) for at, triples in rows for triple in triples]
