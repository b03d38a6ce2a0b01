"""Term numbers of registered queries, which stay valid from step to step.

Each value has a number in the vocabulary, including values that only a query has computed, so that computed
values join with later ABoxes. A term number below `LOCAL` denotes a term of the vocabulary, a literal in the
first form of its value. Every other term or literal form has a local number, from `LOCAL` on, which is not
reused before terms are renumbered.

A query may compute a literal before an ABox contains it. The literal keeps its local number: `replacements`
maps the vocabulary's number, assigned later, to the local one.

A computed number is *unsettled* while the vocabulary has no number for its value. It is settled when its
value number is requested, when a query computes the value in another form, or when an ABox contains the
value. Most computed numbers are only output and stay unsettled.
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
from pantarhei.values.value import DECIMAL, STRING, double_key, normalized_number

MAX_CACHED_TERMS: Final = 1 << 16
"""Limit on the number of cached terms."""

T = TypeVar("T")


class TermCache(dict[int, T], Generic[T]):
    """Cache by term number, filled on first access.

    Args:
        find: computes the cached value of a term number.
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

_MAX_UNSETTLED: Final = 10**15  # smaller integers and decimals always have a literal

_KINDS: Final[dict[type, int]] = {float: kinds.DOUBLE, Decimal: kinds.DECIMAL, int: kinds.INTEGER}


class LocalTerms(list[Any]):
    """Terms by local number minus `LOCAL`. A computed number is stored as a plain number or `Numeric`, and
    replaced by its literal on first access.
    """

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        found: Any = super().__getitem__(index)
        kind = _KINDS.get(type(found))
        if kind is not None:
            found = Numeric(kind, found)
        if type(found) is Numeric:
            term: Term = canonical.number(found)
            self[index] = term
            return term
        return found

    def type_at(self, index: int) -> int:
        """Return the datatype (`expressions/kinds.py`) of the number at a list index."""
        found = super().__getitem__(index)
        kind = _KINDS.get(type(found))
        if kind is not None:
            return kind
        return found.type if type(found) is Numeric else number_of(found).type

    def is_alike(self, index: int, number: PlainNumber) -> bool:
        """Return whether the number at a list index has the datatype of a plain number."""
        return self.type_at(index) == _KINDS[type(number)]


def value_key(result: Numeric) -> Hashable:
    """Return the key of a number within its datatype (`values/value.py`); None if the number cannot stay
    unsettled.

    None is returned for 0 and -0, which are one value but two terms, for infinite values and NaN, and for
    exact numbers from 10 ** 15 on.
    """
    type_, value = result
    if isinstance(value, float):
        return double_key(value) if type_ == kinds.DOUBLE and value and math.isfinite(value) else None
    return (DECIMAL, normalized_number(value)) if -_MAX_UNSETTLED < value < _MAX_UNSETTLED else None


def numeric_of(value: PlainNumber) -> Numeric:
    """Convert a plain number to a number with its datatype."""
    return Numeric(_KINDS[type(value)], value)


