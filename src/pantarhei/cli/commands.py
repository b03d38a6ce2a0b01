"""The commands `pantarhei run`, `check` and `demo`.

Answers go to standard output or a file; everything else (progress, summary, errors) goes to standard error.
The exit code is 0, 1 for an error in what was given to read, 2 for wrong usage, 130 when interrupted.
"""

from __future__ import annotations

import errno
import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from pantarhei.cli.choices import (
    AnswerFormat,
    ClosedChoice,
    ImportsChoice,
    KeepChoice,
    OnError,
    OnLimitChoice,
    RepairChoice,
    ReportFormat,
    StreamFormat,
)
from pantarhei.cli.each_once import EachOnce
from pantarhei.cli.help_texts import (
    ABOUT,
    ANSWERS,
    CHECK,
    DEMO,
    INPUT,
    LIMITS,
    READING,
    REASONING,
    RUN,
    RUN_EXAMPLES,
    WINDOW,
)
from pantarhei.cli.wording import as_typed, one_line
from pantarhei.errors import MissingImportError, OptionError, PantarheiError, SparkError, TimestampError
from pantarhei.language.shown import told_apart
from pantarhei.language.time import (
    Duration,
    TimeKind,
    TimePoint,
    duration_ticks,
    kind_of,
    parse_length,
    parse_timestamp,
)
from pantarhei.version import __version__

if TYPE_CHECKING:
    from pantarhei.cli.follow import Following, Source

