"""The commands `pantarhei run`, `explain`, `timeline`, `check`, `map` and `demo`.

Answers go to standard output or a file; everything else (progress, summary, errors) goes to standard error.
The exit code is 0, 1 for an error in what was given to read, 2 for wrong usage, 130 when interrupted,
143 when terminated.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import typer

from pantarhei.cli.check_options import Checking
from pantarhei.cli.help_texts import (
    ABOUT,
    CHECK,
    CHECK_EXAMPLES,
    DEMO,
    EXPLAIN,
    EXPLAIN_EXAMPLES,
    MAP,
    MAP_EXAMPLES,
    RUN,
    RUN_EXAMPLES,
    TIMELINE,
    TIMELINE_EXAMPLES,
)
from pantarhei.cli.run_options import (
    Drawing,
    Explaining,
    Following,
    OnStream,
)
from pantarhei.cli.taking import EachOnce, taking
from pantarhei.cli.wording import as_typed, one_line, warning_as_typed
from pantarhei.errors import MissingFileError, MissingImportError, OptionError, PantarheiError, SparkError
from pantarhei.version import __version__

if TYPE_CHECKING:
    from pantarhei.cli.follow import Source

app = typer.Typer(
    name="pantarhei",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pantarhei {__version__}")
        raise typer.Exit


@app.callback(help=ABOUT)
def pantarhei(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """What the program does as a whole; its commands do the work."""


@app.command(cls=EachOnce, help=RUN, epilog=RUN_EXAMPLES)
@taking(Following)
def run(options: Following) -> None:
    """`pantarhei run`."""
    from pantarhei.cli.follow import follow

    _check_limits(options)
    with _errors(), _terminating():
        follow(options, _source(options))


class _Terminated(KeyboardInterrupt):
    """The process has received SIGTERM."""


@contextmanager
def _terminating() -> Iterator[None]:
    """Raise `_Terminated` inside on SIGTERM, as an interrupt raises `KeyboardInterrupt`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _check_limits(options: OnStream) -> None:
    """Raise `BadParameter` if what is to be done at a limit is said, and no limit."""
    if options.on_limit == "drop" and options.max_facts is None and options.max_bytes is None:
        raise typer.BadParameter("drop needs a limit: --max-facts or --max-bytes", param_hint="--on-limit")


def _source(options: Following) -> Source:
    """Where the updates come from; Spark is imported only if it is asked for."""
    if options.spark is None:
        from pantarhei.cli.follow import FileSource

        return FileSource(options)
    from pantarhei.cli.follow_on_spark import SparkSource

    return SparkSource(options, options.spark)


@app.command(cls=EachOnce, help=EXPLAIN, epilog=EXPLAIN_EXAMPLES)
@taking(Explaining)
def explain(options: Explaining) -> None:
    """`pantarhei explain`."""
    from pantarhei.cli.explain_command import explain as say

    _check_limits(options)
    with _errors():
        say(options)


@app.command(cls=EachOnce, help=TIMELINE, epilog=TIMELINE_EXAMPLES)
@taking(Drawing)
def timeline(options: Drawing) -> None:
    """`pantarhei timeline`."""
    from pantarhei.cli.timeline_command import draw

    _check_limits(options)
    with _errors():
        draw(options)


@app.command(cls=EachOnce, help=CHECK, epilog=CHECK_EXAMPLES)
@taking(Checking)
def check(options: Checking) -> None:
    """`pantarhei check`."""
    from pantarhei.cli.check_command import check as say

    with _errors():
        failure = say(options)
    if failure:
        raise _failed(failure, 1)


@app.command("map", cls=EachOnce, help=MAP, epilog=MAP_EXAMPLES)
def map_table(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="The table: CSV, JSON or Parquet; - for stdin.")
    ],
    format: Annotated[
        Literal["csv", "tsv", "jsonl", "json", "parquet"] | None,
        typer.Option(help="The table's format, where its suffix does not tell."),
    ] = None,
) -> None:
    """`pantarhei map`."""
    from pantarhei.io.mapping.guess import guess
    from pantarhei.io.tables.sample import first_rows

    with _errors():
        typer.echo(guess(*first_rows(table, format)))


@app.command(cls=EachOnce, help=DEMO, epilog="[bold]Example[/bold]\n\npantarhei demo --small")
def demo(
    small: Annotated[
        bool, typer.Option("--small", help="Fewer readings: quick even where the kernel is not compiled.")
    ] = False,
    spark: Annotated[
        bool, typer.Option("--spark/--no-spark", help="Whether to show the last stream on Spark too.")
    ] = True,
) -> None:
    """`pantarhei demo`."""
    with _errors():
        sys.path.insert(0, str(_examples()))
        import_module("demo").main(small=small, spark=spark)


def _examples() -> Path:
    """The folder `examples` of a source checkout: where this is installed from, or the current directory."""
    for checkout in (Path(__file__).resolve().parents[3], Path.cwd()):
        if (checkout / "examples" / "demo").is_dir():
            return checkout / "examples"
    reason = "the demo is one of the examples of a source checkout; run it in the folder that holds README.md"
    raise MissingFileError("examples/demo", reason)


@contextmanager
def _errors() -> Iterator[None]:
    """Errors in what was given become a line on standard error and an exit code."""
    try:
        yield
    except OptionError as error:
        raise _failed(as_typed(error, option_names()), 2) from None
    except MissingImportError as error:
        where = f"{error.importing} imports <{error.iri}>, which {error.problem}"
        raise _failed(
            f"{where}; give its folder or an XML catalog as --catalog, or go on with --imports skip", 1
        ) from None
    except SparkError as error:
        raise _failed(one_line(as_typed(error, option_names())), 1) from None
    except PantarheiError as error:
        raise _failed(as_typed(error, option_names()), 1) from None
    except _Terminated:
        raise typer.Exit(143) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except OSError as error:
        if isinstance(error, BrokenPipeError) or error.errno == errno.EPIPE:
            _close_quietly()
            raise typer.Exit(141) from None
        place = f"{error.filename}: " if error.filename else ""
        raise _failed(f"{place}{error.strerror or error}", 1) from None


@cache
def option_names() -> frozenset[str]:
    """The names of all options, as in Python."""
    return frozenset(
        name for command in (run, explain, timeline, check) for name in signature(command).parameters
    )


def _failed(message: str, code: int) -> typer.Exit:
    typer.echo(f"{typer.style('error:', fg='red', bold=True)} {message}", err=True)
    return typer.Exit(code)


def _close_quietly() -> None:
    """Nobody reads standard output any more: what is still buffered must not raise when the process ends."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115


def main() -> None:
    """The entry point."""
    warnings.showwarning = _warn
    if sys.stdin is None:  # closed by the caller: there is nothing to read
        sys.stdin = open(os.devnull)  # noqa: SIM115
    if sys.stdout is None:
        _close_quietly()
    app()


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning as a line of its own, without the place in the code."""
    print(f"warning: {warning_as_typed(message)}", file=sys.stderr)
