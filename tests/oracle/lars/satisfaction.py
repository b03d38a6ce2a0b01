"""Satisfaction of an extended atom, or its negation, in a stream at a tick (LA17, section 2.1)."""

from __future__ import annotations

from rdflib import XSD, Literal

from oracle.canonical_literals import canonical_term
from oracle.lars.streams import Stream, window_of
from pantarhei.model.rule import Argument
from pantarhei.model.temporal_rule import Formula, Mode
from pantarhei.model.term import Term
from pantarhei.values.value import value_of


def satisfies(stream: Stream, now: int, formula: Formula) -> bool:
    """True if a ground formula holds in a stream at a tick.

    Without a window, `SOMETIME`, `ALWAYS` and `AT` range over the whole timeline.
    """
    seen = stream if formula.window is None else window_of(stream, now, formula.window)
    return _holds(seen, now, formula) is not formula.is_negated


def _holds(stream: Stream, now: int, formula: Formula) -> bool:
    ticks = [tick for tick in stream.timeline if formula.atom in stream.at(tick)]
    match formula.mode:
        case Mode.NOW:
            return now in ticks
        case Mode.SOMETIME:
            return len(ticks) >= formula.times
        case Mode.ALWAYS:
            return len(ticks) == len(stream.timeline)
        case Mode.AT:
            return tick_of(formula.time) in ticks


def tick_of(time: Argument | None) -> int | None:
    """Return the tick that a term denotes, a whole number, or None for other terms."""
    value = value_of(time) if isinstance(time, Literal) else None
    match value:
        case (XSD.decimal, int(tick)):
            return tick
    return None


def literal_of(tick: int) -> Term:
    """Return the term that denotes a tick."""
    return canonical_term(Literal(tick))
