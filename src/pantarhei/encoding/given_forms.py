"""The forms in which the materialization's literals were given.

The kernel knows values. A fact that came with another form of its value than the first one met keeps that
form for as long as it is in the materialization; what is derived takes the form of the assertion with the
same subject and value, or else the first one met of the value since something began to use it. So a form
never changes under the reader, and changes of the materialization add up.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rdflib import Literal

from pantarhei.encoding.numbers import Encoded, Fact, FactForms, Forms, Integers, Pair, Renaming, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class FormsChange:
    """The forms of facts that came and of facts that went."""

    came: FactForms
    went: FactForms

    @property
    def seen(self) -> FactForms:
        """The forms of both."""
        return {**self.went, **self.came}

    @property
    def after(self) -> dict[Fact, Literal | None]:
        """The forms of both as they are after the change, None for those that have none any more."""
        return {**dict.fromkeys(self.went), **self.came}


NO_CHANGE = FormsChange({}, {})


class GivenForms:
    """The forms of the materialization's facts that are not the first ones of their values.

    A change gives further ones, which take over the dictionaries: those before are not to be used again.

    Args:
        vocabulary: what the numbers mean.
        facts: the forms, by fact.
        pairs: the form last seen for a subject and a value, for what will be derived.
        due: a change that is still to be made. It is made when the forms are first looked at; an error then
            may come in the midst of it, and it is made from the beginning at the next look.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        facts: dict[Fact, Literal] | None = None,
        pairs: dict[Pair, Literal] | None = None,
        due: FormsChange | None = None,
    ) -> None:
        self._vocabulary = vocabulary
        self._facts = {} if facts is None else facts
        self._pairs = {} if pairs is None else pairs
        self._due = due

    @property
    def facts(self) -> dict[Fact, Literal]:
        """The forms, by fact."""
        self._make_due()
        return self._facts

    @property
    def pairs(self) -> dict[Pair, Literal]:
        """The form last seen for a subject and a value."""
        self._make_due()
        return self._pairs

    @property
    def known(self) -> Forms:
        """The forms of facts and of pairs, as they are now."""
        return Forms(self.facts, self.pairs)

    def copy(self) -> GivenForms:
        """The same, on its own from here on."""
        return GivenForms(self._vocabulary, dict(self.facts), dict(self.pairs))

    def renamed(self, renaming: Renaming) -> GivenForms:
        """The same in new numbers, on its own from here on."""
        known = renaming.forms(self.known)
        return GivenForms(self._vocabulary, dict(known.by_fact), dict(known.by_pair))

    def change(self, changes: Integers, asserted: Encoded) -> FormsChange:
        """What `changes` of the materialization mean, where `asserted` was asserted by them.

        Changes nothing: `after` does. Costs a look at the changes where a value has several forms.
        """
        if not self._vocabulary.varied or not len(changes):
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
                if form is None and fact not in given:  # derived
                    form = asserted.forms.by_pair.get(fact[1:], pairs.get(fact[1:]))
                if form is not None:
                    came[fact] = form
            elif sign < 0 and fact in facts:
                went[fact] = facts[fact]
        return FormsChange(came, went) if came or went else NO_CHANGE

    def _varied(self, facts: Integers) -> Integers:
        return facts[self._vocabulary.varied.among(facts[:, 2])]

    def after(self, change: FormsChange) -> GivenForms:
        """The forms after a change, which take the place of these. Costs the change once looked at."""
        if change is NO_CHANGE:
            return self
        return GivenForms(self._vocabulary, self.facts, self.pairs, change)

    def _make_due(self) -> None:
        """Make the change that is due. Made twice it gives the same."""
        if self._due is None:
            return
        for fact in self._due.went:
            self._facts.pop(fact, None)
        for fact, form in self._due.came.items():
            self._facts[fact] = self._pairs[fact[1:]] = form
        if len(self._pairs) > 2 * len(self._facts) + 64:
            self._pairs = {fact[1:]: form for fact, form in self._facts.items()}
        self._due = None
