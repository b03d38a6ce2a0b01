"""The command line of a set of workloads: measure, show, and keep the results in bench/results."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping

from rich.console import Console

from bench.measuring import Figure
from bench.report import cells, circumstances, show, write

Workloads = Mapping[str, Callable[[bool], Iterator[Figure]]]


def main(program: str, workloads: Workloads, further_packages: tuple[str, ...] = ()) -> None:
    """Run the workloads that the command line names, all by default."""
    parser = argparse.ArgumentParser(prog=program, description=__doc__)
    parser.add_argument(
        "--only",
        metavar="NAME",
        action="append",
        choices=workloads,
        help=f"one of {', '.join(workloads)}; repeatable",
    )
    parser.add_argument(
        "--quick", action="store_true", help="small windows and few samples: a trial, not a result"
    )
    parser.add_argument("--no-write", action="store_true", help="keep no results")
    arguments = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 160)
    about = circumstances(arguments.quick, further_packages)
    console.print(", ".join(f"{name} {value}" for name, value in about.items()), highlight=False)
    figures: list[Figure] = []
    for workload in arguments.only or workloads:
        for figure in workloads[workload](arguments.quick):
            figures.append(figure)
            console.print("  ".join(filter(None, cells(figure))), highlight=False)
    show(figures, console)
    if not arguments.no_write:
        console.print(f"written to {write(figures, about)} and beside it as Markdown")
