"""Bodies without a head, planned for models whose program does not have them.

A query's pattern, or the body of a rule that another engine evaluates, is matched by the kernel's join
machine as the bodies of the program are (planning.py). Such a plan is a value of its own: it changes neither
program nor model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import Integers, Symbol
from pantarhei.language.rule import Argument, Atom, Different, Rule
from pantarhei.language.term import Term
from pantarhei.rules.compilation.numbering import Numbering
from pantarhei.rules.compilation.plan import BACKWARD, FORWARD, PlanCode
from pantarhei.rules.compilation.planning import RulePlanner


class NumbersAll(Protocol):
    """Gives numbers to symbols and terms, new ones where they have none; a vocabulary does."""

    def number(self, term: Term) -> int: ...
    def number_symbol(self, symbol: Symbol) -> int: ...


@dataclass(frozen=True, slots=True)
class BodyPlan:
    """A body in the numbers of a vocabulary; it is compiled anew once terms have other numbers.

    Args:
        variables: the body's, in the order in which matches give what they are bound to.
        code: the plans, one for each atom from whose facts on the others are matched.
        triggers: of each plan, the predicate of that atom and the place in `code`, shape (atoms, 2).
        by_subject, by_object: the predicates whose facts are looked up by subject, or by object.
    """

    variables: tuple[Variable, ...]
    code: Integers
    triggers: Integers
    by_subject: frozenset[int]
    by_object: frozenset[int]


def plan_body(body: Sequence[Atom], different: Sequence[Different], numbers: NumbersAll) -> BodyPlan:
    """The plans of a body. Costs time linear in its size, for each of its atoms.

    Args:
        body: at least one atom.
        different: inequalities that must hold as well.
        numbers: gives the numbers of what the body speaks of.

    Raises:
        InvalidRuleError: the body is not connected, or lacks a variable of the inequalities.
    """
    planner = RulePlanner(Rule("body", tuple(body), None, tuple(different)), 0, _Numbering(numbers))
    written = PlanCode()
    plans = [planner.plan_from(atom, position) for position, atom in enumerate(body)]
    predicates = [numbers.number_symbol(Symbol(atom.predicate, len(atom.arguments))) for atom in body]
    offsets = [written.write(plan) for plan in plans]
    walked = {(step.kind, step.predicate) for plan in plans for step in plan.steps}
    return BodyPlan(
        tuple(planner.variables),
        written.integers,
        np.array([predicates, offsets], np.int32).T,
        frozenset(predicate for kind, predicate in walked if kind == FORWARD),
        frozenset(predicate for kind, predicate in walked if kind == BACKWARD),
    )


class _Numbering(Numbering):
    """The numbers that a vocabulary gives."""

    def __init__(self, numbers: NumbersAll) -> None:
        super().__init__()
        self._numbers = numbers

    def predicate(self, atom: Atom) -> int:
        return self._numbers.number_symbol(Symbol(atom.predicate, len(atom.arguments)))

    def argument(self, argument: Argument, variables: Mapping[Variable, int]) -> int:
        if isinstance(argument, Variable):
            return variables[argument]
        return -2 - self._numbers.number(argument)
