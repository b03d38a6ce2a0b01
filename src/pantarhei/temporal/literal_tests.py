"""Comparisons and data ranges in the temporal kernel.

Comparisons of temporal rules also compare names, whereas the SWRL built-ins of an ontology hold for literals
only. The vocabulary decides membership in data ranges of the ontology; this module decides membership in data
ranges of temporal rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt
from rdflib import OWL, Literal, URIRef, Variable

from pantarhei.encoding.numbers import FIRST_LITERAL
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.data_range import DataRange
from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import TemporalRule, builtin_text, term_text
from pantarhei.temporal.rule_form import rule_error
from pantarhei.values.by_value import exact_range
from pantarhei.values.membership import tester
from pantarhei.values.scalar_functions import EQUAL, NOT_EQUAL


def check_name_comparisons(rules: Iterable[TemporalRule]) -> None:
    """Check, without unique names, that no rule compares names that may denote one individual.

    `X != Y` is permitted in a rule that also has `not owl:sameAs(X, Y)`.

    Raises:
        TemporalRuleError: both sides of a comparison are certainly names.
    """
    rules = list(rules)
    concluded = {rule.head.atom.predicate for rule in rules}
    for rule in rules:
        named = _named(rule, concluded)
        for test in rule.tests:
            if test.name not in (EQUAL, NOT_EQUAL) or denies_same_individual(rule, test):
                continue
            if all(_is_name(each, named) for each in test.arguments):
                same = f"owl:sameAs({', '.join(map(term_text, test.arguments))})"
                problem = f"{builtin_text(test)} compares names, but two names may denote one individual"
                expected = same if test.name == EQUAL else f"not {same} as a further condition"
                raise rule_error(problem, f"{expected}, or unique_names=True", test, rule)


def denies_same_individual(rule: TemporalRule, test: Builtin) -> bool:
    """Test whether a test is `X != Y` in a rule that also has `not owl:sameAs(X, Y)`."""
    negated = [formula.atom for formula in rule.body if formula.is_negated]
    different_names = [set(atom.arguments) for atom in negated if atom.predicate == OWL.sameAs]
    return test.name == NOT_EQUAL and set(test.arguments) in different_names


def _named(rule: TemporalRule, concluded: set[URIRef]) -> frozenset[Argument]:
    """Return the variables that can only be bound to names: subjects of facts of the stream."""
    atoms = [formula.atom for formula in rule.body if not formula.is_negated]
    input_atoms = [atom for atom in atoms if atom.arguments and atom.predicate not in concluded]
    return frozenset(atom.arguments[0] for atom in input_atoms)


def _is_name(argument: Argument, named: frozenset[Argument]) -> bool:
    return argument in named if isinstance(argument, Variable) else not isinstance(argument, Literal)


SAME_TERM: Final = URIRef("urn:pantarhei:temporal:same")
DIFFERENT_TERM: Final = URIRef("urn:pantarhei:temporal:other")
DIFFERENT_VALUE: Final = URIRef("urn:pantarhei:temporal:other-unless-names")
"""`!=` without unique names: false for two names, which may denote one individual."""

COMPARISON_OF: Final = {SAME_TERM: EQUAL, DIFFERENT_TERM: NOT_EQUAL, DIFFERENT_VALUE: NOT_EQUAL}
"""SWRL comparison of literals that each comparison of terms extends to names."""


def with_kernel_tests(rule: TemporalRule, unique_names: bool) -> TemporalRule:
    """Replace `=` and `!=` by comparisons of terms, which also apply to names.

    `=` with a literal stays, since no name equals a literal.
    """
    tests = (_term_test(test, unique_names or denies_same_individual(rule, test)) for test in rule.tests)
    return replace(rule, tests=tuple(tests))


def _term_test(test: Builtin, by_name: bool) -> Builtin:
    if test.name == NOT_EQUAL:
        return replace(test, name=DIFFERENT_TERM if by_name else DIFFERENT_VALUE)
    if test.name == EQUAL and not any(isinstance(each, Literal) for each in test.arguments):
        return replace(test, name=SAME_TERM)
    return test


def with_swrl_name(test: Builtin) -> Builtin:
    """Replace a comparison of terms by the SWRL built-in that it extends."""
    return replace(test, name=COMPARISON_OF.get(test.name, test.name))


def compare_terms(name: URIRef, left: int, right: int, vocabulary: Vocabulary) -> bool:
    """Evaluate a comparison of two terms, given by their numbers."""
    if left >= FIRST_LITERAL and right >= FIRST_LITERAL:
        return vocabulary.compares(COMPARISON_OF[name], left, right)
    if name == SAME_TERM:
        return left == right
    are_names = left < FIRST_LITERAL and right < FIRST_LITERAL
    return left != right and not (are_names and name == DIFFERENT_VALUE)


Bits = npt.NDArray[np.uint8]


class RangeMemberships:
    """Bit sets of the data ranges that each literal is in, `(ranges + 7) // 8` bytes each; see
    `Matcher.use_literals`.

    Args:
        ranges: data ranges of a program, those of the vocabulary first.
        vocabulary: numbers the literals.
    """

    def __init__(self, ranges: Sequence[DataRange], vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        known = len(vocabulary.ranges)
        added = ranges[known:]
        self._tester = tester(
            [exact_range(each) for each in added] if vocabulary.numbers == "by_value" else added
        )
        self._adds = len(added) > 0
        self._first, self._own, self._width = known, (known + 7) // 8, (len(ranges) + 7) // 8
        self._revision = vocabulary.revision
        self._decided: list[Literal] = []
        self._bits: Bits = np.zeros(0, np.uint8)

    @property
    def bits(self) -> Bits:
        """Bit sets of all literals. Reading costs time linear in the new literals."""
        if not self._adds:
            return self._vocabulary.memberships
        if self._revision is not self._vocabulary.revision:
            self._forget()
        if len(self._decided) < len(self._vocabulary.literals):
            self._decide(self._vocabulary.literals[len(self._decided) :])
        return self._bits

    def _forget(self) -> None:
        """Discard the bit sets of literals whose numbers were reassigned."""
        both = zip(self._decided, self._vocabulary.literals, strict=False)
        kept = next((place for place, (one, other) in enumerate(both) if one is not other), None)
        kept = min(len(self._decided), len(self._vocabulary.literals)) if kept is None else kept
        del self._decided[kept:]
        self._revision = self._vocabulary.revision

    def _decide(self, literals: Sequence[Literal]) -> None:
        begin, end = len(self._decided), len(self._decided) + len(literals)
        if end * self._width > len(self._bits):
            self._bits = np.append(self._bits, np.zeros(2 * end * self._width - len(self._bits), np.uint8))
        fresh = self._bits[begin * self._width : end * self._width].reshape(-1, self._width)
        fresh[:] = np.frombuffer(b"".join(map(self._row, literals)), np.uint8).reshape(-1, self._width)
        if self._own:
            known = self._vocabulary.memberships[begin * self._own : end * self._own]
            fresh[:, : self._own] |= known.reshape(-1, self._own)
        self._decided += literals

    def _row(self, literal: Literal) -> bytes:
        found = sum(1 << number for number in self._tester.of_value(self._vocabulary.value_of(literal)))
        return (found << self._first).to_bytes(self._width, "little")
