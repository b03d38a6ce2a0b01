"""Who gets what comes out of a stream, without Spark."""

import json
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from rdflib import XSD, BNode, Literal, URIRef

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.errors import OptionError
from pantarhei.model.rule import Rule
from pantarhei.model.time import TimeKind
from pantarhei.rdf.ntriples import write_term
from pantarhei.spark.collectors import FactChanges
from pantarhei.spark.file_system import LocalFolder
from pantarhei.spark.results import STREAM, ColumnTypes, FileOutput, Outlet, Results, outlets
from strategies import EX, A, B, is_a, member, x

RULES = [Rule("sub", (is_a(A, x),), is_a(B, x))]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def reasoner_of(range=5):
    return StreamReasoner(Ontology.from_rules(RULES), Window(range))


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
    files = FileOutput(LocalFolder(tmp_path / "out" / "put"), format)
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


def test_numbers_that_are_not_finite_are_null_in_json(tmp_path):
    numbers = [float("nan"), float("inf"), -float("inf"), None, 1.5]
    FileOutput(LocalFolder(tmp_path), "ndjson").write(pa.table({"level": numbers}), 0)
    lines = (tmp_path / "batch-0000000000.ndjson").read_text().splitlines()
    found = [json.loads(line, parse_constant=pytest.fail)["level"] for line in lines]
    assert found == [None, None, None, None, 1.5]


def test_folders_and_formats_that_cannot_be_are_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match=r"output=.* a folder, or a path where one can be created"):
        FileOutput(LocalFolder(tmp_path / "file"), "csv")
    with pytest.raises(OptionError, match=r"output_format='xml' .* 'parquet' or 'ndjson' or 'csv'"):
        FileOutput(LocalFolder(tmp_path / "out"), "xml")


def test_without_files_and_sink_nothing_is_collected():
    reasoner = reasoner_of()
    collector = FactChanges(TimeKind.INTEGER)
    results = Results({STREAM: collector}, outlets((), None, None, "csv"))
    results.begin(0)
    results.note(reasoner.push(3, [member(A, EX.a)]))
    results.deliver(None)
    assert not len(collector.table())


def test_each_query_has_a_folder_and_a_function_of_its_own(tmp_path):
    found = outlets(("hot", "rooms"), {"hot": print}, LocalFolder(tmp_path), "csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hot", "rooms"]
    assert [(name, each.sink) for name, each in found.items()] == [("hot", print), ("rooms", None)]
    assert outlets(("hot",), print, None, "csv") == {"hot": Outlet(None, print)}
    assert outlets((), print, None, "csv") == {STREAM: Outlet(None, print)}


@pytest.mark.parametrize(
    ("names", "sink", "said"),
    [
        (("hot", "rooms"), print, "a mapping of names in queries"),
        (("hot", "rooms"), {"cold": print}, r"names in queries \(hot, rooms\)"),
        (("hot",), {"hot": 1}, "to functions of a DataFrame"),
        (("hot",), 1, "to functions of a DataFrame"),
        ((), {"hot": print}, "a function of a DataFrame"),
    ],
)
def test_functions_for_other_queries_are_refused(names, sink, said):
    with pytest.raises(OptionError, match=said):
        outlets(names, sink, None, "csv")


TERMS = {
    "name": [URIRef("urn:a"), BNode("b"), None],
    "string": [Literal("x"), None, Literal("x", datatype=XSD.string)],
    "integer": [Literal("07", datatype=XSD.integer, normalize=False), None, Literal(7)],
    "number": [Literal(7), Literal("0.50", datatype=XSD.decimal), Literal(2.5)],
    "boolean": [Literal(True), Literal("0", datatype=XSD.boolean), None],
    "time": [Literal("2026-03-02T08:00:00+01:00", datatype=XSD.dateTime), None, None],
    "n-triples": [Literal("x", lang="en"), URIRef("urn:a"), None],
}
TABLE_OF_TYPED_COLUMNS = pa.table(
    {
        "batch": [0, 0, 1],
        **{
            kind: [None if term is None else write_term(term) for term in terms]
            for kind, terms in TERMS.items()
        },
    }
)


def test_columns_have_values_of_their_types():
    types = ColumnTypes.of({kind: kind for kind in TERMS})
    typed = types.typed(TABLE_OF_TYPED_COLUMNS)
    assert typed.schema == types.schema(TABLE_OF_TYPED_COLUMNS.schema)
    assert typed.to_pydict() == {
        "batch": [0, 0, 1],
        "name": ["urn:a", "_:b", None],
        "string": ["x", None, "x"],
        "integer": [7, None, 7],
        "number": [7.0, 0.5, 2.5],
        "boolean": [True, False, None],
        "time": [datetime(2026, 3, 2, 7, tzinfo=UTC), None, None],
        "n-triples": ['"x"@en', "<urn:a>", None],
    }


def test_a_table_without_rows_has_the_same_types():
    types = ColumnTypes.of({kind: kind for kind in TERMS})
    empty = TABLE_OF_TYPED_COLUMNS.slice(0, 0)
    assert types.typed(empty).schema == types.typed(TABLE_OF_TYPED_COLUMNS).schema


def test_columns_that_are_not_named_stay_as_they_are():
    assert ColumnTypes.of(None).typed(TABLE_OF_TYPED_COLUMNS) is TABLE_OF_TYPED_COLUMNS
    assert (
        ColumnTypes.of({"number": "n-triples"}).typed(TABLE_OF_TYPED_COLUMNS).equals(TABLE_OF_TYPED_COLUMNS)
    )


@pytest.mark.parametrize(
    ("column", "kind", "said"),
    [
        (
            "number",
            "integer",
            r"types\['number'\]=integer is .*expected number or n-triples, to which the answer \"0.50\"",
        ),
        (
            "name",
            "string",
            r"string is .*expected name or n-triples, to which the answer <urn:a> can be converted",
        ),
        ("n-triples", "string", r"string is .*expected n-triples, to which the answer \"x\"@en can"),
    ],
)
def test_a_term_of_another_kind_is_refused_by_name(column, kind, said):
    with pytest.raises(OptionError, match=said):
        ColumnTypes.of({column: kind}).typed(TABLE_OF_TYPED_COLUMNS)


@pytest.mark.parametrize(
    ("text", "datatype", "kind"),
    [
        ("9999-12-31T23:59:59-05:00", XSD.dateTime, "time"),
        ("0001-01-01T00:00:00+05:00", XSD.dateTime, "time"),
        ("1" * 400, XSD.decimal, "number"),
        ("9" * 19, XSD.integer, "integer"),
    ],
)
def test_terms_that_the_type_of_the_column_cannot_hold_are_refused_by_name(text, datatype, kind):
    term = write_term(Literal(text, datatype=datatype, normalize=False))
    text = (
        rf"types\['it'\]={kind} is .*expected n-triples, to which the answer \"{text[:9]}.* can be converted"
    )
    with pytest.raises(OptionError, match=text):
        ColumnTypes.of({"it": kind}).typed(pa.table({"it": [term]}))


def test_types_that_are_none_and_columns_that_are_not_there_are_refused():
    for given in ({"x": "double"}, {"x": ["integer"]}, ["x"], "x"):
        with pytest.raises(
            OptionError, match=r"types=.*a mapping of columns to name, string, integer, number"
        ):
            ColumnTypes.of(given)
    with pytest.raises(OptionError, match=r"types=levl .*only columns of terms \(level, at_\)"):
        ColumnTypes.of({"levl": "number"}).check(["level", "at_"])
