"""Queries over the window: LUBM's fourteen over universities, twenty over observations of a building's
sensors.

The texts are files in `examples`. pantarhei answers them by `reasoner.query`; pyoxigraph and rdflib query a
copy of the materialization in memory, whose creation is not timed. All rows of an answer are read. Times
count only if the answers are equal as bags of rows, with numbers compared by value. rdflib takes part only in
the smaller size, and not in queries for which it takes more than `PATIENCE`.

- at first: the first execution of a text, including parsing, planning and creating indexes.
- push: a minute of observations, for a reasoner that answers all twenty queries between two pushes, and for a
  reasoner without queries.
"""

from __future__ import annotations

import io
import runpy
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, Protocol

import pyarrow as pa
import pyoxigraph
from rdflib import XSD, Dataset, Graph, Literal
from rdflib.query import Result

import pantarhei as pr
from bench.building import table
from bench.dataset import universities
from bench.measuring import SEED, Figure, check, cpu_seconds, figure, race, ratios, remark, without_garbage
from pantarhei.model.term import Term, Triple
from pantarhei.query import timestamp_graph
from pantarhei.rdf.ntriples import to_rdflib, write_term

ROOT = Path(__file__).resolve().parents[1]
MINUTES = 12  # minutes in the window of observations
PATIENCE = 20  # seconds: rdflib's limit for an answer
SAMPLE = 0.02  # seconds: minimum CPU time of a sample
LONG = 5e-3  # seconds; if rdflib takes longer, we must be faster
NUMBERS = {XSD.integer, XSD.decimal, XSD.float, XSD.double}

Bag = Counter[tuple[object, ...]]


class Query(NamedTuple):
    name: str
    text: str


def queries(example: str, title: str) -> list[Query]:
    """Return the queries of an example, named after their files."""
    paths = sorted((ROOT / "examples" / example / "queries").glob("*.rq"))
    return [Query(f"{title} {path.stem.lstrip('0').replace('-', ' ')}", path.read_text()) for path in paths]


# -- engines -------------------------------------------------------------------------------------------------


class Engine(Protocol):
    """Query engine."""

    name: str

    def answer(self, text: str) -> Iterable[Any]:
        """Return rows, triples, or one bool."""

    def terms(self, row: Any) -> tuple[Term | None, ...]:
        """Convert a row or triple to rdflib's terms."""


def execute(engine: Engine, text: str) -> None:
    """Execute a query and read its whole answer."""
    deque(engine.answer(text), maxlen=0)


def bag(engine: Engine, text: str) -> Bag:
    """Return the answer as a bag of comparable rows."""
    return Counter(
        (row,) if isinstance(row, bool) else tuple(map(_comparable, engine.terms(row)))
        for row in engine.answer(text)
    )


def _comparable(term: Term | None) -> str | None:
    """Return the term as text; a number by its value, rounded to the digits that all engines compute."""
    if isinstance(term, Literal) and term.datatype in NUMBERS:
        return f"{float(term):.9g}"
    return None if term is None else term.n3()


class Pantarhei:
    name = "pantarhei"

    def __init__(self, reasoner: pr.StreamReasoner) -> None:
        self._reasoner = reasoner

    def answer(self, text: str) -> Result:
        return self._reasoner.query(text)

    def terms(self, row: Iterable[Term | None]) -> tuple[Term | None, ...]:
        return tuple(row)


class Oxigraph:
    name = "pyoxigraph"

    def __init__(self, facts: Facts) -> None:
        self._store = pyoxigraph.Store()
        for graph, triples in facts.graphs.items():
            to = pyoxigraph.NamedNode(graph) if graph else pyoxigraph.DefaultGraph()
            lines = "".join(f"{' '.join(map(write_term, triple))} .\n" for triple in triples)
            self._store.bulk_load(lines.encode(), pyoxigraph.RdfFormat.N_TRIPLES, to_graph=to)
        self._store.optimize()

    def answer(self, text: str) -> Iterable[Any]:
        found = self._store.query(text)
        return (bool(found),) if isinstance(found, pyoxigraph.QueryBoolean) else found

    def terms(self, row: Iterable[Any]) -> tuple[Term | None, ...]:
        return tuple(None if term is None else to_rdflib(term) for term in row)


class Rdflib:
    name = "rdflib"

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._graph = _load(Graph(), facts.graphs[""])

    @cached_property
    def _dataset(self) -> Dataset:
        dataset = Dataset()
        for name, triples in self._facts.graphs.items():
            _load(dataset.graph(name) if name else dataset.default_graph, triples)
        return dataset

    def answer(self, text: str) -> Result:
        return (self._dataset if "GRAPH" in text else self._graph).query(text)

    def terms(self, row: Iterable[Term | None]) -> tuple[Term | None, ...]:
        return tuple(row)


