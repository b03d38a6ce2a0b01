"""Semi-naive evaluation over columns, with levels.

The level of a fact is the maximum over its derivations of the smallest level in the body (`keep="newest"`,
see materialize/kernel/newest.py). Predicates are evaluated in the dependency order of the rules, so that all
facts of a predicate are known when it is evaluated. Only predicates that depend on themselves are evaluated
several times. A fact whose level rises is evaluated again.

Rules of transitive properties join with edges only. The edges of a property are stored as columns of their
own under another number, and evaluated right after the property.

The result is ordered: each fact follows from facts of its level that precede it and from facts of higher
levels. The kernel can therefore store it as settled (`NewestKernel.insert_settled`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers
from pantarhei.materialize.bulk.columns import (
    NO_COLUMNS,
    Columns,
    Keys,
    classes_of_subjects,
    columns_by_predicate,
    merged,
    objects_of,
    subjects_of,
)
from pantarhei.materialize.bulk.plans import MOST_ROWS, TRIGGER, ColumnMatcher, JoinStep, Literals, Plan
from pantarhei.model.graphs import ranks
from pantarhei.rules.compilation.plan import COMPUTE, DIFFERENT, HOLDS, IDENTICAL, JoinPlan
from pantarhei.rules.compilation.program import NO_EDGE, Plans


def edges_of(predicate: int) -> int:
    """Return the number under which the edges of a property are stored; inverse to itself.

    >>> edges_of(7), edges_of(edges_of(7))
    (-9, 7)
    """
    return -2 - predicate


def with_edges(predicate: int, plan: JoinPlan, plans: Plans) -> Iterator[tuple[int, JoinPlan]]:
    """Yield the plans that replace a forward plan whose rule joins with edges or copies them, each with its
    trigger.
    """
    edge_atom = int(plans.edge_atoms[plan.rule])
    if plan.atom == edge_atom:
        yield edges_of(predicate), plan
        return
    if edge_atom != NO_EDGE:
        step = plan.steps[0]  # the only step
        plan = plan._replace(steps=(step._replace(predicate=edges_of(step.predicate)),))
    yield predicate, plan
    if plans.copies[plan.rule]:
        yield edges_of(predicate), plan._replace(head=(edges_of(plan.head[0]), *plan.head[1:]))


def derives_edges(plan: JoinPlan, plans: Plans) -> bool:
    """Return true if the heads of a forward plan are edges, whatever facts match its body."""
    head, rule = plan.head[0], plan.rule
    noted = head != NONE and bool(plans.edges_noted[head])
    return noted and int(plans.edge_atoms[rule]) == NO_EDGE and not plans.copies[rule]


# Cost of evaluating a predicate, as a number of facts derived in the kernel: a fixed part, and one fact for
# each so many stored facts of the predicate.
_EVALUATION_COST, _STORED_PER_COST = 100, 256
# Initial budget, in the same unit.
_BUDGET = 1 << 16
# Least limit of the rows of a frame, even if few new facts are allowed.
_MIN_ROWS = 1 << 16
# Number of kernel rows with the memory of one partial match, its derived fact, and their sorting.
_KERNEL_ROWS = 4


class Settled(NamedTuple):
    """Facts of one predicate with their levels, in the order in which they settled."""

    predicate: int
    columns: Columns

    @property
    def facts(self) -> Integers:
        """The facts, shape (n, 3)."""
        facts = np.empty((len(self.columns), 3), np.int32)
        facts[:, 0] = self.predicate
        facts[:, 1], facts[:, 2] = subjects_of(self.columns.keys), objects_of(self.columns.keys)
        return facts


class Violating(NamedTuple):
    """Facts that match the trigger of a violated constraint, shape (n, 3).

    Args:
        offset: index of the constraint's plan in the code.
    """

    offset: int
    facts: Integers


class Evaluated(NamedTuple):
    """Result of an evaluation.

    Args:
        settled: facts that are new or rose to a higher level, in the order in which they settled.
        violating: facts that violate constraints.
        edges: edges of transitive properties that are new or rose.
        inserted: number of new facts.
        firings: number of rule instances.
    """

    settled: list[Settled]
    violating: list[Violating]
    edges: list[Settled]
    inserted: int
    firings: int


class TooManyError(Exception):
    """Limit of derived facts exceeded."""

    def __init__(self, facts: int) -> None:
        super().__init__(facts)
        self.facts = facts


class TooSlowError(Exception):
    """Too few facts are derived at a time, as along a chain: evaluation by row is faster."""


class _PendingFacts:
    """Facts of one predicate that are not evaluated yet.

    Args:
        most: number of facts above which known and repeated facts are removed.
    """

    def __init__(self, most: int) -> None:
        self.parts: list[tuple[Keys, Integers]] = []
        self.size, self.most = 0, most

    def add(self, keys: Keys, levels: Integers) -> None:
        self.parts.append((keys, levels))
        self.size += len(keys)

    def keep(self, new: Columns) -> None:
        """Replace the pending facts, and raise the limit to twice their number."""
        self.parts, self.size = [(new.keys, new.levels)], len(new)
        self.most = max(self.most, 2 * len(new))


class BulkProgram:
    """Plans of a program for matching by column. Decoding costs time linear in their size.

    `noted` has the properties whose edges have columns of their own.

    Args:
        extra: columns that frames keep in addition to the variables that are still needed.
    """

    def __init__(self, plans: Plans, extra: frozenset[int] = frozenset()) -> None:
        self.width = plans.membership_bytes
        code = plans.code.tolist()
        starts, offsets = plans.forward.start.tolist(), plans.forward.plans.tolist()
        self.noted = frozenset(np.flatnonzero(plans.edges_noted).tolist())
        self._plans: dict[int, list[Plan]] = {}
        derives: list[tuple[int, int]] = []
        for predicate, (start, end) in enumerate(pairwise(starts)):
            for offset in offsets[start:end]:
                written = JoinPlan.at(code, offset)
                is_deriving = derives_edges(written, plans)
                for trigger, plan in with_edges(predicate, written, plans):
                    self._plans.setdefault(trigger, []).append(_read(plan, offset, is_deriving, extra))
                if written.head[0] != NONE:
                    derives.append((predicate, written.head[0]))
        self._ranks = ranks(derives)

    def closure(
        self,
        stored: Mapping[int, Columns],
        facts: Integers,
        levels: Integers,
        literals: Literals,
        most: int = sys.maxsize,
    ) -> Evaluated:
        """Return the consequences of adding `facts`, shape (n, 3), at `levels` to the `stored` facts.

        Args:
            stored: columns of each predicate, and of its edges, closed under the rules.
            literals: evaluates conditions.
            most: limit of new facts.

        Raises:
            TooManyError: the limit is exceeded.
            TooSlowError: too few facts are derived at a time.
        """
        rows = min(MOST_ROWS, max(most // _KERNEL_ROWS, _MIN_ROWS))
        matcher = ColumnMatcher(dict(stored), literals, self.width, rows)
        return self.close(matcher, columns_by_predicate(facts, levels), most)

    def close(
        self, matcher: ColumnMatcher, given: Mapping[int, tuple[Keys, Integers]], most: int = sys.maxsize
    ) -> Evaluated:
        """Evaluate the given facts. `matcher` has the stored facts, and receives the new ones."""
        return _Evaluation(self, matcher, most).run(given)

    def plans_of(self, predicate: int) -> Sequence[Plan]:
        """Return the plans with this trigger."""
        return self._plans.get(predicate, ())

    def rank(self, predicate: int) -> tuple[int, bool]:
        """Return the position of a predicate in the order of evaluation. The edges of a property follow it
        directly.
        """
        return self._ranks.get(max(predicate, edges_of(predicate)), 0), predicate < 0


class _Evaluation:
    """One evaluation in progress."""

    def __init__(self, program: BulkProgram, matcher: ColumnMatcher, most: int) -> None:
        self._program, self._matcher, self._most, self._inserted = program, matcher, most, 0
        self._columns = matcher.columns
        self._pending: dict[int, _PendingFacts] = {}
        self._queue: list[tuple[tuple[int, bool], int]] = []
        self._closure = Evaluated([], [], [], 0, 0)
        self._firings = 0
        self._budget = _BUDGET

    def run(self, given: Mapping[int, tuple[Keys, Integers]]) -> Evaluated:
        for predicate, (keys, at) in given.items():
            self._budget += 4 * len(keys)
            self._derive(predicate, keys, at)
            if predicate in self._program.noted:
                self._derive(edges_of(predicate), keys, at)
        while self._queue:
            _, predicate = heappop(self._queue)
            self._evaluate(predicate)
        return self._closure._replace(inserted=self._inserted, firings=self._firings)

    def _derive(self, predicate: int, keys: Keys, levels: Integers) -> None:
        """Add pending facts of a predicate; known facts are removed if there are many pending ones."""
        pending = self._pending.get(predicate)
        if pending is None:
            pending = self._pending[predicate] = _PendingFacts(self._matcher.most_rows)
            heappush(self._queue, (self._program.rank(predicate), predicate))
        pending.add(keys, levels)
        if pending.size > pending.most and len(pending.parts) > 1:
            columns = self._columns.get(predicate, NO_COLUMNS)
            new = self._matcher.newer(predicate, *merged(pending.parts))
            if predicate >= 0:  # edges are counted as facts already
                self._check_limit(int(np.count_nonzero(columns.find(new.keys) < 0)))
            pending.keep(new)

    def _check_limit(self, more: int) -> None:
        if self._inserted + more > self._most:
            raise TooManyError(self._inserted + more)

    def _charge(self, inserted: int, stored: int) -> None:
        """Subtract the cost of evaluating a predicate from the budget, and credit it with the inserted facts.

        Raises:
            TooSlowError: the budget is exhausted.
        """
        self._budget += 4 * inserted - _EVALUATION_COST - stored // _STORED_PER_COST
        if self._budget < 0:
            raise TooSlowError

    def _evaluate(self, predicate: int) -> None:
        """Store the pending facts of `predicate` that are new, and derive their consequences."""
        columns = self._columns.get(predicate, NO_COLUMNS)
        new = self._matcher.newer(predicate, *merged(self._pending.pop(predicate).parts))
        if not len(new):
            return
        self._columns[predicate] = stored = columns.merged_with(new)
        if predicate < 0:
            self._charge(0, len(stored))
            self._closure.edges.append(Settled(edges_of(predicate), new))
        else:
            inserted = len(stored) - len(columns)
            self._inserted += inserted
            self._check_limit(0)
            self._charge(inserted, len(stored))
            self._closure.settled.append(Settled(predicate, new))
        for plan in self._program.plans_of(predicate):
            if plan.head[0] == NONE:
                self._record_violations(plan, predicate, new)
            else:
                self._fire(plan, new)

    def _fire(self, plan: Plan, new: Columns) -> None:
        _, first, second = plan.head
        if plan.renames:  # p(x, y) -> q(x, y), or p(x, y) -> C(x): keys and their order are unchanged
            self._firings += len(new)
            keys = new.keys if plan.head[1:] == plan.trigger else classes_of_subjects(new.keys)
            self._derive_head(plan, keys, new.levels)
            return
        for frame in self._matcher.matches(plan, new):
            self._firings += len(frame.levels)
            keys, levels = self._matcher.keys(frame, first, second), frame.levels
            if first >= 0:
                names = frame.slots[first] < FIRST_LITERAL
                if not names.all():
                    keys, levels = keys[names], levels[names]
            elif -2 - first >= FIRST_LITERAL:
                continue
            if len(keys):
                self._derive_head(plan, keys, levels)

    def _derive_head(self, plan: Plan, keys: Keys, levels: Integers) -> None:
        self._derive(plan.head[0], keys, levels)
        if plan.derives_edges:
            self._derive(edges_of(plan.head[0]), keys, levels)

    def _record_violations(self, plan: Plan, predicate: int, new: Columns) -> None:
        """Record the new facts that match the trigger of a violated constraint."""
        for frame in self._matcher.matches(plan, new):
            self._firings += len(frame.levels)
            places = np.unique(frame.slots[TRIGGER])
            some = Columns(new.keys[places], new.levels[places])
            self._closure.violating.append(Violating(plan.offset, Settled(predicate, some).facts))


def _read(written: JoinPlan, offset: int, derives_edges: bool, extra: frozenset[int]) -> Plan:
    """Decode a plan for matching by frames."""
    _, head, trigger, _, steps, conditions = written
    needed = extra | (frozenset((TRIGGER,)) if head[0] == NONE else _variables(head[1:]))
    read: list[JoinStep] = []
    for place, (kind, *operands) in reversed([*enumerate((*steps, *conditions))]):
        read.append(JoinStep(kind, (operands[0], operands[1], operands[2], operands[3]), needed))
        needed |= _variables(operands[1:3] if place < len(steps) else _condition_arguments(kind, operands))
    read.reverse()
    return Plan(offset, head, trigger, tuple(read[: len(steps)]), tuple(read[len(steps) :]), derives_edges)


def _condition_arguments(kind: int, operands: list[int]) -> list[int]:
    """Return the arguments that a condition reads."""
    if kind in (DIFFERENT, IDENTICAL):
        return operands[:2]
    return operands[1:3] if kind in (HOLDS, COMPUTE) else operands[:1]


def _variables(arguments: Iterable[int]) -> frozenset[int]:
    return frozenset(argument for argument in arguments if argument >= 0)
