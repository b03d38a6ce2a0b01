"""Explanations of a stream reasoner's window, and of a graph without time: `explain` returns proofs, and
`why_not` returns the absence of a fact.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from typing import Generic, NamedTuple

import numpy as np
from rdflib import RDF, URIRef

from pantarhei.encoding.numbers import NO_FACTS, Fact, FactForms, Forms, Integers, as_tuples
from pantarhei.engine.graph_state import Assertions, keys_of
from pantarhei.engine.maintained_state import MaintainedState
from pantarhei.engine.stream_history import GroundTruthT, StreamHistory
from pantarhei.engine.stream_state import StreamState
from pantarhei.errors import EntailedError, InputError, InvalidTripleError, NotEntailedError, OptionError
from pantarhei.explain.abduction import NEW_NAME
from pantarhei.explain.absence import Abduction, Absence, RetractedAssertion
from pantarhei.explain.absence_search import AbsenceContext, AbsenceSearch
from pantarhei.explain.backward_rules import BackwardRules
from pantarhei.materialize.model import WindowModel
from pantarhei.model.labels import LABEL_PROPERTIES, Labels, labels_of
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.term import Term, Triple, check_triple
from pantarhei.model.time import TimePoint, plain_time, show_time, time_of
from pantarhei.ontology.ontology import Ontology
from pantarhei.ontology.unknown_names import KnownNames, UnknownName, unknown_name
from pantarhei.owl.background_axioms import has_axioms
from pantarhei.proofs.extraction import AssertingABox, ProofExtractor
from pantarhei.proofs.proof import Proof
from pantarhei.rdf.ntriples import write_triple
from pantarhei.repair.result import Conflict, Prove
from pantarhei.rules.compilation.program import Program
from pantarhei.temporal.reasons.proof_search import InputProofs, ProofContext
from pantarhei.window.log import Entry, Log

LIMIT = 10_000
"""Default number of rule instances that an explanation explores."""

WAYS = 5
"""Default number of abductions of an absence."""

STEPS = 3_000
"""Largest number of backward rule applications in the search for missing facts."""

# Exceeds the number of rule instances that fit into memory, and is small enough for 64-bit arithmetic.
_ENDLESS = 1 << 40

# Largest number of conflicts shown for a retracted assertion.
_MOST_CONFLICTS = 3


class ExplainedState(NamedTuple, Generic[GroundTruthT]):
    """Asserted facts at a time, with their materialization.

    Args:
        history: the asserted and the removed facts.
        now: the time; None before the first step.
        log: the ABoxes.
        model: the materialization.
        forms: the lexical forms of literals in the materialization.
    """

    history: GroundTruthT
    now: TimePoint | None
    log: Log
    model: WindowModel
    forms: FactForms

    def abox(self, level: int) -> AssertingABox:
        """Return the ABox with this level."""
        entry = self.log.timeline.at_level(level)
        assert entry is not None, "asserted facts are in the log"
        return AssertingABox(entry.at, entry.forms.by_fact)


ExplainedWindow = ExplainedState[StreamHistory]


class Explainer(ABC, Generic[GroundTruthT]):
    """Explains facts of a materialization; not thread-safe.

    Args:
        state: the state of the materialization.
        labels: the names shown for IRIs.
        ontology: returns the ontology.
        prove: finds the proofs of conflicts.
    """

    def __init__(
        self,
        state: MaintainedState[GroundTruthT],
        labels: Labels,
        ontology: Callable[[], Ontology],
        prove: Prove,
    ) -> None:
        self._held, self._labels, self._ontology, self._prove = state, labels, ontology, prove
        self._clauses: tuple[Program, object, BackwardRules] | None = None

    @abstractmethod
    def _window_at(
        self, at: TimePoint | None, *, supposes_facts: bool = False
    ) -> ExplainedState[GroundTruthT]:
        """Return the facts now, or at an older time.

        Args:
            supposes_facts: facts will be supposed in the model.
        """

    @abstractmethod
    def _asserted_in(self, window: ExplainedState[GroundTruthT]) -> Integers:
        """Return the facts that were asserted so far, oldest first, shape (n, 3)."""

    @abstractmethod
    def _fate(self, fact: Fact, window: ExplainedState[GroundTruthT]) -> tuple[RetractedAssertion, ...]:
        """Return the assertions of a fact that had been retracted, newest first."""

    def _dated(self, proof: Proof) -> Proof:
        """Return the proof with the times of its assertions."""
        return proof

    def _concluded(
        self, atom: TemporalAtom, window: ExplainedState[GroundTruthT], all_: bool, limit: int
    ) -> Iterator[Proof]:
        """Yield the proofs of a conclusion of temporal rules at the current tick."""
        yield from ()

    def _proof_context(self, window: ExplainedState[GroundTruthT]) -> ProofContext | None:
        """Return the proof context of temporal rules; None if there are no temporal rules, or the time is an
        older one.
        """
        return None

    def _why_unknown(self, atom: TemporalAtom, window: ExplainedState[GroundTruthT]) -> str | None:
        """Return the reason why conclusions of temporal rules at that time are no longer known; None if they
        are known.
        """
        return None

    def _concluded_names(self) -> Iterable[Term]:
        """Return the predicates of conclusions of temporal rules."""
        return ()

    def explain(
        self, statement: Triple | TemporalAtom, at: TimePoint | None, all_: bool, limit: int
    ) -> Proof | tuple[Proof, ...]:
        """Return the best proof, or all proofs.

        For a triple, proofs from the window precede those by temporal rules; for an atom, they follow them.

        Raises:
            NotEntailedError: the statement does not hold.
        """
        _check_limit(limit, "rule instance")
        window = self._window_at(at)
        atom = (
            _checked(statement) if isinstance(statement, TemporalAtom) else _atom_of(check_triple(statement))
        )
        ways = [self._in_window, self._concluded]
        proofs = chain.from_iterable(
            way(atom, window, all_, limit) for way in (ways if atom is not statement else reversed(ways))
        )
        found = tuple(
            proof.labelled(self._labels_of(proof.terms)) for proof in (proofs if all_ else islice(proofs, 1))
        )
        if not found:
            reason, lost = self._why_unknown(atom, window), len(self._ontology().losses)
            unknown = self._unknown_in(atom, window)
            if self._is_entailed_axiom(atom):
                reason, lost = "the ontology entails it, as ontology.explain proves; windows have facts", 0
            raise NotEntailedError(_written(atom), _time_text(window.now), reason, unknown, lost)
        return found if all_ else found[0]

    def _is_entailed_axiom(self, atom: TemporalAtom) -> bool:
        """Return True if the atom is an axiom that the ontology entails; a window does not contain axioms."""
        triple = atom.triple
        with suppress(InputError):  # a term of OWL whose triple alone is not an axiom
            return triple is not None and has_axioms([triple]) and self._ontology().entails([triple])
        return False

    def _in_window(
        self, atom: TemporalAtom, window: ExplainedState[GroundTruthT], all_: bool, limit: int
    ) -> Iterator[Proof]:
        """Yield the proofs of a fact in the materialization."""
        fact = None if atom.triple is None else window.model.find(atom.triple)
        if fact is not None:
            found = ProofExtractor(window.model, window.abox, window.forms, min(limit, _ENDLESS))
            yield from map(self._dated, found.all(fact) if all_ else [found.best(fact)])

    def why_not(self, statement: Triple | TemporalAtom, at: TimePoint | None, limit: int) -> Absence:
        """Return the absence of a triple, or of an atom of temporal rules.

        Raises:
            EntailedError: the statement holds.
        """
        _check_limit(limit, "way")
        window = self._window_at(at, supposes_facts=True)
        vocabulary = window.model.vocabulary
        atom = (
            _checked(statement) if isinstance(statement, TemporalAtom) else _atom_of(check_triple(statement))
        )
        triple, temporal_context = atom.triple, self._proof_context(window)
        is_concluded = temporal_context is not None and temporal_context.concludes(atom)
        if is_concluded or (triple is not None and window.model.find(triple) is not None):
            raise EntailedError(_written(atom), _time_text(window.now))
        temporal = () if temporal_context is None else temporal_context.unmet(atom)
        if triple is None:
            is_known = temporal_context is not None or self._why_unknown(atom, window) is None
            absence = Absence(
                None,
                window.now,
                unknown=self._unknown_in(atom, window),
                complete=is_known,
                temporal=temporal,
                atom=atom,
                lost=len(self._ontology().losses),
            )
            return absence.labelled(self._labels_of(absence.terms))
        known = vocabulary.mark
        try:
            (goal,) = as_tuples(vocabulary.encode([triple]).facts)
            absence = self._absence(triple, goal, window, limit)
        finally:
            if vocabulary.mark != known:
                vocabulary.roll_back_to(known)
        absence = replace(
            absence,
            temporal=temporal,
            lost=len(self._ontology().losses),
            entailed=self._is_entailed_axiom(atom),
        )
        return absence.labelled({**self._labels_of(absence.terms), NEW_NAME: "something new"})

    def _labels_of(self, terms: Iterable[object]) -> Labels:
        """Return the given labels, completed for other terms by labels that the stream asserts. The cost is
        linear in the facts of the stream if it asserts labels.
        """
        vocabulary = self._held.vocabulary
        known = map(vocabulary.find_property, LABEL_PROPERTIES)
        properties = [number for number in known if number is not None]
        if not properties:
            return self._labels
        others = {term for term in terms if isinstance(term, URIRef) and term not in self._labels}
        names = [number for term in others if (number := vocabulary.find(term)) is not None]
        asserted = self._asserted_in(self._window_at(None))
        rows = asserted[np.isin(asserted[:, 0], properties) & np.isin(asserted[:, 1], names)]
        return {**labels_of(vocabulary.decode(rows), self._ontology().languages), **self._labels}

    def _absence(
        self, triple: Triple, goal: Fact, window: ExplainedState[GroundTruthT], limit: int
    ) -> Absence:
        context = self._context(window)
        unknown = self._names(window, context.gone).unknown_in(triple)
        search = AbsenceSearch(context, goal, limit, STEPS)
        concluded = bool(context.clauses.concluding(goal[0]))
        ways, beyond = tuple[Abduction, ...](), tuple[Abduction, ...]()
        if not any(
            each.kind == "blank node" for each in unknown
        ):  # an ABox cannot contain a given blank node
            ways = search.ways()
            if concluded and not ways:
                clauses = context.clauses
                background = np.unique(self._held.foundation.background.facts[:, 0]).tolist()
                beyond = search.ways(clauses.unconcluded.union(background))
                beyond = beyond or search.ways(clauses.predicates)  # all predicates may be derived in a cycle
        asserted, fate = goal[0] in context.assumable, context.fate(goal)
        ways, beyond = (
            tuple(replace(way, proof=self._dated(way.proof)) for way in found) for found in (ways, beyond)
        )
        return Absence(triple, window.now, fate, ways, concluded, asserted, unknown, beyond, search.complete)

    def _unknown_in(
        self, atom: TemporalAtom, window: ExplainedState[GroundTruthT]
    ) -> tuple[UnknownName, ...]:
        """Return the unknown names in a triple. For an atom that is not a triple, only the predicate is
        checked.
        """
        names = self._names(window, self._asserted_in(window))
        if atom.triple is not None:
            return names.unknown_in(atom.triple)
        if atom.predicate in names.declared:
            return ()
        return (unknown_name(atom.predicate, "property", names.declared, names.losses),)

    def _names(self, window: ExplainedState[GroundTruthT], asserted: Integers) -> KnownNames:
        """Return the names used by rules, ontology, background and stream at that time."""
        common = self._held.foundation.common
        ontology = self._ontology()
        declared = {*ontology.predicates, *self._concluded_names()}
        losses = [entry.origin for entry in ontology.losses]
        return KnownNames(window.model.vocabulary, common.symbols, common.names, asserted, declared, losses)

    def _context(self, window: ExplainedState[GroundTruthT]) -> AbsenceContext:
        log, asserted = window.log, self._asserted_in(window)
        newest = log.newest
        return AbsenceContext(
            ProofExtractor(window.model, window.abox, window.forms, LIMIT),
            log,
            (window.now or 0) if newest is None else newest.at,
            0 if newest is None else newest.ticks,
            self._read(window.model),
            frozenset(np.flatnonzero(np.bincount(asserted[:, 0])).tolist()),
            asserted,
            lambda fact: self._fate(fact, window),
            self._prove,
        )

    def _read(self, model: WindowModel) -> BackwardRules:
        """Return the rules of a model for backward search, cached until terms are renumbered."""
        program, names = model.program, model.vocabulary.lexicon
        known = self._clauses
        if known is None or known[0] is not program or known[1] is not names:
            known = self._clauses = program, names, BackwardRules(program, model.vocabulary)
        return known[2]


class WindowExplainer(Explainer[StreamHistory]):
    """Explains facts of a stream reasoner's window; not thread-safe.

    Args:
        state: the state of the reasoner.
        labels: the names shown for IRIs.
        ontology: returns the ontology.
    """

    def __init__(self, state: StreamState, labels: Labels, ontology: Callable[[], Ontology]) -> None:
        super().__init__(state, labels, ontology, state.prove)
        self._state = state
        self._asserted: tuple[StreamHistory, Integers] | None = None
        self._older: tuple[StreamHistory, TimePoint | None, ExplainedWindow] | None = None

    def _concluded(
        self, atom: TemporalAtom, window: ExplainedWindow, all_: bool, limit: int
    ) -> Iterator[Proof]:
        """Yield the proofs of a conclusion of temporal rules at the current tick."""
        concluding, temporal_context = self._state.rule_engine, self._proof_context(window)
        if concluding is None or temporal_context is None:
            return

        def holds(triple: Triple) -> Proof | None:
            return next(self._in_window(_atom_of(triple), window, False, limit), None)

        def asserted_at(triple: Triple, tick: int) -> TimePoint | None:
            (fact,) = as_tuples(window.model.vocabulary.encode([triple]).facts)
            for trace in reversed(window.history.traces(fact)):
                cut_in = None if trace.cut_by is None else concluding.tick_of(trace.cut_by.ticks)
                if concluding.tick_of(trace.asserted.ticks) == tick != cut_in:
                    return trace.asserted.at
            return None

        yield from temporal_context.proofs(atom, InputProofs(holds, asserted_at), all_, limit)

    def _proof_context(self, window: ExplainedWindow) -> ProofContext | None:
        """Return the proof context of temporal rules; None if there are no temporal rules, or the window is
        an older one.
        """
        concluding = self._state.rule_engine
        is_now = window.history is self._state.history
        return concluding.testimony(self._state.model) if concluding is not None and is_now else None

    def _why_unknown(self, atom: TemporalAtom, window: ExplainedWindow) -> str | None:
        """Return the reason why conclusions of temporal rules at that time are no longer known; None if they
        are known.
        """
        concluding = self._state.rule_engine
        if (
            concluding is None
            or window.history is self._state.history
            or not concluding.concludes(atom.predicate)
        ):
            return None
        return "what temporal rules concluded before the present tick is not known any more"

    def _concluded_names(self) -> Iterable[Term]:
        concluding = self._state.rule_engine
        return () if concluding is None else (symbol.name for symbol in concluding.symbols)

    def _window_at(self, at: TimePoint | None, *, supposes_facts: bool = False) -> ExplainedWindow:
        """Return the window now, or at an older time.

        Args:
            supposes_facts: facts will be supposed in the model. With `keep="every"` a new model is
                built then, since PB26, Definition 8, does not determine to which interpretations facts belong
                after others change.
        """
        history, state = self._state.history, self._state
        is_now = at is None or plain_time(at) == history.now
        if is_now and not (supposes_facts and state.options.keep == "every"):
            return self._explained(history, *state.state().shown)
        then = history if at is None or is_now else state.history_at(at)
        known = self._older
        if known is None or known[0] is not history or known[1] != then.now:
            known = self._older = history, then.now, self._explained(then, *state.shown_of(then))
        return known[2]

    def _explained(self, history: StreamHistory, model: WindowModel, forms: FactForms) -> ExplainedWindow:
        return ExplainedWindow(history, history.now, history.log, model, forms)

    def _asserted_in(self, window: ExplainedWindow) -> Integers:
        step = window.history.step
        return self._asserted_until(None if step is None else step.now)

    def _asserted_until(self, ticks: int | None) -> Integers:
        """Return the facts of the history that were asserted up to a time in ticks, oldest first, shape (n,
        3).
        """
        history = self._state.history
        known = self._asserted
        if known is None or known[0] is not history:
            entries = [*history.past.entries(), *history.log]
            known = self._asserted = history, np.concatenate([NO_FACTS, *(entry.facts for entry in entries)])
        if ticks is None or history.step is None or ticks >= history.step.now:
            return known[1]
        entries = [each for each in (*history.past.entries(), *history.log) if each.ticks <= ticks]
        return np.concatenate([NO_FACTS, *(entry.facts for entry in entries)])

    def _fate(self, fact: Fact, window: ExplainedWindow) -> tuple[RetractedAssertion, ...]:
        history, found = self._state.history, list[RetractedAssertion]()
        step = window.history.step
        for trace in history.traces(fact):
            if step is None or trace.asserted.ticks > step.now:
                continue
            removing = trace.cut_by if trace.cut_by is not None and trace.cut_by.ticks <= step.now else None
            left = trace.left if trace.left is not None and trace.left <= step.now else None
            at = trace.asserted.at
            if removing is not None:
                conflicts = self._against(fact, trace.asserted, removing)
                found.append(RetractedAssertion(at, removed_at=removing.at, conflicts=conflicts))
            elif left is not None:
                found.append(RetractedAssertion(at, time_of(left, step.kind), left_early=trace.early))
        return tuple(reversed(found))

    def _against(self, fact: Fact, asserted: Entry, by: Entry) -> tuple[Conflict, ...]:
        """Return the conflicts because of which an arriving ABox removed a fact. Conflicts whose other
        members are newest come first.

        If a conflict has an older member, the repair could have removed that member instead.
        """
        repair = self._state.history.repair_of(by.level)
        (triple,) = self._state.vocabulary.decode([fact], asserted.forms.by_fact)
        conflicts = () if repair is None else repair.conflicts
        mine = [each for each in conflicts if any(other == triple for _, other in each.assertions)]
        mine.sort(key=str)
        others = [sorted(at for at, other in each.assertions if other != triple) for each in mine]
        newest = sorted(range(len(mine)), key=lambda place: (not others[place], others[place]), reverse=True)
        return tuple(mine[place] for place in newest[:_MOST_CONFLICTS])


class GraphExplainer(Explainer[Assertions]):
    """Explains facts of a graph without time; not thread-safe.

    The time of an assertion is the number of the change that inserted it.
    """

    def _window_at(self, at: TimePoint | None, *, supposes_facts: bool = False) -> ExplainedState[Assertions]:
        history, shown = self._held.history, self._held.state().shown
        forms = Forms(history.forms)
        entry = Entry(0, history.now, history.now, history.facts, NO_FACTS, forms)
        return ExplainedState(history, history.now, Log.of([entry]), *shown)

    def _asserted_in(self, window: ExplainedState[Assertions]) -> Integers:
        return window.history.facts

    def _fate(self, fact: Fact, window: ExplainedState[Assertions]) -> tuple[RetractedAssertion, ...]:
        """Return no assertions: a graph does not record deleted facts."""
        return ()

    def _dated(self, proof: Proof) -> Proof:
        steps, changes = list(proof.steps), self._held.history.keys
        facts = {
            place: step.fact
            for place, step in enumerate(steps)
            if step.at is not None and step.fact and not step.is_supposed
        }
        encoded = self._held.vocabulary.encode(facts.values()).facts
        for place, key in zip(facts, keys_of(encoded), strict=True):
            steps[place] = replace(steps[place], at=changes.get(key, steps[place].at))
        return replace(proof, steps=tuple(steps))


def _atom_of(triple: Triple) -> TemporalAtom:
    subject, predicate, object_ = triple
    if predicate == RDF.type and isinstance(object_, URIRef):
        return TemporalAtom(object_, (subject,))
    assert isinstance(predicate, URIRef), "checked as a triple"
    return TemporalAtom(predicate, (subject, object_))


def _written(atom: TemporalAtom) -> str:
    return str(atom) if atom.triple is None else write_triple(atom.triple)


def _checked(atom: TemporalAtom) -> TemporalAtom:
    if atom.variables or atom.is_asserted:
        expected = "expected an atom that can be concluded: without variables and `asserted`"
        raise InvalidTripleError(str(atom), expected)
    return atom


def _check_limit(limit: object, of: str) -> None:
    if type(limit) is not int or limit < 1:
        raise OptionError("limit", repr(limit), f"a whole number, at least one {of}")


def _time_text(now: TimePoint | None) -> str | None:
    return None if now is None else show_time(now)
