"""Facts as numbers: what the integers of the engine are, before anybody says what they mean.

A fact is a row `(predicate, subject, object)` of int32: `C(x)` is `(C, x, NONE)`, `R(x, y)` is `(R, x, y)`.

How literals were written, where that is not the first form met of their values.

A fact that came with another form keeps it. What is derived from it takes it over, by subject and value.

Which symbols and terms are used, and the numbers they have once the others are forgotten.

Numbers keep their order and become dense: what a foundation numbers first keeps its numbers, and of two terms
the one met first has the lower number still.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
from rdflib import Literal

from pantarhei.model.rule import Predicate

# Stands where there is no term, predicate or row.
NONE = -1

Integers = npt.NDArray[np.int32]

NO_FACTS: Integers = np.empty((0, 3), np.int32)

NO_CHANGES: Integers = np.empty((0, 4), np.int32)

Fact = tuple[int, int, int]
Pair = tuple[int, int]  # a subject and a value

# Identifiers of literals start here, so that the kernel can tell a literal from a name.
FIRST_LITERAL = 1 << 30


class Symbol(NamedTuple):
    """A predicate as the kernel numbers it: a class (arity 1) or a property (arity 2)."""

    name: Predicate
    arity: int


Symbols = frozenset[Symbol] | None
"""Classes and properties; None for all that there are."""


def together(*parts: Symbols) -> Symbols:
    """Those of all parts."""
    known = [part for part in parts if part is not None]
    return frozenset().union(*known) if len(known) == len(parts) else None


def as_tuples(facts: Integers) -> list[Fact]:
    """Facts, shape (n, 3), as keys for sets and dictionaries. Costs a step of Python each."""
    return cast("list[Fact]", list(map(tuple, facts.tolist())))


def from_tuples(facts: Iterable[Fact]) -> Integers:
    """Return facts as an array of shape (n, 3): the inverse of `as_tuples`. Costs a step of Python each."""
    return np.array(list(facts), np.int32).reshape(-1, 3)


def keys_of(facts: Integers) -> npt.NDArray[np.int64]:
    """A 64-bit key of each fact; different facts rarely share one."""
    predicates, subjects, objects = facts.astype(np.int64).T
    keys: npt.NDArray[np.int64] = (subjects << 32) ^ (objects << 8) ^ predicates
    return keys


def narrowed(numbers: npt.NDArray[np.integer]) -> npt.NDArray[np.unsignedinteger] | None:
    """Numbers from 0 on in the smallest type that has them; None if all are 0."""
    most = max(numbers.tolist(), default=0) if len(numbers) < 16 else int(numbers.max())
    if most == 0:
        return None
    return numbers.astype(np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.uint32)


def each_once(facts: Integers) -> Integers:
    """Each fact where it stands first. Costs sorting a key of each, sorting the facts if some share one."""
    if len(facts) < 2:
        return facts
    keys = np.sort(keys_of(facts))
    if (keys[1:] != keys[:-1]).all():
        return facts
    order = np.lexsort(facts.T)
    ordered = facts[order]
    is_first = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    once: Integers = facts[np.sort(order[is_first])]
    return once


def by_predicate(facts: Integers) -> Iterator[tuple[int, Integers]]:
    """The facts of each predicate that is there, in their order."""
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
    """Facts as changes: those that came (1) or went (-1, last column)."""
    changes = np.empty((len(facts), 4), np.int32)
    changes[:, :3], changes[:, 3] = facts, sign
    return changes


def parted(changes: Integers) -> tuple[Integers, Integers]:
    """What came, and what went."""
    signs = changes[:, 3]
    return changes[signs > 0, :3], changes[signs < 0, :3]


_FEW = 12


def net_changes(noted: Integers) -> Integers:
    """Each fact once, with the sum of its signs; none whose sum is 0."""
    if len(noted) < 2:
        return noted
    if len(noted) <= _FEW:  # where steps of Python cost less than sorting does
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
    """The forms of some facts' literals: by fact, and for what is derived by subject and value.

    False where all are the first ones.
    """

    by_fact: FactForms = field(default_factory=dict)
    by_pair: PairForms = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.by_fact) + len(self.by_pair)

    @classmethod
    def given(cls, facts: Integers, given: Mapping[int, Literal]) -> Forms:
        """The forms of `facts`, shape (n, 3): of each fact, and of each pair, what was given first.

        Args:
            given: by the rows of their facts, the forms that are not the first ones of their values.
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
        """All forms with their facts; a pair is a fact whose predicate is `NONE`."""
        yield from self.by_fact.items()
        yield from (((NONE, *pair), form) for pair, form in self.by_pair.items())

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[Fact, Literal]]) -> Forms:
        """The forms whose `rows` these are."""
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
    """Facts, shape (n, 3), and the forms of their literals that are not the first ones of their values.

    A fact that is there in several forms has the one that was given first.
    """

    facts: Integers
    forms: Forms

    @classmethod
    def together(cls, parts: Sequence[Encoded]) -> Encoded:
        """The facts of one part or several, one part behind the other. Costs a look at them where any have
        forms.
        """
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
    """Flags for the symbols, names and literals that something uses, in bytes.

    Args:
        symbols: how many symbols there are.
        names: how many names.
        literals: how many literals.
    """

    def __init__(self, symbols: int, names: int, literals: int) -> None:
        # the last ones stand for no symbol and no term
        self._symbols, self._flags = np.zeros(symbols + 1, np.uint8), np.zeros(names + literals + 1, np.uint8)
        self.symbols = self._symbols[:-1]
        self.names = self._flags[:names]
        self.literals = self._flags[names:-1]

    def add_first(self, symbols: int, names: int = 0, literals: int = 0) -> None:
        """Note so many of the first symbols, names and literals."""
        self.symbols[:symbols] = 1
        self.names[:names] = 1
        self.literals[:literals] = 1

    def add(self, facts: Integers) -> None:
        """Note the symbols and terms of facts, shape (n, 3)."""
        if not self.symbols.all():  # mostly they are noted already
            self._symbols[facts[:, 0]] = 1
        self._flags[facts[:, 1]] = 1
        self._flags[_places(facts[:, 2], len(self.names))] = 1

    def add_forms(self, forms: Forms) -> None:
        """Note what the facts, or the subjects and values, have whose forms these are."""
        if forms:
            self.add(np.array([fact for fact, _ in forms.rows()], np.int32))

    @property
    def share(self) -> Fraction:
        """How many of the symbols and terms were noted, as a share of all."""
        flags = self.symbols, self._flags[:-1]
        return Fraction(sum(map(np.count_nonzero, flags)), max(1, sum(map(len, flags))))

    def renaming(self) -> Renaming:
        """The numbers of what was noted when the rest is forgotten."""
        return Renaming(_dense(self.symbols, 0), _dense(self.names, 0), _dense(self.literals, FIRST_LITERAL))


