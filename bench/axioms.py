"""Growing ontology, fixed stream: 10 to 10,000 axioms, of which ten apply to the readings.

1,000 of 10,000 sensors report at each tick: a level, which changes, and a state, which is one of a hundred
names. The class derived from the level is propagated to the sensor's room and floor. The added axioms are

- on other names: classes, properties, restrictions and chains, ten levels deep, that no reading uses;
- on the same property: restrictions of the property that every reading has, with other fillers, which no
  reading's state belongs to.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import lru_cache

from bench.engine import KernelLane, Rows, ontology_of
from bench.measuring import Figure, check, figure, fill, race, ratios
from bench.peers.pantarhei import facts_digest
from bench.readings import BACKGROUND, EVERY, SENSORS, Reports

SIZES = (10, 100, 1_000, 10_000)
WIDTH = 30  # ticks
LEVELS, STATES = 4, 100
_LINE = 50  # number of added axioms in one chain of subclasses

_BASE = f"""
    :locatedIn a owl:ObjectProperty . :onFloor a owl:ObjectProperty . :hasState a owl:ObjectProperty .
    {" ".join(f":Level{level} rdfs:subClassOf :Band ." for level in range(LEVELS))}
    :Band rdfs:subClassOf :Reporting . :Reporting rdfs:subClassOf :Device .
    [ a owl:Restriction ; owl:onProperty [ owl:inverseOf :locatedIn ] ; owl:someValuesFrom :Band ]
        rdfs:subClassOf :RoomBand .
    [ a owl:Restriction ; owl:onProperty [ owl:inverseOf :onFloor ] ; owl:someValuesFrom :RoomBand ]
        rdfs:subClassOf :FloorBand .
    :RoomBand rdfs:subClassOf :Warm . :FloorBand rdfs:subClassOf :Warm .
"""


def _other_words(number: int) -> str:
    forms = (
        ":F{n} rdfs:subClassOf :F{m} .",
        ":q{n} a owl:ObjectProperty ; rdfs:domain :F{m} .",
        ":q{n} a owl:ObjectProperty ; rdfs:subPropertyOf :q{m} . :q{m} a owl:ObjectProperty .",
        ":q{n} a owl:ObjectProperty . [ a owl:Restriction ; owl:onProperty :q{n} ; "
        "owl:someValuesFrom :F{n} ] rdfs:subClassOf :F{m} .",
        ":q{n} a owl:ObjectProperty ; owl:propertyChainAxiom ( :q{m} :q{m} ) . :q{m} a owl:ObjectProperty .",
    )
    next_ = number + len(forms) if number % _LINE < _LINE - len(forms) else number
    return forms[number % len(forms)].format(n=number, m=next_)


def _same_property(number: int) -> str:
    return (
        f"[ a owl:Restriction ; owl:onProperty :hasState ; owl:someValuesFrom :F{number} ] "
        f"rdfs:subClassOf :G{number} ."
    )


VARIANTS = {"other words": _other_words, "the same property": _same_property}


def rows(tick: int) -> Rows:
    """Return the assertions of a tick, two for each reporting sensor."""
    reports = _REPORTS.changing(tick)
    found: Rows = []
    for sensor, _, level in reports:
        number = int(level.removeprefix("Level"))
        found += [(sensor, "a", f"Level{number % LEVELS}"), (sensor, "hasState", f"state{number % STATES}")]
    return found


_REPORTS = Reports()


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per reading for each size of the ontology."""
    sizes = SIZES[:3] if quick else SIZES
    for variant, form in VARIANTS.items():
        workload = f"axioms, {variant}"
        lanes, loaded = [], []
        for size in sizes:
            begun = time.process_time()
            ontology = ontology_of(_BASE + "\n".join(form(n) for n in range(size - sizes[0])))
            lanes.append(KernelLane(ontology, BACKGROUND, WIDTH, lru_cache(WIDTH)(rows), f"{size:,} axioms"))
            loaded.append(time.process_time() - begun)
        fill(lanes, range(WIDTH + EVERY), warm=EVERY)
        block, rounds = (5, 3) if quick else (10, 5)
        seconds = race(lanes, WIDTH + EVERY, block, rounds)
        answers = [facts_digest(lane.vocabulary, lane.model.facts(), None) for lane in lanes]
        for lane, answer in zip(lanes, answers, strict=True):
            check(f"{workload}: {lane.name}", answer, answers[0])
        for lane, cost in zip(lanes, loaded, strict=True):
            each = [1e6 * sample / (SENSORS // EVERY) for sample in seconds[lane.name]]
            yield figure(workload, lane.name, each, "µs a reading")
            yield Figure(workload, f"{lane.name}, read, checked and compiled", cost, "s")
        growth = ratios(seconds[lanes[-1].name], seconds[lanes[0].name])
        below = sizes[-1] / sizes[0]
        yield figure(workload, f"{lanes[-1].name} : {lanes[0].name}", growth, "times", at_most=below)