class Decoder(NamedTuple):
    """Mapping from term numbers to terms, valid until terms are renumbered.

    Args:
        locals: terms with numbers from `LOCAL` on.
        known: returns the term of a number below `LOCAL`.
    """

    locals: Sequence[Term]
    known: Callable[[int], Term]

    def row(self, row: tuple[int, ...]) -> AnswerRow:
        """Decode a row; None stands for an unbound variable."""
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
        self._settled: list[int] = []  # indexes of terms settled since `begin_step`
        self.replacements: dict[int, int] = {}
        """Local numbers of terms that queries computed before an ABox had them, by the vocabulary's
        numbers.
        """
        self._fulfilled = 0  # number of processed entries of the vocabulary's `fulfilled`
        self.revision, self._certain = vocabulary.revision, 0

    def begin_step(self) -> None:
        """Begin a step, or a block of steps, that is completed or undone as a whole."""
        self._certain = len(self.locals)
        self._settled.clear()

    def synchronize(self) -> None:
        """Adopt changes of the vocabulary since the last call: numbers of values that are new, or were
        discarded by an undone step.
        """
        if self.revision is not self._vocabulary.revision:
            # the vocabulary may have discarded numbers of undone steps
            for index in (*self._settled, *range(self._certain, len(self.locals))):
                if self._value_of[index] != NONE:
                    self._value_of[index] = self._vocabulary.reserve(self.locals[index])
            self.revision = self._vocabulary.revision
        fulfilled = self._vocabulary.fulfilled
        if self._fulfilled == len(fulfilled):
            return
        for number in fulfilled[self._fulfilled :]:
            self._journal.record(self.replacements, number)
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
        """Return the local number that replaces the vocabulary's number of a value, None if there is none."""
        return self.replacements.get(number)

    def first_forms(self, ids: Ids) -> Ids:
        """Replace the vocabulary's numbers by the local numbers of the same terms, where there are some."""
        if not self.replacements:
            return ids
        indexes = np.flatnonzero(np.isin(ids, np.fromiter(self.replacements, np.int64)))
        if not len(indexes):
            return ids
        forms = ids.copy()
        forms[indexes] = [self.replacements[number] for number in ids[indexes].tolist()]
        return forms

    def find_value(self, term: Term) -> int:
        """Return the number of a term's value; a new value is added to the vocabulary."""
        return self._vocabulary.reserve(term)

    def id_of(self, term: Term) -> int:
        """Return the term number of a term."""
        return self._id_of(_plain(term))

    def id_of_number(self, number: Numeric) -> int:
        """Return the term number of a computed number; `NONE` if the number is too large for a literal.

        A value that is not in the vocabulary stays unsettled.
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
        """Return `id_of_number` of each of several plain numbers below 10 ** 15.

        Args:
            names: cache keys of the caller, one for each number.
            numbers: the numbers, each with the key of its value within its datatype.
            found: cache of the caller, extended by the term numbers that were not found by a single lookup.
        """
        ids: list[int] = []
        vocabulary, unsettled = self._vocabulary, self._unsettled
        locals_, values = self.locals, self._value_of
        # with other numbers the key of a decimal may belong to an xsd:double
        keys_are_unique = vocabulary.numbers == "by_datatype"
        del values[len(locals_) :]  # an interrupt between the two appends below may have left a number
        for name, (number, key) in zip(names, numbers, strict=True):
            id_ = unsettled.get(key) if keys_are_unique else None
            if id_ is None and keys_are_unique and not vocabulary.has_value(key):
                id_ = LOCAL + len(locals_)
                values.append(NONE)
                locals_.append(number)
                unsettled[key] = id_
            elif id_ is None or not locals_.is_alike(id_ - LOCAL, number):
                id_ = found[name] = self.id_of_number(numeric_of(number))
            ids.append(id_)
        return ids

    def _add(self, term: Term | Numeric, value: int) -> int:
        """Add a term with the next local number.

        Args:
            value: number of the term's value, `NONE` if it is unsettled.
        """
        index = len(self.locals)
        self._value_of[index:] = (value,)  # replaces what an interrupt before the next line may have left
        self.locals.append(term)
        return LOCAL + index

    def _settle_value(self, key: Hashable) -> None:
        """Assign a number of the vocabulary to an unsettled value, if the key belongs to one."""
        found = self._unsettled.get(key)
        if found is None:
            return
        index = found - LOCAL
        term = self.locals[index]
        self._settled.append(index)
        self._ids[term] = found
        self._value_of[index] = self._vocabulary.reserve(term, key)
        del self._unsettled[key]

    def _id_of(self, term: Term, key: Hashable = None) -> int:
        """Return the term number of a term that is not a string with explicit datatype.

        Args:
            key: key of the term's value, if known.
        """
        if self._unsettled and isinstance(term, Literal):
            key = self._vocabulary.value_of(term) if key is None else key
            self._settle_value(key)
        local = self._ids.get(term)
        if local is not None:
            return local
        unknown = FIRST_LITERAL + len(self._vocabulary.literals)
        value = self._vocabulary.reserve(term, key)
        is_new = value >= unknown  # no ABox has contained a form of the value
        if not is_new and (not isinstance(term, Literal) or self._vocabulary.shows(value, term)):
            return value
        number = self._add(term, value)
        self._ids[term] = number
        return number

    @property
    def decoder(self) -> Decoder:
        """Decoder of the present term numbers."""
        return Decoder(self.locals, self._term)

    def value(self, number: int) -> int:
        """Return the number of a term's value, which is settled first; `NONE` for `NONE`."""
        if number < LOCAL:
            return number
        value = self._value_of[number - LOCAL]
        if value == NONE:
            self._settle_value(self._vocabulary.value_of(self.term(number)))
            value = self._value_of[number - LOCAL]
        return value

    def settled_values(self, numbers: Iterable[int]) -> set[int]:
        """Return the numbers of the values of terms, without unsettled values."""
        values = {self._value_of[number - LOCAL] if number >= LOCAL else number for number in numbers}
        return values - {NONE}

    def values(self, ids: Ids) -> Ids:
        """Return the numbers of the values of terms, by column."""
        local = np.flatnonzero(ids >= LOCAL)
        if not len(local):
            return ids
        values = ids.copy()
        values[local] = list(map(self.value, ids[local].tolist()))
        return values

    def renumber(self, values: dict[int, int], used: set[int]) -> dict[int, int]:
        """Adopt new numbers of values in the vocabulary, and drop the terms that are not in use.

        Args:
            values: new numbers of the `settled_values`, by their old numbers.
            used: numbers of the terms in use.

        Returns:
            New numbers of the terms in use, by their old numbers.
        """
        numbers = {NONE: NONE}
        replacements: dict[int, int] = {}
        terms = LocalTerms()
        values_of: list[int] = []
        ids: dict[Term, int] = {}
        unsettled: dict[Hashable, int] = {}
        key_of = {found: key for key, found in self._unsettled.items()}
        for number in sorted(used - {NONE}):
            if number in key_of:
                numbers[number] = unsettled[key_of[number]] = LOCAL + len(terms)
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
                # the term is a string whose first form has an explicit datatype
                replacements[value] = LOCAL + len(terms)
            numbers[number] = LOCAL + len(terms)
            terms.append(term)
            values_of.append(value)
            ids[term] = numbers[number]
        for name, made in (("locals", terms), ("_value_of", values_of), ("_decoded_terms", {NONE: None})):
            self._journal.set(self, name, made)
        self._journal.set(self, "_term", self._vocabulary.lexicon.term)
        self._journal.set(self, "_fulfilled", 0)
        self._journal.replace(self.replacements, replacements)
        self._journal.replace(self._unsettled, unsettled)
        self._settled.clear()
        self._journal.set(self, "_ids", ids)
        self._journal.set(self, "_certain", len(terms))
        self._journal.set(self, "revision", self._vocabulary.revision)
        return numbers


