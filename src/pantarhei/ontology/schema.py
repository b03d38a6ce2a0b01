"""Schema entailed by an ontology: subclasses, domains, ranges and other relations of its names.

W3C: OWL 2 Profiles, section 4.3, table 9 (scm-*). The conclusions of those rules, and further ones, are read
off one arbitrary instance of each class and one arbitrary pair of each property. For example, the classes of
the instance are the superclasses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rdflib import OWL, RDF, RDFS, Literal, URIRef

from pantarhei.model.labels import Labels
from pantarhei.model.message_text import counted
from pantarhei.model.representation import field_names, html_of
from pantarhei.model.rule import Predicate, Rule
from pantarhei.model.term import Term, Triple
from pantarhei.ontology.closure import AssertionClosure, is_internal
from pantarhei.proofs.proof import Proof

Names = frozenset[Predicate]
_Table = dict[Predicate, Names]


@dataclass(frozen=True, slots=True, repr=False)
class Schema:
    """Entailed relations of the names of an ontology.

    A class is one of its own superclasses, and a property one of its own superproperties; `owl:Thing` and
    `owl:Nothing` are omitted. Unsatisfiable names, which are related to all others, are only in
    `unsatisfiable`.

    Args:
        superclasses: the superclasses of each class.
        superproperties: the superproperties of each property.
        domains: the classes of the subjects of each property, including general ones.
        ranges: the classes or datatypes of the values of each property, including general ones.
        inverses: the inverse properties of each property.
        disjoint: pairs of classes with a constraint that makes them disjoint. The pairs of their subclasses,
            which are disjoint too, are not listed.
        unsatisfiable: the classes and properties without possible instances, each with a proof.
        object_properties: the properties that relate individuals.
        data_properties: the properties whose values are literals.
        labels: the names shown for IRIs in HTML; ignored by equality.

    >>> import pantarhei as pr
    >>> from rdflib import Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> schema = pr.load_ontology("ontologies/pedals.ttl").schema
    >>> EX.Car in schema.superclasses[EX.BrakesPressed]
    True
    >>> schema.are_disjoint(EX.BrakesPressed, EX.GasPedalPressed)
    True
    """

    superclasses: Mapping[Predicate, Names]
    superproperties: Mapping[Predicate, Names]
    domains: Mapping[Predicate, Names]
    ranges: Mapping[Predicate, Names]
    inverses: Mapping[Predicate, Names]
    disjoint: tuple[tuple[Predicate, Predicate], ...]
    unsatisfiable: Mapping[Predicate, Proof]
    object_properties: Names
    data_properties: Names
    labels: Labels = field(default_factory=dict, compare=False)

    _repr_html_ = html_of

    def _shown_parts(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in field_names(Schema) if name != "labels"}

    def __repr__(self) -> str:
        classes = counted(len(self.superclasses), "class", "classes")
        of_objects = counted(len(self.object_properties), "object property", "object properties")
        of_data = counted(len(self.data_properties), "data property", "data properties")
        return f"Schema({classes}, {of_objects}, {of_data}, {len(self.unsatisfiable)} without an instance)"

    def subclasses(self, class_: Predicate) -> Names:
        """Return the subclasses of `class_`, including itself. The cost is linear in the number
        of classes.
        """
        return frozenset(sub for sub, supers in self.superclasses.items() if class_ in supers)

    def are_disjoint(self, first: Predicate, second: Predicate) -> bool:
        """Return True if a superclass of one class is disjoint from a superclass of the other."""
        above, others = self.superclasses.get(first, frozenset()), self.superclasses.get(second, frozenset())
        return any((a in above and b in others) or (b in above and a in others) for a, b in self.disjoint)

    def triples(self) -> Iterator[Triple]:
        """Yield the schema as triples, except trivial ones (`C ⊑ C`) and inherited disjointness."""
        for predicate, table in (
            (RDFS.subClassOf, self.superclasses),
            (RDFS.subPropertyOf, self.superproperties),
            (RDFS.domain, self.domains),
            (RDFS.range, self.ranges),
        ):
            yield from (
                (name, predicate, other) for name in table for other in sorted(table[name]) if name != other
            )
        yield from _mutual(OWL.equivalentClass, self.superclasses)
        yield from _mutual(OWL.equivalentProperty, self.superproperties)
        yield from _mutual(OWL.inverseOf, self.inverses)
        for first, second in self.disjoint:
            yield first, OWL.disjointWith, second
        yield from (
            (name, RDFS.subPropertyOf, OWL.bottomDataProperty)
            if name in self.data_properties
            else (name, RDFS.subPropertyOf, OWL.bottomObjectProperty)
            if name in self.object_properties
            else (name, RDFS.subClassOf, OWL.Nothing)
            for name in self.unsatisfiable
        )


def _mutual(predicate: URIRef, above: Mapping[Predicate, Names]) -> Iterator[Triple]:
    for name, others in above.items():
        yield from (
            (name, predicate, other)
            for other in sorted(others)
            if other != name and name in above.get(other, frozenset())
        )


def schema_of(
    closure: AssertionClosure,
    classes: Iterable[Predicate],
    properties: Iterable[Predicate],
    data_properties: Iterable[Predicate],
    constraints: Iterable[Rule],
) -> Schema:
    """Return the schema of the given classes and properties; `data_properties` are among `properties`.

    For each name, the consequences of one instance are derived.
    """
    classes, properties = list(classes), list(properties)
    of_data = frozenset(data_properties)
    closure.expect(classes, properties)
    above: dict[Predicate, Names] = {}
    unsatisfiable: dict[Predicate, Proof] = {}
    for class_ in classes:
        name = closure.fresh()
        with closure.assuming([(name, RDF.type, class_)]):
            if closure.inconsistent:
                proof = closure.proof()
                assert proof is not None, "an inconsistent closure has a proof"
                unsatisfiable[class_] = proof
            else:
                above[class_] = _types(closure, name)
    superproperties, domains, ranges, inverses = ({}, {}, {}, {})  # type: tuple[_Table, _Table, _Table, _Table]
    for property_ in properties:
        subject, value = closure.fresh(), closure.fresh()
        with closure.assuming([(subject, property_, value)]):
            proof = closure.proof() if closure.inconsistent else closure.proof_of_impossible_value(value)
            if proof is not None:
                unsatisfiable[property_] = proof
            else:
                superproperties[property_] = _between(closure, subject, value)
                domains[property_] = _types(closure, subject)
                is_data = property_ in of_data
                ranges[property_] = closure.datatypes_of(value) if is_data else _types(closure, value)
                inverses[property_] = _between(closure, value, subject)
    denied = _denied_pairs(constraints)
    of_objects = frozenset(properties) - of_data
    tables = (above, superproperties, domains, ranges, inverses)
    return Schema(*tables, denied, unsatisfiable, of_objects, of_data)


def _types(closure: AssertionClosure, name: Term) -> Names:
    return frozenset(
        type_
        for _, _, type_ in closure.match(name, RDF.type, None)
        if not isinstance(type_, Literal) and type_ != OWL.Thing and not is_internal(type_)
    )


def _between(closure: AssertionClosure, subject: Term, value: Term) -> Names:
    found = (p for _, p, _ in closure.match(subject, None, value) if p != OWL.sameAs)
    return frozenset(p for p in found if isinstance(p, URIRef))


def _denied_pairs(constraints: Iterable[Rule]) -> tuple[tuple[Predicate, Predicate], ...]:
    """Return (C, D) for each constraint `⊥ :- C(x), D(x)`."""
    found = []
    for rule in constraints:
        if len(rule.body) == 2 and not rule.different and not rule.tests:
            first, second = rule.body
            if len(first.arguments) == 1 and first.arguments == second.arguments:
                found.append((first.predicate, second.predicate))
    return tuple(dict.fromkeys(found))
