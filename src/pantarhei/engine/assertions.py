"""The books of a graph without time: its assertions, the ground truth that its model is derived from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from rdflib import Literal

from pantarhei.encoding.encoded import Encoded
from pantarhei.encoding.forms import NO_FORMS, FactForms, Forms
from pantarhei.encoding.numbers import Fact, Integers, as_tuples
from pantarhei.encoding.renaming import Renaming, UsedTerms
from pantarhei.window.log import EMPTY_LOG, Log

# A fact's twelve bytes as an object, and its place in a dictionary.
_BYTES_AN_ASSERTION = 130
# A form kept beside a fact: a literal, its key, and a place in a dictionary, roughly.
_BYTES_A_FORM = 400

Key = bytes
"""A fact as its twelve bytes: a third of what a tuple takes, and made of columns at once."""


class Net(NamedTuple):
    """What a change does to the assertions; nothing is in both.

    Args:
        came: the facts that are asserted from now on.
        went: those that are so no more.
        forms: how literals of what came were written, where that is not the first form of their values.
        already_asserted: how many facts were to be inserted that were asserted before.
        not_asserted: how many were to be deleted that were not.
    """

    came: Sequence[Key]
    went: Sequence[Key]
    forms: FactForms = NO_FORMS.by_fact
    already_asserted: int = 0
    not_asserted: int = 0


class Assertions:
    """The assertions of a graph after a number of changes.

    A change gives further ones, which take over the dictionaries: those before are not to be used again.

    Args:
        step: how many changes there were.
        is_consistent: whether they violate no constraint.
        keys: the facts.
        forms: the literals that are not written as the first ones of their values, by fact.
        due: a change that is still to be made. It is made when the facts are first looked at; an error then
            may come in the midst of it, and it is made from the beginning at the next look.
    """

    def __init__(
        self,
        step: int = 0,
        is_consistent: bool = True,
        keys: dict[Key, None] | None = None,
        forms: dict[Fact, Literal] | None = None,
        due: Net | None = None,
    ) -> None:
        self.step, self.is_consistent = step, is_consistent
        self._keys: dict[Key, None] = {} if keys is None else keys
        self._forms: dict[Fact, Literal] = {} if forms is None else forms
        self._due = due

    @property
    def keys(self) -> Mapping[Key, None]:
        """The facts."""
        self._make_due()
        return self._keys

    @property
    def forms(self) -> Mapping[Fact, Literal]:
        """The literals that are not written as the first ones of their values, by fact."""
        self._make_due()
        return self._forms

    @property
    def facts(self) -> Integers:
        """The facts, shape (n, 3), in the order in which they came."""
        return facts_of(self.keys)

    @property
    def now(self) -> int:
        """The time of a graph is how many changes there were."""
        return self.step

    @property
    def log(self) -> Log:
        """No ABox has a timestamp."""
        return EMPTY_LOG

    @property
    def bytes(self) -> int:
        """What they take, roughly."""
        return _BYTES_AN_ASSERTION * len(self.keys) + _BYTES_A_FORM * len(self.forms)

    def net(self, given: Encoded, deleted: Encoded) -> Net:
        """What it comes to to delete facts, and to insert others then. Costs these."""
        known, gone = self.keys, dict.fromkeys(keys_of(deleted.facts))
        inserted = dict.fromkeys(keys_of(given.facts))
        came = {key: None for key in inserted if key not in known}
        went = [key for key in gone if key in known and key not in inserted]
        forms = given.forms.by_fact
        if forms:
            keys = keys_of(np.array(list(forms), np.int32))
            forms = {fact: form for key, (fact, form) in zip(keys, forms.items(), strict=True) if key in came}
        already = sum(key in known and key not in gone for key in inserted)
        return Net(list(came), went, forms, already, sum(key not in known for key in gone))

    def after(self, change: Net, is_consistent: bool) -> Assertions:
        """The assertions after one more change, which take the place of these. Costs the change once looked
        at.
        """
        self._make_due()
        return Assertions(self.step + 1, is_consistent, self._keys, self._forms, change)

    def _make_due(self) -> None:
        """Make the change that is due. Made twice it gives the same."""
        if self._due is None:
            return
        for key in self._due.went:
            self._keys.pop(key, None)
        if self._forms:
            for fact in as_tuples(facts_of(self._due.went)):
                self._forms.pop(fact, None)
        self._keys.update(dict.fromkeys(self._due.came))
        self._forms.update(self._due.forms)
        self._due = None

    def copy(self) -> Assertions:
        """The same, which later changes do not reach. Costs their number."""
        return Assertions(self.step, self.is_consistent, dict(self.keys), dict(self.forms))

    # -- their terms (engine/compaction.py) --------------------------------------------------------

    def used_terms(self, used: UsedTerms) -> int:
        """Note the symbols and terms of the facts. Returns how many facts these are."""
        used.add(self.facts)
        return len(self.keys)

    def renamed(self, renaming: Renaming) -> Assertions:
        """The same in new numbers, on its own from here on."""
        keys = dict.fromkeys(keys_of(renaming.facts(self.facts)))
        forms = renaming.forms(Forms(self.forms)).by_fact
        return Assertions(self.step, self.is_consistent, keys, dict(forms))


def keys_of(facts: Integers) -> list[Key]:
    """The keys of facts, shape (n, 3)."""
    keys: list[Key] = np.ascontiguousarray(facts, np.int32).view("V12").ravel().tolist()
    return keys


def facts_of(keys: Iterable[Key]) -> Integers:
    """The facts of keys, shape (n, 3)."""
    return np.frombuffer(b"".join(keys), np.int32).reshape(-1, 3).copy()
