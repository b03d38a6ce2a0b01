"""What leaves the history is written once, in order, and kept where it cannot be."""

import json
import logging
import os
import pickle
from datetime import UTC, datetime, timedelta

import pytest
from pyarrow import parquet
from rdflib import RDF, Graph

import pantarhei as pr
from pantarhei import History, NDJSONSink, ParquetSink
from strategies import EX

ONTOLOGY = pr.load_ontology(
    Graph().parse(
        data="@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
        ":Open owl:disjointWith :Closed ."
    )
)


def valve(state, name="v"):
    return EX[name], RDF.type, EX[state]


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
    terms = {"subject": EX.v.n3(), "predicate": RDF.type.n3(), "object": EX.Closed.n3()}
    assert conflict["against"] == [{"timestamp": 2, **terms}]
    assert lines[1]["subject"] == EX.other.n3() and not lines[1]["conflicts"]


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
        assert not each._held.books.past and each.stats().unwritten == 0
        taken.clear()


def test_what_cannot_be_kept_for_it_is_counted():
    def sink(records):
        raise OSError

    reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(1), history=History(0, max_bytes=5_000, sink=sink))
    for at in range(30):
        reasoner.push(at, [valve("Open", f"v{at}")])
    waiting = sum(len(departure.entries) for departure in reasoner._held.books.past.due)
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
    with pytest.raises(pr.OptionError, match="one with a sink"):
        pr.StreamReasoner(ONTOLOGY, pr.Window(1)).flush_history()
