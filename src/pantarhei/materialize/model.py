"""Window model (PB26 Def. 8): the facts that follow from the assertions in the window.

The model is derived state: it can be rebuilt from the log of assertions. Timestamps are represented by
*levels*, consecutive numbers in the order of the stream; the background has the level `FOREVER`. The kernel
stores levels relative to an offset, so that they fit into 32 bits.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import add, sub
from typing import Any, Final, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from rdflib import RDF
from rdflib import Literal as RdfLiteral

from pantarhei.encoding.numbers import (
    NO_FACTS,
    NO_FORMS,
    NONE,
    Fact,
    FactForms,
    Integers,
    Renaming,
    UsedTerms,
    smallest_type,
)
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import UncompiledKernelWarning
from pantarhei.materialize.bulk.evaluation import BulkProgram
from pantarhei.materialize.bulk.load import load
from pantarhei.materialize.kernel.bags import Readers
from pantarhei.materialize.kernel.constants import FOREVER
from pantarhei.materialize.kernel.every import EveryKernel
from pantarhei.materialize.kernel.newest import NewestKernel
from pantarhei.materialize.kernel.rows import (
    COMPILED,
    UNLIMITED_BYTES,
    UNLIMITED_FACTS,
    CapacityExceededError,
)
from pantarhei.materialize.kernel_values import LevelChanges, LevelNumbers, Lineage, contiguous
from pantarhei.model.rule import Atom, Different
from pantarhei.model.term import Term, Triple
from pantarhei.rules.compilation.body_plans import (
    BodyPlan,
    BodyPlans,
    FactPattern,
    alone,
    plan_bodies,
    plan_body,
)
from pantarhei.rules.compilation.program import Program, compile_

Keep = Literal["newest", "every"]


_NO_VIOLATIONS = np.empty((0, 1), np.int32)


class Work(NamedTuple):
    """Work counters of a model.

    Args:
        pops: facts taken from the queue.
        firings: rule instances enumerated to derive facts.
        renewals: facts queued again because they had been asserted again when their partition expired.
        rederivations: facts overdeleted.
        searches: rows read in searches for other support.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> reasoner.work.pops > 0
    True
    """

    pops: int
    firings: int
    renewals: int
    rederivations: int
    searches: int


class Bindings(NamedTuple):
    """Matches of a body.

    Args:
        bindings: terms bound to the plan's variables, shape (n, variables); rows are distinct.
        levels: for each match the lowest level of its facts.
    """

    bindings: Integers
    levels: LevelNumbers


Shown = Callable[[Fact, int], int | None]
"""Function of a fact, and of 1 (after the step) or -1 (before it). Returns the number of the form in which
the fact's literal is displayed, None for the first form of its value.
"""

RowsRead = Callable[[Integers, Integers | None, Shown | None], dict[Any, dict[tuple[int, ...], int]]]
"""Function that returns the rows inserted and deleted by a step, as a signed bag for each leaf that has any.

