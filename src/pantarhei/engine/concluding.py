"""Temporal rules beside the window model: told of each step, they say what is concluded.

What was said stands in a value that nothing changes (`Heard`); the second kernel is derived from that and
from the window model, and made again where an error lost it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import starmap
from typing import Final

import numpy as np
from rdflib import URIRef

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import NO_FACTS, NONE, Fact, Integers, Symbol, Symbols, as_tuples
from pantarhei.encoding.renaming import Renaming, UsedTerms
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.changes import Changes, net_changes
from pantarhei.errors import TemporalRuleError
from pantarhei.language.temporal_rule import TemporalAtom
from pantarhei.language.time import TimePoint, ticks_of
from pantarhei.materialize.model import WindowModel
from pantarhei.temporal.conclusions import NOTHING_CONCLUDED, ConclusionChanges, Turn
from pantarhei.temporal.evaluation import Evaluation, Standing
from pantarhei.temporal.heard import Heard, terms_of, union, without
from pantarhei.temporal.numbered import NumberedProgram
from pantarhei.temporal.past import Past
from pantarhei.temporal.rules import TemporalRules
from pantarhei.temporal.saving import heard_of, kind_of_saved, to_bytes
from pantarhei.temporal.ticks import Ticks, kind_for
from pantarhei.temporal.translation import program_of
from pantarhei.window.sliding import Step, Window

CONCLUSIONS: Final = "conclusions"
"""The name that temporal rules are attached by."""


class Concluding:
    """A consumer (engine/consumer.py) that evaluates temporal rules.

    Args:
        rules: the rules.
        window: the reasoner's, whose ends are the ticks.
        vocabulary: the reasoner's; it learns the terms of the rules.

    Raises:
        TemporalRuleError: a window of a rule does not fit the stream's ticks, or a construct is not there.
    """

    wants_levels = False
    follows_parts = True
    follows_steps = True

    def __init__(self, rules: TemporalRules, window: Window, vocabulary: Vocabulary) -> None:
        if rules.feedback:
            raise TemporalRuleError("what is concluded cannot be asserted yet", "rules without feedback=True")
        self.rules, self._vocabulary = rules, vocabulary
        self._fit(Ticks(window, kind_for(window)))
        self._heard: Heard | None = None  # before the first tick of the timeline
        self._evaluation: Evaluation | None = None
        self._changed: list[tuple[TimePoint, Integers]] = []  # conclusions, since someone asked
        self._is_followed, self._untold = False, tuple[Integers, ...]()  # those that are triples

    def _fit(self, ticks: Ticks) -> None:
        """Have the program for a stream of that kind of time."""
        self._ticks = ticks
        self._program = program_of(self.rules.rules, self.rules.remembered, ticks)
        self._numbered = NumberedProgram(self._program, self._vocabulary)

    # -- what is concluded -------------------------------------------------------------------------

    def take_changes(self) -> ConclusionChanges:
        """The conclusions that came and those that went since the last call."""
        changed, self._changed = self._changed, []
        by_time: dict[TimePoint, list[Integers]] = {}
        for at, part in changed:
            if len(part):
                by_time.setdefault(at, []).append(part)
        if not by_time:
            return NOTHING_CONCLUDED
        atoms = self._decoder
        nets = [(at, net_changes(np.concatenate(parts))) for at, parts in by_time.items()]

        def turn(at: TimePoint, net: Integers) -> Turn:
            came, went = (as_tuples(net[net[:, 3] == sign, :3]) for sign in (1, -1))
            return Turn(at, frozenset(atoms(came)), frozenset(atoms(went)))

        return ConclusionChanges(lambda: tuple(starmap(turn, nets)))

    def atoms(self, model: WindowModel) -> frozenset[TemporalAtom]:
        """What is concluded at the present tick. Costs a pass over the second kernel."""
        if self._heard is None:
            return frozenset()
        return frozenset(self._decoder(as_tuples(self._concluded(self._running(model)))))

    def _concluded(self, evaluation: Evaluation) -> Integers:
        facts = evaluation.model.facts()
        concluded: Integers = facts[self._numbered.is_conclusion[facts[:, 0]]]
        return concluded

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The classes and properties that rules conclude."""
        return frozenset(Symbol(*named) for named in self._numbered.conclusions.values())

    def facts(self, model: WindowModel) -> Integers:
        """The conclusions that are triples, as facts in the vocabulary's numbers. Costs as `atoms`."""
        if self._heard is None:
            return NO_FACTS
        return self._numbered.triples(self._running(model).model.facts())

    def follow(self) -> None:
        """Note from now on how `facts` changes, for `take_facts`."""
        self._is_followed = True

    def take_facts(self) -> Integers:
        """Which of `facts` came (1) and went (-1, last column) since the last call, each once."""
        untold, self._untold = self._untold, ()
        return net_changes(np.concatenate([_NO_CHANGES, *untold]))

    def _note(self, at: TimePoint, changes: Integers) -> None:
        """Conclusions came and went at a time."""
        self._changed.append((at, changes))
        if self._is_followed:
            self._untold = (*self._untold, self._numbered.triples(changes))

    @property
    def _decoder(self) -> Callable[[Iterable[Fact]], Iterator[TemporalAtom]]:
        """Makes conclusions of facts of the second kernel, in the numbers of now."""
        return partial(_atoms, self._numbered.conclusions, self._vocabulary.lexicon)

    # -- the steps ---------------------------------------------------------------------------------

    @property
    def asks_for(self) -> Symbols:
        """See `Consumer`: the states that rules look at."""
        return frozenset(each.source for each in self._program.inputs if not each.is_asserted)

    @property
    def bytes_used(self) -> int:
        """See `Consumer`."""
        return 0 if self._evaluation is None else self._evaluation.model.bytes_used

    def due(self, after: int, until: int) -> int | None:
        """See `Consumer`: the next tick at which something ends, or begins to hold."""
        heard = self._heard
        if heard is None:
            return None
        due = [heard.tick + 1] if self._evaluation is None or self._is_unsettled(heard) else []
        if self._evaluation is not None and (next_due := self._evaluation.next_due()) is not None:
            due.append(next_due)
        if heard.oldest is not None:
            due.append(self._ticks.at(self._ticks.first_without(heard.oldest)))
        ends = (self._ticks.end_of(max(tick, heard.tick + 1)) for tick in due)
        last = self._ticks.end_of(self._ticks.at(until) - 1)
        return min((end for end in ends if after < end <= last), default=None)

    def _is_unsettled(self, heard: Heard) -> bool:
        """Whether remembered conclusions changed at the present tick: what rests on that ends later."""
        return bool(self._numbered.windows) and any(map(len, self._turned(heard)))

    def before(self, step: Step, model: WindowModel) -> None:
        """See `Consumer`: `apply` was told all there is to know."""

    def apply(self, changes: Changes, model: WindowModel) -> None:
        """See `Consumer`."""
        assert changes.step is not None and changes.at is not None, "temporal rules belong to a window"
        tick = self._ticks.of(changes.step)
        states = self._states_in(changes.signed)
        came, went = (states[states[:, 3] == sign, :3] for sign in (1, -1))
        if self._heard is None:
            first = self._first(changes.step, tick)
            if tick < first:
                return
            self._heard = Heard(first, tick, Past(first))
            self._evaluation = Evaluation(self._numbered, first, tick)
            self._evaluation.begin(self._heard.past, Standing())
            at_once = self._concluded(self._evaluation)
            self._note(changes.at, np.column_stack([at_once, np.ones(len(at_once), np.int32)]))
            came, went = self._standing(model), NO_FACTS
        evaluation = self._evaluation
        if evaluation is None:
            evaluation = self._evaluation = self._made(union(without(self._standing(model), came), went))
        if tick > self._heard.tick:
            self._move_on(evaluation, tick, changes.at)
        self._heard = self._said(self._heard, changes, came, went)
        evaluation.change(came, went, self._heard.events)
        self._evaluation = evaluation
        self._note(changes.at, evaluation.take_changes())

    def _first(self, step: Step, tick: int) -> int:
        """The tick where the timeline begins."""
        if self.rules.start is None:
            return tick - self._program.largest
        return self._ticks.at(ticks_of(self.rules.start, step.kind))

    def _move_on(self, evaluation: Evaluation, tick: int, at: TimePoint) -> None:
        """Close the present tick, at a time of a later one."""
        heard = self._heard
        assert heard is not None, "a tick has begun"
        concluded, withdrawn = self._turned(heard)
        counted = evaluation.oldest_counted
        needed = heard.tick - self._program.largest
        needed = needed if counted is None else min(needed, counted)
        needed = heard.first if self._program.keeps_all else needed
        self._heard = heard.moved_on(tick, concluded, withdrawn, needed)
        self._evaluation = None  # until it is done
        evaluation.come_to(tick, concluded, withdrawn)
        self._note(at, evaluation.take_changes())

    def _said(self, heard: Heard, changes: Changes, came: Integers, went: Integers) -> Heard:
        """What has been said, with what changed at the present tick."""
        heard = heard.with_changes(came, went)
        for entry in changes.entries:
            heard = heard.with_abox(entry, self._events_in(entry.facts))
        oldest = next(iter(changes.log or ()), None)
        return heard._replace(oldest=None if oldest is None else oldest.ticks)

    def _states_in(self, facts: Integers) -> Integers:
        return facts[np.isin(facts[:, 0], list(self._numbered.feeds_of(is_asserted=False)))]

    def _events_in(self, facts: Integers) -> Integers:
        if self._numbered.counts_tuples:
            return facts
        return facts[np.isin(facts[:, 0], list(self._numbered.feeds_of(is_asserted=True)))]

    def _standing(self, model: WindowModel) -> Integers:
        """The states that hold now."""
        return self._states_in(model.facts())

    def _turned(self, heard: Heard) -> tuple[Integers, Integers]:
        """The remembered conclusions that came and went at the present tick."""
        if not self._numbered.windows or self._evaluation is None:
            return NO_FACTS, NO_FACTS
        facts = self._evaluation.model.facts()
        now = facts[np.isin(facts[:, 0], list(self._numbered.windows))]
        return without(now, heard.concluded), without(heard.concluded, now)

    # -- the evaluation, made again ----------------------------------------------------------------

    def _running(self, model: WindowModel) -> Evaluation:
        """The evaluation; made again where an error lost it, which costs the past and the states."""
        if self._evaluation is None:
            self._evaluation = self._made(self._standing(model))
        return self._evaluation

    def _made(self, states: Integers) -> Evaluation:
        """The evaluation of what has been said.

        Args:
            states: those that hold now.
        """
        heard = self._heard
        assert heard is not None, "a tick has begun"
        made = Evaluation(self._numbered, heard.first, heard.tick)
        made.begin(heard.past, Standing(heard.before(states), heard.concluded))
        made.change(heard.came, heard.went, heard.events)
        made.take_changes()
        return made

    def mark(self) -> object:
        """See `Consumer`."""
        return self._heard, self._untold

    def back(self, mark: object) -> None:
        """See `Consumer`."""
        assert isinstance(mark, tuple)
        heard, self._untold = mark
        if heard is not self._heard:
            self._heard, self._evaluation = heard, None
        self._changed = []

    # -- terms -------------------------------------------------------------------------------------

    def used_terms(self, used: UsedTerms) -> None:
        """See `Consumer`."""
        if self._heard is not None:
            for part in self._heard.of_stream():
                used.add(part)
            for part in self._heard.of_rules():
                used.add(terms_of(part))
        numbers = [self._vocabulary.number_symbol(each.source) for each in self._program.inputs]
        used.symbols[numbers] = 1
        used.symbols[self._numbered.symbols] = 1
        if self._evaluation is not None:
            facts = terms_of(self._evaluation.model.facts())
            facts[facts[:, 1] >= self._vocabulary.counts[1], 1] = NONE  # pairs have numbers of their own
            used.add(facts)

    def renamed(self, renaming: Renaming) -> None:
        """See `Consumer`."""
        self._numbered = NumberedProgram(self._program, self._vocabulary)
        self._evaluation = None
        if self._heard is not None:
            self._heard = self._heard.renamed(renaming)

    def rebuilt(self, model: WindowModel, saved: bytes | None) -> None:
        """See `Consumer`."""
        if saved:
            self._fit(replace(self._ticks, kind=kind_of_saved(saved)))
            self._heard, self._evaluation = heard_of(saved, self._numbered, self._vocabulary), None

    def saved(self) -> bytes:
        """See `Consumer`."""
        return to_bytes(self.rules, self._heard, self._numbered, self._vocabulary)


