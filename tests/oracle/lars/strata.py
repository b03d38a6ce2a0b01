"""Strata of rules with negation: the predicates that a rule negates are complete before it is applied."""

from __future__ import annotations

from collections.abc import Iterable

from pantarhei.model.temporal_rule import TemporalAtom, TemporalRule

Kind = tuple[str, int, bool]


class NotStratifiedError(ValueError):
    """A conclusion depends on its own negation.

    Args:
        kinds: the kinds of atoms that depend on their own negation, or on such atoms.
    """

    def __init__(self, kinds: tuple[Kind, ...]) -> None:
        super().__init__(kinds)
        self.kinds = kinds

    def __str__(self) -> str:
        return f"no order of the rules is such that what they negate comes first: {self.kinds}"


def kind(atom: TemporalAtom) -> Kind:
    """Return an atom's predicate, its number of arguments, and whether it is an assertion."""
    return str(atom.predicate), len(atom.arguments), atom.is_asserted


def strata(rules: Iterable[TemporalRule]) -> list[list[TemporalRule]]:
    """Return the rules in strata: each negates conclusions of lower strata only.

    Raises:
        NotStratifiedError: there is no stratification.
    """
    rules = list(rules)
    level = {kind(rule.head.atom): 0 for rule in rules}
    # Enough rounds to raise every level without a stratum above all others.
    for _ in range((len(level) + 1) ** 2):
        for rule in rules:
            head = kind(rule.head.atom)
            below = (level.get(kind(f.atom), -1) + f.is_negated for f in rule.body)
            level[head] = max(level[head], *below, 0)
    if endless := sorted(each for each in level if level[each] > len(level)):
        raise NotStratifiedError(tuple(endless))
    return [
        [rule for rule in rules if level[kind(rule.head.atom)] == layer]
        for layer in sorted(set(level.values()))
    ]
