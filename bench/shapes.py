"""Repair by the shape of the contradiction, and on the building.

Each shape is one ABox that contradicts itself or older ABoxes: pairs; conflict sets of three members; facts
with two proofs each; reports on a hub whose class has superclasses; ties that older facts depend on; a ring
of a transitive property. The removed facts are checked, and none may be undecided. A push is measured through
the public API, from triples to `repair.removed`; the decision alone is measured on the lineage of the same
push.

The building processes a whole stream of readings from its file, with and without the ontology's constraints.
"""

from __future__ import annotations

import runpy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rdflib import Graph

import pantarhei as pr
import pantarhei.repair.repairer as step
from bench.engine import Row, Rows, ontology_of, rdflib_triples
from bench.measuring import Figure, check, cpu_seconds, figure, ratios
from pantarhei.materialize.kernel_values import Lineage
from pantarhei.model.term import Triple
from pantarhei.rdf.ntriples import write_triple
from pantarhei.repair.conflict import Budget, Rank
from pantarhei.repair.cut import Cut, exact_cut

ROOT = Path(__file__).resolve().parents[1]
WINDOW = pr.Window(range=1000)
# Number of the building's readings, and number of facts that the exact repair cuts from them.
BUILDING, CUT = 300_000, 28_545


@dataclass(frozen=True, slots=True)
class Shape:
    """Stream whose last ABox contradicts assertions.

    Args:
        name: the shape of the contradiction.
        ontology: in Turtle.
        aboxes: the ABoxes, one per tick.
        removed: the number of assertions that the last repair removes.
        conflicts: the number of conflict sets; None if there are too many to list.
    """

    name: str
    ontology: str
    aboxes: tuple[Rows, ...]
    removed: int
    conflicts: int | None


