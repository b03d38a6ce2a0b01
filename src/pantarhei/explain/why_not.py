"""Finds out why a triple does not hold: searches for what is missing, and tries each answer out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, NONE, Encoded, Fact, Integers, as_tuples
from pantarhei.explain.absence import Abduction, MissingFact, RetractedAssertion
from pantarhei.explain.clauses import BackwardRules
from pantarhei.explain.search import SAME, AbductionCandidate, AbductionSearch, FactPattern
from pantarhei.materialize.kernel_values import Lineage
from pantarhei.materialize.model import WindowModel
from pantarhei.model.term import ONLY_TYPE, Triple, in_order
from pantarhei.model.time import TimePoint
from pantarhei.proofs.antichain import BudgetExceeded, StepBudget
from pantarhei.proofs.extraction import AssertingABox, ProofExtractor
from pantarhei.proofs.instances import BOTTOM, RuleInstance, RuleInstances
from pantarhei.proofs.proof import Proof
from pantarhei.rdf.ntriples import write_triple
from pantarhei.repair.conflict import Budget, KeptEvidence
from pantarhei.repair.repairer import RepairAccount
from pantarhei.repair.result import Conflict, Prove
from pantarhei.window.log import Entry, Log

# Sets of more missing facts are not looked for.
_MOST_MISSING = 4

# Of facts that are gone so many of one pattern are gone into.
_MOST_GONE = 100

# How far the conflicts of what is missing are searched for, and how many are told of each way.
_BUDGET = Budget(sets=1_000, steps=20_000, instances=5_000)
_MOST_CONFLICTS = 5

# Answers are tried out until so many facts have followed from them.
_MOST_TRIED = 20_000


@dataclass(frozen=True)
class AbsenceContext:
    """Where the question is asked.

    Args:
        explanations: of what holds there.
        log: the ABoxes of the window.
        now: the time.
        ticks: the time in ticks.
        clauses: the rules.
        assumable: the predicates that the stream asserts.
        gone: the facts that were asserted once, shape (n, 3).
        fate: what became of the assertions of a fact.
        prove: finds the proofs of conflicts.
    """

    explanations: ProofExtractor
    log: Log
    now: TimePoint
    ticks: int
    clauses: BackwardRules
    assumable: frozenset[int]
    gone: Integers
    fate: Callable[[Fact], tuple[RetractedAssertion, ...]]
    prove: Prove

    @property
    def model(self) -> WindowModel:
        """What holds."""
        return self.explanations.model


@dataclass
class AbsenceSearch:
    """The ways in which a fact that does not hold would hold.

    Args:
        situation: where it is asked.
        goal: the fact.
        limit: how many ways are given.
        steps: how many steps the search may take.
    """

    situation: AbsenceContext
    goal: Fact
    limit: int
    steps: int
    complete: bool = True
    _came: int = field(default=0, init=False)
    _gone: dict[FactPattern, list[Fact]] = field(default_factory=dict, init=False)

    def ways(self, assumable: frozenset[int] | None = None) -> tuple[Abduction, ...]:
        """The ways, the best first.

        Args:
            assumable: the predicates of what may be missing; None for those that the stream asserts.
        """
        situation, found = self.situation, dict[frozenset[Triple], Abduction]()
        predicates = situation.assumable if assumable is None else assumable
        meter = StepBudget(self.steps, self.steps)
        level = situation.log.timeline.next_level
        search = AbductionSearch(
            situation.model, situation.clauses, predicates, self._gone_like, level, meter
        )
        for size in range(1, _MOST_MISSING + 1):
            larger = meter.steps // 2  # steps that are kept for larger sets
            meter.steps -= larger
            self._add(found, self._candidates(search, size))
            meter.steps = max(meter.steps, 0) + larger
            if len(found) >= self.limit or any(not way.is_contradicted for way in found.values()):
                break
        self.complete = self.complete and search.is_complete
        ordered = sorted(found.values(), key=_place)
        return tuple(ordered[: self.limit])

    def _candidates(self, search: AbductionSearch, size: int) -> list[AbductionCandidate]:
        """The sets of one size, those with most premises present first."""
        best: dict[frozenset[object], AbductionCandidate] = {}
        try:
            for candidate in search.sets(self.goal, size):
                known = best.get(candidate.missing)
                if known is None or known.present < candidate.present:
                    best[candidate.missing] = candidate
        except BudgetExceeded:
            self.complete = False
        ordered = sorted(best.values(), key=lambda each: _text(each.missing))
        return _varied(sorted(ordered, key=lambda each: (-each.present, -each.gone, -each.fit)))

    def _add(
        self, found: dict[frozenset[Triple], Abduction], candidates: Iterable[AbductionCandidate]
    ) -> None:
        """Try candidates out, and note the ways that they are."""
        for tried, candidate in enumerate(candidates):
            if len(found) >= self.limit:
                return
            if tried >= 2 * self.limit or self._came > _MOST_TRIED:
                self.complete = False
                return
            if any(known <= candidate.missing for known in found):
                continue
            way = self._tried(candidate.missing)
            if way is not None:
                found.setdefault(way.triples, way)

    def _tried(self, triples: frozenset[Triple]) -> Abduction | None:
        """The way in which the goal holds with some triples, and with no fewer; None if there is none.

        Nothing that is numbered for it is kept.
        """
        vocabulary = self.situation.model.vocabulary
        known = vocabulary.mark
        try:
            return self._tried_in(vocabulary.encode(in_order(triples)), in_order(triples))
        finally:
            if vocabulary.mark != known:
                vocabulary.back_to(known)

    def _tried_in(self, encoded: Encoded, triples: Sequence[Triple]) -> Abduction | None:
        situation, facts = self.situation, encoded.facts
        level, rows = situation.log.timeline.next_level, situation.model.kernel.store
        if any(rows.row_of(*fact) >= 0 for fact in facts.tolist()):
            return None
        goal = np.array([self.goal], np.int32)
        with situation.model.supposing(facts, level) as came:
            self._came += len(came)
            new = set(as_tuples(came[:, :3]))
            lineage = situation.model.lineage(_BUDGET.instances)
            if rows.row_of(*self.goal) < 0 or not self._is_minimal(goal, facts, new):
                return None
            conflicts = () if lineage is None else self._conflicts(lineage, encoded, level)
            proof = self._explanations(level).best(goal).supposing(frozenset(triples))
            present = self._present(proof, new)
        missing = tuple(
            MissingFact(triple, situation.fate(fact))
            for triple, fact in zip(triples, as_tuples(facts), strict=True)
        )
        return Abduction(missing, proof, present, lineage is not None, conflicts)

    def _explanations(self, level: int) -> ProofExtractor:
        """What explains facts while some are supposed at a level."""
        abox = self.situation.explanations.abox
        newest = AssertingABox(self.situation.now, {})
        return replace(
            self.situation.explanations, abox=lambda other: newest if other == level else abox(other)
        )

    def _is_minimal(self, goal: Integers, facts: Integers, new: set[Fact]) -> bool:
        """Whether the goal follows with all that is supposed, and with no part of it.

        Args:
            new: the facts that came with what is supposed.
        """
        limit = self.situation.explanations.limit
        lineage = self.situation.model.lineage_within(goal, limit, limit, weaker=True)
        self.complete = self.complete and not lineage.cut_short
        known = zip(lineage.rows.tolist(), as_tuples(lineage.facts), strict=True)
        rows = {fact: row for row, fact in known if fact in new}
        among = set(rows.values())
        instances = RuleInstances(
            tuple(
                RuleInstance(head, rule, tuple(row for row in body if row in among))
                for head, rule, *body in lineage.instances.tolist()
                if head in among
            )
        )
        supposed = [rows.get(fact, BOTTOM) for fact in as_tuples(facts)]
        parts = combinations(supposed, len(supposed) - 1)
        return BOTTOM not in supposed and not any(
            rows[self.goal] in instances.heights(part) for part in parts
        )

    def _present(self, proof: Proof, new: set[Fact]) -> tuple[Triple, ...]:
        """The facts of the window that what is new in a proof rests on directly."""
        used: set[Triple] = set()
        for step in proof.steps:
            if step.rule is not None and step.fact is not None and self._is_among(step.fact, new):
                used.update(fact for i in step.premises if (fact := proof.steps[i].fact) is not None)
        return tuple(in_order(fact for fact in used if not self._is_among(fact, new)))

    def _is_among(self, triple: Triple, facts: set[Fact]) -> bool:
        found = self.situation.model.find(triple)
        return found is not None and as_tuples(found)[0] in facts

    def _conflicts(self, lineage: Lineage, encoded: Encoded, level: int) -> tuple[Conflict, ...]:
        """The conflict sets of what is supposed."""
        situation, model = self.situation, self.situation.model
        entry = Entry(level, situation.now, situation.ticks, encoded.facts, NO_FACTS, encoded.forms)
        account = RepairAccount(
            situation.log, entry, model.vocabulary.lexicon, model.program.rules, situation.prove
        )
        conflicts = account.case(KeptEvidence(lineage, _BUDGET)).conflicts
        return tuple(sorted(conflicts, key=str)[:_MOST_CONFLICTS])

    def _gone_like(self, pattern: FactPattern) -> list[Fact]:
        """The facts of a pattern that were asserted once, the newest first."""
        known = self._gone.get(pattern)
        if known is not None:
            return known
        gone = self.situation.gone
        wanted = gone[:, 0] == pattern[0]
        for place in (1, 2):
            if pattern[place] >= NONE:
                wanted &= gone[:, place] == pattern[place]
        if pattern[2] == SAME:
            wanted &= gone[:, 1] == gone[:, 2]
        rows = self.situation.model.kernel.store.row_of
        facts = [fact for fact in dict.fromkeys(as_tuples(gone[wanted])[::-1]) if rows(*fact) < 0]
        self.complete = self.complete and len(facts) <= _MOST_GONE
        found = self._gone[pattern] = facts[:_MOST_GONE]
        return found


def _varied(candidates: list[AbductionCandidate]) -> list[AbductionCandidate]:
    """Candidates with as many premises present in turns: those of the same classes and properties do not come
    one after the other.
    """
    met: Counter[object] = Counter()
    turns = []
    for candidate in candidates:
        kind = candidate.present, frozenset(o if p in ONLY_TYPE else p for _, p, o in candidate.missing)
        turns.append((-candidate.present, met[kind], -candidate.gone, -candidate.fit))
        met[kind] += 1
    return [candidates[place] for place in sorted(range(len(turns)), key=turns.__getitem__)]


def _place(way: Abduction) -> tuple[int, int, bool]:
    """Where a way stands among others; equals stay in the order in which they were tried."""
    return len(way.missing), -len(way.present), way.is_contradicted


def _text(triples: Iterable[Triple]) -> list[str]:
    return sorted(map(write_triple, triples))
