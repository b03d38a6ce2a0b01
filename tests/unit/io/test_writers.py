"""Answers as NDJSON, CSV and tables."""

from __future__ import annotations

import csv
import io
import json
import logging
import os
import pickle
from datetime import UTC, datetime, timedelta

import pytest
from pyarrow import parquet
from rdflib import RDF, XSD, BNode, Graph, Literal, Namespace, URIRef

import pantarhei as pr
from pantarhei import History, NDJSONSink, ParquetSink
from pantarhei.errors import OptionError
from pantarhei.io import open_writer
from pantarhei.io.writers import CsvWriter, NdjsonWriter, TableWriter, TsvWriter
from pantarhei.query import run_query
from strategies import EX as StrategiesEX

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


def test_tsv_has_the_terms_of_sparql_below_one_header(tmp_path):
    path = tmp_path / "a.tsv"
    labels = [Literal("two\tcells", lang="en"), None]
    for append in (False, True):
        with open_writer(str(path), append=append) as writer:
            writer.report(7, {"x": [EX.belt, BNode("b")], "label": labels})
            assert path.read_text().count("\n") == (6 if append else 3)  # flushed with each window
            writer.report(8, {"x": [], "label": []})
    header, *lines = path.read_text().splitlines()
    assert header == "?at\t?x\t?label"
    seven, eight = (f'"{n}"^^<{XSD.integer}>' for n in (7, 8))
    rows = [f'{seven}\t<{EX.belt}>\t"two\\tcells"@en', f"{seven}\t_:b\t", f"{eight}\t\t"]
    assert lines == rows * 2


def test_tsv_at_a_time_with_a_zone_has_a_literal_of_xsd():
    assert (
        written(TsvWriter, (TEN, {"n": [1]}))
        .splitlines()[1]
        .startswith(f'"2026-01-31T10:00:00+00:00"^^<{XSD.dateTime}>\t')
    )


def test_tsv_is_not_appended_to_other_columns(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("?at\t?other\n")
    with pytest.raises(OptionError, match=r"\?at,\?x"), open_writer(str(path), append=True) as writer:
        writer.report(7, {"x": [EX.belt]})


def test_parquet_has_the_columns_of_all_windows_once_it_is_closed(tmp_path):
    path = tmp_path / "a.parquet"
    with open_writer(str(path)) as writer:
        for at, speed in ((TEN, 0.5), (TEN + timedelta(hours=1), 2)):
            writer.report(at, {"x": [EX.belt], "v": [Literal(speed)]})
        writer.report(TEN + timedelta(hours=2), {"x": [], "v": []})
        assert not path.exists()
    times = [TEN + timedelta(hours=n) for n in range(3)]
    belt = str(EX.belt)
    assert parquet.read_table(path).to_pydict() == {
        "at": times,
        "x": [belt, belt, None],
        "v": [0.5, 2.0, None],
    }
    assert parquet.read_schema(path).field("x").metadata == {b"terms": b"name"}


@pytest.mark.parametrize(("error", "is_written"), [(ValueError, False), (KeyboardInterrupt, True)])
def test_parquet_is_written_after_an_interrupt_and_not_after_an_error(tmp_path, error, is_written):
    path = tmp_path / "a.parquet"
    with pytest.raises(error), open_writer(str(path)) as writer:
        writer.write(*speeds())
        raise error
    assert path.exists() is is_written


def test_parquet_needs_a_file_of_its_own(tmp_path):
    for target in (None, "-"):
        with pytest.raises(OptionError, match="output=FILE"):
            open_writer(target, "parquet")
    with pytest.raises(OptionError, match="written as a whole"):
        open_writer(str(tmp_path / "a.parquet"), append=True)
    assert list(tmp_path.iterdir()) == []


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


ONTOLOGY = pr.load_ontology(
    Graph().parse(
        data="@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
        ":Open owl:disjointWith :Closed ."
    )
)


def valve(state, name="v"):
    return StrategiesEX[name], RDF.type, StrategiesEX[state]


def followed(sink, time=int, steps=0):
    reasoner = pr.StreamReasoner(
        ONTOLOGY,
        pr.Window(time(2) if time is int else timedelta(minutes=2)),
        history=History(steps, sink=sink),
    )
    reasoner.push(time(1), [valve("Open"), valve("Open", "other")])
    reasoner.push(time(2), [valve("Closed")])
    reasoner.push(time(9), [])
    return reasoner


def minutes(number):
    return datetime(2026, 3, 1, 10, number, tzinfo=UTC)


def test_a_line_says_what_became_of_an_assertion(tmp_path):
    path = tmp_path / "history.ndjson"
    followed(NDJSONSink(path))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["timestamp"], line["fate"], line["at"]) for line in lines] == [
        (1, "cut", 2), (1, "left", 9), (2, "left", 9)
    ]  # fmt: skip
    (conflict,) = lines[0]["conflicts"]
    assert conflict["constraints"] == ["DisjointClasses(Open Closed)"]
    terms = {"subject": StrategiesEX.v.n3(), "predicate": RDF.type.n3(), "object": StrategiesEX.Closed.n3()}
    assert conflict["against"] == [{"timestamp": 2, **terms}]
    assert lines[1]["subject"] == StrategiesEX.other.n3() and not lines[1]["conflicts"]


