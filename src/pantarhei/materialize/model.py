"""The window model (PB26 Def. 8) over one kernel of rows.

It holds derived state only: what was asserted stands in the window's log, and a model can be rebuilt from it.
Timestamps are *levels* here, numbered upwards in the order of the stream; the background's is `FOREVER`.
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
    narrowed,
)
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import UncompiledKernelWarning
from pantarhei.materialize.bulk.evaluation import BulkProgram
from pantarhei.materialize.bulk.load import load
from pantarhei.materialize.kernel.bags import Readers
from pantarhei.materialize.kernel.constants import FOREVER
from pantarhei.materialize.kernel.every import EveryKernel
from pantarhei.materialize.kernel.newest import NewestKernel
from pantarhei.materialize.kernel.rows import COMPILED, UNLIMITED_BYTES, UNLIMITED_FACTS, Overfull
from pantarhei.materialize.kernel_values import LevelChanges, LevelNumbers, Lineage, readable
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
    """What the model has done so far.

    Args:
        pops: facts taken from the queue.
        firings: rule instances enumerated to derive facts.
        renewals: facts queued again because they had been asserted anew when their partition dropped.
        rederivations: facts overdeleted.
        searches: rows looked at in search of other support for a fact.
    """

    pops: int
    firings: int
    renewals: int
    rederivations: int
    searches: int


class Bindings(NamedTuple):
    """The matches of a body.

    Args:
        bindings: the terms that the plan's variables are bound to, shape (n, variables); no row recurs.
        levels: the lowest level among the facts of each match.
    """

    bindings: Integers
    levels: LevelNumbers


Shown = Callable[[Fact, int], int | None]
"""The number of the form in which a fact's literal is shown, after the step (1) or before it (-1); None for
the first form of its value.
"""

RowsRead = Callable[[Integers, Integers | None, Shown | None], dict[Any, dict[tuple[int, ...], int]]]
"""Gives the rows that came with a step and went, a signed bag for each leaf that has any.

