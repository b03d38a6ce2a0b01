"""Datatypes and their facets as conditions on values.

Source: OWL 2, section 4 (the datatypes and facets); XML Schema 1.1 part 2 (their semantics).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from operator import attrgetter
from typing import Final

from rdflib import OWL, RDF, RDFS, XSD, Literal, URIRef

from pantarhei.model.term import Term, short
from pantarhei.values import condition as conditions
from pantarhei.values.condition import Formula, Sort, all_of, sort_and_value
from pantarhei.values.pattern import PatternError, compile_pattern
from pantarhei.values.value import (
    FURTHEST_ZONE,
    INTEGER_BOUNDS,
    LANG_STRING,
    PLAIN_LITERAL,
    RATIONAL,
    REAL,
    STRING,
    STRING_FORMS,
    is_ill_typed,
    value_of,
)

LITERAL = RDFS.Literal
LANG_RANGE: Final = URIRef(f"{RDF}langRange")

_BOUNDS: Final = {  # facet: whether it is a lower bound, whether its limit is included
    XSD.minInclusive: (True, True),
    XSD.minExclusive: (True, False),
    XSD.maxInclusive: (False, True),
    XSD.maxExclusive: (False, False),
}
_LENGTHS: Final = frozenset({XSD.length, XSD.minLength, XSD.maxLength})
_PATTERN: Final = XSD.pattern

# Datatypes of durations, and the part that is 0 in their values.
_ZERO_PART: Final = {XSD.dayTimeDuration: "months", XSD.yearMonthDuration: "seconds"}

# Sorts of the values of datatypes; literals of other datatypes are compared by their text.
_STRINGS = (conditions.STRINGS,)
_SORTS: Final[dict[URIRef, tuple[Sort, ...]]] = {
    **dict.fromkeys((REAL, RATIONAL, XSD.decimal, *INTEGER_BOUNDS), (conditions.NUMBERS,)),
    **dict.fromkeys((STRING, *STRING_FORMS), _STRINGS),
    PLAIN_LITERAL: (conditions.STRINGS, conditions.TAGGED),
    LANG_STRING: (conditions.TAGGED,),
    XSD.float: (conditions.FLOATS,),
    XSD.double: (conditions.DOUBLES,),
    XSD.boolean: (conditions.BOOLEANS,),
    XSD.dateTime: (conditions.ZONED, conditions.UNZONED),
    XSD.dateTimeStamp: (conditions.ZONED,),
    XSD.hexBinary: (conditions.HEX,),
    XSD.base64Binary: (conditions.BASE64,),
    XSD.anyURI: (conditions.URIS,),
    **dict.fromkeys((XSD.duration, *_ZERO_PART), (conditions.DURATIONS,)),
}

# Datatypes with disjoint value spaces that together contain all known values.
VALUE_SPACES: Final = (
    REAL,
    PLAIN_LITERAL,
    XSD.float,
    XSD.double,
    XSD.boolean,
    XSD.dateTime,
    XSD.hexBinary,
    XSD.base64Binary,
    XSD.anyURI,
    XSD.duration,
)


def is_known(datatype: URIRef) -> bool:
    """Return whether it is known which literals belong to a datatype, even if their values are not known."""
    return datatype in _SORTS or any(datatype.startswith(str(space)) for space in (XSD, RDF, RDFS, OWL))


# Datatypes outside OWL 2 RL whose value spaces are disjoint from all others.
_OTHER_DATATYPES: Final = frozenset(
    {
        *(XSD.date, XSD.time, XSD.gYear, XSD.gYearMonth, XSD.gMonth, XSD.gMonthDay, XSD.gDay),
        *(XSD.QName, XSD.NOTATION),
        *(RDF.XMLLiteral, RDF.HTML, RDF.JSON),
    }
)


def is_recognized(datatype: URIRef) -> bool:
    """Return whether the value space of a datatype is known (RDF 1.1 Semantics, section 7)."""
    return datatype in _SORTS or datatype in _OTHER_DATATYPES


_PARENTS: Final[dict[URIRef, tuple[URIRef, ...]]] = {
    RATIONAL: (REAL,),
    XSD.decimal: (RATIONAL,),
    XSD.integer: (XSD.decimal,),
    XSD.nonNegativeInteger: (XSD.integer,),
    XSD.positiveInteger: (XSD.nonNegativeInteger,),
    XSD.nonPositiveInteger: (XSD.integer,),
    XSD.negativeInteger: (XSD.nonPositiveInteger,),
    XSD.long: (XSD.integer,),
    XSD.int: (XSD.long,),
    XSD.short: (XSD.int,),
    XSD.byte: (XSD.short,),
    XSD.unsignedLong: (XSD.nonNegativeInteger,),
    XSD.unsignedInt: (XSD.unsignedLong, XSD.long),
    XSD.unsignedShort: (XSD.unsignedInt, XSD.int),
    XSD.unsignedByte: (XSD.unsignedShort, XSD.short),
    STRING: (PLAIN_LITERAL,),
    LANG_STRING: (PLAIN_LITERAL,),
    XSD.normalizedString: (STRING,),
    XSD.token: (XSD.normalizedString,),
    XSD.language: (XSD.token,),
    XSD.Name: (XSD.token,),
    XSD.NCName: (XSD.Name,),
    XSD.NMTOKEN: (XSD.token,),
    XSD.dateTimeStamp: (XSD.dateTime,),
    **dict.fromkeys(_ZERO_PART, (XSD.duration,)),
}


def is_compared_by_value(datatype: URIRef) -> bool:
    """Return whether the literals of a datatype are compared by value, except literals that are too long to
    be parsed.
    """
    return datatype in _SORTS


def is_derived(datatype: URIRef, from_: URIRef) -> bool:
    """Return whether all values of `datatype` are values of `from_` by definition.

    >>> is_derived(XSD.byte, XSD.decimal)
    True
    """
    if from_ in (datatype, LITERAL):
        return True
    return any(is_derived(parent, from_) for parent in _PARENTS.get(datatype, ()))


def datatype_formula(datatype: URIRef, sort: Sort) -> Formula:
    """Return the formula that the values of a sort fulfil exactly if a datatype contains them."""
    if sort == conditions.ILL:
        return False
    if datatype == LITERAL:
        return True
    if sort.part == "text":
        return is_derived(sort.space, datatype)
    if sort not in _SORTS.get(datatype, ()):
        return False
    if datatype in INTEGER_BOUNDS:
        low, high = INTEGER_BOUNDS[datatype]
        limits = (limit for limit in (low, high) if limit is not None)
        bounds = (conditions.ValueBound(limit, limit is low, True) for limit in limits)
        return all_of([conditions.NumberKind(0), *bounds])
    if datatype in (XSD.decimal, RATIONAL):
        return conditions.NumberKind(1 if datatype == XSD.decimal else 2)
    if datatype in _ZERO_PART:
        part = attrgetter(_ZERO_PART[datatype])
        return conditions.MatchesForm(str(datatype), lambda period: not part(period))
    if datatype in STRING_FORMS:
        return conditions.MatchesForm(str(datatype), STRING_FORMS[datatype].fullmatch)
    return True


# -- facets ----------------------------------------------------------------------------------------


def facet_problem(datatype: URIRef, facet: URIRef, value: Term) -> str | None:
    """Return the reason why a datatype cannot be restricted by a facet with this value; None if it can.

    >>> facet_problem(XSD.boolean, XSD.minInclusive, Literal(True))
    'boolean has no facet minInclusive'
    """
    sorts = _SORTS.get(datatype, ())
    if not isinstance(value, Literal) or is_ill_typed(value_of(value)):
        return f"the value {value.n3()} of the facet {short(facet)} is not a well-typed literal"
    if not any(facet in _FACETS[sort] for sort in sorts):
        why = "" if is_known(datatype) else "; in OWL 2 only built-in datatypes have facets"
        return f"{short(datatype)} has no facet {short(facet)}{why}"
    (sort, limit) = _value(value)
    if facet in _BOUNDS and sort not in sorts:
        return f"the limit {value.n3()} is not comparable with the values of {short(datatype)}"
    if facet in _LENGTHS and (type(limit) is not int or limit < 0):
        return f"the length {value.n3()} is not a whole number of at least 0"
    if facet == _PATTERN:
        if sort != conditions.STRINGS:
            return f"the pattern {value.n3()} is not a string"
        return _pattern_problem(str(value))
    if facet == LANG_RANGE and not _LANGUAGE_RANGE.fullmatch(str(value)):
        return f"{value.n3()} is not a language range"
    return None


_LANGUAGE_RANGE = re.compile(r"([a-zA-Z]{1,8}|\*)(-([a-zA-Z0-9]{1,8}|\*))*")


def _value(literal: Literal) -> tuple[Sort, object]:
    key = value_of(literal)
    assert isinstance(key, tuple)
    return sort_and_value(key)


def _pattern_problem(text: str) -> str | None:
    try:
        compile_pattern(text)
    except PatternError as error:
        return str(error)
    return None


def restriction_formula(datatype: URIRef, facets: Sequence[tuple[URIRef, Term]], sort: Sort) -> Formula:
    """Return the formula that the values of a sort fulfil exactly if they belong to a datatype restricted by
    facets.

    The facets must be valid (`facet_problem`). Literals that are compared by text do not belong to any
    restriction.
    """
    if sort not in _SORTS.get(datatype, ()):
        return False
    narrowed = (facet_formula(facet, value, sort) for facet, value in facets)
    return all_of([datatype_formula(datatype, sort), *narrowed])


def facet_formula(facet: URIRef, value: Term, sort: Sort) -> Formula:
    """Return the formula that the values of a sort fulfil exactly if a facet admits them; False if the facet
    does not apply to the sort.
    """
    assert isinstance(value, Literal)
    if facet not in _FACETS[sort]:
        return False
    if facet in _BOUNDS:
        return _bound(value, *_BOUNDS[facet], sort)
    _, limit = _value(value)
    if facet == _PATTERN:
        return conditions.MatchesForm(f"pattern {limit}", compile_pattern(str(limit)).matches)
    if facet == LANG_RANGE:
        return conditions.InLanguage(str(value).lower())
    assert isinstance(limit, int)
    least = 0 if facet == XSD.maxLength else limit
    return conditions.Length(least, None if facet == XSD.minLength else limit)


def _bound(literal: Literal, is_lower: bool, is_inclusive: bool, sort: Sort) -> Formula:
    given, limit = _value(literal)
    if sort in (conditions.ZONED, conditions.UNZONED):
        assert isinstance(limit, conditions.Instant)
        return _time_bound(limit, is_lower, is_inclusive, given == sort)
    if isinstance(limit, float) and math.isnan(limit):  # NaN is equal to itself, and unordered
        return conditions.AmongValues((limit,)) if is_inclusive else False
    return conditions.ValueBound(limit, is_lower, is_inclusive)


def _time_bound(limit: conditions.Instant, is_lower: bool, is_inclusive: bool, is_alike: bool) -> Formula:
    """Return the formula for times above or below a limit.

    Args:
        is_alike: whether the times have a time zone exactly if the limit has one.
    """
    if is_alike:
        return conditions.ValueBound(limit[:2], is_lower, is_inclusive)
    # A time without a time zone may be up to 14 hours away from the same time in UTC; only a larger
    # difference is certain.
    hours = (60 if is_lower else -60) * FURTHEST_ZONE
    return conditions.ValueBound((limit.seconds + hours, limit.fraction), is_lower, is_inclusive=False)


_TEXT_FACETS = frozenset({*_LENGTHS, _PATTERN})
_FACETS: Final[dict[Sort, frozenset[URIRef]]] = {
    **dict.fromkeys(
        (
            conditions.NUMBERS,
            conditions.FLOATS,
            conditions.DOUBLES,
            conditions.ZONED,
            conditions.UNZONED,
            conditions.DURATIONS,
        ),
        frozenset(_BOUNDS),
    ),
    **dict.fromkeys((conditions.STRINGS, conditions.URIS), _TEXT_FACETS),
    **dict.fromkeys((conditions.HEX, conditions.BASE64), _LENGTHS),
    conditions.TAGGED: _TEXT_FACETS | {LANG_RANGE},
    conditions.BOOLEANS: frozenset(),
}
