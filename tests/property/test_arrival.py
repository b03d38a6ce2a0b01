"""What a pipe gives never depends on when its bytes arrive: streams cut at any places, read and compared."""

import os
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunked_file import ChunkedFile
from counts import cases
from json_rows import LINES
from pantarhei import InputError, TimestampError, read_records, read_stream

AT = "http://www.w3.org/ns/prov#generatedAtTime"
TABLE = {
    "prefixes": {"ex": "http://example.org/"},
    "time": {"column": "t", "unit": "number"},
    "mappings": {"m": {"s": "ex:$(id)", "po": [["ex:v", "$(v)"], ["ex:n", "$(w)", "xsd:integer"]]}},
}
JSON = {**TABLE, "mappings": {"m": {"s": "ex:$(id)", "po": [["ex:v", "$(v)"], ["ex:in", "$(o.in)"]]}}}
GLOB = {
    **TABLE,
    "melt": {"columns": ["o.*", "w"]},
    "mappings": {"m": {"s": "ex:$(id)", "po": [["ex:$(variable)", "$(value)"], ["ex:v", "$(v)"]]}},
}
BAD = [b"\xff\xfe", b"\xe9", b"this is none", b'"', b"", b" ", b"\x00"]
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n"])


def joined(*parts):
    """Lines of some kinds, each with what ends it."""
    line = st.tuples(st.one_of(*parts), ENDS).map(b"".join)
    return st.tuples(st.lists(line, max_size=8), st.one_of(*parts)).map(
        lambda each: b"".join([*each[0], each[1]])
    )


