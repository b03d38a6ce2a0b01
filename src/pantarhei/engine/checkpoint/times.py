"""Timestamps as they were given, and as columns.

A timestamp is a number, for a datetime its ticks, and a mark that says how it was given: as an integer, as
a float, or as a datetime of a zone of the time zone database, with its distance from UTC. Where the database
of the reader has another distance for that time, or lacks the zone, the distance of the writer holds: the
instant is never another.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple, cast
from zoneinfo import ZoneInfo

import numpy as np

from pantarhei.engine.checkpoint.container import Column, Contents, Json, narrow
from pantarhei.model.datetimes import EPOCH, MICROSECOND, tick_of_datetime
from pantarhei.model.time import Duration, TimeKind, TimePoint, plain_time, ticks_of

_EPOCH = EPOCH.replace(tzinfo=None)


class _Mark(NamedTuple):
    """How a timestamp was given.

    Args:
        type: `int`, `float` or `datetime`.
        zone: the zone's name in the time zone database, if it has one.
        distance: of the zone's clock from UTC at that time, in microseconds.
        fold: 1 for the second of two times at which the clock says the same.
    """

    type: str
    zone: str | None = None
    distance: int = 0
    fold: int = 0


def _parts(at: TimePoint) -> tuple[int | float, _Mark]:
    if not isinstance(at, datetime):
        return at, _Mark(type(at).__name__)
    zone = at.tzinfo.key if isinstance(at.tzinfo, ZoneInfo) else None
    ticks, clock = ticks_of(at, TimeKind.DATETIME), at.replace(tzinfo=None, fold=0)
    return ticks, _Mark("datetime", zone, (clock - _EPOCH) // MICROSECOND - ticks, at.fold)


def _whole(number: int | float, mark: _Mark) -> TimePoint:
    if mark.type != "datetime":
        return int(number) if mark.type == "int" else float(number)
    distance = timedelta(microseconds=mark.distance)
    clock = (_EPOCH + timedelta(microseconds=int(number)) + distance).replace(fold=mark.fold)
    if isinstance(mark.zone, str):
        try:
            at = clock.replace(tzinfo=ZoneInfo(mark.zone))
            if ticks_of(at, TimeKind.DATETIME) == number:
                return at
        except (ValueError, OSError, LookupError):  # there is no zone of that name here
            pass
    return clock.replace(tzinfo=timezone(distance) if distance else UTC)


def key_of(at: TimePoint) -> object:
    """What tells timestamps apart; Python finds the hours before and after a clock is put back equal."""
    return (at, 1) if isinstance(at, datetime) and at.fold else at


class TimesWriter:
    """A table of timestamps of one kind, each once; it begins with `times`, which are different."""

    def __init__(self, times: Sequence[TimePoint]) -> None:
        self._times = list(times)
        self._places: dict[object, int] = {}  # by keys; filled by the first call of `number`

    def number(self, at: TimePoint) -> int:
        """The place of a timestamp in the table."""
        if not self._places:
            self._places = {key_of(each): place for place, each in enumerate(self._times)}
        place = self._places.setdefault(key_of(at), len(self._times))
        if place == len(self._times):
            self._times.append(at)
        return place

    def columns(self, kind: TimeKind) -> tuple[dict[str, Column], list[_Mark]]:
        """The columns of the table, and its marks for the header.

        Tuples that stay are made for the marks alone: of many, garbage collection would hold up all threads.
        """
        marks: dict[_Mark, int] = {}
        known: dict[object, int] = {}  # the places of marks that no time changes, by `_key_of_mark`
        numbers, places = list[int | float](), list[int]()
        for at in self._times:
            key = _key_of_mark(at)
            place = None if key is None else known.get(key)
            if place is None:
                number, mark = _parts(at)
                place = marks.setdefault(mark, len(marks))
                if key is not None:
                    known[key] = place
            else:
                number = tick_of_datetime(at) if isinstance(at, datetime) else at
            numbers.append(number)
            places.append(place)
        of_numbers = np.array(numbers, _type_of(kind))
        return {"times.number": of_numbers, "times.mark": narrow(np.array(places, np.uint32))}, list(marks)


def _key_of_mark(at: TimePoint) -> object:
    """Return what a mark is made of: a type, or a fixed distance from UTC; None if the distance varies."""
    if not isinstance(at, datetime):
        return type(at)
    return (at.tzinfo, at.fold) if isinstance(at.tzinfo, timezone) else None


def read_times(contents: Contents, marks: Sequence[Sequence[Any]], kind: TimeKind) -> list[TimePoint]:
    """The timestamps of the table."""
    numbers = contents.columns["times.number"]
    if numbers.dtype != _type_of(kind):
        raise contents.broken(f"the timestamps are not those of {kind.value}")
    known = [_Mark(*mark) for mark in marks]
    places = contents.column("times.mark").tolist()
    return [_whole(number, known[place]) for number, place in zip(numbers.tolist(), places, strict=True)]


def _type_of(kind: TimeKind) -> str:
    return "<f8" if kind is TimeKind.FLOAT else "<i8"


def json_of(given: Duration | TimePoint | None) -> Json:
    """A duration or timestamp as JSON."""
    if isinstance(given, datetime):
        return {"timestamp": [_parts(given)[0], *_parts(given)[1]]}
    if isinstance(given, timedelta):
        return {"microseconds": given // MICROSECOND}
    return given if given is None or isinstance(given, str) else cast(int | float, plain_time(given))


def from_json(given: Json) -> Duration | TimePoint | None:
    """The duration or timestamp that `json_of` wrote.

    Raises:
        ValueError, LookupError, TypeError, OverflowError: it wrote none.
    """
    match given:
        case {"microseconds": int(microseconds)}:
            return timedelta(microseconds=microseconds)
        case {"timestamp": [int(ticks), *mark]}:
            return _whole(ticks, _Mark(*mark))
        case dict() | list() | bool():
            raise TypeError(f"{given!r} is no time")
    return given