app = typer.Typer(
    name="pantarhei",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _length(text: str, option: str) -> Duration:
    try:
        length = parse_length(text)
        duration_ticks(length, TimeKind.DATETIME if isinstance(length, timedelta) else kind_of(length))
    except TimestampError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None
    return length


def _timestamp(text: str, option: str) -> TimePoint:
    try:
        return parse_timestamp(text)
    except TimestampError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


def _bytes(text: str) -> int:
    from pantarhei.window.limits import parse_bytes

    try:
        return parse_bytes(text)
    except OptionError as error:
        raise typer.BadParameter(f"{error.given} is not {error.expected}", param_hint="--max-bytes") from None


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
def run(
    ontology: Annotated[
        Path,
        typer.Option(
            help="The ontology: Turtle, RDF/XML, OWL/XML, N-Triples, JSON-LD.", rich_help_panel=INPUT
        ),
    ],
    stream: Annotated[
        str,
        typer.Option(
            help="The stream: N-Quads or TriG, each graph with a time; - for stdin.", rich_help_panel=INPUT
        ),
    ],
    range_: Annotated[
        str,
        typer.Option(
            "--range",
            metavar="DURATION",
            help="Length of the window: PT5M for five minutes; a number if times are numbers.",
            rich_help_panel=WINDOW,
        ),
    ],
    background: Annotated[
        list[Path] | None,
        typer.Option(
            help="Facts that hold at every time and are never removed; may be given several times.",
            rich_help_panel=INPUT,
        ),
    ] = None,
    catalog: Annotated[
        Path | None,
        typer.Option(
            help="Where imports of the ontology are found; nothing is ever fetched.", rich_help_panel=INPUT
        ),
    ] = None,
    imports: Annotated[
        ImportsChoice, typer.Option(help="What to do with imports that are not found.", rich_help_panel=INPUT)
    ] = ImportsChoice.error,
    stream_format: Annotated[
        StreamFormat | None,
        typer.Option(help="The stream's format, where its suffix does not tell.", rich_help_panel=READING),
    ] = None,
    time: Annotated[
        str,
        typer.Option(
            metavar="auto|graph|IRI",
            help="Where a graph's time is: in its name, or the property with this IRI.",
            rich_help_panel=READING,
        ),
    ] = "auto",
    on_error: Annotated[
        OnError, typer.Option(help="What to do with bad input in the stream.", rich_help_panel=READING)
    ] = OnError.error,
    allowed_lateness: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="How far ABoxes may be out of order; they are held back that long. By default not at all.",
            rich_help_panel=READING,
        ),
    ] = None,
    slide: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="Step of the window's end; by default it moves with every ABox.",
            rich_help_panel=WINDOW,
        ),
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="A boundary that the steps are aligned to.", rich_help_panel=WINDOW
        ),
    ] = None,
    closed: Annotated[
        ClosedChoice, typer.Option(help="Which ends of the window are included.", rich_help_panel=WINDOW)
    ] = ClosedChoice.both,
    repair: Annotated[
        RepairChoice, typer.Option(help="What becomes of contradictions.", rich_help_panel=REASONING)
    ] = RepairChoice.exact,
    keep: Annotated[
        KeepChoice,
        typer.Option(help="How a fact that several timestamps support is kept.", rich_help_panel=REASONING),
    ] = KeepChoice.newest,
    unique_names: Annotated[
        bool,
        typer.Option(
            "--unique-names/--no-unique-names",
            help="Whether different names are different things; if not, equality is reasoned with.",
            rich_help_panel=REASONING,
        ),
    ] = True,
    max_facts: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many facts there may be after an ABox, derived ones too.",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    max_bytes: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="How many bytes the window may take: 200MB, 1.5GiB.", rich_help_panel=LIMITS
        ),
    ] = None,
    on_limit: Annotated[
        OnLimitChoice,
        typer.Option(
            help="Where that is too little: an error, or the oldest timestamps leave early.",
            rich_help_panel=LIMITS,
        ),
    ] = OnLimitChoice.error,
    query: Annotated[
        Path | None,
        typer.Option(
            help="A SPARQL query, answered after every ABox; without, a line on each update.",
            rich_help_panel=ANSWERS,
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(help="Where answers are written; by default standard output.", rich_help_panel=ANSWERS),
    ] = None,
    format_: Annotated[
        AnswerFormat | None,
        typer.Option(
            "--format",
            help="How answers are written; by default as --output's suffix says, else a table.",
            rich_help_panel=ANSWERS,
        ),
    ] = None,
    repairs: Annotated[
        bool,
        typer.Option(
            "--repairs",
            help="Say on standard error what each repair removed, and why.",
            rich_help_panel=ANSWERS,
        ),
    ] = False,
    spark: Annotated[
        str | None,
        typer.Option(
            metavar="MASTER",
            help="Read the stream and close its ABoxes on Spark: local\\[*], spark://host:7077. The whole "
            "stream is put in time order first, so nothing is late. It may be a folder or a glob, not stdin.",
            rich_help_panel=READING,
        ),
    ] = None,
) -> None:
    """`pantarhei run`."""
    from pantarhei.cli.follow import Following, follow
    from pantarhei.engine.options import Options
    from pantarhei.window.limits import Limits
    from pantarhei.window.sliding import Window

    if on_limit is OnLimitChoice.drop and max_facts is None and max_bytes is None:
        raise typer.BadParameter("drop needs a limit: --max-facts or --max-bytes", param_hint="--on-limit")
    with _errors():
        window = Window(
            _length(range_, "--range"),
            None if slide is None else _length(slide, "--slide"),
            0 if origin is None else _timestamp(origin, "--origin"),
            closed.value,
        )
        limits = Limits(max_facts, None if max_bytes is None else _bytes(max_bytes), on_limit.value)
        options = Following(
            ontology=ontology,
            stream=stream,
            reasoning=Options(window, repair.value, keep.value, unique_names, limits=limits),
            allowed_lateness=None
            if allowed_lateness is None
            else _length(allowed_lateness, "--allowed-lateness"),
            query=query,
            background=tuple(background or ()),
            time=time,
            on_error=on_error.value,
            catalog=catalog,
            imports=imports.value,
            stream_format=stream_format and stream_format.value,
            format=format_ and format_.value,
            output=output,
            repairs=repairs,
        )
        follow(options, _source(options, spark))


