"""Base class of all errors, names of parameters in messages, and errors of options and of the environment."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from importlib import import_module
from itertools import accumulate, takewhile
from typing import Any

_ROWS, _COLUMNS = 24, 110  # of a screen
_HEAD, _TAIL = 4 * _COLUMNS, 3 * _COLUMNS  # what is left of a long line


def on_one_screen(text: str) -> str:
    """Return a text that fits on a screen of 24 lines with 110 columns.

    A long line loses its middle; a text with many lines keeps the first ones, and the last ones that are not
    indented, which are remedies.

    >>> print(on_one_screen("found:\\n" + "    item\\n" * 5000 + "expected one").replace("    item\\n", ""))
    found:
        and 4,979 more
    expected one
    """
    lines = text.split("\n")
    first = list(map(_cut, lines[:_ROWS]))
    if len(first) == len(lines) and sum(map(_rows, first)) <= _ROWS:
        return "\n".join(first)
    last = [*map(_cut, takewhile(lambda line: not line.startswith(" "), lines[: -_LAST - 1 : -1]))]
    rows = list(accumulate(map(_rows, first), initial=1 + sum(map(_rows, last))))
    shown = first[: min(max(bisect_right(rows, _ROWS) - 1, 1), len(lines) - len(last))]
    more = sum(map(_number_of_items, lines[len(shown) : len(lines) - len(last)]))
    return "\n".join([*shown, *([f"    and {more:,} more"] if more else []), *reversed(last)])


def _number_of_items(line: str) -> int:
    """Return 1, or the number in a line such as `and 290 more`."""
    return number_left_out(line) or 1


def number_left_out(line: str) -> int:
    """Return the number in a line such as `and 290 more`; 0 for another line."""
    found = _MORE.fullmatch(line)
    return 0 if found is None else int(found[1].replace(",", ""))


_MORE = re.compile(r"\s*and ([\d,]+) more")
_LAST = 2  # longest end of a text that is kept


def _cut(line: str) -> str:
    """Return a long line without its middle, with the number of list items or of characters left out.

    >>> _cut("a list of " + ", ".join(map(str, range(5000))))[430:470]
    '106, 107, … and 4,837 more …, 4945, 4946'
    """
    if len(line) <= _HEAD + _TAIL:
        return line
    start, end = line.rfind(", ", 0, _HEAD), line.find(", ", len(line) - _TAIL)
    omitted = line[start + 2 : end]
    items = omitted.count(", ") + 1
    if start < 0 or end < 0 or items * _COLUMNS < len(omitted):  # not a list
        return f"{line[:_HEAD]} … ({len(line) - _HEAD - _TAIL:,} characters) … {line[-_TAIL:]}"
    return f"{line[:start]}, … and {items:,} more …{line[end:]}"


def _rows(line: str) -> int:
    return 1 + max(len(line) - 1, 0) // _COLUMNS


class FittedMessage:
    """Base of errors and warnings, whose texts fit on one screen; their fields are complete."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        write = cls.__dict__.get("__str__")
        if write is not None:
            cls.__str__ = wraps(write)(lambda self: on_one_screen(write(self)))  # type: ignore[method-assign]


class PantarheiError(FittedMessage, Exception):
    """Base class of all errors that this package defines."""

    def __str__(self) -> str:
        return Exception.__str__(self)


def as_argument(name: str, value: str | None) -> str:
    """Write a parameter as an argument in Python, with its value if given.

    >>> as_argument("max_facts", "1_000"), as_argument("query.timeout", "2.5"), as_argument("range", None)
    ('max_facts=1_000', 'timeout=2.5', 'range')
    """
    if name.replace(".", "_").isidentifier():  # not `conf['spark.master']`
        name = name.rpartition(".")[2]
    return name if value is None else f"{name}={value}"


_writer: ContextVar[Callable[[str, str | None], str]] = ContextVar("writer", default=as_argument)


def parameter(name: str, value: str | None = None) -> str:
    """Return the text of a parameter in a message, as written in the present context.

    By default it is an argument in Python; on the command line it is an option (`parameters_written`).

    Args:
        name: the name of the parameter; names of parameters of a query begin with `query.`.
        value: its value as Python source; None to name the parameter alone.

    Returns:
        The text; empty if the context has no such parameter.
    """
    return _writer.get()(name, value)


def parameter_writer() -> Callable[[str, str | None], str]:
    """Return the function that writes parameters in the present context, to be used in another process."""
    return _writer.get()


@contextmanager
def parameters_written(write: Callable[[str, str | None], str]) -> Iterator[None]:
    """Context in which `write` returns the texts of parameters in messages.

    >>> with parameters_written(lambda name, value: f"--{name} {value}"):
    ...     print(OptionError("range", "0", "a length above 0"))
    --range 0 is invalid: expected a length above 0
    """
    token = _writer.set(write)
    try:
        yield
    finally:
        _writer.reset(token)


