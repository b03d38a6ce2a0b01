"""Office building example, end to end: parse, encode, reason, repair.

The stream has 20,000 readings of a thousand devices in 200 rooms as N-Quads, one ABox per minute. The window
of five minutes slides by one minute. Each lane processes the whole stream with a new reasoner; parsing is
measured separately.
"""

from __future__ import annotations

import io
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from rdflib import Graph

import pantarhei as pr
from bench.engine import ARROW_DICTIONARY, INTERNED, TRIPLES, OpenReasoner
from bench.measuring import SEED, Figure, check, cpu_seconds, figure

ROOT = Path(__file__).resolve().parents[1]
WINDOW = pr.Window(range="PT5M", slide="PT1M")

Inputs = list[tuple[Any, Any]]


class Building:
    """Ontology, background, and the stream as N-Quads."""

    def __init__(self, readings: int) -> None:
        generate = runpy.run_path(str(ROOT / "examples/building/generate.py"))["generate"]
        background, stream = generate(seed=SEED, readings=readings)
        self.nquads = "".join(f"{line}\n" for _, lines in stream for line in lines).encode()
        self.background = Graph().parse(data="\n".join(background), format="turtle")
        self.ontology = pr.load_ontology(ROOT / "ontologies/building.ttl")

    def reasoner(self) -> OpenReasoner:
        return OpenReasoner(self.ontology, WINDOW, background=self.background)

    def parsed(self) -> Inputs:
        """Parse the stream; yield each timestamp with its triples."""
        return list(pr.read_stream(io.BytesIO(self.nquads), format="nquads"))


def table(triples: tuple[Any, ...]) -> pa.Table:
    """Return the triples as dictionary-encoded Arrow columns."""
    columns = [pa.array([term.n3() for term in column], pa.string()) for column in zip(*triples, strict=True)]
    return pa.table([column.dictionary_encode() for column in columns], ["subject", "predicate", "object"])


LANES = (TRIPLES, ARROW_DICTIONARY, INTERNED)
PARSING = "parse N-Quads"


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per reading."""
    building = Building(2_000 if quick else 20_000)
    readings = sum(len(triples) for _, triples in building.parsed())
    answers = {name: _answer(name, building) for name in LANES}
    for name, (gone, facts) in answers.items():
        check(f"the same removed by {name}", gone == answers[TRIPLES][0], True)
        check(f"the same facts by {name}", facts == answers[TRIPLES][1], True)
    samples: dict[str, list[float]] = {name: [] for name in (PARSING, *LANES)}
    for _ in range(3 if quick else 5):
        samples[PARSING].append(cpu_seconds(building.parsed))
        for name in LANES:
            samples[name].append(_seconds(name, building))
    for name, seconds in samples.items():
        each = [1e6 * sample / readings for sample in seconds]
        yield figure("building", name, each, "µs a reading")
    count = sum(map(len, answers[TRIPLES][0]))
    yield Figure("building", f"removed, of {readings:,}", count, "occurrences")


def _seconds(name: str, building: Building) -> float:
    reasoner = building.reasoner()
    inputs = _inputs(name, reasoner, building.parsed())
    return cpu_seconds(lambda: [reasoner.push(at, given) for at, given in inputs])


def _answer(name: str, building: Building) -> tuple[list[frozenset[Any]], set[Any]]:
    """Return the facts removed by each step's repair, and the final materialization."""
    reasoner = building.reasoner()
    inputs = _inputs(name, reasoner, building.parsed())
    removed = [reasoner.push(at, given).repair.removed for at, given in inputs]
    check("some repairs removed something", any(removed), True)
    _check_repaired(building, reasoner)
    return removed, reasoner.materialization()


def _inputs(name: str, reasoner: OpenReasoner, aboxes: Inputs) -> Inputs:
    """Convert the ABoxes to the input of a lane's reasoner."""
    if name == ARROW_DICTIONARY:
        return [(at, table(triples)) for at, triples in aboxes]
    if name == INTERNED:
        return [(at, reasoner.interned(triples)) for at, triples in aboxes]
    return aboxes


def _check_repaired(building: Building, reasoner: pr.StreamReasoner) -> None:
    """Check that a new reasoner derives the same facts from the kept assertions alone, without a
    contradiction.
    """
    fresh = building.reasoner()
    kept: dict[Any, list[Any]] = {at: [] for at in reasoner.timestamps}
    for at, triple in reasoner.assertions():
        kept[at].append(triple)
    for at, triples in kept.items():
        check("contradictions in what was kept", len(fresh.push(at, triples).repair.conflicts), 0)
    check("facts from what was kept", fresh.materialization() == reasoner.materialization(), True)
