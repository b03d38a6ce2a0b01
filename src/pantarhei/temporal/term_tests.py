"""Comparisons of temporal rules as the second kernel asks them: of names too.

The built-ins of the ontology's SWRL rules keep their own meaning: no comparison holds of names.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rdflib import Literal, URIRef

from pantarhei.encoding.numbers import FIRST_LITERAL
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.rule import Builtin
from pantarhei.model.temporal_rule import TemporalRule
from pantarhei.temporal.checks.individuals import asks_for_individuals
from pantarhei.values.builtin import EQUAL
from pantarhei.values.comparing import NOT_EQUAL

SAME_TERM: Final = URIRef("urn:pantarhei:temporal:same")
OTHER_TERM: Final = URIRef("urn:pantarhei:temporal:other")
NOT_SAME_VALUE: Final = URIRef("urn:pantarhei:temporal:other-unless-names")
"""`!=` where two names may be of one individual: of two names it is not known."""

MEANT: Final = {SAME_TERM: EQUAL, OTHER_TERM: NOT_EQUAL, NOT_SAME_VALUE: NOT_EQUAL}
"""The comparisons that they stand for."""


def with_term_tests(rule: TemporalRule, unique_names: bool) -> TemporalRule:
    """The rule with these for its `=` and `!=`, but for `=` with a literal, which no name meets anyway."""
    tests = (_term_test(test, unique_names or asks_for_individuals(rule, test)) for test in rule.tests)
    return replace(rule, tests=tuple(tests))


def _term_test(test: Builtin, by_name: bool) -> Builtin:
    if test.name == NOT_EQUAL:
        return replace(test, name=OTHER_TERM if by_name else NOT_SAME_VALUE)
    if test.name == EQUAL and not any(isinstance(each, Literal) for each in test.arguments):
        return replace(test, name=SAME_TERM)
    return test


def as_written(test: Builtin) -> Builtin:
    """A test as the rule has it."""
    return replace(test, name=MEANT.get(test.name, test.name))


def holds_of_terms(name: URIRef, left: int, right: int, vocabulary: Vocabulary) -> bool:
    """Whether one of these holds of the terms of two numbers."""
    if left >= FIRST_LITERAL and right >= FIRST_LITERAL:
        return vocabulary.compares(MEANT[name], left, right)
    if name == SAME_TERM:
        return left == right
    are_names = left < FIRST_LITERAL and right < FIRST_LITERAL
    return left != right and not (are_names and name == NOT_SAME_VALUE)