Its arguments are `noted` and `reformed` of `signed_matches`, where None stands for no facts; and the
displayed forms of literals, None if all literals are displayed in the first forms of their values.
"""


class WindowModel:
    """Materialization of the window: the facts, each with the interpretations that hold it.

    Args:
        program: the compiled rules and constraints.
        keep: `"newest"` stores only the newest interpretation of each fact, `"every"` all interpretations, as
            Def. 8 does.
        vocabulary: its symbols have the same numbers as in the program.
        first_level: the first level of the stream.

    `records_levels` is true if level changes are recorded. `is_broken` is true after an exception while the
    model was settling; the model is unusable then.
    """

    # Levels are 32-bit in the kernel: beyond this they are renumbered from the window's oldest.
    renumber_at = 1 << 29

    # Facts are derived in bulk if there are at least this many, and at least this share of the stored facts:
    # from there on it is faster (docs/performance.md).
    bulk_from = 10_000
    bulk_share = 0.3

    # Bytes always allowed for matching by column; the rest of the limit is the kernel's.
    bulk_bytes = 8 << 20

    def __init__(self, program: Program, keep: Keep, vocabulary: Vocabulary, first_level: int = 0) -> None:
        _warn_if_uncompiled()
        self.program = program
        self.vocabulary = vocabulary
        self.kernel: Any = (NewestKernel if keep == "newest" else EveryKernel)(program.plans)
        self.kernel.detect = True
        self._uses_literals = bool(program.ranges or program.builtins)
        self.records_levels = False
        self.is_broken = False
        self._bulk_program: BulkProgram | None = None
        self._body_matches = WeakKeyDictionary[BodyPlan | BodyPlans, Any]()
        self._shift = first_level  # offset of the kernel's levels
        self._undone_work = Work(0, 0, 0, 0, 0)  # work of suppositions, excluded from the counters

    # -- change ------------------------------------------------------------------------------------

    def add_background(self, facts: Integers) -> None:
        """Assert `facts` forever."""
        self._add(facts, np.full(len(facts), FOREVER, np.int32))

    def add(self, facts: Integers, level: int) -> Integers:
        """Assert `facts` at `level`, which is not below the newest level; returns the data for `withdraw`."""
        self._advance_to(level)
        return self._add(facts, np.full(len(facts), level - self._shift, np.int32))

    def merge(self, facts: Integers, asserted: int, level: int) -> Integers:
        """Assert `facts[:asserted]` at the new `level`. The other facts are all their consequences with the
        background.

        Returns the data for `withdraw`. With `keep="every"` the consequences are derived again.
        """
        if not self._keeps_newest:
            return self.add(facts[:asserted], level)
        self._advance_to(level)
        previous = np.empty(asserted, np.int32)
        if self._uses_literals:
            self.kernel.use_literals(self.vocabulary)
        self.kernel.merge(contiguous(facts), asserted, level - self._shift, contiguous(previous))
        return previous

    def fill(self, parts: Sequence[tuple[Integers, int]]) -> None:
        """Assert several parts, each at its level, in ascending order. Has the result of calling `add` for
        each part.

        The parts are evaluated together, by column if they are large. With `keep="every"` interpretations may
        depend on the order, so the parts are added one by one.
        """
        if not self._keeps_newest:
            for facts, level in parts:
                self.add(facts, level)
        elif parts:
            self._advance_to(parts[-1][1])
            levels = [np.full(len(facts), level - self._shift, np.int32) for facts, level in parts]
            self._add(np.concatenate([facts for facts, _ in parts]), np.concatenate(levels))

    def restore(self, facts: Integers, levels: npt.NDArray[np.int64]) -> None:
        """Assert `facts` at their former levels in the window. Violations are not recorded."""
        self.kernel.detect = False
        self._add(facts, (levels - self._shift).astype(np.int32))
        self.kernel.detect = True

    def _advance_to(self, level: int) -> None:
        """Set the newest level, with room for the levels of the whole window."""
        kernel = self.kernel
        if level - self._shift >= self.renumber_at:
            less = kernel.oldest // kernel.level_capacity * kernel.level_capacity
            kernel.renumber(less)
            self._shift += less
        kernel.newest = level - self._shift
        kernel.reserve_levels(kernel.newest - kernel.oldest + 2)

    def _add(self, facts: Integers, levels: Integers) -> Integers:
        previous = np.empty(len(facts), np.int32)
        if self._uses_literals:
            self.kernel.use_literals(self.vocabulary)
        if self._is_bulk(len(facts)):
            if self._bulk_program is None:
                self._bulk_program = BulkProgram(self.program.plans)
            load(
                self.kernel,
                self._bulk_program,
                np.ascontiguousarray(facts, np.int32),
                levels,
                previous,
                self.vocabulary,
            )
        else:
            self.kernel.add(contiguous(facts), contiguous(levels), contiguous(previous))
        return previous

    @property
    def _keeps_newest(self) -> bool:
        return isinstance(self.kernel, NewestKernel)

    def _is_bulk(self, count: int) -> bool:
        return (
            count >= self.bulk_from
            and self._keeps_newest
            and not self.kernel.merged
            and count >= self.bulk_share * self.kernel.store.live
            and self.kernel.store.max_bytes - self.kernel.bytes_used() >= self.bulk_bytes
        )

    def cut(self, facts: Integers) -> None:
        """Retract `facts` at all levels that assert them, with their consequences."""
        self.kernel.cut(contiguous(facts))

    def withdraw(self, facts: Integers, previous: Integers, level: int) -> None:
        """Undo `previous = add(facts, level)`."""
        self.kernel.withdraw(contiguous(facts), contiguous(previous), level - self._shift)

    def levels_back(self, previous: Integers, level: int) -> npt.NDArray[np.unsignedinteger] | None:
        """Return the distances from `level` down to the previous assertion of each fact just asserted
        (`Entry.back`).

        Args:
            previous: result of `add`.
        """
        newest = level - self._shift
        if len(previous) < 16:  # faster in Python for short arrays
            steps = [newest - each if 0 <= each < FOREVER else 0 for each in previous.tolist()]
            return smallest_type(np.array(steps)) if any(steps) else None
        most = previous.max()
        if most < 0:
            return None
        back = newest - previous
        if most == FOREVER or previous.min() < 0:
            back[(previous < 0) | (previous == FOREVER)] = 0
        return smallest_type(back)

    def were_new(self, previous: Integers, level: int) -> npt.NDArray[np.bool_]:
        """Return a mask of the facts that were not asserted at `level` before the last `add`.

        Args:
            previous: result of that `add`.
        """
        return np.asarray(previous != level - self._shift)

    def slide(self, oldest: int) -> None:
        """Drop the partitions below the level `oldest`."""
        if oldest > self.kernel.oldest + self._shift:
            self._advance_to(max(oldest, self.kernel.newest + self._shift))
            self.kernel.slide(oldest - self._shift)

    @contextmanager
    def supposing(self, facts: Integers, level: int) -> Iterator[Integers]:
        """Assert `facts` at a new level for the duration of the context; afterwards the model is restored.

        Yields the inserted facts, as `take_changes` returns them. Costs the derivation of the consequences,
        and their retraction. If interrupted, the model becomes unusable.
        """
        self._settle()
        before, self.is_broken = self._all_work, True
        previous = self.add(facts, level)
        try:
            yield self.kernel.store.take_changes()
            self.violations()
            self.withdraw(facts, previous, level)
            self.kernel.store.take_changes()
        except BaseException:
            self.is_broken = True  # settling inside the context has undone the supposition
            raise
        self._undone_work = Work(*map(add, self._undone_work, map(sub, self._all_work, before)))
        self.is_broken = False

    @contextmanager
    def limited(self, most_facts: int | None, most_bytes: int | None) -> Iterator[None]:
        """Limit the number of facts and the bytes of arrays for the duration of the context.

        Raises:
            CapacityExceededError: a limit was exceeded. The model is unusable.
        """
        kernel = self.kernel
        kernel.store.max_facts = UNLIMITED_FACTS if most_facts is None else min(most_facts, UNLIMITED_FACTS)
        kernel.store.max_bytes = UNLIMITED_BYTES if most_bytes is None else min(most_bytes, UNLIMITED_BYTES)
        try:
            yield
        finally:
            kernel.store.max_facts, kernel.store.max_bytes = UNLIMITED_FACTS, UNLIMITED_BYTES

    def record_levels(self, wanted: bool = True) -> None:
        """Turn the recording of level changes on or off. Turning it on settles the model: a pass over all
        rows.

        Only with `keep="newest"`.
        """
        if wanted != self.records_levels:
            if wanted:
                self._settle()
            self.kernel.record_levels(wanted)
            self.records_levels = wanted

    def take_changes(self) -> Integers:
        """Return the facts inserted (1) and deleted (-1, last column) since the last call; a fact may be in
        several rows.

        If level changes are recorded, the model settles first, which costs time linear in the changes.
        """
        if self.records_levels:
            self._settle()
        changes: Integers = self.kernel.store.take_changes()
        return changes

    def take_levels(self, changes: Integers) -> LevelChanges | None:
        """Return the level changes since the last call; None if they are not recorded.

        Must be called right after `take_changes`, with its result.
        """
        if not self.records_levels:
            return None
        moved, came = self.kernel.store.take_level_changes(), changes[changes[:, 3] == 1, :3]
        facts = np.concatenate([moved[:, :3], came])
        old = np.concatenate([self._in_stream(moved[:, 3]), np.full(len(came), NONE)])
        return LevelChanges.over([LevelChanges(facts, old, self.levels(facts))])

    def _settle(self) -> None:
        """Renew all facts that were asserted again, so that their levels are final."""
        self.is_broken = True  # reset when done
        self.kernel.settle()
        self.is_broken = False

    def mark_terms(self, used: UsedTerms) -> None:
        """Flag the symbols and terms of all facts, and the symbols of the program, whose numbers stay the
        same.

        Costs a pass over the facts.
        """
        used.add_first(len(self.program.predicates))
        self.kernel.store.mark_terms(used.symbols, used.names, used.literals)

    def rename(self, renaming: Renaming) -> None:
        """Adopt the new term numbers of the vocabulary. Costs time linear in the facts; allocates no memory
        for them.

        If interrupted, the model is unusable.
        """
        numbers = map(contiguous, (renaming.symbols, renaming.names, renaming.literals))
        self.kernel.store.renumber_terms(*numbers)
        if self._uses_literals:
            self.kernel.use_literals(self.vocabulary)

    # -- look --------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Return the number of facts in the materialization, including the background."""
        return int(self.kernel.store.live)

    @property
    def work(self) -> Work:
        """Return the work counters."""
        return Work(*map(sub, self._all_work, self._undone_work))

    @property
    def _all_work(self) -> Work:
        return Work(*(int(getattr(self.kernel, name, 0)) for name in Work._fields))

    @property
    def bytes_used(self) -> int:
        """Bytes of the kernel's arrays, without the terms of the vocabulary."""
        return int(self.kernel.bytes_used())

    @property
    def spare_bytes(self) -> int:
        """Lower bound of the bytes that rebuilding the model would save."""
        return max(0, int(self.kernel.store.spare_bytes()))

    @property
    def symbols(self) -> frozenset[int]:
        """Numbers of the classes and properties that have facts. Costs a pass over the facts."""
        (predicates,) = self.kernel.store.columns("predicate")
        return frozenset(np.unique(predicates[predicates >= 0]).tolist())

    def facts(self) -> Integers:
        """Return all facts, shape (n, 3)."""
        predicates, subjects, objects = self.kernel.store.columns("predicate", "subject", "object")
        present = predicates >= 0
        return np.stack([predicates[present], subjects[present], objects[present]], axis=1).astype(np.int32)

    def levels(self, facts: Integers) -> LevelNumbers:
        """Return the level of each fact, shape (n, 3): `FOREVER` for the background, -1 for a fact that is
        not stored.

        If level changes are recorded, levels are final; otherwise they may be lower bounds. Only with
        `keep="newest"`.
        """
        levels = np.empty(len(facts), np.int32)
        self.kernel.find_levels(contiguous(facts), contiguous(levels))
        return np.where(levels == NONE, NONE, self._in_stream(levels))

    def _in_stream(self, levels: Integers) -> LevelNumbers:
        """Convert levels of the kernel to levels of the stream."""
        return np.where(levels == FOREVER, FOREVER, levels + np.int64(self._shift))

    def interpretation(self, level: int) -> Integers:
        """Return the facts of the interpretation at a level, shape (n, 3)."""
        self._settle()
        return self.facts_of(self.kernel.interpretation(level - self._shift))

    def derived_at(self, level: int) -> Integers:
        """Return the facts of the interpretation at a level that are not asserted at it, shape (n, 3), in the
        order in which they settled.

        Only with `keep="newest"`.
        """
        rows = self.kernel.interpretation(level - self._shift)[::-1]
        _, assertion_levels = self.kernel.levels_of(contiguous(rows))
        return self.facts_of(rows[assertion_levels != level - self._shift])

    def facts_of(self, rows: Sequence[int] | Integers) -> Integers:
        """Return the facts of kernel rows, shape (n, 3)."""
        facts: Integers = self.kernel.store.facts(contiguous(np.asarray(rows, np.int32)))
        return facts

    def violations(self) -> Integers:
        """Return the recorded violations of constraints, rows `rule, body rows…` padded with -1, and reset
        them.
        """
        violations: Integers = self.kernel.take_violations()
        return violations

    def find_violations(self) -> None:
        """Record all violations again. Costs a pass over the facts, and the joins of the constraints."""
        self.kernel.take_violations()
        self.kernel.find_violations()

    def lineage(self, most: int, *, explains_background: bool = False) -> Lineage | None:
        """Return the violations since the last call with all their derivations; None if there is no
        violation.

        With more than `most` rule instances the lineage is cut short: it is complete for the newest levels
        only, see `Lineage.floor`.

        Args:
            most: limit of rule instances.
            explains_background: as for `lineage_of`.
        """
        violations = self.violations()
        if not len(violations):
            return None
        found = self._lineage(violations, _rows_of(violations), most, explains_background)
        return self._above_floor(found, most) if found.cut_short else found

    def _above_floor(self, lineage: Lineage, most: int) -> Lineage:
        """Return a lineage, which was cut short, with all instances of the newest levels, as many as the
        limit allows.

        The model settles, since the levels must be final for this. Costs time linear in all instances.
        """
        self._settle()
        kernel = self.kernel
        counts = np.zeros(kernel.newest - kernel.oldest + 2, np.int64)
        start = contiguous(_rows_of(lineage.violations))
        kernel.lineage_walk().count_by_level(start, contiguous(counts, np.int64), kernel.oldest)
        newest_first = np.cumsum(counts[::-1])
        floor = kernel.newest + 1 - int(np.argmax(newest_first > most))  # counts end after the newest level
        levels, _ = kernel.levels_of(contiguous(lineage.rows))
        bodies = lineage.violations[:, 1:]
        lowest = np.where(bodies == NONE, FOREVER, levels[lineage.places(bodies)]).min(axis=1)
        violations = lineage.violations[lowest > floor]
        rows = contiguous(_rows_of(violations))
        _, instances, _ = kernel.lineage_walk().collect(rows, most, False, floor + 1)
        found = self._with_facts(violations, lineage.rows, instances, True)
        return found._replace(floor=floor + self._shift)

    def lineage_of(self, facts: Integers, most: int, *, explains_background: bool = False) -> Lineage:
        """Return every rule instance in a derivation of one of `facts`, including derivations of asserted
        facts.

        The model settles first, so that levels are final. Facts that are not stored are ignored. Costs time
        linear in the instances, and a pass over all facts.

        Args:
            facts: shape (n, 3).
            most: limit of instances, as for `lineage`.
            explains_background: include derivations of the background's facts.
        """
        self._settle()
        rows = [row for fact in facts.tolist() if (row := self.kernel.store.row_of(*fact)) >= 0]
        return self._lineage(_NO_VIOLATIONS, np.array(rows, np.int32), most, explains_background)

    def lineage_within(self, fact: Integers, most: int, each: int, *, weaker: bool) -> Lineage:
        """Return rule instances in derivations of a fact and of the background's facts: at most `most`, and
        at most `each` with the same head.

        If the lineage is cut short, it has the instances found first. Costs time linear in the instances
        found, and a pass over all facts if levels are not final.

        Args:
            fact: shape (1, 3), in the materialization.
            weaker: include instances with a lower level than the fact.
        """
        self._settle()
        row = np.array([self.kernel.store.row_of(*fact[0].tolist())], np.int32)
        lowest = NONE if weaker else int(self.kernel.levels_of(contiguous(row))[0][0])
        found = self.kernel.lineage_walk().collect_limited(contiguous(row), most, each, lowest)
        return self._with_facts(_NO_VIOLATIONS, *found)

    def _lineage(
        self, violations: Integers, start: Integers, most: int, explains_background: bool
    ) -> Lineage:
        found = self.kernel.lineage_walk().collect(contiguous(start), most, explains_background, NONE)
        return self._with_facts(violations, *found)

    def _with_facts(
        self, violations: Integers, rows: Integers, instances: Integers, cut_short: bool
    ) -> Lineage:
        """Return a lineage with the facts of its rows and their levels."""
        levels, assertion_levels = self.kernel.levels_of(contiguous(rows))
        kept = np.where(assertion_levels >= self.kernel.oldest, self._in_stream(assertion_levels), NONE)
        facts = self.facts_of(rows)
        return Lineage(violations, instances, rows, facts, self._in_stream(levels), kept, cut_short)

    def plan(self, body: Sequence[Atom], different: Sequence[Different] = ()) -> BodyPlan:
        """Return a plan for `matches_with`. Constants and predicates that are new get numbers.

        The plan is valid for all models of the vocabulary until terms are renumbered; after
        `Consumer.renamed` the body must be planned again. A plan made during a step that is undone is
        invalid.

        Raises:
            InvalidRuleError: the body is not connected, or lacks a variable of the inequalities.
        """
        return plan_body(FactPattern(tuple(body), tuple(different)), self.vocabulary)

    def plan_bodies(self, bodies: Sequence[FactPattern], known: BodyPlans | None = None) -> BodyPlans:
        """Return the plans of many bodies for `signed_matches`. New terms get numbers; plans are valid as for
        `plan`.

        Costs time linear in the registered values of the bodies, and the compilation of those bodies whose
        form has no plan in `known`.

        Args:
            known: earlier plans in present numbers. Bodies that differ only in constants or in registered
                values have the same form.

        Raises:
            InvalidRuleError: a body is not connected, or lacks a parameter or a variable of its inequalities.
        """
        return plan_bodies(bodies, self.vocabulary, {} if known is None else known.of_forms)

    def matches_with(self, plan: BodyPlan, facts: Integers, without: Integers = NO_FACTS) -> Bindings:
        """Return every match of a body that has one of `facts`, each match once.

        Facts that are not stored, because they were deleted, match at level `FOREVER`. The inserted matches
        of a step are those with its inserted facts; the deleted matches are those with its deleted facts,
        without the inserted ones.

        Costs time linear in the rows read, starting from the given facts. The first call for a predicate
        costs a pass over the facts, to index it.

        Args:
            plan: made by `plan`.
            facts: shape (n, 3).
            without: facts that match no atom, shape (n, 3).
        """
        found = self._matches_of(plan).matches_with(contiguous(facts), contiguous(without))
        return Bindings(found[:, 2:], self._in_stream(found[:, 1]))

    def signed_matches(self, plans: BodyPlans, noted: Integers, reformed: Integers = NO_FACTS) -> Integers:
        """Return the inserted and deleted matches of bodies after a step, each match once.

        Costs time linear in the changes, the matches, and the rows read. Bodies without an atom for a changed
        predicate cost nothing. The first call costs a pass over the facts for each predicate that is not
        indexed yet.

        Args:
            plans: made by `plan_bodies`.
            noted: result of `take_changes`, before the model changed again: inserted and deleted facts, shape
                (n, 4). A fact that occurs an even number of times has not changed.
            reformed: facts present before and after, treated as deleted and inserted again, shape (n, 3).

        Returns:
            int32 rows: the index of the body in `bodies`, 1 or -1, and the terms bound to its variables
            (`BodyPlans.variables`), padded with NONE. Inserted matches come first.
        """
        matches = self._matches_of(plans)
        found: Integers = matches.signed_matches(contiguous(noted), contiguous(reformed))
        return found

    def rows_reading(self, plans: BodyPlans, readers: Sequence[Readers]) -> RowsRead:
        """Return a function that finds the `signed_matches` of each step and passes them to readers, as rows.

        Args:
            plans: made by `plan_bodies`.
            readers: the readers of each body.
        """
        return partial(self._matches_of(plans).signed_rows, list(readers))

    def _matches_of(self, plans: BodyPlan | BodyPlans) -> Any:
        matches = self._body_matches.get(plans)
        if matches is None:
            given = alone(plans) if isinstance(plans, BodyPlan) else plans
            matches = self._body_matches[plans] = self.kernel.body_matches(given)
        return matches

    def find(self, triple: Triple) -> Integers | None:
        """Return the fact of a triple, shape (1, 3) or empty; None if it is not in the materialization. Costs
        O(1).
        """
        found = self._match(*triple)
        return found if len(found) else None

    def select(self, number: int, subject: int | None, object_: int | None) -> Integers:
        """Return the facts of a class or property with this subject and object; None matches any. Costs as
        `match`.

        Args:
            number: of the class or property.
            object_: `NONE` for a class.
        """
        if object_ == NONE:
            return self._scan(number, None, NONE) if subject is None else self._lookup(number, subject, NONE)
        return self._match_property(number, subject, object_)

    def match(
        self,
        subject: Term | None,
        predicate: Term | None,
        object: Term | None,
        forms: FactForms = NO_FORMS.by_fact,
    ) -> Iterator[Triple]:
        """Return the triples of the materialization that match the given terms; None matches any term.

        Literals match by value, and are returned in the forms of `forms`. The result is a snapshot.

        A complete triple costs O(1). A property with a subject or an object costs time linear in the answers,
        and its first use a pass over the facts, to index it. Any other pattern, such as the members of a
        class, costs a pass over the facts.
        """
        return self.vocabulary.decode(self._match(subject, predicate, object), forms)

    def _match(self, subject: Term | None, predicate: Term | None, object_: Term | None) -> Integers:
        find = self.vocabulary.find
        subject_number = (
            None if subject is None else NONE if isinstance(subject, RdfLiteral) else find(subject)
        )
        if subject is not None and (subject_number is None or subject_number == NONE):
            return NO_FACTS
        if predicate == RDF.type and not self.vocabulary.has_class_variables:
            return self._match_classes(subject_number, object_)
        object_number = None if object_ is None else find(object_)
        is_unknown = object_ is not None and object_number is None
        if predicate is not None:
            number = self.vocabulary.find_property(predicate)
            if number is None or is_unknown:
                return NO_FACTS
            return self._match_property(number, subject_number, object_number)
        if object_ is None:
            return self._scan(None, subject_number, None)
        facts = NO_FACTS if is_unknown else self._scan(None, subject_number, object_number)
        if self.vocabulary.has_class_variables:
            return facts
        return np.concatenate([self._match_classes(subject_number, object_), facts])

    def _match_classes(self, subject: int | None, class_: Term | None) -> Integers:
        if class_ is None:
            return self._scan(None, subject, NONE)
        number = None if isinstance(class_, RdfLiteral) else self.vocabulary.find_class(class_)
        if number is None:
            return NO_FACTS
        return self.select(number, subject, NONE)

    def _match_property(self, number: int, subject: int | None, object_: int | None) -> Integers:
        if subject is not None and object_ is not None:
            return self._lookup(number, subject, object_)
        if subject is None and object_ is None:
            return self._scan(number, None, None)
        self.kernel.store.index(number, subject is not None, object_ is not None)
        chain = (subject, NONE, 0) if subject is not None else (NONE, object_, 1)
        return self.facts_of(self.kernel.store.select(number, *chain))

    def _lookup(self, number: int, subject: int, object_: int) -> Integers:
        found = self.kernel.store.row_of(number, subject, object_) >= 0
        return np.array([(number, subject, object_)], np.int32) if found else NO_FACTS

    def _scan(self, number: int | None, subject: int | None, object_: int | None) -> Integers:
        predicates, subjects, objects = self.kernel.store.columns("predicate", "subject", "object")
        mask = predicates >= 0 if number is None else predicates == number
        for column, wanted in ((subjects, subject), (objects, object_)):
            if wanted is not None:
                mask &= column == wanted
        return np.stack([predicates[mask], subjects[mask], objects[mask]], axis=1).astype(np.int32)


def _rows_of(violations: Integers) -> Integers:
    """Return the rows in the bodies of violations; a row may recur."""
    bodies = violations[:, 1:].ravel()
    return bodies[bodies >= 0]


@functools.cache
def _warn_if_uncompiled() -> None:
    if not COMPILED:
        warnings.warn(
            "the kernel of pantarhei is not compiled and slow; install a C compiler, then pantarhei again",
            UncompiledKernelWarning,
            stacklevel=2,
        )


def plain_model(facts: Integers, vocabulary: Vocabulary) -> WindowModel:
    """Return a model without rules that holds some facts at one level.

    Args:
        facts: shape (n, 3), in the numbers of the vocabulary.
    """
    model = WindowModel(_NO_RULES, "newest", vocabulary)
    model.add(facts, 0)
    model.take_changes()
    return model


_NO_RULES: Final = compile_(())


__all__ = ["COMPILED", "FOREVER", "CapacityExceededError", "Keep", "WindowModel", "Work"]
