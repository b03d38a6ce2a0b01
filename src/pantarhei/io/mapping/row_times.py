"""Times of table rows, in ticks: read by column if all have the expected form, else one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pantarhei.errors import MappingError
from pantarhei.io.mapping.cell_columns import (
    CellColumn,
    ColumnValues,
    Flags,
    column_values,
    decoded,
    flags,
    joined,
    numbers_of,
)
from pantarhei.io.mapping.record_mapping import UNITS, RowTime
from pantarhei.io.mapping.text_times import (
    BEYOND,
    MICROSECONDS,
    UNDECIDED,
    UNIT_ASKED,
    Candidates,
    ReadTimes,
    RowOrder,
    Ticks,
    ambiguity_error,
    beyond,
    bounds_of,
    candidates_of,
    choose_times,
    is_time,
    is_whole,
    kind_of_numbers,
    one_by_one,
    read_texts,
    scaled,
    zone_of,
)
from pantarhei.model.datetimes import EXACT
from pantarhei.model.time import FLOAT_TICKS, TimeKind, TimePoint, time_of
from pantarhei.rdf.triple_table import Codes

_LARGEST_SURE = 2**53  # floats represent all whole numbers up to this one exactly
_NO_TIME = "there is no time; expected one in each row"
_FINER = f"the time has finer fractions of a second; expected {EXACT}"


class RowTimes(NamedTuple):
    """Dictionary-encoded times of rows.

    Args:
        kind: the kind of the times.
        ticks: the distinct times.
        codes: for each row, the index of its time in `ticks`, -1 for no time; None if row i has `ticks[i]`.
        reasons: errors by index in `ticks`; the error under -1 applies to rows without time.
        cut: for each of `ticks`, whether the time was finer than microseconds; None if none was.
        refused: the errors of invalid cells, by row index.
    """

    kind: TimeKind
    ticks: Ticks
    codes: Codes | None
    reasons: Mapping[int, str]
    cut: Flags | None = None
    refused: Mapping[int, str] = MappingProxyType({})


def times_of(
    time: RowTime,
    arrays: Mapping[str, pa.Array | CellColumn],
    cells: Callable[[str], ColumnValues],
    mapping: str,
    kind: TimeKind | None = None,
    order: RowOrder | None = None,
) -> RowTimes:
    """Read the times of a table's rows.

    Args:
        arrays: the table's columns by name.
        cells: returns a column as dictionary-encoded texts.
        mapping: the mapping's name in errors.
        kind: the required kind of times; None for the kind that fits all rows.
        order: instants of the previous rows, for the mapping option `ambiguous: infer`.

    Raises:
        MappingError: the type of the column of times does not fit the mapping.
    """
    order = RowOrder() if order is None else order
    array = arrays.get(time.template.columns[0]) if time.template.is_whole else None
    if isinstance(array, pa.Array):
        array = decoded(array)
        if pa.types.is_timestamp(array.type) or pa.types.is_date(array.type):
            return _of_timestamps(time, array, mapping, order)
        if pa.types.is_integer(array.type) or pa.types.is_floating(array.type):
            if time.unit is None:
                problem = f"the times in column {time.template.columns[0]} are numbers"
                raise MappingError(mapping, time.line, problem, UNIT_ASKED)
            is_whole = pa.types.is_integer(array.type)
            found = kind_of_numbers(time.unit, is_whole)
            if kind in (None, found) and not (is_whole and found is TimeKind.FLOAT):
                return _row_times(time, _of_numbers(time, array), _codes(array), order)
    texts = joined(time.template, {column: cells(column) for column in time.template.columns})
    texts = texts.single("one time")
    used = set(np.unique(texts.codes).tolist()) - {-1}
    read = read_texts(time, texts.values, used, kind)
    return _row_times(time, read, texts.codes, order, texts.values)._replace(refused=texts.refused)


def first_kind(
    time: RowTime, arrays: Mapping[str, pa.Array | CellColumn], nulls: frozenset[str]
) -> TimeKind | None:
    """Return the kind of a table's times, by the column's type or else by the first row with a valid time.

    Later rows have no influence. None if no row has a valid time.
    """
    if time.unit != "number":
        return kind_of_numbers(time.unit, True)
    array = arrays.get(time.template.columns[0]) if time.template.is_whole else None
    if isinstance(array, pa.Array) and (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        return kind_of_numbers(time.unit, pa.types.is_integer(array.type))
    columns = {name: column_values(arrays[name], nulls) for name in time.template.columns}
    cells = joined(time.template, columns).single("one time")
    places, begins = np.unique(cells.codes, return_index=True)
    for place in places[np.argsort(begins)].tolist():
        text = cells.values[place].as_py() if place >= 0 else ""
        if is_time(text, kind := kind_of_numbers(time.unit, is_whole(text))):
            return kind
    return None


def _row_times(
    time: RowTime, found: ReadTimes, codes: Codes | None, order: RowOrder, texts: pa.StringArray | None = None
) -> RowTimes:
    """Choose the instant of each row among its candidates.

    Args:
        codes: for each row, the index of its time in `found`, -1 for no time; None if row i has the time i.
        texts: the texts of the times in `found`, for errors; required if a time may have two candidates.
    """
    chosen = choose_times(found.candidates, codes, time, order)
    reasons, cut = dict(found.reasons), found.cut
    if time.precision == "exact" and cut is not None:
        reasons |= dict.fromkeys(np.flatnonzero(cut).tolist(), _FINER)
        cut = None
    if chosen.codes is not codes and codes is not None:  # the chosen ticks are one per row
        places = codes.tolist()
        reasons = {row: reasons[place] for row, place in enumerate(places) if place in reasons}
        cut = None if cut is None else cut[codes]
    for place in chosen.wrong:
        assert texts is not None, "only local times have two candidates"
        reason = UNDECIDED if time.ambiguous == "infer" else ambiguity_error(texts[place].as_py(), time)
        reasons.setdefault(place, reason)
    if codes is not None and (codes < 0).any():
        reasons[-1] = _NO_TIME
    return RowTimes(found.kind, chosen.ticks, chosen.codes, reasons, cut)


def _codes(array: pa.Array) -> Codes | None:
    """Return for each row its own index, -1 for null; None if the column has no nulls."""
    if not array.null_count:
        return None
    codes = np.arange(len(array), dtype=np.int32)
    codes[flags(array.is_null())] = -1
    return codes


# columns of timestamps and dates


def _of_timestamps(time: RowTime, array: pa.Array, mapping: str, order: RowOrder) -> RowTimes:
    column = time.template.columns[0]
    if time.unit is not None or time.format is not None:
        problem = f"the times in column {column} are of type {array.type}"
        raise MappingError(
            mapping, time.line, problem, "no unit and no format: these are for numbers and texts"
        )
    zoned = getattr(array.type, "tz", None) is not None
    if not zoned and time.zone is None:
        problem = f"the times in column {column} are local times without a zone"
        raise MappingError(mapping, time.line, problem, "zone: Europe/Copenhagen, or another zone")
    encoded = array.dictionary_encode()
    codes = np.from_dlpack(encoded.indices.fill_null(-1)).astype(np.int32, copy=False)
    read = _microseconds(encoded.dictionary)
    if zoned:
        return _row_times(time, read, codes, order)
    local = pa.array(read.candidates.earlier).cast(pa.timestamp("us"))
    candidates, reasons, texts = candidates_of(local, time), read.reasons, local.cast(pa.string())
    if candidates is None:
        each = one_by_one(time, texts.to_pylist(), sorted({*range(len(local))} - reasons.keys()))
        candidates, reasons = each.candidates, {**each.reasons, **reasons}
    return _row_times(time, read._replace(candidates=candidates, reasons=reasons), codes, order, texts)


def _microseconds(values: pa.Array) -> ReadTimes:
    """Convert Arrow timestamps or dates to ticks, 0 for those out of range; local times stay local."""
    per_second, numbers = numbers_of(values)
    least, most = bounds_of(TimeKind.DATETIME, per_second)
    outside = np.flatnonzero((numbers < least) | (numbers > most)).tolist()
    far = {place: int(numbers[place]) * MICROSECONDS // per_second for place in outside}
    reasons = {place: f"{microseconds} us since 1970 {BEYOND}" for place, microseconds in far.items()}
    numbers[outside] = 0
    ticks, cut = scaled(numbers, per_second)
    return ReadTimes(TimeKind.DATETIME, Candidates(ticks, ticks), cut, reasons)


# columns of numbers


def _of_numbers(time: RowTime, array: pa.Array) -> ReadTimes:
    assert time.unit is not None
    is_whole = pa.types.is_integer(array.type)
    kind, per_second = kind_of_numbers(time.unit, is_whole), UNITS[time.unit]
    cut: Flags | None = None
    if pa.types.is_uint64(array.type) and (pc.max(array).as_py() or 0) < 2**63:
        array = array.cast(pa.int64())
    if is_whole and not pa.types.is_uint64(array.type):
        numbers = np.from_dlpack(array.fill_null(0)).astype(np.int64)
        least, most = bounds_of(kind, per_second)
        outside = (numbers < least) | (numbers > most)
        numbers[outside] = 0
        ticks, cut = (numbers, None) if kind is TimeKind.INTEGER else scaled(numbers, per_second)
    else:
        reals = np.from_dlpack(array.cast(pa.float64(), safe=False).fill_null(0.0)).astype(np.float64)
        scale = Decimal(FLOAT_TICKS) if kind is TimeKind.FLOAT else Decimal(MICROSECONDS) / per_second
        ticks, cut, outside = _of_reals(reals, scale, bounds_of(kind, MICROSECONDS))
        cut = None if kind is TimeKind.FLOAT else cut
    places = np.flatnonzero(outside).tolist()
    reasons = {place: beyond(str(array[place].as_py()), time.unit) for place in places}
    return ReadTimes(kind, Candidates(ticks, ticks), cut, reasons)


def _of_reals(
    reals: npt.NDArray[np.float64], scale: Decimal, bounds: tuple[int, int]
) -> tuple[Ticks, Flags | None, Flags]:
    """Convert floats to ticks; return the ticks, flags of cut times (None for none), and flags out of range.

    A float stands for its shortest decimal representation, as in a text: `0.1` s is 100 ms.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        products = reals * float(scale)
        outside = ~((products >= bounds[0]) & (products <= bounds[1]))
    products[outside] = 0
    ticks = np.rint(products).astype(np.int64)
    unsure = ~outside & ((ticks / float(scale) != reals) | (np.abs(products) > _LARGEST_SURE))
    if scale == FLOAT_TICKS or not unsure.any():
        return ticks, None, outside
    cut = np.zeros(len(ticks), bool)
    for place in np.flatnonzero(unsure).tolist():
        exact = Decimal(repr(float(reals[place]))) * scale
        ticks[place] = int(exact.to_integral_value("ROUND_FLOOR"))
        cut[place] = exact != int(ticks[place])
    outside |= (ticks < bounds[0]) | (ticks > bounds[1])
    return ticks, cut, outside


def shown_times(ticks: Ticks, kind: TimeKind, time: RowTime) -> list[TimePoint]:
    """Convert ticks to timestamps; datetimes have the UTC offset of the mapping's zone, or are in UTC.

    The datetimes have fixed offsets instead of the zone itself, since Python compares datetimes of one zone
    by their local times, which is wrong when clocks are put back.
    """
    times = [time_of(each, kind) for each in ticks.tolist()]
    if kind is not TimeKind.DATETIME or time.zone is None:
        return times
    zone = zone_of(time.zone)
    return [_shown(cast(datetime, at), zone) for at in times]


def _shown(at: datetime, zone: tzinfo) -> datetime:
    try:
        shown = at.astimezone(zone)
    except OverflowError:  # within the first and the last hours of the calendar
        return at
    return shown.replace(tzinfo=timezone(cast(timedelta, shown.utcoffset())), fold=0)
