"""N-Quads and TriG streams: their times, their blank nodes, and what is wrong with them."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import itertools
import lzma
import os
import re
import threading
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import XSD, BNode, Literal, URIRef

from pantarhei.errors import (
    CompressedInputError,
    InputError,
    MalformedInputError,
    MissingFileError,
    MissingTimestampError,
    OptionError,
    TimestampError,
    UnknownFormatError,
)
from pantarhei.io import read_stream
from pantarhei.io import stream_reader as read_of_io
from pantarhei.io.graph_messages import GraphMessages
from pantarhei.io.stream_reader import OF_GRAPHS, SYNTAXES, QuadsReader, syntax_of
from pantarhei.rdf import statements
from pantarhei.rdf.plain_quads import PlainRun
from pantarhei.rdf.statements import ByteFeed, Statement

A, B, C = (URIRef(f"urn:x:{name}") for name in "abc")
TEN = datetime(2026, 1, 31, 10, tzinfo=UTC)
PREFIXES = """
@prefix : <urn:x:> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix prov: <http://www.w3.org/ns/prov#> . @prefix sosa: <http://www.w3.org/ns/sosa/> .
"""
PROV = "http://www.w3.org/ns/prov#generatedAtTime"


def nquads(text, **options):
    return read_stream(io.BytesIO(text.encode()), format="nquads", **options)


def trig(text, **options):
    return read_stream(io.BytesIO((PREFIXES + text).encode()), format="trig", **options)


def times(reader):
    return [abox.at for abox in reader]


def zstd(text):
    return pa.compress(text, codec="zstd", asbytes=True)


def quad(graph, subject="urn:x:a", object="<urn:x:c>"):
    return f"<{subject}> <urn:x:b> {object} <{graph}> .\n"


# the time of a graph: its name


def test_a_suffix_or_the_format_tells_the_syntax():
    assert [syntax_of(name, None) for name in ("a.nq", "A.TRIG")] == ["nquads", "trig"]
    assert syntax_of("a.txt", "application/trig") == "trig"
    assert [syntax_of(f"a.{suffix}", None) for suffix in ("jsonl", "nt", "ttl.gz", "nq.zst")] == [
        "jsonld",
        "ntriples",
        "turtle",
        "nquads",
    ]
    every = "nquads, trig, jsonld, ngsi-ld, ntriples or turtle"
    with pytest.raises(OptionError, match=rf"{every}: .* carry its time"):
        syntax_of("a.rdf", None)
    with pytest.raises(OptionError, match=r"nquads or trig: .* carry its time"):
        syntax_of("a.ttl", None, OF_GRAPHS)


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("urn:at:7", 7),
        ("http://example.org/readings/7", 7),
        ("http://example.org/readings#0.5", 0.5),
        ("http://example.org/readings?at=7", 7),
        ("http://example.org/readings?at=-7", -7),
        ("urn:at:2026-01-31T10:00:00Z", TEN),
        ("urn:at:2026-01-31T11:00:00+01:00", TEN),
        ("urn:at:2026-01-31T10%3A00%3A00Z", TEN),
        ("urn:at:2026-01-31T11%3a00%3a00%2B01%3a00", TEN),
        ("http://example.org/sensor/3/2026-01-31T10:00:00Z", TEN),
        ("http://example.org/g=2026-01-31T10:00:00.000Z", TEN),
        ("urn:at:20260131T100000Z", TEN),
    ],
)
def test_a_graphs_name_ends_in_its_time(name, at):
    for time in ("graph", "auto"):
        assert times(nquads(quad(name), time=time)) == [at]


@pytest.mark.parametrize("name", ["urn:readings", "http://example.org/g7", "http://example.org/2026-01-31"])
def test_a_name_without_a_time_is_an_error_that_names_the_graph(name):
    for time in ("graph", "auto"):
        with pytest.raises(MissingTimestampError, match=re.escape(f"line 1: graph <{name}> has no time")):
            list(nquads(quad(name), time=time))


def test_a_time_without_a_zone_is_an_error_that_says_what_to_do():
    for time in ("graph", "auto"):
        with pytest.raises(TimestampError, match=r"line 2: .*add the zone"):
            list(nquads(quad("urn:at:1") + quad("urn:at:2026-01-31T10:00:00"), time=time))


def test_a_time_that_does_not_exist_is_an_error():
    with pytest.raises(TimestampError, match="2026-02-31T10:00:00Z"):
        list(nquads(quad("urn:at:2026-02-31T10:00:00Z")))


def test_a_blank_graph_name_has_no_time_in_it():
    with pytest.raises(MissingTimestampError):
        list(nquads("<urn:x:a> <urn:x:b> <urn:x:c> _:g1 .", time="graph"))


# the time of a graph: a property


def test_no_more_than_a_bound_is_held(monkeypatch):
    monkeypatch.setattr(GraphMessages, "HELD_TRIPLES", 10)
    endless = (quad(f"urn:g{i}").encode() for i in itertools.count())
    with pytest.raises(MissingTimestampError, match="urn:g0"):
        list(read_stream(Lines(endless), format="nquads", time=PROV))


def test_timestamps_of_two_kinds_are_an_error():
    with pytest.raises(TimestampError, match=r"line 2: graph <urn:at:1\.5>"):
        list(nquads(quad("urn:at:1") + quad("urn:at:1.5")))


# what makes an ABox


def test_a_stream_of_floats_takes_integers():
    graphs = ("urn:1.5", "urn:2", "urn:2.0", "urn:2.5")
    assert times(nquads("".join(map(quad, graphs)))) == [1.5, 2, 2.5]
    with pytest.raises(TimestampError, match="an integer like the stream's other timestamps"):
        list(nquads(quad("urn:2") + quad("urn:2.5")))


def test_graphs_that_follow_one_another_with_one_time_are_one_abox():
    text = quad("urn:1") + quad("urn:other:1", object="<urn:x:d>") + quad("urn:2") + quad("urn:1")
    assert [(abox.at, len(abox.triples)) for abox in nquads(text)] == [(1, 2), (2, 1), (1, 1)]


def test_literals_stay_as_they_were_written():
    text = (
        ':g { :a :b "01"^^xsd:integer , "1.50"^^xsd:decimal , "x"@EN , "2026-01-31T24:00:00Z"^^xsd:dateTime }'
    )
    (abox,) = trig(text + " :g prov:generatedAtTime 1 .")
    assert [str(o) for _, _, o in abox.triples] == ["01", "1.50", "x", "2026-01-31T24:00:00Z"]
    assert abox.triples[0][2].datatype == XSD.integer


def test_markup_is_not_parsed():
    bomb = "<!DOCTYPE x [<!ENTITY a 'aaaa'>]><x>&a;</x>"
    text = f'<urn:1> {{ :a :b "{bomb}"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral> }}'
    (abox,) = trig(text)
    assert str(abox.triples[0][2]) == bomb
    assert abox.triples[0][2].value is None


def test_an_ill_typed_literal_comes_as_it_is_written_and_is_not_logged(caplog):
    (abox,) = nquads(quad("urn:1", object='"x"^^<http://www.w3.org/2001/XMLSchema#integer>'))
    assert [triple[2].n3() for triple in abox.triples] == [f'"x"^^<{XSD.integer}>']
    assert not caplog.records


def blank_nodes(reader):
    return [term for abox in reader for triple in abox.triples for term in triple if isinstance(term, BNode)]


def test_a_blank_node_is_scoped_to_its_message():
    text = "<urn:1> { _:b :p _:b , _:c } <urn:2> { _:b :p [] } <urn:1> { _:b :p :x }"
    found = blank_nodes(trig(text))
    first, again, repeated, other = found[:4]
    assert first == again == repeated
    assert len(found) == 7
    assert len({first, other, *found[4:]}) == 5


def test_blank_nodes_have_the_same_names_when_a_file_is_read_again_and_others_in_another(tmp_path):
    text = PREFIXES + "<urn:1> { _:b :p [ :p ( 1 2 ) ] }"
    for name in ("one.trig", "two.trig"):
        (tmp_path / name).write_text(text)
    one, again, two = (
        blank_nodes(read_stream(tmp_path / name)) for name in ("one.trig", "one.trig", "two.trig")
    )
    assert one == again
    assert not set(one) & set(two)


# how it is read


class Lines:
    """A file that gives out one piece at each read, and counts."""

    def __init__(self, pieces):
        self.pieces, self.reads = iter(pieces), 0

    def read(self, size=-1):
        self.reads += 1
        return next(self.pieces, b"")


@pytest.mark.parametrize("syntax", ["nquads", "trig"])
def test_an_endless_stream_is_followed(syntax):
    graph = "<urn:{}> {{ <urn:x:a> <urn:x:b> <urn:x:c> }}\n" if syntax == "trig" else quad("urn:{}")
    file = Lines(graph.format(i).encode() for i in itertools.count())
    aboxes = iter(read_stream(file, format=syntax))
    assert [next(aboxes).at for _ in range(3)] == [0, 1, 2]
    assert file.reads <= 6


def test_a_pipe_is_read_as_it_is_written():
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb") as target:
        aboxes = iter(read_stream(source, format="nquads", time="graph"))
        target.write((quad("urn:1") + quad("urn:2")).encode())
        target.flush()
        late = threading.Timer(30, target.close)
        late.start()
        assert next(aboxes).at == 1
        late.cancel()


@given(st.lists(st.integers(1, 40), max_size=30))
def test_it_does_not_matter_how_the_bytes_arrive(cuts):
    text = (
        "# a comment\n\n"
        + quad("urn:1", object='"é\\n"')
        + "\r\n"
        + quad("urn:2") * 2
        + quad("urn:3").rstrip()
    ).encode()
    ends = [0, *itertools.accumulate(cuts), len(text)]
    pieces = [text[a:b] for a, b in itertools.pairwise(ends) if text[a:b]]
    assert b"".join(pieces) == text
    whole = list(read_stream(io.BytesIO(text), format="nquads"))
    assert list(read_stream(Lines(pieces), format="nquads")) == whole
    assert [abox.at for abox in whole] == [1, 2, 3]


def test_an_abox_is_given_out_when_the_next_graph_begins_where_that_tells_its_time():
    for time, start in (("graph", ""), ("urn:x:at", "<urn:1> <urn:x:at> 1 . <urn:2> <urn:x:at> 2 .")):
        file = Lines([(start + "<urn:1> { <urn:a> <urn:b> 1 } <urn:2> { <urn:a> <urn:b> 2 . ").encode()])
        aboxes = iter(read_stream(file, format="trig", time=time))
        assert next(aboxes).at == 1
        assert file.reads == 1


def test_text_files_and_byte_order_marks_are_read():
    assert times(read_stream(io.StringIO(quad("urn:1")), format="nquads")) == [1]
    for syntax, text in (("nquads", quad("urn:1")), ("trig", "<urn:1> { <urn:a> <urn:b> <urn:c> }")):
        for pieces in ([b"\xef\xbb\xbf" + text.encode()], [b"\xef\xbb\xbf", text.encode()]):
            assert times(read_stream(Lines(pieces), format=syntax)) == [1]


def test_standard_input_is_a_source(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(quad("urn:1").encode())))
    reader = read_stream("-", format="nquads")
    assert (times(reader), reader.name, reader.size) == ([1], "<stdin>", None)


def test_a_reader_knows_how_far_it_is_and_starts_anew(tmp_path):
    path = tmp_path / "stream.nq"
    path.write_text(quad("urn:1") + "bad\n" + quad("urn:2"))
    reader = read_stream(path, on_error="skip")
    assert reader.bytes_read == 0
    for _ in range(2):
        assert times(reader) == [1, 2]
        assert reader.bytes_read == reader.size == path.stat().st_size
        assert reader.skipped_count == 1


@pytest.mark.parametrize("suffix", ["nq", "nquads", "trig", "NQ"])
def test_the_suffix_tells_the_format(tmp_path, suffix):
    path = tmp_path / f"stream.{suffix}"
    path.write_text("")
    assert list(read_stream(path)) == []


@pytest.mark.parametrize(
    ("source", "options", "reason"),
    [
        ("stream.owl", {}, "carry its time"),
        ("stream.nq", {"base": "rooms"}, "whole IRI"),
        ("stream.nq", {"zone": "Mars"}, "Europe/Berlin"),
        ("-", {}, "format"),
        ("stream.nq", {"format": "pdf"}, "pdf"),
        ("stream.nq", {"time": "now"}, "IRI"),
        ("stream.nq", {"time": None}, "time=None"),
        ("stream.nq", {"on_error": "ignore"}, "skip"),
    ],
)
def test_options_that_are_none_are_refused_at_once(source, options, reason):
    with pytest.raises(OptionError, match=reason):
        read_stream(source, **options)


@pytest.mark.parametrize("syntax", ["nquads", "trig"])
@pytest.mark.parametrize("on_error", ["raise", "skip"])
@pytest.mark.parametrize("size", [1, 1000])
def test_what_is_compressed_otherwise_is_refused_and_the_same_unpacked_is_read(syntax, on_error, size):
    text = (quad("urn:1") if syntax == "nquads" else "<urn:1> { <urn:a> <urn:b> <urn:c> }").encode()
    packed = bz2.compress(text)
    pieces = [packed[start : start + size] for start in range(0, len(packed), size)]
    with pytest.raises(CompressedInputError, match=r"<stream>: it is compressed .bzip2.*bzip2 -d") as raised:
        list(read_stream(Lines(pieces), format=syntax, on_error=on_error))
    assert isinstance(raised.value, MalformedInputError)
    assert (raised.value.source, raised.value.line) == ("<stream>", None)
    with bz2.open(io.BytesIO(packed)) as unpacked:
        assert times(read_stream(unpacked, format=syntax)) == [1]


@pytest.mark.parametrize(("pack", "suffix"), [(gzip.compress, "gz"), (zstd, "zst")])
@pytest.mark.parametrize("size", [1, 1000])
def test_a_stream_compressed_with_gzip_or_zstd_is_unpacked_as_it_comes(tmp_path, pack, suffix, size):
    text = "".join(quad(f"urn:at:{at}") for at in range(2000)).encode()
    packed = pack(text)
    pieces = [packed[start : start + size] for start in range(0, len(packed), size)]
    assert times(read_stream(Lines(pieces), format="nquads")) == list(range(2000))
    path = tmp_path / f"stream.nq.{suffix}"
    path.write_bytes(packed)
    reader = read_stream(path)
    assert times(reader) == list(range(2000))
    assert (reader.bytes_read, reader.size) == (len(text), None)
    path.write_bytes(packed[:-5])
    with pytest.raises(MalformedInputError, match="cannot be unpacked"):
        list(read_stream(path, on_error="skip"))


def test_a_name_that_does_not_tell_the_format_is_asked_about_unless_there_is_more_amiss(tmp_path):
    path, packed = tmp_path / "stream.dat", tmp_path / "stream.nq.xz"
    for source in (path, path.parent / "none.nq.gz"):
        with pytest.raises(MissingFileError, match="No such file"):
            read_stream(source)
    with pytest.raises(MissingFileError, match="directory"):
        read_stream(tmp_path)
    path.write_text(quad("urn:1"))
    with pytest.raises(UnknownFormatError, match=r"stream\.dat.*\.nq, \.nquads, \.trig,.*nquads, trig, "):
        read_stream(path)
    packed.write_bytes(lzma.compress(path.read_bytes()))
    with pytest.raises(CompressedInputError, match=str(packed)):
        read_stream(packed)


@pytest.mark.parametrize("source", [None, 7, b"stream.nq"])
def test_what_is_no_source_is_refused_at_once(source):
    with pytest.raises(OptionError, match=r"source=.*a path"):
        read_stream(source, format="nquads")


@pytest.mark.parametrize("name", ["missing.nq", "folder.nq"])
def test_a_file_that_cannot_be_opened_is_one_of_the_errors_by_name(tmp_path, name):
    (tmp_path / "folder.nq").mkdir()
    with pytest.raises(MissingFileError, match=rf"{name} cannot be read: ") as caught:
        read_stream(tmp_path / name)
    assert isinstance(caught.value, FileNotFoundError) and caught.value.path == str(tmp_path / name)


def test_a_file_that_has_gone_since_is_one_of_the_errors_too(tmp_path):
    path = tmp_path / "stream.nq"
    path.write_text(quad("urn:1"))
    reader = read_stream(path)
    path.unlink()
    with pytest.raises(MissingFileError, match=r"stream\.nq cannot be read: "):
        list(reader)


def test_what_is_on_the_network_is_not_fetched():
    with pytest.raises(MissingFileError, match=r"^http://example\.org/a\.nq .* nothing is fetched"):
        read_stream("http://example.org/a.nq")


def test_a_reader_says_what_it_reads_and_how_far_it_is(tmp_path):
    path = tmp_path / "stream.nq"
    path.write_text("nonsense\n<urn:a> <urn:b> <urn:c> <urn:at:3> .\n")
    reader = read_stream(path, on_error="skip")
    assert repr(reader) == f"StreamReader({str(path)!r}, nquads, time='auto', bytes_read=0, skipped=0)"
    list(reader)
    size = path.stat().st_size
    assert repr(reader) == f"StreamReader({str(path)!r}, nquads, time='auto', bytes_read={size}, skipped=1)"


# what is wrong


@pytest.mark.parametrize(
    "bad", ["1" * 40, "1" * 400, "1" * 5000, "1e400"], ids=["40 digits", "400", "5000", "infinite"]
)
@pytest.mark.parametrize("order", [("1", "bad", "2"), ("bad", "1", "2")])
def test_a_time_too_far_away_is_named_or_skipped_and_says_nothing_of_the_kind_of_time(bad, order):
    text = "".join(quad(f"urn:{bad if time == 'bad' else time}") for time in order)
    with pytest.raises(TimestampError, match=f"line {order.index('bad') + 1}: "):
        list(nquads(text))
    reader = nquads(text, on_error="skip")
    assert times(reader) == [1, 2]
    assert [skipped.line for skipped in reader.skipped] == [order.index("bad") + 1]


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ("nonsense\n", MalformedInputError),
        ('<urn:x:a> <urn:x:b> "unclosed <urn:1> .\n', MalformedInputError),
        (
            "<urn:x:a> <urn:x:b> <urn:x:c> <urn:1> . <urn:x:a> <urn:x:b> <urn:x:c> <urn:1> .\n",
            MalformedInputError,
        ),
        ("<a> <urn:x:b> <urn:x:c> <urn:1> .\n", MalformedInputError),
        (quad("urn:1", object="<<( <urn:a> <urn:b> <urn:c> )>>"), MalformedInputError),
        (quad("urn:1", object='"x"@en--ltr'), MalformedInputError),
        (
            '<urn:x:a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "C" <urn:1> .\n',
            MalformedInputError,
        ),
        ("<urn:x:a> <urn:x:b> <urn:x:c> .\n", MalformedInputError),
    ],
)
def test_a_bad_line_is_named_or_skipped(tmp_path, bad, error):
    path = tmp_path / "stream.nq"
    path.write_text(quad("urn:1") + "\n" + bad + quad("urn:1", object="<urn:x:d>") + quad("urn:2"))
    with pytest.raises(error, match=f"{path}, line 3"):
        list(read_stream(path))
    reader = read_stream(path, on_error="skip")
    assert [(abox.at, len(abox.triples)) for abox in reader] == [(1, 2), (2, 1)]
    assert reader.skipped_count == 1
    (skipped,) = reader.skipped
    assert skipped.line == 3
    assert skipped.reason
    assert skipped.text


def test_invalid_utf8_is_malformed():
    data = quad("urn:1").encode() + b'<urn:x:a> <urn:x:b> "\xff" <urn:1> .\n' + quad("urn:2").encode()
    with pytest.raises(MalformedInputError, match="line 2: it is not UTF-8"):
        list(read_stream(io.BytesIO(data), format="nquads"))
    assert times(read_stream(io.BytesIO(data), format="nquads", on_error="skip")) == [1, 2]
    for syntax in ("nquads", "trig", "jsonld"):
        with pytest.raises(MalformedInputError, match=r"line 1: it is not UTF-8; .* iconv"):
            list(read_stream(io.BytesIO(quad("urn:1").encode("utf-16")), format=syntax))


def test_what_comes_before_a_bad_line_is_read():
    aboxes = iter(nquads(quad("urn:1") + quad("urn:2") + quad("urn:3") + "bad"))
    assert next(aboxes).at == 1
    with pytest.raises(MalformedInputError):
        next(aboxes)


@pytest.mark.parametrize("ending", ["\n", ""])
def test_a_line_that_is_too_long_is_named_or_skipped_and_the_next_one_read(monkeypatch, ending):
    monkeypatch.setattr(statements, "LONGEST_LINE", 1000)
    long = quad("urn:1", object=f'"{"x" * 3000}"').rstrip()
    text = quad("urn:1") + long + (f"\n{quad('urn:2')}oops\n" if ending else "")
    pieces = [text[start : start + 500].encode() for start in range(0, len(text), 500)]
    with pytest.raises(MalformedInputError, match="line 2: the line is longer than 1,000 bytes"):
        list(read_stream(Lines(pieces), format="nquads"))
    reader = read_stream(Lines(pieces), format="nquads", on_error="skip")
    assert times(reader) == ([1, 2] if ending else [1])
    assert [skipped.line for skipped in reader.skipped] == ([2, 4] if ending else [2])
    assert reader.skipped[0].text == long[:1000]


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("ending", ["\n", "\n" + quad("urn:3"), ""])
@given(size=st.integers(1, 101))
def test_no_line_is_longer_than_the_limit_wherever_the_pieces_end(over, ending, size):
    line = quad("urn:2").rstrip("\n")
    longest = line + "#" * (100 + over - len(line))
    text = (quad("urn:1") + longest + ending).encode()
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statements, "LONGEST_LINE", 100)
        for source in (Lines(pieces), io.BytesIO(text)):
            reader = read_stream(source, format="nquads", on_error="skip")
            others = [1, 3] if len(ending) > 1 else [1]
            assert times(reader) == (others if over else sorted([*others, 2]))
            assert [skipped.text for skipped in reader.skipped] == ([longest] if over else [])


def test_a_term_beyond_the_parsers_buffer_is_malformed():
    with pytest.raises(MalformedInputError, match=r"<stream>, line [0-9]+: .*16 MiB"):
        list(trig(f'<urn:1> {{ :a :b :c }}\n<urn:2> {{ :a :b "{"x" * (17 << 20)}" }}'))


def test_malformed_trig_is_an_error_even_when_errors_are_skipped():
    for on_error in ("raise", "skip"):
        with pytest.raises(MalformedInputError, match="<stream>, line 5"):
            list(trig("<urn:1> { :a :b :c }\n<urn:2> { :a :b nosuch:c }", on_error=on_error))


def test_a_graph_whose_time_is_wrong_is_skipped_as_a_whole():
    text = (
        quad("urn:1")
        + quad("urn:none") * 3
        + quad("urn:2026-01-31T10:00:00")
        + quad("urn:1.5")
        + quad("urn:2")
    )
    reader = nquads(text, time="graph", on_error="skip")
    assert times(reader) == [1, 2]
    assert reader.skipped_count == 5
    assert [skipped.line for skipped in reader.skipped] == [2, 5, 6]


def test_the_skipped_are_kept_up_to_a_bound_and_counted_beyond():
    reader = nquads("bad\n" * 3000, on_error="skip")
    assert list(reader) == []
    assert (len(reader.skipped), reader.skipped_count) == (reader.SKIPS_KEPT, 3000)


def test_assertions_in_the_default_graph_are_an_error_that_comes_early():
    pieces = itertools.chain(
        [b"<urn:x:a> <urn:x:b> <urn:x:c> .\n"], (quad(f"urn:{i}").encode() for i in itertools.count())
    )
    with pytest.raises(MalformedInputError, match=r"line 1: .*default graph"):
        list(itertools.islice(read_stream(Lines(pieces), format="nquads"), 5))
    plain = (f"<urn:x:{i}> <urn:x:b> <urn:x:c> .\n".encode() for i in itertools.count())
    with pytest.raises(MalformedInputError, match=r"line 1: .*default graph"):
        list(read_stream(Lines(plain), format="nquads"))


@given(st.binary(max_size=200))
def test_any_bytes_give_aboxes_or_a_typed_error(data):
    for syntax in SYNTAXES:
        with contextlib.suppress(InputError):
            list(read_stream(io.BytesIO(data), format=syntax))
    with contextlib.suppress(MalformedInputError):  # it cannot be unpacked
        list(read_stream(io.BytesIO(data), format="nquads", on_error="skip"))


def test_plain_strings_are_one_literal_however_they_are_written():
    (abox,) = trig('<urn:1> { :a :b "x" , "x"^^xsd:string , "" }')
    assert [o for _, _, o in abox.triples] == [Literal("x"), Literal("x"), Literal("")]


PLAIN = "<urn:a> <urn:b> <urn:c> <urn:at:1> ."


def read(*lines, skip=None):
    feed = ByteFeed(io.BytesIO("".join(f"{line}\n" for line in lines).encode()))
    return list(QuadsReader("a.nq", "auto", skip).read(feed))


def test_few_lines_are_parsed():
    assert [found.line for found in read(PLAIN, PLAIN) if isinstance(found, Statement)] == [1, 2]


def test_of_many_the_plain_ones_are_runs_and_an_odd_one_is_parsed_where_it_stands(monkeypatch):
    monkeypatch.setattr(read_of_io, "FEWEST_BYTES", 1)
    monkeypatch.setattr(read_of_io, "canonical_lines", lambda text: None)
    first, odd, second = read(PLAIN, PLAIN, f"{PLAIN} # odd", PLAIN)
    assert isinstance(first, PlainRun) and isinstance(second, PlainRun) and isinstance(odd, Statement)
    assert [first.line, odd.line, second.line] == [1, 3, 4]


@pytest.mark.parametrize("fewest", [1, 1 << 13])
def test_a_malformed_line_is_named_or_left_out(monkeypatch, fewest):
    monkeypatch.setattr(read_of_io, "FEWEST_BYTES", fewest)
    with pytest.raises(MalformedInputError, match="line 2"):
        read(PLAIN, "oops", PLAIN)
    skipped = []
    read(PLAIN, "oops", PLAIN, skip=lambda line, *_: skipped.append(line))
    assert skipped == [2]
