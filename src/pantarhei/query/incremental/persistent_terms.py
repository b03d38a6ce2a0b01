"""Numbers for the terms of registered queries, from step to step.

Each value has a number in the vocabulary, also where a query has computed it: so what is computed joins with
what a later ABox brings. A number below `LOCAL` stands for a term of the vocabulary in its first form; each
other term, or form, has a number of its own, which is never given again.

A query may compute a term before an ABox brings its value in that very form. The term keeps the number that
it got first: `shown` gives it for the vocabulary's.

A computed number is *unsettled* while the vocabulary has no number for its value. It is settled when the
value is asked for, or computed in another form, or comes with an ABox; most are shown at most.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, Generic, NamedTuple, SupportsIndex, TypeVar

import numpy as np
from rdflib import Literal

from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NONE, Fact, Integers, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.model import Shown, WindowModel
from pantarhei.model.term import Term
from pantarhei.query.answer_reports import AnswerRow
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.aggregates import sum_literal
from pantarhei.query.expressions.scalars import Time, number_of, value_of
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.solutions import LOCAL, Ids, TermSpace
from pantarhei.values import canonical
from pantarhei.values.numeric import Numeric
from pantarhei.values.value import DECIMAL, STRING, double_key
from pantarhei.values.value import number as number_of_value

MAX_CACHED_TERMS: Final = 1 << 16
"""So many terms at most are remembered."""

T = TypeVar("T")


class TermCache(dict[int, T], Generic[T]):
    """What is known of terms by their numbers, found out when first asked for.

    Args:
        find: finds it out, of a number.
    """

    def __init__(self, find: Callable[[int], T]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, number: int) -> T:
        if len(self) > MAX_CACHED_TERMS:
            self.clear()
        found = self[number] = self._find(number)
        return found


PlainNumber = float | Decimal | int
"""A number whose type says which datatype it is of: xsd:double, xsd:decimal, xsd:integer. An xsd:double is
finite and not 0.
"""

_MOST: Final = 10**15  # no literal of an exact number below is too large

_KINDS: Final[dict[type, int]] = {float: kinds.DOUBLE, Decimal: kinds.DECIMAL, int: kinds.INTEGER}


class LocalTerms(list[Any]):
    """Terms by their places; where a computed number stands, its literal is made at the first look.

    A plain number stands there as it is, any other as a `Numeric`.
    """

    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        found: Any = super().__getitem__(place)
        kind = _KINDS.get(type(found))
        if kind is not None:
            found = Numeric(kind, found)
        if type(found) is Numeric:
            term: Term = canonical.number(found)
            self[place] = term
            return term
        return found

    def type_at(self, place: int) -> int:
        """The type of the number at a place."""
        found = super().__getitem__(place)
        kind = _KINDS.get(type(found))
        if kind is not None:
            return kind
        return found.type if type(found) is Numeric else number_of(found).type

    def is_alike(self, place: int, number: PlainNumber) -> bool:
        """Whether the number at a place is of the datatype that a plain one is of."""
        return self.type_at(place) == _KINDS[type(number)]


def value_key(result: Numeric) -> Hashable:
    """The key of a number in its datatype (values/value.py); None where it is better written at once.

    So it is with 0 and -0, which are equal and two terms, with what is not finite, and what is long.
    """
    type_, value = result
    if isinstance(value, float):
        return double_key(value) if type_ == kinds.DOUBLE and value and math.isfinite(value) else None
    return (DECIMAL, number_of_value(value)) if -_MOST < value < _MOST else None


def numeric_of(value: PlainNumber) -> Numeric:
    """A plain number with its type."""
    return Numeric(_KINDS[type(value)], value)


class Decoder(NamedTuple):
    """What numbers of terms stand for, as long as the numbers stay as they are.

    Args:
        locals: the terms that have numbers from `LOCAL` on.
        known: gives the term of any other.
    """

    locals: Sequence[Term]
    known: Callable[[int], Term]

    def row(self, row: tuple[int, ...]) -> AnswerRow:
        """The terms of a row, None where there is none."""
        locals_, known = self
        return tuple(
            [
                None if number == NONE else locals_[number - LOCAL] if number >= LOCAL else known(number)
                for number in row
            ]
        )

    def bag(self, bag: Mapping[tuple[int, ...], int]) -> Counter[AnswerRow]:
        """Rows of terms, with how many copies there are."""
        return Counter({self.row(row): weight for row, weight in bag.items()})


class PersistentTermIds(TermSpace):
    """Terms of registered queries."""

    def __init__(self, vocabulary: Vocabulary, journal: Journal) -> None:
        super().__init__(vocabulary.find, vocabulary.lexicon.term)
        self._vocabulary, self._journal = vocabulary, journal
        self.locals: LocalTerms = LocalTerms()
        self._value_of: list[int] = []  # `NONE` of what is unsettled
        self._unsettled: dict[Hashable, int] = {}  # the numbers of computed terms, by value
        vocabulary.expected = self._unsettled
        self._settled: list[int] = []  # those settled since `begin`
        self.replacements: dict[int, int] = {}
        """The numbers of terms of the vocabulary that have others than those of the vocabulary."""
        self._fulfilled = 0  # so many of the vocabulary's have been looked at
        self.revision, self._certain = vocabulary.revision, 0

    def begin(self) -> None:
        """A step or a block begins that is done or undone as a whole: what has numbers now keeps them."""
        self._certain = len(self.locals)
        self._settled.clear()

    def synchronize(self) -> None:
        """Take note of what has happened to the vocabulary."""
        if self.revision is not self._vocabulary.revision:
            # it may have forgotten the numbers of what was computed in steps that were undone
            for place in (*self._settled, *range(self._certain, len(self.locals))):
                if self._value_of[place] != NONE:
                    self._value_of[place] = self._vocabulary.reserve(self.locals[place])
            self.revision = self._vocabulary.revision
        fulfilled = self._vocabulary.fulfilled
        if self._fulfilled == len(fulfilled):
            return
        for number in fulfilled[self._fulfilled :]:
            self._journal.note(self.replacements, number)
            term = self._term(number)
            self._settle_value(self._vocabulary.value_of(term))
            local = self._ids.get(_plain(term))
            if local is None:
                self.replacements.pop(number, None)
            else:
                self.replacements[number] = local
        self._journal.set(self, "_fulfilled", len(fulfilled))

    @property
    def has_replacements(self) -> bool:
        """Whether terms of the vocabulary may have numbers that are not the vocabulary's."""
        return bool(self.replacements)

    def first_form(self, number: int) -> int | None:
        """The number that stands for a value of the vocabulary in its first form, where that is another."""
        return self.replacements.get(number)

    def shown(self, ids: Ids) -> Ids:
        """The numbers of terms where those of the vocabulary stand for values in their first form."""
        if not self.replacements:
            return ids
        places = np.flatnonzero(np.isin(ids, np.fromiter(self.replacements, np.int64)))
        if not len(places):
            return ids
        shown = ids.copy()
        shown[places] = [self.replacements[number] for number in ids[places].tolist()]
        return shown

    def find_value(self, term: Term) -> int:
        """The number of a term's value; it gets one if it has none."""
        return self._vocabulary.reserve(term)

    def id_of(self, term: Term) -> int:
        """The number of a term, in the form it has."""
        return self._id_of(_plain(term))

    def id_of_number(self, number: Numeric) -> int:
        """The number of the literal that a number is written as, `NONE` if it is too large.

        Where the vocabulary does not know the value, it gets to know it when somebody asks or it comes.
        """
        key = value_key(number)
        if key is not None:
            key = self._vocabulary.key(key)
            known = self._unsettled.get(key)
            if known is None and not self._vocabulary.has_value(key):
                id_ = self._unsettled[key] = self._add(number, NONE)
                return id_
            if known is not None and self.locals.type_at(known - LOCAL) == number.type:
                return known
        literal = sum_literal(number)
        return NONE if literal is None else self._id_of(literal, key)

    def ids_of_plain(
        self,
        names: Iterable[Hashable],
        numbers: Iterable[tuple[PlainNumber, Hashable]],
        found: dict[Hashable, int],
    ) -> list[int]:
        """`id_of_number` for many plain numbers of few digits.

        Args:
            names: what the caller knows each by.
            numbers: each with the key of its value in its datatype.
            found: takes down the ids of those that cost more than a look-up, by their names.
        """
        ids: list[int] = []
        vocabulary, unsettled, locals_, values = (
            self._vocabulary,
            self._unsettled,
            self.locals,
            self._value_of,
        )
        keys_are_theirs = vocabulary.numbers == "by_datatype"  # else a decimal may have that of a double
        del values[len(locals_) :]  # an interrupt may have come between the two
        for name, (number, key) in zip(names, numbers, strict=True):
            id_ = unsettled.get(key) if keys_are_theirs else None
            if id_ is None and keys_are_theirs and not vocabulary.has_value(key):
                id_ = LOCAL + len(locals_)
                values.append(NONE)
                locals_.append(number)
                unsettled[key] = id_
            elif id_ is None or not locals_.is_alike(id_ - LOCAL, number):
                id_ = found[name] = self.id_of_number(numeric_of(number))
            ids.append(id_)
        return ids

    def _add(self, term: Term | Numeric, value: int) -> int:
        """A new number of a term, of whose value this is the number."""
        place = len(self.locals)
        self._value_of[place:] = (value,)  # an interrupt may have come after this
        self.locals.append(term)
        return LOCAL + place

    def _settle_value(self, key: Hashable) -> None:
        """Let the term that was computed with a value have the vocabulary's number of it, if one waits."""
        found = self._unsettled.get(key)
        if found is None:
            return
        place = found - LOCAL
        term = self.locals[place]
        self._settled.append(place)
        self._ids[term] = found
        self._value_of[place] = self._vocabulary.reserve(term, key)
        del self._unsettled[key]

    def _id_of(self, term: Term, key: Hashable = None) -> int:
        """`id_of` of a term that is no string with its datatype; `key` tells its value, where known."""
        if self._unsettled and isinstance(term, Literal):
            key = self._vocabulary.value_of(term) if key is None else key
            self._settle_value(key)
        local = self._ids.get(term)
        if local is not None:
            return local
        unknown = FIRST_LITERAL + len(self._vocabulary.literals)
        value = self._vocabulary.reserve(term, key)
        is_new = value >= unknown  # nothing has come that shows it
        if not is_new and (not isinstance(term, Literal) or self._vocabulary.shows(value, term)):
            return value
        number = self._add(term, value)
        self._ids[term] = number
        return number

    @property
    def decoder(self) -> Decoder:
        """What the numbers stand for now."""
        return Decoder(self.locals, self._term)

    def value(self, number: int) -> int:
        """The number of a term's value; `NONE` for `NONE`."""
        if number < LOCAL:
            return number
        value = self._value_of[number - LOCAL]
        if value == NONE:
            self._settle_value(self._vocabulary.value_of(self.term(number)))
            value = self._value_of[number - LOCAL]
        return value

    def settled_values(self, numbers: Iterable[int]) -> set[int]:
        """The numbers that the vocabulary has for the values of terms; terms without one are left out."""
        values = {self._value_of[number - LOCAL] if number >= LOCAL else number for number in numbers}
        return values - {NONE}

    def values(self, ids: Ids) -> Ids:
        """The numbers of the terms' values."""
        local = np.flatnonzero(ids >= LOCAL)
        if not len(local):
            return ids
        values = ids.copy()
        values[local] = list(map(self.value, ids[local].tolist()))
        return values

    def renumber(self, values: dict[int, int], used: set[int]) -> dict[int, int]:
        """Take the numbers that the vocabulary gives values from now on; forget the terms that are not used.

        Args:
            values: the new numbers of the `settled_values`.
            used: the numbers of the terms that are used.

        Returns:
            The new numbers of the terms that are.
        """
        numbers = {NONE: NONE}
        instead: dict[int, int] = {}
        terms = LocalTerms()
        values_of: list[int] = []
        ids: dict[Term, int] = {}
        unsettled: dict[Hashable, int] = {}
        waiting = {found: key for key, found in self._unsettled.items()}
        for number in sorted(used - {NONE}):
            if number in waiting:
                numbers[number] = unsettled[waiting[number]] = LOCAL + len(terms)
                terms.append(self.locals[number - LOCAL])
                values_of.append(NONE)
                continue
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
        self._journal.replace(self.replacements, instead)
        self._journal.replace(self._unsettled, unsettled)
        self._settled.clear()
        self._journal.set(self, "_ids", ids)
        self._journal.set(self, "_certain", len(terms))
        self._journal.set(self, "revision", self._vocabulary.revision)
        return numbers


