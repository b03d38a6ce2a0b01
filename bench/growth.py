"""Growing window at a constant rate: the cost of a tick must not depend on the size of the window.

At each tick 500 observations arrive, two facts each: the observing sensor, one of 10,000, and its level. The
rules derive the kind of the observation (by the class hierarchy), its room (by a join with the background),
and the alarmed sensors (by a join within the window). The window holds 10, 100 and 1,000 ticks, that is
10,000 to a
million assertions, and is full: as many assertions expire as arrive.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from bench.engine import KernelLane, Row, Rows, check_facts, ontology_of
from bench.measuring import SEED, Figure, figure, fill, race, ratios

SENSORS, ROOMS = 10_000, 500
LEVELS, BANDS = 40, 4
OBSERVATIONS = 500  # per tick, two assertions each
WIDTHS = (10, 100, 1000)

ONTOLOGY = f"""
    :madeBy a owl:ObjectProperty . :locatedIn a owl:ObjectProperty .
    :observedIn a owl:ObjectProperty ; owl:propertyChainAxiom ( :madeBy :locatedIn ) .
    {" ".join(f":Level{level} rdfs:subClassOf :Band{level % BANDS} ." for level in range(LEVELS))}
    {" ".join(f":Band{band} rdfs:subClassOf :Observation ." for band in range(BANDS))}
    [ a owl:Restriction ; owl:onProperty [ owl:inverseOf :madeBy ] ; owl:someValuesFrom :Band0 ]
        rdfs:subClassOf :AlarmedSensor .
"""
BACKGROUND: Rows = [(f"sensor{s}", "locatedIn", f"room{s % ROOMS}") for s in range(SENSORS)]


@lru_cache(maxsize=64)
def observations(tick: int) -> list[tuple[str, int, int]]:
    """Return name, sensor and level of each observation of a tick."""
    rng = np.random.default_rng((SEED, tick))
    sensors = rng.integers(SENSORS, size=OBSERVATIONS).tolist()
    levels = rng.integers(LEVELS, size=OBSERVATIONS).tolist()
    return [(f"observation{tick}-{i}", s, v) for i, (s, v) in enumerate(zip(sensors, levels, strict=True))]


def rows(tick: int) -> Rows:
    """Return the assertions of a tick."""
    found: Rows = []
    for name, sensor, level in observations(tick):
        found += [(name, "madeBy", f"sensor{sensor}"), (name, "a", f"Level{level}")]
    return found


def expected(ticks: range) -> Iterator[Row]:
    """Yield all facts that hold in the window `ticks`, by the meaning of the ontology; facts can be
    repeated.
    """
    yield from BACKGROUND
    for tick in ticks:
        yield from rows(tick)
        for name, sensor, level in observations(tick):
            yield name, "a", f"Band{level % BANDS}"
            yield name, "a", "Observation"
            yield name, "observedIn", f"room{sensor % ROOMS}"
            if level % BANDS == 0:
                yield f"sensor{sensor}", "a", "AlarmedSensor"


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per tick for each size of the window, and bytes per fact."""
    widths = WIDTHS[:2] if quick else WIDTHS
    block, rounds = (10, 3) if quick else (20, 7)
    ontology, start = ontology_of(ONTOLOGY), max(widths) + 10
    lanes = [KernelLane(ontology, BACKGROUND, width, rows, f"{_size(width)} assertions") for width in widths]
    for lane in lanes:
        fill([lane], range(start - lane.width - 10, start))
    seconds = race(lanes, start, block, rounds)
    last = start + block * rounds
    for lane in lanes:
        check_facts(lane, expected(range(last - lane.width, last)))
    for lane in lanes:
        yield figure("growth", lane.name, [1e6 * sample for sample in seconds[lane.name]], "µs a tick")
    for lane in lanes[1:]:
        times = ratios(seconds[lane.name], seconds[lanes[0].name])
        way = f"{lane.name} : {_size(widths[0])}"
        yield figure("growth", way, times, "times", at_most=1.5 if lane.width == WIDTHS[-1] else None)
    model = lanes[-1].model
    yield Figure(
        "growth", f"stored fact, of {len(model):,}", model.bytes_used / len(model), "bytes", at_most=100
    )


def _size(width: int) -> str:
    return f"{2 * OBSERVATIONS * width:,}"
