"""An option has a value that it cannot have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pantarhei.errors.base import PantarheiError


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
