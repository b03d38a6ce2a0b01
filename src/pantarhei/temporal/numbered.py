"""A temporal program in numbers: those of the stream's predicates outside, the second kernel's inside."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rdflib import Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.language.temporal_rule import Mode
from pantarhei.rules.compilation.program import Program, compile_
from pantarhei.temporal.folding import LEFT, PAIR, RIGHT
from pantarhei.temporal.program import ALWAYS, UNIT, TemporalProgram


class Feed(NamedTuple):
    """Base rows that follow a predicate of the stream, as `program.Input`.

    Args:
        source: the predicate in the stream.
        mode, size: when it is to hold.
        target: the predicate in the second kernel.
        is_asserted: whether they follow what is asserted.
        times, counts_tuples: how often it is to hold, and in what window.
    """

    source: int
    mode: Mode
    size: int
    target: int
    is_asserted: bool
    times: int = 1
    counts_tuples: bool = False

    @property
    def is_direct(self) -> bool:
        """Whether each of its facts is a row, with an expiry."""
        return self.mode in (Mode.NOW, Mode.SOMETIME) and not self.is_counted

    @property
    def is_counted(self) -> bool:
        """Whether it takes how often its facts occur."""
        return self.counts_tuples or self.times > 1


class NumberedRun(NamedTuple):
    """Always within a window, of conclusions, as `program.Run`."""

    source: int
    size: int
    target: int


class NumberedProgram:
    """The program of temporal rules in the numbers of a vocabulary, whose terms it shares.

    Args:
        program: the rules.
        vocabulary: numbers the stream's predicates, and all terms; those of the rules it learns here.
    """

    def __init__(self, program: TemporalProgram, vocabulary: Vocabulary) -> None:
        unit = vocabulary.number(UNIT)
        for rule in program.rules:
            for part in (*rule.atoms, *rule.tests):
                for argument in part.arguments:
                    if not isinstance(argument, Variable):
                        vocabulary.number(argument)
        self.compiled: Program = compile_(program.rules, _Terms(program, vocabulary))
        self.literals = Computing(self.compiled, vocabulary)
        of = {symbol: number for number, symbol in enumerate(self.compiled.predicates)}
        self.always = (of[ALWAYS], unit, NONE)
        self.conclusions = {of[symbol]: named for symbol, named in program.conclusions.items()}
        self.is_conclusion = np.zeros(len(of), bool)
        self.is_conclusion[list(self.conclusions)] = True
        self._in_stream = np.full(len(of), NONE, np.int32)
        for symbol, (name, arity) in program.conclusions.items():
            if arity in (1, 2):
                self._in_stream[of[symbol]] = vocabulary.number_symbol(Symbol(name, arity))
        self.guards = [
            (of[denied], of[asked], of[free], unit if denied.arity == 1 else None)
            for denied, asked, free in program.guards
        ]
        self.runs = [NumberedRun(of[source], size, of[target]) for source, size, target in program.runs]
        self.dated_runs = [
            (of[source], of[target], size, times, target.arity)
            for source, size, target, times in program.dated_runs
        ]
        self.windows = {of[each.source]: _sized(each.windows, of) for each in program.remembered}
        self.dated = {of[each.source]: _sized(each.dated, of) for each in program.remembered if each.dated}
        self.clocks = [(of[clock.symbol], clock.size) for clock in program.clocks]
        self.at_ticks = np.zeros(len(of), bool)
        self.at_ticks[[of[symbol] for symbol in program.at_ticks]] = True
        self.unit = unit
        self.pairs = of[PAIR], of[LEFT], of[RIGHT]
        self.largest = program.largest
        self._feeds: dict[bool, defaultdict[int, list[Feed]]] = {
            False: defaultdict(list),
            True: defaultdict(list),
        }
        for given in program.inputs:
            number, target = vocabulary.number_symbol(given.source), of[given.target]
            feed = Feed(
                number, given.mode, given.size, target, given.is_asserted, given.times, given.counts_tuples
            )
            self._feeds[given.is_asserted][number].append(feed)
        self.ticks, self._vocabulary = program.ticks, vocabulary
        self.dated_feeds = [feed for feed in self._all_feeds() if feed.mode is Mode.AT]
        self.counted = [feed for feed in self._all_feeds() if feed.is_counted]
        self.counts_tuples = any(feed.counts_tuples for feed in self.counted)

    def time(self, tick: int) -> int:
        """The number of the literal that rules see as a tick."""
        return self._vocabulary.number(self.ticks.literal_of(tick))

    def feeds_of(self, is_asserted: bool) -> Mapping[int, Sequence[Feed]]:
        """What the stream's predicates feed, by their numbers."""
        return self._feeds[is_asserted]

    @property
    def symbols(self) -> Integers:
        """The numbers that the predicates of conclusions have in the vocabulary, where these are triples."""
        found: Integers = self._in_stream[self._in_stream != NONE]
        return found

    def triples(self, facts: Integers) -> Integers:
        """The conclusions among facts of the second kernel that are triples, in the vocabulary's predicates.

        Args:
            facts: shape (n, 3), or with further columns, which stay.
        """
        numbers = self._in_stream[facts[:, 0]]
        are_triples = (numbers != NONE) & (facts[:, 1] < FIRST_LITERAL)
        return np.column_stack([numbers[are_triples], facts[are_triples, 1:]])

    def boxes(self, is_asserted: bool) -> Iterator[Feed]:
        """All feeds of what holds always in a window of ticks."""
        for feed in self._all_feeds():
            if feed.is_asserted is is_asserted and feed.mode is Mode.ALWAYS and not feed.is_counted:
                yield feed

    def _all_feeds(self) -> Iterator[Feed]:
        for by_source in self._feeds.values():
            for feeds in by_source.values():
                yield from feeds


def _sized(windows: Iterable[tuple[Symbol, int]], of: Mapping[Symbol, int]) -> list[tuple[int, int]]:
    return [(of[symbol], size) for symbol, size in windows]


class Computing:
    """What the second kernel asks about literals: they are the vocabulary's, the built-ins its own.

    Args:
        compiled: the kernel's program.
        vocabulary: numbers what is computed.
    """

    def __init__(self, compiled: Program, vocabulary: Vocabulary) -> None:
        self._builtins, self._vocabulary = compiled.builtins, vocabulary

    @property
    def memberships(self) -> npt.NDArray[np.uint8]:
        """See `Matcher.consult`."""
        return self._vocabulary.memberships

    def evaluate(self, builtin: int, left: int, right: int) -> int:
        """See `Vocabulary.evaluate`."""
        return self._vocabulary.result(self._builtins[builtin], left, right)


class _Terms:
    """The terms of a vocabulary, and of the predicates those that no rule need have."""

    def __init__(self, program: TemporalProgram, vocabulary: Vocabulary) -> None:
        self.symbols = [
            ALWAYS,
            PAIR,
            LEFT,
            RIGHT,
            *(each.target for each in program.inputs),
            *program.conclusions,
        ]
        self.symbols += [each.target for each in program.runs]
        self.symbols += [each.target for each in program.dated_runs]
        self.symbols += [clock.symbol for clock in program.clocks]
        self.symbols = list(dict.fromkeys(self.symbols))
        self.names, self.literals = vocabulary.names, vocabulary.literals
