"""The options of commands that follow a stream, each said once: its name, type, default and help."""

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
    length_of_range,
    length_of_slide,
    time_of,
)
from pantarhei.errors import OptionError, TimestampError
from pantarhei.model.time import Duration, TimeKind, TimePoint, ticks_of

if TYPE_CHECKING:
    from pantarhei.engine.options import Options
    from pantarhei.window.sliding import Window

Imports = Literal["error", "skip"]
ConclusionsIn = Literal["graph", "default"]

# Options by the groups in which the help shows them.
INPUT, READING, WINDOW, REASONING, LIMITS, ANSWERS, EXPLAINING, DRAWING = (
    partial(Option, rich_help_panel=title)
    for title in (
        "What is read", "How the stream is read", "The window", "Reasoning", "Limits", "Answers",
        "The explanation", "The picture",
    )
)  # fmt: skip

_EXPLAINED_AS = {
    ".txt": "text", ".json": "json", ".ttl": "rdf", ".dot": "dot", ".gv": "dot", ".svg": "svg",
    ".html": "html",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """An ontology over a stream: the options of all commands that read one, as they are given."""

    ontology: Annotated[
        list[str],
        INPUT(
            metavar="PATH",
            help="The ontology: Turtle, RDF/XML, OWL/XML, functional or Manchester syntax, N-Triples, "
            "JSON-LD; a file, a folder or a glob. Given several times, all are one ontology.",
        ),
    ]
    stream: Annotated[
        str,
        INPUT(
            metavar="PATH",
            help="The stream: N-Quads, TriG, JSON-LD or a message log; with --mapping a table, or a folder "
            "or glob of them: CSV, JSON, Parquet; - for stdin.",
        ),
    ]
    range: Annotated[
        str | None,
        WINDOW(
            metavar="DURATION",
            help="Length of the window: PT5M for five minutes; a number if times are numbers. Needed, unless "
            "the query says its window.",
        ),
    ] = None
    mapping: Annotated[
        str | None,
        INPUT(
            metavar="FILE",
            help="How triples are made of a table's rows; [bold]pantarhei map[/bold] writes one to begin "
            "with.",
        ),
    ] = None
    background: Annotated[
        list[Path] | None,
        INPUT(
            metavar="PATH",
            help="Facts that hold at every time and are never removed: a file, a folder or a glob; may be "
            "given several times.",
        ),
    ] = None
    catalog: Annotated[
        Path | None,
        INPUT(
            metavar="PATH",
            help="Where imports are found: a folder or an XML catalog. Nothing is ever fetched.",
        ),
    ] = None
    imports: Annotated[Imports, INPUT(help="What to do with imports that are not found.")] = "error"
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
        READING(help="The stream's format, where its suffix does not tell."),
    ] = None
    time: Annotated[
        str,
        READING(
            metavar="auto|graph|IRI",
            help="Where a graph's time is: in its name, or the property with this IRI.",
        ),
    ] = "auto"
    base: Annotated[
        str | None, READING(metavar="IRI", help="What relative IRIs in the stream begin with.")
    ] = None
    context: Annotated[
        list[str] | None,
        READING(
            metavar="IRI=FILE",
            help="The file with a context that JSON-LD documents name; nothing is fetched. May be repeated.",
        ),
    ] = None
    zone: Annotated[
        str | None,
        READING(
            metavar="ZONE", help="The time zone of times written without one: Europe/Berlin, UTC, +01:00."
        ),
    ] = None
    precision: Annotated[
        Literal["microseconds", "exact"] | None,
        READING(
            help="What to do with times finer than microseconds: cut and count them (by default), or take "
            "them for bad input (exact)."
        ),
    ] = None
    on_error: Annotated[
        Literal["raise", "skip"],
        READING(
            help="What to do with bad input in the stream, and with ABoxes that are late or too far ahead: "
            "end with an error, or leave them out."
        ),
    ] = "raise"
    allowed_lateness: Annotated[
        str | None,
        READING(
            metavar="DURATION",
            help="How far ABoxes may be out of order; they are held back that long. By default not at all.",
        ),
    ] = None
    max_ahead: Annotated[
        str | None,
        READING(
            metavar="DURATION",
            help="How far ahead a timestamp may be, of the newest or of --clock. An ABox further ahead is "
            "held back until three others prove that time has advanced; otherwise it is an error, or left "
            "out with --on-error skip. By default any time is taken.",
        ),
    ] = None
    clock: Annotated[
        Literal["wall"] | None,
        READING(help="Let --max-ahead bound how far times are ahead of the machine's clock."),
    ] = None
    slide: Annotated[
        str | None,
        WINDOW(metavar="DURATION", help="Step of the window's end; by default it moves with every ABox."),
    ] = None
    window_zone: Annotated[
        str | None,
        WINDOW(
            metavar="ZONE",
            help="The time zone in whose calendar range and slide are measured, in days (P1D), weeks, months "
            "or years: windows end at local midnights.",
        ),
    ] = None
    origin: Annotated[
        str | None, WINDOW(metavar="TIME", help="A boundary that the steps are aligned to.")
    ] = None
    closed: Annotated[
        Literal["both", "right", "left"] | None,
        WINDOW(
            help="Which ends of the window are included: by default both; of a window that the query says, "
            "the newer one (right). The older one alone (left) is for such windows only."
        ),
    ] = None
    repair: Annotated[
        Literal["exact", "grounded", "algorithm3", "off"], REASONING(help="What becomes of contradictions.")
    ] = "exact"
    keep: Annotated[
        Literal["newest", "every"], REASONING(help="How a fact that several timestamps support is kept.")
    ] = "newest"
    unique_names: Annotated[
        bool,
        REASONING(
            "--unique-names/--no-unique-names",
            help="Whether different names are different things; if not, equality is reasoned with.",
        ),
    ] = True
    numbers: Annotated[
        Literal["by_datatype", "by_value"],
        REASONING(
            help="Whether an xsd:double is another value than any decimal, or the exact decimal that it "
            "denotes."
        ),
    ] = "by_datatype"
    max_facts: Annotated[
        int | None, LIMITS(min=1, help="How many facts there may be after an ABox, derived ones too.")
    ] = None
    max_bytes: Annotated[
        str | None, LIMITS(metavar="SIZE", help="How many bytes the window may take: 200MB, 1.5GiB.")
    ] = None
    on_limit: Annotated[
        Literal["error", "drop"],
        LIMITS(help="Where that is too little: an error, or the oldest timestamps leave early."),
    ] = "error"

    def reasoning(self, window: Window | None = None) -> Options:
        """The options of the reasoner.

        Args:
            window: its window, if these options do not say it.

        Raises:
            BadParameter: a length, a time or a number of bytes is none, or a window of queries is asked for.
            OptionError: there is no such window.
        """
        from pantarhei.engine.options import Options
        from pantarhei.window.retention import Limits
        from pantarhei.window.sliding import Window

        if window is None:
            window = self._calendar_window or Window(
                self.length, length_of_slide(self.slide), self.first_boundary, self._own_ends
            )
        limits = Limits(
            self.max_facts, None if self.max_bytes is None else bytes_of(self.max_bytes), self.on_limit
        )
        names = self.unique_names
        return Options(window, self.repair, self.keep, names, limits=limits, numbers=self.numbers)

    @property
    def _calendar_window(self) -> Window | None:
        """The window in days of a zone; None if there is no zone.

        Raises:
            BadParameter: there is no range, or no such window.
            OptionError: there is no such zone or window.
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
        except TimestampError as error:  # the lengths have been checked
            raise typer.BadParameter(str(error), param_hint="--origin") from None
        except OptionError as error:
            option = "window_zone" if error.option == "zone" else error.option
            raise OptionError(option, error.given, error.expected) from None

    @property
    def _given_range(self) -> str:
        """The text of `--range`. Raises `BadParameter` if it is not given."""
        if self.range is None:
            problem = "it is needed unless a query says its window: PT5M, P1D, a number if times are numbers"
            raise typer.BadParameter(problem, param_hint="--range")
        return self.range

    @property
    def length(self) -> Duration:
        """The length of the window. Raises `BadParameter` if it is none."""
        return length_of_range(self._given_range)

    @property
    def _own_ends(self) -> Literal["both", "right"]:
        """The ends of a window that no query says. Raises `BadParameter` for the older one alone."""
        if self.closed == "left":
            problem = (
                "left leaves out an ABox when it comes, and here it is to be in the window: both, or right; "
                "left is for windows that a query says"
            )
            raise typer.BadParameter(problem, param_hint="--closed")
        return self.closed or "both"

    @property
    def first_boundary(self) -> TimePoint:
        """A boundary of the window. Raises `BadParameter` if it is no time."""
        return 0 if self.origin is None else time_of(self.origin, "--origin")

    @property
    def disorder(self) -> dict[str, Any]:
        """Bounds of disorder as arguments of `StreamReasoner.run`; empty if none is given.

        Raises:
            BadParameter: a duration is none, or of another kind than the window; there is no bound for the
                clock, or the window has numbers.
        """
        given: dict[str, Any] = {}
        for name, text in (("allowed_lateness", self.allowed_lateness), ("max_ahead", self.max_ahead)):
            if text is not None:
                option = f"--{name.replace('_', '-')}"
                length = given[name] = length_of(text, option)
                if self._is_timed is (not isinstance(length, timedelta)):
                    problem = f"{text} and --range {self.range} measure different kinds of time"
                    raise typer.BadParameter(problem, param_hint=option)
        if self.clock is not None:
            if self.max_ahead is None:
                problem = "--max-ahead says how far ahead of the clock is too far: give it too"
                raise typer.BadParameter(problem, param_hint="--clock")
            if self._is_timed is False:
                problem = f"the clock has dates and times, and --range {self.range} is a number; leave it out"
                raise typer.BadParameter(problem, param_hint="--clock")
            given["clock"] = partial(datetime.now, UTC)
        return given

    @property
    def _is_timed(self) -> bool | None:
        """True for a window of datetimes, False for one of numbers, None if both fit or it is not given."""
        if self.window_zone is not None:
            return True
        if self.range is None or self.length == 0:
            return None
        return isinstance(self.length, timedelta)


@dataclass(frozen=True, slots=True)
class RuleOptions(StreamOptions):
    """The options of commands that evaluate temporal rules over the stream."""

    rules: Annotated[
        Path | None,
        REASONING(
            metavar="FILE",
            help="Temporal rules, which look back in time; the ontology's prefixes need no declaration. "
            "[bold]run[/bold] writes a line on each conclusion that came ([bold]+[/bold]) or went "
            "([bold]-[/bold]), or with a query its answers.",
        ),
    ] = None
    feedback: Annotated[
        bool,
        REASONING(
            "--feedback",
            help="Have what the rules conclude at a tick asserted at the next, as a report like others: what "
            "follows from it follows, and contradictions are repaired.",
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class RunOptions(RuleOptions):
    """What to follow and how: the options of `pantarhei run`."""

    derive: Annotated[
        Literal["all", "needed"],
        REASONING(help="Whether all that follows is kept up, or what the query and the constraints need."),
    ] = "all"
    query: Annotated[
        str | None,
        ANSWERS(
            metavar="FILE|TEXT",
            help="A SPARQL query, answered after every ABox, or a text in C-SPARQL, RSP-QL or CQELS, which "
            "says its window and when it reports; the ontology's prefixes need no declaration. Without, a "
            "line on each update.",
        ),
    ] = None
    static: Annotated[
        list[str] | None,
        ANSWERS(
            metavar="IRI=FILE",
            help="A static graph of a query in C-SPARQL, RSP-QL or CQELS: the IRI of its FROM or FROM NAMED, "
            "and the file; may be given several times.",
        ),
    ] = None
    conclusions: Annotated[
        ConclusionsIn | None,
        ANSWERS(
            help="Where the query finds what temporal rules conclude: in the default graph, among the facts, "
            "as it does by default, or in the graph <urn:pantarhei:conclusions> alone."
        ),
    ] = None
    models: Annotated[
        int | None,
        REASONING(
            min=0,
            metavar="N",
            help="The rules need no strata: write N of their answer streams after each ABox, 0 for all of "
            "them. Takes clingo (pip install clingo).",
        ),
    ] = None
    emit: Annotated[
        Literal["answers", "changes"],
        ANSWERS(
            help="What is written of the query: its answers, or the rows that came, with [bold]+[/bold], and "
            "those that went, with [bold]-[/bold]."
        ),
    ] = "answers"
    query_timeout: Annotated[
        float | None,
        ANSWERS(
            min=1e-3, metavar="SECONDS", help="How long the query may take each time; longer is an error."
        ),
    ] = None
    output: Annotated[
        str | None,
        ANSWERS(
            metavar="FILE",
            help="Where answers are written; by default standard output. A file that exists is not changed "
            "without --append.",
        ),
    ] = None
    append: Annotated[
        bool, ANSWERS("--append", help="Append to the files of --output, --history and --dead-letters.")
    ] = False
    dead_letters: Annotated[
        str | None,
        READING(
            metavar="FILE",
            help="Where to write, as NDJSON, what --on-error skip leaves out: malformed rows, and ABoxes "
            "that are late or too far ahead.",
        ),
    ] = None
    format: Annotated[
        Literal["table", "ndjson", "csv"] | None,
        ANSWERS(help="How answers are written; by default as --output's suffix says, else a table."),
    ] = None
    repairs: Annotated[
        bool,
        ANSWERS(
            "--repairs",
            help="Say on standard error what each repair removed, and why; how a contradiction follows is "
            "told as a whole, once of each kind.",
        ),
    ] = False
    history: Annotated[
        str | None,
        ANSWERS(
            metavar="FILE",
            help="Where it is written, as NDJSON, what became of each assertion that has left the window: "
            "whether a repair had cut it, and why.",
        ),
    ] = None
    spark: Annotated[
        str | None,
        READING(
            metavar="MASTER",
            help="Read the stream and close its ABoxes on Spark: local\\[*], spark://host:7077. The whole "
            "stream is put in time order first, so nothing is late. It may be a folder or a glob, not stdin.",
        ),
    ] = None

    def reasoning(self, window: Window | None = None) -> Options:
        """As of all commands, with what is kept up, and who takes what is remembered no longer."""
        from pantarhei.io.writers import NDJSONSink
        from pantarhei.window.retention import History

        history = History(sink=None if self.history is None else NDJSONSink(self.history))
        options = replace(StreamOptions.reasoning(self, window), derive=self.derive, history=history)
        return replace(options, conclusions=self._conclusions_in)

    @property
    def _conclusions_in(self) -> ConclusionsIn:
        """Where queries find conclusions: a query beside rules is taken to ask for them.

        Raises:
            BadParameter: it is said, and there are no rules or there is no query.
        """
        if self.rules is not None and self.query is not None:
            return self.conclusions or "default"
        if self.conclusions is not None:
            problem = "where a query finds conclusions takes both: --rules, --query"
            raise typer.BadParameter(problem, param_hint="--conclusions")
        return "graph"


@dataclass(frozen=True, slots=True)
class ExplainOptions(RuleOptions):
    """What to explain, and of which time: the options of `pantarhei explain`."""

    stream: Annotated[
        str,
        INPUT(
            metavar="PATH",
            show_default=False,
            help="The stream, as [bold]run[/bold] takes it. Without, what the ontology and the background "
            "entail is explained; so are axioms in any case.",
        ),
    ] = ""
    triple: Annotated[
        str,
        Argument(
            metavar="TRIPLE",
            help="The statement to explain: a triple or an axiom as in Turtle, with the prefixes of the "
            "ontology and the background; with --rules also a conclusion as rules write it.",
        ),
    ] = field(kw_only=True)
    at: Annotated[
        str | None, READING(metavar="TIME", help="The time to explain it at; by default the stream's end.")
    ] = None
    all: Annotated[
        bool, EXPLAINING("--all", help="Give an explanation for each minimal set of assertions behind it.")
    ] = False
    why_not: Annotated[
        bool,
        EXPLAINING("--why-not", help="Say why it does not hold: what is missing, and what became of it."),
    ] = False
    limit: Annotated[
        int | None,
        EXPLAINING(
            min=1,
            help="How many rule instances are looked at, by default 10,000; with --why-not how many ways are "
            "told in which it would hold, by default 5.",
        ),
    ] = None
    format: Annotated[
        Literal["text", "json", "rdf", "dot", "svg", "html"] | None,
        EXPLAINING(
            help="A tree of sentences, JSON, PROV-O in Turtle, text for Graphviz, a picture, or a page whose "
            "branches fold; by default as --output's suffix says (.txt, .json, .ttl, .dot, .svg, .html), "
            "else text."
        ),
    ] = None
    output: Annotated[
        Path | None,
        EXPLAINING("--output", "-o", metavar="FILE", help="Where it is written; by default standard output."),
    ] = None
    overwrite: Annotated[
        bool, EXPLAINING("--overwrite", help="Replace the file of --output if it exists.")
    ] = False

    @property
    def form(self) -> str:
        """The format to write. Raises `UnknownFormatError` if no format has the suffix of the output."""
        return format_by_suffix(self.output, self.format, "text", _EXPLAINED_AS, "format")

    @property
    def time_of_question(self) -> TimePoint | None:
        """The time it is asked for, None for the stream's end. Raises `BadParameter` if it is none."""
        return None if self.at is None else time_of(self.at, "--at")


