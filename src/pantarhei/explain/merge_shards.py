"""What the parts of a window say, as one answer.

A window is in parts where its stream is divided by a key: each assertion is in one part, and with it all that
it is joined with; the background is in all. So a proof, a way in which a triple would hold and a conflict are
those of one part, and the best of a window is the best of those of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from pantarhei.explain.absence import Abduction, Absence
from pantarhei.explain.search import NEW_NAME
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimePoint
from pantarhei.ontology.unknown_names import UnknownName
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.step import Assertion
from pantarhei.repair.quality import Quality, QualityRow, since, worst_first


def merge_proofs(proofs: Iterable[Iterable[Proof]]) -> tuple[Proof, ...]:
    """Of the proofs of a triple by part one for each support, the best first.

    Parts that have a support in common have the empty one: the triple rests on the background alone.
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
    """Later for newer proofs, latest for those that rest on background alone."""
    at = proof.timestamp
    return at is None, () if at is None else (at,)


def merge_absences(parts: Mapping[int, Absence], is_in: Callable[[int, Triple], bool], limit: int) -> Absence:
    """Why a triple holds in no part. A way counts where the stream can bring what is missing to its part.

    Args:
        parts: why it does not hold in each part where it could be.
        is_in: whether a triple that the stream asserts goes to a part.
        limit: how many ways are told; so many are told of each part at most.
    """
    told = list(parts.values())

    def reachable(part: int, ways: Iterable[Abduction]) -> list[Abduction]:
        return [
            way for way in ways if all(triple[0] == NEW_NAME or is_in(part, triple) for triple in way.triples)
        ]

    ways = {part: reachable(part, absence.ways) for part, absence in parts.items()}
    beyond = {part: reachable(part, absence.beyond) for part, absence in parts.items()}
    gone = chain(*(absence.gone for absence in told))
    return replace(
        told[0],
        at=max((absence.at for absence in told if absence.at is not None), default=None),
        gone=tuple(sorted(gone, key=lambda each: each.asserted_at, reverse=True)),
        ways=_first(ways, limit),
        concluded=any(absence.concluded for absence in told),
        asserted=any(absence.asserted for absence in told),
        unknown=_unknown(told),
        beyond=() if any(ways.values()) else _first(beyond, limit),
        # where a part told as many as it may, there may be further ones beside those that are not reachable
        complete=all(
            absence.complete and (len(absence.ways) < limit or len(ways[part]) == limit)
            for part, absence in parts.items()
        ),
        labels=dict(chain(*(absence.labels.items() for absence in told))),
    )


def _first(ways: Mapping[int, Iterable[Abduction]], limit: int) -> tuple[Abduction, ...]:
    """The best ways; of the same one in several parts, which has a new name, the best."""
    found: dict[frozenset[Triple], Abduction] = {}
    for way in sorted(chain(*ways.values()), key=_place):
        found.setdefault(way.triples, way)
    return tuple(found.values())[:limit]


def _place(way: Abduction) -> tuple[int, int, bool]:
    return len(way.missing), -len(way.present), way.is_contradicted


def _unknown(parts: Sequence[Absence]) -> tuple[UnknownName, ...]:
    """The names that no part knows."""
    known = [{each.name for each in absence.unknown} for absence in parts]
    return tuple(each for each in parts[0].unknown if all(each.name in names for names in known))


def merge_quality(parts: Collection[Quality]) -> Quality:
    """How assertions fared in all parts, seen from the newest of their times."""
    now = max((part.at for part in parts if part.at is not None), default=None)
    return Quality(
        now,
        min((part.known_from for part in parts if part.known_from is not None), default=None),
        _rows(chain(*(part.entities for part in parts)), now),
        _rows(chain(*(part.properties for part in parts)), now),
        _rows(chain(*(part.constraints for part in parts)), now),
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
