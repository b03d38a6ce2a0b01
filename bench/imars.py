"""Four methods of maintaining a transitive property (IM10, section 5), and other reasoners that recompute it.

Trees of a hundred `isIn` edges, six deep, arrive in ten pieces over ten ticks; their roots are in sites,
which are background. The window holds 1,000, 10,000 or 100,000 edges; a step changes 1, 10 or 50 % of them.

- recompute: a new model materializes the whole window. Nemo and clingo do the same, each in its own process,
  by our rule or by the linear rule that joins asserted edges with derived ones, as a person would write it.
- DRed in the same engine: facts have no timestamps. Expired edges are deleted: everything that depends on
  them is removed, facts with another proof are rederived, and then the new edges are inserted. These are the
  rules of IM10's Table 3, evaluated by the same compiled joins, indexes and rows as ours (by the retraction
  of repairs).
- DRed, Table 3 in numpy: the ten rules of the table, literally, each as a join of sorted columns. It reads
  the whole closure at every step, and is left out for the largest window.
- ours: facts are annotated with the time at which they expire.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.engine import SPACE, KernelLane, Rows, ontology_of
from bench.maintenance_program import MaintenanceProgram
from bench.measuring import SEED, Figure, check, cpu_seconds, figure, ratios, sorted_rows
from bench.peers.answers import hashes
from bench.peers.pantarhei import facts_digest
from bench.peers.process import Job, recomputation_times
from pantarhei.materialize.model import WindowModel

ONTOLOGY = ":isIn a owl:ObjectProperty , owl:TransitiveProperty ."
TICKS = 100  # per window
EDGES, PIECES, SHAPES = 100, 10, 64
PER_SITE = 10  # roots per site
CHANGES = (1, 10, 50)
WINDOWS = (1_000, 10_000, 100_000)
LARGEST_LITERAL = 10_000
NEMO_AT_LEAST = {(100_000, 1): 80.0, (100_000, 10): 10.0}
DRED_AT_LEAST = {(100_000, 1): 1.5, (100_000, 10): 1.5}


class Pool:
    """Edges of each tick, and the background; a window of `window` edges has a hundred ticks."""

    def __init__(self, window: int) -> None:
        rng = np.random.default_rng(SEED)
        self.places = window // (TICKS * PIECES)  # trees that arrive together
        self.roots = max(PER_SITE, window // EDGES)
        # the lower bound of the parents' range makes random trees as deep as rooms in buildings
        self._parents = [
            [0, *(int(rng.integers(i // 4, i)) for i in range(1, EDGES + 1))] for _ in range(SHAPES)
        ]
        self._orders = [(1 + rng.permutation(EDGES)).tolist() for _ in range(SHAPES)]

    @property
    def background(self) -> Rows:
        return [(f"root{root}", "isIn", f"site{root // PER_SITE}") for root in range(self.roots)]

    def rows(self, tick: int) -> Rows:
        """Return the edges of a tick: one piece of each of some trees."""
        found: Rows = []
        for place in range(self.places):
            generation, piece = divmod(tick + place % PIECES, PIECES)
            number, size = generation * self.places + place, EDGES // PIECES
            shape = number % SHAPES
            for node in self._orders[shape][piece * size : (piece + 1) * size]:
                parent = self._parents[shape][node]
                above = f"node{number}-{parent}" if parent else f"root{number % self.roots}"
                found.append((f"node{number}-{node}", "isIn", above))
        return found


class UntimedDRed:
    """DRed in the same engine: all facts have one timestamp, expired edges are cut."""

    def __init__(self, kernel: KernelLane) -> None:
        self.model: WindowModel = kernel.fresh_model()

    def change(self, leaving: np.ndarray, entering: np.ndarray) -> int:
        """Delete and rederive, then insert; return the number of inserted and deleted facts."""
        self.model.cut(leaving)
        self.model.add(entering, 0)
        return len(self.model.take_changes())


def measure(quick: bool) -> Iterator[Figure]:
    """Yield milliseconds per step for each method, and their ratios."""
    with TemporaryDirectory(prefix="bench-") as name:
        for window in WINDOWS[:2] if quick else WINDOWS:
            yield from _measure(window, 2 if quick else 3, Path(name))


def _measure(window: int, rounds: int, folder: Path) -> Iterator[Figure]:
    pool, workload = Pool(window), f"IMaRS, window {window:,}"
    kernel = KernelLane(
        ontology_of(ONTOLOGY), pool.background, TICKS, lru_cache(maxsize=4 * TICKS)(pool.rows)
    )
    for tick in range(TICKS):
        kernel.take(tick)
    held = [kernel.prepare(tick) for tick in range(TICKS)]
    timeless = UntimedDRed(kernel)
    timeless.change(np.empty((0, 3), np.int32), np.concatenate(held))
    literal = None
    if window <= LARGEST_LITERAL:
        literal = MaintenanceProgram(kernel.background[:, 1:], np.concatenate(held)[:, 1:])
    now, samples = TICKS, dict[tuple[str, int], list[float]]()
    for _ in range(rounds):
        for change in CHANGES:
            blocks = {1: 5, 10: 2, 50: 1}[change]
            seconds = _round(kernel, timeless, literal, now, change, blocks)
            now += change * blocks
            for way, each in seconds.items():
                samples.setdefault((way, change), []).append(each)
    _check(workload, kernel, timeless, literal, now)
    yield Figure(workload, "closure", len(kernel.model) - len(pool.background), "facts")
    for (way, change), each in samples.items():
        yield figure(workload, f"{way}, {change} %", [1e3 * s for s in each], "ms")
    yield from _ratios(workload, window, samples)
    yield from _peers(workload, window, kernel, now, samples, rounds, folder)


OURS, DRED, TABLE_3, RECOMPUTE = "ours", "DRed in the same engine", "DRed, Table 3 in numpy", "recompute"


def _round(
    kernel: KernelLane,
    timeless: UntimedDRed,
    literal: MaintenanceProgram | None,
    start: int,
    change: int,
    blocks: int,
) -> dict[str, float]:
    """Return seconds per step for each method, over `blocks` steps from tick `start`."""
    steps = [range(start + block * change, start + (block + 1) * change) for block in range(blocks)]
    entering = [[kernel.prepare(tick) for tick in ticks] for ticks in steps]
    came = [np.concatenate(each) for each in entering]
    went = [np.concatenate([kernel.prepare(tick - TICKS) for tick in ticks]) for ticks in steps]
    window = range(steps[-1].stop - TICKS, steps[-1].stop)
    held = [kernel.prepare(tick) for tick in window]

    def slide() -> None:
        for ticks, given in zip(steps, entering, strict=True):
            kernel.run_together(ticks, given)

    def delete_and_rederive() -> None:
        for leaving, arriving in zip(went, came, strict=True):
            timeless.change(leaving, arriving)

    def by_the_table(program: MaintenanceProgram) -> None:
        for leaving, arriving in zip(went, came, strict=True):
            program.change(leaving[:, 1:], arriving[:, 1:])

    seconds = {
        OURS: cpu_seconds(slide) / blocks,
        DRED: cpu_seconds(delete_and_rederive) / blocks,
        RECOMPUTE: cpu_seconds(lambda: kernel.recompute(window, held)),
    }
    if literal is not None:
        seconds[TABLE_3] = cpu_seconds(lambda: by_the_table(literal)) / blocks
    return seconds


def _check(
    workload: str, kernel: KernelLane, timeless: UntimedDRed, literal: MaintenanceProgram | None, now: int
) -> None:
    window = range(now - TICKS, now)
    fresh = kernel.recompute(window, [kernel.prepare(tick) for tick in window])
    facts = sorted_rows(fresh.facts())
    check(f"{workload}: ours", sorted_rows(kernel.model.facts()), facts)
    check(f"{workload}: DRed", sorted_rows(timeless.model.facts()), facts)
    if literal is not None:
        check(f"{workload}: Table 3", sorted_rows(literal.facts(int(facts[0, 0]))), facts)


def _ratios(workload: str, window: int, samples: dict[tuple[str, int], list[float]]) -> Iterator[Figure]:
    for change in CHANGES:
        mine = samples[OURS, change]
        for way in (way for way, each in samples if each == change and way != OURS):
            aim = DRED_AT_LEAST.get((window, change)) if way == DRED else None
            times = ratios(samples[way, change], mine)
            yield figure(workload, f"{way} : ours, {change} %", times, "times", at_least=aim)


# -- peers ---------------------------------------------------------------------------------------------------


def _peers(
    workload: str,
    window: int,
    kernel: KernelLane,
    now: int,
    samples: dict[tuple[str, int], list[float]],
    rounds: int,
    folder: Path,
) -> Iterator[Figure]:
    """Yield the times of other reasoners for the window that our lane holds, including their import of
    integers.
    """
    rows = [row for tick in range(now - TICKS, now) for row in kernel.rows(tick)] + Pool(window).background
    names = list(dict.fromkeys(name for row in rows for name in (row[0], row[2])))
    places = {name: place for place, name in enumerate(names)}
    pairs = [(places[s], places[o]) for s, _, o in rows]
    hashed = folder / f"hashes-{window}.npy"
    np.save(hashed, hashes([f"<{SPACE}{name}>" for name in names]))
    task = {
        "predicates": {"r0": f"<{SPACE}isIn>"},
        "hashes": str(hashed),
        "compare": True,
        "individuals": None,
    }
    kinds = ("edges.csv", "plain.rls", "linear.rls", "linear.lp")
    edges, plain, linear, clingo = (folder / f"{window}-{kind}" for kind in kinds)
    edges.write_text("".join(f"{s},{o}\n" for s, o in pairs))
    given = f'csv{{resource="{edges}", format=(int, int)}} .\n'
    plain.write_text(f"@import r0 :- {given}r0(?x, ?z) :- r0(?x, ?y), r0(?y, ?z) .\n@output r0 .\n")
    linear.write_text(
        f"@import e :- {given}r0(?x, ?y) :- e(?x, ?y) .\n"
        "r0(?x, ?z) :- e(?x, ?y), r0(?y, ?z) .\n@output r0 .\n"
    )
    facts = "".join(f"e({s},{o}).\n" for s, o in pairs)
    clingo.write_text(f"{facts}r0(X,Y) :- e(X,Y).\nr0(X,Z) :- e(X,Y), r0(Y,Z).\n")
    jobs = [
        Job("nemo", "Nemo, anew", {**task, "program": str(plain)}),
        Job("nemo", "Nemo, anew, linear rule", {**task, "program": str(linear)}),
        Job("clingo", "clingo, anew, linear rule", {**task, "program": str(clingo)}),
    ]
    ours = facts_digest(kernel.vocabulary, kernel.model.facts(), None)

    def beside_ours(job: Job, seconds: list[float]) -> Iterator[Figure]:
        for change in CHANGES:
            aim = NEMO_AT_LEAST.get((window, change)) if job.name == "Nemo, anew" else None
            times = ratios(seconds, _of_length(samples[OURS, change], len(seconds)))
            yield figure(workload, f"{job.name} : ours, {change} %", times, "times", at_least=aim)

    yield from recomputation_times(workload, jobs, rounds, folder, list(ours), beside_ours)


def _of_length(samples: Sequence[float], count: int) -> list[float]:
    return [samples[i % len(samples)] for i in range(count)]
