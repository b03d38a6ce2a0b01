"""Helper of a peer's process: reads the job, times the stages, and prints the results."""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.memory import peak_megabytes


def digest(rows: Iterable[Sequence[float]]) -> tuple[int, str]:
    """Return the number of rows of numbers, and a checksum of the sorted rows."""
    ordered = sorted([round(float(value), 6) for value in row] for row in rows)
    return len(ordered), sha256(json.dumps(ordered).encode()).hexdigest()


class Stages:
    """CPU and wall seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, tuple[float, float]] = {}
        self.megabytes = 0.0

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the time of the block to `stage`; a stage can have several blocks."""
        gc.collect()
        cpu, wall = time.process_time(), time.perf_counter()
        yield
        before = self.seconds.get(stage, (0.0, 0.0))
        spent = time.process_time() - cpu, time.perf_counter() - wall
        self.seconds[stage] = before[0] + spent[0], before[1] + spent[1]
        self.megabytes = max(self.megabytes, peak_megabytes())

    def print_result(self, found: Any, **notes: Any) -> None:
        """Print the answer and the times to standard output."""
        result = {"stages": self.seconds, "megabytes": self.megabytes, "found": found, "notes": notes}
        print(json.dumps(result))


def job() -> dict[str, Any]:
    """Read the job named on the command line, and limit the process to half of the machine's memory."""
    allowed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))
    task: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text())
    return task
