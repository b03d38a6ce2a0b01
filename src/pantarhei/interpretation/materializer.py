"""Materialization of single ABoxes outside a window, for example by workers of a cluster.

Facts of different timestamps are joined only in a window. So each ABox can be closed under the rules,
together with the background, on any processor (PB26, section 7). `ABoxMaterializer` closes ABoxes, and
`StreamReasoner.push_materialized` accepts the results.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.encode import encode_abox, encode_parts
from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, Encoded, Integers, as_tuples
from pantarhei.encoding.vocabulary import ComputedForms
from pantarhei.errors import check_type
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import Interpretation, InterpretationWriter, scope_beside
from pantarhei.materialize.bulk.evaluation import TooManyError, TooSlowError
from pantarhei.materialize.bulk.load import ABoxProgram, ClosedABoxes, most_aboxes
from pantarhei.materialize.kernel_values import Lineage
from pantarhei.materialize.model import FOREVER, WindowModel
from pantarhei.owl.graph_files import GraphFile, graph_at
from pantarhei.rdf.triple_table import is_table
from pantarhei.repair.conflict import Budget, ConflictEvidence

if TYPE_CHECKING:
    import pyarrow as pa

    from pantarhei.encoding.encode import ABox


# Maximum number of facts derived at once for several ABoxes together.
_MOST_FACTS = 1 << 23


class CanonicalModel(NamedTuple):
    """Canonical model of an ABox, without the facts of the background.

    Args:
        asserted: the distinct facts of the ABox in order of first occurrence; shape (n, 3).
        derived: the derived facts, shape (n, 3), each after the facts that it follows from.
        contradictory: true if a constraint is violated.
        lineage: the lineage of the violations, if requested.
    """

    asserted: Integers
    derived: Integers
    contradictory: bool
    lineage: Lineage | None


class CanonicalModelBuilder:
    """Builder of canonical models of ABoxes, each by itself.

    Many facts are closed by column, several ABoxes together. For few facts, and for lineages, an ABox is
    inserted into a window model of the background and removed again.

    Args:
        model: a model of the background alone; the builder takes ownership of it.
    """

    # From this number of facts on, in one ABox or several, evaluation by column is faster; an ABox counts as
    # `bulk_each` further facts.
    bulk_from = 6_000
    bulk_each = 50

    def __init__(self, model: WindowModel) -> None:
        self._model = model
        self._level = 0
        self._background = model.facts()
        self._at_once: ABoxProgram | None = None
        model.take_changes()

    @property
    def level(self) -> int:
        """Level of the last ABox in its lineage."""
        return self._level

    def close(self, aboxes: Sequence[Integers], instances: int | None = None) -> Iterator[CanonicalModel]:
        """Yield the models of ABoxes, in their order.

        Args:
            instances: None for no lineage; otherwise the limit of rule instances of `WindowModel.lineage`.
        """
        names = len(self._model.vocabulary.names)
        most = most_aboxes(names)
        for first in range(0, len(aboxes), most):
            yield from self._close(aboxes[first : first + most], names, instances)

    def _close(
        self, aboxes: Sequence[Integers], names: int, instances: int | None
    ) -> Iterator[CanonicalModel]:
        bounds = [0, *np.cumsum([len(facts) for facts in aboxes]).tolist()]
        is_much = bounds[-1] + self.bulk_each * len(aboxes) >= self.bulk_from
        closed = self._by_column(aboxes, bounds, names) if is_much else None
        for number, (facts, (start, end)) in enumerate(zip(aboxes, pairwise(bounds), strict=True)):
            if closed is None or (instances is not None and number in closed.contradictory):
                yield self._by_row(facts, instances)
            else:
                asserted, derived = facts[closed.first[start:end]], closed.derived[number]
                yield CanonicalModel(asserted, derived, number in closed.contradictory, None)

    def _by_column(
        self, aboxes: Sequence[Integers], bounds: Sequence[int], names: int
    ) -> ClosedABoxes | None:
        """Close ABoxes by column; return None if that takes too much time or memory."""
        model = self._model
        if self._at_once is None:
            self._at_once = ABoxProgram(model.program.plans, self._background)
            self._background = NO_FACTS  # now stored in `_at_once`
        facts = np.concatenate(aboxes)
        most = _MOST_FACTS if len(aboxes) > 1 else sys.maxsize
        try:
            return self._at_once.close(facts, bounds, names, model.vocabulary, most)
        except (TooManyError, TooSlowError):
            return None

    def _by_row(self, facts: Integers, instances: int | None) -> CanonicalModel:
        model = self._model
        self._level += 1
        model.slide(self._level)
        previous = model.add(facts, self._level)
        asserted = facts[_first_places(facts, previous, model.were_new(previous, self._level))]
        derived = model.derived_at(self._level)
        lineage = None
        if instances is None:
            contradictory = len(model.violations()) > 0
        else:
            lineage = model.lineage(instances)
            contradictory = lineage is not None
        model.take_changes()
        return CanonicalModel(asserted, derived, contradictory, lineage)


def _first_places(facts: Integers, previous: Integers, new: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Return the index of the first occurrence of each distinct fact.

    Args:
        facts: the facts that were asserted in a model.
        previous: result of `WindowModel.add`.
        new: result of `WindowModel.were_new`.
    """
    first = new.copy()
    again = np.flatnonzero(first & (previous == FOREVER))  # not meaningful for facts of the background
    seen: set[tuple[int, ...]] = set()
    for i, fact in zip(again.tolist(), map(tuple, facts[again].tolist()), strict=True):
        first[i] = fact not in seen
        seen.add(fact)
    return np.flatnonzero(first)


