"""Abduction: minimal sets of missing facts that would derive a fact, smallest sets first.

Rules are applied backwards from the fact. A premise holds in the window, or is derived by a further rule, or
is assumed. Facts of predicates that the stream asserts can be assumed, about known names or one new name.
Derivations are searched in the order of their number of rule applications: the rules of equality apply
repeatedly to every fact, so a depth-first search might not terminate in time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import numpy as np
from rdflib import RDF, Literal, URIRef

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Fact, Integers, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.explain.backward_rules import (
    FIRST_VARIABLE,
    BackwardRules,
    ConditionSolver,
    NumberedAtom,
    RuleCondition,
    needless_for,
)
from pantarhei.materialize.model import WindowModel
from pantarhei.model.term import Term, Triple
from pantarhei.proofs.supports import StepBudget
from pantarhei.rdf.ntriples import write_triple

NEW_NAME = URIRef("urn:pantarhei:new")
"""Stands for a name that does not occur in the window."""

# Largest number of matches explored for a premise, and of sets yielded for each size.
_MOST_MATCHES = 100
_MOST_SETS = 200

# Steps spent for adding facts to the model temporarily, plus one step for each derived fact.
_STEPS_PER_TRIAL = 10

_Binding = dict[int, int]

ANY, SAME = -2, -3
FactPattern = tuple[int, int, int]
"""(predicate, subject, object); `ANY` matches any term, and `SAME` as object matches the subject."""


class AbductionCandidate(NamedTuple):
    """Set of missing facts that may derive the goal.

    Args:
        present: the number of premises found in the window.
        gone: the number of missing facts that were asserted before.
        fit: the number of direct consequences of the missing facts that are in the window, minus the number
            of those that are not.
    """

    missing: frozenset[Triple]
    present: int
    gone: int
    fit: int


class _OpenPremise(NamedTuple):
    """Premise that has to be shown.

    Args:
        above: the patterns of the conclusions that depend on it, each with True if eq-trans must not derive
            it.
        needless: the names of rules that are not applied to derive it.
    """

    atom: NumberedAtom
    above: frozenset[tuple[FactPattern, bool]] = frozenset()
    needless: frozenset[str] = frozenset()


class _State(NamedTuple):
    """Node of the search.

    Args:
        goals: the premises that have to be shown.
        binding: the values of variables.
        assumed: the assumed facts.
        conditions: inequalities and tests that have to hold.
        present: the number of premises found in the window.
    """

    goals: tuple[_OpenPremise, ...]
    binding: _Binding
    assumed: tuple[NumberedAtom, ...]
    conditions: tuple[RuleCondition, ...]
    present: int


@dataclass
class AbductionSearch:
    """Search for missing facts that derive a goal.

    Args:
        model: the window model.
        clauses: the rules of the model.
        assumable: the predicates of facts that may be assumed.
        gone: returns the facts of a pattern that were asserted before and do not hold now, newest first.
        level: an unused level of the model, at which missing facts are added temporarily.
        budget: the number of steps that the search may take.

    `is_complete` is False after a limit has cut off part of the search.
    """

    model: WindowModel
    clauses: BackwardRules
    assumable: frozenset[int]
    gone: Callable[[FactPattern], Iterable[Fact]]
    level: int
    budget: StepBudget
    is_complete: bool = True
    _variables: int = field(default=0, init=False)  # number of variables created
    _deeper: list[_State] = field(default_factory=list, init=False)  # nodes with one more rule application

    def __post_init__(self) -> None:
        self._vocabulary: Vocabulary = self.model.vocabulary
        self._reachable = self.clauses.within_reach(self.assumable)
        self._conditions = ConditionSolver(self.model)
        self._matched: dict[FactPattern, list[Fact]] = {}
        self._tried: dict[frozenset[NumberedAtom], bool] = {}
        self._concluded: dict[frozenset[int], set[int]] = {}

    def sets(self, goal: Fact, size: int) -> Iterator[AbductionCandidate]:
        """Yield sets of `size` missing facts that may derive `goal`; a set can be yielded twice.

        Raises:
            BudgetExceeded: the steps are used up.
        """
        self._goal, self._size = goal, size
        found = 0
        self._deeper = [_State((_OpenPremise(NumberedAtom(*goal)),), {}, (), (), 0)]
        while self._deeper:
            states, self._deeper = self._deeper, []
            for state in chain.from_iterable(map(self._solve, states)):
                candidate = self._finished(state)
                if candidate is not None and len(candidate.missing) == size:
                    yield candidate
                    found += 1
                    if found >= _MOST_SETS:
                        self.is_complete = False
                        return

    # -- the search --------------------------------------------------------------------------------

    def _solve(self, state: _State) -> Iterator[_State]:
        """Yield the states without goals that can be reached from `state`."""
        self.budget.spend(1)
        if not state.goals:
            yield state
            return
        goal, rest = self._choose(state)
        atom = goal.atom
        is_ground = min(atom.subject, atom.object) > FIRST_VARIABLE
        if is_ground and self._holds(atom, state.assumed):
            found = state.present + (atom not in state.assumed)
            yield from self._solve(state._replace(goals=rest, present=found))
            return
        state = state._replace(goals=rest)
        if not is_ground:
            for fact in self._matches(atom):
                yield from self._solve(self._bound(state, atom, fact)._replace(present=state.present + 1))
            for known in state.assumed:
                united = self._united(state, atom, known) if known.predicate == atom.predicate else None
                if united is not None:
                    yield from self._solve(united)
        yield from self._assuming(state, atom, is_ground)
        yield from self._expand(state, goal)

    def _choose(self, state: _State) -> tuple[_OpenPremise, tuple[_OpenPremise, ...]]:
        """Return the goal with the fewest variables, and the other goals."""
        walked = [goal._replace(atom=self._walked(goal.atom, state.binding)) for goal in state.goals]
        place = min(range(len(walked)), key=lambda i: _effort(walked[i].atom))
        return walked[place], (*walked[:place], *walked[place + 1 :])

    def _holds(self, atom: NumberedAtom, assumed: Iterable[NumberedAtom]) -> bool:
        return atom in assumed or self.model.kernel.store.row_of(*atom) >= 0

    def _matches(self, atom: NumberedAtom) -> list[Fact]:
        """Return the facts of the window that match an atom with variables."""
        pattern = _pattern(atom)
        known = self._matched.get(pattern)
        if known is None:
            who, what = (None if term <= FIRST_VARIABLE else term for term in (atom.subject, atom.object))
            found = self._some(self.model.select(atom.predicate, who, what), atom)
            known = self._matched[pattern] = found
        return known

    def _some(self, facts: Integers, atom: NumberedAtom) -> list[Fact]:
        """Return at most `_MOST_MATCHES` of the facts that match `atom`."""
        if atom.subject == atom.object:
            facts = facts[facts[:, 1] == facts[:, 2]]
        self.is_complete = self.is_complete and len(facts) <= _MOST_MATCHES
        written = map(write_triple, self._vocabulary.decode(facts))
        texts = dict(zip(as_tuples(facts), written, strict=True))
        return sorted(texts, key=texts.__getitem__)[:_MOST_MATCHES]  # the same choice in every process

    def _assuming(self, state: _State, atom: NumberedAtom, is_ground: bool) -> Iterator[_State]:
        """Yield the solutions in which the goal is assumed."""
        if atom.predicate not in self.assumable or len(state.assumed) >= self._size or atom == self._goal:
            return
        if not is_ground:
            for fact in self.gone(_pattern(atom)):
                if fact != self._goal:
                    known = NumberedAtom(*fact)
                    bound = self._bound(state, atom, fact)
                    yield from self._solve(bound._replace(assumed=(*state.assumed, known)))
        yield from self._solve(state._replace(assumed=(*state.assumed, atom)))

    def _expand(self, state: _State, goal: _OpenPremise) -> Iterator[_State]:
        """Expand a goal by rules. If no further fact may be assumed, test whether the assumed facts derive
        the search's goal.
        """
        if len(state.assumed) < self._size:
            self._note_rules(state, goal)
        elif goal.atom.predicate in self._above(state.assumed):
            missing = frozenset(self._walked(atom, state.binding) for atom in state.assumed)
            if any(min(atom.subject, atom.object) <= FIRST_VARIABLE for atom in missing):
                self._note_rules(state, goal)
            elif self._suffice(missing):
                yield state._replace(goals=(), conditions=())

    def _note_rules(self, state: _State, goal: _OpenPremise) -> None:
        """Enqueue the states that apply a rule to derive a goal. They are searched after all states with
        fewer rule applications.
        """
        needless = goal.needless | needless_for(goal.atom)
        pattern = _pattern(goal.atom), "eq-trans" in goal.needless
        if pattern in goal.above:
            return
        above = goal.above | {pattern}
        for clause in self.clauses.concluding(goal.atom.predicate):
            if clause.rule.name in needless:
                continue
            if not any(atom.predicate in self._reachable for atom in clause.body):
                continue  # all consequences of the window are in the window
            shift = -self._variables
            self._variables += len(clause.variables)
            head, *body = (_renamed(atom, shift) for atom in (clause.head, *clause.body))
            united = self._united(state, goal.atom, head)
            if united is not None:
                premises = zip(body, clause.needless, strict=True)
                goals = (*(_OpenPremise(atom, above, other) for atom, other in premises), *united.goals)
                conditions = united.conditions
                if clause.different or clause.tests:
                    conditions = (*conditions, (clause, shift))
                self._deeper.append(united._replace(goals=goals, conditions=conditions))

    def _suffice(self, missing: frozenset[NumberedAtom]) -> bool:
        """Return True if the goal holds after the missing facts are added to the model."""
        known = self._tried.get(missing)
        if known is None:
            if any(atom.subject >= FIRST_LITERAL or self._holds(atom, ()) for atom in missing):
                return False
            with self.model.supposing(np.array(sorted(missing), np.int32), self.level) as added:
                known = self._tried[missing] = self._holds(NumberedAtom(*self._goal), ())
            self.budget.spend(_STEPS_PER_TRIAL + len(added))
        return known

    def _above(self, assumed: Iterable[NumberedAtom]) -> set[int]:
        """Return the predicates that can be derived from the assumed facts."""
        predicates = frozenset(atom.predicate for atom in assumed)
        known = self._concluded.get(predicates)
        if known is None:
            known = self._concluded[predicates] = self.clauses.within_reach(predicates)
        return known

    # -- variables ---------------------------------------------------------------------------------

    def _walked(self, atom: NumberedAtom, binding: _Binding) -> NumberedAtom:
        return NumberedAtom(atom.predicate, _walk(atom.subject, binding), _walk(atom.object, binding))

    def _bound(self, state: _State, atom: NumberedAtom, fact: Fact) -> _State:
        """Return the state in which the variables of an atom are bound by a fact."""
        pairs = zip(atom[1:], fact[1:], strict=True)
        found = {term: value for term, value in pairs if term <= FIRST_VARIABLE}
        return state._replace(binding=state.binding | found)

    def _united(self, state: _State, one: NumberedAtom, other: NumberedAtom) -> _State | None:
        """Return the state in which two atoms of one predicate are unified; None if they cannot
        be unified.
        """
        binding = dict(state.binding)
        for first, second in zip(one[1:], other[1:], strict=True):
            a, b = _walk(first, binding), _walk(second, binding)
            if a == b:
                continue
            if b <= FIRST_VARIABLE:
                binding[b] = a
            elif a <= FIRST_VARIABLE:
                binding[a] = b
            else:
                return None
        return state._replace(binding=binding)

    # -- results -----------------------------------------------------------------------------------

    def _finished(self, state: _State) -> AbductionCandidate | None:
        """Return the missing facts of a state; None if they are not a solution."""
        atoms = [self._walked(atom, state.binding) for atom in state.assumed]
        if self._goal in atoms or any(self._holds(atom, ()) for atom in atoms):
            return None
        terms = self._conditions.met(atoms, state.conditions, lambda number: _walk(number, state.binding))
        if terms is None:
            self.is_complete = self.is_complete and self._conditions.is_complete
            return None

        def term(number: int) -> Term:
            return terms.get(number, NEW_NAME) if number <= FIRST_VARIABLE else self._vocabulary.term(number)

        missing: set[Triple] = set()
        for atom in atoms:
            subject, name = term(atom.subject), self._vocabulary.symbols[atom.predicate].name
            if isinstance(subject, Literal):
                return None
            found = (subject, RDF.type, name) if atom.object == NONE else (subject, name, term(atom.object))
            if found[1] == RDF.type and isinstance(found[2], Literal):
                return None
            missing.add(found)
        following = [fact for atom in atoms for fact in self.clauses.following(atom)]
        fit = sum(1 if self._holds(NumberedAtom(*fact), ()) else -1 for fact in following)
        known = [atom for atom in atoms if min(atom) > FIRST_VARIABLE]
        gone = len([atom for atom in known if self.gone(atom)])
        return AbductionCandidate(frozenset(missing), state.present, gone, fit)


def _walk(term: int, binding: _Binding) -> int:
    """Resolve a term through the binding to a constant or an unbound variable."""
    while term <= FIRST_VARIABLE and (value := binding.get(term)) is not None:
        term = value
    return term


def _renamed(atom: NumberedAtom, shift: int) -> NumberedAtom:
    """Rename the variables of a rule's atom by adding `shift`, so that they are new."""
    subject, object_ = (term + shift if term <= FIRST_VARIABLE else term for term in atom[1:])
    return NumberedAtom(atom.predicate, subject, object_)


def _effort(atom: NumberedAtom) -> int:
    """Return the relative cost of matching an atom. Listing the members of a class takes a pass over them."""
    unbound = (atom.subject <= FIRST_VARIABLE) + (atom.object <= FIRST_VARIABLE)
    return 2 if unbound and atom.object == NONE else 2 * unbound if unbound == 2 else unbound


def _pattern(atom: NumberedAtom) -> FactPattern:
    """Return the atom's pattern, which does not depend on the numbers of its variables."""
    subject, object_ = (ANY if term <= FIRST_VARIABLE else term for term in atom[1:])
    return (atom.predicate, subject, SAME if subject == ANY and atom.subject == atom.object else object_)
