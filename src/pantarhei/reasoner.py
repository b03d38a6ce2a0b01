"""The stream reasoner: a window of a stream, and what holds in it.

The books hold what was asserted and cut: the ground truth, which the window model is derived from. A push
replaces them last of all and at once; whatever goes wrong before, the model is made again from the books.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast, get_args

import numpy as np
from rdflib import Dataset, Graph

from pantarhei.books import Books
from pantarhei.checkpoint import (
    GivenBackground,
    Json,
    Options,
    RepairTable,
    State,
    Written,
    checked_note,
    read_checkpoint,
    save,
    write_whole,
)
from pantarhei.compaction import compact, most_entries
from pantarhei.errors import ForeignInterpretationError, InvalidTripleError, OptionError, TimestampError
from pantarhei.foundation import Foundation
from pantarhei.interpretation import Closed, Interpretation, encode, split
from pantarhei.language.columns import ColumnarTriples, triples_of
from pantarhei.language.term import Term, Triple
from pantarhei.language.time import Duration, TimePoint, show_time, ticks_of, time_of
from pantarhei.materialize.footprint import vocabulary_bytes
from pantarhei.materialize.forms import GivenForms
from pantarhei.materialize.model import Keep, Overfull, WindowModel, Work
from pantarhei.materialize.vocabulary import Encoded, Tables
from pantarhei.ontology import Ontology
from pantarhei.query.result import QueryResult
from pantarhei.query.sparql import run_query, window_dataset, window_graph
from pantarhei.repair.choose import METHODS, Method
from pantarhei.repair.conflict import Budget
from pantarhei.repair.result import Assertion, Repair
from pantarhei.repair.step import Repairer
from pantarhei.rules.program import FIRST_LITERAL, Integers
from pantarhei.stats import Stats, bytes_of_log
from pantarhei.tick import Outcome, Tick, WindowUpdate
from pantarhei.window.limits import Limits, OnLimit, later_starts
from pantarhei.window.sliding import Step, Window, step_to
from pantarhei.window.watermark import in_time_order

if TYPE_CHECKING:
    import pyarrow as pa

    ABox: TypeAlias = Graph | Iterable[Triple] | pa.Table

_log = logging.getLogger("pantarhei.limits")


class StreamReasoner:
    """An ontology over a sliding window of a stream: what follows, kept up and repaired as ABoxes arrive.

    Threads take turns. Memory grows with the window: terms that nothing in it uses are forgotten now and
    then, but for names of classes and properties.

    Args:
        ontology: what was loaded with `load_ontology`; the assertions in it are background.
        window: which timestamps are kept.
        background: facts that hold at every time and that no repair removes: a graph, triples, or a table as
            `push` takes it, whose blank nodes keep their labels.
        repair: `"exact"` removes what some maximal consistent subset lacks, newest-wins (PB26 Defs. 6 and 7);
            `"grounded"` also removes what its simpler fixpoint leaves undecided; `"algorithm3"` is PB26's;
            `"off"` only reports, at each step all contradictions of the window.
        keep: `"newest"` stores each fact once; `"every"` stores it in each of PB26 Def. 8's interpretations.
            Queries see no difference.
        unique_names: different names denote different things, so that two values of a functional property
            are a conflict; names that the background says are `owl:sameAs` are merged under one of them. If
            False, such values become equal, equality is reasoned with (eq-*), and only `owl:differentFrom`
            contradicts it; n equal names cost n² facts of equality, and n of each other fact.
        budget: how far an exact repair searches.
        max_facts: how many facts the materialization may have after a push, the background's among them.
        max_bytes: how many bytes its state may take then, as `stats().bytes` counts them.
        on_limit: `"error"` refuses a push that would leave more, `"drop"` lets the oldest timestamps leave
            the window early, until it fits; `WindowUpdate.dropped_early` names them.

    Raises:
        InconsistentOntologyError: ontology and background contradict each other.
        MemoryLimitError: the background alone is beyond a limit.
        OptionError: an option has no such value.

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
    ) -> None:
        _check_type("ontology", ontology, Ontology, "what load_ontology gives")
        _check_type("window", window, Window, "a Window, such as Window(range=10)")
        _check_type("budget", budget, Budget | None, "a Budget")
        _check_option("repair", repair, METHODS)
        _check_option("keep", keep, get_args(Keep))
        _check_option("unique_names", unique_names, (True, False))
        self.ontology, self.window = ontology, window
        self._keep, self._unique_names = keep, unique_names
        self._limits = Limits(max_facts, max_bytes, on_limit)
        if not isinstance(background, str):
            background = tuple(triples_of(background))
        self._foundation = Foundation.of(ontology, background, unique_names)
        self._given = GivenBackground.beside(ontology, background)
        self._repairs_told = RepairTable()
        self.note: dict[str, Json] = {}
        self._growing, self._vocabulary = self._foundation.growing, self._foundation.vocabulary
        self._background = self._foundation.background
        self._repairer = Repairer(repair, budget or Budget(), self._vocabulary)
        self._lock = threading.RLock()  # one thread at a time: looking may index the kernel's rows
        self._messages = 0
        self._at_once = 0  # how many `all_or_nothing` are under way
        self._forms = GivenForms(self._vocabulary)
        self._books = Books()
        self._derived: WindowModel | None = None
        self._derived = self._model  # refuses an inconsistent background
        facts = self._derived.facts()
        came = np.column_stack([facts, np.ones(len(facts), np.int32)])
        self._forms.apply(self._forms.change(came, self._background))
        self._most_entries = most_entries(self._vocabulary, len(facts))
        self._entries_kept = self._vocabulary.size
        self._unused = 0  # bytes of terms that are known to be in no use
        self._dropped_told = 0
        exceeded = self._limits.exceeded(len(facts), self._bytes())
        if exceeded is not None:
            raise self._limits.error(exceeded, None)

    # -- time passes -------------------------------------------------------------------------------

    def push(self, at: TimePoint, abox: ABox) -> WindowUpdate:
        """Take in the ABox of timestamp `at`: drop what leaves the window, repair, add.

        A second push at the newest timestamp equals one push of both parts.

        Args:
            at: not older than any time seen; of the kind of the stream's other timestamps.
            abox: a graph, triples, or an Arrow table with string columns `subject`, `predicate` and `object`
                that hold terms in N-Triples syntax (its blank nodes belong to this table alone).

        Raises:
            LateABoxError: time has passed `at`.
            TimestampError: `at` is of another kind.
            InvalidTripleError: something in `abox` is no triple.
            MemoryLimitError: there would be more than `max_facts` or `max_bytes`.
            After any error the reasoner is as it was.
        """
        with self._lock:
            step = self._step_to(at)
            given = self._encode(abox, self._scope())
            return self._arrive(step, at, Closed(given.facts, given, finished=False))

    def push_materialized(
        self, at: TimePoint, interpretation: Interpretation | pa.Table, *, scope: str | None = None
    ) -> WindowUpdate:
        """Take in the ABox of timestamp `at` together with what follows from it, as found elsewhere.

        Does what `push` of the ABox does; the rules are only joined across timestamps. What was found is
        trusted to be just what follows. With `keep="every"`, and for a further part of the newest ABox, what
        follows is derived again.

        Args:
            at: as `push`.
            interpretation: what `ABoxMaterializer` gives, made with the same ontology, background and reading
                of names; or an Arrow table as `push` takes it with a further column `derived` of booleans.
            scope: a prefix for the labels of its blank nodes, letters and digits: parts of a message that
                come apart share them under one prefix. By default its blank nodes are its own.

        Raises:
            ForeignInterpretationError: it was made with something else.
            OptionError: `scope` is no such prefix.
            LateABoxError, TimestampError, InvalidTripleError, MemoryLimitError: as `push`.
        """
        with self._lock:
            step = self._step_to(at)
            return self._arrive(step, at, self._encode_closed(interpretation, self._scope(scope)))

    def _arrive(self, step: Step, at: TimePoint, given: Closed) -> WindowUpdate:
        """Take in an ABox, new or a further part of the newest."""
        if not self._growing.covers(given.asserted.facts):
            self._derived = None  # a model of the grown program is to be made
            self._growing.grow(given.asserted.facts)
        newest = self._books.log.newest
        if newest is not None and newest.ticks == step.now:
            return self._transact(step, lambda tick: tick.extend(newest, given.asserted))
        return self._transact(step, lambda tick: tick.take_in(at, given))

    def advance(self, at: TimePoint) -> WindowUpdate:
        """Time comes to `at`, and nothing arrives. Costs what renewing the facts of dropped partitions costs.

        Raises:
            LateABoxError, TimestampError: as `push`.
        """
        with self._lock:
            step = self._step_to(at)
            return self._transact(step, lambda tick: tick.pass_(at))

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """What is pushed inside is taken in as a whole: after an error none of it is.

        Going back costs a materialization of the window. Terms that are not used any more are forgotten
        before, not inside.
        """
        with self._lock:
            self._forget_unused()
            books, messages, forms = self._books, self._messages, self._forms.copy()
            outer = self._at_once
            try:
                self._at_once = outer + 1
                yield
            except BaseException:
                self._books, self._messages, self._forms = books, messages, forms
                self._derived, self._unused = None, 0
                raise
            finally:
                self._at_once = outer

    def run(
        self,
        stream: Iterable[tuple[TimePoint, ABox]],
        allowed_lateness: Duration | None = None,
        on_late: Callable[[TimePoint, ABox], object] | None = None,
    ) -> Iterator[WindowUpdate]:
        """Push the ABoxes of `stream` one by one, giving the update of each.

        Args:
            stream: pairs of timestamp and ABox, such as `read_stream` gives.
            allowed_lateness: how far ABoxes may come out of order; they are held back that long.
            on_late: called with timestamp and ABox of what comes later still, which else is an error.

        Raises:
            LateABoxError: an ABox came too late, and there is no `on_late`.
        """
        ordered = stream
        if allowed_lateness is not None or on_late is not None:
            ordered = in_time_order(stream, allowed_lateness, self._note_late(on_late))
        for at, abox in ordered:
            yield self.push(at, abox)

    def _note_late(
        self, on_late: Callable[[TimePoint, ABox], object] | None
    ) -> Callable[[TimePoint, ABox], object] | None:
        """`on_late`, with the late ones counted."""
        if on_late is None:
            return None

        def counted(at: TimePoint, abox: ABox) -> None:
            on_late(at, abox)
            with self._lock:
                self._books = replace(self._books, counters=self._books.counters.more(late=1))

        return counted

    # -- what holds --------------------------------------------------------------------------------

    def materialization(self) -> set[Triple]:
        """The closure of the repaired window and the background; no schema triples. Costs its size."""
        with self._lock:
            return set(self._vocabulary.decode(self._model.facts(), self._forms.facts))

    def assertions(self) -> set[Assertion]:
        """(timestamp, triple) of what was asserted in the window and never cut. Costs the occurrences."""
        with self._lock:
            return {
                (entry.at, triple)
                for entry, facts in self._books.log.kept()
                for triple in self._vocabulary.decode(facts, entry.forms)
            }

    def interpretation(self, at: TimePoint) -> set[Triple]:
        """The facts attached to the timestamp `at` (PB26 Def. 8).

        With `keep="newest"` those for which it is the newest.

        Raises:
            TimestampError: the window has no ABox of that timestamp.
        """
        with self._lock:
            step = self._books.step
            ticks = ticks_of(at, step.kind) if step else None
            for entry in self._books.log:
                if entry.ticks == ticks:
                    forms = {**self._forms.facts, **entry.forms}
                    return set(self._vocabulary.decode(self._model.interpretation(entry.level), forms))
        raise TimestampError(
            f"the timestamp {show_time(at)}", "one of those in the window, reasoner.timestamps"
        )

    @property
    def timestamps(self) -> tuple[TimePoint, ...]:
        """The timestamps in the window, oldest first, those of empty ABoxes included."""
        with self._lock:
            return tuple(entry.at for entry in self._books.log)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """The repairs of the window's ABoxes that found a contradiction, oldest first."""
        with self._lock:
            books = self._books
        return tuple(repair for level, repair in books.repairs if level >= books.log.first_level)

    @property
    def background(self) -> set[Triple]:
        """The facts that always hold, as given."""
        return set(self._vocabulary.decode(*self._background))

    @cached_property
    def graph(self) -> Graph:
        """The materialization as a live, read-only rdflib graph."""
        return window_graph(_LiveSource(self))

    @cached_property
    def dataset(self) -> Dataset:
        """`graph` as default graph, with the ontology and the timestamps' interpretations as named ones."""
        return window_dataset(
            _LiveSource(self), self.ontology.graph, lambda: self.timestamps, self.interpretation
        )

    def query(self, text: str) -> QueryResult:
        """The answers of a SPARQL query over the materialization as it is now.

        Named graphs: `urn:pantarhei:ontology` and `urn:pantarhei:at:<timestamp>`. The prefixes of the
        ontology's graph need no declaration.

        Raises:
            QueryError: the query is malformed, or asks for the network (SERVICE, FROM) or for a change.
        """
        with self._lock:
            return run_query(self.dataset, text, namespaces=dict(self.ontology.graph.namespaces()))

    @property
    def options(self) -> Options:
        """What the reasoner was told when it was made, beside ontology and background."""
        repairer, limits = self._repairer, self._limits
        return Options(self.window, repairer.method, self._keep, self._unique_names, repairer.budget, limits)

    @property
    def foundation(self) -> Foundation:
        """A foundation like the reasoner's own, for those who materialize ABoxes for it.

        Costs compiling the rules.
        """
        return Foundation.of(self.ontology, self._given.triples, self._unique_names)

    @property
    def work(self) -> Work:
        """Counters of what the window model has done."""
        with self._lock:
            return self._model.work

    def stats(self) -> Stats:
        """What it holds and has done: facts, terms, bytes, counters. Costs a look at each timestamp.

        After an error, or where timestamps left early for their bytes, it costs a materialization more.
        """
        with self._lock:
            if self._unused:
                self._forget_unused()
            model, vocabulary = self._model, self._vocabulary
            terms = len(vocabulary.symbols), len(vocabulary.names), len(vocabulary.literals)
            size = model.bytes_used, vocabulary_bytes(vocabulary)
            return Stats.of(len(model), self._books.log, terms, size, model.work, self._books.counters)

    # -- going on in another process ---------------------------------------------------------------

    def snapshot(self, note: Mapping[str, Json] | None = None) -> bytes:
        """The state as bytes, for `restore`. Costs the window's assertions as columns.

        Args:
            note: what JSON can say, to be found again as `note` of the restored reasoner: how far the stream
                was read, say. It is saved with the state, or neither is.

        Raises:
            OptionError: JSON cannot say `note`.
        """
        with self._lock:
            written = Written(self._forms.facts, self._forms.pairs)
            met = self._growing.ill_typed
            state = State(
                self._books, written, self._messages, met, checked_note(note or {}), self._computed()
            )
            known = self._given, self._vocabulary, self._repairs_told
            return save(state, self.options, self.ontology, *known)

    def checkpoint(self, path: str | os.PathLike[str], note: Mapping[str, Json] | None = None) -> None:
        """Write a snapshot to `path`, in the place of the one that is there; it is whole at any moment.

        Raises:
            CheckpointError: it cannot be written; what was there is there still.
            OptionError: JSON cannot say `note`.
        """
        write_whole(Path(path), self.snapshot(note))

    @classmethod
    def restore(
        cls,
        source: str | os.PathLike[str] | bytes,
        ontology: Ontology,
        *,
        background: Graph | Iterable[Triple] | pa.Table | None = None,
        limits: Limits | None = None,
    ) -> StreamReasoner:
        """The reasoner that was saved: with the same pushes from here on it gives the same answers.

        Window, options, and background beside the ontology's are those that were saved. With `keep="every"`
        the interpretations are those of the window's ABoxes pushed in order, which Definition 8 does not
        wholly determine. Costs a materialization of the window.

        Args:
            source: a path, or the bytes of a snapshot.
            ontology: the one that it was saved with; it is not in the checkpoint.
            background: if given, it must be the saved one. Its blank nodes are then the ones meant.
            limits: if given, they take the place of the saved ones; they count from the next push on.

        Raises:
            CheckpointError: there is no checkpoint, or it is damaged, or of a newer format.
            CheckpointMismatchError: ontology or background are others.
        """
        saved = read_checkpoint(source)
        given = None if background is None else GivenBackground.beside(ontology, background)
        saved.check(ontology, given)
        always, options = (given or saved.background).triples, saved.options
        if limits is not None:
            options = options._replace(limits=limits)
        reasoner = cls(ontology, options.window, always, *options.others)
        state = saved.state(reasoner._growing)
        reasoner._books, reasoner._messages, reasoner.note = state.books, state.messages, dict(state.note)
        reasoner._forms = GivenForms(
            reasoner._vocabulary, dict(state.written.facts), dict(state.written.pairs)
        )
        reasoner._derived = None
        reasoner._derived = reasoner._model
        return reasoner

    def _computed(self) -> Integers:
        """The literals in the materialization that need not be in the books: what rules have computed."""
        if not self._growing.program.builtins:
            return np.empty(0, np.int32)
        objects = self._model.facts()[:, 2]
        return objects[objects >= FIRST_LITERAL]

    # -- terms that are not used any more ----------------------------------------------------------

    def _step_to(self, at: TimePoint) -> Step:
        """The step to `at`, from a state without terms that have long not been used."""
        step = step_to(self.window, self._books.step, at)
        self._forget_unused()
        return step

    def _forget_unused(self) -> None:
        """Make the state compact if much is not used; not where one of old numbers may come back.

        After an error it is as it was; the model may have to be made again.
        """
        vocabulary = self._vocabulary
        if self._at_once or not (self._unused or vocabulary.size > self._most_entries or self._is_tight()):
            return
        model, before = self._model, (vocabulary.tables, self._books, self._forms)
        found = compact(vocabulary, self._foundation.common, self._books, self._forms, model)
        self._derived = None
        try:
            self._take_over(found.tables, found.books, found.forms)
        except BaseException:
            self._take_over(*before)
            raise
        model.rename(found.renaming)
        self._derived = model
        self._most_entries, self._entries_kept = most_entries(vocabulary, found.stored), vocabulary.size
        self._unused = 0

    def _is_tight(self) -> bool:
        """Whether bytes are nearly too many, and terms may have come that are not used any more."""
        most, size = self._limits.max_bytes, self._vocabulary.size
        if most is None or size * 8 <= self._entries_kept * 9:
            return False
        kernel = 0 if self._derived is None else self._derived.bytes_used
        return 4 * (kernel + self._bytes_beside()) > 3 * most

    def _take_over(self, tables: Tables, books: Books, forms: GivenForms) -> None:
        self._vocabulary.take(tables)
        self._books, self._forms = books, forms

    # -- one step ----------------------------------------------------------------------------------

    def _transact(self, step: Step, stages: Callable[[Tick], Outcome]) -> WindowUpdate:
        """A tick's `stages` done to the model and written into the books, or nothing.

        The model counts as lost until all has gone well; whoever needs it then makes it again from the books.
        Where it came to too much on the way, and timestamps may leave early, it is seen first whether the
        ABox alone is too much; then further attempts are made from later starts, each of which costs a
        materialization of the window.
        """
        try:
            return self._attempt(step, stages)
        except Overfull as error:
            full = error.facts, error.bytes
        starts = self._later_starts(step) if self._limits.drops else []
        try:
            if starts:
                self._try_alone(step, stages, starts[-1])
            for start in starts:
                with suppress(Overfull):
                    return self._attempt(step, stages, start)
        except Overfull as error:
            full = error.facts, error.bytes
        raise self._limits.error(self._limits.exceeded_by(*full), time_of(step.now, step.kind))

    def _attempt(self, step: Step, stages: Callable[[Tick], Outcome], start: int = 0) -> WindowUpdate:
        model = self._model
        self._derived = None
        done = self._done(model, self._books, step, stages, start)
        self._tell_of_dropped(done)
        self._books = done.books
        self._forms.apply(done.forms)
        self._derived, self._unused = None if done.roomy else model, done.unused
        return done.update

    def _done(
        self, model: WindowModel, books: Books, step: Step, stages: Callable[[Tick], Outcome], start: int
    ) -> Outcome:
        """A tick's `stages` done to `model`, within the limits."""
        limits, rules = self._limits, self._growing.program.rules
        tick = Tick(model, books, self._forms, rules, self._repairer, step, limits, start, self._unused)
        if not limits:
            return stages(tick)
        with model.limited(limits.most_facts_on_the_way, self._bytes_left()):
            return stages(tick)

    def _try_alone(self, step: Step, stages: Callable[[Tick], Outcome], start: int) -> None:
        """Do a tick's `stages` with nothing before the level `start`, to no effect.

        Raises:
            Overfull, MemoryLimitError: that is too much already.
        """
        model, books = self._made_from(replace(self._books, log=self._books.log.from_level(start)))
        self._done(model, books, step, stages, start)

    # -- limits ------------------------------------------------------------------------------------

    def _bytes(self) -> int:
        """What is held against `max_bytes`; 0 if there is no such limit."""
        return 0 if self._limits.max_bytes is None else self._model.bytes_used + self._bytes_beside()

    def _bytes_beside(self) -> int:
        """The bytes of books and terms, without those of terms that are known to be in no use."""
        terms = vocabulary_bytes(self._vocabulary) - self._unused
        return bytes_of_log(self._books.log) + max(0, terms)

    def _bytes_left(self) -> int | None:
        """The bytes that the kernel's arrays may grow to; None for any number."""
        most = self._limits.max_bytes
        return None if most is None else max(0, most - self._bytes_beside())

    def _later_starts(self, step: Step) -> list[int]:
        """The levels to begin at, one after the other, where a tick has no room beside what is older."""
        log, newest = self._books.log, self._books.log.newest
        further = newest is not None and newest.ticks == step.now
        end = newest.level if further and newest is not None else self._books.next_level
        return list(later_starts([entry for entry in log if step.first <= entry.ticks < step.now], end))

    def _tell_of_dropped(self, done: Outcome) -> None:
        """Warn of timestamps that leave early: at the first, and whenever they have doubled since."""
        dropped, early = done.books.counters.dropped_early, done.update.dropped_early
        if not early:
            return
        level = logging.WARNING if dropped >= 2 * self._dropped_told else logging.DEBUG
        names = ", ".join(
            f"{name}={getattr(self._limits, name)}"
            for name in ("max_facts", "max_bytes")
            if getattr(self._limits, name) is not None
        )
        _log.log(
            level,
            "at %s the window lost %s to %s early, to keep %s; %d timestamps so far",
            show_time(done.update.at),
            show_time(early[0]),
            show_time(early[-1]),
            names,
            dropped,
        )
        if level == logging.WARNING:
            self._dropped_told = dropped

    # -- the model from the books ------------------------------------------------------------------

    @property
    def _model(self) -> WindowModel:
        """The window model; made again where an error lost it, which costs a materialization."""
        if self._derived is None:
            self._derived, self._books = self._made_from(self._books)
        return self._derived

    def _made_from(self, books: Books) -> tuple[WindowModel, Books]:
        """The model of `books`, and the books with what undoing the newest ABox takes in that model."""
        newest, arrival = books.log.newest, books.arrival
        older = books.log if newest is None else books.log.without_newest()
        entries = list(older.kept())[::-1]
        first = entries[0][0].level if entries else newest.level if newest else books.next_level
        model = self._foundation.model(self._keep, first)
        for entry, facts in entries:
            model.add(facts, entry.level)
        if newest is not None and arrival is not None:
            previous = model.add(newest.facts, newest.level)
            if len(newest.cut):
                model.cut(newest.cut)
            books = replace(books, arrival=arrival._replace(facts=newest.facts, previous=previous))
        model.violations()
        model.take_changes()
        return model, books

    def _encode_closed(self, interpretation: Interpretation | pa.Table, scope: str) -> Closed:
        if not isinstance(interpretation, Interpretation):
            if not hasattr(interpretation, "schema"):
                expected = "an Interpretation, or a pyarrow.Table with a column derived"
                raise InvalidTripleError(repr(interpretation)[:200], f"{expected}, is asked for")
            return split(interpretation, self._encode(interpretation, scope))
        made_with, ours = interpretation.foundation, self._foundation
        if made_with != ours.digest:
            raise ForeignInterpretationError(made_with, ours.digest)
        return encode(interpretation, self._vocabulary, ours.common, scope)

    def _encode(self, abox: ABox, scope: str) -> Encoded:
        if hasattr(abox, "column_names") or hasattr(abox, "to_batches"):
            return self._vocabulary.encode_table(abox, scope)
        if isinstance(abox, ColumnarTriples):
            return self._vocabulary.encode_columnar(abox)
        if not isinstance(abox, Iterable) or isinstance(abox, str) or hasattr(abox, "iloc"):
            expected = (
                "an ABox is an rdflib.Graph, an iterable of triples, or a pyarrow.Table "
                "(of a pandas frame: pyarrow.Table.from_pandas)"
            )
            raise InvalidTripleError(repr(abox), expected)
        return self._vocabulary.encode(cast("Iterable[Triple]", abox))

    def _scope(self, given: str | None = None) -> str:
        """What the labels of a message's blank nodes begin with."""
        if given is None:
            self._messages += 1
            return f"m{self._messages}-"
        if not re.fullmatch("[A-Za-z][A-Za-z0-9]*", given) or re.fullmatch("m[0-9]+", given):
            raise OptionError("scope", repr(given), "letters and digits, and not m with a number behind it")
        return f"{given}-"


class _LiveSource:
    """What a graph reads: the reasoner's model, whichever that is now."""

    def __init__(self, reasoner: StreamReasoner) -> None:
        self._reasoner = reasoner

    def match(self, subject: Term | None, predicate: Term | None, object: Term | None) -> Iterator[Triple]:
        with self._reasoner._lock:
            forms = self._reasoner._forms.facts
            return iter(list(self._reasoner._model.match(subject, predicate, object, forms)))

    def __len__(self) -> int:
        with self._reasoner._lock:
            return len(self._reasoner._model)


def _check_type(name: str, given: object, type_: Any, expected: str) -> None:
    if not isinstance(given, type_):
        raise OptionError(name, repr(given), expected)


def _check_option(name: str, given: object, allowed: tuple[object, ...]) -> None:
    if given not in allowed:
        raise OptionError(name, repr(given), " or ".join(map(repr, allowed)))
