"""Input paths: from a file or a table to ids, and on into a window.

The data are the distinct triples of a university, all at one timestamp. Each path is timed from its source to
rows of ids, with a vocabulary that contains only the ontology's terms; then a new reasoner is pushed the
input, which adds the materialization. All paths must yield equal results.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyoxigraph as ox
from rdflib import Graph

import pantarhei as pr
from bench.dataset import Dataset, universities
from bench.measuring import SEED, Figure, check, cpu_seconds, figure
from pantarhei.encoding.encode import encode_abox

ROOT = Path(__file__).resolve().parents[1]
ONTOLOGY = ROOT / "ontologies" / "university.ttl"
WINDOW = pr.Window(range=1)


@dataclass(frozen=True, slots=True)
class Way:
    """Input path; `read` returns the argument of `push`."""

    name: str
    read: Callable[[], Any]
    at_most: float | None = None  # target: µs per triple to ids


def measure(quick: bool) -> Iterator[Figure]:
    """Yield the figures of each input path."""
    data, rounds = universities(20_000 if quick else 100_000, SEED), 2 if quick else 3
    count = len(data.rows)
    ontology = pr.load_ontology(ONTOLOGY)
    with tempfile.TemporaryDirectory() as folder:
        ways = list(_ways(data, Path(folder)))
        seconds: dict[str, tuple[list[float], list[float]]] = {way.name: ([], []) for way in ways}
        for _ in range(rounds):
            for way in ways:
                to_ids, to_window = seconds[way.name]
                to_ids.append(_to_ids(ontology, way, count))
                to_window.append(_to_window(ontology, way, count))
    for way in ways:
        for stage, samples in zip(("to ids", "to a window"), seconds[way.name], strict=True):
            at_most = way.at_most if stage == "to ids" else None
            each = [sample / count * 1e6 for sample in samples]
            yield figure(f"ingest, {count:,} triples, {stage}", way.name, each, "µs a triple", at_most)


def _ways(data: Dataset, folder: Path) -> Iterator[Way]:
    triples, quads = folder / "data.nt", folder / "data.nq"
    data.write_ntriples(triples)
    data.write_nquads(quads)
    odd, trig, turtle = folder / "odd.nq", folder / "data.trig", folder / "data.ttl"
    odd.write_bytes(quads.read_bytes().replace(b"> <", b">\t<"))
    for path, syntax, source in ((trig, ox.RdfFormat.TRIG, quads), (turtle, ox.RdfFormat.TURTLE, triples)):
        ox.serialize(ox.parse(path=str(source)), str(path), format=syntax)
    coded = pr.read_table(triples)
    strings = pa.table([column.cast(pa.string()) for column in coded.columns], coded.column_names)
    yield Way("N-Quads", lambda: _only(quads), at_most=3.0)
    yield Way("N-Quads, tabs between terms", lambda: _only(odd))
    yield Way("TriG", lambda: _only(trig))
    yield Way("N-Triples as a table", lambda: pr.read_table(triples), at_most=4.0)
    yield Way("Turtle as a table", lambda: pr.read_table(turtle))
    yield Way("Arrow, strings", lambda: strings)
    yield Way("Arrow, dictionaries", lambda: coded)
    yield Way("rdflib's parser", lambda: Graph().parse(triples, format="nt"))


def _only(path: Path) -> Any:
    (abox,) = pr.read_stream(path)
    return abox.triples


def _to_ids(ontology: pr.Ontology, way: Way, count: int) -> float:
    vocabulary = pr.Foundation.of(ontology).vocabulary
    found: list[Any] = []

    def work() -> None:
        found.append(encode_abox(vocabulary, way.read(), ""))

    seconds = cpu_seconds(work)
    check(f"{way.name}: facts", len(found[0].facts), count)
    return seconds


def _to_window(ontology: pr.Ontology, way: Way, count: int) -> float:
    reasoner = pr.StreamReasoner(ontology, WINDOW)
    seconds = cpu_seconds(lambda: reasoner.push(0, way.read()))
    check(f"{way.name}: assertions kept", len(reasoner.timestamps), 1)
    facts = len(reasoner.graph)
    check(f"{way.name}: materialized", facts, _FACTS.setdefault(count, facts))
    return seconds


_FACTS: dict[int, int] = {}  # size of the materialization by number of triples
