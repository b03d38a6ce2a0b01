"""Timestamps and dates of Arrow as lexical forms of XML Schema."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pantarhei.errors import OptionError
from pantarhei.io.mapping.mapping import UNITS
from pantarhei.model.datetimes import EPOCH, FIRST_TICK, LAST_TICK, zone_named

Numbers = npt.NDArray[np.int64]

_BLOCK = 4 * 3600  # seconds, in which a zone changes its offset once at most
_FIRST, _LAST = (
    FIRST_TICK // 10**6 + 2 * 86400,
    LAST_TICK // 10**6 - 2 * 86400,
)  # in which each zone has a clock


def date_times(values: pa.TimestampArray) -> pa.StringArray:
    """Return timestamps as `xsd:dateTime`, with the offset of their zone if they have one.

    In UTC where the offset is not a whole number of minutes, where the zone is unknown, and outside the years
    1 to 9999.

    >>> date_times(pa.array([0], pa.timestamp("s", "Europe/Berlin"))).to_pylist()
    ['1970-01-01T01:00:00+01:00']
    """
    numbers = np.from_dlpack(values.cast(pa.int64())).astype(np.int64)
    unit, name = values.type.unit, values.type.tz
    if name is None:
        return pa.array(_clocks(numbers, unit), pa.string())
    offsets = _offsets(numbers // UNITS[unit], name)
    minutes, seconds = np.divmod(offsets, 60)
    minutes[(seconds != 0) | (np.abs(minutes) > 14 * 60)] = 0
    local = numbers + minutes * 60 * UNITS[unit]
    suffixes = {each: _suffix(each) for each in np.unique(minutes).tolist()}
    texts = zip(_clocks(local, unit), minutes.tolist(), strict=True)
    return pa.array([text + suffixes[each] for text, each in texts], pa.string())


def dates(values: pa.Array) -> pa.StringArray:
    """Return dates as `xsd:date`, of any year.

    >>> dates(pa.array([0, 10**7], pa.date32())).to_pylist()
    ['1970-01-01', '29349-01-26']
    """
    if pa.types.is_date64(values.type):
        days = np.from_dlpack(values.cast(pa.int64())).astype(np.int64) // (86400 * 1000)
    else:
        days = np.from_dlpack(values.cast(pa.int32())).astype(np.int64)
    return pa.array(_clocks(days, "D"), pa.string())


def _clocks(numbers: Numbers, unit: str) -> list[str]:
    texts: list[str] = np.datetime_as_string(numbers.view(f"datetime64[{unit}]")).tolist()
    return texts


def _suffix(minutes: int) -> str:
    if not minutes:
        return "Z"
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"


def _offsets(seconds: Numbers, name: str) -> Numbers:
    """Return the offsets of a zone at instants, in seconds; 0 for an unknown zone and beyond its years."""
    try:
        zone = zone_named(name)
    except OptionError:
        return np.zeros(len(seconds), np.int64)
    inside = (seconds >= _FIRST) & (seconds <= _LAST)
    blocks, places = np.unique(np.where(inside, seconds // _BLOCK, 0), return_inverse=True)
    first = np.array([_offset(zone, block * _BLOCK) for block in blocks.tolist()], np.int64)
    last = np.array([_offset(zone, (block + 1) * _BLOCK - 1) for block in blocks.tolist()], np.int64)
    offsets: Numbers = first[places]
    for place in np.flatnonzero(first[places] != last[places]).tolist():
        offsets[place] = _offset(zone, int(seconds[place]))
    offsets[~inside] = 0
    return offsets


def _offset(zone: tzinfo, second: int) -> int:
    """Return the offset of a zone at an instant, in seconds."""
    at: datetime = (EPOCH + timedelta(seconds=second)).astimezone(zone)
    offset = at.utcoffset()
    assert offset is not None
    return offset // timedelta(seconds=1)
