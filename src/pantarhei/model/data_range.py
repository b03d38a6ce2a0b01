"""OWL 2 data ranges as frozen values. `values.membership` decides which literals they contain.

`str` renders the functional-style syntax with short names.
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
    """Base of values that are written in functional-style syntax as a constructor name and their fields.

    `form` is the constructor name, which may refer to attributes of `self` in braces; if it is "", the name
    is that of the class.
    """

    form: ClassVar[str] = ""

    def __str__(self) -> str:
        name = self.form.format(self=self) or type(self).__name__
        fields: tuple[str, ...] = self.__match_args__
        return call(name, *(getattr(self, field) for field in fields))


@dataclass(frozen=True, slots=True)
class Datatype:
    """Datatype, by its IRI.

    Args:
        iri: the IRI.
    """

    iri: URIRef

    def __str__(self) -> str:
        return short(self.iri)


@dataclass(frozen=True, slots=True)
class DataIntersectionOf(FunctionalSyntax):
    """Literals that are in all of several ranges.

    Args:
        operands: the ranges.
    """

    operands: tuple[DataRange, ...]


@dataclass(frozen=True, slots=True)
class DataUnionOf(FunctionalSyntax):
    """Literals that are in one of several ranges.

    Args:
        operands: the ranges.
    """

    operands: tuple[DataRange, ...]


@dataclass(frozen=True, slots=True)
class DataComplementOf(FunctionalSyntax):
    """Literals that are not in a range.

    Args:
        operand: the range.
    """

    operand: DataRange


@dataclass(frozen=True, slots=True)
class DataOneOf(FunctionalSyntax):
    """Enumerated literals.

    Args:
        literals: the literals.
    """

    literals: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class DatatypeRestriction(FunctionalSyntax):
    """Datatype restricted by facets, such as `xsd:decimal[>= 80]`.

    Args:
        datatype: the datatype.
        facets: the facets, each with its value.
    """

    datatype: Datatype
    facets: tuple[tuple[URIRef, Term], ...]


@dataclass(frozen=True, slots=True)
class Possibly(FunctionalSyntax):
    """Literals that may be in a range. Not part of OWL, and not allowed as an operand of another range.

    It contains more literals than the range if a literal's datatype is not recognized: the literal may have
    any value.

    Args:
        operand: the range.
    """

    operand: DataRange


@dataclass(frozen=True, slots=True)
class Compared(FunctionalSyntax):
    """Literals for which a comparison with a constant is true. Not part of OWL; used in rules, and not as an
    operand of another range.

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
