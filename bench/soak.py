"""Soak test: ten million readings, many with new names and values, in a process of its own.

At each tick 10,000 readings arrive, and the window holds three ticks. 5,900 readings repeat a sensor's level.
4,000 are observations with a name that is never used again, the observing sensor, and a value of up to seven
digits, most of them new. The place of an observation follows from the background, and whether it is warm from
its value. A hundred readings report that a sensor is well or broken, and contradict its report two ticks
before.

The watched process reads batches of strings from a pipe and pushes them; only pushing is timed. The first and
last tenth of the ticks, counted after the window is full, are compared.
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
from statistics import mean
from typing import IO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from rdflib import RDF, XSD

import pantarhei as pr
from bench.engine import SPACE, ontology_of, rdflib_triples
from bench.measuring import SEED, Figure, check, figure
from bench.memory import peak_megabytes

SENSORS, ROOMS, LEVELS, BANDS = 10_000, 500, 40, 4
PER_TICK, OBSERVED, CHECKED = 10_000, 4_000, 100
WIDTH = 3  # ticks in the window
TURN = 2  # ticks between two checks of a sensor
TICKS, QUICK_TICKS = 1_000, 60
FILLED = 20  # ticks after which the window and every table are full
WARM_VALUE = 50  # observed values are below 100

HUNDRED_THOUSAND = 100_000

SCHEMA = pa.schema([(name, pa.string()) for name in ("subject", "predicate", "object")])

Numbers = npt.NDArray[np.int64]

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
    """Input of a tick, as numbers.

    Args:
        at: the tick.
        reporting: sensors that report their level.
        observed: the sensors of the observations.
        values: the observed values, in hundred thousandths.
        checked: sensors reported to be well or broken.
    """

    at: int
    reporting: Numbers
    observed: Numbers
    values: Numbers
    checked: Numbers

    @classmethod
    def of(cls, at: int) -> Tick:
        rng = np.random.default_rng((SEED, at))
        return cls(
            at,
            rng.choice(SENSORS, PER_TICK - OBSERVED - CHECKED, replace=False),
            rng.integers(SENSORS, size=OBSERVED),
            rng.integers(100 * HUNDRED_THOUSAND, size=OBSERVED),
            at % TURN * CHECKED + np.arange(CHECKED),
        )

    @property
    def state(self) -> str:
        """Class that the checked sensors are reported to be in, the opposite of their last report."""
        return "Well" if self.at // TURN % 2 else "Broken"

    def batch(self) -> pa.RecordBatch:
        """Return an Arrow batch of strings in N-Triples syntax."""
        a, names = f"<{RDF.type}>", [f"<{SPACE}observation{self.at}-{i}>" for i in range(OBSERVED)]
        subjects = [*_sensors(self.reporting), *_sensors(self.checked), *names, *names]
        predicates = [a] * (PER_TICK - OBSERVED)
        predicates += [f"<{SPACE}madeBy>"] * OBSERVED + [f"<{SPACE}value>"] * OBSERVED
        objects = [f"<{SPACE}Level{level}>" for level in (self.reporting % LEVELS).tolist()]
        objects += [f"<{SPACE}{self.state}>"] * CHECKED
        objects += _sensors(self.observed)
        objects += [
            f'"{value // HUNDRED_THOUSAND}.{value % HUNDRED_THOUSAND:05}"^^<{XSD.decimal}>'
            for value in self.values.tolist()
        ]
        return pa.record_batch([pa.array(part) for part in (subjects, predicates, objects)], SCHEMA)


def _sensors(numbers: Numbers) -> list[str]:
    return [f"<{SPACE}sensor{number}>" for number in numbers.tolist()]


def facts_in(window: range) -> int:
    """Return the number of facts that hold in `window`, by the meaning of the ontology."""
    ticks = [Tick.of(at) for at in window]
    reporting = np.unique(np.concatenate([tick.reporting for tick in ticks]))
    checked = np.unique(np.concatenate([tick.checked for tick in ticks]))
    warm = sum(int(np.sum(tick.values >= WARM_VALUE * HUNDRED_THOUSAND)) for tick in ticks)
    observed = 3 * OBSERVED * len(ticks)  # sensor, value and place of each observation
    return SENSORS + 2 * len(reporting) + observed + warm + len(checked)


# -- watched process -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SoakResult:
    """Measurements of the watched process: CPU seconds and resident megabytes of each tick, the peak size,
    and the largest number of terms.
    """

    seconds: list[float]
    megabytes: list[float]
    peak: float
    terms: int


def push_and_measure(source: IO[bytes]) -> SoakResult:
    """Push the batches of an Arrow stream, one per tick, and measure each step."""
    background = [(f"sensor{s}", "locatedIn", f"room{s % ROOMS}") for s in range(SENSORS)]
    reasoner = pr.StreamReasoner(
        ontology_of(ONTOLOGY), pr.Window(range=WIDTH - 1), rdflib_triples(background)
    )
    del background
    seconds, megabytes, terms, at = [], [], 0, 0
    for at, batch in enumerate(pa.ipc.open_stream(source)):
        begin = time.process_time()
        update = reasoner.push(at, batch)
        seconds.append(time.process_time() - begin)
        megabytes.append(resident_megabytes())
        terms = max(terms, reasoner.stats().terms)
        check(f"cut at {at}", len(update.repair.removed), CHECKED if at >= TURN else 0)
    peak = peak_megabytes()
    check("facts at the end", len(reasoner.graph), facts_in(range(at - WIDTH + 1, at + 1)))
    return SoakResult(seconds, megabytes, peak, terms)


def resident_megabytes() -> float:
    """Return the resident size of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def soak(ticks: int) -> SoakResult:
    """Run a new process over `ticks` ticks and return its measurements."""
    command = [sys.executable, "-m", "bench.soak"]
    root = Path(__file__).parents[1]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None, "both are pipes"
        with process.stdin, pa.ipc.new_stream(process.stdin, SCHEMA) as writer:
            for at in range(ticks):
                writer.write_batch(Tick.of(at).batch())
        return SoakResult(**json.loads(process.stdout.read()))


# -- figures -------------------------------------------------------------------------------------------------


def measure(quick: bool) -> Iterator[Figure]:
    """Yield memory and speed at the beginning and at the end of a long stream."""
    found = soak(QUICK_TICKS if quick else TICKS)
    count = len(found.seconds)
    tenth = (count - FILLED) // 10
    parts = {"first tenth": slice(FILLED, FILLED + tenth), "last tenth": slice(count - tenth, count)}
    workload = f"soak, {count * PER_TICK:,} readings"
    pace = {name: [1e6 * s / PER_TICK for s in found.seconds[part]] for name, part in parts.items()}
    size = {name: found.megabytes[part] for name, part in parts.items()}
    # means, since some ticks collect garbage left by others
    for name, samples in pace.items():
        yield Figure(workload, f"mean pace, {name}", mean(samples), "µs a reading", samples=tuple(samples))
    first, last = map(mean, pace.values())
    yield Figure(workload, "mean pace, last : first", last / first, "times", at_most=1.1)
    for name, samples in size.items():
        yield figure(workload, f"resident memory, {name}", samples, "MB")
    first, last = map(max, size.values())
    yield Figure(workload, "resident memory, last : first, at most", last / first, "times", at_most=1.05)
    yield Figure(workload, "resident memory, peak", found.peak, "MB", at_most=200)
    yield Figure(workload, "terms known, at most", found.terms, "terms")


if __name__ == "__main__":
    print(json.dumps(asdict(push_and_measure(sys.stdin.buffer))))
