"""Ways to configure and feed a reasoner for one stream, and the outcome that must not depend on them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

import pantarhei as pr
from contradicting_streams import Stream
from pantarhei.rdf.ntriples import write_term

UNLIMITED = pr.Budget(sets=10**12, steps=10**15, instances=10**12)

Outcome = dict[object, Any]
"""Repairs, windows and counters of a reasoner, by what they belong to."""


@dataclass(frozen=True)
class Way:
    """Configuration of a reasoner and its input.

    Args:
        keep, derive: options of `StreamReasoner`.
        form: the format of ABoxes: "columns" of `read_stream`, "triples" of rdflib, an Arrow "table", or
            "closed" by `ABoxMaterializer`; for `run` from the "file", or in "disorder".
        parts: the number of pushes for each timestamp.
        restores: how often the reasoner is saved and restored, after the first part of a timestamp.
        backwards: true if the triples of an ABox are reversed.
        block: the number of ABoxes in each `all_or_nothing` block; None for no blocks.
        reads_late: true if repairs are read after the end of the stream.
    """

    keep: str = "newest"
    derive: str = "all"
    form: str = "columns"
    parts: int = 1
    restores: int = 0
    backwards: bool = False
    block: int | None = None
    reads_late: bool = False


DEFAULT = Way()
WAYS = {
    "keep every": Way(keep="every"),
    "derive needed": Way(derive="needed"),
    "triples of rdflib": Way(form="triples"),
    "tables of Arrow": Way(form="table"),
    "closed apart": Way(form="closed"),
    "read by run": Way(form="file"),
    "out of order": Way(form="disorder"),
    "three parts": Way(parts=3),
    "backwards": Way(parts=2, backwards=True),
    "restored": Way(restores=1),
    "restored twice": Way(restores=2),
    "restored between parts": Way(parts=3, restores=3),
    "in blocks": Way(block=7),
    "read late": Way(reads_late=True),
    "every, parts, restored": Way(keep="every", parts=3, restores=2, form="table"),
    "needed, parts, restored": Way(derive="needed", parts=2, restores=2, form="triples", backwards=True),
    "every, closed, needed": Way(keep="every", derive="needed", form="closed", parts=2),
}


class StepRepair(NamedTuple):
    """The repair of one step.

    Args:
        removed, undecided, undecided_facts: as `Repair` has them.
        conflicts: pairs of conflict set and constraints; None if they are not compared.
        complete: whether all conflict sets are listed; None as above.
    """

    removed: frozenset[Any]
    undecided: frozenset[Any]
    undecided_facts: int
    conflicts: frozenset[Any] | None
    complete: bool | None

    @classmethod
    def of(cls, repair: pr.Repair, lists: bool = True) -> StepRepair:
        """Return the facts about a repair, with its conflict sets if `lists`."""
        sets = None
        if lists:
            sets = frozenset(
                (conflict.assertions, frozenset(conflict.constraints)) for conflict in repair.conflicts
            )
            assert {assertions for assertions, _ in sets} == set(repair.conflict_sets)
        complete = repair.conflicts.complete if lists else None
        return cls(repair.removed, repair.undecided, repair.undecided_facts, sets, complete)


class Record:
    """Results of a reasoner, recorded while it is fed.

    Args:
        listed: the timestamps whose conflict sets are recorded.
        points: the timestamps at which the window is recorded.
        reads_late: as in `Way`.
    """

    def __init__(
        self, listed: Container[object], points: Container[object], reads_late: bool = False
    ) -> None:
        self.listed, self.points, self.reads_late = listed, points, reads_late
        self.noted: Outcome = {}
        self.repairs: dict[object, pr.Repair] = {}

    def __call__(self, update: pr.WindowUpdate, reasoner: pr.StreamReasoner) -> None:
        """Record an update. A further part of a timestamp replaces the record of the part before."""
        if self.reads_late:
            self.repairs[update.at] = update.repair
        else:
            self._note(update.repair)
        if update.at in self.points:
            self.noted |= window_of(reasoner, update.at)

    def _note(self, repair: pr.Repair) -> None:
        self.noted["repair", repair.at] = StepRepair.of(repair, repair.at in self.listed)

    def of(self, reasoner: pr.StreamReasoner) -> Outcome:
        """Return the whole record, with the window and the counters at the end."""
        for repair in self.repairs.values():
            self._note(repair)
        stats = reasoner.stats()
        at_the_end: Outcome = {
            **window_of(reasoner, "the end"),
            "timestamps": reasoner.timestamps,
            "facts cut": stats.cut,
            "facts undecided": stats.undecided,
            "steps with a repair": stats.repairs,
        }
        for repair in reasoner.repairs:
            at_the_end["remembered repair", repair.at] = StepRepair.of(repair, repair.at in self.listed)
        return self.noted | at_the_end


def window_of(reasoner: pr.StreamReasoner, at: object) -> Outcome:
    """Return the facts and the assertions of the window."""
    return {("facts", at): reasoner.materialization(), ("assertions", at): reasoner.assertions()}


def follow(stream: Stream, way: Way = DEFAULT, every: int | None = 1, **options: Any) -> Outcome:
    """Feed a stream to a reasoner in some way; return the outcome.

    Args:
        stream: the stream.
        way: the configuration.
        every: conflict sets are recorded at each step whose number is a multiple of it; never if None.
        options: further options of the reasoner.
    """
    record = record_of(stream, every, way.reads_late)
    reasoner = reasoner_of(stream, way, **options)
    for update, now in fed(stream, way, reasoner):
        record(update, now)
        reasoner = now
    return record.of(reasoner)


def record_of(stream: Stream, every: int | None = 1, reads_late: bool = False) -> Record:
    """Return an empty record with two points; `every` as in `follow`."""
    times = [abox.at for abox in stream.aboxes]
    points = {times[len(times) // 3], times[2 * len(times) // 3]}
    return Record(set() if every is None else set(times[::every]), points, reads_late)


def reasoner_of(stream: Stream, way: Way, **options: Any) -> pr.StreamReasoner:
    """Return a new reasoner for a stream."""
    given: dict[str, Any] = {"background": stream.background, "keep": way.keep, "derive": way.derive}
    return pr.StreamReasoner(stream.ontology, stream.window, **given, **stream.options, **options)


def fed(
    stream: Stream, way: Way, reasoner: pr.StreamReasoner
) -> Iterator[tuple[pr.WindowUpdate, pr.StreamReasoner]]:
    """Feed a stream; yield each update with the reasoner that returned it, which changes at a restore."""
    if way.form in ("file", "disorder"):
        items = stream.from_file() if way.form == "file" else in_disorder(stream.aboxes)
        lateness = None if way.form == "file" else lateness_of(stream.aboxes)
        yield from ((update, reasoner) for update in reasoner.run(items, allowed_lateness=lateness))
        return
    aboxes = stream.aboxes
    saved_at = {len(aboxes) * number // (way.restores + 1) for number in range(1, way.restores + 1)}
    if way.block is not None:
        for start in range(0, len(aboxes), way.block):
            with reasoner.all_or_nothing():
                for abox in aboxes[start : start + way.block]:
                    yield push(reasoner, abox.at, abox.triples), reasoner
        return
    give = FORMS[way.form](reasoner)
    for number, abox in enumerate(aboxes):
        for place, part in enumerate(parts_of(abox.triples, way)):
            yield give(reasoner, abox.at, part), reasoner
            if number in saved_at and place == 0:
                saved = reasoner.snapshot()
                reasoner = pr.StreamReasoner.restore(saved, stream.ontology, background=stream.background)


def parts_of(triples: Any, way: Way) -> list[Any]:
    """Split an ABox into the parts that are pushed; an empty ABox is one part."""
    if way.backwards:
        triples = list(triples)[::-1]
    if way.parts == 1:
        return [triples]
    size = max(1, -(-len(triples) // way.parts))
    return [triples[start : start + size] for start in range(0, max(1, len(triples)), size)]


# -- forms -----------------------------------------------------------------------------------------

Give = Callable[[pr.StreamReasoner, Any, Any], pr.WindowUpdate]


def push(reasoner: pr.StreamReasoner, at: Any, triples: Any) -> pr.WindowUpdate:
    """Push triples in the given format."""
    return reasoner.push(at, triples)


def push_triples(reasoner: pr.StreamReasoner, at: Any, triples: Any) -> pr.WindowUpdate:
    """Push a list of rdflib's triples."""
    return reasoner.push(at, list(triples))