@dataclass(frozen=True, slots=True)
class TimelineOptions(StreamOptions):
    """What to draw: the options of `pantarhei timeline`."""

    output: Annotated[
        Path | None,
        DRAWING(
            "--output", "-o", metavar="FILE", help="The picture's file, .svg; by default standard output."
        ),
    ] = None
    overwrite: Annotated[bool, DRAWING("--overwrite", help="Replace the file of --output if it exists.")] = (
        False
    )
    first: Annotated[str | None, DRAWING("--from", metavar="TIME", help="The first time that is drawn.")] = (
        None
    )
    last: Annotated[str | None, DRAWING("--until", metavar="TIME", help="The last time that is drawn.")] = (
        None
    )

    @property
    def times(self) -> tuple[TimePoint | None, TimePoint | None]:
        """The first and the last time that are drawn.

        Raises:
            BadParameter: one is no time, the last is before the first, or one is a number and one a date.
        """
        first = None if self.first is None else time_of(self.first, "--from")
        last = None if self.last is None else time_of(self.last, "--until")
        if first is None or last is None:
            return first, last
        wrong, kind = None, TimeKind.DATETIME if isinstance(first, datetime) else TimeKind.FLOAT
        if isinstance(first, datetime) is not isinstance(last, datetime):
            wrong = f"{self.last} and {self.first} of --from are a number and a date"
        elif ticks_of(last, kind) < ticks_of(first, kind):
            wrong = f"{self.last} is before {self.first} of --from"
        if wrong:
            raise typer.BadParameter(wrong, param_hint="--until")
        return first, last
