"""Output of `pantarhei run --query`: answers after each ABox, deltas of answers, or reports of windows."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from pantarhei.cli.conclusion_output import AnswerStreamOutput, ConclusionOutput, RunOutput, check_models
from pantarhei.cli.given_values import iri_and_file
from pantarhei.cli.run_options import RunOptions
from pantarhei.errors import MalformedInputError, QueryError, QueryLengthError
from pantarhei.io.writers import AnswerWriter, format_of, refuse_taken_columns, report_columns
from pantarhei.model.message_text import did_you_mean
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import in_zone_of, kind_of, ticks_of, time_of
from pantarhei.owl.document import read_document
from pantarhei.owl.imports import sources_of
from pantarhei.query.algebra.nodes import OrderBy, nodes_of
from pantarhei.query.syntax import read_query
from pantarhei.rdf.decompression import unreadable

if TYPE_CHECKING:
    import pantarhei as pr
    from pantarhei.model.time import TimePoint
    from pantarhei.query.algebra.nodes import Query
    from pantarhei.query.answer_reports import AnswerRow
    from pantarhei.query.continuous_query import ContinuousQuery
    from pantarhei.query.languages import StreamText
    from pantarhei.temporal.rules import TemporalRules
    from pantarhei.window.sliding import Window


def static_graphs(
    given: Sequence[str], names: Iterable[Term], windows: Iterable[Term]
) -> dict[str, list[Triple]]:
    """Read the static graphs of a query.

    Args:
        given: the values of `--static`, `IRI=FILE`; files with equal IRIs are merged to one graph.
        names: the IRIs of the query's graphs that are not windows.
        windows: the IRIs of the query's windows.

    Raises:
        BadParameter: a value is not `IRI=FILE`, or the query has no graph with the IRI.
        QueryError: no file is given for a graph of the query.
        InputError: a file cannot be read.
    """
    expected = [str(name) for name in dict.fromkeys(names)]
    graphs: dict[str, list[Triple]] = {}
    for value in given:
        iri, path = iri_and_file(value, "--static", expected)
        if iri not in expected:
            shown = ", ".join(f"<{name}>" for name in expected) or "none"
            kind = "a window" if iri in map(str, windows) else "not a static graph"
            problem = f"<{iri}> is {kind} of the query; its static graphs: {shown}"
            raise typer.BadParameter(f"{problem}{did_you_mean(iri, expected)}", param_hint="--static")
        documents = map(read_document, sources_of([Path(path)]))
        graphs.setdefault(iri, []).extend(triple for each in documents for triple in each.triples)
    for name in expected:
        if name not in graphs:
            problem = f"the query reads the graph <{name}>, which is not given"
            advice = f"pass its file as --static {name}=FILE; pass facts of the default graph as --background"
            raise QueryError(f"{problem}; {advice}")
    return graphs


_IS_TEXT = re.compile(r"\{|\bDESCRIBE\s", re.IGNORECASE)
_OF_STREAM_LANGUAGES = re.compile(r"\b(?:REGISTER|STREAM|WINDOW)\b", re.IGNORECASE)


class AnswerOutput(RunOutput):
    """Answers of a SPARQL query after each ABox.

    Args:
        sorts: whether to sort rows whose order the query does not determine, so that a run that continues
            after a crash writes them in the same order.
    """

    def __init__(self, text: str, query: Query, timeout: float | None, sorts: bool = False) -> None:
        self._sorts = sorts and not any(isinstance(node, OrderBy) for node in nodes_of(query.node))
        self._text, self._timeout, self.prefixes = text, timeout, dict(query.prefixes)

    def begin(self, reasoner: pr.StreamReasoner) -> None:
        self._reasoner = reasoner
        if reasoner.options.derive == "needed" and not reasoner.queries:
            reasoner.register(self._text)  # makes the reasoner derive the facts that the query needs

    def write(self, update: pr.WindowUpdate, writer: AnswerWriter) -> None:
        result = self._reasoner.query(self._text, timeout=self._timeout)
        if not self._sorts:
            writer.write(update.at, result)
            return
        columns = result.columns()
        rows = sorted(zip(*columns.values(), strict=True), key=repr)
        writer.report(update.at, {name: [row[place] for row in rows] for place, name in enumerate(columns)})


class ReportOutput(RunOutput):
    """Reports of a registered query.

    Args:
        query: the parsed query.
        register: registers the query with a reasoner.
        shows_changes: whether to write rows with a column that marks them as inserted or deleted.
        window: the reasoner's window; None for the window of the options.
        end: returns the time of the last report due after the stream has ended at a given time; None if no
            report is due.
        background: facts of static graphs, which belong to each window.
    """

    def __init__(
        self,
        query: Query,
        register: Callable[[pr.StreamReasoner], ContinuousQuery],
        shows_changes: bool,
        window: Window | None = None,
        end: Callable[[TimePoint], TimePoint | None] = lambda at: None,
        background: tuple[Triple, ...] = (),
    ) -> None:
        self._query, self.prefixes, self.window = query, dict(query.prefixes), window
        self.background = background
        self._register, self._end, self._shows_changes = register, end, shows_changes
        self._newest: TimePoint | None = None

    def begin(self, reasoner: pr.StreamReasoner) -> None:
        restored = next(iter(reasoner.queries.values()), None)
        self._reasoner, self._handle = reasoner, restored or self._register(reasoner)
        self._newest = reasoner.newest
        self._present = Counter(dict(self._handle.answers)) if self._newest is None else Counter()

    def write(self, update: pr.WindowUpdate, writer: AnswerWriter) -> None:
        self._newest = update.at
        if self._present:  # answers that held before the stream began are reported with the first update
            self._report(update.at, self._present, Counter(), writer)
            self._present = Counter()
        change = update.answers.get(self._handle)
        for times, added, removed in () if change is None else change.reports.distinct:
            for at in times if added or removed else times[:1]:  # an empty report is written only once
                self._report(in_zone_of(at, update.at), added, removed, writer)

    def _report(
        self, at: TimePoint, added: Counter[AnswerRow], removed: Counter[AnswerRow], writer: AnswerWriter
    ) -> None:
        writer.report(at, report_columns(self._query, added, removed, self._shows_changes))

    def end(self, writer: AnswerWriter) -> None:
        end = None if self._newest is None else self._end(self._newest)
        if end is not None:
            self.write(self._reasoner.advance(end), writer)


def output_of(
    options: RunOptions, ontology: pr.Ontology, rules: TemporalRules | None = None
) -> RunOutput | None:
    """Return the output of the query or of the rules; None if the options have neither.

    Raises:
        QueryError: the query is malformed, or has windows that the command line does not support.
        OptionError: a variable has the name of a column added by the output, or the output format is invalid.
        MalformedInputError: the file of the query is not UTF-8.
        MissingFileError: the file of the query cannot be read.
        BadParameter: options that exclude or require one another are combined wrongly.
    """
    check_models(options.models, options.rules, options.feedback)
    if options.static and (options.query is None or options.models is not None):
        problem = "only a query in C-SPARQL, RSP-QL or CQELS reads static graphs; give it as --query"
        raise typer.BadParameter(problem, param_hint="--static")
    if options.models is not None:
        assert options.rules is not None, "just checked"
        if options.query is not None:
            raise typer.BadParameter(
                "it cannot be combined with --query: answer streams cannot be queried; omit one of them",
                param_hint="--models",
            )
        return AnswerStreamOutput(options.rules, options.models, ontology)
    if options.query is None:
        if rules is not None:
            return ConclusionOutput(rules, ontology.names)
        if options.emit == "changes":
            problem = "only answers of a query or of rules have changes; give --query or --rules"
            raise typer.BadParameter(problem, param_hint="--emit")
        if options.derive == "needed":
            problem = "needed derives only facts that a query or rules need; give --query or --rules"
            raise typer.BadParameter(problem, param_hint="--derive")
        return None
    name, text = _text_of(str(options.query))
    prefixes = {prefix: str(iri) for prefix, iri in ontology.graph.namespaces()}
    try:
        try:
            query = read_query(text, prefixes)
        except QueryError:
            if not _OF_STREAM_LANGUAGES.search(text):
                raise
            return _with_window(text, prefixes, options, ontology)
    except QueryLengthError:
        raise
    except QueryError as error:
        raise QueryError(f"{name}: {error.reason}") from None
    if options.static:
        problem = (
            "only a query in C-SPARQL, RSP-QL or CQELS reads static graphs; for this query, give the facts "
            "as --background"
        )
        raise typer.BadParameter(problem, param_hint="--static")
    _check_columns(query, options)
    if options.emit == "changes":
        _check_unlimited(options)
        return ReportOutput(query, lambda reasoner: reasoner.register(text), shows_changes=True)
    return AnswerOutput(text, query, options.query_timeout, sorts=options.checkpoint is not None)


def _text_of(given: str) -> tuple[str, str]:
    """Return the name of a query for errors, and its text: the given text, or the content of a file."""
    if _IS_TEXT.search(given) and not os.path.isfile(
        given
    ):  # Path.is_file raises for a text that is too long
        return "--query", given
    try:
        return given, Path(given).read_text(encoding="utf-8")
    except OSError as error:
        raise unreadable(given, error) from None
    except UnicodeDecodeError as error:
        raise MalformedInputError(given, None, f"not UTF-8: {error.reason}") from None


def _with_window(
    text: str, prefixes: Mapping[str, str], options: RunOptions, ontology: pr.Ontology
) -> ReportOutput:
    """Return the output of a query in C-SPARQL, RSP-QL or CQELS, which declares its windows."""
    from pantarhei.continuous.stream_query import StreamQuerySpec, end_tick
    from pantarhei.continuous.windowed_query import entailed_triples, views_of
    from pantarhei.query.languages import read_stream_text

    made = read_stream_text(text, prefixes)
    for option in ("range", "slide", "window_zone"):
        if getattr(options, option) is not None:
            name = option.replace("_", "-")
            raise typer.BadParameter("the query declares its own window; omit it", param_hint=f"--{name}")
    _check_unlimited(options)
    shows_changes = options.emit == "changes"
    if shows_changes:
        made = replace(made, emit="delta")
    static = _static_of(made, options.static or ())
    spec = StreamQuerySpec.of(made, static, options.first_boundary, options.closed or "right", None)
    views = views_of(spec, takes_static=True)
    if isinstance(views, str):
        problem = "on the command line each window must end now and be a graph of the stream"
        raise QueryError(f"{views}, but {problem}; in Python, pantarhei.register evaluates this query")
    if views.default is None and views.uses_default_graph and not spec.always:
        raise QueryError(
            "the query reads the default graph, but all its windows are named; read a window by "
            "WINDOW or GRAPH, or use pantarhei.register in Python"
        )
    if views.named and options.rules is not None:
        raise QueryError(
            "conclusions of --rules belong to one window, but the query has named windows; omit --rules, or "
            "give a query with one window that is not named"
        )
    _check_columns(views.query, options)
    always = () if views.default is not None else entailed_triples(spec.always, ontology)
    query, windows, window = views.query, views.by_name(always), views.reasoner_window

    def register(reasoner: pr.StreamReasoner) -> ContinuousQuery:
        registrar, name = reasoner._query_registrar(), made.name or "query"
        return registrar.register_parsed(name, text, query, views.default, spec.policy, windows)

    def end(at: TimePoint) -> TimePoint | None:
        kind = window.kind or kind_of(at)
        ticks = end_tick(spec, kind, ticks_of(at, kind))
        return None if ticks is None else time_of(ticks, kind)

    return ReportOutput(query, register, shows_changes, window, end, views.background)


def _check_columns(query: Query, options: RunOptions) -> None:
    """Check that no variable has the name of a column added by the output, `at` or `change`.

    Raises:
        OptionError: a variable has such a name, or the output format is invalid.
    """
    format = format_of(options.output, options.format)
    refuse_taken_columns(query, options.emit == "changes", format)


def _check_unlimited(options: RunOptions) -> None:
    """Refuse `--query-timeout`, which registered queries do not support. Raises `BadParameter`."""
    if options.query_timeout is not None:
        problem = "this query is maintained incrementally and has no time limit; omit it"
        raise typer.BadParameter(problem, param_hint="--query-timeout")


def _static_of(made: StreamText, given: Sequence[str]) -> dict[str, list[Triple]]:
    """Read the static graphs of a query in a stream language. Raises the errors of `static_graphs`."""
    from pantarhei.continuous.stream_query import graphs_named

    windows = [window.name for window in made.windows]
    query = made.query
    named = (*(query.default_graphs or ()), *(query.named_graphs or ()), *graphs_named(query.node))
    return static_graphs(given, (name for name in named if name not in windows), windows)