def _plain(term: Term) -> Term:
    """A string without its datatype, which is the same term in RDF 1.1; any other term as it is."""
    return Literal(str(term)) if isinstance(term, Literal) and term.datatype == STRING else term


class Name:
    """An IRI or a blank node; its number says which."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class _UnsupportedValue:
    """A literal that is not compiled for."""


Value = Numeric | Time | Name | str | bool | _UnsupportedValue
UNSUPPORTED: Final = _UnsupportedValue()
_MOST_REMEMBERED: Final = 1 << 16


class TermValues(dict[int, Value | None]):
    """The values of terms by their numbers, read when first asked for."""

    def __init__(self, terms: PersistentTermIds) -> None:
        super().__init__({NONE: None})
        self._terms = terms

    def __missing__(self, number: int) -> Value:
        if len(self) > _MOST_REMEMBERED:
            self.reset()
        value = self[number] = self._read(number)
        return value

    def _read(self, number: int) -> Value:
        term = self._terms.term(number)
        return supported_value(term) if isinstance(term, Literal) else Name(number)

    def reset(self) -> None:
        """Forget the values: numbers may mean something else now."""
        self.clear()
        self[NONE] = None


def supported_value(literal: Literal) -> Value:
    """What is known of a literal."""
    value = value_of(literal)
    return value if isinstance(value, Numeric | Time | str | bool) else UNSUPPORTED


Forms = Mapping[Fact, Literal | None]
"""How literals are written, by fact; None for the first form of their value."""


class LiteralForms:
    """The forms of facts, where these are not the first ones of their values; journaled."""

    def __init__(self, journal: Journal, terms: PersistentTermIds) -> None:
        self._journal, self._terms = journal, terms
        self.facts: dict[Fact, Literal] = {}

    def replace(self, forms: Mapping[Fact, Literal]) -> None:
        """Have these forms, and no others."""
        self._journal.replace(self.facts, forms)

    def first(self) -> Shown | None:
        """How facts are shown whose literals are in the first forms of their values; None for by number."""
        terms = self._terms
        return (lambda fact, sign: terms.first_form(fact[2])) if terms.has_replacements else None

    def change(self, forms: Forms) -> tuple[Forms, Shown | None]:
        """Take over what a step changed.

        Returns:
            The former forms of facts that are written another way now; how facts are shown before the step
            and after it, None where all are in their first forms.
        """
        if not forms and not self.facts and not self._terms.replacements:
            return _UNCHANGED
        before: dict[Fact, Literal | None] = {}
        for fact, form in forms.items():
            old = self.facts.get(fact)
            if old == form:
                continue
            before[fact] = old
            self._journal.note(self.facts, fact)
            if form is None:
                del self.facts[fact]
            else:
                self.facts[fact] = form
        terms, facts = self._terms, self.facts
        if not facts and not before and not terms.has_replacements:
            return {}, None

        def shown(fact: Fact, sign: int) -> int | None:
            form = before[fact] if sign < 0 and fact in before else facts.get(fact)
            return terms.first_form(fact[2]) if form is None else terms.id_of(form)

        return before, shown


_UNCHANGED: Final[tuple[Forms, None]] = ({}, None)


def rewritten_facts(before: Forms, noted: Integers, model: WindowModel) -> Integers:
    """Of facts that are written another way now those that were there before a step and are, shape (n, 3).

    Args:
        noted: what came and went.
    """
    if not before:
        return NO_FACTS
    mentions = Counter(fact for fact in as_tuples(noted[:, :3]) if fact in before)
    row_of = model.kernel.store.row_of
    stayed = [fact for fact in before if mentions[fact] % 2 == 0 and row_of(*fact) >= 0]
    return np.array(stayed, np.int32).reshape(-1, 3)
