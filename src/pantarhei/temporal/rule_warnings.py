"""Warnings of rules that are valid but probably not intended, and the error of a computation without end."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from rdflib import URIRef

from pantarhei.errors import TemporalRuleError
from pantarhei.model.message_text import position_prefix
from pantarhei.model.representation import short_repr
from pantarhei.model.rule import Atom, Rule
from pantarhei.model.temporal_rule import Formula, Mode, TemporalRule, TimeWindow, builtin_text, term_text
from pantarhei.model.term import short
from pantarhei.rules.translation.swrl_rules import endless
from pantarhei.temporal.rule_form import rule_error
from pantarhei.values.scalar_functions import is_computation


@dataclass(frozen=True, slots=True)
class UnassertableConclusion:
    """Warning of a rule with feedback whose conclusions may have a literal as subject.

    Args:
        rule: the rule.

    >>> from pantarhei import load_rules
    >>> text = "@prefix : <http://example.org/> . :seen(T) :- :temp(V, T)."
    >>> [type(warning).__name__ for warning in load_rules(text, feedback=True).warnings]
    ['UnassertableConclusion']
    """

    rule: TemporalRule

    __repr__ = short_repr

    def __str__(self) -> str:
        head = self.rule.head
        subject = term_text(head.atom.arguments[0])
        return (
            f"{position_prefix(head.written)}{subject} may be a literal in {head}, and "
            "no triple begins with one; such conclusions are not asserted, and are counted as not_fed_back"
        )


@dataclass(frozen=True, slots=True)
class ConstantRule:
    """Warning of a rule without variables whose head and body contain the same name.

    Args:
        rule: the rule.
        name: the name.

    >>> from pantarhei import load_rules
    >>> text = "@prefix : <http://example.org/> . :open(v) :- :pressed(v)."
    >>> [type(warning).__name__ for warning in load_rules(text).warnings]
    ['ConstantRule']
    """

    rule: TemporalRule
    name: URIRef

    __repr__ = short_repr

    def __str__(self) -> str:
        name, where = short(self.name), position_prefix(self.rule.written)
        return (
            f"{where}{self.rule} is about {name} alone, and has no variable; one begins with a capital "
            f"letter and has no colon, or with a question mark: ?{name}"
        )


def constant_rules(rules: Iterable[TemporalRule]) -> tuple[ConstantRule, ...]:
    """Return warnings of rules without variables whose head and body contain the same name."""
    found = []
    for rule in rules:
        if not any(formula.variables for formula in rule.formulas):
            in_body = {each for formula in rule.body for each in formula.atom.arguments}
            names = (each for each in rule.head.atom.arguments if isinstance(each, URIRef))
            found += [ConstantRule(rule, name) for name in names if name in in_body][:1]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class UnrememberedConclusion:
    """Warning of a window over conclusions of earlier ticks that are not remembered.

    Args:
        formula: the formula with the window.

    >>> from pantarhei import load_rules
    >>> text = "@prefix : <http://example.org/> . hot(V) :- :Hot(V). long(V) :- hot(V) always in [5]."
    >>> [type(warning).__name__ for warning in load_rules(text).warnings]
    ['UnrememberedConclusion']
    """

    formula: Formula

    __repr__ = short_repr

    @property
    def predicate(self) -> URIRef:
        """Predicate of the conclusions."""
        return self.formula.atom.predicate

    def __str__(self) -> str:
        name, where = short(self.predicate), position_prefix(self.formula.written)
        return (
            f"{where}{self.formula} reads conclusions of earlier ticks, which are not remembered; "
            f"if they are to count, write: remember {name}."
        )


def unremembered_conclusions(
    rules: Iterable[TemporalRule], remembered: Collection[URIRef]
) -> tuple[UnrememberedConclusion, ...]:
    """Return warnings of windows over more than the present tick whose conclusions are not remembered."""
    given = list(rules)
    concluded_now = {rule.head.atom.predicate for rule in given if rule.head.mode is Mode.NOW}
    return tuple(
        UnrememberedConclusion(formula)
        for rule in given
        for formula in rule.body
        if formula.atom.predicate in concluded_now.difference(remembered)
        and not formula.atom.is_asserted
        and isinstance(formula.window, TimeWindow)
        and formula.window.size not in (0, timedelta(0))
    )


MAX_NEW_LITERALS: Final = 50_000
"""Maximum number of new literals at one tick, for rules that may compute without end."""


@dataclass(frozen=True, slots=True)
class UnboundedComputation:
    """Warning of a rule that may compute from its own results and has no comparison to end this.

    Args:
        rule: the rule.

    >>> from pantarhei import load_rules
    >>> text = "@prefix : <http://example.org/> . n(V, T) :- :temp(V, T). n(V, S) :- n(V, T), S = T + 1."
    >>> [type(warning).__name__ for warning in load_rules(text).warnings]
    ['UnboundedComputation']
    """

    rule: TemporalRule

    __repr__ = short_repr

    def __str__(self) -> str:
        test = self.rule.tests[0]
        what = f"{builtin_text(test)} may compute from its own results"
        refusal = "a tick at which that does not end is refused; a comparison ends it, such as Z < 100"
        return f"{position_prefix(test.written)}{what}; {refusal}"


def unbounded_computations(rules: Iterable[TemporalRule]) -> tuple[UnboundedComputation, ...]:
    """Return the warning of the first rule that may compute from its own results, if it has no comparison."""
    rule = first_unbounded_rule(rules)
    return () if rule is None or not all(map(is_computation, rule.tests)) else (UnboundedComputation(rule),)


def first_unbounded_rule(rules: Iterable[TemporalRule], ontology: Iterable[Rule] = ()) -> TemporalRule | None:
    """Return the first rule that may compute from its own results; None if there is none.

    A comparison, or the stream's data, may still end the computation. See `swrl_rules.endless` for the cost.

    Args:
        ontology: rules of the ontology that the conclusions can fire.
    """
    given = list(rules)
    plain = [_plain(rule, str(number)) for number, rule in enumerate(given)]
    found = {rule.name for rule in endless((*plain, *ontology)) if rule in plain}
    return next((rule for number, rule in enumerate(given) if str(number) in found), None)


def too_many_literals(rule: TemporalRule, made: int) -> TemporalRuleError:
    """Return the error that one tick creates too many literals.

    Args:
        rule: a rule that may compute from its own results.
        made: number of new literals.
    """
    problem = f"{made:_} new literals at a tick: {rule} may compute from its own results"
    return rule_error(problem, "a comparison that ends it, such as Z < 100", *rule.tests, rule)


def _plain(rule: TemporalRule, name: str) -> Rule:
    """Return the rule without times, negations and assertions: only values can be infinitely many."""
    body = (each for each in rule.body if not (each.is_negated or each.atom.is_asserted))
    return Rule(name, tuple(map(_atom, body)), _atom(rule.head), tests=rule.tests)


def _atom(formula: Formula) -> Atom:
    return Atom(formula.atom.predicate, formula.atom.arguments)
