"""Atoms and extended atoms of temporal rules, in Ticker's, Laser's and the paper's notation.

Operators in front of an atom, `time_win(5,0,1,diamond(hot(X)))` or `⊞5 ◇ hot(X)`, are taken one by one down
to the atom and then applied from the inside out, so that no text can make the reader recurse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from rdflib import Variable

from pantarhei.errors import TemporalTextError
from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import Formula, Mode, Reach, TemporalAtom, TupleWindow
from pantarhei.temporal.text.computations import ComputationReader
from pantarhei.temporal.text.cursor import Cursor, Token
from pantarhei.temporal.text.terms import TermReader
from pantarhei.temporal.text.windows import A_WINDOW, read_laser_sizes, read_size, read_window

_MODES = {"diamond": Mode.SOMETIME, "◇": Mode.SOMETIME, "box": Mode.ALWAYS, "□": Mode.ALWAYS}
_DUALS = {Mode.SOMETIME: Mode.ALWAYS, Mode.ALWAYS: Mode.SOMETIME}
_NOT = ("not", "¬")
_ATOM = "an atom such as alarm(X), or alarm(X) at T"


class _Operator(NamedTuple):
    """What stands in front of a formula.

    Args:
        token: its sign or word; "(" alone, and "not", change neither mode nor window.
        mode: what ◇, □ and @ say.
        window: what a window says.
        time: of an @.
        closes: whether a ")" belongs to it.
    """

    token: Token
    mode: Mode | None = None
    window: Reach | None = None
    time: Argument | None = None
    closes: bool = False


class FormulaReader:
    """Reads the formulas of a rule at a cursor; `made` has what is computed for their times."""

    def __init__(self, cursor: Cursor, terms: TermReader, computations: ComputationReader) -> None:
        self._cursor, self._terms, self._computations = cursor, terms, computations
        self.made: list[Builtin] = []
        self._behind: Token | None = None  # where the window behind an atom begins

    def head(self) -> Formula:
        """An atom, now or at a time."""
        start = self._cursor.peek()
        head = self._formula()
        if head.is_negated:
            raise self._cursor.error(start, "a head is not negated", _ATOM)
        if head.window is not None or head.mode in _DUALS:
            problem = "a head has no window: it holds now, or at one time"
            raise self._cursor.error(self._behind or start, problem, _ATOM)
        if head.atom.is_asserted:
            raise self._cursor.error(start, "a head is concluded, not asserted", _ATOM)
        return head

    def formula(self) -> Formula:
        """An atom, an extended atom, or the negation of one."""
        start = self._cursor.peek()
        formula = self._formula()
        if formula.mode in _DUALS and formula.window is None:
            raise self._cursor.error(start, f"{formula.mode.value} is said without a window", A_WINDOW)
        return formula

    def _formula(self) -> Formula:
        start = self._cursor.peek()
        operators: list[_Operator] = []
        while operator := self._operator():
            operators.append(operator)
        is_within = _says_when(operators)
        formula = self._suffixed(is_within)
        for operator in reversed(operators):
            if operator.closes:
                self._cursor.need(")", "')'")
            formula = self._applied(operator, formula)
        if formula.mode is not Mode.NOW and formula.window is None:  # Laser's word, Ticker's window
            formula = replace(formula, window=self._window())
        elif is_within and self._cursor.is_at("in", "["):
            raise self._nested(operators[0].token)
        return replace(formula, written=self._cursor.written(start))

    # -- operators in front: Laser's and the paper's -----------------------------------------------------

    def _operator(self) -> _Operator | None:
        token = self._cursor.peek()
        if self._cursor.is_at("(", *_NOT, *_MODES):
            self._cursor.take()
            return _Operator(token, mode=_MODES.get(token.text), closes=token.text == "(")
        if self._cursor.accept("⊞"):
            return _Operator(token, window=read_size(self._cursor))
        if self._cursor.accept("time_win", "tuple_win"):
            self._cursor.need("(")
            return _Operator(token, window=read_laser_sizes(self._cursor, token), closes=True)
        if self._cursor.accept("@"):
            return self._at(token)
        return None

    def _at(self, token: Token) -> _Operator:
        """`@(T,` or `@T`, also `@_T`, whose `_` is the sign of a subscript."""
        if self._cursor.accept("("):
            time = self._time()
            self._cursor.need(",", "a comma and an atom, as in @(T, hot(X))")
            return _Operator(token, Mode.AT, time=time, closes=True)
        written = self._cursor.peek()
        time = self._computations.checked_time(written, self._terms.term())
        if isinstance(time, Variable) and written.text[0] == "_" and len(written.text) > 1:
            time = self._terms.subscript(written.text[1:])
        return _Operator(token, Mode.AT, time=time)

    def _applied(self, operator: _Operator, formula: Formula) -> Formula:
        """The formula with an operator around it."""
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
            expected = "not @(T, hot(X)), which also holds of a T outside the window"
            raise self._cursor.error(operator.token, "a negation stands inside an @", expected)
        return replace(formula, mode=Mode.AT, time=operator.time)

    def _windowed(self, token: Token, window: Reach, formula: Formula) -> Formula:
        if formula.window is not None:
            raise self._nested(token)
        if formula.mode is not Mode.NOW:
            return replace(formula, window=window)
        if isinstance(window, TupleWindow):
            problem = "a window of the last assertions stands around an atom alone"
            raise self._cursor.error(token, problem, "◇, □ or @ in it, as in hot(X) in [3 #]")
        return formula  # what holds now does so in any window of ticks

    def _nested(self, token: Token) -> TemporalTextError:
        expected = (
            "one window with one of ◇, □ and @ in it, such as box(hot(X)) in [5]; give what stands "
            "inside a head of its own"
        )
        return self._cursor.error(token, "temporal operators are nested", expected)

    # -- operators behind: Ticker's ----------------------------------------------------------------------

    def _suffixed(self, is_within: bool) -> Formula:
        """An atom and what is said of it behind it.

        Args:
            is_within: whether a window behind it belongs to what stands in front of it.
        """
        start = self._cursor.peek()
        formula = Formula(self._atom())
        if self._cursor.accept("always"):
            formula = replace(formula, mode=Mode.ALWAYS)
        elif self._cursor.is_at("at") and self._cursor.is_at("least", further=1):
            formula = replace(formula, mode=Mode.SOMETIME, times=self._times())
        elif self._cursor.accept("at"):
            formula = replace(formula, mode=Mode.AT, time=self._time())
        if is_within and formula.mode is Mode.NOW:
            return formula
        if self._cursor.is_at("not") and self._cursor.is_at("in", further=1):
            self._cursor.take()
            formula = replace(formula, is_negated=True)
        if window := self._window():
            mode = Mode.SOMETIME if formula.mode is Mode.NOW else formula.mode
            return replace(formula, mode=mode, window=window)
        if formula.times > 1:
            raise self._cursor.error(start, "at least so many times is said without a window", A_WINDOW)
        return formula

    def _window(self) -> Reach | None:
        """`in [5]`, or `[5]` alone; None for neither."""
        if not self._cursor.is_at("in", "["):
            return None
        self._behind = self._cursor.peek()
        self._cursor.accept("in")
        return read_window(self._cursor)

    def _times(self) -> int:
        self._cursor.take()
        self._cursor.take()
        token = self._cursor.peek()
        if token.kind != "number" or not token.text.isdigit() or len(token.text) > 9 or not int(token.text):
            raise self._cursor.unexpected("how many times: a whole number above 0")
        self._cursor.take()
        if not self._cursor.accept("time"):
            self._cursor.need("times", "the word times")
        return int(token.text)

    def _time(self) -> Argument:
        time, made = self._computations.time()
        self.made += made
        return time

    def _atom(self) -> TemporalAtom:
        is_asserted = self._cursor.accept("asserted") is not None
        is_enclosed = is_asserted and self._cursor.accept("(") is not None
        atom = TemporalAtom(self._terms.predicate(), self._terms.arguments(), is_asserted)
        if is_enclosed:
            self._cursor.need(")", "')' behind the atom: asserted(hot(X)) in [5]")
        return atom


def _says_when(operators: Sequence[_Operator]) -> bool:
    """Whether ◇ or □ stands in front of an atom without a parenthesis between."""
    bare = takewhile(lambda operator: not operator.closes, reversed(operators))
    return any(operator.mode in _DUALS for operator in bare)
