"""Command line of a set of workloads: measure, print and store the results in bench/results."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from bench.measuring import Figure
from bench.page import write_page
from bench.plots import draw
from bench.record import RecordedRun, merged, read_record, write_record
from bench.report import RESULTS, cells, circumstances, read, show, write

Workloads = Mapping[str, Callable[[bool], Iterator[Figure]]]


def main(program: str, workloads: Workloads, further_packages: tuple[str, ...] = ()) -> None:
    """Run the workloads named on the command line, by default all."""
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
    parser.add_argument(
        "--page",
        metavar="FILE",
        type=Path,
        help="add the figures to the record beside this page, and write its tables and the plots in img",
    )
    parser.add_argument(
        "--results",
        metavar="FILE",
        nargs="*",
        type=Path,
        help="measure nothing, add these results to the record, by default the newest",
    )
    arguments = parser.parse_args()
    if arguments.results is not None:
        results = map(read, arguments.results or sorted(RESULTS.glob("*.json"))[-1:])
        _publish(arguments.page, [RecordedRun(about, tuple(figures)) for figures, about in results])
        return
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
        path = write(figures, about)
        pictures = draw(figures, path.with_suffix(""))
        console.print(f"written to {path} and beside it as Markdown, with {len(pictures)} pictures")
    _publish(arguments.page, [RecordedRun(about, tuple(figures))])


def _publish(page: Path | None, measured: Sequence[RecordedRun]) -> None:
    """Add runs to the record beside the page, and write the page's tables and plots from the record."""
    if page is None:
        return
    record = page.with_suffix(".json")
    runs = merged([*read_record(record), *measured])
    write_record(record, runs)
    write_page(page, runs)
    draw([figure for run in runs for figure in run.figures], page.parent / "img")
