"""Warnings of rules that are valid but probably not intended, and the error of a computation without end."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from rdflib import URIRef, Variable

from pantarhei.errors import TemporalRuleError
from pantarhei.model.message_text import position_prefix
from pantarhei.model.representation import short_repr
from pantarhei.model.rule import Argument, Atom, Rule
from pantarhei.model.temporal_rule import (
    Formula,
    Mode,
    TemporalAtom,
    TemporalRule,
    TimeWindow,
    builtin_text,
    term_text,
)
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
            f"{position_prefix(head.written)}{subject} may be a literal in {head}, but a literal cannot be "
            "the subject of a triple; such conclusions are not asserted, and are counted as not_fed_back"
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
            f"{where}{self.rule} has no variable and holds for {name} only; a variable begins with a capital "
            f"letter and has no colon, or begins with a question mark: ?{name}"
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
            f"to remember them, write: remember {name}."
        )


def unremembered_conclusions(
    rules: Iterable[TemporalRule], forgotten: Collection[URIRef]
) -> tuple[UnrememberedConclusion, ...]:
    """Return warnings of windows over more than the present tick with conclusions that are not remembered.

    Args:
        forgotten: the predicates of these conclusions.
    """
    return tuple(
        UnrememberedConclusion(formula)
        for rule in rules
        for formula in rule.body
        if formula.atom.predicate in forgotten
        and not formula.atom.is_asserted
        and isinstance(formula.window, TimeWindow)
        and formula.window.size not in (0, timedelta(0))
    )


@dataclass(frozen=True, slots=True)
class ImpossibleRule:
    """Warning of a rule that concludes nothing: a condition excludes what its other conditions require.

    Args:
        rule: the rule.
        denied: the negated condition.
        needed: the condition from which the denied atom follows.
        is_forgotten: `needed` looks back at conclusions that are not remembered, so that it holds only at
            ticks at which its atom is concluded.

    >>> from pantarhei import load_rules
    >>> text = "@prefix : <http://example.org/> . said(S) :- :Said(S)."
    >>> silent = "silent(S) :- said(S) in [10], not said(S) in [5]."
    >>> type(load_rules(f"{text} {silent}").warnings[0]).__name__
    'ImpossibleRule'
    >>> load_rules(f"{text} remember said. {silent}").warnings
    ()
    """

    rule: TemporalRule
    denied: Formula
    needed: Formula
    is_forgotten: bool

    __repr__ = short_repr

    def __str__(self) -> str:
        head, needed, denied, atom = self.rule.head, self.needed, self.denied, self.needed.atom
        follows = "" if atom == denied.atom else f", from which {denied.atom} follows"
        if self.is_forgotten:
            name = short(atom.predicate)
            reason = (
                f"{needed} requires {atom} at the present tick{follows}, since conclusions of earlier ticks "
                f"are not remembered, and {denied} excludes it; write: remember {name}."
            )
        else:
            meaning = f"{denied.atom} follows from {needed}, and" if follows else f"{needed} and"
            verb = "excludes it" if follows else "exclude each other"
            reason = (
                f"{meaning} {denied} {verb}; bind the variables by a condition on earlier ticks, such as "
                f"{atom} in a longer window, or by facts of the background"
            )
        return f"{position_prefix(denied.written)}{head} is never concluded: {reason}"


def impossible_rules(
    rules: Iterable[TemporalRule], forgotten: Collection[URIRef]
) -> tuple[ImpossibleRule, ...]:
    """Return warnings of rules with a negated condition that the other conditions exclude.

    The atom of a condition without a window, or with `always`, holds at the present tick. So does that of a
    window over conclusions that are not remembered, unless the stream asserts them. What follows from such
    atoms by rules without negation and comparisons holds as well.

    Args:
        forgotten: the predicates of conclusions that are not remembered.
    """
    given = list(rules)
    simple = [rule for rule in given if _is_simple(rule)]
    found = []
    for rule in given:
        denied = [each for each in rule.body if each.is_negated and _includes_now(each)]
        needed = [each for each in rule.body if not each.is_negated and _is_needed_now(each, forgotten)]
        if denied and needed:
            origin = _consequences(needed, simple, {each.atom for each in denied})
            first = next(((each, origin[each.atom]) for each in denied if each.atom in origin), None)
            if first is not None:
                found.append(ImpossibleRule(rule, *first, first[1].mode is Mode.SOMETIME))
    return tuple(found)


def _includes_now(formula: Formula) -> bool:
    """True for a condition that holds if its atom holds at the present tick."""
    if formula.mode is Mode.SOMETIME:
        return isinstance(formula.window, TimeWindow) and formula.times == 1
    return formula.mode is Mode.NOW


def _is_needed_now(formula: Formula, forgotten: Collection[URIRef]) -> bool:
    """True for a condition that holds only if its atom holds at the present tick."""
    if formula.mode is Mode.NOW or not isinstance(formula.window, TimeWindow):
        return formula.mode is Mode.NOW
    is_forgotten = formula.atom.predicate in forgotten and not formula.atom.is_asserted
    return formula.mode is Mode.ALWAYS or (is_forgotten and formula.mode is Mode.SOMETIME)


def _is_simple(rule: TemporalRule) -> bool:
    """True for a rule whose head holds at the present tick if the atoms of its body do."""
    conditions = all(not each.is_negated and _includes_now(each) for each in rule.body)
    return conditions and rule.head.mode is Mode.NOW and not rule.tests


_MOST_CONSEQUENCES = 1000


def _consequences(
    needed: Iterable[Formula], rules: Sequence[TemporalRule], wanted: Set[TemporalAtom]
) -> dict[TemporalAtom, Formula]:
    """Return the atoms that hold at the present tick if the conditions hold, each with a condition of its
    derivation. The variables of the conditions stand for names.

    Args:
        wanted: atoms; the derivation ends when one is found.
    """
    origin: dict[TemporalAtom, Formula] = {}
    for each in needed:
        origin.setdefault(each.atom, each)
    waiting = True
    while waiting and len(origin) < _MOST_CONSEQUENCES and wanted.isdisjoint(origin):
        new = {head: source for rule in rules for head, source in _heads(rule, origin) if head not in origin}
        origin.update(new)
        waiting = bool(new)
    return origin


def _heads(
    rule: TemporalRule, origin: Mapping[TemporalAtom, Formula]
) -> Iterator[tuple[TemporalAtom, Formula]]:
    """Yield the heads of a rule whose body matches atoms, each with the condition behind the first one."""
    matches: Sequence[tuple[dict[Argument, Argument], Formula | None]] = [({}, None)]
    for formula in rule.body:
        matches = [
            (joined, first or origin[atom])
            for bound, first in matches
            for atom in origin
            if (joined := _matched(formula.atom, atom, bound)) is not None
        ][:_MOST_CONSEQUENCES]
    for bound, first in matches:
        if first is not None:
            arguments = tuple(bound.get(each, each) for each in rule.head.atom.arguments)
            yield replace(rule.head.atom, arguments=arguments), first


def _matched(
    pattern: TemporalAtom, atom: TemporalAtom, bound: Mapping[Argument, Argument]
) -> dict[Argument, Argument] | None:
    """Return the bindings with which a pattern is equal to an atom; None if there are none."""
    if (pattern.predicate, pattern.is_asserted) != (atom.predicate, atom.is_asserted):
        return None
    if len(pattern.arguments) != len(atom.arguments):
        return None
    joined = dict(bound)
    for mine, its in zip(pattern.arguments, atom.arguments, strict=True):
        expected = joined.setdefault(mine, its) if isinstance(mine, Variable) else mine
        if expected != its:
            return None
    return joined


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
        refusal = "a tick at which this does not end raises an error; add a comparison such as Z < 100"
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
    problem = f"{rule} may compute from its own results and has made {made:_} new literals at one tick"
    return rule_error(problem, "a comparison that ends it, such as Z < 100", *rule.tests, rule)


def _plain(rule: TemporalRule, name: str) -> Rule:
    """Return the rule without times, negations and assertions: only values can be infinitely many."""
    body = (each for each in rule.body if not (each.is_negated or each.atom.is_asserted))
    return Rule(name, tuple(map(_atom, body)), _atom(rule.head), tests=rule.tests)


def _atom(formula: Formula) -> Atom:
    return Atom(formula.atom.predicate, formula.atom.arguments)
