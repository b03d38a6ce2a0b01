"""Detection of rows of a normalized table that are not timestamped triples, and their errors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from rdflib import Literal

from pantarhei.errors import InvalidRowError, InvalidTripleError
from pantarhei.io.mapping.mapped_rows import InvalidRow
from pantarhei.model.term import RDF_TYPE, Place, Term
from pantarhei.model.time import FLOAT_TICKS, MOST_TICKS
from pantarhei.rdf.ntriples import parse_term
from pantarhei.spark.frame import COLUMNS, OBJECT, PREDICATE, SUBJECT, TERMS, TIMESTAMP

_PLACES = {SUBJECT: Place.SUBJECT, PREDICATE: Place.PREDICATE, OBJECT: Place.OBJECT}

_CARRIED = "left out: "
_LAST_FLOAT = MOST_TICKS / FLOAT_TICKS


def find_invalid_rows(table: pa.Table) -> list[InvalidRow]:
    """Return the rows of a normalized table that are not timestamped triples, in order.

    Each distinct term of a column is parsed once.
    """
    found: dict[int, InvalidRow] = {}

    def note(rows: npt.NDArray[np.bool_], column: str, reason: str) -> None:
        for row in np.flatnonzero(rows).tolist():
            found.setdefault(row, InvalidRow(row, column, reason))

    times = table.column(TIMESTAMP)
    note(np.asarray(times.is_null()), TIMESTAMP, "it is null")
    if pa.types.is_floating(times.type):
        finite = np.asarray(pc.fill_null(pc.is_finite(times), True))
        note(~finite, TIMESTAMP, "it is not a finite number")
    first, last = _bounds_of(times.type)
    note(rows_without_time(table), TIMESTAMP, f"it is not a time between {first} and {last}")
    terms = {name: _Terms.of(table, name) for name in TERMS}
    for name, column in terms.items():
        note(column.codes < 0, name, "it is null")
        for row in np.flatnonzero(column.rows(bool(reason) for reason in column.reasons)).tolist():
            found.setdefault(row, InvalidRow(row, name, column.reasons[column.codes[row]]))
    classes = terms[PREDICATE].rows(term == RDF_TYPE for term in terms[PREDICATE].terms)
    literals = terms[OBJECT].rows(isinstance(term, Literal) for term in terms[OBJECT].terms)
    note(classes & literals, OBJECT, Place.CLASS.expected)
    return [found[row] for row in sorted(found)]


def rows_without_time(table: pa.Table) -> npt.NDArray[np.bool_]:
    """Return for each row whether its time is invalid: null, not a number, or out of range."""
    times = table.column(TIMESTAMP)
    first, last = _bounds_of(times.type)
    inside = pc.and_(pc.greater_equal(times, first), pc.less_equal(times, last))
    return ~np.asarray(pc.fill_null(inside, False))


def _bounds_of(time: pa.DataType) -> tuple[pa.Scalar, pa.Scalar]:
    """Return the first and the last valid time: datetimes of the years 1 to 9999, numbers within 62
    bits of ticks.
    """
    if pa.types.is_timestamp(time):
        ends = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
        return pa.scalar(ends[0], time), pa.scalar(ends[1], time)
    last = _LAST_FLOAT if pa.types.is_floating(time) else MOST_TICKS
    return pa.scalar(-last, time), pa.scalar(last, time)


class _Terms(NamedTuple):
    """Dictionary-encoded column of terms.

    Args:
        codes: indices in `terms`, in row order; -1 for null.
        terms: the distinct terms; None for a text that is not a term.
        reasons: the error of each of `terms`, empty if the term is valid.
    """

    codes: npt.NDArray[np.int64]
    terms: list[Term | None]
    reasons: list[str]

    @classmethod
    def of(cls, table: pa.Table, column: str) -> _Terms:
        encoded = table.column(column).combine_chunks().dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        read = [_read(text, column) for text in encoded.dictionary.cast(pa.binary()).to_pylist()]
        return cls(codes, [term for term, _ in read], [reason for _, reason in read])

    def rows(self, distinct: Iterable[bool]) -> npt.NDArray[np.bool_]:
        """Expand flags of the distinct terms to flags of the rows; False for null."""
        return rows_with(self.codes, distinct)


def rows_with(codes: npt.NDArray[np.int64], distinct: Iterable[bool]) -> npt.NDArray[np.bool_]:
    """Expand flags of numbered values to flags of the rows, given the number of each row; False for -1."""
    return np.array([*distinct, False], bool)[codes]  # -1 selects the last


def _read(text: bytes, column: str) -> tuple[Term | None, str]:
    """Parse a term; return the term, None if malformed, and the error, empty if the term is valid here."""
    try:
        term = parse_term(text.decode())
    except UnicodeDecodeError:
        return None, "it is not UTF-8"
    except InvalidTripleError as error:
        return None, error.reason
    return term, "" if _PLACES[column].admits(term) else _PLACES[column].expected


def error_rows(
    errors: Sequence[InvalidRowError], schema: pa.Schema, carried: Mapping[str, pa.Array]
) -> pa.RecordBatch:
    """Encode errors as rows of a normalized table: without a time, with the error as the subject.

    `row_error` decodes them where rows are checked.

    Args:
        carried: further columns of the rows by name.
    """
    texts = [_CARRIED + json.dumps(error.args, ensure_ascii=False) for error in errors]
    columns = {field.name: pa.nulls(len(texts), field.type) for field in schema}
    return pa.record_batch({**columns, SUBJECT: pa.array(texts), **carried}, schema=schema)


def row_error(table: pa.Table, problem: InvalidRow) -> InvalidRowError:
    """Return the error for an invalid row, or the error that the row carries, if it is of `error_rows`."""
    if (carried := carried_error(table, problem)) is not None:
        return carried
    cells = {name: table.column(name).slice(problem.row, 1) for name in COLUMNS}
    values = {name: cells[name].cast(pa.binary())[0].as_py() for name in TERMS}
    values[TIMESTAMP] = cells[TIMESTAMP].cast(pa.string())[0].as_py()
    row = tuple(f"{name}={shortened(values[name])}" for name in COLUMNS)
    return InvalidRowError(row, problem.column, problem.reason)


def carried_error(table: pa.Table, problem: InvalidRow) -> InvalidRowError | None:
    """Return the error that an invalid row carries, if it is of `error_rows`; None for other rows."""
    subject = table.column(SUBJECT).slice(problem.row, 1).cast(pa.binary())[0].as_py()
    if problem.column != TIMESTAMP or subject is None or not subject.startswith(_CARRIED.encode()):
        return None
    try:
        row, column, reason = json.loads(subject[len(_CARRIED.encode()) :])
        return InvalidRowError([str(each) for each in row], str(column), str(reason))
    except (ValueError, TypeError):  # a row of the user that begins with the same text
        return None


def shortened(value: object) -> str:
    """Return the text of a value for errors, at most 200 characters."""
    if value is None:
        return "null"
    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= 200 else text[:200] + "…"


def drop_rows(table: pa.Table, found: list[InvalidRow]) -> pa.Table:
    """Remove the invalid rows from a table."""
    keep = np.ones(len(table), bool)
    keep[[problem.row for problem in found]] = False
    return table.filter(pa.array(keep))
