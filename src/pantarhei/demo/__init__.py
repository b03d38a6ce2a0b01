"""`pantarhei demo`: three streams that contradict themselves, told step by step, the last on Spark too.

Every figure and every answer comes from the run that prints it. The streams and ontologies are those of a
source checkout: the one this package is installed from, or the current directory.
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

from pantarhei.demo.building import show_building
from pantarhei.demo.on_spark import show_on_spark
from pantarhei.demo.pedals import show_pedals
from pantarhei.demo.reactor import show_reactor
from pantarhei.demo.words import indented
from pantarhei.errors import MissingFileError

_NEEDED = ("ontologies/building.ttl", "examples/building/generate.py")
_WIDEST = 100
_OPENING = """\
[bold]pantarhei[/bold] reasons over streams. A window slides over timestamped facts; what follows from \
them by an OWL ontology is kept up to date as it slides; and facts that contradict one another are \
repaired as they arrive: new is better than old."""

_NEXT = (
    ("what becomes of each axiom", "{command} check ontologies/building.ttl"),
    ("follow your own stream", "{command} run --help"),
    ("from Python, in ten lines", "README.md"),
    ("from a laptop to a cluster", "docs/spark.md"),
    ("what a repair removes, and why", "docs/semantics.md"),
)


def main(small: bool = False, spark: bool = True, console: Console | None = None) -> None:
    """Show the three streams.

    Args:
        small: fewer readings in the building, so that the uncompiled kernel is done soon as well.
        spark: show the building on Spark too, which takes some fifteen seconds to start.
        console: where to; by default standard output.

    Raises:
        MissingFileError: there is no source checkout to read ontologies and streams from.
    """
    root = _checkout()
    console = console or _standard_output()
    console.print(_OPENING)
    show_pedals(console, root)
    show_reactor(console, root)
    day = show_building(console, root, 4_000 if small else 20_000)
    if spark:
        show_on_spark(console, day)
    _print_next(console)


def _checkout() -> Path:
    """The folder with `ontologies/` and `examples/`."""
    installed_from = Path(__file__).resolve().parents[3]
    for folder in (installed_from, Path.cwd()):
        if all((folder / name).is_file() for name in _NEEDED):
            return folder
    reason = "the demo shows the examples of a source checkout; run it in the folder that holds README.md"
    raise MissingFileError(_NEEDED[0], reason)


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
