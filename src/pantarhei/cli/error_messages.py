"""Errors worded for the command line: the options in them as they are typed there."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from pantarhei.errors import (
    ForeignInterpretationError,
    FutureABoxError,
    InconsistentOntologyError,
    InvalidRowError,
    LateABoxError,
    MemoryLimitError,
    OptionError,
    PantarheiError,
    QueryLengthError,
    QueryMemoryError,
    QueryTimeoutError,
    RegistrationMemoryError,
    SparkError,
    TemporalRuleError,
    UnknownFormatError,
)

# The errors whose messages say which option would help.
_NAMING_OPTIONS = (
    ForeignInterpretationError,
    FutureABoxError,
    InconsistentOntologyError,
    InvalidRowError,
    LateABoxError,
    MemoryLimitError,
    RegistrationMemoryError,
)
# The options that warnings name.
_IN_WARNINGS = ("numbers", "precision")
_QUERY_LIMIT = re.compile(r"max_(?:bytes|length)=([\d_]+); permit more, (?:or )?")
_PRIVATE_USE = 0xE000
_TYPED_AS = {"master": "spark", "source": "stream"}


def as_typed(error: PantarheiError, options: Collection[str]) -> str:
    """An error's message with its options as they are typed; what was given stays as it is.

    Args:
        options: the names of the options, as in Python.
    """
    if isinstance(error, UnknownFormatError):
        option = error.option and f"--{error.option.replace('_', '-')}"
        return str(UnknownFormatError(option, error.source, error.suffixes, error.formats))
    if isinstance(error, OptionError):
        option = _typed(_TYPED_AS.get(error.option, error.option), error.given)
        return f"{option} is not possible: expected {with_options(error.expected, options)}"
    if isinstance(error, SparkError):  # a worker's message, with what was given in it
        return str(error).replace('on_error="skip"', _typed("on_error", "skip"))
    if isinstance(error, TemporalRuleError):  # prefixes are the ontology's here, or the text's
        expected = error.expected.partition(", or prefixes=")[0]
        return str(type(error)(error.problem, expected, *error.args[2:]))
    if isinstance(error, QueryTimeoutError):
        return str(error).replace("timeout=", "--query-timeout ", 1)
    if isinstance(error, QueryLengthError | QueryMemoryError) and not isinstance(error, _NAMING_OPTIONS):
        return _QUERY_LIMIT.sub(r"\1 are permitted; ", str(error))  # which no option changes
    if not isinstance(error, _NAMING_OPTIONS):
        return str(error)
    given: dict[str, str] = {}
    ours = [getattr(error, name, None) for name in ("limit", "lateness", "ahead", "remedy")]
    make: Callable[..., PantarheiError] = type(error)

    def masked(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(masked, value))
        if not isinstance(value, str) or value in ours:
            return value
        mask = chr(_PRIVATE_USE + len(given))
        given[mask] = value
        return mask

    message = with_options(str(make(*map(masked, error.args))), options)
    return "".join(given.get(character, character) for character in message)


def warning_as_typed(message: object) -> str:
    """A warning's message with its options as they are typed."""
    return with_options(str(message), _IN_WARNINGS)


def with_options(message: str, options: Collection[str]) -> str:
    """A message of ours with its options as they are typed.

    >>> names = ["max_facts", "on_limit"]
    >>> with_options('more than max_facts=1_000; or drop the oldest with on_limit="drop"', names)
    'more than --max-facts 1000; or drop the oldest with --on-limit drop'
    """
    value = r"""=("[^"]*"|'[^']*'|[^\s,;)]*[^\s,;).:])"""
    named = rf"(?<![\w-])({'|'.join(sorted(options))})(?:{value})?(?![\w=])"
    return re.sub(named, lambda found: _typed(found[1], found[2]), message)


def _typed(name: str, value: str | None) -> str:
    option = f"--{name.replace('_', '-')}"
    if value is None:  # an option's name may be a word of its own
        return option if "_" in name else name
    value = value.strip("\"'")
    if value in ("True", "False"):
        return option if value == "True" else f"--no-{option[2:]}"
    return f"{option} {value.replace('_', '') if re.fullmatch('[0-9_]+', value) else value}"


def one_line(text: str) -> str:
    """The lines of a text as one.

    >>> one_line("no master answers:\\n    host: refused\\nstart one")
    'no master answers: host: refused; start one'
    """
    lines = [line.strip() for line in text.splitlines()]
    return "; ".join(lines).replace(":; ", ": ")
