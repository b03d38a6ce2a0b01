"""A query cannot be read or answered."""

from __future__ import annotations

from collections.abc import Sequence

from pantarhei.errors.base import PantarheiError


def doubt_of(lost: int) -> str:
    """Explain why a denial is uncertain where axioms of the ontology are lost.

    >>> doubt_of(144)
    '144 axioms of the ontology are lost (report() and pantarhei check list them), so it may still be true'
    """
    subject = "1 axiom of the ontology is" if lost == 1 else f"{lost:,} axioms of the ontology are"
    return f"{subject} lost (report() and pantarhei check list them), so it may still be true"


class NotEntailedError(PantarheiError):
    """A proof is requested for a statement that cannot be derived.

    Args:
        statement: the statement, in N-Triples syntax or as an axiom.
        at: the time of the question; None where no time has passed.
        reason: why there is no proof.
        unknown: the names in the statement that occur nowhere, each an `UnknownName` with similar names.
        lost: number of axioms of the ontology that are lost in whole or in part; above 0 the denial is
            uncertain.
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
        far = ", as far as the rules derive" if self.lost else ""
        reasons = [self.reason or "why_not says what is missing", *map(str, self.unknown)]
        reasons += [doubt_of(self.lost)] if self.lost else []
        return f"{self.statement} does not hold{when}{far}: {'; '.join(reasons)}"


class EntailedError(PantarheiError):
    """Missing facts are requested for a statement that holds.

    Args:
        statement: the statement, in N-Triples syntax.
        at: the time of the question; None where no time has passed.
    """

    def __init__(self, statement: str, at: str | None = None) -> None:
        super().__init__(statement, at)
        self.statement, self.at = statement, at

    def __str__(self) -> str:
        when = "" if self.at is None else f" at {self.at}"
        return f"{self.statement} holds{when}, so nothing is missing; explain says why it does"


class DeltaNotKeptError(PantarheiError):
    """What a step changed in the materialization is asked for, where only what is needed is derived."""

    def __str__(self) -> str:
        return (
            'update.delta is not known with derive="needed", by which only what registered queries and '
            'constraints need is derived; register a query for what is to be followed, or take derive="all"'
        )


class ReadOnlyError(PantarheiError):
    """An attempt to write to a live view of the materialization."""

    def __init__(self, attempt: str) -> None:
        super().__init__(attempt)
        self.attempt = attempt

    def __str__(self) -> str:
        return (
            f"cannot {self.attempt}: this graph is a read-only view of what holds; "
            "what is asserted changes by push, or by change of a DynamicGraph; "
            "a copy that can be written to is rdflib.Graph() + graph"
        )


class QueryError(PantarheiError):
    """A query that is malformed, or asks for something that is refused."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class QueryTextError(QueryError):
    """A query whose text is malformed, or says what cannot be, at a certain place.

    Args:
        line, column: the place, both counted from 1.
        problem: what is wrong there.
        expected: what could stand there, None where that is not known or already said.
        source_line: the line as it is written.
    """

    def __init__(
        self, line: int, column: int, problem: str, expected: str | None = None, source_line: str = ""
    ) -> None:
        PantarheiError.__init__(self, line, column, problem, expected, source_line)
        self.line, self.column, self.problem, self.expected = line, column, problem, expected
        self.source_line = source_line

    @classmethod
    def at(cls, text: str, place: int, problem: str, expected: str | None = None) -> QueryTextError:
        """The error at a place of a text, counted in characters from 0."""
        before, (line, *_) = text[:place], text[place:].split("\n", 1)
        start = before.rfind("\n") + 1
        written = (before[start:] + line).rstrip("\r")
        return cls(before.count("\n") + 1, place - start + 1, problem, expected, written)

    @property
    def reason(self) -> str:  # type: ignore[override]
        """What is wrong, and the line with a mark below the place."""
        problem = self.problem if self.expected is None else f"{self.problem}; expected {self.expected}"
        place = f"malformed query, line {self.line}, column {self.column}"
        return f"{place}: {problem}{_marked(self.column, self.source_line)}"


def _marked(column: int, source_line: str) -> str:
    """Two lines more of a message: a line as it is written, and a mark below a place in it."""
    start = max(column - 1 - _BEFORE_PLACE, 0)
    shown = source_line[start : start + _SHOWN_OF_LINE].replace("\t", " ")
    return f"\n    {shown}\n    {' ' * (column - 1 - start)}^"


# Of a line of a text so many characters are shown before a place, and so many altogether.
_BEFORE_PLACE, _SHOWN_OF_LINE = 60, 100


class NotKeyLocalQueryError(QueryError):
    """The answers that shards give, each alone, would not be those of one window.

    Args:
        key: what shards are made by.
        obstacle: what stands in the way, and what may help.
        name: of the query among several, None where it is the only one.
    """

    def __init__(self, key: str, obstacle: str, name: str | None = None) -> None:
        PantarheiError.__init__(self, key, obstacle, name)
        self.key, self.obstacle, self.name = key, obstacle, name

    @property
    def reason(self) -> str:  # type: ignore[override]
        """What is in the way, and what to do."""
        query = "the query" if self.name is None else f"the query {self.name!r}"
        return (
            f"shards by {self.key} would not answer {query} as one window does: {self.obstacle}. Write it "
            "so that what it joins has one key, or ask a stream without shard_by"
        )


