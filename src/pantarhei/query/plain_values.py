"""Terms as plain values of a column: what kinds of terms have such, and which type the column then has.

- `name`: IRIs as they are, blank nodes as `_:label`.
- `string`: strings without a language.
- `integer`, `number` (decimals, floats, or a mixture with integers), `boolean`, `time` (with a zone).
- `n-triples`: all else, each term as N-Triples writes it; so too what the column's type cannot hold: integers
  beyond 64 bits, decimals beyond doubles, times outside the years 1 to 9999 in UTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, cast

from rdflib import XSD, BNode, Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.rdf.ntriples import write_term

if TYPE_CHECKING:
    import pyarrow as pa

KINDS = ("name", "string", "integer", "number", "boolean", "time", "n-triples")


def arrow_type(kind: str) -> pa.DataType:
    """The type of a column whose terms are of that kind."""
    import pyarrow as pa

    types = {
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    return types.get(kind, pa.string())


_INT64 = range(-(2**63), 2**63)


def kind_of_terms(terms: Sequence[Term | None]) -> str:
    """What all terms of a column are, unbound ones aside."""
    kinds = {kind_of_term(term) for term in terms if term is not None}
    if kinds == {"integer", "number"}:
        return "number"
    if not kinds:
        return "string"
    return kinds.pop() if len(kinds) == 1 else "n-triples"


def kind_of_term(term: Term) -> str:
    """What a term is; `n-triples` for what is none of the others."""
    if isinstance(term, URIRef | BNode):
        return "name"
    if term.language is None and term.datatype in (None, XSD.string):
        return "string"
    match term.value:
        case bool():
            return "boolean"
        case int() as number if number in _INT64:
            return "integer"
        case float():
            return "number"
        case Decimal() as decimal if isfinite(float(decimal)):
            return "number"
        case datetime() as at if at.tzinfo is not None and _is_in_utc(at):
            return "time"
    return "n-triples"


def _is_in_utc(at: datetime) -> bool:
    """Whether UTC has the time in the years 1 to 9999."""
    try:
        at.astimezone(UTC)
    except OverflowError:
        return False
    return True


def plain_value(term: Term, kind: str) -> object:
    """A term as a value of a column whose terms are of that kind."""
    if kind == "name":
        return f"_:{term}" if isinstance(term, BNode) else str(term)
    if kind == "string":
        return str(term)
    if kind == "n-triples":
        return write_term(term)
    value: object = cast(Literal, term).value
    return float(cast(float, value)) if kind == "number" else value