class FollowedConclusions:
    """The conclusions that are triples, for who keeps queries of them up to date.

    Args:
        concluding: says what is concluded.
        model: gives the window model.
        are_joined: whether they are in the default graph too.
    """

    def __init__(self, concluding: Concluding, model: Callable[[], WindowModel], are_joined: bool) -> None:
        self._concluding, self._model, self._are_joined = concluding, model, are_joined
        concluding.follow()

    def are_joined_for(self, needed: Symbols) -> bool:
        """Whether a query of some classes and properties, None for all, finds any in the default graph."""
        return self._are_joined and (needed is None or not needed.isdisjoint(self._concluding.symbols))

    def facts(self) -> Integers:
        """All of them, shape (n, 3)."""
        return self._concluding.facts(self._model())

    def take_facts(self) -> Integers:
        """See `Concluding`."""
        return self._concluding.take_facts()


_NO_CHANGES: Final = np.empty((0, 4), np.int32)


def _atoms(
    names: Mapping[int, tuple[URIRef, int]], lexicon: Lexicon, facts: Iterable[Fact]
) -> Iterator[TemporalAtom]:
    for predicate, *arguments in facts:
        name, arity = names[predicate]
        yield TemporalAtom(name, tuple(map(lexicon.term, arguments[:arity])))
