"""Where something stands in a text."""

from __future__ import annotations

from typing import NamedTuple


class Written(NamedTuple):
    """Where something is written.

    Args:
        line, column: the place, both counted from 1.
        source_line: the line as it is written.
        source: the file that it was read from, None for none.
    """

    line: int
    column: int
    source_line: str
    source: str | None = None


def told_place(written: Written | None) -> str:
    """What a message about something begins with: where it is written, as far as is known."""
    return f"line {written.line}, column {written.column}: " if written else ""
