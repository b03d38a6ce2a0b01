"""Record of measurements beside the page: all figures, with spread, machine and commit.

A run that is added replaces the figures of its workloads in earlier runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.measuring import Figure
from bench.report import Circumstances

_OPTIONAL = ("at_most", "at_least", "wall")


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """Figures that were measured together.

    Args:
        circumstances: machine, versions, seed and commit, as far as known.
        figures: the figures; `samples` are the smallest and the largest sample, if they were recorded.
        note: remark on the run.
    """

    circumstances: Circumstances
    figures: tuple[Figure, ...]
    note: str = ""


def merged(runs: Iterable[RecordedRun]) -> list[RecordedRun]:
    """Return the runs with the figures of each workload in the last run that has it, without empty runs."""
    given = list(runs)
    last = {figure.workload: place for place, run in enumerate(given) for figure in run.figures}
    kept = (
        replace(run, figures=tuple(each for each in run.figures if last[each.workload] == place))
        for place, run in enumerate(given)
    )
    return [run for run in kept if run.figures]


def read_record(path: Path) -> list[RecordedRun]:
    """Read the runs of a record; none if the file does not exist."""
    if not path.exists():
        return []
    runs = json.loads(path.read_text())["runs"]
    return [
        RecordedRun(run["circumstances"], tuple(map(_figure, run["figures"])), run.get("note", ""))
        for run in runs
    ]


def write_record(path: Path, runs: Sequence[RecordedRun]) -> None:
    """Write the runs as JSON, a line for each figure."""
    parts = []
    for run in runs:
        lines = ",\n".join(json.dumps(_entry(each), ensure_ascii=False) for each in run.figures)
        head = json.dumps({"circumstances": run.circumstances, "note": run.note}, ensure_ascii=False)
        parts.append(f'{head[:-1]}, "figures": [\n{lines}\n]}}')
    path.write_text('{"runs": [\n' + ",\n".join(parts) + "\n]}\n")


def _entry(figure: Figure) -> dict[str, object]:
    """Return a figure as JSON values, without those that are not known."""
    entry: dict[str, object] = {"workload": figure.workload, "way": figure.way}
    entry |= {"value": figure.value, "unit": figure.unit}
    if figure.samples:
        entry |= {"low": min(figure.samples), "high": max(figure.samples)}
    return entry | {name: known for name in _OPTIONAL if (known := getattr(figure, name)) is not None}


def _figure(entry: dict[str, object]) -> Figure:
    """Return the figure of an entry."""
    spread = tuple(entry[name] for name in ("low", "high") if name in entry)
    known = {name: entry[name] for name in ("workload", "way", "value", "unit", *_OPTIONAL) if name in entry}
    return Figure(**known, samples=spread)  # type: ignore[arg-type]
