"""Temporal rules: microseconds per report, compared with clingo and ARES; a thousand rules; a million ticks.

In numbers: input and conclusions are integer facts, and the output is either the changes or all conclusions
at each tick. Through the public API, reports are pushed as rdflib's triples, and conclusions are decoded to
such triples. The number of conclusions at each tick is computed by set operations before any time counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rdflib import RDF, Graph, Literal, URIRef

import pantarhei as pr
from bench.measuring import Figure, check, figure, remark, without_garbage
from bench.peers.process import Job, Outcome, run_in_turn
from bench.temporal_workloads import EX, WORKLOADS, Row, Workload
from pantarhei.encoding.numbers import NO_FACTS, Integers, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.time import TimeKind
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.data_stream import Appended, AssertedPart
from pantarhei.temporal.numbered import NumberedTemporalProgram
from pantarhei.temporal.rule_evaluation import RuleEvaluation
from pantarhei.temporal.tick_history import TickHistory, TickRecord
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.translation import compile_rules

Stream = Sequence[Sequence[Row]]
ASKED = ("changes", "all answers")
NO_ONTOLOGY = pr.load_ontology(Graph())


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per report, with targets for the engine alone; ratios; megabytes."""
    rounds = 3 if quick else 5
    for workload in WORKLOADS:
        yield from _one(workload, 20, 200, 100, rounds, 1.0)
    for workload in () if quick else WORKLOADS:
        yield from _one(workload, 80, 800, 160, 1, 2.0)
    for workload in WORKLOADS:
        yield from _peers(workload, 20, 200, 20 if quick else 100, 1)
    yield from _thousand_rules(rounds)
    yield from _million_ticks(10_000 if quick else 1_000_000)
    yield from _small_ticks(rounds)
    yield from _one_tick(rounds, 1_000 if quick else 4_000)
    yield from _cells(quick)


# -- a workload ------------------------------------------------------------------------------------


class InNumbers:
    """Rules of a workload, and its reports as facts.

    Args:
        workload, window: the measured rules and their window.
        stream: the reports.
    """

    def __init__(self, workload: Workload, window: int, stream: Stream) -> None:
        self._vocabulary = Vocabulary(compile_([]))
        rules = pr.load_rules(workload.text(window), start=0)
        ticks = Ticks(pr.Window(0), TimeKind.INTEGER)
        self._program = NumberedTemporalProgram(
            compile_rules(rules.rules, rules.remembered, ticks), self._vocabulary
        )
        self._facts = [self._numbered(workload, rows) for rows in stream]

    def _numbered(self, workload: Workload, rows: Sequence[Row]) -> Integers:
        number = self._vocabulary.number
        triples = map(workload.triple, rows)
        facts = [
            (self._vocabulary.number_symbol(Symbol(predicate, 2)), number(subject), number(object_))
            for subject, predicate, object_ in triples
        ]
        return np.array(facts, np.int32)

    def run(self, asks_all: bool) -> tuple[float, list[int]]:
        """Return CPU seconds, and the number of conclusions at each tick."""
        evaluation, counts = RuleEvaluation(self._program, 0, 0), []
        evaluation.restore(TickHistory(0))
        with without_garbage():
            begin = time.process_time()
            for tick, facts in enumerate(self._facts):
                if tick:
                    evaluation.advance(tick, NO_FACTS, NO_FACTS)
                evaluation.change(NO_FACTS, NO_FACTS, _record(tick, facts))
                changes = evaluation.take_changes()
                if asks_all:
                    counts.append(len(evaluation.model.facts_of(self._program.is_conclusion)))
                else:
                    counts.append(int(changes[:, 3].sum()))
            spent = time.process_time() - begin
        return spent, counts if asks_all else np.cumsum(counts).tolist()


def _record(tick: int, facts: Integers) -> Appended[AssertedPart]:
    return Appended([AssertedPart(tick, facts)])


def _pushed(workload: Workload, window: int, stream: Stream, asks: str | None) -> tuple[float, list[int]]:
    """Return CPU seconds through the public API, and the number of conclusions at each tick.

    Args:
        asks: the output that is read; None for a reasoner without rules.
    """
    rules = pr.load_rules(workload.text(window), start=0) if asks else None
    reasoner = pr.StreamReasoner(NO_ONTOLOGY, pr.Window(range=0), temporal=rules)
    aboxes = [list(map(workload.triple, rows)) for rows in stream]
    counts, held = [], 0
    with without_garbage():
        begin = time.process_time()
        for tick, abox in enumerate(aboxes):
            changes = reasoner.push(tick, abox).conclusions
            if asks == "changes":
                held += len(changes.added) - len(changes.removed)
            elif asks:
                held = len(reasoner.conclusions())
            counts.append(held)
        spent = time.process_time() - begin
    return spent, counts


