"""What registering a query takes, as one value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, get_args

from pantarhei.errors import OptionError
from pantarhei.model.time import Duration, TimeKind, TimePoint, duration_ticks
from pantarhei.window.sliding import Window, common

Condition = Literal["change", "close", "non-empty"]
"""What must hold for a report."""

Emit = Literal["delta", "istream", "dstream", "rstream"]
"""What a report has."""

Tick = Literal["abox", "timestamp"]
"""When a query that waits for no window looks: after each ABox, or when time leaves a timestamp."""


@dataclass(frozen=True, slots=True)
class Policy:
    """When a query reports, and what.

    Args:
        conditions: all must hold. `"close"`: its window closes. `"change"`: what holds in its window is not
            what it was when the query looked last. `"non-empty"`: its window holds an assertion of the
            stream, even one that a repair has cut.
        period: it looks only at multiples of it, None for any time.
        emit: `"delta"`: what came and what went since the last report; `"istream"` what came, `"dstream"`
            what went; `"rstream"` all answers.
        tick: without `"close"` it looks after each step, or when time leaves a timestamp.
        whole: with `"close"` it looks only at windows that begin at `since` or later.
        since: None for when time began, or when it was registered.
    """

    conditions: frozenset[Condition] = frozenset(("change",))
    period: Duration | None = None
    emit: Emit = "delta"
    tick: Tick = "abox"
    whole: bool = False
    since: TimePoint | None = None

    @classmethod
    def of(cls, on: object, emit: object, tick: Tick = "abox") -> Policy:
        """The policy that options of `register` say.

        Raises:
            OptionError: they say none.
        """
        given = on if isinstance(on, tuple) else (on,)
        conditions = frozenset(each for each in get_args(Condition) if each in given)
        periods = [each for each in given if each not in get_args(Condition)]
        expected = f"{', '.join(map(repr, get_args(Condition)))}, a duration, or a tuple of these"
        if not given or len(periods) > 1:
            raise OptionError("on", repr(on), expected)
        for period in periods:
            check_period(period, expected)
        if emit not in get_args(Emit):
            raise OptionError("emit", repr(emit), " or ".join(map(repr, get_args(Emit))))
        return cls(conditions, periods[0] if periods else None, emit, tick)  # type: ignore[arg-type]

    @property
    def is_plain(self) -> bool:
        """Whether it says at each step what changed."""
        return self == Policy()

    @property
    def on(self) -> str | Duration | tuple[str | Duration, ...]:
        """When it reports, as `of` takes it."""
        parts = (*sorted(self.conditions), *(() if self.period is None else (self.period,)))
        return parts[0] if len(parts) == 1 else parts

    def is_as(self, other: Policy, kind: TimeKind) -> bool:
        """Whether both report at the same times, in a stream of that kind."""
        periods = {
            None if each is None else duration_ticks(each, kind) for each in (self.period, other.period)
        }
        return len(periods) == 1 and replace(self, period=None) == replace(other, period=None)

    @property
    def asks_for_change(self) -> bool:
        """Whether it looks only where what is asked has changed, and not after each step."""
        return not self.is_plain and "change" in self.conditions

    @property
    def closes(self) -> bool:
        """Whether it looks when its window closes."""
        return "close" in self.conditions

    def looks_at(self, kind: TimeKind, now: int) -> bool:
        """Whether a tick is one at which it looks, as far as its period goes."""
        return self.period is None or now % duration_ticks(self.period, kind) == 0

    def at_looks(self, kind: TimeKind, ranges: Iterable[range]) -> Iterable[range]:
        """Return the ticks of ascending ranges that are multiples of its period, all without a period."""
        if self.period is None:
            return ranges
        every = duration_ticks(self.period, kind)
        return (common(each, range(each[0] // every * every, each.stop, every)) for each in ranges if each)


def check_period(period: object, expected: str) -> None:
    """Nothing, if it is a duration of some length.

    Raises:
        OptionError: it is not.
    """
    for kind in TimeKind:
        try:
            if duration_ticks(period, kind) > 0:  # type: ignore[arg-type]
                return
        except Exception:  # of another kind of time, or no duration at all
            continue
    raise OptionError("on", repr(period), expected)


PLAIN: Final = Policy()


class Registration(NamedTuple):
    """A query to be kept up to date, as `StreamReasoner.register` takes it.

    Args:
        text: the query.
        window: what part of the window it is asked of, None for all of it.
        on: when it reports.
        emit: what it reports.
    """

    text: str
    window: Window | None = None
    on: str | Duration | tuple[str | Duration, ...] = "change"
    emit: str = "delta"
