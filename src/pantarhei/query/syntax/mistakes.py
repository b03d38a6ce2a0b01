"""What is wrong with a text that the parser refuses."""

from __future__ import annotations

from typing import Any

from pyparsing import ParseBaseException

from pantarhei.errors import QueryError
from pantarhei.query.syntax.parser import parse_query, parse_update


def parsed(text: str) -> tuple[Any, Any]:
    """The parse trees of prologue and query.

    Raises:
        QueryError: the text is malformed, with line and column; or it is an update.
    """
    try:
        prologue, query = parse_query(text)
    except ParseBaseException as error:
        if _is_update(text):
            raise QueryError(
                "this is an update: the materialization is read-only; push an ABox to change it"
            ) from None
        raise QueryError(_place(error)) from None
    except RecursionError:
        raise QueryError("the query is nested too deeply") from None
    except ValueError as error:  # an escape that is no character
        raise QueryError(f"malformed query: {error}") from None
    return prologue, query


# Of a line so many characters are shown before the place, and so many altogether.
_BEFORE, _SHOWN = 60, 100

_EMPTY = "the query is empty: expected SELECT, CONSTRUCT, DESCRIBE or ASK"


def _place(error: ParseBaseException) -> str:
    """What is wrong there, with line and column, and the line with a mark below the place."""
    is_at_end, is_at_start = not error.pstr[error.loc :].strip(), "ConstructQuery |" in error.msg
    if is_at_end:
        return _EMPTY if is_at_start else "malformed query: it ends before it is complete"
    start = max(error.column - 1 - _BEFORE, 0)
    line, mark = error.line[start : start + _SHOWN], " " * (error.column - 1 - start) + "^"
    reason = (
        "neither a whole PREFIX or BASE nor SELECT, CONSTRUCT, DESCRIBE or ASK begins here"
        if is_at_start
        else "what begins here is not complete, or no part of a query"
    )
    place = f"line {error.lineno}, column {error.column}"
    return f"malformed query, {place}: {reason}\n    {line}\n    {mark}"


def _is_update(text: str) -> bool:
    try:
        return bool(parse_update(text).request)
    except (ParseBaseException, RecursionError, ValueError):
        return False
