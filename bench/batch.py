"""Batch: all facts at once, against other reasoners.

The university ontology with 0.1 and 1 million generated triples, and Brick 1.4 with a campus of 0.1 million.

- in ids: our facts are numbers in memory. Nemo gets the same numbers as CSV, a file for each predicate, and
  our rules; what it takes to import the files alone is measured too, and what remains is its reasoning.
- end to end: from one N-Quads file to facts that can be asked. Nemo splits quads into predicates by rules of
  its own; the rules are given to it ready made, so our reading of the ontology is told apart.
- reasonable and owlrl read ontology and data from Turtle. They lack chains, or do not follow the standard in
  keys and inverse functional properties, so these axioms are left out, for us as for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.csv
from rdflib import OWL, RDF, Graph
from rdflib.term import Node

import pantarhei as pr
from bench.dataset import TYPE, Dataset, buildings, universities
from bench.measuring import SEED, Figure, remark
from bench.peers.answers import hashes
from bench.peers.datalog import nemo_rules, predicate_name
from bench.peers.process import TITLES, Job, Outcome, contest, figure_of, ratio_of
from pantarhei.rules.program import Symbol

ROOT = Path(__file__).resolve().parents[1]
UNIVERSITY = ROOT / "ontologies" / "university.ttl"
LEFT_OUT = (OWL.propertyChainAxiom, OWL.hasKey)

Runs = dict[str, Outcome]


def measure(quick: bool) -> Iterator[Figure]:
    """Figures of all sizes; what takes part is as large as a peer can bear in a few minutes."""
    with TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        for triples in (20_000,) if quick else (100_000, 1_000_000):
            ours = Case(
                f"batch, university {_short(triples)}", UNIVERSITY, universities(triples, SEED), folder
            )
            large = triples > 100_000
            yield from _against_nemo(ours, 2 if quick else 3, large)
            yield from _against_graph_reasoners(
                ours, "reasonable", 1 if large else 2, 20.0 if large else None
            )
        small = 2_000 if quick else 10_000
        yield from _against_graph_reasoners(
            Case(f"batch, university {_short(small)}", UNIVERSITY, universities(small, SEED), folder),
            "owlrl",
            1,
        )
        path = brick_file()
        if path is None:
            yield remark("batch, Brick", "left out: the package brickschema is not installed")
            return
        campus = buildings(10_000 if quick else 100_000, SEED)
        case = Case(f"batch, Brick {_short(len(campus.rows))}", path, campus, folder)
        yield from _against_nemo(case, 2 if quick else 3, False)
        yield from _against_graph_reasoners(case, "reasonable", 1 if quick else 2)


def brick_file() -> Path | None:
    """Brick 1.4, or None where the package that brings it is missing."""
    package = find_spec("brickschema")
    if package is None or package.origin is None:
        return None
    return Path(package.origin).parent / "ontologies" / "1.4" / "Brick.ttl"


def _short(count: int) -> str:
    return f"{round(count, -3) / 1e6:.1f} M" if count >= 1_000_000 else f"{round(count, -3) // 1000} k"


# -- what the processes are given ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """An ontology and data, with files of them as each reasoner reads them."""

    name: str
    path: Path
    data: Dataset
    folder: Path

    @cached_property
    def ontology(self) -> pr.Ontology:
        return pr.load_ontology(self.path, imports="skip")

    @cached_property
    def all_data(self) -> Dataset:
        """The data and the assertions of the ontology."""
        terms = list(self.data.terms)
        places = {term: place for place, term in enumerate(terms)}

        def place(term: Node) -> int:
            text = term.n3()  # type: ignore[attr-defined]
            if text not in places:
                places[text] = len(terms)
                terms.append(text)
            return places[text]

        rows = [[place(term) for term in triple] for triple in self.ontology.background]
        for rule in self.ontology.rules:
            for atom in (*rule.body, rule.head):
                for term in atom.arguments if atom else ():
                    place(term)
        added = np.array(rows, np.int64).reshape(-1, 3)
        return Dataset(terms, np.unique(np.concatenate([self.data.rows, added]), axis=0))

    def file(self, name: str) -> Path:
        return self.folder / f"{self.name.replace(' ', '-')}-{name}"

    @cached_property
    def files(self) -> dict[str, str]:
        """The data as each of our ways in takes it, and the names it is about."""
        names, stream, table = (self.file(name) for name in ("names.json", "data.nq", "table.arrow"))
        names.write_text(json.dumps(sorted(self.data.individuals())))
        self.data.write_nquads(stream)
        columns = self.data.table()
        with pa.OSFile(str(table), "wb") as sink, pa.ipc.new_file(sink, columns.schema) as writer:
            writer.write_table(columns.unify_dictionaries())
        return {"individuals": str(names), "stream": str(stream), "table": str(table)}


class NemoCase:
    """Nemo's programs for a case, and the files they read."""

    def __init__(self, case: Case) -> None:
        self.case, self.data = case, case.all_data
        symbols = dict.fromkeys(
            Symbol(atom.predicate, len(atom.arguments))
            for rule in case.ontology.rules
            for atom in (*rule.body, rule.head)
            if atom is not None
        )
        self.texts = {(symbol.name.n3(), symbol.arity): symbol for symbol in symbols}
        self.parts = dict(self._split())
        for text, arity in self.parts:
            self.texts.setdefault((text, arity), Symbol(text, arity))
        self.numbers = {symbol: number for number, symbol in enumerate(self.texts.values())}
        self.predicates = {self._name(key): key[0] for key in self.texts}

    def _name(self, key: tuple[str, int]) -> str:
        symbol = self.texts[key]
        return predicate_name(symbol, self.numbers[symbol])

    def _split(self) -> Iterator[tuple[tuple[str, int], np.ndarray]]:
        """The data's rows by predicate: text and arity, and columns."""
        subjects, predicates, objects = self.data.rows.T
        terms = self.data.terms
        for number in np.unique(predicates).tolist():
            mine = predicates == number
            if terms[number] != TYPE:
                yield (terms[number], 2), np.stack([subjects[mine], objects[mine]], axis=1)
                continue
            for class_ in np.unique(objects[mine]).tolist():
                yield (terms[class_], 1), subjects[mine & (objects == class_)][:, None]

    def jobs(self) -> tuple[Job, Job, Job]:
        """Import alone, in ids, and from the N-Quads file."""
        imports, places = [], {term: place for place, term in enumerate(self.data.terms)}
        for key, columns in self.parts.items():
            path = self.case.file(f"{self._name(key)}.csv")
            pa.csv.write_csv(
                pa.table(list(columns.T), [str(i) for i in range(columns.shape[1])]),
                path,
                pa.csv.WriteOptions(include_header=False),
            )
            types = ", ".join(["int"] * columns.shape[1])
            imports.append(f'@import {self._name(key)} :- csv{{resource="{path}", format=({types})}} .')
        outputs = [f"@output {name} ." for name in self.predicates]
        rules = nemo_rules(self.case.ontology.rules, self.numbers, lambda term: str(places[term.n3()]))
        hashed = self.case.file("hashes.npy")
        np.save(hashed, hashes(self.data.terms))
        given = {self._name(key): key[0] for key in self.parts}
        alone = self._job("import", [*imports, *(f"@output {name} ." for name in given)], given, None, False)
        ids = self._job("ids", [*imports, *rules, *outputs], self.predicates, hashed, True)
        return alone, ids, self._from_quads(outputs)

    def _from_quads(self, outputs: Sequence[str]) -> Job:
        path = self.case.file("all.nq")
        self.data.write_nquads(path)
        lines = [f'@import quad :- nquads{{resource="{path}"}} .']
        for text, arity in self.parts:
            name = self._name((text, arity))
            if arity == 1:
                lines.append(f"{name}(?x) :- quad(?g, ?x, {TYPE}, {text}) .")
            else:
                lines.append(f"{name}(?x, ?y) :- quad(?g, ?x, {text}, ?y) .")
        lines += nemo_rules(self.case.ontology.rules, self.numbers, lambda term: term.n3())
        return self._job("file", [*lines, *outputs], self.predicates, None, True)

    def _job(
        self, name: str, lines: Sequence[str], predicates: dict[str, str], hashed: Path | None, compare: bool
    ) -> Job:
        path = self.case.file(f"{name}.rls")
        path.write_text("\n".join(lines) + "\n")
        task = {
            "program": str(path),
            "predicates": predicates,
            "hashes": hashed and str(hashed),
            "compare": compare,
            "individuals": self.case.files["individuals"],
        }
        return Job("nemo", f"Nemo, {name}", task)