def _load(graph: Graph, triples: Iterable[Triple]) -> Graph:
    for triple in triples:
        graph.add(triple)
    return graph


class Facts(NamedTuple):
    """Triples of each graph, by the graph's name; "" is the default graph."""

    graphs: dict[str, Sequence[Triple]]


# -- data ----------------------------------------------------------------------------------------------------


class Universities:
    """Universities, all in the window at once."""

    def __init__(self, facts: int) -> None:
        self.queries = queries("university", "LUBM")
        ontology = pr.load_ontology(ROOT / "ontologies" / "university.ttl")
        self.reasoner = pr.StreamReasoner(ontology, pr.Window(range=1))
        self.reasoner.push(0, universities(round(facts / 2.3), SEED).table())

    def facts(self) -> Facts:
        return Facts({"": list(self.reasoner.materialization())})


class Sensors:
    """Sensors of a building with a window of observations, which arrive by the minute."""

    def __init__(self, facts: int) -> None:
        self.queries = queries("sensors", "sensors")
        self.sensors = round(facts / (5 * MINUTES + 2.5))
        self._example = runpy.run_path(str(ROOT / "examples" / "sensors" / "generate.py"))
        self.ontology = pr.load_ontology(ROOT / "ontologies" / "sensors.ttl")
        self.reasoner = self.full_reasoner()

    def full_reasoner(self) -> pr.StreamReasoner:
        """Return a reasoner with a full window."""
        background = Graph().parse(data="\n".join(self._example["background"](self.sensors)), format="turtle")
        window = pr.Window(range=f"PT{MINUTES}M", closed="right")
        reasoner = pr.StreamReasoner(self.ontology, window, background=background)
        for minute in range(MINUTES):
            reasoner.push(*self.minute(minute))
        return reasoner

    def minute(self, minute: int) -> tuple[Any, pa.Table]:
        """Return the time of a minute, and its observations."""
        _, lines = self._example["observations"](SEED, self.sensors, minute)
        ((at, triples),) = pr.read_stream(io.BytesIO("\n".join(lines).encode()), format="nquads")
        return at, table(triples)

    def facts(self) -> Facts:
        last = self.reasoner.timestamps[-1]
        return Facts(
            {
                "": list(self.reasoner.materialization()),
                str(timestamp_graph(last)): list(self.reasoner.interpretation(last)),
            }
        )


# -- measuring -----------------------------------------------------------------------------------------------


def measure(quick: bool) -> Iterator[Figure]:
    """Yield milliseconds per query, and ratios; microseconds per observation for `push`."""
    for size in (2_000,) if quick else (50_000, 500_000):
        workload = f"queries, {size // 1000} k"
        rounds = 2 if quick else 5
        figures: list[Figure] = []
        for scene in (Universities(size), Sensors(size)):
            for figure_ in _query_figures(workload, scene, rounds, with_rdflib=size <= 50_000):
                figures.append(figure_)
                yield figure_
        yield from _summary(workload, figures)
        yield from _push_figures(workload, Sensors(size), rounds)


def _query_figures(
    workload: str, scene: Universities | Sensors, rounds: int, with_rdflib: bool
) -> Iterator[Figure]:
    facts = scene.facts()
    title = type(scene).__name__.lower()
    yield Figure(workload, f"facts of the {title}", len(facts.graphs[""]), "facts")
    ours, oxigraph = Pantarhei(scene.reasoner), Oxigraph(facts)
    rdflib = Rdflib(facts) if with_rdflib else None
    for query in scene.queries:
        first = cpu_seconds(lambda query=query: execute(ours, query.text))
        expected = bag(oxigraph, query.text)
        check(f"{query.name}: rows", bag(ours, query.text), expected)
        engines: list[Engine] = [ours, oxigraph]
        if rdflib is not None and (reason := _rdflib_exclusion(rdflib, query, expected)):
            yield remark(workload, reason)
        elif rdflib is not None:
            engines.append(rdflib)
        yield from _figures(workload, query.name, first, _samples(engines, query.text, rounds))


