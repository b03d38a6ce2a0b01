"""Streams with contradictions, of any size, each from one seed: those of the examples and three more.

The plant is the reactor with many vessels, the faculty is defined in faculty.py, and the tower uses Brick.
"""

from __future__ import annotations

import csv
import heapq
import itertools
import random
import runpy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from rdflib import Graph

import pantarhei as pr
from brick_building import brick_file
from faculty import AXIOMS, FACULTY, QUERIES, Fact, Faculty

ROOT = Path(__file__).resolve().parents[1]
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
PREFIXES = """
    @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    """


@dataclass(frozen=True, eq=False)
class Stream:
    """Ontology with a stream.

    Args:
        ontology: the axioms.
        window: the window over the stream.
        read: function that reads the ABoxes from their file.
        background: facts that hold at every time.
        queries: SPARQL queries over the window.
        steps: the number of ABoxes; None for all of the file.
        options: further options of its reasoners.
    """

    ontology: pr.Ontology
    window: pr.Window
    read: Callable[[], Iterable[pr.TimestampedABox]]
    background: Graph | None = None
    queries: tuple[str, ...] = ()
    steps: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def aboxes(self) -> list[pr.TimestampedABox]:
        """The ABoxes, oldest first."""
        return list(self.from_file())

    def from_file(self) -> Iterator[pr.TimestampedABox]:
        """Read the ABoxes from their file."""
        return itertools.islice(self.read(), self.steps)

    def first(self, steps: int) -> Stream:
        """Return the stream of the first ABoxes only."""
        return replace(self, steps=steps)


def of_file(ontology: pr.Ontology, window: pr.Window, file: Path, **more: Any) -> Stream:
    """Return the stream in a file of triples."""
    return Stream(ontology, window, lambda: pr.read_stream(file), **more)


def quad(base: str, fact: Fact, at: object) -> str:
    """Return a fact as a line of N-Quads. Terms in angle brackets or quotation marks stay as they are."""
    subject, property_, object_ = fact
    predicate = RDF_TYPE if property_ == "a" else f"<{base}{property_}>"
    written = object_ if object_[0] in '<"' else f"<{base}{object_}>"
    return f"<{base}{subject}> {predicate} {written} <urn:at:{at}> .\n"


def write(file: Path, base: str, messages: Iterable[tuple[object, Iterable[Fact]]]) -> Path:
    """Write messages with their timestamps as N-Quads; return the file."""
    with file.open("w") as out:
        out.writelines(quad(base, fact, at) for at, message in messages for fact in message)
    return file


def turtle(base: str, text: str) -> Graph:
    """Parse Turtle with the usual prefixes."""
    return Graph().parse(data=f"@prefix : <{base}> .{PREFIXES}{text}")


def until(size: int, messages: Iterator[list[Fact]]) -> Iterator[list[Fact]]:
    """Yield messages until they contain `size` facts together."""
    while size > 0:
        message = next(messages)[:size]
        size -= len(message)
        yield message


# -- the examples ----------------------------------------------------------------------------------


def example_queries(name: str) -> tuple[str, ...]:
    """Read the query of an example, and the queries in its folder of queries."""
    folder = ROOT / "examples" / name
    return tuple(
        path.read_text() for path in [*folder.glob("query.rq"), *sorted(folder.glob("queries/*.rq"))]
    )


def example_ontology(name: str) -> pr.Ontology:
    """Load the ontology of an example."""
    return pr.load_ontology(ROOT / "ontologies" / f"{name}.ttl")


def small_example(name: str, file: str, window: pr.Window) -> Stream:
    """Return the stream that is stored with an example."""
    path = ROOT / "examples" / name / file
    return of_file(example_ontology(name), window, path, queries=example_queries(name))


def building(folder: Path, readings: int, sensors: int = 100, rooms: int = 30) -> Stream:
    """Generate reports of the devices in an office building, a message per minute."""
    generate = runpy.run_path(str(ROOT / "examples" / "building" / "generate.py"))["generate"]
    site, minutes = generate(readings=readings, sensors=sensors, rooms=rooms)
    file = folder / f"building-{readings}-{sensors}.nq"
    with file.open("w") as out:
        out.writelines(f"{line}\n" for _, lines in minutes for line in lines)
    background = Graph().parse(data="\n".join(site))
    ontology, queries = example_ontology("building"), example_queries("building")
    return of_file(ontology, pr.Window(range="PT15M"), file, background=background, queries=queries)


