"""Every error this package raises on purpose.

    PantarheiError
    ├── InputError                 something given could not be read
    │   ├── MissingFileError           a file that is not there, or cannot be opened
    │   ├── MalformedInputError        not the syntax it claims to be: source, line, reason
    │   │   ├── CompressedInputError       compressed, where text is read
    │   │   └── InvalidCellError           a cell of a table that is not what its mapping says
    │   ├── MappingError               a mapping that cannot be read, or does not fit its table
    │   ├── InvalidTripleError         not a triple of RDF terms
    │   ├── BackgroundOnlyError        a stream asserts what only the background may
    │   ├── InvalidRowError            a row of a table that is no timestamped triple
    │   ├── ForeignInterpretationError an interpretation made with another ontology or background
    │   ├── TimestampError             not a timestamp, or of another kind than the stream's
    │   │   └── ForgottenTimeError         a time outside window and history
    │   └── MissingTimestampError      a graph of a stream without a time
    ├── OntologyError
    │   ├── InconsistentOntologyError  the ontology contradicts itself or the background
    │   ├── InvalidRuleError           a rule that cannot be evaluated
    │   ├── UnsupportedAxiomError      an axiom would be lost, and `strict` was asked for
    │   ├── MissingImportError         an `owl:imports` that no catalog entry resolves
    │   └── NotKeyLocalError           rules join facts of different shards
    ├── ContradictionError         a change by which a graph would contradict itself
    ├── StreamError
    │   ├── LateABoxError              an ABox older than the newest one
    │   ├── StreamsEndedError          streams that have been read, and are to be read again
    │   └── MemoryLimitError           a window larger than `max_facts` or `max_bytes` allows
    ├── CheckpointError            a checkpoint that cannot be written, read or used
    │   └── CheckpointMismatchError    one of another ontology or background
    ├── OptionError                an option's value is not one of those it can have
    │   ├── QueryWindowError           a window that a query may have, and a reasoner may not
    │   └── UnknownFormatError         neither a file's name nor an option tells its format
    ├── QueryError                 a query that is malformed or refused
    │   ├── QueryTextError             its text cannot be read on, with line and column
    │   ├── NotKeyLocalQueryError      it joins facts of different shards
    │   ├── QueryTimeoutError          it took longer than its `timeout`
    │   └── QueryMemoryError           it needs more than its `max_bytes`
    │       └── RegistrationMemoryError    registered, more would be held than the reasoner may hold
    ├── TemporalRuleError          a temporal rule that is refused
    │   ├── TemporalTextError          the text of temporal rules cannot be read on, with line and column
    │   └── NotKeyLocalRuleError       Spark would conclude otherwise than one reasoner
    ├── ClingoNotFoundError        answer streams without clingo
    ├── SparkError                 Spark cannot be started or reached
    │   ├── JavaNotFoundError          no Java that Spark can run on
    │   └── MasterUnreachableError     no cluster answers at the master's address
    ├── NotEntailedError           a proof is asked for of what does not hold
    ├── EntailedError              what is missing is asked for of what holds
    ├── DeltaNotKeptError          what a step changed is asked for where not all is derived
    └── ReadOnlyError              an attempt to write to a view of the materialization

All of them pickle: every argument reaches `Exception.__init__`, so that one raised on a Spark worker comes
back whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class PantarheiError(Exception):
    """Base of all errors raised on purpose by this package."""


class InputError(PantarheiError):
    """Something given to the package could not be read."""


class MissingFileError(InputError, FileNotFoundError):
    """A file that is not there, or cannot be opened."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path} cannot be read: {self.reason}"


class MalformedInputError(InputError):
    """Text that is not the syntax it claims to be."""

    def __init__(self, source: str, line: int | None, reason: str) -> None:
        super().__init__(source, line, reason)
        self.source, self.line, self.reason = source, line, reason

    def __str__(self) -> str:
        where = self.source if self.line is None else f"{self.source}, line {self.line}"
        return f"{where}: {self.reason}"


class CompressedInputError(MalformedInputError):
    """A compressed file, where text is read.

    Args:
        source: what is compressed.
        compression: how: "gzip", "bzip2", "xz", "zstd" or "zip".
    """

    line = None

    def __init__(self, source: str, compression: str) -> None:
        PantarheiError.__init__(self, source, compression)
        self.source, self.compression = source, compression

    @property
    def reason(self) -> str:  # type: ignore[override]
        """What is wrong, and what to do."""
        to_file, to_pipe = _UNPACKING.get(self.compression, (self.compression, self.compression))
        workbook = " (of an Excel workbook, save the sheet as CSV)" if self.compression == "zip" else ""
        return (
            f"it is compressed ({self.compression}), and only text is read; unpack it first ({to_file}), or "
            f"read from a pipe what is unpacked ({to_pipe}){workbook}"
        )


