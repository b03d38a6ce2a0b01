"""Sharded stream whose process exits during a batch.

python crashing_shards.py FOLDER before-output|after-output
"""

import json
import os
import signal
import sys
from pathlib import Path

import pantarhei as pr
from pantarhei.model.rule import Rule
from pantarhei.spark import session
from pantarhei.spark.shards.sharded_stream import shard_stream
from spark_streams import NOW, SCHEMA
from strategies import A, B, C, D, is_a, x

BATCH = 4  # number of the batch in which it exits
RULES = [
    Rule("both", (is_a(A, x), is_a(B, x)), is_a(C, x)),
    Rule("not when told so", (is_a(C, x), is_a(D, x)), None),
]


def follow(spark, folder, deliver):
    """Run the query over the files in `folder/in`, one per batch; `deliver(rows, batch)` receives its
    changes.
    """
    files = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(f"{folder}/in")
    changes = shard_stream(files, pr.Ontology.from_rules(RULES), pr.Window(5), shards=3)
    query = (
        changes.writeStream.foreachBatch(lambda rows, batch: deliver(rows.collect(), batch))
        .option("checkpointLocation", f"{folder}/spark")
        .trigger(**NOW)
        .start()
    )
    query.awaitTermination()


def to_files(folder):
    """Return a function that writes a batch's changes to a file named after it, replacing an older one."""
    Path(folder, "out").mkdir(exist_ok=True)

    def deliver(rows, batch):
        Path(folder, "out", f"{batch}.json").write_text(json.dumps(sorted(map(list, rows))))

    return deliver


def exiting_in(deliver, point):
    """Return `deliver` with an exit of the process in one batch."""

    def until(rows, batch):
        if batch == BATCH and point == "before-output":
            os.kill(os.getpid(), signal.SIGKILL)
        deliver(rows, batch)
        if batch == BATCH:
            os.kill(os.getpid(), signal.SIGKILL)

    return until


if __name__ == "__main__":
    spark = session("local[1]", app_name="crash", conf={"spark.sql.shuffle.partitions": "2"})
    follow(spark, sys.argv[1], exiting_in(to_files(sys.argv[1]), sys.argv[2]))
