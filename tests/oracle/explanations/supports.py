"""Supports: the minimal sets of assertions that entail a conclusion together with the background.

A fact that is asserted several times counts with its newest occurrence, as in repairs. The weakest timestamp
of a support is that of its oldest assertion; the settled timestamp of a fact is the maximum of its supports'
weakest
timestamps: the fact's annotation in the window model (IM10).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations

from oracle.canonical_literals import canonical_triple
from oracle.conflicts import Assertion, canonical_assertions
from oracle.materialization import closure, is_consistent
from oracle.window import INFINITY
from pantarhei.model.rule import Rule
from pantarhei.model.term import Triple

Conclusion = Triple | None
"""What is proved: a triple, or None for ⊥."""

Support = frozenset[Assertion]


def minimal_supports(
    rules: Iterable[Rule],
    assertions: Collection[Assertion],
    background: Collection[Triple],
    conclusion: Conclusion,
) -> frozenset[Support]:
    """Return the minimal sets of assertions that entail `conclusion` together with `background`.

    Each fact counts with its newest occurrence. If the background entails the conclusion, the only set is the
    empty one; if it does not follow, there is none. The supports of ⊥ are the conflict sets (PB26 Definition
    10). Cost: exponential in the number of asserted facts.

    >>> from rdflib import RDF, Namespace, Variable
    >>> from pantarhei.model.rule import Atom
    >>> EX, x = Namespace("http://example.org/"), Variable("x")
    >>> subclass = Rule("cax-sco", (Atom(EX.Smoke, (x,)),), Atom(EX.Danger, (x,)))
    >>> smoke, danger = (EX.hall, RDF.type, EX.Smoke), (EX.hall, RDF.type, EX.Danger)
    >>> found = minimal_supports([subclass], [(1, smoke), (3, smoke), (2, danger)], [], danger)
    >>> found == {frozenset({(3, smoke)}), frozenset({(2, danger)})}
    True
    """
    rules, newest = tuple(rules), newest_occurrences(assertions)
    found: list[Support] = []
    for size in range(len(newest) + 1):
        for chosen in map(frozenset, combinations(newest, size)):
            if any(smaller <= chosen for smaller in found):
                continue
            if follows(rules, [*background, *(fact for _, fact in chosen)], conclusion):
                found.append(chosen)
    return frozenset(found)


def settled_timestamp(
    rules: Iterable[Rule],
    assertions: Collection[Assertion],
    background: Collection[Triple],
    conclusion: Conclusion,
) -> int | None:
    """Return the maximum of the supports' weakest timestamps; None if the background alone entails the
    conclusion.

    Raises:
        ValueError: the conclusion does not follow.
    """
    supports = minimal_supports(rules, assertions, background, conclusion)
    if not supports:
        raise ValueError(f"{conclusion} does not follow, so that it has no timestamp")
    return None if frozenset() in supports else max(min(at for at, _ in support) for support in supports)


def best_supports(supports: Collection[Support]) -> frozenset[Support]:
    """Return the minimal supports among which an explanation must choose.

    These are the supports with the newest weakest timestamp, and among them those with the fewest assertions.

    >>> old, new, newer = (1, "old"), (2, "new"), (3, "newer")
    >>> best_supports([frozenset({old}), frozenset({new, newer})]) == {frozenset({new, newer})}
    True
    """
    greatest = max(map(_weakest, supports), default=INFINITY)
    strongest = [support for support in supports if _weakest(support) == greatest]
    fewest = min(map(len, strongest), default=0)
    return frozenset(support for support in strongest if len(support) == fewest)


def newest_occurrences(assertions: Iterable[Assertion]) -> Support:
    """Return each asserted fact with its newest timestamp, in canonical literals."""
    newest: dict[Triple, int] = {}
    for at, fact in canonical_assertions(assertions):
        newest[fact] = max(at, newest.get(fact, at))
    return frozenset((at, fact) for fact, at in newest.items())


def follows(rules: Iterable[Rule], facts: Collection[Triple], conclusion: Conclusion) -> bool:
    """True if `facts` entail the conclusion."""
    if conclusion is None:
        return not is_consistent(rules, facts)
    return canonical_triple(conclusion) in closure(rules, facts)


def _weakest(support: Support) -> float:
    return min((at for at, _ in support), default=INFINITY)
