"""OWL 2 axioms and SWRL rules as frozen values.

The classes follow the OWL 2 structural specification. Where it has an object form and a data form of an axiom
(SubObjectPropertyOf and SubDataPropertyOf), there is one class here, and the kind of the property
distinguishes the forms. `str` renders the functional-style syntax with short names. Expressions and data
ranges are re-exported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from types import UnionType
from typing import TypeVar, cast

from rdflib import OWL, RDFS, Namespace, URIRef, Variable

from pantarhei.model.data_range import (
    DataComplementOf as DataComplementOf,
)
from pantarhei.model.data_range import (
    DataIntersectionOf as DataIntersectionOf,
)
from pantarhei.model.data_range import (
    DataOneOf as DataOneOf,
)
from pantarhei.model.data_range import (
    DataRange as DataRange,
)
from pantarhei.model.data_range import (
    Datatype as Datatype,
)
from pantarhei.model.data_range import (
    DatatypeRestriction as DatatypeRestriction,
)
from pantarhei.model.data_range import (
    DataUnionOf as DataUnionOf,
)
from pantarhei.model.data_range import (
    FunctionalSyntax,
    call,
)
from pantarhei.model.message_text import last_part
from pantarhei.model.term import Term, short

T = TypeVar("T")

# --- Properties ---


class PropertyKind(Enum):
    """Kind of a property's values: individuals, literals, or annotations, which have no logical meaning."""

    OBJECT = "Object"
    DATA = "Data"
    ANNOTATION = "Annotation"


@dataclass(frozen=True, slots=True)
class Property:
    """Named property."""

    iri: URIRef
    kind: PropertyKind = PropertyKind.OBJECT

    def __str__(self) -> str:
        return short(self.iri)


@dataclass(frozen=True, slots=True)
class InverseOf(FunctionalSyntax):
    """Inverse property `ObjectInverseOf(P)`."""

    inverted: Property
    form = "ObjectInverseOf"

    @property
    def kind(self) -> PropertyKind:
        return self.inverted.kind


PropertyExpression = Property | InverseOf

# --- Class expressions ---


@dataclass(frozen=True, slots=True)
class Class:
    """Named class."""

    iri: URIRef

    def __str__(self) -> str:
        return f"owl:{last_part(self.iri)}" if self.iri in (OWL.Thing, OWL.Nothing) else short(self.iri)


@dataclass(frozen=True, slots=True)
class IntersectionOf(FunctionalSyntax):
    """Intersection of the operands."""

    operands: tuple[ClassExpression, ...]
    form = "ObjectIntersectionOf"


@dataclass(frozen=True, slots=True)
class UnionOf(FunctionalSyntax):
    """Union of the operands."""

    operands: tuple[ClassExpression, ...]
    form = "ObjectUnionOf"


@dataclass(frozen=True, slots=True)
class ComplementOf(FunctionalSyntax):
    """Complement of the operand."""

    operand: ClassExpression
    form = "ObjectComplementOf"


@dataclass(frozen=True, slots=True)
class OneOf(FunctionalSyntax):
    """Enumeration of individuals."""

    individuals: tuple[Term, ...]
    form = "ObjectOneOf"


@dataclass(frozen=True, slots=True)
class SomeValuesFrom:
    """Existential restriction: at least one value of the property is in the filler."""

    property: PropertyExpression
    filler: Filler

    def __str__(self) -> str:
        return call(f"{_kind(self.filler)}SomeValuesFrom", self.property, self.filler)


@dataclass(frozen=True, slots=True)
class AllValuesFrom:
    """Universal restriction: all values of the property are in the filler."""

    property: PropertyExpression
    filler: Filler

    def __str__(self) -> str:
        return call(f"{_kind(self.filler)}AllValuesFrom", self.property, self.filler)


@dataclass(frozen=True, slots=True)
class HasValue(FunctionalSyntax):
    """Value restriction: the property has this value."""

    property: PropertyExpression
    value: Term
    form = "{self.property.kind.value}HasValue"


@dataclass(frozen=True, slots=True)
class HasSelf(FunctionalSyntax):
    """Self restriction: the property relates the individual to itself."""

    property: PropertyExpression
    form = "ObjectHasSelf"


class Bound(Enum):
    """Direction of a cardinality restriction."""

    MIN = "Min"
    MAX = "Max"
    EXACT = "Exact"


@dataclass(frozen=True, slots=True)
class Cardinality:
    """Cardinality restriction: the property has at least, at most or exactly `number` values in the filler.
    If the filler is None, all values count.
    """

    bound: Bound
    number: int
    property: PropertyExpression
    filler: Filler | None = None

    def __str__(self) -> str:
        kind = self.property.kind.value if self.filler is None else _kind(self.filler)
        parts = [self.number, self.property, *([] if self.filler is None else [self.filler])]
        return call(f"{kind}{self.bound.value}Cardinality", *parts)


@dataclass(frozen=True, slots=True)
class NaryDataRestriction:
    """Quantified restriction over several data properties at once (`owl:onProperties`)."""

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

