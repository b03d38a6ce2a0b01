"""Registered queries: their cost per step, over windows from ten thousand to a million facts.

Each observation has four facts; a step inserts and deletes equally many. The engine's time is that of the
consumer that maintains the queries (`Registry.apply`). Through the public API it is the additional time of a
push with queries, with all changed rows decoded. The sum of all reported changes must equal the answer of the
same query when it is executed once, or no figure counts.

Each figure is the minimum of its rounds: a step is so short that other processes, and the caches they leave,
would add more than the step takes.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pyoxigraph
from rdflib import RDF, Graph, Literal, URIRef

import pantarhei as pr
from bench.measuring import SEED, Figure, check, figure, remark, without_garbage
from bench.peers.process import Job, Outcome, run_in_turn
from bench.peers.stages import digest

EX = "http://example.org/sensors#"
PREFIX = f"PREFIX : <{EX}> "
SENSORS, ROOMS = 1_000, 100
STAR = "SELECT ?o ?v ?r { ?o a :Observation ; :madeBy ?s ; :hasResult ?v . ?s :locatedIn ?r }"
PATTERNS = {
    "star": STAR,
    "join of 5": "SELECT ?o ?v ?r ?f { ?o a :Observation ; :madeBy ?s ; :hasResult ?v . "
    "?s :locatedIn ?r . ?r :partOf ?f }",
    "star with filter": STAR[:-1] + "FILTER(?v > 25) }",
}
OPERATORS = {
    "optional": "SELECT ?o ?v { ?o a :Observation OPTIONAL { ?o :hasResult ?v FILTER(?v > 25) } }",
    "not exists": "SELECT ?o { ?o :madeBy ?s FILTER NOT EXISTS { ?o :hasResult ?v FILTER(?v > 25) } }",
    "minus": "SELECT ?o { ?o :madeBy ?s MINUS { ?o :hasResult ?v FILTER(?v > 25) } }",
    "distinct": "SELECT DISTINCT ?r { ?o :madeBy ?s . ?s :locatedIn ?r }",
    "average by room": "SELECT ?r (AVG(?v) AS ?a) { ?o :madeBy ?s ; :hasResult ?v . ?s :locatedIn ?r } "
    "GROUP BY ?r",
    "top 10": "SELECT ?o ?v { ?o :hasResult ?v } ORDER BY DESC(?v) ?o LIMIT 10",
}
TEN = [
    STAR,
    "SELECT ?o { ?o a :Observation }",
    "SELECT ?o ?v { ?o :hasResult ?v }",
    "SELECT ?o ?s { ?o :madeBy ?s }",
    "SELECT ?o ?t { ?o :at ?t }",
    "SELECT ?o ?r { ?o :madeBy ?s . ?s :locatedIn ?r }",
    "SELECT ?o ?v ?s { ?o :hasResult ?v ; :madeBy ?s }",
    "SELECT ?o ?v { ?o a :Observation ; :hasResult ?v }",
    "SELECT ?o ?t ?f { ?o :at ?t ; :madeBy ?s . ?s :locatedIn ?r . ?r :partOf ?f }",
    "SELECT ?o ?t ?v { ?o :at ?t ; :hasResult ?v }",
]
# Ten query shapes; each is registered for every room.
SHAPES = [
    "SELECT ?o ?v { ?o :madeBy ?s ; :hasResult ?v . ?s :locatedIn :ROOM }",
    "SELECT ?o { ?o :madeBy ?s . ?s :locatedIn :ROOM }",
    "SELECT ?s { ?s :locatedIn :ROOM . ?o :madeBy ?s }",
    "SELECT ?o ?v { ?o :hasResult ?v ; :madeBy ?s . ?s :locatedIn :ROOM FILTER(?v > 29) }",
    "SELECT (AVG(?v) AS ?a) { ?o :madeBy ?s ; :hasResult ?v . ?s :locatedIn :ROOM }",
    "SELECT (COUNT(*) AS ?n) { ?o :madeBy ?s . ?s :locatedIn :ROOM }",
    "SELECT (MAX(?v) AS ?m) { ?o :madeBy ?s ; :hasResult ?v . ?s :locatedIn :ROOM }",
    "ASK { ?o :madeBy ?s ; :hasResult ?v . ?s :locatedIn :ROOM FILTER(?v > 29) }",
    "SELECT DISTINCT ?s { ?o :madeBy ?s . ?s :locatedIn :ROOM }",
    "SELECT ?o ?v { ?o a :Observation ; :madeBy ?s ; :hasResult ?v . ?s :locatedIn :ROOM ; a :Thermometer }",
]


def name(local: str) -> URIRef:
    return URIRef(EX + local)


class Stream:
    """Window of `size` facts, with `each` observations per step."""

    def __init__(self, facts: int, each: int) -> None:
        self._random, self._each, self.at = Random(SEED), each, 0
        rooms = [(name(f"s{i}"), name("locatedIn"), name(f"r{i % ROOMS}")) for i in range(SENSORS)]
        rooms += [(name(f"s{i}"), RDF.type, name("Thermometer")) for i in range(SENSORS)]
        rooms += [(name(f"r{i}"), name("partOf"), name(f"f{i % 10}")) for i in range(ROOMS)]
        ontology = pr.load_ontology(Graph().parse(data=ONTOLOGY))
        steps = max(1, facts // (4 * each))
        self.reasoner = pr.StreamReasoner(ontology, pr.Window(steps, closed="right"), rooms)
        with self.reasoner.all_or_nothing():
            for _ in range(steps):
                self.at += 1
                self.reasoner.push(self.at, self._abox(self.at))

    def _abox(self, at: int) -> list[Any]:
        made = []
        for place in range(self._each):
            one = name(f"o{at}-{place}")
            made += [
                (one, RDF.type, name("Observation")),
                (one, name("madeBy"), name(f"s{self._random.randrange(SENSORS)}")),
                (one, name("hasResult"), Literal(self._random.randrange(300) / 10)),
                (one, name("at"), Literal(at)),
            ]
        return made

    def steps(self, count: int) -> tuple[float, list[pr.WindowUpdate]]:
        """Run `count` steps; return CPU seconds per step, and the updates."""
        aboxes = [self._abox(self.at + 1 + i) for i in range(count)]
        updates = []
        with without_garbage():
            begin = time.process_time()
            for abox in aboxes:
                self.at += 1
                updates.append(self.reasoner.push(self.at, abox))
            spent = time.process_time() - begin
        return spent / count, updates

    def registry_seconds(self, count: int) -> tuple[float, list[pr.WindowUpdate]]:
        """Return seconds per step in the consumer that maintains registered queries."""
        with timed_registry(self.reasoner) as spent:
            _, updates = self.steps(count)
        return spent[0] / count, updates


@contextmanager
def timed_registry(reasoner: pr.StreamReasoner) -> Iterator[list[float]]:
    """Measure `Registry.apply` inside the block: yield a list whose one number is its CPU seconds."""
    registrar = reasoner._registrar
    assert registrar is not None, "a query is registered"
    registry, spent = registrar._registry, [0.0]
    apply = registry.apply

    looking = min(
        -time.thread_time() + time.thread_time() for _ in range(100)
    )  # time of one reading of the clock

    def timed(changes: Any, model: Any) -> None:
        begin = time.thread_time()
        apply(changes, model)
        spent[0] += time.thread_time() - begin - looking

    registry.apply = timed  # type: ignore[method-assign]
    try:
        yield spent
    finally:
        del registry.apply


ONTOLOGY = f"""
    @prefix : <{EX}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    :madeBy a owl:ObjectProperty . :hasResult a owl:DatatypeProperty . :at a owl:DatatypeProperty .
    :locatedIn a owl:ObjectProperty . :partOf a owl:ObjectProperty . :Observation a owl:Class .
    :Thermometer a owl:Class .
