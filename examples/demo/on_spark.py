"""The building on Spark: materialized in parallel, joined, repaired and queried."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

import pantarhei as pr
from demo.building import Day
from demo.words import answers, indented, title

_TASKS = 2

_ON_SPARK = """\
The readings are written to a file and processed by two tasks of a local Spark session. The tasks \
materialize the readings of each minute in parallel; the driver joins the minutes, repairs the window, and \
answers the queries. On a cluster only the name of the master changes."""


def show_on_spark(console: Console, day: Day) -> None:
    """Show the stream of `day` on Spark, and compare its results with those without Spark."""
    title(console, 4, "The same building on Spark")
    console.print(_ON_SPARK)
    try:
        _show(console, day)
    except pr.SparkError as error:
        console.print(f"\n[yellow]Left out:[/yellow] {error}")


def _show(console: Console, day: Day) -> None:
    # imported here, since the other parts of the demo run without Spark
    from pantarhei import spark
    from pantarhei.spark.sessions import temporary_session

    began = time.perf_counter()
    with temporary_session(f"local[{_TASKS}]") as session, tempfile.TemporaryDirectory() as folder:
        spark.register(session)
        started = time.perf_counter() - began
        stream = Path(folder) / "readings.nq"
        stream.write_bytes(day.nquads)
        readings = session.read.format("pantarhei").option("time", "graph").load(str(stream)).cache()
        readings.count()
        began = time.perf_counter()
        closed = spark.materialize_aboxes(
            readings, day.ontology, background=day.background, conflicts=True, spark_partitions=_TASKS
        ).cache()
        facts = {row["derived"]: row["count"] for row in closed.groupBy("derived").count().collect()}
        conflicting = closed.where("size(conflicts) > 0").count()
        closing = time.perf_counter() - began
        tasks = closed.rdd.getNumPartitions()
        reasoner = day.new_reasoner()
        began_cpu = time.process_time()
        updates = spark.run(reasoner, readings, spark_partitions=_TASKS)
        removed = sum(len(update.repair.removed) for update in updates)
        joined = time.process_time() - began_cpu
    texts = (day.floors, day.states)
    same = all(sorted(answers(reasoner, text)) == sorted(answers(day.reasoner, text)) for text in texts)
    _print(
        console,
        (f"{facts[False]:,}", f"readings, materialized by {tasks} tasks in {closing:.1f} s"),
        (f"{facts.get(True, 0):,}", "facts derived by the tasks, separately for each minute"),
        (f"{conflicting:,}", "readings contradicted by another one of their minute"),
        (f"{removed:,}", "readings removed by repairs on the driver"),
        (f"{len(reasoner.assertions()):,}", "readings kept in the window of the last five minutes"),
        (f"{len(reasoner.graph):,}", "facts in the window's materialization"),
        ("the same" if same else "DIFFERENT", "answers to both queries as without Spark"),
        (f"{joined:.2f} s", "of CPU on the driver to join, repair and report"),
        (f"{started:.1f} s", "to start Spark"),
    )


def _print(console: Console, *figures: tuple[str, str]) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(justify="right", style="bold")
    table.add_column()
    for figure, meaning in figures:
        table.add_row(figure, meaning)
    console.print()
    console.print(indented(table))
