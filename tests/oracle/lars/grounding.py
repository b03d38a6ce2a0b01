"""Grounding: terms for the variables of rules.

`ground` returns all instances, by LA17's definition; `instances` only those whose body holds. In both, a
variable bound only by a computation has its result, in whatever order the tests of a rule are written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import cast

from rdflib import Variable

from oracle.canonical_literals import canonical_term
from oracle.lars.comparisons import is_true
from oracle.lars.satisfaction import literal_of, satisfies
from oracle.lars.strata import kind
from oracle.lars.streams import Stream
from oracle.materialization import run_tests, unify
from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule
from pantarhei.model.term import Term
from pantarhei.values.scalar_functions import is_computation

Binding = Mapping[Variable, Term]


def ground(rules: Iterable[TemporalRule], stream: Stream) -> list[TemporalRule]:
    """Return every instance whose tests hold, without its tests: over the occurring terms, and times over the
    timeline.
    """
    rules = list(rules)
    ticks = [literal_of(tick) for tick in stream.timeline]
    terms = dict.fromkeys([*_terms(rules, stream), *ticks])
    return [
        _instance(rule, binding)
        for rule in rules
        for given in _bindings(rule, terms, ticks)
        if (binding := run_builtins(_tests(rule), given)) is not None
    ]


def instances(rules: Iterable[TemporalRule], stream: Stream) -> Iterator[TemporalRule]:
    """Yield the instances whose body and tests hold at the end of a stream, without their tests."""
    rules = list(rules)
    for rule in rules:
        for given in _matches(_positive(rule), stream, {}):
            binding = run_builtins(_tests(rule), given)
            if binding is not None:
                found = _instance(rule, binding)
                if body_holds(found, stream):
                    yield found


def body_holds(rule: TemporalRule, stream: Stream) -> bool:
    """True if the body of a ground rule holds at the end of a stream."""
    return all(satisfies(stream, stream.end, formula) for formula in rule.body)


def _positive(rule: TemporalRule) -> list[Formula]:
    return [formula for formula in rule.body if not formula.is_negated]


def _tests(rule: TemporalRule) -> tuple[Builtin, ...]:
    """Return the rule's tests, each after the computations that bind its variables."""
    bound = {variable for formula in _positive(rule) for variable in formula.variables}
    ordered, waiting = [], list(rule.tests)
    while waiting:
        first = next((test for test in waiting if _needed(test) <= bound), waiting[0])
        bound.update(each for each in first.arguments if isinstance(each, Variable))
        waiting.remove(first)
        ordered.append(first)
    return tuple(ordered)


def run_builtins(tests: tuple[Builtin, ...], binding: Binding) -> Binding | None:
    """Return the binding extended by the values that the tests compute, in order, or None if a test fails."""
    for test in tests:
        if is_computation(test):
            found = run_tests((test,), binding)
            if found is None:
                return None
            binding = found
        elif not is_true(test.name, *(_term(each, binding) for each in test.arguments)):
            return None
    return binding


def _term(argument: Argument, binding: Binding) -> Term:
    return binding[argument] if isinstance(argument, Variable) else argument


def _needed(test: Builtin) -> set[Variable]:
    needed = test.arguments[1:] if is_computation(test) else test.arguments
    return {each for each in needed if isinstance(each, Variable)}


def _terms(rules: Iterable[TemporalRule], stream: Stream) -> Iterator[Term]:
    atoms = [formula.atom for rule in rules for formula in rule.formulas]
    atoms += [atom for tick in stream.timeline for atom in stream.at(tick)]
    for atom in atoms:
        yield from (canonical_term(term) for term in atom.arguments if not isinstance(term, Variable))


def _bindings(rule: TemporalRule, terms: Collection[Term], ticks: Collection[Term]) -> Iterator[Binding]:
    """Yield all assignments of terms to the variables of positive formulas."""
    positive = _positive(rule)
    times = {formula.time for formula in positive}
    variables = sorted({variable for formula in positive for variable in formula.variables})
    for chosen in product(*(ticks if variable in times else terms for variable in variables)):
        yield dict(zip(variables, chosen, strict=True))


def _matches(formulas: list[Formula], stream: Stream, binding: Binding) -> Iterator[Binding]:
    """Yield all extensions of `binding` with which positive formulas can hold: only terms of occurring atoms
    are tried.
    """
    if not formulas:
        yield binding
        return
    first, *rest = formulas
    pattern = _pattern(first)
    for terms in _occurring(first, stream):
        extended = unify(pattern, terms, binding)
        if extended is not None and satisfies(stream, stream.end, _substitute(first, extended)):
            yield from _matches(rest, stream, extended)


def _pattern(formula: Formula) -> tuple[Argument, ...]:
    time = () if formula.time is None else (formula.time,)
    return tuple(map(canonical_term, (*formula.atom.arguments, *time)))


def _occurring(formula: Formula, stream: Stream) -> Iterator[tuple[Term, ...]]:
    """Yield the arguments of each occurring atom that can match, with the tick if the formula has a time."""
    predicate, arity, _ = kind(formula.atom)
    occurring: dict[tuple[Argument, ...], None] = {}
    for tick in stream.timeline:
        for atom in stream.at(tick):
            if kind(atom)[:2] == (predicate, arity):
                time = (literal_of(tick),) if formula.mode is Mode.AT else ()
                occurring[*atom.arguments, *time] = None
    return cast("Iterator[tuple[Term, ...]]", iter(occurring))  # streams are ground


def _instance(rule: TemporalRule, binding: Binding) -> TemporalRule:
    return TemporalRule(
        _substitute(rule.head, binding), tuple(_substitute(formula, binding) for formula in rule.body)
    )


def _substitute(formula: Formula, binding: Binding) -> Formula:
    """Replace the formula's variables by their terms.

    Raises:
        KeyError: no positive formula and no computation binds a variable.
    """

    def term(argument: Argument) -> Term:
        return binding[argument] if isinstance(argument, Variable) else canonical_term(argument)

    atom: TemporalAtom = replace(formula.atom, arguments=tuple(map(term, formula.atom.arguments)))
    return replace(formula, atom=atom, time=None if formula.time is None else term(formula.time))
