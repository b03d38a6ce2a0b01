"""Window models: the timestamps to which each fact of a window's materialization belongs.

`interpretations` is the canonical window model of PB26 Definition 8; `newest` and `with_oldest_assertion` are
its lower and upper bound. For every fact `f` and timestamp `t` of a window:

    newest(f) = t  ⟹  f ∈ I_t  ⟹  f has a proof whose oldest assertion has timestamp t

The background holds at every time. Its closure is an additional interpretation at timestamp `INFINITY`, newer
than all others and included in every union. These functions ignore constraints: nothing is repaired.
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
    """Return the canonical window model: the interpretation of each timestamp of `aboxes`, and that of
    `INFINITY`.

    PB26 Definition 8: the ABoxes are added oldest first. The interpretation of an added ABox is initially its
    canonical model: the closure of the ABox alone, then of the ABox with the background. Then, until nothing
    changes, the head of each rule instance whose body holds in the union of a minimal set of interpretations
    (and of the background) is added to the oldest interpretation of that set.

    The definition does not fix the order of rule applications. Here they proceed in rounds: all applications
    that are possible in a state are made at once, as in PB26's Algorithm 1. So the facts added to an
    interpretation depend only on newer interpretations, and PB26's Proposition 2 holds literally.
    """
    rules = _deriving(rules)
    model: WindowModel = {INFINITY: closure(rules, background)}
    for at in sorted(aboxes):
        alone = _saturate(rules, {INFINITY: model[INFINITY], at: closure(rules, aboxes[at])})
        model = _saturate(rules, {**model, at: alone[at]})
    return model


def minimal_sets(
    body: Iterable[Triple], model: Mapping[int | float, Collection[Triple]]
) -> list[frozenset[int | float]]:
    """Return the minimal sets of finite timestamps whose interpretations, with the background's, contain
    `body`.

    Minimal as in PB26 Definition 8: if any interpretation of the set is removed, the body does not hold. The
    empty set means that the body holds in the background alone. Cost: linear in the number of sets of up to
    `len(body)` timestamps.
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
    """Return the newest timestamp at which each fact of the materialization has a proof.

    It is the maximum over its derivations of the minimum over their bodies (IM10's expiration time, before
    the window's range is added); an assertion is a derivation at its own timestamp. It is `INFINITY` for the
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
    """Return for each timestamp `t` every fact with some proof whose oldest assertion has timestamp `t`.

    A proof is a tree of rule instances over assertions and background facts; it need not be minimal.
    `INFINITY` has the facts with a proof from background facts alone.
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


def _saturate(rules: tuple[Rule, ...], model: WindowModel) -> WindowModel:
    """Apply step 2 of the construction of PB26 Definition 8 to `model` until nothing changes."""
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
    """Return body and head of every rule instance over the closure of `facts`."""
    rules = _deriving(rules)
    return [(body, head) for _, body, head in instances(rules, closure(rules, facts)) if head is not None]


def _assertion_times(aboxes: ABoxes, background: Collection[Triple]) -> dict[Triple, set[int | float]]:
    """Return the timestamps at which each fact is asserted, `INFINITY` for background facts."""
    times: dict[Triple, set[int | float]] = {fact: {INFINITY} for fact in canonical_facts(background)}
    for at, abox in aboxes.items():
        for fact in canonical_facts(abox):
            times.setdefault(fact, set()).add(at)
    return times
