"""Parser of formulas in temporal rules, in the notation of Ticker, Laser and the LARS papers.

Operators before an atom, `time_win(5,0,1,diamond(hot(X)))` or `⊞5 ◇ hot(X)`, are collected up to the atom and
then applied from the inside out. So deep nesting of a text causes no recursion.

Windows: `[5 min]`, `[PT5M]`, `[10]`, `[3 #]`, `time_win(10,0,1,…)`, `⊞10`, `⊞#3`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count, takewhile
from typing import NamedTuple

from rdflib import Variable

from pantarhei.errors import TemporalTextError, TimestampError
from pantarhei.model.durations import UNITS, parse_duration
from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import Formula, Mode, Reach, TemporalAtom, TimeWindow, TupleWindow
from pantarhei.temporal.text.cursor import Token, TokenCursor
from pantarhei.temporal.text.rule_terms import ArithmeticReader

A_WINDOW = "a window such as [5 min], [10] for ticks, or [3 #] for assertions"
_TICKS = ("tick", "ticks")
_MOST_DIGITS = 18
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_LOWERED = str.maketrans(_RAISED, "0123456789")


def read_window(cursor: TokenCursor) -> Reach:
    """Parse a window in brackets.

    Raises:
        TemporalTextError: the window is missing, its unit is unknown, or its size is invalid.
    """
    cursor.need("[", A_WINDOW)
    first = cursor.peek()
    window = TimeWindow(_duration(cursor, 1)) if first.kind == "duration" else _counted(cursor)
    cursor.need("]", "] after the window")
    return window


def read_size(cursor: TokenCursor) -> TimeWindow | TupleWindow:
    """Parse the size after ⊞: a number, as a superscript or not; # and a number; or a window in brackets."""
    cursor.accept("^")
    if cursor.is_at("["):
        return read_window(cursor)
    if cursor.accept("#"):
        return TupleWindow(_whole(cursor, at_least=1))
    return TimeWindow(_whole(cursor))


def read_laser_sizes(cursor: TokenCursor, word: Token) -> Reach:
    """Parse the numbers of `time_win(10,0,1,…)` or `tuple_win(3,…)`, up to the comma after them.

    Raises:
        TemporalTextError: the window extends into the future, or moves by more than a tick.
    """
    is_time = word.text == "time_win"
    size = _whole(cursor, at_least=0 if is_time else 1)
    cursor.need(",", f"a comma and a formula, as in {word.text}({size},0,1,diamond(hot(X)))")
    further = [
        ("extends into the future", 0, "0, since future input is unknown"),
        ("moves in steps", 1, "1; steps are given by the slide of the reasoner's window"),
    ]
    for problem, only, expected in further:
        token = cursor.peek()
        if token.kind != "number":
            break
        if _whole(cursor) != only:
            raise cursor.error(token, f"this window {problem}", expected)
        cursor.need(",")
    return TimeWindow(size) if is_time else TupleWindow(size)


def _counted(cursor: TokenCursor) -> Reach:
    """Parse a number and its unit."""
    number, unit = cursor.peek(), cursor.peek(1)
    if number.kind == "number" and unit.kind == "name" and unit.text not in _TICKS:
        return TimeWindow(_duration(cursor, 2))
    if cursor.is_at("#", further=1):
        size = _whole(cursor, at_least=1)
        cursor.take()
        return TupleWindow(size)
    size = _whole(cursor)
    cursor.accept(*_TICKS)
    return TimeWindow(size)


def _duration(cursor: TokenCursor, count: int) -> timedelta:
    """Parse a duration, which consists of a number of tokens and of the numbers and names after them."""
    first, unit = cursor.peek(), cursor.peek(1)
    parts = [cursor.take().text for _ in range(count)]
    while cursor.peek().kind in ("number", "name"):
        parts.append(cursor.take().text)
    try:
        return parse_duration(" ".join(parts))
    except TimestampError as error:
        is_known = first.kind == "duration" or unit.text.lower() in UNITS
        others = "" if is_known else f"; [{first.text}] for ticks, [{first.text} #] for assertions"
        problem = f"{error.given} is invalid"
        raise cursor.error(unit if others else first, problem, f"{error.expected}{others}") from None


