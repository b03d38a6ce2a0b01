"""Temporal rules compiled to rules of a second kernel, whose levels are expiries.

There a fact's level is the last tick at which it holds unless something new comes. Each construct is a
predicate of its own, written here behind the predicate's name:

    p            p now                       !p        asserted now
    p~n          p within n ticks (◇)        !p~n      asserted within n ticks
    p□n          p during all of n ticks (□) !p□n      asserted at each of n ticks
    p@n          p at a tick, the last argument, within n ticks (@)       p@  p at a tick, concluded
                 (p@n too, for the window that has all ticks that heads can name)
    !p~n#        among the last n assertions !p@n#     and at which tick
    p~n×k        p at k ticks of the window at least
    was-p~n      p concluded at a tick that is over, within n ticks
    p()          p with its arguments in a tuple (see `tuple_reification`)
    said-p       p as the stream says it, where p has tuples, or rows that come with events
    event-p      p by events, where other rows of it come with events and their ticks
    p:0          p without the arguments that no rule looks at
    concluded-p  p concluded by a rule, not only said (where conclusions are asserted at the next tick)
    asked-x      `not x` is looked for       free-x    and x is not there (see `NegationGuard`)

A body's level is its smallest, a head's its largest (LA17 Definition 7's horizon); that is what the kernel
computes, recursion included.
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
"""What atoms without arguments are said of, and what connects parts of a body that share no variable."""

FIRST = URIRef("urn:pantarhei:temporal:first")
REST = URIRef("urn:pantarhei:temporal:rest")
TUPLE = URIRef("urn:pantarhei:temporal:tuple")
"""`tuple(x, y)`: the number of a tuple is asked for. `first` and `rest` say what it is."""

IS_LITERAL = URIRef("urn:pantarhei:temporal:is-literal")
"""A built-in of the second kernel: its argument, given twice, is a literal."""

ALWAYS = Symbol(URIRef("urn:pantarhei:temporal:always"), 1)
"""A class whose one member is the unit, at each tick: the body of rules that have no positive atom."""


UNBOUNDED: Final = 1 << 62
"""How many ticks the timeline has, for a window that is all of it."""


class Input(NamedTuple):
    """Base rows of the second kernel that follow what the stream says.

    Args:
        source: the class or property in the stream.
        is_asserted: they follow what is asserted, not what holds.
        mode: whether they are there now, sometime or always in the window.
        size: length of the window in ticks or assertions; `UNBOUNDED` for all ticks.
        target: the predicate in the second kernel.
        times: at how many ticks of the window they are there at least.
        counts_tuples: whether the window holds assertions.
        selection: which of the facts they follow; None for all.
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
    """`not x`, where x has a predicate of the second kernel.

    A rule `h :- b, not x` is `asked-x :- b` and `h :- b, free-x`. The rows of `free-x` are base rows: those
    that are asked for and that x does not have. One for each negated atom, not for each body: rows that
    support nothing by themselves cannot hold up a recursion.
    """

    denied: Symbol
    asked: Symbol
    free: Symbol


class WindowClock(NamedTuple):
    """The ticks of a window as facts: `symbol` has the unit and each tick's time.

    Args:
        size: how many ticks the window reaches back; `UNBOUNDED` for the timeline.
    """

    symbol: Symbol
    size: int


class ConclusionRun(NamedTuple):
    """Always within a window, of remembered conclusions that are concluded at their ticks: `target` has what
    stays long enough in `source`.
    """

    source: Symbol
    size: int
    target: Symbol


class TickCount(NamedTuple):
    """At enough ticks of a window, of conclusions.

    Args:
        source: what holds at which tick of the window, the tick's time behind it.
        size: how many ticks the window reaches back.
        target: what holds at so many of them; a class or a property.
        times: at how many; None for all.
    """

    source: Symbol
    size: int
    target: Symbol
    times: int | None


class RememberedPredicate(NamedTuple):
    """A predicate whose conclusions are part of the stream once their tick is over.

    Args:
        source: the predicate.
        windows: the predicates that say that it was so before, within a window, with its size in ticks.
        dated: the same with the tick as last argument, `UNBOUNDED` for the timeline.
    """

    source: Symbol
    windows: tuple[tuple[Symbol, int], ...]
    dated: tuple[tuple[Symbol, int], ...] = ()


@dataclass(frozen=True)
class TemporalProgram:
    """Rules as the second kernel runs them, and what goes on around it.

    Args:
        rules: for the kernel.
        inputs: what feeds it.
        guards: what is negated.
        runs: boxes over remembered conclusions, where no head names a tick.
        dated_runs: boxes over others, and what is to hold several times.
        clocks: windows whose ticks are facts.
        at_ticks: predicates of what is concluded at ticks that heads name.
        remembered: conclusions that are remembered.
        conclusions: for each predicate that rules conclude, its symbol in the kernel, and how many arguments
            the rules give it.
        largest: how many ticks the largest window reaches back that is not the whole timeline.
        ticks: of the stream.
        plain: predicates of conclusions with tuples that can be triples; where they are, these have them too.
        fed_back: where conclusions are asserted at the next tick, for each predicate the one that has what
            rules conclude of it.
        maybe_endless: a rule that may compute without end, None if there is none.
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
        """Whether what is said stays known for ever."""
        dated = (size for each in self.remembered for _, size in each.dated)
        return UNBOUNDED in (*(each.size for each in self.inputs), *dated)
