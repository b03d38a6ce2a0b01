"""What looking back costs, in words: what is kept for a formula, and what work passing time makes."""

from __future__ import annotations

from collections.abc import Iterable

from rdflib import URIRef

from pantarhei.model.rule import Predicate, Rule
from pantarhei.model.temporal_rule import Formula, Mode, TemporalRule, TupleWindow
from pantarhei.temporal.binding import is_unbounded

_EACH_TICK = "a row a fact at each tick that it holds"
_RUN = "a run a fact: when it begins, is long enough, and ends; nothing in between"


class Costs:
    """What the formulas of rules cost.

    Args:
        rules: that are evaluated.
        remembered: predicates whose conclusions are remembered.
        ontology: rules of the ontology that join them.
    """

    def __init__(
        self, rules: Iterable[TemporalRule], remembered: Iterable[URIRef], ontology: Iterable[Rule] = ()
    ) -> None:
        heads = [rule.head for rule in rules]
        self._concluded: set[Predicate] = {head.atom.predicate for head in heads}
        self._concluded |= {rule.head.predicate for rule in ontology if rule.head}
        at_ticks = {head.atom.predicate for head in heads if head.mode is Mode.AT}
        self._with_runs = set(remembered) - at_ticks

    def of(self, formula: Formula) -> str:
        """What a formula costs that looks back."""
        atom = formula.atom
        is_concluded = atom.predicate in self._concluded and not atom.is_asserted
        if isinstance(formula.window, TupleWindow):
            return "a queue of the last assertions: what enters and what leaves"
        if formula.mode is Mode.AT:
            kept = "; all that was said is kept" if is_unbounded(formula) else ""
            return f"{'a row an event' if atom.is_asserted else _EACH_TICK}{kept}"
        if formula.times > 1:
            return _EACH_TICK if is_concluded else "a queue of arrivals: what enters and what leaves"
        if formula.mode is Mode.ALWAYS:
            if atom.is_asserted:
                return "a look at what is asserted, at each tick"
            return _EACH_TICK if is_concluded and atom.predicate not in self._with_runs else _RUN
        if atom.is_asserted:
            return "a row an event; nothing as ticks pass"
        return "a row a fact, when it comes and when it goes; nothing as ticks pass"
