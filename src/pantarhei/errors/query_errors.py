"""Errors of queries, temporal rules and explanations."""

from __future__ import annotations

from collections.abc import Sequence

from pantarhei.errors.base import PantarheiError, parameter


def doubt_of(lost: int) -> str:
    """Return the text that a negative answer is uncertain, since axioms of the ontology are lost.

    >>> doubt_of(144)
    '144 axioms are lost, so it may still be entailed: see check'
    """
    axioms = "1 axiom is" if lost == 1 else f"{lost:,} axioms are"
    return f"{axioms} lost, so it may still be entailed: see check"


class NotEntailedError(PantarheiError):
    """A proof is requested for a statement that cannot be derived.

    Args:
        statement: the statement, in N-Triples syntax or as an axiom.
        at: the time for which the proof is requested; None without a stream.
        reason: the reason why there is no proof.
        unknown: the names in the statement that occur nowhere else, each an `UnknownName` with similar names.
        lost: number of axioms of the ontology that are lost in whole or in part; if it is above 0, the
            statement may nevertheless be true.
    """

    def __init__(
        self,
        statement: str,
        at: str | None = None,
        reason: str | None = None,
        unknown: Sequence[object] = (),
        lost: int = 0,
    ) -> None:
        super().__init__(statement, at, reason, tuple(unknown), lost)
        self.statement, self.at, self.reason = statement, at, reason
        self.unknown, self.lost = tuple(unknown), lost

    def __str__(self) -> str:
        when = "" if self.at is None else f" at {self.at}"
        verb = "has no proof" if self.lost else "does not hold"
        further = [*map(str, self.unknown), *([doubt_of(self.lost)] if self.lost else [])]
        head = f"{self.statement} {verb}{when}: {self.reason or 'why_not lists what is missing'}"
        return ". ".join([head, *further]).replace("?. ", "? ")


class EntailedError(PantarheiError):
    """Missing facts are requested for a statement that holds.

    Args:
        statement: the statement, in N-Triples syntax.
        at: the time for which missing facts are requested; None without a stream.
        remedy: the way to a proof.
    """

    def __init__(
        self, statement: str, at: str | None = None, remedy: str = "explain shows why it holds"
    ) -> None:
        super().__init__(statement, at, remedy)
        self.statement, self.at, self.remedy = statement, at, remedy

    def __str__(self) -> str:
        when = "" if self.at is None else f" at {self.at}"
        return f"{self.statement} holds{when}, so no facts are missing; {self.remedy}"


class DeltaNotKeptError(PantarheiError):
    """The delta of a step is requested from a reasoner with `derive="needed"`, which does not record
    deltas.
    """

    def __str__(self) -> str:
        return (
            'update.delta is not available with derive="needed", which derives only what registered queries '
            'and constraints need; register a query for the facts to follow, or use derive="all"'
        )


class ReadOnlyError(PantarheiError):
    """The program has attempted to write to a live view of the materialization.

    Args:
        attempt: the operation, as a verb with its object.
    """

    def __init__(self, attempt: str) -> None:
        super().__init__(attempt)
        self.attempt = attempt

    def __str__(self) -> str:
        return (
            f"cannot {self.attempt}: this graph is a read-only view of the materialization; "
            "change assertions by push, or by change of a DynamicGraph; "
            "a writable copy is rdflib.Graph() + graph"
        )


