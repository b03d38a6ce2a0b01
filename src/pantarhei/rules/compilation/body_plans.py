"""Join plans for bodies that are not in the program, such as graph patterns of queries: for one body, or for
many bodies together with the requested values of their parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import NONE, Integers, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import InvalidRuleError
from pantarhei.model.rule import Argument, Atom, Different, Rule
from pantarhei.model.term import Term
from pantarhei.rules.compilation.plan import (
    BACKWARD,
    CHECK,
    FORWARD,
    OBJECT,
    PARAMETER,
    SUBJECT,
    TRIGGER,
    JoinPlan,
    PlanCode,
)
from pantarhei.rules.compilation.planning import Numbering, RulePlanner


@dataclass(frozen=True, slots=True)
class FactPattern:
    """Pattern of facts: a rule body without a head.

    Args:
        atoms: at least one atom. The atoms are connected by shared variables or parameters, or contain
            constants.
        different: inequalities that a match must satisfy.
        parameters: variables that are bound only to requested values. Bodies that differ only in constants
            are planned once if they are given as one body with parameters in place of the constants.
        requested: the requested values: tuples with one term for each parameter.
    """

    atoms: tuple[Atom, ...]
    different: tuple[Different, ...] = ()
    parameters: tuple[Variable, ...] = ()
    requested: tuple[tuple[Term, ...], ...] = ()

    @property
    def form(self) -> Form:
        """The pattern without its requested values; patterns of equal form have the same plan."""
        return (self.atoms, self.different, self.parameters)


Form = tuple[tuple[Atom, ...], tuple[Different, ...], tuple[Variable, ...]]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class BodyPlan:
    """Plans of one body, in the numbers of a vocabulary, for any values of its parameters; valid until the
    vocabulary is renumbered.

    The kernel's join machine matches a query's pattern, or the body of a rule that another engine evaluates,
    like the bodies of the program (planning.py). The plan is a separate value: creating it changes neither
    the program nor the model.

    Args:
        variables: variables of the body in the order of a match's bindings, parameters first.
        parameters: number of parameters.
        code: the encoded plans, one for each body atom as trigger.
        triggers: for each plan, the predicate of its trigger and its index in `code`, shape (atoms, 2).
        orders: for each plan, the parameters in the order in which they are bound, shape (atoms, parameters).
        binding: for each plan and body atom, the parameter that the atom binds: `2 * i + side` if its subject
            or object (`side`) is the i-th parameter in `orders` that the trigger does not bind. NONE if the
            atom binds no parameter, or is the trigger. Shape (atoms, atoms).
        by_subject, by_object: predicates that the model has to index by subject, or by object.
    """

    variables: tuple[Variable, ...]
    parameters: int
    code: Integers
    triggers: Integers
    orders: Integers
    binding: Integers
    by_subject: frozenset[int]
    by_object: frozenset[int]


def plan_body(body: FactPattern, numbers: Vocabulary) -> BodyPlan:
    """Return the plans of a body. The cost is linear in the size of the body, for each of its atoms.

    Args:
        numbers: vocabulary that numbers the body's symbols and terms.

    Raises:
        InvalidRuleError: the body is not connected, or a parameter or a variable of the inequalities is not
        in an atom.
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
    plans = [_with_parameter_flags(plan, binding) for plan, (_, binding) in zip(plans, bound, strict=True)]
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
    """Return the rows of `BodyPlan.orders` and `BodyPlan.binding` for one plan. Parameters are the variables
    with the lowest numbers.
    """
    order = list(dict.fromkeys(argument for argument in plan.trigger if 0 <= argument < parameters))
    given, binding = len(order), [NONE] * (len(plan.steps) + 1)
    for step in plan.steps:
        bound, side = (step.object, OBJECT) if step.kind == FORWARD else (step.subject, SUBJECT)
        if step.kind != CHECK and bound < parameters:
            binding[step.atom] = 2 * (len(order) - given) + side
            order.append(bound)
    return order, binding


