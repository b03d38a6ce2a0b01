"""The order in which rules with negation are applied: what a rule negates is complete before it."""

from __future__ import annotations

from collections.abc import Iterable

from pantarhei.model.temporal_rule import TemporalAtom, TemporalRule

Kind = tuple[str, int, bool]


class NotStratifiedError(ValueError):
    """A conclusion rests on its own negation.

    Args:
        kinds: kinds of atoms that do, or that rest on such.
    """

    def __init__(self, kinds: tuple[Kind, ...]) -> None:
        super().__init__(kinds)
        self.kinds = kinds

    def __str__(self) -> str:
        return f"no order of the rules is such that what they negate comes first: {self.kinds}"


def kind(atom: TemporalAtom) -> Kind:
    """What an atom is of: predicate, number of arguments, and whether it is of what is asserted."""
    return str(atom.predicate), len(atom.arguments), atom.is_asserted


def strata(rules: Iterable[TemporalRule]) -> list[list[TemporalRule]]:
    """The rules in layers: each negates conclusions of lower layers only.

    Raises:
        NotStratifiedError: there are no such layers.
    """
    rules = list(rules)
    level = {kind(rule.head.atom): 0 for rule in rules}
    for _ in range((len(level) + 1) ** 2):  # enough for what has no layer to pass all that have one
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
