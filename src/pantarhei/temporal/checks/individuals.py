"""Comparisons of names where two names may be of one individual: they would not say what is meant."""

from __future__ import annotations

from collections.abc import Iterable

from rdflib import OWL, Literal, URIRef, Variable

from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import TemporalRule, builtin_text, term_text
from pantarhei.temporal.checks.refusal import refused
from pantarhei.values.builtin import EQUAL
from pantarhei.values.comparing import NOT_EQUAL


def check_individuals(rules: Iterable[TemporalRule]) -> None:
    """Nothing, if no rule compares what are names for certain, what the stream says something of, without
    asking whether they are of one individual.

    Raises:
        TemporalRuleError: one does.
    """
    rules = list(rules)
    concluded = {rule.head.atom.predicate for rule in rules}
    for rule in rules:
        named = _named(rule, concluded)
        for test in rule.tests:
            if test.name not in (EQUAL, NOT_EQUAL) or asks_for_individuals(rule, test):
                continue
            if all(_is_name(each, named) for each in test.arguments):
                asked = f"owl:sameAs({', '.join(map(term_text, test.arguments))})"
                problem = f"{builtin_text(test)} compares names, and two names may be of one individual"
                expected = asked if test.name == EQUAL else f"not {asked} beside it"
                raise refused(problem, f"{expected}, or unique_names=True", test, rule)


def asks_for_individuals(rule: TemporalRule, test: Builtin) -> bool:
    """Whether beside `X != Y` a rule says `not owl:sameAs(X, Y)`."""
    denied = [formula.atom for formula in rule.body if formula.is_negated]
    apart = [set(atom.arguments) for atom in denied if atom.predicate == OWL.sameAs]
    return test.name == NOT_EQUAL and set(test.arguments) in apart


def _named(rule: TemporalRule, concluded: set[URIRef]) -> frozenset[Argument]:
    """The variables that stand for names only."""
    atoms = [formula.atom for formula in rule.body if not formula.is_negated]
    said = [atom for atom in atoms if atom.arguments and atom.predicate not in concluded]
    return frozenset(atom.arguments[0] for atom in said)


def _is_name(argument: Argument, named: frozenset[Argument]) -> bool:
    return argument in named if isinstance(argument, Variable) else not isinstance(argument, Literal)