_UNPACKING = {
    "gzip": ("gzip -d", "gzip -dc"),
    "bzip2": ("bzip2 -d", "bzip2 -dc"),
    "xz": ("xz -d", "xz -dc"),
    "zstd": ("zstd -d", "zstd -dc"),
    "zip": ("unzip", "unzip -p"),
}


class InvalidCellError(MalformedInputError):
    """A cell of a table that is not what its mapping says.

    Args:
        source: the file.
        line: of a text the line, of another table the number of the row; both counted from 1.
        column: the column.
        reason: what is there, and what was expected.
        counted: "line" or "row", whichever `line` counts.
    """

    def __init__(
        self, source: str, line: int | None, column: str, reason: str, counted: str = "line"
    ) -> None:
        PantarheiError.__init__(self, source, line, column, reason, counted)
        self.source, self.line, self.column, self.reason = source, line, column, reason
        self.counted = counted

    def __str__(self) -> str:
        where = self.source if self.line is None else f"{self.source}, {self.counted} {self.line}"
        return f"{where}, column {self.column}: {self.reason}"


class MappingError(InputError):
    """A mapping that cannot be read, or does not fit the table.

    Args:
        source: the mapping's file.
        line: where in it, counted from 1; None where there are no lines.
        problem: what is wrong.
        expected: what would do instead.
    """

    def __init__(self, source: str, line: int | None, problem: str, expected: str) -> None:
        super().__init__(source, line, problem, expected)
        self.source, self.line, self.problem, self.expected = source, line, problem, expected

    def __str__(self) -> str:
        where = self.source if self.line is None else f"{self.source}, line {self.line}"
        return f"{where}: {self.problem}; expected {self.expected}"


class InvalidTripleError(InputError):
    """Something that is not a triple of RDF terms."""

    def __init__(self, given: str, reason: str) -> None:
        super().__init__(given, reason)
        self.given, self.reason = given, reason

    def __str__(self) -> str:
        return f"not a triple: {self.given}: {self.reason}"


class BackgroundOnlyError(InputError):
    """A sharded stream asserts a class or property of which it was taken that only the background does.

    Args:
        predicate: the class or property.
        key: what the stream is sharded by; it may not work if the predicate streams.
    """

    def __init__(self, predicate: str, key: str) -> None:
        super().__init__(predicate, key)
        self.predicate, self.key = predicate, key

    def __str__(self) -> str:
        return (
            f"the stream asserts {self.predicate}, and its shards by {self.key} rest on that it does not; "
            "name all classes and properties that stream (streaming=…), or leave these rows out"
        )


class InvalidRowError(InputError):
    """A row of a table or DataFrame that is no timestamped triple.

    Args:
        row: its columns' names and values, as texts `name=value`.
        column: the column that is not as it should be.
        reason: what is wrong with it.
    """

    def __init__(self, row: Sequence[str], column: str, reason: str) -> None:
        super().__init__(tuple(row), column, reason)
        self.row, self.column, self.reason = tuple(row), column, reason

    @property
    def what(self) -> str:
        """Which row it is, and what is wrong with it."""
        return f"column {self.column} of the row ({', '.join(self.row)}): {self.reason}"

    def __str__(self) -> str:
        advice = 'mend the data, or leave such rows out with on_error="skip", which counts them'
        return f"{self.what}; {advice}"


class ForeignInterpretationError(InputError):
    """An interpretation that was made with another ontology, background or reading of names.

    Args:
        made_with: the digest of what it was made with.
        expected: the digest of what the reasoner has.
    """

    def __init__(self, made_with: str, expected: str) -> None:
        super().__init__(made_with, expected)
        self.made_with, self.expected = made_with, expected

    def __str__(self) -> str:
        return (
            f"the interpretation was made with the foundation {self.made_with[:16]}, the reasoner has "
            f"{self.expected[:16]}; make it with the same ontology, background, unique_names and numbers"
        )


class TimestampError(InputError):
    """Not a timestamp or a duration, or one of another kind than the stream's."""

    def __init__(self, given: str, expected: str) -> None:
        super().__init__(given, expected)
        self.given, self.expected = given, expected

    def __str__(self) -> str:
        return f"{self.given} does not do here: expected {self.expected}"