def table(
    name: str, folder: Path, columns: Iterable[str], rows: Iterable[Iterable[object]], window: pr.Window
) -> Stream:
    """Write a table as CSV; return its stream by the mapping of an example."""
    rows = list(rows)
    file, mapping = folder / f"{name}-{len(rows)}.csv", ROOT / "examples" / name / "mapping.yaml"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([columns, *rows])
    ontology, queries = example_ontology(name), example_queries(name)
    return Stream(ontology, window, lambda: pr.read_records(file, mapping), queries=queries)


def parking(folder: Path, minutes: int, cities: int = 1) -> Stream:
    """Generate counts of cars and attendants' reports in garages; in some minutes two attendants disagree."""
    made = runpy.run_path(str(ROOT / "examples" / "parking" / "generate.py"))
    of_cities = [
        [(at, f"{garage}{city}", *more) for at, garage, *more in made["rows"](city, minutes)]
        for city in range(cities)
    ]
    choose, rows = random.Random(3), []
    for row in heapq.merge(*of_cities, key=lambda row: row[0]):
        rows.append(row)
        if row[-1] and choose.random() < 0.3:
            rows.append((*row[:-1], "Full" if row[-1] == "Available" else "Available"))
    return table("parking", folder, made["COLUMNS"], rows, pr.Window("PT10M"))


def air(folder: Path, hours: int) -> Stream:
    """Generate levels of gases at stations; each level replaces an older one."""
    made = runpy.run_path(str(ROOT / "examples" / "air" / "generate.py"))
    return table("air", folder, made["COLUMNS"], made["rows"](7, hours), pr.Window("PT1H"))


def machine(folder: Path, minutes: int) -> Stream:
    """Generate temperatures of the parts of a machine; each replaces an older one."""
    made = runpy.run_path(str(ROOT / "examples" / "machine" / "generate.py"))
    columns = ("time", "machine", *made["PARTS"])
    return table("machine", folder, columns, made["rows"](7, minutes), pr.Window("PT10M"))


def site(folder: Path, minutes: int) -> Stream:
    """Generate temperatures in fridges; each replaces an older one."""
    example = ROOT / "examples" / "site"
    made = runpy.run_path(str(example / "generate.py"))
    file = folder / "site.nq"
    file.write_text("".join(f"{made['quad'](*row)}\n" for row in made["rows"](7, minutes)))
    ontology, background = pr.load_ontology(example / "vendor.ttl"), Graph().parse(example / "site.ttl")
    given: dict[str, Any] = {"background": background, "queries": example_queries("site")}
    return of_file(ontology, pr.Window("PT10M"), file, options={"numbers": "by_value"}, **given)


# -- a plant with many of the reactor's vessels ----------------------------------------------------

REACTOR = "http://example.org/reactor#"
LEVELS, PUMPS = ("low", "normal", "high"), ("RunningPump", "StoppedPump")
POSITIONS, MODES = ("open", "closed"), ("automatic", "manual", "remote")


def plant(folder: Path, size: int, vessels: int) -> Stream:
    """Generate reports of vessels with three probes each. Some are wrong, and some contradict their own
    message.

    The relief valve of a hot vessel with a stopped pump is open, so three reports can contradict one another.
    """
    lines = []
    for each in range(vessels):
        lines.append(
            f":v{each} :partOf :unit2 . :pump{each} :drives :loop{each} . :loop{each} :cools :v{each} ."
        )
        lines += (f":probe{each}{letter} :measures :v{each} ." for letter in "ABC")
    choose = random.Random(vessels)
    state = [("normal", PUMPS[0], "closed", MODES[0])] * vessels
    messages = until(size, (list(_reports(choose, state)) for _ in itertools.count()))
    file = write(folder / f"plant-{size}.nq", REACTOR, enumerate(messages))
    query, background = example_queries("reactor"), turtle(REACTOR, "\n".join(lines))
    return of_file(example_ontology("reactor"), pr.Window(6), file, background=background, queries=query)


