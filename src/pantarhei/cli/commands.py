"""Commands `pantarhei run`, `explain`, `timeline`, `check`, `serve`, `map` and `demo`.

Answers are written to standard output or a file; everything else (progress, summary, errors) to standard
error. The exit code is 0 for success, 1 for an error in the input, 2 for wrong usage, 130 when interrupted
(SIGINT), 141 if the reader of standard output has closed it, and 143 when terminated (SIGTERM).
"""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TextIO, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand

from pantarhei.cli.check_options import CheckOptions
from pantarhei.cli.run_options import ExplainOptions, RunOptions, StreamOptions, TimelineOptions
from pantarhei.errors import MissingFileError, MissingImportError, OptionError, PantarheiError, SparkError
from pantarhei.errors.base import parameters_written
from pantarhei.model.message_text import did_you_mean
from pantarhei.version import __version__

if TYPE_CHECKING:
    from typer._click.core import Context  # typer has no public name for it

    from pantarhei.cli.follow import StreamSource


ABOUT = (
    "Reason over streams with an OWL 2 RL ontology.\n\n"
    "A window slides over a stream of timestamped facts. Its materialization is maintained incrementally, "
    "and contradictions are repaired on arrival: newer facts win.\n\n"
    "Inspect an ontology with [bold]pantarhei check[/bold], then use [bold]pantarhei run[/bold]. In a source "
    "checkout, start with [bold]pantarhei demo[/bold]."
)
RUN = (
    "Process a stream: maintain and repair the materialization of a window, and answer a query after every "
    "ABox, or at the times of a query in C-SPARQL, RSP-QL or CQELS. With --rules, evaluate temporal "
    "rules.\n\nEach graph of the stream is an ABox with a time. Contradictions are repaired on arrival: the "
    "newest facts are kept. Facts that leave the window are deleted with their conclusions."
)
RUN_EXAMPLES = (
    "[bold]Examples[/bold]\n\n"
    "pantarhei run --ontology ontologies/pedals.ttl --stream examples/pedals/stream.trig --range 2 "
    "--query examples/pedals/query.rq\n\n"
    "producer | pantarhei run --ontology O.ttl --stream - --stream-format nquads --range PT5M --slide PT1M "
    "--query Q.rq --output answers.ndjson\n\n"
    "pantarhei run --ontology O.ttl --stream S.nq --emit changes --query 'SELECT ?x FROM STREAM <urn:s> "
    "\\[RANGE 10s STEP 1s] { ?x a ?c }'\n\n"
    "pantarhei run --ontology ontologies/reactor.ttl --stream examples/reactor/shift.trig --range PT1M "
    "--slide PT30S --rules examples/reactor/alarms.lars\n\n"
    "pantarhei run --spark 'local\\[*]' --ontology O.ttl --stream 'readings/*.nq' --range PT5M --query Q.rq"
)
EXPLAIN = (
    "Explain why a triple holds at a time of a stream: its derivation from timestamped assertions, the "
    "background, and the axioms of the ontology. With --rules, also explain a conclusion of temporal rules "
    "by the ticks at which its conditions held. With --why-not, explain why a triple does not hold: the "
    "missing facts, and what happened to them.\n\n"
    "Axioms, and triples without --stream, are explained from the ontology and the background. The name of a "
    "class or property alone is explained if it can have no instance. The stream is "
    "processed until --at as [bold]pantarhei run[/bold] does with the same options. The exit code is 1 if "
    "the triple does not hold then, or with --why-not if it does."
)
EXPLAIN_EXAMPLES = (
    "[bold]Examples[/bold]\n\n"
    "pantarhei explain --ontology ontologies/pedals.ttl --stream examples/pedals/stream.trig --range 2 "
    "':alex a :HaltingDriver'\n\n"
    "pantarhei explain --ontology O.ttl ':Sub rdfs:subClassOf :Animal'\n\n"
    "pantarhei explain --ontology O.ttl --stream S.nq --range PT5M --at 2026-03-02T07:54:00Z "
    "-o why.svg ':room-4 a :Occupied'\n\n"
    "pantarhei explain --ontology ontologies/reactor.ttl --stream examples/reactor/shift.trig --range PT1M "
    "--slide PT30S --rules examples/reactor/alarms.lars --at 2026-03-02T14:07:00Z ':vessel a :callOut'"
)
TIMELINE = (
    "Draw a stream as an SVG picture: the window at each step, and the facts that repairs removed, with the "
    "facts that contradicted them.\n\n"
    "The stream is processed as [bold]pantarhei run[/bold] does with the same options. The picture shows the "
    "last 60 steps, or the last 60 between --from and --until. With --rules, it shows the conclusions of "
    "temporal rules over time, above the facts on which they depend; with --step, the changes of one step by "
    "their causes."
)
TIMELINE_EXAMPLES = (
    "[bold]Examples[/bold]\n\n"
    "pantarhei timeline --ontology ontologies/pedals.ttl --stream examples/pedals/stream.trig --range 2 -o "
    "timeline.svg\n\n"
    "pantarhei timeline --ontology ontologies/reactor.ttl --stream examples/reactor/shift.trig --range PT1M "
    "--slide PT30S --rules examples/reactor/alarms.lars -o alarms.svg"
)
MAP = (
    "Read the first rows of a table and write a first draft of a mapping: the column and format of the time, "
    "the column of identifiers, and the columns of numbers with their units.\n\n"
    "The mapping is written to standard output, with comments on each guess. Check each line, replace names "
    "by those of your ontology, and use it with [bold]pantarhei run --mapping[/bold]."
)
MAP_EXAMPLES = "[bold]Example[/bold]\n\npantarhei map readings.csv > readings.yaml"
DEMO = (
    "Demonstrate windows and repairs on three streams with contradictions.\n\n"
    "Run it in a source checkout, since it reads the ontologies and examples there."
)
CHECK = (
    "Load an ontology and report how each axiom is translated: to rules, constraints or background, or why "
    "not. With --rules, report the strata of temporal rules, the remembered predicates, and the sizes of "
    "windows.\n\nThe report begins with all contradictions of an inconsistent ontology, or those for which "
    "[bold]run[/bold] would refuse it. A summary follows: numbers of translated axioms, lost axioms with "
    "reasons, unsatisfiable classes, equal names, and axioms outside OWL 2 DL.\n\nExit statuses: 0, the "
    "check succeeds; 1, the ontology is inconsistent or cannot be read, rules are refused, or a condition of "
    "--fail-on or --strict holds; 2, the command line is invalid."
)
CHECK_EXAMPLES = (
    "[bold]Examples[/bold]\n\n"
    "pantarhei check --ontology ontologies/pedals.ttl --details --depth 3\n\n"
    "pantarhei check --ontology ontologies/reactor.ttl --rules examples/reactor/alarms.lars --range 1m "
    "--slide 30s"
)


