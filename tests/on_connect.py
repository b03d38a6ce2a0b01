"""Results on a session of any kind, and the program that computes them on a new session of Spark Connect.

    python tests/on_connect.py RESULTS.json

The session has a server and a Java of its own, which end with the program.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from pyspark.sql import Observation, SparkSession

import pantarhei as pr
from pantarhei.errors import PantarheiError
from pantarhei.spark import materialize as materialize_module
from pantarhei.spark import (
    materialize_aboxes,
    melt,
    reason_stream,
    register,
    run,
    session,
    shard_stream,
    typed,
)
from pantarhei.spark.sessions import EVERYWHERE

EXAMPLES = Path(__file__).parents[1] / "examples"
PEDALS = pr.load_ontology(EXAMPLES.parent / "ontologies" / "pedals.ttl")
MAPPING = {
    "prefixes": {"ex": "http://example.org/"},
    "time": {"column": "at", "unit": "number"},
    "mappings": {"garage": {"s": "ex:$(id)", "po": [["ex:free", "$(free)"]]}},
}


def rows_of(frame):
    """Rows of a DataFrame as sorted texts."""
    return sorted(str(tuple(row)) for row in frame.collect())


def results(spark):
    """Results of the functions that run on sessions of every kind, as JSON."""
    register(spark)
    register(spark)
    pedals = spark.read.format("pantarhei").load(str(EXAMPLES / "pedals" / "stream.trig"))
    invalid = spark.createDataFrame([(9, "no term", "<urn:p>", "<urn:o>")], pedals.schema)
    counted, melted = Observation(), Observation("melted")
    models = materialize_aboxes(
        pedals.union(invalid), PEDALS, on_error="skip", conflicts=True, observation=counted
    )
    table = spark.createDataFrame([(7, "north", 12), (8, "south", None)], "at long, id string, free long")
    found = {"models": rows_of(models), "counts": counted.get}
    found["triples"] = rows_of(typed(melt(table, MAPPING, observation=melted), {"object": "integer"}))
    found["melted"] = melted.get
    with tempfile.TemporaryDirectory() as folder:
        reasoner = pr.StreamReasoner(PEDALS, pr.Window(range=2))
        skipped = []
        updates = run(
            reasoner,
            pedals.union(invalid),
            on_error="skip",
            on_skipped=skipped.append,
            output=f"{folder}/out",
        )
        found["updates"] = [str(update) for update in updates]
        found["skipped"] = [each.count for each in skipped]
        found["written"] = rows_of(spark.read.parquet(f"{folder}/out"))
    for name, frame in (("times", pedals.withColumnRenamed("timestamp", "at")), ("rows", invalid)):
        found[name] = error(lambda frame=frame: list(run(pr.StreamReasoner(PEDALS, pr.Window(2)), frame)))
    return found


def changes(spark):
    """Changes of a sharded stream, collected by a sink of Spark."""
    register(spark)
    stream = spark.readStream.format("pantarhei").load(str(EXAMPLES / "pedals"))
    with tempfile.TemporaryDirectory() as folder:
        writer = shard_stream(stream, PEDALS, pr.Window(range=2)).writeStream.format("parquet")
        query = writer.option("checkpointLocation", f"{folder}/checkpoint").trigger(availableNow=True)
        assert query.start(f"{folder}/changes").awaitTermination(120)
        return rows_of(spark.read.parquet(f"{folder}/changes").drop("shard"))


def error(function):
    """Class and text of the error of this package that a function raises."""
    try:
        return f"no error: {function()}"
    except PantarheiError as raised:
        return f"{type(raised).__name__}: {raised}"


def refusals(spark):
    """Errors of what needs a driver in this process."""
    stream = spark.readStream.format("rate").load()
    columns = {"timestamp": "value"} | dict.fromkeys(("subject", "predicate", "object"), "value")
    return {
        "stream": error(lambda: reason_stream(stream, PEDALS, pr.Window(range=2), columns=columns)),
        "sharded": error(lambda: reason_stream(stream, PEDALS, pr.Window(range=2), shard_by="subject")),
        "master": error(lambda: session("local[7]")),
        "conf": error(lambda: session(conf={"spark.sql.shuffle.partitions": "71"})),
    }


def main(path):
    os.environ["PYSPARK_PYTHON"] = sys.executable  # of the server, which imports this package
    refused = error(lambda: session(conf={"spark.remote": "local[2]"}))
    settings = {**EVERYWHERE, "spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false"}
    spark = SparkSession.builder.remote("local[2]").config(map=settings).getOrCreate()
    found = {"before": refused, "is active": session() is spark, **refusals(spark)}
    found["results"], found["changes"] = results(spark), changes(spark)
    materialize_module.MOST_SENT = 100
    frame = spark.createDataFrame([], "timestamp long, subject string, predicate string, object string")
    found["large"] = error(lambda: materialize_aboxes(frame, PEDALS))
    Path(path).write_text(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
