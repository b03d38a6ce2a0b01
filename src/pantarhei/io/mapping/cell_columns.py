"""Dictionary-encoded columns of a table, and the XML Schema lexical forms of Arrow's values.

A column is a list of distinct texts and, for each row, the index of its text (its *code*).
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from rdflib import XSD, URIRef

from pantarhei.errors import MappingError, OptionError
from pantarhei.io.mapping.record_mapping import UNITS, TextTemplate
from pantarhei.model.datetimes import EPOCH, FIRST_TICK, LAST_TICK, zone_named
from pantarhei.rdf.triple_table import Codes

Numbers = npt.NDArray[np.int64]

_DAY = 86400  # seconds
_BLOCK = 4 * 3600  # seconds; assumes that a zone changes its offset at most once within a block
# Seconds since 1970 between which local times of every zone are within the years 1 to 9999.
_FIRST, _LAST = FIRST_TICK // 10**6 + 2 * _DAY, LAST_TICK // 10**6 - 2 * _DAY


def date_times(values: pa.TimestampArray) -> pa.StringArray:
    """Return the lexical forms of timestamps as `xsd:dateTime`, with the offset of the column's zone if any.

    An instant is written in UTC if its offset is not a whole number of minutes, if the zone is unknown, or if
    its year is not in 1 to 9999.

    >>> date_times(pa.array([0], pa.timestamp("s", "Europe/Berlin"))).to_pylist()
    ['1970-01-01T01:00:00+01:00']
    """
    per_second, numbers = numbers_of(values)
    unit, name = values.type.unit, values.type.tz
    if name is None:
        return pa.array(_clocks(numbers, unit), pa.string())
    offsets = _offsets(numbers // per_second, name)
    minutes, seconds = np.divmod(offsets, 60)
    minutes[(seconds != 0) | (np.abs(minutes) > 14 * 60)] = 0
    local = numbers + minutes * 60 * per_second
    suffixes = {each: _suffix(each) for each in np.unique(minutes).tolist()}
    texts = zip(_clocks(local, unit), minutes.tolist(), strict=True)
    return pa.array([text + suffixes[each] for text, each in texts], pa.string())


def dates(values: pa.Array) -> pa.StringArray:
    """Return the lexical forms of dates as `xsd:date`; years may be negative or have more than four digits.

    >>> dates(pa.array([0, 10**7], pa.date32())).to_pylist()
    ['1970-01-01', '29349-01-26']
    """
    per_second, numbers = numbers_of(values)
    return pa.array(_clocks(numbers // (per_second * _DAY), "D"), pa.string())


def numbers_of(values: pa.Array) -> tuple[int, Numbers]:
    """Return Arrow timestamps or dates as numbers since 1970, preceded by their number of units per
    second.
    """
    if pa.types.is_date32(values.type):
        return 1, np.from_dlpack(values.cast(pa.int32())).astype(np.int64) * _DAY
    unit = "ms" if pa.types.is_date64(values.type) else values.type.unit
    return UNITS[unit], np.from_dlpack(values.cast(pa.int64())).astype(np.int64)


def _clocks(numbers: Numbers, unit: str) -> list[str]:
    texts: list[str] = np.datetime_as_string(numbers.view(f"datetime64[{unit}]")).tolist()
    return texts


def _suffix(minutes: int) -> str:
    if not minutes:
        return "Z"
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"


def _offsets(seconds: Numbers, name: str) -> Numbers:
    """Return a zone's UTC offsets in seconds at instants in seconds since 1970.

    The offset is 0 for an unknown zone, and for instants outside the years 1 to 9999.
    """
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
    """Return a zone's UTC offset in seconds at an instant in seconds since 1970."""
    at: datetime = (EPOCH + timedelta(seconds=second)).astimezone(zone)
    offset = at.utcoffset()
    assert offset is not None
    return offset // timedelta(seconds=1)


Places: TypeAlias = npt.NDArray[np.intp]
Flags: TypeAlias = npt.NDArray[np.bool_]

NOT_FINITE = {
    **dict.fromkeys(("nan", "-nan", "NaN"), "NaN"),
    **dict.fromkeys(("inf", "Infinity"), "INF"),
    **dict.fromkeys(("-inf", "-Infinity"), "-INF"),
}
"""XML Schema lexical form of each spelling of NaN and the infinities in Arrow, Python and JSON."""