SERVE = (
    "Run a service: messages of brokers, HTTP or files are journaled and processed by a reasoner, and its "
    "changes are written to databases, files and brokers. SPARQL, events, metrics and a page are served over "
    "HTTP.\n\nThe service runs until SIGTERM or Ctrl-C. After a crash, start it again: it restores the last "
    "checkpoint and processes newer records of the journal."
)
SERVE_EXAMPLES = (
    "[bold]Examples[/bold]\n\n"
    "pantarhei serve --init site.yaml\n\n"
    "pantarhei serve --check site.yaml\n\n"
    "pantarhei serve site.yaml"
)


Given = TypeVar("Given")
TableFormat = Literal["csv", "tsv", "jsonl", "json", "parquet"]
_OF_PATHS = re.compile("PATH|FILE|TABLE")


def with_options(options: type[Given]) -> Callable[[Callable[[Given], None]], Callable[..., None]]:
    """Return a decorator for commands that take one argument, an instance of the dataclass `options`.

    The decorated command has the fields of the dataclass as its parameters, from which typer creates options.
    """

    def command_of(follow: Callable[[Given], None]) -> Callable[..., None]:
        @wraps(follow)
        def command(**given: Any) -> None:
            follow(options(**given))

        command.__signature__ = signature(options, eval_str=True)  # type: ignore[attr-defined]
        command.__annotations__ = get_type_hints(options)
        return command

    return command_of


class StrictCommand(TyperCommand):
    """Command that refuses a repeated option unless it takes several values, and an empty path.

    An empty path would mean the current folder. An option or argument is a path if its `metavar` is one.
    """

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        values, rest, given = self.make_parser(ctx).parse_args(list(args))
        if rest and not any(each.param_type_name == "argument" for each in self.params):
            problem = (
                "is not the value of an option; put a glob in quotation marks, or repeat the option for "
                "each file"
            )
            raise typer.BadParameter(f"{rest[0]} {problem}")
        for option, times in Counter(given).items():
            if times > 1 and not option.multiple:
                raise typer.BadParameter(
                    f"it is given {times} times; give it once", param_hint=option.opts[0]
                )
        for each in self.params:
            value = values.get(each.name)
            is_empty = "" in value if isinstance(value, list | tuple) else value == ""
            if is_empty and each.metavar and _OF_PATHS.search(each.metavar):
                problem = f"it is empty; give {each.metavar.strip('[].')}"
                raise typer.BadParameter(problem, param_hint=each.opts[0])
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            text = values.get(error.param.name) if error.param else None
            if isinstance(text, str):
                error.message = _invalid_value(text, error.message)
            raise


