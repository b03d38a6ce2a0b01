"""What compiled expressions know of terms, by their numbers."""

from __future__ import annotations

from typing import Final

from rdflib import Literal

from pantarhei.encoding.numbers import NONE
from pantarhei.query.expressions.values import Time, value_of
from pantarhei.query.incremental.lasting_terms import LastingTerms
from pantarhei.values.numeric import Numeric


class Name:
    """An IRI or a blank node; its number says which."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class _OddValue:
    """A literal that is not compiled for."""


Value = Numeric | Time | Name | str | bool | _OddValue
ODD: Final = _OddValue()
_MOST_REMEMBERED: Final = 1 << 16


class TermValues(dict[int, Value | None]):
    """The values of terms by their numbers, read when first asked for."""

    def __init__(self, terms: LastingTerms) -> None:
        super().__init__({NONE: None})
        self._terms = terms

    def __missing__(self, number: int) -> Value:
        if len(self) > _MOST_REMEMBERED:
            self.forget()
        value = self[number] = self._read(number)
        return value

    def _read(self, number: int) -> Value:
        term = self._terms.term(number)
        return value_for(term) if isinstance(term, Literal) else Name(number)

    def forget(self) -> None:
        """Forget the values: numbers may mean something else now."""
        self.clear()
        self[NONE] = None


def value_for(literal: Literal) -> Value:
    """What is known of a literal."""
    value = value_of(literal)
    return value if isinstance(value, Numeric | Time | str | bool) else ODD
