"""Supports: the minimal sets of assertions that entail a conclusion together with the background.

A fact that is asserted several times is taken at its newest occurrence, as repairs take it. The weakest
timestamp of a support is the oldest one in it; the settled timestamp of a fact is the greatest weakest
timestamp of its supports: the fact's annotation in the window model that keeps the newest (IM10).
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
    """The minimal sets of assertions that entail `conclusion` together with `background`.

    Each fact is taken at its newest occurrence. The empty set alone if the background entails the conclusion,
    nothing if it does not follow. The supports of ⊥ are the conflict sets (PB26 Definition 10). Cost:
    exponential in the number of facts that are asserted.

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
    """The greatest weakest timestamp of the supports; None if the conclusion rests on the background alone.

    Raises:
        ValueError: the conclusion does not follow.
    """
    supports = minimal_supports(rules, assertions, background, conclusion)
    if not supports:
        raise ValueError(f"{conclusion} does not follow, so that it has no timestamp")
    return None if frozenset() in supports else max(min(at for at, _ in support) for support in supports)


def best_supports(supports: Collection[Support]) -> frozenset[Support]:
    """Of all minimal supports of a conclusion those that an explanation has to choose among.

    Those whose weakest timestamp is greatest, and of these those with the fewest assertions.

    >>> old, new, newer = (1, "old"), (2, "new"), (3, "newer")
    >>> best_supports([frozenset({old}), frozenset({new, newer})]) == {frozenset({new, newer})}
    True
    """
    greatest = max(map(_weakest, supports), default=INFINITY)
    strongest = [support for support in supports if _weakest(support) == greatest]
    fewest = min(map(len, strongest), default=0)
    return frozenset(support for support in strongest if len(support) == fewest)


def newest_occurrences(assertions: Iterable[Assertion]) -> Support:
    """Each fact that is asserted, at its newest timestamp; literals are canonical."""
    newest: dict[Triple, int] = {}
    for at, fact in canonical_assertions(assertions):
        newest[fact] = max(at, newest.get(fact, at))
    return frozenset((at, fact) for fact, at in newest.items())


def follows(rules: Iterable[Rule], facts: Collection[Triple], conclusion: Conclusion) -> bool:
    """Whether `facts` entail the conclusion."""
    if conclusion is None:
        return not is_consistent(rules, facts)
    return canonical_triple(conclusion) in closure(rules, facts)


def _weakest(support: Support) -> float:
    return min((at for at, _ in support), default=INFINITY)