# Restriction of a property's values.
Filler = ClassExpression | DataRange

THING = Class(OWL.Thing)
NOTHING = Class(OWL.Nothing)
ANY_LITERAL = Datatype(RDFS.Literal)


def _kind(filler: Filler) -> str:
    return "Data" if isinstance(filler, DataRange) else "Object"


def parts(value: object, whole: type | UnionType | tuple[()] = ()) -> Iterator[object]:
    """Yield an axiom or expression and all its parts, from left to right. Parts of instances of `whole` are
    not yielded.
    """
    yield value
    if isinstance(value, whole):
        return
    inner: Iterable[object] = value if isinstance(value, tuple) else ()
    if is_dataclass(value):
        inner = (getattr(value, field.name) for field in fields(value))
    for part in inner:
        yield from parts(part, whole)


def rewritten(value: T, change: Callable[[object], object]) -> T:
    """Rewrite an axiom or expression. `change` returns the replacement of a part, or None to rewrite the
    parts of that part instead.
    """
    new = change(value)
    if new is not None:
        return cast(T, new)
    if isinstance(value, tuple):
        return cast(T, tuple(rewritten(part, change) for part in value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    old = {field.name: getattr(value, field.name) for field in fields(value)}
    changed = {name: new for name, part in old.items() if (new := rewritten(part, change)) is not part}
    return cast(T, replace(value, **changed)) if changed else value


SWRL = Namespace("http://www.w3.org/2003/11/swrl#")

SwrlArgument = Term | Variable


@dataclass(frozen=True, slots=True)
class ClassAtom(FunctionalSyntax):
    """Atom: the argument is in a class."""

    type: ClassExpression
    argument: SwrlArgument


@dataclass(frozen=True, slots=True)
class DataRangeAtom(FunctionalSyntax):
    """Atom: the argument is a literal in a data range."""

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
    """Atom: a comparison, or a computation whose first argument is its result."""

    name: URIRef
    arguments: tuple[SwrlArgument, ...]


SwrlAtom = ClassAtom | DataRangeAtom | PropertyAtom | SameAtom | DifferentAtom | BuiltInAtom


@dataclass(frozen=True, slots=True)
class SwrlRule:
    """SWRL rule: `body` implies each atom of `head`; an empty head is ⊥.

    SWRL: a semantic web rule language combining OWL and RuleML (W3C member submission, 2004). Variables range
    over the names and literals in the ontology and the stream. `str` renders the functional-style syntax of
    the OWL API.

    >>> person, x = URIRef("urn:x/Person"), Variable("x")
    >>> from pantarhei.owl.axiom import Class
    >>> str(SwrlRule((ClassAtom(Class(person), x),), ()))
    'DLSafeRule(Body(ClassAtom(Person Variable(x))) Head())'
    """

    body: tuple[SwrlAtom, ...]
    head: tuple[SwrlAtom, ...]

    def __str__(self) -> str:
        return call("DLSafeRule", call("Body", *self.body), call("Head", *self.head))


def arguments_of(atom: SwrlAtom) -> tuple[SwrlArgument, ...]:
    """Return the arguments of an atom in order."""
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
    """Class inclusion: each instance of `sub` is an instance of `super`."""

    sub: ClassExpression
    super: ClassExpression


@dataclass(frozen=True, slots=True)
class EquivalentClasses(FunctionalSyntax):
    """Equivalence: the operands have the same instances."""

    operands: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class DisjointClasses(FunctionalSyntax):
    """Pairwise disjointness of classes."""

    operands: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class DisjointUnion(FunctionalSyntax):
    """Definition of a class as the union of pairwise disjoint operands."""

    union: Class
    operands: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class SubPropertyOf(FunctionalSyntax):
    """Property inclusion: each pair related by `sub` is related by `super`."""

    sub: PropertyExpression
    super: PropertyExpression
    form = "Sub{self.super.kind.value}PropertyOf"


@dataclass(frozen=True, slots=True)
class SubPropertyChainOf:
    """Property chain inclusion: each pair related by the composition of the members of `chain` is related by
    `super`.
    """

    chain: tuple[PropertyExpression, ...]
    super: PropertyExpression

    def __str__(self) -> str:
        return call("SubObjectPropertyOf", call("ObjectPropertyChain", *self.chain), self.super)


@dataclass(frozen=True, slots=True)
class EquivalentProperties(FunctionalSyntax):
    """Equivalence: the operands relate the same pairs."""

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
    """Inverse properties: each relates the exchanged pairs of the other."""

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
    """Characteristic of a property: the property has the trait."""

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
    """Equality of individuals."""

    individuals: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class DifferentIndividuals(FunctionalSyntax):
    """Pairwise difference of individuals."""

    individuals: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class ClassAssertion(FunctionalSyntax):
    """Membership of an individual in a class expression. Membership in a named class is a triple and not an
    axiom here.
    """

    type: ClassExpression
    individual: Term


@dataclass(frozen=True, slots=True)
class NegativePropertyAssertion(FunctionalSyntax):
    """Negative property assertion: the property does not relate `subject` to `object`."""

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
