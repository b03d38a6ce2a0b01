"""Output of the figures: a table on the screen, and a JSON and a Markdown file."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.measuring import SEED, Figure
from pantarhei.materialize.model import COMPILED

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("pantarhei", "numpy", "pyarrow", "rdflib", "pyoxigraph", "Cython")
PEERS = ("nemo-python", "reasonable", "owlrl", "clingo", "brickschema")
CAPTION = "Medians of CPU time; spread is the smallest and the largest sample, wall the median of wall time."
COLUMNS = ("workload", "what", "measured", "spread", "wall", "unit", "target", "")

Circumstances = dict[str, str | int]


def circumstances(quick: bool, further_packages: Sequence[str] = ()) -> Circumstances:
    """Return the machine and its load, versions, seed and commit."""
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "size": "quick" if quick else "full",
        "seed": SEED,
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        "system": platform.platform(),
        "python": platform.python_version(),
        "kernel": "compiled" if COMPILED else "uncompiled",
        **{package: _version(package) for package in (*PACKAGES, *further_packages)},
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _commit() -> str:
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return described.stdout.strip()


# -- one figure as text --------------------------------------------------------------------------------------


def verdict(figure: Figure) -> tuple[str, str]:
    """Return the target and whether it is met, as texts; both are empty if there is no target."""
    if figure.at_most is not None:
        target = f"at most {figure.at_most:g}"
    elif figure.at_least is not None:
        target = f"at least {figure.at_least:g}"
    else:
        return "", ""
    return target, "MISSED" if figure.missed else "met"


def cells(figure: Figure) -> tuple[str, ...]:
    """Return a figure as the cells of a table."""
    spread = f"{_number(min(figure.samples))} – {_number(max(figure.samples))}" if figure.samples else ""
    wall = "" if figure.wall is None else _number(figure.wall)
    return figure.workload, figure.way, _number(figure.value), spread, wall, figure.unit, *verdict(figure)


def _number(value: float | None) -> str:
    """Format with three significant digits."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}".rstrip(".")


# -- all figures ---------------------------------------------------------------------------------------------


def show(figures: Sequence[Figure], console: Console) -> None:
    """Print the figures as a table; missed targets are highlighted."""
    table = Table(title=CAPTION)
    for column in COLUMNS:
        table.add_column(column, justify="right" if column in ("measured", "spread", "wall") else "left")
    for figure in figures:
        style = "bold red" if figure.missed else "green" if cells(figure)[-1] else None
        table.add_row(*cells(figure), style=style)
    console.print(table)
    missed = sum(figure.missed for figure in figures)
    with_target = sum(bool(cells(figure)[-1]) for figure in figures)
    console.print(f"{with_target - missed} of {with_target} targets met, {missed} missed")


def write(figures: Sequence[Figure], about: Circumstances, folder: Path = RESULTS) -> Path:
    """Write the figures to `folder` as JSON and as Markdown; return the path of the JSON file."""
    folder.mkdir(exist_ok=True)
    stem = f"{about['time']}-{about['commit']}".replace(":", "").replace("+0000", "Z")
    path = folder / f"{stem}.json"
    content = {"circumstances": about, "figures": [{**asdict(f), "missed": f.missed} for f in figures]}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    path.with_suffix(".md").write_text(markdown(figures, about))
    return path


def read(path: Path) -> tuple[list[Figure], Circumstances]:
    """Read figures and circumstances from a JSON file."""
    content = json.loads(path.read_text())
    figures = []
    for each in content["figures"]:
        each.pop("missed", None)
        figures.append(Figure(**{**each, "samples": tuple(each.get("samples", ()))}))
    return figures, content["circumstances"]


def markdown(figures: Sequence[Figure], about: Circumstances) -> str:
    """Return the figures as a Markdown page."""
    facts = ", ".join(f"{name} {value}" for name, value in about.items())
    rows = [COLUMNS, tuple("---" for _ in COLUMNS), *map(cells, figures)]
    table = "\n".join("| " + " | ".join(_bold_if_missed(row)) + " |" for row in rows)
    return f"# Measurements\n\n{facts}\n\n{CAPTION}\n\n{table}\n"


def _bold_if_missed(row: tuple[str, ...]) -> tuple[str, ...]:
    return (*row[:-1], "**MISSED**") if row[-1] == "MISSED" else row