def _whole(cursor: TokenCursor, at_least: int = 0) -> int:
    """Parse a whole number; its digits may be superscripts."""
    token = cursor.peek()
    if token.kind != "number" and not set(token.text) <= set(_RAISED):
        raise cursor.unexpected("a whole number")
    digits = token.text.translate(_LOWERED)
    if not digits.isdecimal() or len(digits) > _MOST_DIGITS or int(digits) < at_least:
        expected = f"a whole number, at least {at_least}, below 10^{_MOST_DIGITS}"
        raise cursor.error(token, f"{token.shown} is not a valid size of a window", expected)
    cursor.take()
    return int(digits)


_MODES = {"diamond": Mode.SOMETIME, "◇": Mode.SOMETIME, "box": Mode.ALWAYS, "□": Mode.ALWAYS}
_DUALS = {Mode.SOMETIME: Mode.ALWAYS, Mode.ALWAYS: Mode.SOMETIME}
_NOT = ("not", "¬")
_ATOM = "an atom such as alarm(X), or alarm(X) at T"


class _Operator(NamedTuple):
    """Operator before a formula.

    Args:
        token: its sign or word; "(" alone, and "not", change neither mode nor window.
        mode: mode of ◇, □ or @.
        window: window of a window operator.
        time: time of an @.
        closes: true if the operator ends with a ")" after the formula.
    """

    token: Token
    mode: Mode | None = None
    window: Reach | None = None
    time: Argument | None = None
    closes: bool = False


