"""Router of rows to shards.

The rows of a task are sent to each shard together, as one value of bytes with numbered terms, so that Spark
moves and sorts few rows. The shard of a row is a stable hash of the key of its subject.

Rows that are not for any shard go to the shard `CLOCK`, which hands them out, and reports the watermark.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Generic, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from rdflib import RDF

from pantarhei.errors import BackgroundOnlyError, InvalidTripleError
from pantarhei.io.mapping.mapped_rows import InvalidRow
from pantarhei.model.rule import Predicate
from pantarhei.model.term import Place, Term, Triple
from pantarhei.rdf.ntriples import parse_term
from pantarhei.rules.sharding.routing import Routing
from pantarhei.spark.dead_letters import invalid_letters
from pantarhei.spark.frame import COLUMNS, OBJECT, PREDICATE, SUBJECT, TIMESTAMP, integer_times
from pantarhei.spark.invalid_rows import find_invalid_rows, row_error, rows_with, rows_without_time
from pantarhei.spark.shards.shard import ROWS, equal_runs, pack_table
from pantarhei.spark.worker import OnError

CLOCK = -1
"""Number of the shard without a reasoner, which receives a row from each task."""

ROUTED = "shard INT, rows BINARY, count LONG, hot_key STRING, hot_rows LONG, event TIMESTAMP"
"""Columns of routed rows. `event` is Spark's event time, that of the newest row; rows that are not for the
stream do not advance it.
"""

_NAMES = ("shard", "rows", "count", "hot_key", "hot_rows", "event")
_TYPES = (pa.int32(), pa.binary(), pa.int64(), pa.string(), pa.int64(), pa.timestamp("us", "UTC"))
_TYPE = RDF.type.n3()
_MOST_KNOWN, _MOST_CHARACTERS = 500_000, 1 << 26  # texts in a cache, and their characters
_TOGETHER, _BYTES_TOGETHER = 200_000, 1 << 27  # rows that are routed together, and their bytes

WATERMARK_OFFSET = 1 << 51
"""Number added to ticks to get Spark's event time in milliseconds; for datetimes 71 years.

Spark's watermark is never negative: with the offset, ticks before 0 (1970) also have a watermark."""

FIRST_TICK = -WATERMARK_OFFSET
LAST_TICK = (2**63 - 1) // 1000 - WATERMARK_OFFSET  # event time is in microseconds, in 64 bits
_NO_EVENT_TIME = (
    f"it is not between the ticks {FIRST_TICK} and {LAST_TICK}, the range of Spark's watermark, which "
    "advances the time of shards"
)


_NOT_UTF_8 = "it is not UTF-8"

_IRI = r"<[A-Za-z][A-Za-z0-9+.-]*:[!#-;=?-\[\]_a-z~]*>"
_PLAIN_TERM = rf'^(?:{_IRI}|_:[A-Za-z0-9]+|"[ !#-\[\]-~]*"(?:@[A-Za-z]{{1,8}}|\^\^{_IRI})?)$'
"""Terms whose syntax is valid for sure: a search for this costs much less than parsing a term."""


Value = TypeVar("Value")
_Error = str | BackgroundOnlyError


class _Known(NamedTuple):
    """Shard and key of a subject, or the error of its text."""

    shard: int
    key: str
    error: str


class _Admission(NamedTuple):
    """Error of a class or property, empty if the stream may assert it; whether `colocated` promises it."""

    error: _Error
    promised: bool = False


class _Cache(Generic[Value]):
    """Values of texts; it is cleared when it has too many texts, or too many characters."""

    def __init__(self) -> None:
        self._values: dict[str, Value] = {}
        self._characters = 0

    def get(self, text: str, value_of: Callable[[str], Value]) -> Value:
        """Return the value of a text, cached or from `value_of`."""
        found = self._values.get(text)
        if found is None:
            found = value_of(text)
            if len(self._values) >= _MOST_KNOWN or self._characters >= _MOST_CHARACTERS:
                self._values.clear()
                self._characters = 0
            self._values[text] = found
            self._characters += len(text)
        return found


