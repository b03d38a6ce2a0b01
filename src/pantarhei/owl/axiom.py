"""OWL 2 axioms and the expressions they are made of, as frozen values.

The classes follow the OWL 2 structural specification; what it splits into an object and a data form
(SubObjectPropertyOf and SubDataPropertyOf) is one class here, whose property knows its kind. `str` gives the
functional-style syntax with short names. Expressions are at most as deep as
`pantarhei.owl.expression_mapping.DEEPEST_EXPRESSION`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rdflib import OWL, RDFS, URIRef

from pantarhei.language.data_range import (
    DataComplementOf,
    DataIntersectionOf,
    DataOneOf,
    DataRange,
    Datatype,
    DatatypeRestriction,
    DataUnionOf,
    call,
)
from pantarhei.language.term import Term, short

__all__ = [  # the data ranges, which are defined below
    "DataComplementOf",
    "DataIntersectionOf",
    "DataOneOf",
    "DataRange",
    "DataUnionOf",
    "Datatype",
    "DatatypeRestriction",
]

# --- Properties ---


class PropertyKind(Enum):
    """What a property's values are: names, literals, or anything that has no meaning to a reasoner."""

    OBJECT = "Object"
    DATA = "Data"
    ANNOTATION = "Annotation"


@dataclass(frozen=True, slots=True)
class Property:
    """A property with a name."""

    iri: URIRef
    kind: PropertyKind = PropertyKind.OBJECT

    def __str__(self) -> str:
        return short(self.iri)


@dataclass(frozen=True, slots=True)
class InverseOf:
    """`ObjectInverseOf(P)`: the pairs of P turned around."""

    inverted: Property

    @property
    def kind(self) -> PropertyKind:
        return self.inverted.kind

    def __str__(self) -> str:
        return f"ObjectInverseOf({self.inverted})"


PropertyExpression = Property | InverseOf

# --- Class expressions ---


@dataclass(frozen=True, slots=True)
class Class:
    """A class with a name."""

    iri: URIRef

    def __str__(self) -> str:
        return f"owl:{short(self.iri)}" if self.iri in (OWL.Thing, OWL.Nothing) else short(self.iri)


@dataclass(frozen=True, slots=True)
class IntersectionOf:
    operands: tuple[ClassExpression, ...]

    def __str__(self) -> str:
        return call("ObjectIntersectionOf", *self.operands)


@dataclass(frozen=True, slots=True)
class UnionOf:
    operands: tuple[ClassExpression, ...]

    def __str__(self) -> str:
        return call("ObjectUnionOf", *self.operands)


@dataclass(frozen=True, slots=True)
class ComplementOf:
    operand: ClassExpression

    def __str__(self) -> str:
        return call("ObjectComplementOf", self.operand)


@dataclass(frozen=True, slots=True)
class OneOf:
    individuals: tuple[Term, ...]

    def __str__(self) -> str:
        return call("ObjectOneOf", *map(short, self.individuals))


@dataclass(frozen=True, slots=True)
class SomeValuesFrom:
    property: PropertyExpression
    filler: ClassExpression | DataRange

    def __str__(self) -> str:
        return call(f"{_kind(self.filler)}SomeValuesFrom", self.property, self.filler)


@dataclass(frozen=True, slots=True)
class AllValuesFrom:
    property: PropertyExpression
    filler: ClassExpression | DataRange

    def __str__(self) -> str:
        return call(f"{_kind(self.filler)}AllValuesFrom", self.property, self.filler)


@dataclass(frozen=True, slots=True)
class HasValue:
    property: PropertyExpression
    value: Term

    def __str__(self) -> str:
        return call(f"{self.property.kind.value}HasValue", self.property, short(self.value))


@dataclass(frozen=True, slots=True)
class HasSelf:
    property: PropertyExpression

    def __str__(self) -> str:
        return call("ObjectHasSelf", self.property)


class Bound(Enum):
    """Which way a cardinality restriction bounds."""

    MIN = "Min"
    MAX = "Max"
    EXACT = "Exact"


@dataclass(frozen=True, slots=True)
class Cardinality:
    """At least, at most or exactly `number` values in the filler; without a filler any value counts."""

    bound: Bound
    number: int
    property: PropertyExpression
    filler: ClassExpression | DataRange | None = None

    def __str__(self) -> str:
        kind = self.property.kind.value if self.filler is None else _kind(self.filler)
        parts = [self.number, self.property, *([] if self.filler is None else [self.filler])]
        return call(f"{kind}{self.bound.value}Cardinality", *parts)


@dataclass(frozen=True, slots=True)
class NaryDataRestriction:
    """A quantified restriction over several data properties at once (`owl:onProperties`)."""

    quantifier: str
    properties: tuple[PropertyExpression, ...]
    filler: DataRange

    def __str__(self) -> str:
        return call(f"Data{self.quantifier}ValuesFrom", *self.properties, self.filler)


ClassExpression = (
    Class
    | IntersectionOf
    | UnionOf
    | ComplementOf
    | OneOf
    | SomeValuesFrom
    | AllValuesFrom
    | HasValue
    | HasSelf
    | Cardinality
    | NaryDataRestriction
)

THING = Class(OWL.Thing)
NOTHING = Class(OWL.Nothing)
ANY_LITERAL = Datatype(RDFS.Literal)

# --- Axioms ---


@dataclass(frozen=True, slots=True)
class SubClassOf:
    sub: ClassExpression
    super: ClassExpression

    def __str__(self) -> str:
        return call("SubClassOf", self.sub, self.super)


