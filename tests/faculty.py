"""Messages about a university with contradictions, from one seed.

The stream has a hierarchy of units (transitive and irreflexive), a property chain over it, functional and
inverse functional properties, disjoint classes, and classes derived from people's activities.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

Fact = tuple[str, str, str]
"""Local names of a subject, a property and an object; `a` is the property of types."""

FACULTY = "http://example.org/faculty#"
AXIOMS = """
    <http://example.org/faculty> a owl:Ontology .
    :Person owl:disjointWith :Unit .
    :Student rdfs:subClassOf :Person ; owl:disjointWith :Professor .
    :Professor rdfs:subClassOf :Person .
    :Doctoral rdfs:subClassOf :Student .
    :FullProfessor rdfs:subClassOf :Professor .
    :University rdfs:subClassOf :Unit . :School rdfs:subClassOf :Unit . :Department rdfs:subClassOf :Unit .
    [] a owl:AllDisjointClasses ; owl:members ( :University :School :Department ) .
    :GraduateCourse rdfs:subClassOf :Course ; owl:disjointWith :BasicCourse .
    :BasicCourse rdfs:subClassOf :Course .

    :advisor a owl:ObjectProperty , owl:FunctionalProperty ; rdfs:domain :Student ; rdfs:range :Professor .
    :worksFor a owl:ObjectProperty ; rdfs:domain :Person ; rdfs:range :Unit .
    :headOf a owl:ObjectProperty , owl:FunctionalProperty , owl:InverseFunctionalProperty ;
        rdfs:subPropertyOf :worksFor .
    :subOrganizationOf a owl:ObjectProperty , owl:TransitiveProperty , owl:IrreflexiveProperty ;
        rdfs:domain :Unit ; rdfs:range :Unit .
    :affiliatedWith a owl:ObjectProperty ; owl:propertyChainAxiom ( :worksFor :subOrganizationOf ) ;
        owl:propertyDisjointWith :barredFrom .
    :barredFrom a owl:ObjectProperty .
    :teaches a owl:ObjectProperty ; rdfs:range :Course .

    [ a owl:Restriction ; owl:onProperty :headOf ; owl:someValuesFrom :Department ] rdfs:subClassOf :Chair .
    :Chair rdfs:subClassOf :Professor .
    [ a owl:Restriction ; owl:onProperty :teaches ; owl:someValuesFrom :GraduateCourse ]
        rdfs:subClassOf :Professor .
    """
QUERIES = tuple(
    f"PREFIX : <{FACULTY}> {text}"
    for text in (
        "SELECT ?who ?unit { ?who a :Professor ; :affiliatedWith ?unit }",
        "SELECT ?unit (COUNT(?who) AS ?many) { ?who :worksFor ?unit } GROUP BY ?unit",
        "SELECT ?chair ?student { ?chair a :Chair OPTIONAL { ?student :advisor ?chair } }",
        "SELECT ?unit { ?unit a :Unit FILTER NOT EXISTS { ?unit :subOrganizationOf ?other } }",
    )
)


class Faculty:
    """Messages about a university. One fact in seven repeats a fact of the last messages, one in ten has a
    contradicting fact in its own message.

    Args:
        seed: seed of the random choices.
        facts: facts per message, contradicting ones not counted; the university grows with it.
    """

    def __init__(self, seed: int, facts: int) -> None:
        self.choose, self.facts = random.Random(seed), facts
        self.counts = {
            "person": 2 * facts,
            "course": facts,
            "dep": max(3, facts // 4),
            "school": max(2, facts // 12),
            "uni": max(2, facts // 40),
        }
        self.recent: list[Fact] = []

    @property
    def background(self) -> str:
        """Universities in Turtle."""
        return " ".join(f":uni{number} a :University ." for number in range(self.counts["uni"]))

    def messages(self) -> Iterator[list[Fact]]:
        """Yield an infinite sequence of messages."""
        while True:
            message: dict[Fact, None] = {}
            for _ in range(self.facts):
                if self.recent and self._chance(0.14):
                    message[self.choose.choice(self.recent)] = None
                    continue
                fact = self._fact()
                message[fact] = None
                if self._chance(0.1):
                    message[self._rival(fact)] = None
            self.recent = [*self.recent, *message][-3 * self.facts :]
            yield list(message)

    def _chance(self, probability: float) -> bool:
        return self.choose.random() < probability

    def _one(self, kind: str) -> tuple[str, int]:
        """Return a name of a kind and its number."""
        number = self.choose.randrange(self.counts[kind])
        return f"{kind}{number}", number

    def _professor(self) -> str:
        """Return a person whose number is divisible by four: most of them are professors."""
        return f"person{4 * self.choose.randrange(self.counts['person'] // 4)}"

    def _fact(self) -> Fact:
        """Return a fact that contradicts few others. Some of these facts also follow from others."""
        kinds = {
            self._type: 20,
            self._advisor: 14,
            self._job: 14,
            self._head: 6,
            self._unit: 16,
            self._course: 14,
            self._barred: 4,
            self._derived: 12,
        }
        return self.choose.choices(list(kinds), list(kinds.values()))[0]()

    def _type(self) -> Fact:
        person, number = self._one("person")
        is_professor = (number % 4 == 0) != self._chance(0.05)
        classes = ("Professor", "FullProfessor") if is_professor else ("Student", "Doctoral")
        return person, "a", self.choose.choice(classes)

    def _advisor(self) -> Fact:
        student, number = self._one("person")
        if number % 4 == 0 and self._chance(0.8):
            student = f"person{number + 1}"
        return student, "advisor", self._professor()

    def _job(self) -> Fact:
        return self._one("person")[0], "worksFor", self._one("dep")[0]

    def _head(self) -> Fact:
        return self._professor(), "headOf", self._one("dep")[0]

    def _unit(self) -> Fact:
        """Return the school of a department or the university of a school, rarely reversed; or a type."""
        kind, above = ("school", "uni") if self._chance(0.3) else ("dep", "school")
        unit, number = self._one(kind)
        upper = f"{above}{number % self.counts[above]}"
        if self._chance(0.3):
            return unit, "a", {"school": "School", "dep": "Department"}[kind]
        return (
            (upper, "subOrganizationOf", unit) if self._chance(0.04) else (unit, "subOrganizationOf", upper)
        )

    def _course(self) -> Fact:
        course, number = self._one("course")
        if self._chance(0.4):
            is_graduate = (number % 3 == 0) != self._chance(0.05)
            return course, "a", "GraduateCourse" if is_graduate else "BasicCourse"
        return self._one("person")[0], "teaches", course

    def _barred(self) -> Fact:
        return self._one("person")[0], "barredFrom", self._one("uni")[0]

    def _derived(self) -> Fact:
        """Return a fact that often follows from others."""
        person, (department, number) = self._one("person")[0], self._one("dep")
        above = f"uni{number % self.counts['school'] % self.counts['uni']}"
        facts = (
            (person, "a", "Person"),
            (department, "a", "Unit"),
            (department, "subOrganizationOf", above),
            (person, "affiliatedWith", above),
        )
        return self.choose.choice(facts)

    def _rival(self, fact: Fact) -> Fact:
        """Return a fact that contradicts another one, alone or with further facts."""
        subject, property_, object_ = fact
        match property_:
            case "a":
                other = {"Student": "Professor", "Professor": "Doctoral", "Department": "School"}
                return subject, "a", other.get(object_, "Unit" if subject.startswith("person") else "Person")
            case "advisor":
                return subject, "advisor", self._professor()
            case "headOf":
                return subject, "headOf", self._one("dep")[0]
            case "subOrganizationOf":
                return object_, "subOrganizationOf", subject
            case "affiliatedWith":
                return subject, "barredFrom", object_
            case "barredFrom":
                return subject, "affiliatedWith", object_
            case _:
                return subject, "a", "Unit"
