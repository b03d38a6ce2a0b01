"""Rules that may compute without end: whether they do is seen when they are evaluated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pantarhei.errors import TemporalRuleError
from pantarhei.model.messages import told_place
from pantarhei.model.rule import Atom, Rule
from pantarhei.model.temporal_rule import Formula, TemporalRule, builtin_text
from pantarhei.rules.translation.termination import endless
from pantarhei.temporal.checks.refusal import refused
from pantarhei.values.builtin import is_computation

MOST_MADE: Final = 50_000
"""So many literals may be new at a tick, where rules may compute without end: some seconds of computing."""


@dataclass(frozen=True, slots=True)
class Endless:
    """A warning: a rule computes from what may come of its own results, and compares nothing.

    Args:
        rule: the rule.
    """

    rule: TemporalRule

    def __str__(self) -> str:
        test = self.rule.tests[0]
        what = f"{builtin_text(test)} computes from what may come of its own results"
        refusal = "a tick at which that does not end is refused; a comparison ends it, such as Z < 100"
        return f"{told_place(test.written)}{what}; {refusal}"


def uncompared(rules: Iterable[TemporalRule]) -> tuple[Endless, ...]:
    """The warning of a rule that may compute without end, where no comparison is in it."""
    rule = maybe_endless(rules)
    return () if rule is None or not all(map(is_computation, rule.tests)) else (Endless(rule),)


def maybe_endless(rules: Iterable[TemporalRule], ontology: Iterable[Rule] = ()) -> TemporalRule | None:
    """The first rule that computes from what may come of its own results, None if there is none.

    A comparison, or what the stream says, may end that all the same. Costs as `termination.endless`.

    Args:
        ontology: rules of the ontology that join them.
    """
    given = list(rules)
    plain = [_plain(rule, str(number)) for number, rule in enumerate(given)]
    found = {rule.name for rule in endless((*plain, *ontology)) if rule in plain}
    return next((rule for number, rule in enumerate(given) if str(number) in found), None)


def refuse_endless(rule: TemporalRule, made: int) -> TemporalRuleError:
    """The error that rules have made so many literals at a tick.

    Args:
        rule: one that computes from what may come of its own results.
    """
    problem = f"{made:_} new literals at a tick: {rule} computes from what comes of its own results"
    return refused(problem, "a comparison that ends it, such as Z < 100", *rule.tests, rule)


def _plain(rule: TemporalRule, name: str) -> Rule:
    """The rule as one of the present tick, with all that values come from; times are finitely many."""
    body = (each for each in rule.body if not (each.is_negated or each.atom.is_asserted))
    return Rule(name, tuple(map(_atom, body)), _atom(rule.head), tests=rule.tests)


def _atom(formula: Formula) -> Atom:
    return Atom(formula.atom.predicate, formula.atom.arguments)