def push_table(reasoner: pr.StreamReasoner, at: Any, triples: Any) -> pr.WindowUpdate:
    """Push an Arrow table."""
    return reasoner.push(at, table_of_triples(triples))


def pushing_closed(reasoner: pr.StreamReasoner) -> Give:
    """Return a push of interpretations, made with the foundation of a reasoner."""
    materializer = pr.ABoxMaterializer(reasoner.foundation)
    return lambda reasoner, at, triples: reasoner.push_materialized(at, materializer.materialize(triples))


FORMS: dict[str, Callable[[pr.StreamReasoner], Give]] = {
    "columns": lambda _: push,
    "triples": lambda _: push_triples,
    "table": lambda _: push_table,
    "closed": pushing_closed,
}


def table_of_triples(triples: Iterable[Any]) -> pa.Table:
    """Return triples as a table of N-Triples terms."""
    columns = list(zip(*(map(write_term, triple) for triple in triples), strict=True)) or [[]] * 3
    named = zip(("subject", "predicate", "object"), columns, strict=True)
    return pa.table({name: pa.array(column, pa.string()) for name, column in named})


def in_disorder(aboxes: list[pr.TimestampedABox]) -> Iterator[tuple[Any, Any]]:
    """Yield halves of ABoxes out of order among three neighbours; halves of one ABox stay in order."""
    for start in range(0, len(aboxes), 3):
        near = aboxes[start : start + 3]
        order = (0, 2, 1, 1, 2, 0) if len(near) == 3 else (*range(len(near)), *range(len(near)))
        given = set[int]()
        for place in order:
            at, triples = near[place]
            half = len(triples) // 2
            yield at, list(triples)[half:] if place in given else list(triples)[:half]
            given.add(place)


