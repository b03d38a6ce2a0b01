"""Checkpoint of temporal rules: the text of the rules, their positions where they were read, and the data
stream.

A checkpoint is a line of JSON, followed by columns of numbers: ticks, and facts as indexes into the lists of
predicates and of terms in the JSON. Each column has the smallest sufficient integer type, little-endian.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import NO_FACTS, NONE, Pace, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.message_text import TextPosition
from pantarhei.model.time import TimeKind
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.temporal.data_stream import Appended, AssertedPart, DataStream, state_changes
from pantarhei.temporal.numbered import NumberedTemporalProgram
from pantarhei.temporal.rules import TemporalRules
from pantarhei.temporal.text.rules_text import read_rules
from pantarhei.temporal.tick_history import HistoryChunk, TickHistory
from pantarhei.temporal.tuples import TupleNumbers, is_tuple

Column = npt.NDArray[np.integer]

OLD_DATA_KEY = "heard"  # key of the data stream in earlier checkpoints


_ENCODER = json.JSONEncoder(ensure_ascii=False)
_ARRAYS_AT_ONCE = 256


def to_bytes(
    rules: TemporalRules,
    data: DataStream | None,
    numbered: NumberedTemporalProgram,
    lexicon: Lexicon,
    pace: Pace = iter,
) -> bytes:
    """Encode rules and data stream; equal values have equal bytes.

    Costs time linear in the history, vectorized by column, and one Python call for each distinct term.
    """
    start = rules.start.isoformat() if isinstance(rules.start, datetime) else rules.start
    saved: dict[str, Any] = {"rules": str(rules), "start": start, "feedback": rules.feedback}
    saved["positions"] = [rule.written for rule in rules.rules]
    saved["kind"] = numbered.ticks.kind.name
    columns: list[Column] = []
    if data is not None:
        saved["data"], columns = _written(data, numbered, lexicon, pace)
    return _joined(saved, columns, pace)


def _joined(header: dict[str, Any], columns: Sequence[Column], pace: Pace = iter) -> bytes:
    saved = {**header, "columns": [(column.dtype.str, len(column)) for column in columns]}
    text = "".join(pace(_ENCODER.iterencode(saved))).encode("utf-8", "surrogatepass")
    return b"\n".join([text, b"".join(column.tobytes() for column in columns)])


def with_data(saved: bytes, data: Mapping[str, Any], columns: Sequence[Column]) -> bytes:
    """Return a checkpoint with another data stream, given by its header and columns."""
    return _joined({**header_of_saved(saved), "data": data}, columns)


def header_of_saved(saved: bytes) -> Any:
    """Decode the JSON of a checkpoint."""
    return json.loads(saved.partition(b"\n")[0].decode("utf-8", "surrogatepass"))


def columns_of_saved(saved: bytes) -> Iterator[Column]:
    """Decode the columns of a checkpoint: ticks, places, predicates and terms."""
    body = saved.partition(b"\n")[2]
    for kind, count in header_of_saved(saved)["columns"]:
        size = np.dtype(kind).itemsize * count
        yield np.frombuffer(body[:size], kind)
        body = body[size:]


def rules_of(saved: bytes) -> TemporalRules:
    """Decode the rules of a checkpoint."""
    given = header_of_saved(saved)
    start = given["start"]
    start = datetime.fromisoformat(start) if isinstance(start, str) else start
    read = read_rules(given["rules"])
    remembered = frozenset(read.remembered)
    positions = given.get("positions") or [None] * len(read.rules)  # earlier checkpoints have none
    rules = tuple(
        replace(rule, written=None if written is None else TextPosition(*written))
        for rule, written in zip(read.rules, positions, strict=True)
    )
    return TemporalRules(rules, remembered, start, given["feedback"], read.prefixes, read.remembered)


def kind_of_saved(saved: bytes) -> TimeKind:
    """Decode the stream's kind of timestamps."""
    return TimeKind[header_of_saved(saved)["kind"]]


def data_of(saved: bytes, numbered: NumberedTemporalProgram, vocabulary: Vocabulary) -> DataStream | None:
    """Decode the data stream; terms that the vocabulary lacks are numbered."""
    header = header_of_saved(saved)
    given = header.get("data", header.get(OLD_DATA_KEY))
    return None if given is None else _read(given, list(columns_of_saved(saved)), numbered, vocabulary)


