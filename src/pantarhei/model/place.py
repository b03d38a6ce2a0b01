"""The places in a triple, and which terms may stand there (RDF 1.1; the object of rdf:type is a class)."""

from __future__ import annotations

from enum import Enum

from rdflib import BNode, Literal, URIRef

from pantarhei.errors import InvalidTripleError


class Place(Enum):
    """A place in a triple.

    >>> Place.SUBJECT.admits(Literal("a")), Place.SUBJECT.expected
    (False, 'the subject must be an IRI or a blank node')
    """

    SUBJECT = "subject", (URIRef, BNode), "the subject must be an IRI or a blank node"
    PREDICATE = "predicate", (URIRef,), "the predicate must be an IRI"
    OBJECT = "object", (URIRef, BNode, Literal), "the object must be an IRI, a blank node or a literal"
    CLASS = "class", (URIRef, BNode), "the object of rdf:type must be a class, not a literal"

    def __init__(self, label: str, terms: tuple[type, ...], expected: str) -> None:
        self.label, self.terms, self.expected = label, terms, expected
        self.is_of_individuals = label in ("subject", "object")  # or literals, not of classes and properties

    def admits(self, term: object) -> bool:
        """Whether `term` may stand here."""
        return isinstance(term, self.terms)

    def check(self, term: object, given: object) -> None:
        """Nothing, if `term` may stand here.

        Raises:
            InvalidTripleError: it may not; the error shows `given`, what it was part of.
        """
        if not isinstance(term, self.terms):
            raise InvalidTripleError(str(given), self.expected)
