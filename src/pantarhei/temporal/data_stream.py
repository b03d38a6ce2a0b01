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


class Asserted(NamedTuple):
    """An ABox of the present tick.

    Args:
        at: its timestamp, in the stream's smallest units.
        facts: those that rules ask for, in the order given.
        cut: which facts of the tick its repair cuts, in itself and in older ABoxes. A further part of the
            timestamp may call for another repair, after which these are there again.
    """

    at: int
    facts: Integers
    cut: Integers = NO_FACTS


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
        asserted: the ABoxes of the present tick, oldest first.
        oldest: the timestamp of the oldest ABox in the window; None if it has none.
    """

    first: int
    tick: int
    past: Past
    tuples: Tuples
    concluded: Integers = NO_FACTS
    came: Integers = NO_FACTS
    went: Integers = NO_FACTS
    asserted: tuple[Asserted, ...] = ()
    oldest: int | None = None

    @property
    def events(self) -> Integers:
        """What is asserted at the present tick and has survived, each fact once, in the order given."""
        survived, cut = [NO_FACTS], NO_FACTS
        for abox in reversed(self.asserted):
            cut = np.concatenate([cut, abox.cut])
            survived.append(without(abox.facts, cut))
        return each_once(np.concatenate(survived[::-1]))

    def with_changes(self, came: Integers, went: Integers) -> DataStream:
        """With states that came and went at the present tick."""
        return self._replace(
            came=union(without(self.came, went), without(came, self.went)),
            went=union(without(self.went, came), without(went, self.came)),
        )

    def with_abox(self, entry: Entry, facts: Integers) -> DataStream:
        """With an ABox of the present tick, or with it as it is now, and what it cuts of itself and others.

        Args:
            facts: those of its facts that rules ask for.
        """
        others = [abox for abox in self.asserted if abox.at != entry.ticks]
        told = np.concatenate([facts, *(abox.facts for abox in others)])
        cut = entry.cut[among(told, entry.cut)] if len(told) and len(entry.cut) else NO_FACTS
        return self._replace(asserted=tuple(sorted((*others, Asserted(entry.ticks, facts, cut)), key=_time)))

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
        aboxes = (facts for _, *parts in self.asserted for facts in parts)
        now = (self.concluded, self.came, self.went, *aboxes)
        return self.past.bytes + sum(facts.nbytes for facts in now)

    def before(self, states: Integers) -> Integers:
        """The states when the last closed tick ended, given those of now."""
        return union(without(states, self.came), self.went)

    def of_stream(self) -> Iterator[Integers]:
        """All facts in it that have predicates of the stream."""
        past = self.past.columns
        yield past.facts[~past.of_rules]
        yield from (self.came, self.went)
        for abox in self.asserted:
            yield from (abox.facts, abox.cut)

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
            asserted=tuple(Asserted(at, stream(facts), stream(cut)) for at, facts, cut in self.asserted),
        )

    def renamed(self, renaming: Renaming) -> DataStream:
        """The same in new numbers; predicates of the second kernel keep theirs, and so do tuples."""
        used = (number for facts in self.of_rules() for number in facts[are_tuples(facts[:, 1]), 1].tolist())
        tuples = self.tuples.renamed(renaming, used)
        return self.mapped(renaming.facts, partial(renamed_facts, renaming))._replace(tuples=tuples)


def _time(abox: Asserted) -> int:
    return abox.at


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
