"""Temporal program in numbers, and the ranks of its predicates.

Predicates of the stream and all terms have the numbers of the vocabulary. Predicates of the temporal kernel
have numbers of their own. Operators react in the order of the ranks of their predicates, so that each reacts
at most once in a change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from rdflib import URIRef

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers, Symbol, symbol_of
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.graphs import components
from pantarhei.model.rule import Rule
from pantarhei.model.temporal_rule import Mode, TemporalRule
from pantarhei.rules.compilation.planning import GivenNumbers
from pantarhei.rules.compilation.program import Program, compile_
from pantarhei.temporal.literal_tests import COMPARISON_OF, RangeMemberships, compare_terms
from pantarhei.temporal.reification import LEFT, PAIR, RIGHT
from pantarhei.temporal.rule_warnings import MAX_NEW_LITERALS, too_many_literals
from pantarhei.temporal.selection import (
    ALL_ARGUMENTS,
    K,
    NumberedSelection,
    NumberedSelections,
    RowMapper,
    RowMapping,
)
from pantarhei.temporal.temporal_program import (
    ALWAYS,
    FIRST,
    IS_LITERAL,
    REST,
    TUPLE,
    UNIT,
    Input,
    TemporalProgram,
)


class DerivedPredicate(NamedTuple):
    """Predicate with the predicates that it is derived from."""

    symbol: Symbol
    of: tuple[Symbol, ...]


def evaluation_ranks(rules: Iterable[Rule], others: Iterable[DerivedPredicate]) -> dict[Symbol, int]:
    """Return a rank for each predicate, not lower than the ranks of the predicates that it is derived from.

    Only mutually recursive predicates have equal ranks. Costs time linear in the rules.

    Args:
        rules: the kernel's rules.
        others: derivations by operators.

    >>> from rdflib import URIRef
    >>> a, b, c = (Symbol(URIRef(name), 1) for name in "abc")
    >>> evaluation_ranks([], [DerivedPredicate(a, (b,)), DerivedPredicate(b, (c,))]) == {c: 0, b: 1, a: 2}
    True
    """
    derived = [
        DerivedPredicate(symbol_of(rule.head), tuple(map(symbol_of, rule.body)))
        for rule in rules
        if rule.head is not None
    ]
    derived += others
    numbers: dict[Symbol, int] = {}
    for each in derived:
        for symbol in (each.symbol, *each.of):
            numbers.setdefault(symbol, len(numbers))
    rests_on: list[list[int]] = [[] for _ in numbers]
    for each in derived:
        rests_on[numbers[each.symbol]] += map(numbers.__getitem__, each.of)
    symbols = list(numbers)
    found = enumerate(components(rests_on))
    return {symbols[number]: rank for rank, component in found for number in component}


class NumberedInput(NamedTuple):
    """Base rows that follow a predicate of the stream; `temporal_program.Input` in numbers.

    Args:
        source: predicate in the stream.
        mode, size: temporal operator and length of its window.
        target: predicate in the temporal kernel.
        is_asserted: true if the rows follow assertions, false if they follow states.
        times, counts_tuples: minimum number of occurrences; true if the window counts assertions, not ticks.
        selector: filter and projection of the facts; None for all facts and arguments.
        arity: number of arguments of the rows, without the tick.
    """

    source: int
    mode: Mode
    size: int
    target: int
    is_asserted: bool
    times: int = 1
    counts_tuples: bool = False
    selector: NumberedSelection | None = None
    arity: int = 1

    @property
    def is_direct(self) -> bool:
        """True if each input fact becomes exactly one row, whose expiry depends on no other fact."""
        return self.mode in (Mode.NOW, Mode.SOMETIME) and not self.is_counted

    @property
    def follows_states(self) -> bool:
        """Test whether the rows are the states of the source, without a selection."""
        return not self.is_asserted and self.selector is None

    @property
    def is_counted(self) -> bool:
        """Test whether the rows depend on a window of the last assertions or on a number of occurrences."""
        return self.counts_tuples or self.times > 1


class NumberedTemporalProgram:
    """Temporal program in the numbers of a vocabulary.

    Args:
        program: the program.
        vocabulary: numbers the stream's predicates and all terms; the terms of the rules are added.

    Attributes:
        wide: number of the kernel's predicate for each concluded predicate whose atoms are reified as tuples.
    """

    def __init__(self, program: TemporalProgram, vocabulary: Vocabulary) -> None:
        self.unit = vocabulary.number(UNIT)
        numbers = GivenNumbers(_symbols(program), vocabulary.ranges, vocabulary.number)
        self.compiled: Program = compile_(program.rules, numbers)
        self.literals = LiteralEvaluator(self.compiled, vocabulary, program.maybe_endless)
        self.predicates = {symbol: number for number, symbol in enumerate(self.compiled.predicates)}
        self.ticks, self.largest = program.ticks, program.largest
        self._vocabulary = vocabulary
        self._number_names()
        self._number_conclusions(program)
        self._number_operators(program)
        self._number_times(program)
        self._number_feeds(program)
        self._ranges = vocabulary.ranges  # includes the ranges in conditions of selections
        self.is_dated = bool(self.dated_inputs or self.dated_conclusions or self.clocks or self.has_at_ticks)
        self.counts_tuples = any(feed.counts_tuples for feed in self.counted)
        is_timeless = not (self.is_dated or self.counts_tuples or program.keeps_all)
        # number of equal ticks after which all later ticks are equal; None if there is no such number
        self.reach = program.largest if is_timeless else None

    def _number_names(self) -> None:
        """Number the unit fact and the predicates that define pairs and tuples."""
        of = self.predicates
        self.always = (of[ALWAYS], self.unit, NONE)
        self.pairs = of[PAIR], of[LEFT], of[RIGHT]
        tuples = [Symbol(name, 2) for name in (TUPLE, FIRST, REST)]
        self.tuples = tuple(map(of.__getitem__, tuples)) if tuples[0] in of else None

    def _number_conclusions(self, program: TemporalProgram) -> None:
        """Number the concluded predicates, in the temporal kernel and in the stream."""
        of, vocabulary = self.predicates, self._vocabulary
        self.conclusions = {of[symbol]: named for symbol, named in program.conclusions.items()}
        self.is_conclusion = np.zeros(len(of), bool)
        self.is_conclusion[list(self.conclusions)] = True
        self._in_stream = np.full(len(of), NONE, np.int32)
        alone = [symbol for symbol, named in program.conclusions.items() if tuple(symbol) == named]
        for symbol in (*alone, *program.plain):
            self._in_stream[of[symbol]] = vocabulary.number_symbol(symbol)
            self.is_conclusion[of[symbol]] = True
        self._fed_back = np.full(len(of), NONE, np.int32)
        for symbol, concluded in program.fed_back.items():
            self._fed_back[of[concluded]] = self._in_stream[of[symbol]]
        # 1 for reified conclusions, -1 for their copies as triples; the sum counts the other conclusions
        self._beside_triples = np.zeros(len(of), np.int64)
        for symbol, named in program.conclusions.items():
            if symbol in program.fed_back and tuple(symbol) != named:
                triples = program.fed_back[Symbol(*named)]
                self._beside_triples[[of[program.fed_back[symbol]], of[triples]]] = 1, -1
        names = self.compiled.predicates
        self.wide = {name: n for n, (name, _) in self.conclusions.items() if names[n].name != name}

    def _number_operators(self, program: TemporalProgram) -> None:
        """Number the predicates of negations, of □ and of counts."""
        of = self.predicates
        self.guards = [
            (of[negated], of[candidates], of[absent], self.unit if negated.arity == 1 else None)
            for negated, candidates, absent in program.guards
        ]
        self.runs = [(of[source], of[target], size) for source, size, target in program.runs]
        self.dated_runs = [
            (of[source], of[target], size, times, target.arity)
            for source, size, target, times in program.dated_runs
        ]
        self.ranks = _ranks(program, of)

    def _number_times(self, program: TemporalProgram) -> None:
        """Number the remembered predicates, and the predicates whose rows have a tick."""
        of = self.predicates
        self.windows = {
            of[each.source]: [(of[symbol], size) for symbol, size in each.windows]
            for each in program.remembered
        }
        self.dated_conclusions = [
            NumberedInput(
                of[each.source], Mode.AT, size, of[target], is_asserted=False, arity=each.source.arity
            )
            for each in program.remembered
            for target, size in each.dated
        ]
        self.clocks = [(of[clock.symbol], clock.size) for clock in program.clocks]
        self.at_ticks = np.zeros(len(of), bool)
        self.at_ticks[[of[symbol] for symbol in program.at_ticks]] = True
        self.has_at_ticks = bool(self.at_ticks.any())

    def _number_feeds(self, program: TemporalProgram) -> None:
        """Number the inputs."""
        of, vocabulary = self.predicates, self._vocabulary
        self.selectors = NumberedSelections((each.selection for each in program.inputs), vocabulary)
        self.inputs = [
            NumberedInput(
                vocabulary.number_symbol(each.source),
                each.mode,
                each.size,
                of[each.target],
                each.is_asserted,
                each.times,
                each.counts_tuples,
                self.selectors.of(each.selection),
                _arity(each),
            )
            for each in program.inputs
        ]
        self._is_input = {
            flag: _flags({feed.source for feed in self.inputs if feed.is_asserted is flag})
            for flag in (False, True)
        }
        self.dated_inputs = [feed for feed in self.inputs if feed.mode is Mode.AT and not feed.is_counted]
        self.counted = [feed for feed in self.inputs if feed.is_counted]

    def mapper(
        self,
        feeds: Iterable[NumberedInput],
        kind: Callable[[NumberedInput], K],
        of_classes: NumberedSelection = ALL_ARGUMENTS,
    ) -> RowMapper[K]:
        """Return the mapping from facts to the rows of inputs, each labelled by `kind`.

        Args:
            of_classes: selection for inputs without selector and with one argument.
        """
        return RowMapper(
            self.selectors,
            (
                RowMapping(
                    feed.source,
                    feed.target,
                    kind(feed),
                    feed.selector or (ALL_ARGUMENTS if feed.arity > 1 else of_classes),
                )
                for feed in feeds
            ),
        )

    @property
    def fits(self) -> bool:
        """Test whether the vocabulary still has the data ranges with which the program was compiled."""
        return self._vocabulary.ranges == self._ranges

    def time(self, tick: int) -> int:
        """Return the number of the literal that denotes a tick."""
        return self._vocabulary.number(self.ticks.literal_of(tick))

    def select_inputs(self, facts: Integers, is_asserted: bool) -> Integers:
        """Return the facts that are input of rules, with classes in place of `rdf:type` as predicates.

        Further columns of the facts are kept.
        """
        facts = self._vocabulary.with_classes(facts)
        if is_asserted and self.counts_tuples:
            return facts
        return facts[self._is_input[is_asserted].take(facts[:, 0], mode="clip")]

    def of_conclusions(self, facts: Integers, other: NumberedTemporalProgram) -> Integers:
        """Renumber the predicates of conclusions, from another numbered program of the same rules."""
        known = [self.predicates.get(symbol, NONE) for symbol in other.compiled.predicates]
        rows = facts.copy()
        rows[:, 0] = np.array(known, np.int32)[facts[:, 0]]
        return rows

    @property
    def symbols(self) -> Integers:
        """Numbers, in the vocabulary, of the concluded predicates that are classes and properties."""
        found: Integers = self._in_stream[self._in_stream != NONE]
        return found

    def triples(self, facts: Integers) -> Integers:
        """Return the facts of the temporal kernel that are conclusions in the form of triples, with RDF
        predicates.

        Args:
            facts: shape (n, 3), or with further columns, which are kept.
        """
        return self._vocabulary.with_types(_translated(facts, self._in_stream))

    def fed_back(self, facts: Integers) -> Integers:
        """Return the rules' own conclusions among facts as triples (see `triples`), with feedback."""
        return self._vocabulary.with_types(_translated(facts, self._fed_back))

    def not_assertable(self, facts: Integers) -> int:
        """Count the rules' own conclusions with a literal as subject; for rules with feedback."""
        return int(self._beside_triples[facts[:, 0]].sum()) if self._beside_triples.any() else 0

    @property
    def boxes(self) -> Iterable[Sequence[NumberedInput]]:
        """Inputs of □ over windows of ticks, grouped by target predicate."""
        found: defaultdict[int, list[NumberedInput]] = defaultdict(list)
        for feed in self.inputs:
            if feed.mode is Mode.ALWAYS and not feed.is_counted:
                found[feed.target].append(feed)
        return found.values()


