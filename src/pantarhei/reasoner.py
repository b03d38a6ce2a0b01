"""The stream reasoner: inserts ABoxes into a sliding window, and answers what holds in it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np
from rdflib import Graph

from pantarhei.encoding.numbers import Symbols
from pantarhei.engine.checkpoint import (
    GivenBackground,
    Json,
    RepairTable,
    State,
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
    InputError,
    OptionError,
    TimestampError,
    check_type,
)
from pantarhei.explain.absence import Absence
from pantarhei.explain.explainer import LIMIT, WAYS, Explainer
from pantarhei.interpretation.foundation import Foundation, Prover
from pantarhei.interpretation.interpretation import Interpretation
from pantarhei.materialize.kernel_values import contiguous
from pantarhei.materialize.model import Keep, WindowModel, plain_model
from pantarhei.materialized import Materialized
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
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.sentences import Labels, labels_of
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

_CHECKPOINTS = (str, os.PathLike, bytes, bytearray, memoryview)


class StreamReasoner(Materialized):
    """Ontology over a sliding window of a stream: derives what follows and repairs contradictions as ABoxes
    arrive.

    Threads take turns. Memory grows with the window: unused terms, classes and properties included, are
    collected now and then.

    Args:
        ontology: an ontology from `load_ontology`; its assertions are background.
        window: the window.
        background: facts that always hold and that no repair removes: a graph, triples, or a table as `push`
            takes it, whose blank nodes keep their labels. Axioms in it join those of the ontology:
            `reasoner.ontology` then has both, and the given ontology is unchanged.
        repair: `"exact"` removes what some maximal consistent subset lacks, newest-wins (PB26 Defs. 6 and 7);
            `"grounded"` also removes what its simpler fixpoint leaves undecided; `"algorithm3"` is PB26's;
            `"off"` reports all contradictions of the window at each step and removes nothing.
        keep: `"newest"` stores each fact once; `"every"` stores it in each of PB26 Def. 8's interpretations.
            Query answers are equal.
        unique_names: different names denote different things, so that two values of a functional property
            are a conflict; names that are `owl:sameAs` in the background are merged. If False, such values
            become equal, the equality rules (eq-*) apply, and only `owl:differentFrom` contradicts an
            equality; n equal names cost n² facts of equality, and n of each other fact.
        budget: limits of the search in a repair; undecided facts are removed and counted.
        max_facts: the limit of facts in the materialization after a push, background included.
        max_bytes: the limit of bytes after a push, as `stats().bytes` counts them.
        on_limit: `"error"` refuses a push that exceeds a limit, `"drop"` evicts the oldest timestamps of the
            window until the limits hold; `WindowUpdate.dropped_early` has them.
        derive: `"needed"` maintains what registered queries and constraints need; everything else is derived
            on demand, again after each step (docs/continuous.md). Answers and repairs are those of `"all"`;
            updates have no `delta`.
        history: bounds of the past that is remembered, and a sink for what is older (docs/history.md).
        temporal: temporal rules from `load_rules` (docs/temporal-rules.md).
        conclusions: the graph in which queries find conclusions of temporal rules: `"graph"` for
            `urn:pantarhei:conclusions` alone, `"default"` for the default graph too.
        numbers: `"by_datatype"` keeps xsd:double, xsd:float and decimals apart, as OWL does; `"by_value"`
            reads a double or float as the exact decimal that it denotes (docs/semantics.md).
        precision: `"microseconds"` truncates the nanoseconds of pandas' timestamps, warns once and counts
            them in `stats().times_cut`; `"exact"` refuses such timestamps.

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
    """

    _held: StreamState
    _alone: Ontology  # as it was given, without the background's axioms
    window: Window

    def __init__(
        self,
        ontology: Ontology,
        window: Window,
        background: Graph | Iterable[Triple] | pa.Table | None = None,
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
    ) -> None:
        search = Budget() if budget is None else budget
        limits = Limits(max_facts, max_bytes, on_limit)
        kept = History() if history is None else history
        told = search, limits, derive, kept, conclusions, numbers, precision
        options = Options(window, repair, keep, unique_names, *told)
        if temporal is None and conclusions != "graph":
            raise OptionError("conclusions", repr(conclusions), "temporal rules too: temporal=load_rules(…)")
        self._begin(ontology, options, background, temporal)

    @classmethod
    def with_options(
        cls,
        ontology: Ontology,
        options: Options,
        background: ABox | None = None,
        temporal: TemporalRules | None = None,
    ) -> StreamReasoner:
        """Build a reasoner from options, such as another's `options`; raises as the constructor does."""
        reasoner = cls.__new__(cls)
        reasoner._begin(ontology, options, background, temporal)
        return reasoner

    def _begin(
        self, ontology: Ontology, options: Options, background: ABox | None, temporal: TemporalRules | None
    ) -> None:
        check_type("ontology", ontology, Ontology, "what load_ontology gives")
        check_type("options", options, Options, "the options of a reasoner")
        self.options, self.window = options, options.window
        if isinstance(background, Iterator):
            background = tuple(background)
        joined, found = ontology.with_background(background)
        facts = self._facts = tuple(triples_of(found))
        foundation_of = partial(Foundation.of, joined, facts, options.unique_names, options.numbers)
        foundation = foundation_of()
        self._alone = ontology
        self._given = GivenBackground.beside(ontology, facts if joined is ontology else background)
        self._repairs_told, self._saving = RepairTable(), threading.RLock()
        self.note: dict[str, Json] = {}
        self._joined: tuple[object, WindowModel] | None = None  # of `_beside`, and the state that it is of
        prover = Prover(foundation_of, lambda: self._labels)
        self._keep_up(joined, StreamState(foundation, options, prover.proofs, lambda: joined.known_names))
        if temporal is not None:
            check_type("temporal", temporal, TemporalRules, "TemporalRules, as load_rules(text) gives them")
            self._held.conclude(temporal, ontology.predicates)

    def __repr__(self) -> str:
        held = self._held  # not locked: it may run while another thread pushes
        log, facts = held.history.log, held.facts
        newest = "none" if log.newest is None else show_time(log.newest.at)
        return (
            f"StreamReasoner({self.window}, keep={self.options.keep!r}, repair={self.options.repair!r}, "
            f"facts={'?' if facts is None else facts}, partitions={len(log.timeline)}, newest={newest})"
        )

    # -- time passes -------------------------------------------------------------------------------

    def push(self, at: TimePoint, abox: ABox) -> WindowUpdate:
        """Insert the ABox of timestamp `at`: drop what leaves the window, derive, repair.

        A second push at the newest timestamp equals one push of both parts.

        Args:
            at: a time not older than the present time, of the kind of the stream's other timestamps.
            abox: a graph, triples, or an Arrow table with string columns `subject`, `predicate` and `object`
                of terms in N-Triples syntax (its blank nodes belong to this table alone).

        Raises:
            LateABoxError: `at` is older than the present time.
            TimestampError: `at` is of another kind.
            InvalidTripleError: an item of `abox` is not a triple.
            MemoryLimitError: `max_facts` or `max_bytes` would be exceeded.
            After any error the reasoner is unchanged. After an interrupt it is unchanged, or the whole push
            has taken effect.
        """
        return self._step(lambda: self._held.step(at, Arriving((abox,))))

    def push_materialized(
        self,
        at: TimePoint,
        interpretation: Interpretation | pa.Table,
        *further: Interpretation | pa.Table,
        scope: str | None = None,
    ) -> WindowUpdate:
        """Insert the ABox of timestamp `at` together with its consequences, computed elsewhere.

        The result is that of `push`; the rules are only joined across timestamps. The given consequences are
        trusted to be correct and complete. With `keep="every"`, and for a further part of the newest ABox,
        they are derived again.

        Args:
            at: as `push`.
            interpretation: the result of an `ABoxMaterializer` with equal ontology, background and reading of
                names; or an Arrow table as `push` takes it with a further column `derived` of booleans.
            further: the interpretations of further parts of the ABox; the consequences of all parts together
                are then derived again.
            scope: a prefix of letters and digits for the labels of its blank nodes: parts of a message that
                are pushed separately share blank nodes under one prefix. By default each part has its own.

        Raises:
            ForeignInterpretationError: it was made with another foundation.
            OptionError: `scope` is not such a prefix.
            LateABoxError, TimestampError, InvalidTripleError, MemoryLimitError: as `push`.
        """
        prefix = None if scope is None else prefix_of_name(scope)
        arriving = Arriving((interpretation, *further), are_closed=True, scope=prefix)
        return self._step(lambda: self._held.step(at, arriving))

    def advance(self, at: TimePoint) -> WindowUpdate:
        """Advance the time to `at` without an ABox. Costs renewing the facts of dropped partitions.

        Raises:
            LateABoxError, TimestampError: as `push`.
        """
        return self._step(lambda: self._held.step(at, None))

    def _note_times_cut(self, count: int) -> None:
        if count:
            with self._lock:
                self._held.count(Counters(times_cut=count))

    def run(
        self,
        stream: Iterable[tuple[TimePoint, ABox]],
        allowed_lateness: Duration | None = None,
        on_late: Callable[[TimePoint, ABox], object] | None = None,
        *,
        max_ahead: Duration | None = None,
        clock: Callable[[], TimePoint] | None = None,
        on_ahead: Callable[[TimePoint, ABox], object] | None = None,
        on_invalid: Callable[[TimePoint, ABox, InputError], object] | None = None,
    ) -> Iterator[WindowUpdate]:
        """Push the ABoxes of `stream` one by one, yielding the update of each.

        Waiting ABoxes are part of the reasoner's state: checkpoints store them, `stats().waiting` counts
        them, and if the iteration ends early the next `run` continues with them. Waiting parts of one
        timestamp are pushed as one ABox.

        Args:
            stream: pairs of timestamp and ABox, such as `read_stream` and `abox_stream` yield.
            allowed_lateness: the maximal disorder of ABoxes; they wait that long.
            on_late: called with timestamp and ABox of a later arrival; without it that is an error.
            max_ahead: the maximal distance of a timestamp ahead of the clock, or without a clock ahead of the
                newest time. Without a clock an ABox further ahead waits until three following ones, as far
                ahead, prove that time has advanced; if the next one is not, its timestamp is wrong.
            clock: a function that returns the present time, such as `lambda: datetime.now(UTC)`.
            on_ahead: called with timestamp and ABox of an arrival too far ahead; without it that is an error.
            on_invalid: called with timestamp, ABox and error of an invalid ABox (an item is not a triple, or
                the timestamp is of another kind); without it the error is raised.

        Raises:
            OptionError: at once, if `stream` is the name of a file or not iterable, or an option has an
                invalid value.
            TimestampError: an item of the stream is not a pair.
            LateABoxError: an ABox is late, and there is no `on_late`.
            FutureABoxError: an ABox is too far ahead, and there is no `on_ahead`.
        """
        given = self._counted(stream, timed(stream))
        options = Arrivals(allowed_lateness, on_late, max_ahead, clock, on_ahead, on_invalid)
        return Intake(self._held, self._lock, self._step, options).updates(given)

    def _counted(
        self, source: object, given: Iterable[tuple[TimePoint, ABox]]
    ) -> Iterator[tuple[TimePoint, ABox]]:
        """Yield the items of a stream; count the times that its reader has truncated."""
        counted = 0
        for item in given:
            cut = getattr(source, "times_cut", 0)
            self._note_times_cut(cut - counted)
            counted = cut
            yield item

    # -- what holds --------------------------------------------------------------------------------

    def assertions(self) -> set[Assertion]:
        """Return pairs of timestamp and triple that are asserted in the window and not cut. Costs the
        occurrences.
        """
        with self._lock:
            return {
                (entry.at, triple)
                for entry, facts in self._held.history.log.kept()
                for triple in self._held.vocabulary.decode(facts, entry.forms.by_fact)
            }

    def interpretation(self, at: TimePoint) -> set[Triple]:
        """Return the facts attached to the timestamp `at` (PB26 Def. 8).

        With `keep="newest"` the facts for which it is the newest timestamp.

        Raises:
            TimestampError: the window has no ABox of that timestamp.
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
            f"the timestamp {show_time(at)}", "one of those in the window, reasoner.timestamps"
        )

    @property
    def timestamps(self) -> tuple[TimePoint, ...]:
        """The timestamps in the window, oldest first, empty ABoxes included."""
        with self._lock:
            return tuple(entry.at for entry in self._held.history.log)

    @property
    def newest(self) -> TimePoint | None:
        """The newest time so far, waiting ABoxes included; None before the first."""
        with self._lock:
            history = self._held.history
        times = [] if history.step is None else [(history.step.now, history.step.kind)]
        if history.waiting.newest is not None and history.waiting.kind is not None:
            times.append((history.waiting.newest, history.waiting.kind))
        return time_of(*max(times, key=itemgetter(0))) if times else None

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """The repairs of the window's ABoxes that found a contradiction, oldest first."""
        with self._lock:
            history = self._held.history
        return tuple(repair for level, repair in history.repairs if level >= history.log.timeline.first_level)

    def quality(self) -> Quality:
        """Return the conflicts and cuts of entities, properties and constraints in window and history, with
        the age of the last uncontradicted report. Queries read it as `urn:pantarhei:quality`.

        Costs a pass over the assertions, and the computation of the repairs' conflicts.
        """
        with self._lock:
            return self._held.quality()

    def flush_history(self) -> None:
        """Write the whole history to its sink and remove it, at the end of a stream.

        Raises:
            OptionError: the history has no sink.
        """
        if self.options.history.sink is None:
            raise OptionError("history", repr(self.options.history), "one with a sink")
        with self._lock:
            self._held.flush_history()

    def conclusions(self) -> ConclusionSet:
        """Return the triples that temporal rules conclude at the present tick, as a set that later pushes do
        not change.

        The first call costs a pass over the rules' kernel; later calls cost what has changed since.
        """
        with self._lock:
            return self._held.concluded_triples()

    def atoms(self) -> frozenset[TemporalAtom]:
        """Return the conclusions of temporal rules at the present tick, with any number of arguments.

        Costs a pass over the rules' kernel.
        """
        with self._lock:
            return self._held.conclusions()

    @property
    def temporal(self) -> TemporalRules | None:
        """The temporal rules of the reasoner."""
        return self._held.temporal

    @property
    def next_turn(self) -> TimePoint | None:
        """The next time at which conclusions may change without a push, for `advance`; None if never."""
        with self._lock:
            ticks, step = self._held.next_turn, self._held.history.step
            return None if ticks is None or step is None else time_of(ticks, step.kind)

    def conflicts(self) -> ConflictList[Conflict]:
        """Return all conflict sets of the window; none except with `repair="off"`.

        If the budget does not suffice to list all, `complete` of the list is False. Costs a pass over the
        facts, and the search for conflicts.
        """
        with self._lock:
            return self._held.conflicts()

    # -- why ---------------------------------------------------------------------------------------

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
        """Explain a triple: facts and rules down to timestamped assertions, background and axioms.

        Returns the proof whose oldest assertion is newest (the fact's annotation: PB26 Def. 8, IM10's
        expiration time); of several one with a minimal set of assertions; then with the fewest assertions,
        then the fewest rule instances found within the limit. Costs the rule instances behind the triple; a
        push costs nothing for it.

        The proof of a conclusion of temporal rules ends at the input of single ticks: see
        docs/temporal-rules.md. A triple that holds in the window too is explained by the window first, an
        atom by the rules.

        Args:
            triple: a triple of the materialization or of the conclusions; or an atom of `atoms()`.
            at: the time; by default the present, the only time at which conclusions are known.
            all: return a proof for each minimal set of assertions that the triple follows from, and for each
                instance of a temporal rule that concludes it.
            limit: the number of rule instances to inspect; `proof.complete` is True if it sufficed.

        Raises:
            NotEntailedError: the triple does not hold.
            InvalidTripleError: it is not a triple.
            TimestampError: the time is neither the present nor remembered.
            OptionError: the limit is not above 0.
        """
        with self._lock:
            return self._explainer.explain(triple, at, all, limit)

    def why_not(
        self, triple: Triple | TemporalAtom, at: TimePoint | None = None, limit: int = WAYS
    ) -> Absence:
        """Explain the absence of a triple: missing facts, the fate of its assertions, contradictions.

        Lists the ways in which it would hold: minimal sets of facts from which it follows together with the
        window, asserted at the newest timestamp, of classes and properties that the stream asserts and of
        known names or a new one. Sets with the fewest facts come first, of these the sets with the most
        premises present. Each is tried on the model and undone; with `keep="every"` that costs a
        materialization, once a step.

        Args:
            triple: a triple outside the materialization and the conclusions; or such an atom, with any number
                of arguments, for the reason that temporal rules do not conclude it.
            at: the time; by default the present.
            limit: the number of ways to list.

        Raises:
            EntailedError: the triple holds.
            InvalidTripleError: it is not a triple.
            TimestampError: the time is neither the present nor remembered.
            OptionError: the limit is not above 0.
        """
        with self._lock:
            return self._explainer.why_not(triple, at, limit)

    @cached_property
    def _explainer(self) -> Explainer:
        return Explainer(self._held, self._labels, lambda: self.ontology)

    @cached_property
    def _labels(self) -> Labels:
        """Labels of names in ontology and background."""
        return {**labels_of(self._given.triples), **self.ontology.labels}

    # -- queries that are kept up to date ----------------------------------------------------------

    def register(
        self,
        text: str,
        name: str | None = None,
        window: Window | None = None,
        on: str | Duration | tuple[str | Duration, ...] = "change",
        emit: str = "delta",
    ) -> ContinuousQuery:
        """Keep the answers of a SPARQL query up to date: each update has the inserted and deleted answers.

        Args:
            text: the query, as `query` takes it.
            name: its name; by default `query-1` and so on.
            window: a part of the reasoner's window; by default all of it. It ends at boundaries of its own,
                may be closed to the left, and its steps may exceed its range.
            on: the report condition: each step that changes the window (`"change"`), the closing of the
                window (`"close"`), an assertion in the window, cut or not (`"non-empty"`), multiples of a
                duration; of several conditions all must hold.
            emit: the report: answers inserted and deleted since the last report (`"delta"`), only one of
                these (`"istream"`, `"dstream"`), or all answers (`"rstream"`).

        Raises:
            QueryError: the query is malformed or not supported.
            OptionError: the name is taken; a block is active; or the window exceeds the reasoner's.
            RegistrationMemoryError: the reasoner's `max_bytes` would be exceeded.
        """
        with self._lock:
            return self._registering().register(text, name, window, on, emit)

    def _moment(self, symbols: Symbols) -> DataVersion:
        from pantarhei.query.planner import DataVersion

        held, state = self._held, self._held.state(symbols)
        return DataVersion(
            *state.shown,
            lambda: self.timestamps,
            self.interpretation,
            state.is_part,
            lambda: self.quality().triples(),
            (lambda: plain_model(held.concluded(), held.vocabulary)) if held.concludes else None,
            self._beside(state),
        )

    def _beside(self, state: StateVersion[Any]) -> WindowModel | None:
        """Return the conclusions outside the materialization, if they belong to the default graph."""
        held = self._held
        if not held.concludes or self.options.conclusions != "default":
            return None
        if self._joined is None or self._joined[0] is not state:
            facts = held.concluded()
            known = np.asarray(state.shown.model.kernel.store.present(contiguous(facts)), np.bool_)
            self._joined = state, plain_model(facts[~known], held.vocabulary)
        return self._joined[1]

    def _followed_conclusions(self) -> ConclusionFeed | None:
        return self._held.followed_conclusions()

    @property
    def foundation(self) -> Foundation:
        """A foundation equal to the reasoner's own, for workers that materialize ABoxes.

        Costs compiling the rules.
        """
        return Foundation.of(self.ontology, self._facts, self.options.unique_names, self.options.numbers)

    def stats(self) -> Stats:
        """Return sizes and counters: facts, terms, bytes. Costs a pass over the timestamps.

        After an error, or if timestamps were evicted for their bytes, it also costs a materialization.
        """
        with self._lock:
            return self._held.stats()

    # -- going on in another process ---------------------------------------------------------------

    def snapshot(self, note: Mapping[str, Json] | None = None) -> bytes:
        """Return the state as bytes, for `restore`. Costs the window's assertions as columns.

        Other threads may push meanwhile; saved is the state at the time of the call.

        Args:
            note: a JSON object, such as the position in the stream. It is saved together with the state, and
                is `note` of the restored reasoner.

        Raises:
            OptionError: `note` is not JSON.
        """
        with self._lock:
            held, said = self._held, checked_note(note or {})
            met, computed = held.growing.ill_typed, held.computed_literals()
            kept, lexicon = held.saved_consumers(), held.vocabulary.lexicon
            state = State(held.history, held.forms.copy(), met, said, computed, kept, held.noted)
        with self._saving:
            return save(state, self.options, self._alone, self._given, lexicon, self._repairs_told)

    def checkpoint(self, path: str | os.PathLike[str], note: Mapping[str, Json] | None = None) -> None:
        """Write a snapshot to `path`, replacing the file there; the file is whole at any moment.

        Raises:
            CheckpointError: the file cannot be written; the old file is unchanged.
            OptionError: `path` is not a path, or `note` is not JSON.
        """
        check_type("path", path, (str, os.PathLike), "the path of a file")
        write_whole(Path(path), self.snapshot(note))

    @classmethod
    def restore(
        cls,
        source: str | os.PathLike[str] | bytes,
        ontology: Ontology,
        *,
        background: Graph | Iterable[Triple] | pa.Table | None = None,
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
    ) -> StreamReasoner:
        """Restore a saved reasoner: with the same pushes it gives the same answers from here on.

        Window, options, temporal rules, and the background beside the ontology are restored. With
        `keep="every"` the interpretations are those of the window's ABoxes pushed in order, which Definition
        8 does not wholly determine. Costs a materialization of the window.

        Args:
            source: a path, or the bytes of a snapshot.
            ontology: the ontology of the saved reasoner; it is not in the checkpoint.
            background: if given, it must equal the saved one; the blank nodes are then the given ones.
            limits: if given, they replace the saved limits, from the next push on.
            history: if given, it replaces the saved bounds; the sink is not in the checkpoint.
            temporal, window, repair, keep, unique_names, budget, derive, conclusions, numbers: if given, they
                must equal the saved ones.

        Raises:
            CheckpointError: there is no checkpoint, it is damaged, or its format has another version.
            CheckpointMismatchError: ontology or background differ.
            CheckpointOptionError: temporal rules or options differ.
            OptionError: `limits` are not Limits, or source or ontology have another type.
        """
        check_type("source", source, _CHECKPOINTS, "a path, or the bytes of a snapshot")
        check_type("ontology", ontology, Ontology, "what load_ontology gives")
        saved = read_checkpoint(source)
        given = None if background is None else GivenBackground.beside(ontology, background)
        saved.check(ontology, given)
        of_reasoner = {"window": window, "repair": repair, "keep": keep, "unique_names": unique_names}
        of_work = {"budget": budget, "derive": derive, "conclusions": conclusions, "numbers": numbers}
        saved.check_options({**of_reasoner, **of_work})
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
        held.consumers.restored({name: make() for name, make in state.consumers.items()})
        held.make_model()  # errors in the content are raised here
        if rules is not None:
            held.conclude(rules, ontology.predicates)
        if (queries := state.consumers.get(QUERIES)) is not None:
            reasoner._registering().restore(queries())
        return reasoner