# -- Nemo ----------------------------------------------------------------------------------------------------


def _against_nemo(case: Case, rounds: int, large: bool) -> Iterator[Figure]:
    alone, ids, file = NemoCase(case).jobs()
    task = {"ontology": str(case.path), **case.files}
    ours = Job("pantarhei", "ids", {**task, "way": "ids"}), Job("pantarhei", "file", {**task, "way": "file"})
    runs: Runs = {}
    for job, outcome in contest(case.name, [ours[0], ids, alone, ours[1], file], rounds, case.folder):
        if isinstance(outcome, Outcome):
            runs[job.name] = outcome
        else:
            yield remark(case.name, f"{job.name}: {outcome}")
    brick = "Brick" in case.name
    yield from _in_ids(case.name, runs, large, brick)
    yield from _end_to_end(case.name, runs, large, brick)


def _in_ids(workload: str, runs: Runs, large: bool, brick: bool) -> Iterator[Figure]:
    ours = runs["ids"]
    mine = ours.seconds("reason"), ours.wall_seconds("reason")
    yield Figure(workload, "facts", ours.found[0], "facts")
    limit = 0.7 if large else None
    yield _with_limit(figure_of(workload, "in ids: pantarhei", *mine), limit)
    if "Nemo, ids" not in runs or "Nemo, import" not in runs:
        return
    whole, alone = runs["Nemo, ids"], runs["Nemo, import"]
    stage = "import and reason"
    theirs = whole.seconds(stage), whole.wall_seconds(stage)
    imported = alone.seconds(stage), alone.wall_seconds(stage)
    reasoned = tuple(
        [a - b for a, b in zip(*pair, strict=True)] for pair in zip(theirs, imported, strict=True)
    )
    yield figure_of(workload, "in ids: Nemo, with its import of numbers", *theirs)
    yield figure_of(workload, "in ids: Nemo, the import alone", *imported)
    aim = 4.0 if brick else 5.0 if large else None
    yield ratio_of(workload, "in ids, Nemo with its import : pantarhei", theirs, mine, aim)
    yield ratio_of(workload, "in ids, Nemo without its import : pantarhei", (reasoned[0], reasoned[1]), mine)


