"""The known name that is nearest to one that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """A question to be put behind the message about `given`, empty where no known name is near.

    >>> did_you_mean("mapings", ["mappings", "time"]), did_you_mean("x", ["mappings"])
    (' (did you mean mappings?)', '')
    """
    by_folded = {name.strip().casefold(): name for name in known}
    near = get_close_matches(given.strip().casefold(), by_folded, 1)
    return f" (did you mean {by_folded[near[0]]}?)" if near else ""
