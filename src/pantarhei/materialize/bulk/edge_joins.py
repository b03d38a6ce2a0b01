"""Plans that join transitive properties with their edges only, by column (`rules.compilation`).

The edges of a property are columns of their own beside its facts, under another number.
"""

from __future__ import annotations

from collections.abc import Iterator

from pantarhei.encoding.numbers import NONE
from pantarhei.rules.compilation.plan import JoinPlan
from pantarhei.rules.compilation.program import Plans
from pantarhei.rules.compilation.transitive_edges import NO_EDGE


def edges_of(predicate: int) -> int:
    """Under which number the edges of a property stand; and whose edges stand under a number.

    >>> edges_of(7), edges_of(edges_of(7))
    (-9, 7)
    """
    return -2 - predicate


def with_edges(predicate: int, plan: JoinPlan, plans: Plans) -> Iterator[tuple[int, JoinPlan]]:
    """The plans that do what a forward plan with this trigger does, each with its trigger."""
    edge_atom = int(plans.edge_atoms[plan.rule])
    if plan.atom == edge_atom:
        yield edges_of(predicate), plan
        return
    if edge_atom != NO_EDGE:
        step = plan.steps[0]  # there is no other
        plan = plan._replace(steps=(step._replace(predicate=edges_of(step.predicate)),))
    yield predicate, plan
    if plans.copies[plan.rule]:
        yield edges_of(predicate), plan._replace(head=(edges_of(plan.head[0]), *plan.head[1:]))


def makes_edges(plan: JoinPlan, plans: Plans) -> bool:
    """Whether what a forward plan derives are edges, whatever it is derived from."""
    head, rule = plan.head[0], plan.rule
    noted = head != NONE and bool(plans.edges_noted[head])
    return noted and int(plans.edge_atoms[rule]) == NO_EDGE and not plans.copies[rule]
