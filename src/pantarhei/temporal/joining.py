"""The ontology's rules in the program of temporal rules: what follows from a conclusion is concluded too.

Where a head is a class or a property of the ontology, the rules that its conclusions can fire join the
program, and so do those that the heads of these can fire, and so on. A constraint among them is refused,
since conclusions are never repaired, unless they are asserted at the next tick: what is asserted is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple, cast

from rdflib import URIRef

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.display_names import told_apart
from pantarhei.model.rule import Argument, Atom, Builtin, Predicate, Rule, names_of
from pantarhei.model.temporal_rule import Formula, TemporalAtom, TemporalRule
from pantarhei.model.term import short
from pantarhei.owl.name_kinds import is_defined
from pantarhei.rules.translation.class_variables import by_class, has_class_variables
from pantarhei.rules.translation.demand import SAME, Theory
from pantarhei.temporal.checks.individuals import check_individuals
from pantarhei.temporal.checks.refusal import refused
from pantarhei.temporal.rules import TemporalRules


class Joined(NamedTuple):
    """Temporal rules with what joins them.

    Args:
        rules: the temporal rules.
        ontology: the rules of the ontology that their conclusions can fire.
        remembered: the predicates whose conclusions are remembered: those that the rules name, and all that
            are the ontology's.
        unique_names: whether different names denote different things.
    """

    rules: TemporalRules
    ontology: tuple[Rule, ...] = ()
    remembered: frozenset[URIRef] = frozenset()
    unique_names: bool = True


def alone(rules: TemporalRules, unique_names: bool = True) -> Joined:
    """Temporal rules that no ontology has to do with."""
    return Joined(rules, (), rules.remembered, unique_names)


def joined(rules: TemporalRules, theory: Theory, known: Collection[Predicate]) -> Joined:
    """Temporal rules with the rules of an ontology that their conclusions can fire.

    Costs time linear in the size of both.

    Args:
        theory: the ontology's rules and constraints.
        known: the ontology's classes and properties.

    Raises:
        TemporalRuleError: a constraint could be violated, without feedback; names could become equal; the
            rules together have no strata; names are compared that may be of one individual; or a rule of the
            ontology has a class variable.
    """
    if not theory.unique_names:
        check_individuals(rules.rules)
    heads = {symbol_of(rule.head.atom): rule.head for rule in reversed(rules.rules)}
    is_any = theory.has_class_variables  # then each class may be the ontology's
    begun = {
        s: head
        for s, head in heads.items()
        if s.name in known or is_defined(s.name) or (is_any and s.arity == 1)
    }
    if not begun:
        return alone(rules, theory.unique_names)
    fired, reached = _fired(theory, begun)
    for rule in fired:
        _check(rule, reached, rules.feedback)
    fired = [rule for rule in fired if rule.head is not None]
    concluded = {symbol.name for symbol in reached if isinstance(symbol.name, URIRef)}
    remembered = rules.remembered | concluded
    replace(rules, rules=(*rules.rules, *map(as_temporal, fired)), remembered=remembered)  # checks them
    return Joined(rules, tuple(fired), remembered, theory.unique_names)


def _fired(theory: Theory, begun: dict[Symbol, Formula]) -> tuple[list[Rule], dict[Symbol, Formula]]:
    """The rules that some predicates can fire, and by which head it begins for all predicates in them."""
    reached, count = dict(begun), 0
    rules: tuple[Rule, ...] = ()
    fired: dict[Rule, None] = {}
    while count < len(reached):  # more predicates may demand more rules
        count = len(reached)
        met = reached if theory.unique_names else {**reached, SAME: None}
        rules = tuple(map(by_class, (*theory.rules, *theory.demanded(met, ()))))
        asking: defaultdict[Symbol, list[Rule]] = defaultdict(list)
        of_any_class = [rule for rule in rules if any(atom.has_class_variable for atom in rule.body)]
        for rule in rules:
            for symbol in dict.fromkeys(map(symbol_of, rule.body)):
                asking[symbol].append(rule)
        waiting = list(reached)
        for symbol in waiting:
            for rule in (*asking[symbol], *_instances(of_any_class, symbol)):
                fired[rule] = None
                if rule.head is not None and (head := symbol_of(rule.head)) not in reached:
                    reached[head] = reached[symbol]
                    waiting.append(head)
    whole = dict.fromkeys(rules)
    instances = [rule for rule in fired if rule not in whole]
    return [rule for rule in whole if rule in fired] + instances, reached


def _instances(rules: Iterable[Rule], symbol: Symbol) -> Iterator[Rule]:
    """Return the rules with a class in place of a class variable, for conclusions of that class."""
    for rule in rules if symbol.arity == 1 else ():
        variables = dict.fromkeys(a.arguments[1] for a in rule.body if a.has_class_variable)
        for variable in variables:

            def argument(given: Argument, replaced: Argument = variable) -> Argument:
                return symbol.name if given == replaced else given

            yield by_class(rule.with_arguments(argument))


def _check(rule: Rule, reached: dict[Symbol, Formula], feedback: bool) -> None:
    """Nothing, if conclusions can be the premises of a rule.

    Args:
        feedback: conclusions are asserted, and repaired then; so they may contradict.
    """
    if has_class_variables([rule]):
        head = _begun_by(rule, reached)
        name = short(head.atom.predicate)
        given = f"{name} is a premise of {rule.axiom}, whose class is variable: temporal rules name theirs"
        raise refused(given, "a predicate that is not a premise of such an axiom", head)
    if feedback if rule.head is None else symbol_of(rule.head) != SAME:
        return
    head = _begun_by(rule, reached)
    what = "can contradict" if rule.head is None else "can make names equal by"

    def problem() -> str:
        return f"{short(head.atom.predicate)} is of the ontology, and its conclusions {what}: {rule.axiom}"

    expected = "a predicate that no constraint and no equality follows from: conclusions are never repaired"
    if rule.head is None:
        expected += ", unless feedback has them asserted"
    raise refused(told_apart(problem, names_of([rule])), expected, head)


def _begun_by(rule: Rule, reached: dict[Symbol, Formula]) -> Formula:
    """Return the head whose conclusions the rule can fire on; a class variable matches any class."""
    found = [reached[symbol] for symbol in map(symbol_of, rule.body) if symbol in reached]
    return (found or [head for symbol, head in reached.items() if symbol.arity == 1])[0]


def as_temporal(rule: Rule) -> TemporalRule:
    """A rule of the ontology as one of the present tick, for checks that see no conditions on literals."""
    assert rule.head is not None, "constraints have been refused"
    return TemporalRule(
        _formula(rule.head),
        tuple(map(_formula, rule.body)),
        tuple(test for test in rule.tests if isinstance(test, Builtin)),
    )


def _formula(atom: Atom) -> Formula:
    return Formula(TemporalAtom(cast(URIRef, atom.predicate), atom.arguments))


def symbol_of(atom: Atom | TemporalAtom) -> Symbol:
    """The predicate of an atom, with its number of arguments."""
    return Symbol(atom.predicate, len(atom.arguments))
