"""Registered queries of a checkpoint, divided by the keys of their rows, or merged.

The last reported answers of a key-local query (`query/key_local`) are divided by a column that has the key of
the shard. Facts that have changed since the last evaluation are kept in each part: without changed rows the
query reports nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rdflib import Literal

from pantarhei.errors import CheckpointSplitError
from pantarhei.model.term import Term
from pantarhei.query.incremental.query_state import SavedQuery, from_bytes, to_bytes
from pantarhei.rdf.ntriples import parse_term


class QueryParts:
    """Queries of a checkpoint, divided into parts; `parts` has the numbers of those with rows.

    Args:
        saved: the queries, as bytes.
        part_of: returns the part of a term with the key of a shard.
        key_columns: for each query the columns of its rows with such terms.

    Raises:
        CheckpointSplitError: a row has no IRI or blank node in such a column, or the terms of a row have
            different parts.
    """

    def __init__(
        self, saved: bytes, part_of: Callable[[Term], int], key_columns: Mapping[str, Collection[int]]
    ) -> None:
        self._queries = list(from_bytes(saved))
        self._rows: list[dict[int, list[list[Any]]]] = []
        for query in self._queries:
            rows: defaultdict[int, list[list[Any]]] = defaultdict(list)
            for row in query.rows or ():
                rows[_part_of_row(query, row[:-1], key_columns.get(query.name, ()), part_of)].append(row)
            self._rows.append(dict(rows))
        self.parts = {part for rows in self._rows for part in rows}

    def of(self, part: int) -> bytes:
        """Return the queries of a part, as bytes."""
        return to_bytes(
            [
                query if query.rows is None else replace(query, rows=rows.get(part, []))
                for query, rows in zip(self._queries, self._rows, strict=True)
            ]
        )


def _part_of_row(
    query: SavedQuery, row: Sequence[str | None], columns: Collection[int], part_of: Callable[[Term], int]
) -> int:
    terms = [parse_term(text) for text in (row[column] for column in columns) if text is not None]
    parts = {part_of(term) for term in terms if not isinstance(term, Literal)}
    if len(parts) != 1:
        shown = ", ".join("UNDEF" if text is None else text for text in row)
        raise CheckpointSplitError(
            f"the reported row ({shown}) of the query {query.name!r} belongs to no single part",
            "select the key of the shards too",
        )
    return parts.pop()


def merge_queries(saved: Sequence[bytes]) -> bytes:
    """Merge the registered queries of several checkpoints.

    Raises:
        CheckpointSplitError: the queries differ, or only some of them have unreported changes.
    """
    merged = []
    for queries in zip(*_equal_lengths([list(from_bytes(each)) for each in saved]), strict=True):
        first = queries[0]
        if any(_registration(each) != _registration(first) for each in queries):
            raise CheckpointSplitError(f"the queries {first.name!r} of two snapshots differ", _REGISTER_EQUAL)
        if len({each.rows is None for each in queries}) > 1:
            raise CheckpointSplitError(
                f"the query {first.name!r} of some snapshots has changes to report at the next step",
                "advance each reasoner once more before its snapshot is taken",
            )
        closed = max((each.closed for each in queries if each.closed is not None), default=None)
        merged.append(
            replace(first, closed=closed, rows=_summed(queries), changed_facts=_all_changed(queries))
        )
    return to_bytes(merged)


_REGISTER_EQUAL = "register the same queries, in the same order, before the snapshots are taken"


def _equal_lengths(queries: list[list[SavedQuery]]) -> list[list[SavedQuery]]:
    if len(set(map(len, queries))) > 1:
        raise CheckpointSplitError("two snapshots have different numbers of queries", _REGISTER_EQUAL)
    return queries


def _registration(query: SavedQuery) -> tuple[object, ...]:
    return query.name, query.text, query.policy, query.window


def _summed(queries: Sequence[SavedQuery]) -> list[list[Any]] | None:
    if queries[0].rows is None:
        return None
    found: Counter[tuple[str | None, ...]] = Counter()
    for *row, copies in (row for query in queries for row in query.rows or ()):
        found[tuple(row)] += copies
    return [[*row, copies] for row, copies in found.items()]


def _all_changed(queries: Sequence[SavedQuery]) -> list[list[Any]]:
    """Return the changed facts of all queries, each once."""
    return [
        [*triple, sign]
        for triple, sign in {
            tuple(triple): sign for query in queries for *triple, sign in query.changed_facts
        }.items()
    ]
