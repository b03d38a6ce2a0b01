"""Term numbers of registered queries, stable from step to step.

Each value has a number in the vocabulary, including values that only a query has computed, so that computed
values join with later ABoxes. A number below `LOCAL` is a term of the vocabulary in the first form of its
value; every other term or literal form has a number of its own, which is never reused.

A query may compute a term before an ABox brings the same literal form. The term keeps its first number:
`shown` maps the vocabulary's number to it.

A computed number is *unsettled* while the vocabulary has no number for its value. It is settled when the
value is requested, is computed in another form, or arrives with an ABox. Most computed numbers are only
output and stay unsettled.
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
from pantarhei.query.expressions.scalars import Time, number_of, scalar_of
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.solutions import LOCAL, Ids, TermSpace
from pantarhei.values import canonical
from pantarhei.values.numeric import Numeric
from pantarhei.values.value import DECIMAL, STRING, double_key
from pantarhei.values.value import normalized_number as number_of_value

MAX_CACHED_TERMS: Final = 1 << 16
"""Limit on the number of cached terms."""

T = TypeVar("T")


class TermCache(dict[int, T], Generic[T]):
    """Cache by term number, filled on first access.

    Args:
        find: computes the entry of a number.
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
"""Number whose Python type determines its datatype: xsd:double (finite and not 0), xsd:decimal, or
xsd:integer.
"""

_MOST: Final = 10**15  # no literal of an exact number below is too large

_KINDS: Final[dict[type, int]] = {float: kinds.DOUBLE, Decimal: kinds.DECIMAL, int: kinds.INTEGER}


class LocalTerms(list[Any]):
    """Terms by place. A computed number is stored as a plain number or `Numeric`, and replaced by its
    literal on first access.
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
        """Return the type of the number at a place."""
        found = super().__getitem__(place)
        kind = _KINDS.get(type(found))
        if kind is not None:
            return kind
        return found.type if type(found) is Numeric else number_of(found).type

    def is_alike(self, place: int, number: PlainNumber) -> bool:
        """Return whether the number at a place has the datatype of a plain number."""
        return self.type_at(place) == _KINDS[type(number)]


def value_key(result: Numeric) -> Hashable:
    """Return the key of a number in its datatype (`values/value.py`), None if its literal is to be made at
    once.

    None for 0 and -0, which are equal but two terms, for infinite values and NaN, and for long numbers.
    """
    type_, value = result
    if isinstance(value, float):
        return double_key(value) if type_ == kinds.DOUBLE and value and math.isfinite(value) else None
    return (DECIMAL, number_of_value(value)) if -_MOST < value < _MOST else None


def numeric_of(value: PlainNumber) -> Numeric:
    """Convert a plain number."""
    return Numeric(_KINDS[type(value)], value)


class Decoder(NamedTuple):
    """Mapping from numbers to terms, valid until terms are renumbered.

    Args:
        locals: terms with numbers from `LOCAL` on.
        known: returns any other term.
    """

    locals: Sequence[Term]
    known: Callable[[int], Term]

    def row(self, row: tuple[int, ...]) -> AnswerRow:
        """Decode a row; None for unbound."""
        locals_, known = self
        return tuple(
            [
                None if number == NONE else locals_[number - LOCAL] if number >= LOCAL else known(number)
                for number in row
            ]
        )

    def bag(self, bag: Mapping[tuple[int, ...], int]) -> Counter[AnswerRow]:
        """Decode rows, with their number of copies."""
        return Counter({self.row(row): weight for row, weight in bag.items()})


class PersistentTermIds(TermSpace):
    """Term numbers of registered queries."""

    def __init__(self, vocabulary: Vocabulary, journal: Journal) -> None:
        super().__init__(vocabulary.find, vocabulary.lexicon.term)
        self._vocabulary, self._journal = vocabulary, journal
        self.locals: LocalTerms = LocalTerms()
        self._value_of: list[int] = []  # `NONE` if unsettled
        self._unsettled: dict[Hashable, int] = {}  # numbers of unsettled terms, by value
        vocabulary.expected = self._unsettled
        self._settled: list[int] = []  # settled since `begin`
        self.replacements: dict[int, int] = {}
        """Local numbers of terms of the vocabulary that were computed first, by the vocabulary's numbers."""
        self._fulfilled = 0  # number of processed entries of the vocabulary's `fulfilled`
        self.revision, self._certain = vocabulary.revision, 0

    def begin(self) -> None:
        """Begin a step or block that is done or undone as a whole: numbers given before it are kept."""
        self._certain = len(self.locals)
        self._settled.clear()

    def synchronize(self) -> None:
        """Resynchronise with the vocabulary."""
        if self.revision is not self._vocabulary.revision:
            # steps that computed numbers may have been undone
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
        """True if a term of the vocabulary has a local number."""
        return bool(self.replacements)

    def first_form(self, number: int) -> int | None:
        """Return the local number of a value's first form, None if it has none."""
        return self.replacements.get(number)

    def shown(self, ids: Ids) -> Ids:
        """Replace the vocabulary's numbers of first forms by local numbers, where terms have some."""
        if not self.replacements:
            return ids
        places = np.flatnonzero(np.isin(ids, np.fromiter(self.replacements, np.int64)))
        if not len(places):
            return ids
        shown = ids.copy()
        shown[places] = [self.replacements[number] for number in ids[places].tolist()]
        return shown

    def find_value(self, term: Term) -> int:
        """Return the number of a term's value; a new value gets a number."""
        return self._vocabulary.reserve(term)

    def id_of(self, term: Term) -> int:
        """Return the number of a term in its literal form."""
        return self._id_of(_plain(term))

    def id_of_number(self, number: Numeric) -> int:
        """Return the number of a computed number's literal, `NONE` if it is too large.

        An unknown value gets its number in the vocabulary when it is requested or arrives.
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
        """Return `id_of_number` of many plain numbers of few digits.

        Args:
            names: cache keys of the caller.
            numbers: numbers with the keys of their values in their datatypes.
            found: cache of the caller; gets the numbers that cost more than a look-up.
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
        """Number a term that has this value."""
        place = len(self.locals)
        self._value_of[place:] = (value,)  # an interrupt may have come after this
        self.locals.append(term)
        return LOCAL + place

    def _settle_value(self, key: Hashable) -> None:
        """Settle the computed number with this value, if there is one."""
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
        """Return the number of a term that is not a typed string; `key` is its value, if known."""
        if self._unsettled and isinstance(term, Literal):
            key = self._vocabulary.value_of(term) if key is None else key
            self._settle_value(key)
        local = self._ids.get(term)
        if local is not None:
            return local
        unknown = FIRST_LITERAL + len(self._vocabulary.literals)
        value = self._vocabulary.reserve(term, key)
        is_new = value >= unknown  # no ABox has brought a form
        if not is_new and (not isinstance(term, Literal) or self._vocabulary.shows(value, term)):
            return value
        number = self._add(term, value)
        self._ids[term] = number
        return number

    @property
    def decoder(self) -> Decoder:
        """Decoder of the present numbers."""
        return Decoder(self.locals, self._term)

    def value(self, number: int) -> int:
        """Return the number of a term's value; `NONE` for `NONE`."""
        if number < LOCAL:
            return number
        value = self._value_of[number - LOCAL]
        if value == NONE:
            self._settle_value(self._vocabulary.value_of(self.term(number)))
            value = self._value_of[number - LOCAL]
        return value

    def settled_values(self, numbers: Iterable[int]) -> set[int]:
        """Return the vocabulary's numbers of values; unsettled numbers are left out."""
        values = {self._value_of[number - LOCAL] if number >= LOCAL else number for number in numbers}
        return values - {NONE}

    def values(self, ids: Ids) -> Ids:
        """Return the numbers of values, by column."""
        local = np.flatnonzero(ids >= LOCAL)
        if not len(local):
            return ids
        values = ids.copy()
        values[local] = list(map(self.value, ids[local].tolist()))
        return values

    def renumber(self, values: dict[int, int], used: set[int]) -> dict[int, int]:
        """Adopt new numbers of values in the vocabulary, and drop unused terms.

        Args:
            values: new numbers of the `settled_values`.
            used: numbers of the terms in use.

        Returns:
            New numbers of the terms in use.
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
                instead[value] = LOCAL + len(terms)  # a string without its datatype, in its first form
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
    """Remove the datatype xsd:string, which gives the same term in RDF 1.1."""
    return Literal(str(term)) if isinstance(term, Literal) and term.datatype == STRING else term


class Name:
    """IRI or blank node, identified by its number."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class _UnsupportedValue:
    """Literal whose value compiled expressions do not support."""


