"""Semi-naive evaluation over columns, with levels.

A fact's level is the maximum over its derivations of the smallest level in the body (`keep="newest"`, see
materialize/kernel/newest.py). Predicates are evaluated in the dependency order of the rules, so that all
facts of a predicate are there when it is evaluated; only predicates that depend on themselves are evaluated
more than once. A fact whose level rises is evaluated again.

Plans that join transitive properties join with their edges only: the edges of a property are columns of their
own, under another number, evaluated right after the property.

The result is ordered so that each fact has a proof from earlier facts of its level and facts of higher
levels. The kernel of rows can store it as settled (`NewestKernel.enter`).
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
    """Return the plans, each with its trigger, that replace a forward plan where joins use edges."""
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


def makes_edges(plan: JoinPlan, plans: Plans) -> bool:
    """True if a forward plan derives edges from any facts."""
    head, rule = plan.head[0], plan.rule
    noted = head != NONE and bool(plans.edges_noted[head])
    return noted and int(plans.edge_atoms[rule]) == NO_EDGE and not plans.copies[rule]


# Evaluating a predicate costs as much as this many facts in the kernel, and one more for this many stored
# facts.
_A_TAKING, _COPIED = 100, 256
# Cost that may be wasted in any case.
_PATIENCE = 1 << 16
# Partial matches processed together even if few new facts are allowed.
_LEAST_ROWS = 1 << 16
# Rows of the kernel that take as much memory as a partial match with its derived facts and their sorting.
_A_ROW = 4


class Settled(NamedTuple):
    """Facts of one predicate with their levels, in the order they settled."""

    predicate: int
    columns: Columns

    @property
    def facts(self) -> Integers:
        """Return the facts, shape (n, 3)."""
        facts = np.empty((len(self.columns), 3), np.int32)
        facts[:, 0] = self.predicate
        facts[:, 1], facts[:, 2] = subjects_of(self.columns.keys), objects_of(self.columns.keys)
        return facts


class Violating(NamedTuple):
    """Facts that match the constraint plan at `offset` of the code, shape (n, 3)."""

    offset: int
    facts: Integers


class Evaluated(NamedTuple):
    """Result of an evaluation.

    Args:
        settled: facts that are new or rose, in the order they settled.
        violating: facts that violate constraints.
        edges: edges of transitive properties that are new or at a higher level.
        came: number of new facts; the others rose.
        firings: number of rule instances.
    """

    settled: list[Settled]
    violating: list[Violating]
    edges: list[Settled]
    came: int
    firings: int


class TooManyError(Exception):
    """Limit of derived facts exceeded."""

    def __init__(self, facts: int) -> None:
        super().__init__(facts)
        self.facts = facts


class TooSlowError(Exception):
    """Too few facts derived at a time, as along a chain: the kernel of rows is faster."""


class _Waiting:
    """Pending facts of one predicate.

    Args:
        most: number of facts beyond which known ones are removed.
    """

    def __init__(self, most: int) -> None:
        self.parts: list[tuple[Keys, Integers]] = []
        self.size, self.most = 0, most

    def add(self, keys: Keys, levels: Integers) -> None:
        self.parts.append((keys, levels))
        self.size += len(keys)

    @property
    def are_many(self) -> bool:
        return self.size > self.most and len(self.parts) > 1

    def keep(self, news: Columns) -> None:
        """Replace the pending facts, until they have doubled."""
        self.parts, self.size = [(news.keys, news.levels)], len(news)
        self.most = max(self.most, 2 * len(news))


class BulkProgram:
    """Plans of a program, for matching by column. Costs time linear in their size.

    `noted` are the properties whose edges have columns of their own.

    Args:
        always: columns that frames keep beside the variables still needed.
    """

    def __init__(self, plans: Plans, always: frozenset[int] = frozenset()) -> None:
        self.width = plans.membership_bytes
        code = plans.code.tolist()
        starts, offsets = plans.forward.start.tolist(), plans.forward.plans.tolist()
        self.noted = frozenset(np.flatnonzero(plans.edges_noted).tolist())
        self._plans: dict[int, list[Plan]] = {}
        derives: list[tuple[int, int]] = []
        for predicate, (start, end) in enumerate(pairwise(starts)):
            for offset in offsets[start:end]:
                written = JoinPlan.at(code, offset)
                making = makes_edges(written, plans)
                for trigger, plan in with_edges(predicate, written, plans):
                    self._plans.setdefault(trigger, []).append(_read(plan, offset, making, always))
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
            stored: columns of each predicate and of its edges, closed under the rules.
            literals: evaluates conditions.
            most: limit of new facts.

        Raises:
            TooManyError: the limit is exceeded.
            TooSlowError: too few facts are derived at a time.
        """
        rows = min(MOST_ROWS, max(most // _A_ROW, _LEAST_ROWS))
        matcher = ColumnMatcher(dict(stored), literals, self.width, rows)
        return self.close(matcher, columns_by_predicate(facts, levels), most)

    def close(
        self, matcher: ColumnMatcher, given: Mapping[int, tuple[Keys, Integers]], most: int = sys.maxsize
    ) -> Evaluated:
        """Evaluate facts by predicate; `matcher` holds the stored facts, and receives the new ones."""
        return _Evaluation(self, matcher, most).run(given)

    def plans_of(self, predicate: int) -> Sequence[Plan]:
        """Return the plans with this trigger."""
        return self._plans.get(predicate, ())

    def rank(self, predicate: int) -> tuple[int, bool]:
        """Return the position of the predicate in the order of evaluation; its edges come right after it."""
        return self._ranks.get(max(predicate, edges_of(predicate)), 0), predicate < 0


class _Evaluation:
    """One evaluation in progress."""

    def __init__(self, program: BulkProgram, matcher: ColumnMatcher, most: int) -> None:
        self._program, self._matcher, self._most, self._came = program, matcher, most, 0
        self._columns = matcher.columns
        self._waiting: dict[int, _Waiting] = {}
        self._queue: list[tuple[tuple[int, bool], int]] = []
        self._closure = Evaluated([], [], [], 0, 0)
        self._firings = 0
        self._patience = _PATIENCE

    def run(self, given: Mapping[int, tuple[Keys, Integers]]) -> Evaluated:
        for predicate, (keys, at) in given.items():
            self._patience += 4 * len(keys)
            self._derive(predicate, keys, at)
            if predicate in self._program.noted:
                self._derive(edges_of(predicate), keys, at)
        while self._queue:
            _, predicate = heappop(self._queue)
            self._take(predicate)
        return self._closure._replace(came=self._came, firings=self._firings)

    def _derive(self, predicate: int, keys: Keys, levels: Integers) -> None:
        """Add pending facts of a predicate; known ones are removed if there are many."""
        waiting = self._waiting.get(predicate)
        if waiting is None:
            waiting = self._waiting[predicate] = _Waiting(self._matcher.most_rows)
            heappush(self._queue, (self._program.rank(predicate), predicate))
        waiting.add(keys, levels)
        if waiting.are_many:
            columns = self._columns.get(predicate, NO_COLUMNS)
            news = self._matcher.news(predicate, *merged(waiting.parts))
            if predicate >= 0:  # edges are counted as facts already
                self._check(int(np.count_nonzero(columns.find(news.keys) < 0)))
            waiting.keep(news)

    def _check(self, more: int) -> None:
        if self._came + more > self._most:
            raise TooManyError(self._came + more)

    def _pay(self, came: int, stored: int) -> None:
        """Charge the cost of evaluating a predicate with `stored` facts and `came` new ones."""
        self._patience += 4 * came - _A_TAKING - stored // _COPIED
        if self._patience < 0:
            raise TooSlowError

    def _take(self, predicate: int) -> None:
        """Store the new pending facts of `predicate`, and derive their consequences."""
        columns = self._columns.get(predicate, NO_COLUMNS)
        news = self._matcher.news(predicate, *merged(self._waiting.pop(predicate).parts))
        if not len(news):
            return
        self._columns[predicate] = stored = columns.with_news(news)
        if predicate < 0:
            self._pay(0, len(stored))
            self._closure.edges.append(Settled(edges_of(predicate), news))
        else:
            came = len(stored) - len(columns)
            self._came += came
            self._check(0)
            self._pay(came, len(stored))
            self._closure.settled.append(Settled(predicate, news))
        for plan in self._program.plans_of(predicate):
            if plan.head[0] == NONE:
                self._note_violations(plan, predicate, news)
            else:
                self._fire(plan, news)

    def _fire(self, plan: Plan, news: Columns) -> None:
        _, first, second = plan.head
        if plan.renames:  # p(x, y) -> q(x, y), or p(x, y) -> C(x): keys and their order are unchanged
            self._firings += len(news)
            keys = news.keys if plan.head[1:] == plan.trigger else classes_of_subjects(news.keys)
            self._derive_head(plan, keys, news.levels)
            return
        for frame in self._matcher.matches(plan, news):
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
        if plan.makes_edges:
            self._derive(edges_of(plan.head[0]), keys, levels)

    def _note_violations(self, plan: Plan, predicate: int, news: Columns) -> None:
        """Record the new facts that match a constraint."""
        for frame in self._matcher.matches(plan, news):
            self._firings += len(frame.levels)
            places = np.unique(frame.slots[TRIGGER])
            some = Columns(news.keys[places], news.levels[places])
            self._closure.violating.append(Violating(plan.offset, Settled(predicate, some).facts))


def _read(written: JoinPlan, offset: int, makes_edges: bool, always: frozenset[int]) -> Plan:
    """Convert a plan for matching by frames."""
    _, head, trigger, _, steps, conditions = written
    needed = always | (frozenset((TRIGGER,)) if head[0] == NONE else _variables(head[1:]))
    read: list[JoinStep] = []
    for place, (kind, *operands) in reversed([*enumerate((*steps, *conditions))]):
        read.append(JoinStep(kind, (operands[0], operands[1], operands[2], operands[3]), needed))
        needed |= _variables(operands[1:3] if place < len(steps) else _asked(kind, operands))
    read.reverse()
    return Plan(offset, head, trigger, tuple(read[: len(steps)]), tuple(read[len(steps) :]), makes_edges)


def _asked(kind: int, operands: list[int]) -> list[int]:
    """Return the arguments that a condition reads."""
    if kind in (DIFFERENT, IDENTICAL):
        return operands[:2]
    return operands[1:3] if kind in (HOLDS, COMPUTE) else operands[:1]


def _variables(arguments: Iterable[int]) -> frozenset[int]:
    return frozenset(argument for argument in arguments if argument >= 0)
