"""Timestamps as they were given, and as columns.

A number comes back as an int or a float. A datetime comes back with its wall time and its zone: one of the
time zone database by name, any other as its distance from UTC. Where the database of the reader has another
distance for that time, or lacks the zone, the distance of the writer holds: the instant is never another.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import numpy as np

from pantarhei.engine.checkpoint.container import Column, Contents, Json, narrow
from pantarhei.language.time import Duration, TimeKind, TimePoint, kind_of, ticks_of

_FIRST = datetime(1, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def key_of(at: TimePoint) -> object:
    """What tells timestamps apart; Python finds the hours before and after a clock is put back equal."""
    return (at, at.fold) if isinstance(at, datetime) else at


class TimesWriter:
    """A table of timestamps of one kind, each once."""

    def __init__(self, kind: TimeKind) -> None:
        self._kind = kind
        self._places: dict[object, int] = {}
        self._times: list[TimePoint] = []
        self._ticks: list[int] = []

    def begin(self, times: Iterable[TimePoint], ticks: Sequence[int]) -> None:
        """Put different timestamps, whose ticks are known, at the beginning of the table."""
        self._times, self._ticks = list(times), list(ticks)
        self._places = {key_of(at): place for place, at in enumerate(self._times)}

    def number(self, at: TimePoint) -> int:
        """The place of a timestamp in the table."""
        key = key_of(at)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self._times)
            self._times.append(at)
            self._ticks.append(ticks_of(at, self._kind))
        return place

    def columns(self) -> tuple[dict[str, Column], list[Json]]:
        """The columns of the table, and its zones for the header."""
        times = self._times
        found = {"times.ticks": np.array(self._ticks, np.int64)}
        zones: dict[str | None, int] = {}
        if self._kind is TimeKind.FLOAT:
            found["times.real"] = np.array(times, np.float64)
            found["times.whole"] = narrow(
                np.array([kind_of(at) is TimeKind.INTEGER for at in times], np.uint8)
            )
        elif self._kind is TimeKind.DATETIME:
            given = [at for at in times if isinstance(at, datetime)]
            places = [zones.setdefault(_zone_name(at.tzinfo), len(zones)) for at in given]
            found["times.wall"] = np.array([_wall(at) for at in given], np.int64)
            found["times.fold"] = narrow(np.array([at.fold for at in given], np.uint8))
            found["times.zone"] = narrow(np.array(places, np.uint32))
        return found, list(zones)


def read_times(contents: Contents, kind: TimeKind) -> tuple[list[TimePoint], list[int]]:
    """The timestamps of the table, and their ticks.

    Raises:
        CheckpointError: they are no timestamps of this kind.
    """
    ticks = contents.column("times.ticks").tolist()
    try:
        return _times(contents, kind, ticks), ticks
    except (ValueError, OverflowError) as error:
        raise contents.broken(f"a timestamp: {error}") from error


def _times(contents: Contents, kind: TimeKind, ticks: Sequence[int]) -> list[TimePoint]:
    size = len(ticks)
    if kind is TimeKind.INTEGER:
        return list(ticks)
    if kind is TimeKind.FLOAT:
        whole = contents.indices("times.whole", 2, size).tolist()
        reals = contents.reals("times.real", size).tolist()
        return [int(at) if is_whole else at for at, is_whole in zip(reals, whole, strict=True)]
    names = contents.array("zones")
    zones = [_zone(name) for name in names]
    walls = contents.column("times.wall", size).tolist()
    folds = contents.indices("times.fold", 2, size).tolist()
    places = contents.indices("times.zone", len(zones), size).tolist()
    return [
        _datetime(wall, fold, zones[place], tick)
        for wall, fold, place, tick in zip(walls, folds, places, ticks, strict=True)
    ]


def _zone_name(zone: tzinfo | None) -> str | None:
    return zone.key if isinstance(zone, ZoneInfo) else None


def _zone(name: Json) -> tzinfo | None:
    """The zone of the time zone database, None if there is none of that name."""
    try:
        return ZoneInfo(name) if isinstance(name, str) else None
    except (ValueError, OSError, KeyError):
        return None


def _wall(at: datetime) -> int:
    # field by field: types derived from datetime, such as pandas', do not reach back to the first year
    wall = datetime(at.year, at.month, at.day, at.hour, at.minute, at.second, at.microsecond)
    return (wall - _FIRST) // _MICROSECOND


def _datetime(wall: int, fold: int, zone: tzinfo | None, ticks: int) -> datetime:
    local = _FIRST + timedelta(microseconds=wall)
    if zone is not None:
        at = local.replace(tzinfo=zone, fold=fold)
        if ticks_of(at, TimeKind.DATETIME) == ticks:
            return at
    distance = timedelta(microseconds=wall - ticks) - (datetime(1970, 1, 1) - _FIRST)
    return local.replace(tzinfo=timezone(distance) if distance else UTC, fold=fold)


# -- single ones, in the header --------------------------------------------------------------------


def json_of(given: Duration | TimePoint) -> Json:
    """A duration or timestamp as JSON."""
    if isinstance(given, datetime):
        zone, ticks = _zone_name(given.tzinfo), ticks_of(given, TimeKind.DATETIME)
        return {"wall": _wall(given), "fold": given.fold, "zone": zone, "ticks": ticks}
    if isinstance(given, timedelta):
        return {"microseconds": given // _MICROSECOND}
    if isinstance(given, str):
        return given
    return int(given) if isinstance(given, numbers.Integral) else float(given)


def from_json(given: Json) -> Duration | TimePoint:
    """The duration or timestamp that `json_of` wrote.

    Raises:
        ValueError, KeyError, TypeError, OverflowError: it wrote none.
    """
    if isinstance(given, dict):
        if "microseconds" in given:
            return timedelta(microseconds=_integer(given["microseconds"]))
        wall, fold, ticks = (_integer(given[name]) for name in ("wall", "fold", "ticks"))
        return _datetime(wall, fold, _zone(given["zone"]), ticks)
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        raise TypeError(f"{given!r} is no time")
    return given


def _integer(given: Json) -> int:
    if not isinstance(given, int):
        raise TypeError(f"{given!r} is no integer")
    return given
