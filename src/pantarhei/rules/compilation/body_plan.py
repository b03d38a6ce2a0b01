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

from pantarhei.encoding.numbers import NONE, Integers, Symbol
from pantarhei.errors import InvalidRuleError
from pantarhei.model.rule import Argument, Atom, Different, Rule
from pantarhei.model.term import Term
from pantarhei.rules.compilation.numbering import Numbering
from pantarhei.rules.compilation.plan import (
    BACKWARD,
    CHECK,
    FORWARD,
    OBJECT,
    SUBJECT,
    WANTED,
    JoinPlan,
    PlanCode,
)
from pantarhei.rules.compilation.planning import RulePlanner


class NumbersAll(Protocol):
    """Gives numbers to symbols and terms, new ones where they have none; a vocabulary does."""

    def reserve(self, term: Term) -> int: ...
    def number_symbol(self, symbol: Symbol) -> int: ...
    @property
    def has_class_variables(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class FactPattern:
    """A pattern of facts: the body of a rule without a head.

    Args:
        atoms: at least one; they are connected by variables, parameters among them, or by constants.
        different: inequalities that must hold as well.
        parameters: variables for which only some terms are wanted. Bodies that differ in their constants
            alone are better given as one body whose parameters stand for the constants.
        wanted: what is wanted for the parameters together, each a tuple with a term for every parameter.
    """

    atoms: tuple[Atom, ...]
    different: tuple[Different, ...] = ()
    parameters: tuple[Variable, ...] = ()
    wanted: tuple[tuple[Term, ...], ...] = ()

    @property
    def form(self) -> Form:
        """What its plan depends on: all but what is wanted."""
        return (self.atoms, self.different, self.parameters)


Form = tuple[tuple[Atom, ...], tuple[Different, ...], tuple[Variable, ...]]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class BodyPlan:
    """A body in the numbers of a vocabulary, whatever is wanted for its parameters; it is compiled anew once
    terms have other numbers.

    Args:
        variables: the body's, in the order in which matches give what they are bound to, parameters first.
        parameters: how many of them are parameters.
        code: the plans, one for each atom from whose facts on the others are matched.
        triggers: of each plan, the predicate of that atom and the place in `code`, shape (atoms, 2).
        orders: of each plan, the parameters in the order in which they are bound, shape (atoms, parameters).
        binding: of each plan and each atom, `2 * i + side` where its subject or object binds a parameter, the
            `i`-th after those that are bound by the atom with which the plan begins; NONE where it binds
            none, and for that atom itself. Shape (atoms, atoms).
        by_subject, by_object: the predicates whose facts are looked up by subject, or by object.
    """

    variables: tuple[Variable, ...]
    parameters: int
    code: Integers
    triggers: Integers
    orders: Integers
    binding: Integers
    by_subject: frozenset[int]
    by_object: frozenset[int]


def plan_body(body: FactPattern, numbers: NumbersAll) -> BodyPlan:
    """The plans of a body. Costs time linear in its size, for each of its atoms.

    Args:
        numbers: gives the numbers of what the body speaks of.

    Raises:
        InvalidRuleError: the body is not connected, or lacks a parameter or a variable of the inequalities.
    """
    atoms = tuple(atom.as_type for atom in body.atoms) if numbers.has_class_variables else body.atoms
    rule = Rule("body", atoms, None, body.different)
    planner = RulePlanner(rule, 0, _Numbering(numbers), body.parameters)
    occurring = {argument for atom in atoms for argument in atom.arguments}
    if missing := [parameter for parameter in body.parameters if parameter not in occurring]:
        raise InvalidRuleError(str(rule), f"its body lacks {', '.join(missing)}")
    written, count = PlanCode(), len(body.parameters)
    plans = [planner.plan_from(atom, position) for position, atom in enumerate(atoms)]
    walked = {(step.kind, step.predicate) for plan in plans for step in plan.steps}
    bound = [_bound(plan, count) for plan in plans]
    plans = [_telling_wanted(plan, binding) for plan, (_, binding) in zip(plans, bound, strict=True)]
    predicates = [numbers.number_symbol(Symbol(atom.predicate, len(atom.arguments))) for atom in atoms]
    offsets = [written.write(plan) for plan in plans]
    return BodyPlan(
        tuple(planner.variables),
        count,
        written.integers,
        np.array([predicates, offsets], np.int32).T,
        np.array([order for order, _ in bound], np.int32),
        np.array([binding for _, binding in bound], np.int32),
        frozenset(predicate for kind, predicate in walked if kind == FORWARD),
        frozenset(predicate for kind, predicate in walked if kind == BACKWARD),
    )


def _bound(plan: JoinPlan, parameters: int) -> tuple[list[int], list[int]]:
    """A plan's rows of `BodyPlan.orders` and `BodyPlan.binding`; parameters are the first variables."""
    order = list(dict.fromkeys(argument for argument in plan.trigger if 0 <= argument < parameters))
    given, binding = len(order), [NONE] * (len(plan.steps) + 1)
    for step in plan.steps:
        bound, side = (step.object, OBJECT) if step.kind == FORWARD else (step.subject, SUBJECT)
        if step.kind != CHECK and bound < parameters:
            binding[step.atom] = 2 * (len(order) - given) + side
            order.append(bound)
    return order, binding


def _telling_wanted(plan: JoinPlan, binding: Sequence[int]) -> JoinPlan:
    """The plan with WANTED at the steps that bind parameters."""
    steps = (s if binding[s.atom] == NONE else s._replace(kind=s.kind | WANTED) for s in plan.steps)
    return plan._replace(steps=tuple(steps))


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
        return -2 - self._numbers.reserve(argument)
