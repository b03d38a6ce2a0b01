"""The strata of rules: which conclusions must be there before what is said of their absence, of all ticks
of a window, or of how many there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rdflib import URIRef

from pantarhei.errors import TemporalRuleError
from pantarhei.model.display_names import told_apart
from pantarhei.model.graphs import components
from pantarhei.model.temporal_rule import Formula, Mode, TemporalRule
from pantarhei.model.term import short
from pantarhei.temporal.checks.refusal import refused

_MOST_STEPS = 12  # of a circle in a message
_WITHOUT_STRATA = "rules without strata are for pantarhei.AnswerStreams, or pantarhei run --models 0"


class _Use(NamedTuple):
    """A conclusion in the body of a rule for another; both are numbers of predicates."""

    head: int
    body: int
    formula: Formula
    rule: TemporalRule

    @property
    def is_strict(self) -> bool:
        """Whether the conclusions of the body must all be there first."""
        return self.formula.is_negated or self.formula.mode is Mode.ALWAYS or self.formula.times > 1


def strata(rules: Iterable[TemporalRule]) -> dict[URIRef, int]:
    """The stratum of each predicate that is concluded, from 0, in the order of the strata.

    What a conclusion rests on is in its stratum or a lower one; in a lower one if it is negated, stands below
    □, or is counted. Costs linear time.

    Raises:
        TemporalRuleError: a conclusion would rest in such a way on itself; the way is named.
    """
    given = list(rules)
    heads = list(dict.fromkeys(rule.head.atom.predicate for rule in given))
    numbers = {predicate: number for number, predicate in enumerate(heads)}
    uses = [
        _Use(numbers[rule.head.atom.predicate], numbers[formula.atom.predicate], formula, rule)
        for rule in given
        for formula in rule.body
        if formula.atom.predicate in numbers and not formula.atom.is_asserted
    ]
    uses_of: list[list[_Use]] = [[] for _ in heads]
    for use in uses:
        uses_of[use.head].append(use)
    found = [0] * len(heads)
    for component in components([[use.body for use in own] for own in uses_of]):
        inside = set(component)
        own = [use for head in component for use in uses_of[head]]
        for use in own:
            if use.is_strict and use.body in inside:
                raise _circle(use, uses_of, heads)
        stratum = max((found[use.body] + use.is_strict for use in own if use.body not in inside), default=0)
        for number in component:
            found[number] = stratum
    return dict(sorted(zip(heads, found, strict=True), key=lambda each: each[1]))


def _circle(strict: _Use, uses_of: Sequence[Sequence[_Use]], heads: Sequence[URIRef]) -> TemporalRuleError:
    """The error that a conclusion rests on its own absence, or on itself through □ or a count."""
    way = _way(strict, uses_of)
    formula = strict.formula
    if formula.is_negated:
        what, expected = "its own absence", "negation only of what is concluded without it"
    else:
        what = (
            "itself at all ticks of a window" if formula.mode is Mode.ALWAYS else "how often it holds itself"
        )
        expected = "□ and counts only of what is concluded without them, or asserted in front for assertions"

    def problem() -> str:
        steps = [short(heads[strict.head]), str(formula), *(str(use.formula) for use in way)]
        shown = steps if len(steps) <= _MOST_STEPS else [*steps[: _MOST_STEPS - 2], "…", steps[-1]]
        return f"{steps[0]} rests on {what}: {' ← '.join(shown)}"

    expected += f"; {_WITHOUT_STRATA}"
    return refused(told_apart(problem), expected, formula, strict.rule)


def _way(strict: _Use, uses_of: Sequence[Sequence[_Use]]) -> list[_Use]:
    """The shortest way by which what `strict` uses rests on its head; empty if it is the head."""
    reached_by: dict[int, _Use] = {}
    waiting = [strict.body]
    for number in waiting:
        if number == strict.head:
            break
        for use in uses_of[number]:
            if use.body not in reached_by and use.body != strict.body:
                reached_by[use.body] = use
                waiting.append(use.body)
    way: list[_Use] = []
    at = strict.head
    while at != strict.body:
        way.append(reached_by[at])
        at = way[-1].head
    return way[::-1]
