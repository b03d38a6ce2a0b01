"""Pathway (differential dataflow) maintains an answer over a sliding window of observations.

An observation is a row of a table: number, sensor and value. Each step inserts some and deletes the oldest in
one commit; it ends when Pathway reports that the commit is processed.
"""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

os.environ["PATHWAY_THREADS"] = "1"

import pathway as pw

from bench.peers.stages import Stages, digest, job

NO_AUTOCOMMIT = 10**9  # ms; only our own commits count
PATIENCE = 60  # seconds: limit of a step


class Observation(pw.Schema):  # type: ignore[misc]
    o: int = pw.column_definition(primary_key=True)
    s: int
    v: int


class Sensor(pw.Schema):  # type: ignore[misc]
    s: int = pw.column_definition(primary_key=True)
    r: int


class Answers:
    """Present rows, and number of processed commits.

    Pathway reports a time only if something changed, so the observations are subscribed to as well.
    """

    def __init__(self) -> None:
        self.rows: dict[Any, tuple[Any, ...]] = {}
        self._ended = threading.Condition()
        self._times = 0

    def change(self, key: Any, row: dict[str, Any], time: int, is_addition: bool) -> None:
        if is_addition:
            self.rows[key] = tuple(row.values())
        elif self.rows.get(key) == tuple(row.values()):
            del self.rows[key]

    def end(self, time: int) -> None:
        with self._ended:
            self._times += 1
            self._ended.notify()

    def wait_for(self, times: int) -> None:
        """Wait until `times` commits have been processed."""
        with self._ended:
            if not self._ended.wait_for(lambda: self._times >= times, PATIENCE):
                raise TimeoutError(f"a step took more than {PATIENCE} s")

    @property
    def found(self) -> tuple[int, str]:
        return digest(list(self.rows.values()))


class Feed(pw.io.python.ConnectorSubject):  # type: ignore[misc]
    """Connector that inserts the initial window, then the steps."""

    def __init__(self, task: dict[str, Any], answers: Answers, stages: Stages) -> None:
        super().__init__()
        self._task, self._answers, self._stages = task, answers, stages

    def run(self) -> None:
        steps = json.loads(Path(self._task["steps"]).read_text())
        width, done = self._task["width"], 0
        rows = [[{"o": o, "s": s, "v": v} for o, s, v in step] for step in steps]
        for step in rows[:width]:
            for row in step:
                self.next(**row)
        done = self._commit(done)
        with self._stages.timed("steps"):
            for place in range(width, len(rows)):
                for row in rows[place]:
                    self.next(**row)
                for row in rows[place - width]:
                    self._remove(None, json.dumps(row).encode())
                done = self._commit(done)
        time.sleep(1)  # its last answers can follow the end of its input
        self._stages.print_result(self._answers.found)
        os._exit(0)

    def _commit(self, done: int) -> int:
        self.commit()
        self._answers.wait_for(done + 1)
        return done + 1


def maintained_table(which: str, observations: Any, sensors: Any) -> Any:
    """Return the maintained table."""
    if which == "star with filter":
        observations = observations.filter(pw.this.v > 250)
    joined = observations.join(sensors, pw.left.s == pw.right.s).select(pw.left.o, pw.left.v, pw.right.r)
    if which == "average by room":
        return joined.groupby(pw.this.r).reduce(pw.this.r, a=pw.reducers.avg(pw.this.v))
    return joined


def main() -> None:
    task, stages, answers = job(), Stages(), Answers()
    feed = Feed(task, answers, stages)
    observations = pw.io.python.read(feed, schema=Observation, autocommit_duration_ms=NO_AUTOCOMMIT)
    sensors = pw.debug.table_from_rows(Sensor, [tuple(row) for row in task["sensors"]])
    table = maintained_table(task["which"], observations, sensors)
    pw.io.subscribe(table, on_change=answers.change)
    pw.io.subscribe(observations, on_change=lambda *_, **__: None, on_time_end=answers.end)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)


if __name__ == "__main__":
    main()