class _Column(NamedTuple):
    """Column of terms with numbers in place of texts.

    Args:
        texts: the distinct texts.
        codes: the number of each row's text; -1 for null.
    """

    texts: pa.Array
    codes: npt.NDArray[np.int64]

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> _Column:
        combined = column.combine_chunks()
        if isinstance(combined, pa.ChunkedArray):
            combined = pa.concat_arrays(combined.chunks) if combined.num_chunks else pa.array([], pa.string())
        encoded = combined.dictionary_encode()
        return cls(encoded.dictionary.cast(pa.string()), _codes(encoded))

    def part(self, rows: npt.NDArray[np.int64]) -> pa.DictionaryArray:
        """Return some rows, without nulls, and with the texts that occur in them."""
        codes, numbers = np.unique(self.codes[rows], return_inverse=True)
        texts = self.texts.take(pa.array(codes))
        return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int32)), texts)

    def texts_of(self, rows: npt.NDArray[np.int64]) -> list[str | None]:
        """Return the texts of some rows."""
        codes = self.codes[rows]
        return _texts(self.texts.take(pa.array(codes, mask=codes < 0)))


class Router:
    """Router of normalized rows to shards; caches the shards of subjects.

    The cost is linear in the rows: one dictionary lookup for each distinct subject and predicate; all else is
    done by column. The memory is that of the rows that are routed together, and of bounded caches.

    Args:
        routing: the shard key of each name.
        shards: number of shards.
        on_error: handling of rows that are not timestamped triples or not for the stream.
        letters: schema of the rows that are handed out with their errors.
    """

    def __init__(
        self,
        routing: Routing,
        shards: int,
        on_error: OnError = "raise",
        letters: pa.Schema | None = None,
    ) -> None:
        self._routing, self.shards = routing, shards
        self._on_error, self._letters = on_error, letters
        self._subjects = _Cache[_Known]()
        self._classes, self._properties = _Cache[_Admission](), _Cache[_Admission]()

    def route(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield for each shard its rows, and for `CLOCK` those that are not for the stream.

        Raises:
            InvalidRowError: a row is not a timestamped triple, or its time is before `FIRST_TICK` (1898) or
                after `LAST_TICK` (2190), unless such rows are skipped.
            BackgroundOnlyError: the stream asserts a class or property that only the background may assert,
                unless such rows are skipped.
        """
        waiting: list[pa.RecordBatch] = []
        rows = size = 0
        seen = False
        for batch in batches:
            if not batch.num_rows:
                continue
            waiting.append(batch)
            rows, size, seen = rows + batch.num_rows, size + batch.nbytes, True
            if rows >= _TOGETHER or size >= _BYTES_TOGETHER:
                yield from self._routed(pa.Table.from_batches(waiting))
                waiting, rows, size = [], 0, 0
        if waiting:
            yield from self._routed(pa.Table.from_batches(waiting))
        if seen:
            yield _row(CLOCK, b"", 0)

    def _routed(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        table = self._with_carried(table.combine_chunks())
        ticks = integer_times(table.column(TIMESTAMP)).combine_chunks()
        terms = [_Column.of(table.column(name)) for name in COLUMNS[1:]]
        errors, subjects = self._check(table, ticks, terms)
        if errors:
            first = min(errors)
            if self._on_error == "raise":
                error = errors[first]
                raise row_error(table, error) if isinstance(error, InvalidRow) else error
            found = [_invalid(row, errors[row]) for row in sorted(errors)]
            if self._letters is not None:
                letters = invalid_letters(table, found, self._letters)
                yield _row(CLOCK, pack_table(letters), len(found))
            else:
                yield _row(CLOCK, b"", len(found))
        yield from self._divided(table, ticks, terms, subjects, list(errors))

    def _with_carried(self, table: pa.Table) -> pa.Table:
        """Return a table with the carried columns in the types of dead letters.

        Spark sends timestamps in the session's zone, and large texts if it is set up so.
        """
        for place, name in enumerate(table.column_names):
            if self._letters is not None and name not in COLUMNS:
                field = self._letters.field(name)
                table = table.set_column(place, field, table.column(place).cast(field.type))
        return table

    def _divided(
        self,
        table: pa.Table,
        ticks: pa.Array,
        terms: Sequence[_Column],
        subjects: Sequence[_Known],
        invalid: list[int],
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of each shard."""
        codes = terms[0].codes
        shards = np.array([each.shard for each in subjects] or [CLOCK], np.int32)[codes]
        shards[invalid] = CLOCK
        order = np.argsort(shards, kind="stable")
        others = [table.column(name) for name in table.column_names[len(COLUMNS) :]]
        for number, start, end in equal_runs(shards[order]):
            if number == CLOCK:
                continue
            rows = order[start:end]
            columns = [ticks.take(pa.array(rows)), *(column.part(rows) for column in terms)]
            columns += [column.take(pa.array(rows)).combine_chunks() for column in others]
            part = pa.table(columns, [*ROWS.names, *table.column_names[len(COLUMNS) :]])
            hot, count = self._hottest(codes[rows], subjects)
            newest = pc.max(part[TIMESTAMP]).as_py()
            yield _row(number, pack_table(part), len(rows), hot, count, (newest + WATERMARK_OFFSET) * 1000)

    @staticmethod
    def _hottest(codes: npt.NDArray[np.int64], subjects: Sequence[_Known]) -> tuple[str, int]:
        """Return the key with most rows, and their number."""
        by_key: dict[str, int] = {}
        for code, count in zip(*map(np.ndarray.tolist, np.unique(codes, return_counts=True)), strict=True):
            key = subjects[code].key
            by_key[key] = by_key.get(key, 0) + count
        return max(by_key.items(), key=lambda each: each[1])

    def shards_with(self, triple: Triple) -> Sequence[int]:
        """Return the shards that can hold a triple; only shard 0 if every shard holds it."""
        keys = self._routing.shard_keys_of(triple)
        if keys is None:
            return range(self.shards)
        return list(map(self._hash, keys)) or [0]

    def _check(
        self, table: pa.Table, ticks: pa.Array, terms: Sequence[_Column]
    ) -> tuple[dict[int, InvalidRow | BackgroundOnlyError], list[_Known]]:
        """Return the errors by row, and the shard of each distinct subject."""
        subjects, predicates, objects = terms
        found: dict[int, InvalidRow | BackgroundOnlyError] = {}

        def note(row: int, column: str, error: _Error) -> None:
            if error:
                found.setdefault(row, InvalidRow(row, column, error) if isinstance(error, str) else error)

        def note_all(codes: npt.NDArray[np.int64], column: str, errors: Sequence[_Error]) -> None:
            """Note the rows whose text has an error, given the error of each code."""
            for row in np.flatnonzero(rows_with(codes, map(bool, errors))).tolist():
                note(row, column, errors[codes[row]])

        without = rows_without_time(table)
        if without.any():
            rows = np.flatnonzero(without)
            for problem in find_invalid_rows(table.take(pa.array(rows))):
                note(int(rows[problem.row]), problem.column, problem.reason)
        outside = pc.or_(pc.less(ticks, FIRST_TICK), pc.greater(ticks, LAST_TICK)).fill_null(False)
        for row in np.flatnonzero(np.asarray(outside)).tolist():
            note(row, TIMESTAMP, _NO_EVENT_TIME)
        for name, column in zip(COLUMNS[1:], terms, strict=True):
            for row in np.flatnonzero(column.codes < 0).tolist():
                note(row, name, "it is null")
        known = [self._subject(text) for text in _texts(subjects.texts)]
        note_all(subjects.codes, SUBJECT, [each.error for each in known])
        note_all(objects.codes, OBJECT, _object_errors(objects.texts))
        admitted = [self._admit(text, False) for text in _texts(predicates.texts)]
        note_all(predicates.codes, PREDICATE, [each.error for each in admitted])
        asserts_class = rows_with(predicates.codes, pc.equal(predicates.texts, _TYPE).to_pylist())
        classes = np.where(asserts_class, objects.codes, -1)
        used = np.unique(classes[classes >= 0])
        refused: list[_Error] = [""] * len(objects.texts)
        for code, text in zip(used.tolist(), _texts(objects.texts.take(pa.array(used))), strict=True):
            refused[code] = self._admit(text, True).error
        note_all(classes, OBJECT, refused)
        promised = np.flatnonzero(rows_with(predicates.codes, (each.promised for each in admitted)))
        for row, *texts in zip(
            promised.tolist(), *(column.texts_of(promised) for column in terms), strict=True
        ):
            note(row, OBJECT, self._refusal(*texts))
        return found, known

    def _admit(self, text: str | None, is_class: bool) -> _Admission:
        if text is None:
            return _Admission(_NOT_UTF_8)
        known = self._classes if is_class else self._properties
        return known.get(text, partial(self._admission, is_class))

    def _admission(self, is_class: bool, text: str) -> _Admission:
        name, error = _parsed(text, Place.CLASS if is_class else Place.PREDICATE)
        if name is None:
            return _Admission(error)
        if name == RDF.type and not is_class:
            return _Admission("" if text == _TYPE else f"write it as {_TYPE}")  # it has escapes
        if not self._routing.report.admits(cast(Predicate, name), is_class):
            return _Admission(BackgroundOnlyError(text, str(self._routing.key)))
        return _Admission("", name in self._routing.report.colocated)

    def _refusal(self, *texts: str | None) -> str:
        """Return why a row breaks the promise of co-location; empty if it keeps the promise."""
        try:
            subject, predicate, object_ = (parse_term(text or "") for text in texts)
        except InvalidTripleError:
            return ""  # another check finds it
        return self._routing.refusal(subject, predicate, object_) or ""

    def _subject(self, text: str | None) -> _Known:
        return _Known(CLOCK, "", _NOT_UTF_8) if text is None else self._subjects.get(text, self._known)

    def _known(self, text: str) -> _Known:
        name, error = _parsed(text, Place.SUBJECT)
        if name is None:
            return _Known(CLOCK, "", error)
        key = self._routing.shard_key(name)
        return _Known(self._hash(key), key, "")

    def _hash(self, key: str) -> int:
        digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.shards

    def shard_of(self, name: Term) -> int:
        """Return the number of the shard of a subject."""
        return self._hash(self._routing.shard_key(name))


def _row(
    shard: int, rows: bytes, count: int, hot: str = "", hot_rows: int = 0, event: int | None = None
) -> pa.RecordBatch:
    values = (shard, rows, count, hot, hot_rows, event)
    return pa.record_batch([pa.array([value], of) for value, of in zip(values, _TYPES, strict=True)], _NAMES)


def _texts(dictionary: pa.Array) -> list[str | None]:
    """Return texts; None for one that is not UTF-8."""
    try:
        found: list[str | None] = dictionary.to_pylist()
    except UnicodeDecodeError:
        found = []
        for text in dictionary.cast(pa.binary()).to_pylist():
            try:
                found.append(text.decode())
            except UnicodeDecodeError:
                found.append(None)
    return found


def _codes(column: pa.DictionaryArray) -> npt.NDArray[np.int64]:
    """Return the numbers of the texts in a column; -1 for null."""
    return np.asarray(column.indices.fill_null(-1)).astype(np.int64)


def _object_errors(texts: pa.Array) -> list[str]:
    """Return the error of each distinct text of an object; empty if it is valid."""
    errors = [""] * len(texts)
    plain = pc.match_substring_regex(texts.cast(pa.binary()), _PLAIN_TERM)
    others = np.flatnonzero(~np.asarray(plain))
    for code, text in zip(others.tolist(), _texts(texts.take(pa.array(others))), strict=True):
        errors[code] = _NOT_UTF_8 if text is None else _parsed(text, Place.OBJECT)[1]
    return errors


def _invalid(row: int, error: InvalidRow | BackgroundOnlyError) -> InvalidRow:
    return error if isinstance(error, InvalidRow) else InvalidRow(row, "predicate", str(error))


def _parsed(text: str, place: Place) -> tuple[Term | None, str]:
    """Parse a term; return the term, None if it is invalid at this place, and the error."""
    try:
        name = parse_term(text)
        place.check(name, text)
    except InvalidTripleError as error:
        return None, error.reason
    return name, ""
