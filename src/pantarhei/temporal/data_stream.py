"""What a stream has said so far, as far as temporal rules can still ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, NONE, Integers, each_once
from pantarhei.encoding.renaming import Renaming
from pantarhei.temporal.past import Past, Said
from pantarhei.temporal.tuples import Tuples, are_tuples, renamed_facts
from pantarhei.window.log import Entry, among


class DataStream(NamedTuple):
    """What has been said at each tick, LA17's data stream, with the conclusions that are remembered. Nothing
    in it changes; facts have shape (n, 3).

    Args:
        first: the tick where the timeline begins.
        tick: the present one.
        past: the closed ticks.
        tuples: what tuples in conclusions are.
        concluded: the remembered conclusions when the last closed tick ended, in the second kernel's
            predicates.
        came, went: the states that hold now and did not then, and the other way round.
        asserted: the ABoxes of the present tick by their timestamps, in the stream's smallest units, oldest
            first: what of them has survived.
        oldest: the timestamp of the oldest ABox in the window; None if it has none.
    """

    first: int
    tick: int
    past: Past
    tuples: Tuples
    concluded: Integers = NO_FACTS
    came: Integers = NO_FACTS
    went: Integers = NO_FACTS
    asserted: tuple[tuple[int, Integers], ...] = ()
    oldest: int | None = None

    @property
    def events(self) -> Integers:
        """What is asserted at the present tick, each fact once, in the order given."""
        return each_once(np.concatenate([NO_FACTS, *(part for _, part in self.asserted)]))

    def with_changes(self, came: Integers, went: Integers) -> DataStream:
        """With states that came and went at the present tick."""
        return self._replace(
            came=union(without(self.came, went), without(came, self.went)),
            went=union(without(self.went, came), without(went, self.came)),
        )

    def with_abox(self, entry: Entry, facts: Integers) -> DataStream:
        """With an ABox of the present tick, or with it as it is now, and what it cuts of the others.

        Args:
            facts: those of its facts that rules ask for.
        """
        survived = {at: without(part, entry.cut) for at, part in self.asserted}
        survived[entry.ticks] = without(facts, entry.cut)
        return self._replace(asserted=tuple(sorted(survived.items(), key=lambda each: each[0])))

    def moved_on(self, tick: int, concluded: Integers, withdrawn: Integers, needed: int) -> DataStream:
        """With the present tick closed, at a later one.

        Args:
            concluded, withdrawn: the remembered conclusions that came and went at the tick that is closed.
            needed: the oldest tick that windows still ask for.
        """
        said = Said(self.tick, self.events, self.came, self.went, concluded, withdrawn)
        past = self.past.with_tick(said, needed)
        standing = union(without(self.concluded, withdrawn), concluded)
        return DataStream(self.first, tick, past, self.tuples, standing, oldest=self.oldest)

    @property
    def bytes(self) -> int:
        """What it takes."""
        now = (self.concluded, self.came, self.went, *(facts for _, facts in self.asserted))
        return self.past.bytes + sum(facts.nbytes for facts in now)

    def before(self, states: Integers) -> Integers:
        """The states when the last closed tick ended, given those of now."""
        return union(without(states, self.came), self.went)

    def of_stream(self) -> Iterator[Integers]:
        """All facts in it that have predicates of the stream."""
        past = self.past.columns
        yield past.facts[~past.of_rules]
        yield from (self.came, self.went)
        yield from (facts for _, facts in self.asserted)

    def of_rules(self) -> Iterator[Integers]:
        """All facts in it that have predicates of the second kernel."""
        past = self.past.columns
        yield past.facts[past.of_rules]
        yield self.concluded

    def mapped(
        self, stream: Callable[[Integers], Integers], rules: Callable[[Integers], Integers]
    ) -> DataStream:
        """With all facts changed, as `Past.mapped`."""
        return self._replace(
            past=self.past.mapped(stream, rules),
            concluded=rules(self.concluded),
            came=stream(self.came),
            went=stream(self.went),
            asserted=tuple((at, stream(facts)) for at, facts in self.asserted),
        )

    def renamed(self, renaming: Renaming) -> DataStream:
        """The same in new numbers; predicates of the second kernel keep theirs, and so do tuples."""
        used = (number for facts in self.of_rules() for number in facts[are_tuples(facts[:, 1]), 1].tolist())
        tuples = self.tuples.renamed(renaming, used)
        return self.mapped(renaming.facts, partial(renamed_facts, renaming))._replace(tuples=tuples)


def terms_of(facts: Integers) -> Integers:
    """Facts without their predicates."""
    bare = facts.copy()
    bare[:, 0] = NONE
    return bare


def without(facts: Integers, others: Integers) -> Integers:
    """The facts that are not among others."""
    return facts[~among(others, facts)] if len(facts) and len(others) else facts


def union(facts: Integers, others: Integers) -> Integers:
    """The facts of both; they share none."""
    return np.concatenate([facts, others]) if len(others) else facts
