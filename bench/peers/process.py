"""Reasoners in processes of their own, run in turn; answers are compared before a time counts.

A job is a JSON file with the task of a process. The process times its own stages (CPU seconds of all its
threads, and wall seconds) and prints its results. Preparing its input and comparing its results are not
timed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from bench.measuring import Figure, WrongAnswerError, check, ratios, remark

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "nemo": "nemo-python",
    "reasonable": "reasonable",
    "owlrl": "owlrl",
    "clingo": "clingo",
    "clingo_repairs": "clingo",
    "clingo_windows": "clingo",
    "pantarhei": "pantarhei",
    "pathway": "pathway",
}
# Source folder of each peer that is compiled.
SOURCES = {"ares": ROOT.parent / "shared" / "peers" / "ares"}
# Environment variables with the Python interpreter of each peer that needs its own versions of packages.
INTERPRETERS = {"pathway": "PATHWAY_PYTHON"}
TITLES = {
    "nemo": "Nemo",
    "reasonable": "reasonable",
    "owlrl": "owlrl",
    "clingo": "clingo",
    "pantarhei": "pantarhei",
}
LONGEST = 600  # seconds: limit of a process


@dataclass(frozen=True, slots=True)
class Job:
    """Task of a process of `peer`; `name` is the name of its figures."""

    peer: str
    name: str
    task: Mapping[str, Any]


@dataclass(slots=True)
class Outcome:
    """Times and results of the runs of one job.

    Args:
        cpu: CPU seconds of each stage, one for each run.
        wall: wall seconds of each stage, one for each run.
        megabytes: the peak resident size of the process in each run.
        found: number and checksum of the answers, equal in each run.
        notes: number of omitted trivial triples, and other remarks.
    """

    cpu: dict[str, list[float]] = field(default_factory=dict)
    wall: dict[str, list[float]] = field(default_factory=dict)
    megabytes: list[float] = field(default_factory=list)
    found: Any = None
    notes: Mapping[str, Any] = field(default_factory=dict)

    def seconds(self, *stages: str) -> list[float]:
        """Return the summed CPU seconds of the stages for each run, by default of all stages."""
        return _stage_sums(self.cpu, stages)

    def wall_seconds(self, *stages: str) -> list[float]:
        """Return the summed wall seconds of the stages for each run."""
        return _stage_sums(self.wall, stages)


def _stage_sums(seconds: Mapping[str, Sequence[float]], stages: Sequence[str]) -> list[float]:
    chosen = [seconds[stage] for stage in stages or seconds if stage in seconds]
    return [sum(run) for run in zip(*chosen, strict=True)]


class PeerFailure(RuntimeError):
    """A peer's process ended without an answer; the text is the end of its output."""


def unavailability(peer: str) -> str | None:
    """Return the reason why `peer` cannot run, or None if it can."""
    if peer in INTERPRETERS and not os.environ.get(INTERPRETERS[peer]):
        return f"{INTERPRETERS[peer]} names no Python that has the package {PACKAGES[peer]}"
    if peer in SOURCES:
        return None if SOURCES[peer].is_dir() else "its sources are not beside the repository"
    try:
        if peer not in INTERPRETERS:
            version(PACKAGES[peer])
    except PackageNotFoundError:
        return f"the package {PACKAGES[peer]} is not installed"
    return None


def run_in_turn(
    workload: str, jobs: Sequence[Job], rounds: int, folder: Path, longest: float = LONGEST
) -> Iterator[tuple[Job, Outcome | str]]:
    """Run `rounds` rounds of all jobs in turn; return each job's outcome, or the reason why there is none.

    Raises:
        WrongAnswerError: two jobs, or two runs of one, found different answers.
    """
    outcomes: dict[str, Outcome | str] = {job.name: unavailability(job.peer) or Outcome() for job in jobs}
    for _ in range(rounds):
        for job in jobs:
            outcome = outcomes[job.name]
            if isinstance(outcome, str):
                continue
            try:
                printed = _run(job, folder, longest)
            except PeerFailure as failure:
                outcomes[job.name] = str(failure)
            else:
                _note(workload, job, outcome, printed)
    _compare(workload, outcomes)
    return ((job, outcomes[job.name]) for job in jobs)


