"""The times of rows in ticks, by column where all are written as one expects, one by one where not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from functools import lru_cache
from math import inf
from types import MappingProxyType
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pantarhei.errors import MappingError
from pantarhei.language.time import FLOAT_TICKS, MOST_TICKS, TimeKind, TimePoint, time_of
from pantarhei.language.zone import zone_named
from pantarhei.mapping.advice import on_time
from pantarhei.mapping.cells import Cells, Column, Flags, cells_of, decoded, joined
from pantarhei.mapping.mapping import UNITS, RowTime, Unit
from pantarhei.rdf.triple_table import Codes

Ticks = npt.NDArray[np.int64]

_MICROSECONDS = 10**6
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SURE_UNTIL = (datetime(2037, 1, 1, tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_BY_COLUMN = re.compile(r"(?:[^%]|%[YmdHMS])*")  # formats that Arrow reads as Python does
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NAIVE, _ZONED = pa.timestamp("us"), pa.timestamp("us", "UTC")
_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_NEAR = 5 * 10**15  # microseconds since 1970, which end in 2128: what a unit makes of a time that is meant so


class RowTimes(NamedTuple):
    """When rows are.

    Args:
        kind: what their times are.
        ticks: of each distinct time.
        codes: row by row the place in `ticks`; None where each row has its own.
        reasons: by places in `ticks` what is wrong there; -1 is a row without time.
        refused: by rows what is wrong with what is there.
    """

    kind: TimeKind
    ticks: Ticks
    codes: Codes | None
    reasons: Mapping[int, str]
    refused: Mapping[int, str] = MappingProxyType({})


def times_of(
    time: RowTime,
    arrays: Mapping[str, pa.Array | Column],
    cells: Callable[[str], Cells],
    mapping: str,
    kind: TimeKind | None = None,
) -> RowTimes:
    """The times of the rows of a table.

    Args:
        arrays: its columns.
        cells: a column's values as texts.
        mapping: what errors call it.
        kind: what times have to be; None for what fits all.

    Raises:
        MappingError: the column of times is of another type than the mapping says.
    """
    array = arrays.get(time.template.columns[0]) if time.template.is_whole else None
    if isinstance(array, pa.Array):
        array = decoded(array)
        if pa.types.is_timestamp(array.type) or pa.types.is_date(array.type):
            return _of_timestamps(time, array, mapping)
        if pa.types.is_integer(array.type) or pa.types.is_floating(array.type):
            if time.unit is None:
                problem = f"the times in column {time.template.columns[0]} are numbers"
                raise MappingError(mapping, time.line, problem, _UNIT_ASKED)
            found = _kind(time, pa.types.is_integer(array.type))
            is_scaled = found is TimeKind.FLOAT and pa.types.is_integer(array.type)
            if kind in (None, found) and not is_scaled:
                return _of_numbers(time, array)
    values = joined(time.template, {column: cells(column) for column in time.template.columns})
    values = values.single("one time")
    return _of_texts(time, values, kind)._replace(refused=values.refused)


_UNIT_ASKED = (
    "unit: s, ms, us or ns for a time since 1970, or unit: number where numbers are the stream's times"
)


def _of_timestamps(time: RowTime, array: pa.Array, mapping: str) -> RowTimes:
    column = time.template.columns[0]
    if time.unit is not None or time.format is not None:
        problem = f"the times in column {column} are of type {array.type}"
        raise MappingError(
            mapping, time.line, problem, "neither unit nor format, which are those of texts and numbers"
        )
    values = pc.floor_temporal(array, unit="microsecond") if pa.types.is_timestamp(array.type) else array
    zoned = getattr(array.type, "tz", None) is not None
    try:
        values = values.cast(_ZONED if zoned else _NAIVE)
    except pa.ArrowInvalid:  # beyond what microseconds hold
        return _of_texts(time, cells_of(array, frozenset()), None)
    if zoned:
        return _ticks(TimeKind.DATETIME, values)
    if time.zone is None:
        problem = f"the times in column {column} are local times without a zone"
        raise MappingError(
            mapping, time.line, problem, "zone: Europe/Copenhagen, or the zone that they are of"
        )
    localized = _localized(values, time)
    if localized is not None:
        return _ticks(TimeKind.DATETIME, localized)
    encoded = values.dictionary_encode()
    codes = np.from_dlpack(encoded.indices.fill_null(-1)).astype(np.int32, copy=False)
    return _one_by_one(time, Cells(codes, encoded.dictionary.cast(pa.string())), TimeKind.DATETIME)


def _of_numbers(time: RowTime, array: pa.Array) -> RowTimes:
    assert time.unit is not None
    is_whole = pa.types.is_integer(array.type)
    kind = _kind(time, is_whole)
    absent = np.from_dlpack(array.is_null().cast(pa.uint8())).astype(bool)
    per_second = UNITS[time.unit]
    reasons: dict[int, str] = {}
    if is_whole and not pa.types.is_uint64(array.type):
        numbers = np.from_dlpack(array.fill_null(0)).astype(np.int64)
        least, most = _bounds(kind, per_second)
        beyond = (numbers < least) | (numbers > most)
        numbers[beyond] = 0
        ticks = numbers if kind is TimeKind.INTEGER else _scaled(numbers, per_second)
    else:
        reals = np.from_dlpack(array.cast(pa.float64(), safe=False).fill_null(0.0)).astype(np.float64)
        factor = FLOAT_TICKS if kind is TimeKind.FLOAT else _MICROSECONDS / per_second
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = reals * factor
            least, most = _bounds(kind, _MICROSECONDS)
            beyond = ~((scaled >= least) & (scaled <= most))
        scaled[beyond] = 0
        ticks = np.rint(scaled).astype(np.int64)
    for place in np.flatnonzero(beyond & ~absent).tolist():
        reasons[place] = _beyond(str(array[place].as_py()), time.unit)
    return _with_absent(kind, ticks, absent, reasons)


def _bounds(kind: TimeKind, per_second: int) -> tuple[int, int]:
    """The least and the greatest number that is a time, in a unit of so many a second."""
    if kind is not TimeKind.DATETIME:
        return -MOST_TICKS, MOST_TICKS
    if per_second >= _MICROSECONDS:
        factor = per_second // _MICROSECONDS
        return max(_FIRST * factor, -(2**63)), min(_LAST * factor, 2**63 - 1)
    factor = _MICROSECONDS // per_second
    return -(-_FIRST // factor), _LAST // factor


def _beyond(text: str, unit: Unit) -> str:
    """Why a number is no time."""
    if unit in ("number", "float"):
        return f"{text} as a time is not finite, or does not fit into 62 bits of ticks"
    try:
        number = abs(float(text))
    except OverflowError:
        number = inf
    fitting = (
        each
        for each, rate in UNITS.items()
        if each not in ("number", "float") and number * _MICROSECONDS / rate < _NEAR
    )
    hint = f"; it looks as if it were in {each}: say unit: {each}" if (each := next(fitting, None)) else ""
    return f"{text} {unit} since 1970 is no time from the year 1 to 9999{hint}"


def _kind(time: RowTime, is_whole: bool) -> TimeKind:
    if time.unit not in ("number", "float"):
        return TimeKind.DATETIME
    return TimeKind.INTEGER if is_whole and time.unit == "number" else TimeKind.FLOAT


def _scaled(numbers: Ticks, per_second: int) -> Ticks:
    """Times since 1970 in microseconds, rounded down."""
    if per_second > _MICROSECONDS:
        return numbers // (per_second // _MICROSECONDS)
    return numbers * (_MICROSECONDS // per_second)


def _ticks(kind: TimeKind, values: pa.Array) -> RowTimes:
    whole = values.cast(pa.int64())
    absent = np.from_dlpack(whole.is_null().cast(pa.uint8())).astype(bool)
    ticks = np.from_dlpack(whole.fill_null(0)).astype(np.int64)
    beyond = np.flatnonzero((ticks < _FIRST) | (ticks > _LAST))
    reasons = {
        place: f"{ticks[place]} us since 1970 is no time from the year 1 to 9999" for place in beyond.tolist()
    }
    return _with_absent(kind, ticks, absent, reasons)


def _with_absent(kind: TimeKind, ticks: Ticks, absent: Flags, reasons: dict[int, str]) -> RowTimes:
    if absent.any():
        codes = np.arange(len(ticks), dtype=np.int32)
        codes[absent] = -1
        return RowTimes(kind, ticks, codes, {**reasons, -1: _NO_TIME})
    return RowTimes(kind, ticks, None, reasons)


_NO_TIME = "there is no time; expected one in each row"


def _of_texts(time: RowTime, cells: Cells, kind: TimeKind | None) -> RowTimes:
    values = None if kind is TimeKind.FLOAT else _by_column(time, cells.values)
    if values is None:
        return _one_by_one(time, cells, kind)
    kind = kind or _kind(time, True)
    reasons = {-1: _NO_TIME} if (cells.codes < 0).any() else {}
    return RowTimes(kind, values, cells.codes, reasons)


def first_kind(
    time: RowTime, arrays: Mapping[str, pa.Array | Column], nulls: frozenset[str]
) -> TimeKind | None:
    """What times are, as a column's type tells, else the first of them; None where there is none.

    So it is known from the first row on, whatever follows it.
    """
    if time.unit != "number":
        return _kind(time, True)
    array = arrays.get(time.template.columns[0]) if time.template.is_whole else None
    if isinstance(array, pa.Array) and (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        return _kind(time, pa.types.is_integer(array.type))
    columns = {name: cells_of(arrays[name], nulls) for name in time.template.columns}
    cells = joined(time.template, columns).single("one time")
    places, begins = np.unique(cells.codes, return_index=True)
    for place in places[np.argsort(begins)].tolist():
        text = cells.values[place].as_py() if place >= 0 else ""
        try:
            _tick(time, text, kind := _kind(time, is_whole(text)))
        except ValueError:
            continue
        return kind
    return None


def _by_column(time: RowTime, values: pa.StringArray) -> Ticks | None:
    """The ticks of texts that are all as one expects, else None."""
    try:
        if time.unit is not None:
            if any(pc.any(pc.match_substring(values, mark)).as_py() for mark in "xX"):
                return None  # hexadecimal digits are none here, which Arrow reads
            numbers = np.from_dlpack(values.cast(pa.int64())).astype(np.int64, copy=False)
            least, most = _bounds(_kind(time, True), UNITS[time.unit])
            if len(numbers) and not (least <= numbers.min() and numbers.max() <= most):
                return None
            return numbers if time.unit == "number" else _scaled(numbers, UNITS[time.unit])
        if time.format is None:
            parsed = _cast(values)
        elif _BY_COLUMN.fullmatch(time.format):
            parsed = pc.strptime(values, format=time.format, unit="us")
        else:
            return None
        if parsed is not None and parsed.type.tz is None:
            parsed = _localized(parsed, time)
        return None if parsed is None else np.from_dlpack(parsed.cast(pa.int64())).astype(np.int64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _cast(values: pa.StringArray) -> pa.Array | None:
    """ISO texts as timestamps, all with a zone or all without, else None."""
    for kind in (_NAIVE, _ZONED):
        try:
            return values.cast(kind)
        except pa.ArrowInvalid:
            pass
    return None


def _localized(values: pa.Array, time: RowTime) -> pa.Array | None:
    """Local times as instants; None where one is none, or two, or the zone is not said.

    None too where one is beyond the years in which Arrow knows when clocks are put forward and back.
    """
    bounds = pc.min_max(values.cast(pa.int64()))
    first, last = bounds["min"].as_py(), bounds["max"].as_py()
    if time.zone is None or first is None or not (first >= 0 and last < _SURE_UNTIL):
        return None
    ways = {"error": "raise", "earlier": "earliest", "later": "latest"}
    try:
        return pc.assume_timezone(values, time.zone, ambiguous=ways[time.ambiguous], nonexistent="raise")
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None


def _one_by_one(time: RowTime, cells: Cells, kind: TimeKind | None = None) -> RowTimes:
    ticks = np.zeros(max(1, len(cells.values)), np.int64)
    reasons: dict[int, str] = {}
    used = set(np.unique(cells.codes).tolist())
    texts = cells.values.to_pylist()
    kind = kind or _kind(time, not any(_is_fraction(texts[place]) for place in used - {-1}))
    for place in sorted(used):
        try:
            ticks[place] = _tick(time, texts[place], kind) if place >= 0 else 0
        except ValueError as error:
            reasons[place] = str(error)
    if -1 in used:
        reasons[-1] = _NO_TIME
    return RowTimes(kind, ticks, cells.codes, reasons)


def is_whole(text: str) -> bool:
    """Whether a text is a whole number, as those are written that can be times."""
    return re.fullmatch(r"\s*[+-]?[0-9]+\s*", text) is not None


def _is_fraction(text: str) -> bool:
    """Whether a text is a number that is written as no whole one; what is no number is one row's matter."""
    return not is_whole(text) and _NUMBER.fullmatch(text.strip()) is not None


