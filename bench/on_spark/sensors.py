"""Readings of the devices of an office building, each with a state and a value.

The ontology is ontologies/building.ttl with temperatures: a device that reads 26 degrees or more makes its
room a warm room. Devices, rooms and floors are background. Every second each device reports its state and its
value, two rows. States are those of the room, which change every minute or two; one in ten thousand is
reversed. All values are functions of the second and the device's number; nothing is random.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from rdflib import RDF, XSD, Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.model.term import Triple

ROOT = Path(__file__).resolve().parents[2]
START = datetime(2026, 3, 2, tzinfo=UTC)
TIMESTAMP = pa.timestamp("us", tz="UTC")
SCHEMA = pa.schema(
    {"timestamp": TIMESTAMP, "subject": pa.string(), "predicate": pa.string(), "object": pa.string()}
)

_B = Namespace("http://example.org/building#")
_SITE = Namespace("http://example.org/building/")
_TEMPERATURES = """
    @prefix : <http://example.org/building#> .
    @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    :temperature a owl:DatatypeProperty ; rdfs:domain :Device .
    :WarmDevice a owl:Class ; rdfs:subClassOf :Device .
    :WarmRoom a owl:Class ; rdfs:subClassOf :Room .
    [ a owl:Restriction ; owl:onProperty :temperature ; owl:someValuesFrom [
        a rdfs:Datatype ; owl:onDatatype xsd:decimal ; owl:withRestrictions ( [ xsd:minInclusive 26.0 ] ) ] ]
        rdfs:subClassOf :WarmDevice .
    [ a owl:Restriction ; owl:onProperty :houses ; owl:someValuesFrom :WarmDevice ]
        rdfs:subClassOf :WarmRoom .
"""
# Class of a device, and the states it reports if its room has the observed trait, and if not.
_KINDS = (
    ("MotionSensor", "ActiveMotionSensor", "QuietMotionSensor"),
    ("PeopleCounter", "CounterAboveZero", "CounterAtZero"),
    ("RadiatorValve", "OpenValve", "ClosedValve"),
    ("WindowContact", "OpenWindow", "ClosedWindow"),
    ("MotionSensor", "ActiveMotionSensor", "QuietMotionSensor"),
)
_TRAITS = np.array((0, 0, 1, 2, 0))  # index of the trait that each kind of device observes
_PER_ROOM, _ROOMS_PER_FLOOR = 20, 25
_VALUES = 200  # 10.0 to 29.9 degrees


@dataclass(frozen=True)
class Sensors:
    """Readings of `devices` devices, two rows per second each."""

    devices: int
    rooms: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rooms", -(-self.devices // _PER_ROOM))

    @property
    def rows(self) -> int:
        """Number of rows per second."""
        return 2 * self.devices

    @cached_property
    def ontology(self) -> pr.Ontology:
        graph = Graph().parse(ROOT / "ontologies/building.ttl")
        return pr.load_ontology(graph.parse(data=_TEMPERATURES, format="turtle"), strict=True)

    @cached_property
    def background(self) -> list[Triple]:
        """Places of the devices, with the classes of devices, rooms and floors."""
        return list(self._background())

    def _background(self) -> Iterator[Triple]:
        for floor in range(-(-self.rooms // _ROOMS_PER_FLOOR)):
            yield _SITE[f"floor{floor}"], RDF.type, _B.Floor
        for room in range(self.rooms):
            yield _SITE[f"room{room}"], RDF.type, _B.Room
            yield _SITE[f"room{room}"], _B.partOf, _SITE[f"floor{room // _ROOMS_PER_FLOOR}"]
        for device in range(self.devices):
            yield _SITE[f"device{device}"], RDF.type, _B[_KINDS[device % len(_KINDS)][0]]
            yield _SITE[f"device{device}"], _B.installedIn, _SITE[f"room{device // _PER_ROOM}"]

    def table(self, seconds: range) -> pa.Table:
        """Return the readings of some seconds, in order, as dictionary-encoded strings."""
        count = len(seconds)
        at = np.repeat(np.arange(seconds.start, seconds.stop), self.rows)
        devices = np.tile(np.arange(self.devices), 2 * count)
        predicates = np.tile(np.repeat([0, 1], self.devices), count)
        objects = np.concatenate([part for second in seconds for part in self._objects(second)])
        times = pa.array(int(START.timestamp()) * 1_000_000 + at * 1_000_000, pa.int64()).cast(TIMESTAMP)
        columns = [(devices, self._names), (predicates, self._predicates), (objects, self._reported)]
        encoded = [
            pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), texts)
            for codes, texts in columns
        ]
        return pa.table([times, *encoded], SCHEMA.names)

    def strings(self, seconds: range) -> pa.Table:
        """Return the readings of some seconds as plain strings."""
        return self.table(seconds).cast(SCHEMA)

    def _objects(self, second: int) -> tuple[np.ndarray, np.ndarray]:
        """Return states and values of a second, as indexes into all reported objects."""
        devices, rooms = np.arange(self.devices), np.arange(self.rooms)
        traits = np.stack([(second + 37 * rooms + 11 * i) // (60 + 7 * i + rooms % 60) % 2 for i in range(3)])
        kinds = devices % len(_KINDS)
        so = traits[_TRAITS[kinds], devices // _PER_ROOM] == 1
        so ^= (devices * 7919 + second * 104_729) % 10_000 == 0
        values = 2 * len(_KINDS) + (31 * devices + (second + devices) // 10) % _VALUES
        return 2 * kinds + ~so, values

    @cached_property
    def _names(self) -> pa.Array:
        return pa.array([_SITE[f"device{device}"].n3() for device in range(self.devices)])

    @cached_property
    def _predicates(self) -> pa.Array:
        return pa.array([RDF.type.n3(), _B.temperature.n3()])

    @cached_property
    def _reported(self) -> pa.Array:
        """All reported objects: the states, then the values."""
        states = [_B[state].n3() for _, *both in _KINDS for state in both]
        values = [Literal(f"{10 + i / 10:.1f}", datatype=XSD.decimal).n3() for i in range(_VALUES)]
        return pa.array(states + values)