# Maximum number of facts of ABoxes that are closed together.
MOST_TOGETHER = 1 << 17

# Number of terms beyond which a materializer drops the terms of earlier ABoxes.
MOST_TERMS = 2_000_000


class ABoxMaterializer:
    """Materializer of ABoxes, each by itself, beside a model of the background. Not thread-safe.

    Args:
        foundation: rules and background; the materializer takes ownership of it.
        budget: limits of the search for conflict sets.

    Raises:
        OptionError: `foundation` is not a Foundation, or `budget` is not a Budget.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> materializer = pr.ABoxMaterializer(reasoner.foundation)  # in another process, as a rule
    >>> reasoner.push_materialized(1, materializer.materialize([gas])).at
    1
    """

    def __init__(self, foundation: Foundation, budget: Budget | None = None) -> None:
        check_type("foundation", foundation, Foundation, "a Foundation, such as Foundation.of(ontology)")
        self._fresh = pickle.dumps(foundation)
        self._digest, self.common = foundation.digest, foundation.common
        self._budget = Budget() if budget is None else budget
        check_type("budget", self._budget, Budget, "a Budget")
        self._scope = scope_beside(foundation)
        self._begin(foundation)

    def __repr__(self) -> str:
        return f"ABoxMaterializer({self._foundation!r})"

    def _begin(self, foundation: Foundation) -> None:
        self._foundation = foundation
        self._growing, self._vocabulary = foundation.growing, foundation.vocabulary
        self._texts: dict[int, str] = {}  # N-Triples text of names and literals, by number
        self._models = CanonicalModelBuilder(foundation.model())
        self._computed = self._vocabulary.computed = ComputedForms(FIRST_LITERAL + self.common.literals)

    def materialize(self, abox: ABox | GraphFile) -> Interpretation:
        """Return the interpretation of one ABox: a graph, triples, files, or an Arrow table as for `push`.

        Blank nodes of a table differ from those of the background, whatever their labels.

        Raises:
            InvalidTripleError: an item is not a triple.
            MissingFileError, MalformedInputError: a file cannot be read.
        """
        if is_table(abox):
            return next(self.materialize_parts(abox, [0, len(abox)]))
        given = graph_at(abox, "abox")
        self._make_room()
        return next(self._close([encode_abox(self._vocabulary, given, "")], "", True))

    def materialize_parts(
        self, table: pa.Table, bounds: Sequence[int], conflicts: bool = True
    ) -> Iterator[Interpretation]:
        """Yield the interpretations of the parts `table[bounds[i]:bounds[i + 1]]`, each of which is an ABox.

        Faster than a call for each part: terms are looked up once for many parts, and parts are closed
        together.

        Args:
            conflicts: false if the interpretations need no conflict sets, only `contradictory`.

        Raises:
            InvalidTripleError: a row of the table is not a triple.
        """
        for places in self._together(bounds):
            self._make_room()
            aboxes = encode_parts(self._vocabulary, table, places, self._scope)
            yield from self._close(aboxes, self._scope, conflicts)

    def _together(self, bounds: Sequence[int]) -> Iterator[Sequence[int]]:
        """Split the bounds into runs of parts that are closed together, limited by their number of facts."""
        begin = 0
        for place in range(1, len(bounds)):
            if begin < place - 1 and bounds[place] - bounds[begin] > MOST_TOGETHER:
                yield bounds[begin:place]
                begin = place - 1
        if begin < len(bounds) - 1:
            yield bounds[begin:]

    def _make_room(self) -> None:
        """Drop the terms of earlier ABoxes if there are too many."""
        if sum(self._vocabulary.counts) > MOST_TERMS:
            self._begin(pickle.loads(self._fresh))

    def _close(self, aboxes: Sequence[Encoded], scope: str, conflicts: bool) -> Iterator[Interpretation]:
        """Yield the interpretations of encoded ABoxes; the labels of their blank nodes begin with `scope`."""
        for abox in aboxes:
            if not self._growing.covers(abox.facts):
                self._growing.grow(abox.facts)
                self._models = CanonicalModelBuilder(self._foundation.model())
        # the consumer of this generator may reset the materializer between two ABoxes
        models, vocabulary, texts = self._models, self._vocabulary, self._texts
        computed, instances = self._computed, self._budget.instances if conflicts else None
        while vocabulary.fulfilled:  # values that were only computed before and are asserted now
            texts.pop(vocabulary.fulfilled.pop(), None)
        closed = models.close([abox.facts for abox in aboxes], instances)
        for abox, model in zip(aboxes, closed, strict=True):
            writing = InterpretationWriter(vocabulary, self.common, scope, texts, computed)
            if not computed.several or not computed.several.among(model.derived[:, 2]).any():
                yield self._written(writing, abox, model)
                continue
            with computed.isolated():  # closed by itself, to determine the form that it computes
                (again,) = models.close([abox.facts], instances)
                made = self._written(writing, abox, again)
            yield made

    def _written(self, writing: InterpretationWriter, abox: Encoded, model: CanonicalModel) -> Interpretation:
        conflict_sets: tuple[tuple[int, ...], ...] = ()
        if model.lineage is not None:
            conflict_sets = self._conflicts(model.lineage, model.asserted)
        facts, terms = writing.written(model.asserted, model.derived, abox.forms.by_fact)
        return Interpretation(
            facts, len(model.asserted), terms, conflict_sets, model.contradictory, self._digest
        )

    def _conflicts(self, lineage: Lineage, asserted: Integers) -> tuple[tuple[int, ...], ...]:
        """Return the conflict sets among the asserted facts, as indexes in `asserted`."""
        evidence, _ = ConflictEvidence.of(lineage, self._budget)
        maybe = np.flatnonzero(np.isin(asserted[:, 1], evidence.facts[:, 1]))
        place = dict(zip(map(tuple, asserted[maybe].tolist()), maybe.tolist(), strict=True))
        places = [place[fact] for fact in as_tuples(evidence.facts)]
        found = evidence.conflicts(self._budget)
        return tuple(sorted(tuple(sorted(places[row] for row in conflict.rows)) for conflict in found))
