"""Collectors of a stream's result rows, batch by batch, and registration of the stream's queries.

Each row has the number of its batch (`batch`), a time (`at`) and the window at that time (`start`, `end`).
Terms are in N-Triples syntax, null for an unbound variable.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import pyarrow as pa

from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import ExcludedOptionError, OptionError
from pantarhei.model.term import Term
from pantarhei.model.time import TimeKind, TimePoint, ticks_of, time_of
from pantarhei.query.answer_reports import AnswerChange, AnswerReport
from pantarhei.query.answers import check_distinct_names
from pantarhei.query.continuous_query import ContinuousQuery, Registration, ReportPolicy
from pantarhei.rdf.ntriples import write_term
from pantarhei.reasoner import StreamReasoner
from pantarhei.temporal.conclusion_sets import TickConclusions
from pantarhei.temporal.rules import TemporalRules
from pantarhei.window.sliding import Window

TextRow = tuple[str | None, ...]
"""Terms of a row in N-Triples syntax; None for an unbound variable."""


def text_row(row: Iterable[Term | None]) -> TextRow:
    """Write the terms of a row in N-Triples syntax."""
    return tuple(None if term is None else write_term(term) for term in row)


def changed_rows(change: AnswerChange | AnswerReport) -> list[tuple[TextRow, int]]:
    """Return the rows whose multiplicity changes, each with its signed change, sorted by text."""
    signed = [(text_row(row), copies) for row, copies in change.added.items()]
    signed += [(text_row(row), -copies) for row, copies in change.removed.items()]
    return sorted(signed, key=lambda each: [text or "" for text in each[0]])


def conclusion_columns(rules: TemporalRules) -> tuple[str, ...]:
    """Return the columns of conclusions: `predicate`, and `argument1` and so on up to the highest arity."""
    most = max((len(rule.head.atom.arguments) for rule in rules.rules), default=0)
    return ("predicate", *(f"argument{place}" for place in range(1, most + 1)))


def conclusion_rows(turn: TickConclusions, width: int) -> Iterator[tuple[TextRow, int]]:
    """Yield the conclusions that changed at a tick: deleted ones with -1, then inserted ones with 1.

    Args:
        turn: the conclusions inserted and deleted at the tick.
        width: number of columns, to which rows are padded with None.
    """
    for atoms, change in ((turn.removed, -1), (turn.added, 1)):
        terms = (cast("Iterable[Term]", (atom.predicate, *atom.arguments)) for atom in atoms)  # no variables
        for row in sorted(tuple(map(write_term, each)) for each in terms):
            yield (*row, *[None] * (width - len(row))), change


_TIMES = {
    TimeKind.INTEGER: pa.int64(),
    TimeKind.FLOAT: pa.float64(),
    TimeKind.DATETIME: pa.timestamp("us", tz="UTC"),
}
_HEAD = ("batch", "at", "start", "end")
_TRIPLE = ("subject", "predicate", "object")


class Collector(ABC):
    """Collector of the result rows of one batch.

    Args:
        kind: the kind of the stream's timestamps.
        names: the names of the columns of terms.
        changes: the type of the column `change`; None for no such column.
        option: the option from which `names` are taken, for errors.

    Raises:
        OptionError: a column of terms has the name of another column.
    """

    def __init__(
        self, kind: TimeKind, names: Sequence[str], changes: pa.DataType | None, option: str = "query"
    ) -> None:
        self.names = tuple(names)
        self.schema = result_schema(kind, names, changes, option)
        self.begin(-1)

    def begin(self, batch: int) -> None:
        """Begin a batch, discarding the rows collected so far."""
        self._batch = batch
        self._columns: dict[str, list[Any]] = {name: [] for name in self.schema.names}

    def note(self, update: WindowUpdate) -> None:
        """Collect the rows of one update; the reasoner must be in the state after the update."""
        for row in self._rows(update):
            for name, value in zip(self.schema.names, (self._batch, *row), strict=True):
                self._columns[name].append(value)

    def table(self) -> pa.Table:
        """Return the collected rows."""
        return pa.table(self._columns, schema=self.schema)

    def __len__(self) -> int:
        return len(self._columns["batch"])

    @abstractmethod
    def _rows(self, update: WindowUpdate) -> Iterator[tuple[object, ...]]:
        """Yield the rows of an update, without the column `batch`."""


class FactChanges(Collector):
    """Collector of the facts inserted into and deleted from the materialization.

    The columns are `subject`, `predicate`, `object`, and `change`: 1 for an inserted fact, -1 for a deleted
    one.
    """

    def __init__(self, kind: TimeKind) -> None:
        super().__init__(kind, _TRIPLE, pa.int8())

    def _rows(self, update: WindowUpdate) -> Iterator[tuple[object, ...]]:
        head = update.at, update.start, update.end
        for change, triples in ((-1, update.delta.removed), (1, update.delta.added)):
            yield from sorted((*head, *map(write_term, triple), change) for triple in triples)


class ConclusionCollector(Collector):
    """Collector of the inserted and deleted conclusions of temporal rules.

    The columns are those of `conclusion_columns`, and `change`: 1 for an inserted conclusion, -1 for a
    deleted one. `at` is the tick of the change; `start` and `end` delimit the window at that tick.
    """

    def __init__(self, kind: TimeKind, rules: TemporalRules, window: Window) -> None:
        self._kind, self._names, self._window = kind, conclusion_columns(rules), window
        super().__init__(kind, self._names, pa.int8())

    def _rows(self, update: WindowUpdate) -> Iterator[tuple[object, ...]]:
        for turn in update.conclusions.turns:
            step = self._window.step_at(self._kind, ticks_of(turn.at, self._kind))
            head = turn.at, *(time_of(ticks, self._kind) for ticks in (step.start, step.end))
            yield from ((*head, *row, change) for row, change in conclusion_rows(turn, len(self._names)))


class RecomputedAnswers(Collector):
    """Collector of all answers of a query after each ABox, with a column for each variable.

    Args:
        reasoner: the reasoner that evaluates the query.

    Raises:
        QueryError: the query is malformed or refused.
        OptionError: one of its variables has the name of another column.
    """

    def __init__(self, kind: TimeKind, reasoner: StreamReasoner, query: str) -> None:
        super().__init__(kind, list(reasoner.query(query).columns()), None)
        self._reasoner, self._query = reasoner, query

    def _rows(self, update: WindowUpdate) -> Iterator[tuple[object, ...]]:
        columns = self._reasoner.query(self._query).columns()
        for row in zip(*columns.values(), strict=True):
            yield update.at, update.start, update.end, *text_row(row)


class RegisteredAnswers(Collector):
    """Collector of the reports of a registered query.

    The columns are the query's variables, or subject, predicate and object for CONSTRUCT and DESCRIBE, and
    `change`, the signed change of the row's multiplicity. `at` is the time of the report; `start` and `end`
    delimit the query's window at that time.

    Args:
        query: the registered query.
        registration: the options of its registration.
        window: the reasoner's window.

    Raises:
        OptionError: one of its variables has the name of another column.
    """

    def __init__(
        self, kind: TimeKind, query: ContinuousQuery, registration: Registration, window: Window
    ) -> None:
        triple = _TRIPLE if query.form in ("CONSTRUCT", "DESCRIBE") else ()
        super().__init__(kind, query.variables or triple, pa.int32(), f"queries[{query.name!r}]")
        self._kind, self._query = kind, query
        self._window = ReportWindow(kind, registration, window)

    def _rows(self, update: WindowUpdate) -> Iterator[tuple[object, ...]]:
        reported = update.answers.get(self._query)
        for report in () if reported is None else reported.reports.nonempty():
            ends = self._window.ends(ticks_of(report.at, self._kind))
            for row, change in changed_rows(report):
                yield report.at, *ends, *row, change


class ReportWindow:
    """Bounds of a registered query's window at the times of its reports.

    Args:
        kind: the kind of the stream's timestamps.
        registration: the options of the query's registration.
        window: the reasoner's window.
    """

    def __init__(self, kind: TimeKind, registration: Registration, window: Window) -> None:
        self._kind, self._window = kind, registration.window or window
        closes = ReportPolicy.of(registration.on, registration.emit).closes
        # A report on the closing of a left-closed window is made at its end, which the window excludes.
        self._before = int(closes and self._window.closed == "left")

    def ends(self, at: int) -> tuple[TimePoint, TimePoint]:
        """Return the start and the end of the window at a report at tick `at`."""
        step = self._window.step_at(self._kind, at - self._before)
        return time_of(step.start, self._kind), time_of(step.end, self._kind)


def result_schema(
    kind: TimeKind, names: Sequence[str], changes: pa.DataType | None, option: str = "query"
) -> pa.Schema:
    """Return the Arrow schema of the rows of a `Collector`.

    Args:
        kind: the kind of the stream's timestamps.
        names: the names of the columns of terms.
        changes: the type of the column `change`; None for no such column.
        option: the option from which `names` are taken, for errors.

    Raises:
        OptionError: a column of terms has the name of another column.
    """
    change = () if changes is None else (pa.field("change", changes),)
    check_distinct_names(names, (*_HEAD, *(field.name for field in change)), option, ignores_case=True)
    head = (pa.field(name, _TIMES[kind] if place else pa.int64()) for place, name in enumerate(_HEAD))
    return pa.schema([*head, *(pa.field(name, pa.string()) for name in names), *change])


def collector_of(kind: TimeKind, reasoner: StreamReasoner, query: str | None) -> Collector:
    """Return the collector of a stream without registered queries.

    It collects the answers to `query`; without a query the conclusions of the reasoner's temporal rules; and
    without rules the changes of the materialization.

    Raises:
        QueryError: the query is malformed or refused.
        OptionError: a variable of the query has the name of another column.
    """
    if query is not None:
        return RecomputedAnswers(kind, reasoner, query)
    rules = reasoner.temporal
    return FactChanges(kind) if rules is None else ConclusionCollector(kind, rules, reasoner.window)


_EXPECTED = "a mapping of names to queries, each a text or a Registration"
_NAME = re.compile(r"[^\W_][\w.-]{0,99}")


def registrations(queries: object, query: object) -> dict[str, Registration]:
    """Validate the option `queries`; return the registrations by name, empty for None.

    Raises:
        OptionError: `queries` is not a mapping from names to queries, `query` is also given, or a name is not
            valid for a folder.
    """
    if queries is None:
        return {}
    if query is not None:
        reason = "query and queries exclude each other; query='…' is queries={'name': '…'}."
        raise ExcludedOptionError("queries", "…", reason)
    if not isinstance(queries, Mapping) or not queries:
        raise OptionError("queries", repr(queries)[:200], _EXPECTED)
    return {_name(name, queries): _registration(name, given) for name, given in queries.items()}


def _name(name: object, queries: Mapping[object, object]) -> str:
    """Check that the name of a query is valid for a folder, and unique if upper and lower case are equal."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        expected = (
            "names that are valid for folders: letters, digits, '-', '.' and '_', a letter or digit first, "
            "100 characters at most"
        )
        raise OptionError("queries", repr(name)[:200], expected)
    alike = [other for other in queries if isinstance(other, str) and other.lower() == name.lower()]
    if len(alike) > 1:
        expected = "names that differ not only in upper and lower case"
        raise OptionError("queries", ", ".join(map(repr, alike)), expected)
    return name


def _registration(name: object, given: object) -> Registration:
    if isinstance(given, str):
        return Registration(given)
    if not isinstance(given, Registration):
        raise OptionError(f"queries[{name!r}]", repr(given)[:200], "a text or a Registration")
    return given


def register_queries(reasoner: StreamReasoner, queries: Mapping[str, Registration]) -> set[str]:
    """Register the given queries and close all other queries; return the names of new queries.

    A query that the reasoner already has continues from its state. The first report of a new query has all
    its present answers.

    Raises:
        OptionError: the reasoner has a query of this name with other options, or a query cannot be
            registered.
        QueryError: a query is malformed or refused.
    """
    for name, query in reasoner.queries.items():
        if name not in queries:
            query.close()
    known = reasoner.queries
    for name, given in queries.items():
        registrar = reasoner._query_registrar()
        if name in known:
            registrar.resume(name, given)
        else:
            registrar.register(given.text, name, given.window, given.on, given.emit, reports_present=True)
    return set(queries) - set(known)