def _reports(choose: random.Random, state: list[tuple[str, str, str, str]]) -> Iterator[Fact]:
    """Yield the reports of one message, and change the state of some vessels."""
    choices = (LEVELS, PUMPS, POSITIONS, MODES)
    for each, (level, pump, position, mode) in enumerate(state):
        for letter in "ABC":
            if choose.random() < 0.3:
                read = level if choose.random() < 0.9 else choose.choice(LEVELS)
                yield f"probe{each}{letter}", "reads", read
        for subject, property_, true, possible in (
            (f"pump{each}", "a", pump, PUMPS),
            (f"v{each}", "reliefPosition", position, POSITIONS),
            (f"v{each}", "controlMode", mode, MODES),
        ):
            if choose.random() < 0.2:
                yield subject, property_, true
                if choose.random() < 0.1:
                    yield subject, property_, choose.choice(possible)
        if choose.random() < 0.15:
            changed, place = [level, pump, position, mode], choose.randrange(4)
            changed[place] = choose.choice(choices[place])
            state[each] = (changed[0], changed[1], changed[2], changed[3])


# -- a faculty -------------------------------------------------------------------------------------


def faculty(folder: Path, size: int, facts: int, seed: int = 5) -> Stream:
    """Generate units, people and courses of universities, with ties and repetitions; `facts` per message."""
    made = Faculty(seed, facts)
    file = write(folder / f"faculty-{size}-{seed}.nq", FACULTY, enumerate(until(size, made.messages())))
    ontology, background = pr.load_ontology(turtle(FACULTY, AXIOMS)), turtle(FACULTY, made.background)
    return of_file(ontology, pr.Window(5), file, background=background, queries=QUERIES)


# -- a tower in the words of Brick -----------------------------------------------------------------

BRICK, TOWER = "https://brickschema.org/schema/Brick#", "http://example.org/tower#"
TOWER_AXIOMS = f"""
    @prefix brick: <{BRICK}> .
    <http://example.org/tower> a owl:Ontology .
    :TemperaturePoint owl:equivalentClass brick:Temperature_Sensor .
    [] a owl:AllDisjointClasses ; owl:members ( :TemperaturePoint brick:CO2_Sensor brick:Occupancy_Sensor ) .
    :isPointOf a owl:ObjectProperty , owl:FunctionalProperty ; rdfs:subPropertyOf brick:isPointOf .
    :hasLocation a owl:ObjectProperty , owl:FunctionalProperty ; rdfs:subPropertyOf brick:hasLocation .
    :reading a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:range xsd:decimal .
    :feeds a owl:ObjectProperty , owl:AsymmetricProperty , owl:IrreflexiveProperty ;
        rdfs:subPropertyOf brick:feeds .
    :Watched owl:disjointWith :Private .
    [ a owl:Restriction ; owl:onProperty brick:isLocationOf ; owl:someValuesFrom :Watching ]
        rdfs:subClassOf :Watched .
    [ a owl:Restriction ; owl:onProperty brick:hasPoint ; owl:someValuesFrom brick:Occupancy_Sensor ]
        rdfs:subClassOf :Watching .
    """
TOWER_QUERIES = (
    "SELECT ?point ?box ?value { ?point brick:isPointOf ?box ; :reading ?value }",
    "SELECT ?room { ?room a :Watched }",
    "SELECT ?box (COUNT(?point) AS ?many) { ?box brick:hasPoint ?point . ?point a brick:Sensor }"
    " GROUP BY ?box",
)
SENSORS = (
    "Zone_Air_Temperature_Sensor",
    "CO2_Level_Sensor",
    "Occupancy_Sensor",
    "Zone_Air_Temperature_Setpoint",
)


def tower(folder: Path, size: int, boxes: int) -> Stream:
    """Generate points and boxes of a building in the vocabulary of Brick, from the package brickschema."""
    messages = until(size, _tower_messages(random.Random(boxes), boxes))
    file = write(folder / f"tower-{size}.nq", TOWER, enumerate(messages))
    prefixes = f"PREFIX : <{TOWER}> PREFIX brick: <{BRICK}> "
    rooms = f"@prefix brick: <{BRICK}> ." + " ".join(
        f":room{n} a brick:Room ; brick:isPartOf :floor{n // 8} . :floor{n // 8} a brick:Floor ."
        for n in range(boxes)
    )
    ontology = pr.load_ontology([brick_file("1.4"), turtle(TOWER, TOWER_AXIOMS)], imports="skip")
    queries = tuple(prefixes + text for text in TOWER_QUERIES)
    return of_file(ontology, pr.Window(5), file, background=turtle(TOWER, rooms), queries=queries)


