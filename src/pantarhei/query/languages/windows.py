"""Windows over a stream: reading the bounds in brackets, `[RANGE 10s STEP 1s REPORT ON_WINDOW_CLOSE]`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from typing import Final

from lark import Token, Tree

from pantarhei.errors import TimestampError
from pantarhei.model.time import Duration, measured, parse_duration, parse_length
from pantarhei.query.continuous_query import Condition, Tick
from pantarhei.query.languages.stream_text import (
    CountWindow,
    Everything,
    Extent,
    NewestTimestamp,
    PastWindow,
)
from pantarhei.query.syntax.grammar import ParseTree, Part, QueryText, subtrees, tokens
from pantarhei.window.sliding import Window

Length = int | float | timedelta

_CONDITIONS: Final[dict[str, Condition]] = {
    "WINDOW_CLOSE": "close",
    "CONTENT_CHANGE": "change",
    "NON_EMPTY_CONTENT": "non-empty",
}
_TICKS: Final[dict[str, Tick]] = {"TIME_DRIVEN": "timestamp", "BATCH_DRIVEN": "abox"}


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a window as a text declares them.

    Args:
        part: the brackets.
        extent: content of the window; a `Window` without a slide if no step is given.
        on: conditions of REPORT, None without REPORT.
        tick: None without TICK.
    """

    part: ParseTree
    extent: Extent
    on: tuple[Condition | Duration, ...] | None
    tick: Tick | None

    @property
    def _window(self) -> Window | None:
        """The window over time, None for other extents."""
        window = self.extent.window if isinstance(self.extent, PastWindow) else self.extent
        return window if isinstance(window, Window) else None

    @property
    def lacks_step(self) -> bool:
        """True for a window over time without a step."""
        return self._window is not None and self._window.slide is None

    @property
    def lengths(self) -> list[Duration]:
        """The range of a window over time, and the periods of REPORT."""
        periods: list[Duration] = [each for each in self.on or () if not isinstance(each, str)]
        return periods if self._window is None else [self._window.range, *periods]

    def with_step(self, step: Length, text: QueryText) -> Bounds:
        """Return the bounds with a step, if they lack one.

        Raises:
            QueryTextError: one of step and range is a number, the other a duration.
        """
        match self.extent:
            case Window(slide=None) as window:
                check_kinds(self.part, window.range, step, text)
                return replace(self, extent=replace(window, slide=step))
            case PastWindow(Window(slide=None) as window, ago):
                check_kinds(self.part, window.range, step, text)
                return replace(self, extent=PastWindow(replace(window, slide=step), ago))
        return self


def check_kinds(part: Part, one: object, other: object, text: QueryText) -> None:
    """Validate that two lengths are both numbers or both durations.

    Raises:
        QueryTextError: they are of two kinds.
    """
    if isinstance(one, timedelta) is not isinstance(other, timedelta):
        raise text.error(part, "a number and a duration do not go together", "two of one kind")