def _tick(time: RowTime, text: str, kind: TimeKind) -> int:
    """The tick of a time.

    Raises:
        ValueError: it is none; says what was expected.
    """
    if time.unit is None:
        at = _zoned(_parsed(time, text), text, time)
        return (at - _EPOCH) // timedelta(microseconds=1)
    if not _NUMBER.fullmatch(text.strip()):
        raise ValueError(f"{text!r} is no number, and the mapping says unit: {time.unit}")
    try:
        number = Decimal(text.strip())
        scale = Decimal(FLOAT_TICKS if kind is TimeKind.FLOAT else 1)
        if kind is TimeKind.DATETIME:
            scale = Decimal(_MICROSECONDS) / UNITS[time.unit]
        ticks = int((number * scale).to_integral_value("ROUND_FLOOR"))
    except ArithmeticError:  # beyond what decimals hold
        raise ValueError(_beyond(text.strip(), time.unit)) from None
    least, most = _bounds(kind, _MICROSECONDS)
    if not least <= ticks <= most:
        raise ValueError(_beyond(text.strip(), time.unit))
    if kind is TimeKind.INTEGER and ticks != number:
        raise ValueError(f"{text!r} is no whole number, as the first time is; {_FLOAT_ASKED}")
    return ticks


_FLOAT_ASKED = "where times may have fractions, the mapping has to say unit: float"


