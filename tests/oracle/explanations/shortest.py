"""Minimum number of rule instances in a proof.

A proof derives each fact once, even if several steps use it, and no fact depends on itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import count

from oracle.canonical_literals import canonical_facts, canonical_triple
from oracle.explanations.supports import Conclusion, follows
from oracle.materialization import closure, instances
from pantarhei.model.rule import Rule
from pantarhei.model.term import Triple

_Body = frozenset[Triple]
_Bodies = Mapping[Conclusion, Collection[_Body]]
_Proof = Mapping[Conclusion, _Body]


def fewest_instances(rules: Iterable[Rule], facts: Collection[Triple], conclusion: Conclusion) -> int:
    """Return the minimum number of rule instances with which `facts` entail `conclusion`; 0 if it is one of
    them.

    By iterative deepening over all derivations of open facts. Cost: exponential in the minimum.

    Raises:
        ValueError: the conclusion does not follow.
    """
    rules, given = tuple(rules), canonical_facts(facts)
    if not follows(rules, given, conclusion):
        raise ValueError(f"{conclusion} does not follow from the facts")
    goal = None if conclusion is None else canonical_triple(conclusion)
    bodies: defaultdict[Conclusion, set[_Body]] = defaultdict(set)
    for _, body, head in instances(rules, closure(rules, given)):
        bodies[head].add(frozenset(body) - given)
    if goal in given:
        return 0
    return next(most for most in count(1) if _is_proved({goal}, {}, bodies, most))


def _is_proved(open_: set[Conclusion], proof: _Proof, bodies: _Bodies, most: int) -> bool:
    """True if `proof` can be completed by at most `most` instances that derive the facts in `open_`."""
    if not open_ or len(open_) > most:
        return not open_
    goal = next(iter(open_))  # each open fact must be derived at some point, so any of them can be the next
    for body in bodies.get(goal, ()):
        longer = {**proof, goal: body}
        if goal not in _dependencies(body, longer):
            still_open = (open_ | body) - longer.keys()
            if _is_proved(still_open, longer, bodies, most - 1):
                return True
    return False


def _dependencies(body: _Body, proof: _Proof) -> set[Conclusion]:
    """Return the facts on which `body` depends in `proof`, including those of `body`."""
    reached: set[Conclusion] = set()
    waiting: list[Conclusion] = list(body)
    while waiting:
        fact = waiting.pop()
        if fact not in reached:
            reached.add(fact)
            waiting += proof.get(fact, ())
    return reached
