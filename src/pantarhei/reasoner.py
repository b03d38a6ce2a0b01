"""Stream reasoner: inserts ABoxes into a sliding window, maintains and repairs its materialization."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property, partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np
from rdflib import Graph

from pantarhei.encoding.numbers import Symbols
from pantarhei.engine.checkpoint import (
    UNPACED,
    BlockChanges,
    BlockWriter,
    GivenBackground,
    Json,
    Pacer,
    RepairTable,
    State,
    StoredBlocks,
    checked_note,
    read_checkpoint,
    save,
    write_whole,
)
from pantarhei.engine.consumer import QUERIES
from pantarhei.engine.intake import Arrivals, Intake
from pantarhei.engine.maintained_state import StateVersion
from pantarhei.engine.options import ConclusionsIn, Derive, Options
from pantarhei.engine.stream_history import Counters
from pantarhei.engine.stream_state import Arriving, StreamState
from pantarhei.engine.temporal_engine import ConclusionFeed
from pantarhei.engine.update import Stats, WindowUpdate
from pantarhei.errors import (
    CheckpointError,
    InputError,
    LateABoxError,
    MissingOptionError,
    TimestampError,
    check_type,
)
from pantarhei.errors.base import parameter
from pantarhei.explain.absence import Absence
from pantarhei.explain.explainer import LIMIT, WAYS, WindowExplainer
from pantarhei.interpretation.foundation import Foundation, Prover
from pantarhei.interpretation.interpretation import Interpretation
from pantarhei.materialize.kernel_values import contiguous
from pantarhei.materialize.model import Keep, WindowModel, plain_model
from pantarhei.materialized import Materialized
from pantarhei.model.labels import Labels
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.term import Triple
from pantarhei.model.time import (
    Duration,
    Precision,
    TimePoint,
    show_time,
    ticks_of,
    time_of,
    timed,
)
from pantarhei.ontology.ontology import Ontology
from pantarhei.owl.graph_files import GraphFile, GraphFiles, documents_at, graph_at
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.step import Assertion
from pantarhei.rdf.ntriples import prefix_of_name
from pantarhei.rdf.triple_table import triples_of
from pantarhei.repair.conflict import Budget
from pantarhei.repair.cut import Method
from pantarhei.repair.quality import Quality
from pantarhei.repair.result import Conflict, ConflictList, Repair
from pantarhei.temporal.conclusion_sets import ConclusionSet
from pantarhei.temporal.rules import TemporalRules
from pantarhei.values.by_value import Numbers
from pantarhei.window.retention import History, Limits, OnLimit
from pantarhei.window.sliding import Window

if TYPE_CHECKING:
    import pyarrow as pa

    from pantarhei.encoding.encode import ABox
    from pantarhei.query.continuous_query import ContinuousQuery
    from pantarhei.query.planner import DataVersion

_G = TypeVar("_G", bound=Graph)

_CHECKPOINTS = (str, os.PathLike, bytes, bytearray, memoryview, StoredBlocks)


class StreamReasoner(Materialized):
    """Materialization of an ontology over a sliding window of a stream, maintained and repaired as ABoxes
    arrive.

    Calls from several threads are serialized. Memory is linear in the window; unused terms, including classes
    and properties, are collected from time to time.

    Args:
        ontology: an ontology from `load_ontology`; its assertions are added to the background.
        window: the window.
        background: facts that always hold and that repairs never remove: a graph, triples, files as for
            `load_ontology`, or a table as for `push`, whose blank nodes keep their labels. Axioms in it are
            added to a copy of the ontology, `reasoner.ontology`.
        repair: the method of repair. `"exact"` keeps the assertions that are in all maximal consistent
            subsets, the newest first (PB26 Defs. 6 and 7); `"grounded"` computes a simpler fixpoint and also
            removes facts that it leaves undecided; `"algorithm3"` is the algorithm of PB26; `"off"` reports
            all contradictions of the window at each step and removes no fact.
        keep: `"newest"` stores each fact once; `"every"` stores it in each interpretation of PB26 Def. 8 that
            contains it. Query answers are equal.
        unique_names: whether different names denote different things, so that two values of a functional
            property are a conflict; names that are `owl:sameAs` in the background are merged. If False, such
            values become equal, the equality rules (`eq-*`) apply, and only `owl:differentFrom` contradicts
            an equality; n equal names yield n² facts of equality, and n copies of each other fact.
        budget: limits of the search in a repair; undecided facts are removed and counted.
        max_facts: maximum number of facts in the materialization after a push, including the background.
        max_bytes: maximum number of bytes after a push, as counted by `stats().bytes`.
        on_limit: `"error"` refuses a push that exceeds a limit; `"drop"` evicts the oldest timestamps of the
            window until the limits are met, and lists them in `WindowUpdate.dropped_early`.
        derive: `"needed"` maintains only facts that registered queries and constraints need; all others are
            derived on demand, again after each step (docs/continuous.md). Answers and repairs are those of
            `"all"`, but updates have no `delta`.
        history: bounds of the recorded past, and a sink for older records (docs/history.md).
        temporal: temporal rules from `load_rules` (docs/temporal-rules.md).
        conclusions: the graphs in which queries match conclusions of temporal rules: `"graph"` for
            `urn:pantarhei:conclusions` alone, `"default"` for the default graph too.
        numbers: `"by_datatype"` distinguishes xsd:double, xsd:float and decimals, as OWL does; `"by_value"`
            reads a double or float as the exact decimal that it denotes (docs/semantics.md).
        precision: `"microseconds"` truncates the nanoseconds of pandas' timestamps, warns once and counts
            such timestamps in `stats().times_cut`; `"exact"` refuses them.
        tick: length of a tick of temporal rules; None for the slide of the window. The window moves by its
            slide, independent of the ticks.

    Raises:
        InconsistentOntologyError: ontology and background contradict each other.
        MemoryLimitError: the background alone exceeds a limit.
        OptionError: an option has an invalid value.

    >>> import pantarhei as pr
    >>> from rdflib import Graph
    >>> ontology = pr.load_ontology(Graph().parse(data='''
    ...     @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ...     :Open owl:disjointWith :Closed .'''))
    >>> valve = lambda state: Graph().parse(data=f"@prefix : <http://example.org/> . :valve a :{state} .")
    >>> reasoner = pr.StreamReasoner(ontology, pr.Window(range=10))
    >>> _ = reasoner.push(1, valve("Open"))
    >>> update = reasoner.push(2, valve("Closed"))
    >>> [(at, str(state)) for at, (_, _, state) in update.repair.removed]
    [(1, 'http://example.org/Open')]
    >>> rows = reasoner.query("SELECT ?state { <http://example.org/valve> a ?state }")
    >>> [str(state) for (state,) in rows]
    ['http://example.org/Closed']
    >>> reasoner.advance(13).dropped  # both have left the window
    (1, 2)
    """

    _held: StreamState
    _given_ontology: Ontology  # as given, without axioms from the background
    window: Window

    def __init__(
        self,
        ontology: Ontology,
        window: Window,
        background: Graph | Iterable[Triple] | pa.Table | GraphFiles | None = None,
        repair: Method = "exact",
        keep: Keep = "newest",
        unique_names: bool = True,
        budget: Budget | None = None,
        max_facts: int | None = None,
        max_bytes: int | None = None,
        on_limit: OnLimit = "error",
        derive: Derive = "all",
        history: History | None = None,
        temporal: TemporalRules | None = None,
        conclusions: ConclusionsIn = "graph",
        numbers: Numbers = "by_datatype",
        precision: Precision = "microseconds",
        tick: Duration | None = None,
    ) -> None:
        search = Budget() if budget is None else budget
        limits = Limits(max_facts, max_bytes, on_limit)
        kept = History() if history is None else history
        others = search, limits, derive, kept, conclusions, numbers, precision, tick
        options = Options(window, repair, keep, unique_names, *others)
        if temporal is None and conclusions != "graph":
            reason = f"{parameter('conclusions', repr(conclusions))} needs temporal rules."
            raise MissingOptionError("temporal", "load_rules(…)", reason)
        self._begin(ontology, options, background, temporal)

    @classmethod
    def with_options(
        cls,
        ontology: Ontology,
        options: Options,
        background: ABox | GraphFiles | None = None,
        temporal: TemporalRules | None = None,
    ) -> StreamReasoner:
        """Build a reasoner from options, such as those of another reasoner. Raises the constructor's
        errors.
        """
        reasoner = cls.__new__(cls)
        reasoner._begin(ontology, options, background, temporal)
        return reasoner

    def _begin(
        self,
        ontology: Ontology,
        options: Options,
        background: ABox | GraphFiles | None,
        temporal: TemporalRules | None,
    ) -> None:
        check_type("ontology", ontology, Ontology, "an ontology from load_ontology")
        check_type("options", options, Options, "an Options object")
        self.options, self.window = options, options.window
        background = (background or None) if isinstance(background, tuple) else background
        documents = None if background is None else documents_at(background, "background")
        if documents is None:
            always = tuple(background) if isinstance(background, Iterator) else background
            joined, found = ontology.with_background(always)
        else:
            always = [triple for each in documents for triple in each.triples]
            joined, found = ontology.with_documents(documents)
        facts = self._facts = tuple(triples_of(found))
        foundation_of = partial(Foundation.of, joined, facts or None, options.unique_names, options.numbers)
        foundation = foundation_of()
        self._given_ontology = ontology
        given = self._given = GivenBackground.beside(ontology, facts if joined is ontology else always)
        self._saved_repairs, self._saving = RepairTable(), threading.RLock()
        self.note: dict[str, Json] = {}
        # A state, and the result of `_additional_facts` for it.
        self._additional_cache: tuple[object, WindowModel] | None = None
        prover = Prover(foundation_of, cache(lambda: joined.labels_beside(given.triples)))
        self._initialize(joined, StreamState(foundation, options, prover, lambda: joined.known_names))
        if temporal is not None:
            check_type("temporal", temporal, TemporalRules, "TemporalRules from load_rules(text)")
            self._held.conclude(temporal, ontology.predicates)

    def __repr__(self) -> str:
        held = self._held  # read without the lock, since another thread may be pushing
        log, facts = held.history.log, held.facts
        newest = "none" if log.newest is None else show_time(log.newest.at)
        return (
            f"StreamReasoner({self.window}, keep={self.options.keep!r}, repair={self.options.repair!r}, "
            f"facts={'?' if facts is None else facts}, partitions={len(log.timeline)}, newest={newest})"
        )

    def _shown_parts(self) -> dict[str, object]:
        return {
            "timestamps": self.timestamps,
            "repairs": self.repairs,
            "temporal rules": self.temporal,
            **super()._shown_parts(),
        }

    # -- steps -------------------------------------------------------------------------------------

    def push(self, at: TimePoint, abox: ABox | GraphFile) -> WindowUpdate:
        """Insert the ABox of timestamp `at`, after dropping ABoxes that leave the window; derive and repair.

        Two pushes at the newest timestamp are equivalent to one push of both ABoxes. After an error the
        reasoner is unchanged. After an interrupt either the reasoner is unchanged, or the whole push has been
        applied.

        Args:
            at: a timestamp not older than the present time, of the same kind as the stream's other
                timestamps.
            abox: a graph, triples, files, or an Arrow table with string columns `subject`, `predicate` and
                `object` of terms in N-Triples syntax (blank nodes are local to a table or file).

        Raises:
            LateABoxError: `at` is older than the present time.
            TimestampError: `at` is not of the stream's kind.
            InvalidTripleError: an item of `abox` is not a triple.
            MissingFileError, MalformedInputError: a file cannot be read.
            MemoryLimitError: `max_facts` or `max_bytes` would be exceeded.
        """
        first = abox[0] if isinstance(abox, list | tuple) and abox else abox
        given = graph_at(abox, "abox") if isinstance(first, str | os.PathLike) else abox
        return self._step(lambda: self._held.step(at, Arriving((given,))))

    def push_materialized(
        self,
        at: TimePoint,
        interpretation: Interpretation | pa.Table,
        *further: Interpretation | pa.Table,
        scope: str | None = None,
    ) -> WindowUpdate:
        """Insert the ABox of timestamp `at` together with its consequences, which were computed elsewhere.

        The result is that of `push`, but only joins across timestamps are computed. The given consequences
        are assumed to be correct and complete. With `keep="every"`, and for a second push at the newest
        timestamp, they are derived again.

        Args:
            at: as for `push`.
            interpretation: the result of an `ABoxMaterializer` with equal ontology, background and options;
                or an Arrow table as for `push` with an additional boolean column `derived`.
            further: the interpretations of further parts of the ABox; the consequences of all parts together
                are then derived again.
            scope: a prefix of letters and digits for the labels of blank nodes: parts of a message that are
                pushed separately share their blank nodes if they have equal prefixes. By default the blank
                nodes of each push are distinct.

        Raises:
            ForeignInterpretationError: an interpretation was computed with another foundation.
            OptionError: `scope` is not such a prefix.
            LateABoxError, TimestampError, InvalidTripleError, MemoryLimitError: as for `push`.
        """
        prefix = None if scope is None else prefix_of_name(scope)
        arriving = Arriving((interpretation, *further), are_closed=True, scope=prefix)
        return self._step(lambda: self._held.step(at, arriving))

    def advance(self, at: TimePoint) -> WindowUpdate:
        """Advance the time to `at` without an ABox. The cost is that of dropping the expired partitions.

        Raises:
            LateABoxError: `at` is older than the newest time.
            TimestampError: as for `push`.
        """
        try:
            return self._step(lambda: self._held.step(at, None))
        except LateABoxError as error:
            raise LateABoxError(error.at, error.newest, is_abox=False) from None

    def _note_times_cut(self, count: int) -> None:
        if count:
            with self._lock:
                self._held.count(Counters(times_cut=count))

    def run(
        self,
        stream: Iterable[tuple[TimePoint, ABox | GraphFile]],
        allowed_lateness: Duration | None = None,
        on_late: Callable[[TimePoint, ABox], object] | None = None,
        *,
        max_ahead: Duration | None = None,
        clock: Callable[[], TimePoint] | None = None,
        on_ahead: Callable[[TimePoint, ABox], object] | None = None,
        on_invalid: Callable[[TimePoint, ABox | GraphFile, InputError], object] | None = None,
    ) -> Iterator[WindowUpdate]:
        """Push the ABoxes of a stream one by one, and yield the update of each.

        ABoxes that are held back are part of the reasoner's state: checkpoints contain them,
        `stats().waiting` counts them, and if the iteration is ended early, the next `run` continues with
        them. Held-back ABoxes with equal timestamps are pushed as one ABox.

        Args:
            stream: pairs of timestamp and ABox, as yielded by `read_stream` and `abox_stream`; an ABox as
                for `push`.
            allowed_lateness: duration (`"5m"`) by which ABoxes may be out of order, and for which they are
                held back.
            on_late: called with timestamp and ABox of each ABox that is later; None to raise an error.
            max_ahead: duration: maximum distance of a timestamp ahead of the clock, or of the newest time if
                there is no clock. Without a clock, an ABox further ahead is held back until three following
                ABoxes, equally far ahead, prove that time has advanced; if the next ABox is not far ahead,
                the timestamp of the first one is wrong.
            clock: function that returns the present time, such as `lambda: datetime.now(UTC)`.
            on_ahead: called with timestamp and ABox of each ABox that is too far ahead; None to raise an
                error.
            on_invalid: called with timestamp, ABox and error of each invalid ABox (an item is not a triple,
                a file cannot be read, or the timestamp is of another kind); None to raise the error.

        Raises:
            OptionError: `stream` is the name of a file or not iterable, or an option has an invalid value;
                raised by the call, before iteration.
            TimestampError: an item of the stream is not a pair of timestamp and ABox.
            InputError: an ABox is invalid, and `on_invalid` is None.
            LateABoxError: an ABox is late, and `on_late` is None.
            FutureABoxError: an ABox is too far ahead, and `on_ahead` is None.

        >>> import pantarhei as pr
        >>> from rdflib import RDF, Namespace
        >>> EX = Namespace("http://example.org/pedals#")
        >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
        >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
        >>> stream = [(1, [gas]), (3, [brakes]), (2, [gas])]
        >>> [update.at for update in reasoner.run(stream, allowed_lateness=1)]
        [1, 2, 3]
        """
        given = self._counted(stream, timed(stream))
        options = Arrivals(allowed_lateness, on_late, max_ahead, clock, on_ahead, on_invalid)
        return Intake(self._held, self._lock, self._step, options).updates(given)

    def _counted(
        self, source: object, given: Iterable[tuple[TimePoint, ABox | GraphFile]]
    ) -> Iterator[tuple[TimePoint, ABox | GraphFile]]:
        """Yield the items of a stream, and count the times that its reader has truncated."""
        counted = 0
        for item in given:
            cut = getattr(source, "times_cut", 0)
            self._note_times_cut(cut - counted)
            counted = cut
            yield item

    # -- facts -------------------------------------------------------------------------------------

    def assertions(self) -> set[Assertion]:
        """Return the assertions in the window that repairs kept, as pairs of timestamp and triple.

        The cost is linear in the assertions.
        """
        with self._lock:
            return {
                (entry.at, triple)
                for entry, facts in self._held.history.log.kept()
                for triple in self._held.vocabulary.decode(facts, entry.forms.by_fact)
            }

    def interpretation(self, at: TimePoint) -> set[Triple]:
        """Return the interpretation of timestamp `at` (PB26 Def. 8).

        With `keep="newest"`, it has only the facts for which `at` is the newest timestamp.

        Raises:
            TimestampError: the window has no ABox with this timestamp.
        """
        with self._lock:
            step = self._held.history.step
            ticks = ticks_of(at, step.kind) if step else None
            entry = None if ticks is None else self._held.history.log.timeline.at_ticks(ticks)
            if entry is not None:
                model, forms = self._held.state().shown
                facts = model.interpretation(entry.level)
                return set(self._held.vocabulary.decode(facts, {**forms, **entry.forms.by_fact}))
        raise TimestampError(
            f"the timestamp {show_time(at)}", "a timestamp in the window (reasoner.timestamps)"
        )

    @property
    def timestamps(self) -> tuple[TimePoint, ...]:
        """Timestamps of the ABoxes in the window, including empty ABoxes, in ascending order."""
        with self._lock:
            return tuple(entry.at for entry in self._held.history.log)

    @property
    def newest(self) -> TimePoint | None:
        """Newest time so far, including held-back ABoxes; None before the first."""
        with self._lock:
            history = self._held.history
        times = [] if history.step is None else [(history.step.now, history.step.kind)]
        if history.waiting.newest is not None and history.waiting.kind is not None:
            times.append((history.waiting.newest, history.waiting.kind))
        return time_of(*max(times, key=itemgetter(0))) if times else None

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Repairs that found a contradiction, at timestamps in the window, in ascending order."""
        with self._lock:
            history = self._held.history
        inside = history.repairs.from_level(history.log.timeline.first_level)
        return tuple(repair for _, repair in inside)

    def quality(self) -> Quality:
        """Return tables of conflicts and removed assertions in window and history, per entity, property and
        constraint.

        They include the age of each entity's last uncontradicted assertion. Queries match them in the graph
        `urn:pantarhei:quality`. The cost is linear in the assertions, plus the computation of the repairs'
        conflict sets.
        """
        with self._lock:
            return self._held.quality()

    def flush_history(self) -> None:
        """Write the whole history to its sink and delete it; intended for the end of a stream.

        Raises:
            OptionError: the history has no sink.
        """
        if self.options.history.sink is None:
            reason = "The history has no sink to be written to."
            raise MissingOptionError("history", "History(sink=NDJSONSink(path))", reason)
        with self._lock:
            self._held.flush_history()

    def conclusions(self) -> ConclusionSet:
        """Return the conclusions of temporal rules at the present tick that are triples, as an immutable set.

        The cost of the first call is linear in the conclusions, of later calls linear in their changes.
        """
        with self._lock:
            return self._held.concluded_triples()

    def atoms(self) -> frozenset[TemporalAtom]:
        """Return the conclusions of temporal rules at the present tick, with any number of arguments.

        The cost is linear in the conclusions.
        """
        with self._lock:
            return self._held.conclusions()

    @property
    def temporal(self) -> TemporalRules | None:
        """Temporal rules of the reasoner; None if there are none."""
        return self._held.temporal

    @property
    def next_turn(self) -> TimePoint | None:
        """Next time, for `advance`, at which conclusions may change without a push; None if there is none."""
        with self._lock:
            ticks, step = self._held.next_turn, self._held.history.step
            return None if ticks is None or step is None else time_of(ticks, step.kind)

    def conflicts(self) -> ConflictList[Conflict]:
        """Return all conflict sets of the window; empty unless `repair="off"`.

        If the budget does not suffice to list all, the list's `complete` is False. The cost is linear in the
        facts, plus the search for conflict sets.
        """
        with self._lock:
            return self._held.conflicts()

    # -- explanations ------------------------------------------------------------------------------

    @overload
    def explain(
        self,
        triple: Triple | TemporalAtom,
        at: TimePoint | None = None,
        all: Literal[False] = False,
        limit: int = LIMIT,
    ) -> Proof: ...
    @overload
    def explain(
        self,
        triple: Triple | TemporalAtom,
        at: TimePoint | None = None,
        *,
        all: Literal[True],
        limit: int = LIMIT,
    ) -> tuple[Proof, ...]: ...
    def explain(
        self,
        triple: Triple | TemporalAtom,
        at: TimePoint | None = None,
        all: bool = False,
        limit: int = LIMIT,
    ) -> Proof | tuple[Proof, ...]:
        """Return a proof of a fact, from timestamped assertions, background and axioms.

        The proof is one whose oldest assertion is as new as possible (the fact's annotation: PB26 Def. 8,
        IM10's expiration time). Among such proofs it has a minimal set of assertions; then the fewest
        assertions; then the fewest rule instances found within the limit. The cost is linear in the rule
        instances that can take part in a proof; pushes have no additional cost.

        The proof of a conclusion of temporal rules ends at the input of single ticks: see
        docs/temporal-rules.md. A triple that also holds in the window is explained by the window; an atom is
        explained by the temporal rules first.

        Args:
            triple: a triple of the materialization or of the conclusions, or an atom of `atoms()`.
            at: the time for which to explain; by default the present time, the only one at which conclusions
                are known.
            all: whether to return a proof for each minimal set of assertions from which the triple follows,
                and for each instance of a temporal rule that concludes it.
            limit: maximum number of rule instances to inspect; `proof.complete` is False if it was reached.

        Raises:
            NotEntailedError: the triple does not hold at this time.
            InvalidTripleError: `triple` is not a triple.
            TimestampError: `at` is neither the present time nor recorded in the history.
            OptionError: the limit is not above 0.

        >>> import pantarhei as pr
        >>> from rdflib import RDF, Namespace
        >>> EX = Namespace("http://example.org/pedals#")
        >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
        >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
        >>> _ = reasoner.push(1, [gas])
        >>> print(reasoner.explain((EX.x, RDF.type, EX.Accelerating)))
        the car x is accelerating [1]
        └─ because the car x is in class 'gas pedal pressed' (asserted at 1)
        It rests on an assertion made at 1.
        By the axioms:
        [1] 'gas pedal pressed' SubClassOf 'accelerating' (ontologies/pedals.ttl)
        """
        with self._lock:
            return self._explainer.explain(triple, at, all, limit)

    def why_not(
        self, triple: Triple | TemporalAtom, at: TimePoint | None = None, limit: int = WAYS
    ) -> Absence:
        """Explain why a triple does not hold: missing facts, its retracted assertions, and contradictions.

        Missing facts are listed as abductions: minimal sets of facts that, if asserted at the newest
        timestamp, would derive the triple together with the window. Their predicates are classes and
        properties that the stream asserts, their arguments known names or one new name. Sets with the fewest
        facts are first, among these the sets whose rule instances have the most premises that hold. Each set
        is verified on the model, and undone; with `keep="every"` this needs one materialization per step.

        Args:
            triple: a triple that does not hold, or an atom with any number of arguments that temporal rules
                do not conclude.
            at: the time for which to explain; by default the present time.
            limit: maximum number of abductions.

        Raises:
            EntailedError: the triple holds at this time.
            InvalidTripleError: `triple` is not a triple.
            TimestampError: `at` is neither the present time nor recorded in the history.
            OptionError: the limit is not above 0.

        >>> import pantarhei as pr
        >>> from rdflib import RDF, Namespace
        >>> EX = Namespace("http://example.org/pedals#")
        >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
        >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
        >>> _ = reasoner.push(1, [gas])
        >>> update = reasoner.push(2, [brakes])
        >>> absence = reasoner.why_not(gas)
        >>> absence.gone[0].asserted_at, absence.gone[0].removed_at
        (1, 2)
        """
        with self._lock:
            return self._explainer.why_not(triple, at, limit)

    @cached_property
    def _explainer(self) -> WindowExplainer:
        return WindowExplainer(self._held, self._labels, lambda: self.ontology)

    @property
    def _labels(self) -> Labels:
        """Labels of the names in ontology and background."""
        return self._held.prove.labels

    # -- registered queries ------------------------------------------------------------------------

    def register(
        self,
        text: str,
        name: str | None = None,
        window: Window | None = None,
        on: str | Duration | tuple[str | Duration, ...] = "change",
        emit: str = "delta",
    ) -> ContinuousQuery:
        """Register a SPARQL query: each update has the answers that the query reports.

        Args:
            text: the query, as for `query`.
            name: the name of the query; by default `query-1` and so on.
            window: a window inside the reasoner's window; by default the reasoner's window. Its boundaries
                may differ from those of the reasoner's window, it may be left-closed, and its slide may
                exceed its range.
            on: the condition for a report: the window has changed (`"change"`); the window closes
                (`"close"`); the window contains an assertion, even if a repair removed it (`"non-empty"`); or
                a duration (`"5m"`), of which the time is a multiple. If several conditions are given, all
                must hold.
            emit: the answers in a report: those inserted and deleted since the last report (`"delta"`), only
                the inserted (`"istream"`) or only the deleted ones (`"dstream"`), or all answers
                (`"rstream"`).

        Raises:
            QueryError: the query is malformed or not supported.
            OptionError: the name is taken; a block of `all_or_nothing` is active; or the window is not inside
                the reasoner's window.
            RegistrationMemoryError: the reasoner's `max_bytes` would be exceeded.

        >>> import pantarhei as pr
        >>> from rdflib import RDF, Namespace
        >>> EX = Namespace("http://example.org/pedals#")
        >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
        >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
        >>> query = reasoner.register("SELECT ?car { ?car a <http://example.org/pedals#Slowing> }")
        >>> update = reasoner.push(1, [brakes])
        >>> len(update.answers[query].added), len(query.answers)
        (1, 1)
        """
        with self._lock:
            return self._query_registrar().register(text, name, window, on, emit)

    def _data_version(self, symbols: Symbols) -> DataVersion:
        from pantarhei.query.planner import DataVersion

        held, state = self._held, self._held.state(symbols)
        return DataVersion(
            *state.shown,
            lambda: self.timestamps,
            self.interpretation,
            state.is_part,
            lambda: self.quality().triples(),
            (lambda: plain_model(held.concluded(), held.vocabulary)) if held.rule_engine else None,
            self._additional_facts(state),
        )

    def _additional_facts(self, state: StateVersion[Any]) -> WindowModel | None:
        """Return the conclusions that are not in the materialization, if queries match them in the
        default graph.
        """
        held = self._held
        if not held.rule_engine or self.options.conclusions != "default":
            return None
        if self._additional_cache is None or self._additional_cache[0] is not state:
            facts = held.concluded()
            known = np.asarray(state.shown.model.kernel.store.present(contiguous(facts)), np.bool_)
            self._additional_cache = state, plain_model(facts[~known], held.vocabulary)
        return self._additional_cache[1]

    def _conclusion_source(self) -> ConclusionFeed | None:
        return self._held.followed_conclusions()

    @property
    def foundation(self) -> Foundation:
        """Copy of the reasoner's foundation, for workers that materialize ABoxes; the rules are
        compiled again.
        """
        return Foundation.of(self.ontology, self._facts, self.options.unique_names, self.options.numbers)

    def stats(self) -> Stats:
        """Return sizes and counters, such as the numbers of facts, terms and bytes.

        The cost is linear in the timestamps of the window. After an error, or after an eviction by
        `max_bytes`, it also includes a materialization.
        """
        with self._lock:
            return self._held.stats()

    # -- checkpoints -------------------------------------------------------------------------------

    def snapshot(self, note: Mapping[str, Json] | None = None) -> bytes:
        """Return the state as bytes, for `restore`. The cost is linear in the window's assertions.

        Other threads may push meanwhile; the state at the time of the call is saved.

        Args:
            note: a JSON object, such as the position in the stream. It is saved together with the state, and
                becomes the attribute `note` of the restored reasoner.

        Raises:
            OptionError: `note` is not JSON.
        """
        checked = checked_note(note or {})
        return self._captured()(checked)

    def _captured(self, pacer: Pacer = UNPACED) -> Callable[[Mapping[str, Json]], bytes]:
        """Capture the present state; return a function that encodes it with a note, in any thread."""
        with self._lock:
            state, lexicon = self._saved_state(), self._held.vocabulary.lexicon

        def encode(note: Mapping[str, Json]) -> bytes:
            ours = self.options, self._given_ontology, self._given, lexicon, self._saved_repairs
            with self._saving:
                return save(replace(state, note=checked_note(note)), *ours, pacer)

        return encode

    def _saved_state(self) -> State:
        held = self._held
        ill_typed, computed, consumers = (
            held.growing.ill_typed,
            held.computed_literals(),
            held.saved_consumers(),
        )
        return State(held.history, held.forms.copy(), ill_typed, {}, computed, consumers, held.noted)

    def changed_blocks(self, writer: BlockWriter, note: Mapping[str, Json] | None = None) -> BlockChanges:
        """Return the changes of the state since the last call, as a head and blocks, for `restore`.

        The cost is linear in the changes, plus the size of the head and of registered queries and temporal
        rules.

        Args:
            writer: the writer of this reasoner's blocks.
            note: as for `snapshot`.

        Raises:
            CheckpointError: a block of `all_or_nothing` is active.
            OptionError: `note` is not JSON.
        """
        checked = checked_note(note or {})
        with self._lock:
            if self._held.is_part:
                raise CheckpointError(
                    "in blocks", "it cannot be written inside all_or_nothing(); end the block"
                )
            ours = self.options, self._given_ontology, self._given, self._held.vocabulary.lexicon
            return writer.changes(replace(self._saved_state(), note=checked), *ours)

    def checkpoint(self, path: str | os.PathLike[str], note: Mapping[str, Json] | None = None) -> None:
        """Write a snapshot to the file `path`; an existing file is replaced atomically.

        Raises:
            CheckpointError: the file cannot be written; an existing file is unchanged.
            OptionError: `path` is not a path, or `note` is not JSON.
        """
        check_type("path", path, (str, os.PathLike), "the path of a file")
        write_whole(Path(path), self.snapshot(note))

    @classmethod
    def restore(
        cls,
        source: str | os.PathLike[str] | bytes | StoredBlocks,
        ontology: Ontology,
        *,
        background: Graph | Iterable[Triple] | pa.Table | GraphFiles | None = None,
        limits: Limits | None = None,
        history: History | None = None,
        temporal: TemporalRules | None = None,
        window: Window | None = None,
        repair: Method | None = None,
        keep: Keep | None = None,
        unique_names: bool | None = None,
        budget: Budget | None = None,
        derive: Derive | None = None,
        conclusions: ConclusionsIn | None = None,
        numbers: Numbers | None = None,
        tick: Duration | None = None,
    ) -> StreamReasoner:
        """Restore a saved reasoner; for equal further pushes it has the same answers as the saved one.

        The window, options, temporal rules, and the given background are restored. With `keep="every"`, the
        interpretations are those that result from pushing the window's ABoxes in order, which PB26 Def. 8
        does not determine uniquely. The cost is that of materializing the window.

        Args:
            source: a path, the bytes of a snapshot, or the blocks of `changed_blocks`.
            ontology: the ontology of the saved reasoner, which is not in the checkpoint.
            background: must equal the saved background if given; blank nodes then have the given labels.
            limits: replace the saved limits, from the next push on.
            history: replaces the saved bounds and provides the sink, which is not in the checkpoint.
            temporal, window, repair, keep, unique_names, budget, derive, conclusions, numbers: must equal the
                saved values if given.
            tick: must equal the saved tick if given.

        Raises:
            CheckpointError: there is no checkpoint, it is damaged, or it has another format version.
            CheckpointMismatchError: ontology or background differ from the saved ones.
            CheckpointOptionError: temporal rules or options differ from the saved ones.
            OptionError: `limits`, `source` or `ontology` has a wrong type.

        >>> import pantarhei as pr
        >>> from rdflib import RDF, Namespace
        >>> EX = Namespace("http://example.org/pedals#")
        >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
        >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
        >>> _ = reasoner.push(1, [gas])
        >>> saved = reasoner.snapshot(note={"line": 7})
        >>> restored = pr.StreamReasoner.restore(saved, reasoner.ontology)
        >>> restored.timestamps, restored.note
        ((1,), {'line': 7})
        """
        check_type("source", source, _CHECKPOINTS, "a path, or the bytes of a snapshot")
        check_type("ontology", ontology, Ontology, "an ontology from load_ontology")
        saved = read_checkpoint(source)
        always = None if background is None else graph_at(background, "background", several=True)
        given = None if always is None else GivenBackground.beside(ontology, always)
        saved.check(ontology, given)
        of_reasoner = {"window": window, "repair": repair, "keep": keep, "unique_names": unique_names}
        of_work = {"budget": budget, "derive": derive, "conclusions": conclusions, "numbers": numbers}
        saved.check_options({**of_reasoner, **of_work, "tick": tick})
        rules = saved.rules(temporal)
        always, options = (given or saved.background).triples, saved.options
        if limits is not None:
            options = replace(options, limits=limits)
        if history is not None:
            options = replace(options, history=history)
        reasoner = cls.with_options(ontology, options, always)
        held = reasoner._held
        state = saved.state(held.growing)
        reasoner.note = dict(state.note)
        restored = state.history.with_proofs(held.prove).keeping(options.history)
        held.replace(restored, state.forms, state.noted)
        held.consumers.restored({name: make(iter) for name, make in state.consumers.items()})
        held.make_model()  # raises errors in the content
        if rules is not None:
            held.conclude(rules, ontology.predicates)
        if (queries := state.consumers.get(QUERIES)) is not None:
            reasoner._query_registrar().restore(queries(iter))
        return reasoner
