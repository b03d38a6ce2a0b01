"""ARES (C++, the successor of Laser's engine) in its process, compiled if its sources are available.

Its driver reads rules and reports before the clock starts, and prints the time and number of conclusions of
each tick.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from bench.peers.stages import Stages, job

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT.parent / "shared" / "peers" / "ares"
DRIVER = ROOT / "build" / "ares"


def main() -> None:
    task, stages = job(), Stages()
    if not DRIVER.exists():
        _compile()
    ticks = [
        ";".join(f"{task['report']}({','.join(map(str, row))})" for row in rows) for rows in task["stream"]
    ]
    text = "\n".join([task["program"].strip(), "%%", *ticks, ""])
    with stages.timed("all"):
        done = subprocess.run([DRIVER], input=text, capture_output=True, text=True, check=True)
    printed = json.loads(done.stdout)
    stages.seconds = {"ticks": (sum(printed["cpu"]), sum(printed["times"]))}
    stages.print_result(printed["counts"])


def _compile() -> None:
    files = [file for file in (SOURCES / "src").rglob("*.cpp") if "example" not in file.parts]
    DRIVER.parent.mkdir(exist_ok=True)
    options = ["-O2", "-std=c++17", f"-I{SOURCES / 'include'}", "-o", str(DRIVER)]
    subprocess.run(["g++", *options, SOURCES / "bench_main.cpp", *files], check=True, capture_output=True)


if __name__ == "__main__":
    main()
