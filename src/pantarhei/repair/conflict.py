"""Conflict sets: minimal sets of assertions that violate a constraint (PB26 Def. 10), from the lineage of ⊥.

Members are facts, each at the time of its newest occurrence in the window: a maximal consistent subset that
contains one occurrence of a fact contains all. Background facts are always true and in no conflict set.

An atom of a lineage is *open* if the rules that need no choice between assertions decide neither that every
maximal consistent subset contains it nor that none does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NO_FACTS, NONE, Integers
from pantarhei.errors import check_type
from pantarhei.materialize.kernel.constants import OPEN
from pantarhei.materialize.kernel.decision import Decision
from pantarhei.materialize.kernel.horn import HornProgram, program_of
from pantarhei.materialize.kernel.residue import Residue
from pantarhei.materialize.kernel_values import Lineage, contiguous
from pantarhei.proofs.supports import BudgetExceeded, RowSet, StepBudget, minimal_sets, minimal_supports

Levels = npt.NDArray[np.int64]

Rank = Callable[[Integers], Sequence[Any]]
"""Function from facts, shape (n, 3), to sort keys that do not depend on the numbers of terms."""

# Kernel steps for each step of a budget, which counts steps of Python.
_KERNEL_STEPS = 100

_NOTHING = np.empty(0, np.int32)

# A lineage with at most this many rule instances, plus two for each violation, is stored unchanged.
_FEW_INSTANCES = 64


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of the search in one repair.

    A decision usually costs linear time. If facts of one timestamp contradict each other and older facts
    depend on the choice between them, groups of connected facts are searched, which can take exponential time
    in the size of a group. If a limit is reached, the open facts of a group are removed, and reported as
    undecided. A step that reaches a limit costs a materialization of the window.

    Args:
        sets: maximum number of conflict sets and partial supports stored at once, for each group.
        steps: maximum number of combinations and comparisons for each group; a hundred times as many for all
            groups of a repair, and a hundred times as many kernel steps for testing facts one by one.
        instances: maximum number of rule instances in the lineage of ⊥. Beyond it the newest timestamps whose
            rule instances are complete are decided, and older assertions in the lineage are removed as
            undecided.

    Raises:
        OptionError: an argument is not a whole number.

    >>> Budget(steps=100_000)
    Budget(sets=20000, steps=100000, instances=3000000)
    """

    sets: int = 20_000
    steps: int = 1_000_000
    instances: int = 3_000_000

    def __post_init__(self) -> None:
        for name in ("sets", "steps", "instances"):
            check_type(name, getattr(self, name), int, "a whole number")

    @property
    def kernel_steps(self) -> int:
        """Maximum number of kernel steps for testing assertions one by one."""
        return _KERNEL_STEPS * max(0, self.steps)


# -- open atoms and their rules ------------------------------------------------------------------------


