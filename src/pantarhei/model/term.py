"""RDF terms and triples as values: rdflib's `URIRef`, `BNode` and `Literal`, and what is a triple of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from rdflib import RDF, BNode, Literal, URIRef, Variable

from pantarhei.errors import InvalidTripleError
from pantarhei.model.place import Place
from pantarhei.model.rdflib_forms import respelled
from pantarhei.model.shown import shown

Term = URIRef | BNode | Literal
Triple = tuple[Term, Term, Term]

RDF_TYPE = RDF.type  # looking it up in its namespace costs more than the comparison

# A look-up in a set compares terms that are alike only; `==` of rdflib's terms costs three times as much.
ONLY_TYPE = frozenset({RDF_TYPE})

# What may stand in two places of a triple, at hand: a union made at each call costs more than the check.
_NAMES, _TERMS = Place.SUBJECT.terms, Place.OBJECT.terms


def check_triple(given: object) -> Triple:
    """Return `given`, if it is a triple of RDF terms; a literal in rdflib's own form is `respelled`.

    Raises:
        InvalidTripleError: it is not three terms, its subject is a literal, or its predicate no IRI.

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
    """What is wrong with three things that are no triple."""
    last = Place.CLASS if given[1] == RDF_TYPE else Place.OBJECT
    places = zip((Place.SUBJECT, Place.PREDICATE, Place.OBJECT, last), (*given, given[2]), strict=True)
    return InvalidTripleError(repr(given), next(p.expected for p, term in places if not p.admits(term)))


def check_text(text: str) -> None:
    """Nothing, if the text of a term is Unicode, which any file and column can hold.

    Raises:
        InvalidTripleError: it has a surrogate without the other one of its pair.

    >>> check_text("urn:café")
    """
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        reason = f"{text[error.start]!r} is half a character; decode both halves of it together"
        raise InvalidTripleError(repr(text[:200]), reason) from None


def short(term: Term | Variable) -> str:
    """The last part of an IRI, `?x` for a variable, N-Triples for the rest: for people, not for machines.

    In a text by `told_apart`, IRIs that would look the same are shown at more length.

    >>> short(URIRef("http://example.org/room#Hall")), short(Variable("x"))
    ('Hall', '?x')
    """
    if isinstance(term, URIRef):
        return shown(term)
    return term.n3()


def in_order(triples: Iterable[Triple]) -> list[Triple]:
    """`triples` in an order that is the same in each run, whatever order they come in."""
    return sorted(triples, key=lambda triple: (*map(str, triple), *_literal_kind(triple[2])))


def _literal_kind(term: Term) -> tuple[str, str]:
    return (str(term.datatype), str(term.language)) if isinstance(term, Literal) else ("", "")
