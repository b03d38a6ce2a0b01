"""Facts as rows of numbers, their literal forms, and renumbering.

A fact is a row `(predicate, subject, object)` of int32: `C(x)` is `(C, x, NONE)`, `R(x, y)` is `(R, x, y)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from rdflib import Literal

from pantarhei.model.rule import Atom, Predicate
from pantarhei.model.temporal_rule import TemporalAtom

# Marks the absence of a term, predicate or row.
NONE = -1

Integers = npt.NDArray[np.int32]

Pace = Callable[[Iterable[Any]], Iterable[Any]]
"""Function that iterates over a large input, and lets other threads run meanwhile."""

NO_FACTS: Integers = np.empty((0, 3), np.int32)

NO_CHANGES: Integers = np.empty((0, 4), np.int32)

Fact = tuple[int, int, int]
Pair = tuple[int, int]  # a subject and a value

# Identifiers of literals start here, so that the kernel can tell a literal from a name.
FIRST_LITERAL = 1 << 30


class Symbol(NamedTuple):
    """Predicate of the kernel: a class (arity 1) or a property (arity 2)."""

    name: Predicate
    arity: int


def symbol_of(atom: Atom | TemporalAtom) -> Symbol:
    """Return the class or property of an atom."""
    return Symbol(atom.predicate, len(atom.arguments))


Symbols = frozenset[Symbol] | None
"""Classes and properties; None for all that there are."""


def concat_symbols(*parts: Symbols) -> Symbols:
    """Concatenate symbols."""
    known = [part for part in parts if part is not None]
    return frozenset().union(*known) if len(known) == len(parts) else None


def as_tuples(facts: Integers) -> list[Fact]:
    """Return facts, shape (n, 3), as tuples, which can be keys. Costs one Python step for each fact."""
    return cast("list[Fact]", list(map(tuple, facts.tolist())))


def from_tuples(facts: Iterable[Fact]) -> Integers:
    """Return facts as an array of shape (n, 3), the inverse of `as_tuples`. Costs one Python step for each
    fact.
    """
    return np.array(list(facts), np.int32).reshape(-1, 3)


def hash_keys(facts: Integers) -> npt.NDArray[np.int64]:
    """Return a 64-bit hash of each fact. Distinct facts rarely have equal hashes."""
    predicates, subjects, objects = facts.astype(np.int64).T
    keys: npt.NDArray[np.int64] = (subjects << 32) ^ (objects << 8) ^ predicates
    return keys


def smallest_type(numbers: npt.NDArray[np.integer]) -> npt.NDArray[np.unsignedinteger] | None:
    """Convert nonnegative numbers to the smallest integer type that holds them; None if all are 0."""
    most = max(numbers.tolist(), default=0) if len(numbers) < 16 else int(numbers.max())
    if most == 0:
        return None
    return numbers.astype(np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.uint32)


def distinct_facts(facts: Integers) -> Integers:
    """Return the distinct facts in the order of their first occurrence.

    Costs sorting a hash of each fact; if hashes collide, also sorting the facts.
    """
    if len(facts) < 2:
        return facts
    keys = np.sort(hash_keys(facts))
    if (keys[1:] != keys[:-1]).all():
        return facts
    order = np.lexsort(facts.T)
    ordered = facts[order]
    is_first = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    once: Integers = facts[np.sort(order[is_first])]
    return once


def by_predicate(facts: Integers) -> Iterator[tuple[int, Integers]]:
    """Group facts by predicate; within a group they keep their order."""
    if not len(facts):
        return
    predicates = facts[:, 0]
    if (predicates == predicates[0]).all():
        yield int(predicates[0]), facts
        return
    ordered = facts.take(predicates.argsort(kind="stable"), axis=0)
    begins = ((ordered[1:, 0] != ordered[:-1, 0]).nonzero()[0] + 1).tolist()
    for begin, end in pairwise((0, *begins, len(ordered))):
        yield int(ordered[begin, 0]), ordered[begin:end]


def signed(facts: Integers, sign: int) -> Integers:
    """Append a column with `sign`: 1 for inserted, -1 for deleted facts."""
    changes = np.empty((len(facts), 4), np.int32)
    changes[:, :3], changes[:, 3] = facts, sign
    return changes


def split_changes(changes: Integers) -> tuple[Integers, Integers]:
    """Split changes into inserted and deleted facts."""
    signs = changes[:, 3]
    return changes[signs > 0, :3], changes[signs < 0, :3]


_FEW = 12


def net_changes(noted: Integers) -> Integers:
    """Return each changed fact once with the sum of its signs; facts with the sum 0 are omitted."""
    if len(noted) < 2:
        return noted
    if len(noted) <= _FEW:  # for few facts Python loops are faster than sorting
        total: dict[Fact, int] = {}
        for *fact, sign in noted.tolist():
            key = cast(Fact, tuple(fact))
            total[key] = total.get(key, 0) + sign
        few = sorted((*fact, sign) for fact, sign in total.items() if sign)
        return np.array(few, np.int32).reshape(-1, 4)
    facts = noted[np.lexsort(noted[:, 2::-1].T)]
    begins = np.flatnonzero(np.append(True, (facts[1:, :3] != facts[:-1, :3]).any(axis=1)))
    found: Integers = facts[begins]
    found[:, 3] = np.add.reduceat(facts[:, 3], begins)
    net: Integers = found[found[:, 3] != 0]
    return net


FactForms = Mapping[Fact, Literal]
PairForms = Mapping[Pair, Literal]


@dataclass(frozen=True, slots=True)
class Forms:
    """Literal forms that differ from the first form of their value.

    The forms are given by fact, and by subject and value for derived facts, which take over the form of an
    assertion. False if there are none.
    """

    by_fact: FactForms = field(default_factory=dict)
    by_pair: PairForms = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.by_fact) + len(self.by_pair)

    @classmethod
    def given(cls, facts: Integers, given: Mapping[int, Literal]) -> Forms:
        """Return the forms of `facts`, shape (n, 3). If a fact or pair has several, the first one counts.

        Args:
            facts: the facts.
            given: by row index the forms that are not the first ones of their values.
        """
        if not given:
            return NO_FORMS
        varied = np.flatnonzero(np.isin(facts[:, 2], [facts[row, 2] for row in given]))
        by_fact: dict[Fact, Literal | None] = {}
        by_pair: dict[Pair, Literal | None] = {}
        for row, fact in zip(varied.tolist(), as_tuples(facts[varied]), strict=True):
            by_fact.setdefault(fact, given.get(row))
            by_pair.setdefault(fact[1:], given.get(row))
        return cls(
            {fact: form for fact, form in by_fact.items() if form is not None},
            {pair: form for pair, form in by_pair.items() if form is not None},
        )

    def rows(self) -> Iterator[tuple[Fact, Literal]]:
        """Return all forms with their facts; a pair of subject and value is a fact with predicate `NONE`."""
        yield from self.by_fact.items()
        yield from (((NONE, *pair), form) for pair, form in self.by_pair.items())

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[Fact, Literal]]) -> Forms:
        """Build the forms from `rows`."""
        by_fact: dict[Fact, Literal] = {}
        by_pair: dict[Pair, Literal] = {}
        for fact, form in rows:
            if fact[0] == NONE:
                by_pair[fact[1:]] = form
            else:
                by_fact[fact] = form
        return cls(by_fact, by_pair)


NO_FORMS = Forms()


class Encoded(NamedTuple):
    """Facts with the forms of their literals. If a fact was given in several forms, the first one counts.

    Args:
        facts: the facts, shape (n, 3).
        forms: the forms that are not the first ones of their values.
    """

    facts: Integers
    forms: Forms

    @classmethod
    def together(cls, parts: Sequence[Encoded]) -> Encoded:
        """Concatenate parts. Reads all facts only if a part has forms."""
        facts = np.concatenate([part.facts for part in parts])
        if not any(part.forms for part in parts):
            return cls(facts, NO_FORMS)
        values = list({fact[2] for part in parts for fact, _ in part.forms.rows()})
        by_fact: dict[Fact, Literal] = {}
        by_pair: dict[Pair, Literal] = {}
        known: set[Fact | Pair] = set()
        for part in parts:
            by_fact.update((fact, form) for fact, form in part.forms.by_fact.items() if fact not in known)
            by_pair.update((pair, form) for pair, form in part.forms.by_pair.items() if pair not in known)
            varied = as_tuples(part.facts[np.isin(part.facts[:, 2], values)])
            known.update(varied, (fact[1:] for fact in varied))
        return cls(facts, Forms(by_fact, by_pair))


class UsedTerms:
    """Flags of the symbols, names and literals in use.

    Args:
        symbols: number of symbols of the vocabulary.
        names: number of names.
        literals: number of literals.
    """

    def __init__(self, symbols: int, names: int, literals: int) -> None:
        # the last entry of each array stands for a missing symbol or term
        self._symbols, self._flags = np.zeros(symbols + 1, np.uint8), np.zeros(names + literals + 1, np.uint8)
        self.symbols = self._symbols[:-1]
        self.names = self._flags[:names]
        self.literals = self._flags[names:-1]

    def add_first(self, symbols: int, names: int = 0, literals: int = 0) -> None:
        """Flag the symbols, names and literals with the lowest numbers."""
        self.symbols[:symbols] = 1
        self.names[:names] = 1
        self.literals[:literals] = 1

    def add(self, facts: Integers) -> None:
        """Flag the symbols and terms of facts, shape (n, 3)."""
        if not self.symbols.all():  # usually all are flagged already
            self._symbols[facts[:, 0]] = 1
        self._flags[facts[:, 1]] = 1
        self._flags[_places(facts[:, 2], len(self.names))] = 1

    def add_forms(self, forms: Forms) -> None:
        """Flag the terms of the facts and pairs that have forms."""
        if forms:
            self.add(np.array([fact for fact, _ in forms.rows()], np.int32))

    @property
    def share(self) -> Fraction:
        """Return the fraction of symbols and terms in use."""
        flags = self.symbols, self._flags[:-1]
        return Fraction(sum(map(np.count_nonzero, flags)), max(1, sum(map(len, flags))))

    def renaming(self) -> Renaming:
        """Return the new numbers of the flagged terms when all other terms are dropped."""
        return Renaming(_dense(self.symbols, 0), _dense(self.names, 0), _dense(self.literals, FIRST_LITERAL))


class Renaming:
    """Map from old to new numbers after unused symbols and terms are dropped.

    New numbers are dense and in the order of the old ones. So the terms of a foundation, which come first,
    keep their numbers, and the older of two terms keeps the lower number.

    Args:
        symbols: the new number of each symbol, `NONE` if it is dropped.
        names: the new number of each name, `NONE` if it is dropped.
        literals: the new number of each literal, indexed by its number minus `FIRST_LITERAL`.

    `keeps_symbols` is true if all symbols keep their numbers.
    """

    def __init__(self, symbols: Integers, names: Integers, literals: Integers) -> None:
        self._symbols = np.append(symbols, np.int32(NONE))
        self.symbols = self._symbols[:-1]
        self.keeps_symbols = NONE not in symbols
        self._numbers = np.concatenate([names, literals, np.array([NONE], np.int32)])
        self.names = self._numbers[: len(names)]
        self.literals = self._numbers[len(names) : -1]

    @property
    def keeps_all(self) -> bool:
        """True if all symbols and terms keep their numbers."""
        return self.keeps_symbols and NONE not in self._numbers[:-1]

    @property
    def kept_literals(self) -> npt.NDArray[np.intp]:
        """Former indexes of the kept literals, ascending."""
        return np.flatnonzero(self.literals != NONE)

    def facts(self, facts: Integers) -> Integers:
        """Renumber facts, shape (n, 3). All their symbols and terms must be kept."""
        renamed = np.empty_like(facts)
        renamed[:, 0] = facts[:, 0] if self.keeps_symbols else self._symbols[facts[:, 0]]
        renamed[:, 1] = self._numbers[facts[:, 1]]
        renamed[:, 2] = self._numbers[_places(facts[:, 2], len(self.names))]
        return renamed

    def parts(self, parts: Sequence[Integers]) -> Iterator[Integers]:
        """Renumber several arrays of facts; the nonempty results share memory."""
        whole = self.facts(parts[0] if len(parts) == 1 else np.concatenate(parts))
        bounds = accumulate(map(len, parts), initial=0)
        for part, (start, end) in zip(parts, pairwise(bounds), strict=True):
            yield whole[start:end] if start < end else part

    def forms(self, forms: Forms) -> Forms:
        """Renumber forms."""
        if not forms:
            return NO_FORMS
        facts, written = zip(*forms.rows(), strict=True)
        return Forms.of_rows(zip(as_tuples(self.facts(np.array(facts, np.int32))), written, strict=True))


def _places(objects: Integers, names: int) -> Integers:
    """Return for each object its index in an array of all names, all literals, and `NONE` as the last
    entry.
    """
    return np.where(objects >= FIRST_LITERAL, objects - (FIRST_LITERAL - names), objects)


def _dense(flags: npt.NDArray[np.uint8], first: int) -> Integers:
    """Number the flagged entries consecutively from `first` on; the others are `NONE`."""
    return np.where(flags, np.cumsum(flags, dtype=np.int32) + np.int32(first - 1), np.int32(NONE))
