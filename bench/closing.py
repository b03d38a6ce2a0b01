"""Many ABoxes materialized at once, by rules on values: facets, SWRL comparisons and computed values.

Each ABox has ten readings of numbers with one decimal. A facet, or a SWRL rule with `greaterThan`, classifies
those above 50 as high. A third ontology computes a further number for each reading with SWRL's `add`. All
three are evaluated column by column. SWRL may take at most twice the time of facets.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from rdflib import XSD, Literal, URIRef, Variable

import pantarhei as pr
from bench.measuring import SEED, Figure, check, cpu_seconds, figure, ratios
from bench.thresholds import EX, LEVEL
from bench.thresholds import ontology as ontology_of
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.rule import Atom, Builtin, Rule

READINGS = 10
HIGH, MORE = URIRef(f"{EX}High"), URIRef(f"{EX}more")
SWRLB = "http://www.w3.org/2003/11/swrlb#"
FACETS, COMPARED, COMPUTED = "facets", "SWRL comparisons", "SWRL, computed values"
LIMIT = 2.0


def ontologies() -> dict[str, pr.Ontology]:
    """Return an ontology of each kind."""
    x, y, z = map(Variable, "xyz")
    level, limit = Atom(LEVEL, (x, y)), Literal("50", datatype=XSD.decimal)
    facet = (
        "[ a owl:Restriction ; owl:onProperty :level ; owl:someValuesFrom [ a rdfs:Datatype ; "
        "owl:onDatatype xsd:decimal ; owl:withRestrictions ( [ xsd:minExclusive 50.0 ] ) ] ] "
        "rdfs:subClassOf :High . "
    )
    greater = Builtin(URIRef(f"{SWRLB}greaterThan"), (y, limit))
    add = Builtin(URIRef(f"{SWRLB}add"), (z, y, Literal("1.5", datatype=XSD.decimal)))
    return {
        FACETS: ontology_of(facet),
        COMPARED: pr.Ontology.from_rules([Rule("swrl", (level,), Atom(HIGH, (x,)), tests=(greater,))]),
        COMPUTED: pr.Ontology.from_rules([Rule("swrl", (level,), Atom(MORE, (x, z)), tests=(add,))]),
    }


def readings(aboxes: int) -> pa.Table:
    """Return the rows of `aboxes` ABoxes in order: `timestamp`, and terms in N-Triples syntax."""
    tenths = np.random.default_rng(SEED).integers(0, 1000, aboxes * READINGS).tolist()
    sensors = [f"<{EX}sensor{number % READINGS}>" for number in range(len(tenths))]
    return pa.table(
        {
            "timestamp": pa.array(np.repeat(np.arange(aboxes), READINGS)),
            "subject": sensors,
            "predicate": [LEVEL.n3()] * len(tenths),
            "object": [f'"{each // 10}.{each % 10}"^^<{XSD.decimal}>' for each in tenths],
        }
    )


def expected(kind: str, table: pa.Table) -> int:
    """Return the expected number of derived facts."""
    if kind == COMPUTED:
        return len(table)
    return sum(float(text.split('"')[1]) > 50 for text in table["object"].to_pylist())


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per ABox for each kind, and the ratios to facets."""
    aboxes, rounds = (1_000, 3) if quick else (3_000, 5)
    table, given = readings(aboxes), ontologies()
    samples: dict[str, list[float]] = {kind: [] for kind in given}
    for _ in range(rounds):
        for kind, ontology in given.items():
            worker = ABoxMaterializer(Foundation.of(ontology))
            taken = cpu_seconds(lambda worker=worker, kind=kind: _close(worker, kind, table))  # type: ignore[misc]
            samples[kind].append(1e6 * taken / aboxes)
    yield from figures(f"closing {aboxes:,} ABoxes", samples, "µs an ABox")


def figures(workload: str, samples: dict[str, list[float]], unit: str) -> Iterator[Figure]:
    """Yield the figures of all kinds, and the ratios of SWRL to facets."""
    for kind, each in samples.items():
        yield figure(workload, kind, each, unit)
    for kind in (COMPARED, COMPUTED):
        yield figure(workload, f"{kind} : facets", ratios(samples[kind], samples[FACETS]), "times", LIMIT)


def _close(worker: ABoxMaterializer, kind: str, table: pa.Table) -> None:
    bounds = range(0, len(table) + 1, READINGS)
    triples = table.drop_columns(["timestamp"])
    found = sum(len(made.facts) - made.asserted for made in worker.materialize_parts(triples, bounds, False))
    check(f"what follows from {kind}", found, expected(kind, table))