class QueryTimeoutError(QueryError):
    """A query took longer than permitted; it was stopped, and nothing has changed.

    Args:
        timeout: the seconds permitted, None without a limit.
        match: the seconds that a regular expression may take with one text, where that limit was reached.
    """

    def __init__(self, timeout: float | None, match: float | None = None) -> None:
        PantarheiError.__init__(self, timeout, match)
        self.timeout, self.match = timeout, match

    @property
    def reason(self) -> str:  # type: ignore[override]
        """What happened, and what to do."""
        if self.match is not None:
            return (
                f"the query was stopped: a regular expression took longer than {self.match} seconds with one "
                f"text, the limit whatever timeout={self.timeout} permits; make the expression simpler, or "
                "filter long texts with STRLEN before"
            )
        return (
            f"the query was stopped after timeout={self.timeout} seconds; give it more, or look at its plan "
            "for what is joined without a shared variable"
        )


class QueryLengthError(QueryError):
    """The text of a query is longer than permitted; it was not parsed.

    Args:
        length: the number of its characters.
        max_length: the number permitted.
    """

    def __init__(self, length: int, max_length: int) -> None:
        PantarheiError.__init__(self, length, max_length)
        self.length, self.max_length = length, max_length

    @property
    def reason(self) -> str:  # type: ignore[override]
        """The limit, and what to do."""
        return (
            f"the text of the query has {self.length:_} characters, where max_length={self.max_length:_}; "
            "permit more, or give data as background or bindings rather than in the text"
        )


class QueryMemoryError(QueryError):
    """A query needs more memory than permitted, or than there is; it was stopped, and nothing has changed.

    Args:
        max_bytes: the number of bytes permitted for the rows of one operator, and for all texts that
            functions make; None where there is no limit.
        needed: the number of bytes that would be needed; None where the machine has no more memory.
        rows: the number of rows that would be made at once; None where texts exceed the limit.
    """

    def __init__(self, max_bytes: int | None, needed: int | None = None, rows: int | None = None) -> None:
        PantarheiError.__init__(self, max_bytes, needed, rows)
        self.max_bytes, self.needed, self.rows = max_bytes, needed, rows

    @property
    def reason(self) -> str:  # type: ignore[override]
        """What would be needed, and what to do."""
        if self.needed is None:
            limit = "without max_bytes" if self.max_bytes is None else f"before max_bytes={self.max_bytes:_}"
            return f"the machine ran out of memory, {limit} was reached; permit less, or query for less"
        if self.rows is None:
            return (
                f"the texts that functions of the query make would take {self.needed:_} bytes, where "
                f"max_bytes={self.max_bytes:_}; permit more, or make fewer or shorter texts (CONCAT, REPLACE "
                "and GROUP_CONCAT make long ones)"
            )
        return (
            f"the query would make {self.rows:_} rows at once, {self.needed:_} bytes, where "
            f"max_bytes={self.max_bytes:_}; permit more, query for less with LIMIT or a filter, or look at "
            "its plan for what is joined without a shared variable"
        )


class RegistrationMemoryError(QueryMemoryError):
    """A query cannot be registered: with it more would be held than a reasoner may hold. Nothing has changed.

    Args:
        max_bytes: how many bytes the reasoner may hold.
        needed: how many it would, with all that is registered.
        rows: how many rows the answers of the query have.
        beside: how many of the bytes registered queries, this one too, and temporal rules would hold.
    """

    max_bytes: int
    needed: int
    rows: int

    def __init__(self, max_bytes: int, needed: int, rows: int, beside: int) -> None:
        PantarheiError.__init__(self, max_bytes, needed, rows, beside)
        self.max_bytes, self.needed, self.rows, self.beside = max_bytes, needed, rows, beside

    @property
    def reason(self) -> str:  # type: ignore[override]
        """What would be held, and what to do."""
        return (
            f"with this query ({self.rows:_} rows) window and registered queries would take "
            f"{self.needed:_} bytes together, {self.beside:_} of these for queries and temporal rules, where "
            f"max_bytes={self.max_bytes:_}; allow more, make the window's range shorter, or register a query "
            "that keeps less: each row that one of its operators goes on from is kept, as its plan shows"
        )


class FollowerOverflowError(QueryError):
    """A follower of a query was too slow: changes were left out.

    Args:
        query: the name of the query.
        limit: how many changes could wait.
        dropped: how many were left out.
    """

    def __init__(self, query: str, limit: int, dropped: int) -> None:
        PantarheiError.__init__(self, query, limit, dropped)
        self.query, self.limit, self.dropped = query, limit, dropped

    @property
    def reason(self) -> str:  # type: ignore[override]
        """What happened, and what to do."""
        return (
            f"{self.dropped} changes of the query {self.query} were left out, since limit={self.limit} of "
            'them waited already; read faster, allow more, or choose with follow(overflow="block"), '
            '"drop_oldest" or "coalesce" what becomes of them. `answers` has all of them'
        )


class TemporalRuleError(PantarheiError):
    """A temporal rule that is refused.

    Args:
        problem: what is wrong.
        expected: what would do instead.
        line, column: where it is written, both counted from 1; None for what was not read from a text.
        source_line: the line as it is written.
        source: the file that it was read from, None for none.
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
        said = f"{self.problem}; expected {self.expected}"
        if self.line is None or self.column is None:
            return f"{self._WHAT}: {said}"
        file = f"{self.source}, " if self.source else ""
        place = f"{self._WHAT}, {file}line {self.line}, column {self.column}"
        return f"{place}: {said}{_marked(self.column, self.source_line)}"


class TemporalTextError(TemporalRuleError):
    """The text of temporal rules cannot be read on, at a certain place."""

    _WHAT = "malformed temporal rules"


class NotKeyLocalRuleError(TemporalRuleError):
    """What Spark concludes by a rule, each shard alone, would not be what one reasoner concludes."""

    _WHAT = "temporal rule refused on Spark"


class ClingoNotFoundError(PantarheiError):
    """Answer streams are asked for, and clingo, which finds them, is not there.

    Args:
        reason: why it cannot be imported.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"answer streams are found by clingo ({self.reason}); pip install 'pantarhei[clingo]'"
