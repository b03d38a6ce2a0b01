"""Tables as streams against reading them row by row, and hostile ones, which raise typed errors only."""

import csv
import io
import json
import math
from unittest import mock

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from rdflib import RDF, XSD, Literal, Namespace, URIRef

from counts import cases
from pantarhei import InputError, read_records
from pantarhei.io.mapping import text_times
from pantarhei.io.mapping.cell_columns import column_values
from pantarhei.io.mapping.mapping_reader import read_mapping
from pantarhei.io.mapping.record_mapping import RowTime, TextTemplate
from pantarhei.io.tables import csv_table

EX = Namespace("http://example.org/")
MAPPING = read_mapping(
    {
        "prefixes": {"ex": str(EX)},
        "time": {"column": "at", "unit": "number"},
        "mappings": {
            "garage": {
                "s": "ex:$(id)",
                "po": [["ex:free", "$(free)", "xsd:integer"], ["ex:says", "$(text)"], ["ex:row", "$(_row)"]],
            },
            "reading": {"s": "ex:r/$(id)/$(_row)", "po": [["a", "ex:Reading"], ["ex:of", "$(iri)~iri"]]},
        },
    }
)
CELLS = st.text(st.sampled_from(" a\"\n\r,;é\\'\t"), max_size=5)
NAMES = st.text(st.sampled_from("ab/ é"), max_size=3)
NUMBERS = st.sampled_from(["", "1", "02", "-3"])
IRIS = st.sampled_from(["", "urn:a", "http://example.org/b"])
ROWS = st.lists(st.tuples(st.integers(0, 3).map(str), NAMES, NUMBERS, CELLS, IRIS), max_size=12)
HEAD = ("at", "id", "free", "text", "iri")


def expected(rows):
    """The ABoxes of rows, one row after the other."""
    found = []
    for number, (at, name, free, text, iri) in enumerate(rows, 1):
        triples = []
        encoded = name.replace("/", "%2F").replace(" ", "%20")
        if name:
            row = Literal(number)
            triples += (
                [(EX[encoded], EX.free, Literal(free, datatype=XSD.integer, normalize=False))] if free else []
            )
            triples += [(EX[encoded], EX.says, Literal(text))] if text else []
            triples.append((EX[encoded], EX.row, row))
            reading = EX[f"r/{encoded}/{number}"]
            triples.append((reading, RDF.type, EX.Reading))
            triples += [(reading, EX.of, URIRef(iri))] if iri else []
        if found and found[-1][0] == int(at):
            found[-1][1].extend(triples)
        else:
            found.append((int(at), triples))
    return [(at, tuple(triples)) for at, triples in found]


@given(ROWS, st.sampled_from([1, 7, 64, 1 << 20]), st.sampled_from(["\n", "\r\n"]), st.booleans())
@settings(max_examples=cases(15, 400, 2_000), deadline=None)  # the first waits for Arrow
def test_a_table_in_csv_is_read_as_row_by_row_however_it_is_cut(rows, block, newline, quotes_all):
    file = io.StringIO(newline="")
    ends_lines = any("\r" in row[3] for row in rows)  # which Python's writer does not put in quotes
    quoting = csv.QUOTE_ALL if quotes_all or ends_lines else csv.QUOTE_MINIMAL
    csv.writer(file, lineterminator=newline, quoting=quoting).writerows([HEAD, *rows])
    with mock.patch.object(csv_table, "BLOCK", block):
        found = list(read_records(io.BytesIO(file.getvalue().encode()), MAPPING, format="csv"))
    assert [(abox.at, tuple(abox.triples)) for abox in found] == expected(rows)


@given(ROWS)
@settings(max_examples=cases(8, 150, 500), deadline=None)
def test_a_table_in_arrow_and_in_json_is_read_as_row_by_row(rows):
    columns = {name: [row[place] for row in rows] for place, name in enumerate(HEAD)}
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    assert list(read_records(table, MAPPING)) == expected(rows)
    if rows:
        lines = "".join(json.dumps(dict(zip(HEAD, row, strict=True))) + "\n" for row in rows)
        assert list(read_records(io.BytesIO(lines.encode()), MAPPING, format="jsonl")) == expected(rows)


# -- hostile tables --------------------------------------------------------------------------------

PIECES = st.one_of(
    st.binary(max_size=20),
    st.sampled_from([b"at,id,free,text,iri\n", b"7,a,1,x,urn:a\n", b'"', b"\r", b"\n", b",", b"\0", b"\xff"]),
    st.sampled_from(
        [b'{"at": 7, "id": "a"}\n', b'{"at": [', b'{"at": {"at": 1}}\n', b"\x1f\x8b", b"(\xb5/\xfd"]
    ),
)
FILES = st.lists(PIECES, max_size=8).map(b"".join)


@given(FILES, st.sampled_from(["csv", "tsv", "jsonl", "parquet"]), st.sampled_from(["raise", "skip"]))
@settings(max_examples=cases(38, 750, 20_000), deadline=None)
def test_whatever_is_given_as_a_table_is_read_or_refused(content, format, on_error):
    try:
        for abox in read_records(io.BytesIO(content), MAPPING, format=format, on_error=on_error):
            len(list(abox.triples))
    except InputError as error:
        assert str(error)


