"""What a stream has said so far, as far as temporal rules can still ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, NONE, Integers, as_tuples
from pantarhei.encoding.renaming import Renaming
from pantarhei.temporal.past import Past, Said
from pantarhei.window.log import Entry, among


class Heard(NamedTuple):
    """What has been said. Nothing in it changes; facts have shape (n, 3).

    Args:
        first: the tick where the timeline begins.
        tick: the present one.
        past: the closed ticks.
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
    concluded: Integers = NO_FACTS
    came: Integers = NO_FACTS
    went: Integers = NO_FACTS
    asserted: tuple[tuple[int, Integers], ...] = ()
    oldest: int | None = None

    @property
    def events(self) -> Integers:
        """What is asserted at the present tick, each fact once, in the order given."""
        facts = np.concatenate([NO_FACTS, *(part for _, part in self.asserted)])
        return np.array(list(dict.fromkeys(as_tuples(facts))), np.int32).reshape(-1, 3)

    def with_changes(self, came: Integers, went: Integers) -> Heard:
        """With states that came and went at the present tick."""
        return self._replace(
            came=union(without(self.came, went), without(came, self.went)),
            went=union(without(self.went, came), without(went, self.came)),
        )

    def with_abox(self, entry: Entry, facts: Integers) -> Heard:
        """With an ABox of the present tick, or with it as it is now, and what it cuts of the others.

        Args:
            facts: those of its facts that rules ask for.
        """
        survived = {at: part[~among(entry.cut, part)] for at, part in self.asserted}
        survived[entry.ticks] = facts[~among(entry.cut, facts)]
        return self._replace(asserted=tuple(sorted(survived.items(), key=lambda each: each[0])))

    def moved_on(self, tick: int, concluded: Integers, withdrawn: Integers, needed: int) -> Heard:
        """With the present tick closed, at a later one.

        Args:
            concluded, withdrawn: the remembered conclusions that came and went at the tick that is closed.
            needed: the oldest tick that windows still ask for.
        """
        said = Said(self.tick, self.events, self.came, self.went, concluded, withdrawn)
        past = self.past.with_tick(said, needed)
        standing = union(without(self.concluded, withdrawn), concluded)
        return Heard(self.first, tick, past, standing, oldest=self.oldest)

    def before(self, states: Integers) -> Integers:
        """The states when the last closed tick ended, given those of now."""
        return union(without(states, self.came), self.went)

    def of_stream(self) -> Iterator[Integers]:
        """All facts in it that have predicates of the stream."""
        for said in self.past:
            yield from (said.events, said.came, said.went)
        yield from (self.came, self.went)
        yield from (facts for _, facts in self.asserted)

    def of_rules(self) -> Iterator[Integers]:
        """All facts in it that have predicates of the second kernel."""
        for said in self.past:
            yield from (said.concluded, said.withdrawn)
        yield self.concluded

    def mapped(self, stream: Callable[[Integers], Integers], rules: Callable[[Integers], Integers]) -> Heard:
        """With all facts changed.

        Args:
            stream: changes those with predicates of the stream.
            rules: changes those with predicates of the second kernel.
        """

        def said(each: Said) -> Said:
            parts = map(stream, (each.events, each.came, each.went))
            return Said(each.tick, *parts, *map(rules, (each.concluded, each.withdrawn)))

        return self._replace(
            past=self.past.mapped(said),
            concluded=rules(self.concluded),
            came=stream(self.came),
            went=stream(self.went),
            asserted=tuple((at, stream(facts)) for at, facts in self.asserted),
        )

    def renamed(self, renaming: Renaming) -> Heard:
        """The same in new numbers; predicates of the second kernel keep theirs."""

        def of_rules(facts: Integers) -> Integers:
            renamed = renaming.facts(terms_of(facts))
            renamed[:, 0] = facts[:, 0]
            return renamed

        return self.mapped(renaming.facts, of_rules)


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
