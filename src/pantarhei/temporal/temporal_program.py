"""Program of the temporal kernel: temporal rules compiled to Datalog rules, inputs and operators.

Each construct becomes a predicate, named after the predicate p that it reads:

    p            p at the present tick           !p        p asserted at the present tick
    p~n          p at some of the last n ticks (◇)         !p~n      asserted at some of them
    p□n          p at each of the last n ticks (□)         !p□n      asserted at each of them
    p@n          p at a tick of the last n, whose time is the last argument (@)
    p@           p concluded at a tick that a head names; serves as p@n if the window covers all these ticks
    !p~n#        p among the last n assertions             !p@n#     and at which tick
    p~n×k        p at k ticks of the window at least
    was-p~n      p concluded at an earlier tick, within n ticks
    p()          p with its arguments reified as a tuple (see `reification`)
    input-p      input rows of p, if p is reified, or if it also has rows that events derive
    event-p      rows of p that events derive, if it also has rows with ticks
    p:0          p projected to the argument positions that rules use
    concluded-p  p concluded by a rule, not by input (with feedback)
    candidate-x  rows for which a body requires `not x`    absent-x  candidates without x (`NegationGuard`)

The expiry of a body is the minimum over its facts, that of a fact the maximum over its derivations (the
horizon of LA17 Definition 7). The kernel computes both, also for recursive rules.
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
"""Argument of atoms without arguments; it also connects parts of a body without common variables."""

FIRST = URIRef("urn:pantarhei:temporal:first")
REST = URIRef("urn:pantarhei:temporal:rest")
TUPLE = URIRef("urn:pantarhei:temporal:tuple")
"""`tuple(x, y)` requests the number of a tuple; `first` and `rest` define the number."""

IS_LITERAL = URIRef("urn:pantarhei:temporal:is-literal")
"""Built-in of the temporal kernel that holds if its argument, given twice, is a literal."""

ALWAYS = Symbol(URIRef("urn:pantarhei:temporal:always"), 1)
"""Class whose only member at each tick is the unit; the body of rules without positive atoms."""


UNBOUNDED: Final = 1 << 62
"""Length of a window that contains the whole timeline."""


class Input(NamedTuple):
    """Base rows of the temporal kernel that follow a predicate of the stream.

    Args:
        source: the class or property in the stream.
        is_asserted: true if the rows follow assertions, false if they follow states.
        mode: temporal operator: now, sometime (◇), always (□) or at a tick (@).
        size: length of the window in ticks or assertions; `UNBOUNDED` for the whole timeline.
        target: predicate of the rows in the temporal kernel.
        times: minimum number of ticks of the window.
        counts_tuples: true if the window consists of assertions.
        selection: filter and projection of the facts; None for all facts and arguments.
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
    """Evaluation of `not x` for a predicate x of the temporal kernel.

    A rule `h :- b, not x` becomes `candidate-x :- b` and `h :- b, absent-x`. The base rows of `absent-x` are
    the rows of `candidate-x` without a match in x. There is one guard for each negated atom, not for each
    body: rows that support nothing by themselves cannot keep a recursion alive.
    """

    negated: Symbol
    candidates: Symbol
    absent: Symbol


class WindowClock(NamedTuple):
    """Ticks of a window as facts of `symbol`: the unit, and the time of the tick.

    Args:
        size: length of the window in ticks; `UNBOUNDED` for the timeline.
    """

    symbol: Symbol
    size: int


class ConclusionRun(NamedTuple):
    """□ over remembered conclusions: `target` has the facts of `source` at each tick of the window."""

    source: Symbol
    size: int
    target: Symbol


class TickCount(NamedTuple):
    """Facts that hold at enough ticks of a window.

    Args:
        source: predicate with a row for each tick of the window at which a fact holds; the time is the last
            argument.
        size: length of the window in ticks.
        target: predicate of the facts that hold at enough ticks; a class or a property.
        times: required number of ticks; None for all ticks of the window.
    """

    source: Symbol
    size: int
    target: Symbol
    times: int | None


class RememberedPredicate(NamedTuple):
    """Predicate whose conclusions become input of windows once their tick is closed.

    Args:
        source: the predicate.
        windows: predicates of its conclusions at earlier ticks of a window, each with the window's length.
        dated: likewise, with the time of the tick as last argument; length `UNBOUNDED` for the timeline.
    """

    source: Symbol
    windows: tuple[tuple[Symbol, int], ...]
    dated: tuple[tuple[Symbol, int], ...] = ()


@dataclass(frozen=True)
class TemporalProgram:
    """Rules of the temporal kernel, with the inputs and operators around it.

    Args:
        rules: rules of the kernel.
        inputs: base rows that follow the stream.
        guards: negations.
        runs: □ over remembered conclusions, if no head names a tick.
        dated_runs: □ over other conclusions, and counts of ticks.
        clocks: windows whose ticks are facts.
        at_ticks: predicates of conclusions at ticks that heads name.
        remembered: remembered predicates.
        conclusions: for each concluded predicate of the kernel, the predicate and number of arguments in the
            rules.
        largest: length in ticks of the largest window that is not unbounded.
        ticks: ticks of the stream.
        plain: reified predicates with at most two arguments, whose conclusions are also stored as triples.
        fed_back: with feedback, for each concluded predicate the predicate of the rules' own conclusions.
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
        """Test whether some window is unbounded, so that the whole history must be kept."""
        dated = (size for each in self.remembered for _, size in each.dated)
        return UNBOUNDED in (*(each.size for each in self.inputs), *dated)