class OpenRules(NamedTuple):
    """Rule instances among open atoms, as columns; atoms are numbered from 0.

    Args:
        levels: the level of each asserted atom; `NONE` for a derived one.
        heads: the head of each rule; `NONE` for a constraint.
        numbers: the number of each rule or constraint in the program.
        starts: for each rule the index in `bodies` at which its body begins, followed by the length of
            `bodies`.
        bodies: the body atoms of all rules, concatenated.
    """

    levels: Levels
    heads: Integers
    numbers: Integers
    starts: Integers
    bodies: Integers

    def residue(self) -> Any:
        """Return the rules as the kernel's `Residue`, which groups connected atoms."""
        columns = map(contiguous, (self.heads, self.numbers, self.starts, self.bodies))
        return Residue(HornProgram(len(self.levels), *columns), contiguous(self.levels, np.int64))

    def groups(self, chosen: npt.NDArray[np.bool_], leaders: Integers) -> list[OpenGroup]:
        """Return the groups of the chosen atoms, smallest first.

        Args:
            chosen: mask of atoms, a union of groups.
            leaders: for each atom the atom that represents its group.
        """
        parts: dict[int, OpenGroup] = defaultdict(lambda: OpenGroup([], set(), set()))
        leader_of = leaders.tolist()
        for atom in np.flatnonzero(chosen & (self.levels != NONE)).tolist():
            parts[leader_of[atom]].asserted.append(atom)
        starts, bodies = self.starts.tolist(), self.bodies.tolist()
        heads, numbers = self.heads.tolist(), self.numbers.tolist()
        for rule in np.flatnonzero(chosen[self.bodies[self.starts[:-1]]]).tolist():
            body = tuple(sorted(bodies[starts[rule] : starts[rule + 1]]))
            part = parts[leader_of[body[0]]]
            if heads[rule] == NONE:
                part.violations.add((numbers[rule], body))
            else:
                part.instances.add((heads[rule], body))
        return sorted(parts.values(), key=lambda part: (part.size, part.asserted))

    def distinct(self) -> OpenRules:
        """Return the rules without duplicates."""
        starts, bodies = self.starts.tolist(), self.bodies.tolist()
        rules = dict.fromkeys(
            (head, number, tuple(sorted(bodies[start:end])))
            for head, number, (start, end) in zip(
                self.heads.tolist(), self.numbers.tolist(), pairwise(starts), strict=True
            )
        )
        heads, numbers, bodies_of = zip(*rules, strict=True)
        ends = np.cumsum([0, *map(len, bodies_of)], dtype=np.int32)
        columns = (np.array(column, np.int32) for column in (heads, numbers, ends, [*chain(*bodies_of)]))
        return OpenRules(self.levels, *columns)

    def reordered(self, order: npt.NDArray[np.intp]) -> OpenRules:
        """Return the rules with renumbered atoms: atom `order[i]` becomes `i`."""
        new = np.empty(len(order), np.int32)
        new[order] = np.arange(len(order), dtype=np.int32)
        heads = np.where(self.heads == NONE, NONE, new[self.heads]).astype(np.int32)
        return self._replace(levels=self.levels[order], heads=heads, bodies=new[self.bodies])


@dataclass(slots=True)
class OpenGroup:
    """Connected group of open atoms and their rules.

    Args:
        asserted: the asserted atoms.
        instances: head and body of each rule.
        violations: number and body of each constraint.
    """

    asserted: list[int]
    instances: set[tuple[int, tuple[int, ...]]]
    violations: set[tuple[int, tuple[int, ...]]]

    @property
    def size(self) -> int:
        """Number of assertions, rules and constraints."""
        return len(self.asserted) + len(self.instances) + len(self.violations)

    def violating(self, meter: StepBudget) -> list[tuple[RowSet, int]]:
        """Return supports of violations, each with the number of its constraint.

        The minimal supports are among them.

        Raises:
            Exceeded: the budget is exhausted.
        """
        supports = minimal_supports(self.asserted, sorted(self.instances), meter)
        found = []
        for constraint, body in sorted(self.violations):
            for atoms in meter.unions(frozenset(), [supports[atom] for atom in body]):
                meter.keep()
                found.append((atoms, constraint))
        return found


def decision_of(lineage: Lineage, budget: Budget) -> Any:
    """Return the kernel's `Decision` about a lineage, with all atoms undecided."""
    background = contiguous(lineage.background, np.uint8)
    columns = map(contiguous, (lineage.instances, lineage.violations))
    return Decision(
        program_of(contiguous(lineage.rows), background, *columns),
        budget.kernel_steps + 16 * (len(lineage.rows) + lineage.instances.size + lineage.violations.size),
    )


