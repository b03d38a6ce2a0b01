"""Options of the commands that process a stream: names, types, defaults and help."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from pantarhei.cli.given_values import (
    bytes_of,
    check_calendar_length,
    format_by_suffix,
    length_of,
    seconds_given,
    time_of,
)
from pantarhei.errors import OptionError, TimestampError
from pantarhei.model.time import Duration, TimeKind, TimePoint, ticks_of

if TYPE_CHECKING:
    from pantarhei.engine.options import Options
    from pantarhei.io.reader import Silence
    from pantarhei.window.sliding import Window

Imports = Literal["error", "skip"]
ONTOLOGY_HELP = (
    "Ontology in Turtle, RDF/XML, OWL/XML, functional or Manchester syntax, N-Triples or JSON-LD; a file, a "
    "folder or a glob. May be repeated; several are merged."
)
ConclusionsIn = Literal["graph", "default"]

LANGUAGE_HELP = (
    "Language of the labels of names, such as de or de-AT; by default the language of the environment "
    "(LC_ALL, LC_MESSAGES, LANG), otherwise English. May be repeated, the preferred one first."
)

# Options by the groups in which the help shows them.
INPUT, READING, WINDOW, REASONING, LIMITS, ANSWERS, EXPLAINING, DRAWING = (
    partial(Option, rich_help_panel=title)
    for title in (
        "Input", "Reading the stream", "Window", "Reasoning", "Limits", "Answers", "Explanation", "Picture",
    )
)  # fmt: skip

_EXPLAINED_AS = {
    ".txt": "text", ".json": "json", ".ttl": "rdf", ".dot": "dot", ".gv": "dot", ".svg": "svg",
    ".html": "html",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """Options of all commands that read a stream."""

    ontology: Annotated[
        list[str],
        INPUT(
            metavar="PATH",
            help=ONTOLOGY_HELP,
        ),
    ]
    stream: Annotated[
        str,
        INPUT(
            metavar="PATH",
            help="Stream in N-Quads, TriG or JSON-LD, or a message log; with --mapping a table in CSV, JSON "
            "or Parquet, or a folder or glob of tables; - for stdin.",
        ),
    ]
    range: Annotated[
        str | None,
        WINDOW(
            metavar="DURATION",
            help="Length of the window, such as 5m, 1h30m or PT5M; a number if times are numbers. Required "
            "unless the query declares its window.",
        ),
    ] = None
    mapping: Annotated[
        str | None,
        INPUT(
            metavar="FILE",
            help="Mapping of a table's rows to triples; [bold]pantarhei map[/bold] writes a first draft.",
        ),
    ] = None
    background: Annotated[
        list[Path] | None,
        INPUT(
            metavar="PATH",
            help="Facts that hold at every time and are never removed: a file, a folder or a glob. May be "
            "repeated.",
        ),
    ] = None
    catalog: Annotated[
        Path | None,
        INPUT(
            metavar="PATH",
            help="Folder or XML catalog with imported ontologies. Nothing is fetched.",
        ),
    ] = None
    imports: Annotated[Imports, INPUT(help="Handling of imports that are not found.")] = "error"
    language: Annotated[list[str] | None, INPUT(metavar="TAG", help=LANGUAGE_HELP)] = None
    stream_format: Annotated[
        Literal[
            "nquads",
            "trig",
            "jsonld",
            "ngsi-ld",
            "ntriples",
            "turtle",
            "csv",
            "tsv",
            "jsonl",
            "json",
            "parquet",
        ]
        | None,
        READING(help="Format of the stream, if not given by its suffix."),
    ] = None
    time: Annotated[
        str,
        READING(
            metavar="auto|graph|IRI",
            help="Where the time of a graph is stated: in its name, or by the property with this IRI.",
        ),
    ] = "auto"
    base: Annotated[str | None, READING(metavar="IRI", help="Base of relative IRIs in the stream.")] = None
    context: Annotated[
        list[str] | None,
        READING(
            metavar="IRI=FILE",
            help="File of a context that JSON-LD documents refer to; nothing is fetched. May be repeated.",
        ),
    ] = None
    zone: Annotated[
        str | None,
        READING(metavar="ZONE", help="Time zone of times without one: Europe/Berlin, UTC, +01:00."),
    ] = None
    precision: Annotated[
        Literal["microseconds", "exact"] | None,
        READING(
            help="Handling of times finer than microseconds: cut and count them (the default), or refuse "
            "them (exact)."
        ),
    ] = None
    on_error: Annotated[
        Literal["raise", "skip"],
        READING(
            help="Handling of invalid input, and of ABoxes that are late or too far ahead: end with an "
            "error, or skip them."
        ),
    ] = "raise"
    allowed_lateness: Annotated[
        str | None,
        READING(
            metavar="DURATION",
            help="Hold each ABox back for this duration, so that late ABoxes are sorted into time order. By "
            "default, ABoxes must arrive in time order.",
        ),
    ] = None
    max_ahead: Annotated[
        str | None,
        READING(
            metavar="DURATION",
            help="Maximum distance of a timestamp ahead of the newest one, or of --clock. An ABox further "
            "ahead is held back until three others confirm that time has advanced; otherwise it is an error, "
            "or skipped with --on-error skip. By default unlimited.",
        ),
    ] = None
    clock: Annotated[
        Literal["wall"] | None,
        READING(help="Compare timestamps with the machine's clock for --max-ahead."),
    ] = None
    slide: Annotated[
        str | None,
        WINDOW(metavar="DURATION", help="Slide of the window; by default it moves with every ABox."),
    ] = None
    window_zone: Annotated[
        str | None,
        WINDOW(
            metavar="ZONE",
            help="Time zone of a calendar window, whose range and slide are days (1d, P1D), weeks, months or "
            "years: windows end at local midnights.",
        ),
    ] = None
    origin: Annotated[
        str | None, WINDOW(metavar="TIME", help="Instant to which the ends of windows are aligned.")
    ] = None
    closed: Annotated[
        Literal["both", "right", "left"] | None,
        WINDOW(
            help="Ends that belong to the window: both, only the newer one (right) or only the older one "
            "(left). By default both, but right for a window declared in the query; left is valid only there."
        ),
    ] = None
    repair: Annotated[
        Literal["exact", "grounded", "algorithm3", "off"], REASONING(help="Method of repair.")
    ] = "exact"
    keep: Annotated[
        Literal["newest", "every"],
        REASONING(
            help="Timestamps kept for a fact that is asserted several times: the newest, or every one."
        ),
    ] = "newest"
    unique_names: Annotated[
        bool,
        REASONING(
            "--unique-names/--no-unique-names",
            help="Assume that different names denote different things; otherwise reason with equality.",
        ),
    ] = True
    numbers: Annotated[
        Literal["by_datatype", "by_value"],
        REASONING(
            help="Comparison of xsd:double with decimals: always different (by_datatype), or equal to the "
            "exact decimal (by_value)."
        ),
    ] = "by_datatype"
    max_facts: Annotated[
        int | None, LIMITS(min=1, help="Maximum number of facts, including derived ones.")
    ] = None
    max_bytes: Annotated[
        str | None, LIMITS(metavar="SIZE", help="Maximum memory of the window: 200MB, 1.5GiB.")
    ] = None
    on_limit: Annotated[
        Literal["error", "drop"],
        LIMITS(help="When a limit is exceeded, end with an error, or drop the oldest timestamps early."),
    ] = "error"

    def reasoning(self, window: Window | None = None) -> Options:
        """Return the options of the reasoner.

        Args:
            window: the reasoner's window; None for the window of these options.

        Raises:
            BadParameter: a length, a time or a size is invalid, or `--closed left` is given, which is valid
                only for windows declared in a query.
            OptionError: the window is invalid.
        """
        from pantarhei.engine.options import Options
        from pantarhei.window.retention import Limits
        from pantarhei.window.sliding import Window

        if window is None:
            slide = None if self.slide is None else length_of(self.slide, "--slide")
            window = self._calendar_window or Window(self.length, slide, self.first_boundary, self._own_ends)
        limits = Limits(
            self.max_facts, None if self.max_bytes is None else bytes_of(self.max_bytes), self.on_limit
        )
        names = self.unique_names
        return Options(window, self.repair, self.keep, names, limits=limits, numbers=self.numbers)

    @property
    def _calendar_window(self) -> Window | None:
        """Window of calendar days in a time zone; None without `--window-zone`.

        Raises:
            BadParameter: the range is missing or invalid.
            OptionError: the zone or the window is invalid.
        """
        from pantarhei.window.sliding import Window

        if self.window_zone is None:
            return None
        for option, text in (("--range", self._given_range), ("--slide", self.slide)):
            if text is not None:
                check_calendar_length(text, option)
        given = self._given_range, self.slide, self.first_boundary, self._own_ends, self.window_zone
        try:
            return Window(*given)
        except TimestampError as error:  # of the origin, since the lengths have been checked
            raise typer.BadParameter(str(error), param_hint="--origin") from None
        except OptionError as error:
            option = "window_zone" if error.option == "zone" else error.option
            raise OptionError(option, error.given, error.expected) from None

    @property
    def _given_range(self) -> str:
        """Text of `--range`. Raises `BadParameter` if it is not given."""
        if self.range is None:
            problem = (
                "the length of the window is missing; give a duration such as 5m, 1d or PT5M, or a number if "
                "times are numbers"
            )
            raise typer.BadParameter(problem, param_hint="--range")
        return self.range

    @property
    def length(self) -> Duration:
        """Length of the window. Raises `BadParameter` if it is invalid."""
        return length_of(self._given_range, "--range")

    @property
    def _own_ends(self) -> Literal["both", "right"]:
        """Included ends of the reasoner's window. Raises `BadParameter` for `--closed left`."""
        if self.closed == "left":
            problem = (
                "left excludes the newest ABox; use both or right (left is valid only for windows declared "
                "in a query)"
            )
            raise typer.BadParameter(problem, param_hint="--closed")
        return self.closed or "both"

    @property
    def first_boundary(self) -> TimePoint:
        """Instant to which the ends of the window are aligned. Raises `BadParameter` if it is not a time."""
        return 0 if self.origin is None else time_of(self.origin, "--origin")

    @property
    def disorder(self) -> dict[str, Any]:
        """Arguments of `StreamReasoner.run` that bound the disorder of the stream.

        Raises:
            BadParameter: a duration is invalid, or its kind (number or duration) is not the window's;
                `--clock` is given without `--max-ahead`, or with a window of numbers.
        """
        given: dict[str, Any] = {}
        for name, text in (("allowed_lateness", self.allowed_lateness), ("max_ahead", self.max_ahead)):
            if text is not None:
                option = f"--{name.replace('_', '-')}"
                length = given[name] = length_of(text, option)
                if self._is_timed is (not isinstance(length, timedelta)):
                    problem = (
                        f"{text} and --range {self.range} are of different kinds; give two durations or "
                        "two numbers"
                    )
                    raise typer.BadParameter(problem, param_hint=option)
        if self.clock is not None:
            if self.max_ahead is None:
                problem = "it needs a maximum distance ahead of the clock; give --max-ahead DURATION"
                raise typer.BadParameter(problem, param_hint="--clock")
            if self._is_timed is False:
                problem = f"the clock has dates and times, but --range {self.range} is a number; omit --clock"
                raise typer.BadParameter(problem, param_hint="--clock")
            given["clock"] = partial(datetime.now, UTC)
        return given

    @property
    def _is_timed(self) -> bool | None:
        """True for a window over datetimes, False for a window over numbers, None if it may be either."""
        if self.window_zone is not None:
            return True
        if self.range is None or self.length == 0:
            return None
        return isinstance(self.length, timedelta)


