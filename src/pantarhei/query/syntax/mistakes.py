"""What is wrong with a text that the parser refuses."""

from __future__ import annotations

import re
from typing import Any, Final

from pyparsing import ParseBaseException

from pantarhei.errors import QueryError, QueryTextError
from pantarhei.query.query_limits import NO_LIMITS, Guard
from pantarhei.query.syntax.parser import furthest_place, parse_query, parse_update, place_as_written


def parsed(text: str, guard: Guard = NO_LIMITS) -> tuple[Any, Any]:
    """Return the parse trees of prologue and query.

    Raises:
        QueryTimeoutError, QueryLengthError: it takes longer than `guard` permits, or is longer.
        QueryError: the text is malformed, a `QueryTextError` where the place is known; or it is an update.
    """
    guard.check_length(text)
    try:
        prologue, query = parse_query(text, guard)
    except ParseBaseException as error:
        if _is_update(text):
            raise QueryError(
                "this is an update: the materialization is read-only; what is asserted changes by push, or "
                "by change of a DynamicGraph"
            ) from None
        raise _mistake(text, error, guard) from None
    except RecursionError:
        raise QueryError("the query is nested too deeply") from None
    except ValueError as error:  # an escape that is no character
        raise QueryError(f"malformed query: {error}") from None
    return prologue, query


_STARTS: Final = "SELECT, CONSTRUCT, DESCRIBE or ASK"
_OF_STREAMS: Final = re.compile(r"(?:REGISTER|[RID]?STREAM|WINDOW)\b", re.IGNORECASE)


def _mistake(text: str, error: ParseBaseException, guard: Guard) -> QueryError:
    """Return the error for the place where the text is malformed."""
    is_at_start = "ConstructQuery |" in error.msg
    if is_at_start and not error.pstr[error.loc :].strip():
        return QueryError(f"the query is empty: expected {_STARTS}")
    if is_at_start:
        problem = f"neither a whole PREFIX or BASE nor {_STARTS} begins here"
        place = place_as_written(text, error.loc)
    else:
        problem = "what begins here is not complete, or no part of a query"
        place = furthest_place(text, guard)
    if word := _OF_STREAMS.match(text, place):
        problem = f"{word[0].upper()} is a word of C-SPARQL, RSP-QL and CQELS"
        return QueryTextError.at(text, place, problem, "SPARQL; pantarhei.register reads the other languages")
    if not text[place:].strip():
        return QueryTextError.at(text, len(text.rstrip()), "it ends before it is complete")
    return QueryTextError.at(text, place, problem)


def _is_update(text: str) -> bool:
    try:
        return bool(parse_update(text).request)
    except (ParseBaseException, RecursionError, ValueError):
        return False
