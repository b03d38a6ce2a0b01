"""Command line of a set of workloads: measure, print and store the results in bench/results."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from rich.console import Console

from bench.measuring import Figure
from bench.page import write_page
from bench.plots import draw
from bench.report import Circumstances, cells, circumstances, read, show, write

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
        help="put the figures into the tables of this page, and pictures into the folder img beside it",
    )
    parser.add_argument(
        "--results",
        metavar="FILE",
        nargs="*",
        type=Path,
        help="measure nothing, take these results, by default the newest; the last of a workload counts",
    )
    arguments = parser.parse_args()
    if arguments.results is not None:
        figures, about = _merged_results(arguments.results)
        _publish(arguments.page, figures, about)
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
    _publish(arguments.page, figures, about)


def _merged_results(paths: list[Path]) -> tuple[list[Figure], Circumstances]:
    """Merge the figures of several results; for each workload the last result that has it counts."""
    by_workload: dict[str, list[Figure]] = {}
    for path in paths or [None]:
        figures, about = read(path)
        by_workload |= {f.workload: [g for g in figures if g.workload == f.workload] for f in figures}
    return [figure for figures in by_workload.values() for figure in figures], about


def _publish(page: Path | None, figures: list[Figure], about: Circumstances) -> None:
    if page is not None:
        write_page(page, figures, about)
        draw(figures, page.parent / "img")