def lateness_of(aboxes: list[pr.TimestampedABox]) -> Any:
    """Return the lateness of `in_disorder`."""
    return max(later.at - earlier.at for earlier, later in zip(aboxes, aboxes[2:], strict=False))


# -- comparing -------------------------------------------------------------------------------------


def steps_of(outcome: Outcome) -> list[StepRepair]:
    """Return the repairs of the steps in an outcome, oldest first."""
    return [step for key, step in outcome.items() if isinstance(key, tuple) and key[0] == "repair"]


def differences(expected: Mapping[object, Any], found: Mapping[object, Any], most: int = 6) -> list[str]:
    """Describe the first differences of two outcomes; empty if they are equal."""
    places = [key for key in expected.keys() | found.keys() if expected.get(key) != found.get(key)]
    texts = sorted(f"{key}: {_difference(expected.get(key), found.get(key))}" for key in places)
    return texts if len(texts) <= most else [*texts[:most], f"and {len(texts) - most} more"]


def _difference(expected: Any, found: Any) -> str:
    if isinstance(expected, set | frozenset) and isinstance(found, set | frozenset):
        missing, more = expected - found, found - expected
        examples = sorted(map(str, [*missing, *more]))[:2]
        return f"{len(missing)} missing, {len(more)} more of {len(expected)}: {examples}"
    if isinstance(expected, StepRepair) and isinstance(found, StepRepair):
        pairs = zip(StepRepair._fields, expected, found, strict=True)
        return "; ".join(f"{name} {_difference(one, other)}" for name, one, other in pairs if one != other)
    return f"{str(expected)[:200]} and not {str(found)[:200]}"
