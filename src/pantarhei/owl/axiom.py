"""OWL 2 axioms and SWRL rules as frozen values.

The classes follow the OWL 2 structural specification; where it has an object and a data form
(SubObjectPropertyOf and SubDataPropertyOf) there is one class here, whose property has its kind. `str` gives
the functional-style syntax with short names. Expressions and data ranges are re-exported.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rdflib import Namespace, URIRef, Variable

from pantarhei.model.data_range import (
    DataComplementOf as DataComplementOf,
    DataIntersectionOf as DataIntersectionOf,
    DataOneOf as DataOneOf,
    DataRange as DataRange,
    DataUnionOf as DataUnionOf,
    Datatype as Datatype,
    DatatypeRestriction as DatatypeRestriction,
    FunctionalSyntax,
    call,
)
from pantarhei.model.term import Term
from pantarhei.owl.expression import (
    ANY_LITERAL as ANY_LITERAL,
    AllValuesFrom as AllValuesFrom,
    Bound as Bound,
    Cardinality as Cardinality,
    Class as Class,
    ClassExpression as ClassExpression,
    ComplementOf as ComplementOf,
    Filler as Filler,
    HasSelf as HasSelf,
    HasValue as HasValue,
    IntersectionOf as IntersectionOf,
    InverseOf as InverseOf,
    NOTHING as NOTHING,
    NaryDataRestriction as NaryDataRestriction,
    OneOf as OneOf,
    Property as Property,
    PropertyExpression as PropertyExpression,
    PropertyKind as PropertyKind,
    SomeValuesFrom as SomeValuesFrom,
    THING as THING,
    UnionOf as UnionOf,
)


SWRL = Namespace("http://www.w3.org/2003/11/swrl#")

SwrlArgument = Term | Variable


@dataclass(frozen=True, slots=True)
class ClassAtom(FunctionalSyntax):
    """Atom: the argument is in a class."""

    type: ClassExpression
    argument: SwrlArgument


@dataclass(frozen=True, slots=True)
class DataRangeAtom(FunctionalSyntax):
    """Atom: the argument is a literal of a data range."""

    range: DataRange
    argument: SwrlArgument


@dataclass(frozen=True, slots=True)
class PropertyAtom:
    """Atom: the property relates the arguments."""

    property: PropertyExpression
    subject: SwrlArgument
    object: SwrlArgument

    def __str__(self) -> str:
        kind = PropertyKind.DATA if self.property.kind is PropertyKind.DATA else PropertyKind.OBJECT
        return call(f"{kind.value}PropertyAtom", self.property, self.subject, self.object)


@dataclass(frozen=True, slots=True)
class SameAtom(FunctionalSyntax):
    """Atom: the arguments are equal."""

    first: SwrlArgument
    second: SwrlArgument
    form = "SameIndividualAtom"


@dataclass(frozen=True, slots=True)
class DifferentAtom(FunctionalSyntax):
    """Atom: the arguments are different."""

    first: SwrlArgument
    second: SwrlArgument
    form = "DifferentIndividualsAtom"


@dataclass(frozen=True, slots=True)
class BuiltInAtom(FunctionalSyntax):
    """Comparison, or a computation whose result is the first argument."""

    name: URIRef
    arguments: tuple[SwrlArgument, ...]


SwrlAtom = ClassAtom | DataRangeAtom | PropertyAtom | SameAtom | DifferentAtom | BuiltInAtom


@dataclass(frozen=True, slots=True)
class SwrlRule:
    """SWRL rule: `body` implies all atoms of `head`; an empty head is ⊥.

    SWRL: a semantic web rule language combining OWL and RuleML (W3C member submission, 2004). Variables stand
    for names and literals of the ontology and the stream. `str` gives the functional-style syntax of the OWL
    API.

    >>> person, x = URIRef("urn:x/Person"), Variable("x")
    >>> from pantarhei.owl.expression import Class
    >>> str(SwrlRule((ClassAtom(Class(person), x),), ()))
    'DLSafeRule(Body(ClassAtom(Person Variable(x))) Head())'
    """

    body: tuple[SwrlAtom, ...]
    head: tuple[SwrlAtom, ...]

    def __str__(self) -> str:
        return call("DLSafeRule", call("Body", *self.body), call("Head", *self.head))


def arguments_of(atom: SwrlAtom) -> tuple[SwrlArgument, ...]:
    """Return the arguments of an atom, in order."""
    match atom:
        case ClassAtom(_, argument) | DataRangeAtom(_, argument):
            return (argument,)
        case PropertyAtom(_, first, second) | SameAtom(first, second) | DifferentAtom(first, second):
            return first, second
        case BuiltInAtom(_, arguments):
            return arguments


# --- Axioms ---


@dataclass(frozen=True, slots=True)
class SubClassOf(FunctionalSyntax):
    """Class inclusion: each instance of `sub` is one of `super`."""

    sub: ClassExpression
    super: ClassExpression


@dataclass(frozen=True, slots=True)
class EquivalentClasses(FunctionalSyntax):
    """Equivalence: the operands have equal extensions."""

    operands: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class DisjointClasses(FunctionalSyntax):
    """Pairwise disjointness of classes."""

    operands: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class DisjointUnion(FunctionalSyntax):
    """Class that is the union of pairwise disjoint operands."""

    union: Class
    operands: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class SubPropertyOf(FunctionalSyntax):
    """Property inclusion: pairs of `sub` are pairs of `super`."""

    sub: PropertyExpression
    super: PropertyExpression
    form = "Sub{self.super.kind.value}PropertyOf"


@dataclass(frozen=True, slots=True)
class SubPropertyChainOf:
    """Property chain inclusion: compositions of the members of `chain` are pairs of `super`."""

    chain: tuple[PropertyExpression, ...]
    super: PropertyExpression

    def __str__(self) -> str:
        return call("SubObjectPropertyOf", call("ObjectPropertyChain", *self.chain), self.super)


@dataclass(frozen=True, slots=True)
class EquivalentProperties(FunctionalSyntax):
    """Equivalence: the operands have equal pairs."""

    operands: tuple[PropertyExpression, ...]
    form = "Equivalent{self.operands[0].kind.value}Properties"


@dataclass(frozen=True, slots=True)
class DisjointProperties:
    """Pairwise disjointness of properties."""

    operands: tuple[PropertyExpression, ...]

    def __str__(self) -> str:
        kind = self.operands[0].kind.value if self.operands else "Object"
        return call(f"Disjoint{kind}Properties", *self.operands)


@dataclass(frozen=True, slots=True)
class InverseProperties(FunctionalSyntax):
    """Inverse properties: pairs of one, exchanged, are pairs of the other."""

    first: PropertyExpression
    second: PropertyExpression
    form = "InverseObjectProperties"


@dataclass(frozen=True, slots=True)
class PropertyDomain(FunctionalSyntax):
    """Domain: each subject of the property is in `domain`."""

    property: PropertyExpression
    domain: ClassExpression
    form = "{self.property.kind.value}PropertyDomain"


@dataclass(frozen=True, slots=True)
class PropertyRange(FunctionalSyntax):
    """Range: each value of the property is in `range`."""

    property: PropertyExpression
    range: Filler
    form = "{self.property.kind.value}PropertyRange"


class Trait(Enum):
    """Characteristic of a property, such as transitivity."""

    FUNCTIONAL = "Functional"
    INVERSE_FUNCTIONAL = "InverseFunctional"
    REFLEXIVE = "Reflexive"
    IRREFLEXIVE = "Irreflexive"
    SYMMETRIC = "Symmetric"
    ASYMMETRIC = "Asymmetric"
    TRANSITIVE = "Transitive"


@dataclass(frozen=True, slots=True)
class Characteristic:
    """Axiom that the property has the trait."""

    trait: Trait
    property: PropertyExpression

    def __str__(self) -> str:
        return call(f"{self.trait.value}{self.property.kind.value}Property", self.property)


@dataclass(frozen=True, slots=True)
class HasKey:
    """Key: named instances of a class that share a value of each of the properties are equal."""

    keyed: ClassExpression
    properties: tuple[PropertyExpression, ...]

    def __str__(self) -> str:
        groups = (
            "(" + " ".join(str(p) for p in self.properties if (p.kind is PropertyKind.DATA) is data) + ")"
            for data in (False, True)
        )
        return call("HasKey", self.keyed, *groups)


@dataclass(frozen=True, slots=True)
class DatatypeDefinition(FunctionalSyntax):
    """Definition of a datatype by a data range."""

    datatype: Datatype
    range: DataRange


@dataclass(frozen=True, slots=True)
class SameIndividual(FunctionalSyntax):
    """Equality of all the names."""

    individuals: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class DifferentIndividuals(FunctionalSyntax):
    """Pairwise difference of the names."""

    individuals: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class ClassAssertion(FunctionalSyntax):
    """Membership in a class expression; membership in a named class is a plain triple, not an axiom here."""

    type: ClassExpression
    individual: Term


@dataclass(frozen=True, slots=True)
class NegativePropertyAssertion(FunctionalSyntax):
    """Negative assertion: the property does not relate `subject` to `object`."""

    property: PropertyExpression
    subject: Term
    object: Term
    form = "Negative{self.property.kind.value}PropertyAssertion"


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
