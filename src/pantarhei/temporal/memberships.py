"""Which literals are in which data ranges of temporal rules, their comparisons with constants among them.

The vocabulary knows that of the ontology's ranges. What rules add is decided here, once for each literal, and
kept with its number as long as that means the literal.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from rdflib import Literal

from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.data_range import DataRange
from pantarhei.values.by_value import exact_range
from pantarhei.values.membership import tester

Bits = npt.NDArray[np.uint8]


class Memberships:
    """The bits of literals, `(ranges + 7) // 8` bytes each, as `Matcher.consult` has them.

    Args:
        ranges: those of a program; the vocabulary's come first.
        vocabulary: numbers the literals.
    """

    def __init__(self, ranges: Sequence[DataRange], vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        known = len(vocabulary.ranges)
        added = ranges[known:]
        self._tester = tester(
            [exact_range(each) for each in added] if vocabulary.numbers == "by_value" else added
        )
        self._adds = len(added) > 0
        self._first, self._own, self._width = known, (known + 7) // 8, (len(ranges) + 7) // 8
        self._revision = vocabulary.revision
        self._decided: list[Literal] = []
        self._bits: Bits = np.zeros(0, np.uint8)

    @property
    def bits(self) -> Bits:
        """All bits. Costs the literals that are new."""
        if not self._adds:
            return self._vocabulary.memberships
        if self._revision is not self._vocabulary.revision:
            self._forget()
        if len(self._decided) < len(self._vocabulary.literals):
            self._decide(self._vocabulary.literals[len(self._decided) :])
        return self._bits

    def _forget(self) -> None:
        """Keep what is decided of the literals that have their numbers still."""
        both = zip(self._decided, self._vocabulary.literals, strict=False)
        kept = next((place for place, (one, other) in enumerate(both) if one is not other), None)
        kept = min(len(self._decided), len(self._vocabulary.literals)) if kept is None else kept
        del self._decided[kept:]
        self._revision = self._vocabulary.revision

    def _decide(self, literals: Sequence[Literal]) -> None:
        begin, end = len(self._decided), len(self._decided) + len(literals)
        if end * self._width > len(self._bits):
            self._bits = np.append(self._bits, np.zeros(2 * end * self._width - len(self._bits), np.uint8))
        fresh = self._bits[begin * self._width : end * self._width].reshape(-1, self._width)
        fresh[:] = np.frombuffer(b"".join(map(self._row, literals)), np.uint8).reshape(-1, self._width)
        if self._own:
            known = self._vocabulary.memberships[begin * self._own : end * self._own]
            fresh[:, : self._own] |= known.reshape(-1, self._own)
        self._decided += literals

    def _row(self, literal: Literal) -> bytes:
        found = sum(1 << number for number in self._tester.of_value(self._vocabulary.value_of(literal)))
        return (found << self._first).to_bytes(self._width, "little")
