"""At which ticks something was so, as far as rules can ask at the present tick: what was said, and what they
conclude.

Nothing here is kept up: it is read from what has been said when a reason is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rdflib import URIRef

from pantarhei.encoding.numbers import Fact, Integers, Symbol, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.proofs.step import EvidenceBasis
from pantarhei.temporal.data_stream import DataStream
from pantarhei.temporal.numbered import NumberedTemporalProgram
from pantarhei.temporal.tick_history import TickColumn

Arguments = tuple[int, ...]
"""The numbers of an atom's terms."""

Pattern = tuple[int | None, ...]
"""The same, None for any term."""

_Table = npt.NDArray[np.int64]
"""A tick or a place and three columns of a fact, oldest first."""


class TickRun(NamedTuple):
    """Ticks one after another at each of which something was so.

    Args:
        first, last: both included.
        known: how that is known.
    """

    first: int
    last: int
    known: EvidenceBasis

    def within(self, first: int, last: int) -> TickRun:
        """The part in a window; one without ticks where there is none."""
        return TickRun(max(self.first, first), min(self.last, last), self.known)

    @property
    def length(self) -> int:
        """How many ticks."""
        return max(0, self.last - self.first + 1)

    def newest(self, most: int) -> range:
        """The last ticks of it, so many at most."""
        return range(max(self.first, self.last - most + 1), self.last + 1)


KernelFacts = tuple[Integers, NumberedTemporalProgram]
"""All that holds by a program in the second kernel, and the program."""


