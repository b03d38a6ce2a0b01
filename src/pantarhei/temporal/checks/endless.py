"""Rules that may compute without end: whether they do is seen when they are evaluated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pantarhei.errors import TemporalRuleError
from pantarhei.language.rule import Atom, Rule
from pantarhei.language.temporal_rule import Formula, TemporalRule
from pantarhei.rules.translation.termination import endless
from pantarhei.temporal.checks.refusal import refused

MOST_MADE: Final = 250_000
"""So many literals may be new at a tick, where rules may compute without end."""


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
