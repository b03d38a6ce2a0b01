"""Search for the abductions of an absent triple. Each candidate is verified on the window model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, NONE, Encoded, Fact, Integers, as_tuples
from pantarhei.explain.abduction import SAME, AbductionCandidate, AbductionSearch, FactPattern
from pantarhei.explain.absence import Abduction, MissingFact, RetractedAssertion
from pantarhei.explain.backward_rules import BackwardRules
from pantarhei.materialize.kernel_values import Lineage
from pantarhei.materialize.model import WindowModel
from pantarhei.model.term import ONLY_TYPE, Triple, in_order
from pantarhei.model.time import TimePoint
from pantarhei.proofs.extraction import AssertingABox, ProofExtractor
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.rule_instances import BOTTOM, RuleInstance, RuleInstances
from pantarhei.proofs.supports import BudgetExceeded, StepBudget
from pantarhei.rdf.ntriples import write_triple
from pantarhei.repair.conflict import Budget, KeptEvidence
from pantarhei.repair.repairer import RepairReport
from pantarhei.repair.result import Conflict, Prove
from pantarhei.window.log import Entry, Log

# Largest number of missing facts of an abduction.
_MOST_MISSING = 4

# Largest number of retracted facts of one pattern that are explored.
_MOST_GONE = 100

# Budget of the search for conflicts of missing facts, and the largest number of conflicts of an abduction.
_BUDGET = Budget(sets=1_000, steps=20_000, instances=5_000)
_MOST_CONFLICTS = 5

# Candidates are verified until this many facts in total have been derived from them.
_MOST_TRIED = 20_000


@dataclass(frozen=True)
class AbsenceContext:
    """Window in which a triple is absent.

    Args:
        extractor: extracts proofs of facts in the window.
        log: the ABoxes of the window.
        now: the current time.
        ticks: the current time in ticks.
        clauses: the rules.
        assumable: the predicates that the stream asserts.
        gone: the facts that the stream asserted before, shape (n, 3).
        fate: returns the retracted assertions of a fact.
        prove: returns the proofs of conflicts.
    """

    extractor: ProofExtractor
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
        """The window model."""
        return self.extractor.model


@dataclass
class AbsenceSearch:
    """Search for the abductions of an absent fact.

    Args:
        goal: the absent fact.
        limit: the largest number of abductions.
        steps: the largest number of search steps.
    """

    context: AbsenceContext
    goal: Fact
    limit: int
    steps: int
    complete: bool = True
    _derived: int = field(default=0, init=False)
    _gone: dict[FactPattern, list[Fact]] = field(default_factory=dict, init=False)

    def ways(self, assumable: frozenset[int] | None = None) -> tuple[Abduction, ...]:
        """Return the abductions, best first.

        Args:
            assumable: the predicates of missing facts; None for the predicates that the stream asserts.
        """
        context, found = self.context, dict[frozenset[Triple], Abduction]()
        predicates = context.assumable if assumable is None else assumable
        budget = StepBudget(self.steps, self.steps)
        level = context.log.timeline.next_level
        search = AbductionSearch(context.model, context.clauses, predicates, self._gone_like, level, budget)
        for size in range(1, _MOST_MISSING + 1):
            larger = budget.steps // 2  # reserved for larger sets
            budget.steps -= larger
            self._add(found, self._candidates(search, size))
            budget.steps = max(budget.steps, 0) + larger
            if len(found) >= self.limit or any(not way.is_contradicted for way in found.values()):
                break
        self.complete = self.complete and search.is_complete
        ordered = sorted(found.values(), key=lambda way: way.rank)
        return tuple(ordered[: self.limit])

    def _candidates(self, search: AbductionSearch, size: int) -> list[AbductionCandidate]:
        """Return the candidate sets of one size; sets with the most premises in the window first."""
        best: dict[frozenset[object], AbductionCandidate] = {}
        try:
            for candidate in search.sets(self.goal, size):
                known = best.get(candidate.missing)
                if known is None or known.present < candidate.present:
                    best[candidate.missing] = candidate
        except BudgetExceeded:
            self.complete = False
        ordered = sorted(best.values(), key=lambda each: sorted(map(write_triple, each.missing)))
        return _varied(sorted(ordered, key=lambda each: (-each.present, -each.gone, -each.fit)))

    def _add(
        self, found: dict[frozenset[Triple], Abduction], candidates: Iterable[AbductionCandidate]
    ) -> None:
        """Verify candidates, and add the resulting abductions to `found`."""
        for tried, candidate in enumerate(candidates):
            if len(found) >= self.limit:
                return
            if tried >= 2 * self.limit or self._derived > _MOST_TRIED:
                self.complete = False
                return
            if any(known <= candidate.missing for known in found):
                continue
            way = self._verified(candidate.missing)
            if way is not None:
                found.setdefault(way.triples, way)

    def _verified(self, triples: frozenset[Triple]) -> Abduction | None:
        """Return the abduction with these missing facts; None if they do not derive the goal, or not
        minimally.

        The vocabulary is restored afterwards.
        """
        vocabulary = self.context.model.vocabulary
        known = vocabulary.mark
        try:
            return self._verified_in(vocabulary.encode(in_order(triples)), in_order(triples))
        finally:
            if vocabulary.mark != known:
                vocabulary.roll_back_to(known)

    def _verified_in(self, encoded: Encoded, triples: Sequence[Triple]) -> Abduction | None:
        context, facts = self.context, encoded.facts
        level, rows = context.log.timeline.next_level, context.model.kernel.store
        if any(rows.row_of(*fact) >= 0 for fact in facts.tolist()):
            return None
        goal = np.array([self.goal], np.int32)
        with context.model.supposing(facts, level) as added:
            self._derived += len(added)
            new = set(as_tuples(added[:, :3]))
            lineage = context.model.lineage(_BUDGET.instances)
            if rows.row_of(*self.goal) < 0 or not self._is_minimal(goal, facts, new):
                return None
            conflicts = () if lineage is None else self._conflicts(lineage, encoded, level)
            proof = self._extractor(level).best(goal).supposing(frozenset(triples))
            present = self._present(proof, new)
        missing = tuple(
            MissingFact(triple, context.fate(fact))
            for triple, fact in zip(triples, as_tuples(facts), strict=True)
        )
        return Abduction(missing, proof, present, lineage is not None, conflicts)

    def _extractor(self, level: int) -> ProofExtractor:
        """Return an extractor of proofs for a model in which facts are supposed at `level`."""
        abox = self.context.extractor.abox
        newest = AssertingABox(self.context.now, {})
        return replace(self.context.extractor, abox=lambda other: newest if other == level else abox(other))

    def _is_minimal(self, goal: Integers, facts: Integers, new: set[Fact]) -> bool:
        """Return True if the goal does not follow when one of the supposed facts is omitted.

        Args:
            new: the supposed facts and their consequences.
        """
        limit = self.context.extractor.limit
        lineage = self.context.model.lineage_within(goal, limit, limit, weaker=True)
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
        """Return the facts of the window that are direct premises of `new` facts in the proof."""
        used: set[Triple] = set()
        for step in proof.steps:
            if step.rule is not None and step.fact is not None and self._is_among(step.fact, new):
                used.update(fact for i in step.premises if (fact := proof.steps[i].fact) is not None)
        return tuple(in_order(fact for fact in used if not self._is_among(fact, new)))

    def _is_among(self, triple: Triple, facts: set[Fact]) -> bool:
        found = self.context.model.find(triple)
        return found is not None and as_tuples(found)[0] in facts

    def _conflicts(self, lineage: Lineage, encoded: Encoded, level: int) -> tuple[Conflict, ...]:
        """Return the conflict sets that contain supposed facts."""
        context, model = self.context, self.context.model
        entry = Entry(level, context.now, context.ticks, encoded.facts, NO_FACTS, encoded.forms)
        account = RepairReport(
            context.log, entry, model.vocabulary.lexicon, model.program.rules, context.prove
        )
        conflicts = account.case(KeptEvidence(lineage, _BUDGET)).conflicts
        return tuple(sorted(conflicts, key=str)[:_MOST_CONFLICTS])

    def _gone_like(self, pattern: FactPattern) -> list[Fact]:
        """Return the facts of a pattern that were asserted before and do not hold now, newest first."""
        known = self._gone.get(pattern)
        if known is not None:
            return known
        gone = self.context.gone
        matches = gone[:, 0] == pattern[0]
        for place in (1, 2):
            if pattern[place] >= NONE:
                matches &= gone[:, place] == pattern[place]
        if pattern[2] == SAME:
            matches &= gone[:, 1] == gone[:, 2]
        rows = self.context.model.kernel.store.row_of
        facts = [fact for fact in dict.fromkeys(as_tuples(gone[matches])[::-1]) if rows(*fact) < 0]
        self.complete = self.complete and len(facts) <= _MOST_GONE
        found = self._gone[pattern] = facts[:_MOST_GONE]
        return found


def _varied(candidates: list[AbductionCandidate]) -> list[AbductionCandidate]:
    """Interleave candidates of equal rank, so that consecutive candidates have different classes and
    properties.
    """
    met: Counter[object] = Counter()
    turns = []
    for candidate in candidates:
        kind = candidate.present, frozenset(o if p in ONLY_TYPE else p for _, p, o in candidate.missing)
        turns.append((-candidate.present, met[kind], -candidate.gone, -candidate.fit))
        met[kind] += 1
    return [candidates[place] for place in sorted(range(len(turns)), key=turns.__getitem__)]