"""


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per step, per changed fact and per changed row; ratios."""
    sizes = (2_000,) if quick else (10_000, 100_000, 1_000_000)
    rounds, count = (2, 20) if quick else (5, 100)
    at_one: dict[str, list[float]] = {title: [] for title in PATTERNS}
    for size in sizes:
        for each in (1, 25, 250):
            for title, text in {**PATTERNS, **OPERATORS}.items():
                if title in OPERATORS and size != sizes[0]:
                    continue
                yield from _one(size, each, title, text, rounds, max(5, count // each), at_one)
    for title, micros in at_one.items():
        if len(micros) > 1:
            workload = "registered queries together"
            yield figure(
                workload, f"{title}, largest : smallest window", [micros[-1] / micros[0]], "times", 1.5
            )
    yield from _ten_queries(sizes, rounds, count)
    yield from _unaffected_queries(sizes[0], rounds, count)
    yield from _rooms(sizes[0], rounds, count)
    yield from _against_pyoxigraph(sizes[0], rounds)
    for each in (1, 25):
        yield from _against_pathway(sizes[0] // (4 * each), each, count, rounds)


def _one(
    size: int, each: int, title: str, text: str, rounds: int, count: int, at_one: dict[str, list[float]]
) -> Iterator[Figure]:
    workload = f"registered queries, {size // 1000} k, {each} a step"
    stream = Stream(size, each)
    stream.steps(3)
    without = min(stream.steps(count)[0] for _ in range(rounds))
    query = stream.reasoner.register(PREFIX + text)
    summed = Counter(dict(query.answers))
    micros, rows, decoded = [], 0, []
    for _ in range(rounds):
        seconds, updates = stream.registry_seconds(count)
        micros.append(1e6 * seconds)
        begin = time.process_time()
        for update in updates:
            if query in update.answers:
                change = update.answers[query]
                rows += change.added.total() + change.removed.total()
                summed.update(change.added)
                summed.subtract(change.removed)
        decoded.append((time.process_time() - begin) / count)
    check(f"{title}: changes add up", +summed, Counter(stream.reasoner.query(PREFIX + text).rows))
    with_ = min(stream.steps(count)[0] for _ in range(rounds))
    a_step = rows / (rounds * count)
    is_pattern = title in PATTERNS
    least = min(micros)
    yield figure(workload, f"{title}, a step", [least], "µs", 5.0 if each == 1 and is_pattern else None)
    if is_pattern and each > 1:
        allowed = 0.3 * 8 * each + 1.0 * a_step
        way = f"{title}, of 0.3 µs a changed fact and 1 µs a changed row"
        yield figure(workload, way, [least / allowed], "times", 1.0)
    elif each > 1:  # the larger number of input rows (one per observation) and output rows
        changed = max(a_step, 2.0 * each)
        yield figure(workload, f"{title}, a changed row", [least / changed], "µs", 15.0)
    face = 1e6 * (with_ - without + min(decoded))
    yield figure(workload, f"{title}, a step through the public face, decoded", [face], "µs")
    if each == 1 and is_pattern:
        at_one[title].append(least)


def _ten_queries(sizes: Sequence[int], rounds: int, count: int) -> Iterator[Figure]:
    """Yield the figures of ten different queries, at one observation per step."""
    for size in sizes:
        stream = Stream(size, 1)
        for text in TEN:
            stream.reasoner.register(PREFIX + text)
        micros = min(1e5 * stream.registry_seconds(count)[0] for _ in range(rounds))
        for query in stream.reasoner.queries.values():
            rows = Counter(stream.reasoner.query(query.text).rows)
            check(f"{query.name}: as asked anew", Counter(dict(query.answers)), rows)
        workload = f"registered queries, {size // 1000} k, 1 a step"
        yield figure(workload, "ten patterns, a step and query", [micros], "µs", 5.0)


def _unaffected_queries(size: int, rounds: int, count: int) -> Iterator[Figure]:
    """Yield the figures of a thousand queries that no fact of a step can match, and of a thousand that one
    can.
    """
    for title, other, most in (
        ("1,000 that a step does not touch", "noResult", 1.0),
        ("1,000 with one predicate of the step, and another that has no facts", "hasResult", None),
    ):
        without, with_ = Stream(size, 1), Stream(size, 1)
        for stream in (without, with_):
            stream.reasoner.register(PREFIX + "ASK { ?x :nothing ?y }")
        for i in range(1_000):
            with_.reasoner.register(PREFIX + f"SELECT ?o {{ ?o :other{i} ?s ; :{other} ?v }}")
        # in turn and often, since the target is smaller than the variation of a step
        turns = [[1e6 * s.registry_seconds(count)[0] for s in (without, with_)] for _ in range(4 * rounds)]
        few, many = map(min, zip(*turns, strict=True))
        yield figure("registered queries together", title, [many - few], "µs a step", most)


def _rooms(size: int, rounds: int, count: int) -> Iterator[Figure]:
    stream = Stream(size, 25)
    before = stream.reasoner.stats().bytes
    for shape in SHAPES:
        for room in range(ROOMS):
            stream.reasoner.register(PREFIX + shape.replace("ROOM", f"r{room}"))
    held = stream.reasoner.stats().bytes - before
    micros = min(1e6 * stream.steps(max(5, count // 10))[0] / 25 for _ in range(rounds))
    for query in stream.reasoner.queries.values():
        answer = stream.reasoner.query(query.text)
        rows = Counter(answer.rows) if answer.type == "SELECT" else Counter([()] * bool(answer.askAnswer))
        check(f"{query.name}: as asked anew", Counter(dict(query.answers)), rows)
    workload = "registered queries together, ten shapes for a hundred rooms"
    yield figure(workload, "a reading, pushed and all 1,000 kept up to date", [micros], "µs", 100.0)
    yield figure(workload, "memory", [held / 1_000 / 1024], "KiB a query")


def _against_pyoxigraph(size: int, rounds: int) -> Iterator[Figure]:
    """Compare with pyoxigraph, which executes the query after each step over a loaded store; its answers are
    diffed.
    """
    stream = Stream(size, 25)
    query = stream.reasoner.register(PREFIX + STAR)
    ours = [stream.registry_seconds(10)[0] for _ in range(rounds)]
    store = pyoxigraph.Store()
    triples: Sequence[Any] = sorted(stream.reasoner.materialization())
    text = "".join(" ".join(term.n3() for term in triple) + " .\n" for triple in triples)
    store.load(text.encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
    theirs = []
    rows: Counter[Any] = Counter()
    for _ in range(rounds):
        with without_garbage():
            begin = time.process_time()
            found = Counter(tuple(row) for row in store.query(PREFIX + STAR))
            assert isinstance(found - rows, Counter)
            theirs.append(time.process_time() - begin)
        rows = found
    check("as many answers", rows.total(), sum(query.answers.values()))
    times = [min(theirs) / min(ours)]
    yield figure(
        "registered queries and pyoxigraph",
        "pyoxigraph asked anew : ours, star, 25 changes",
        times,
        "times",
        None,
        100.0,
    )


PATHWAY = {
    "star with filter": PATTERNS["star"][:-1] + "FILTER(?v > 250) }",
    "join": "SELECT ?o ?v ?r { ?o :madeBy ?s ; :hasResult ?v . ?s :locatedIn ?r }",
    "average by room": OPERATORS["average by room"],
}


def _against_pathway(width: int, each: int, count: int, rounds: int) -> Iterator[Figure]:
    """Compare with Pathway, per step. Its observations are rows of three numbers, ours are four triples."""
    workload = f"registered queries and Pathway, {each} a step"
    random = Random(SEED)
    numbers = iter(range((width + count) * each))
    steps = [
        [(o, random.randrange(SENSORS), random.randrange(300)) for o in islice(numbers, each)]
        for _ in range(width + count)
    ]
    sensors = [(i, i % ROOMS) for i in range(SENSORS)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "steps.json"
        path.write_text(json.dumps(steps))
        for title, text in PATHWAY.items():
            task = {"steps": str(path), "width": width, "which": title, "sensors": sensors}
            jobs = [Job("pathway", title, task)]
            ours = [_maintain(steps, width, text) for _ in range(rounds)]
            for _, outcome in run_in_turn(workload, jobs, rounds, Path(folder)):
                if not isinstance(outcome, Outcome):
                    yield remark(workload, f"{title}: {outcome}")
                    continue
                check(f"{workload}: {title}", tuple(outcome.found), ours[0].found)
                theirs = outcome.seconds("steps")
                least, own = min(theirs), min(kept.seconds for kept in ours)
                shown = min(kept.seconds + kept.decoding for kept in ours)
                yield figure(workload, f"{title}, Pathway", [1e6 * least / count], "µs")
                yield figure(workload, title, [1e6 * own / count], "µs")
                yield figure(workload, f"{title}, with all changed rows decoded", [1e6 * shown / count], "µs")
                yield figure(workload, f"{title}, Pathway : ours", [least / own], "times", None, 10.0)
                yield figure(workload, f"{title}, Pathway : ours, decoded", [least / shown], "times")


class _MaintenanceResult(NamedTuple):
    """Result of maintaining one query.

    Args:
        seconds: CPU seconds of the consumer of registered queries, for all steps.
        decoding: CPU seconds of decoding all changed rows.
        found: the query's final answer.
    """

    seconds: float
    decoding: float
    found: tuple[int, str]


def _maintain(steps: Sequence[Any], width: int, text: str) -> _MaintenanceResult:
    """Maintain a query from step `width` on.

    It is registered one step earlier, so that its plan exists when the clock starts. Pathway likewise has
    processed its initial window by then.
    """
    rooms = [(name(f"s{i}"), name("locatedIn"), name(f"r{i % ROOMS}")) for i in range(SENSORS)]
    ontology = pr.load_ontology(Graph().parse(data=ONTOLOGY))
    reasoner = pr.StreamReasoner(ontology, pr.Window(width, closed="right"), rooms)
    aboxes = [[triple for row in step for triple in _observation(*row)] for step in steps]
    with reasoner.all_or_nothing():
        for at, abox in enumerate(aboxes[: width - 1]):
            reasoner.push(at, abox)
    query = reasoner.register(PREFIX + text)
    reasoner.push(width - 1, aboxes[width - 1])
    with without_garbage(), timed_registry(reasoner) as spent:
        updates = [reasoner.push(at, abox) for at, abox in enumerate(aboxes[width:], width)]
    begin = time.process_time()
    for update in updates:
        if query in update.answers:
            change = update.answers[query]
            assert change.added or change.removed, "else it is left out"
    decoding = time.process_time() - begin
    return _MaintenanceResult(
        spent[0], decoding, digest([tuple(map(_number_of, row)) for row in query.answers])
    )


def _observation(number: int, sensor: int, value: int) -> list[Any]:
    one = name(f"o{number}")
    return [
        (one, RDF.type, name("Observation")),
        (one, name("madeBy"), name(f"s{sensor}")),
        (one, name("hasResult"), Literal(value)),
        (one, name("at"), Literal(number)),
    ]


def _number_of(term: Any) -> float:
    """Return the number of an observation or a room, or the value of a literal."""
    return float(term) if isinstance(term, Literal) else int(term.removeprefix(EX)[1:])