@dataclass(frozen=True, slots=True)
class RuleOptions(StreamOptions):
    """Options of commands that evaluate temporal rules."""

    rules: Annotated[
        Path | None,
        REASONING(
            metavar="FILE",
            help="Temporal rules to evaluate; the ontology's prefixes need no declaration. Without a query, "
            "[bold]run[/bold] writes a line for each conclusion that begins ([bold]+[/bold]) or ends "
            "([bold]-[/bold]).",
        ),
    ] = None
    feedback: Annotated[
        bool,
        REASONING(
            "--feedback",
            help="Assert the conclusions of each tick as facts at the next tick. Like other facts of the "
            "stream, they entail further facts, and repairs can remove them.",
        ),
    ] = False
    tick: Annotated[
        str | None,
        WINDOW(metavar="DURATION", help="Length of a tick of temporal rules; by default the slide."),
    ] = None

    def reasoning(self, window: Window | None = None) -> Options:
        """Return the options of the reasoner, including the tick. Raises `BadParameter` and `OptionError`."""
        options = StreamOptions.reasoning(self, window)
        if self.tick is None:
            return options
        if self.rules is None:
            raise typer.BadParameter(
                "temporal rules are evaluated at ticks; give --rules FILE", param_hint="--tick"
            )
        return replace(options, tick=length_of(self.tick, "--tick"))