def _parsed(time: RowTime, text: str) -> datetime:
    text = text.strip()
    try:
        if time.format is not None:
            return datetime.strptime(text, time.format)
        return datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        if time.format is not None:
            example = datetime(2026, 1, 31, 10, tzinfo=UTC).strftime(time.format)
            said = f"is not written as format: {time.format!r} says, such as {example}"
            raise ValueError(f"{text!r} {said}") from None
        is_number = re.fullmatch(r"[\d.]+", text) is not None
        number = f"of a number the mapping has to say {_UNIT_ASKED}"
        hint = number if is_number else on_time(text, time.template.columns)
        raise ValueError(f"{text!r} is no time; {hint}") from None


def _zoned(at: datetime, text: str, time: RowTime) -> datetime:
    if at.tzinfo is not None:
        return at
    if time.zone is None:
        expected = "expected one, or zone: Europe/Copenhagen (or the zone that it is of) in the mapping"
        raise ValueError(f"{text!r} is a time without a zone; {expected}")
    earlier, later = (at.replace(tzinfo=_zone(time.zone), fold=fold) for fold in (0, 1))
    first, second = earlier.utcoffset(), later.utcoffset()
    assert first is not None and second is not None
    if first < second:
        raise ValueError(f"{text!r} does not exist in {time.zone}: clocks were put forward over it")
    if first > second and time.ambiguous == "error":
        raise ValueError(
            f"{text!r} happened twice in {time.zone}, when clocks were put back; expected a time with its "
            "offset, or ambiguous: earlier (or later) in the mapping"
        )
    return later if time.ambiguous == "later" else earlier


_zone = lru_cache(maxsize=16)(zone_named)


def shown_times(ticks: Ticks, kind: TimeKind, time: RowTime) -> list[TimePoint]:
    """Ticks as timestamps, instants with the offset of the mapping's zone, or else in UTC.

    Python compares times of one zone by what clocks show, so that they are given their offsets instead.
    """
    times = [time_of(each, kind) for each in ticks.tolist()]
    if kind is not TimeKind.DATETIME or time.zone is None:
        return times
    zone = _zone(time.zone)
    return [_shown(cast(datetime, at), zone) for at in times]


def _shown(at: datetime, zone: tzinfo) -> datetime:
    try:
        shown = at.astimezone(zone)
    except OverflowError:  # the first and the last hours that there are
        return at
    return shown.replace(tzinfo=timezone(cast(timedelta, shown.utcoffset())), fold=0)
