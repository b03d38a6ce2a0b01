"""What `pantarhei check` says of temporal rules: strata, what is remembered, what windows cost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from pantarhei.language.counted import counted
from pantarhei.language.rule_text import duration_text
from pantarhei.language.shown import ShownNames, told_apart
from pantarhei.language.temporal_rule import Formula, TimeWindow
from pantarhei.language.term import short
from pantarhei.language.time import TimeKind, time_of
from pantarhei.rules.translation.demand import Theory
from pantarhei.temporal.binding import is_unbounded
from pantarhei.temporal.costs import Costs
from pantarhei.temporal.fitting import fitted
from pantarhei.temporal.joining import alone, joined
from pantarhei.temporal.rules import RuleWarning, TemporalRules
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.translation import program_of

if TYPE_CHECKING:
    import pantarhei as pr
    from pantarhei.window.sliding import Window


class RulesReport:
    """The report on temporal rules.

    Args:
        window: the reasoner's, if it is known: its slide is the tick.
        ontology: the reasoner's, if it is known.
        unique_names: as the reasoner takes it.

    Raises:
        TemporalRuleError: a window of a rule does not fit that of the reasoner, a construct is not there, or
            a contradiction could follow from a conclusion by the ontology.
    """

    def __init__(
        self,
        rules: TemporalRules,
        window: Window | None = None,
        ontology: pr.Ontology | None = None,
        unique_names: bool = True,
    ) -> None:
        self._rules, self._ontology = rules, ontology
        self._joined = alone(rules)
        if ontology is not None:
            theory = Theory.of((*ontology.rules, *ontology.constraints), unique_names)
            self._joined = joined(rules, theory, ontology.predicates)
        self._costs = Costs(rules.rules, self._joined.remembered, self._joined.ontology)
        self._ticks = None if window is None else fitted(rules.rules, window, rules.start, self._fit)

    def _fit(self, ticks: Ticks) -> Ticks:
        """The ticks, if the rules fit them."""
        rules, ontology, remembered, _ = self._joined
        program_of(rules.rules, remembered, ticks, ontology, rules.feedback)
        return ticks

    def text(self) -> str:
        """The report for people."""
        names = ShownNames(self._rules.prefixes) if self._ontology is None else self._ontology.names
        return told_apart(lambda: "\n".join(self._lines()), names)

    def _lines(self) -> Iterator[str]:
        rules, strata = self._rules, self._rules.strata
        levels = max(strata.values(), default=-1) + 1
        remembered = ", ".join(map(short, sorted(self._joined.remembered))) or "nothing"
        yield (
            f"{counted(len(rules.rules), 'temporal rule')} in "
            f"{counted(levels, 'stratum', 'strata')}; remembered: {remembered}"
        )
        if count := len(self._joined.ontology):
            yield f"{counted(count, 'rule')} of the ontology {'joins' if count == 1 else 'join'} them"
        by_stratum = sorted(rules.rules, key=lambda rule: strata[rule.head.atom.predicate])
        for stratum, inside in groupby(by_stratum, lambda rule: strata[rule.head.atom.predicate]):
            yield f"stratum {stratum}"
            yield from (f"    {rule}" for rule in inside)
        if windows := self._windows:
            yield f"windows, {self._tick_text}"
            for formula in windows:
                ticks = self._size(formula)
                size = "" if ticks is None else f"{counted(ticks, 'tick')}; "
                yield f"    {formula}: {size}{self._costs.of(formula)}"
        if largest := max((self._size(formula) or 0 for formula in windows), default=0):
            yield f"what was said is kept for {counted(largest, 'tick')}"
        if unknown := self._not_in_ontology:
            yield f"the ontology does not mention: {', '.join(map(short, unknown))}"
        yield from (f"warning: {warning}" for warning in self._warnings)

    def to_data(self) -> dict[str, Any]:
        """The report for programs, as JSON has it."""
        strata = self._rules.strata
        return {
            "rules": [
                {"rule": str(rule), "stratum": strata[rule.head.atom.predicate]} for rule in self._rules.rules
            ],
            "ontology_rules": list(map(str, self._joined.ontology)),
            "remembered": sorted(self._joined.remembered),
            "windows": [
                {"formula": str(formula), "ticks": self._size(formula), "cost": self._costs.of(formula)}
                for formula in self._windows
            ],
            "not_in_ontology": self._not_in_ontology,
            "warnings": list(map(str, self._warnings)),
        }

    @property
    def _warnings(self) -> tuple[RuleWarning, ...]:
        return self._rules.warnings_with(self._joined.remembered)

    @property
    def _windows(self) -> list[Formula]:
        """The formulas that look back, each once."""
        formulas = (formula for rule in self._rules.rules for formula in rule.body)
        return list(dict.fromkeys(formula for formula in formulas if formula.window or is_unbounded(formula)))

    def _size(self, formula: Formula) -> int | None:
        """How many ticks a formula looks back; None where nobody knows."""
        if self._ticks is None or not isinstance(formula.window, TimeWindow):
            return None
        return self._ticks.size_of(formula.window, formula)

    @property
    def _tick_text(self) -> str:
        if self._ticks is None:
            return "in ticks if --range and --slide are given"
        length = self._ticks.length
        if self._ticks.kind is TimeKind.DATETIME:
            return f"a tick is {duration_text(timedelta(microseconds=length))}"
        return f"a tick is {time_of(length, self._ticks.kind)}"

    @property
    def _not_in_ontology(self) -> list[URIRef]:
        """The predicates that the stream alone can bring: no rule concludes them, and no axiom has them."""
        if self._ontology is None:
            return []
        heads, graph = self._rules.strata, self._ontology.graph
        used = {formula.atom.predicate for rule in self._rules.rules for formula in rule.body}
        return [
            each
            for each in sorted(used.difference(heads))
            if (each, None, None) not in graph and (None, None, each) not in graph
        ]