class FormulaReader(ArithmeticReader):
    """Parser of the formulas of a rule; `made` collects the computations of their times."""

    made: list[Builtin]
    _behind: Token | None  # first token of the window after an atom

    def begin_rule(self) -> None:
        """Reset the state for a new rule; generated variables are numbered anew."""
        self._fresh, self.made, self._behind = count(1), [], None

    def head(self) -> Formula:
        """Parse a head: an atom, optionally at a time."""
        start = self.peek()
        head = self._formula()
        if head.is_negated:
            raise self.error(start, "a head cannot be negated", _ATOM)
        if head.window is not None or head.mode in _DUALS:
            problem = "a head cannot have a window: it holds now, or at one time"
            raise self.error(self._behind or start, problem, _ATOM)
        if head.atom.is_asserted:
            raise self.error(start, "a head cannot have the word asserted", _ATOM)
        return head

    def formula(self) -> Formula:
        """Parse a condition: an atom with or without temporal operators and negation."""
        start = self.peek()
        formula = self._formula()
        if formula.mode in _DUALS and formula.window is None:
            raise self.error(start, f"{formula.mode.value} needs a window", A_WINDOW)
        return formula

    def _formula(self) -> Formula:
        start = self.peek()
        operators: list[_Operator] = []
        while operator := self._operator():
            operators.append(operator)
        is_within = _has_open_mode(operators)
        formula = self._suffixed(is_within)
        for operator in reversed(operators):
            if operator.closes:
                self.need(")", "')'")
            formula = self._applied(operator, formula)
        if (
            formula.mode is not Mode.NOW and formula.window is None
        ):  # Laser's operator before the atom, Ticker's window after it
            formula = replace(formula, window=self._window())
        elif is_within and self.is_at("in", "["):
            raise self._nested(operators[0].token)
        return replace(formula, written=self.written(start))

    # -- prefix operators: Laser's and the paper's --------------------------------------------------

    def _operator(self) -> _Operator | None:
        token = self.peek()
        if self.is_at("(", *_NOT, *_MODES):
            self.take()
            return _Operator(token, mode=_MODES.get(token.text), closes=token.text == "(")
        if self.accept("⊞"):
            return _Operator(token, window=read_size(self))
        if self.accept("time_win", "tuple_win"):
            self.need("(")
            return _Operator(token, window=read_laser_sizes(self, token), closes=True)
        if self.accept("@"):
            return self._at(token)
        return None

    def _at(self, token: Token) -> _Operator:
        """Parse `@(T,`, `@T`, or `@_T`, whose `_` marks a subscript."""
        if self.accept("("):
            time = self._time()
            self.need(",", "a comma and an atom, as in @(T, hot(X))")
            return _Operator(token, Mode.AT, time=time, closes=True)
        written = self.peek()
        time = self.checked_time(written, self.term())
        if isinstance(time, Variable) and written.text[0] == "_" and len(written.text) > 1:
            time = self.subscript(written.text[1:])
        return _Operator(token, Mode.AT, time=time)

    def _applied(self, operator: _Operator, formula: Formula) -> Formula:
        """Apply an operator to a formula."""
        if operator.token.text in _NOT:
            return replace(formula, is_negated=not formula.is_negated)
        if operator.window is not None:
            return self._windowed(operator.token, operator.window, formula)
        if operator.mode is None:
            return formula
        if formula.mode is not Mode.NOW:
            raise self._nested(operator.token)
        if operator.mode is not Mode.AT:  # ◇¬a is ¬□a, and □¬a is ¬◇a
            return replace(formula, mode=_DUALS[operator.mode] if formula.is_negated else operator.mode)
        if formula.is_negated:
            expected = "the negation before it: not @(T, hot(X)), which also holds for a T outside the window"
            raise self.error(operator.token, "an @ cannot contain a negation", expected)
        return replace(formula, mode=Mode.AT, time=operator.time)

    def _windowed(self, token: Token, window: Reach, formula: Formula) -> Formula:
        if formula.window is not None:
            raise self._nested(token)
        if formula.mode is not Mode.NOW:
            return replace(formula, window=window)
        if isinstance(window, TupleWindow):
            problem = "a window of the last assertions has no temporal operator in it"
            raise self.error(token, problem, "◇, □ or @ in it, as in hot(X) in [3 #]")
        return formula  # every window of ticks contains the present tick

    def _nested(self, token: Token) -> TemporalTextError:
        expected = (
            "one window with one of ◇, □ and @ in it, such as box(hot(X)) in [5]; conclude the "
            "inner formula by a rule of its own"
        )
        return self.error(token, "temporal operators cannot be nested", expected)

    # -- suffix operators: Ticker's -----------------------------------------------------------------

    def _suffixed(self, is_within: bool) -> Formula:
        """Parse an atom and the operators after it.

        Args:
            is_within: true if a window after the atom belongs to the operator before the atom.
        """
        start = self.peek()
        formula = Formula(self._atom())
        if self.accept("always"):
            formula = replace(formula, mode=Mode.ALWAYS)
        elif self.is_at("at") and self.is_at("least", further=1):
            formula = replace(formula, mode=Mode.SOMETIME, times=self._times())
        elif self.accept("at"):
            formula = replace(formula, mode=Mode.AT, time=self._time())
        if is_within and formula.mode is Mode.NOW:
            return formula
        if self.is_at("not") and self.is_at("in", further=1):
            self.take()
            formula = replace(formula, is_negated=True)
        if window := self._window():
            mode = Mode.SOMETIME if formula.mode is Mode.NOW else formula.mode
            return replace(formula, mode=mode, window=window)
        if formula.times > 1:
            raise self.error(start, "at least … times needs a window", A_WINDOW)
        return formula

    def _window(self) -> Reach | None:
        """Parse `in [5]` or `[5]`; return None if there is no window."""
        if not self.is_at("in", "["):
            return None
        self._behind = self.peek()
        self.accept("in")
        return read_window(self)

    def _times(self) -> int:
        self.take()
        self.take()
        token = self.peek()
        if token.kind != "number" or not token.text.isdigit() or len(token.text) > 9 or not int(token.text):
            raise self.unexpected("a number of times: a whole number above 0")
        self.take()
        if not self.accept("time"):
            self.need("times", "the word times")
        return int(token.text)

    def _time(self) -> Argument:
        time, made = self.time_term()
        self.made += made
        return time

    def _atom(self) -> TemporalAtom:
        is_asserted = self.accept("asserted") is not None
        is_enclosed = is_asserted and self.accept("(") is not None
        atom = TemporalAtom(self.predicate(), self.arguments(), is_asserted)
        if is_enclosed:
            self.need(")", "')' after the atom: asserted(hot(X)) in [5]")
        return atom


def _has_open_mode(operators: Sequence[_Operator]) -> bool:
    """Test whether ◇ or □ precedes an atom without a parenthesis between them."""
    bare = takewhile(lambda operator: not operator.closes, reversed(operators))
    return any(operator.mode in _DUALS for operator in bare)