def _source(options: Following, master: str | None) -> Source:
    """Where the updates come from; Spark is imported only if it is asked for."""
    if master is None:
        from pantarhei.cli.follow import FileSource

        try:
            return FileSource(options)
        except OptionError as error:
            if error.option != "source":
                raise
            raise OptionError("stream", error.given, error.expected) from None
    from pantarhei.cli.follow_on_spark import SparkSource

    return SparkSource(options, master)


@app.command(
    cls=EachOnce,
    help=CHECK,
    epilog="[bold]Example[/bold]\n\npantarhei check ontologies/pedals.ttl --details --depth 3",
)
def check(
    ontology: Annotated[
        Path, typer.Argument(help="The ontology: Turtle, RDF/XML, OWL/XML, N-Triples, JSON-LD.")
    ],
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if something of the ontology is lost.")
    ] = False,
    details: Annotated[
        bool, typer.Option("--details", help="Show every axiom and the rules it makes, nothing shortened.")
    ] = False,
    depth: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Show the inconsistency-normal form too, unfolded to this depth.",
        ),
    ] = None,
    catalog: Annotated[
        Path | None, typer.Option(help="Where imports are found; nothing is ever fetched.")
    ] = None,
    imports: Annotated[
        ImportsChoice, typer.Option(help="What to do with imports that are not found.")
    ] = ImportsChoice.error,
    format_: Annotated[
        ReportFormat, typer.Option("--format", help="How the report is written.")
    ] = ReportFormat.text,
) -> None:
    """`pantarhei check`."""
    with _errors():
        import pantarhei as pr
        from pantarhei.cli.follow import format_told_by

        with format_told_by(None):
            loaded = pr.load_ontology(ontology, catalog=catalog, imports=imports.value)
        report = loaded.report()
        form = loaded.inconsistency_normal_form(depth=3 if depth is None else depth)
        if format_ is ReportFormat.json:
            whole = json.loads(report.to_json())
            if depth is not None:
                whole["inconsistency_normal_form"] = told_apart(form.to_data, loaded.names)
            typer.echo(json.dumps(whole, ensure_ascii=False, indent=2))
        else:
            typer.echo(report.text(details=details))
            if depth is not None:
                text = told_apart(form.__str__, loaded.names)
                typer.echo(f"\nInconsistency-normal form, unfolded to depth {depth}:\n{text}")
            elif not loaded.triples:
                typer.echo("the document holds no triples")
            elif not details:
                meaning = (
                    "; --depth 3 shows what they mean in terms of assertions" if form.constraints else ""
                )
                typer.echo(f"\n{form.summary()}{meaning}")
                typer.echo("--details shows every axiom with its rules, --format json everything")
        if strict and report.losses:
            raise _failed(f"lost in whole or in part: {len(report.losses)}; --strict allows no loss", 1)


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
        from pantarhei.demo import main as show

        show(small=small, spark=spark)


@contextmanager
def _errors() -> Iterator[None]:
    """Errors in what was given become a line on standard error and an exit code."""
    try:
        yield
    except OptionError as error:
        raise _failed(as_typed(error, option_names()), 2) from None
    except MissingImportError as error:
        where = f"{error.importing} imports <{error.iri}>, which is in no catalog"
        raise _failed(f"{where}; give its folder as --catalog, or go on with --imports skip", 1) from None
    except SparkError as error:
        raise _failed(one_line(as_typed(error, option_names())), 1) from None
    except PantarheiError as error:
        raise _failed(as_typed(error, option_names()), 1) from None
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
    return frozenset(name.rstrip("_") for command in (run, check) for name in signature(command).parameters)


def _failed(message: str, code: int) -> typer.Exit:
    typer.echo(f"{typer.style('error:', fg='red', bold=True)} {message}", err=True)
    return typer.Exit(code)


def _close_quietly() -> None:
    """Nobody reads standard output any more: what is still buffered must not raise when the process ends."""
    sys.stdout = open("/dev/null" if sys.platform != "win32" else "nul", "w")  # noqa: SIM115


def main() -> None:
    """The entry point."""
    warnings.showwarning = _warn
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
    print(f"warning: {message}", file=sys.stderr)
