"""Driver cost per reading: pushing the ABox as Spark delivers it, or its interpretation made by an executor.

One reasoner is pushed the Arrow table of strings that `toArrow` returns; the other is pushed the
interpretations decoded from blocks (`push_materialized`), decoding included. The executors' work is not
counted. Each of three
streams has variants: changing (new facts over known names), repeating (the window holds the facts already)
and, where names can be new, fresh. The driver's cost of a new term is measured separately.

- sensors: the readings of on_spark/sensors.py, with few consequences each.
- tree: classes in chains of ten, properties in chains of five with inverses, and a property chain over
  places; about twenty facts follow from two assertions.
- Brick: points of a building by Brick 1.4, each with its class and its equipment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
from rdflib import RDF, XSD, Graph, Namespace

import pantarhei as pr
from bench.engine import SPACE, Rows, ontology_of, plain_table, rdflib_triples
from bench.measuring import Figure, check, cpu_seconds, figure, ratios
from bench.on_spark.sensors import SCHEMA, Sensors
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.term import Place, Triple

READINGS = 1_000  # per tick
WINDOW = 20
BATCH = 5  # ticks per micro-batch
TURN = 40  # ticks after which changing readings recur

_TREES, _DEPTH, _LINKS = 40, 10, 5
_TREE = (
    "\n".join(
        f":C{tree}-{level} rdfs:subClassOf :C{tree}-{level + 1} ."
        for tree in range(_TREES)
        for level in range(_DEPTH)
    )
    + "\n".join(
        f":p{link} a owl:ObjectProperty ; rdfs:subPropertyOf :p{link + 1} . :q{link} owl:inverseOf :p{link} ."
        for link in range(_LINKS)
    )
    + "\n:in a owl:ObjectProperty . :seen a owl:ObjectProperty ; owl:propertyChainAxiom ( :p0 :in ) ."
    + "\n:seen rdfs:subPropertyOf :seenNear . :seenNear owl:inverseOf :sees ."
)
_BRICK = Namespace("https://brickschema.org/schema/Brick#")
_POINTS = (
    "Zone_Air_Temperature_Sensor",
    "CO2_Level_Sensor",
    "Occupancy_Sensor",
    "Supply_Air_Temperature_Sensor",
    "Zone_Air_Temperature_Setpoint",
    "Occupied_Cooling_Temperature_Setpoint",
    "Fan_Status",
    "Damper_Position_Command",
)
_BOXES = 400


@dataclass(frozen=True)
class Stream:
    """Ontology, background, and the ABox of each tick as a table of strings."""

    name: str
    ontology: pr.Ontology
    background: list[Triple]
    table: Callable[[int], pa.Table]
    at_most: float | None = None

    @cached_property
    def foundation(self) -> Foundation:
        return Foundation.of(self.ontology, self.background)


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per row, and the ratio of the two methods."""
    for stream in streams():
        yield from _compare(stream, 3 if quick else 7)
    yield from _interning(10_000 if quick else 100_000)


