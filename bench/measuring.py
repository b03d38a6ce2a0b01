"""How times are taken, and the figures they make.

Times are CPU seconds of this process, all threads together. A figure is the median of several samples; what
is compared runs in turns, sample by sample, so that a busy machine slows both sides. Before a sample, garbage
is collected and what is left is frozen: the collector stays on, as it is for users, but does not walk the
inputs that a benchmark has prepared.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any, Protocol

import numpy as np

SEED = 20260302


class WrongAnswerError(AssertionError):
    """The engine's answer differs from the expected one, so its time means nothing."""


def check(what: str, found: object, expected: object) -> None:
    """Refuse to go on with a wrong answer."""
    same = np.array_equal(found, expected) if isinstance(expected, np.ndarray) else found == expected
    if not same:
        shown = [np.shape(x) if isinstance(x, np.ndarray) else x for x in (found, expected)]
        raise WrongAnswerError(f"{what}: found {shown[0]}, expected {shown[1]}")


def sorted_rows(facts: np.ndarray) -> np.ndarray:
    """The distinct rows of `facts` in order, so that two sets of facts can be compared."""
    rows = np.asarray(facts).reshape(-1, 3)
    rows = rows[np.lexsort(rows.T)]
    new = np.any(rows[1:] != rows[:-1], axis=1)
    return rows[np.concatenate([np.ones(min(len(rows), 1), bool), new])]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value.

    Args:
        workload: what was done.
        way: how it was asked for.
        value: the median of `samples`, or the value itself if there are none; None if `way` is a remark, such
            as why something could not be measured.
        unit: of `value`.
        at_most: the target, if smaller is better.
        at_least: the target, if larger is better.
        samples: the single measurements.
        wall: the same of wall time, where `value` is CPU time or a ratio of such.
    """

    workload: str
    way: str
    value: float | None
    unit: str
    at_most: float | None = None
    at_least: float | None = None
    samples: tuple[float, ...] = ()
    wall: float | None = None

    @property
    def missed(self) -> bool:
        """Whether there is a target that `value` does not meet."""
        if self.value is None:
            return False
        over = self.at_most is not None and self.value > self.at_most
        return over or (self.at_least is not None and self.value < self.at_least)


def figure(
    workload: str,
    way: str,
    samples: Sequence[float],
    unit: str,
    at_most: float | None = None,
    at_least: float | None = None,
) -> Figure:
    """The figure of several measurements."""
    return Figure(workload, way, median(samples), unit, at_most, at_least, tuple(samples))


def remark(workload: str, text: str) -> Figure:
    """A line among the figures that measures nothing."""
    return Figure(workload, text, None, "")


def ratios(above: Sequence[float], below: Sequence[float]) -> list[float]:
    """How many times `below` goes into `above`, sample by sample."""
    return [a / b for a, b in zip(above, below, strict=True)]


@contextmanager
def settled() -> Iterator[None]:
    """A moment without garbage, in which older objects cost the collector nothing."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of `work()`."""
    with settled():
        begin = time.process_time()
        work()
        return time.process_time() - begin


class Lane(Protocol):
    """One way of doing the same work."""

    name: str

    def prepare(self, tick: int) -> Any:
        """The input of a tick, made outside the measurement."""

    def run(self, tick: int, given: Any) -> object:
        """The work of a tick."""


class FilledLane(Lane, Protocol):
    """A lane that has a shorter way for the ticks that are not measured."""

    def take(self, tick: int) -> object:
        """What preparing and running a tick leads to."""


def fill(lanes: Iterable[FilledLane], ticks: range, warm: int = 0) -> None:
    """Run `ticks` in each lane, unmeasured; the last `warm` of them in the lane's own way."""
    lanes = list(lanes)
    for tick in ticks:
        for lane in lanes:
            if tick < ticks.stop - warm:
                lane.take(tick)
            else:
                lane.run(tick, lane.prepare(tick))


def race(lanes: Sequence[Lane], start: int, block: int, rounds: int) -> dict[str, list[float]]:
    """CPU seconds a tick for each lane, by its name: `rounds` samples of `block` ticks from `start` on."""
    samples: dict[str, list[float]] = {lane.name: [] for lane in lanes}
    for number in range(rounds):
        ticks = range(start + number * block, start + (number + 1) * block)
        for lane in lanes:
            samples[lane.name].append(_seconds(lane, ticks) / block)
    return samples


def _seconds(lane: Lane, ticks: range) -> float:
    # The inputs go before the next lane prepares its own: freed just before a measurement, they would slow
    # the allocator in it.
    given = [lane.prepare(tick) for tick in ticks]
    return cpu_seconds(lambda: [lane.run(t, g) for t, g in zip(ticks, given, strict=True)])
