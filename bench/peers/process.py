"""Reasoners in processes of their own, in turns; answers are compared before a time counts.

A job is a JSON file that names what a process is to do. The process times its own stages (CPU seconds of all
its threads, and wall seconds) and prints what it found. What is made for it beforehand, and the comparison of
what it found, are not timed.
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
# Peers that are compiled from sources, by where these are.
SOURCES = {"ares": ROOT.parent / "shared" / "peers" / "ares"}
# Peers whose versions of other packages are their own, by the variable that names a Python that has them.
ELSEWHERE = {"pathway": "PATHWAY_PYTHON"}
TITLES = {
    "nemo": "Nemo",
    "reasonable": "reasonable",
    "owlrl": "owlrl",
    "clingo": "clingo",
    "pantarhei": "pantarhei",
}
LONGEST = 600  # seconds a process may take


@dataclass(frozen=True, slots=True)
class Job:
    """What a process of `peer` is to do; `name` is what its figures are called."""

    peer: str
    name: str
    task: Mapping[str, Any]


@dataclass(slots=True)
class Outcome:
    """What the runs of one job took, run by run, and what they found.

    Args:
        cpu: CPU seconds of each stage.
        wall: wall seconds of each stage.
        megabytes: the largest resident size of the process when its work was done.
        found: count and checksum of the answers; the same in each run.
        notes: what was found in surplus, or anything else worth a line.
    """

    cpu: dict[str, list[float]] = field(default_factory=dict)
    wall: dict[str, list[float]] = field(default_factory=dict)
    megabytes: list[float] = field(default_factory=list)
    found: Any = None
    notes: Mapping[str, Any] = field(default_factory=dict)

    def seconds(self, *stages: str) -> list[float]:
        """CPU seconds of the stages together, run by run; of all of them if none is named."""
        return _together(self.cpu, stages)

    def wall_seconds(self, *stages: str) -> list[float]:
        """Wall seconds of the stages together, run by run."""
        return _together(self.wall, stages)


def _together(seconds: Mapping[str, Sequence[float]], stages: Sequence[str]) -> list[float]:
    chosen = [seconds[stage] for stage in stages or seconds if stage in seconds]
    return [sum(run) for run in zip(*chosen, strict=True)]


class PeerFailure(RuntimeError):
    """A peer's process ended without an answer; the text is its last words."""


def missing(peer: str) -> str | None:
    """Why `peer` cannot take part, or None if it can."""
    if peer in ELSEWHERE and not os.environ.get(ELSEWHERE[peer]):
        return f"{ELSEWHERE[peer]} names no Python that has the package {PACKAGES[peer]}"
    if peer in SOURCES:
        return None if SOURCES[peer].is_dir() else "its sources are not beside the repository"
    try:
        if peer not in ELSEWHERE:
            version(PACKAGES[peer])
    except PackageNotFoundError:
        return f"the package {PACKAGES[peer]} is not installed"
    return None


def contest(
    workload: str, jobs: Sequence[Job], rounds: int, folder: Path, longest: float = LONGEST
) -> Iterator[tuple[Job, Outcome | str]]:
    """The outcome of each job after `rounds` rounds of all jobs in turn, or why there is none.

    Raises:
        WrongAnswerError: two jobs, or two runs of one, found different answers.
    """
    outcomes: dict[str, Outcome | str] = {job.name: missing(job.peer) or Outcome() for job in jobs}
    for _ in range(rounds):
        for job in jobs:
            outcome = outcomes[job.name]
            if isinstance(outcome, str):
                continue
            try:
                told = _run(job, folder, longest)
            except PeerFailure as failure:
                outcomes[job.name] = str(failure)
            else:
                _note(workload, job, outcome, told)
    _compare(workload, outcomes)
    return ((job, outcomes[job.name]) for job in jobs)


def _run(job: Job, folder: Path, longest: float) -> Mapping[str, Any]:
    path = folder / "job.json"
    path.write_text(json.dumps(job.task))
    python = os.environ[ELSEWHERE[job.peer]] if job.peer in ELSEWHERE else sys.executable
    command = [python, "-m", f"bench.peers.{job.peer}", str(path)]
    # Hashing texts in another order would make two runs differ for no reason of theirs.
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
    told: Mapping[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return told


def _note(workload: str, job: Job, outcome: Outcome, told: Mapping[str, Any]) -> None:
    for stage, (cpu, wall) in told["stages"].items():
        outcome.cpu.setdefault(stage, []).append(cpu)
        outcome.wall.setdefault(stage, []).append(wall)
    outcome.megabytes.append(told["megabytes"])
    if outcome.found not in (None, told["found"]):
        raise WrongAnswerError(f"{workload}, {job.name}: {outcome.found}, then {told['found']}")
    outcome.found, outcome.notes = told["found"], told.get("notes", {})


def _compare(workload: str, outcomes: Mapping[str, Outcome | str]) -> None:
    found = {name: o.found for name, o in outcomes.items() if isinstance(o, Outcome) and o.found is not None}
    if len({json.dumps(answer) for answer in found.values()}) > 1:
        raise WrongAnswerError(f"{workload}: the answers differ: {found}")


def times_anew(
    workload: str,
    jobs: Sequence[Job],
    rounds: int,
    folder: Path,
    ours: object,
    further: Callable[[Job, list[float]], Iterable[Figure]] = lambda job, seconds: (),
) -> Iterator[Figure]:
    """Milliseconds that others take for what we hold, from nothing, with their import of numbers.

    Args:
        ours: what each of them must find.
        further: figures made of the CPU seconds of a job, run by run.

    Raises:
        WrongAnswerError: one found something else.
    """
    for job, outcome in contest(workload, jobs, rounds, folder):
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
    """CPU time and beside it wall time; `scale` turns seconds into `unit`."""
    samples = tuple(scale * seconds for seconds in cpu)
    return Figure(workload, way, median(samples), unit, samples=samples, wall=median(scale * s for s in wall))


def ratio_of(
    workload: str,
    way: str,
    above: tuple[Sequence[float], Sequence[float]],
    below: tuple[Sequence[float], Sequence[float]],
    at_least: float | None = None,
) -> Figure:
    """How many times the CPU time of `below` goes into `above`, run by run; the same of the wall times."""
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
