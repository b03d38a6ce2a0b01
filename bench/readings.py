"""Sensor readings whose consequences are propagated to the sensor's room and floor.

10,000 sensors in 500 rooms on 10 floors are background. At each tick 1,000 of them report, each sensor every
tenth tick, and the window holds 300 ticks. A reading `sensor a :Level17` makes the sensor, its room and its
floor members of a band. The variants differ in the reports:

- changing: a level that the sensor does not have in the window; every reading is a new fact.
- repeating: the sensor's only level; a stored fact is asserted again.
- fresh: a new reading with a name of its own (two facts and one new name).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import numpy as np

from bench.engine import (
    ARROW_DICTIONARY,
    ARROW_PLAIN,
    TRIPLES,
    EncodingLane,
    KernelLane,
    PushLane,
    Row,
    Rows,
    check_facts,
    dictionary_table,
    ontology_of,
    plain_table,
    rdflib_triples,
)
from bench.measuring import SEED, Figure, figure, fill, race, ratios

SENSORS, ROOMS, FLOORS = 10_000, 500, 10
EVERY = 10  # ticks between two reports of one sensor
LEVELS, BANDS = 40, 4

_BANDS = "\n".join(
    f"""
    :Band{band} rdfs:subClassOf :Reporting .
    [ a owl:Restriction ; owl:onProperty :hasReading ; owl:someValuesFrom :Band{band} ]
        rdfs:subClassOf :Band{band} .
    [ a owl:Restriction ; owl:onProperty [ owl:inverseOf :locatedIn ] ; owl:someValuesFrom :Band{band} ]
        rdfs:subClassOf :RoomBand{band} .
    [ a owl:Restriction ; owl:onProperty [ owl:inverseOf :onFloor ] ; owl:someValuesFrom :RoomBand{band} ]
        rdfs:subClassOf :FloorBand{band} ."""
    for band in range(BANDS)
)
ONTOLOGY = f"""
    :locatedIn a owl:ObjectProperty , owl:FunctionalProperty .
    :onFloor a owl:ObjectProperty , owl:FunctionalProperty .
    :hasReading a owl:ObjectProperty .
    {_BANDS}
    {" ".join(f":Level{level} rdfs:subClassOf :Band{level % BANDS} ." for level in range(LEVELS))}
"""
BACKGROUND: Rows = [(f"sensor{s}", "locatedIn", f"room{s % ROOMS}") for s in range(SENSORS)] + [
    (f"room{r}", "onFloor", f"floor{r % FLOORS}") for r in range(ROOMS)
]

_SENSOR_NAMES = [f"sensor{s}" for s in range(SENSORS)]
_LEVEL_NAMES = [f"Level{level}" for level in range(LEVELS)]


class Reports:
    """Sensors that report at a tick, with their levels."""

    def __init__(self) -> None:
        rng = np.random.default_rng(SEED)
        self._order = rng.permutation(SENSORS).reshape(EVERY, -1).tolist()
        self._phase = rng.integers(LEVELS, size=SENSORS).tolist()

    def changing(self, tick: int) -> Rows:
        turn, group = divmod(tick, EVERY)
        return [self.report(sensor, turn) for sensor in self._order[group]]

    def repeating(self, tick: int) -> Rows:
        return self.changing(tick % EVERY)

    def report(self, sensor: int, turn: int) -> Row:
        """Return the assertions of a sensor's report number `turn`."""
        return _SENSOR_NAMES[sensor], "a", _LEVEL_NAMES[(self._phase[sensor] + turn) % LEVELS]

    def fresh(self, tick: int) -> Rows:
        named = [(sensor, f"reading{tick}-{sensor}", level) for sensor, _, level in self.changing(tick)]
        return [row for s, name, level in named for row in ((s, "hasReading", name), (name, "a", level))]


def expected(reports: Iterable[Rows]) -> set[Row]:
    """Return all facts that hold when `reports` are in the window, by the meaning of the ontology."""
    facts = set(BACKGROUND)
    for rows in reports:
        facts.update(rows)
        owner = {name: sensor for sensor, predicate, name in rows if predicate == "hasReading"}
        for subject, predicate, level in rows:
            if predicate != "a":
                continue
            band = int(level.removeprefix("Level")) % BANDS
            sensor = owner.get(subject, subject)
            room = int(sensor.removeprefix("sensor")) % ROOMS
            for member in (subject, sensor):
                facts |= {(member, "a", f"Band{band}"), (member, "a", "Reporting")}
            facts |= {
                (f"room{room}", "a", f"RoomBand{band}"),
                (f"floor{room % FLOORS}", "a", f"FloorBand{band}"),
            }
    return facts


def lanes(rows: Callable[[int], Rows], width: int) -> tuple[KernelLane, list[PushLane]]:
    """Return the kernel's lane, and a lane of the public API for each input format."""
    ontology = ontology_of(ONTOLOGY)
    forms = ((ARROW_DICTIONARY, dictionary_table), (ARROW_PLAIN, plain_table), (TRIPLES, rdflib_triples))
    pushed = [PushLane(ontology, BACKGROUND, width, rows, name, form) for name, form in forms]
    return KernelLane(ontology, BACKGROUND, width, rows), pushed


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per reading, and the ratio of the public API's time to the kernel's."""
    reports, width = Reports(), 30 if quick else 300
    per_tick = SENSORS // EVERY
    variants = (
        ("changing", reports.changing, 1.0),
        ("repeating", reports.repeating, 0.2),
        ("fresh", reports.fresh, None),
    )
    for variant, rows_of, target in variants:
        workload, repeating = f"readings, {variant}", variant == "repeating"
        # repeated facts are renewed once in a window, many at one tick, so that a sample is a whole window
        block, rounds = (width, 3) if repeating else (5, 3) if quick else (20, 5)
        rows = lru_cache(maxsize=2 * block)(rows_of)
        kernel, pushed = lanes(rows, width)
        # with almost no reasoning left, the public API's time is mostly encoding
        encodings = [EncodingLane(lane) for lane in pushed if repeating and lane.name != TRIPLES]
        fill([kernel, *pushed], range(width + EVERY), warm=EVERY)
        seconds = race([kernel, *pushed, *encodings], width + EVERY, block, rounds)
        last = width + EVERY + block * rounds
        right = expected(rows(tick) for tick in range(last - width, last))
        for lane in (kernel, *pushed):
            check_facts(lane, right)
        for name, samples in seconds.items():
            limit = target if name == kernel.name else None
            yield figure(workload, name, _each(samples, per_tick), "µs a reading", at_most=limit)
        for lane in pushed:
            times = ratios(seconds[lane.name], seconds[kernel.name])
            limit = 5.0 if lane.name in (ARROW_DICTIONARY, ARROW_PLAIN) and target else None
            yield figure(workload, f"{lane.name} : kernel", times, "times", at_most=limit)
        size = kernel.model.bytes_used / len(kernel.model)
        yield Figure(workload, f"stored fact, of {len(kernel.model):,}", size, "bytes", at_most=100)


def _each(seconds: list[float], readings: int) -> list[float]:
    return [1e6 * sample / readings for sample in seconds]