class OptionError(PantarheiError, ValueError):
    """An option has an invalid value.

    Args:
        option: the name of the option.
        given: the value, as text.
        expected: the valid values, as text.
    """

    def __init__(self, option: str, given: str, expected: str) -> None:
        super().__init__(option, given, expected)
        self.option, self.given, self.expected = option, given, expected

    def __str__(self) -> str:
        given = parameter(self.option, self.given) or as_argument(self.option, self.given)
        return f"{given} is invalid: expected {self.expected}"


class MissingOptionError(OptionError):
    """An option is missing that another argument requires.

    Args:
        option: the name of the option.
        value: a value to pass, as text.
        reason: why the option is required, as a sentence.
    """

    def __init__(self, option: str, value: str, reason: str) -> None:
        PantarheiError.__init__(self, option, value, reason)
        self.option, self.value, self.reason = option, value, reason

    @property
    def given(self) -> str:  # type: ignore[override]
        """None, since the option is missing."""
        return "None"

    @property
    def expected(self) -> str:  # type: ignore[override]
        """A valid value."""
        return self.value

    def __str__(self) -> str:
        passed = parameter(self.option, self.value) or as_argument(self.option, self.value)
        return f"{self.reason} Pass it: {passed}."


class ExcludedOptionError(OptionError):
    """An option has no meaning together with another argument.

    Args:
        option: the name of the option.
        given: the value, as text.
        reason: why the option is excluded, as a sentence.
    """

    def __init__(self, option: str, given: str, reason: str) -> None:
        PantarheiError.__init__(self, option, given, reason)
        self.option, self.given, self.reason = option, given, reason

    @property
    def expected(self) -> str:  # type: ignore[override]
        """No value."""
        return "no value"

    def __str__(self) -> str:
        given = parameter(self.option, self.given) or as_argument(self.option, self.given)
        return f"{self.reason} Omit {given}."


class QueryWindowError(OptionError):
    """A window would skip timestamps; this is valid for a registered query, but not for a reasoner.

    Args:
        option: the name of the option.
        given: the value, as text.
        expected: the valid values, as text.
    """

    def __str__(self) -> str:
        return (
            f"{parameter(self.option, self.given)} is invalid for the window of a reasoner: expected "
            f"{self.expected}; only a registered query may have such a window"
        )


def check_type(name: str, given: object, type_: Any, expected: str) -> None:
    """Check the type of an option's value.

    Raises:
        OptionError: the value is not of type `type_`.
    """
    if not isinstance(given, type_):
        raise OptionError(name, repr(given)[:200], expected)


def check_choice(name: str, given: object, allowed: tuple[object, ...]) -> None:
    """Check that an option's value is one of the allowed values.

    Raises:
        OptionError: the value is not allowed.
    """
    if given not in allowed:
        raise OptionError(name, repr(given), " or ".join(map(repr, allowed)))


class UnknownFormatError(OptionError):
    """The format of a file is given neither by its suffix nor by an option.

    Args:
        option: the option for the format; None if there is no such option.
        source: the file.
        suffixes: the known suffixes.
        formats: the valid values of the option.
    """

    def __init__(
        self, option: str | None, source: str, suffixes: Sequence[str], formats: Sequence[str]
    ) -> None:
        PantarheiError.__init__(self, option, source, tuple(suffixes), tuple(formats))
        self.option, self.source = option, source  # type: ignore[assignment]
        self.suffixes, self.formats = tuple(suffixes), tuple(formats)

    @property
    def given(self) -> str:  # type: ignore[override]
        """Name of the file."""
        return self.source

    @property
    def expected(self) -> str:  # type: ignore[override]
        """Known suffixes and formats, as text."""
        name = f"a name that ends in {_or(self.suffixes)}"
        if self.option is None:
            return name
        return f"{name}, or the option {parameter(self.option)} ({_or(self.formats)})"

    def __str__(self) -> str:
        return f"the format of {self.source} is unknown: expected {self.expected}"