def _ranks(program: TemporalProgram, of: Mapping[Symbol, int]) -> dict[int, int]:
    """Return the ranks of the predicates whose rows operators derive, see `evaluation_ranks`."""
    by_operators = [
        DerivedPredicate(guard.absent, (guard.negated, guard.candidates)) for guard in program.guards
    ]
    by_operators += [DerivedPredicate(run.target, (run.source,)) for run in program.runs]
    by_operators += [DerivedPredicate(run.target, (run.source,)) for run in program.dated_runs]
    return {of[symbol]: rank for symbol, rank in evaluation_ranks(program.rules, by_operators).items()}


def _translated(facts: Integers, predicates: Integers) -> Integers:
    """Return the facts whose predicates have a number in `predicates` and whose subjects are names, with that
    number.
    """
    numbers = predicates[facts[:, 0]]
    are_triples = (numbers != NONE) & (facts[:, 1] < FIRST_LITERAL)
    return np.column_stack([numbers[are_triples], facts[are_triples, 1:]])


def _arity(given: Input) -> int:
    """Return the number of arguments of an input's rows, without the tick."""
    if given.selection is None:
        return given.source.arity
    return len(given.selection.arguments) - given.selection.is_dated


def _flags(sources: Collection[int]) -> npt.NDArray[np.bool_]:
    """Return a mask over the stream's predicates; its last entry, false, stands for all larger numbers."""
    flags = np.zeros(max(sources, default=-1) + 2, bool)
    flags[list(sources)] = True
    return flags


