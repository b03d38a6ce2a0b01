"""Windows of temporal rules: `[5 min]`, `[PT5M]`, `[10]`, `[3 #]`, `time_win(10,0,1,…)`, `⊞10`, `⊞#3`."""

from __future__ import annotations

from datetime import timedelta

from pantarhei.errors import TimestampError
from pantarhei.model.messages import did_you_mean
from pantarhei.model.temporal_rule import Reach, TimeWindow, TupleWindow
from pantarhei.model.time import measured, parse_duration
from pantarhei.temporal.text.cursor import Cursor, Token

A_WINDOW = "a window such as [5 min], [10] for ticks, or [3 #] for assertions"
_UNITS = {
    written: unit
    for unit, names in (
        ("ms", "ms msec millisecond milliseconds"),
        ("s", "s sec secs second seconds"),
        ("m", "m min mins minute minutes"),
        ("h", "h hour hours"),
        ("d", "d day days"),
    )
    for written in names.split()
}
_TICKS = ("tick", "ticks")
_A_UNIT = "ms, sec, min, h or d; # for assertions; nothing for ticks"
_MOST_DIGITS = 18
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_LOWERED = str.maketrans(_RAISED, "0123456789")


def read_window(cursor: Cursor) -> Reach:
    """A window in brackets.

    Raises:
        TemporalTextError: there is none, its unit is unknown, or it has no size that can be.
    """
    cursor.need("[", A_WINDOW)
    first = cursor.peek()
    window = TimeWindow(_duration(cursor)) if first.text.startswith("P") else _counted(cursor)
    cursor.need("]", "] behind the window")
    return window


def read_size(cursor: Cursor) -> TimeWindow | TupleWindow:
    """The number behind ⊞, raised or not, or # and a number, or a window in brackets."""
    cursor.accept("^")
    if cursor.is_at("["):
        return read_window(cursor)
    if cursor.accept("#"):
        return TupleWindow(_whole(cursor, at_least=1))
    return TimeWindow(_whole(cursor))


def read_laser_sizes(cursor: Cursor, word: Token) -> Reach:
    """The numbers of `time_win(10,0,1,…)` or `tuple_win(3,…)`, up to the comma behind them.

    Raises:
        TemporalTextError: it looks ahead, or moves in steps of more than a tick.
    """
    is_time = word.text == "time_win"
    size = _whole(cursor, at_least=0 if is_time else 1)
    cursor.need(",", f"a comma and a formula, as in {word.text}({size},0,1,diamond(hot(X)))")
    further = [
        ("looks ahead", 0, "0, since nobody knows what is still to come"),
        ("moves in steps", 1, "1; the reasoner's window has a slide for that"),
    ]
    for problem, only, expected in further:
        token = cursor.peek()
        if token.kind != "number":
            break
        if _whole(cursor) != only:
            raise cursor.error(token, f"this window {problem}", expected)
        cursor.need(",")
    return TimeWindow(size) if is_time else TupleWindow(size)


def _counted(cursor: Cursor) -> Reach:
    """A number and its unit."""
    number, unit = cursor.peek(), cursor.peek(1)
    if number.kind == "number" and unit.kind == "name" and unit.text not in _TICKS:
        cursor.take()
        cursor.take()
        return TimeWindow(_length(cursor, number, unit))
    if cursor.is_at("#", further=1):
        size = _whole(cursor, at_least=1)
        cursor.take()
        return TupleWindow(size)
    size = _whole(cursor)
    cursor.accept(*_TICKS)
    return TimeWindow(size)


def _length(cursor: Cursor, number: Token, unit: Token) -> timedelta:
    """A number of units of time."""
    if unit.text not in _UNITS:
        raise cursor.error(unit, f"{unit.shown} is no unit of time{did_you_mean(unit.text, _UNITS)}", _A_UNIT)
    try:
        return measured([(number.text, _UNITS[unit.text])])
    except TimestampError as error:
        raise cursor.error(number, f"{error.given} is not valid here", error.expected) from None


def _duration(cursor: Cursor) -> timedelta:
    token = cursor.take()
    try:
        return parse_duration(token.text)
    except TimestampError as error:
        raise cursor.error(token, f"{error.given} is not valid here", error.expected) from None


def _whole(cursor: Cursor, at_least: int = 0) -> int:
    """A whole number, taken; its digits may be raised."""
    token = cursor.peek()
    if token.kind != "number" and not set(token.text) <= set(_RAISED):
        raise cursor.unexpected("a whole number")
    digits = token.text.translate(_LOWERED)
    if not digits.isdecimal() or len(digits) > _MOST_DIGITS or int(digits) < at_least:
        expected = f"a whole number, at least {at_least}, below 10^{_MOST_DIGITS}"
        raise cursor.error(token, f"a window of {token.shown}", expected)
    cursor.take()
    return int(digits)
