"""Something given could not be read."""

from __future__ import annotations

from collections.abc import Sequence

from pantarhei.errors.base import PantarheiError


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
        return f"{self.given} is not valid here: expected {self.expected}"


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
