"""OWL 2 axioms, as frozen values.

The classes follow the OWL 2 structural specification; what it splits into an object and a data form
(SubObjectPropertyOf and SubDataPropertyOf) is one class here, whose property knows its kind. `str` gives the
functional-style syntax with short names. Expressions and data ranges can be had from here as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

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
from pantarhei.owl.expression import (
    ANY_LITERAL,
    NOTHING,
    THING,
    AllValuesFrom,
    Bound,
    Cardinality,
    Class,
    ClassExpression,
    ComplementOf,
    HasSelf,
    HasValue,
    IntersectionOf,
    InverseOf,
    NaryDataRestriction,
    OneOf,
    Property,
    PropertyExpression,
    PropertyKind,
    SomeValuesFrom,
    UnionOf,
    is_data_range,
)
from pantarhei.owl.swrl import SwrlRule

__all__ = [
    "ANY_LITERAL",
    "NOTHING",
    "THING",
    "AllValuesFrom",
    "Bound",
    "Cardinality",
    "Class",
    "ClassExpression",
    "ComplementOf",
    "DataComplementOf",
    "DataIntersectionOf",
    "DataOneOf",
    "DataRange",
    "DataUnionOf",
    "Datatype",
    "DatatypeRestriction",
    "HasSelf",
    "HasValue",
    "IntersectionOf",
    "InverseOf",
    "NaryDataRestriction",
    "OneOf",
    "Property",
    "PropertyExpression",
    "PropertyKind",
    "SomeValuesFrom",
    "SwrlRule",
    "UnionOf",
    "is_data_range",
]

# --- Axioms ---


@dataclass(frozen=True, slots=True)
class SubClassOf:
    """Each instance of `sub` is one of `super`."""

    sub: ClassExpression
    super: ClassExpression

    def __str__(self) -> str:
        return call("SubClassOf", self.sub, self.super)


@dataclass(frozen=True, slots=True)
class EquivalentClasses:
    """The operands have the same instances."""

    operands: tuple[ClassExpression, ...]

    def __str__(self) -> str:
        return call("EquivalentClasses", *self.operands)


@dataclass(frozen=True, slots=True)
class DisjointClasses:
    """No two of the operands share an instance."""

    operands: tuple[ClassExpression, ...]

    def __str__(self) -> str:
        return call("DisjointClasses", *self.operands)


@dataclass(frozen=True, slots=True)
class DisjointUnion:
    """A class whose instances are those of the operands, no two of which share one."""

    union: Class
    operands: tuple[ClassExpression, ...]

    def __str__(self) -> str:
        return call("DisjointUnion", self.union, *self.operands)


@dataclass(frozen=True, slots=True)
class SubPropertyOf:
    """What `sub` relates, `super` relates."""

    sub: PropertyExpression
    super: PropertyExpression

    def __str__(self) -> str:
        return call(f"Sub{self.super.kind.value}PropertyOf", self.sub, self.super)


@dataclass(frozen=True, slots=True)
class SubPropertyChainOf:
    """What the members of `chain` relate one after the other, `super` relates."""

    chain: tuple[PropertyExpression, ...]
    super: PropertyExpression

    def __str__(self) -> str:
        return call("SubObjectPropertyOf", call("ObjectPropertyChain", *self.chain), self.super)


@dataclass(frozen=True, slots=True)
class EquivalentProperties:
    """The operands relate the same."""

    operands: tuple[PropertyExpression, ...]

    def __str__(self) -> str:
        return call(f"Equivalent{self.operands[0].kind.value}Properties", *self.operands)


@dataclass(frozen=True, slots=True)
class DisjointProperties:
    """No two of the operands relate the same."""

    operands: tuple[PropertyExpression, ...]

    def __str__(self) -> str:
        kind = self.operands[0].kind.value if self.operands else "Object"
        return call(f"Disjoint{kind}Properties", *self.operands)


@dataclass(frozen=True, slots=True)
class InverseProperties:
    """What one relates, the other relates the other way round."""

    first: PropertyExpression
    second: PropertyExpression

    def __str__(self) -> str:
        return call("InverseObjectProperties", self.first, self.second)


@dataclass(frozen=True, slots=True)
class PropertyDomain:
    """Whatever has a value of the property is in `domain`."""

    property: PropertyExpression
    domain: ClassExpression

    def __str__(self) -> str:
        return call(f"{self.property.kind.value}PropertyDomain", self.property, self.domain)


@dataclass(frozen=True, slots=True)
class PropertyRange:
    """All values of the property are in `range`."""

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
    """The property has the trait."""

    trait: Trait
    property: PropertyExpression

    def __str__(self) -> str:
        return call(f"{self.trait.value}{self.property.kind.value}Property", self.property)


@dataclass(frozen=True, slots=True)
class HasKey:
    """Named instances of a class that share a value of each of the properties are the same."""

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
    """A name for a data range."""

    datatype: Datatype
    range: DataRange

    def __str__(self) -> str:
        return call("DatatypeDefinition", self.datatype, self.range)


@dataclass(frozen=True, slots=True)
class SameIndividual:
    """All the names denote one individual."""

    individuals: tuple[Term, ...]

    def __str__(self) -> str:
        return call("SameIndividual", *map(short, self.individuals))


@dataclass(frozen=True, slots=True)
class DifferentIndividuals:
    """No two of the names denote one individual."""

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
    """The property does not relate `subject` to `object`."""

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
    | SwrlRule
)
