"""Changes that the service emits: rows of registered queries, conclusions of temporal rules, and repairs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from pantarhei.io.writers import json_time, json_value, report_columns
from pantarhei.model.time import in_zone_of
from pantarhei.service.message_journal import DeadLetter

if TYPE_CHECKING:
    from pantarhei import WindowUpdate
    from pantarhei.model.temporal_rule import TemporalAtom
    from pantarhei.query.continuous_query import ContinuousQuery

CONCLUSIONS, REPAIRS, DEAD_LETTERS, EVERYTHING = "conclusions", "repairs", "dead_letters", "*"
"""Names of changes that are not names of queries; `*` are all queries and the conclusions."""
RESERVED = (CONCLUSIONS, REPAIRS, DEAD_LETTERS, EVERYTHING)
_ENCODE = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


class Change(NamedTuple):
    """One inserted or deleted row.

    Args:
        id: number of the record, and a hash of the other fields: equal whenever the record is processed.
        at: time of the change.
        name: name of the query, or `conclusions` or `repairs`.
        sign: `+` for an inserted row, `-` for a deleted one.
        row: values by column, as JSON values.
    """

    id: str
    at: datetime
    name: str
    sign: str
    row: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the change as a JSON object."""
        head = {"id": self.id, "at": json_time(self.at), "name": self.name, "change": self.sign}
        return head | {"row": dict(self.row)}


class Emitted(NamedTuple):
    """Result of one record.

    Args:
        number: number of the record.
        at: time of the step.
        changes: the changes, in order.
        dead: the messages that were not processed.
        messages: number of messages of the record, without dead letters.
        received: time at which the messages arrived; None if it is unknown.
    """

    number: int
    at: datetime
    changes: tuple[Change, ...]
    dead: tuple[DeadLetter, ...]
    messages: int = 0
    received: datetime | None = None


def is_wanted(name: str, wanted: Collection[str]) -> bool:
    """Test whether a name of changes is selected by the key `of` of a sink."""
    return name in wanted or (EVERYTHING in wanted and name != REPAIRS)


class ChangeCounter:
    """Builder of the changes of one record, with an id for each.

    Args:
        number: the number of the record.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._copies: Counter[bytes] = Counter()

    def change(self, at: datetime, name: str, sign: str, row: Mapping[str, Any]) -> Change:
        """Return a change; equal changes of a record get different ids."""
        digest = blake2b(_ENCODE([json_time(at), name, sign, row]).encode(), digest_size=8)
        first = digest.digest()
        if copies := self._copies[first]:
            digest.update(b"%d" % copies)
        self._copies[first] = copies + 1
        return Change(f"{self._number}-{digest.hexdigest()}", at, name, sign, row)


def changes_of(
    update: WindowUpdate, queries: Mapping[str, ContinuousQuery], counter: ChangeCounter, with_repairs: bool
) -> Iterator[Change]:
    """Yield the changes of a step: conclusions by tick, reports of queries, then removals of the repair.

    Args:
        queries: the registered queries by name.
        counter: builds the changes.
        with_repairs: whether to include repairs, whose texts cost a proof for each removal.
    """
    for turn in update.conclusions.turns:
        at = in_zone_of(turn.at, update.at)
        for sign, atoms in (("-", turn.removed), ("+", turn.added)):
            for atom in sorted(atoms, key=str):
                yield counter.change(at, CONCLUSIONS, sign, atom_row(atom))  # type: ignore[arg-type]
    for name, query in queries.items():
        change = update.answers.get(query)
        for times, added, removed in () if change is None else change.reports.distinct:
            columns = report_columns(query._maintainer.query, added, removed, True)
            for at in times:
                for cells in zip(*columns.values(), strict=True):
                    row = dict(zip(columns, map(json_value, cells), strict=True))
                    sign = str(row.pop("change"))
                    yield counter.change(in_zone_of(at, update.at), name, sign, row)  # type: ignore[arg-type]
    if with_repairs and update.repair.removed:
        for text, _ in update.repair.removals():
            yield counter.change(update.at, REPAIRS, "-", {"text": text})  # type: ignore[arg-type]


def atom_row(atom: TemporalAtom) -> dict[str, Any]:
    """Return a conclusion as a row with the columns `predicate`, `argument1` and so on."""
    arguments = {f"argument{place}": json_value(term) for place, term in enumerate(atom.arguments, 1)}
    return {"predicate": str(atom.predicate), **arguments}