# -- evidence ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConflictEvidence:
    """Part of a lineage from which the conflict sets of a step are computed, in numbers.

    Atoms are numbered from 0; the first ones are the members, which are asserted.

    Args:
        facts: the fact of each member, shape (n, 3).
        levels: the newest level of each member.
        singles: rows `member, constraint` for members that violate a constraint by themselves.
        rules: rules of all other conflict sets.
        is_complete: false if some conflict sets are not derivable from the evidence.
    """

    facts: Integers
    levels: Levels
    singles: Integers
    rules: OpenRules
    is_complete: bool

    @classmethod
    def of(cls, lineage: Lineage, budget: Budget) -> tuple[ConflictEvidence, Integers]:
        """Extract the evidence from a lineage; return it with the row of each member in the lineage. Costs
        linear time.
        """
        decision = decision_of(lineage, budget)
        decision.decide_together(contiguous(np.flatnonzero(lineage.asserted)))
        places, heads, numbers, starts, bodies = decision.residue()
        if (
            not decision.is_complete
        ):  # otherwise facts that are contradictory by themselves would be listed in larger sets
            places, heads, numbers, bodies, starts = (*(_NOTHING,) * 4, np.zeros(1, np.int32))
        is_open = decision.statuses()[places] == OPEN
        singles = _each_once(decision.singles.array().reshape(-1, 2))
        alone, singles[:, 0] = np.unique(singles[:, 0], return_inverse=True)
        members = np.concatenate([places[is_open], alone])
        singles[:, 0] += len(members) - len(alone)
        # a member of a singleton conflict set may also occur as a derived atom
        atoms = np.empty(len(places), np.int32)
        atoms[is_open] = np.arange(is_open.sum(), dtype=np.int32)
        atoms[~is_open] = np.arange(len(members), len(members) + (~is_open).sum(), dtype=np.int32)
        levels = np.full(len(places) + len(alone), NONE, np.int64)
        levels[: is_open.sum()] = lineage.assertion_levels[places[is_open]]
        heads = np.where(heads == NONE, NONE, atoms[heads]).astype(np.int32)
        rules = OpenRules(levels, heads, numbers, starts, atoms[bodies])
        is_complete = decision.is_complete and lineage.floor == NONE
        evidence = cls(lineage.facts[members], lineage.assertion_levels[members], singles, rules, is_complete)
        return evidence, members

    @classmethod
    def of_sets(
        cls, levels: Levels, sets: Sequence[tuple[Sequence[int], Sequence[int]]], is_complete: bool
    ) -> ConflictEvidence:
        """Build evidence for given conflict sets.

        Args:
            levels: the newest level of each member; members of singleton sets come last.
            sets: members and constraints of each conflict set.
            is_complete: true if these are all conflict sets.
        """
        singles = sorted((members[0], rule) for members, rules in sets if len(members) == 1 for rule in rules)
        larger = [(members, rule) for members, rules in sets if len(members) > 1 for rule in rules]
        alone = sorted({member for member, _ in singles})
        of_atoms = levels.copy()
        of_atoms[alone] = NONE
        heads = np.full(len(larger), NONE, np.int32)
        numbers = np.array([rule for _, rule in larger], np.int32)
        starts = np.cumsum([0, *(len(members) for members, _ in larger)], dtype=np.int32)
        bodies = np.array([member for members, _ in larger for member in members], np.int32)
        rules = OpenRules(of_atoms, heads, numbers, starts, bodies)
        return cls(NO_FACTS, levels, np.array(singles, np.int32).reshape(-1, 2), rules, is_complete)

    @property
    def bytes(self) -> int:
        """Size in bytes."""
        columns = (self.facts, self.levels, self.singles, *self.rules)
        return sum(column.nbytes for column in columns)

    def conflicts(self, budget: Budget) -> Conflicts:
        """Compute the conflict sets.

        Costs linear time in their number if each has two members; in general in the number of supports, which
        `budget` limits.
        """
        residue = self.rules.residue()
        pairs, truncated = residue.pairs(max(0, budget.steps))
        if truncated.any():  # the lineage may contain a violation twice
            residue = self.rules.distinct().residue()
            pairs, truncated = residue.pairs(max(0, budget.steps))
        joined = np.asarray(residue.joined(), np.bool_)
        found: list[RowConflict] = []
        lost = set(np.flatnonzero(truncated & (self.rules.levels != NONE)).tolist())
        is_complete = self.is_complete and not lost
        for group in self.rules.groups(joined, residue.leaders()) if joined.any() else ():
            candidates: dict[RowSet, set[int]] = defaultdict(set)
            try:
                for members, constraint in group.violating(StepBudget(budget.sets, budget.steps)):
                    candidates[members].add(constraint)
            except BudgetExceeded:
                is_complete = False
                lost.update(group.asserted)
                continue
            found += [RowConflict(rows, tuple(sorted(candidates[rows]))) for rows in minimal_sets(candidates)]
        return Conflicts(self.singles, _each_once(pairs), found, frozenset(lost), is_complete)


