"""`python -m bench`: measure, show, and keep the results in bench/results."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

from rich.console import Console

from bench import building, growth, loading, readings, repairs, slides, thresholds, ticks
from bench.measuring import Figure
from bench.report import cells, circumstances, show, write

WORKLOADS: dict[str, Callable[[bool], Iterator[Figure]]] = {
    "readings": readings.measure,
    "repairs": repairs.measure,
    "slides": slides.measure,
    "growth": growth.measure,
    "ticks": ticks.measure,
    "thresholds": thresholds.measure,
    "building": building.measure,
    "loading": loading.measure,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--only",
        metavar="NAME",
        action="append",
        choices=WORKLOADS,
        help=f"one of {', '.join(WORKLOADS)}; repeatable",
    )
    parser.add_argument(
        "--quick", action="store_true", help="small windows and few samples: a trial, not a result"
    )
    parser.add_argument("--no-write", action="store_true", help="keep no results")
    arguments = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 160)
    about = circumstances(arguments.quick)
    console.print(", ".join(f"{name} {value}" for name, value in about.items()), highlight=False)
    figures: list[Figure] = []
    for workload in arguments.only or WORKLOADS:
        for figure in WORKLOADS[workload](arguments.quick):
            figures.append(figure)
            console.print("  ".join(filter(None, cells(figure))), highlight=False)
    show(figures, console)
    if not arguments.no_write:
        console.print(f"written to {write(figures, about)} and beside it as Markdown")


if __name__ == "__main__":
    main()
