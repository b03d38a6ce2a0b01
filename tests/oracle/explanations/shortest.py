"""How many rule instances a proof needs at least.

A proof concludes each fact once, however often it uses it, and rests on no fact that rests on it.
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
    """The least number of rule instances with which `facts` entail `conclusion`; 0 if it is one of them.

    By iterative deepening over all ways to conclude what is still open. Cost: exponential in that number.

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
    """Whether `proof` can be completed by at most `most` instances that conclude what is open."""
    if not open_ or len(open_) > most:
        return not open_
    goal = next(iter(open_))  # each must be concluded some time, so that any of them may be the next
    for body in bodies.get(goal, ()):
        longer = {**proof, goal: body}
        if goal not in _behind(body, longer):
            still_open = (open_ | body) - longer.keys()
            if _is_proved(still_open, longer, bodies, most - 1):
                return True
    return False


def _behind(body: _Body, proof: _Proof) -> set[Conclusion]:
    """The facts that `body` rests on in `proof`, its own included."""
    reached: set[Conclusion] = set()
    waiting: list[Conclusion] = list(body)
    while waiting:
        fact = waiting.pop()
        if fact not in reached:
            reached.add(fact)
            waiting += proof.get(fact, ())
    return reached
