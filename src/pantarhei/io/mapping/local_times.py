"""Local times as instants: in the hour that clocks show twice, each time has two candidates.

The way of the mapping chooses: an error, the earlier, the later, or the order of rows (`infer`). In order, a
time is the earlier candidate unless a row before is later. A table with a step of an hour or more never steps
back: there a time that repeats is the later candidate, once it has had as many rows as the times before.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pantarhei.errors import MappingError
from pantarhei.io.mapping.mapping import RecordMapping, RowTime
from pantarhei.model.datetimes import EPOCH, MICROSECOND, zone_named
from pantarhei.rdf.triple_table import Codes

Ticks = npt.NDArray[np.int64]

zone_of = lru_cache(maxsize=16)(zone_named)
_SURE_UNTIL = (datetime(2037, 1, 1, tzinfo=EPOCH.tzinfo) - EPOCH) // MICROSECOND


class Candidates(NamedTuple):
    """Instants that times may denote, in ticks; earlier and later are equal where there is one."""

    earlier: Ticks
    later: Ticks


def candidates_of(values: pa.TimestampArray, time: RowTime) -> Candidates | None:
    """Return the candidates of a column of local times, 0 for nulls.

    None where a time does not exist, the zone is unknown to Arrow, or a year is beyond Arrow's clock changes.
    """
    bounds = pc.min_max(values.cast(pa.int64()))
    first, last = bounds["min"].as_py(), bounds["max"].as_py()
    if time.zone is None or first is None or not (first >= 0 and last < _SURE_UNTIL):
        return None

    def instants(ambiguous: str) -> Ticks:
        found = pc.assume_timezone(values, time.zone, ambiguous=ambiguous, nonexistent="raise")
        return np.from_dlpack(found.cast(pa.int64()).fill_null(0)).astype(np.int64)

    try:
        try:
            ticks = instants("raise")
            return Candidates(ticks, ticks)
        except pa.ArrowInvalid:
            return Candidates(instants("earliest"), instants("latest"))
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None


def candidates_at(at: datetime, text: str, time: RowTime) -> tuple[datetime, datetime]:
    """Return the earlier and the later candidate of a time, which are equal where it has a zone.

    Args:
        text: the time as errors show it.

    Raises:
        ValueError: it has no zone and the mapping has none, or clocks skip it.
    """
    if at.tzinfo is not None:
        return at, at
    if time.zone is None:
        expected = "expected one, or zone: Europe/Copenhagen (or the zone that it is of) in the mapping"
        raise ValueError(f"{text!r} is a time without a zone; {expected}")
    earlier, later = (at.replace(tzinfo=zone_of(time.zone), fold=fold) for fold in (0, 1))
    first, second = earlier.utcoffset(), later.utcoffset()
    assert first is not None and second is not None
    if first < second:
        raise ValueError(f"{text!r} does not exist in {time.zone}: clocks were put forward over it")
    return earlier, later


def twice(text: str, time: RowTime) -> str:
    """Return the error for a time with two candidates."""
    return (
        f"{text!r} happened twice in {time.zone}, when clocks were put back; expected a time with its "
        "offset, or ambiguous: infer in the mapping where rows are in the order of time (earlier or later "
        "takes both hours for one)"
    )


UNDECIDED = (
    "the order of rows does not decide which of two times it is, since the times before had different "
    "numbers of rows; expected a time with its offset, or ambiguous: earlier or later in the mapping"
)


def check_unordered(mapping: RecordMapping, source: str) -> None:
    """Check that a mapping does not need the order of rows.

    Raises:
        MappingError: it infers times from the order.
    """
    if mapping.time.ambiguous == "infer":
        problem = f"ambiguous: infer, and the rows of {source} have no order"
        expected = "times with their offset, or ambiguous: earlier or later (which takes two hours for one)"
        raise MappingError(mapping.source, mapping.time.line, problem, expected)


@dataclass(slots=True)
class _Run:
    """Rows that follow one another with one instant."""

    at: int
    rows: int


class RowOrder:
    """Newest instants of the rows read so far, to choose among the candidates of the next row."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []  # the last three, the newest last

    def note(self, instants: Ticks) -> None:
        """Add rows whose instants are decided."""
        for at, rows in _last_runs(instants):
            self.add(at, rows)

    def choose(self, earlier: int, later: int) -> int | None:
        """Choose the instant of the next row, and add it; None where the order of rows does not decide."""
        newest = self._runs[-1].at if self._runs else None
        at: int | None = earlier
        if newest is not None and newest > earlier:
            at = later
        elif newest == earlier and later > earlier and self._is_sparse(later - earlier):
            known = {run.rows for run in self._runs[:-1]}
            if len(known) > 1:
                return None
            at = later if self._runs[-1].rows >= min(known) else earlier
        assert at is not None
        self.add(at)
        return at

    def _is_sparse(self, repeated: int) -> bool:
        """Return whether the step to the newest run is at least the repeated time."""
        return len(self._runs) > 1 and self._runs[-1].at - self._runs[-2].at >= repeated

    def add(self, at: int, rows: int = 1) -> None:
        """Add rows at one instant."""
        if self._runs and self._runs[-1].at == at:
            self._runs[-1].rows += rows
        else:
            self._runs = [*self._runs[-2:], _Run(at, rows)]


def _last_runs(instants: Ticks) -> list[tuple[int, int]]:
    """Return the last runs of equal instants, at most four: the first may continue a run of earlier rows."""
    if not len(instants):
        return []
    begins = np.concatenate(([0], np.flatnonzero(np.diff(instants)) + 1))
    rows = np.diff(np.append(begins, len(instants)))
    return list(zip(instants[begins[-4:]].tolist(), rows[-4:].tolist(), strict=True))


class ChosenTimes(NamedTuple):
    """Instants of rows.

    Args:
        ticks: the instants by place.
        codes: by row, the place; None where each row has its own.
        wrong: places whose candidate is not decided.
    """

    ticks: Ticks
    codes: Codes | None
    wrong: frozenset[int]


def choose_times(found: Candidates, codes: Codes | None, time: RowTime, order: RowOrder) -> ChosenTimes:
    """Choose among candidates by the way of the mapping.

    Args:
        codes: by row, the place of its candidates, -1 where there are none; None where each row has its own.
    """
    differing = np.flatnonzero(found.earlier != found.later)
    if time.ambiguous != "infer":
        wrong = frozenset(differing.tolist() if time.ambiguous == "error" else ())
        return ChosenTimes(found.later if time.ambiguous == "later" else found.earlier, codes, wrong)
    present = slice(None) if codes is None else codes[codes >= 0]
    if not len(differing):
        order.note(found.earlier[present])
        return ChosenTimes(found.earlier, codes, frozenset())
    return _in_order(found, codes, order)


def _in_order(found: Candidates, codes: Codes | None, order: RowOrder) -> ChosenTimes:
    places = np.arange(len(found.earlier), dtype=np.int32) if codes is None else codes
    ticks = np.zeros(len(places), np.int64)
    own = np.arange(len(places), dtype=np.int32)
    own[places < 0] = -1
    wrong = set()
    earlier, later = found.earlier.tolist(), found.later.tolist()
    for row, place in enumerate(places.tolist()):
        if place >= 0:
            at = order.choose(earlier[place], later[place])
            ticks[row] = 0 if at is None else at
            if at is None:
                wrong.add(row)
    return ChosenTimes(ticks, own, frozenset(wrong))