class QueryError(PantarheiError):
    """A query is malformed, or has an unsupported construct.

    Args:
        reason: the error, with a remedy.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class QueryTextError(QueryError):
    """A query has a syntax error.

    Args:
        line, column: the position of the error, counted from 1.
        problem: the error.
        expected: the expected syntax; None if it is unknown or part of `problem`.
        source_line: the text of the line.
    """

    def __init__(
        self, line: int, column: int, problem: str, expected: str | None = None, source_line: str = ""
    ) -> None:
        PantarheiError.__init__(self, line, column, problem, expected, source_line)
        self.line, self.column, self.problem, self.expected = line, column, problem, expected
        self.source_line = source_line

    @classmethod
    def at(cls, text: str, place: int, problem: str, expected: str | None = None) -> QueryTextError:
        """Return the error at character `place` of a text, counted from 0."""
        before, (line, *_) = text[:place], text[place:].split("\n", 1)
        start = before.rfind("\n") + 1
        written = (before[start:] + line).rstrip("\r")
        return cls(before.count("\n") + 1, place - start + 1, problem, expected, written)

    @property
    def reason(self) -> str:  # type: ignore[override]
        """Error text, followed by the line with a mark below the column."""
        problem = self.problem if self.expected is None else f"{self.problem}; expected {self.expected}"
        place = f"malformed query, line {self.line}, column {self.column}"
        return f"{place}: {problem}{_marked(self.column, self.source_line)}"


def _marked(column: int, source_line: str) -> str:
    """Return two lines for a message: a line of the text, and a `^` below one of its columns."""
    start = max(column - 1 - _BEFORE_PLACE, 0)
    shown = source_line[start : start + _SHOWN_OF_LINE].replace("\t", " ")
    return f"\n    {shown}\n    {' ' * (column - 1 - start)}^"


# Number of characters of the line that are shown before the column, and in total.
_BEFORE_PLACE, _SHOWN_OF_LINE = 60, 100


class NotKeyLocalQueryError(QueryError):
    """The answers of a query cannot be computed shard by shard.

    Args:
        key: the key of the shards.
        obstacle: text on the construct that joins facts of several shards, and a remedy.
        name: the query's name; None if it is the only query.
    """

    def __init__(self, key: str, obstacle: str, name: str | None = None) -> None:
        PantarheiError.__init__(self, key, obstacle, name)
        self.key, self.obstacle, self.name = key, obstacle, name

    @property
    def reason(self) -> str:  # type: ignore[override]
        """Error text with a remedy."""
        query = "the query" if self.name is None else f"the query {self.name!r}"
        return (
            f"{query} cannot be answered with shards by {self.key}: {self.obstacle}. Join only facts with "
            "equal keys, or query a stream without shard_by"
        )


class QueryTimeoutError(QueryError):
    """A query exceeded its time limit; no state has changed.

    Args:
        timeout: the limit in seconds; None for no limit.
        match: the limit in seconds for one match of a regular expression; None if it was not reached.
    """

    def __init__(self, timeout: float | None, match: float | None = None) -> None:
        PantarheiError.__init__(self, timeout, match)
        self.timeout, self.match = timeout, match

    @property
    def reason(self) -> str:  # type: ignore[override]
        """Error text with a remedy."""
        if self.match is not None:
            return (
                f"the query was stopped: a regular expression took longer than {self.match} seconds for one "
                f"text, a limit independent of {parameter('query.timeout')}; simplify the expression, or "
                "filter by STRLEN first to exclude long texts"
            )
        return (
            f"the query was stopped after {self.timeout} seconds; raise the limit "
            f"({parameter('query.timeout')}), or check the query's plan for joins without a shared variable"
        )


class QueryLengthError(QueryError):
    """The text of a query exceeds the length limit; it was not parsed.

    Args:
        length: number of characters of the text.
        max_length: the limit.
    """

    def __init__(self, length: int, max_length: int) -> None:
        PantarheiError.__init__(self, length, max_length)
        self.length, self.max_length = length, max_length

    @property
    def reason(self) -> str:  # type: ignore[override]
        """Error text with the limit and a remedy."""
        limit, more = _limit("query.max_length", self.max_length)
        return (
            f"the text of the query has {self.length:_} characters, more than {limit}; {more}pass data as "
            "background or bindings instead of writing them into the text"
        )


def _limit(name: str, most: int) -> tuple[str, str]:
    """Return the text of a limit, and the advice to raise it; no advice if the context has no such option."""
    if set_as := parameter(name, f"{most:_}"):
        return f"the limit {set_as}", "raise the limit, or "
    return f"the limit of {most:_}", ""


class QueryMemoryError(QueryError):
    """A query exceeded its memory limit, or the machine ran out of memory; no state has changed.

    Args:
        max_bytes: the limit in bytes, for the rows of one operator, and for all texts created by functions;
            None for no limit.
        needed: required number of bytes; None if the machine ran out of memory.
        rows: required number of rows at once; None if texts exceed the limit.
    """

    def __init__(self, max_bytes: int | None, needed: int | None = None, rows: int | None = None) -> None:
        PantarheiError.__init__(self, max_bytes, needed, rows)
        self.max_bytes, self.needed, self.rows = max_bytes, needed, rows

    @property
    def reason(self) -> str:  # type: ignore[override]
        """Error text with the required memory and a remedy."""
        if self.needed is None:
            if self.max_bytes is None:
                return "the machine ran out of memory; set a limit (max_bytes), or query for less"
            return (
                "the machine ran out of memory before the query reached its limit, "
                f"max_bytes={self.max_bytes:_}; lower the limit, or query for less"
            )
        assert self.max_bytes is not None, "the limit that was exceeded"
        limit, more = _limit("query.max_bytes", self.max_bytes)
        if self.rows is None:
            return (
                f"the texts created by functions of the query would take {self.needed:_} bytes, more than "
                f"{limit}; {more}create fewer or shorter texts (CONCAT, REPLACE and GROUP_CONCAT create long "
                "texts)"
            )
        return (
            f"the query would need {self.needed:_} bytes for {self.rows:_} rows at once, more than {limit}; "
            f"{more}query for less with LIMIT or a filter, or check the query's plan for joins without a "
            "shared variable"
        )


class RegistrationMemoryError(QueryMemoryError):
    """A query cannot be registered within the reasoner's memory limit; no state has changed.

    Args:
        max_bytes: the limit in bytes.
        needed: required number of bytes, with all registered queries.
        rows: number of answers of the query.
        beside: number of bytes, part of `needed`, for temporal rules and registered queries, including this
            one.
    """

    max_bytes: int
    needed: int
    rows: int

    def __init__(self, max_bytes: int, needed: int, rows: int, beside: int) -> None:
        PantarheiError.__init__(self, max_bytes, needed, rows, beside)
        self.max_bytes, self.needed, self.rows, self.beside = max_bytes, needed, rows, beside

    @property
    def reason(self) -> str:  # type: ignore[override]
        """Error text with the required memory and a remedy."""
        return (
            f"the query ({self.rows:_} rows) was not registered: with it, the window, the temporal rules and "
            f"all registered queries would take {self.needed:_} bytes, {self.beside:_} of these for rules "
            f"and queries, more than the limit {parameter('max_bytes', f'{self.max_bytes:_}')}; raise the "
            "limit, make the window's range shorter, or register a query whose operators store fewer input "
            "rows (its plan shows them)"
        )


class FollowerOverflowError(QueryError):
    """A follower of a query was too slow, so that changes were dropped.

    Args:
        query: the name of the query.
        limit: maximum number of queued changes.
        dropped: number of dropped changes.
    """

    def __init__(self, query: str, limit: int, dropped: int) -> None:
        PantarheiError.__init__(self, query, limit, dropped)
        self.query, self.limit, self.dropped = query, limit, dropped

    @property
    def reason(self) -> str:  # type: ignore[override]
        """Error text with a remedy."""
        return (
            f"{self.dropped} changes of the query {self.query} were dropped, since the queue was full "
            f"(limit={self.limit}); read faster, raise the limit, or call follow with overflow="
            '"block", "drop_oldest" or "coalesce". `answers` has the current answers'
        )


class TemporalRuleError(PantarheiError):
    """A temporal rule is unsupported or invalid.

    Args:
        problem: the error.
        expected: the expected input.
        line, column: the position of the error, counted from 1; None if the rule was not read from a text.
        source_line: the text of the line.
        source: the file; None if the rule was not read from a file.
    """

    def __init__(
        self,
        problem: str,
        expected: str,
        line: int | None = None,
        column: int | None = None,
        source_line: str = "",
        source: str | None = None,
    ) -> None:
        super().__init__(problem, expected, line, column, source_line, source)
        self.problem, self.expected = problem, expected
        self.line, self.column, self.source_line, self.source = line, column, source_line, source

    _WHAT = "temporal rule refused"

    def __str__(self) -> str:
        text = f"{self.problem}; expected {self.expected}"
        if self.line is None or self.column is None:
            return f"{self._WHAT}: {text}"
        file = f"{self.source}, " if self.source else ""
        place = f"{self._WHAT}, {file}line {self.line}, column {self.column}"
        return f"{place}: {text}{_marked(self.column, self.source_line)}"


class TemporalTextError(TemporalRuleError):
    """Temporal rules have a syntax error."""

    _WHAT = "malformed temporal rules"


class NotKeyLocalRuleError(TemporalRuleError):
    """The conclusions of a temporal rule cannot be computed shard by shard, or from rows without an order."""

    _WHAT = "temporal rule refused on Spark"


class ClingoNotFoundError(PantarheiError):
    """Clingo, which computes answer streams, is not installed.

    Args:
        reason: the import error.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"answer streams need clingo ({self.reason}); install it: pip install 'pantarhei[clingo]'"
