"""The updates of a DataFrame that does not stream, and the files of its results, without Spark."""

import pyarrow.parquet
import pytest

from pantarhei import LateABoxError, Ontology, StreamReasoner, Window
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.rule import Rule
from pantarhei.model.time import TimeKind
from pantarhei.spark import streaming
from pantarhei.spark.collectors import FactChanges
from pantarhei.spark.file_system import LocalFolder
from pantarhei.spark.results import STREAM, FileOutput, Outlet, Results
from pantarhei.spark.streaming import pushed
from pantarhei.spark.worker import TimedInterpretation
from strategies import EX, A, B, is_a, member, x

RULES = [Rule("sub", (is_a(A, x),), is_a(B, x))]


def updates_of(folder, *times):
    """Updates of one fact each, from which another follows; results are written to the folder."""
    reasoner = StreamReasoner(Ontology.from_rules(RULES), Window(100))
    worker = ABoxMaterializer(reasoner.foundation)
    blocks = [TimedInterpretation(at, at, worker.materialize([member(A, EX[f"at{at}"])])) for at in times]
    results = Results(
        {STREAM: FactChanges(TimeKind.INTEGER)},
        {STREAM: Outlet(FileOutput(LocalFolder(folder), "parquet"), None)},
    )
    results.begin(0)
    return pushed(reasoner, blocks, results, None)


def written(folder):
    """The times of the rows, file by file."""
    return [pyarrow.parquet.read_table(path).column("at").to_pylist() for path in sorted(folder.iterdir())]


def test_all_rows_are_written_once_whoever_takes_all_updates(tmp_path, monkeypatch):
    assert [update.at for update in updates_of(tmp_path / "one", 3, 4, 5)] == [3, 4, 5]
    assert written(tmp_path / "one") == [[3, 3, 4, 4, 5, 5]]
    monkeypatch.setattr(streaming, "ROWS_A_FILE", 4)
    assert len(list(updates_of(tmp_path / "two", 3, 4, 5))) == 3
    assert written(tmp_path / "two") == [[3, 3, 4, 4], [5, 5]]


def test_what_was_collected_is_written_where_the_taker_stops(tmp_path):
    updates = updates_of(tmp_path, 3, 4, 5)
    assert [next(updates).at, next(updates).at] == [3, 4]
    updates.close()
    assert written(tmp_path) == [[3, 3, 4, 4]]


def test_what_was_collected_is_written_where_an_update_fails(tmp_path):
    updates = updates_of(tmp_path, 3, 4, 2)
    with pytest.raises(LateABoxError):
        list(updates)
    assert written(tmp_path) == [[3, 3, 4, 4]]
