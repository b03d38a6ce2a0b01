"""Windows that look back at conclusions which nobody remembers."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta

from rdflib import URIRef

from pantarhei.model.messages import told_place
from pantarhei.model.temporal_rule import Formula, Mode, TemporalRule, TimeWindow
from pantarhei.model.term import short


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A warning: a window reaches back to conclusions of earlier ticks, which are not remembered.

    Args:
        formula: where the window is.
    """

    formula: Formula

    @property
    def predicate(self) -> URIRef:
        """Whose conclusions are meant."""
        return self.formula.atom.predicate

    def __str__(self) -> str:
        name, where = short(self.predicate), told_place(self.formula.written)
        return (
            f"{where}{self.formula} looks back at conclusions of earlier ticks, which are not remembered; "
            f"if they are to count, write: remember {name}."
        )


def forgotten(rules: Iterable[TemporalRule], remembered: Collection[URIRef]) -> tuple[Forgotten, ...]:
    """The windows of one tick or more over conclusions that hold now, and are not remembered."""
    given = list(rules)
    concluded_now = {rule.head.atom.predicate for rule in given if rule.head.mode is Mode.NOW}
    return tuple(
        Forgotten(formula)
        for rule in given
        for formula in rule.body
        if formula.atom.predicate in concluded_now.difference(remembered)
        and not formula.atom.is_asserted
        and isinstance(formula.window, TimeWindow)
        and formula.window.size not in (0, timedelta(0))
    )
