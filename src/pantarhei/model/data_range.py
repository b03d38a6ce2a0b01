"""OWL 2 data ranges as frozen values; `values.membership` decides which literals they contain.

`str` gives the functional-style syntax with short names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from rdflib import BNode, Literal, URIRef, Variable

from pantarhei.model.term import Term, short


def call(name: str, *arguments: object) -> str:
    """Return `name(arguments)` in functional-style syntax, with short names; tuples are flattened."""
    return f"{name}({' '.join(filter(None, map(_text, arguments)))})"


def _text(argument: object) -> str:
    if isinstance(argument, Variable):
        return f"Variable({argument})"
    if isinstance(argument, URIRef | BNode | Literal):
        return short(argument)
    return " ".join(map(_text, argument)) if isinstance(argument, tuple) else str(argument)


@dataclass(frozen=True, slots=True)
class FunctionalSyntax:
    """Value written in functional-style syntax as a name and its fields, in their order.

    `form` is that name, which may have attributes of `self` in braces; "" for the name of the class.
    """

    form: ClassVar[str] = ""

    def __str__(self) -> str:
        name = self.form.format(self=self) or type(self).__name__
        fields: tuple[str, ...] = self.__match_args__
        return call(name, *(getattr(self, field) for field in fields))


@dataclass(frozen=True, slots=True)
class Datatype:
    iri: URIRef

    def __str__(self) -> str:
        return short(self.iri)


@dataclass(frozen=True, slots=True)
class DataIntersectionOf(FunctionalSyntax):
    operands: tuple[DataRange, ...]


@dataclass(frozen=True, slots=True)
class DataUnionOf(FunctionalSyntax):
    operands: tuple[DataRange, ...]


@dataclass(frozen=True, slots=True)
class DataComplementOf(FunctionalSyntax):
    operand: DataRange


@dataclass(frozen=True, slots=True)
class DataOneOf(FunctionalSyntax):
    literals: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class DatatypeRestriction(FunctionalSyntax):
    """Datatype restricted by facets, such as `xsd:decimal[>= 80]`."""

    datatype: Datatype
    facets: tuple[tuple[URIRef, Term], ...]


@dataclass(frozen=True, slots=True)
class Possibly(FunctionalSyntax):
    """Literals that may be in a range. Not part of OWL, and not an operand of other ranges.

    It differs from the range where a literal's datatype is not recognized: its value may be any.
    """

    operand: DataRange


@dataclass(frozen=True, slots=True)
class Compared(FunctionalSyntax):
    """Literals for which a comparison with a constant is true. Not part of OWL; used in rules, not in other
    ranges.

    Args:
        name: the comparison, a built-in of SWRL.
        literal: its second operand.
    """

    name: URIRef
    literal: Literal


@dataclass(frozen=True, slots=True)
class IllTyped:
    """Literals outside the lexical space of their datatype. Not part of OWL; `ILL_TYPED` is the instance."""

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
    | Possibly
    | Compared
    | IllTyped
)