def _one(
    workload: Workload, window: int, rate: int, ticks: int, rounds: int, allowed: float
) -> Iterator[Figure]:
    stream = workload.stream(rate, ticks)
    expected, reports = workload.expected(stream, window), rate * ticks
    title = f"temporal rules, window {window}, {rate} a tick"
    engine = InNumbers(workload, window, stream)

    def micros(run: Callable[[], tuple[float, list[int]]], rounds: int) -> list[float]:
        check(f"{title}: {workload.name}", run()[1], expected)
        return [1e6 * run()[0] / reports for _ in range(rounds)]

    for asks, target in zip(ASKED, workload.targets, strict=True):
        taken = micros(partial(engine.run, asks == "all answers"), rounds)
        yield figure(title, f"{workload.name}, numbers, {asks}", taken, "µs", allowed * target)
    if rate > 200:
        return
    few = max(1, rounds // 3)
    for asks in ASKED:
        taken = micros(partial(_pushed, workload, window, stream, asks), few)
        yield figure(title, f"{workload.name}, public face, {asks}", taken, "µs")
    bare = [1e6 * _pushed(workload, window, stream, None)[0] / reports for _ in range(few)]
    yield figure(title, f"{workload.name}, public face, no rules", bare, "µs")


# -- other systems -------------------------------------------------------------------------------------


def _peers(workload: Workload, window: int, rate: int, ticks: int, rounds: int) -> Iterator[Figure]:
    """Yield the times of systems that recompute all answers at each tick, and their ratios to ours."""
    stream = workload.stream(rate, ticks)
    title = f"temporal rules, window {window}, {rate} a tick"
    expected, engine = workload.expected(stream, window), InNumbers(workload, window, stream)
    ours = [engine.run(asks_all=True)[0] for _ in range(rounds)]
    task = {"report": workload.report, "window": window, "stream": stream}
    jobs = [Job("clingo_windows", "clingo", {**task, "program": workload.clingo})]
    if workload.ares:
        jobs.append(Job("ares", "ARES", {**task, "program": workload.ares.replace("N", str(window))}))
    with TemporaryDirectory() as folder:
        for job, outcome in run_in_turn(f"{title}: {workload.name}", jobs, rounds, Path(folder)):
            if not isinstance(outcome, Outcome):
                yield remark(title, f"{workload.name}, {job.name}: {outcome}")
                continue
            check(f"{title}: {workload.name}, {job.name}", outcome.found, expected)
            theirs = outcome.seconds("ticks")
            micros = [1e6 * seconds / (rate * ticks) for seconds in theirs]
            yield figure(title, f"{workload.name}, {job.name}, all answers", micros, "µs")
            times = [b / a for a, b in zip(sorted(ours), sorted(theirs), strict=True)]
            yield figure(title, f"{workload.name}, {job.name} : ours", times, "times")


# -- many rules, a long past, small ticks ----------------------------------------------------------


def _alarms(rules: int) -> str:
    """Return rules that each match a class of their own."""
    text = """
        a{0}(X) :- asserted c{0}(X) in [20], not asserted d{0}(X) in [5].
        b{0}(X) :- asserted c{0}(X) always in [3].
    """
    return f"@prefix : <{EX}> .\n" + "\n".join(map(text.format, range(rules // 2)))


def _readings(rules: int, count: int) -> float:
    """Return CPU seconds per push of five readings, which two of the rules match."""
    reasoner = pr.StreamReasoner(NO_ONTOLOGY, pr.Window(range=0), temporal=pr.load_rules(_alarms(rules)))
    abox = [(URIRef(f"{EX}x{number}"), RDF.type, URIRef(f"{EX}c0")) for number in range(5)]
    for tick in range(30):
        reasoner.push(tick, abox)
    with without_garbage():
        begin = time.process_time()
        for tick in range(30, 30 + count):
            reasoner.push(tick, abox)
        return (time.process_time() - begin) / count


def _thousand_rules(rounds: int) -> Iterator[Figure]:
    title = "temporal rules, many"
    few, many = ([1e6 * _readings(rules, 300) for _ in range(rounds)] for rules in (2, 1_000))
    yield figure(title, "a push of 5 readings, 2 rules", few, "µs")
    yield figure(title, "a push of 5 readings, 1,000 rules of which they touch 2", many, "µs")
    ratios = [b / a for a, b in zip(sorted(few), sorted(many), strict=True)]
    yield figure(title, "1,000 rules : 2 rules", ratios, "times", 1.5)


def _million_ticks(ticks: int) -> Iterator[Figure]:
    """Yield the cost of a window of `ticks` ticks, with input at few of them and at each."""
    title = "temporal rules, a long past"
    for count, every, most in ((ticks, 1_000, 15.0), (ticks // 10, 1, None)):
        (evaluation, row), past = _rules_and_fact(count), TickHistory(0)
        for tick in range(0, count, every):
            if tick:
                evaluation.advance(tick, NO_FACTS, NO_FACTS)
            evaluation.change(NO_FACTS, NO_FACTS, _record(tick, row))
            past = past.with_tick(TickRecord(tick, row), 0)
        taken = (evaluation.model.bytes_used + past.bytes) / 1e6
        frequency = "at each tick" if every == 1 else f"every {every:,} ticks"
        yield figure(title, f"{count:,} ticks, a report {frequency}", [taken], "MB", most)


def _rules_and_fact(ticks: int) -> tuple[RuleEvaluation, Integers]:
    """Return the evaluation, at its first tick, of a rule with a window of `ticks` ticks, and a fact that it
    matches.
    """
    vocabulary = Vocabulary(compile_([]))
    rules = pr.load_rules(f"@prefix : <{EX}> .\na(X) :- asserted c(X) in [{ticks}].", start=0)
    program = compile_rules(rules.rules, rules.remembered, Ticks(pr.Window(0), TimeKind.INTEGER))
    evaluation = RuleEvaluation(NumberedTemporalProgram(program, vocabulary), 0, 0)
    evaluation.restore(TickHistory(0))
    fact = vocabulary.number_symbol(Symbol(URIRef(f"{EX}c"), 1)), vocabulary.number(URIRef(f"{EX}x")), -1
    return evaluation, np.array([fact], np.int32)


def _small_ticks(rounds: int) -> Iterator[Figure]:
    """Yield the cost of pushes with few reports, as from sensors that report one by one."""
    text = f"@prefix : <{EX}> .\nalarm(S) :- asserted high(S, V) in [20], not asserted served(S, V) in [60]."
    for reports in (1, 5):
        abox = [(URIRef(f"{EX}s{n}"), URIRef(f"{EX}high"), Literal(n)) for n in range(reports)]
        for title, rules in (("rules", pr.load_rules(text)), ("no rules", None)):
            taken = []
            for _ in range(rounds):
                reasoner = pr.StreamReasoner(NO_ONTOLOGY, pr.Window(range=5), temporal=rules)
                with without_garbage():
                    begin = time.process_time()
                    for tick in range(300):
                        reasoner.push(tick, abox)
                    taken.append(1e6 * (time.process_time() - begin) / 300)
            yield figure("temporal rules, small ticks", f"a push of {reports}, {title}", taken, "µs")


def _one_tick(rounds: int, pushes: int) -> Iterator[Figure]:
    """Yield the cost of the last of many pushes at one tick, and of as many pushes at a tick each."""
    title, spent = f"temporal rules, {pushes:,} pushes in one tick", dict[str, list[float]]()
    for name, rule in (
        ("a state", "hot(S) :- high(S, V), V > 9."),
        ("an event in a window", "hot(S) :- asserted high(S, V) in [3], V > 9."),
        ("always", "hot(S) :- asserted high(S, V) always in [3]."),
        ("the last 30 assertions", "hot(S) :- asserted high(S, V) in [30 #]."),
    ):
        for ticks, slide in (("one tick", pushes), ("a tick each", 1)):
            rules = pr.load_rules(f"@prefix : <{EX}> .\n{rule}")
            for _ in range(rounds):
                reasoner = pr.StreamReasoner(NO_ONTOLOGY, pr.Window(2 * pushes, slide), temporal=rules)
                taken = _last_quarter(reasoner, pushes)
                spent.setdefault(f"{name}, {ticks}", []).append(1e6 * taken)
    yield from (figure(title, name, taken, "µs") for name, taken in spent.items())


def _last_quarter(reasoner: pr.StreamReasoner, pushes: int) -> float:
    """Return CPU seconds of each push in the last quarter of `pushes`."""
    aboxes = [[(URIRef(f"{EX}s{n % 50}"), URIRef(f"{EX}high"), Literal(n % 20))] for n in range(pushes)]
    first = pushes - pushes // 4
    for place, abox in enumerate(aboxes[:first]):
        reasoner.push(place + 1, abox)
    with without_garbage():
        begin = time.process_time()
        for place, abox in enumerate(aboxes[first:], first):
            reasoner.push(place + 1, abox)
        return (time.process_time() - begin) / (pushes - first)


# Half of Laser's times under PyPy, in microseconds per triple; the diamond has a smaller required time where
# needed.
TARGETS = {
    ("diamond", 1, 800): 3.0,
    ("diamond", 80, 200): 21.0,
    ("diamond", 80, 800): 17.0,
    ("box", 80, 200): 13.0,
    ("join", 80, 800): 55.0,
    ("cooling", 80, 800): 12.5,
}


def _cells(quick: bool) -> Iterator[Figure]:
    """Yield Laser's evaluation grid through the public API, with changes as terms; other systems run its
    corners.
    """
    for workload in WORKLOADS:
        whole = workload.name == "diamond"
        for window in (1, 20, 80) if whole else (1, 80):
            for rate in (200, 400, 600, 800) if whole else (200, 800):
                ticks = 30 if quick else max(100, 2 * window)
                stream = workload.stream(rate, ticks)
                title = f"temporal rules, public face, window {window}, {rate} a tick"
                expected = workload.expected(stream, window)
                taken = []
                for _ in range(1 if quick else 3):
                    seconds, found = _pushed(workload, window, stream, "changes")
                    check(f"{title}: {workload.name}", found, expected)
                    taken.append(1e6 * seconds / (rate * ticks))
                yield figure(title, workload.name, taken, "µs", TARGETS.get((workload.name, window, rate)))