def test_parquet_has_the_same(tmp_path):
    followed(ParquetSink(tmp_path / "history", batch=1), minutes)
    (path,) = (tmp_path / "history").iterdir()
    table = parquet.read_table(path)
    assert table.column("at").to_pylist() == [minutes(2), minutes(9), minutes(9)]
    assert table.column("conflicts").to_pylist()[0][0]["against"][0]["timestamp"] == minutes(2)


def test_a_sink_that_takes_many_at_once_is_given_many_at_once(tmp_path):
    reasoner = followed(ParquetSink(tmp_path, batch=4))
    assert not list(tmp_path.iterdir())
    reasoner.push(20, [valve("Open")])
    reasoner.push(30, [])
    assert [len(parquet.read_table(path)) for path in tmp_path.iterdir()] == [4]
    reasoner.push(31, [valve("Open")])
    reasoner.flush_history()
    reasoner.push(50, [])
    reasoner.flush_history()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "history-000001.parquet", "history-000002.parquet"
    ]  # fmt: skip


def test_a_sink_that_fails_is_offered_it_again(caplog):
    taken, fails = [], [True]

    def sink(records):
        if fails[0]:
            raise OSError("full")
        taken.extend(records)

    with caplog.at_level(logging.WARNING, "pantarhei.history"):
        reasoner = followed(sink)
    assert "failed: OSError('full')" in caplog.text and reasoner.timestamps == (9,)
    fails[0] = False
    restored = pr.StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY, history=History(0, sink=sink))
    for each in (reasoner, restored):
        each.push(10, [])
        assert [(one.timestamp, one.fate) for one in taken] == [(1, "cut"), (1, "left"), (2, "left")]
        assert not each._held.history.past and each.stats().unwritten == 0
        taken.clear()


def test_what_cannot_be_kept_for_it_is_counted():
    def sink(records):
        raise OSError

    reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(1), history=History(0, max_bytes=5_000, sink=sink))
    for at in range(30):
        reasoner.push(at, [valve("Open", f"v{at}")])
    waiting = sum(len(departure.entries) for departure in reasoner._held.history.past.due)
    assert (waiting > 2, waiting + reasoner.stats().unwritten) == (True, 28)


def test_nothing_is_written_of_a_block_that_is_undone():
    taken = []
    reasoner = followed(taken.extend)
    taken.clear()
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
        reasoner.push(20, [valve("Open")])
        reasoner.push(30, [])
        raise ZeroDivisionError
    assert not taken
    with reasoner.all_or_nothing():
        reasoner.push(20, [valve("Open")])
        reasoner.push(30, [])
        assert not taken
    assert [one.timestamp for one in taken] == [20]


def test_half_a_write_is_taken_back(tmp_path, monkeypatch):
    sink = NDJSONSink(tmp_path / "history.ndjson")
    reasoner = followed(sink)
    before = sink.path.read_bytes()
    monkeypatch.setattr(os, "truncate", truncated := Truncating(os.truncate))
    monkeypatch.setattr(json, "dumps", lambda *args, **options: "\ud800")  # no text that can be written
    reasoner.push(20, [valve("Open")])
    reasoner.push(30, [])
    assert sink.path.read_bytes() == before and truncated.called


class Truncating:
    def __init__(self, truncate):
        self.truncate, self.called = truncate, False

    def __call__(self, *args):
        self.called = True
        return self.truncate(*args)


def test_sinks_pickle(tmp_path):
    for sink in (NDJSONSink(tmp_path / "a"), ParquetSink(tmp_path)):
        assert repr(pickle.loads(pickle.dumps(History(sink=sink)))) == repr(History(sink=sink))


def test_there_is_nothing_to_flush_without_a_sink():
    with pytest.raises(pr.OptionError, match="Pass it: history=History"):
        pr.StreamReasoner(ONTOLOGY, pr.Window(1)).flush_history()
