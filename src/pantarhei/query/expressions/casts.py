"""Casts between XML Schema's datatypes.

Results are in canonical form, but for times, which stay as they are written.

Source: SPARQL 1.1, section 17.5; XQuery and XPath Functions and Operators, section 17.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Final

from rdflib import BNode, Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.values import (
    DATE,
    DAY_TIME_DURATION,
    DURATION,
    TIME,
    YEAR_MONTH_DURATION,
    Duration,
    ExpressionError,
    Time,
    Value,
    value_of,
)
from pantarhei.rdf.ntriples import typed_literal
from pantarhei.values import canonical
from pantarhei.values.numeric import Number, Numeric, as_decimal, rounded, to_double, to_single
from pantarhei.values.value import BOOLEAN, DATE_TIME, DECIMAL, DOUBLE, FLOAT, INTEGER_BOUNDS, STRING

_SPACE = " \t\n\r"


def cast(datatype: URIRef, term: Term) -> Literal:
    """The term as a value of a datatype.

    Raises:
        ExpressionError: there is none.

    >>> from rdflib import XSD
    >>> str(cast(XSD.integer, Literal("3.7", datatype=XSD.decimal)))
    '3'
    """
    if datatype == STRING:
        return _to_string(term)
    if not isinstance(term, Literal) or term.language is not None:
        raise ExpressionError
    value = value_of(term)
    if value is None:
        raise ExpressionError
    if isinstance(value, str):
        value = _from_string(datatype, value)
    if datatype == BOOLEAN:
        return canonical.boolean(_truth(value))
    if datatype in NUMERIC:
        return _to_number(datatype, value)
    return _to_temporal(datatype, term, value)


def _to_string(term: Term) -> Literal:
    """The text of an IRI or a literal; of a number or boolean as XPath writes it (section 17.1.2)."""
    if isinstance(term, BNode):
        raise ExpressionError
    value = value_of(term) if isinstance(term, Literal) else None
    if isinstance(value, bool):
        return Literal(str(canonical.boolean(value)))
    return Literal(_number_text(value) if isinstance(value, Numeric) else str(term))


def _number_text(number: Numeric) -> str:
    """`1` for 1.0 and 1e0, `1.5`, and `1.0E7` for xsd:floats and xsd:doubles of a million and more."""
    text, value = str(canonical.number(number)), number.value
    if isinstance(value, float) and (not value or 1e-6 <= abs(value) < 1e6):
        text = canonical.decimal_text(Decimal(text)) if value else text.partition("E")[0]
    return text.removesuffix(".0")


def _from_string(datatype: URIRef, text: str) -> Value:
    """What the text is in the datatype."""
    value = value_of(typed_literal(text.strip(_SPACE), datatype))
    if value is None:
        raise ExpressionError
    return value


def _truth(value: Value) -> bool:
    if isinstance(value, Numeric):
        return value.value != 0 and value.value == value.value
    if isinstance(value, bool):
        return value
    raise ExpressionError


def _to_number(datatype: URIRef, value: Value) -> Literal:
    if isinstance(value, bool):
        value = Numeric(kinds.INTEGER, int(value))
    if not isinstance(value, Numeric):
        raise ExpressionError
    if datatype == DOUBLE:
        return canonical.double(to_double(value.value))
    if datatype == FLOAT:
        return canonical.float_(to_single(value.value))
    if datatype == DECIMAL:
        exact = _finite(value.value)
        return canonical.decimal(exact if value.type == kinds.DECIMAL else rounded(exact))
    whole = value.value if isinstance(value.value, int) else int(_finite(value.value))
    low, high = INTEGER_BOUNDS[datatype]
    if (low is not None and whole < low) or (high is not None and whole > high):
        raise ExpressionError
    return typed_literal(canonical.integer_text(whole), datatype)


def _finite(value: Number) -> Decimal:
    if isinstance(value, float) and not math.isfinite(value):
        raise ExpressionError
    return as_decimal(value)


def _to_temporal(datatype: URIRef, term: Literal, value: Value) -> Literal:
    text = str(term).strip(_SPACE)
    if isinstance(value, Time | Duration) and value.datatype == datatype:
        return typed_literal(text, datatype)
    if isinstance(value, Time) and value.datatype == DATE_TIME and datatype in (DATE, TIME):
        date, _, clock = text.partition("T")
        zone = clock[8:].lstrip(".0123456789")
        return typed_literal(date + zone if datatype == DATE else clock, datatype)
    if isinstance(value, Time) and value.datatype == DATE and datatype == DATE_TIME:
        end = text.find("-", 1) + 6
        return typed_literal(f"{text[:end]}T00:00:00{text[end:]}", datatype)
    raise ExpressionError


NUMERIC: Final = frozenset({DECIMAL, FLOAT, DOUBLE, *INTEGER_BOUNDS})
CASTS: Final[dict[str, Callable[[Term], Literal]]] = {
    str(datatype): partial(cast, datatype)
    for datatype in (
        *NUMERIC,
        STRING,
        BOOLEAN,
        DATE_TIME,
        DATE,
        TIME,
        DURATION,
        DAY_TIME_DURATION,
        YEAR_MONTH_DURATION,
    )
}
