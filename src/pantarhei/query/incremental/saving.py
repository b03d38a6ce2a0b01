"""What a checkpoint keeps of registered queries: their texts, and what they last reported.

All else is made again from the window. A query that reports at each step mostly has no more to be kept than
its text: what it reported last are its answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from pantarhei.encoding.numbers import NONE, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.term import RDF_TYPE
from pantarhei.query.algebra.binding import draws
from pantarhei.query.incremental.lasting_terms import Decoder, LastingTerms
from pantarhei.query.incremental.operator import Bag, Row
from pantarhei.query.incremental.registered import Registered
from pantarhei.query.incremental.reports import Policy
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.window.sliding import Window

_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A query as a checkpoint keeps it.

    Args:
        name, text, policy: as they were registered.
        window: its own, None for the reasoner's.
        closed: the last boundary of it that has closed.
        rows: its answers as last reported, terms in N-Triples syntax with the count of copies last; None
            where it reports at each step, nothing is pending, and they come out the same again.
        moved: the triples that have come to what it is asked of since it looked last, or gone: terms in
            N-Triples syntax, with 1 or -1 last.
    """

    name: str
    text: str
    policy: Policy
    window: Window | None
    closed: int | None
    rows: list[list[Any]] | None
    moved: list[list[Any]]

    @classmethod
    def of(cls, registered: Registered, window: Window | None, decoder: Decoder) -> Callable[[], SavedQuery]:
        """Return a function that encodes the present state of a query."""
        policy, answers = registered.policy, None
        if not policy.is_plain or registered.pending or draws(registered.query.node):
            answers = dict(registered.answers)
        named = registered.name, registered.text, policy, window, registered.content.closed
        moved, lexicon = dict(registered.moved), registered.content.model.vocabulary.lexicon

        def make() -> SavedQuery:
            rows = None if answers is None else [_written(row, n, decoder) for row, n in answers.items()]
            facts = np.array(list(moved), np.int32).reshape(-1, 3)
            signed = zip(lexicon.decode(facts, {}), moved.values(), strict=True)
            return cls(*named, rows, [[*map(write_term, triple), sign] for triple, sign in signed])

        return make

    def answers(self, terms: LastingTerms) -> Bag:
        """The answers as last reported."""
        rows = self.rows or ()
        return {
            tuple(NONE if text is None else terms.id_of(parse_term(text)) for text in row): copies
            for *row, copies in rows
        }

    def moved_facts(self, vocabulary: Vocabulary) -> Bag:
        """What has come and gone since it looked last; terms get numbers where they have none."""
        found: Bag = {}
        for *texts, sign in self.moved:
            subject, predicate, object_ = map(parse_term, texts)
            is_class = predicate == RDF_TYPE and not vocabulary.has_class_variables
            symbol = Symbol(object_, 1) if is_class else Symbol(predicate, 2)  # type: ignore[arg-type]
            who, what = vocabulary.reserve(subject), NONE if is_class else vocabulary.reserve(object_)
            found[vocabulary.number_symbol(symbol), who, what] = sign
        return found


def _written(row: Row, copies: int, decoder: Decoder) -> list[Any]:
    return [*(None if term is None else write_term(term) for term in decoder.row(row)), copies]


def to_bytes(queries: list[SavedQuery]) -> bytes:
    """Queries as bytes, the same for the same queries."""
    return json.dumps([_plain(query) for query in queries], ensure_ascii=False).encode()


def _plain(query: SavedQuery) -> dict[str, Any]:
    window, policy = query.window, query.policy
    given = None
    if window is not None:
        given = [
            _json(each) for each in (window.range, window.slide, window.origin, window.closed, window.zone)
        ]
    return {
        "name": query.name,
        "text": query.text,
        "conditions": sorted(policy.conditions),
        "period": _json(policy.period),
        "emit": policy.emit,
        "tick": policy.tick,
        "window": given,
        "closed": query.closed,
        "rows": None if query.rows is None else sorted(query.rows, key=str),
        "moved": sorted(query.moved, key=str),
    }


def from_bytes(saved: bytes) -> Iterator[SavedQuery]:
    """The queries that `to_bytes` wrote."""
    for each in json.loads(saved):
        given = each["window"]
        window = None if given is None else Window(*map(_from_json, given))
        policy = Policy(frozenset(each["conditions"]), _from_json(each["period"]), each["emit"], each["tick"])
        rows, moved = each["rows"], each["moved"]
        yield SavedQuery(each["name"], each["text"], policy, window, each["closed"], rows, moved)


def _json(value: Any) -> Any:
    """A time or length, or a word, as JSON can say it."""
    if isinstance(value, timedelta):
        return {"microseconds": value // _MICROSECOND}
    return {"at": value.isoformat()} if isinstance(value, datetime) else value


def _from_json(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "at" in value:
        return datetime.fromisoformat(value["at"])
    return timedelta(microseconds=value["microseconds"])
