"""How the rows of a node are kept up to date: what a step costs."""

from __future__ import annotations

from enum import Enum


class Maintenance(Enum):
    """In which of these ways; the value says it for people."""

    ROWS = "exact per row"
    GROUPS = "each changed group anew"
    SOURCES = "each source anew from which a change is reached"
    SLICE = "the slice anew, of rows kept in order"
    WHOLE = "anew as a whole, and compared"
