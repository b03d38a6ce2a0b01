"""Inside a peer's process: the job, the times of its stages, and what it tells of them."""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Stages:
    """CPU and wall seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, tuple[float, float]] = {}
        self.megabytes = 0.0

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Count what happens inside for `stage`; a stage may be entered again."""
        gc.collect()
        cpu, wall = time.process_time(), time.perf_counter()
        yield
        before = self.seconds.get(stage, (0.0, 0.0))
        spent = time.process_time() - cpu, time.perf_counter() - wall
        self.seconds[stage] = before[0] + spent[0], before[1] + spent[1]
        self.megabytes = max(self.megabytes, _peak())

    def tell(self, found: Any, **notes: Any) -> None:
        """Say on standard output what was found, and what it took."""
        told = {"stages": self.seconds, "megabytes": self.megabytes, "found": found, "notes": notes}
        print(json.dumps(told))


def _peak() -> float:
    """MB that the process has held at most. Resource usage would tell of the process it was forked from."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    peaks = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    if peaks:
        return peaks[0] * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def job() -> dict[str, Any]:
    """The job that the command line names. From here on the process may take half of the machine's memory."""
    allowed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))
    task: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text())
    return task