class TickIntervals:
    """All that rules can ask for at the present tick.

    Args:
        data: what has been said.
        states: those that hold now, in the stream's predicates.
        concluded: what holds in the second kernel.
        numbered: the program, and the numbers of its predicates.
        vocabulary: the stream's.
        at_ticks: what holds there by a program that has rows for all conclusions at ticks, and that program;
            asked once, if at all.
    """

    def __init__(
        self,
        data: DataStream,
        states: Integers,
        concluded: Integers,
        numbered: NumberedTemporalProgram,
        vocabulary: Vocabulary,
        at_ticks: Callable[[], KernelFacts],
    ) -> None:
        self.first, self.now = data.first, data.tick
        self._data, self._states, self._facts = data, states, concluded
        self._vocabulary = vocabulary
        self._own = numbered.predicates
        self._wide, self._whole = numbered.wide, frozenset(numbered.wide.values())
        self._at_ticks, self._names = at_ticks, numbered.compiled.predicates
        self._found: dict[tuple[URIRef, Pattern, bool], dict[Arguments, list[TickRun]]] = {}

    # -- what was said -----------------------------------------------------------------------------

    def given(self, predicate: URIRef, pattern: Pattern, is_asserted: bool) -> dict[Arguments, list[TickRun]]:
        """When what was so that was said: events, or states and remembered conclusions; oldest first."""
        known = self._found.get((predicate, pattern, is_asserted))
        if known is None:
            given = self._events if is_asserted else self._held
            known = self._found[predicate, pattern, is_asserted] = given(predicate, pattern)
        return known

    def among_last(
        self, size: int, predicate: URIRef, pattern: Pattern
    ) -> tuple[int, dict[Arguments, list[TickRun]]]:
        """The same among the last assertions, and the tick where these begin."""
        table = self._asserted[-size:]
        first = int(table[0, 0]) if len(table) == size else self.first
        return first, _ticks(self._rows(table, self._in_stream(predicate, pattern), pattern), pattern)

    def _events(self, predicate: URIRef, pattern: Pattern) -> dict[Arguments, list[TickRun]]:
        return _ticks(self._rows(self._asserted, self._in_stream(predicate, pattern), pattern), pattern)

    def _held(self, predicate: URIRef, pattern: Pattern) -> dict[Arguments, list[TickRun]]:
        number, own = self._in_stream(predicate, pattern), self._of_rules(predicate, pattern)
        found = self._runs(self._state_changes, self._states, number, pattern, self.now, EvidenceBasis.HELD)
        remembered = self._runs(
            self._remembered_changes,
            self._data.concluded,
            own,
            pattern,
            self.now - 1,
            EvidenceBasis.CONCLUDED,
        )
        for arguments, runs in remembered.items():
            found.setdefault(arguments, []).extend(runs)
        return {arguments: list(_apart(runs)) for arguments, runs in found.items()}

    def _runs(
        self,
        changes: _Table,
        standing: Integers,
        number: int | None,
        pattern: Pattern,
        last: int,
        known: EvidenceBasis,
    ) -> dict[Arguments, list[TickRun]]:
        """When what held, from what came and went, and what stands at the last tick."""
        found: dict[Arguments, list[TickRun]] = {}
        begun: dict[Arguments, int] = {}
        for tick, sign, fact in _changes_of(changes, number, self._in_columns(number, pattern)):
            arguments = self._arguments(fact, pattern)
            if not _matches(arguments, pattern):
                continue
            if sign > 0:
                begun[arguments] = tick
            else:
                first = begun.pop(arguments, self._data.past.complete_from)
                found.setdefault(arguments, []).append(TickRun(first, tick - 1, known))
        for arguments in self._matching(standing, number, pattern):
            first = begun.get(arguments, self._data.past.complete_from)
            found.setdefault(arguments, []).append(TickRun(first, last, known))
        return found

    # -- what is concluded -------------------------------------------------------------------------

    def concluded(self, predicate: URIRef, pattern: Pattern) -> dict[Arguments, list[int]]:
        """What the rules conclude at the present tick, and at which ticks it holds by that."""
        found: dict[Arguments, list[int]] = {}
        for arguments in self._matching(self._facts, self._of_rules(predicate, pattern), pattern):
            found.setdefault(arguments, []).append(self.now)
        return found

    def _matching(self, facts: Integers, number: int | None, pattern: Pattern) -> Iterator[Arguments]:
        """The arguments of facts of a predicate that fit a pattern."""
        for fact in as_tuples(facts[_fits(facts, number, self._in_columns(number, pattern))]):
            if _matches(arguments := self._arguments(fact, pattern), pattern):
                yield arguments

    def _of_rules(self, predicate: URIRef, pattern: Pattern) -> int | None:
        """The number of a predicate of conclusions."""
        return self._wide.get(predicate, self._own.get(_symbol(predicate, pattern)))

    def _in_columns(self, number: int | None, pattern: Pattern) -> Pattern:
        """What of a pattern the columns of facts show: nothing where they have tuples."""
        return () if number in self._whole else pattern

    def _arguments(self, fact: Fact, pattern: Pattern) -> Arguments:
        if fact[0] not in self._whole:
            return _arguments(fact, pattern)
        whole = (*self._data.tuples.terms(fact[1]), fact[2])
        return whole[len(whole) - len(pattern) :]

    def dated(self, predicate: URIRef, pattern: Pattern) -> Iterator[tuple[Arguments, int]]:
        """What the rules conclude at ticks that heads name, with the number of the tick's time."""
        facts, numbered = self._dated
        wide = self._wide.get(predicate)
        name = predicate if wide is None else self._names[wide].name
        own = numbered.predicates.get(Symbol(URIRef(f"{name}@"), 2))
        for _, subject, last in as_tuples(facts[_fits(facts, own, ())]):
            if wide is None and len(pattern) < 2:
                arguments, time = (subject,)[: len(pattern)], last
            else:
                term, time = self._pairs[subject]
                arguments = (term, last) if wide is None else self._arguments((wide, term, last), pattern)
            if _matches(arguments, pattern):
                yield arguments, time

    @cached_property
    def _dated(self) -> KernelFacts:
        return self._at_ticks()

    @cached_property
    def _pairs(self) -> dict[int, tuple[int, int]]:
        """Term and time of each pair."""
        facts, numbered = self._dated
        left, right = (dict(facts[facts[:, 0] == each, 1:].tolist()) for each in numbered.pairs[1:])
        return {pair: (term, right[pair]) for pair, term in left.items() if pair in right}

    # -- tables ------------------------------------------------------------------------------------

    @cached_property
    def _asserted(self) -> _Table:
        """All that was asserted, in its order."""
        events = self._data.events
        return _table([self._data.past.events, (events, np.full(len(events), self.now))])

    @cached_property
    def _state_changes(self) -> _Table:
        """The states that came and went."""
        past, (came, went) = self._data.past, self._data.net_state_changes
        return _signed(
            [past.part("came"), (came, np.full(len(came), self.now))],
            [past.part("went"), (went, np.full(len(went), self.now))],
        )

    @cached_property
    def _remembered_changes(self) -> _Table:
        """The remembered conclusions that came and went."""
        past = self._data.past
        return _signed([past.part("concluded")], [past.part("withdrawn")])

    def _in_stream(self, predicate: URIRef, pattern: Pattern) -> int | None:
        """The number of a predicate of the stream, where no more than two arguments are said of any."""
        if len(pattern) > 2:
            return None
        find = self._vocabulary.find_class if len(pattern) < 2 else self._vocabulary.find_property
        return find(predicate)

    def _rows(self, table: _Table, number: int | None, pattern: Pattern) -> _Table:
        return table[_fits(table[:, -3:], number, pattern)]