def streams() -> Iterator[Stream]:
    """Yield the streams; Brick's only if the package brickschema is installed."""
    sensors = Sensors(READINGS // 2)

    def readings(tick: int) -> pa.Table:
        return sensors.strings(range(tick, tick + 1)).drop_columns(["timestamp"])

    known = sensors.ontology, sensors.background
    yield Stream("sensors, changing", *known, readings)
    yield Stream("sensors, repeating", *known, lambda _: readings(0))
    tree = ontology_of(_TREE)
    places = rdflib_triples([(f"sensor{i}", "in", f"room{i % 100}") for i in range(1000)])
    yield Stream("tree, changing", tree, places, lambda tick: _tree_table(tick % TURN), at_most=0.5)
    yield Stream("tree, repeating", tree, places, lambda _: _tree_table(0))
    yield Stream("tree, fresh", tree, places, _tree_table, at_most=0.5)
    if (path := _brick()) is not None:
        brick = pr.load_ontology(Graph().parse(path), imports="skip")
        yield Stream("Brick, changing", brick, _boxes(), lambda tick: _brick_table(tick % TURN), at_most=0.5)
        yield Stream("Brick, repeating", brick, _boxes(), lambda _: _brick_table(0))
        yield Stream("Brick, fresh", brick, _boxes(), _brick_table, at_most=0.5)


def _tree_table(tick: int) -> pa.Table:
    rows: Rows = []
    for number in range(READINGS // 2):
        name = f"reading{tick}-{number}"
        rows += [
            (name, "a", f"C{(tick + number) % _TREES}-0"),
            (name, "p0", f"sensor{(7 * tick + number) % 1000}"),
        ]
    return plain_table(rows)


def _brick() -> Path | None:
    package = find_spec("brickschema")
    if package is None or package.origin is None:
        return None
    return Path(package.origin).parent / "ontologies" / "1.4" / "Brick.ttl"


def _boxes() -> list[Triple]:
    space = Namespace(SPACE)
    triples: list[Triple] = [(space.handler, RDF.type, _BRICK.AHU)]
    for number in range(_BOXES):
        box, room = space[f"box{number}"], space[f"room{number}"]
        triples += [
            (box, RDF.type, _BRICK.VAV),
            (space.handler, _BRICK.feeds, box),
            (room, RDF.type, _BRICK.Office),
            (box, _BRICK.hasLocation, room),
        ]
    return triples


def _brick_table(tick: int) -> pa.Table:
    names = [f"<{SPACE}point{tick}-{number}>" for number in range(READINGS // 2)]
    classes = [f"<{_BRICK}{_POINTS[(tick + n) % len(_POINTS)]}>" for n in range(len(names))]
    boxes = [f"<{SPACE}box{(7 * tick + n) % _BOXES}>" for n in range(len(names))]
    types, links = [RDF.type.n3()] * len(names), [_BRICK.isPointOf.n3()] * len(names)
    return pa.table([names * 2, types + links, classes + boxes], SCHEMA.names[1:])


def _compare(stream: Stream, rounds: int) -> Iterator[Figure]:
    raw, closed = (
        pr.StreamReasoner(stream.ontology, pr.Window(range=WINDOW), stream.background) for _ in range(2)
    )
    worker = ABoxMaterializer(Foundation.of(stream.ontology, stream.background))
    table = lru_cache(maxsize=2 * BATCH)(stream.table)
    samples: dict[str, list[float]] = {"push": [], "push_materialized": []}
    facts, warm = 0, (TURN + WINDOW) // BATCH
    for number in range(warm + rounds):
        ticks = range(number * BATCH, (number + 1) * BATCH)
        tables = [(tick, table(tick)) for tick in ticks]
        blocks = _blocks(worker, tables)
        seconds = (
            cpu_seconds(lambda: [raw.push(at, rows) for at, rows in tables]),  # noqa: B023
            cpu_seconds(lambda: _push_blocks(closed, blocks)),  # noqa: B023
        )
        if number >= warm:
            for name, each in zip(samples, seconds, strict=True):
                samples[name].append(1e6 * each / (BATCH * READINGS))
            facts += sum(len(worker.materialize(rows).facts) for _, rows in tables)
    check(f"{stream.name}: facts", closed.materialization() == raw.materialization(), True)
    check(f"{stream.name}: assertions", closed.assertions() == raw.assertions(), True)
    for name, each in samples.items():
        yield figure(stream.name, name, each, "µs a row")
    times = ratios(samples["push_materialized"], samples["push"])
    yield figure(stream.name, "push_materialized : push", times, "times", at_most=stream.at_most)
    each_row = facts / (rounds * BATCH * READINGS)
    yield Figure(stream.name, "facts in an interpretation", each_row, "a row")


def _interning(count: int) -> Iterator[Figure]:
    """Yield the driver's cost of encoding a term from N-Triples syntax, for new and for known terms."""
    vocabulary = Foundation.of(ontology_of(":C rdfs:subClassOf :D .")).vocabulary
    texts: dict[str, tuple[Place, Callable[[int, int], str]]] = {
        "IRI": (Place.SUBJECT, lambda turn, n: f"<{SPACE}reading{turn}-{n}>"),
        "decimal": (Place.OBJECT, lambda turn, n: f'"{turn}{n:06}.5"^^<{XSD.decimal}>'),
        "string": (Place.OBJECT, lambda turn, n: f'"reading {turn} of {n}"'),
    }
    for name, (place, text) in texts.items():
        first, second, later = [], [], []
        for turn in range(1, 4):
            given = [text(turn, number) for number in range(count)]
            for samples in (first, second, later):
                seconds = cpu_seconds(lambda: vocabulary.numbers_of(given, place, ""))  # noqa: B023
                samples.append(1e6 * seconds / count)
        yield figure("interning", f"{name}, new", first, "µs a term")
        yield figure("interning", f"{name}, the second time", second, "µs a term")
        yield figure("interning", f"{name}, known", later, "µs a term")


def _blocks(worker: ABoxMaterializer, tables: list[tuple[int, pa.Table]]) -> pa.Table:
    """Return the blocks that executors make of ABoxes, as Spark delivers them to the driver."""
    from pyspark.sql.types import LongType

    from pantarhei.spark.versions import schema_to_arrow
    from pantarhei.spark.worker import BlockWriter, block_schema

    write = BlockWriter(schema_to_arrow(block_schema(LongType())))
    made = [(at, next(worker.materialize_parts(rows, [0, len(rows)], False))) for at, rows in tables]
    return pa.concat_tables([write(pa.scalar(at, pa.int64()), each, None) for at, each in made])


def _push_blocks(reasoner: pr.StreamReasoner, blocks: pa.Table) -> None:
    from pantarhei.model.time import TimeKind
    from pantarhei.spark.worker import read_blocks

    for each in read_blocks(blocks, TimeKind.INTEGER):
        reasoner.push_materialized(each.at, each.interpretation)
