"""What a stream hands out, batch by batch, without Spark."""

import json
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.errors import OptionError, QueryError
from pantarhei.language.rule import Rule
from pantarhei.language.time import TimeKind
from pantarhei.spark.results import Collector, FileOutput, Results
from strategies import EX, A, B, C, is_a, member, x

RULES = [Rule("sub", (is_a(A, x),), is_a(B, x)), Rule("disjoint", (is_a(B, x), is_a(C, x)), None)]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def reasoner_of(range=5):
    return StreamReasoner(Ontology.from_rules(RULES), Window(range))


def test_changes_are_rows_of_what_went_and_came_with_batch_time_and_window():
    reasoner = reasoner_of()
    collector = Collector(TimeKind.INTEGER, reasoner, None)
    collector.begin(7)
    collector.note(reasoner.push(3, [member(A, EX.a)]))
    collector.note(reasoner.push(4, [member(C, EX.a)]))
    rows = [tuple(row.values()) for row in collector.table().to_pylist()]
    assert [(*row[:4], row[6].rpartition("/")[2], row[7]) for row in rows] == [
        (7, 3, -2, 3, "A>", 1),
        (7, 3, -2, 3, "B>", 1),
        (7, 4, -1, 4, "A>", -1),
        (7, 4, -1, 4, "B>", -1),
        (7, 4, -1, 4, "C>", 1),
    ]
    collector.begin(8)
    assert not len(collector.table()) and collector.table().schema == collector.schema


@pytest.mark.parametrize(
    ("query", "columns", "rows"),
    [
        ("SELECT ?x ?y { ?x a ex:B OPTIONAL { ?x ex:no ?y } }", ["x", "y"], [(EX.a.n3(), None)]),
        ("ASK { ?x a ex:C }", ["answer"], [('"false"^^<http://www.w3.org/2001/XMLSchema#boolean>',)]),
        (
            "CONSTRUCT { ?x ex:is 'b\\n' } { ?x a ex:B }",
            ["subject", "predicate", "object"],
            [(EX.a.n3(), EX["is"].n3(), '"b\\n"')],
        ),
        ("SELECT ?x { ?x a ex:C }", ["x"], []),
    ],
)
def test_answers_are_rows_with_a_column_a_variable(query, columns, rows):
    reasoner = reasoner_of("PT1H")
    collector = Collector(TimeKind.DATETIME, reasoner, f"PREFIX ex: <{EX}> {query}")
    collector.begin(0)
    collector.note(reasoner.push(NOON, [member(A, EX.a)]))
    assert collector.table().column_names == ["batch", "at", "start", "end", *columns]
    assert [tuple(row.values())[4:] for row in collector.table().to_pylist()] == rows
    assert all(row["at"] == NOON for row in collector.table().to_pylist())


def test_queries_that_cannot_be_answered_are_refused_at_once():
    with pytest.raises(OptionError, match=r"query=\?at, \?batch is not possible: .* other variables"):
        Collector(TimeKind.INTEGER, reasoner_of(), "SELECT ?at ?x ?batch { ?x ?at ?batch }")
    with pytest.raises(QueryError):
        Collector(TimeKind.INTEGER, reasoner_of(), "SELECT ?x {")


TABLE = pa.table({"batch": pa.array([1, 1]), "at": [NOON, NOON], "text": ['"a, b\\n"', None]})


@pytest.mark.parametrize(
    ("format", "read"),
    [
        ("parquet", lambda path: pyarrow.parquet.read_table(path).to_pylist()),
        ("csv", lambda path: pyarrow.csv.read_csv(path).to_pylist()),
        ("ndjson", lambda path: [json.loads(line) for line in path.read_text().splitlines()]),
    ],
)
def test_a_batchs_file_is_written_anew_when_the_batch_comes_again(tmp_path, format, read):
    files = FileOutput(tmp_path / "out" / "put", format)
    path = tmp_path / "out" / "put" / f"batch-0000000012.{format}"
    for table in (TABLE.slice(0, 1), TABLE):
        files.write(table, 12)
        found = read(path)
        assert [(row["batch"], row["text"] or None) for row in found] == [
            (row["batch"], row["text"]) for row in table.to_pylist()
        ]
        assert {datetime.fromisoformat(str(row["at"])) for row in found} == {NOON}
    files.write(TABLE.slice(0, 0), 12)
    assert not list(path.parent.iterdir())


def test_folders_and_formats_that_cannot_be_are_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match=r"output=.* a folder, or one that can be made"):
        FileOutput(tmp_path / "file", "csv")
    with pytest.raises(OptionError, match=r"output_format='xml' .* 'parquet' or 'ndjson' or 'csv'"):
        FileOutput(tmp_path / "out", "xml")


def test_without_files_and_sink_nothing_is_collected():
    reasoner = reasoner_of()
    collector = Collector(TimeKind.INTEGER, reasoner, None)
    results = Results(collector, None, None)
    results.begin(0)
    results.note(reasoner.push(3, [member(A, EX.a)]))
    results.deliver(None)
    assert not len(collector.table())