class ForgottenTimeError(TimestampError):
    """A time outside window and history: nobody knows how the window stood then.

    Args:
        known_from: the oldest time at which it is known.
    """

    def __init__(self, given: str, expected: str, known_from: str) -> None:
        super().__init__(given, expected)
        self.args = given, expected, known_from
        self.known_from = known_from

    def __str__(self) -> str:
        return f"{super().__str__()}; it is known from {self.known_from} on, and History(steps=…) keeps more"


class MissingTimestampError(InputError):
    """A message of a stream has no time.

    Args:
        source: the file, and the line where it is known.
        graph: the graph that is the message; empty if it is one of a message log.
        expected: where its time should be.
    """

    def __init__(self, source: str, graph: str, expected: str) -> None:
        super().__init__(source, graph, expected)
        self.source, self.graph, self.expected = source, graph, expected

    def __str__(self) -> str:
        message = f"graph {self.graph}" if self.graph else "the message"
        return f"{self.source}: no time found for {message}: expected {self.expected}"


class OntologyError(PantarheiError):
    """An ontology that cannot be used as it is."""


class InconsistentOntologyError(OntologyError):
    """The ontology, alone or with its background, violates one of its own constraints.

    Args:
        constraint: the violated constraint, as text.
        facts: the facts that violate it, as N-Triples statements.
        origin: the axiom that the constraint comes from.
        proof: the steps that lead to these facts, and the violation, as text.
        remedy: what else may be done than to repair one of them.
    """

    def __init__(
        self,
        constraint: str,
        facts: Sequence[str],
        origin: str,
        proof: Sequence[str] = (),
        remedy: str | None = None,
    ) -> None:
        super().__init__(constraint, tuple(facts), origin, tuple(proof), remedy)
        self.constraint, self.facts, self.origin = constraint, tuple(facts), origin
        self.proof, self.remedy = tuple(proof), remedy

    def __str__(self) -> str:
        if not self.facts:
            return f"the ontology contradicts itself: {self.constraint} (from {self.origin})"
        lines = "".join(f"\n    {fact}" for fact in self.facts)
        derived = len(self.proof) > len(self.facts) + 1
        proof = "\nfor:" + "".join(f"\n    {step}" for step in self.proof) if derived else ""
        return (
            f"the ontology is inconsistent with its background: {self.constraint} (from {self.origin}) "
            f"is violated by{lines}{proof}\n"
            "repair the ontology or the background; only streamed ABoxes are repaired"
            + ("" if self.remedy is None else f"; or {self.remedy}")
        )


