"""Parts of messages: counted nouns, suggestions, positions in a text."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun; `many` is needed where the plural does not end in `s`, or `es` after
    `x`.

    >>> counted(1, "ABox"), counted(2_000, "ABox"), counted(0, "fact"), counted(2, "property", "properties")
    ('1 ABox', '2,000 ABoxes', '0 facts', '2 properties')
    """
    many = many or one + ("es" if one.endswith("x") else "s")
    return f"{number:,} {one if number == 1 else many}"


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return a question for the end of a message about `given`, empty where no known name is similar.

    >>> did_you_mean("mapings", ["mappings", "time"]), did_you_mean("x", ["mappings"])
    (' (did you mean mappings?)', '')
    """
    by_folded = {name.strip().casefold(): name for name in known}
    near = get_close_matches(given.strip().casefold(), by_folded, 1)
    return f" (did you mean {by_folded[near[0]]}?)" if near else ""


class TextPosition(NamedTuple):
    """Position in a text.

    Args:
        line, column: both counted from 1.
        source_line: the text of the line.
        source: the file, None for a text.
    """

    line: int
    column: int
    source_line: str
    source: str | None = None


def position_prefix(written: TextPosition | None) -> str:
    """Return the position as the start of a message, empty if unknown."""
    return f"line {written.line}, column {written.column}: " if written else ""
