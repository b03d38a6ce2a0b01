"""A soak: ten million readings, most of them with names and values of their own, in a process of its own.

Each tick 10,000 readings arrive, and the window holds five ticks. Half of the readings say again at which
level a sensor is. The other half are observations, each with a name that never comes again, the sensor that
made it, and a value in up to seven digits, seldom met before. What kind of observation it is follows from the
value's range, and where it was made from the background. A hundred readings say that a sensor is well or
broken, and contradict what was said of it four ticks before.

What is pushed is made beforehand, and its time does not count; its memory does. The first and last tenth of
the ticks after the window has filled are held against each other.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa

import pantarhei as pr
from bench.engine import SPACE, ontology_of, rdflib_triples
from bench.measuring import SEED, Figure, check, figure

SENSORS, ROOMS, LEVELS, BANDS = 10_000, 500, 40, 4
PER_TICK, OBSERVED, CHECKED = 10_000, 5_000, 100
WIDTH = 5  # ticks in the window
TURN = 4  # ticks between two checks of a sensor
TICKS, QUICK_TICKS = 1_000, 60
FILLED = 20  # ticks after which the window, and every table, has had time to fill
WARM_VALUE = 50  # observed values are below 100

_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_DECIMAL = "<http://www.w3.org/2001/XMLSchema#decimal>"

ONTOLOGY = f"""
    @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    :madeBy a owl:ObjectProperty . :locatedIn a owl:ObjectProperty . :value a owl:DatatypeProperty .
    :observedIn a owl:ObjectProperty ; owl:propertyChainAxiom ( :madeBy :locatedIn ) .
    {" ".join(f":Level{level} rdfs:subClassOf :Band{level % BANDS} ." for level in range(LEVELS))}
    :Well owl:disjointWith :Broken .
    [ a owl:Restriction ; owl:onProperty :value ; owl:someValuesFrom
        [ a rdfs:Datatype ; owl:onDatatype xsd:decimal ; owl:withRestrictions ( [ xsd:minInclusive
            {WARM_VALUE}.0 ] ) ] ] rdfs:subClassOf :WarmObservation .
