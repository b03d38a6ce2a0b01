"""SWRL rules, as frozen values; a variable stands for names and literals that the ontology or a stream has.

SWRL: a semantic web rule language combining OWL and RuleML (W3C member submission, 2004). `str` gives the
functional-style syntax that the OWL API writes, with short names.
"""

from __future__ import annotations

from dataclasses import dataclass

from rdflib import Namespace, URIRef, Variable

from pantarhei.model.data_range import DataRange, Written, call
from pantarhei.model.term import Term
from pantarhei.owl.expression import ClassExpression, PropertyExpression, PropertyKind

SWRL = Namespace("http://www.w3.org/2003/11/swrl#")

SwrlArgument = Term | Variable


@dataclass(frozen=True, slots=True)
class ClassAtom(Written):
    """The argument is in a class."""

    type: ClassExpression
    argument: SwrlArgument


@dataclass(frozen=True, slots=True)
class DataRangeAtom(Written):
    """The argument is a literal of a data range."""

    range: DataRange
    argument: SwrlArgument


@dataclass(frozen=True, slots=True)
class PropertyAtom:
    """The property relates the arguments."""

    property: PropertyExpression
    subject: SwrlArgument
    object: SwrlArgument

    def __str__(self) -> str:
        kind = PropertyKind.DATA if self.property.kind is PropertyKind.DATA else PropertyKind.OBJECT
        return call(f"{kind.value}PropertyAtom", self.property, self.subject, self.object)


@dataclass(frozen=True, slots=True)
class SameAtom(Written):
    """The arguments are the same."""

    first: SwrlArgument
    second: SwrlArgument
    form = "SameIndividualAtom"


@dataclass(frozen=True, slots=True)
class DifferentAtom(Written):
    """The arguments are not the same."""

    first: SwrlArgument
    second: SwrlArgument
    form = "DifferentIndividualsAtom"


@dataclass(frozen=True, slots=True)
class BuiltInAtom(Written):
    """A comparison, or a computation whose result is the first argument."""

    name: URIRef
    arguments: tuple[SwrlArgument, ...]


SwrlAtom = ClassAtom | DataRangeAtom | PropertyAtom | SameAtom | DifferentAtom | BuiltInAtom


@dataclass(frozen=True, slots=True)
class SwrlRule:
    """Where all atoms of `body` hold, all atoms of `head` do; an empty head is ⊥.

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
    """The arguments of an atom, in order."""
    match atom:
        case ClassAtom(_, argument) | DataRangeAtom(_, argument):
            return (argument,)
        case PropertyAtom(_, first, second) | SameAtom(first, second) | DifferentAtom(first, second):
            return first, second
        case BuiltInAtom(_, arguments):
            return arguments