def _run(job: Job, folder: Path, longest: float) -> Mapping[str, Any]:
    path = folder / "job.json"
    path.write_text(json.dumps(job.task))
    python = os.environ[INTERPRETERS[job.peer]] if job.peer in INTERPRETERS else sys.executable
    command = [python, "-m", f"bench.peers.{job.peer}", str(path)]
    # A random hash seed would make two runs differ.
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=longest, check=False
        )
    except subprocess.TimeoutExpired:
        raise PeerFailure(f"stopped after {longest:g} s") from None
    if done.returncode in (-signal.SIGKILL, -signal.SIGABRT) or "MemoryError" in done.stderr:
        raise PeerFailure("half of the machine's memory was not enough")
    if done.returncode:
        raise PeerFailure((done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1])
    printed: Mapping[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return printed


def _note(workload: str, job: Job, outcome: Outcome, printed: Mapping[str, Any]) -> None:
    for stage, (cpu, wall) in printed["stages"].items():
        outcome.cpu.setdefault(stage, []).append(cpu)
        outcome.wall.setdefault(stage, []).append(wall)
    outcome.megabytes.append(printed["megabytes"])
    if outcome.found not in (None, printed["found"]):
        raise WrongAnswerError(f"{workload}, {job.name}: {outcome.found}, then {printed['found']}")
    outcome.found, outcome.notes = printed["found"], printed.get("notes", {})


def _compare(workload: str, outcomes: Mapping[str, Outcome | str]) -> None:
    found = {name: o.found for name, o in outcomes.items() if isinstance(o, Outcome) and o.found is not None}
    if len({json.dumps(answer) for answer in found.values()}) > 1:
        raise WrongAnswerError(f"{workload}: the answers differ: {found}")


def recomputation_times(
    workload: str,
    jobs: Sequence[Job],
    rounds: int,
    folder: Path,
    ours: object,
    further: Callable[[Job, list[float]], Iterable[Figure]] = lambda job, seconds: (),
) -> Iterator[Figure]:
    """Yield milliseconds that peers take to recompute a state of this engine, including their import of
    integers.

    Args:
        ours: the answer that each peer must find.
        further: makes further figures from the CPU seconds of a job's runs.

    Raises:
        WrongAnswerError: a peer found another answer.
    """
    for job, outcome in run_in_turn(workload, jobs, rounds, folder):
        if not isinstance(outcome, Outcome):
            yield remark(workload, f"{job.name}: {outcome}")
            continue
        check(f"{workload}: {job.name}", outcome.found, ours)
        seconds, walls = outcome.seconds("import and reason"), outcome.wall_seconds("import and reason")
        yield figure_of(workload, job.name, seconds, walls, "ms", 1e3)
        yield from further(job, seconds)


def figure_of(
    workload: str, way: str, cpu: Sequence[float], wall: Sequence[float], unit: str = "s", scale: float = 1.0
) -> Figure:
    """Return a figure of CPU times with wall times; `scale` converts seconds to `unit`."""
    samples = tuple(scale * seconds for seconds in cpu)
    return Figure(workload, way, median(samples), unit, samples=samples, wall=median(scale * s for s in wall))


def ratio_of(
    workload: str,
    way: str,
    above: tuple[Sequence[float], Sequence[float]],
    below: tuple[Sequence[float], Sequence[float]],
    at_least: float | None = None,
) -> Figure:
    """Divide the CPU times `above` by `below`, run by run, and likewise the wall times."""
    times = ratios(above[0], below[0])
    return Figure(
        workload,
        way,
        median(times),
        "times",
        at_least=at_least,
        samples=tuple(times),
        wall=median(ratios(above[1], below[1])),
    )
