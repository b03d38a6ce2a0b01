"""Answers as NDJSON, CSV and tables."""

from __future__ import annotations

import csv
import io
import json
import pickle
from datetime import UTC, datetime

import pytest
from rdflib import XSD, BNode, Graph, Literal, Namespace, URIRef

from pantarhei.errors import OptionError
from pantarhei.io import open_writer
from pantarhei.io.write import CsvWriter, NdjsonWriter, TableWriter
from pantarhei.query import run_query

EX = Namespace("http://example.org/")
TEN = datetime(2026, 1, 31, 10, tzinfo=UTC)


def written(writer_type, *windows, **options):
    file = io.StringIO()
    with writer_type(file, **options) as writer:
        for at, columns in windows:
            writer.rows(at, columns)
    return file.getvalue()


def speeds(at=1):
    graph = Graph().add((EX.belt, EX.speed, Literal("0.50", datatype=XSD.decimal)))
    return at, run_query(graph, f"SELECT ?x ?v {{ ?x <{EX.speed}> ?v }}")


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (EX.belt, "http://example.org/belt"),
        (BNode("b"), "_:b"),
        (Literal("01", datatype=XSD.integer, normalize=False), 1),
        (Literal("0.50", datatype=XSD.decimal, normalize=False), 0.5),
        (Literal(True), True),
        (Literal("INF", datatype=XSD.double, normalize=False), "INF"),
        (Literal("NaN", datatype=XSD.double, normalize=False), "NaN"),
        (Literal("é", lang="fr"), "é"),
        (Literal("2026-01-31T10:00:00Z", datatype=XSD.dateTime), "2026-01-31T10:00:00+00:00"),
        (Literal(2**70), 2**70),
        (None, None),
        (7, 7),
        ("plain", "plain"),
    ],
)
def test_ndjson_has_plain_values(cell, value):
    row = json.loads(written(NdjsonWriter, (1, {"x": [cell]})))
    assert row == {"at": 1, "x": value}


def test_the_text_of_an_ndjson_row_is_one_line():
    text = written(NdjsonWriter, (TEN, {"x": [Literal("a\nb"), Literal("c")]}))
    assert [json.loads(line) for line in text.splitlines()] == [
        {"at": "2026-01-31T10:00:00Z", "x": "a\nb"},
        {"at": "2026-01-31T10:00:00Z", "x": "c"},
    ]


def test_csv_has_one_header_and_quotes_what_needs_it():
    text = written(
        CsvWriter, (1, {"x": [], "y": []}), (2, {"x": [EX.a, None], "y": [Literal('a,"b"\n'), BNode("b")]})
    )
    assert list(csv.reader(io.StringIO(text))) == [
        ["at", "x", "y"],
        ["2", str(EX.a), 'a,"b"\n'],
        ["2", "", "_:b"],
    ]


def test_a_variable_called_at_is_not_overwritten():
    assert json.loads(written(NdjsonWriter, (1, {"at": [Literal(9)]}))) == {"window_at": 1, "at": 9}
    assert written(CsvWriter, (1, {"at": [Literal(9)]})) == "window_at,at\n1,9\n"


def test_a_table_shortens_iris_and_says_when_there_is_nothing():
    prefixes = {"ex": str(EX), "": str(EX.room), "none": ""}
    columns = {"x": [EX.belt, URIRef(EX.room + "1"), URIRef("urn:other"), Literal("[bold]"), None]}
    text = written(TableWriter, (TEN, columns), (7, {"x": []}), prefixes=prefixes)
    for expected in ("2026-01-31T10:00:00Z", "ex:belt", " :1 ", "<urn:other>", "[bold]", "7  no answers"):
        assert expected in text


def test_a_table_that_is_no_terminal_is_not_cut():
    name = EX["x" * 300]
    assert str(name) in written(TableWriter, (1, {"x": [name], "y": [name]}))


@pytest.mark.parametrize(
    ("name", "start"), [("a.ndjson", "{"), ("a.jsonl", "{"), ("a.csv", "at,"), ("a.CSV", "at,")]
)
def test_the_suffix_tells_the_format(tmp_path, name, start):
    with open_writer(str(tmp_path / name)) as writer:
        writer.write(*speeds())
        assert (tmp_path / name).read_text().startswith(start)  # flushed with each window


def test_the_format_goes_before_the_suffix(tmp_path):
    path = tmp_path / "a.csv"
    with open_writer(str(path), "ndjson") as writer:
        writer.write(*speeds())
    assert json.loads(path.read_text()) == {"at": 1, "x": str(EX.belt), "v": 0.5}


def test_standard_output_gets_a_table_and_is_not_closed(capsys):
    for target in (None, "-"):
        with open_writer(target) as writer:
            writer.write(*speeds())
    print("open")
    assert capsys.readouterr().out.count("http://example.org/belt") == 2


@pytest.mark.parametrize(
    ("target", "format"), [("a.xlsx", None), ("a", None), (None, "xml"), ("a.csv", "xml")]
)
def test_a_format_that_is_none_is_refused_before_a_file_is_made(tmp_path, target, format):
    with pytest.raises(OptionError, match="ndjson") as caught:
        open_writer(target and str(tmp_path / target), format)
    assert list(tmp_path.iterdir()) == []
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_ask_and_construct_can_be_written():
    file = io.StringIO()
    graph = Graph().add((EX.a, EX.b, EX.c))
    with NdjsonWriter(file) as writer:
        writer.write(1, run_query(graph, "ASK { ?s ?p ?o }"))
        writer.write(2, run_query(graph, "CONSTRUCT WHERE { ?s ?p ?o }"))
    assert [json.loads(line) for line in file.getvalue().splitlines()] == [
        {"at": 1, "answer": True},
        {"at": 2, "subject": str(EX.a), "predicate": str(EX.b), "object": str(EX.c)},
    ]