class InvalidRuleError(OntologyError, ValueError):
    """A rule that cannot be evaluated."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(rule, reason)
        self.rule, self.reason = rule, reason

    def __str__(self) -> str:
        return f"the rule {self.rule} cannot be evaluated: {self.reason}"


class UnsupportedAxiomError(OntologyError):
    """An axiom would be lost, and the caller asked for strictness."""

    def __init__(self, axioms: Sequence[str]) -> None:
        super().__init__(tuple(axioms))
        self.axioms = tuple(axioms)

    def __str__(self) -> str:
        lines = "".join(f"\n    {axiom}" for axiom in self.axioms)
        return f"{len(self.axioms)} axiom(s) are not supported, and strict loading was asked for:{lines}"


class MissingImportError(OntologyError):
    """An `owl:imports` that cannot be resolved locally; nothing is ever fetched from the network.

    Args:
        iri: what is imported.
        importing: the file, or what else there is, that imports it.
        problem: why it is not found.
    """

    def __init__(self, iri: str, importing: str, problem: str = "is in no catalog") -> None:
        super().__init__(iri, importing, problem)
        self.iri, self.importing, self.problem = iri, importing, problem

    def __str__(self) -> str:
        return (
            f"{self.importing} imports <{self.iri}>, which {self.problem}; give its file as "
            f"catalog={{'{self.iri}': 'path/to/file'}} or the folder it is in, or load with imports=\"skip\""
        )


class NotKeyLocalError(OntologyError):
    """A stream cannot be sharded by a key: rules join facts of different shards.

    Args:
        key: the key asked for.
        report: which rules stand in the way, and why.
    """

    def __init__(self, key: str, report: str) -> None:
        super().__init__(key, report)
        self.key, self.report = key, report

    def __str__(self) -> str:
        return (
            f"shards by {self.key} would not hold what one model holds. {self.report}\n"
            "ontology.sharding_report() says which keys work, and what may help"
        )


class ContradictionError(PantarheiError):
    """A change by which the assertions of a graph would contradict each other.

    Args:
        conflicts: the minimal sets of assertions that do, each with the constraints that it violates; none
            where they are too many to be found.
    """

    def __init__(self, conflicts: Sequence[object]) -> None:
        super().__init__(tuple(conflicts))
        self.conflicts = tuple(conflicts)

    def __str__(self) -> str:
        shown = [f"\n    {conflict}" for conflict in self.conflicts[:10]]
        if len(self.conflicts) > 10:
            shown.append(f"\n    and {len(self.conflicts) - 10} more")
        found = f":{''.join(shown)}" if shown else " in more ways than can be listed"
        return (
            f"after the change the assertions would contradict each other{found}\n"
            "nothing was changed; delete one assertion of each conflict in the same change, or let the graph "
            'report conflicts with on_conflict="report"'
        )


class StreamError(PantarheiError):
    """A stream that cannot be followed."""


class LateABoxError(StreamError):
    """An ABox arrived whose timestamp is older than the newest one seen.

    Args:
        at: its timestamp.
        newest: the newest time seen.
        allowed_lateness: how far out of order it could have been, if any disorder was allowed.
        lateness: how far it would have to be, as `allowed_lateness` takes it.
    """

    def __init__(
        self, at: str, newest: str, allowed_lateness: str | None = None, lateness: str | None = None
    ) -> None:
        super().__init__(at, newest, allowed_lateness, lateness)
        self.at, self.newest, self.allowed_lateness, self.lateness = at, newest, allowed_lateness, lateness

    def __str__(self) -> str:
        if self.allowed_lateness is not None:
            return (
                f"the ABox at {self.at} comes later than allowed_lateness={self.allowed_lateness} permits: "
                f"time has come to {self.newest}; allow more lateness or leave the ABox out"
                + ("" if self.lateness is None else f" (allowed_lateness={self.lateness} takes this one in)")
            )
        wait = "allowed_lateness"
        if self.lateness is not None:
            wait += f"={self.lateness}, or more where others come later"
        return (
            f"the ABox at {self.at} is older than the newest time seen, {self.newest}; "
            f"push ABoxes in time order, or let the stream wait for them with {wait}"
        )


class StreamsEndedError(StreamError):
    """A query over streams is to run once more after they have been read, to their end or to an error.

    Args:
        query: its name.
    """

    def __init__(self, query: str) -> None:
        super().__init__(query)
        self.query = query

    def __str__(self) -> str:
        return (
            f"the streams of the query {self.query} have been read; what it reported last are its `answers`. "
            "To run it once more, register its text again, with streams that begin anew"
        )


class MemoryLimitError(StreamError):
    """A push would leave more than `max_facts` or `max_bytes` allows; or the background alone does.

    Args:
        limit: which of the two.
        most: what it allows.
        needed: what there would be, at least.
        at: the timestamp of the ABox, None for the background.
        alone: whether no older ABox is left that could make room.
        beside: how many of the bytes temporal rules and registered queries hold.
    """

    def __init__(
        self, limit: str, most: int, needed: int, at: str | None, alone: bool, beside: int = 0
    ) -> None:
        super().__init__(limit, most, needed, at, alone, beside)
        self.limit, self.most, self.needed, self.at, self.alone = limit, most, needed, at, alone
        self.beside = beside

    def __str__(self) -> str:
        unit = "facts" if self.limit == "max_facts" else "bytes"
        there = f"{self.needed:_} {unit} or more, where {self.limit}={self.most:_}"
        if self.at is None:
            return (
                f"the background and what follows from it need {there}; allow more, or give less background"
            )
        if self.beside:
            alone = ", alone after all that is older was left out," if self.alone else ","
            return (
                f"at {self.at} the window{alone} what is concluded and what is answered would need {there}, "
                f"{self.beside:_} of these for temporal rules and registered queries; allow more, make the "
                "windows of rules and queries or the window's range shorter, or look which of them hold most"
            )
        if self.alone:
            return (
                f"the ABox at {self.at} alone and what follows from it need {there}, after all that is older "
                "was left out; allow more, spread it over several timestamps, or look which rules derive it"
            )
        return (
            f"with the ABox at {self.at} the window would need {there}; allow more, make the window's range "
            'shorter, or let the oldest timestamps leave early with on_limit="drop"'
        )


class CheckpointError(PantarheiError):
    """A checkpoint that cannot be written, read or used.

    Args:
        source: where it is, or what was given.
        reason: what is wrong with it, and what to do.
    """

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(source, reason)
        self.source, self.reason = source, reason

    def __str__(self) -> str:
        return f"the checkpoint {self.source}: {self.reason}"


class CheckpointMismatchError(CheckpointError):
    """A checkpoint was made with another ontology or background than it is restored with.

    Args:
        source: where it is, or what was given.
        what: what differs.
        saved: the fingerprint of what it was made with.
        given: the fingerprint of what is given now.
    """

    def __init__(self, source: str, what: str, saved: str, given: str) -> None:
        PantarheiError.__init__(self, source, what, saved, given)
        self.source, self.what, self.saved, self.given = source, what, saved, given

    @property
    def reason(self) -> str:  # type: ignore[override]
        """What differs, and what to do."""
        return (
            f"it was made with other {self.what}, fingerprint {self.saved}, than are given now, fingerprint "
            f"{self.given}; restore it with the same, or make a new StreamReasoner and push the window's "
            "ABoxes to it"
        )


class OptionError(PantarheiError, ValueError):
    """An option's value is not one of those it can have."""

    def __init__(self, option: str, given: str, expected: str) -> None:
        super().__init__(option, given, expected)
        self.option, self.given, self.expected = option, given, expected

    def __str__(self) -> str:
        return f"{self.option}={self.given} is not possible: expected {self.expected}"


