"""Intervals of ticks at which facts held, as far back as rules can read at the present tick.

Computed on request from the data stream and the facts of the temporal kernel, for proofs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rdflib import URIRef

from pantarhei.encoding.numbers import NONE, Integers, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.proofs.step import EvidenceBasis
from pantarhei.temporal.data_stream import DataStream
from pantarhei.temporal.numbered import NumberedTemporalProgram
from pantarhei.temporal.tick_history import TickColumn
from pantarhei.temporal.tuples import TupleNumbers

Arguments = tuple[int, ...]
"""Numbers of an atom's terms."""

Pattern = tuple[int | None, ...]
"""Numbers of an atom's terms; None matches any term."""

_Table = npt.NDArray[np.signedinteger]
"""Rows, oldest first: a tick, or a tick and a sign, or nothing, followed by the three columns of a fact."""


class TickRun(NamedTuple):
    """Consecutive ticks at each of which a fact held.

    Args:
        first, last: first and last tick, both included.
        basis: kind of the evidence.
    """

    first: int
    last: int
    basis: EvidenceBasis

    def within(self, first: int, last: int) -> TickRun:
        """Return the intersection with a window; a run of length 0 if it is empty."""
        return TickRun(max(self.first, first), min(self.last, last), self.basis)

    @property
    def length(self) -> int:
        """Number of ticks."""
        return max(0, self.last - self.first + 1)

    def newest(self, most: int) -> range:
        """Return the last `most` ticks of the run, or all if there are fewer."""
        return range(max(self.first, self.last - most + 1), self.last + 1)


_Runs = dict[Arguments, list[TickRun]]

KernelFacts = tuple[Integers, NumberedTemporalProgram]
"""All facts of the temporal kernel for a program, and the program."""


class TickIntervals:
    """Facts that rules can read at the present tick, with the ticks at which they held.

    Args:
        data: the data stream.
        states: present states; predicates are numbered by the vocabulary.
        concluded: facts of the temporal kernel.
        numbered: the program, which numbers the kernel's predicates.
        vocabulary: the stream's vocabulary.
        at_ticks: returns the facts of a program that keeps all conclusions at named ticks, and that program;
            called at most once.
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
        self._vocabulary, self._numbered, self._at_ticks = vocabulary, numbered, at_ticks
        self._found: dict[tuple[URIRef, Pattern, bool], _Runs] = {}

    # -- input ---------------------------------------------------------------------------------------

    def input_runs(self, predicate: URIRef, pattern: Pattern, is_asserted: bool) -> _Runs:
        """Return the runs of events, or of states and remembered conclusions, that match a pattern."""
        known = self._found.get((predicate, pattern, is_asserted))
        if known is None:
            if is_asserted:
                known = _event_runs(self._input(predicate, pattern), self._asserted)
            else:
                known = self._held(predicate, pattern)
            self._found[predicate, pattern, is_asserted] = known
        return known

    def among_last(self, size: int, predicate: URIRef, pattern: Pattern) -> tuple[int, _Runs]:
        """Return the first tick of the last `size` assertions, and the runs of matching events among them."""
        table = self._asserted[-size:]
        first = int(table[0, 0]) if len(table) == size else self.first
        return first, _event_runs(self._input(predicate, pattern), table)

    def _held(self, predicate: URIRef, pattern: Pattern) -> _Runs:
        """Return the runs of states and remembered conclusions that match a pattern; runs of one fact are
        disjoint.
        """
        given, own = self._input(predicate, pattern), self._conclusions(predicate, pattern)
        found = self._runs(given, self._state_changes, self._states, self.now, EvidenceBasis.HELD)
        concluded, last = self._data.concluded, self.now - 1
        remembered = self._runs(own, self._remembered_changes, concluded, last, EvidenceBasis.CONCLUDED)
        for arguments, runs in remembered.items():
            found.setdefault(arguments, []).extend(runs)
        return {arguments: list(_disjoint(runs)) for arguments, runs in found.items()}

    def _runs(
        self, facts: _FactLookup, changes: _Table, held: Integers, last: int, known: EvidenceBasis
    ) -> _Runs:
        """Return the runs of facts.

        Args:
            facts: lookup of the facts.
            changes: rows of tick, sign and fact, oldest first.
            held: facts that held at the tick `last`.
            last: end of the runs of these facts.
            known: kind of the evidence.
        """
        found: _Runs = {}
        begun: dict[Arguments, int] = {}
        first = self._data.past.complete_from
        for (tick, sign), arguments in facts.among(changes):
            if sign > 0:
                begun[arguments] = tick
            else:
                run = TickRun(begun.pop(arguments, first), tick - 1, known)
                found.setdefault(arguments, []).append(run)
        for _, arguments in facts.among(held):
            run = TickRun(begun.get(arguments, first), last, known)
            found.setdefault(arguments, []).append(run)
        return found

    @cached_property
    def _asserted(self) -> _Table:
        """All assertions in their order: rows of tick and fact."""
        facts, ticks = self._data.past.part("events")
        events = self._data.events
        return np.column_stack(
            [np.append(ticks, np.full(len(events), self.now)), np.concatenate([facts, events])]
        )

    @cached_property
    def _state_changes(self) -> _Table:
        past, (added, removed) = self._data.past.part, self._data.net_state_changes
        return _changes(
            (-1, *past("removed")), (-1, removed, self.now), (1, *past("added")), (1, added, self.now)
        )

    @cached_property
    def _remembered_changes(self) -> _Table:
        past = self._data.past.part
        return _changes((-1, *past("withdrawn")), (1, *past("concluded")))

    # -- conclusions ---------------------------------------------------------------------------------

    def concluded(self, predicate: URIRef, pattern: Pattern) -> dict[Arguments, list[int]]:
        """Return the conclusions that match a pattern at the present tick; their only tick is the present
        one.
        """
        facts = self._conclusions(predicate, pattern)
        return {arguments: [self.now] for _, arguments in facts.among(self._facts)}

    def dated(self, predicate: URIRef, pattern: Pattern) -> Iterator[tuple[Arguments, int]]:
        """Yield the conclusions of heads `p at T` that match a pattern, each with the term number of its
        literal T.
        """
        facts, numbered = self._dated
        own, wide = self._conclusions(predicate, pattern), self._numbered.wide.get(predicate)
        name = predicate if wide is None else self._numbered.compiled.predicates[wide].name
        number = numbered.predicates.get(Symbol(URIRef(f"{name}@"), 2), NONE)
        for _, subject, last in facts[facts[:, 0] == number].tolist():
            if wide is None and len(pattern) < 2:
                arguments, time = own.arguments(subject, NONE), last
            else:
                term, time = self._pairs[subject]
                arguments = own.arguments(term, last)
            if own.fits(arguments):
                yield arguments, time

    @cached_property
    def _dated(self) -> KernelFacts:
        return self._at_ticks()

    @cached_property
    def _pairs(self) -> dict[int, tuple[int, int]]:
        """Term and time of each pair, by the number of the pair."""
        facts, numbered = self._dated
        left, right = (dict(facts[facts[:, 0] == each, 1:].tolist()) for each in numbered.pairs[1:])
        return {pair: (term, right[pair]) for pair, term in left.items() if pair in right}

    # -- predicates ----------------------------------------------------------------------------------

    def _input(self, predicate: URIRef, pattern: Pattern) -> _FactLookup:
        """Return the lookup of a predicate's facts in the stream, where facts have at most two arguments."""
        if len(pattern) > 2:
            return _FactLookup(None, pattern)
        find = self._vocabulary.find_class if len(pattern) < 2 else self._vocabulary.find_property
        return _FactLookup(find(predicate), pattern)

    def _conclusions(self, predicate: URIRef, pattern: Pattern) -> _FactLookup:
        """Return the lookup of a predicate's facts in the temporal kernel, which may be reified."""
        if (wide := self._numbered.wide.get(predicate)) is not None:
            return _FactLookup(wide, pattern, self._data.tuples)
        number = self._numbered.predicates.get(Symbol(predicate, max(1, len(pattern))))
        return _FactLookup(number, pattern)


