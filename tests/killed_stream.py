"""Streams on Spark whose processes are killed at random moments.

python killed_stream.py FOLDER MODE MASTER reads the files in FOLDER/in, one per batch, with checkpoint
and results in FOLDER, and writes the final counts to FOLDER/counts.json.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import pantarhei as pr
from cluster_job import CONF
from pantarhei.model.rule import Rule
from pantarhei.spark import reason_stream, session
from spark_streams import NOW, SCHEMA
from strategies import A, B, C, D, R, S, is_a, related, x, y

RULES = [
    Rule("both", (is_a(A, x), is_a(B, x)), is_a(C, x)),
    Rule("not with D", (is_a(C, x), is_a(D, x)), None),
    Rule("inverse", (related(R, x, y),), related(S, y, x)),
]
SHARDED = {"shard_by": "subject", "shards": 3}
LATE = {"allowed_lateness": 1, "on_error": "skip"}
OPEN = f"SELECT ?x ?y {{ ?x a <{A}> OPTIONAL {{ ?x <{R}> ?y }} }}"
QUERIES = {"all": OPEN, "both": f"SELECT ?x {{ ?x a <{C}> }}"}
MODES = {
    "output": {},
    "sink": {},
    "sharded output": SHARDED,
    "sharded queries": {**SHARDED, "queries": QUERIES},
    "sharded, late": {**SHARDED, **LATE},
}
"""Options of `reason_stream` by mode."""


def follow(spark, folder, mode):
    """Run the query to the end of the files; return its counts."""
    files = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(f"{folder}/in")
    options = dict(MODES[mode])
    if mode == "sink":
        options["sink"] = into_files(Path(folder, "out"))
    else:
        options["output"] = Path(folder, "out")
    if "on_error" in options:
        options["dead_letters"] = Path(folder, "letters")
    query = reason_stream(
        files,
        pr.Ontology.from_rules(RULES),
        pr.Window(4, slide=2),
        checkpoint=Path(folder, "checkpoint"),
        trigger=NOW,
        **options,
    )
    query.await_termination()
    return query.counts


def into_files(folder):
    """Return a sink that replaces the file of a batch."""
    folder.mkdir(exist_ok=True)

    def write(rows, batch):
        table = pa.Table.from_pylist([row.asDict() for row in rows.collect()] or [{}])
        pq.write_table(table, folder / f".{batch}")
        os.replace(folder / f".{batch}", folder / f"batch-{batch:010}.parquet")

    return write


def results(folder):
    """Return all rows by file, and the counts."""
    files = {
        str(file.relative_to(folder)): sorted(map(repr, pq.read_table(file).to_pylist()))
        for part in ("out", "letters")
        for file in (folder / part).rglob("[!._]*.parquet")
    }
    return files, json.loads((folder / "counts.json").read_text())


class Run:
    """Process of a stream, with the processes that it starts."""

    def __init__(self, folder, mode, master="local[2]"):
        self._log = (folder / "log").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, __file__, folder, mode, master],
            env={key: value for key, value in os.environ.items() if not key.startswith("SPARK_")},
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )

    def children(self):
        """Return the driver, Java's processes and executors, and Python's workers by kind."""
        found = {"driver": [self.process.pid], "java": [], "executors": [], "workers": []}
        parents = [self.process.pid]
        while parents:
            parent = parents.pop()
            for child in _children_of(parent):
                parents.append(child)
                command = _command_of(child)
                if "pyspark.daemon" in command or "pyspark/daemon" in command:
                    found["workers"].append(child)
                elif "CoarseGrainedExecutorBackend" in command:
                    found["executors"].append(child)
                elif command.startswith(("java", "/")) and "java" in command.split("\0")[0]:
                    found["java"].append(child)
        return found

    def kill(self, process=None):
        """Kill one process, and if it is the driver, what it leaves."""
        others = [each for kind in self.children().values() for each in kind]
        _kill(self.process.pid if process is None else process)
        if process in (None, self.process.pid):
            for each in others:
                _kill(each)
        return self.process.wait(120) if process in (None, self.process.pid) else None

    def end(self, seconds=180):
        """Wait for the end; return the exit code."""
        try:
            return self.process.wait(seconds)
        finally:
            if self.process.poll() is None:
                self.kill()
            self._log.close()


def _kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def _children_of(process):
    try:
        return [
            int(child)
            for task in Path(f"/proc/{process}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return []


def _command_of(process):
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return ""


if __name__ == "__main__":
    *given, master = sys.argv[1:]
    conf = {**CONF, "spark.sql.streaming.minBatchesToRetain": "10000"}  # the test reads all batches
    counts = follow(session(master, app_name="killed", conf=conf), *given)
    Path(sys.argv[1], "counts.json").write_text(json.dumps(str(counts)))
