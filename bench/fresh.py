"""Times of new processes, with all modules compiled to bytecode, as after a first run.

If Python may not write bytecode (`PYTHONDONTWRITEBYTECODE`), each start compiles the changed modules.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Run(NamedTuple):
    """Times and output of one process.

    Args:
        stages: CPU seconds from each of its marks to the next.
        output: further output.
        wall: wall seconds of the process.
        cpu: CPU seconds of the process.
    """

    stages: list[float]
    output: list[Any]
    wall: float
    cpu: float


def timed_runs(code: str, rounds: int, *arguments: str) -> Iterator[Run]:
    """Run `code` `rounds` times, each in a new process, after one run that is not counted.

    The code prints a JSON list: its marks, in CPU seconds of the process, and any further output.
    """
    with TemporaryDirectory() as bytecode:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-c", code, *arguments]
        _run(command, environment)
        for _ in range(rounds):
            yield _run(command, environment)


def _run(command: list[str], environment: dict[str, str]) -> Run:
    begun, used = time.perf_counter(), _children_seconds()
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    wall, cpu = time.perf_counter() - begun, _children_seconds() - used
    marks, *output = json.loads(done.stdout)
    return Run([end - begin for begin, end in pairwise(marks)], output, wall, cpu)


def _children_seconds() -> float:
    """Return the CPU seconds of the child processes that have been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
