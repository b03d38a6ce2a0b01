"""CPU time of this process, its Java, and the Python workers; work done in a process of its own."""

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
    """What was used so far, children that are no more included; zeros where there is no /proc."""

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
    times: tuple[int, ...]  # its own in user and kernel mode, those of its children that it waited for


def _stats() -> list[tuple[int, _Stat]]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text().partition("(")[2].rpartition(")")
        except OSError:  # it has ended
            continue
        fields = rest.split()
        found.append((int(path.parent.name), _Stat(name, int(fields[1]), tuple(map(int, fields[11:15])))))
    return found


def _kind(pid: int, stats: dict[int, _Stat]) -> str | None:
    """What a process is to this one; None if it is no descendant of it."""
    above = []
    while pid in stats and pid != os.getpid():
        above.append(stats[pid].name)
        pid = stats[pid].parent
    if pid != os.getpid():
        return None
    return "driver" if not above else "java" if above[0] == "java" else "workers"


def apart(module: str, **arguments: Any) -> Any:
    """What `module.job(**arguments)` returns in a process of its own; all of it passes through JSON."""
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