def _invalid_value(given: str, message: str) -> str:
    """Rewrite Pydantic's message on the value of an option, so that it names the value.

    >>> _invalid_value("exakt", "Value error, 'exakt' is not one of 'exact', 'off'.")
    "'exakt' is not one of 'exact', 'off' (did you mean exact?)"
    >>> _invalid_value("0", "Input should be greater than or equal to 1")
    "'0' is invalid: input should be greater than or equal to 1"
    """
    problem = message.removeprefix("Value error, ").removesuffix(".")
    if given not in problem:
        return f"{given!r} is invalid: {problem[:1].lower()}{problem[1:]}"
    return problem + did_you_mean(given, re.findall("'([^']*)'", problem)[1:])


app = typer.Typer(
    name="pantarhei",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_given: bool) -> None:
    if is_given:
        typer.echo(f"pantarhei {__version__}")
        raise typer.Exit


@app.callback(help=ABOUT)
def pantarhei(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Declare the options of the program."""


@app.command(cls=StrictCommand, help=RUN, epilog=RUN_EXAMPLES)
@with_options(RunOptions)
def run(options: RunOptions) -> None:
    """`pantarhei run`."""
    from pantarhei.cli.follow import follow

    _check_limits(options)
    with _errors(), _terminating():
        follow(options, _source(options))


class _Terminated(KeyboardInterrupt):
    """Raised in the main thread when the process receives SIGTERM."""


@contextmanager
def _terminating() -> Iterator[None]:
    """Context in which SIGTERM raises `_Terminated`, as SIGINT raises `KeyboardInterrupt`."""
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


def _check_limits(options: StreamOptions) -> None:
    """Check that `--on-limit drop` is given together with a limit. Raises `BadParameter`."""
    if options.on_limit == "drop" and options.max_facts is None and options.max_bytes is None:
        raise typer.BadParameter(
            "drop needs a limit; give --max-facts or --max-bytes", param_hint="--on-limit"
        )


def _source(options: RunOptions) -> StreamSource:
    """Return the source of the stream; PySpark is imported only with `--spark`."""
    if options.spark is None:
        from pantarhei.cli.follow import FileSource

        return FileSource(options, silence=options.silence)
    from pantarhei.cli.follow_on_spark import SparkSource

    return SparkSource(options, options.spark)


@app.command(cls=StrictCommand, help=EXPLAIN, epilog=EXPLAIN_EXAMPLES)
@with_options(ExplainOptions)
def explain(options: ExplainOptions) -> None:
    """`pantarhei explain`."""
    from pantarhei.cli.explain_command import explain as say

    _check_limits(options)
    with _errors():
        say(options)


@app.command(cls=StrictCommand, help=TIMELINE, epilog=TIMELINE_EXAMPLES)
@with_options(TimelineOptions)
def timeline(options: TimelineOptions) -> None:
    """`pantarhei timeline`."""
    from pantarhei.cli.explain_command import draw

    _check_limits(options)
    with _errors():
        draw(options)


@app.command(cls=StrictCommand, help=CHECK, epilog=CHECK_EXAMPLES)
@with_options(CheckOptions)
def check(options: CheckOptions) -> None:
    """`pantarhei check`."""
    from pantarhei.cli.check_command import check as say

    with _errors():
        failure = say(options)
    if failure:
        raise _failed(failure, 1)


@app.command(cls=StrictCommand, help=SERVE, epilog=SERVE_EXAMPLES)
def serve(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="Configuration in YAML.")],
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Check configuration, files, brokers, databases and the address, and end."
        ),
    ] = False,
    init: Annotated[
        bool, typer.Option("--init", help="Write a commented configuration to CONFIG, and end.")
    ] = False,
    reader: Annotated[tuple[int, int, int] | None, typer.Option(hidden=True)] = None,
) -> None:
    """`pantarhei serve`."""
    from pantarhei.cli.serve_command import serve as run_serve

    with _errors():
        run_serve(config, check, init, reader)


@app.command("map", cls=StrictCommand, help=MAP, epilog=MAP_EXAMPLES)
def map_table(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="Table in CSV, JSON or Parquet; - for stdin.")
    ],
    stream_format: Annotated[
        TableFormat | None, typer.Option(help="Format of the table, if not given by its suffix.")
    ] = None,
    format: Annotated[TableFormat | None, typer.Option(hidden=True)] = None,
) -> None:
    """`pantarhei map`."""
    from pantarhei.cli.follow import naming_format
    from pantarhei.io.tables.guess import first_rows, guess

    with _errors(), naming_format("stream_format"):
        typer.echo(guess(*first_rows(table, stream_format or format)))


@app.command(cls=StrictCommand, help=DEMO, epilog="[bold]Example[/bold]\n\npantarhei demo --small")
def demo(
    small: Annotated[
        bool, typer.Option("--small", help="Use fewer readings, for an uncompiled kernel.")
    ] = False,
    spark: Annotated[
        bool, typer.Option("--spark/--no-spark", help="Run the last stream on Spark too.")
    ] = True,
) -> None:
    """`pantarhei demo`."""
    with _errors():
        sys.path.insert(0, str(_examples()))
        import_module("demo").main(small=small, spark=spark)


def _examples() -> Path:
    """Return the folder `examples` of the source checkout that contains this file, or of the current
    folder.
    """
    for checkout in (Path(__file__).resolve().parents[3], Path.cwd()):
        if (checkout / "examples" / "demo").is_dir():
            return checkout / "examples"
    reason = "the demo is part of a source checkout; run it in the folder with README.md"
    raise MissingFileError("examples/demo", reason)


@contextmanager
def _errors() -> Iterator[None]:
    """Context that turns errors into a line on standard error and an exit code; messages name options."""
    with parameters_written(as_option):
        try:
            yield
        except PantarheiError as error:
            raise _failed(_message(error), 2 if isinstance(error, OptionError) else 1) from None
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


def _message(error: PantarheiError) -> str:
    if isinstance(error, MissingImportError):
        where = f"{error.importing} imports <{error.iri}>, which {error.problem}"
        return f"{where}; give its folder or an XML catalog as --catalog, or go on with --imports skip"
    if isinstance(error, SparkError):  # its text may contain a worker's message, which names parameters
        return one_line(str(error).replace('on_error="skip"', as_option("on_error", "skip")))
    return str(error)


def one_line(text: str) -> str:
    """Join the lines of a text to one line.

    >>> one_line("no master answers:\\n    host: refused\\nstart one")
    'no master answers: host: refused; start one'
    """
    lines = [line.strip() for line in text.splitlines()]
    return "; ".join(lines).replace(":; ", ": ")


_OTHER_NAMES = {"master": "spark", "source": "stream", "query.timeout": "query_timeout"}


def as_option(name: str, value: str | None) -> str:
    """Return the option for a parameter of Python, with its value; empty if there is no such option.

    >>> as_option("max_facts", "1_000"), as_option("on_limit", '"drop"'), as_option("unique_names", "False")
    ('--max-facts 1000', '--on-limit drop', '--no-unique-names')
    """
    name = _OTHER_NAMES.get(name, name)
    if name not in option_names():
        return ""
    option = f"--{name.replace('_', '-')}"
    if value is None:
        return option
    value = value.strip("\"'")
    if value in ("True", "False"):
        return option if value == "True" else f"--no-{option[2:]}"
    is_number = value.replace("_", "").isdigit()
    return f"{option} {value.replace('_', '') if is_number else value}"


@cache
def option_names() -> frozenset[str]:
    """Return the names of the options of all commands, written as parameters of Python."""
    return frozenset(
        name for command in (run, explain, timeline, check) for name in signature(command).parameters
    )


def _failed(message: str, code: int) -> typer.Exit:
    typer.echo(f"{typer.style('error:', fg='red', bold=True)} {message}", err=True)
    return typer.Exit(code)


def _close_quietly() -> None:
    """Replace a closed standard output by the null device, so that flushing it at exit raises no error."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115


def main() -> None:
    """Run the command line."""
    warnings.showwarning = _warn
    if sys.stdin is None:  # closed by the caller
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
    """Print a warning on one line, without file and line of the code that issued it."""
    with parameters_written(as_option):
        print(f"warning: {message}", file=sys.stderr)
