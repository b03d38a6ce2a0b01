"""Workloads of temporal rules: the streams of Laser's evaluation, and sensors that report one by one.

A window [n] covers n + 1 ticks. Each workload computes the expected number of conclusions at a tick from the
reports in its window, by set operations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from rdflib import Literal, URIRef

from bench.measuring import SEED

EX = "http://example.org/"
Row = tuple[int, ...]
Ticks = Sequence[set[Row]]


@dataclass(frozen=True)
class Workload:
    """Rules over one predicate, and their stream.

    Args:
        name: the name of its figures.
        rules: their text, with N for the size of the window.
        report: the predicate of the reports.
        rows: function from a random generator, a tick and a number of reports to the reports of that tick;
            all integers.
        conclusions: function from the reports of each tick in the window, the present tick last, to the
            number of conclusions.
        targets: microseconds per report, with changes and with all answers read at each tick.
        clingo: the same rules for clingo; the last argument of a report is its tick, `now` is the present
            tick, `k` the number of ticks in the window.
        ares: the same rules for ARES; empty if ARES cannot express them.
        has_values: true if the last argument of a report is a number, not a name.
    """

    name: str
    rules: str
    report: str
    rows: Callable[[Random, int, int], list[Row]]
    conclusions: Callable[[Ticks], int]
    targets: tuple[float, float]
    clingo: str
    ares: str = ""
    has_values: bool = False

    def stream(self, rate: int, ticks: int) -> list[list[Row]]:
        """Return the reports of each tick, without duplicates; deterministic in the arguments."""
        random = Random(SEED)
        return [list(dict.fromkeys(self.rows(random, tick, rate))) for tick in range(ticks)]

    def text(self, window: int) -> str:
        """Return the rules with windows of `window` ticks."""
        return f"@prefix : <{EX}> .\n" + self.rules.replace("N", str(window))

    def triple(self, row: Row) -> tuple[URIRef, URIRef, URIRef | Literal]:
        """Convert a report to a triple."""
        first, last = row
        what = Literal(last) if self.has_values else URIRef(f"{EX}n{last}")
        return URIRef(f"{EX}n{first}"), URIRef(EX + self.report), what

    def expected(self, stream: Sequence[Sequence[Row]], window: int) -> list[int]:
        """Return the expected number of conclusions at each tick."""
        reports = [set(rows) for rows in stream]
        return [self.conclusions(reports[max(0, tick - window) : tick + 1]) for tick in range(len(reports))]


# -- Laser's streams -------------------------------------------------------------------------------


def _fresh(random: Random, tick: int, rate: int) -> list[Row]:
    return [(tick * rate + place, tick * rate + place) for place in range(rate)]


def _same(random: Random, tick: int, rate: int) -> list[Row]:
    return [(place, place) for place in range(rate)]


def _chain(random: Random, tick: int, rate: int) -> list[Row]:
    return [(tick * rate + place, tick * rate + place + 1) for place in range(rate + 1)]


def _values(random: Random, tick: int, rate: int) -> list[Row]:
    return [(0, random.randint(0, 200)) for _ in range(rate)]


def _join_conclusions(ticks: Ticks) -> int:
    rows = set[Row]().union(*ticks)
    after: dict[int, list[int]] = {}
    for first, last in rows:
        after.setdefault(first, []).append(last)
    return len({(first, last) for first, middle in rows for last in after.get(middle, ())})


def _cooling_conclusions(ticks: Ticks) -> int:
    steam = [{value for _, value in tick if value >= 100} for tick in ticks]
    liquid = [{value for _, value in tick if 1 <= value < 100} for tick in ticks]
    alarm, normal = all(steam), all(liquid)
    now = len(steam[-1]) + len(liquid[-1]) + bool(steam[-1]) + bool(liquid[-1])
    very = sum(any(value >= 150 for value in tick) for tick in steam) + sum(1 in tick for tick in liquid)
    return now + alarm + normal + very + (not alarm and not normal and bool(ticks[-1]))


# -- sensors ---------------------------------------------------------------------------------------


def _sensors() -> Callable[[Random, int, int], list[Row]]:
    """Return a generator of reports of sensors that are hot or not; three per cent of them change at each
    tick.
    """
    hot: list[bool] = []

    def rows(random: Random, tick: int, rate: int) -> list[Row]:
        if not tick:
            hot[:] = [random.random() < 0.5 for _ in range(rate)]
        hot[:] = [is_hot != (random.random() < 0.03) for is_hot in hot]
        return [(s, random.randint(100, 200) if hot[s] else random.randint(0, 99)) for s in range(rate)]

    return rows


def _sensor_conclusions(ticks: Ticks) -> int:
    hot = [{sensor for sensor, value in tick if value >= 100} for tick in ticks]
    alarms = set.intersection(*hot)
    return len(hot[-1]) + len(alarms) + len({sensor for sensor, _ in ticks[-1]} - alarms)


_JOIN = "q{0}(A, C) :- asserted p(A, B) in [N], asserted p(B, C) in [N].\n"
_CLINGO_JOIN = "q{0}(A, C) :- p(A, B, _), p(B, C, _). #show q{0}/2.\n"
_ARES_JOIN = "q{0}(A, C) := [$, N] [D] p(A, B) && [$, N] [D] p(B, C)\n"

WORKLOADS = (
    Workload(
        "diamond",
        "q(A, B) :- asserted p(A, B) in [N].",
        "p",
        _fresh,
        lambda ticks: sum(map(len, ticks)),
        (0.5, 0.8),
        "q(A, B) :- p(A, B, _). #show q/2.",
        "q(A, B) := [$, N] [D] p(A, B)",
    ),
    Workload(
        "box",
        "q(A, B) :- asserted p(A, B) always in [N].",
        "p",
        _same,
        lambda ticks: len(set.intersection(*ticks)),
        (0.3, 0.3),
        "q(A, B) :- p(A, B, now), k = #count { T : p(A, B, T) }. #show q/2.",
        "q(A, B) := [$, N] [B] p(A, B)",
    ),
    Workload(
        "join",
        _JOIN.format(0),
        "p",
        _chain,
        _join_conclusions,
        (0.8, 1.0),
        _CLINGO_JOIN.format(0),
        _ARES_JOIN.format(0),
    ),
    Workload(
        "ten joins",
        "".join(map(_JOIN.format, range(10))),
        "p",
        _chain,
        lambda ticks: 10 * _join_conclusions(ticks),
        (5, 5),
        "".join(map(_CLINGO_JOIN.format, range(10))),
        "".join(map(_ARES_JOIN.format, range(10))),
    ),
    Workload(
        "cooling",
        """
        steam(W, V) at T :- asserted temp(W, V) at T in [N], V >= 100.
        liquid(W, V) at T :- asserted temp(W, V) at T in [N], V >= 1, V < 100.
        isSteam(W) at T :- steam(W, V) at T in [N].
        isLiquid(W) at T :- liquid(W, V) at T in [N].
        alarm(W) :- isSteam(W) always in [N].
        normal(W) :- isLiquid(W) always in [N].
        veryHot(W, T) :- steam(W, V) at T in [N], V >= 150.
        veryCold(W, T) :- liquid(W, 1) at T in [N].
        freeze(W) :- asserted temp(W, V), not alarm(W), not normal(W).
        """,
        "temp",
        _values,
        _cooling_conclusions,
        (0.8, 1.0),
        """
        steam(W, V, T) :- temp(W, V, T), V >= 100. liquid(W, V, T) :- temp(W, V, T), V >= 1, V < 100.
        isSteam(W, T) :- steam(W, V, T). isLiquid(W, T) :- liquid(W, V, T).
        steamNow(W, V) :- steam(W, V, now). liquidNow(W, V) :- liquid(W, V, now).
        isSteamNow(W) :- isSteam(W, now). isLiquidNow(W) :- isLiquid(W, now).
        alarm(W) :- isSteam(W, now), k = #count { T : isSteam(W, T) }.
        normal(W) :- isLiquid(W, now), k = #count { T : isLiquid(W, T) }.
        veryHot(W, T) :- steam(W, V, T), V >= 150. veryCold(W, T) :- liquid(W, 1, T).
        freeze(W) :- temp(W, V, now), not alarm(W), not normal(W).
        #show steamNow/2. #show liquidNow/2. #show isSteamNow/1. #show isLiquidNow/1. #show alarm/1.
        #show normal/1. #show veryHot/2. #show veryCold/2. #show freeze/1.
        """,
        has_values=True,
    ),
    Workload(
        "sensors",
        """
        hot(S) at T :- asserted temp(S, V) at T in [N], V >= 100.
        alarm(S) :- hot(S) always in [N].
        calm(S) :- asserted temp(S, V), not alarm(S).
        """,
        "temp",
        _sensors(),
        _sensor_conclusions,
        (2.5, 2.5),
        """
        hot(S, T) :- temp(S, V, T), V >= 100. hotNow(S) :- hot(S, now).
        alarm(S) :- hot(S, now), k = #count { T : hot(S, T) }. calm(S) :- temp(S, V, now), not alarm(S).
        #show hotNow/1. #show alarm/1. #show calm/1.
        """,
        has_values=True,
    ),
)