def _symbol(predicate: URIRef, pattern: Pattern) -> Symbol:
    return Symbol(predicate, max(1, len(pattern)))


def _fits(
    facts: npt.NDArray[np.signedinteger], number: int | None, pattern: Pattern
) -> npt.NDArray[np.bool_]:
    """Which facts have a predicate, and the terms of a pattern; none where the predicate has no number."""
    if number is None:
        return np.zeros(len(facts), bool)
    fits: npt.NDArray[np.bool_] = facts[:, 0] == number
    for place, term in enumerate(pattern, 1):
        if term is not None:
            fits &= facts[:, place] == term
    return fits


def _matches(arguments: Arguments, pattern: Pattern) -> bool:
    return all(wanted in (None, given) for wanted, given in zip(pattern, arguments, strict=True))


def _arguments(fact: Sequence[int], pattern: Pattern) -> Arguments:
    return tuple(fact[1 : 1 + len(pattern)])


def _table(parts: Iterable[tuple[Integers, TickColumn]]) -> _Table:
    return np.concatenate([np.column_stack([ticks, facts]) for facts, ticks in parts])


def _signed(
    came: Iterable[tuple[Integers, TickColumn]], went: Iterable[tuple[Integers, TickColumn]]
) -> _Table:
    """What came and went: the tick, 1 or -1, and the fact, oldest first."""
    parts = [(sign, _table(given)) for sign, given in ((-1, went), (1, came))]
    rows = np.concatenate([np.insert(table, 1, sign, axis=1) for sign, table in parts])
    ordered: _Table = rows[np.argsort(rows[:, 0], kind="stable")]
    return ordered


def _changes_of(changes: _Table, number: int | None, pattern: Pattern) -> Iterator[tuple[int, int, Fact]]:
    for tick, sign, *fact in changes[_fits(changes[:, 2:], number, pattern)].tolist():
        yield tick, sign, (fact[0], fact[1], fact[2])


def _ticks(table: _Table, pattern: Pattern) -> dict[Arguments, list[TickRun]]:
    """The ticks of rows by their arguments, as runs."""
    found: dict[Arguments, list[TickRun]] = {}
    for tick, *fact in table.tolist():
        runs = found.setdefault(_arguments(fact, pattern), [])
        if runs and runs[-1].last >= tick - 1:
            runs[-1] = runs[-1]._replace(last=tick)
        else:
            runs.append(TickRun(tick, tick, EvidenceBasis.ASSERTED))
    return found


def _apart(runs: list[TickRun]) -> Iterator[TickRun]:
    """The same ticks, each in one run: the one that began first."""
    last = None
    for run in sorted(runs, key=lambda each: (each.first, each.known.value)):
        rest = run if last is None else run.within(last + 1, run.last)
        if rest.length:
            yield rest
            last = rest.last