@dataclass(frozen=True, slots=True)
class RunOptions(RuleOptions):
    """Options of `pantarhei run`."""

    derive: Annotated[
        Literal["all", "needed"],
        REASONING(help="Derive all conclusions, or those needed for the query and the constraints."),
    ] = "all"
    query: Annotated[
        str | None,
        ANSWERS(
            metavar="FILE|TEXT",
            help="SPARQL query, answered after every ABox, or a query in C-SPARQL, RSP-QL or CQELS, which "
            "declares its window and its times of report; the ontology's prefixes need no declaration. "
            "Without a query, a line is written for each update.",
        ),
    ] = None
    static: Annotated[
        list[str] | None,
        ANSWERS(
            metavar="IRI=FILE",
            help="Static graph of a query in C-SPARQL, RSP-QL or CQELS: the IRI of its FROM or FROM NAMED, "
            "and the file. May be repeated.",
        ),
    ] = None
    conclusions: Annotated[
        ConclusionsIn | None,
        ANSWERS(
            help="Graph of the conclusions of temporal rules for the query: the default graph (by default), "
            "or only the graph <urn:pantarhei:conclusions>."
        ),
    ] = None
    models: Annotated[
        int | None,
        REASONING(
            min=0,
            metavar="N",
            help="Write N answer streams of the rules after each ABox, 0 for all; the rules need no strata. "
            "Requires clingo (pip install 'pantarhei[clingo]').",
        ),
    ] = None
    emit: Annotated[
        Literal["answers", "changes"],
        ANSWERS(
            help="Output of the query: all answers, or only inserted ([bold]+[/bold]) and deleted "
            "([bold]-[/bold]) rows."
        ),
    ] = "answers"
    query_timeout: Annotated[
        float | None,
        ANSWERS(
            parser=seconds_given,
            metavar="DURATION",
            help="Time limit of each evaluation of the query, such as 500ms; a number is in seconds.",
        ),
    ] = None
    output: Annotated[
        str | None,
        ANSWERS(
            "--output",
            "-o",
            metavar="FILE",
            help="File for the answers; by default standard output. An existing file is not changed without "
            "--append.",
        ),
    ] = None
    append: Annotated[
        bool, ANSWERS("--append", help="Append to the files of --output, --history and --dead-letters.")
    ] = False
    idle: Annotated[
        str | None,
        READING(
            metavar="DURATION",
            help="After this time without input, time follows the machine's clock, this duration behind it, "
            "so that rules on silence fire. For standard input and pipes.",
        ),
    ] = None
    dead_letters: Annotated[
        str | None,
        READING(
            metavar="FILE",
            help="File for skipped input, as NDJSON: malformed rows, and ABoxes that are late or too far "
            "ahead.",
        ),
    ] = None
    checkpoint: Annotated[
        Path | None,
        READING(
            metavar="FOLDER",
            help="Folder for a checkpoint, from which the same command continues after a crash. The output "
            "file is then that of a run without interruption.",
        ),
    ] = None
    format: Annotated[
        Literal["table", "ndjson", "csv", "tsv", "parquet"] | None,
        ANSWERS(help="Format of the answers; by default by the suffix of --output, else a table."),
    ] = None
    repairs: Annotated[
        bool,
        ANSWERS(
            "--repairs",
            help="Report the facts that each repair removed, with reasons, on standard error. Contradictions "
            "of one kind share one proof.",
        ),
    ] = False
    history: Annotated[
        str | None,
        ANSWERS(
            metavar="FILE",
            help="File for the history, as NDJSON: each assertion that has left the window, with the reason, "
            "and the conflicts of removed assertions.",
        ),
    ] = None
    spark: Annotated[
        str | None,
        READING(
            metavar="MASTER",
            help="Read the stream and materialize its ABoxes on Spark: local\\[*], spark://host:7077. The "
            "whole stream is sorted by time first, so that no ABox is late. The stream must be a file, a "
            "folder or a glob, not stdin.",
        ),
    ] = None

    def reasoning(self, window: Window | None = None) -> Options:
        """Return the options of the reasoner, including those for derivation, history and conclusions."""
        from pantarhei.io.writers import NDJSONSink
        from pantarhei.window.retention import History

        history = History(sink=None if self.history is None else NDJSONSink(self.history))
        options = replace(RuleOptions.reasoning(self, window), derive=self.derive, history=history)
        return replace(options, conclusions=self._conclusions_in)

    @property
    def silence(self) -> Silence | None:
        """Ticks while the stream is silent; None without `--idle`.

        Raises:
            BadParameter: the duration is not above 0, or the window has numbers.
        """
        from pantarhei.io.reader import Silence

        if self.idle is None:
            return None
        idle, given = length_of(self.idle, "--idle"), self.tick or self.slide
        tick = timedelta(seconds=1) if given is None else length_of(given, "--tick")
        if self._is_timed is False or not isinstance(tick, timedelta):
            problem = "the clock has dates and times, but the window has numbers; omit --idle"
            raise typer.BadParameter(problem, param_hint="--idle")
        if not isinstance(idle, timedelta) or idle <= timedelta(0):
            problem = f"{self.idle} is not a duration above 0, such as 5s"
            raise typer.BadParameter(problem, param_hint="--idle")
        return Silence(idle, tick)

    @property
    def _conclusions_in(self) -> ConclusionsIn:
        """Graph in which queries match conclusions of rules; by default the default graph.

        Raises:
            BadParameter: `--conclusions` is given without rules or without a query.
        """
        if self.rules is not None and self.query is not None:
            return self.conclusions or "default"
        if self.conclusions is not None:
            problem = "only a query over conclusions of rules needs it; give both --rules and --query"
            raise typer.BadParameter(problem, param_hint="--conclusions")
        return "graph"


