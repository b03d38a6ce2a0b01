"""Errors of input: files, triples, tables and timestamps."""

from __future__ import annotations

from collections.abc import Sequence

from pantarhei.errors.base import PantarheiError, parameter


class InputError(PantarheiError):
    """Input cannot be read."""


class MissingFileError(InputError, FileNotFoundError):
    """A file does not exist or cannot be opened.

    Args:
        path: the file.
        reason: the error of the file system.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path} cannot be read: {self.reason}"


class MalformedInputError(InputError):
    """Input is malformed.

    Args:
        source: the file or other source.
        line: the line, counted from 1; None if it is unknown.
        reason: the error.
    """

    def __init__(self, source: str, line: int | None, reason: str) -> None:
        super().__init__(source, line, reason)
        self.source, self.line, self.reason = source, line, reason

    def __str__(self) -> str:
        where = self.source if self.line is None else f"{self.source}, line {self.line}"
        return f"{where}: {self.reason}"


class CompressedInputError(MalformedInputError):
    """A file is compressed in an unsupported format.

    Args:
        source: the file.
        compression: "gzip", "bzip2", "xz", "zstd" or "zip".
    """

    line = None

    def __init__(self, source: str, compression: str) -> None:
        PantarheiError.__init__(self, source, compression)
        self.source, self.compression = source, compression

    @property
    def reason(self) -> str:  # type: ignore[override]
        """Error text with a remedy."""
        to_file, to_pipe = _UNPACKING.get(self.compression, (self.compression, self.compression))
        workbook = " (for an Excel workbook, save the sheet as CSV)" if self.compression == "zip" else ""
        return (
            f"it is compressed ({self.compression}), and only text is read; unpack it first ({to_file}), or "
            f"pipe the unpacked text ({to_pipe}){workbook}"
        )


_UNPACKING = {
    "gzip": ("gzip -d", "gzip -dc"),
    "bzip2": ("bzip2 -d", "bzip2 -dc"),
    "xz": ("xz -d", "xz -dc"),
    "zstd": ("zstd -d", "zstd -dc"),
    "zip": ("unzip", "unzip -p"),
}


class InvalidCellError(MalformedInputError):
    """A cell of a table does not fit the mapping.

    Args:
        source: the file.
        line: line number in a text, or row number in another table, counted from 1; None if it is unknown.
        column: the column.
        reason: the value, and the expected value.
        counted: unit of `line`, "line" or "row".
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
    """A mapping is malformed, or does not fit the table.

    Args:
        source: the file of the mapping.
        line: the line in it, counted from 1; None if the mapping was given as a dictionary.
        problem: the error.
        expected: the expected input.
    """

    def __init__(self, source: str, line: int | None, problem: str, expected: str) -> None:
        super().__init__(source, line, problem, expected)
        self.source, self.line, self.problem, self.expected = source, line, problem, expected

    def __str__(self) -> str:
        where = self.source if self.line is None else f"{self.source}, line {self.line}"
        return f"{where}: {self.problem}; expected {self.expected}"


class InvalidTripleError(InputError):
    """Input is not a triple of RDF terms.

    Args:
        given: the input, as text.
        reason: the error.
    """

    def __init__(self, given: str, reason: str) -> None:
        super().__init__(given, reason)
        self.given, self.reason = given, reason

    def __str__(self) -> str:
        return f"not a triple: {self.given}: {self.reason}"


class BackgroundOnlyError(InputError):
    """A sharded stream asserts a class or property that is declared to occur in the background only.

    Args:
        predicate: the class or property.
        key: the key of the shards, which is valid only if the stream does not assert the predicate.
    """

    def __init__(self, predicate: str, key: str) -> None:
        super().__init__(predicate, key)
        self.predicate, self.key = predicate, key

    def __str__(self) -> str:
        return (
            f"the stream asserts {self.predicate}, but sharding by {self.key} assumes that only the "
            "background does; name all classes and properties of the stream in streaming=[…], or omit "
            "these rows"
        )


class InvalidRowError(InputError):
    """A row of a DataFrame is not a timestamped triple.

    Args:
        row: the columns of the row, as texts `name=value`.
        column: the invalid column.
        reason: the error.
    """

    def __init__(self, row: Sequence[str], column: str, reason: str) -> None:
        super().__init__(tuple(row), column, reason)
        self.row, self.column, self.reason = tuple(row), column, reason

    @property
    def what(self) -> str:
        """Row and error, without a remedy."""
        return f"column {self.column} of the row ({', '.join(self.row)}): {self.reason}"

    def __str__(self) -> str:
        skip = parameter("on_error", '"skip"')
        return f"{self.what}; correct the data, or omit such rows with {skip}, which counts them"


class ForeignInterpretationError(InputError):
    """An interpretation was computed with another ontology, background or options than the reasoner has.

    Args:
        made_with: digest of the interpretation's foundation.
        expected: digest of the reasoner's foundation.
    """

    def __init__(self, made_with: str, expected: str) -> None:
        super().__init__(made_with, expected)
        self.made_with, self.expected = made_with, expected

    def __str__(self) -> str:
        return (
            f"the interpretation was computed with the foundation {self.made_with[:16]}, but the reasoner "
            f"has {self.expected[:16]}; compute it with the same ontology, background, "
            f"{parameter('unique_names')} and {parameter('numbers')}"
        )


class TimestampError(InputError):
    """A timestamp or duration is invalid, or not of the stream's kind (integers, floats or datetimes).

    Args:
        given: the timestamp or duration, as text.
        expected: the valid values, as text.
    """

    def __init__(self, given: str, expected: str) -> None:
        super().__init__(given, expected)
        self.given, self.expected = given, expected

    def __str__(self) -> str:
        return f"{self.given} is invalid: expected {self.expected}"


class ForgottenTimeError(TimestampError):
    """A time is before the recorded history.

    Args:
        given: the time, as text.
        expected: the valid times, as text.
        known_from: the oldest recorded time, as text.
    """

    def __init__(self, given: str, expected: str, known_from: str) -> None:
        super().__init__(given, expected)
        self.args = given, expected, known_from
        self.known_from = known_from

    def __str__(self) -> str:
        begin = f"the history begins at {self.known_from}; History(steps=…) records more steps"
        return f"{super().__str__()}; {begin}"


class MissingTimestampError(InputError):
    """A message of a stream has no time.

    Args:
        source: the file, with the line if it is known.
        graph: the name of the graph; empty for a dataset message.
        expected: text on where the time is expected.
    """

    def __init__(self, source: str, graph: str, expected: str) -> None:
        super().__init__(source, graph, expected)
        self.source, self.graph, self.expected = source, graph, expected

    def __str__(self) -> str:
        message = f"graph {self.graph}" if self.graph else "the message"
        return f"{self.source}: {message} has no time; expected {self.expected}"
