"""How the literals of facts are written, from step to step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

import numpy as np
from rdflib import Literal

from pantarhei.encoding.numbers import NO_FACTS, Fact, Integers, as_tuples
from pantarhei.materialize.model import Shown, WindowModel
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.incremental.lasting_terms import LastingTerms

Forms = Mapping[Fact, Literal | None]
"""How literals are written, by fact; None for the first form of their value."""


class ShownForms:
    """The forms of facts, where these are not the first ones of their values; journaled."""

    def __init__(self, journal: Journal, terms: LastingTerms) -> None:
        self._journal, self._terms = journal, terms
        self.facts: dict[Fact, Literal] = {}

    def replace(self, forms: Mapping[Fact, Literal]) -> None:
        """Have these forms, and no others."""
        self._journal.replace(self.facts, forms)

    def first(self) -> Shown | None:
        """How facts are shown whose literals are in the first forms of their values; None for by number."""
        terms = self._terms
        return (lambda fact, sign: terms.first_form(fact[2])) if terms.has_further_numbers else None

    def change(self, forms: Forms) -> tuple[Forms, Shown | None]:
        """Take over what a step changed.

        Returns:
            The former forms of facts that are written another way now; how facts are shown before the step
            and after it, None where all are in their first forms.
        """
        if not forms and not self.facts and not self._terms.instead:
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
        if not facts and not before and not terms.has_further_numbers:
            return {}, None

        def shown(fact: Fact, sign: int) -> int | None:
            form = before[fact] if sign < 0 and fact in before else facts.get(fact)
            return terms.first_form(fact[2]) if form is None else terms.id_of(form)

        return before, shown


_UNCHANGED: Final[tuple[Forms, None]] = ({}, None)


def reformed(before: Forms, noted: Integers, model: WindowModel) -> Integers:
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