def _with_parameter_flags(plan: JoinPlan, binding: Sequence[int]) -> JoinPlan:
    """Return the plan with the flag PARAMETER added to the steps that bind parameters."""
    steps = (s if binding[s.atom] == NONE else s._replace(kind=s.kind | PARAMETER) for s in plan.steps)
    return plan._replace(steps=tuple(steps))


class _Numbering(Numbering):
    """Numbering that obtains numbers of symbols and terms from a vocabulary."""

    def __init__(self, numbers: Vocabulary) -> None:
        super().__init__()
        self._numbers = numbers

    def predicate(self, atom: Atom) -> int:
        return self._numbers.number_symbol(Symbol(atom.predicate, len(atom.arguments)))

    def argument(self, argument: Argument, variables: Mapping[Variable, int]) -> int:
        if isinstance(argument, Variable):
            return variables[argument]
        return -2 - self._numbers.reserve(argument)


Terms = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class BodyPlans:
    """Plans of many bodies, in the numbers of a vocabulary; valid until the vocabulary is renumbered.

    A changed fact must not cost anything for bodies that it cannot match, even if a thousand bodies have
    atoms of its predicate. So plans are indexed by keys `(predicate, subject, object)` of their triggers. The
    subject and object are a constant, a requested value of a parameter, or NONE, which matches any term.

    The requested values are stored as a trie whose edges are labelled with terms: a tuple of values is
    requested if its terms, in the order in which the plan binds the parameters, label a path from the plan's
    start state. So the trie yields the requested values of the next parameter, given the parameters bound
    before.

    Args:
        variables: for each body its variables, in the order of a match's bindings.
        most_parameters: largest number of parameters of a body; parameters are its first variables.
        of_forms: the plan of each form.
        code: the encoded plans of all bodies; the rule number in a plan is the index of its body.
        keys: int32 rows `predicate, subject, object, index of a row in starts`.
        starts: int32 rows `index in code, index in asked, state`: the plan to start for a key, its first
            value in `asked`, and its state in the trie. The last two are NONE if the key determines all
            parameters.
        asked: rows of `BodyPlan.binding`, concatenated, for the plans that bind further parameters.
        steps: edges of the trie, int32 rows `state, term, NONE, next state`, grouped by state.
        first_steps: index of each state's first row in `steps`, followed by the number of rows.
        widest_body: largest number of atoms in a body.
        by_subject, by_object: predicates that the model has to index by subject, or by object.
    """

    variables: tuple[tuple[Variable, ...], ...]
    most_parameters: int
    of_forms: Mapping[Form, BodyPlan]
    code: Integers
    keys: Integers
    starts: Integers
    asked: Integers
    steps: Integers
    first_steps: Integers
    widest_body: int
    by_subject: frozenset[int]
    by_object: frozenset[int]

    @property
    def most_variables(self) -> int:
        """Largest number of variables in a body."""
        return max(map(len, self.variables), default=0)


def plan_bodies(
    bodies: Sequence[FactPattern], numbers: Vocabulary, known: Mapping[Form, BodyPlan]
) -> BodyPlans:
    """Return the plans of bodies. The cost is linear in the size of the bodies and in the number of requested
    values.

    Args:
        numbers: vocabulary that numbers the bodies' symbols and terms.
        known: existing plans of bodies by form, which are reused.

    Raises:
        InvalidRuleError: a body is not connected, or a parameter or a variable of its inequalities is not in
        an atom.
    """
    of_forms: dict[Form, BodyPlan] = {}
    writer = _Writer()
    for body in bodies:
        form = body.form
        plan = of_forms.get(form) or known.get(form) or plan_body(body, numbers)
        of_forms[form] = plan
        writer.add(plan, [tuple(map(numbers.reserve, terms)) for terms in body.requested])
    return writer.plans(of_forms)


def alone(plan: BodyPlan) -> BodyPlans:
    """Return the plans of one body without parameters."""
    writer = _Writer()
    writer.add(plan, ())
    return writer.plans({})