def _written(
    data: DataStream, numbered: NumberedTemporalProgram, lexicon: Lexicon, pace: Pace
) -> tuple[dict[str, Any], list[Column]]:
    """Encode a data stream as a JSON header and columns."""
    past, inner = data.past.columns, numbered.compiled.predicates
    asserted = list(data.asserted)
    aboxes = [*(abox.facts for abox in pace(asserted)), *(abox.cut for abox in pace(asserted))]
    parts = [past.facts, *data.net_state_changes, data.concluded, *aboxes]
    lengths = list(map(len, pace(parts)))
    starts = pace(range(0, len(parts), _ARRAYS_AT_ONCE))
    facts = np.concatenate([np.concatenate(parts[start : start + _ARRAYS_AT_ONCE]) for start in starts])
    symbols, of_symbols = _by_appearance(2 * facts[:, 0] + _of_rules(past, lengths))
    terms, of_terms = _by_appearance(facts[:, 1:].ravel())
    given = [(inner if key & 1 else lexicon.symbols)[key >> 1] for key in symbols]
    header = {
        "first": data.first,
        "tick": data.tick,
        "begun": data.past.complete_from,
        "oldest": data.oldest,
        "lengths": lengths,
        "asserted": [abox.at for abox in pace(asserted)],
        "symbols": [
            [key & 1, write_term(symbol.name), symbol.arity]
            for key, symbol in zip(symbols, given, strict=True)
        ],
        "terms": _terms(terms, data.tuples, lexicon, pace),
    }
    return header, list(map(narrow, (past.ticks, past.places, of_symbols, of_terms)))


def _terms(
    numbers: list[int], tuples: TupleNumbers, lexicon: Lexicon, pace: Pace
) -> list[str | list[int] | None]:
    """Return terms as text, `NONE` as None, and tuples as the indexes of their two sides in the result."""
    inner = (side for number in tuples.with_inner(pace(numbers)) for side in tuples.parts(number))
    places = {number: place for place, number in enumerate(dict.fromkeys((*numbers, *inner)))}
    return [
        None
        if number == NONE
        else [places[side] for side in tuples.parts(number)]
        if is_tuple(number)
        else write_term(lexicon.term(number))
        for number in pace(places)
    ]


def _read(
    given: dict[str, Any], columns: list[Column], numbered: NumberedTemporalProgram, vocabulary: Vocabulary
) -> DataStream:
    """Decode a data stream from the result of `_written`."""
    ticks, places, of_symbols, of_terms = columns
    inner = {symbol: number for number, symbol in enumerate(numbered.compiled.predicates)}
    symbols = [
        (inner.__getitem__ if of_rules else vocabulary.number_symbol)(Symbol(parse_term(name), arity))  # type: ignore[arg-type]
        for of_rules, name, arity in given["symbols"]
    ]
    tuples, written = TupleNumbers(), given["terms"]

    def number(place: int) -> int:
        match written[place]:
            case [left, right]:
                return tuples.number(number(left), number(right))
            case text:
                return NONE if text is None else vocabulary.reserve(parse_term(text))

    terms = list(map(number, range(len(written))))
    facts = np.empty((len(of_symbols), 3), np.int32)
    facts[:, 0] = np.array(symbols, np.int32)[of_symbols]
    facts[:, 1:] = np.array(terms, np.int32)[of_terms].reshape(-1, 2)
    ends = np.cumsum([0, *given["lengths"]]).tolist()
    past, added, removed, concluded, *aboxes = (facts[start:end] for start, end in pairwise(ends))
    times = given["asserted"]
    cuts = aboxes[len(times) :] or [NO_FACTS] * len(times)  # earlier checkpoints have no cuts
    parts = list(map(AssertedPart, times, aboxes[: len(times)], cuts))
    return DataStream(
        given["first"],
        given["tick"],
        TickHistory.of_columns(given["begun"], HistoryChunk(ticks.astype(np.int64), past, places)),
        tuples,
        concluded,
        state_changes(added, removed),
        Appended(parts, sum(part.bytes for part in parts)),
        given["oldest"],
    )


def _of_rules(past: HistoryChunk, lengths: list[int]) -> npt.NDArray[np.int32]:
    """Return 1 for each fact whose predicate is numbered by the temporal kernel, 0 for others.

    Args:
        lengths: numbers of facts in the parts of the encoded facts.
    """
    flags = np.zeros(sum(lengths), np.int32)
    flags[: lengths[0]] = past.of_rules
    concluded = sum(lengths[:3])
    flags[concluded : concluded + lengths[3]] = 1
    return flags


def _by_appearance(values: npt.NDArray[np.integer]) -> tuple[list[int], Column]:
    """Return the distinct values in order of first appearance, and for each value its index among them."""
    kinds, first, which = np.unique(values, return_index=True, return_inverse=True)
    order = first.argsort()
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return kinds[order].tolist(), ranks[which]


def narrow(column: Column) -> Column:
    """Convert a column to the smallest integer type that holds its values."""
    if not len(column):
        return column.astype("<u1")
    first, last = int(column.min()), int(column.max())
    # for values of both signs a signed type: numpy promotes int64 with uint64 to a float
    least = np.min_scalar_type(last) if first >= 0 else np.min_scalar_type(min(first, -last - 1))
    return column.astype(least.newbyteorder("<"))