@dataclass(frozen=True, slots=True)
class EquivalentClasses:
    operands: tuple[ClassExpression, ...]

    def __str__(self) -> str:
        return call("EquivalentClasses", *self.operands)


@dataclass(frozen=True, slots=True)
class DisjointClasses:
    operands: tuple[ClassExpression, ...]

    def __str__(self) -> str:
        return call("DisjointClasses", *self.operands)


@dataclass(frozen=True, slots=True)
class DisjointUnion:
    union: Class
    operands: tuple[ClassExpression, ...]

    def __str__(self) -> str:
        return call("DisjointUnion", self.union, *self.operands)


@dataclass(frozen=True, slots=True)
class SubPropertyOf:
    sub: PropertyExpression
    super: PropertyExpression

    def __str__(self) -> str:
        return call(f"Sub{self.super.kind.value}PropertyOf", self.sub, self.super)


@dataclass(frozen=True, slots=True)
class SubPropertyChainOf:
    chain: tuple[PropertyExpression, ...]
    super: PropertyExpression

    def __str__(self) -> str:
        return call("SubObjectPropertyOf", call("ObjectPropertyChain", *self.chain), self.super)


@dataclass(frozen=True, slots=True)
class EquivalentProperties:
    operands: tuple[PropertyExpression, ...]

    def __str__(self) -> str:
        return call(f"Equivalent{self.operands[0].kind.value}Properties", *self.operands)


@dataclass(frozen=True, slots=True)
class DisjointProperties:
    operands: tuple[PropertyExpression, ...]

    def __str__(self) -> str:
        kind = self.operands[0].kind.value if self.operands else "Object"
        return call(f"Disjoint{kind}Properties", *self.operands)


@dataclass(frozen=True, slots=True)
class InverseProperties:
    first: PropertyExpression
    second: PropertyExpression

    def __str__(self) -> str:
        return call("InverseObjectProperties", self.first, self.second)


@dataclass(frozen=True, slots=True)
class PropertyDomain:
    property: PropertyExpression
    domain: ClassExpression

    def __str__(self) -> str:
        return call(f"{self.property.kind.value}PropertyDomain", self.property, self.domain)


@dataclass(frozen=True, slots=True)
class PropertyRange:
    property: PropertyExpression
    range: ClassExpression | DataRange

    def __str__(self) -> str:
        return call(f"{self.property.kind.value}PropertyRange", self.property, self.range)


class Trait(Enum):
    """A characteristic that a property can have."""

    FUNCTIONAL = "Functional"
    INVERSE_FUNCTIONAL = "InverseFunctional"
    REFLEXIVE = "Reflexive"
    IRREFLEXIVE = "Irreflexive"
    SYMMETRIC = "Symmetric"
    ASYMMETRIC = "Asymmetric"
    TRANSITIVE = "Transitive"


@dataclass(frozen=True, slots=True)
class Characteristic:
    trait: Trait
    property: PropertyExpression

    def __str__(self) -> str:
        return call(f"{self.trait.value}{self.property.kind.value}Property", self.property)


@dataclass(frozen=True, slots=True)
class HasKey:
    keyed: ClassExpression
    properties: tuple[PropertyExpression, ...]

    def __str__(self) -> str:
        groups = (
            "(" + " ".join(str(p) for p in self.properties if (p.kind is PropertyKind.DATA) is data) + ")"
            for data in (False, True)
        )
        return call("HasKey", self.keyed, *groups)


@dataclass(frozen=True, slots=True)
class DatatypeDefinition:
    datatype: Datatype
    range: DataRange

    def __str__(self) -> str:
        return call("DatatypeDefinition", self.datatype, self.range)


@dataclass(frozen=True, slots=True)
class SameIndividual:
    individuals: tuple[Term, ...]

    def __str__(self) -> str:
        return call("SameIndividual", *map(short, self.individuals))


@dataclass(frozen=True, slots=True)
class DifferentIndividuals:
    individuals: tuple[Term, ...]

    def __str__(self) -> str:
        return call("DifferentIndividuals", *map(short, self.individuals))


@dataclass(frozen=True, slots=True)
class ClassAssertion:
    """Membership in a class expression; membership in a named class is a plain triple and no axiom here."""

    type: ClassExpression
    individual: Term

    def __str__(self) -> str:
        return call("ClassAssertion", self.type, short(self.individual))


@dataclass(frozen=True, slots=True)
class NegativePropertyAssertion:
    property: PropertyExpression
    subject: Term
    object: Term

    def __str__(self) -> str:
        name = f"Negative{self.property.kind.value}PropertyAssertion"
        return call(name, self.property, short(self.subject), short(self.object))


Axiom = (
    SubClassOf
    | EquivalentClasses
    | DisjointClasses
    | DisjointUnion
    | SubPropertyOf
    | SubPropertyChainOf
    | EquivalentProperties
    | DisjointProperties
    | InverseProperties
    | PropertyDomain
    | PropertyRange
    | Characteristic
    | HasKey
    | DatatypeDefinition
    | SameIndividual
    | DifferentIndividuals
    | ClassAssertion
    | NegativePropertyAssertion
)


def is_data_range(filler: ClassExpression | DataRange) -> bool:
    """Whether `filler` contains literals and not individuals."""
    return isinstance(filler, DataRange)


def _kind(filler: ClassExpression | DataRange) -> str:
    return "Data" if is_data_range(filler) else "Object"
