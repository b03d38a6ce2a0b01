"""Many bodies planned together, each for what is wanted for its parameters.

A fact is to cost nothing for bodies that it cannot be part of, even where a thousand have atoms of its
predicate: the plans hang on keys, `(predicate, subject, object)`, in which NONE stands for any term. The key
of a plan has the constants of the atom that it begins with, and what is wanted for the parameters there.

What is wanted is a graph of states, a step for each term: whoever comes from a body's state with the terms of
all parameters, one after another, to a further state, has what is wanted. There is such a state for single
parameters too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import NONE, Integers
from pantarhei.rules.compilation.body_plan import Body, BodyPlan, Form, NumbersAll, plan_body
from pantarhei.rules.compilation.plan import TRIGGER


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class BodyPlans:
    """Bodies in the numbers of a vocabulary; they are planned anew once terms have other numbers.

    Args:
        variables: of each body, in the order in which matches give what they are bound to.
        parameters: how many of them are parameters; those are the first.
        of_forms: the plans of the bodies by their forms.
        code: the plans of all bodies; the rule of a plan is the place of its body.
        plans: of each plan, the place in `code`; where its part of `asked` begins; the state from which the
            terms of all parameters are looked for in the end. NONE where nothing is to be looked for.
        asked: for each atom of a body `2 * state + side`, where the subject or object of what is matched to
            it is looked for from that state; NONE where nothing is looked for.
        keys: int32 rows `predicate, subject, object, plan`.
        steps: int32 rows `state, term, NONE, next state`.
        widest_body: how many atoms a body has at most.
        by_subject, by_object: the predicates whose facts are looked up by subject, or by object.
    """

    variables: tuple[tuple[Variable, ...], ...]
    parameters: tuple[int, ...]
    of_forms: Mapping[Form, BodyPlan]
    code: Integers
    plans: Integers
    asked: Integers
    keys: Integers
    steps: Integers
    widest_body: int
    by_subject: frozenset[int]
    by_object: frozenset[int]

    @property
    def most_variables(self) -> int:
        """How many variables a body has at most."""
        return max(map(len, self.variables), default=0)


def plan_bodies(bodies: Sequence[Body], numbers: NumbersAll, known: Mapping[Form, BodyPlan]) -> BodyPlans:
    """The plans of bodies. Costs time linear in their size, and in what is wanted.

    Args:
        numbers: gives the numbers of what the bodies speak of.
        known: plans that are there already, by the forms of their bodies.

    Raises:
        InvalidRuleError: a body is not connected, or lacks a parameter or a variable of its inequalities.
    """
    of_forms: dict[Form, BodyPlan] = {}
    writer = _Writer()
    for body in bodies:
        form = body.form
        plan = of_forms.get(form) or known.get(form) or plan_body(body, numbers)
        of_forms[form] = plan
        writer.add(plan, [tuple(map(numbers.reserve, terms)) for terms in body.wanted])
    return writer.plans(of_forms)


def alone(plan: BodyPlan) -> BodyPlans:
    """The plans of one body that has no parameters."""
    writer = _Writer()
    writer.add(plan, ())
    return writer.plans({})


class _Writer:
    """Puts plans of bodies together."""

    def __init__(self) -> None:
        self._variables: list[tuple[Variable, ...]] = []
        self._parameters: list[int] = []
        self._code: list[Integers] = []
        self._length = 0
        self._plans: list[tuple[int, int, int]] = []
        self._asked: list[int] = []
        self._keys: list[tuple[int, int, int, int]] = []
        self._steps: list[tuple[int, int, int, int]] = []
        self._states = 0
        self._widest = 1
        self._by_subject: set[int] = set()
        self._by_object: set[int] = set()

    def plans(self, of_forms: Mapping[Form, BodyPlan]) -> BodyPlans:
        return BodyPlans(
            tuple(self._variables),
            tuple(self._parameters),
            of_forms,
            np.concatenate([np.zeros(0, np.int32), *self._code]),
            _rows(self._plans, 3),
            np.array(self._asked, np.int32),
            _rows(self._keys, 4),
            _rows(self._steps, 4),
            self._widest,
            frozenset(self._by_subject),
            frozenset(self._by_object),
        )

    def add(self, plan: BodyPlan, wanted: Sequence[tuple[int, ...]]) -> None:
        """One more body, for the numbers that are wanted for its parameters."""
        code = plan.code.copy()
        code[plan.triggers[:, 1]] = len(self._variables)
        singles: dict[int, int] = {}
        together = self._state(wanted) if plan.parameters > 1 else NONE
        for (predicate, offset), binding in zip(plan.triggers.tolist(), plan.binding.tolist(), strict=True):
            trigger = code[offset + TRIGGER : offset + TRIGGER + 2].tolist()
            keys = _keys(trigger, plan.parameters, wanted)
            self._keys += [(predicate, *key, len(self._plans)) for key in keys]
            if plan.parameters <= sum(0 <= argument < plan.parameters for argument in set(trigger)):
                self._plans.append((self._length + offset, NONE, NONE))  # its key says it all
                continue
            self._plans.append((self._length + offset, len(self._asked), together))
            self._asked += [self._ask(argument, singles, wanted) for argument in binding]
        self._variables.append(plan.variables)
        self._parameters.append(plan.parameters)
        self._code.append(code)
        self._length += len(code)
        self._widest = max(self._widest, len(plan.triggers))
        self._by_subject |= plan.by_subject
        self._by_object |= plan.by_object

    def _ask(self, binding: int, singles: dict[int, int], wanted: Sequence[tuple[int, ...]]) -> int:
        """What stands in `asked` for what `BodyPlan.binding` has; `singles` are the states of parameters."""
        if binding == NONE:
            return NONE
        parameter, side = divmod(binding, 2)
        if parameter not in singles:
            singles[parameter] = self._state([(terms[parameter],) for terms in wanted])
        return 2 * singles[parameter] + side

    def _state(self, wanted: Sequence[tuple[int, ...]]) -> int:
        """A new state, and those behind it, from which just what is wanted is found."""
        start = self._new_state()
        nexts: dict[tuple[int, int], int] = {}
        for terms in wanted:
            state = start
            for term in terms:
                if (state, term) not in nexts:
                    nexts[state, term] = self._new_state()
                state = nexts[state, term]
        self._steps += [(state, term, NONE, after) for (state, term), after in nexts.items()]
        return start

    def _new_state(self) -> int:
        self._states += 1
        return self._states - 1


def _keys(
    trigger: Sequence[int], parameters: int, wanted: Sequence[tuple[int, ...]]
) -> Iterable[tuple[int, ...]]:
    """What the subject and object of the first atom of a plan must be, each pair once; NONE for any term."""

    def key(terms: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(terms[a] if 0 <= a < parameters else NONE if a >= NONE else -2 - a for a in trigger)

    return dict.fromkeys(map(key, wanted if parameters else [()]))


def _rows(rows: Sequence[tuple[int, ...]], width: int) -> Integers:
    return np.array(rows, np.int32).reshape(-1, width)
