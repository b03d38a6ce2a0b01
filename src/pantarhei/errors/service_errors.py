"""Errors of the running service: its configuration, its journal, and the systems it is connected to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pantarhei.errors.base import PantarheiError
from pantarhei.errors.input_errors import InputError

_SHOWN = 20
"""Number of problems in a message."""


class ServiceError(PantarheiError):
    """The service cannot start or continue."""


class ConfigProblem(NamedTuple):
    """One problem of a configuration.

    Args:
        line: the line, counted from 1; None if it is unknown.
        key: the path of the value, such as `window.range`.
        problem: the error.
        expected: the expected value.

    >>> str(ConfigError("site.yaml", [ConfigProblem(6, "windwo", "is not a key", "one of ontology, window")]))
    'site.yaml, line 6: windwo is not a key; expected one of ontology, window'
    """

    line: int | None
    key: str
    problem: str
    expected: str


class ConfigError(ServiceError):
    """A configuration of the service is invalid.

    Args:
        source: the file.
        problems: the problems, in the order of their lines.
    """

    def __init__(self, source: str, problems: Sequence[ConfigProblem]) -> None:
        super().__init__(source, problems)
        self.source, self.problems = source, problems

    def __str__(self) -> str:
        lines = []
        for given in self.problems[:_SHOWN]:
            line, key, problem, expected = ConfigProblem(*given) if len(given) == 4 else (None, "", given, "")
            where = self.source if line is None else f"{self.source}, line {line}"
            subject = f"{key} " if key else ""
            lines.append(f"{where}: {subject}{problem}" + (f"; expected {expected}" if expected else ""))
        if (more := len(self.problems) - _SHOWN) > 0:
            lines.append(f"    and {more:,} more")
        return "\n".join(lines)


class JournalError(ServiceError):
    """A journal cannot be read or written.

    Args:
        path: the file or folder.
        problem: the error.
        remedy: the action that the user can take.
    """

    def __init__(self, path: str, problem: str, remedy: str) -> None:
        super().__init__(path, problem, remedy)
        self.path, self.problem, self.remedy = path, problem, remedy

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}; {self.remedy}"


class UpgradeError(ServiceError):
    """The configuration has changed, and `upgrade` does not permit to continue with the stored state.

    Args:
        folder: the folder of the state.
        changed: the parts that have changed.
        reason: why they cannot be adopted.
    """

    def __init__(self, folder: str, changed: Sequence[str], reason: str) -> None:
        super().__init__(folder, changed, reason)
        self.folder, self.changed, self.reason = folder, changed, reason

    def __str__(self) -> str:
        return (
            f"the state in {self.folder} was made with other {', '.join(self.changed)}: {self.reason}; set "
            "upgrade: replay to process the journal again with the new ones, or upgrade: fresh to begin with "
            "an empty window"
        )


class ConnectionFailedError(ServiceError):
    """A broker, database or address cannot be reached.

    Args:
        name: the source or sink.
        address: its address.
        problem: the error.
    """

    def __init__(self, name: str, address: str, problem: str) -> None:
        super().__init__(name, address, problem)
        self.name, self.address, self.problem = name, address, problem

    def __str__(self) -> str:
        return f"{self.name}: {self.address} cannot be reached: {self.problem}"


class CheckFailedError(ServiceError):
    """Parts of a service cannot be used.

    Args:
        problems: the errors, one text for each part.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "these parts cannot be used:\n" + "\n".join(self.problems)


class WriterUnavailableError(ServiceError):
    """The writer cannot process a request now.

    Args:
        problem: the error.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.problem}; send the request again later"


class RefusedError(ServiceError):
    """The writer refuses a request.

    Args:
        problem: the error.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem

    def __str__(self) -> str:
        return self.problem


class UnknownTopicError(InputError):
    """No mapping is configured for the topic of a message.

    Args:
        topic: the topic.
        known: the topics in the configuration.
        hint: the nearest of them, as text; empty if none is near.
    """

    def __init__(self, topic: str, known: Sequence[str], hint: str = "") -> None:
        super().__init__(topic, known, hint)
        self.topic, self.known, self.hint = topic, known, hint

    def __str__(self) -> str:
        text = f"no mapping is configured for the topic {self.topic}{self.hint}"
        return f"{text}; add it to the topics of its source: {', '.join(self.known)}"