def _plain(term: Term) -> Term:
    """Remove the datatype xsd:string from a literal, which denotes the same term in RDF 1.1."""
    return Literal(str(term)) if isinstance(term, Literal) and term.datatype == STRING else term


class Name:
    """IRI or blank node, identified by its term number."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class _UnsupportedValue:
    """Value of a literal that compiled expressions do not support."""


Value = Numeric | Time | Name | str | bool | _UnsupportedValue
UNSUPPORTED: Final = _UnsupportedValue()


def term_values(terms: PersistentTermIds) -> TermCache[Value | None]:
    """Return a cache of the values of terms by term number; the value of `NONE` is None."""

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
    """Literal forms of the facts whose literal does not have the first form of its value; journaled."""

    def __init__(self, journal: Journal, terms: PersistentTermIds) -> None:
        self._journal, self._terms = journal, terms
        self.facts: dict[Fact, Literal] = {}

    def replace(self, forms: Mapping[Fact, Literal]) -> None:
        """Replace all forms."""
        self._journal.replace(self.facts, forms)

    def first(self) -> Shown | None:
        """Return a function that maps a fact to the term number of the first form of its literal; None if
        these are the vocabulary's numbers.
        """
        terms = self._terms
        return (lambda fact, sign: terms.first_form(fact[2])) if terms.has_replacements else None

    def change(self, forms: Forms) -> tuple[Forms, Shown | None]:
        """Apply the changed literal forms of a step.

        Returns:
            The former forms of the facts whose form has changed. A function that maps a fact to the term
            number of its literal form before (-1) or after (1) the step; None if all facts have first forms.
        """
        if not forms and not self.facts and not self._terms.replacements:
            return _UNCHANGED
        before: dict[Fact, Literal | None] = {}
        for fact, form in forms.items():
            old = self.facts.get(fact)
            if old == form:
                continue
            before[fact] = old
            self._journal.record(self.facts, fact)
            if form is None:
                del self.facts[fact]
            else:
                self.facts[fact] = form
        terms, facts = self._terms, self.facts
        if not facts and not before and not terms.has_replacements:
            return {}, None

        def form_of(fact: Fact, sign: int) -> int | None:
            form = before[fact] if sign < 0 and fact in before else facts.get(fact)
            return terms.first_form(fact[2]) if form is None else terms.id_of(form)

        return before, form_of


_UNCHANGED: Final[tuple[Forms, None]] = ({}, None)


def rewritten_facts(before: Forms, changed: Integers, model: WindowModel) -> Integers:
    """Return the facts that existed before and after a step, but whose literal form has changed, shape (n,
    3).

    Args:
        before: former forms of the facts whose form has changed.
        changed: facts inserted and deleted by the step, as recorded by the model.
    """
    if not before:
        return NO_FACTS
    mentions = Counter(fact for fact in as_tuples(changed[:, :3]) if fact in before)
    row_of = model.kernel.store.row_of
    stayed = [fact for fact in before if mentions[fact] % 2 == 0 and row_of(*fact) >= 0]
    return np.array(stayed, np.int32).reshape(-1, 3)