class Renaming:
    """New numbers for the symbols and terms that are kept.

    Args:
        symbols: the new number of each symbol, `NONE` where it is forgotten.
        names: the new number of each name, `NONE` where it is forgotten.
        literals: of each literal by its place, its number less `FIRST_LITERAL`.

    `keeps_symbols` says that no symbol is forgotten: then each has the number that it had.
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
        """Test whether every symbol and term is kept: each has the number that it had."""
        return self.keeps_symbols and NONE not in self._numbers[:-1]

    @property
    def kept_symbols(self) -> npt.NDArray[np.intp]:
        """The former numbers of the symbols that are kept, ascending."""
        return np.flatnonzero(self.symbols != NONE)

    @property
    def kept_names(self) -> npt.NDArray[np.intp]:
        """The former numbers of the names that are kept, ascending."""
        return np.flatnonzero(self.names != NONE)

    @property
    def kept_literals(self) -> npt.NDArray[np.intp]:
        """The former places of the literals that are kept, ascending."""
        return np.flatnonzero(self.literals != NONE)

    def facts(self, facts: Integers) -> Integers:
        """Facts whose symbols and terms are all kept, shape (n, 3), in the new numbers."""
        renamed = np.empty_like(facts)
        renamed[:, 0] = facts[:, 0] if self.keeps_symbols else self._symbols[facts[:, 0]]
        renamed[:, 1] = self._numbers[facts[:, 1]]
        renamed[:, 2] = self._numbers[_places(facts[:, 2], len(self.names))]
        return renamed

    def parts(self, parts: Sequence[Integers]) -> Iterator[Integers]:
        """The same of several; they share memory, but for those without facts."""
        whole = self.facts(parts[0] if len(parts) == 1 else np.concatenate(parts))
        bounds = accumulate(map(len, parts), initial=0)
        for part, (start, end) in zip(parts, pairwise(bounds), strict=True):
            yield whole[start:end] if start < end else part

    def forms(self, forms: Forms) -> Forms:
        """Forms of facts in the new numbers."""
        if not forms:
            return NO_FORMS
        facts, written = zip(*forms.rows(), strict=True)
        return Forms.of_rows(zip(as_tuples(self.facts(np.array(facts, np.int32))), written, strict=True))


def _places(objects: Integers, names: int) -> Integers:
    """Where objects stand in an array of names, then literals, then `NONE` (which is found from its end)."""
    return np.where(objects >= FIRST_LITERAL, objects - (FIRST_LITERAL - names), objects)


def _dense(flags: npt.NDArray[np.uint8], first: int) -> Integers:
    """The numbers of what is flagged, from `first` on; `NONE` for the rest."""
    return np.where(flags, np.cumsum(flags, dtype=np.int32) + np.int32(first - 1), np.int32(NONE))
