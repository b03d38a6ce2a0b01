"""Fresh processes and what they take, with all modules there as bytecode, as after a first run.

Where Python may not keep it (`PYTHONDONTWRITEBYTECODE`), each start compiles the modules that changed.
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
    """A process from its start to its end.

    Args:
        stages: CPU seconds from each mark of its own to the next.
        told: what else it said.
        wall: wall seconds of the process.
        cpu: CPU seconds of the process.
    """

    stages: list[float]
    told: list[Any]
    wall: float
    cpu: float


def timed_runs(code: str, rounds: int, *arguments: str) -> Iterator[Run]:
    """So many runs of `code`, each in a new process; one goes before that is not counted.

    The code prints a list in JSON: its marks, in CPU seconds of the process, and whatever it has to say.
    """
    with TemporaryDirectory() as bytecode:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-c", code, *arguments]
        _run(command, environment)
        for _ in range(rounds):
            yield _run(command, environment)


def _run(command: list[str], environment: dict[str, str]) -> Run:
    begun, used = time.perf_counter(), _children()
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    wall, cpu = time.perf_counter() - begun, _children() - used
    marks, *told = json.loads(done.stdout)
    return Run([end - begin for begin, end in pairwise(marks)], told, wall, cpu)


def _children() -> float:
    """CPU seconds of the processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