_MOST_FOUND: Final = 1 << 14
"""Maximum number of cached results of built-ins."""


class LiteralEvaluator:
    """Evaluation of built-in functions and data ranges on literals, for the temporal kernel.

    Args:
        compiled: the kernel's program.
        vocabulary: numbers computed literals.
        maybe_endless: a rule that may compute without end; None if there is none.
    """

    def __init__(
        self, compiled: Program, vocabulary: Vocabulary, maybe_endless: TemporalRule | None = None
    ) -> None:
        self._builtins, self._vocabulary = compiled.builtins, vocabulary
        self._memberships = RangeMemberships(compiled.ranges, vocabulary)
        self._found: dict[tuple[int, int, int], int] = {}
        self._revision = vocabulary.revision
        self._maybe_endless, self._known = maybe_endless, 0

    def begin(self) -> None:
        """Reset the count of new literals, at the start of a change."""
        self._known = len(self._vocabulary.literals)

    @property
    def memberships(self) -> npt.NDArray[np.uint8]:
        """Membership bits of all literals in the program's data ranges; see `Matcher.use_literals`."""
        return self._memberships.bits

    def evaluate(self, builtin: int, left: int, right: int) -> int:
        """Evaluate a built-in, with a cache; see `Vocabulary.evaluate`.

        Raises:
            TemporalRuleError: more than `MAX_NEW_LITERALS` literals are new, and a rule may compute without
            end.
        """
        name = self._builtins[builtin]
        if name == IS_LITERAL:
            return int(left >= FIRST_LITERAL)
        if name in COMPARISON_OF and min(left, right) < FIRST_LITERAL:
            return compare_terms(name, left, right, self._vocabulary)
        if self._revision is not self._vocabulary.revision or len(self._found) > _MOST_FOUND:
            self._found, self._revision = {}, self._vocabulary.revision
        key = builtin, left, right
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._result(name, left, right)
            made = len(self._vocabulary.literals) - self._known
            if made > MAX_NEW_LITERALS and self._maybe_endless is not None:
                raise too_many_literals(self._maybe_endless, made)
        return found

    def _result(self, name: URIRef, left: int, right: int) -> int:
        if name in COMPARISON_OF:
            return compare_terms(name, left, right, self._vocabulary)
        return self._vocabulary.result(name, left, right)


def _symbols(program: TemporalProgram) -> list[Symbol]:
    """Return the predicates that the program needs even if no rule contains them."""
    return [
        ALWAYS,
        PAIR,
        LEFT,
        RIGHT,
        *(each.target for each in program.inputs),
        *program.conclusions,
        *program.plain,
        *(each.target for each in program.runs),
        *(each.target for each in program.dated_runs),
        *(clock.symbol for clock in program.clocks),
    ]
