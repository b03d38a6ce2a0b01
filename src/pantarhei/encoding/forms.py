"""How literals were written, where that is not the first form met of their values.

A fact that came with another form keeps it. What is derived from it takes it over, by subject and value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from rdflib import Literal

from pantarhei.encoding.numbers import NONE, Fact, Integers, Pair, as_tuples

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
