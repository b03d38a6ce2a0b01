"""Measurement of times, and the figures computed from them.

Times are CPU seconds of all threads of this process. A figure is the median of several samples. Alternatives
that are compared run in turn, sample by sample, so that a busy machine slows all of them. Before a sample,
garbage is collected and the remaining objects are frozen: the collector stays enabled, as it is for users,
but does not traverse the prepared inputs of the benchmark.
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
    """An answer differs from the expected one, so its time does not count."""


def check(what: str, found: object, expected: object) -> None:
    """Raise `WrongAnswerError` if `found` differs from `expected`."""
    same = np.array_equal(found, expected) if isinstance(expected, np.ndarray) else found == expected
    if not same:
        shown = [np.shape(x) if isinstance(x, np.ndarray) else x for x in (found, expected)]
        raise WrongAnswerError(f"{what}: found {shown[0]}, expected {shown[1]}")


def sorted_rows(facts: np.ndarray) -> np.ndarray:
    """Return the distinct rows of `facts` in order, for comparison as sets."""
    rows = np.asarray(facts).reshape(-1, 3)
    rows = rows[np.lexsort(rows.T)]
    new = np.any(rows[1:] != rows[:-1], axis=1)
    return rows[np.concatenate([np.ones(min(len(rows), 1), bool), new])]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value.

    Args:
        workload: the measured work.
        way: the method or interface by which it was done.
        value: the median of `samples`, or a single value without samples; None if `way` is a remark, such as
            the reason why a measurement is missing.
        unit: the unit of `value`.
        at_most: the target, if smaller is better.
        at_least: the target, if larger is better.
        samples: the single measurements.
        wall: the wall time in the same unit, if `value` is a CPU time or a ratio of CPU times.
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
        """True if there is a target that `value` does not meet."""
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
    """Return the figure of several measurements."""
    return Figure(workload, way, median(samples), unit, at_most, at_least, tuple(samples))


def remark(workload: str, text: str) -> Figure:
    """Return a remark: a line among the figures without a value."""
    return Figure(workload, text, None, "")


def ratios(above: Sequence[float], below: Sequence[float]) -> list[float]:
    """Divide `above` by `below`, sample by sample."""
    return [a / b for a, b in zip(above, below, strict=True)]


@contextmanager
def without_garbage() -> Iterator[None]:
    """Collect garbage, and exclude the remaining objects from collections inside the block."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of `work()`."""
    with without_garbage():
        begin = time.process_time()
        work()
        return time.process_time() - begin


class Lane(Protocol):
    """One way of doing the compared work."""

    name: str

    def prepare(self, tick: int) -> Any:
        """Create the input of a tick, outside the measurement."""

    def run(self, tick: int, given: Any) -> object:
        """Process a tick."""


class FilledLane(Lane, Protocol):
    """Lane with a shorter path for ticks that are not measured."""

    def take(self, tick: int) -> object:
        """Reach the state that preparing and running a tick leads to."""


def fill(lanes: Iterable[FilledLane], ticks: range, warm: int = 0) -> None:
    """Run `ticks` in each lane without measurements; the last `warm` ticks by `prepare` and `run`."""
    lanes = list(lanes)
    for tick in ticks:
        for lane in lanes:
            if tick < ticks.stop - warm:
                lane.take(tick)
            else:
                lane.run(tick, lane.prepare(tick))


def race(lanes: Sequence[Lane], start: int, block: int, rounds: int) -> dict[str, list[float]]:
    """Return CPU seconds per tick for each lane, by its name: `rounds` samples of `block` ticks, beginning at
    `start`.
    """
    samples: dict[str, list[float]] = {lane.name: [] for lane in lanes}
    for number in range(rounds):
        ticks = range(start + number * block, start + (number + 1) * block)
        for lane in lanes:
            samples[lane.name].append(_seconds(lane, ticks) / block)
    return samples


def _seconds(lane: Lane, ticks: range) -> float:
    # Release the inputs before the next lane prepares its own: memory freed just before a measurement would
    # slow the allocator during it.
    given = [lane.prepare(tick) for tick in ticks]
    return cpu_seconds(lambda: [lane.run(t, g) for t, g in zip(ticks, given, strict=True)])
