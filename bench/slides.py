"""Containment: `isIn` is transitive, over forests of trees with a hundred edges, about six deep.

The window holds 100 ticks, 10,000 or 100,000 assertions in all. A slide of 1 % deletes one tick and inserts
one; a slide of 10 % deletes and inserts ten each in one step. Both are compared with a new model that
materializes the whole window. The variants differ in the edges that arrive together:

- whole trees: each tree arrives at one tick and expires at one tick.
- pieces: a tree arrives in ten pieces over ten ticks, in no order, so that new edges join older ones.
- moves: the trees remain, and their nodes report in turn, each once in a window, that they have moved to
  another node of the rank above. Every move takes a subtree along: 1 % of the assertions changes several
  times as large a share of the closure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from bench.engine import (
    ARROW_DICTIONARY,
    AnyLane,
    KernelLane,
    PushLane,
    Row,
    Rows,
    RowsOf,
    dictionary_table,
    encoded,
    ontology_of,
)
from bench.measuring import SEED, Figure, check, cpu_seconds, figure, fill, race, ratios, sorted_rows

ONTOLOGY = ":isIn a owl:ObjectProperty , owl:TransitiveProperty ."
TICKS, TENTH = 100, 10
EDGES = 100  # edges of a tree; its root is node 0
PIECES = 10
BLOCK = 5  # slides of 1 % per sample
SHAPES = 64
RANK = 9  # nodes per rank in a tree whose nodes move

# -- streams -------------------------------------------------------------------------------------------------


class Forest:
    """Rows of each tick, `per_tick` of them."""

    def __init__(self, per_tick: int) -> None:
        rng = np.random.default_rng(SEED)
        self.per_tick, self.trees = per_tick, per_tick // EDGES
        # the lower bound of the parents' range makes random trees as deep as rooms in buildings
        self._parents = [
            [0, *(int(rng.integers(i // 4, i)) for i in range(1, EDGES + 1))] for _ in range(SHAPES)
        ]
        self._orders = [(1 + rng.permutation(EDGES)).tolist() for _ in range(SHAPES)]
        self._turns = rng.permutation(TICKS * per_tick).reshape(TICKS, per_tick).tolist()
        self._moves = rng.integers(RANK, size=1 << 16).tolist()

    def whole_trees(self, tick: int) -> Rows:
        numbers = range(tick * self.trees, (tick + 1) * self.trees)
        return [self._edge(number, node) for number in numbers for node in range(1, EDGES + 1)]

    def pieces(self, tick: int) -> Rows:
        rows: Rows = []
        for place in range(PIECES * self.trees):
            generation, piece = divmod(tick + place % PIECES, PIECES)
            number, size = generation * PIECES * self.trees + place, EDGES // PIECES
            nodes = self._orders[number % SHAPES][piece * size : (piece + 1) * size]
            rows += [self._edge(number, node) for node in nodes]
        return rows

    def moves(self, tick: int) -> Rows:
        turn, group = divmod(tick, TICKS)
        return [self._move(*divmod(node, EDGES), turn) for node in self._turns[group]]

    def _edge(self, number: int, node: int) -> Row:
        return f"node{number}-{node}", "isIn", f"node{number}-{self._parents[number % SHAPES][node]}"

    def _move(self, number: int, node: int, turn: int) -> Row:
        above = node // RANK * RANK - RANK  # first node of the rank above
        chosen = self._moves[(turn * 7919 + number * EDGES + node) % len(self._moves)]
        parent = "root" if above < 0 else str(above + chosen)
        return f"node{number}-{node}", "isIn", f"node{number}-{parent}"


def expected(edges: np.ndarray) -> np.ndarray:
    """Return the closure of a window's edges: the path upwards from each node, which has one parent."""
    parents = dict(zip(edges[:, 1].tolist(), edges[:, 2].tolist(), strict=True))
    check("nodes with one parent", len(parents), len(edges))
    pairs = []
    for node in parents:
        above = parents.get(node)
        while above is not None:
            pairs.append((node, above))
            above = parents.get(above)
    closure = np.empty((len(pairs), 3), np.int32)
    closure[:, 0], closure[:, 1:] = edges[0, 0], pairs
    return closure


# -- measuring -----------------------------------------------------------------------------------------------