class BoundsReader:
    """Reads the bounds of windows.

    Args:
        text: the query.
        tumbles: True if the default step of a count window is its size; else it is 1.
    """

    def __init__(self, text: QueryText, tumbles: bool = False) -> None:
        self._text, self._tumbles = text, tumbles

    def read(self, part: ParseTree) -> Bounds:
        """Return the bounds of a `bounds` tree.

        Raises:
            QueryTextError: such a window is invalid.
        """
        what, *policies = (child for child in part.children if isinstance(child, Tree))
        on = [
            condition
            for policy in policies
            if policy.data == "report"
            for condition in self._conditions(policy)
        ]
        ticks = [self._tick(policy) for policy in policies if policy.data == "tick"]
        if len(set(ticks)) > 1:
            raise self._text.error(part, "two ticks", "one")
        return Bounds(part, self._extent(what), tuple(dict.fromkeys(on)) or None, ticks[0] if ticks else None)

    def _extent(self, part: ParseTree) -> Extent:
        match part.data:
            case "range":
                length, *steps = subtrees(part, "length")
                return self._window(part, self.positive(length, "a range"), steps)
            case "triple_count":
                return self._count(part, CountWindow(1, 1, "triples"))
            case "abox_count":
                return self._count(part, CountWindow(1, 1, "aboxes"))
            case "past":
                return self._past(part)
        return Everything()

    def _window(self, part: ParseTree, length: Length, steps: Sequence[ParseTree]) -> Window:
        slide = length if subtrees(part, "tumbling") else None
        for step in steps:
            slide = self.positive(step, "a step")
            check_kinds(step, length, slide, self._text)
        try:
            return Window(length, slide, closed="right")
        except TimestampError as error:
            raise self._text.error(part, f"{error.given} is not valid here", error.expected) from None

    def _count(self, part: ParseTree, window: CountWindow) -> CountWindow:
        numbers = tokens(part, "NUMBER")
        size, *steps = map(self._elements, numbers)
        step = steps[0] if steps else size if self._tumbles or subtrees(part, "tumbling") else 1
        if step > size:
            problem = f"a step of {step} leaves out elements between windows of {size}"
            raise self._text.error(numbers[-1], problem, f"{size} at most")
        return replace(window, size=size, step=step)

    def _elements(self, token: Token) -> int:
        if not token.isdigit() or len(token) > _MOST_DIGITS or not int(token):
            expected = f"a whole number above 0, below 10^{_MOST_DIGITS}"
            raise self._text.error(token, f"{token} elements", expected)
        return int(token)

    def _past(self, part: ParseTree) -> Extent:
        steps = subtrees(part, "length")
        start, *ends = map(self._ago, subtrees(part, "instant"))
        if start is None and not ends:
            if steps or subtrees(part, "tumbling"):
                raise self._text.error(part, "NOW has no steps", "NOW alone")
            return NewestTimestamp()
        ago = ends[0] if ends else None
        if start is not None and ago is not None:
            check_kinds(part, start, ago, self._text)
        length = _between(start, ago)
        if length is None:
            problem = "the window ends before it begins"
            raise self._text.error(part, problem, "FROM the older TO the newer instant")
        window = self._window(part, length, steps)
        return window if ago is None else PastWindow(window, ago)

    def _ago(self, instant: ParseTree) -> Length | None:
        """Return the distance of an instant from now, None for now itself."""
        for length in subtrees(instant, "length"):
            return self.length(length) or None
        return None

    def _conditions(self, policy: ParseTree) -> list[Condition | Duration]:
        """Return the conditions of a REPORT; a length is the period of the word before it."""
        found: list[Condition | Duration] = []
        for child, following in pairwise([*policy.children, None]):
            if not isinstance(child, Token):
                continue
            name = child.upper().removeprefix("ON_")
            period = following if isinstance(following, Tree) else None
            if (name == "PERIODIC") is (period is None):
                problem = "PERIODIC has no period" if period is None else f"{child} has a period"
                expected = "PERIODIC and a length, or a report without one"
                raise self._text.error(child, problem, expected)
            found.append(_CONDITIONS[name] if period is None else self.positive(period, "a period"))
        return found

    def _tick(self, policy: ParseTree) -> Tick:
        (name,) = tokens(policy)
        if name.upper() not in _TICKS:
            problem = "a query is not evaluated after each triple: ABoxes are inserted as a whole"
            raise self._text.error(name, problem, "TIME_DRIVEN or BATCH_DRIVEN")
        return _TICKS[name.upper()]

    def positive(self, part: ParseTree, what: str) -> Length:
        """Return the length of a `length` tree.

        Raises:
            QueryTextError: it is malformed, or 0.
        """
        length = self.length(part)
        if not length:
            raise self._text.error(part, f"{what} of {self._text.of(part)} is nothing", f"{what} above 0")
        return length

    def length(self, part: ParseTree) -> Length:
        """Return the length of a `length` tree: a number, or a duration.

        Raises:
            QueryTextError: it is malformed.
        """
        first, *others = tokens(part)
        try:
            if first.type == "DURATION":
                return parse_duration(first.upper())
            if others:
                written = [first, *others]
                return measured((str(n), _unit(u)) for n, u in zip(written[::2], written[1::2], strict=True))
            return parse_length(first)  # type: ignore[return-value]
        except TimestampError as error:
            raise self._text.error(part, f"{error.given} is not valid here", error.expected) from None


def _between(start: Length | None, end: Length | None) -> Length | None:
    """Return how much longer ago the start is than the end, None if it is not."""
    match start, end:
        case _, None:
            return start
        case timedelta(), timedelta():
            return start - end if start > end else None
        case int() | float(), int() | float():
            return start - end if start > end else None
    return None


_UNITS = frozenset(("ns", "ms", "s", "m", "h", "d"))
_MOST_DIGITS = 18


def _unit(written: str) -> str:
    """Return `ms` for milliseconds, else the first letter.

    >>> [_unit(each) for each in ("ms", "Milliseconds", "min", "H", "ns", "days")]
    ['ms', 'ms', 'm', 'h', 'ns', 'd']
    """
    unit = written.lower()
    if unit in _UNITS:
        return unit
    return "ms" if unit.startswith("milli") else unit[0]