CELLS = st.sampled_from(
    [
        b"",
        b"1",
        b"2",
        b"x",
        b"1.5",
        b'"a,b"',
        b'"two\nlines"',
        b'"c""d"',
        b'e"f',
        b'"open',
        b'a"b,"',
        b'"q"r',
        b"\xff",
        "ü".encode(),
    ]
)
ROWS = st.lists(CELLS, min_size=3, max_size=5).map(b",".join)
CSV_TEXTS = st.tuples(
    st.sampled_from([b"", b"", b"\xef\xbb\xbf", b"\n", b"\xff\xfe\n", b"\r\n"]),
    st.sampled_from([b"t,id,v,w\n", b"t,id,v,w\r\n", b't,"id",v,w,extra\n']),
    joined(ROWS, st.sampled_from([b"1,a,x,2", b"2,b,y,3", b"3,c,,"]), st.sampled_from(BAD)),
).map(b"".join)
QUADS = st.builds(
    "<urn:{}> <urn:p> {} <urn:at:{}> .".format,
    st.sampled_from("ab"),
    st.sampled_from(['"x"', "_:b", '"\\u00e9"', '"é"', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>']),
    st.integers(1, 4),
).map(str.encode)
TIMED = st.builds(
    '<urn:g:{}> <{}> "{}"^^<http://www.w3.org/2001/XMLSchema#integer> .'.format,
    st.integers(1, 2),
    st.just(AT),
    st.integers(1, 4),
).map(str.encode)
IN_GRAPH = st.builds("<urn:a> <urn:p> _:c <urn:g:{}> .".format, st.integers(1, 2)).map(str.encode)
NQUADS = joined(QUADS, QUADS, IN_GRAPH, TIMED, st.sampled_from([*BAD, b"# note", b'VERSION "1.2-messages"']))
STATED = st.builds(
    "<urn:m> <{}> {} .".format,
    st.just(AT),
    st.integers(1, 3).map(lambda at: f'"{at}"^^<http://www.w3.org/2001/XMLSchema#integer>'),
).map(str.encode)
PLAIN = st.sampled_from([b'<urn:a> <urn:p> "x" .', b"<urn:a> <urn:p> _:b .", b"# MESSAGE"])
DELIMITERS = st.sampled_from([b"MESSAGE", b"message # next", b"@message ."])
BEGIN = st.sampled_from(
    [
        b'VERSION "1.2-messages"\n',
        b'@version "1.2-messages" .\n',
        b"# a log\nVERSION '1.2-messages'\n",
        b'PREFIX : <urn:>\nVERSION "1.2-messages"\n',
    ]
)
LOGS = st.tuples(BEGIN, joined(STATED, PLAIN, DELIMITERS, DELIMITERS, st.sampled_from(BAD))).map(b"".join)
TURTLE_LOGS = st.tuples(
    BEGIN,
    joined(
        STATED,
        PLAIN,
        DELIMITERS,
        st.sampled_from([b'<urn:a> <urn:p> """a\nMESSAGE\nb""" .', b"<urn:a> <urn:p> 1 ;", b"\xff", b""]),
    ),
).map(b"".join)
DOCUMENTS = st.builds(
    '{{"@context": {{"@vocab": "urn:"}}, "@id": "urn:{}", "{}": {}, "v": {}}}'.format,
    st.sampled_from("ab"),
    st.just(AT),
    st.integers(1, 3),
    st.sampled_from(["1", '"x"', "[1.5, 2]", '{"@id": "_:b"}']),
).map(str.encode)
JSONLD = joined(DOCUMENTS, DOCUMENTS, DOCUMENTS, st.sampled_from([*BAD, b'{"a":', b"[", b"]", b",", b"}"]))


def records(mapping, format):
    """A reader of tables."""
    return lambda source, mode: read_records(source, mapping, format=format, on_error=mode)


def messages(syntax):
    """A reader of streams in RDF."""
    return lambda source, mode: read_stream(source, format=syntax, on_error=mode)


OBJECTS = joined(LINES, LINES, st.sampled_from(BAD))
OPEN = CSV_TEXTS.map(b'"open\n'.__add__)  # whose header ends with the next quotation mark
STREAMS = {
    "csv": (CSV_TEXTS, records(TABLE, "csv")),
    "csv, open": (OPEN, records(TABLE, "csv")),
    "jsonl": (OBJECTS, records(JSON, "jsonl")),
    "melted": (OBJECTS, records(GLOB, "jsonl")),
    "nquads": (NQUADS, messages("nquads")),
    "nquads log": (LOGS, messages("nquads")),
    "ntriples log": (LOGS, messages("ntriples")),
    "turtle log": (TURTLE_LOGS, messages("turtle")),
    "trig log": (TURTLE_LOGS, messages("trig")),
    "jsonld": (JSONLD, messages("jsonld")),
}


def given_out(read, source, mode):
    """What a reader gives: ABoxes, what it leaves out, and the error that ends it."""
    reader, found, error = read(source, mode), [], None
    try:
        found.extend((type(abox.at), abox.at, tuple(abox.triples)) for abox in reader)
    except (InputError, TimestampError) as raised:
        error = (type(raised), str(raised))
    return found, reader.skipped_count, reader.skipped, error


@pytest.mark.parametrize("name", STREAMS)
@given(st.data(), st.sampled_from(["raise", "skip"]))
@settings(max_examples=cases(12, 100, 3_000), deadline=None)
def test_a_stream_cut_anywhere_gives_what_it_gives_at_once(name, data, mode):
    texts, read = STREAMS[name]
    content = data.draw(texts)
    whole = given_out(read, ChunkedFile(content, []), mode)
    every = range(1, len(content))
    cuts = data.draw(st.lists(st.integers(1, max(1, len(content))), max_size=5))
    assert given_out(read, ChunkedFile(content, every), mode) == whole
    assert given_out(read, ChunkedFile(content, cuts), mode) == whole


@pytest.mark.parametrize("name", [name for name in STREAMS if name != "csv, open"])
@given(st.data())
@settings(max_examples=cases(12, 100, 2_000), deadline=None)
def test_nothing_that_is_skipped_ends_a_stream(name, data):
    texts, read = STREAMS[name]
    found, _, _, error = given_out(read, ChunkedFile(data.draw(texts), []), "skip")
    assert error is None, found


def test_a_pipe_that_waits_gives_what_a_file_gives():
    values = (b"21", b"\xff", b"26.5", b'"off"')
    content = b"".join(b'{"t": %d, "id": "a", "v": %b}\n' % each for each in enumerate(values))
    read = STREAMS["jsonl"][1]
    out, into = os.pipe()

    def write():
        for begin in range(0, len(content), 11):
            os.write(into, content[begin : begin + 11])
            time.sleep(0.01)
        os.close(into)

    threading.Thread(target=write, daemon=True).start()
    with os.fdopen(out, "rb") as pipe:
        assert given_out(read, pipe, "skip") == given_out(read, ChunkedFile(content, []), "skip")
