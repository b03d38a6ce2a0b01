"""RDF terms and triples: rdflib's `URIRef`, `BNode` and `Literal`, their valid combinations and normal forms.

rdflib writes `nan`, `inf` and `-inf` for floats, `2` for the Fraction 2, and seconds in historic time zone
offsets, for Python values and for texts: `"INF"^^xsd:double` becomes `inf` when rdflib parses it, and stays
so in its serializations. `respelled` restores the forms of XML Schema and OWL.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Final, Generic, TypeVar, cast, overload

from rdflib import OWL, RDF, XSD, BNode, Literal, URIRef, Variable

from pantarhei.errors import InvalidTripleError
from pantarhei.model.message_text import display


class Place(Enum):
    """Position in a triple.

    >>> Place.SUBJECT.admits(Literal("a")), Place.SUBJECT.expected
    (False, 'the subject must be an IRI or a blank node')
    """

    SUBJECT = "subject", (URIRef, BNode), "the subject must be an IRI or a blank node"
    PREDICATE = "predicate", (URIRef,), "the predicate must be an IRI"
    OBJECT = "object", (URIRef, BNode, Literal), "the object must be an IRI, a blank node or a literal"
    CLASS = "class", (URIRef, BNode), "the object of rdf:type must be a class, not a literal"

    def __init__(self, label: str, terms: tuple[type, ...], expected: str) -> None:
        self.label, self.terms, self.expected = label, terms, expected
        self.is_of_individuals = label in ("subject", "object")  # or literals; not of classes and properties

    def admits(self, term: object) -> bool:
        """True if `term` is allowed here."""
        return isinstance(term, self.terms)

    def check(self, term: object, given: object) -> None:
        """Validate that `term` is allowed here.

        Raises:
            InvalidTripleError: it is not; the error shows `given`, the triple or pattern.
        """
        if not isinstance(term, self.terms):
            raise InvalidTripleError(str(given), self.expected)


_FLOATS: Final = {"nan": "NaN", "inf": "INF", "-inf": "-INF"}
_WHOLE = re.compile(r"-?\d+", re.ASCII)
_SHORTEST: Final = len("2026-01-31T10:00:00+01:00:00")
_SECONDS_IN_ZONE = re.compile(r"[^+]*T[\d:.]+[+-]\d\d:\d\d:\d\d(?:\.\d{6})?", re.ASCII)


def _rational(text: str) -> str | None:
    return f"{text}/1" if _WHOLE.fullmatch(text) else None


def _in_utc(text: str) -> str | None:
    if len(text) < _SHORTEST or not _SECONDS_IN_ZONE.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text).astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return None


# Plain strings, since hashing an IRI of rdflib costs more than all else here.
_FORMS: Final[dict[str, Callable[[str], str | None]]] = {
    str(XSD.double): _FLOATS.get,
    str(XSD.float): _FLOATS.get,
    str(OWL.rational): _rational,
    str(XSD.dateTime): _in_utc,
    str(XSD.dateTimeStamp): _in_utc,
}


@overload
def respelled(term: Literal) -> Literal: ...


@overload
def respelled(term: URIRef | BNode | Literal) -> URIRef | BNode | Literal: ...


def respelled(term: URIRef | BNode | Literal) -> URIRef | BNode | Literal:
    """Replace rdflib's nonstandard form of a literal by the form of XML Schema; other terms are returned
    unchanged.

    >>> str(respelled(Literal(float("-inf")))), str(respelled(Literal("2", datatype=OWL.rational)))
    ('-INF', '2/1')
    """
    if not isinstance(term, Literal):
        return term
    form = _FORMS.get(str(term.datatype))
    text = None if form is None else form(str(term))
    return term if text is None else Literal(text, datatype=term.datatype, normalize=False)


F = TypeVar("F", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Delta(Generic[F]):
    """Signed change to a multiset of facts; no weight is zero. Build with `of`.

    >>> Delta.of([("a", 1), ("b", 1), ("a", -1)])
    Delta(weights={'b': 1})
    """

    weights: Mapping[F, int]

    @classmethod
    def of(cls, changes: Iterable[tuple[F, int]]) -> Delta[F]:
        total: Counter[F] = Counter()
        for fact, weight in changes:
            total[fact] += weight
        return cls({fact: weight for fact, weight in total.items() if weight})


Term = URIRef | BNode | Literal
Triple = tuple[Term, Term, Term]

RDF_TYPE = RDF.type  # looking it up in its namespace costs more than the comparison

# A lookup in a set compares equal hashes only; `==` of rdflib's terms costs three times as much.
ONLY_TYPE = frozenset({RDF_TYPE})

# Terms allowed in two places of a triple: building the union at each call costs more than the check.
_NAMES, _TERMS = Place.SUBJECT.terms, Place.OBJECT.terms


def check_triple(given: object) -> Triple:
    """Return `given` if it is a triple of RDF terms; a literal in rdflib's own form is `respelled`.

    Raises:
        InvalidTripleError: it is not three terms, its subject is a literal, or its predicate is not an IRI.

    >>> check_triple((URIRef("urn:a"), RDF.type, URIRef("urn:C")))[1] == RDF.type
    True
    """
    if not isinstance(given, tuple) or len(given) != 3:
        raise InvalidTripleError(repr(given), "expected a tuple (subject, predicate, object) of rdflib terms")
    subject, predicate, object_ = given
    if (
        isinstance(subject, _NAMES)
        and isinstance(predicate, URIRef)
        and isinstance(object_, _TERMS)
        and not (isinstance(object_, Literal) and predicate == RDF_TYPE)
    ):
        form = respelled(object_) if isinstance(object_, Literal) else object_
        return cast("Triple", given if form is object_ else (subject, predicate, form))
    raise _misplaced(given)


def _misplaced(given: tuple[object, object, object]) -> InvalidTripleError:
    """Return the error of three objects that are not a triple."""
    last = Place.CLASS if given[1] == RDF_TYPE else Place.OBJECT
    places = zip((Place.SUBJECT, Place.PREDICATE, Place.OBJECT, last), (*given, given[2]), strict=True)
    return InvalidTripleError(repr(given), next(p.expected for p, term in places if not p.admits(term)))


def short(term: Term | Variable) -> str:
    """Return the last part of an IRI, `?x` for a variable, N-Triples otherwise: for people, not for machines.

    Inside `told_apart`, IRIs that would look the same are shown at more length.

    >>> short(URIRef("http://example.org/room#Hall")), short(Variable("x"))
    ('Hall', '?x')
    """
    if isinstance(term, URIRef):
        return display(term)
    return term.n3()


def in_order(triples: Iterable[Triple]) -> list[Triple]:
    """Sort triples in an order that does not depend on their input order."""
    return sorted(triples, key=lambda triple: (*map(str, triple), *_literal_kind(triple[2])))


def _literal_kind(term: Term) -> tuple[str, str]:
    return (str(term.datatype), str(term.language)) if isinstance(term, Literal) else ("", "")
