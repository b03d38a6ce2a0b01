"""`pantarhei demo`: three streams with contradictions, shown step by step, the last one also on Spark.

All figures and answers are computed in the same run.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from demo.building import show_building
from demo.on_spark import show_on_spark
from demo.pedals import show_pedals
from demo.reactor import show_reactor
from demo.words import indented

_ROOT = Path(__file__).resolve().parents[2]
_WIDEST = 100
_OPENING = """\
[bold]pantarhei[/bold] reasons over streams with an OWL ontology. A window slides over timestamped facts, \
and its conclusions are maintained incrementally. Contradictions are repaired on arrival: newer facts win."""

_NEXT = (
    ("check an ontology", "{command} check ontologies/building.ttl"),
    ("process your own stream", "{command} run --help"),
    ("use it from Python", "README.md"),
    ("run it on Spark", "docs/spark.md"),
    ("read how repairs work", "docs/semantics.md"),
)


def main(small: bool = False, spark: bool = True, console: Console | None = None) -> None:
    """Show the three streams.

    Args:
        small: reduce the building's readings, so that the demo is quick even with the uncompiled kernel.
        spark: show the building on Spark too; Spark takes about fifteen seconds to start.
        console: the output; by default standard output.
    """
    console = console or _standard_output()
    console.print(_OPENING)
    show_pedals(console, _ROOT)
    show_reactor(console, _ROOT)
    day = show_building(console, _ROOT, 4_000 if small else 20_000)
    if spark:
        show_on_spark(console, day)
    _print_next(console)


def _standard_output() -> Console:
    console = Console(highlight=False)
    if not console.encoding.lower().startswith("utf") and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    console.width = min(console.width, _WIDEST)
    return console


def _print_next(console: Console) -> None:
    here = Path(os.path.relpath(sys.executable))
    command = "pantarhei" if shutil.which("pantarhei") else f"{here} -m pantarhei"
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    for what, how in _NEXT:
        table.add_row(what, Text(how.format(command=command), "cyan"))
    console.print("\n[bold]Next[/bold]\n")
    console.print(indented(table))
