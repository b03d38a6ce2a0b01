"""Classification of readings by value: a data property tested against 1, 100 and 1,000 data ranges.

At each tick one sensor reports a new number, pushed as a triple. Each class has a threshold
(`decimal[>= t]`); about fifteen of a thousand classes follow from a reading. The data ranges of a number are
computed once, when the number is encoded.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from rdflib import RDF, XSD, Graph, Literal, URIRef

import pantarhei as pr
from bench.measuring import Figure, check, figure
from bench.readings import SENSORS

EX = "http://example.org/"
LEVEL = URIRef(f"{EX}level")
WINDOW = 300


def measure(quick: bool) -> Iterator[Figure]:
    """Yield the figures for each number of thresholds."""
    for count in (1, 100, 1000):
        yield _measure(count, block=500 if quick else 3000, rounds=3 if quick else 5)


def _measure(count: int, block: int, rounds: int) -> Figure:
    axioms = "".join(
        f"[ a owl:Restriction ; owl:onProperty :level ; owl:someValuesFrom [ a rdfs:Datatype ; "
        f"owl:onDatatype xsd:decimal ; owl:withRestrictions ( [ xsd:minInclusive {1000 * i}.5 ] ) ] ] "
        f"rdfs:subClassOf :Above{i} . "
        for i in range(count)
    )
    reasoner = pr.StreamReasoner(ontology(axioms), pr.Window(range=WINDOW))
    samples = []
    for turn in range(rounds):
        readings = [_reading(turn * block + i) for i in range(block)]
        begun = time.process_time()
        for i, reading in enumerate(readings):
            reasoner.push(turn * block + i, [reading])
        samples.append(1e6 * (time.process_time() - begun) / block)
    last = _reading(rounds * block - 1)
    found = {c for s, p, c in reasoner.materialization() if s == last[0] and p == RDF.type}
    right = {URIRef(f"{EX}Above{i}") for i in range(count) if float(last[2]) >= 1000 * i + 0.5}
    check(f"{count} thresholds", found, right)
    return figure(f"thresholds, {count:,}", "rdflib triples", samples, "µs a reading")


def _reading(number: int) -> tuple[URIRef, URIRef, Literal]:
    value = Literal(f"{number}.25", datatype=XSD.decimal)
    return URIRef(f"{EX}sensor{number % SENSORS}"), LEVEL, value


def ontology(axioms: str) -> pr.Ontology:
    prefixes = (
        f"@prefix : <{EX}> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
        "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . :level a owl:DatatypeProperty . "
    )
    return pr.load_ontology(Graph().parse(data=prefixes + axioms, format="turtle"))
