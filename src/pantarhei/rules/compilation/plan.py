"""How a plan is written in the code of a program: the integers that materialize/kernel/joins.py reads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple, cast

CHECK, FORWARD, BACKWARD = range(3)
DIFFERENT, IDENTICAL, INSIDE, OUTSIDE, HOLDS, COMPUTE = range(6)

# A step or condition of a plan: a kind, and what that asks for.
Condition = tuple[int, int, int, int, int]
HEADER, PART = 9, 5  # the integers of a plan before its first step, and of each step and condition
STEPS, HEAD, TRIGGER = 1, 3, 6  # places in the header: how many steps, the head's predicate, what is given


class WrittenPlan(NamedTuple):
    """A plan as it is written in `Plans.code`; joins.py says what its integers mean.

    Args:
        rule: whose plan it is.
        head: predicate and arguments, each NONE for a constraint.
        trigger: the arguments of the atom that is given.
        atom: the position of that in the body, NONE for the head.
        steps: the other atoms, in the order in which they are matched.
        conditions: what is looked at afterwards.
    """

    rule: int
    head: tuple[int, int, int]
    trigger: tuple[int, int]
    atom: int
    steps: tuple[Condition, ...]
    conditions: tuple[Condition, ...]

    @property
    def code(self) -> list[int]:
        """Its integers."""
        counts = (len(self.steps), len(self.conditions))
        return list(
            chain((self.rule, *counts, *self.head, *self.trigger, self.atom), *self.steps, *self.conditions)
        )

    @classmethod
    def at(cls, code: Sequence[int], offset: int) -> WrittenPlan:
        """The plan that begins at `offset`."""
        first = offset + HEADER
        rule, steps, conditions, *head, subject, object_, atom = code[offset:first]
        parts = [
            cast("Condition", tuple(code[at : at + PART]))
            for at in range(first, first + PART * (steps + conditions), PART)
        ]
        return cls(
            rule,
            (head[0], head[1], head[2]),
            (subject, object_),
            atom,
            tuple(parts[:steps]),
            tuple(parts[steps:]),
        )
