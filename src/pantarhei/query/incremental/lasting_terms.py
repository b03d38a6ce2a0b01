"""Numbers for the terms of registered queries, from step to step.

Each value has a number in the vocabulary, also where a query has computed it: so what is computed joins with
what a later ABox brings. A number below `LOCAL` stands for a term of the vocabulary in its first form; each
other term, or form, has a number of its own, which is never given again.

A query may compute a term before an ABox brings its value in that very form. The term keeps the number that
it got first: `shown` gives it for the vocabulary's.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
from rdflib import Literal

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.language.term import Term
from pantarhei.literals.value import STRING, double_key
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.sums import written
from pantarhei.query.expressions.values import Numeric
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.table import Ids
from pantarhei.query.terms import LOCAL, TermSpace


class Decoder(NamedTuple):
    """What numbers of terms stand for, as long as the numbers stay as they are.

    Args:
        locals: the terms that have numbers from `LOCAL` on.
        known: gives the term of any other.
    """

    locals: Sequence[Term]
    known: Callable[[int], Term]

    def row(self, row: tuple[int, ...]) -> tuple[Term | None, ...]:
        """The terms of a row, None where there is none."""
        return tuple([None if number == NONE else self.term(number) for number in row])

    def term(self, number: int) -> Term:
        """The term of a number."""
        return self.locals[number - LOCAL] if number >= LOCAL else self.known(number)


class LastingTerms(TermSpace):
    """Terms of registered queries."""

    def __init__(self, vocabulary: Vocabulary, journal: Journal) -> None:
        super().__init__(vocabulary.find, vocabulary.lexicon.term)
        self._vocabulary, self._journal = vocabulary, journal
        self._value_of: list[int] = []
        self._instead: dict[int, int] = {}
        self._fulfilled = 0  # so many of the vocabulary's have been looked at
        self.revision, self._certain = vocabulary.revision, 0

    def look_again(self) -> None:
        """Take note of what has happened to the vocabulary: a step begins."""
        if self.revision is not self._vocabulary.revision:
            # it may have forgotten the numbers of what was computed in a step that was broken off
            reserve = self._vocabulary.reserve
            self._value_of[self._certain :] = map(reserve, self.locals[self._certain :])
            self.revision = self._vocabulary.revision
        self._certain = len(self.locals)
        fulfilled = self._vocabulary.fulfilled
        if self._fulfilled == len(fulfilled):
            return
        for number in fulfilled[self._fulfilled :]:
            self._journal.note(self._instead, number)
            local = self._ids.get(_plain(self._term(number)))
            if local is None:
                self._instead.pop(number, None)
            else:
                self._instead[number] = local
        self._journal.set(self, "_fulfilled", len(fulfilled))

    @property
    def has_further_numbers(self) -> bool:
        """Whether terms of the vocabulary may have numbers that are not the vocabulary's."""
        return bool(self._instead)

    def first_form(self, number: int) -> int | None:
        """The number that stands for a value of the vocabulary in its first form, where that is another."""
        return self._instead.get(number)

    def shown(self, ids: Ids) -> Ids:
        """The numbers of terms where those of the vocabulary stand for values in their first form."""
        if not self._instead:
            return ids
        places = np.flatnonzero(np.isin(ids, np.fromiter(self._instead, np.int64)))
        if not len(places):
            return ids
        shown = ids.copy()
        shown[places] = [self._instead[number] for number in ids[places].tolist()]
        return shown

    def find_value(self, term: Term) -> int:
        """The number of a term's value; it gets one if it has none."""
        return self._vocabulary.reserve(term)

    def id_of(self, term: Term) -> int:
        """The number of a term, in the form it has."""
        return self._id_of(_plain(term))

    def id_of_number(self, number: Numeric) -> int:
        """The number of the literal that a number is written as, `NONE` if it is too large."""
        literal = written(number)
        if literal is None:
            return NONE
        is_double = number.type == kinds.DOUBLE
        return self._id_of(literal, double_key(float(number.value)) if is_double else None)

    def _id_of(self, term: Term, key: Hashable = None) -> int:
        """`id_of` of a term that is no string with its datatype; `key` is that of its value, where known."""
        local = self._ids.get(term)
        if local is not None:
            return local
        unknown = FIRST_LITERAL + len(self._vocabulary.literals)
        value = self._vocabulary.reserve(term, key)
        is_new = value >= unknown  # nothing has come that shows it
        if not is_new and (not isinstance(term, Literal) or self._vocabulary.shows(value, term)):
            return value
        number = LOCAL + len(self.locals)
        self._value_of.append(value)
        self.locals.append(term)
        self._ids[term] = number
        return number

    @property
    def decoder(self) -> Decoder:
        """What the numbers stand for now."""
        return Decoder(self.locals, self._term)

    def value(self, number: int) -> int:
        """The number of a term's value; `NONE` for `NONE`."""
        return self._value_of[number - LOCAL] if number >= LOCAL else number

    def values(self, ids: Ids) -> Ids:
        """The numbers of the terms' values."""
        local = np.flatnonzero(ids >= LOCAL)
        if not len(local):
            return ids
        values = ids.copy()
        values[local] = [self._value_of[number - LOCAL] for number in ids[local].tolist()]
        return values

    def renamed(self, values: dict[int, int], used: set[int]) -> dict[int, int]:
        """Take the numbers that the vocabulary gives values from now on; forget the terms that are not used.

        Args:
            values: the new numbers of values.
            used: the numbers of the terms that are used.

        Returns:
            The new numbers of the terms that are.
        """
        numbers = {NONE: NONE}
        instead: dict[int, int] = {}
        terms: list[Term] = []
        values_of: list[int] = []
        ids: dict[Term, int] = {}
        for number in sorted(used - {NONE}):
            value = values[self.value(number)]
            if value < FIRST_LITERAL:
                numbers[number] = value
                continue
            term = self.term(number)
            if self._vocabulary.shows(value, term):
                if self._vocabulary.term(value) == term:
                    numbers[number] = value
                    continue
                instead[value] = LOCAL + len(terms)  # a string without its datatype, as it was told
            numbers[number] = LOCAL + len(terms)
            terms.append(term)
            values_of.append(value)
            ids[term] = numbers[number]
        for name, made in (("locals", terms), ("_value_of", values_of), ("_made", {NONE: None})):
            self._journal.set(self, name, made)
        self._journal.set(self, "_term", self._vocabulary.lexicon.term)
        self._journal.set(self, "_fulfilled", 0)
        self._journal.replace(self._instead, instead)
        self._journal.set(self, "_ids", ids)
        self._journal.set(self, "_certain", len(terms))
        self._journal.set(self, "revision", self._vocabulary.revision)
        return numbers


def _plain(term: Term) -> Term:
    """A string without its datatype, which is the same term in RDF 1.1; any other term as it is."""
    return Literal(str(term)) if isinstance(term, Literal) and term.datatype == STRING else term