"""


@dataclass(frozen=True, slots=True)
class Tick:
    """What arrives at a tick, as numbers: sensors and levels, observations' sensors and values in hundred
    thousandths, and sensors that are checked."""

    at: int
    reporting: list[int]
    levels: list[int]
    observed: list[int]
    values: list[int]
    checked: list[int]

    @classmethod
    def of(cls, at: int) -> Tick:
        rng = np.random.default_rng((SEED, at))
        reporting = rng.choice(SENSORS, PER_TICK - OBSERVED - CHECKED, replace=False)
        return cls(
            at,
            reporting.tolist(),
            (reporting % LEVELS).tolist(),
            rng.integers(SENSORS, size=OBSERVED).tolist(),
            rng.integers(100 * 100_000, size=OBSERVED).tolist(),
            [(at % TURN) * CHECKED + i for i in range(CHECKED)],
        )

    @property
    def state(self) -> str:
        """What is said of the sensors that are checked: each time the contrary."""
        return "Well" if self.at // TURN % 2 else "Broken"

    def table(self) -> pa.Table:
        """An Arrow table of strings in N-Triples syntax."""
        names = [f"<{SPACE}observation{self.at}-{i}>" for i in range(OBSERVED)]
        subjects = [_sensor(sensor) for sensor in (*self.reporting, *self.checked)] + names + names
        predicates = [_TYPE] * (PER_TICK - OBSERVED) + [f"<{SPACE}madeBy>"] * OBSERVED
        predicates += [f"<{SPACE}value>"] * OBSERVED
        objects = [f"<{SPACE}Level{level}>" for level in self.levels] + [f"<{SPACE}{self.state}>"] * CHECKED
        objects += [_sensor(sensor) for sensor in self.observed]
        objects += [f'"{value // 100_000}.{value % 100_000:05}"^^{_DECIMAL}' for value in self.values]
        columns = {"subject": subjects, "predicate": predicates, "object": objects}
        return pa.table({name: _strings(column) for name, column in columns.items()})


def _strings(texts: list[str]) -> pa.StringArray:
    """As `pa.array`, which would load pandas to ask whether a list is one of its series."""
    builder = pa.lib.StringBuilder()
    builder.append_values(texts)
    return builder.finish()


def _sensor(number: int) -> str:
    return f"<{SPACE}sensor{number}>"


def facts_in(window: range) -> int:
    """How many facts hold when `window` is the window, from the meaning of the ontology."""
    ticks = [Tick.of(at) for at in window]
    reporting = {sensor for tick in ticks for sensor in tick.reporting}
    warm = sum(value >= WARM_VALUE * 100_000 for tick in ticks for value in tick.values)
    observed = 3 * OBSERVED * len(ticks)  # who made it, its value, where it was made
    checked = {sensor for tick in ticks for sensor in tick.checked}
    return SENSORS + 2 * len(reporting) + observed + warm + len(checked)


# -- the process that is watched -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Course:
    """What was seen: CPU seconds and resident megabytes of each tick, and the largest size ever."""

    seconds: list[float]
    megabytes: list[float]
    peak: float
    terms: list[int]


def watch(ticks: int) -> Course:
    """Push so many ticks and look at each."""
    background = [(f"sensor{s}", "locatedIn", f"room{s % ROOMS}") for s in range(SENSORS)]
    reasoner = pr.StreamReasoner(
        ontology_of(ONTOLOGY), pr.Window(range=WIDTH - 1), rdflib_triples(background)
    )
    del background
    seconds, megabytes, terms = [], [], []
    for at in range(ticks):
        table = Tick.of(at).table()
        begin = time.process_time()
        update = reasoner.push(at, table)
        seconds.append(time.process_time() - begin)
        megabytes.append(resident_megabytes())
        terms.append(len(reasoner._vocabulary.names) + len(reasoner._vocabulary.literals))
        check(f"cut at {at}", len(update.repair.removed), CHECKED if at >= TURN else 0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6 * 1024
    check("facts at the end", len(reasoner.graph), facts_in(range(ticks - WIDTH, ticks)))
    return Course(seconds, megabytes, peak, terms)


def resident_megabytes() -> float:
    """What the process holds of the machine's memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


# -- figures -------------------------------------------------------------------------------------------------


def course(ticks: int) -> Course:
    """What a fresh process sees."""
    command = [sys.executable, "-m", "bench.soak", str(ticks)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[1], check=False)
    if done.returncode:
        raise RuntimeError(f"the soak ended with {done.returncode}: {done.stderr[-2000:]}")
    return Course(**json.loads(done.stdout))


def measure(quick: bool) -> Iterator[Figure]:
    """Memory and pace at the beginning and at the end of a long stream."""
    found = course(QUICK_TICKS if quick else TICKS)
    workload = f"soak, {len(found.seconds) * PER_TICK:,} readings"
    tenth = (len(found.seconds) - FILLED) // 10
    early, late = slice(FILLED, FILLED + tenth), slice(-tenth, None)
    pace = {name: sum(found.seconds[part]) / tenth / PER_TICK for name, part in _parts(early, late)}
    for name, part in _parts(early, late):
        samples = [1e6 * second / PER_TICK for second in found.seconds[part]]
        yield Figure(workload, f"pace, {name}", 1e6 * pace[name], "µs a reading", samples=tuple(samples))
    last_to_first = pace["last tenth"] / pace["first tenth"]
    yield Figure(workload, "pace, last : first", last_to_first, "times", at_most=1.1)
    for name, part in _parts(early, late):
        yield figure(workload, f"resident memory, {name}", found.megabytes[part], "MB")
    growth = median(found.megabytes[late]) / median(found.megabytes[early])
    yield Figure(workload, "resident memory, last : first", growth, "times", at_most=1.05)
    yield Figure(workload, "resident memory, peak", found.peak, "MB", at_most=200)
    yield Figure(workload, "terms known, most", max(found.terms), "terms")


def _parts(early: slice, late: slice) -> tuple[tuple[str, slice], ...]:
    return ("first tenth", early), ("last tenth", late)


if __name__ == "__main__":
    print(json.dumps(asdict(watch(int(sys.argv[1])))))
