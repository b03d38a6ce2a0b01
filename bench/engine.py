"""Interfaces to the engine as lanes: interned columns, with and without repair, Arrow tables, rdflib triples.

A workload returns the rows of each tick as local names. A lane first converts them to the input of its
interface, which is not measured, and then runs the tick, which is.

The public API does not accept interned columns. `OpenReasoner` adds a method for them: it pushes the facts
that `push` would have got from its encoder. Only this module uses private attributes of the engine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from rdflib import RDF, Graph, URIRef

import pantarhei as pr
from bench.measuring import check, sorted_rows
from pantarhei.encoding.encode import encode_abox
from pantarhei.encoding.numbers import NO_FORMS, Encoded
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine import stream_state
from pantarhei.engine.update import WindowUpdate
from pantarhei.materialize.model import WindowModel
from pantarhei.model.term import Triple
from pantarhei.rules.compilation.program import compile_

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
    """Parse an ontology in Turtle; `:` is the benchmark's own namespace."""
    return pr.load_ontology(Graph().parse(data=PREFIXES + turtle), strict=True)


# -- rows in the format of each interface --------------------------------------------------------------------


def rdflib_triples(rows: Iterable[Row]) -> list[Triple]:
    """Return triples of new rdflib terms, as a parser creates them."""
    return [(_term(s), _term(p), _term(o)) for s, p, o in rows]


def encoded(vocabulary: Vocabulary, rows: Iterable[Row]) -> np.ndarray:
    """Return the facts of rows. Terms are created once, since the time for them never counts."""
    return vocabulary.encode((_kept_term(s), _kept_term(p), _kept_term(o)) for s, p, o in rows).facts


def _term(local: str) -> URIRef:
    return RDF.type if local == "a" else URIRef(SPACE + local)


_kept_term = lru_cache(maxsize=1 << 17)(_term)


def plain_table(rows: Rows) -> pa.Table:
    """Return an Arrow table of strings in N-Triples syntax."""
    columns: Iterable[Iterable[str]] = zip(*rows, strict=True) if rows else ((), (), ())
    arrays = [pa.array([_text(local) for local in column], pa.string()) for column in columns]
    return pa.table(arrays, names=["subject", "predicate", "object"])


def dictionary_table(rows: Rows) -> pa.Table:
    """Return an Arrow table with dictionary-encoded columns; each dictionary holds exactly the terms of its
    column.
    """
    table = plain_table(rows)
    return pa.table(
        [column.combine_chunks().dictionary_encode() for column in table.columns], table.schema.names
    )


@lru_cache(maxsize=1 << 17)
def _text(local: str) -> str:
    return f"<{RDF.type}>" if local == "a" else f"<{SPACE}{local}>"


# -- lanes ---------------------------------------------------------------------------------------------------


class KernelLane:
    """Window model alone: slides, adds facts and returns the delta, without repair."""

    def __init__(
        self, ontology: pr.Ontology, background: Rows, width: int, rows: RowsOf, name: str = INTERNED
    ) -> None:
        self.name, self.width, self.rows = name, width, rows
        self.program = compile_((*ontology.rules, *ontology.constraints))
        self.vocabulary = Vocabulary(self.program)
        given = encoded(self.vocabulary, background)
        self.background = np.concatenate([self.vocabulary.encode(ontology.background).facts, given])
        self.model = self.fresh_model()

    def fresh_model(self) -> WindowModel:
        """Return a model that holds only the background."""
        model = WindowModel(self.program, "newest", self.vocabulary)
        model.add_background(self.background)
        model.take_changes()
        return model

    def prepare(self, tick: int) -> np.ndarray:
        return encoded(self.vocabulary, self.rows(tick))

    def run(self, tick: int, given: np.ndarray) -> int:
        """Run a tick; return the number of inserted and deleted facts."""
        self.model.slide(tick - self.width + 1)
        self.model.add(given, tick)
        return len(self.model.take_changes())

    def take(self, tick: int) -> None:
        """Run the tick without a measurement, by the shortest path."""
        self.run(tick, self.prepare(tick))

    def run_together(self, ticks: range, given: Sequence[np.ndarray]) -> None:
        """Run several ticks in one step."""
        self.model.slide(ticks[-1] - self.width + 1)
        for tick, facts in zip(ticks, given, strict=True):
            self.model.add(facts, tick)
        self.model.take_changes()

    def recompute(self, ticks: range, given: Sequence[np.ndarray]) -> WindowModel:
        """Materialize the whole window in a new model."""
        model = self.fresh_model()
        model.slide(ticks[0])
        for tick, facts in zip(ticks, given, strict=True):
            model.add(facts, tick)
        model.take_changes()
        return model