def _end_to_end(workload: str, runs: Runs, large: bool, brick: bool) -> Iterator[Figure]:
    ours, stage = runs["file"], "read and reason"
    mine = ours.seconds(stage), ours.wall_seconds(stage)
    limit = 3.0 if large else None
    yield _with_limit(figure_of(workload, "end to end: pantarhei", *mine), limit)
    loaded = ours.seconds("ontology"), ours.wall_seconds("ontology")
    yield figure_of(workload, "end to end: pantarhei, the ontology before", *loaded)
    both = ours.seconds("ontology", stage), ours.wall_seconds("ontology", stage)
    if brick:
        yield _with_limit(figure_of(workload, "end to end: pantarhei, both", *both), 2.0)
    answers = ours.seconds("answers"), ours.wall_seconds("answers")
    yield figure_of(workload, "answers out as rdflib triples: pantarhei", *answers)
    yield Figure(workload, "end to end: pantarhei, memory", max(ours.megabytes), "MB")
    if "Nemo, file" not in runs:
        return
    theirs = runs["Nemo, file"]
    nemo = theirs.seconds("import and reason"), theirs.wall_seconds("import and reason")
    yield figure_of(workload, "end to end: Nemo, rules ready made", *nemo)
    out = theirs.seconds("answers"), theirs.wall_seconds("answers")
    yield figure_of(workload, "answers out as Python values: Nemo", *out)
    yield Figure(workload, "end to end: Nemo, memory", max(theirs.megabytes), "MB")
    yield ratio_of(
        workload, "end to end, Nemo : pantarhei", nemo, mine, 1.0 if large else 4.0 if brick else None
    )


def _with_limit(figure: Figure, at_most: float | None) -> Figure:
    return replace(figure, at_most=at_most)


# -- reasonable and owlrl ------------------------------------------------------------------------------------


def _against_graph_reasoners(
    case: Case, peer: str, rounds: int, at_least: float | None = None
) -> Iterator[Figure]:
    """Reasoners on graphs: the ontology goes in with the data, its own conclusions come out too."""
    ontology, data = case.file("reduced.ttl"), case.file("data.ttl")
    _write_reduced(case.path, ontology)
    case.data.write_ntriples(data)
    task = {"ontology": str(ontology), "data": str(data), **case.files}
    jobs = [
        Job("pantarhei", "ids", {**task, "way": "ids"}),
        Job("pantarhei", "file", {**task, "way": "file"}),
        Job(peer, peer, task),
    ]
    runs: Runs = {}
    for job, outcome in contest(case.name, jobs, rounds, case.folder):
        if isinstance(outcome, Outcome):
            runs[job.name] = outcome
        else:
            yield remark(case.name, f"{job.name}: {outcome}")
    if peer not in runs:
        return
    theirs, title = runs[peer], TITLES[peer]
    whole = theirs.seconds(), theirs.wall_seconds()
    reasoned = theirs.seconds("reason"), theirs.wall_seconds("reason")
    yield figure_of(case.name, f"{title}, load and reason", *whole)
    yield figure_of(case.name, f"{title}, reason alone", *reasoned)
    mine = runs["ids"].seconds("reason"), runs["ids"].wall_seconds("reason")
    stages = "ontology", "read and reason"
    file = runs["file"].seconds(*stages), runs["file"].wall_seconds(*stages)
    yield figure_of(case.name, f"pantarhei in ids, as {title}", *mine)
    yield figure_of(case.name, f"pantarhei end to end, as {title}", *file)
    yield ratio_of(case.name, f"{title}, reason alone : pantarhei in ids", reasoned, mine, at_least)
    yield ratio_of(case.name, f"{title}, load and reason : pantarhei end to end", whole, file)
    for kind, count in theirs.notes["surplus"].items():
        yield Figure(case.name, f"{title}: left out of the comparison, {kind}", count, "triples")


def _write_reduced(path: Path, to: Path) -> None:
    """The ontology without what these peers lack; a larger ontology is left as it is."""
    if path != UNIVERSITY:
        to.write_bytes(path.read_bytes())
        return
    graph = Graph().parse(path)
    for triple in list(graph):
        if triple[1] in LEFT_OUT or triple[1:] == (RDF.type, OWL.InverseFunctionalProperty):
            graph.remove(triple)
    graph.serialize(to, format="turtle")