class ColumnValues(NamedTuple):
    """Dictionary-encoded column.

    Args:
        codes: indices in `values`, in row order; -1 for no value.
        values: the distinct values, as texts; some may not occur in `codes`.
        datatype: the datatype of all values; None for texts.
        datatypes: the datatype of each of `values`; None if all have `datatype`.
        ends: for columns of arrays: row i has the codes from `ends[i - 1]` (0 for the first row) up to
            `ends[i]` (excluded); None if row i has the single code `codes[i]`.
        refused: the error of each invalid cell, by row index; such a row has no value.
    """

    codes: Codes
    values: pa.StringArray
    datatype: URIRef | None = None
    datatypes: tuple[URIRef | None, ...] | None = None
    ends: Places | None = None
    refused: Mapping[int, str] = MappingProxyType({})

    def dense(self) -> pa.StringArray:
        """Return the value of each row as an Arrow array, null for no value; requires `ends` to be None."""
        return self.values.take(pa.array(self.codes, mask=self.codes < 0))

    def with_(self, datatypes: Container[URIRef | None]) -> Flags:
        """Return for each of `values` whether its datatype is in `datatypes`."""
        if self.datatypes is None:
            return np.full(len(self.values), self.datatype in datatypes)
        return np.fromiter((each in datatypes for each in self.datatypes), bool, len(self.values))

    def single(self, expected: str) -> ColumnValues:
        """Return the column with one code per row; a row with several values becomes an invalid cell.

        Args:
            expected: description of the single value, for the error.
        """
        if self.ends is None:
            return self
        begins = np.concatenate([[0], self.ends[:-1]]).astype(np.intp)
        counts = self.ends - begins
        several = f"an array of several values; expected {expected}"
        refused = dict.fromkeys(np.flatnonzero(counts > 1).tolist(), several)
        codes = np.full(len(counts), -1, np.int32)
        codes[counts == 1] = self.codes[begins[counts == 1]]
        return self._replace(codes=codes, ends=None, refused={**self.refused, **refused})


class CellColumn(Protocol):
    """Column of a table that is not an Arrow array."""

    def cells(self, nulls: frozenset[str]) -> ColumnValues:
        """Dictionary-encode the column; a text in `nulls` stands for no value."""

    def shown(self, row: int) -> object:
        """Return the value of a row for error messages."""


def column_values(array: pa.Array | CellColumn, nulls: frozenset[str]) -> ColumnValues:
    """Dictionary-encode a column; a text in `nulls` stands for no value."""
    if not isinstance(array, pa.Array):
        return cast(CellColumn, array).cells(nulls)
    array = decoded(array)
    if pa.types.is_null(array.type):
        return ColumnValues(np.full(len(array), -1, np.int32), pa.array([], pa.string()))
    encoded = array.dictionary_encode()
    codes = np.from_dlpack(encoded.indices.fill_null(-1)).astype(np.int32, copy=False)
    values, datatype = _texts(encoded.dictionary)
    if nulls and len(values):
        absent = flags(pc.is_in(values, pa.array(sorted(nulls), pa.string())))
        if absent.any():
            codes = np.where(absent[codes], np.int32(-1), codes)
    return ColumnValues(codes, values, datatype)


def decoded(array: pa.Array) -> pa.Array:
    """Remove dictionary and run-end encodings, and cast all string types (such as Polars' views) to
    `string`.
    """
    if isinstance(array, pa.DictionaryArray):
        return decoded(array.dictionary).take(array.indices)
    if isinstance(array, pa.RunEndEncodedArray):
        return decoded(pc.run_end_decode(array))
    return array.cast(pa.string()) if _is_text(array.type) else array


def joined(template: TextTemplate, columns: Mapping[str, ColumnValues]) -> ColumnValues:
    """Instantiate a text template for each row; a row has no text if one of the template's columns is
    empty.
    """
    if template.is_whole:
        return columns[template.columns[0]]
    ends, named = unfolded({name: columns[name] for name in template.columns})
    pieces: list[pa.Array | str] = [template.texts[0]]
    for column, text in zip(template.columns, template.texts[1:], strict=True):
        pieces += [named[column].dense(), text]
    made = column_values(pc.binary_join_element_wise(*pieces, ""), frozenset())
    parts = reversed([cells.refused for cells in named.values()])
    refused = {row: reason for each in parts for row, reason in each.items()}
    return made._replace(ends=ends, refused=refused)


def unfolded(columns: Mapping[str, ColumnValues]) -> tuple[Places | None, Mapping[str, ColumnValues]]:
    """Expand rows with several values to one entry per combination of values (the Cartesian product).

    Returns the end of each row's entries, and the columns with one code per entry; None and the given columns
    if each row has one value in each column.
    """
    if all(cells.ends is None for cells in columns.values()):
        return None, columns
    rows, places = combinations([cells.ends for cells in columns.values()], _height(columns))
    taken = {
        name: cells._replace(codes=cells.codes[each], ends=None)
        for (name, cells), each in zip(columns.items(), places, strict=True)
    }
    return np.searchsorted(rows, np.arange(_height(columns)), "right"), taken