def shapes(size: int) -> list[Shape]:
    """Return the shapes, with about `size` assertions each."""
    names = range(size)
    classes = 300
    two = range(size // 2)
    ways = 14
    ring = range(min(size, 60))
    rooms = range(size // 11)
    old = [(f"x{i}", "a", "On") for i in names]
    new: Rows = [(f"x{i}", "a", "Off") for i in names]
    pairs = ":On owl:disjointWith :Off ."
    three = "[ a owl:Class ; owl:intersectionOf ( :A :B :C ) ] rdfs:subClassOf owl:Nothing ."
    proofs = ":A rdfs:subClassOf :H . :B rdfs:subClassOf :H . :H owl:disjointWith :Off ."
    many = "".join(f":A{i} rdfs:subClassOf :C{i} . :B{i} rdfs:subClassOf :C{i} ." for i in range(ways))
    many += f"[ a owl:Class ; owl:intersectionOf ( {' '.join(f':C{i}' for i in range(ways))} ) ] "
    many += "rdfs:subClassOf :All . :All owl:disjointWith :Off ."
    hub = "".join(f":K{i} rdfs:subClassOf :K{i + 1} ." for i in range(classes))
    hub += f":K{classes} owl:disjointWith :Off . :holds a owl:ObjectProperty ; rdfs:domain :K0 ."
    hub += ":at a owl:ObjectProperty ; owl:inverseOf :holds ."
    places = ":at a owl:ObjectProperty , owl:FunctionalProperty ; owl:inverseOf :holds ."
    places += ":holds a owl:ObjectProperty ; rdfs:domain :Occupied . :Occupied owl:disjointWith :Empty ."
    before = ":before a owl:ObjectProperty , owl:TransitiveProperty , owl:IrreflexiveProperty ."
    reports: Rows = [(f"p{i}", "at", "r") for i in names]
    people = [(room, person) for room in rooms for person in range(5)]
    elsewhere: Rows = [(f"p{r}_{p}", "at", f"r{(r + 7) % len(rooms)}") for r, p in people]
    there: Rows = [(f"p{r}_{p}", "at", f"r{r}") for r, p in people]
    empty: Rows = [(f"r{room}", "a", "Empty") for room in rooms]
    edges: list[Row] = [(f"n{i}", "before", f"n{i + 1}") for i in ring]
    closing: Rows = [(f"n{len(ring)}", "before", "n0")]
    either: tuple[Rows, ...] = tuple([("x", "a", f"{letter}{i}") for i in range(ways)] for letter in "AB")
    return [
        Shape("pairs", pairs, (old, new), size, size),
        Shape(
            "three members",
            three,
            ([(f"x{i}", "a", c) for i in two for c in "AB"], [(f"x{i}", "a", "C") for i in two]),
            2 * len(two),
            len(two),
        ),
        Shape(
            "two proofs",
            proofs,
            ([(f"x{i}", "a", c) for i in two for c in "AB"], [(f"x{i}", "a", "Off") for i in two]),
            2 * len(two),
            2 * len(two),
        ),
        Shape("2^14 conflict sets", many, (*either, [("x", "a", "Off")]), 2 * ways, None),
        Shape("hub, 300 classes", hub, (reports, [("r", "a", "Off")]), size, size),
        Shape("hub at one time", hub, ([*reports, ("r", "a", "Off")],), size + 1, size),
        Shape(
            "ties",
            places,
            (elsewhere, [*there, *empty]),
            11 * len(rooms),
            15 * len(rooms),
        ),
        Shape("recursion", before, (*([edge] for edge in edges), closing), 1, 1),
    ]


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per assertion, for each shape and the building."""
    rounds = 3 if quick else 7
    for shape in shapes(220 if quick else 2_200):
        yield from _shape(shape, rounds)
    yield from _building(quick)


def _shape(shape: Shape, rounds: int) -> Iterator[Figure]:
    ontology = ontology_of(shape.ontology)
    *older, last = map(rdflib_triples, shape.aboxes)
    lineages: list[Lineage] = []
    whole = step.exact_cut

    def record_cut(lineage: Lineage, budget: Budget, rank: Rank) -> Cut:
        lineages.append(lineage)
        return whole(lineage, budget, rank)

    pushed = []
    for _ in range(rounds):
        reasoner = pr.StreamReasoner(ontology, WINDOW)
        for at, abox in enumerate(older):
            reasoner.push(at, abox)
        updates: list[pr.WindowUpdate] = []
        pushed.append(cpu_seconds(lambda: _pushed(reasoner, len(older), last, updates)))  # noqa: B023
        (update,) = updates
        check(f"removed, {shape.name}", len(update.repair.removed), shape.removed)
        check(f"undecided, {shape.name}", update.repair.undecided_facts, 0)
        if shape.conflicts is not None:
            check(f"conflicts, {shape.name}", len(update.repair.conflicts), shape.conflicts)
    step.exact_cut = record_cut
    try:
        reasoner = pr.StreamReasoner(ontology, WINDOW)
        for at, abox in enumerate([*older, last]):
            reasoner.push(at, abox)
    finally:
        step.exact_cut = whole
    lineage, repairer = lineages[-1], reasoner._held._repairer
    decided = [cpu_seconds(lambda: exact_cut(lineage, Budget(), repairer._ranked)) for _ in range(rounds)]
    count = sum(map(len, shape.aboxes))
    workload = f"contradictions, {shape.name}"
    yield figure(workload, "push, triples in and out", [1e6 * s / count for s in pushed], "µs an assertion")
    yield figure(workload, "deciding alone", [1e6 * s / count for s in decided], "µs an assertion")


def _pushed(
    reasoner: pr.StreamReasoner, at: int, abox: Sequence[Triple], updates: list[pr.WindowUpdate]
) -> None:
    updates.append(reasoner.push(at, abox))
    for removed in updates[-1].repair.removed:
        write_triple(removed[1])


def _building(quick: bool) -> Iterator[Figure]:
    readings = 30_000 if quick else BUILDING
    ontology = pr.load_ontology(ROOT / "ontologies/building.ttl")
    without = pr.Ontology.from_rules(ontology.rules)
    with TemporaryDirectory(prefix="bench-") as folder:
        generate = runpy.run_path(str(ROOT / "examples/building/generate.py"))["generate"]
        site, stream = generate(readings=readings, sensors=3000, rooms=600)
        background = Graph().parse(data="\n".join(site), format="turtle")
        path = Path(folder, "readings.nq")
        with path.open("w", encoding="utf-8") as out:
            out.writelines(f"{line}\n" for _, lines in stream for line in lines)
        reasoners: list[pr.StreamReasoner] = []

        def run(given: pr.Ontology) -> None:
            reasoner = pr.StreamReasoner(given, pr.Window(range="PT15M"), background=background)
            for _ in reasoner.run(pr.read_stream(path)):
                pass
            reasoners.append(reasoner)

        repaired, plain = [], []
        for _ in range(3):
            repaired.append(cpu_seconds(lambda: run(ontology)))
            plain.append(cpu_seconds(lambda: run(without)))
    stats = reasoners[-2].stats()
    check("undecided in the building", stats.undecided, 0)
    if not quick:
        check("facts cut in the building", stats.cut, CUT)
    workload = "contradictions, building"
    for way, seconds in (("with repair", repaired), ("without constraints", plain)):
        yield figure(workload, way, [1e6 * s / readings for s in seconds], "µs a reading")
    times = ratios(repaired, plain)
    yield figure(workload, "with repair : without constraints", times, "times", at_most=2.0)
    yield Figure(workload, f"facts cut, of {readings:,} readings", stats.cut, "facts")
