"""Data ranges as OWL 2 writes them, as frozen values; `literals.membership` says which literals they contain.

`str` gives the functional-style syntax with short names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rdflib import URIRef

from pantarhei.language.term import Term, short


def call(name: str, *arguments: object) -> str:
    """`name(arguments)` in functional-style syntax."""
    return f"{name}({' '.join(map(str, arguments))})"


@dataclass(frozen=True, slots=True)
class Datatype:
    iri: URIRef

    def __str__(self) -> str:
        return short(self.iri)


@dataclass(frozen=True, slots=True)
class DataIntersectionOf:
    operands: tuple[DataRange, ...]

    def __str__(self) -> str:
        return call("DataIntersectionOf", *self.operands)


@dataclass(frozen=True, slots=True)
class DataUnionOf:
    operands: tuple[DataRange, ...]

    def __str__(self) -> str:
        return call("DataUnionOf", *self.operands)


@dataclass(frozen=True, slots=True)
class DataComplementOf:
    operand: DataRange

    def __str__(self) -> str:
        return call("DataComplementOf", self.operand)


@dataclass(frozen=True, slots=True)
class DataOneOf:
    literals: tuple[Term, ...]

    def __str__(self) -> str:
        return call("DataOneOf", *map(short, self.literals))


@dataclass(frozen=True, slots=True)
class DatatypeRestriction:
    """A datatype narrowed by facets, such as `xsd:decimal[>= 80]`."""

    datatype: Datatype
    facets: tuple[tuple[URIRef, Term], ...]

    def __str__(self) -> str:
        parts = (f"{short(facet)} {short(value)}" for facet, value in self.facets)
        return call("DatatypeRestriction", self.datatype, *parts)


@dataclass(frozen=True, slots=True)
class IllTyped:
    """The literals outside the lexical space of their datatype. OWL has no such range; `ILL_TYPED` is it."""

    def __str__(self) -> str:
        return "ill-typed"


ILL_TYPED: Final = IllTyped()

DataRange = (
    Datatype
    | DataIntersectionOf
    | DataUnionOf
    | DataComplementOf
    | DataOneOf
    | DatatypeRestriction
    | IllTyped
)