def measure(quick: bool) -> Iterator[Figure]:
    """Yield milliseconds per slide, and the ratio of a recomputation to a slide."""
    for per_tick in (100,) if quick else (100, 1000):
        forest = Forest(per_tick)
        for name, rows in (
            ("whole trees", forest.whole_trees),
            ("pieces", forest.pieces),
            ("moves", forest.moves),
        ):
            workload = f"slides, {name}, {TICKS * per_tick:,}"
            kept = lru_cache(maxsize=2 * TICKS)(rows)
            yield from _measure(workload, kept, per_tick, 3 if quick else 5, again=name == "moves")


def _measure(workload: str, rows: RowsOf, per_tick: int, rounds: int, again: bool) -> Iterator[Figure]:
    """Yield the figures of one variant; `again` is true if the same nodes report repeatedly."""
    ontology = ontology_of(ONTOLOGY)
    kernel = KernelLane(ontology, [], TICKS, rows)
    pushed = PushLane(ontology, [], TICKS, rows, ARROW_DICTIONARY, dictionary_table)
    # if nodes report repeatedly, a whole window warms up the lane, so that no name is new
    warm = TICKS if again else TENTH
    fill([kernel, pushed], range(TICKS + warm), warm)
    small, small_pushed, large, whole = _samples(kernel, pushed, TICKS + warm, rounds)
    limits = (15.0, 120.0) if per_tick == 1000 else (None, None)
    yield figure(workload, "slide of 1 %", _ms(small), "ms", at_most=limits[0])
    yield figure(workload, "slide of 10 %", _ms(large), "ms", at_most=limits[1])
    yield figure(workload, "recomputation", _ms(whole), "ms")
    yield figure(workload, "recomputation : slide of 1 %", ratios(whole, small), "times", at_least=15)
    yield figure(workload, "recomputation : slide of 10 %", ratios(whole, large), "times")
    yield figure(workload, f"slide of 1 %, {pushed.name}", _ms(small_pushed), "ms")
    yield figure(workload, f"{pushed.name} : kernel", ratios(small_pushed, small), "times", at_most=5)
    closure, now = len(kernel.model), TICKS + warm + rounds * (BLOCK + TENTH)
    changed = kernel.run(now, kernel.prepare(now))
    yield Figure(workload, "closure", closure / (TICKS * per_tick), "facts an assertion")
    yield Figure(workload, "changed by a slide of 1 %", 100 * changed / closure, "% of the closure")


def _samples(
    kernel: KernelLane, pushed: PushLane, now: int, rounds: int
) -> tuple[list[float], list[float], list[float], list[float]]:
    """Return seconds for a slide of 1 % in the kernel and in a push, for one of 10 %, and for a
    recomputation.
    """
    small: list[float] = []
    small_pushed: list[float] = []
    large: list[float] = []
    whole: list[float] = []
    for _ in range(rounds):
        seconds = race([kernel, pushed], now, BLOCK, 1)
        small += seconds[kernel.name]
        small_pushed += seconds[pushed.name]
        ticks = range(now + BLOCK, now + BLOCK + TENTH)
        large.append(_timed(kernel.run_together, kernel, ticks))
        fill([pushed], ticks)
        now = ticks.stop
        whole.append(_timed(kernel.recompute, kernel, range(now - TICKS, now)))
    window = range(now - TICKS, now)
    fresh = kernel.recompute(window, [kernel.prepare(tick) for tick in window])
    check("facts recomputed", sorted_rows(kernel.model.facts()), sorted_rows(fresh.facts()))
    for lane in (kernel, pushed):
        _check_closure(lane, window)
    return small, small_pushed, large, whole


def _timed(work: Callable[[range, list[np.ndarray]], object], kernel: KernelLane, ticks: range) -> float:
    given = [kernel.prepare(tick) for tick in ticks]
    return cpu_seconds(lambda: work(ticks, given))


def _check_closure(lane: AnyLane, window: Sequence[int]) -> None:
    edges = np.concatenate([encoded(lane.vocabulary, lane.rows(tick)) for tick in window])
    check(f"closure by {lane.name}", sorted_rows(lane.model.facts()), sorted_rows(expected(edges)))


def _ms(seconds: Sequence[float]) -> list[float]:
    return [1e3 * sample for sample in seconds]
