"""RDF terms and triples: rdflib's `URIRef`, `BNode` and `Literal`, validation of triples, and normal forms of
literals.

rdflib writes some literals in forms that XML Schema and OWL do not define: `nan`, `inf` and `-inf` for
floats, `2` for the Fraction 2, and historic time zone offsets with seconds. It does so for Python values and
when it parses texts: `"INF"^^xsd:double` becomes `inf`, also in its serializations. `respelled` restores the
standard forms.
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
    """Position of a term in a triple.

    >>> Place.SUBJECT.admits(Literal("a")), Place.SUBJECT.expected
    (False, 'the subject must be an IRI or a blank node')
    """

    SUBJECT = "subject", (URIRef, BNode), "the subject must be an IRI or a blank node"
    PREDICATE = "predicate", (URIRef,), "the predicate must be an IRI"
    OBJECT = "object", (URIRef, BNode, Literal), "the object must be an IRI, a blank node or a literal"
    CLASS = "class", (URIRef, BNode), "the object of rdf:type must be a class, not a literal"

    def __init__(self, label: str, terms: tuple[type, ...], expected: str) -> None:
        self.label, self.terms, self.expected = label, terms, expected
        self.is_of_individuals = label in ("subject", "object")  # not the position of a class or property

    def admits(self, term: object) -> bool:
        """True if `term` is allowed at this position."""
        return isinstance(term, self.terms)

    def check(self, term: object, given: object) -> None:
        """Raise an error unless `term` is allowed at this position.

        Raises:
            InvalidTripleError: the term is not allowed; the error shows `given`, the triple or pattern.
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


# The keys are plain strings, since hashing rdflib's IRIs would dominate the cost.
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
    """Replace a nonstandard lexical form written by rdflib by the form of XML Schema or OWL. Other terms are
    returned unchanged.

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
    """Signed change to a multiset of facts, without zero weights. Create it with `of`.

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

RDF_TYPE = RDF.type  # an attribute of rdflib's namespace is slow to look up

# Membership in this set is three times as fast as `==` of rdflib's terms.
ONLY_TYPE = frozenset({RDF_TYPE})

# Types allowed as subject, and as object, as tuples: building a union for each call costs more than the
# check.
_NAMES, _TERMS = Place.SUBJECT.terms, Place.OBJECT.terms


def check_triple(given: object) -> Triple:
    """Return `given` if it is a triple of RDF terms; a literal in a nonstandard form of rdflib is
    `respelled`.

    Raises:
        InvalidTripleError: it is not a tuple of three terms, its subject is a literal, its predicate is not
        an IRI, or the object of rdf:type is a literal.

    >>> check_triple((URIRef("urn:a"), RDF.type, URIRef("urn:C")))[1] == RDF.type
    True
    """
    if not isinstance(given, tuple) or len(given) != 3:
        single = "; write a single triple as [triple]" if isinstance(given, _TERMS) else ""
        expected = f"expected a tuple (subject, predicate, object) of rdflib terms{single}"
        raise InvalidTripleError(repr(given), expected)
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
    """Return the error for a tuple of three objects that is not a triple."""
    last = Place.CLASS if given[1] == RDF_TYPE else Place.OBJECT
    places = zip((Place.SUBJECT, Place.PREDICATE, Place.OBJECT, last), (*given, given[2]), strict=True)
    return InvalidTripleError(repr(given), next(p.expected for p, term in places if not p.admits(term)))


def short(term: Term | Variable) -> str:
    """Return the last part of an IRI, `?x` for a variable, and N-Triples for other terms. The result is for
    messages, not for parsers.

    Inside `disambiguate`, IRIs with equal last parts are shown with a prefix or in full.

    >>> short(URIRef("http://example.org/room#Hall")), short(Variable("x"))
    ('Hall', '?x')
    """
    if isinstance(term, URIRef):
        return display(term)
    return term.n3()


def in_order(triples: Iterable[Triple]) -> list[Triple]:
    """Sort triples by their texts, independently of their input order."""
    return sorted(triples, key=lambda triple: (*map(str, triple), *_literal_kind(triple[2])))


def _literal_kind(term: Term) -> tuple[str, str]:
    return (str(term.datatype), str(term.language)) if isinstance(term, Literal) else ("", "")
