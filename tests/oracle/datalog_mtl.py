"""Temporal rules read as DatalogMTL: metric temporal logic over the integers (Brandt et al., JAIR 62, 2018).

A rule holds at every tick, not only at the present one: `a :- b in [n], c always in [n]` is `a ← ◇⁻[0,n] b,
□⁻[0,n] c`. A fact derived at a tick remains in the past, so that windows include it. LARS rules
have this meaning if all their conclusions are remembered, for the fragment that both languages share: plain
heads, `in` and `always in` windows of ticks, stratified negation.

The interpretation of an atom is the set of ticks at which it holds. Rules are applied to the whole timeline
at once, to the fixpoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from rdflib import Variable

from oracle.lars.grounding import Binding
from oracle.lars.strata import kind, strata
from oracle.lars.streams import Stream, canonical
from oracle.materialization import unify
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule, TimeWindow
from pantarhei.model.term import Term

Ticks = frozenset[int]


def materialize(rules: Iterable[TemporalRule], stream: Stream) -> dict[int, frozenset[TemporalAtom]]:
    """Return the ticks at which each atom of the stream, and each derived atom, holds.

    Raises:
        NotStratifiedError: a conclusion depends on its own negation.
        ValueError: a rule is outside the fragment that both languages share.
    """
    given = list(rules)
    for rule in given:
        _check(rule)
    holding: dict[TemporalAtom, Ticks] = {}
    for tick in stream.timeline:
        for atom in stream.at(tick):
            holding[atom] = holding.get(atom, Ticks()) | {tick}
    for layer in strata(given):
        while True:
            derived = [each for rule in layer for each in _derive(rule, holding, stream.timeline)]
            new = [(atom, ticks) for atom, ticks in derived if not ticks <= holding.get(atom, Ticks())]
            if not new:
                break
            for atom, ticks in new:
                holding[atom] = holding.get(atom, Ticks()) | ticks
    return {
        tick: frozenset(atom for atom, ticks in holding.items() if tick in ticks) for tick in stream.timeline
    }


def ticks_of(formula: Formula, holding: Mapping[TemporalAtom, Ticks], timeline: range) -> Ticks:
    """Return the ticks at which a ground formula holds; nothing holds before the timeline."""
    ticks = holding.get(formula.atom, Ticks())
    reach = range(_size(formula) + 1)
    if formula.mode is Mode.ALWAYS:
        found = {tick for tick in ticks if all(tick - back in ticks for back in reach)}
    else:
        found = {tick + on for tick in ticks for on in reach}
    return Ticks(set(timeline) - found if formula.is_negated else found & set(timeline))


def _derive(
    rule: TemporalRule, holding: Mapping[TemporalAtom, Ticks], timeline: range
) -> Iterator[tuple[TemporalAtom, Ticks]]:
    """Yield each instance of the head with the ticks at which the body holds."""
    positive = [formula for formula in rule.body if not formula.is_negated]
    for binding in _bindings(positive, list(holding), {}):
        body = (ticks_of(_bound(formula, binding), holding, timeline) for formula in rule.body)
        yield _bound(rule.head, binding).atom, Ticks(timeline).intersection(*body)


def _bindings(formulas: list[Formula], atoms: list[TemporalAtom], binding: Binding) -> Iterator[Binding]:
    """Yield the bindings with which each atom of the formulas holds at some tick."""
    if not formulas:
        yield binding
        return
    first, *rest = formulas
    for atom in atoms:
        if kind(atom) == kind(first.atom):
            terms = cast("tuple[Term, ...]", atom.arguments)  # streams are ground
            extended = unify(canonical(first.atom).arguments, terms, binding)
            if extended is not None:
                yield from _bindings(rest, atoms, extended)


def _bound(formula: Formula, binding: Binding) -> Formula:
    atom = formula.atom
    arguments = (binding[each] if isinstance(each, Variable) else each for each in atom.arguments)
    bound = canonical(TemporalAtom(atom.predicate, tuple(arguments), atom.is_asserted))
    return Formula(bound, formula.mode, formula.window, is_negated=formula.is_negated)


def _size(formula: Formula) -> int:
    window = formula.window
    return window.size if isinstance(window, TimeWindow) and isinstance(window.size, int) else 0


def _check(rule: TemporalRule) -> None:
    for formula in rule.formulas:
        windowed = isinstance(formula.window, TimeWindow) and isinstance(formula.window.size, int)
        plain = formula.mode is Mode.NOW and formula.window is None
        if not (plain or (windowed and formula.mode in (Mode.SOMETIME, Mode.ALWAYS) and formula.times == 1)):
            raise ValueError(f"{formula} is given, and windows of ticks with in and always in are expected")
    if rule.tests:
        raise ValueError(f"{rule} is given, and no comparisons and computations are expected")