def _height(columns: Mapping[str, ColumnValues]) -> int:
    return min(len(cells.codes if cells.ends is None else cells.ends) for cells in columns.values())


def combinations(ends: Sequence[Places | None], height: int) -> tuple[Places, list[Places]]:
    """Form the Cartesian product of the values that columns have in each row.

    Returns the row of each combination, and for each column the index in its `codes` of each combination's
    value.

    Args:
        ends: `ColumnValues.ends` of each column.
        height: number of rows.

    >>> rows, (first, second) = combinations([np.array([2, 2, 3]), None], 3)
    >>> rows.tolist(), first.tolist(), second.tolist()
    ([0, 0, 2], [0, 1, 2], [0, 0, 2])
    """
    rows, places = np.arange(height), list[Places]()
    for each in ends:
        if each is None:
            places.append(rows)
            continue
        counts = np.diff(each, prepend=0)[rows]
        begins = (each[rows] - counts).repeat(counts)
        within = np.arange(len(begins)) - (np.cumsum(counts) - counts).repeat(counts)
        rows, places = rows.repeat(counts), [before.repeat(counts) for before in places]
        places.append(begins + within)
    return rows, places


def shown_cell(array: pa.Array | CellColumn, row: int) -> object:
    """Return the value of a cell for errors, as a Python value, or as a text if Python cannot represent
    it.
    """
    if not isinstance(array, pa.Array):
        return cast(CellColumn, array).shown(row)
    try:
        value: object = array[row].as_py()
    except (OverflowError, ValueError):  # a time beyond Python's years, or of nanoseconds
        value = _texts(decoded(array.slice(row, 1)))[0][0].as_py()
    return value


def flags(array: pa.BooleanArray) -> npt.NDArray[np.bool_]:
    """Convert booleans without nulls to numpy; `to_numpy` would import pandas."""
    return np.from_dlpack(array.cast(pa.uint8())).astype(bool)


def is_readable(kind: pa.DataType) -> bool:
    """Return whether values of an Arrow type can be converted to lexical forms."""
    while isinstance(kind, pa.DictionaryType | pa.RunEndEncodedType):
        kind = kind.value_type
    return _is_text(kind) or pa.types.is_null(kind) or _datatype(kind) is not None


def check_column_type(column: str, kind: pa.DataType, source: str, mapping: str, line: int | None) -> None:
    """Check that values of a column's Arrow type can be converted to lexical forms.

    Args:
        source, mapping: names of the table and the mapping in the error.
        line: the line of the mapping that refers to the column.

    Raises:
        MappingError: the type is nested or unknown.
    """
    if is_readable(kind):
        return
    expected = "a column of texts, numbers, booleans, dates or times"
    if pa.types.is_struct(kind):
        inner = [f"$({column}.{each.name})" for each in kind]
        expected = f"one of the columns inside: {', '.join(inner)}"
    elif pa.types.is_nested(kind):
        expected += ", one value a row; make a row of each value first"
    raise MappingError(mapping, line, f"column {column} of {source} is of type {kind}", expected)


def _is_text(kind: pa.DataType) -> bool:
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def _datatype(kind: pa.DataType) -> URIRef | None:
    """Return the datatype of an Arrow type by R2RML's natural mapping; None for texts and nested types."""
    types = pa.types
    for fits, datatype in (
        (types.is_integer, XSD.integer),
        (types.is_floating, XSD.double),
        (types.is_decimal, XSD.decimal),
        (types.is_boolean, XSD.boolean),
        (types.is_timestamp, XSD.dateTime),
        (types.is_date, XSD.date),
        (types.is_time, XSD.time),
    ):
        if fits(kind):
            return datatype
    return None


def _texts(values: pa.Array) -> tuple[pa.StringArray, URIRef | None]:
    """Return the XML Schema lexical forms of values, and their datatype."""
    datatype = _datatype(values.type)
    if datatype is None:
        return values, None
    if datatype in (XSD.dateTime, XSD.date):
        return (date_times if datatype == XSD.dateTime else dates)(values), datatype
    if pa.types.is_float16(values.type):
        values = values.cast(pa.float32())
    texts = values.cast(pa.string())
    if datatype == XSD.double:
        if not pc.all(pc.is_finite(values)).as_py():
            texts = pa.array([NOT_FINITE.get(text, text) for text in texts.to_pylist()], pa.string())
    elif datatype == XSD.decimal and pc.any(pc.match_substring(texts, "E")).as_py():
        texts = pa.array([format(Decimal(text), "f") for text in texts.to_pylist()], pa.string())
    return texts, datatype
