"""Messages as Spark's Kafka connector gives them, by the function of docs/spark.md. No Kafka takes part."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import functions as f

import pantarhei as pr
from pantarhei.spark import reason_stream, run
from test_docs import ROOT, blocks

SHAPE = (
    "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp, "
    "timestampType int"
)
PLAIN = "value string, topic string, partition int, offset bigint, timestamp string"
PEDALS = "http://example.org/pedals#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


@pytest.fixture(scope="module")
def assertions():
    (code,) = [code for _, code in blocks(ROOT / "docs" / "spark.md") if "def assertions(" in code]
    namespace = {"f": f}
    exec(code, namespace)
    return namespace["assertions"]


@pytest.fixture(scope="module")
def pedals():
    return pr.load_ontology(ROOT / "ontologies" / "pedals.ttl")


def value(at, state):
    return json.dumps(
        {"timestamp": at, "subject": f"<{PEDALS}x>", "predicate": TYPE, "object": f"<{PEDALS}{state}>"}
    )


def message(offset, text):
    """A message in the types of `PLAIN`, which JSON can hold."""
    broker_time = "2026-03-02T06:00:00Z"
    return {"value": text, "topic": "readings", "partition": 0, "offset": offset, "timestamp": broker_time}


MESSAGES = [
    value(2, "GasPedalPressed"),
    value(1, "GasPedalPressed"),
    value(3, "BrakesPressed"),
    "{not JSON",
    None,  # Kafka's tombstone
]


def in_kafkas_shape(frame):
    """The values of `message` as the connector has them, binary, with the broker's columns."""
    whole = frame.withColumn("key", f.lit(None)).withColumn("timestampType", f.lit(0))
    columns = (column.split() for column in SHAPE.split(", "))
    return whole.selectExpr(*(f"cast({name} as {type_}) as {name}" for name, type_ in columns))


def test_a_topic_as_it_is_now_is_run_in_the_times_of_its_messages(spark, pedals, assertions):
    rows = [message(offset, text) for offset, text in enumerate(MESSAGES)]
    frame = in_kafkas_shape(spark.createDataFrame(rows, PLAIN))
    assert frame.schema.simpleString() == spark.createDataFrame([], SHAPE).schema.simpleString()
    reasoner, skipped = pr.StreamReasoner(pedals, pr.Window(range=2)), []
    updates = run(reasoner, assertions(frame), on_error="skip", on_skipped=skipped.append)
    assert [(update.at, len(update.repair.removed)) for update in updates] == [(1, 0), (2, 0), (3, 2)]
    assert [each.count for each in skipped] == [2]
    with pytest.raises(pr.InvalidRowError, match="timestamp=null"):
        list(run(pr.StreamReasoner(pedals, pr.Window(range=2)), assertions(frame)))


def test_a_topic_is_followed(spark, pedals, assertions, tmp_path):
    for offset, text in enumerate(MESSAGES):
        (tmp_path / f"{offset // 3}.json").open("a").write(json.dumps(message(offset, text)) + "\n")
    messages = in_kafkas_shape(spark.readStream.schema(PLAIN).json(str(tmp_path)))
    letters = []
    query = reason_stream(
        assertions(messages), pedals, pr.Window(range=2), on_error="skip", trigger={"availableNow": True},
        dead_letters=lambda rows, _: letters.extend(rows.collect()), carry=["topic", "partition", "offset"],
    )  # fmt: skip
    query.await_termination()
    assert [row[-3:] for row in sorted(letters, key=lambda row: row.offset)] == [
        ("readings", 0, 3),
        ("readings", 0, 4),
    ]
    assert (query.counts.aboxes, query.counts.assertions, query.counts.skipped) == (3, 3, 2)
    assert query.reasoner.timestamps == (1, 2, 3)
