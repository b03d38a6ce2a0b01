"""Window models: which timestamps each fact of a window's materialization belongs to.

`interpretations` is the canonical window model of PB26 Definition 8; `newest` and `with_oldest_assertion` are
its lower and upper bound. For every fact `f` and timestamp `t` of a window:

    newest(f) = t  ⟹  f ∈ I_t  ⟹  f has a proof whose oldest assertion has timestamp t

The background holds at every time. Its closure is one more interpretation, at timestamp `INFINITY`, newer
than all others and included in every union. None of the functions here repairs anything: constraints are
ignored.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from itertools import combinations, product

from oracle.canonical_literals import canonical_facts
from oracle.materialization import closure, instances
from pantarhei.model.rule import Rule
from pantarhei.model.term import Triple

INFINITY = math.inf

ABoxes = Mapping[int, Collection[Triple]]
WindowModel = dict[int | float, frozenset[Triple]]


def interpretations(
    rules: Iterable[Rule], aboxes: ABoxes, background: Collection[Triple] = ()
) -> WindowModel:
    """The canonical window model: the interpretation of each timestamp of `aboxes` and of `INFINITY`.

    PB26 Definition 8: the ABoxes are added oldest first. The interpretation of the added one starts as its
    canonical model: the closure of the ABox alone, and then what it yields together with the background.
    Then, while anything changes, the head of each rule instance whose whole body holds in the union of a
    minimal set of interpretations (and of the background) is added to the oldest interpretation of that set.

    The definition leaves the order of rule applications open. Here they happen in rounds: all that are
    possible in a state are applied to it at once, as in PB26's Algorithm 1. What enters an interpretation
    thus depends on newer interpretations only, which makes PB26's Proposition 2 hold to the letter.
    """
    rules = _deriving(rules)
    model: WindowModel = {INFINITY: closure(rules, background)}
    for at in sorted(aboxes):
        alone = _saturated(rules, {INFINITY: model[INFINITY], at: closure(rules, aboxes[at])})
        model = _saturated(rules, {**model, at: alone[at]})
    return model


def minimal_sets(
    body: Iterable[Triple], model: Mapping[int | float, Collection[Triple]]
) -> list[frozenset[int | float]]:
    """The minimal sets of finite timestamps whose interpretations, with the background's, contain `body`.

    Minimal as in PB26 Definition 8: without any one of its interpretations the body no longer holds. The
    empty set means that the body holds in the background alone. Cost: the number of sets of up to `len(body)`
    timestamps.
    """
    needed = [fact for fact in body if fact not in model.get(INFINITY, ())]
    timestamps = sorted(at for at in model if at != INFINITY)
    found: list[frozenset[int | float]] = []
    for size in range(len(needed) + 1):  # a minimal set has at most one timestamp for each fact
        for chosen in map(frozenset, combinations(timestamps, size)):
            if any(smaller <= chosen for smaller in found):
                continue
            if all(any(fact in model[at] for at in chosen) for fact in needed):
                found.append(chosen)
    return found


def newest(
    rules: Iterable[Rule], aboxes: ABoxes, background: Collection[Triple] = ()
) -> dict[Triple, int | float]:
    """The newest timestamp at which each fact of the materialization has a proof.

    The maximum over its derivations of the minimum over their bodies (IM10's expiration time, before the
    window's range is added); an assertion counts as a derivation at its own timestamp. `INFINITY` for the
    background's closure.
    """
    newest_of = {fact: max(times) for fact, times in _assertion_times(aboxes, background).items()}
    derivations = _derivations(rules, newest_of)
    changed = True
    while changed:
        changed = False
        for body, head in derivations:
            if not all(fact in newest_of for fact in body):
                continue
            at = min(newest_of[fact] for fact in body)
            if head not in newest_of or newest_of[head] < at:
                newest_of[head] = at
                changed = True
    return newest_of


def with_oldest_assertion(
    rules: Iterable[Rule], aboxes: ABoxes, background: Collection[Triple] = ()
) -> WindowModel:
    """For each timestamp `t`, every fact with some proof whose oldest assertion has timestamp `t`.

    A proof is a tree of rule instances over assertions and background facts; it need not be minimal.
    `INFINITY` holds what has a proof from background facts alone.
    """
    times_of = {fact: frozenset(times) for fact, times in _assertion_times(aboxes, background).items()}
    derivations = _derivations(rules, times_of)
    changed = True
    while changed:
        changed = False
        for body, head in derivations:
            oldest = {min(times) for times in product(*(times_of.get(fact, frozenset()) for fact in body))}
            before = times_of.get(head, frozenset())
            if not oldest <= before:
                times_of[head] = before | oldest
                changed = True
    timestamps: list[int | float] = [*sorted(aboxes), INFINITY]
    return {at: frozenset(fact for fact, times in times_of.items() if at in times) for at in timestamps}


def _saturated(rules: tuple[Rule, ...], model: WindowModel) -> WindowModel:
    """`model` after step 2 of PB26 Definition 8's construction, applied until nothing changes."""
    while True:
        everything = frozenset().union(*model.values())
        added: dict[int | float, set[Triple]] = {at: set() for at in model}
        for _, body, head in instances(rules, everything):
            assert head is not None
            for chosen in minimal_sets(body, model):
                added[min(chosen, default=INFINITY)].add(head)
        if all(added[at] <= facts for at, facts in model.items()):
            return model
        model = {at: facts | added[at] for at, facts in model.items()}


def _deriving(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if not rule.is_constraint)


def _derivations(rules: Iterable[Rule], facts: Iterable[Triple]) -> list[tuple[tuple[Triple, ...], Triple]]:
    """Body and head of every rule instance over the closure of `facts`."""
    rules = _deriving(rules)
    return [(body, head) for _, body, head in instances(rules, closure(rules, facts)) if head is not None]


def _assertion_times(aboxes: ABoxes, background: Collection[Triple]) -> dict[Triple, set[int | float]]:
    """The timestamps at which each fact is asserted, `INFINITY` for background facts."""
    times: dict[Triple, set[int | float]] = {fact: {INFINITY} for fact in canonical_facts(background)}
    for at, abox in aboxes.items():
        for fact in canonical_facts(abox):
            times.setdefault(fact, set()).add(at)
    return times
