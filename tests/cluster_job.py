"""Job and driver of the cluster tests, run as `cluster_job.py MASTER DIRECTORY`.

After some timestamps, each task writes a file with its location to DIRECTORY/running, and continues when
DIRECTORY/go exists. The driver writes DIRECTORY/answer.json.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from rdflib import RDF, RDFS, Graph, Namespace

import pantarhei
from pantarhei.spark import session
from pantarhei.spark.materialize import materialize_aboxes

EX = Namespace("http://example.org/")
TIMESTAMPS = range(24)
SPARK_PARTITIONS = 6
SECONDS = 120
CONF = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
}


def ontology() -> pantarhei.Ontology:
    graph = Graph()
    graph.parse(
        data="""
        @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :isIn a owl:TransitiveProperty ; rdfs:range :Place .
        :Sensor rdfs:subClassOf :Device .
        """,
        format="turtle",
    )
    return pantarhei.load_ontology(graph)


def abox(at: int) -> set[tuple]:
    """Return the ABox of a timestamp: a sensor in nested places, which are more at later timestamps."""
    sensor, places = EX[f"sensor{at}"], [EX[f"place{number}"] for number in range(at + 2)]
    chain = {(inner, EX.isIn, outer) for inner, outer in zip([sensor, *places], places, strict=False)}
    return chain | {(sensor, RDF.type, EX.Sensor), (sensor, RDFS.label, EX[f"name{at}"])}


def rows() -> list[tuple[int, str, str, str]]:
    return [(at, *(term.n3() for term in triple)) for at in TIMESTAMPS for triple in sorted(abox(at))]


def expected() -> set[tuple[int, str, str, str, bool]]:
    """Return the job's expected answer, by pushing the ABoxes one after another in this process."""
    reasoner = pantarhei.StreamReasoner(ontology(), pantarhei.Window(range=0))
    answer = set()
    for at in TIMESTAMPS:
        reasoner.push(at, abox(at))
        for triple in reasoner.materialization():
            answer.add((at, *(term.n3() for term in triple), triple not in abox(at)))
    return answer


def answer(spark: SparkSession, directory: Path) -> list[list]:
    df = spark.createDataFrame(rows(), "timestamp long, subject string, predicate string, object string")
    closed = materialize_aboxes(df, ontology(), clustered=False, spark_partitions=SPARK_PARTITIONS)
    return [list(row) for row in waiting_for_signal(closed, str(directory)).collect()]


def waiting_for_signal(df: DataFrame, directory: str) -> DataFrame:
    """Return `df` with tasks that report that they run, and wait for the signal to continue."""

    def tell(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for number, batch in enumerate(batches):
            task = TaskContext.get()
            if number == 0 and task is not None:
                running = Path(directory, "running", f"{task.partitionId()}-{task.taskAttemptId()}")
                running.with_suffix(".part").write_text(os.getcwd())
                running.with_suffix(".part").rename(running)
            deadline = time.monotonic() + SECONDS
            while not Path(directory, "go").exists():
                assert time.monotonic() < deadline, "nobody said go"
                time.sleep(0.05)
            yield batch

    return df.mapInArrow(tell, df.schema)


def main(master: str, directory: Path) -> None:
    spark = session(master, app_name="cluster job", conf=CONF)
    found = answer(spark, directory)
    (directory / "answer.json").write_text(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
