"""Temporal rules compiled to rules of a second kernel, whose levels are expiries.

The level of a fact is the last tick at which it holds unless new input arrives. Each construct is a predicate
of its own, written here behind the predicate's name:

    p            p now                       !p        asserted now
    p~n          p within n ticks (◇)        !p~n      asserted within n ticks
    p□n          p during all of n ticks (□) !p□n      asserted at each of n ticks
    p@n          p at a tick, the last argument, within n ticks (@)       p@  p at a tick, concluded
                 (p@n too, for the window that has all ticks that heads can name)
    !p~n#        among the last n assertions !p@n#     and at which tick
    p~n×k        p at k ticks of the window at least
    was-p~n      p concluded at an earlier tick, within n ticks
    p()          p with its arguments in a tuple (see `reification`)
    said-p       p as input, where p has tuples, or rows that come with events
    event-p      p by events, where other rows of it come with events and their ticks
    p:0          p without the arguments that no rule uses
    concluded-p  p concluded by a rule, not by input (where conclusions are asserted at the next tick)
    asked-x      candidates of `not x`       free-x    candidates without x (see `NegationGuard`)

The level of a body is its smallest, that of a head its largest (LA17 Definition 7's horizon); the kernel
computes both, recursion included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from rdflib import URIRef

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Rule
from pantarhei.model.temporal_rule import Mode, TemporalRule
from pantarhei.temporal.selection import Selection
from pantarhei.temporal.ticks import Ticks

UNIT = URIRef("urn:pantarhei:temporal:unit")
"""Argument of atoms without arguments; also connects the parts of a body that share no variable."""

FIRST = URIRef("urn:pantarhei:temporal:first")
REST = URIRef("urn:pantarhei:temporal:rest")
TUPLE = URIRef("urn:pantarhei:temporal:tuple")
"""`tuple(x, y)` requests the number of a tuple; `first` and `rest` define the number."""

IS_LITERAL = URIRef("urn:pantarhei:temporal:is-literal")
"""Built-in of the second kernel: its argument, given twice, is a literal."""

ALWAYS = Symbol(URIRef("urn:pantarhei:temporal:always"), 1)
"""Class whose only member is the unit, at each tick: the body of rules without positive atoms."""


UNBOUNDED: Final = 1 << 62
"""Length of a window that holds the whole timeline."""


class Input(NamedTuple):
    """Base rows of the second kernel that follow the stream.

    Args:
        source: the class or property in the stream.
        is_asserted: true if they follow assertions, false if they follow what holds.
        mode: now, sometime or always in the window.
        size: length of the window in ticks or assertions; `UNBOUNDED` for all ticks.
        target: the predicate in the second kernel.
        times: minimum number of ticks of the window.
        counts_tuples: true if the window holds assertions.
        selection: filter of the facts; None for all.
    """

    source: Symbol
    is_asserted: bool
    mode: Mode
    size: int
    target: Symbol
    times: int = 1
    counts_tuples: bool = False
    selection: Selection | None = None


class NegationGuard(NamedTuple):
    """Evaluation of `not x`, where x has a predicate of the second kernel.

    A rule `h :- b, not x` becomes `asked-x :- b` and `h :- b, free-x`. The rows of `free-x` are base rows:
    those of `asked-x` that x does not have. Each negated atom has its own guard, not each body: rows that
    support nothing by themselves cannot hold up a recursion.
    """

    denied: Symbol
    asked: Symbol
    free: Symbol


class WindowClock(NamedTuple):
    """Ticks of a window as facts: `symbol` has the unit and each tick's time.

    Args:
        size: length of the window in ticks; `UNBOUNDED` for the timeline.
    """

    symbol: Symbol
    size: int


class ConclusionRun(NamedTuple):
    """□ over remembered conclusions of their own ticks: `target` has what stays long enough in `source`."""

    source: Symbol
    size: int
    target: Symbol


class TickCount(NamedTuple):
    """Conclusions that hold at enough ticks of a window.

    Args:
        source: facts that hold at ticks of the window, with the tick's time as last argument.
        size: length of the window in ticks.
        target: facts that hold at enough ticks; a class or a property.
        times: required number of ticks; None for all.
    """

    source: Symbol
    size: int
    target: Symbol
    times: int | None


class RememberedPredicate(NamedTuple):
    """Predicate whose conclusions become input once their tick is closed.

    Args:
        source: the predicate.
        windows: predicates for conclusions of earlier ticks within a window, with its length in ticks.
        dated: the same with the tick as last argument; `UNBOUNDED` for the timeline.
    """

    source: Symbol
    windows: tuple[tuple[Symbol, int], ...]
    dated: tuple[tuple[Symbol, int], ...] = ()


@dataclass(frozen=True)
class TemporalProgram:
    """Rules of the second kernel, and the operators around it.

    Args:
        rules: rules of the kernel.
        inputs: base rows that follow the stream.
        guards: negations.
        runs: □ over remembered conclusions, where no head names a tick.
        dated_runs: □ over other conclusions, and counts of ticks.
        clocks: windows whose ticks are facts.
        at_ticks: predicates of conclusions at ticks that heads name.
        remembered: remembered conclusions.
        conclusions: for each concluded predicate its symbol in the kernel, and its number of arguments in the
            rules.
        largest: length in ticks of the largest window that is not unbounded.
        ticks: ticks of the stream.
        plain: predicates of conclusions with tuples that can be triples, and are stored as triples too.
        fed_back: with feedback, for each predicate the one that holds what rules conclude of it.
        maybe_endless: a rule that may compute without end; None if there is none.
    """

    rules: tuple[Rule, ...]
    inputs: tuple[Input, ...]
    guards: tuple[NegationGuard, ...]
    runs: tuple[ConclusionRun, ...]
    dated_runs: tuple[TickCount, ...]
    clocks: tuple[WindowClock, ...]
    at_ticks: tuple[Symbol, ...]
    remembered: tuple[RememberedPredicate, ...]
    conclusions: Mapping[Symbol, tuple[URIRef, int]]
    largest: int
    ticks: Ticks
    plain: tuple[Symbol, ...] = ()
    fed_back: Mapping[Symbol, Symbol] = field(default_factory=dict)
    maybe_endless: TemporalRule | None = None

    @cached_property
    def keeps_all(self) -> bool:
        """Test whether the whole history stays in use."""
        dated = (size for each in self.remembered for _, size in each.dated)
        return UNBOUNDED in (*(each.size for each in self.inputs), *dated)
