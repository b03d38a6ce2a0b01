"""Comparison of two terms in temporal rules.

IRIs are equal if they are identical, and have no order. Literals are compared by value, as by SWRL's
built-ins; in addition, values of known datatypes that no built-in compares are unequal, such as a number and
a string.
"""

from __future__ import annotations

from rdflib import XSD, Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.values.scalar_functions import SWRLB, holds
from pantarhei.values.value import is_well_typed

_DURATIONS = {XSD.duration, XSD.dayTimeDuration, XSD.yearMonthDuration}
_KINDS = ({XSD.string, None}, {XSD.boolean}, {XSD.dateTime, XSD.dateTimeStamp}, {XSD.anyURI}, _DURATIONS)
_WHOLE = "integer long int short byte unsignedLong unsignedInt unsignedShort unsignedByte"
_SIGNED = "nonNegativeInteger positiveInteger negativeInteger nonPositiveInteger"
_NUMBERS = {XSD[name] for name in f"decimal float double {_WHOLE} {_SIGNED}".split()}


def is_true(name: URIRef, left: Term, right: Term) -> bool:
    """True if a comparison holds between two terms."""
    if isinstance(left, Literal) and isinstance(right, Literal):
        return holds(name, left, right) or (name == SWRLB.notEqual and _are_of_two_kinds(left, right))
    if name == SWRLB.equal:
        return left == right
    return name == SWRLB.notEqual and left != right


def _are_of_two_kinds(left: Literal, right: Literal) -> bool:
    """True if two literals are well-typed, of datatypes with disjoint value spaces."""
    kinds = [
        next((kind for kind in (_NUMBERS, *_KINDS) if each.datatype in kind and not each.language), None)
        for each in (left, right)
    ]
    return None not in kinds and kinds[0] is not kinds[1] and is_well_typed(left) and is_well_typed(right)
