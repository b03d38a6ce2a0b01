"""Lexical forms of the materialization's literals.

The kernel stores values. A fact given with a form that is not the first one seen of its value keeps that form
while it is in the materialization; a derived fact takes the form of the assertion with the same subject and
value, otherwise the first form seen since the value came into use. So the form of a fact never changes, and
changes of the materialization add up.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rdflib import Literal

from pantarhei.encoding.numbers import Encoded, Fact, FactForms, Forms, Integers, Pair, Renaming, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class FormsChange:
    """Forms of inserted and deleted facts."""

    inserted: FactForms
    deleted: FactForms

    @property
    def all_forms(self) -> FactForms:
        """Return the forms of both."""
        return {**self.deleted, **self.inserted}

    @property
    def after(self) -> dict[Fact, Literal | None]:
        """Return the forms of both after the change, None for facts without one."""
        return {**dict.fromkeys(self.deleted), **self.inserted}


NO_CHANGE = FormsChange({}, {})


class GivenForms:
    """Forms of the materialization's facts that are not the first ones of their values.

    `after` returns a new object that takes over the dictionaries of this one, which must not be used again.

    Args:
        vocabulary: meaning of the numbers.
        facts: forms by fact.
        pairs: the last form seen for a subject and a value, for derived facts.
        pending: a pending change. It is applied on first access; after an error it is applied from the
            beginning on the next access.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        facts: dict[Fact, Literal] | None = None,
        pairs: dict[Pair, Literal] | None = None,
        pending: FormsChange | None = None,
    ) -> None:
        self._vocabulary = vocabulary
        self._facts = {} if facts is None else facts
        self._pairs = {} if pairs is None else pairs
        self._pending = pending

    @property
    def facts(self) -> dict[Fact, Literal]:
        """Forms by fact."""
        self._apply_pending()
        return self._facts

    @property
    def pairs(self) -> dict[Pair, Literal]:
        """Last form seen for a subject and a value."""
        self._apply_pending()
        return self._pairs

    @property
    def known(self) -> Forms:
        """Return the present forms of facts and pairs."""
        return Forms(self.facts, self.pairs)

    def copy(self) -> GivenForms:
        """Return an independent copy."""
        return GivenForms(self._vocabulary, dict(self.facts), dict(self.pairs))

    def renamed(self, renaming: Renaming) -> GivenForms:
        """Return an independent copy in new numbers."""
        known = renaming.forms(self.known)
        return GivenForms(self._vocabulary, dict(known.by_fact), dict(known.by_pair))

    def change(self, changes: Integers, asserted: Encoded) -> FormsChange:
        """Return the change of forms for `changes` of the materialization, which assert `asserted`.

        The state is unchanged; `after` applies it. Costs a pass over the changes where a value has several
        forms.
        """
        if not self._vocabulary.varied.has_members or not len(changes):
            return NO_CHANGE
        net: Counter[Fact] = Counter()
        varied = self._varied(changes)
        for fact, sign in zip(as_tuples(varied[:, :3]), varied[:, 3].tolist(), strict=True):
            net[fact] += sign
        given = set(as_tuples(self._varied(asserted.facts)))
        facts, pairs = self.facts, self.pairs
        came: dict[Fact, Literal] = {}
        went: dict[Fact, Literal] = {}
        for fact, sign in net.items():
            if sign > 0:
                form = asserted.forms.by_fact.get(fact)
                if form is None and fact not in given:  # a derived fact
                    form = asserted.forms.by_pair.get(fact[1:], pairs.get(fact[1:]))
                if form is not None:
                    came[fact] = form
            elif sign < 0 and fact in facts:
                went[fact] = facts[fact]
        return FormsChange(came, went) if came or went else NO_CHANGE

    def _varied(self, facts: Integers) -> Integers:
        return facts[self._vocabulary.varied.among(facts[:, 2])]

    def after(self, change: FormsChange) -> GivenForms:
        """Return the forms after a change, replacing these. Costs the change on first access."""
        if change is NO_CHANGE:
            return self
        return GivenForms(self._vocabulary, self.facts, self.pairs, change)

    def _apply_pending(self) -> None:
        """Apply the pending change; idempotent."""
        if self._pending is None:
            return
        for fact in self._pending.deleted:
            self._facts.pop(fact, None)
        for fact, form in self._pending.inserted.items():
            self._facts[fact] = self._pairs[fact[1:]] = form
        if len(self._pairs) > 2 * len(self._facts) + 64:
            self._pairs = {fact[1:]: form for fact, form in self._facts.items()}
        self._pending = None