class QueryWindowError(OptionError):
    """A reasoner's window that only a query may have: some timestamps would fall into none when they come."""

    def __str__(self) -> str:
        return (
            f"{self.option}={self.given} is not possible for the window of a reasoner: expected "
            f"{self.expected}; a registered query may have such a window of its own"
        )


def check_type(name: str, given: object, type_: Any, expected: str) -> None:
    """Nothing, if what is given for an option is of that type.

    Raises:
        OptionError: it is not.
    """
    if not isinstance(given, type_):
        raise OptionError(name, repr(given)[:200], expected)


def check_choice(name: str, given: object, allowed: tuple[object, ...]) -> None:
    """Nothing, if what is given is among what is allowed.

    Raises:
        OptionError: it is not.
    """
    if given not in allowed:
        raise OptionError(name, repr(given), " or ".join(map(repr, allowed)))


class UnknownFormatError(OptionError):
    """Neither the name of a file nor an option tells in which format the file is.

    Args:
        option: the option that would tell, None if there is none.
        source: the file.
        suffixes: ends of names that tell.
        formats: the option's values.
    """

    def __init__(
        self, option: str | None, source: str, suffixes: Sequence[str], formats: Sequence[str]
    ) -> None:
        PantarheiError.__init__(self, option, source, tuple(suffixes), tuple(formats))
        self.option, self.source = option, source  # type: ignore[assignment]
        self.suffixes, self.formats = tuple(suffixes), tuple(formats)

    @property
    def given(self) -> str:  # type: ignore[override]
        """The file, since no format was given."""
        return self.source

    @property
    def expected(self) -> str:  # type: ignore[override]
        """What would tell the format."""
        name = f"a name that ends in {_or(self.suffixes)}"
        return name if self.option is None else f"{name}, or the option {self.option} ({_or(self.formats)})"

    def __str__(self) -> str:
        return f"the format of {self.source} is not known: expected {self.expected}"