@dataclass(frozen=True, slots=True)
class ExplainOptions(RuleOptions):
    """Options of `pantarhei explain`."""

    stream: Annotated[
        str,
        INPUT(
            metavar="PATH",
            show_default=False,
            help="Stream, as for [bold]run[/bold]. Without a stream, statements entailed by the ontology and "
            "the background are explained; axioms always are.",
        ),
    ] = ""
    triple: Annotated[
        str,
        Argument(
            metavar="TRIPLE",
            help="Statement to explain: a triple or an axiom in Turtle, with the prefixes of the ontology "
            "and the background; the name of an unsatisfiable class or property; with --rules also a "
            "conclusion in the syntax of rules.",
        ),
    ] = field(kw_only=True)
    at: Annotated[
        str | None, READING(metavar="TIME", help="Time of the statement; by default the end of the stream.")
    ] = None
    all: Annotated[
        bool,
        EXPLAINING(
            "--all",
            help="Show one explanation for each minimal set of supporting assertions; without --stream, for "
            "each minimal set of axioms and assertions.",
        ),
    ] = False
    why_not: Annotated[
        bool,
        EXPLAINING(
            "--why-not",
            help="Explain why the statement does not hold: the missing facts, and why they are missing.",
        ),
    ] = False
    limit: Annotated[
        int | None,
        EXPLAINING(
            min=1,
            help="Maximum number of inspected rule instances, by default 10,000; with --why-not maximum "
            "number of shown sets of missing facts, by default 5.",
        ),
    ] = None
    format: Annotated[
        Literal["text", "json", "rdf", "dot", "svg", "html"] | None,
        EXPLAINING(
            help="Tree of sentences, JSON, PROV-O in Turtle, Graphviz text, picture, or page with foldable "
            "branches; by default by the suffix of --output (.txt, .json, .ttl, .dot, .svg, .html), else "
            "text."
        ),
    ] = None
    output: Annotated[
        Path | None,
        EXPLAINING("--output", "-o", metavar="FILE", help="Output file; by default standard output."),
    ] = None
    overwrite: Annotated[bool, EXPLAINING("--overwrite", help="Replace an existing file.")] = False

    @property
    def form(self) -> str:
        """Output format. Raises `UnknownFormatError` for an unknown suffix of the output."""
        return format_by_suffix(self.output, self.format, "text", _EXPLAINED_AS, "format")

    @property
    def time_of_question(self) -> TimePoint | None:
        """Time of the statement; None for the end of the stream. Raises `BadParameter` if it is invalid."""
        return None if self.at is None else time_of(self.at, "--at")


