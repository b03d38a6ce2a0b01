"""Graph without time: assertions are inserted and deleted, and their consequences are maintained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal, get_args, overload

from rdflib import Graph

from pantarhei.encoding.numbers import Symbols
from pantarhei.engine.graph_state import GraphState
from pantarhei.engine.options import Derive
from pantarhei.engine.update import GraphUpdate, Stats
from pantarhei.errors import ExcludedOptionError, check_choice, check_type
from pantarhei.explain.absence import Absence
from pantarhei.explain.explainer import LIMIT, WAYS, GraphExplainer
from pantarhei.interpretation.foundation import Foundation, Prover
from pantarhei.materialized import Materialized
from pantarhei.model.message_text import counted
from pantarhei.model.term import Triple
from pantarhei.ontology.ontology import Ontology
from pantarhei.owl.graph_files import GraphFile, GraphFiles, graph_at
from pantarhei.proofs.proof import Proof
from pantarhei.rdf.triple_table import triples_of
from pantarhei.repair.conflict import Budget
from pantarhei.repair.consistency import Contradiction
from pantarhei.repair.result import ConflictList
from pantarhei.values.by_value import Numbers

if TYPE_CHECKING:
    import pyarrow as pa

    from pantarhei.encoding.encode import ABox
    from pantarhei.query.continuous_query import ContinuousQuery
    from pantarhei.query.planner import DataVersion

OnConflict = Literal["error", "report"]


class DynamicGraph(Materialized):
    """Materialization of an ontology and a graph of assertions, maintained under insertions and deletions.

    There is no time, so contradictions are not repaired: no assertion is newer than another. Registered
    queries, `query` and `graph` work as in `StreamReasoner`; the number of the change serves as the time.
    Calls from several threads are serialized. Memory is linear in the assertions and their consequences;
    unused terms are collected from time to time.

    Args:
        ontology: an ontology from `load_ontology`; its assertions are added to the background.
        background: facts that always hold, as for `StreamReasoner`. A background fact may also be inserted;
            deleting it then does not delete the background fact.
        unique_names: as for `StreamReasoner`.
        on_conflict: `"error"` refuses a change after which the assertions contradict each other; `"report"`
            accepts it, and updates list the conflicts as long as there are any, at a cost per change that is
            linear in the graph.
        budget: limits of the search for conflicts.
        derive, numbers: as for `StreamReasoner`.

    Raises:
        InconsistentOntologyError: ontology and background contradict each other.
        OptionError: an option has an invalid value.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Graph, Namespace
    >>> ontology = pr.load_ontology(Graph().parse(data='''
    ...     @prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    ...     :feeds rdfs:domain :Pump .'''))
    >>> EX = Namespace("http://example.org/")
    >>> graph = pr.DynamicGraph(ontology)
    >>> pumps = graph.register("SELECT ?pump { ?pump a <http://example.org/Pump> }")
    >>> update = graph.change(insert=[(EX.p1, EX.feeds, EX.tank), (EX.p1, EX.feeds, EX.valve)])
    >>> [str(pump) for pump, in update.answers[pumps].added]
    ['http://example.org/p1']
    >>> print(graph.change(delete=[(EX.p1, EX.feeds, EX.tank)]))
    change 2: +0 -1 facts
    >>> [str(pump) for pump, in pumps.answers]
    ['http://example.org/p1']
    """

    _held: GraphState

    def __init__(
        self,
        ontology: Ontology,
        background: Graph | Iterable[Triple] | pa.Table | GraphFiles | None = None,
        unique_names: bool = True,
        on_conflict: OnConflict = "error",
        budget: Budget | None = None,
        derive: Derive = "all",
        numbers: Numbers = "by_datatype",
    ) -> None:
        check_type("ontology", ontology, Ontology, "an ontology from load_ontology")
        check_type("unique_names", unique_names, bool, "True or False")
        search = Budget() if budget is None else budget
        check_type("budget", search, Budget, "a Budget")
        check_choice("on_conflict", on_conflict, get_args(OnConflict))
        check_choice("derive", derive, get_args(Derive))
        self.on_conflict = on_conflict
        joined, facts = ontology.with_background(background)
        foundation = Foundation.of(joined, facts, unique_names, numbers)
        refuses = on_conflict == "error"
        names = lambda: joined.known_names, cache(lambda: joined.labels_beside(triples_of(facts)))
        held = GraphState(foundation, refuses, search, derive, *names)
        self._initialize(joined, held)
        self._labels = names[1]
        self._foundation_of = lambda: Foundation.of(joined, self.background, unique_names, numbers)

    def __repr__(self) -> str:
        held = self._held  # read without the lock, since another thread may be changing the graph
        facts, changes = held.facts, counted(held.history.step, "change")
        return f"DynamicGraph(facts={'?' if facts is None else facts}, after {changes})"

    def change(self, insert: ABox | GraphFile = (), delete: ABox | GraphFile = ()) -> GraphUpdate:
        """Delete triples and insert others, in one step.

        A triple that is both deleted and inserted is asserted afterwards, as with SPARQL's DELETE and INSERT.
        Literals are compared by value: deleting `"01"^^xsd:integer` deletes `"1"^^xsd:integer`. A triple that
        stays asserted keeps its lexical form.

        The cost depends on the change of the materialization, not on the size of the graph. After an error
        the graph is unchanged. After an interrupt either the graph is unchanged, or the whole change has been
        applied.

        Args:
            insert: the triples to insert: a graph, triples, files, or an Arrow table with string columns
                `subject`, `predicate` and `object` of terms in N-Triples syntax. Blank nodes keep their
                labels: equal labels denote the same node in all changes. Those of a file are new.
            delete: the triples to delete, in the same forms. Triples that still follow from other assertions
                stay in the materialization.

        Raises:
            InvalidTripleError: an item is not a triple.
            MissingFileError, MalformedInputError: a file cannot be read.
            ContradictionError: the assertions would contradict each other.

        >>> import pantarhei as pr
        >>> from rdflib import RDF, Namespace
        >>> EX = Namespace("http://example.org/pedals#")
        >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
        >>> graph = pr.DynamicGraph(pr.load_ontology("ontologies/pedals.ttl"))
        >>> _ = graph.change(insert=[gas])
        >>> update = graph.change(delete=[gas], insert=[brakes])
        >>> (EX.x, RDF.type, EX.Slowing) in update.delta.added, gas in update.delta.removed
        (True, True)
        """
        # Iterators are read first, since they may query the graph, which could renumber terms.
        parts = graph_at(insert, "insert"), graph_at(delete, "delete")
        given = [list(part) if isinstance(part, Iterator) else part for part in parts]
        return self._step(lambda: self._held.change(*given))

    def register(
        self, text: str, name: str | None = None, window: None = None, on: str = "change", emit: str = "delta"
    ) -> ContinuousQuery:
        """Register a SPARQL query: each update has its inserted and deleted answers.

        Args:
            text, name: as for `StreamReasoner.register`.
            window, on, emit: must have the default values, since a graph without time has no windows, and
                reports the changes of each step.

        Raises:
            QueryError: the query is malformed or not supported, or a block of `all_or_nothing` is active.
            OptionError: the name is taken, or `window`, `on` or `emit` has another value than its default.
        """
        for option, given, only in (("window", window, None), ("on", on, "change"), ("emit", emit, "delta")):
            if given != only:
                reason = "A graph without time has no windows, and reports at each change."
                raise ExcludedOptionError(option, repr(given)[:200], reason)
        return super().register(text, name)

    def assertions(self) -> set[Triple]:
        """Return the assertions as given, without the background. Cost is linear in the assertions."""
        with self._lock:
            history = self._held.history
            return set(self._held.vocabulary.decode(history.facts, history.forms))

    def conflicts(self) -> ConflictList[Contradiction]:
        """Return all conflict sets of the assertions; empty unless `on_conflict="report"`.

        If the budget does not suffice to list all, the list's `complete` is False. If there are conflicts,
        the cost is at least linear in the graph.
        """
        with self._lock:
            return self._held.conflicts()

    @overload
    def explain(self, triple: Triple, all: Literal[False] = False, limit: int = LIMIT) -> Proof: ...
    @overload
    def explain(self, triple: Triple, all: Literal[True], limit: int = LIMIT) -> tuple[Proof, ...]: ...
    def explain(self, triple: Triple, all: bool = False, limit: int = LIMIT) -> Proof | tuple[Proof, ...]:
        """Return a proof of a fact, from assertions, background and axioms.

        It has a minimal set of assertions with the fewest members; then the fewest rule instances found
        within the limit. The time of an assertion is the number of the change that inserted it. The cost is
        linear in the graph, and in the rule instances that can take part in a proof.

        Args:
            triple: a triple of the materialization.
            all: whether to return a proof for each minimal set of assertions from which the triple follows.
            limit: maximum number of rule instances to inspect; `proof.complete` is False if it was reached.

        Raises:
            NotEntailedError: the triple does not hold.
            InvalidTripleError: `triple` is not a triple.
            OptionError: the limit is not above 0.

        >>> import pantarhei as pr
        >>> from rdflib import RDF, Namespace
        >>> EX = Namespace("http://example.org/pedals#")
        >>> graph = pr.DynamicGraph(pr.load_ontology("ontologies/pedals.ttl"))
        >>> _ = graph.change(insert=[(EX.sam, EX.drives, EX.y)])
        >>> graph.explain((EX.y, RDF.type, EX.Car)).tree_lines()
        ['y is a car', '└─ because sam drives y (asserted at 1)']
        """
        with self._lock:
            return self._explainer.explain(triple, None, all, limit)

    def why_not(self, triple: Triple, limit: int = WAYS) -> Absence:
        """Explain why a triple does not hold: missing facts, and contradictions that they would cause.

        Missing facts are listed as abductions, as by `StreamReasoner.why_not`. Deleted assertions are not
        recorded. The cost is linear in the graph, plus that of the search.

        Args:
            triple: a triple that does not hold.
            limit: maximum number of abductions.

        Raises:
            EntailedError: the triple holds.
            InvalidTripleError: `triple` is not a triple.
            OptionError: the limit is not above 0.
        """
        with self._lock:
            return self._explainer.why_not(triple, None, limit)

    @cached_property
    def _explainer(self) -> GraphExplainer:
        prover = Prover(self._foundation_of, self._labels)
        return GraphExplainer(self._held, prover.labels, lambda: self.ontology, prover)

    def __len__(self) -> int:
        """Return the number of asserted triples. `len(graph.graph)` is the size of the materialization."""
        with self._lock:
            return len(self._held.history.keys)

    def __bool__(self) -> bool:
        """Return True, even if there are no assertions."""
        return True

    def stats(self) -> Stats:
        """Return sizes and counters; `pushes` counts changes, and the counters that only streams have
        are 0.
        """
        with self._lock:
            return self._held.stats()

    def _data_version(self, symbols: Symbols) -> DataVersion:
        from pantarhei.query.planner import DataVersion

        state = self._held.state(symbols)
        return DataVersion(*state.shown, tuple, lambda at: (), state.is_part)
