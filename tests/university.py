"""Generated universities: data for `ontologies/university.ttl`, all from one seed."""

from __future__ import annotations

import random
from pathlib import Path

from rdflib import RDF, Literal, Namespace

ONTOLOGY = Path(__file__).resolve().parents[1] / "ontologies" / "university.ttl"
U = Namespace("http://example.org/university#")


class University:
    """Triples of some universities; about 800 per department.

    Args:
        aliases: true if some people have two names, whose equality follows from keys and cards.
    """

    def __init__(self, seed, universities=2, departments=6, aliases=False):
        self.random = random.Random(seed)
        self.triples = set()
        self.universities = [U[f"university{number}"] for number in range(universities)]
        for university in self.universities:
            self.add(university, RDF.type, U.University)
        for number in range(universities * departments):
            self.department(U[f"department{number}"], self.universities[number % universities])
        if aliases:
            self.give_aliases()

    def add(self, subject, predicate, object_):
        self.triples.add((subject, predicate, object_))

    def several(self, of, most):
        return self.random.sample(of, self.random.randint(1, min(most, len(of))))

    def named(self, owner, kind, count):
        return [U[f"{owner.rpartition('#')[2]}-{kind}{number}"] for number in range(count)]

    def department(self, department, university):
        (school,) = self.named(department, "school", 1)
        self.add(department, RDF.type, U.Department)
        self.add(department, U.belongsTo, school)
        self.add(school, RDF.type, U.School)
        self.add(school, U.belongsTo, university)
        for laboratory in self.named(department, "laboratory", 4):
            self.add(laboratory, RDF.type, U.Laboratory)
            self.add(laboratory, U.belongsTo, department)
        academics = self.academics(department, school)
        courses = self.courses(department, academics)
        students = self.students(department, academics, courses)
        self.publications(department, academics + students)

    def academics(self, department, school):
        academics = self.named(department, "academic", 14)
        for number, academic in enumerate(academics):
            kind = self.random.choice((U.FullProfessor, U.AssistantProfessor, U.Lecturer))
            self.add(academic, RDF.type, kind)
            self.add(academic, U.worksFor, department)
            self.add(academic, U.firstDegreeFrom, self.random.choice(self.universities))
            self.add(academic, U.doctorateFrom, self.random.choice(self.universities))
            self.add(academic, U.personnelNumber, Literal(f"{department.rpartition('#')[2]}/{number}"))
            self.add(academic, U.workPhone, Literal(f"+31 {self.random.randrange(10**8):08}"))
        self.add(academics[0], U.heads, department)
        self.add(academics[1], U.heads, school)
        return academics

    def courses(self, department, academics):
        courses = self.named(department, "course", 20)
        for number, course in enumerate(courses):
            self.add(course, RDF.type, U.Seminar if number % 4 == 0 else U.Course)
            self.add(self.random.choice(academics), U.teaches, course)
        return courses

    def students(self, department, academics, courses):
        students = self.named(department, "student", 70)
        for number, student in enumerate(students):
            doctoral = number % 5 == 0
            self.add(student, RDF.type, U.Doctoral if doctoral else U.Bachelor)
            self.add(student, U.memberOf, department)
            self.add(student, U.holds, U[f"{student.rpartition('#')[2]}-card"])
            for course in self.several(courses, 3 if doctoral else 6):
                self.add(student, U.takes, course)
            if doctoral:
                self.add(self.random.choice(academics), U.supervises, student)
                self.add(student, U.firstDegreeFrom, self.random.choice(self.universities))
                self.add(student, U.assists, self.random.choice(courses))
        return students

    def publications(self, department, people):
        for publication in self.named(department, "publication", 60):
            self.add(publication, RDF.type, self.random.choice((U.Article, U.Book)))
            for person in self.several(people, 3):
                self.add(publication, U.writtenBy, person)

    def give_aliases(self):
        """Add a second name for every tenth employee and for every twentieth card holder."""
        employees = sorted((s, o) for s, p, o in self.triples if p == U.personnelNumber)[::10]
        holders = sorted((s, o) for s, p, o in self.triples if p == U.holds)[::20]
        for person, number in employees:
            self.add(U[f"{person.rpartition('#')[2]}-alias"], U.personnelNumber, number)
            self.add(U[f"{person.rpartition('#')[2]}-alias"], RDF.type, U.Employee)
        for person, card in holders:
            self.add(U[f"{person.rpartition('#')[2]}-alias"], U.holds, card)
