"""Lengths, times and sizes as they are given on the command line."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import timedelta
from pathlib import Path

import typer

from pantarhei.errors import OptionError, TimestampError
from pantarhei.model.time import (
    Duration,
    TimeKind,
    TimePoint,
    duration_ticks,
    kind_of,
    measured,
    parse_length,
    parse_timestamp,
)

_UNIT = re.compile(r"(\d+(?:\.\d+)?)(ns|ms|s|m|h|d)", re.ASCII)
_WITH_UNITS = re.compile(rf"(?:{_UNIT.pattern})+", re.ASCII)


def bytes_of(text: str) -> int:
    """A number of bytes, such as 200MB. Raises `BadParameter` if it is none."""
    from pantarhei.window.limits import parse_bytes

    try:
        return parse_bytes(text)
    except OptionError as error:
        raise typer.BadParameter(f"{error.given} is not {error.expected}", param_hint="--max-bytes") from None


def length_of_range(text: str) -> Duration:
    """The length of a window. Raises `BadParameter` if it is none."""
    return length_of(text, "--range")


def length_of_slide(text: str | None) -> Duration | None:
    """The step of a window's end, None if it is not said. Raises `BadParameter` if it is none."""
    return None if text is None else length_of(text, "--slide")


def length_of(text: str, option: str) -> Duration:
    """Return the length of an option: a number, an ISO 8601 duration, or numbers with units, as in 1h30m.

    Raises:
        BadParameter: it is none.
    """
    try:
        units = _WITH_UNITS.fullmatch(text.strip())
        length = measured(_UNIT.findall(text)) if units else parse_length(text)
        duration_ticks(length, TimeKind.DATETIME if isinstance(length, timedelta) else kind_of(length))
    except TimestampError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None
    return length


def check_calendar_length(text: str, option: str) -> None:
    """Check a length in days of a time zone. Raises `BadParameter` if it is none."""
    from pantarhei.window.calendar import calendar_length

    try:
        calendar_length(text)
    except TimestampError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


def time_of(text: str, option: str) -> TimePoint:
    """The time of an option. Raises `BadParameter` if it is none."""
    try:
        return parse_timestamp(text)
    except TimestampError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


def iri_and_file(value: str, option: str, wanted: Collection[str] = ()) -> tuple[str, str]:
    """Split a value at the `=` between IRI and file: IRIs and names of files may have others.

    Args:
        wanted: IRIs, one of which the value should have.

    Raises:
        BadParameter: there is none.
    """
    splits = [(value[:at], value[at + 1 :]) for at, sign in enumerate(value) if sign == "="]
    parts = [(iri.removeprefix("<").removesuffix(">"), path) for iri, path in splits if iri and path]
    if not parts:
        raise typer.BadParameter(f"{value} is not IRI=FILE, an IRI and a file", param_hint=option)
    known = [each for each in parts if each[0] in wanted]
    there = [each for each in parts if Path(each[1]).exists()]
    return next(iter([*known, *there, *parts]))
