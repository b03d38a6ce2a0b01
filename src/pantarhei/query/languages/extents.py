"""What of a stream a window holds, as the brackets behind it say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from typing import Final

from lark import Token, Tree

from pantarhei.errors import TimestampError
from pantarhei.model.time import Duration
from pantarhei.query.continuous_query import Condition, Tick
from pantarhei.query.languages.grammar import ParseTree
from pantarhei.query.languages.stream_text import (
    CountWindow,
    Everything,
    Extent,
    NewestTimestamp,
    PastWindow,
)
from pantarhei.query.languages.written import Length, Written, subtrees, tokens
from pantarhei.window.sliding import Window

_CONDITIONS: Final[dict[str, Condition]] = {
    "WINDOW_CLOSE": "close",
    "CONTENT_CHANGE": "change",
    "NON_EMPTY_CONTENT": "non-empty",
}
_TICKS: Final[dict[str, Tick]] = {"TIME_DRIVEN": "timestamp", "BATCH_DRIVEN": "abox"}


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the brackets behind a stream say.

    Args:
        part: the brackets.
        extent: what is inside the window; a `Window` without a slide where no step is said.
        on: REPORT, None where it is not said.
        tick: TICK, None where it is not said.
    """

    part: ParseTree
    extent: Extent
    on: tuple[Condition | Duration, ...] | None
    tick: Tick | None

    @property
    def _window(self) -> Window | None:
        """The window over time, None where it is none."""
        window = self.extent.window if isinstance(self.extent, PastWindow) else self.extent
        return window if isinstance(window, Window) else None

    @property
    def lacks_step(self) -> bool:
        """Whether it is a window over time that says no step."""
        return self._window is not None and self._window.slide is None

    @property
    def lengths(self) -> list[Duration]:
        """How long the window is, if that is a time, and the periods of its REPORT."""
        periods: list[Duration] = [each for each in self.on or () if not isinstance(each, str)]
        return periods if self._window is None else [self._window.range, *periods]

    def with_step(self, step: Length, written: Written) -> Bounds:
        """The same with a step, if it lacks one.

        Raises:
            QueryTextError: it is a number and the range a duration, or the other way round.
        """
        match self.extent:
            case Window(slide=None) as window:
                check_kinds(self.part, window.range, step, written)
                return replace(self, extent=replace(window, slide=step))
            case PastWindow(Window(slide=None) as window, ago):
                check_kinds(self.part, window.range, step, written)
                return replace(self, extent=PastWindow(replace(window, slide=step), ago))
        return self


def read_bounds(part: ParseTree, written: Written, tumbles: bool) -> Bounds:
    """What the brackets say.

    Args:
        tumbles: whether windows that count move by their size where no step is said, and not by 1.

    Raises:
        QueryTextError: there is no such window.
    """
    what, *policies = (child for child in part.children if isinstance(child, Tree))
    read = {"range": _range, "triples": _triples, "elements": _elements, "past": _past, "all": _all}
    extent = read[str(what.data)](what, written, tumbles)
    on = [
        condition
        for policy in policies
        if policy.data == "report"
        for condition in _conditions(policy, written)
    ]
    ticks = [_tick(policy, written) for policy in policies if policy.data == "tick"]
    if len(set(ticks)) > 1:
        raise written.error(part, "two ticks", "one")
    return Bounds(part, extent, tuple(dict.fromkeys(on)) or None, ticks[0] if ticks else None)


def not_nothing(part: ParseTree, what: str, written: Written) -> Length:
    """The length that a part writes.

    Raises:
        QueryTextError: it is none, or 0.
    """
    length = written.length(part)
    if not length:
        raise written.error(part, f"{what} of {written.of(part)} is nothing", f"{what} longer than that")
    return length


def _range(part: ParseTree, written: Written, tumbles: bool) -> Extent:
    length, *steps = subtrees(part, "length")
    return _window(part, written, not_nothing(length, "a range", written), steps)


