"""How the text of temporal rules writes terms, lengths of time and built-ins."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from typing import Final

from rdflib import XSD, Literal, Variable

from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.shown import last_part
from pantarhei.model.term import short

RELATIONS: Final = {
    "equal": "=",
    "notEqual": "!=",
    "lessThan": "<",
    "lessThanOrEqual": "<=",
    "greaterThan": ">",
    "greaterThanOrEqual": ">=",
}
"""The signs of SWRL's comparisons, by the last part of their IRIs."""
SIGNS: Final = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "mod": "mod",
    "pow": "^",
}
"""The signs of SWRL's computations that have one, by the last part of their IRIs."""

_NAME_OF_VARIABLE = re.compile(r"_\w+|[^\W\d_]\w*")
_PLAIN_NUMBER = {str(XSD.integer): re.compile(r"-?[0-9]+"), str(XSD.decimal): re.compile(r"-?[0-9]+\.[0-9]+")}
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
_UNITS = {
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "min": timedelta(minutes=1),
    "sec": timedelta(seconds=1),
    "ms": timedelta(milliseconds=1),
}


def term_text(term: Argument) -> str:
    """A term or variable, IRIs as the text around shows them.

    >>> term_text(Variable("X")), term_text(Variable("x")), term_text(Literal(5)), term_text(Literal("a"))
    ('X', '?x', '5', '"a"')
    """
    if isinstance(term, Variable):
        is_plain = _NAME_OF_VARIABLE.fullmatch(term) and (term[0].isupper() or term[0] == "_")
        return str(term) if is_plain else f"?{term}"
    if not isinstance(term, Literal):
        return short(term)
    plain = _PLAIN_NUMBER.get(str(term.datatype))
    if plain and plain.fullmatch(term):
        return str(term)
    text = f'"{term.translate(_ESCAPES)}"'
    if term.language:
        return f"{text}@{term.language}"
    return text if term.datatype is None else f"{text}^^{short(term.datatype)}"


def duration_text(length: timedelta) -> str:
    """A length of time in the largest unit of which it is a whole number.

    >>> duration_text(timedelta(minutes=5)), duration_text(timedelta(seconds=90, microseconds=1))
    ('5 min', '90.000001 sec')
    """
    for unit, one in _UNITS.items():
        if not length % one:
            return f"{length // one} {unit}"
    return f"{Decimal(length // timedelta(microseconds=1)).scaleb(-6).normalize():f} sec"


def builtin_text(builtin: Builtin) -> str:
    """A comparison or computation: `X < Y`, `R = X + Y`, by its name where it has no sign.

    >>> from rdflib import URIRef
    >>> add = URIRef("http://www.w3.org/2003/11/swrlb#add")
    >>> builtin_text(Builtin(add, (Variable("R"), Variable("X"), Literal(1))))
    'R = X + 1'
    """
    name, arguments = last_part(builtin.name), [*map(term_text, builtin.arguments)]
    if name in RELATIONS:
        return f" {RELATIONS[name]} ".join(arguments)
    if name in SIGNS:
        result, *operands = arguments
        return f"{result} = {f' {SIGNS[name]} '.join(operands)}"
    return f"{short(builtin.name)}({', '.join(arguments)})"