Takes what was noted and what is reformed, as `signed_matches` does, or None; and how literals are shown: None
where all are in the first forms of their values.
"""


class WindowModel:
    """Facts of the window's materialization, each in its interpretations.

    Args:
        program: the compiled rules and constraints.
        keep: `"newest"` stores each fact once, `"every"` stores Def. 8's interpretations in full.
        vocabulary: numbers the program's symbols as the program does.
        first_level: the oldest level to come.

    `notes_levels` says whether it is noted how levels change, `is_broken` whether an error came while levels
    were brought up to date: then the model is of no use any more.
    """

    # Levels are 32-bit in the kernel: from here on it counts them anew from the window's oldest.
    renumber_at = 1 << 29

    # What follows from so many facts, if they are at least this share of what is stored, is found set at a
    # time: from there on it takes less time (docs/performance.md).
    bulk_from = 10_000
    bulk_share = 0.3

    # What is matched by column at once takes so many bytes in any case: less room is left to the kernel.
    bulk_room = 8 << 20

    def __init__(self, program: Program, keep: Keep, vocabulary: Vocabulary, first_level: int = 0) -> None:
        _say_if_uncompiled()
        self.program = program
        self.vocabulary = vocabulary
        self.kernel: Any = (NewestKernel if keep == "newest" else EveryKernel)(program.plans)
        self.kernel.detect = True
        self._consults = bool(program.ranges or program.builtins)
        self.notes_levels = False
        self.is_broken = False
        self._at_once: BulkProgram | None = None
        self._body_matches = WeakKeyDictionary[BodyPlan | BodyPlans, Any]()
        self._shift = first_level  # what the kernel's levels are lower by
        self._supposed = Work(0, 0, 0, 0, 0)  # of the kernel's work what was done to try something out

    # -- change ------------------------------------------------------------------------------------

    def add_background(self, facts: Integers) -> None:
        """Assert `facts` for ever."""
        self._add(facts, np.full(len(facts), FOREVER, np.int32))

    def add(self, facts: Integers, level: int) -> Integers:
        """Assert `facts` at `level`, not below the newest one; returns what `withdraw` needs to undo it."""
        self._come_to(level)
        return self._add(facts, np.full(len(facts), level - self._shift, np.int32))

    def merge(self, facts: Integers, asserted: int, level: int) -> Integers:
        """Assert `facts[:asserted]` at the new `level`; the others are all that follows from these and the
        background.

        Returns what `withdraw` needs to undo it. With `keep="every"` what follows is derived again.
        """
        if not self._keeps_newest:
            return self.add(facts[:asserted], level)
        self._come_to(level)
        previous = np.empty(asserted, np.int32)
        if self._consults:
            self.kernel.consult(self.vocabulary)
        self.kernel.merge(readable(facts), asserted, level - self._shift, readable(previous))
        return previous

    def fill(self, parts: Sequence[tuple[Integers, int]]) -> None:
        """Assert several parts, each at its level, in ascending order, as if by `add`; at once if it may be.

        With `keep="every"` interpretations can depend on the order, so that it is one after another.
        """
        if not self._keeps_newest:
            for facts, level in parts:
                self.add(facts, level)
        elif parts:
            self._come_to(parts[-1][1])
            levels = [np.full(len(facts), level - self._shift, np.int32) for facts, level in parts]
            self._add(np.concatenate([facts for facts, _ in parts]), np.concatenate(levels))

    def restore(self, facts: Integers, levels: npt.NDArray[np.int64]) -> None:
        """Assert `facts` again at the levels of the window they once had. No conflicts are looked for."""
        self.kernel.detect = False
        self._add(facts, (levels - self._shift).astype(np.int32))
        self.kernel.detect = True

    def _come_to(self, level: int) -> None:
        """Make `level` the newest, with room for all from the window's oldest on."""
        kernel = self.kernel
        if level - self._shift >= self.renumber_at:
            less = kernel.oldest // kernel.room * kernel.room
            kernel.renumber(less)
            self._shift += less
        kernel.newest = level - self._shift
        kernel.widen(kernel.newest - kernel.oldest + 2)

    def _add(self, facts: Integers, levels: Integers) -> Integers:
        previous = np.empty(len(facts), np.int32)
        if self._consults:
            self.kernel.consult(self.vocabulary)
        if self._is_much(len(facts)):
            if self._at_once is None:
                self._at_once = BulkProgram(self.program.plans)
            load(
                self.kernel,
                self._at_once,
                np.ascontiguousarray(facts, np.int32),
                levels,
                previous,
                self.vocabulary,
            )
        else:
            self.kernel.add(readable(facts), readable(levels), readable(previous))
        return previous

    @property
    def _keeps_newest(self) -> bool:
        return isinstance(self.kernel, NewestKernel)

    def _is_much(self, count: int) -> bool:
        return (
            count >= self.bulk_from
            and self._keeps_newest
            and not self.kernel.merged
            and count >= self.bulk_share * self.kernel.store.live
            and self.kernel.store.most_bytes - self.kernel.bytes_used() >= self.bulk_room
        )

    def cut(self, facts: Integers) -> None:
        """Take out `facts` with all their occurrences, and what rested on them."""
        self.kernel.cut(readable(facts))

    def withdraw(self, facts: Integers, previous: Integers, level: int) -> None:
        """Undo `previous = add(facts, level)`."""
        self.kernel.withdraw(readable(facts), readable(previous), level - self._shift)

    def levels_back(self, previous: Integers, level: int) -> npt.NDArray[np.unsignedinteger] | None:
        """`Entry.back` of facts that were just asserted at `level`, by what `add` returned."""
        newest = level - self._shift
        if len(previous) < 16:  # which Python handles faster
            steps = [newest - each if 0 <= each < FOREVER else 0 for each in previous.tolist()]
            return narrowed(np.array(steps)) if any(steps) else None
        most = previous.max()
        if most < 0:
            return None
        back = newest - previous
        if most == FOREVER or previous.min() < 0:
            back[(previous < 0) | (previous == FOREVER)] = 0
        return narrowed(back)

    def were_new(self, previous: Integers, level: int) -> npt.NDArray[np.bool_]:
        """Which facts were not asserted at `level` before, by what `add` there has just returned."""
        return np.asarray(previous != level - self._shift)

    def slide(self, oldest: int) -> None:
        """Drop the partitions below the level `oldest`."""
        if oldest > self.kernel.oldest + self._shift:
            self._come_to(max(oldest, self.kernel.newest + self._shift))
            self.kernel.slide(oldest - self._shift)

    @contextmanager
    def supposing(self, facts: Integers, level: int) -> Iterator[Integers]:
        """Within the context `facts` are asserted at a level that is new; after it the model is as it was.

        Gives the facts that came by that, as `take_changes` does.

        Costs what follows from the facts, twice. Broken off, the model is of no use any more.
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
            self.is_broken = True  # settling inside has taken it back
            raise
        self._supposed = Work(*map(add, self._supposed, map(sub, self._all_work, before)))
        self.is_broken = False

    @contextmanager
    def limited(self, most_facts: int | None, most_bytes: int | None) -> Iterator[None]:
        """Whatever is done to it meanwhile may come to so many facts, and grow its arrays to so many bytes.

        Raises:
            Overfull: that is not enough. The model is of no use any more.
        """
        kernel = self.kernel
        kernel.store.most = UNLIMITED_FACTS if most_facts is None else min(most_facts, UNLIMITED_FACTS)
        kernel.store.most_bytes = UNLIMITED_BYTES if most_bytes is None else min(most_bytes, UNLIMITED_BYTES)
        try:
            yield
        finally:
            kernel.store.most, kernel.store.most_bytes = UNLIMITED_FACTS, UNLIMITED_BYTES

    def note_levels(self, wanted: bool = True) -> None:
        """Note from now on how levels change, or do so no more. Settles to begin with: a pass over the rows.

        Only with `keep="newest"`.
        """
        if wanted != self.notes_levels:
            if wanted:
                self._settle()
            self.kernel.note_levels(wanted)
            self.notes_levels = wanted

    def take_changes(self) -> Integers:
        """Facts that came (1) and went (-1, last column) since the last call; a fact may recur.

        Where it is noted how levels change the model settles, which costs what changed.
        """
        if self.notes_levels:
            self._settle()
        changes: Integers = self.kernel.store.take_changes()
        return changes

    def take_levels(self, changes: Integers) -> LevelChanges | None:
        """How levels changed since the last call, None where that is not noted; right after `take_changes`,
        of what that returned.
        """
        if not self.notes_levels:
            return None
        moved, came = self.kernel.store.take_moved(), changes[changes[:, 3] == 1, :3]
        facts = np.concatenate([moved[:, :3], came])
        old = np.concatenate([self._in_stream(moved[:, 3]), np.full(len(came), NONE)])
        return LevelChanges.over([LevelChanges(facts, old, self.levels(facts))])

    def _settle(self) -> None:
        """Bring every level up to date with what was asserted again."""
        self.is_broken = True  # until it is done
        self.kernel.settle()
        self.is_broken = False

    def mark_terms(self, used: UsedTerms) -> None:
        """Note which symbols and terms its facts have, and the symbols of its program, whose numbers stay.

        Costs a pass over the facts.
        """
        used.add_first(len(self.program.predicates))
        self.kernel.store.mark_terms(used.symbols, used.names, used.literals)

    def rename(self, renaming: Renaming) -> None:
        """Go on in the numbers that the vocabulary has taken over. Costs the facts; needs no memory for them.

        Broken off, it leaves the model useless.
        """
        numbers = map(readable, (renaming.symbols, renaming.names, renaming.literals))
        self.kernel.store.rename_terms(*numbers)
        if self._consults:
            self.kernel.consult(self.vocabulary)

    # -- look --------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """How many facts the materialization has, the background's among them."""
        return int(self.kernel.store.live)

    @property
    def work(self) -> Work:
        """The work counters."""
        return Work(*map(sub, self._all_work, self._supposed))

    @property
    def _all_work(self) -> Work:
        return Work(*(int(getattr(self.kernel, name, 0)) for name in Work._fields))

    @property
    def bytes_used(self) -> int:
        """Bytes of the kernel's arrays; the vocabulary's terms are not counted."""
        return int(self.kernel.bytes_used())

    @property
    def spare_bytes(self) -> int:
        """How many of `bytes_used` a model made anew for the same facts would not need, at least."""
        return max(0, int(self.kernel.store.spare_bytes()))

    @property
    def symbols(self) -> frozenset[int]:
        """The numbers of the classes and properties that have facts. Costs a pass over the facts."""
        (predicates,) = self.kernel.store.columns("predicate")
        return frozenset(np.unique(predicates[predicates >= 0]).tolist())

    def facts(self) -> Integers:
        """All facts, shape (n, 3)."""
        predicates, subjects, objects = self.kernel.store.columns("predicate", "subject", "object")
        present = predicates >= 0
        return np.stack([predicates[present], subjects[present], objects[present]], axis=1).astype(np.int32)

    def levels(self, facts: Integers) -> LevelNumbers:
        """The levels of facts, shape (n, 3): `FOREVER` for the background's, -1 for one that is not there.

        As they are stored: settled where changes of level are noted. Only with `keep="newest"`.
        """
        levels = np.empty(len(facts), np.int32)
        self.kernel.find_levels(readable(facts), readable(levels))
        return np.where(levels == NONE, NONE, self._in_stream(levels))

    def _in_stream(self, levels: Integers) -> LevelNumbers:
        """Levels of the kernel as those of the stream."""
        return np.where(levels == FOREVER, FOREVER, levels + np.int64(self._shift))

    def interpretation(self, level: int) -> Integers:
        """The facts of one interpretation, shape (n, 3)."""
        self._settle()
        facts: Integers = self.kernel.store.facts(readable(self.kernel.interpretation(level - self._shift)))
        return facts

    def derived_at(self, level: int) -> Integers:
        """The facts of one interpretation that are not asserted at its level, shape (n, 3), as they settled.

        Only with `keep="newest"`.
        """
        rows = self.kernel.interpretation(level - self._shift)[::-1]
        _, bases = self.kernel.levels_of(readable(rows))
        facts: Integers = self.kernel.store.facts(readable(rows[bases != level - self._shift]))
        return facts

    def facts_of(self, rows: Sequence[int]) -> Integers:
        """The facts of kernel rows, shape (n, 3)."""
        facts: Integers = self.kernel.store.facts(readable(np.array(rows, np.int32)))
        return facts

    def violations(self) -> Integers:
        """The constraints' matches noted since the last call: rows `rule, body rows…`, padded with -1."""
        violations: Integers = self.kernel.take_violations()
        return violations

    def find_violations(self) -> None:
        """Note every violation there is, as if it had just arisen. Costs a pass over facts and plans."""
        self.kernel.take_violations()
        self.kernel.find_violations()

    def lineage(self, most: int, *, explains_background: bool = False) -> Lineage | None:
        """The violations noted since the last call with all their proofs; None if there was no violation.

        Past `most` rule instances it is cut short: what is newest is complete, see `Lineage.floor`.

        Args:
            explains_background: as of `lineage_of`.
        """
        violations = self.violations()
        if not len(violations):
            return None
        found = self._lineage(violations, _rows_of(violations), most, explains_background)
        return self._above_floor(found, most) if found.cut_short else found

    def _above_floor(self, lineage: Lineage, most: int) -> Lineage:
        """A lineage that was cut short, with all instances of the newest levels, as many as there may be.

        The model settles: what is complete goes by final levels. Costs all instances.
        """
        self._settle()
        kernel = self.kernel
        counts = np.zeros(kernel.newest - kernel.oldest + 2, np.int64)
        start = readable(_rows_of(lineage.violations))
        kernel.count_instances(start, readable(counts, np.int64), kernel.oldest)
        newest_first = np.cumsum(counts[::-1])
        floor = kernel.newest + 1 - int(np.argmax(newest_first > most))  # counts end beyond the newest level
        levels, _ = kernel.levels_of(readable(lineage.rows))
        bodies = lineage.violations[:, 1:]
        lowest = np.where(bodies == NONE, FOREVER, levels[lineage.places(bodies)]).min(axis=1)
        violations = lineage.violations[lowest > floor]
        _, instances, _ = kernel.lineage_from(readable(_rows_of(violations)), most, floor + 1)
        found = self._described(violations, lineage.rows, instances, True)
        return found._replace(floor=floor + self._shift)

    def lineage_of(self, facts: Integers, most: int, *, explains_background: bool = False) -> Lineage:
        """Every rule instance that can take part in a proof of one of `facts`, those asserted included.

        The model settles first, so that levels are final. What is not in the materialization is left out.
        Costs the instances, and a pass over all facts.

        Args:
            facts: shape (n, 3).
            most: past so many instances it is cut short, as `lineage`.
            explains_background: go on to what the background's facts follow from.
        """
        self._settle()
        rows = [row for fact in facts.tolist() if (row := self.kernel.store.row_of(*fact)) >= 0]
        return self._lineage(_NO_VIOLATIONS, np.array(rows, np.int32), most, explains_background)

    def lineage_within(self, fact: Integers, most: int, each: int, *, weaker: bool) -> Lineage:
        """Rule instances that can take part in proofs of a fact, the background explained: at most `most`,
        and `each` of one fact. There are more of them if it is cut short; what was found first is there.

        Costs what is found, and a pass over all facts where levels must settle first.

        Args:
            fact: shape (1, 3), in the materialization.
            weaker: instances may be weaker than the fact: have a lower level than it.
        """
        self._settle()
        row = np.array([self.kernel.store.row_of(*fact[0].tolist())], np.int32)
        lowest = NONE if weaker else int(self.kernel.levels_of(readable(row))[0][0])
        return self._described(_NO_VIOLATIONS, *self.kernel.lineage_within(readable(row), most, each, lowest))

    def _lineage(
        self, violations: Integers, start: Integers, most: int, explains_background: bool
    ) -> Lineage:
        return self._described(violations, *self.kernel.lineage(readable(start), most, explains_background))

    def _described(
        self, violations: Integers, rows: Integers, instances: Integers, cut_short: bool
    ) -> Lineage:
        """A lineage with the facts of its rows and their levels."""
        levels, bases = self.kernel.levels_of(readable(rows))
        kept = np.where(bases >= self.kernel.oldest, self._in_stream(bases), NONE)
        facts = self.kernel.store.facts(readable(rows))
        return Lineage(violations, instances, rows, facts, self._in_stream(levels), kept, cut_short)

    def plan(self, body: Sequence[Atom], different: Sequence[Different] = ()) -> BodyPlan:
        """A plan for `matches_with`. Its constants and predicates get numbers where they have none.

        It serves any model of the vocabulary, until terms get other numbers: after `Consumer.renamed` the
        body is to be planned anew. One that is made in the midst of a step is gone if the step is undone.

        Raises:
            InvalidRuleError: the body is not connected, or lacks a variable of the inequalities.
        """
        return plan_body(FactPattern(tuple(body), tuple(different)), self.vocabulary)

    def plan_bodies(self, bodies: Sequence[FactPattern], known: BodyPlans | None = None) -> BodyPlans:
        """The plans of many bodies for `signed_matches`; what they speak of gets numbers as with `plan`, and
        they serve as long.

        Costs what is wanted of the bodies, and compiles those that `known` has no plan for. That may be plans
        made before, in the numbers of today; they serve bodies of the same form, whatever is wanted of them.

        Raises:
            InvalidRuleError: a body is not connected, or lacks a parameter or a variable of its inequalities.
        """
        return plan_bodies(bodies, self.vocabulary, {} if known is None else known.of_forms)

    def matches_with(self, plan: BodyPlan, facts: Integers, without: Integers = NO_FACTS) -> Bindings:
        """Every match of a body in which one of `facts` is matched to an atom, each match once.

        Facts that are not stored, since they have gone, are matched as if they were, with level `FOREVER`. So
        before a step or after it, the matches that came are those with the facts that came; those that went
        are the ones with the facts that went, without those that came.

        Costs the rows looked at on the way, from the given facts on; the first time for a predicate in a
        model a pass over the facts, to index it.

        Args:
            plan: made by `plan`.
            facts: shape (n, 3).
            without: facts that are not to be matched, shape (n, 3).
        """
        matches = self._body_matches.get(plan)
        if matches is None:
            matches = self._body_matches[plan] = self.kernel.body_matches(alone(plan))
        found = self.kernel.matches_with(matches, readable(facts), readable(without))
        return Bindings(found[:, 2:], self._in_stream(found[:, 1]))

    def signed_matches(self, plans: BodyPlans, noted: Integers, reformed: Integers = NO_FACTS) -> Integers:
        """The matches of bodies that came with a step, and those that went, each once.

        Costs the changes, the matches, and the rows looked at on the way, but nothing for bodies that have no
        atom for what changed. The first time in a model it costs a pass over the facts for each predicate
        that is to be indexed.

        Args:
            plans: made by `plan_bodies`.
            noted: what `take_changes` gave, with the model as it was then: facts that came and went, shape
                (n, 4); what is mentioned an even number of times did neither.
            reformed: facts that are there before and after, but count as gone and come, shape (n, 3).

        Returns:
            int32 rows: the place of the body among `bodies`, 1 or -1, and the terms that its variables are
            bound to (`BodyPlans.variables`), padded with NONE to the widest. Those that came are first.
        """
        matches = self._matches_of(plans)
        found: Integers = self.kernel.signed_matches(matches, readable(noted), readable(reformed))
        return found

    def rows_reading(self, plans: BodyPlans, readers: Sequence[Readers]) -> RowsRead:
        """What gives, step by step, what `signed_matches` finds as rows for those who read it.

        Args:
            plans: made by `plan_bodies`.
            readers: those of each body.
        """
        return partial(self.kernel.signed_rows, self._matches_of(plans), list(readers))

    def _matches_of(self, plans: BodyPlans) -> Any:
        matches = self._body_matches.get(plans)
        if matches is None:
            matches = self._body_matches[plans] = self.kernel.body_matches(plans)
        return matches

    def find(self, triple: Triple) -> Integers | None:
        """The fact of a triple, shape (1, 3); None if it is not in the materialization. Costs O(1)."""
        found = self._match(*triple)
        return found if len(found) else None

    def select(self, number: int, who: int | None, what: int | None) -> Integers:
        """The facts of a class or property whose subject and object are these; None stands for any. Costs as
        `match`.

        Args:
            what: `NONE` for a class.
        """
        if what == NONE:
            return self._scan(number, None, NONE) if who is None else self._one(number, who, NONE)
        return self._match_property(number, who, what)

    def match(
        self,
        subject: Term | None,
        predicate: Term | None,
        object: Term | None,
        forms: FactForms = NO_FORMS.by_fact,
    ) -> Iterator[Triple]:
        """The triples of the materialization that agree with the given terms; None agrees with all.

        Literals agree by value, and come back in the forms that `forms` says.

        The answer is a snapshot: later changes do not reach it. A whole triple costs O(1); a property with a
        subject or an object the answers (the first time for a property a pass over the facts, to index it);
        anything else, the members of a class included, a pass over the facts.
        """
        return self.vocabulary.decode(self._match(subject, predicate, object), forms)

    def _match(self, subject: Term | None, predicate: Term | None, object_: Term | None) -> Integers:
        find = self.vocabulary.find
        who = None if subject is None else NONE if isinstance(subject, RdfLiteral) else find(subject)
        if subject is not None and (who is None or who == NONE):
            return NO_FACTS
        if predicate == RDF.type and not self.vocabulary.has_class_variables:
            return self._match_classes(who, object_)
        what = None if object_ is None else find(object_)
        if predicate is not None:
            number = self.vocabulary.find_property(predicate)
            if number is None or (object_ is not None and what is None):
                return NO_FACTS
            return self._match_property(number, who, what)
        if object_ is None:
            return self._scan(None, who, None)
        if self.vocabulary.has_class_variables:
            return NO_FACTS if what is None else self._scan(None, who, what)
        classes = self._match_classes(who, object_)
        return np.concatenate([classes, NO_FACTS if what is None else self._scan(None, who, what)])

    def _match_classes(self, who: int | None, class_: Term | None) -> Integers:
        if class_ is None:
            return self._scan(None, who, NONE)
        number = None if isinstance(class_, RdfLiteral) else self.vocabulary.find_class(class_)
        if number is None:
            return NO_FACTS
        return self.select(number, who, NONE)

    def _match_property(self, number: int, who: int | None, what: int | None) -> Integers:
        if who is not None and what is not None:
            return self._one(number, who, what)
        if who is None and what is None:
            return self._scan(number, None, None)
        self.kernel.store.index(number, who is not None, what is not None)
        chain = (who, NONE, 0) if who is not None else (NONE, what, 1)
        facts: Integers = self.kernel.store.facts(readable(self.kernel.store.select(number, *chain)))
        return facts

    def _one(self, number: int, who: int, what: int) -> Integers:
        found = self.kernel.store.row_of(number, who, what) >= 0
        return np.array([(number, who, what)], np.int32) if found else NO_FACTS

    def _scan(self, number: int | None, who: int | None, what: int | None) -> Integers:
        predicates, subjects, objects = self.kernel.store.columns("predicate", "subject", "object")
        mask = predicates >= 0 if number is None else predicates == number
        for column, wanted in ((subjects, who), (objects, what)):
            if wanted is not None:
                mask &= column == wanted
        return np.stack([predicates[mask], subjects[mask], objects[mask]], axis=1).astype(np.int32)


def _rows_of(violations: Integers) -> Integers:
    """The rows in the bodies of violations; one may recur."""
    bodies = violations[:, 1:].ravel()
    return bodies[bodies >= 0]


@functools.cache
def _say_if_uncompiled() -> None:
    if not COMPILED:
        warnings.warn(
            "the kernel of pantarhei is not compiled and slow; install a C compiler, then pantarhei again",
            UncompiledKernelWarning,
            stacklevel=2,
        )


def plain_model(facts: Integers, vocabulary: Vocabulary) -> WindowModel:
    """A model without rules that holds some facts, all at one level.

    Args:
        facts: shape (n, 3), in the numbers of the vocabulary.
    """
    model = WindowModel(_NO_RULES, "newest", vocabulary)
    model.add(facts, 0)
    model.take_changes()
    return model


_NO_RULES: Final = compile_(())


__all__ = ["COMPILED", "FOREVER", "Keep", "Overfull", "WindowModel", "Work"]