def _window(part: ParseTree, written: Written, length: Length, steps: Sequence[ParseTree]) -> Window:
    slide = length if subtrees(part, "tumbling") else None
    for step in steps:
        slide = not_nothing(step, "a step", written)
        check_kinds(step, length, slide, written)
    try:
        return Window(length, slide, closed="right")
    except TimestampError as error:
        raise written.error(part, f"{error.given} is not valid here", error.expected) from None


def check_kinds(part: ParseTree, one: object, other: object, written: Written) -> None:
    """Nothing, if two lengths are both numbers or both durations.

    Raises:
        QueryTextError: they are not.
    """
    if isinstance(one, timedelta) is not isinstance(other, timedelta):
        raise written.error(part, "a number and a duration do not go together", "two of one kind")


def _triples(part: ParseTree, written: Written, tumbles: bool) -> Extent:
    return _count(part, written, tumbles, CountWindow(1, 1, "triples"))


def _elements(part: ParseTree, written: Written, tumbles: bool) -> Extent:
    return _count(part, written, tumbles, CountWindow(1, 1, "aboxes"))


def _count(part: ParseTree, written: Written, tumbles: bool, window: CountWindow) -> CountWindow:
    numbers = [token for token in tokens(part) if token.type == "NUMBER"]
    size, *steps = map(written.count, numbers)
    step = steps[0] if steps else size if tumbles or subtrees(part, "tumbling") else 1
    if step > size:
        problem = f"a step of {step} leaves out what comes between windows of {size}"
        raise written.error(numbers[-1], problem, f"{size} at most")
    return replace(window, size=size, step=step)


def _past(part: ParseTree, written: Written, tumbles: bool) -> Extent:
    steps = subtrees(part, "length")
    start, *ends = (_ago(instant, written) for instant in subtrees(part, "instant"))
    if start is None and not ends:
        if steps or subtrees(part, "tumbling"):
            raise written.error(part, "NOW does not move in steps", "NOW alone")
        return NewestTimestamp()
    ago = ends[0] if ends else None
    if start is not None and ago is not None:
        check_kinds(part, start, ago, written)
    length = _between(start, ago)
    if length is None:
        raise written.error(part, "the window ends before it begins", "FROM the older TO the newer instant")
    window = _window(part, written, length, steps)
    return window if ago is None else PastWindow(window, ago)


def _ago(instant: ParseTree, written: Written) -> Length | None:
    """How far an instant lies behind now, None for now itself."""
    for length in subtrees(instant, "length"):
        return written.length(length) or None
    return None


def _between(start: Length | None, end: Length | None) -> Length | None:
    """How much longer ago the start is than the end, None if it is not."""
    match start, end:
        case _, None:
            return start
        case timedelta(), timedelta():
            return start - end if start > end else None
        case int() | float(), int() | float():
            return start - end if start > end else None
    return None


def _all(part: ParseTree, written: Written, tumbles: bool) -> Extent:
    return Everything()


def _conditions(policy: ParseTree, written: Written) -> list[Condition | Duration]:
    """The conditions of a REPORT; a length is the period of the word before it."""
    found: list[Condition | Duration] = []
    for child, following in pairwise([*policy.children, None]):
        if not isinstance(child, Token):
            continue
        name = child.upper().removeprefix("ON_")
        period = following if isinstance(following, Tree) else None
        if (name == "PERIODIC") is (period is None):
            problem = "PERIODIC has no period" if period is None else f"{child} has a period"
            raise written.error(child, problem, "PERIODIC and a length, or a report without one")
        found.append(_CONDITIONS[name] if period is None else not_nothing(period, "a period", written))
    return found


def _tick(policy: ParseTree, written: Written) -> Tick:
    (name,) = tokens(policy)
    if name.upper() not in _TICKS:
        raise written.error(
            name, "a query cannot look after each triple: ABoxes come whole", "TIME_DRIVEN or BATCH_DRIVEN"
        )
    return _TICKS[name.upper()]