class KeptEvidence:
    """Evidence of a step, stored with its repair.

    It is extracted from the lineage immediately if that saves memory, otherwise on first access.

    Args:
        known: the lineage of the violations, or the evidence.
        budget: limits of the extraction and of the listing of conflict sets.
    """

    def __init__(self, known: Lineage | ConflictEvidence, budget: Budget) -> None:
        self._budget, self._known = budget, known
        if isinstance(known, Lineage) and len(known.instances) > _FEW_INSTANCES + 2 * len(known.violations):
            self._known = ConflictEvidence.of(known, budget)[0]
        self.bytes = self._known.bytes

    @property
    def levels(self) -> Levels:
        """Levels of the members, with duplicates; of all assertions in the lineage before the extraction."""
        known = self._known
        return known.assertion_levels[known.asserted] if isinstance(known, Lineage) else known.levels

    @property
    def evidence(self) -> ConflictEvidence:
        known = self._known
        if isinstance(known, Lineage):
            known = self._known = ConflictEvidence.of(known, self._budget)[0]
        return known

    def conflicts(self) -> Conflicts:
        """Compute the conflict sets."""
        return self.evidence.conflicts(self._budget)


class RowConflict(NamedTuple):
    """Conflict set in numbers of members, with the numbers of the constraints that it violates."""

    rows: RowSet
    constraints: tuple[int, ...]


@dataclass(frozen=True)
class Conflicts:
    """Conflict sets of a step, in numbers of members.

    Args:
        singles: rows `member, constraint`, ascending.
        pairs: rows `member, member, constraint`, ascending.
        larger: conflict sets with more than two members, or in groups that were searched.
        lost: members of groups beyond the budget, whose conflict sets are not listed.
        is_complete: true if all conflict sets are listed.
    """

    singles: Integers
    pairs: Integers
    larger: Sequence[RowConflict]
    lost: RowSet
    is_complete: bool

    @cached_property
    def _length(self) -> int:
        return len(self.larger) + _different(self.singles[:, :1]) + _different(self.pairs[:, :2])

    def __len__(self) -> int:
        return self._length

    def in_order(self, keys: Sequence[Any]) -> list[RowConflict]:
        """Return the conflict sets, small ones first, then sorted by the keys of their members."""
        return sorted(self, key=lambda each: (len(each.rows), sorted(keys[row] for row in each.rows)))

    def __iter__(self) -> Iterator[RowConflict]:
        by_set: dict[RowSet, list[int]] = defaultdict(list)
        for *members, constraint in (*self.singles.tolist(), *self.pairs.tolist()):
            by_set[frozenset(members)].append(constraint)
        for rows, constraints in by_set.items():
            yield RowConflict(rows, tuple(constraints))
        yield from self.larger


def _each_once(rows: Integers) -> Integers:
    """Return the distinct rows, ascending; all numbers are at least 0. Costs a sort."""
    if len(rows) < 2:
        return rows
    sizes = tuple(int(most) + 1 for most in rows.max(axis=0))
    if prod(sizes) >= 1 << 62:
        return np.unique(rows, axis=0)
    keys = np.unique(np.ravel_multi_index(tuple(rows.T), sizes))
    return np.stack(np.unravel_index(keys, sizes), axis=1).astype(np.int32)


def _different(rows: Integers) -> int:
    """Return the number of distinct rows among ascending rows."""
    return int(np.any(rows[1:] != rows[:-1], axis=1).sum()) + 1 if len(rows) else 0
