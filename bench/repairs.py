"""Repaired readings: each one contradicts its sensor's last report, and the older report is cut.

10,000 sensors in 500 rooms on 10 floors; 1,000 report at each tick, each sensor every tenth tick, and always
something else than in its last report. The window holds 300 ticks. The variants differ in the contradiction:

- asserted: a sensor is on or off, and the two classes are disjoint.
- derived: the reported class is a subclass of a disjoint class; no two asserted facts conflict directly.
- functional: a sensor has one state, the value of a functional property.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.engine import (
    ARROW_DICTIONARY,
    ARROW_PLAIN,
    INTERNED,
    InternedLane,
    PushLane,
    Row,
    Rows,
    check_facts,
    dictionary_table,
    ontology_of,
    plain_table,
)
from bench.measuring import SEED, Figure, check, figure, fill, race, ratios

SENSORS, ROOMS, FLOORS = 10_000, 500, 10
EVERY = 10  # ticks between two reports of one sensor

PLACES = """
    :locatedIn a owl:ObjectProperty , owl:FunctionalProperty .
    :onFloor a owl:ObjectProperty , owl:FunctionalProperty .
    [ a owl:Restriction ; owl:onProperty [ owl:inverseOf :locatedIn ] ; owl:someValuesFrom :On ]
        rdfs:subClassOf :LitRoom .
    [ a owl:Restriction ; owl:onProperty [ owl:inverseOf :onFloor ] ; owl:someValuesFrom :LitRoom ]
        rdfs:subClassOf :LitFloor .
"""
BACKGROUND: Rows = [(f"sensor{s}", "locatedIn", f"room{s % ROOMS}") for s in range(SENSORS)] + [
    (f"room{r}", "onFloor", f"floor{r % FLOORS}") for r in range(ROOMS)
]


@dataclass(frozen=True)
class Variant:
    """Assertions that a sensor reports alternately, first those of a sensor that is on, and their
    consequences.
    """

    name: str
    ontology: str
    predicate: str
    on: str
    off: str
    follows_on: tuple[str, ...]
    follows_off: tuple[str, ...]
    at_most: float | None = None

    def rows(self, tick: int) -> Rows:
        """Return the reports of a tick: half of the sensors are on, and each report differs from its sensor's
        last.
        """
        turn, group = divmod(tick, EVERY)
        sensors = _ORDER[group]
        states = (self.off, self.on)
        return [(_SENSOR_NAMES[s], self.predicate, states[(s + turn) % 2]) for s in sensors]

    def expected(self, ticks: range) -> set[Row]:
        """Return the reports of a tick: half of the sensors are on, and each differs from its last report."""
        last = {row[0]: row for tick in ticks for row in self.rows(tick)}
        facts = {*BACKGROUND, *last.values()}
        for sensor, _, state in last.values():
            facts |= {(sensor, "a", c) for c in (self.follows_on if state == self.on else self.follows_off)}
            if state == self.on:
                room = int(sensor.removeprefix("sensor")) % ROOMS
                facts |= {(f"room{room}", "a", "LitRoom"), (f"floor{room % FLOORS}", "a", "LitFloor")}
        return facts


_SENSOR_NAMES = [f"sensor{s}" for s in range(SENSORS)]
_ORDER = np.random.default_rng(SEED).permutation(SENSORS).reshape(EVERY, -1).tolist()

VARIANTS = (
    Variant(
        name="asserted",
        ontology=":On owl:disjointWith :Off ; rdfs:subClassOf :Live . :Off rdfs:subClassOf :Live .",
        predicate="a",
        on="On",
        off="Off",
        follows_on=("Live",),
        follows_off=("Live",),
        at_most=2.0,
    ),
    Variant(
        name="derived",
        ontology=":On owl:disjointWith :Off . :Bright rdfs:subClassOf :On . :Dark rdfs:subClassOf :Off .",
        predicate="a",
        on="Bright",
        off="Dark",
        follows_on=("On",),
        follows_off=("Off",),
    ),
    Variant(
        name="functional",
        ontology="""
            :state a owl:ObjectProperty , owl:FunctionalProperty .
            [ a owl:Restriction ; owl:onProperty :state ; owl:hasValue :on ] rdfs:subClassOf :On .""",
        predicate="state",
        on="on",
        off="off",
        follows_on=("On",),
        follows_off=(),
    ),
)


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per repaired reading."""
    width = 30 if quick else 300
    block, rounds = (5, 3) if quick else (20, 5)
    per_tick = SENSORS // EVERY
    for variant in VARIANTS:
        ontology = ontology_of(PLACES + variant.ontology)
        runners = [
            InternedLane(ontology, BACKGROUND, width, variant.rows),
            PushLane(ontology, BACKGROUND, width, variant.rows, ARROW_DICTIONARY, dictionary_table),
            PushLane(ontology, BACKGROUND, width, variant.rows, ARROW_PLAIN, plain_table),
        ]
        fill(runners, range(width + EVERY), warm=EVERY)
        seconds = race(runners, width + EVERY, block, rounds)
        last = width + EVERY + block * rounds
        right = variant.expected(range(last - width, last))
        for lane in runners:
            check(f"conflicts by {lane.name}", lane.conflicts, (last - EVERY) * per_tick)
            check_facts(lane, right)
        workload = f"repairs, {variant.name}"
        for lane in runners:
            each = [1e6 * sample / per_tick for sample in seconds[lane.name]]
            yield figure(workload, lane.name, each, "µs a reading", at_most=variant.at_most)
        for lane in runners[1:]:
            times = ratios(seconds[lane.name], seconds[INTERNED])
            yield figure(workload, f"{lane.name} : {INTERNED}", times, "times")
