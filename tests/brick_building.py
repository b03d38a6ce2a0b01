"""Files of Brick, the module of Brick that given data need, and generated buildings, all from one seed.

The files are those of the package brickschema, which is not imported, since it would import its own
reasoners.
"""

from __future__ import annotations

import random
from importlib.util import find_spec
from pathlib import Path

from rdflib import OWL, RDF, RDFS, XSD, BNode, Literal, Namespace

BRICK = Namespace("https://brickschema.org/schema/Brick#")
B = Namespace("http://example.org/tower#")

# Predicates that describe the name in their subject position; the first also describes its object.
BOTH_WAYS = frozenset({OWL.equivalentClass, OWL.equivalentProperty, OWL.inverseOf, OWL.disjointWith})
LOGICAL = BOTH_WAYS | {RDFS.subClassOf, RDFS.subPropertyOf, RDFS.domain, RDFS.range}
TRAITS = frozenset({OWL.SymmetricProperty, OWL.AsymmetricProperty, OWL.IrreflexiveProperty})
DECLARED = frozenset({OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty})


def brick_file(version):
    """Return the path of a version of Brick, or None if the package is not installed."""
    package = find_spec("brickschema")
    if package is None or package.origin is None:
        return None
    return Path(package.origin).parent / "ontologies" / version / "Brick.ttl"


def module(ontology, data):
    """Return the axioms of `ontology` on the classes and properties of `data`, and recursively on those in
    these axioms.

    Only axioms between names are followed; the data of such a building need no others of Brick.
    """
    axioms = [(s, p, o) for s, p, o in ontology if p in LOGICAL and not isinstance(o, BNode)]
    by_name = {}
    for s, p, o in axioms:
        by_name.setdefault(s, []).append((s, p, o))
        if p in BOTH_WAYS:
            by_name.setdefault(o, []).append((s, p, o))
    waiting = {p for _, p, _ in data} | {o for _, p, o in data if p == RDF.type}
    names, chosen = set(), set()
    while waiting:
        name = waiting.pop()
        names.add(name)
        chosen.update(by_name.get(name, ()))
        waiting |= {end for s, _, o in by_name.get(name, ()) for end in (s, o)} - names
    typed = {t for t in ontology if t[0] in names and t[1] == RDF.type and t[2] in TRAITS | DECLARED}
    return chosen | typed


class Building:
    """Triples of one building; about 125 for each floor."""

    def __init__(self, seed, floors=20, rooms=8):
        self.random = random.Random(seed)
        self.rooms = rooms
        self.triples = set()
        self.add(B.tower, RDF.type, BRICK.Building)
        self.add(B.plant, RDF.type, BRICK.Chiller)
        self.add(B.meter, RDF.type, BRICK.Electrical_Meter)
        self.add(B.meter, BRICK.meters, B.tower)
        for number in range(floors):
            self.floor(B[f"floor{number}"])

    def add(self, subject, predicate, object_):
        self.triples.add((subject, predicate, object_))

    def either(self, first, forwards, second, backwards):
        """Add a triple with one of two inverse properties."""
        if self.random.random() < 0.5:
            self.add(first, forwards, second)
        else:
            self.add(second, backwards, first)

    def floor(self, floor):
        handler, submeter = B[f"{floor[len(B) :]}-handler"], B[f"{floor[len(B) :]}-meter"]
        self.add(floor, RDF.type, BRICK.Floor)
        self.either(B.tower, BRICK.hasPart, floor, BRICK.isPartOf)
        self.add(handler, RDF.type, self.random.choice((BRICK.AHU, BRICK.Air_Handler_Unit, BRICK.RTU)))
        self.add(submeter, RDF.type, BRICK.Building_Electrical_Meter)
        self.either(B.meter, BRICK.hasSubMeter, submeter, BRICK.isSubMeterOf)
        self.either(B.plant, BRICK.feeds, handler, BRICK.isFedBy)
        self.points(handler, (BRICK.Supply_Air_Temperature_Sensor, BRICK.Supply_Fan, BRICK.Fan_Status))
        for number in range(self.rooms):
            self.room(B[f"{floor[len(B) :]}-room{number}"], floor, handler)

    def room(self, room, floor, handler):
        name = room[len(B) :]
        box, zone = B[f"{name}-box"], B[f"{name}-zone"]
        kinds = (BRICK.Office, BRICK.Conference_Room, BRICK.Laboratory, BRICK.Copy_Room)
        self.add(room, RDF.type, self.random.choice(kinds))
        self.either(floor, BRICK.hasPart, room, BRICK.isPartOf)
        self.add(box, RDF.type, self.random.choice((BRICK.VAV, BRICK.RVAV, BRICK.Fan_Coil_Unit)))
        self.either(handler, BRICK.feeds, box, BRICK.isFedBy)
        self.add(zone, RDF.type, BRICK.HVAC_Zone)
        self.either(box, BRICK.feeds, zone, BRICK.isFedBy)
        self.either(zone, BRICK.hasPart, room, BRICK.isPartOf)
        self.either(box, BRICK.hasLocation, room, BRICK.isLocationOf)
        sensors = (BRICK.Zone_Air_Temperature_Sensor, BRICK.CO2_Level_Sensor, BRICK.Occupancy_Sensor)
        setpoints = (BRICK.Zone_Air_Temperature_Setpoint, BRICK.Occupied_Cooling_Temperature_Setpoint)
        self.points(box, (self.random.choice(sensors), self.random.choice(setpoints)))

    def points(self, equipment, kinds):
        for number, kind in enumerate(kinds):
            point = B[f"{equipment[len(B) :]}-point{number}"]
            self.add(point, RDF.type, kind)
            if number:
                self.either(equipment, BRICK.hasPoint, point, BRICK.isPointOf)
            else:
                self.add(point, BRICK.isPointOf, equipment)
            value = self.random.randrange(150, 250) / 10
            self.add(point, BRICK.value, Literal(str(value), datatype=XSD.decimal))