def _tower_messages(choose: random.Random, boxes: int) -> Iterator[list[Fact]]:
    """Yield an infinite sequence of messages. One box in ten has two facts in a message."""
    while True:
        message: dict[Fact, None] = {}
        for box in range(boxes):
            for _ in range(2 if choose.random() < 0.1 else 1):
                message[_of_box(choose, box, boxes)] = None
        yield list(message)


def _of_box(choose: random.Random, box: int, boxes: int) -> Fact:
    """Return a fact about a box, its points or its room."""
    number = choose.randrange(4)
    point = f"point{box}-{number}"
    chance = choose.random()
    if chance < 0.25:
        wrong = choose.random() < 0.1
        return point, "a", f"<{BRICK}{choose.choice(SENSORS) if wrong else SENSORS[number]}>"
    if chance < 0.45:
        other = (box + 1) % boxes if choose.random() < 0.15 else box
        return point, "isPointOf", f"box{other}"
    if chance < 0.6:
        return f"box{box}", "hasLocation", f"room{(box + choose.choice((0, 0, 0, 1))) % boxes}"
    if chance < 0.7:
        return f"room{box}", "a", "Private"
    if chance < 0.8:
        ends = f"box{box}", f"box{(box + 1) % boxes}"
        return (ends[0], "feeds", ends[1]) if choose.random() < 0.9 else (ends[1], "feeds", ends[0])
    decimal = f'"{choose.randrange(150, 250) / 10}"^^<http://www.w3.org/2001/XMLSchema#decimal>'
    return point, "reading", decimal


# -- all streams ----------------------------------------------------------------------------------------

STREAMS: dict[str, Callable[[Path], Stream]] = {
    "building": lambda folder: building(folder, 1_000),
    "plant": lambda folder: plant(folder, 1_000, vessels=20),
    "faculty": lambda folder: faculty(folder, 1_000, facts=40),
    "parking": lambda folder: parking(folder, 60, cities=4),
    "tower": lambda folder: tower(folder, 1_000, boxes=40),
    "pedals": lambda _: small_example("pedals", "stream.trig", pr.Window(4)),
    "cooling": lambda _: small_example("cooling", "stream.trig", pr.Window(4)),
    "reactor": lambda _: small_example("reactor", "stream.trig", pr.Window("PT1M")),
    "reactor, a shift": lambda _: small_example("reactor", "shift.trig", pr.Window("PT1M", slide="PT30S")),
    "air": lambda folder: air(folder, 9),
    "machine": lambda folder: machine(folder, 90),
    "site": lambda folder: site(folder, 60),
    "building, 10 k": lambda folder: building(folder, 10_000, sensors=1000, rooms=200),
    "plant, 6 k": lambda folder: plant(folder, 6_000, vessels=600),
    "plant, 10 k": lambda folder: plant(folder, 10_000, vessels=100),
    "faculty, 10 k": lambda folder: faculty(folder, 10_000, facts=200),
    "parking, 10 k": lambda folder: parking(folder, 240, cities=12),
    "air, 10 k": lambda folder: air(folder, 144),
    "tower, 10 k": lambda folder: tower(folder, 10_000, boxes=200),
    "building, 100 k": lambda folder: building(folder, 100_000, sensors=3000, rooms=600),
    "plant, 100 k": lambda folder: plant(folder, 100_000, vessels=500),
    "faculty, 100 k": lambda folder: faculty(folder, 100_000, facts=1000),
    "building, 300 k": lambda folder: building(folder, 300_000, sensors=3000, rooms=600),
}
"""Streams by name, written into a folder; those without a size in their name have 1,000 facts or fewer."""


class Streams:
    """Streams by name; the two used last are cached.

    Args:
        folder: the folder of their files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._kept = folder, dict[str, Stream]()

    def __getitem__(self, name: str) -> Stream:
        if name not in self._kept:
            if len(self._kept) == 2:
                del self._kept[next(iter(self._kept))]
            self._kept[name] = STREAMS[name](self._folder)
        return self._kept[name]
