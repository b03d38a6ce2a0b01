"""Temporal rules and streams for tests: short ways to write them, and random ones by fragment.

A program and a stream come from a seed. Few names meet often: events `c`, `d` and `e`, states `s` and `r`,
conclusions `a`, `b`, `x` and `y`, over three individuals and, where rules compare, three numbers. The body of
a rule is connected, and negates only conclusions of lower predicates: every program has strata.
"""

from __future__ import annotations

from dataclasses import replace

from rdflib import Literal, Namespace, Variable

from pantarhei.language.rule import Argument, Builtin
from pantarhei.language.temporal_rule import (
    Formula,
    Mode,
    Reach,
    TemporalAtom,
    TemporalRule,
    TimeWindow,
    TupleWindow,
)
from pantarhei.literals.builtin import SWRLB

EX = Namespace("http://example.org/")
INDIVIDUALS = (EX.i, EX.j, EX.k)
NUMBERS = tuple(map(Literal, range(3)))
EVENTS = {EX.c: 1, EX.d: 2, EX.e: 1}
STATES = {EX.s: 1, EX.r: 2}
CONCLUSIONS = {EX.a: 1, EX.b: 2, EX.x: 1, EX.y: 2}
ARITY = {**EVENTS, **STATES, **CONCLUSIONS}
VARIABLES = X, Y, Z = tuple(map(Variable, "XYZ"))
TIMES = T, U = tuple(map(Variable, "TU"))

# -- writing rules ---------------------------------------------------------------------------------


def term(given: str | int | Argument) -> Argument:
    """A term as it is; of a text, a variable if it begins with a capital letter, else a name."""
    if isinstance(given, int):
        return Literal(given)
    if type(given) is not str:
        return given
    return Variable(given) if given[0].isupper() else EX[given]


def atom(predicate: str, *arguments: str | int | Argument) -> TemporalAtom:
    """`predicate(arguments)`; `asserted` where the predicate begins with that word.

    >>> str(atom("asserted d", "X", "i"))
    'asserted d(?X, i)'
    """
    name = predicate.removeprefix("asserted ")
    return TemporalAtom(EX[name], tuple(map(term, arguments)), is_asserted=name != predicate)


def within(size: int | str) -> Reach:
    """A window of so many ticks; `"3 #"` is one of so many assertions."""
    return TimeWindow(size) if isinstance(size, int) else TupleWindow(int(size.removesuffix("#")))


def now(given: TemporalAtom) -> Formula:
    """The atom at the present tick."""
    return Formula(given)


def some(given: TemporalAtom, size: int | str, times: int = 1) -> Formula:
    """The atom at some tick of a window (◇), or at so many."""
    return Formula(given, Mode.SOMETIME, within(size), times=times)


def always(given: TemporalAtom, size: int | str) -> Formula:
    """The atom at each tick of a window (□)."""
    return Formula(given, Mode.ALWAYS, within(size))


def at(time: str | int | Argument, given: TemporalAtom, size: int | str | None = None) -> Formula:
    """The atom at a tick (@), of a window if there is one."""
    return Formula(given, Mode.AT, None if size is None else within(size), term(time))


def no(given: Formula | TemporalAtom) -> Formula:
    """The negation."""
    return replace(given if isinstance(given, Formula) else now(given), is_negated=True)


def rule(head: Formula | TemporalAtom, *body: Formula | TemporalAtom | Builtin) -> TemporalRule:
    """`head :- body`; an atom alone is one at the present tick."""
    formulas = [now(each) if isinstance(each, TemporalAtom) else each for each in (head, *body)]
    return TemporalRule(
        formulas[0],
        tuple(each for each in formulas[1:] if isinstance(each, Formula)),
        tuple(each for each in formulas[1:] if isinstance(each, Builtin)),
    )


def compared(left: str | int | Argument, name: str, right: str | int | Argument) -> Builtin:
    """A comparison, by its name in SWRL."""
    return Builtin(SWRLB[name], (term(left), term(right)))


def computed(result: str, name: str, *operands: str | int | Argument) -> Builtin:
    """A computation, by its name in SWRL."""
    return Builtin(SWRLB[name], tuple(map(term, (result, *operands))))
