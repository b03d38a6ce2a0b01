"""Hypothesis strategies for data ranges and literals: few values, many of them equal or adjacent."""

from __future__ import annotations

from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS, XSD, Literal, URIRef

from pantarhei.model.data_range import (
    ILL_TYPED,
    DataComplementOf,
    DataIntersectionOf,
    DataOneOf,
    DataRange,
    Datatype,
    DatatypeRestriction,
    DataUnionOf,
)
from pantarhei.values.datatype import LANG_RANGE

MINE = URIRef("urn:mine")


def literal(text: str, datatype: URIRef | None = None, lang: str | None = None) -> Literal:
    """Return a literal with exactly this text, without parsing it."""
    written: Literal = str.__new__(Literal, text)
    written._language, written._datatype, written._value, written._ill_typed = lang, datatype, None, None
    return written


_SPELLINGS = {
    XSD.integer: "-1 0 1 2 3 200 x",
    XSD.decimal: "-1.0 0.0 0.5 1 1.50 2 3.0 x",
    XSD.byte: "1 2 200",
    OWL.rational: "1/2 1/3 4/2 -1/3",
    XSD.double: "-1 0 -0 1 1.5 2 INF -INF NaN x",
    XSD.float: "0 1 NaN",
    XSD.boolean: "true false 1",
    XSD.string: "a b ab en a:b 1",
    XSD.token: "a ab",
    RDF.PlainLiteral: "a@ a@en b@nl a",
    XSD.dateTime: "2026-01-01T00:00:00Z 2026-01-01T00:00:00 2026-01-01T14:00:00 2026-01-02T00:00:00Z"
    " 2026-01-01T01:00:00+01:00",
    XSD.dateTimeStamp: "2026-01-01T00:00:00Z 2026-01-01T00:00:00",
    XSD.hexBinary: "00 0000",
    XSD.base64Binary: "AA==",
    XSD.anyURI: "a ab",
    XSD.date: "2026-01-01",
    XSD.duration: "P1M P30D P32D PT24H x",
    XSD.dayTimeDuration: "P1D P30D P1M",
    XSD.yearMonthDuration: "P1M P0M",
    MINE: "a 1",
    URIRef("urn:other"): "a",
}
ALL_LITERALS = [
    *(literal(text, datatype) for datatype, texts in _SPELLINGS.items() for text in texts.split()),
    *(literal("a", lang=language) for language in ("en", "EN-gb")),
    *(literal("a  b"), literal(""), literal("", XSD.anyURI)),
]
LITERALS = st.sampled_from(ALL_LITERALS)

_DATATYPES = [
    *(XSD[name] for name in ("integer", "decimal", "byte", "nonNegativeInteger", "unsignedByte", "double")),
    *(XSD[name] for name in ("boolean", "string", "token", "NCName", "Name", "dateTime", "dateTimeStamp")),
    *(XSD.duration, XSD.dayTimeDuration, XSD.yearMonthDuration),
    *(XSD.hexBinary, XSD.anyURI, OWL.rational, OWL.real, RDFS.Literal, RDF.PlainLiteral, MINE),
]
_LIMITS = {
    XSD.integer: [literal(text, XSD.integer) for text in ("0", "1", "2")],
    XSD.decimal: [literal(text, XSD.decimal) for text in ("0.5", "1", "1.5")],
    XSD.double: [literal(text, XSD.double) for text in ("0", "-0", "1", "INF", "NaN")],
    XSD.dateTime: [literal(text, XSD.dateTime) for text in ("2026-01-01T00:00:00Z", "2026-01-01T12:00:00")],
    XSD.duration: [literal(text, XSD.duration) for text in ("P1M", "P1D")],
}
_BOUNDS = (XSD.minInclusive, XSD.minExclusive, XSD.maxInclusive, XSD.maxExclusive)
_LENGTHS = (XSD.length, XSD.minLength, XSD.maxLength)


def _restrictions(datatype: URIRef) -> st.SearchStrategy[DataRange]:
    facets = st.tuples(st.sampled_from(_BOUNDS), st.sampled_from(_LIMITS[datatype]))
    return _restricted(datatype, facets)


def _restricted(datatype: URIRef, facets: st.SearchStrategy) -> st.SearchStrategy[DataRange]:
    return st.lists(facets, min_size=1, max_size=2).map(
        lambda chosen: DatatypeRestriction(Datatype(datatype), tuple(chosen))
    )


_LENGTH_FACETS = st.tuples(
    st.sampled_from(_LENGTHS), st.sampled_from([literal(text, XSD.integer) for text in "012"])
)
_PATTERNS = st.tuples(st.just(XSD.pattern), st.sampled_from([literal("a.*"), literal("[a-z]+")]))
_LANGUAGES = st.tuples(st.just(LANG_RANGE), st.sampled_from([literal("en"), literal("*")]))

ATOMS = st.one_of(
    st.sampled_from(_DATATYPES).map(Datatype),
    *map(_restrictions, _LIMITS),
    _restricted(XSD.string, _LENGTH_FACETS | _PATTERNS),
    _restricted(RDF.PlainLiteral, _LENGTH_FACETS | _LANGUAGES),
    _restricted(XSD.hexBinary, _LENGTH_FACETS),
    st.lists(LITERALS, max_size=3).map(lambda chosen: DataOneOf(tuple(chosen))),
    st.just(ILL_TYPED),
)
RANGES: st.SearchStrategy[DataRange] = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        inner.map(DataComplementOf),
        st.lists(inner, max_size=3).map(lambda operands: DataIntersectionOf(tuple(operands))),
        st.lists(inner, max_size=3).map(lambda operands: DataUnionOf(tuple(operands))),
    ),
    max_leaves=5,
)