def _or(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def import_package(module: str, extra: str, task: str) -> Any:
    """Import a module of an optional package.

    Args:
        extra: the extra of pantarhei that installs the package.
        task: the function or option that needs it.

    Raises:
        MissingPackageError: the package is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackageError(extra, task, str(error)) from None


class MissingPackageError(PantarheiError):
    """An optional package is not installed.

    Args:
        package: the package, which is also the name of the extra.
        task: the function or option that needs it.
        reason: the import error.
    """

    def __init__(self, package: str, task: str, reason: str) -> None:
        super().__init__(package, task, reason)
        self.package, self.task, self.reason = package, task, reason

    def __str__(self) -> str:
        extra = f"pip install 'pantarhei[{self.package}]'"
        return f"{self.task} needs an optional package ({self.reason}); install it: {extra}"


class SparkError(PantarheiError):
    """Spark cannot be started or reached, or a job has failed."""


class JavaNotFoundError(SparkError):
    """No installed Java is suitable for Spark.

    Args:
        found: for each inspected installation, a sentence on why it is unsuitable.
        needed: the lowest suitable version.
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
    """No Spark master responds at the given address.

    Args:
        master: the address.
        reasons: one sentence for each host that was tried.
    """

    def __init__(self, master: str, reasons: Sequence[str]) -> None:
        super().__init__(master, tuple(reasons))
        self.master, self.reasons = master, tuple(reasons)

    def __str__(self) -> str:
        lines = "".join(f"\n    {reason}" for reason in self.reasons)
        return (
            f"no Spark master responds at {self.master}:{lines}\n"
            'start the cluster or correct the address; master="local[*]" needs no cluster'
        )


class FileSystemError(SparkError):
    """A file system that Spark can write refuses an operation, or has no connector.

    Args:
        place: the path or URI.
        reason: the error and a remedy.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place, self.reason = place, reason

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class AxiomsInStreamWarning(FittedMessage, UserWarning):
    """A stream asserts axioms, which have no effect in a stream. Emitted once per reasoner.

    Args:
        axiom: the first axiom, as text.
    """

    def __init__(self, axiom: str) -> None:
        super().__init__(axiom)
        self.axiom = axiom

    def __str__(self) -> str:
        return (
            f"the stream asserts an axiom ({self.axiom}), which has no effect: axioms are read before the "
            "stream; put them into the ontology or the background"
        )


class MissingMemberWarning(FittedMessage, UserWarning):
    """No JSON object read so far has a member to which the mapping refers. Emitted once per member and
    reader.

    Args:
        source: the file.
        member: the name of the member.
        rows: number of objects read.
        hint: a remedy, as text.
    """

    def __init__(self, source: str, member: str, rows: int, hint: str = "") -> None:
        super().__init__(source, member, rows, hint)
        self.source, self.member, self.rows, self.hint = source, member, rows, hint

    def __str__(self) -> str:
        return (
            f"{self.source}: none of {self.rows:,} rows has a value in {self.member}, to which the mapping "
            f"refers; it produces no triples{self.hint}"
        )


class NumbersApartWarning(FittedMessage, UserWarning):
    """Numbers of a property are never equal, since some are xsd:double or xsd:float, and others decimals.

    Emitted once for a condition that no value of the stream fulfils, and once for values that are never
    equal.

    Args:
        what: the property and its values, as text.
        of_conditions: whether the warning is about a condition.
        of_texts: whether the values are texts that look like numbers, which fulfil no condition on numbers.
    """

    def __init__(self, what: str, of_conditions: bool = False, of_texts: bool = False) -> None:
        super().__init__(what, of_conditions, of_texts)
        self.what, self.of_conditions, self.of_texts = what, of_conditions, of_texts

    def __str__(self) -> str:
        if self.of_texts:
            return f"{self.what}; write it with a datatype of numbers, such as xsd:decimal"
        by_value = parameter("numbers", '"by_value"')
        return f"{self.what}; read numbers by value ({by_value}), or write both with datatypes of one kind"


class TimesCutWarning(FittedMessage, UserWarning):
    """Times of a stream are finer than microseconds, and were cut to microseconds. Emitted once per reader.

    Args:
        source: the file or other source.
        text: the text of the first such time.
    """

    def __init__(self, source: str, text: str) -> None:
        super().__init__(source, text)
        self.source, self.text = source, text

    def __str__(self) -> str:
        exact = parameter("precision", '"exact"')
        return (
            f"{self.source}: the time {self.text} is cut to microseconds, as all finer times are; times that "
            f"differ in nanoseconds become equal. times_cut counts them, {exact} refuses them"
        )


class UndecidedRepairWarning(FittedMessage, UserWarning):
    """A repair reached a limit of its budget, and removed facts that it had not decided.

    Emitted once per reasoner; `stats().undecided` counts all such facts.

    Args:
        at: the timestamp of the repair, as text.
        facts: number of undecided facts that were removed.
    """

    def __init__(self, at: str, facts: int) -> None:
        super().__init__(at, facts)
        self.at, self.facts = at, facts

    def __str__(self) -> str:
        removed = "1 fact" if self.facts == 1 else f"{self.facts:,} facts"
        return (
            f"the repair at {self.at} reached a limit of its budget and removed {removed} undecided; "
            "update.repair.undecided lists them, stats().undecided counts all in the stream; a larger budget "
            "(budget=Budget(...)) decides more facts"
        )


class UncompiledKernelWarning(FittedMessage, RuntimeWarning):
    """The kernel runs uncompiled, about a hundred times slower. Emitted once per process."""
