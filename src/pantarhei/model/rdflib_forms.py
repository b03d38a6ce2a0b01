"""Literals as rdflib writes Python values, in the forms that XML Schema and OWL have for them.

rdflib writes `nan`, `inf` and `-inf` for floats, `2` for the Fraction 2, and seconds in the zones of times of
long ago. It does so for Python values and for texts: `"INF"^^xsd:double` becomes `inf` when rdflib parses it,
and stays so in what rdflib serializes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, overload

from rdflib import OWL, XSD, BNode, Literal, URIRef

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


# By plain strings, since hashing an IRI of rdflib's costs more than all else here.
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
    """Return a literal in XML Schema's form if it has rdflib's own, and any other term itself.

    >>> str(respelled(Literal(float("-inf")))), str(respelled(Literal("2", datatype=OWL.rational)))
    ('-INF', '2/1')
    """
    if not isinstance(term, Literal):
        return term
    form = _FORMS.get(str(term.datatype))
    text = None if form is None else form(str(term))
    return term if text is None else Literal(text, datatype=term.datatype, normalize=False)
