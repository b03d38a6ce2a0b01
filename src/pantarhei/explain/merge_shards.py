"""Merging of explanations and quality tables of shards.

A stream is sharded by a key: each assertion is in one shard, together with all assertions it joins with, and
the background is in every shard. So each proof, abduction and conflict lies within one shard, and the best
one over all shards is the best one of the whole window.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from pantarhei.explain.abduction import NEW_NAME
from pantarhei.explain.absence import Abduction, Absence
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimePoint
from pantarhei.ontology.unknown_names import UnknownName
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.step import Assertion
from pantarhei.repair.quality import Quality, QualityRow, since, worst_first


def merge_proofs(proofs: Iterable[Iterable[Proof]]) -> tuple[Proof, ...]:
    """Merge the proofs of all shards, best first; keep one proof for each support.

    Only the empty support can occur in several shards: the triple then follows from the background alone.
    """
    found: dict[frozenset[Assertion], Proof] = {}
    for proof in _best_first([*chain(*proofs)]):
        found.setdefault(proof.supports, proof)
    return tuple(found.values())


def _best_first(proofs: Collection[Proof]) -> list[Proof]:
    complete = all(proof.complete for proof in proofs)
    found = [proof if proof.complete == complete else replace(proof, complete=complete) for proof in proofs]
    found.sort(key=lambda proof: (len(proof.supports), sum(step.rule is not None for step in proof.steps)))
    return sorted(found, key=_time, reverse=True)


def _time(proof: Proof) -> tuple[bool, tuple[TimePoint, ...]]:
    """Return a sort key: proofs with newer timestamps are later, and proofs from the background alone are
    last.
    """
    at = proof.timestamp
    return at is None, () if at is None else (at,)


def merge_absences(parts: Mapping[int, Absence], is_in: Callable[[int, Triple], bool], limit: int) -> Absence:
    """Return the absence of a triple that does not hold in any shard.

    An abduction of a shard is kept if the stream can assert all its missing facts in that shard.

    Args:
        parts: the absence in each shard that could contain the triple.
        is_in: returns True if a triple asserted by the stream belongs to a shard.
        limit: the largest number of abductions; each shard was searched with the same limit.
    """
    absences = list(parts.values())

    def reachable(part: int, ways: Iterable[Abduction]) -> list[Abduction]:
        return [
            way for way in ways if all(triple[0] == NEW_NAME or is_in(part, triple) for triple in way.triples)
        ]

    ways = {part: reachable(part, absence.ways) for part, absence in parts.items()}
    beyond = {part: reachable(part, absence.beyond) for part, absence in parts.items()}
    gone = chain(*(absence.gone for absence in absences))
    return replace(
        absences[0],
        at=max((absence.at for absence in absences if absence.at is not None), default=None),
        gone=tuple(sorted(gone, key=lambda each: each.asserted_at, reverse=True)),
        ways=_first(ways, limit),
        concluded=any(absence.concluded for absence in absences),
        asserted=any(absence.asserted for absence in absences),
        unknown=_unknown(absences),
        beyond=() if any(ways.values()) else _first(beyond, limit),
        # a shard that reached the limit may have further abductions in place of the dropped ones
        complete=all(
            absence.complete and (len(absence.ways) < limit or len(ways[part]) == limit)
            for part, absence in parts.items()
        ),
        labels=dict(chain(*(absence.labels.items() for absence in absences))),
    )


def _first(ways: Mapping[int, Iterable[Abduction]], limit: int) -> tuple[Abduction, ...]:
    """Return the best abductions. Abductions of several shards can be equal if they contain a new name; of
    these the best is kept.
    """
    found: dict[frozenset[Triple], Abduction] = {}
    for way in sorted(chain(*ways.values()), key=lambda way: way.rank):
        found.setdefault(way.triples, way)
    return tuple(found.values())[:limit]


def _unknown(parts: Sequence[Absence]) -> tuple[UnknownName, ...]:
    """Return the names that are unknown in every shard."""
    known = [{each.name for each in absence.unknown} for absence in parts]
    return tuple(each for each in parts[0].unknown if all(each.name in names for names in known))


def merge_quality(parts: Collection[Quality]) -> Quality:
    """Return the quality of all shards together, at the newest of their times."""
    now = max((part.at for part in parts if part.at is not None), default=None)
    return Quality(
        now,
        min((part.known_from for part in parts if part.known_from is not None), default=None),
        _rows(chain(*(part.entities for part in parts)), now),
        _rows(chain(*(part.properties for part in parts)), now),
        _rows(chain(*(part.constraints for part in parts)), now),
        {name: text for part in parts for name, text in part.shown.items()},
    )


def _rows(rows: Iterable[QualityRow], now: TimePoint | None) -> tuple[QualityRow, ...]:
    found: dict[Term | str, QualityRow] = {}
    for row in rows:
        known = found.get(row.about)
        found[row.about] = row if known is None else _sum(known, row)
    return worst_first(replace(row, since=since(row.last_kept, now)) for row in found.values())


def _sum(one: QualityRow, other: QualityRow) -> QualityRow:
    last = (row.last_kept for row in (one, other) if row.last_kept is not None)
    return QualityRow(
        one.about,
        one.assertions + other.assertions,
        one.cut + other.cut,
        one.won + other.won,
        one.conflicts + other.conflicts,
        one.disputes + other.disputes,
        max(last, default=None),
        None,
    )
