"""Parsers of option values, and checks of output files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TextIO

import typer

from pantarhei.errors import OptionError, TimestampError, UnknownFormatError
from pantarhei.io.writers import is_torn
from pantarhei.model.time import (
    Duration,
    TimeKind,
    TimePoint,
    duration_ticks,
    kind_of,
    parse_length,
    parse_timestamp,
    seconds_of,
)


def system_language(environment: Mapping[str, str]) -> str:
    """Return the language of messages that the environment requests, as a tag of BCP 47; `en` if there is
    none.

    POSIX: `LC_ALL`, `LC_MESSAGES` and `LANG`, in this order.

    >>> system_language({"LANG": "de_AT.UTF-8"}), system_language({"LC_ALL": "C.UTF-8", "LANG": "de_AT"})
    ('de-AT', 'en')
    """
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((environment[name] for name in names if environment.get(name)), "")
    language = re.fullmatch(r"([A-Za-z]{2,3}(?:_[A-Za-z]{2})?)(?:[.@].*)?", locale)
    return language[1].replace("_", "-") if language else "en"


def format_by_suffix(
    path: Path | None, given: str | None, default: str, suffixes: Mapping[str, str], option: str | None
) -> str:
    """Return the format of an output: the format `given`, or the format of the file's suffix.

    Args:
        path: the output file; None for standard output, which has the format `default`.
        suffixes: the formats by suffix.
        option: the option for the format, for errors; None if there is no such option.

    Raises:
        UnknownFormatError: the suffix is unknown.
    """
    if given is not None or path is None:
        return given or default
    if found := suffixes.get(path.suffix.lower()):
        return found
    raise UnknownFormatError(option, str(path), tuple(suffixes), tuple(dict.fromkeys(suffixes.values())))


def refuse_unwritable(path: Path | None, may_replace: bool, way_out: str, option: str = "--output") -> None:
    """Refuse a file that exists and has content, or whose folder does not exist.

    Args:
        may_replace: whether an existing file with content is accepted.
        way_out: the option that permits existing files, for the error.
        option: the option that names the file, for the error.

    Raises:
        BadParameter: the file is refused.
    """
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir():
        problem = f"{path} is a folder" if path.is_dir() else f"the folder {path.parent} does not exist"
        raise typer.BadParameter(f"{problem}; name a file in an existing folder", param_hint=option)
    if not may_replace and path.is_file() and path.stat().st_size:
        problem = f"{path} exists; name another file, or give {way_out}"
        raise typer.BadParameter(problem, param_hint=option)


def end_line(path: str) -> None:
    """Create a file for appending if it is missing, and end its last line if that is incomplete.

    Raises:
        OSError: the file cannot be written.
    """
    with Path(path).open("ab") as file:
        if is_torn(Path(path)):
            file.write(b"\n")


@contextmanager
def appending(path: str | None) -> Iterator[TextIO | None]:
    """Open a file of lines for appending; the context value is None if `path` is None.

    Raises:
        OSError: the file cannot be written.
    """
    if path is None:
        yield None
        return
    end_line(path)
    with Path(path).open("a", encoding="utf-8") as file:
        yield file


_OF_NDJSON = (".ndjson", ".jsonl", ".json")


def refuse_other_than_ndjson(path: Path, option: str) -> None:
    """Refuse standard output, and a file whose suffix names another format than NDJSON.

    Raises:
        BadParameter: the path is refused.
    """
    if str(path) == "-":
        raise typer.BadParameter("standard output is for the answers; name a file", param_hint=option)
    if (suffix := path.suffix.lower()) and suffix not in _OF_NDJSON:
        problem = f"{path} is written as NDJSON; name a file that ends in {', '.join(_OF_NDJSON)}"
        raise typer.BadParameter(problem, param_hint=option)


def bytes_of(text: str) -> int:
    """Parse the value of `--max-bytes`, such as 200MB, to a number of bytes. Raises `BadParameter`."""
    from pantarhei.window.retention import parse_bytes

    try:
        return parse_bytes(text)
    except OptionError as error:
        raise typer.BadParameter(f"{error.given} is not {error.expected}", param_hint="--max-bytes") from None


def length_of(text: str, option: str) -> Duration:
    """Parse a duration: a number, or a text such as 5m, 1 h 30 min or PT5M.

    Raises:
        BadParameter: the text is not a duration.
    """
    try:
        length = parse_length(text)
        duration_ticks(length, TimeKind.DATETIME if isinstance(length, timedelta) else kind_of(length))
    except TimestampError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None
    return length


def seconds_given(text: str) -> float:
    """Parse a time limit: a number of seconds, or a duration. Raises `BadParameter` below a millisecond."""
    try:
        seconds = seconds_of(parse_length(text))
    except TimestampError as error:
        raise typer.BadParameter(str(error)) from None
    if not seconds >= 1e-3:
        raise typer.BadParameter(f"{text} is too short; give 1ms or more, such as 5s")
    return seconds


def check_calendar_length(text: str, option: str) -> None:
    """Check a length in calendar days, weeks, months or years. Raises `BadParameter`."""
    from pantarhei.window.calendar import calendar_length

    try:
        calendar_length(text)
    except TimestampError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


def time_of(text: str, option: str) -> TimePoint:
    """Parse a timestamp. Raises `BadParameter`."""
    try:
        return parse_timestamp(text)
    except TimestampError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


def iri_and_file(value: str, option: str, expected: Collection[str] = ()) -> tuple[str, str]:
    """Split `IRI=FILE` into IRI and path; if it contains several `=`, prefer an expected IRI or an existing
    file.

    Args:
        expected: the expected IRIs.

    Raises:
        BadParameter: the value has no `=` between an IRI and a path.
    """
    splits = [(value[:at], value[at + 1 :]) for at, sign in enumerate(value) if sign == "="]
    parts = [(iri.removeprefix("<").removesuffix(">"), path) for iri, path in splits if iri and path]
    if not parts:
        raise typer.BadParameter(f"{value} is not of the form IRI=FILE", param_hint=option)
    known = [each for each in parts if each[0] in expected]
    existing = [each for each in parts if Path(each[1]).exists()]
    return next(iter([*known, *existing, *parts]))
