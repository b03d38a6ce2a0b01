"""The ways into the engine: interned columns, with and without repair, Arrow tables, rdflib triples.

A workload gives the rows of each tick by local names; a lane turns them into what its way in takes, which is
not measured, and runs the tick, which is.

The public face has no entry for columns that are interned already. `InternedLane` goes through the reasoner's
own step behind `push`, with the facts that `push` would have got from its encoding. This is the only module
here that touches what is private.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pyarrow as pa
from rdflib import RDF, Graph, URIRef

import pantarhei as pr
from bench.measuring import check
from pantarhei.language.term import Triple
from pantarhei.materialize.model import WindowModel
from pantarhei.materialize.vocabulary import Vocabulary
from pantarhei.rules.program import compile_

Row = tuple[str, str, str]  # local names; the predicate "a" is rdf:type
Rows = list[Row]
RowsOf = Callable[[int], Rows]

SPACE = "http://example.org/bench#"
PREFIXES = f"""
@prefix : <{SPACE}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""

INTERNED = "interned columns"
ARROW_DICTIONARY = "Arrow, dictionaries"
ARROW_PLAIN = "Arrow, strings"
TRIPLES = "rdflib triples"


def ontology_of(turtle: str) -> pr.Ontology:
    """The ontology written in Turtle; `:` is the benchmark's own namespace."""
    return pr.load_ontology(Graph().parse(data=PREFIXES + turtle), strict=True)


# -- rows as each way in takes them --------------------------------------------------------------------------


def rdflib_triples(rows: Iterable[Row]) -> list[Triple]:
    """Triples of rdflib terms, made anew as a parser would."""
    return [(_term(s), _term(p), _term(o)) for s, p, o in rows]


def _term(local: str) -> URIRef:
    return RDF.type if local == "a" else URIRef(SPACE + local)


def plain_table(rows: Rows) -> pa.Table:
    """An Arrow table of strings in N-Triples syntax."""
    columns: Iterable[Iterable[str]] = zip(*rows, strict=True) if rows else ((), (), ())
    arrays = [pa.array([_text(local) for local in column], pa.string()) for column in columns]
    return pa.table(arrays, names=["subject", "predicate", "object"])


def dictionary_table(rows: Rows) -> pa.Table:
    """The same with dictionary-encoded columns; each dictionary holds what the table uses."""
    table = plain_table(rows)
    return pa.table(
        [column.combine_chunks().dictionary_encode() for column in table.columns], table.schema.names
    )


def _text(local: str) -> str:
    return f"<{RDF.type}>" if local == "a" else f"<{SPACE}{local}>"


# -- lanes ---------------------------------------------------------------------------------------------------


class KernelLane:
    """The window model by itself: slide, add, take the delta. Nothing is repaired."""

    def __init__(
        self, ontology: pr.Ontology, background: Rows, width: int, rows: RowsOf, name: str = INTERNED
    ) -> None:
        program = compile_((*ontology.rules, *ontology.constraints))
        self.name, self.width, self.rows = name, width, rows
        self.vocabulary = Vocabulary(program)
        self.model = WindowModel(program, "newest", self.vocabulary)
        self.model.add_background(self.vocabulary.encode([*ontology.background, *rdflib_triples(background)]))
        self.model.take_changes()

    def prepare(self, tick: int) -> np.ndarray:
        return self.vocabulary.encode(rdflib_triples(self.rows(tick)))

    def run(self, tick: int, given: np.ndarray) -> None:
        self.model.slide(tick - self.width + 1)
        self.model.add(given, tick)
        self.model.take_changes()


class PushLane:
    """`StreamReasoner.push` of what `form` makes of the rows; the window holds `width` ticks."""

    def __init__(
        self,
        ontology: pr.Ontology,
        background: Rows,
        width: int,
        rows: RowsOf,
        name: str,
        form: Callable[[Rows], object],
    ) -> None:
        window = pr.Window(range=width, closed="right")
        self.name, self.rows, self.form = name, rows, form
        self.reasoner = pr.StreamReasoner(ontology, window, background=rdflib_triples(background))
        self.conflicts = 0

    @property
    def vocabulary(self) -> Vocabulary:
        return self.reasoner._vocabulary

    @property
    def model(self) -> WindowModel:
        return self.reasoner._model

    def prepare(self, tick: int) -> object:
        return self.form(self.rows(tick))

    def run(self, tick: int, given: object) -> None:
        update = self.reasoner.push(tick, given)  # type: ignore[arg-type]
        self.conflicts += len(update.repair.conflicts)


class InternedLane(PushLane):
    """The reasoner's step without the encoding: slide, add, find conflicts, cut, log."""

    def __init__(
        self, ontology: pr.Ontology, background: Rows, width: int, rows: RowsOf, name: str = INTERNED
    ) -> None:
        super().__init__(ontology, background, width, rows, name, self._encoded)

    def _encoded(self, rows: Rows) -> np.ndarray:
        return self.vocabulary.encode(rdflib_triples(rows))

    def run(self, tick: int, given: object) -> None:
        step = self.reasoner._sliding.step(tick)
        update = self.reasoner._take_in(step, tick, given)  # type: ignore[arg-type]
        self.conflicts += len(update.repair.conflicts)


AnyLane = KernelLane | PushLane


def check_facts(lane: AnyLane, expected: Iterable[Row]) -> None:
    """Refuse to go on unless the lane's materialization is `expected`."""
    wanted = lane.vocabulary.encode(rdflib_triples(expected))
    check(f"facts by {lane.name}", np.unique(lane.model.facts(), axis=0), np.unique(wanted, axis=0))


def check_recomputed(lane: AnyLane, rows: RowsOf, ticks: range, fresh: KernelLane) -> None:
    """Refuse to go on unless a fresh model of the rows of `ticks` holds the same facts, at the same ticks."""
    for tick in ticks:
        fresh.model.add(lane.vocabulary.encode(rdflib_triples(rows(tick))), tick)
    check("facts", *(np.unique(model.facts(), axis=0) for model in (lane.model, fresh.model)))
