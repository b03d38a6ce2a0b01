"""CPU time of this process, its Java and the Python workers; a runner for jobs in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
_TICK = os.sysconf("SC_CLK_TCK")


class CpuSeconds(NamedTuple):
    """CPU seconds used so far, including those of ended children; zeros if there is no /proc."""

    driver: float
    java: float
    workers: float

    @classmethod
    def now(cls) -> CpuSeconds:
        used = {"driver": 0.0, "java": 0.0, "workers": 0.0}
        stats = dict(_stats())
        for pid, stat in stats.items():
            if (kind := _kind(pid, stats)) is not None:
                used[kind] += sum(stat.times[: 2 if kind == "driver" else 4]) / _TICK
        return cls(**used)

    def since(self, before: CpuSeconds) -> CpuSeconds:
        return CpuSeconds(*(now - then for now, then in zip(self, before, strict=True)))


class _Stat(NamedTuple):
    name: str
    parent: int
    times: tuple[int, ...]  # user and system time of the process, and of the children it has waited for


def _stats() -> list[tuple[int, _Stat]]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text().partition("(")[2].rpartition(")")
        except OSError:  # the process has ended
            continue
        fields = rest.split()
        found.append((int(path.parent.name), _Stat(name, int(fields[1]), tuple(map(int, fields[11:15])))))
    return found


def _kind(pid: int, stats: dict[int, _Stat]) -> str | None:
    """Return the relation of a process to this one, or None if it is not a descendant."""
    above = []
    while pid in stats and pid != os.getpid():
        above.append(stats[pid].name)
        pid = stats[pid].parent
    if pid != os.getpid():
        return None
    return "driver" if not above else "java" if above[0] == "java" else "workers"


def run_job(module: str, **arguments: Any) -> Any:
    """Run `module.job(**arguments)` in a process of its own; arguments and result are passed as JSON."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.on_spark.processes", module, json.dumps(arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    import importlib

    print(json.dumps(importlib.import_module(sys.argv[1]).job(**json.loads(sys.argv[2]))))
