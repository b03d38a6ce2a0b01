"""Lexical forms of the literals in the materialization.

The kernel stores values. The *first form* of a value is the one seen first since the value is in use. A fact
asserted with another form keeps that form while it is in the materialization. A derived fact has the form of
the assertion with the same subject and value; if there is none, it has the first form. So the form of a fact
never changes, and consecutive deltas of the materialization can be added.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rdflib import Literal

from pantarhei.encoding.numbers import Encoded, Fact, FactForms, Forms, Integers, Pair, Renaming, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class FormsChange:
    """Forms of inserted and of deleted facts, as far as they differ from the first forms of their values."""

    inserted: FactForms
    deleted: FactForms

    @property
    def all_forms(self) -> FactForms:
        """Forms of inserted and deleted facts together."""
        return {**self.deleted, **self.inserted}

    @property
    def after(self) -> dict[Fact, Literal | None]:
        """Forms after the change; None for a fact that then has the first form or is deleted."""
        return {**dict.fromkeys(self.deleted), **self.inserted}


NO_CHANGE = FormsChange({}, {})


class GivenForms:
    """Literal forms of facts in the materialization that are not the first forms of their values.

    `after` returns a new object, which takes over the dictionaries: the old object must not be used again.

    Args:
        vocabulary: meaning of the numbers.
        facts: forms by fact.
        pairs: by subject and value the form seen last, for derived facts.
        pending: a change that is applied on first access. If this is interrupted, it is applied again from
            the beginning.
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
        """By subject and value the form seen last."""
        self._apply_pending()
        return self._pairs

    @property
    def known(self) -> Forms:
        """Present forms of facts and pairs."""
        return Forms(self.facts, self.pairs)

    def copy(self) -> GivenForms:
        """Return an independent copy."""
        return GivenForms(self._vocabulary, dict(self.facts), dict(self.pairs))

    def renamed(self, renaming: Renaming) -> GivenForms:
        """Return an independent copy with new term numbers."""
        known = renaming.forms(self.known)
        return GivenForms(self._vocabulary, dict(known.by_fact), dict(known.by_pair))

    def change(self, changes: Integers, asserted: Encoded) -> FormsChange:
        """Return the change of forms caused by `changes` of the materialization, which assert `asserted`.

        This object is unchanged; `after` applies the result. Costs a pass over the changes if any value has
        several forms.
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
        """Return the forms after a change, which is applied on first access. They replace this object."""
        if change is NO_CHANGE:
            return self
        return GivenForms(self._vocabulary, self.facts, self.pairs, change)

    def _apply_pending(self) -> None:
        """Apply the pending change. Applying it twice has no further effect."""
        if self._pending is None:
            return
        for fact in self._pending.deleted:
            self._facts.pop(fact, None)
        for fact, form in self._pending.inserted.items():
            self._facts[fact] = self._pairs[fact[1:]] = form
        if len(self._pairs) > 2 * len(self._facts) + 64:
            self._pairs = {fact[1:]: form for fact, form in self._facts.items()}
        self._pending = None