class _Writer:
    """Builder of `BodyPlans`."""

    def __init__(self) -> None:
        self._variables: list[tuple[Variable, ...]] = []
        self._code: list[Integers] = []
        self._length = 0
        self._keys: list[tuple[int, ...]] = []
        self._starts: list[tuple[int, ...]] = []
        self._asked: list[int] = []
        self._next: list[dict[int, int]] = []  # for each state the next state by term
        self._most_parameters, self._widest = 0, 1
        self._by_subject: set[int] = set()
        self._by_object: set[int] = set()

    def plans(self, of_forms: Mapping[Form, BodyPlan]) -> BodyPlans:
        steps = [(state, *step) for state, after in enumerate(self._next) for step in after.items()]
        return BodyPlans(
            tuple(self._variables),
            self._most_parameters,
            of_forms,
            np.concatenate([np.zeros(0, np.int32), *self._code]),
            _rows(self._keys, 4),
            _rows(self._starts, 3),
            np.array(self._asked, np.int32),
            _rows([(state, term, NONE, after) for state, term, after in steps], 4),
            np.cumsum([0, *map(len, self._next)]).astype(np.int32),
            self._widest,
            frozenset(self._by_subject),
            frozenset(self._by_object),
        )

    def add(self, plan: BodyPlan, requested: Sequence[Terms]) -> None:
        """Add a body with the requested values of its parameters, as numbers of terms."""
        code = plan.code.copy()
        code[plan.triggers[:, 1]] = len(self._variables)
        states: dict[Terms, int] = {}  # initial states by the order of the parameters
        for (predicate, offset), order, binding in zip(
            plan.triggers.tolist(), map(tuple, plan.orders.tolist()), plan.binding.tolist(), strict=True
        ):
            trigger = code[offset + TRIGGER : offset + TRIGGER + 2].tolist()
            given = len({argument for argument in trigger if 0 <= argument < plan.parameters})
            asked, state = NONE, NONE
            if given < plan.parameters:
                asked = len(self._asked)
                self._asked += binding
                state = states[order] = states[order] if order in states else self._begin(order, requested)
            for key, terms in _keys(trigger, plan.parameters, requested).items():
                self._keys.append((predicate, *key, len(self._starts)))
                after = NONE if state == NONE else self._after(state, [terms[i] for i in order[:given]])
                self._starts.append((self._length + offset, asked, after))
        self._variables.append(plan.variables)
        self._code.append(code)
        self._length += len(code)
        self._most_parameters = max(self._most_parameters, plan.parameters)
        self._widest = max(self._widest, len(plan.triggers))
        self._by_subject |= plan.by_subject
        self._by_object |= plan.by_object

    def _begin(self, order: Terms, requested: Sequence[Terms]) -> int:
        """Add the requested values to the trie, with the parameters in the given order; return the start
        state.
        """
        start = self._new_state()
        for terms in requested:
            state = start
            for parameter in order:
                after = self._next[state].get(terms[parameter])
                if after is None:
                    after = self._next[state][terms[parameter]] = self._new_state()
                state = after
        return start

    def _after(self, state: int, terms: Sequence[int]) -> int:
        """Return the state reached from `state` along edges labelled with these terms."""
        for term in terms:
            state = self._next[state][term]
        return state

    def _new_state(self) -> int:
        self._next.append({})
        return len(self._next) - 1


def _keys(trigger: Sequence[int], parameters: int, requested: Sequence[Terms]) -> dict[Terms, Terms]:
    """Return the pairs (subject, object) that the trigger of a plan can match; NONE stands for any term.

    Each pair is mapped to one tuple of requested values that leads to it.
    """

    def key(terms: Terms) -> Terms:
        return tuple(terms[a] if 0 <= a < parameters else NONE if a >= NONE else -2 - a for a in trigger)

    return {key(terms): terms for terms in (requested if parameters else [()])}


def _rows(rows: Sequence[Terms], width: int) -> Integers:
    return np.array(rows, np.int32).reshape(-1, width)
