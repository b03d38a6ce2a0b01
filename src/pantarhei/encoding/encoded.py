"""Facts as numbers, and how their literals were written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from rdflib import Literal

from pantarhei.encoding.numbers import NO_FORMS, Forms, Integers


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
        values = {key[-1] for part in parts for key in part.forms}
        known: set[tuple[int, ...]] = set()
        forms: dict[tuple[int, ...], Literal] = {}
        for part in parts if values else ():
            forms.update((key, form) for key, form in part.forms.items() if key not in known)
            known |= _keys(part.facts, values)
        return cls(np.concatenate([part.facts for part in parts]), forms)


def forms_given(facts: Integers, given: Mapping[int, Literal]) -> Forms:
    """The forms of facts, by fact, and by subject and value: what was given first of each.

    Args:
        facts: shape (n, 3).
        given: by their places, the forms that are not the first ones of their values.
    """
    if not given:
        return NO_FORMS
    varied = np.flatnonzero(np.isin(facts[:, 2], [facts[place, 2] for place in given]))
    first: dict[tuple[int, ...], Literal | None] = {}
    for place, fact in zip(varied.tolist(), map(tuple, facts[varied].tolist()), strict=True):
        form = given.get(place)
        first.setdefault(fact, form)
        first.setdefault(fact[1:], form)
    return {key: form for key, form in first.items() if form is not None}


def _keys(facts: Integers, values: set[int]) -> set[tuple[int, ...]]:
    """The facts with one of these literals, and their subjects with their values."""
    some = list(map(tuple, facts[np.isin(facts[:, 2], list(values))].tolist()))
    return {*some, *(fact[1:] for fact in some)}
