"""How much a reasoner may hold, and what becomes of a push that would leave more.

With `on_limit="drop"` the oldest partitions leave before their time. What stays is what a reasoner has whose
window begins at the oldest timestamp kept: nothing older takes part in what a window holds from a timestamp
on (PB26 Prop. 2), nor in what a repair keeps of it (PB26 Lemma 2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from pantarhei.errors import MemoryLimitError, OptionError
from pantarhei.model.time import TimePoint, show_time
from pantarhei.window.log import Entry

OnLimit = Literal["error", "drop"]

# While a push is under way there may be more facts, until its repair and the dropping of partitions: an
# eighth, and so many.
SLACK = 1024

# Which share of the older assertions stays, at one attempt after the other, where a push cannot go through.
_SHARES = (Fraction(7, 8), Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), Fraction(0))

# A limit's name, what it allows, and what there is.
Exceeded = tuple[str, int, int]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a reasoner may hold after a push.

    Args:
        max_facts: facts of the materialization, the background's among them; None for no limit.
        max_bytes: bytes as `Stats.bytes` counts them; None for no limit.
        on_limit: `"error"` refuses what would leave more, `"drop"` lets the oldest timestamps go for it.

    Raises:
        OptionError: one has no such value.
    """

    max_facts: int | None = None
    max_bytes: int | None = None
    on_limit: OnLimit = "error"

    def __post_init__(self) -> None:
        for name in ("max_facts", "max_bytes"):
            given = getattr(self, name)
            if given is not None and (type(given) is not int or given < 1):
                raise OptionError(name, repr(given), "a whole number from 1 on, or None for no limit")
        if self.on_limit not in get_args(OnLimit):
            raise OptionError("on_limit", repr(self.on_limit), " or ".join(map(repr, get_args(OnLimit))))

    def __bool__(self) -> bool:
        """Whether there is a limit."""
        return self.max_facts is not None or self.max_bytes is not None

    @property
    def drops(self) -> bool:
        """Whether timestamps leave early where there is too much."""
        return self.on_limit == "drop"

    @property
    def most_facts_on_the_way(self) -> int | None:
        """How many facts there may be while a push is under way."""
        return None if self.max_facts is None else self.max_facts + self.max_facts // 8 + SLACK

    def exceeded(self, facts: int, bytes: int) -> Exceeded | None:
        """The limit that facts or bytes are beyond."""
        if self.max_facts is not None and facts > self.max_facts:
            return "max_facts", self.max_facts, facts
        if self.max_bytes is not None and bytes > self.max_bytes:
            return "max_bytes", self.max_bytes, bytes
        return None

    def exceeded_by(self, facts: int, bytes: int) -> Exceeded:
        """The limit that a model of so many facts and bytes was beyond while a push was under way."""
        by_facts = self.exceeded(facts, 0)
        if by_facts is not None:
            return by_facts
        assert self.max_bytes is not None, "something has a limit"
        return "max_bytes", self.max_bytes, max(bytes, self.max_bytes + 1)

    def error(self, exceeded: Exceeded, at: TimePoint | None, beside: int = 0) -> MemoryLimitError:
        """The error for a push at `at`, or for the background.

        Args:
            beside: how many bytes temporal rules and registered queries hold.
        """
        name, most, needed = exceeded
        return MemoryLimitError(name, most, needed, None if at is None else show_time(at), self.drops, beside)


NO_LIMITS = Limits()


def later_starts(older: Sequence[Entry], end: int) -> Iterator[int]:
    """The levels to begin at, one after the other, where a push has no room beside `older`; `end` is last.

    Each keeps a smaller share of the assertions. Costs a look at each entry.
    """
    total = sum(len(entry.facts) for entry in older)
    last = older[0].level if older else end
    for share in _SHARES:
        level, kept = end, 0
        for entry in reversed(older):
            kept += len(entry.facts)
            if kept > share * total:
                break
            level = entry.level
        if level > last:
            last = level
            yield level


def parse_bytes(text: str) -> int:
    """A number of bytes: `200MB`, `1.5 GiB`, `4096`.

    Raises:
        OptionError: it is none.

    >>> parse_bytes("200MB"), parse_bytes("1.5 GiB"), parse_bytes("4096")
    (200000000, 1610612736, 4096)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmg]i?)?b?\s*", text.lower())
    if found is None:
        raise OptionError("max_bytes", repr(text), "a number of bytes, such as 200MB, 1.5GiB or 4096")
    return int(Fraction(found[1]) * _UNITS[found[2] or ""])
