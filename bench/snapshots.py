"""Snapshots during pushes: cost of a snapshot, and duration of pushes while another thread encodes one.

There are two windows: 50,000 ABoxes of one reading without conflicts, and 20,000 assertions of which nearly
all are cut, so that each ABox has a repair. The first snapshot encodes all repairs, later ones only new
repairs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from itertools import count

from rdflib import OWL, RDF, Graph, Literal, Namespace

import pantarhei as pr
from bench.measuring import Figure, check, cpu_seconds, figure, without_garbage
from pantarhei.model.term import Triple

EX = Namespace("http://example.org/")
LONGEST = 20.0
"""Milliseconds that a push may take while a snapshot is encoded."""
Of = Callable[[int], list[Triple]]


def plain(at: int) -> list[Triple]:
    """Return the ABox of a timestamp, without conflicts."""
    return [(EX[f"s{at % 500}"], EX.v, Literal(at % 1000))]


def contradicting(at: int) -> list[Triple]:
    """Return the ABox of a timestamp, which contradicts the one before in each of its 20 readings."""
    return [(EX[f"s{sensor}"], EX.v, Literal((7 * at + sensor) % 1000)) for sensor in range(20)]


def full_reasoner(aboxes: int, of: Of, functional: bool) -> pr.StreamReasoner:
    """Return a reasoner whose window holds `aboxes` ABoxes."""
    ontology = Graph()
    if functional:
        ontology.add((EX.v, RDF.type, OWL.FunctionalProperty))
        ontology.add((EX.v, RDF.type, OWL.DatatypeProperty))
    reasoner = pr.StreamReasoner(pr.load_ontology(ontology), pr.Window(range=10**9))
    for at in range(aboxes):
        reasoner.push(at, of(at))
    return reasoner


def pushes_meanwhile(reasoner: pr.StreamReasoner, of: Of) -> list[float]:
    """Return the milliseconds of each push while another thread makes a snapshot."""
    thread, taken = threading.Thread(target=reasoner.snapshot), []
    first = int(reasoner.timestamps[-1]) + 1  # type: ignore[arg-type]
    with without_garbage():
        thread.start()
        for at in count(first):
            if not thread.is_alive():
                return taken
            begun = time.perf_counter()
            reasoner.push(at, of(at))
            taken.append(1e3 * (time.perf_counter() - begun))
    raise AssertionError("it counts on")


def measure(quick: bool) -> Iterator[Figure]:
    """Yield milliseconds of a snapshot and of the longest push during it, for each window."""
    share, rounds = (10, 1) if quick else (1, 3)
    for name, aboxes, of, functional in (
        (f"{50_000 // share:,} ABoxes", 50_000 // share, plain, False),
        (f"{20_000 // share:,} assertions with repairs", 1_000 // share, contradicting, True),
    ):
        costs, longest = list[float](), list[float]()
        for _ in range(rounds):
            reasoner = full_reasoner(aboxes, of, functional)
            longest.append(max(pushes_meanwhile(reasoner, of)))
            fresh = full_reasoner(aboxes, of, functional)
            costs.append(1e3 * cpu_seconds(fresh.snapshot))
            check(f"the timestamps of {name}", len(fresh.timestamps), aboxes)
        yield figure(name, "first snapshot", costs, "ms")
        yield figure(name, "longest push meanwhile", longest, "ms", LONGEST)
