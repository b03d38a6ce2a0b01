"""How the values that built-ins compute are written, where several ABoxes share a vocabulary and none is to
tell by its answers that there are others.

What is computed is not met by that: its number is reserved, so that whoever asserts the value says how it is
written. In an ABox that does not assert it, it is written as it was computed there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rdflib import Literal

from pantarhei.encoding.lexicon import LiteralSet
from pantarhei.encoding.numbers import FIRST_LITERAL
from pantarhei.model.term import Term


class Reserving(Protocol):
    """What numbers values that nobody has asserted; a vocabulary does."""

    literals: list[Literal]

    def reserve(self, term: Term) -> int:
        """The number of a term's value, a new one if it has none."""


class ComputedForms:
    """The forms of computed values by number.

    Args:
        first: the lowest number of a literal that is not written alike in all ABoxes.

    Attributes:
        otherwise: the values that the vocabulary has in another form, or that were computed in several.
        several: those that were computed in several, such as `2` and `2.0`; of which ABox is not known.
    """

    def __init__(self, first: int) -> None:
        self._first = first
        self._forms: dict[int, Literal] = {}
        self.otherwise, self.several = LiteralSet(), LiteralSet()

    def number(self, result: Literal, vocabulary: Reserving) -> int:
        """The number of what was computed."""
        number = vocabulary.reserve(result)
        if number < self._first:
            return number
        form = self._forms.setdefault(number, result)
        if form is not result and form != result:
            self.several.add(number)
            self.otherwise.add(number)
        elif vocabulary.literals[number - FIRST_LITERAL] != result:
            self.otherwise.add(number)
        return number

    def form(self, number: int) -> Literal | None:
        """How a value was first computed, None if it was not."""
        return self._forms.get(number)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """For a while, forms are those that are computed meanwhile."""
        before, self._forms = self._forms, {}
        try:
            yield
        finally:
            self._forms = before