@dataclass(frozen=True, slots=True)
class TimelineOptions(RuleOptions):
    """Options of `pantarhei timeline`."""

    output: Annotated[
        Path | None,
        DRAWING("--output", "-o", metavar="FILE", help="Output file, .svg; by default standard output."),
    ] = None
    overwrite: Annotated[bool, DRAWING("--overwrite", help="Replace an existing file.")] = False
    first: Annotated[str | None, DRAWING("--from", metavar="TIME", help="First time to draw.")] = None
    last: Annotated[str | None, DRAWING("--until", metavar="TIME", help="Last time to draw.")] = None
    step: Annotated[
        str | None,
        DRAWING(
            metavar="TIME",
            help="Draw the changes of the last step at or before this time, by cause, instead of windows.",
        ),
    ] = None

    @property
    def time_of_step(self) -> TimePoint | None:
        """Time of the step to draw; None for several steps.

        Raises:
            BadParameter: the time is invalid, or given with `--rules`, `--from` or `--until`.
        """
        others = {"--rules": self.rules, "--from": self.first, "--until": self.last}
        given = next((name for name, value in others.items() if value is not None), None)
        if self.step is not None and given is not None:
            problem = f"it draws a single step and cannot be combined with {given}; omit one of them"
            raise typer.BadParameter(problem, param_hint="--step")
        return None if self.step is None else time_of(self.step, "--step")

    @property
    def times(self) -> tuple[TimePoint | None, TimePoint | None]:
        """First and last time to draw.

        Raises:
            BadParameter: a time is invalid, the last is before the first, or they are a number and a date.
        """
        first = None if self.first is None else time_of(self.first, "--from")
        last = None if self.last is None else time_of(self.last, "--until")
        if first is None or last is None:
            return first, last
        wrong, kind = None, TimeKind.DATETIME if isinstance(first, datetime) else TimeKind.FLOAT
        if isinstance(first, datetime) is not isinstance(last, datetime):
            wrong = (
                f"{self.last} and --from {self.first} are of different kinds; give two dates or two numbers"
            )
        elif ticks_of(last, kind) < ticks_of(first, kind):
            wrong = f"{self.last} is before --from {self.first}; give a later time"
        if wrong:
            raise typer.BadParameter(wrong, param_hint="--until")
        return first, last
