"""What would have to hold besides, for a fact to be derived: sets of missing facts, smallest first.

Rules are read backwards from the fact (abduction). A premise holds in the window, or follows by a further
rule, or is missing and is assumed; assumed may be what the stream asserts of known names, or of a new one.
What takes few rules is found before what takes more: rules of equality can be applied to anything, again and
again, and would lead a search that goes deep first away from what is near.
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
from pantarhei.explain.clauses import (
    FIRST_VARIABLE,
    BackwardRules,
    ConditionSolver,
    NumberedAtom,
    RuleCondition,
    needless_for,
)
from pantarhei.materialize.model import WindowModel
from pantarhei.model.term import Term, Triple
from pantarhei.proofs.antichain import StepBudget
from pantarhei.rdf.ntriples import write_triple

NEW_NAME = URIRef("urn:pantarhei:new")
"""Stands for a name that nothing is known of."""

# Of a premise so many matches are gone into, and so many sets are given for each size.
_MOST_MATCHES = 100
_MOST_SETS = 200

# Trying facts out costs as much as so many steps, and one more for each fact that follows.
_STEPS_OF_A_TRIAL = 10

_Binding = dict[int, int]

ANY, SAME = -2, -3
FactPattern = tuple[int, int, int]
"""A predicate, a subject and an object; `ANY` stands for any term, `SAME` for the one of the subject."""


class AbductionCandidate(NamedTuple):
    """Facts that are missing.

    Args:
        present: how many premises the rules found in the window.
        gone: how many of the missing facts were asserted once.
        fit: of the facts that follow directly from the missing ones, how many more are there than are not.
    """

    missing: frozenset[Triple]
    present: int
    gone: int
    fit: int


class _OpenPremise(NamedTuple):
    """A premise that is to hold.

    Args:
        above: the patterns of the conclusions that it is a premise of, and whether each was to be concluded
            without eq-trans.
        needless: the names of rules that need not conclude it.
    """

    atom: NumberedAtom
    above: frozenset[tuple[FactPattern, bool]] = frozenset()
    needless: frozenset[str] = frozenset()


class _State(NamedTuple):
    """What has been settled so far.

    Args:
        goals: what is left to be shown.
        binding: what variables stand for.
        assumed: the missing facts.
        conditions: inequalities and tests that are to hold.
        present: how many premises were found in the window.
    """

    goals: tuple[_OpenPremise, ...]
    binding: _Binding
    assumed: tuple[NumberedAtom, ...]
    conditions: tuple[RuleCondition, ...]
    present: int


@dataclass
class AbductionSearch:
    """A search for what is missing.

    Args:
        model: what holds.
        clauses: its rules.
        assumable: the predicates that the stream asserts.
        gone: the facts of a pattern that were asserted once and are no more; the newest ones first.
        level: a new one, at which missing facts are tried out.
        meter: how many steps it may take.

    `is_complete` says whether all was looked at that was to be.
    """

    model: WindowModel
    clauses: BackwardRules
    assumable: frozenset[int]
    gone: Callable[[FactPattern], Iterable[Fact]]
    level: int
    meter: StepBudget
    is_complete: bool = True
    _renamed: int = field(default=0, init=False)  # so many variables have numbers
    _deeper: list[_State] = field(default_factory=list, init=False)  # what takes one rule more

    def __post_init__(self) -> None:
        self._vocabulary: Vocabulary = self.model.vocabulary
        self._reachable = self.clauses.within_reach(self.assumable)
        self._conditions = ConditionSolver(self.model)
        self._matched: dict[FactPattern, list[Fact]] = {}
        self._tried: dict[frozenset[NumberedAtom], bool] = {}
        self._concluded: dict[frozenset[int], set[int]] = {}

    def sets(self, goal: Fact, size: int) -> Iterator[AbductionCandidate]:
        """Sets of that many missing facts by which `goal` is derived; the same one may come twice.

        Raises:
            Exceeded: the steps are used up.
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
        """The states without goals that a state leads to."""
        self.meter.spend(1)
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
        yield from self._going_on(state, goal)

    def _choose(self, state: _State) -> tuple[_OpenPremise, tuple[_OpenPremise, ...]]:
        """The goal that is looked at next, the one with fewest variables; and the others."""
        walked = [goal._replace(atom=self._walked(goal.atom, state.binding)) for goal in state.goals]
        place = min(range(len(walked)), key=lambda i: _effort(walked[i].atom))
        return walked[place], (*walked[:place], *walked[place + 1 :])

    def _holds(self, atom: NumberedAtom, assumed: Iterable[NumberedAtom]) -> bool:
        return atom in assumed or self.model.kernel.store.row_of(*atom) >= 0

    def _matches(self, atom: NumberedAtom) -> list[Fact]:
        """Facts of the window that a goal with variables may be."""
        pattern = _pattern(atom)
        known = self._matched.get(pattern)
        if known is None:
            who, what = (None if term <= FIRST_VARIABLE else term for term in (atom.subject, atom.object))
            found = self._some(self.model.select(atom.predicate, who, what), atom)
            known = self._matched[pattern] = found
        return known

    def _some(self, facts: Integers, atom: NumberedAtom) -> list[Fact]:
        """As many of the facts as are gone into, those that `atom` can be."""
        if atom.subject == atom.object:
            facts = facts[facts[:, 1] == facts[:, 2]]
        self.is_complete = self.is_complete and len(facts) <= _MOST_MATCHES
        texts = dict(zip(as_tuples(facts), _texts(self._vocabulary, facts), strict=True))
        return sorted(texts, key=texts.__getitem__)[:_MOST_MATCHES]  # the same ones in every process

    def _assuming(self, state: _State, atom: NumberedAtom, is_ground: bool) -> Iterator[_State]:
        """Take a goal for missing."""
        if atom.predicate not in self.assumable or len(state.assumed) >= self._size or atom == self._goal:
            return
        if not is_ground:
            for fact in self.gone(_pattern(atom)):
                if fact != self._goal:
                    known = NumberedAtom(*fact)
                    bound = self._bound(state, atom, fact)
                    yield from self._solve(bound._replace(assumed=(*state.assumed, known)))
        yield from self._solve(state._replace(assumed=(*state.assumed, atom)))

    def _going_on(self, state: _State, goal: _OpenPremise) -> Iterator[_State]:
        """Go on to what a goal follows from; where all that is missing is known, see whether it suffices."""
        if len(state.assumed) < self._size:
            self._note_rules(state, goal)
        elif goal.atom.predicate in self._above(state.assumed):
            missing = frozenset(self._walked(atom, state.binding) for atom in state.assumed)
            if any(min(atom.subject, atom.object) <= FIRST_VARIABLE for atom in missing):
                self._note_rules(state, goal)
            elif self._suffice(missing):
                yield state._replace(goals=(), conditions=())

    def _note_rules(self, state: _State, goal: _OpenPremise) -> None:
        """Note what a goal follows from, for when all that takes fewer rules has been looked at."""
        needless = goal.needless | needless_for(goal.atom)
        pattern = _pattern(goal.atom), "eq-trans" in goal.needless
        if pattern in goal.above:
            return
        above = goal.above | {pattern}
        for clause in self.clauses.concluding(goal.atom.predicate):
            if clause.rule.name in needless:
                continue
            if not any(atom.predicate in self._reachable for atom in clause.body):
                continue  # what follows from the window alone is in it
            shift = -self._renamed
            self._renamed += len(clause.variables)
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
        """Whether what is looked for holds with facts that are missing."""
        known = self._tried.get(missing)
        if known is None:
            if any(atom.subject >= FIRST_LITERAL or self._holds(atom, ()) for atom in missing):
                return False
            with self.model.supposing(np.array(sorted(missing), np.int32), self.level) as came:
                known = self._tried[missing] = self._holds(NumberedAtom(*self._goal), ())
            self.meter.spend(_STEPS_OF_A_TRIAL + len(came))
        return known

    def _above(self, assumed: Iterable[NumberedAtom]) -> set[int]:
        """The predicates that can be concluded from what is assumed."""
        predicates = frozenset(atom.predicate for atom in assumed)
        known = self._concluded.get(predicates)
        if known is None:
            known = self._concluded[predicates] = self.clauses.within_reach(predicates)
        return known

    # -- variables ---------------------------------------------------------------------------------

    def _walked(self, atom: NumberedAtom, binding: _Binding) -> NumberedAtom:
        return NumberedAtom(atom.predicate, _walk(atom.subject, binding), _walk(atom.object, binding))

    def _bound(self, state: _State, atom: NumberedAtom, fact: Fact) -> _State:
        """The state where a goal is that fact."""
        pairs = zip(atom[1:], fact[1:], strict=True)
        found = {term: value for term, value in pairs if term <= FIRST_VARIABLE}
        return state._replace(binding=state.binding | found)

    def _united(self, state: _State, one: NumberedAtom, other: NumberedAtom) -> _State | None:
        """The state where two atoms of one predicate are the same; None if they cannot be."""
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

    # -- what was found ----------------------------------------------------------------------------

    def _finished(self, state: _State) -> AbductionCandidate | None:
        """The missing facts of a state; None if they are no answer."""
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
    """What a term stands for."""
    while term <= FIRST_VARIABLE and (value := binding.get(term)) is not None:
        term = value
    return term


def _renamed(atom: NumberedAtom, shift: int) -> NumberedAtom:
    """An atom of a rule with variables of its own."""
    subject, object_ = (term + shift if term <= FIRST_VARIABLE else term for term in atom[1:])
    return NumberedAtom(atom.predicate, subject, object_)


def _effort(atom: NumberedAtom) -> int:
    """What a look at the facts of a goal costs, against others; the members of a class cost a pass."""
    unbound = (atom.subject <= FIRST_VARIABLE) + (atom.object <= FIRST_VARIABLE)
    return 2 if unbound and atom.object == NONE else 2 * unbound if unbound == 2 else unbound


def _pattern(atom: NumberedAtom) -> FactPattern:
    """The atom with variables that have no names."""
    subject, object_ = (ANY if term <= FIRST_VARIABLE else term for term in atom[1:])
    return (atom.predicate, subject, SAME if subject == ANY and atom.subject == atom.object else object_)


def _texts(vocabulary: Vocabulary, facts: Integers) -> list[str]:
    return [write_triple(triple) for triple in vocabulary.decode(facts)]
