"""Errors that executors raise: `await_termination` raises them as themselves, with their fields."""

import pytest

from pantarhei import Limits, Ontology, Window
from pantarhei.errors import (
    BackgroundOnlyError,
    InvalidRowError,
    MalformedInputError,
    MemoryLimitError,
    OptionError,
)
from pantarhei.model.rule import Rule
from pantarhei.spark import reason_stream, register
from spark_streams import NOW, Folder
from strategies import EX, A, B, is_a, x

TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
ONTOLOGY = Ontology.from_rules([Rule("sub", (is_a(A, x),), is_a(B, x))])
GOOD = (1, EX.a.n3(), TYPE, A.n3())
MAPPING = {
    "time": {"column": "at", "unit": "number"},
    "mappings": {"it": {"s": "urn:a", "po": [["urn:p", "$(value)", "xsd:integer"]]}},
}


def error_of(df, kind, **options):
    """The error with which a stream ends."""
    query = reason_stream(df, ONTOLOGY, Window(5), trigger=NOW, **options)
    with pytest.raises(kind) as raised:
        query.await_termination()
    assert type(raised.value) is kind
    return raised.value


def test_a_malformed_file_is_named_with_its_line(spark, tmp_path):
    register(spark)
    (tmp_path / "0001.nq").write_text("<urn:a> <urn:p> <urn:b> <urn:at:1> .\nno quad\n")
    df = spark.readStream.format("pantarhei").option("timestampType", "long").load(str(tmp_path))
    error = error_of(df, MalformedInputError)
    assert (error.source, error.line) == (str(tmp_path / "0001.nq"), 2)


@pytest.mark.long
def test_rows_that_shards_or_mappings_refuse_are_named(spark, tmp_path):
    sharded = {"shard_by": "subject", "shards": 2, "sink": lambda rows, batch: rows.count()}
    folder = Folder(tmp_path / "in")
    folder.write([GOOD, (2, EX.a.n3(), EX.basedIn.n3(), EX.depot.n3())])
    error = error_of(folder.stream(spark), BackgroundOnlyError, streaming=[A], **sharded)
    assert (error.predicate, error.key) == (EX.basedIn.n3(), "subject")
    many = [(2, EX[f"b{number}"].n3(), TYPE, A.n3()) for number in range(20)]
    folder = Folder(tmp_path / "many")
    folder.write([GOOD, *many])
    error = error_of(folder.stream(spark), MemoryLimitError, limits=Limits(max_facts=5), **sharded)
    assert (error.limit, error.most) == ("max_facts", 5)
    wide = Folder(tmp_path / "wide")
    wide.write_text('{"at": 1, "value": "many"}', "json")
    df = wide.stream(spark, "at long, value string")
    error = error_of(df, InvalidRowError, mapping=MAPPING, **sharded)
    assert error.row == ("at=1", "value=many")


@pytest.mark.long
def test_errors_of_the_driver_and_of_typed_columns_are_themselves(spark, tmp_path):
    folder = Folder(tmp_path / "in")
    folder.write([GOOD, (2, "a", TYPE, A.n3())])
    assert error_of(folder.stream(spark), InvalidRowError).column == "subject"
    folder = Folder(tmp_path / "good")
    folder.write([GOOD])
    error = error_of(folder.stream(spark), MemoryLimitError, limits=Limits(max_facts=1))
    assert (error.limit, error.most) == ("max_facts", 1)
    error = error_of(
        folder.stream(spark), OptionError, types={"object": "integer"}, shard_by="subject", shards=1,
        sink=lambda rows, batch: rows.count(),
    )  # fmt: skip
    assert error.option == "types['object']"
