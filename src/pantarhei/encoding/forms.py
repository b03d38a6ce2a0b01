"""The forms in which the materialization's literals were given.

The kernel knows values. A fact that came with another form of its value than the first one met keeps that
form for as long as it is in the materialization; what is derived takes the form of the assertion with the
same subject and value, or else the first one met of the value since something began to use it. So a form
never changes under the reader, and changes of the materialization add up.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from rdflib import Literal

from pantarhei.encoding.encoded import Encoded
from pantarhei.encoding.numbers import NO_FORMS, Forms, Integers
from pantarhei.encoding.renaming import Renaming
from pantarhei.encoding.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class FormsChange:
    """Facts that came and went, with the forms they have or had.

    `seen` holds the forms of both.
    """

    came: Forms
    went: Forms

    @property
    def seen(self) -> Forms:
        return {**self.went, **self.came} if self.came or self.went else NO_FORMS


@dataclass(slots=True)
class GivenForms:
    """The forms of the materialization's facts that are not the first ones of their values.

    `pairs` has the form last seen for a subject and a value, for what will be derived.
    """

    vocabulary: Vocabulary
    facts: dict[tuple[int, ...], Literal] = field(default_factory=dict)
    pairs: dict[tuple[int, ...], Literal] = field(default_factory=dict)

    def copy(self) -> GivenForms:
        """The same, on its own from here on."""
        return GivenForms(self.vocabulary, dict(self.facts), dict(self.pairs))

    def renamed(self, renaming: Renaming) -> GivenForms:
        """The same in new numbers, on its own from here on."""
        return GivenForms(self.vocabulary, renaming.forms(self.facts), renaming.forms(self.pairs))

    def change(self, changes: Integers, asserted: Encoded) -> FormsChange:
        """What `changes` of the materialization mean, where `asserted` was asserted by them.

        Changes nothing yet: `apply` does. Costs a look at the changes where a value has several forms.
        """
        if not self.vocabulary.has_variants or not len(changes):
            return FormsChange(NO_FORMS, NO_FORMS)
        net: Counter[tuple[int, ...]] = Counter()
        for *fact, sign in self._varied(changes).tolist():
            net[tuple(fact)] += sign
        given = set(map(tuple, self._varied(asserted.facts).tolist()))
        came: dict[tuple[int, ...], Literal] = {}
        went: dict[tuple[int, ...], Literal] = {}
        for fact, sign in net.items():
            if sign > 0:
                form = asserted.forms.get(fact)
                if form is None and fact not in given:  # derived
                    form = asserted.forms.get(fact[1:], self.pairs.get(fact[1:]))
                if form is not None:
                    came[fact] = form
            elif sign < 0 and fact in self.facts:
                went[fact] = self.facts[fact]
        return FormsChange(came, went)

    def _varied(self, facts: Integers) -> Integers:
        return facts[self.vocabulary.varied.among(facts[:, 2])]

    def apply(self, change: FormsChange) -> None:
        """Take over a change."""
        for fact in change.went:
            self.facts.pop(fact, None)
        for fact, form in change.came.items():
            self.facts[fact] = self.pairs[fact[1:]] = form
        if len(self.pairs) > 2 * len(self.facts) + 64:
            self.pairs = {fact[1:]: form for fact, form in self.facts.items()}
