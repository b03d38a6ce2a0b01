"""Checkpoints of temporal rules in shards: the data stream divided by the keys of its facts, or merged.

Assertions belong to the part of their subject, states to the part of an argument that has the key of their
shard; states of background predicates are in each part. Remembered conclusions are not divided: their
predicates are those of the compiled rules, for which no key is known.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, cast

import numpy as np

from pantarhei.encoding.numbers import Symbol
from pantarhei.errors import CheckpointSplitError
from pantarhei.model.rule import Predicate
from pantarhei.model.term import RDF_TYPE, Term, short
from pantarhei.rdf.ntriples import parse_term
from pantarhei.temporal.rules_checkpoint import (
    OLD_DATA_KEY,
    columns_of_saved,
    header_of_saved,
    narrow,
    with_data,
)

Positions = Callable[[Symbol], Collection[int] | None]
"""Function that returns the argument positions of a predicate that have the key of the shard in each fact of
the stream; None if all facts are background."""

_PAST, _CHANGED, _ASSERTED = range(3)
_FIELDS = 5  # of `TickRecord`; the first is that of events, those from the fourth on are conclusions
_OBSTACLE = "temporal rules remember conclusions of earlier ticks, which are not stored by key"
_ADVICE = "keep the number of shards, or replay the stream with another number"


class _Row(NamedTuple):
    """Fact of a saved data stream.

    Args:
        group: of a closed tick, a changed state, or an assertion of the present tick.
        tick: the closed tick, or the timestamp of the assertion; 0 for a changed state.
        field: number of the field of `TickRecord`; 1 for an ended state or a cut.
        symbol: its predicate.
        terms: its arguments in N-Triples syntax.
    """

    group: int
    tick: int
    field: int
    symbol: tuple[str, int]
    terms: tuple[str | None, str | None]

    @property
    def is_state(self) -> bool:
        """True for a state, false for an assertion."""
        return self.group == _CHANGED or (self.group == _PAST and self.field > 0)


def split_data(
    saved: bytes,
    part_of: Callable[[Term], int],
    positions: Positions | None,
    oldest: Mapping[int, int | None],
) -> dict[int, bytes]:
    """Divide a checkpoint of temporal rules.

    Args:
        saved: the checkpoint.
        part_of: returns the part of a subject or of another term with the key of a part.
        positions: the key positions of states; None if they are not known.
        oldest: for each part the timestamp of its oldest ABox in the window.

    Raises:
        CheckpointSplitError: conclusions are remembered, or the part of a state is not known.
    """
    data = _data(saved)
    if data is None:
        return dict.fromkeys(oldest, saved)
    rows: dict[int, list[_Row]] = {part: [] for part in oldest}
    for row in _rows(saved, data):
        part = _part(row, part_of, positions)
        for own in rows.values() if part is None else [rows.setdefault(part, [])]:
            own.append(row)
    return {part: _encoded(saved, {**data, "oldest": oldest.get(part)}, own) for part, own in rows.items()}


def _part(row: _Row, part_of: Callable[[Term], int], positions: Positions | None) -> int | None:
    """Return the part of a fact; None for all parts."""
    name, arity = row.symbol
    terms = [parse_term(text) for text in row.terms if text is not None]
    if not row.is_state:
        return part_of(terms[0])
    symbol = Symbol(cast(Predicate, parse_term(name)), arity)
    if symbol == (RDF_TYPE, 2):
        symbol, terms = Symbol(cast(Predicate, terms[1]), 1), terms[:1]
    found = None if positions is None else positions(symbol)
    if positions is None or (found is not None and not found):
        raise CheckpointSplitError(f"no key is known for the states of {short(symbol.name)}", _ADVICE)
    return None if found is None else part_of(terms[min(found)])


def merge_data(saved: Sequence[bytes]) -> bytes:
    """Merge checkpoints of equal temporal rules. A state that several of them have begins with the first one.

    Raises:
        CheckpointSplitError: the rules or the present ticks differ, or conclusions are remembered.
    """
    given = [(each, data) for each in saved if (data := _data(each)) is not None]
    if len({_rules(each) for each in saved}) > 1:
        raise CheckpointSplitError("two snapshots have different temporal rules", "use the same rules in all")
    if not given:
        return saved[0]
    if len(given) == 1:
        return given[0][0]
    if len({data["tick"] for _, data in given}) > 1:
        raise CheckpointSplitError(
            "two snapshots are at different ticks of their temporal rules", "advance all to one time first"
        )
    rows, holders = list[_Row](), dict[tuple[object, ...], int]()
    for each, data in sorted(given, key=lambda one: int(one[1]["first"])):
        for row in _rows(each, data):
            if row.is_state and holders.setdefault((row.symbol, row.terms), id(data)) != id(data):
                continue
            rows.append(row)
    first = [data for _, data in given]
    whole = {
        **first[0],
        "first": min(data["first"] for data in first),
        "begun": min(data["begun"] for data in first),
        "oldest": min((data["oldest"] for data in first if data["oldest"] is not None), default=None),
    }
    return _encoded(given[0][0], whole, rows)


def _data(saved: bytes) -> dict[str, Any] | None:
    header = header_of_saved(saved)
    return cast("dict[str, Any] | None", header.get("data", header.get(OLD_DATA_KEY)))


def _rules(saved: bytes) -> str:
    header = header_of_saved(saved)
    return json.dumps([header["rules"], header["start"], header["feedback"], header["kind"]])


def _rows(saved: bytes, data: Mapping[str, Any]) -> Iterator[_Row]:
    """Yield the facts of a saved data stream.

    Raises:
        CheckpointSplitError: one is a remembered conclusion.
    """
    ticks, places, of_symbols, of_terms = (column.tolist() for column in columns_of_saved(saved))
    symbols, terms, at = data["symbols"], data["terms"], data["asserted"]
    positions: Iterable[tuple[int, int, int]] = chain(
        ((_PAST, ticks[place // _FIELDS], place % _FIELDS) for place in places),
        *(
            [(group, tick, field)] * length
            for (group, tick, field), length in zip(
                [
                    (_CHANGED, 0, 0),
                    (_CHANGED, 0, 1),
                    (_PAST, 0, _FIELDS),
                    *((_ASSERTED, tick, 0) for tick in at),
                    *((_ASSERTED, tick, 1) for tick in at),
                ],
                data["lengths"][1:],
                strict=False,  # earlier checkpoints have no cuts
            )
        ),
    )
    pairs = zip(of_terms[::2], of_terms[1::2], strict=True)
    for place, symbol, (one, other) in zip(positions, of_symbols, pairs, strict=True):
        of_rules, name, arity = symbols[symbol]
        if of_rules:
            raise CheckpointSplitError(_OBSTACLE, _ADVICE)
        yield _Row(*place, (name, arity), (terms[one], terms[other]))


def _encoded(saved: bytes, data: Mapping[str, Any], rows: Sequence[_Row]) -> bytes:
    """Return a checkpoint with equal rules and other facts."""
    past = sorted((row for row in rows if row.group == _PAST), key=lambda row: (row.tick, row.field))
    ticks = sorted({row.tick for row in past})
    changed = [[row for row in rows if row.group == _CHANGED and row.field == field] for field in (0, 1)]
    at = sorted({row.tick for row in rows if row.group == _ASSERTED})
    aboxes = [
        [row for row in rows if (row.group, row.tick, row.field) == (_ASSERTED, tick, field)]
        for field in (0, 1)
        for tick in at
    ]
    parts = [past, *changed, [], *aboxes]
    whole = list(chain.from_iterable(parts))
    symbols = {symbol: place for place, symbol in enumerate(dict.fromkeys(row.symbol for row in whole))}
    texts = dict.fromkeys(chain.from_iterable(row.terms for row in whole))
    terms = {text: place for place, text in enumerate(texts)}
    index = {tick: place for place, tick in enumerate(ticks)}
    columns = [
        ticks,
        [_FIELDS * index[row.tick] + row.field for row in past],
        [symbols[row.symbol] for row in whole],
        [terms[text] for row in whole for text in row.terms],
    ]
    made = {
        **data,
        "lengths": list(map(len, parts)),
        "asserted": at,
        "symbols": [[0, name, arity] for name, arity in symbols],
        "terms": list(terms),
    }
    return with_data(saved, made, [narrow(np.array(column, np.int64)) for column in columns])
