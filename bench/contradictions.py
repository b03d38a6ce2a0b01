"""Repair when 0, 1, 10 and 100 % of the readings contradict earlier readings.

1,000 of 10,000 sensors report at each tick whether they are on or off, which are disjoint classes; each
sensor reports every tenth tick. The given share of the reports differs from the sensor's last report, and the
older report is cut. The window holds 30 ticks.

The comparison is clingo, which solves each tick from scratch: a choice for each fact of the window, the rules
and constraints of the ontology, and a heuristic that prefers newer facts, so that the first model is maximal,
newest first. This is the cheapest encoding of newest-wins in clingo. Our repair is the intersection of all
such maximal sets; here there is exactly one. clingo's process reads the stream from the first tick; its last
ticks are timed. The facts kept and derived at the end must be equal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench import shapes
from bench.engine import (
    ARROW_DICTIONARY,
    SPACE,
    InternedLane,
    PushLane,
    Rows,
    check_facts,
    dictionary_table,
    ontology_of,
)
from bench.measuring import SEED, Figure, check, figure, fill, race, ratios, remark
from bench.peers.answers import hashes
from bench.peers.datalog import clingo_constraints, clingo_rules, predicate_name
from bench.peers.pantarhei import facts_digest
from bench.peers.process import Job, Outcome, figure_of, run_in_turn
from bench.repairs import BACKGROUND, EVERY, PLACES, SENSORS, VARIANTS
from pantarhei.encoding.numbers import Symbol

SHARES = (0, 1, 10, 100)  # percent
WIDTH, FILLED, TIMED = 30, 40, 5  # ticks: window width, ticks before clingo is timed, ticks timed there
PER_TICK = SENSORS // EVERY
LIMITS = {100: 2.0}
ONTOLOGY = PLACES + VARIANTS[0].ontology


class Stream:
    """Reports of each tick; `share` per cent differ from the sensor's last report."""

    def __init__(self, share: int) -> None:
        rng = np.random.default_rng((SEED, share))
        self.share, self._rng = share, rng
        self._order = rng.permutation(SENSORS).reshape(EVERY, -1)
        self._states = [rng.integers(2, size=SENSORS)]

    def rows(self, tick: int) -> Rows:
        turn, group = divmod(tick, EVERY)
        while len(self._states) <= turn:
            changed = self._rng.random(SENSORS) < self.share / 100
            self._states.append(self._states[-1] ^ changed)
        states = self._states[turn]
        return [(f"sensor{s}", "a", "On" if states[s] else "Off") for s in self._order[group].tolist()]


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per reading for each share, and per assertion for each shape."""
    with TemporaryDirectory(prefix="bench-") as name:
        for share in SHARES:
            yield from _share(share, quick, Path(name))
    yield from shapes.measure(quick)


def _share(share: int, quick: bool, folder: Path) -> Iterator[Figure]:
    workload, ontology = f"contradictions, {share} %", ontology_of(ONTOLOGY)
    rows = lru_cache(maxsize=128)(Stream(share).rows)
    interned = InternedLane(ontology, BACKGROUND, WIDTH, rows)
    pushed = PushLane(ontology, BACKGROUND, WIDTH, rows, ARROW_DICTIONARY, dictionary_table)
    end = FILLED + TIMED
    fill([interned, pushed], range(end), warm=EVERY)
    there = facts_digest(interned.vocabulary, interned.model.facts(), None)
    outcome = _by_clingo(workload, share, [rows(tick) for tick in range(end)], folder)
    # a sample is a whole window, since a repeated fact is renewed once in a window
    block, rounds = WIDTH, 2 if quick else 5
    seconds = race([interned, pushed], end, block, rounds)
    last = end + block * rounds
    check_facts(interned, _expected(interned, range(last - WIDTH, last)))
    check(f"{workload}: {pushed.name}", pushed.conflicts, interned.conflicts)
    for lane in (interned, pushed):
        each = [1e6 * sample / PER_TICK for sample in seconds[lane.name]]
        limit = LIMITS.get(share) if lane is interned else None
        yield figure(workload, lane.name, each, "µs a reading", at_most=limit)
    yield Figure(workload, "contradicted readings", 100 * interned.conflicts / (last * PER_TICK), "%")
    if isinstance(outcome, str):
        yield remark(workload, f"clingo: {outcome}")
        return
    check(f"{workload}: clingo", outcome.found, list(there))
    cpu, wall = outcome.seconds("timed"), outcome.wall_seconds("timed")
    scale = 1e6 / (TIMED * PER_TICK)
    yield figure_of(workload, "clingo, solved anew", cpu, wall, "µs a reading", scale)
    mine = seconds[interned.name][: len(cpu)]
    times = ratios([s / TIMED for s in cpu], mine)
    yield figure(workload, "clingo, solved anew : interned columns", times, "times")


def _expected(lane: InternedLane, ticks: range) -> Rows:
    """Return the facts that hold in the window `ticks`: each sensor's last report, and its consequences."""
    last = {row[0]: row for tick in ticks for row in lane.rows(tick)}
    facts: dict[tuple[str, str, str], None] = dict.fromkeys([*BACKGROUND, *last.values()])
    places = {(s, p): o for s, p, o in BACKGROUND}
    for sensor, _, state in last.values():
        facts[sensor, "a", "Live"] = None
        if state == "On":
            room = places[sensor, "locatedIn"]
            facts[room, "a", "LitRoom"] = facts[places[room, "onFloor"], "a", "LitFloor"] = None
    return list(facts)


def _by_clingo(workload: str, share: int, rows_of: list[Rows], folder: Path) -> Outcome | str:
    """Return the outcome of clingo's process, whose input is the stream as integers."""
    ontology = ontology_of(ONTOLOGY)
    names: dict[str, int] = {}
    symbols = dict.fromkeys(
        Symbol(atom.predicate, len(atom.arguments))
        for rule in (*ontology.rules, *ontology.constraints)
        for atom in (*rule.body, rule.head)
        if atom is not None
    )
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    called = {symbol.name.removeprefix(SPACE): predicate_name(symbol, numbers[symbol]) for symbol in numbers}
    predicates = {predicate_name(symbol, number): symbol.name.n3() for symbol, number in numbers.items()}

    def number(name: str) -> int:
        return names.setdefault(name, len(names))

    lines = [
        *clingo_rules(ontology.rules, numbers, str),
        *clingo_constraints(ontology.constraints, numbers, str),
    ]
    lines += [f"{called[p]}({number(s)},{number(o)})." for s, p, o in BACKGROUND]
    ticks = [[(called[o], number(s)) for s, _, o in rows] for rows in rows_of]
    for name in sorted({name for rows in ticks for name, _ in rows}):
        lines += [
            f"{{kept_{name}(X)}} :- given_{name}(X,T).",
            f"{name}(X) :- kept_{name}(X).",
            f"#heuristic kept_{name}(X) : given_{name}(X,T). [T,true]",
        ]
    program, stream, hashed = (folder / f"{share}.{kind}" for kind in ("lp", "json", "npy"))
    program.write_text("\n".join(lines) + "\n")
    stream.write_text(json.dumps(ticks))
    np.save(hashed, hashes([f"<{SPACE}{name}>" for name in names]))
    task = {
        "program": str(program),
        "stream": str(stream),
        "width": WIDTH,
        "timed": TIMED,
        "predicates": predicates,
        "hashes": str(hashed),
    }
    ((_, outcome),) = run_in_turn(workload, [Job("clingo_repairs", "clingo", task)], 1, folder)
    return outcome
