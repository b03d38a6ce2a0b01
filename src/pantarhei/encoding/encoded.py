"""Facts as numbers, and how their literals were written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from rdflib import Literal

from pantarhei.encoding.forms import NO_FORMS, Forms
from pantarhei.encoding.numbers import Fact, Integers, Pair, as_tuples


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