def _encode_unless_interned(vocabulary: Vocabulary, abox: Any, scope: str) -> Encoded:
    """Encode an ABox for a step of the stream; rows of numbers are encoded already."""
    return Encoded(abox, NO_FORMS) if isinstance(abox, np.ndarray) else encode_abox(vocabulary, abox, scope)


stream_state.encode_abox = _encode_unless_interned


class OpenReasoner(pr.StreamReasoner):
    """`StreamReasoner` that also accepts interned ABoxes."""

    def interned(self, triples: Iterable[Triple]) -> np.ndarray:
        """Return the facts of triples as rows of this reasoner's ids."""
        return self._held.vocabulary.encode(triples).facts

    @property
    def vocabulary(self) -> Vocabulary:
        return self._held.vocabulary

    @property
    def model(self) -> WindowModel:
        return self._held.model

    def push(self, at: Any, abox: Any) -> WindowUpdate:
        if isinstance(abox, np.ndarray):
            self._held.most_entries = sys.maxsize  # ids must stay valid, including those of prepared input
        return super().push(at, abox)


class PushLane:
    """Calls `StreamReasoner.push` with rows converted by `form`; the window holds `width` ticks."""

    def __init__(
        self,
        ontology: pr.Ontology,
        background: Rows,
        width: int,
        rows: RowsOf,
        name: str,
        form: Callable[[Rows], Any],
    ) -> None:
        window = pr.Window(range=width, closed="right")
        self.name, self.rows, self.form = name, rows, form
        self.reasoner = OpenReasoner(ontology, window, background=rdflib_triples(background))
        self.conflicts = 0

    @property
    def vocabulary(self) -> Vocabulary:
        return self.reasoner.vocabulary

    @property
    def model(self) -> WindowModel:
        return self.reasoner.model

    def prepare(self, tick: int) -> Any:
        return self.form(self.rows(tick))

    def run(self, tick: int, given: Any) -> None:
        update = self.reasoner.push(tick, given)
        self.conflicts += len(update.repair.conflicts)

    def take(self, tick: int) -> None:
        """Run the tick without a measurement, by the shortest path."""
        self.run(tick, encoded(self.vocabulary, self.rows(tick)))


class InternedLane(PushLane):
    """Reasoner step without encoding: slide, add, find conflicts, cut, store."""

    def __init__(
        self, ontology: pr.Ontology, background: Rows, width: int, rows: RowsOf, name: str = INTERNED
    ) -> None:
        super().__init__(ontology, background, width, rows, name, self._encoded)

    def _encoded(self, rows: Rows) -> np.ndarray:
        return encoded(self.vocabulary, rows)


class EncodingLane:
    """Encodes the Arrow tables of `lane` with its vocabulary, and does nothing else."""

    def __init__(self, lane: PushLane) -> None:
        self.name, self.lane = f"{lane.name}: of it encoding", lane

    def prepare(self, tick: int) -> pa.Table:
        return self.lane.prepare(tick)

    def run(self, tick: int, given: pa.Table) -> None:
        encode_abox(self.lane.vocabulary, given, f"e{tick}-")


AnyLane = KernelLane | PushLane


def check_facts(lane: AnyLane, expected: Iterable[Row]) -> None:
    """Raise an error unless the lane's materialization is `expected`."""
    expected_facts = encoded(lane.vocabulary, expected)
    check(f"facts by {lane.name}", sorted_rows(lane.model.facts()), sorted_rows(expected_facts))
