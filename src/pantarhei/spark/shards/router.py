"""Which shard a row goes to: a stable hash of the key of its subject."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc
from rdflib import RDF, BNode, URIRef

from pantarhei.encoding.numbers import Symbol
from pantarhei.errors import BackgroundOnlyError, InvalidTripleError, TimestampError
from pantarhei.model.rule import Predicate
from pantarhei.model.term import Place, Term, Triple
from pantarhei.rdf.ntriples import parse_term
from pantarhei.rules.sharding.sharding_report import Key, ShardingReport

ROUTED = "shard INT, ticks LONG, subject STRING, predicate STRING, object STRING"
_TYPE = RDF.type.n3()
_MOST_KNOWN = 500_000
_WATERMARK = "Spark's watermark, by which shards notice that time passes, has no others"

WATERMARK_OFFSET = 1 << 51
"""Offset from ticks to Spark's event time in milliseconds, of datetimes 71 years. Spark's watermark is never
negative: with the offset, ticks before 0 (1970) have one too."""

FIRST_TICK = -WATERMARK_OFFSET
LAST_TICK = (2**63 - 1) // 1000 - WATERMARK_OFFSET  # Spark counts the microseconds of event time in 64 bits


class Router:
    """Routes record batches of ticks and triples; remembers the shards of subjects.

    Costs a look-up for each distinct subject and predicate of a batch; the rest is done by column.
    """

    def __init__(self, report: ShardingReport, key: Key, shards: int) -> None:
        self._report, self._keys, self.shards = report, report.maps[key], shards
        self._known: dict[str, int] = {}
        self._admitted: set[tuple[str, bool]] = set()

    def route(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The batches with the shard of each row in front.

        Raises:
            InvalidTripleError: a subject, predicate or class is no term, or a cell is null.
            TimestampError: a time is null, before `FIRST_TICK` (1898) or beyond `LAST_TICK` (2190).
            BackgroundOnlyError: the stream asserts what only the background may.
        """
        for batch in batches:
            if batch.num_rows:
                yield self._routed(batch)

    def _routed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        ticks, subjects, predicates, objects = (
            batch.column(name) for name in ("ticks", "subject", "predicate", "object")
        )
        if ticks.null_count:
            raise TimestampError("null", "a timestamp in each row")
        first, last = pc.min_max(ticks).as_py().values()
        if first < FIRST_TICK or last > LAST_TICK:
            given = f"the time {first if first < FIRST_TICK else last} in ticks"
            raise TimestampError(given, f"one between {FIRST_TICK} and {LAST_TICK}: {_WATERMARK}")
        if subjects.null_count or predicates.null_count or objects.null_count:
            raise InvalidTripleError("null", "subject, predicate and object must be terms in each row")
        self._check(predicates, objects)
        encoded = pc.dictionary_encode(subjects)
        shards = pa.array(list(map(self._shard, encoded.dictionary.to_pylist())), pa.int32())
        columns = [shards.take(encoded.indices), ticks, subjects, predicates, objects]
        return pa.record_batch(columns, ["shard", "ticks", "subject", "predicate", "object"])

    def shards_with(self, triple: Triple) -> Sequence[int]:
        """The shards that can hold a triple, one of them if all hold it alike."""
        subject, predicate, object_ = triple
        is_class = predicate == RDF.type
        name = cast(Predicate, object_ if is_class else predicate)
        positions = self._report.positions(self._keys.key, Symbol(name, 1 if is_class else 2))
        if positions is None:
            return [0]
        of_key = next(((subject, object_)[position] for position in sorted(positions)), None)
        # a blank node has another label in the rows of the stream
        return [self.shard_of(of_key)] if isinstance(of_key, URIRef) else range(self.shards)

    def _check(self, predicates: pa.Array, objects: pa.Array) -> None:
        for text in pc.unique(predicates).to_pylist():
            if text != _TYPE:
                self._admit(text, False)
        for text in pc.unique(objects.filter(pc.equal(predicates, _TYPE))).to_pylist():
            self._admit(text, True)

    def _admit(self, text: str, is_class: bool) -> None:
        if (text, is_class) in self._admitted:
            return
        name = parse_term(text)
        (Place.CLASS if is_class else Place.PREDICATE).check(name, text)
        if name == RDF.type:  # written with escapes
            raise InvalidTripleError(text, f"write it as {_TYPE}")
        if not self._report.admits(cast(Predicate, name), is_class):
            raise BackgroundOnlyError(text, str(self._keys.key))
        self._admitted.add((text, is_class))

    def _shard(self, text: str) -> int:
        found = self._known.get(text)
        if found is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            found = self._known[text] = self._computed(text)
        return found

    def _computed(self, text: str) -> int:
        name = parse_term(text)
        Place.SUBJECT.check(name, text)
        return self.shard_of(name)

    def shard_of(self, name: Term) -> int:
        """The shard of a name."""
        key = name if isinstance(name, BNode) else self._keys.of(name)
        digest = hashlib.blake2b(key.n3().encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.shards