def _or(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


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
    """A query took longer than it may; it was stopped, and nothing has changed.

    Args:
        timeout: how many seconds it may take.
    """

    def __init__(self, timeout: float) -> None:
        PantarheiError.__init__(self, timeout)
        self.timeout = timeout

    @property
    def reason(self) -> str:  # type: ignore[override]
        """What happened, and what to do."""
        return (
            f"the query was stopped after timeout={self.timeout} seconds; give it more, or look at its plan "
            "for what is joined without a shared variable"
        )


class QueryMemoryError(QueryError):
    """A query would make more rows at once than it may; it was stopped, and nothing has changed.

    Args:
        max_bytes: how many bytes they may take.
        needed: how many they would.
        rows: how many rows they are.
    """

    def __init__(self, max_bytes: int, needed: int, rows: int) -> None:
        PantarheiError.__init__(self, max_bytes, needed, rows)
        self.max_bytes, self.needed, self.rows = max_bytes, needed, rows

    @property
    def reason(self) -> str:  # type: ignore[override]
        """What it would need, and what to do."""
        return (
            f"the query would make {self.rows:_} rows at once, {self.needed:_} bytes, where "
            f"max_bytes={self.max_bytes:_}; allow more, ask for less with LIMIT or a filter, or look at its "
            "plan for what is joined without a shared variable"
        )


class RegistrationMemoryError(QueryMemoryError):
    """A query cannot be registered: with it more would be held than a reasoner may hold. Nothing has changed.

    Args:
        max_bytes: how many bytes the reasoner may hold.
        needed: how many it would, with all that is registered.
        rows: how many rows the answers of the query have.
        beside: how many of the bytes registered queries, this one too, and temporal rules would hold.
    """

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


class SparkError(PantarheiError):
    """Spark cannot be started or reached."""


class JavaNotFoundError(SparkError):
    """There is no Java on which Spark could run.

    Args:
        found: what was looked at, and why it does not do, one sentence each.
        needed: the lowest version that does.
    """

    def __init__(self, found: Sequence[str], needed: int) -> None:
        super().__init__(tuple(found), needed)
        self.found, self.needed = tuple(found), needed

    def __str__(self) -> str:
        lines = "".join(f"\n    {sentence}" for sentence in self.found)
        return (
            f"Spark needs Java {self.needed} or newer:{lines}\n"
            f"install it (on Debian: apt install openjdk-{self.needed}-jre-headless) or point JAVA_HOME to "
            "it; without a system Java, pip install 'pantarhei[java]'"
        )


class MasterUnreachableError(SparkError):
    """No cluster answers at the address of the master.

    Args:
        master: the address, as given.
        reasons: why, one sentence for each host tried.
    """

    def __init__(self, master: str, reasons: Sequence[str]) -> None:
        super().__init__(master, tuple(reasons))
        self.master, self.reasons = master, tuple(reasons)

    def __str__(self) -> str:
        lines = "".join(f"\n    {reason}" for reason in self.reasons)
        return (
            f"no Spark master answers at {self.master}:{lines}\n"
            'start the cluster or correct the address; master="local[*]" needs no cluster'
        )


class NotEntailedError(PantarheiError):
    """A proof is asked for of what does not hold.

    Args:
        statement: what was asked, in N-Triples syntax or as an axiom.
        at: the time it was asked for; None where no time has passed.
        reason: what is known of it besides.
    """

    def __init__(self, statement: str, at: str | None = None, reason: str | None = None) -> None:
        super().__init__(statement, at, reason)
        self.statement, self.at, self.reason = statement, at, reason

    def __str__(self) -> str:
        when = "" if self.at is None else f" at {self.at}"
        return f"{self.statement} does not hold{when}: {self.reason or 'why_not says what is missing'}"


class EntailedError(PantarheiError):
    """What is missing for a triple to hold is asked for, and it holds.

    Args:
        statement: what was asked, in N-Triples syntax.
        at: the time it was asked for; None where no time has passed.
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


class AxiomsInStreamWarning(UserWarning):
    """A stream asserts axioms, which are plain facts there. Said once a reasoner.

    Args:
        axiom: the first of them, as text.
    """

    def __init__(self, axiom: str) -> None:
        super().__init__(axiom)
        self.axiom = axiom

    def __str__(self) -> str:
        return (
            f"the stream asserts an axiom ({self.axiom}), and nothing follows from it there: axioms are read "
            "before the stream comes; give them as part of the ontology, or of the background"
        )


class NumbersApartWarning(UserWarning):
    """Numbers of a stream can never meet: some are xsd:double or xsd:float, others decimals. Said once a
    kind: of conditions that no value meets, and of values that are never equal.

    Args:
        what: the property and its values, as text.
        of_conditions: whether it is of the first kind.
        of_texts: whether the values are texts that read as numbers, which meet no condition on numbers.
    """

    def __init__(self, what: str, of_conditions: bool = False, of_texts: bool = False) -> None:
        super().__init__(what, of_conditions, of_texts)
        self.what, self.of_conditions, self.of_texts = what, of_conditions, of_texts

    def __str__(self) -> str:
        if self.of_texts:
            return f"{self.what}; write it with a datatype of numbers, such as xsd:decimal"
        way_out = 'read numbers by value (numbers="by_value"), or write both with datatypes of one kind'
        return f"{self.what}; {way_out}"


class UncompiledKernelWarning(RuntimeWarning):
    """The kernel runs uncompiled: correct, and some hundred times slower. Said once a process."""
