"""Router of rows to shards.

The rows of a task are sent to each shard together, as one value of bytes with numbered terms, so that Spark
moves and sorts few rows. The shard of a row is a stable hash of the key of its subject.

Rows that are not for any shard go to the shard `CLOCK`, which hands them out, and reports the watermark.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

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
from pantarhei.spark.frame import COLUMNS, TIMESTAMP, integer_times
from pantarhei.spark.invalid_rows import find_invalid_rows, row_error, rows_without_time
from pantarhei.spark.shards.shard import ROWS, pack_table
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
_MOST_KNOWN = 500_000
_TOGETHER = 200_000  # rows that are routed together

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


class _Known(NamedTuple):
    """Shard and key of a subject, or the error of its text."""

    shard: int
    key: str
    error: str


class Router:
    """Router of normalized rows to shards; caches the shards of subjects.

    The cost is one dictionary lookup for each distinct subject and predicate; all else is done by column.

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
        self._subjects: dict[str, _Known] = {}
        self._admitted: dict[tuple[str, bool], str | BackgroundOnlyError] = {}
        self._colocated = frozenset(name.n3() for name in routing.report.colocated)

    def route(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield for each shard its rows, and for `CLOCK` those that are not for the stream.

        Raises:
            InvalidRowError: a row is not a timestamped triple, or its time is before `FIRST_TICK` (1898) or
                after `LAST_TICK` (2190), unless such rows are skipped.
            BackgroundOnlyError: the stream asserts a class or property that only the background may assert,
                unless such rows are skipped.
        """
        waiting: list[pa.RecordBatch] = []
        seen = False
        for batch in batches:
            seen = seen or batch.num_rows > 0
            waiting.append(batch)
            if sum(each.num_rows for each in waiting) >= _TOGETHER:
                yield from self._routed(pa.Table.from_batches(waiting))
                waiting = []
        if waiting:
            yield from self._routed(pa.Table.from_batches(waiting))
        if seen:
            yield _row(CLOCK, b"", 0)

    def _routed(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        if not table.num_rows:
            return
        ticks = integer_times(table.column(TIMESTAMP)).combine_chunks()
        terms = [_encoded(table.column(name)) for name in COLUMNS[1:]]
        errors, codes = self._check(table, ticks, terms)
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
        yield from self._divided(table, ticks, terms, codes, list(errors))

    def _divided(
        self,
        table: pa.Table,
        ticks: pa.Array,
        terms: Sequence[pa.DictionaryArray],
        subjects: Sequence[_Known],
        invalid: list[int],
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of each shard."""
        codes = _codes(terms[0])
        shards = np.array([each.shard for each in subjects] or [CLOCK], np.int32)[codes]
        shards[invalid] = CLOCK
        order = np.argsort(shards, kind="stable")
        numbers, starts = np.unique(shards[order], return_index=True)
        others = [table.column(name) for name in table.column_names[len(COLUMNS) :]]
        for number, start, end in zip(numbers.tolist(), starts, [*starts[1:], len(order)], strict=True):
            if number == CLOCK:
                continue
            rows = order[start:end]
            columns = [ticks.take(pa.array(rows)), *(_part(column, rows) for column in terms)]
            columns += [column.take(pa.array(rows)).combine_chunks() for column in others]
            part = pa.table(columns, [*ROWS.names, *table.column_names[len(COLUMNS) :]])
            hot, count = self._hottest(codes[rows], subjects)
            newest = pc.max(part["ticks"]).as_py()
            yield _row(number, pack_table(part), len(rows), hot, count, (newest + WATERMARK_OFFSET) * 1000)

    @staticmethod
    def _hottest(codes: npt.NDArray[np.int64], subjects: Sequence[_Known]) -> tuple[str, int]:
        """Return the key with most rows, and their number."""
        counts = np.bincount(codes)
        found = np.flatnonzero(counts)
        by_key: dict[str, int] = {}
        for code in found.tolist():
            key = subjects[code].key
            by_key[key] = by_key.get(key, 0) + int(counts[code])
        return max(by_key.items(), key=lambda each: each[1])

    def shards_with(self, triple: Triple) -> Sequence[int]:
        """Return the shards that can hold a triple; only shard 0 if every shard holds it."""
        keys = self._routing.shard_keys_of(triple)
        if keys is None:
            return range(self.shards)
        return list(map(self._hash, keys)) or [0]

    def _check(
        self, table: pa.Table, ticks: pa.Array, terms: Sequence[pa.DictionaryArray]
    ) -> tuple[dict[int, InvalidRow | BackgroundOnlyError], list[_Known]]:
        """Return the errors by row, and the shard of each distinct subject."""
        subjects, predicates, objects = terms
        found: dict[int, InvalidRow | BackgroundOnlyError] = {}

        def note(rows: npt.NDArray[np.bool_], column: str, error: str | BackgroundOnlyError) -> None:
            if not error:
                return
            for row in np.flatnonzero(rows).tolist():
                found.setdefault(row, InvalidRow(row, column, error) if isinstance(error, str) else error)

        without = rows_without_time(table)
        if without.any():
            rows = np.flatnonzero(without)
            for problem in find_invalid_rows(table.take(pa.array(rows))):
                row = int(rows[problem.row])
                found.setdefault(row, InvalidRow(row, problem.column, problem.reason))
        outside = pc.or_(pc.less(ticks, FIRST_TICK), pc.greater(ticks, LAST_TICK)).fill_null(False)
        if pc.any(outside).as_py():
            note(np.asarray(outside), TIMESTAMP, _NO_EVENT_TIME)
        for name, column in zip(COLUMNS[1:], terms, strict=True):
            if column.null_count:
                note(np.asarray(column.is_null()), name, "it is null")
        known = [self._subject(text) for text in _texts(subjects.dictionary)]
        for code, each in enumerate(known):
            if each.error:
                note(_codes(subjects) == code, "subject", each.error)
        plain = pc.match_substring_regex(objects.dictionary.cast(pa.binary()), _PLAIN_TERM)
        for code in np.flatnonzero(~np.asarray(plain)).tolist():
            (text,) = _texts(objects.dictionary.slice(code, 1))
            note(
                _codes(objects) == code,
                "object",
                _NOT_UTF_8 if text is None else _parsed(text, Place.OBJECT)[1],
            )
        for code, text in enumerate(_texts(predicates.dictionary)):
            if text == _TYPE:
                is_class = _codes(predicates) == code
                used = np.unique(_codes(objects)[is_class])
                used = used[used >= 0]
                for class_, given in zip(used.tolist(), _texts(objects.dictionary.take(used)), strict=True):
                    if error := self._admit(given, True):
                        note(is_class & (_codes(objects) == class_), "object", error)
                continue
            rows = _codes(predicates) == code
            if error := self._admit(text, False):
                note(rows, "predicate", error)
            elif text is not None and text in self._colocated:
                places = np.flatnonzero(rows)
                of_rows = pa.array(places)
                decoded = (column.take(of_rows).dictionary_decode() for column in (subjects, objects))
                for row, reason in self._apart(text, *decoded):
                    place = int(places[row])
                    found.setdefault(place, InvalidRow(place, "object", reason))
        return found, known

    def _admit(self, text: str | None, is_class: bool) -> str | BackgroundOnlyError:
        """Return the error of a class or property; empty if the stream may assert it."""
        if text is None:
            return _NOT_UTF_8
        if (known := self._admitted.get((text, is_class))) is None:
            known = self._admitted[text, is_class] = self._admission(text, is_class)
        return known

    def _admission(self, text: str, is_class: bool) -> str | BackgroundOnlyError:
        name, error = _parsed(text, Place.CLASS if is_class else Place.PREDICATE)
        if name is None:
            return error
        if name == RDF.type:  # rdf:type written with escapes
            return f"write it as {_TYPE}"
        if not self._routing.report.admits(cast(Predicate, name), is_class):
            return BackgroundOnlyError(text, str(self._routing.key))
        if name.n3() in self._colocated:
            self._colocated |= {text}  # it may be written with escapes
        return ""

    def _apart(self, predicate: str, subjects: pa.Array, objects: pa.Array) -> Iterator[tuple[int, str]]:
        """Yield the rows that break the promise of co-location, each with the reason."""
        for row, texts in enumerate(zip(_texts(subjects), _texts(objects), strict=True)):
            try:
                subject, object_ = (parse_term(text or "") for text in texts)
            except InvalidTripleError:
                continue  # another check finds it
            refusal = self._routing.refusal(subject, parse_term(predicate), object_)
            if refusal is not None:
                yield row, refusal

    def _subject(self, text: str | None) -> _Known:
        if text is None:
            return _Known(CLOCK, "", _NOT_UTF_8)
        known = self._subjects.get(text)
        if known is None:
            if len(self._subjects) >= _MOST_KNOWN:
                self._subjects.clear()
            name, error = _parsed(text, Place.SUBJECT)
            key = "" if name is None else self._routing.shard_key(name)
            known = self._subjects[text] = _Known(CLOCK if name is None else self._hash(key), key, error)
        return known

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


def _encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a column of texts with numbers in place of texts."""
    combined = column.combine_chunks()
    if isinstance(combined, pa.ChunkedArray):
        combined = pa.concat_arrays(combined.chunks) if combined.num_chunks else pa.array([], pa.string())
    return combined.dictionary_encode()


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


def _part(column: pa.DictionaryArray, rows: npt.NDArray[np.int64]) -> pa.DictionaryArray:
    """Return some rows of a column, with the texts that occur in them."""
    codes, numbers = np.unique(_codes(column)[rows], return_inverse=True)
    texts = column.dictionary.take(pa.array(codes))
    return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int32)), texts)


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
