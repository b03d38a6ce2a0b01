"""The base of all errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class PantarheiError(Exception):
    """Base of all errors raised on purpose by this package."""


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
