"""Generated data sets as columns: terms as texts in N-Triples syntax, triples as rows of three numbers.

The universities are of our own design, for `ontologies/university.ttl`: some 800 triples for each department.
The buildings are on Brick 1.4, some 125 triples for each floor. Both come from one seed, in numpy, a million
triples in a few seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from rdflib import RDF, XSD

Ids = npt.NDArray[np.int64]
UNIVERSITY = "http://example.org/university#"
BRICK = "https://brickschema.org/schema/Brick#"
CAMPUS = "http://example.org/campus#"
TYPE = RDF.type.n3()
GRAPH = "<http://example.org/at/0>"  # the time of all data


@dataclass(frozen=True, slots=True)
class Dataset:
    """Distinct triples; `rows` has subject, predicate and object as positions in `terms`."""

    terms: Sequence[str]
    rows: Ids

    def table(self) -> pa.Table:
        """The triples as dictionary-encoded Arrow columns."""
        terms, names = pa.array(self.terms, pa.string()), ("subject", "predicate", "object")
        columns = [
            pa.DictionaryArray.from_arrays(pa.array(column, pa.int32()), terms) for column in self.rows.T
        ]
        return pa.table([column.cast(pa.string()).dictionary_encode() for column in columns], list(names))

    def write_ntriples(self, path: Path) -> None:
        """Write the triples as N-Triples, which is Turtle too."""
        self._write(path, " .\n")

    def write_nquads(self, path: Path) -> None:
        """Write the triples as N-Quads in the graph of time 0."""
        self._write(path, f" {GRAPH} .\n")

    def _write(self, path: Path, end: str) -> None:
        terms = pa.array(self.terms, pa.large_string())
        columns = [terms.take(pa.array(column)) for column in self.rows.T]
        space, nothing, last = (pa.scalar(text, pa.large_string()) for text in (" ", "", end))
        lines = pc.binary_join_element_wise(*columns, space)
        lines = pc.binary_join_element_wise(lines, last, nothing)
        with path.open("wb") as file:
            for start in range(0, len(lines), 1 << 18):
                file.write("".join(lines[start : start + (1 << 18)].to_pylist()).encode())

    def individuals(self) -> set[str]:
        """The names that the data is about."""
        subjects, predicates, objects = self.rows.T
        named = np.unique(np.concatenate([subjects, objects[predicates != self.terms.index(TYPE)]]))
        return {self.terms[i] for i in named.tolist() if not self.terms[i].startswith('"')}


class _Writer:
    """Numbers terms and collects columns of triples."""

    def __init__(self, namespace: str, vocabulary: str, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.namespace, self.vocabulary = namespace, vocabulary
        self.terms: list[str] = []
        self._words: dict[str, int] = {}
        self._parts: list[Ids] = []

    def fresh(self, kind: str, count: int) -> Ids:
        """`count` individuals."""
        start = len(self.terms)
        self.terms += [f"<{self.namespace}{kind}{number}>" for number in range(count)]
        return np.arange(start, start + count)

    def literals(self, texts: Sequence[str]) -> Ids:
        """Distinct literals."""
        start = len(self.terms)
        self.terms += texts
        return np.arange(start, start + len(texts))

    def word(self, name: str) -> int:
        """A class or property of the vocabulary; "a" is rdf:type."""
        if name not in self._words:
            self._words[name] = len(self.terms)
            self.terms.append(TYPE if name == "a" else f"<{self.vocabulary}{name}>")
        return self._words[name]

    def say(self, subjects: Ids, predicate: str, objects: Ids | str | int) -> None:
        """A triple for each subject; the object is one for all, or one for each."""
        what = self.word(objects) if isinstance(objects, str) else objects
        triples = np.empty((len(subjects), 3), np.int64)
        triples[:, 0], triples[:, 1], triples[:, 2] = subjects, self.word(predicate), what
        self._parts.append(triples)

    def either(self, first: Ids, forwards: str, second: Ids, backwards: str) -> None:
        """One of two properties that are each other's inverse."""
        chosen = self.random.random(len(first)) < 0.5
        self.say(first[chosen], forwards, second[chosen])
        self.say(second[~chosen], backwards, first[~chosen])

    def kinds(self, subjects: Ids, classes: Sequence[str]) -> None:
        """A class at random for each subject."""
        chosen = self.random.integers(len(classes), size=len(subjects))
        for number, name in enumerate(classes):
            self.say(subjects[chosen == number], "a", name)

    def one_of(self, groups: Ids, owners: Ids) -> Ids:
        """For each owner one at random of its group, a row of `groups`."""
        return groups[owners, self.random.integers(groups.shape[1], size=len(owners))]

    def dataset(self) -> Dataset:
        """The distinct triples, ordered by subject, as dumps are."""
        rows = np.concatenate(self._parts)
        size = len(self.terms)
        keys = np.unique((rows[:, 0] * size + rows[:, 1]) * size + rows[:, 2])
        return Dataset(self.terms, np.stack([keys // size // size, keys // size % size, keys % size], axis=1))


# -- universities --------------------------------------------------------------------------------------------

_LABORATORIES, _ACADEMICS, _COURSES, _STUDENTS, _PUBLICATIONS = 4, 14, 20, 70, 60


def universities(triples: int, seed: int) -> Dataset:
    """About as many triples on universities with ten departments each."""
    data = _Writer(UNIVERSITY, UNIVERSITY, seed)
    departments = max(1, round(triples / 770))
    units = data.fresh("university", max(1, departments // 10))
    data.say(units, "a", "University")
    department = data.fresh("department", departments)
    school = data.fresh("school", departments)
    data.say(department, "a", "Department")
    data.say(department, "belongsTo", school)
    data.say(school, "a", "School")
    data.say(school, "belongsTo", units[np.arange(departments) % len(units)])
    laboratories = _groups(data, "laboratory", departments, _LABORATORIES)
    data.say(laboratories.ravel(), "a", "Laboratory")
    data.say(laboratories.ravel(), "belongsTo", np.repeat(department, _LABORATORIES))
    academics = _academics(data, department, school, units)
    courses = _courses(data, academics)
    students = _students(data, department, academics, courses, units)
    _publications(data, np.concatenate([academics, students], axis=1))
    return data.dataset()


def _groups(data: _Writer, kind: str, owners: int, each: int) -> Ids:
    return data.fresh(kind, owners * each).reshape(owners, each)


def _academics(data: _Writer, department: Ids, school: Ids, units: Ids) -> Ids:
    groups = _groups(data, "academic", len(department), _ACADEMICS)
    all_ = groups.ravel()
    data.kinds(all_, ("FullProfessor", "AssistantProfessor", "Lecturer"))
    data.say(all_, "worksFor", np.repeat(department, _ACADEMICS))
    for degree in ("firstDegreeFrom", "doctorateFrom"):
        data.say(all_, degree, data.random.choice(units, len(all_)))
    for property_, text in (("personnelNumber", "employee {}"), ("workPhone", "+31 {}")):
        data.say(all_, property_, data.literals([f'"{text.format(i)}"' for i in range(len(all_))]))
    data.say(groups[:, 0], "heads", department)
    data.say(groups[:, 1], "heads", school)
    return groups


def _courses(data: _Writer, academics: Ids) -> Ids:
    groups = _groups(data, "course", len(academics), _COURSES)
    seminars = groups[:, ::4].ravel()
    data.say(seminars, "a", "Seminar")
    data.say(np.setdiff1d(groups.ravel(), seminars), "a", "Course")
    data.say(data.one_of(academics, np.repeat(np.arange(len(groups)), _COURSES)), "teaches", groups.ravel())
    return groups


def _students(data: _Writer, department: Ids, academics: Ids, courses: Ids, units: Ids) -> Ids:
    groups = _groups(data, "student", len(department), _STUDENTS)
    all_, owners = groups.ravel(), np.repeat(np.arange(len(department)), _STUDENTS)
    doctoral = np.arange(len(all_)) % 5 == 0
    data.say(all_[doctoral], "a", "Doctoral")
    data.say(all_[~doctoral], "a", "Bachelor")
    data.say(all_, "memberOf", department[owners])
    data.say(all_, "holds", data.fresh("card", len(all_)))
    most = np.where(doctoral, 3, 6)
    taken = 1 + (data.random.random(len(all_)) * most).astype(np.int64)
    takers = np.repeat(np.arange(len(all_)), taken)
    data.say(all_[takers], "takes", data.one_of(courses, owners[takers]))
    graduates, their = all_[doctoral], owners[doctoral]
    data.say(data.one_of(academics, their), "supervises", graduates)
    data.say(graduates, "firstDegreeFrom", data.random.choice(units, len(graduates)))
    data.say(graduates, "assists", data.one_of(courses, their))
    return groups


def _publications(data: _Writer, people: Ids) -> None:
    groups = _groups(data, "publication", len(people), _PUBLICATIONS)
    all_, owners = groups.ravel(), np.repeat(np.arange(len(people)), _PUBLICATIONS)
    data.kinds(all_, ("Article", "Book"))
    authors = 1 + data.random.integers(3, size=len(all_))
    written = np.repeat(np.arange(len(all_)), authors)
    data.say(all_[written], "writtenBy", data.one_of(people, owners[written]))


# -- buildings -----------------------------------------------------------------------------------------------

_FLOORS, _ROOMS = 20, 8  # of a building, of a floor


def buildings(triples: int, seed: int) -> Dataset:
    """About as many triples on buildings of twenty floors, in the words of Brick."""
    data = _Writer(CAMPUS, BRICK, seed)
    floors = max(1, round(triples / 122))
    towers = data.fresh("tower", 1 + floors // _FLOORS)
    plants, meters = data.fresh("plant", len(towers)), data.fresh("meter", len(towers))
    data.say(towers, "a", "Building")
    data.say(plants, "a", "Chiller")
    data.say(meters, "a", "Electrical_Meter")
    data.say(meters, "meters", towers)
    floor, handler = data.fresh("floor", floors), data.fresh("handler", floors)
    submeter, tower = data.fresh("submeter", floors), np.arange(floors) // _FLOORS
    data.say(floor, "a", "Floor")
    data.either(towers[tower], "hasPart", floor, "isPartOf")
    data.kinds(handler, ("AHU", "Air_Handler_Unit", "RTU"))
    data.say(submeter, "a", "Building_Electrical_Meter")
    data.either(meters[tower], "hasSubMeter", submeter, "isSubMeterOf")
    data.either(plants[tower], "feeds", handler, "isFedBy")
    values = data.literals([f'"{n}.5"^^{XSD.decimal.n3()}' for n in range(15, 25)])
    for kind in ("Supply_Air_Temperature_Sensor", "Supply_Fan", "Fan_Status"):
        _points(data, handler, kind, (kind,), values)
    _rooms(data, floor, handler, values)
    return data.dataset()


def _rooms(data: _Writer, floor: Ids, handler: Ids, values: Ids) -> None:
    owners = np.repeat(np.arange(len(floor)), _ROOMS)
    rooms, boxes, zones = (data.fresh(kind, len(owners)) for kind in ("room", "box", "zone"))
    data.kinds(rooms, ("Office", "Conference_Room", "Laboratory", "Copy_Room"))
    data.either(floor[owners], "hasPart", rooms, "isPartOf")
    data.kinds(boxes, ("VAV", "RVAV", "Fan_Coil_Unit"))
    data.either(handler[owners], "feeds", boxes, "isFedBy")
    data.say(zones, "a", "HVAC_Zone")
    data.either(boxes, "feeds", zones, "isFedBy")
    data.either(zones, "hasPart", rooms, "isPartOf")
    data.either(boxes, "hasLocation", rooms, "isLocationOf")
    sensors = ("Zone_Air_Temperature_Sensor", "CO2_Level_Sensor", "Occupancy_Sensor")
    setpoints = ("Zone_Air_Temperature_Setpoint", "Occupied_Cooling_Temperature_Setpoint")
    _points(data, boxes, "sensor", sensors, values)
    _points(data, boxes, "setpoint", setpoints, values)


def _points(data: _Writer, equipment: Ids, name: str, kinds: Sequence[str], values: Ids) -> None:
    points = data.fresh(name, len(equipment))
    data.kinds(points, kinds)
    data.either(equipment, "hasPoint", points, "isPointOf")
    data.say(points, "value", data.random.choice(values, len(points)))
