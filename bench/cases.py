"""Input of the benchmark processes: an ontology and data, in the file formats of each reasoner."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from rdflib.term import Node

import pantarhei as pr
from bench.dataset import TYPE, Dataset
from bench.peers.answers import hashes
from bench.peers.datalog import nemo_rules, predicate_name
from bench.peers.process import Job
from pantarhei.encoding.numbers import Symbol


@dataclass(frozen=True)
class Case:
    """Ontology and data, written to files in each reasoner's format."""

    name: str
    path: Path
    data: Dataset
    folder: Path

    @cached_property
    def ontology(self) -> pr.Ontology:
        return pr.load_ontology(self.path, imports="skip")

    @cached_property
    def all_data(self) -> Dataset:
        """Data together with the ontology's assertions."""
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
        """Paths of the data in each of our input formats, and of the individuals' names; written on first
        access.
        """
        names, stream, table = (self.file(name) for name in ("names.json", "data.nq", "table.arrow"))
        names.write_text(json.dumps(sorted(self.data.individuals())))
        self.data.write_nquads(stream)
        columns = self.data.table()
        with pa.OSFile(str(table), "wb") as sink, pa.ipc.new_file(sink, columns.schema) as writer:
            writer.write_table(columns.unify_dictionaries())
        return {"individuals": str(names), "stream": str(stream), "table": str(table)}


class NemoCase:
    """Nemo programs for a case, with their input files."""

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
        """Yield each predicate, as name and arity, with the columns of its arguments."""
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
        """Return the jobs: import alone, reasoning on ids, and reasoning from the N-Quads file."""
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