def _rdflib_exclusion(rdflib: Rdflib, query: Query, expected: Bag) -> str | None:
    """Return the reason why rdflib's time does not count, or None if it counts."""
    try:
        with _at_most(PATIENCE):
            found = bag(rdflib, query.text)
    except TimeoutError:
        return f"{query.name}, rdflib takes longer than {PATIENCE} s"
    check(f"{query.name}: rows by rdflib", found, expected)
    return None


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Interrupt the block after `seconds`; code outside Python is not interrupted.

    Raises:
        TimeoutError: the block was interrupted.
    """

    def give_up(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)  # repeated in case the first exception is swallowed
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _samples(engines: Sequence[Engine], text: str, rounds: int) -> dict[str, list[float]]:
    """Return seconds per execution, by the engine's name; engines run in turn, slow ones only once."""
    samples: dict[str, list[float]] = {engine.name: [] for engine in engines}
    with without_garbage():
        once = {engine.name: _seconds(engine, text, 1) for engine in engines}
        for number in range(rounds):
            for engine in engines:
                seconds = once[engine.name]
                if number == 0 or seconds < 0.5:
                    times = max(1, round(SAMPLE / max(seconds, 1e-6)))
                    samples[engine.name].append(_seconds(engine, text, times) / times)
    return samples


def _seconds(engine: Engine, text: str, times: int) -> float:
    begin = time.process_time()
    for _ in range(times):
        execute(engine, text)
    return time.process_time() - begin


# -- figures -------------------------------------------------------------------------------------------------

_TO_PYOXIGRAPH, _TO_RDFLIB = "pantarhei : pyoxigraph", "rdflib : pantarhei"


def _figures(workload: str, name: str, first: float, samples: dict[str, list[float]]) -> Iterator[Figure]:
    for engine, seconds in samples.items():
        yield figure(workload, f"{name}, {engine}", [1e3 * each for each in seconds], "ms")
    yield Figure(workload, f"{name}, pantarhei at first", 1e3 * first, "ms")
    ours = median(samples["pantarhei"])
    ratio = ours / median(samples["pyoxigraph"])
    yield Figure(workload, f"{name}, {_TO_PYOXIGRAPH}", ratio, "times", at_most=3)
    if "rdflib" in samples:
        slow = median(samples["rdflib"])
        aim = 10 if slow > LONG else None
        yield Figure(workload, f"{name}, {_TO_RDFLIB}", slow / ours, "times", at_least=aim)


def _summary(workload: str, figures: Sequence[Figure]) -> Iterator[Figure]:
    """Yield the medians and the maxima of all queries, and the point query."""
    against = {each.way: each.value for each in figures if each.way.endswith(_TO_PYOXIGRAPH)}
    worst = max(against, key=lambda way: against[way])
    yield Figure(workload, f"median, {_TO_PYOXIGRAPH}", median(against.values()), "times", at_most=1)
    yield Figure(workload, f"the worst: {worst}", against[worst], "times", at_most=3)
    beaten = {each.way: each.value for each in figures if each.way.endswith(_TO_RDFLIB)}
    if beaten:
        yield Figure(workload, f"median, {_TO_RDFLIB}", median(beaten.values()), "times")
    point = next(each for each in figures if each.way == "sensors 1 one result, pantarhei")
    micros = [1e3 * sample for sample in point.samples]
    yield figure(workload, "a point query", micros, "µs", at_most=60)


# -- pushing -------------------------------------------------------------------------------------------------


class PushLane:
    """Lane that pushes a minute of observations; a function runs before each push, unmeasured."""

    def __init__(
        self, name: str, scene: Sensors, reasoner: pr.StreamReasoner, execute: Callable[[], None]
    ) -> None:
        self.name, self.reasoner = name, reasoner
        self._scene, self._before_push = scene, execute

    def prepare(self, tick: int) -> tuple[Any, pa.Table]:
        self._before_push()
        return self._scene.minute(tick)

    def run(self, tick: int, given: tuple[Any, pa.Table]) -> None:
        self.reasoner.push(*given)


def _push_figures(workload: str, scene: Sensors, rounds: int) -> Iterator[Figure]:
    queried, other = scene.reasoner, scene.full_reasoner()
    ours = Pantarhei(queried)

    def execute_all() -> None:
        for query in scene.queries:
            execute(ours, query.text)

    lanes = [
        PushLane("push, asked between", scene, queried, execute_all),
        PushLane("push, never asked", scene, other, lambda: None),
    ]
    seconds = race(lanes, MINUTES, 1, 2 * rounds + 1)
    check("the same facts, asked or not", queried.materialization() == other.materialization(), True)
    for lane in lanes:
        each = [1e6 * sample / scene.sensors for sample in seconds[lane.name]]
        yield figure(workload, lane.name, each, "µs an observation")
    cost = ratios(*(seconds[lane.name] for lane in lanes))
    yield figure(workload, "push, asked between : never asked", cost, "times", at_most=1.05)