class _FactLookup(NamedTuple):
    """Lookup of the facts of a predicate that match a pattern.

    Args:
        number: number of the predicate; None if it has no number, hence no facts.
        pattern: the pattern of arguments.
        tuples: numbers of tuples if the predicate is reified; else None.
    """

    number: int | None
    pattern: Pattern
    tuples: TupleNumbers | None = None

    def among(self, table: _Table) -> Iterator[tuple[list[int], Arguments]]:
        """Yield the leading columns and the arguments of the rows that match."""
        if self.number is None:
            return
        facts = table[:, -3:]
        fits = facts[:, 0] == self.number
        for place, term in enumerate(self.pattern if self.tuples is None else (), 1):
            if term is not None:
                fits &= facts[:, place] == term
        for *leading, _, subject, last in table[fits].tolist():
            arguments = self.arguments(subject, last)
            if self.fits(arguments):
                yield leading, arguments

    def arguments(self, subject: int, last: int) -> Arguments:
        """Return the arguments of a fact, given its two terms in the kernel."""
        if self.tuples is None:
            return (subject, last)[: len(self.pattern)]
        terms = (*self.tuples.terms(subject), last)
        return terms[len(terms) - len(self.pattern) :]

    def fits(self, arguments: Arguments) -> bool:
        """Test whether arguments match the pattern."""
        return all(term in (None, given) for term, given in zip(self.pattern, arguments, strict=True))


def _changes(*parts: tuple[int, Integers, TickColumn | int]) -> _Table:
    """Return rows of tick, sign and fact, oldest first.

    Args:
        parts: a sign, facts, and the tick of each fact or of all facts.
    """
    rows = np.concatenate(
        [
            np.column_stack([np.broadcast_to(ticks, len(facts)), np.full(len(facts), sign), facts])
            for sign, facts, ticks in parts
        ]
    )
    ordered: _Table = rows[np.argsort(rows[:, 0], kind="stable")]
    return ordered


def _event_runs(facts: _FactLookup, table: _Table) -> _Runs:
    """Return the runs of matching events, from rows of tick and fact."""
    found: _Runs = {}
    for (tick,), arguments in facts.among(table):
        runs = found.setdefault(arguments, [])
        if runs and runs[-1].last >= tick - 1:
            runs[-1] = runs[-1]._replace(last=tick)
        else:
            runs.append(TickRun(tick, tick, EvidenceBasis.ASSERTED))
    return found


def _disjoint(runs: list[TickRun]) -> Iterator[TickRun]:
    """Yield runs of one fact without overlaps; a tick in two runs stays in the run that begins first."""
    last = None
    for run in sorted(runs, key=lambda each: (each.first, each.basis.value)):
        rest = run if last is None else run.within(last + 1, run.last)
        if rest.length:
            yield rest
            last = rest.last
