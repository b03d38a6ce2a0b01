"""Plans: how one rule's body is matched from one given fact on; and their code, the integers of a program.

Plans are made as values and become code last of all (`PlanCode`). The code is read by the kernel's join
machine (materialize/kernel/matcher.py), which says what each integer means; everybody else asks here.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from pantarhei.encoding.numbers import NONE, Integers

CHECK, FORWARD, BACKWARD = range(3)
WANTED = 4  # added to the kind of a step that binds a variable for which only some terms are wanted
DIFFERENT, IDENTICAL, INSIDE, OUTSIDE, HOLDS, COMPUTE, NAMED = range(7)

HEADER, PART = 9, 5  # the integers of a plan before its first step, and of each step and condition
STEPS, HEAD, TRIGGER = 1, 3, 6  # places in the header: how many steps, the head's predicate, what is given

# The two places of an argument in an atom.
SUBJECT, OBJECT = range(2)


class PlanStep(NamedTuple):
    """A further atom of the body: how it is matched (CHECK, FORWARD, BACKWARD), and its place in the body."""

    kind: int
    predicate: int
    subject: int
    object: int
    atom: int


class PlanCondition(NamedTuple):
    """What must hold of a match: its kind (DIFFERENT, …, COMPUTE) and the operands of that."""

    kind: int
    first: int
    second: int
    third: int = NONE
    fourth: int = NONE


class JoinPlan(NamedTuple):
    """One rule from one given fact on.

    An argument `a >= 0` is variable `a`; `NONE` is absent; any other is the constant `-2 - a`.

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
    steps: tuple[PlanStep, ...]
    conditions: tuple[PlanCondition, ...]

    @property
    def inclusion(self) -> int:
        """The class D where this is the forward plan of `D(x) :- C(x)`, else NONE."""
        class_, *arguments = self.head
        is_simple = not self.steps and not self.conditions and class_ != NONE
        is_of_classes = self.trigger[OBJECT] == NONE and self.trigger[SUBJECT] >= 0
        return class_ if is_simple and is_of_classes and tuple(arguments) == self.trigger else NONE

    @property
    def code(self) -> list[int]:
        """Its integers."""
        counts = (len(self.steps), len(self.conditions))
        return list(
            chain((self.rule, *counts, *self.head, *self.trigger, self.atom), *self.steps, *self.conditions)
        )

    @property
    def predicate_places(self) -> list[tuple[int, int]]:
        """Where predicates stand in its code: (place, atom) of each, the atom NONE for the head."""
        head = [] if self.head[0] == NONE else [(HEAD, NONE)]
        return head + [(HEADER + PART * i + 1, step.atom) for i, step in enumerate(self.steps)]

    @classmethod
    def at(cls, code: Sequence[int], offset: int) -> JoinPlan:
        """The plan whose code begins at `offset`."""
        first = offset + HEADER
        rule, steps, conditions, *head, subject, object_, atom = code[offset:first]
        middle, end = first + PART * steps, first + PART * (steps + conditions)
        return cls(
            rule,
            (head[0], head[1], head[2]),
            (subject, object_),
            atom,
            tuple(PlanStep(*code[at : at + PART]) for at in range(first, middle, PART)),
            tuple(PlanCondition(*code[at : at + PART]) for at in range(middle, end, PART)),
        )


class PlanCode:
    """The code of many plans, one after another; plans go by the offsets at which they begin."""

    def __init__(self) -> None:
        self._integers = array("i")

    def __len__(self) -> int:
        return len(self._integers)

    def write(self, plan: JoinPlan) -> int:
        """Append a plan; returns its offset."""
        return self.extend(plan.code)

    def extend(self, code: Sequence[int]) -> int:
        """Append the code of plans; returns the offset of the first."""
        offset = len(self._integers)
        self._integers.extend(code)
        return offset

    @property
    def integers(self) -> Integers:
        """The whole, as the kernel reads it; never empty."""
        return np.array(self._integers or [0], np.int32)


def given_constants(code: Integers, offsets: Integers, side: int) -> Integers:
    """Of the plans at `offsets` the constant that the trigger's subject or object is; negative for none."""
    constants: Integers = -2 - code[offsets + TRIGGER + side]
    return constants


def looked_up_classes(code: Integers, offsets: Integers, side: int) -> tuple[Integers, Integers]:
    """Which classes plans look up of the variable on one side of their trigger: each with the plan's place
    among `offsets`, those of a plan's earlier steps first.
    """
    counts, variables = code[offsets + STEPS], code[offsets + TRIGGER + side]
    places, classes = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    for step in range(int(counts.max(initial=0))):
        having = np.flatnonzero(counts > step).astype(np.int32)
        at = offsets[having] + HEADER + PART * step  # kind, predicate, subject, object, atom
        asks = (code[at] == CHECK) & (code[at + 3] == NONE) & (code[at + 2] == variables[having])
        places.append(having[asks])
        classes.append(code[at[asks] + 1])
    return np.concatenate(places), np.concatenate(classes)
