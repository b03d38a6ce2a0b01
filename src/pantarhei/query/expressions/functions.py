"""The functions that are called with terms, by the names that expressions have for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from pantarhei.model.term import Term
from pantarhei.query.algebra.expressions import TIMESTAMP
from pantarhei.query.expressions import strings, terms, times
from pantarhei.query.expressions.calls import Function
from pantarhei.query.expressions.casts import CASTS
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.custom_functions import custom_function
from pantarhei.query.expressions.values import number_of
from pantarhei.values import canonical

_FUNCTIONS: Final[dict[str, Function]] = {
    **CASTS,
    **strings.HASHES,
    "STR": strings.str_,
    "STRLEN": strings.strlen,
    "SUBSTR": strings.substr,
    "UCASE": strings.ucase,
    "LCASE": strings.lcase,
    "STRSTARTS": strings.strstarts,
    "STRENDS": strings.strends,
    "CONTAINS": strings.contains,
    "STRBEFORE": strings.strbefore,
    "STRAFTER": strings.strafter,
    "LANG": strings.lang,
    "LANGMATCHES": strings.langmatches,
    "IRI": terms.iri,
    "ISIRI": terms.is_iri,
    "ISURI": terms.is_iri,
    "ISBLANK": terms.is_blank,
    "DATATYPE": terms.datatype,
    "STRDT": terms.strdt,
    "STRLANG": terms.strlang,
    "TIMEZONE": times.timezone,
    "TZ": times.tz,
}


# Functions that may take long, or make texts longer than their arguments: they check limits before.
_LIMITED: Final[dict[str, Callable[..., Term | bool]]] = {
    "REGEX": strings.regex,
    "REPLACE": strings.replace,
    "ENCODE_FOR_URI": strings.encode_for_uri,
    "CONCAT": strings.concat,
}


def function_of(name: str, context: Context) -> Function:
    """The function of a name, for arguments that are terms."""
    known = _FUNCTIONS.get(str(name))  # an IRI's hash is not that of its text
    if known is not None:
        return known
    if name == "NOW":
        return lambda: context.now
    if name == TIMESTAMP:
        return context.time_of
    limited = _LIMITED.get(str(name))
    if limited is not None:
        return partial(limited, context.guard)
    return _plus if name == "+" else custom_function(name)


def _plus(term: Term) -> Term:
    """The number itself, in canonical form."""
    return canonical.number(number_of(term))