Value = Numeric | Time | Name | str | bool | _UnsupportedValue
UNSUPPORTED: Final = _UnsupportedValue()


def term_values(terms: PersistentTermIds) -> TermCache[Value | None]:
    """Cache the values of terms by number; None for `NONE`."""

    def find(number: int) -> Value | None:
        if number == NONE:
            return None
        term = terms.term(number)
        return supported_value(term) if isinstance(term, Literal) else Name(number)

    return TermCache(find)


def supported_value(literal: Literal) -> Value:
    """Return the value of a literal, `UNSUPPORTED` if compiled expressions do not support it."""
    value = scalar_of(literal)
    return value if isinstance(value, Numeric | Time | str | bool) else UNSUPPORTED


Forms = Mapping[Fact, Literal | None]
"""Literal forms by fact; None for the first form of the value."""


class LiteralForms:
    """Literal forms of facts that differ from the first form of their value; journaled."""

    def __init__(self, journal: Journal, terms: PersistentTermIds) -> None:
        self._journal, self._terms = journal, terms
        self.facts: dict[Fact, Literal] = {}

    def replace(self, forms: Mapping[Fact, Literal]) -> None:
        """Replace all forms."""
        self._journal.replace(self.facts, forms)

    def first(self) -> Shown | None:
        """Return a function that gives the literal form of facts in first forms; None if it is the
        vocabulary's number.
        """
        terms = self._terms
        return (lambda fact, sign: terms.first_form(fact[2])) if terms.has_replacements else None

    def change(self, forms: Forms) -> tuple[Forms, Shown | None]:
        """Apply the changed forms of a step.

        Returns:
            Former forms of facts whose form has changed; a function that gives the literal form of a fact
            before (-1) or after
            (1) the step, None if all facts are in first forms.
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
    """Return the facts that were present before and after a step, and whose literal form has changed, shape
    (n, 3).

    Args:
        noted: facts that were inserted and deleted.
    """
    if not before:
        return NO_FACTS
    mentions = Counter(fact for fact in as_tuples(noted[:, :3]) if fact in before)
    row_of = model.kernel.store.row_of
    stayed = [fact for fact in before if mentions[fact] % 2 == 0 and row_of(*fact) >= 0]
    return np.array(stayed, np.int32).reshape(-1, 3)