@given(st.data())
@settings(max_examples=cases(5, 100, 2_000), deadline=None)
def test_a_damaged_parquet_file_is_read_or_refused(data):
    file = io.BytesIO()
    parquet.write_table(pa.table({name: ["7"] * 50 for name in HEAD}), file)
    content = bytearray(file.getvalue())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=4)):
        content[place] = data.draw(st.integers(0, 255))
    try:
        list(read_records(io.BytesIO(bytes(content)), MAPPING, format="parquet", on_error="skip"))
    except InputError as error:
        assert str(error)


KEYS = ("prefixes:", "time:", "mappings:", "melt:", "s:", "po:", "a", "ex:", "$(", "$(x)", "~iri", "&a", "*a")
MARKS = (*"-[]{},:'\"%|#() \n\t", "- ", ": ", "  ", "\n  ", "!!int")
WORDS = st.sampled_from(KEYS + MARKS)


@given(st.lists(st.one_of(WORDS, st.text(max_size=3)), max_size=30).map("".join))
@settings(max_examples=cases(38, 750, 20_000), deadline=None)
def test_whatever_is_given_as_a_mapping_is_read_or_refused(text):
    try:
        read_mapping(f"{text}\n")
    except InputError as error:
        assert str(error)


NODES = st.recursive(
    st.one_of(
        st.text(max_size=6),
        st.sampled_from(["ex:$(a)", "$(a)", "a", "s", "number"]),
        st.none(),
        st.integers(),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["s", "po", "p", "o", "value", "column", "unit", "columns"]), inner, max_size=3
        ),
    ),
    max_leaves=10,
)


PARTS = {
    **dict.fromkeys(["prefixes", "time", "melt", "null", "decimal"], NODES),
    "mappings": st.dictionaries(st.text(max_size=1), NODES, max_size=2),
}


@given(st.fixed_dictionaries({}, optional=PARTS))
@settings(max_examples=cases(38, 750, 20_000), deadline=None)
def test_whatever_is_given_as_a_dictionary_is_read_or_refused(given_mapping):
    try:
        read_mapping({"prefixes": {"ex": str(EX)}, "time": "at", "mappings": {"m": NODES}, **given_mapping})
    except InputError as error:
        assert str(error)


# -- times -----------------------------------------------------------------------------------------

DIGITS = st.text(st.sampled_from("0123456789"), min_size=1, max_size=4)
CLOCKS = st.builds(
    "{}-{:02}-{:02}{}{:02}:{:02}{}{}".format,
    st.integers(1969, 2040),
    st.integers(1, 12),
    st.integers(1, 31),
    st.sampled_from(" T"),
    st.integers(0, 24),
    st.integers(0, 59),
    st.sampled_from(["", ":00", ":59.5", ":07.123456"]),
    st.sampled_from(["", "Z", "+01:00"]),
)
HOWS = st.sampled_from(
    [
        RowTime(TextTemplate(("", ""), ("at",)), zone="Europe/Copenhagen"),
        RowTime(TextTemplate(("", ""), ("at",)), zone="Europe/Copenhagen", ambiguous="later"),
        RowTime(TextTemplate(("", ""), ("at",))),
        RowTime(TextTemplate(("", ""), ("at",)), unit="ms"),
        RowTime(TextTemplate(("", ""), ("at",)), unit="number"),
        RowTime(TextTemplate(("", ""), ("at",)), format="%Y-%m-%d %H:%M:%S", zone="UTC"),
    ]
)


@given(HOWS, st.lists(st.one_of(CLOCKS, DIGITS), min_size=1, max_size=4))
@settings(max_examples=cases(38, 750, 20_000), deadline=None)
def test_times_by_column_are_what_they_are_one_by_one(how, texts):
    cells = column_values(pa.array(texts), frozenset())
    by_column = text_times._by_column(how, cells.values)
    one_by_one = text_times.one_by_one(how, cells.values.to_pylist(), list(range(len(cells.values))))
    if by_column is not None:
        assert (by_column.kind, dict(one_by_one.reasons)) == (one_by_one.kind, {})
        for each in ("earlier", "later"):
            found = (getattr(way.candidates, each) for way in (by_column, one_by_one))
            assert np.array_equal(*found)


@given(st.lists(st.one_of(st.floats(), st.integers(-(2**62), 2**62).map(float)), min_size=1, max_size=4))
@settings(max_examples=cases(8, 150, 2_000), deadline=None)
def test_a_number_is_the_same_number_in_a_literal(numbers):
    how = {
        "prefixes": {"ex": str(EX)},
        "time": {"column": "at", "unit": "number"},
        "mappings": {
            "m": {"s": "ex:a", "po": [["ex:p", "$(x)", "xsd:double"], ["ex:q", "$(x)", "xsd:decimal"]]}
        },
    }
    table = pa.table({"at": range(len(numbers)), "x": numbers})
    if all(map(math.isfinite, numbers)):
        found = [[float(term.value) for *_, term in abox.triples] for abox in read_records(table, how)]
        assert found == [[number, number] for number in numbers]
