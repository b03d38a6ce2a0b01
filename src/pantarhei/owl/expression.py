"""OWL 2 property and class expressions as frozen values.

The classes follow the OWL 2 structural specification; where it has an object and a data form
(ObjectSomeValuesFrom and DataSomeValuesFrom) there is one class here, whose property or filler has its kind.
`str` gives the functional-style syntax with short names. Expressions are at most as deep as
`pantarhei.owl.expression_mapping.DEEPEST_EXPRESSION`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from types import UnionType
from typing import TypeVar, cast

from rdflib import OWL, RDFS, URIRef

from pantarhei.model.data_range import DataRange, Datatype, FunctionalSyntax, call
from pantarhei.model.display_names import last_part
from pantarhei.model.term import Term, short

T = TypeVar("T")

# --- Properties ---


class PropertyKind(Enum):
    """Kind of a property's values: names, literals, or annotations without meaning for a reasoner."""

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
    """Existential restriction: at least one value in the filler."""

    property: PropertyExpression
    filler: Filler

    def __str__(self) -> str:
        return call(f"{_kind(self.filler)}SomeValuesFrom", self.property, self.filler)


@dataclass(frozen=True, slots=True)
class AllValuesFrom:
    """Universal restriction: all values in the filler."""

    property: PropertyExpression
    filler: Filler

    def __str__(self) -> str:
        return call(f"{_kind(self.filler)}AllValuesFrom", self.property, self.filler)


@dataclass(frozen=True, slots=True)
class HasValue(FunctionalSyntax):
    """Value restriction: has this value."""

    property: PropertyExpression
    value: Term
    form = "{self.property.kind.value}HasValue"


@dataclass(frozen=True, slots=True)
class HasSelf(FunctionalSyntax):
    """Self restriction: related to itself."""

    property: PropertyExpression
    form = "ObjectHasSelf"


class Bound(Enum):
    """Direction of a cardinality restriction."""

    MIN = "Min"
    MAX = "Max"
    EXACT = "Exact"


@dataclass(frozen=True, slots=True)
class Cardinality:
    """Cardinality restriction: at least, at most or exactly `number` values in the filler, any value without
    a filler.
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
    """Yield an axiom or expression and all its parts, from the left; instances of `whole` are not descended
    into.
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
    """Rewrite an axiom or expression: `change` returns the replacement of a part, or None to
    descend into it.
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
