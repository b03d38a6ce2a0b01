"""Extraction of proofs from a window model: proofs of facts in the materialization, and of violations.

Proofs are computed on demand; the model stores nothing for them. The choice among proofs does not depend on
row ids, so it is the same in every process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pantarhei.encoding.numbers import NONE, Fact, FactForms, Integers, as_tuples
from pantarhei.materialize.kernel_values import Lineage
from pantarhei.materialize.model import FOREVER, WindowModel
from pantarhei.model.rule import Rule
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.rule_instances import (
    BOTTOM,
    Derivation,
    RankKey,
    RuleInstance,
    RuleInstances,
    steps_of,
    used_by,
)
from pantarhei.proofs.step import Assertion, ProofStep
from pantarhei.proofs.supports import Antichain, BudgetExceeded, RowSet, StepBudget, minimal_supports
from pantarhei.rdf.ntriples import write_triple

# Step budget of the search, as a multiple of the limit of rule instances.
_STEPS_PER_INSTANCE = 10

# This many members of computed unions count as one step.
_MEMBERS_PER_STEP = 16

# If a lineage exceeds the limit, it is computed again with at most this many instances for each fact.
_INSTANCES_PER_FACT = (16, 256)

# Cost of using a derived fact whose instances are not explored; a rule instance costs 1.
_OPEN_COST = 1 << 20

_NOTHING_ASSERTED: Mapping[Fact, Assertion] = {}

# Step budget of the search for the shortest proof of one violation.
_VIOLATION_STEPS = 20_000


class AssertingABox(NamedTuple):
    """ABox that asserts a fact: its timestamp, and the lexical forms of its literals."""

    at: TimePoint
    forms: FactForms


@dataclass(frozen=True)
class ProofExtractor:
    """Extractor of proofs of facts in the materialization.

    Args:
        model: the window model; its levels are settled on demand.
        abox: returns the ABox with a given level in the window.
        forms: the lexical forms of literals in the materialization.
        limit: the largest number of rule instances to explore.
    """

    model: WindowModel
    abox: Callable[[int], AssertingABox]
    forms: FactForms
    limit: int

    def best(self, fact: Integers) -> Proof:
        """Return the proof whose oldest assertion is newest.

        Ties are decided, in this order, by a minimal support, the fewest assertions, and the fewest rule
        instances.

        Args:
            fact: encoded fact of the materialization, shape (1, 3).
        """
        lineage = self.model.lineage_within(fact, self.limit, self.limit, weaker=False)
        for each in _INSTANCES_PER_FACT:
            if not lineage.cut_short or _ProofChoice(self, lineage).is_derivable:
                break
            lineage = self.model.lineage_within(fact, self.limit, each, weaker=False)
        return _ProofChoice(self, lineage).best()

    def all(self, fact: Integers) -> tuple[Proof, ...]:
        """Return a proof for each minimal support, best first."""
        lineage = self.model.lineage_within(fact, self.limit, self.limit, weaker=True)
        found = () if lineage.cut_short else _ProofChoice(self, lineage).all()
        return found or (replace(self.best(fact), complete=False),)


class _SizedBudget(StepBudget):
    """Budget that also counts the sizes of sets, since the supports of long proofs are large."""

    def unions(self, start: RowSet, choices: list[Antichain]) -> list[RowSet]:
        found = super().unions(start, choices)
        self.spend(sum(map(len, found)) // _MEMBERS_PER_STEP)
        return found


class _SupportedDerivation(NamedTuple):
    """A minimal support with a derivation from it."""

    support: RowSet
    derivation: Derivation
    is_shortest: bool


@dataclass
class _ProofChoice:
    """Choice among the proofs of the goal, which is the first row of a lineage.

    Args:
        extractor: the extractor.
        lineage: the rule instances from which the goal may follow.
    """

    extractor: ProofExtractor
    lineage: Lineage
    budget: StepBudget = field(init=False)

    def __post_init__(self) -> None:
        self.goal, *_ = rows = self.lineage.rows.tolist()
        self._assertion_levels = dict(zip(rows, self.lineage.assertion_levels.tolist(), strict=True))
        self._facts = dict(zip(rows, map(tuple, self.lineage.facts.tolist()), strict=True))
        always = set(self.lineage.rows[self.lineage.background].tolist())
        self.level = int(self.lineage.levels[0])
        self.always = {row for row in always if self._assertion_levels[row] == FOREVER}
        self.asserted = [
            row for row in rows if NONE < self._assertion_levels[row] < FOREVER and row not in always
        ]
        self._entailed = always
        self._sets: Mapping[int, Antichain] = {}  # the minimal supports of each row
        self._triples: dict[int, Triple] = {}
        self.instances = RuleInstances.of(self.lineage, self._rank)
        # Enough if each fact has one instance: a set for each assertion and each instance, and one candidate.
        sets = len(self.asserted) + self.extractor.limit + 1
        self.budget = _SizedBudget(sets, self.extractor.limit * _STEPS_PER_INSTANCE)

    @property
    def is_derivable(self) -> bool:
        """True if the explored instances derive the goal from assertions no older than the goal's level."""
        return self.goal in self.instances.heights([*self.always, *self._newest_asserted])

    @property
    def _newest_asserted(self) -> list[int]:
        """The asserted rows whose level is at least that of the goal."""
        return [row for row in self.asserted if self._assertion_levels[row] >= self.level]

    def best(self) -> Proof:
        """Return the best proof."""
        newest = self._newest_asserted
        try:
            if self.lineage.cut_short:
                raise BudgetExceeded
            only = self._only_derivation(newest)
            if only is not None:
                return self._proof(only, complete=True)
            supports = self._supports(newest)
            smallest = min(map(len, supports))
            tied = [support for support in supports if len(support) == smallest]
            least = self.instances.heights([*self.always, *newest])[self.goal]
            return self._proof(*self._best_of(tied, least))
        except BudgetExceeded:
            return self._proof(self._any_derivation(newest), complete=False)

    def all(self) -> tuple[Proof, ...]:
        """Return a proof for each minimal support; () if the budget is exceeded."""
        try:
            supports = self._supports(self.asserted)
        except BudgetExceeded:
            return ()
        found = [self._candidate(support) for support in supports]
        found.sort(key=lambda each: (-self._oldest(each.support), len(each.support), len(each.derivation)))
        return tuple(self._proof(each, each.is_shortest) for each in found)

    def _best_of(self, tied: list[RowSet], least: int) -> tuple[_SupportedDerivation, bool]:
        """Return the support with the shortest derivation, and True if no other support has a shorter one.

        Args:
            tied: supports of equal age and size.
            least: a lower bound on the number of rule instances of a derivation.
        """
        best, sure = None, True
        for support in tied:
            found = self._candidate(support)
            sure = sure and found.is_shortest
            if best is None or len(found.derivation) < len(best.derivation):
                best = found
            if len(best.derivation) <= least:
                return best, True
            self.budget.spend(len(self.instances.found))
        assert best is not None, "what holds has a support"
        return best, sure

    def _supports(self, asserted: list[int]) -> list[RowSet]:
        """Return the minimal supports of the goal; supports with newer assertions first."""
        if self.goal in self._entailed:
            return [frozenset()]
        bodies = (
            (head, tuple({row for row in body if row not in self._entailed}))
            for head, _, body in self.instances.found
            if head not in self._entailed
        )
        self._sets = minimal_supports(asserted, bodies, self.budget)
        found = self._sets[self.goal].sets
        return list(found) if len(found) == 1 else sorted(found, key=self._age_key)

    def _candidate(self, support: RowSet) -> _SupportedDerivation:
        """Return a support with its shortest derivation."""
        if self.goal in support or self.goal in self.always:
            return _SupportedDerivation(support, {}, True)
        behind, seen = self._proof_instances(support)
        leaves = support | (self.always & seen)
        derivation, is_shortest = behind.fewest(self.goal, leaves, self.budget)
        return _SupportedDerivation(support, derivation, is_shortest)

    def _proof_instances(self, support: RowSet) -> tuple[RuleInstances, set[int]]:
        """Return the rule instances of all proofs of the goal from a support, and the rows in them."""
        found: list[RuleInstance] = []
        seen, waiting = {self.goal}, [self.goal]
        while waiting:
            for instance in self.instances.by_head.get(waiting.pop(), ()):
                if all(self._follows(row, support) for row in instance.body):
                    found.append(instance)
                    fresh = set(instance.body) - seen
                    seen |= fresh
                    waiting += [row for row in fresh if row not in support and row not in self.always]
        return self.instances.among(found), seen

    def _follows(self, row: int, support: RowSet) -> bool:
        """Return True if a row follows from a support together with the background."""
        if row in self._entailed:
            return True
        known = self._sets.get(row)
        return known is not None and any(each <= support for each in known.sets)

    def _only_derivation(self, asserted: list[int]) -> _SupportedDerivation | None:
        """Return the only derivation with its support; None if there are several."""
        given = {*self.always, *asserted}
        by_head = self.instances.by_head
        if not self.instances.leave_no_choice(given):
            return None
        derivation = {head: instance for head, (instance,) in by_head.items()}
        used = used_by(derivation, self.goal)
        if not all(row in given or row in derivation for row in used):
            return None
        return _SupportedDerivation(frozenset(used) & set(asserted), derivation, True)

    def _any_derivation(self, asserted: list[int]) -> _SupportedDerivation:
        """Return a derivation computed without search. Its support is minimal as far as the rule instances
        were explored.
        """
        leaves = dict.fromkeys([*self.always, *asserted], 0)
        if self.goal in leaves:
            return _SupportedDerivation(frozenset([self.goal]) - self.always, {}, True)
        rows = self.lineage.rows.tolist()
        open_ = {row: _OPEN_COST for row in rows if row not in leaves and row not in self.instances.by_head}
        derivation = self.instances.cheapest(leaves)
        if self.goal not in derivation:  # treat unexplored rows as given
            leaves |= open_
            derivation = self.instances.cheapest(leaves)
        if self.goal not in derivation:  # treat partly explored rows as given
            leaves |= {row: _OPEN_COST**2 for row in rows if row not in leaves and row != self.goal}
            derivation = self.instances.cheapest(leaves)
        if self.goal not in derivation:  # the goal itself is unexplored
            return _SupportedDerivation(frozenset(), {}, False)
        kept = [row for row in used_by(derivation, self.goal) if row in leaves and row not in self.always]
        kept = self._minimized(kept)
        derivation = self.instances.cheapest({row: leaves[row] for row in [*self.always, *kept]})
        return _SupportedDerivation(frozenset(kept) & set(asserted), derivation, False)

    def _minimized(self, leaves: list[int]) -> list[int]:
        """Return a minimal subset of `leaves` from which the goal follows; older leaves are removed first.

        The subset is not minimal if the step budget is used up.
        """
        derivable = self.instances.heights([*self.always, *leaves])
        among = self.instances.among(
            instance for instance in self.instances.found if derivable.keys() >= set(instance.body)
        )
        if among.leave_no_choice({*self.always, *leaves}):
            return leaves
        left = self.extractor.limit * _STEPS_PER_INSTANCE
        for row in sorted(leaves, key=lambda row: (self._assertion_levels[row], self._text(row))):
            left -= len(among.found)
            if left < 0:
                break
            fewer = [other for other in leaves if other != row]
            if self.goal in among.heights([*self.always, *fewer]):
                leaves = fewer
        return leaves

    # -- rows as terms -----------------------------------------------------------------------------

    def _proof(self, found: _SupportedDerivation, complete: bool) -> Proof:
        rules = self.extractor.model.program.rules

        def step(row: int, instance: RuleInstance | None, premises: tuple[int, ...]) -> ProofStep:
            if instance is not None:
                return ProofStep(self._triple(row), rules[instance.rule], premises)
            if row in found.support:
                abox = self.extractor.abox(self._assertion_levels[row])
                (triple,) = self.extractor.model.vocabulary.decode([self._facts[row]], abox.forms)
                return ProofStep(triple, at=abox.at)
            return ProofStep(self._triple(row), is_open=row not in self.always)

        return Proof(steps_of(found.derivation, self.goal, step), complete)

    def _triple(self, row: int) -> Triple:
        known = self._triples.get(row)
        if known is None:
            (known,) = self.extractor.model.vocabulary.decode([self._facts[row]], self.extractor.forms)
            self._triples[row] = known
        return known

    def _text(self, row: int) -> str:
        return write_triple(self._triple(row))

    def _rank(self, instance: RuleInstance) -> RankKey:
        rule = self.extractor.model.program.rules[instance.rule]
        return (rule.name, rule.axiom, *(self._text(row) for row in instance.body))

    def _oldest(self, support: RowSet) -> int:
        """Return the level of the oldest assertion of a support."""
        return min((self._assertion_levels[row] for row in support), default=FOREVER)

    def _age_key(self, support: RowSet) -> tuple[list[int], list[str]]:
        """Return a sort key by which supports with newer assertions come first."""
        return sorted(-self._assertion_levels[row] for row in support), sorted(map(self._text, support))


def proof_of_violation(model: WindowModel, most: int = 1_000_000) -> Proof | None:
    """Return a proof of one of the violations that `model` recorded; None if there are none.

    The cost is linear in the lineage of the violations. Background facts are not derived in the proof, so
    assertions must be at levels of the window.
    """
    lineage = model.lineage(most)
    return None if lineage is None else LineageProofs.of(model, lineage).cheapest(BOTTOM)


def proofs_of_violations(
    model: WindowModel, asserted: Mapping[Fact, Assertion], most: int = 1_000_000
) -> dict[Rule, Proof]:
    """Return for each violated constraint a shortest proof of a violation, in which background facts are
    derived too.

    The cost is linear in the lineage of the violations, plus a bounded search.

    Args:
        asserted: the facts asserted in the model, each with its timestamp and triple.
        most: the largest number of rule instances; if there are more, the result is empty.
    """
    lineage = model.lineage(most, explains_background=True)
    if lineage is None or lineage.cut_short:
        return {}
    return LineageProofs.of(model, lineage, asserted).shortest()


def proof_of_fact(model: WindowModel, fact: Integers, most: int = 1_000_000) -> Proof:
    """Return a proof of a fact of the model, shape (1, 3). The cost is linear in its lineage.

    As for `proof_of_violation`, assertions must be at levels of the window. If the lineage has more than
    `most` rule instances, the fact is an open step.
    """
    lineage = model.lineage_of(fact, most)
    return LineageProofs.of(model, lineage).cheapest(int(lineage.rows[0]))


class LineageProofs:
    """Proofs of the facts and violations of a lineage.

    Args:
        rules: the rules by their numbers.
        triples: the facts of the lineage.
        asserted: the facts asserted by the stream, each with its timestamp and triple.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        lineage: Lineage,
        triples: Iterable[Triple],
        asserted: Mapping[Fact, Assertion] = _NOTHING_ASSERTED,
    ) -> None:
        self._rules, self._lineage, rows = rules, lineage, lineage.rows.tolist()
        self._triples = dict(zip(rows, triples, strict=True))
        self._row_of = dict(zip(as_tuples(lineage.facts), rows, strict=True))
        self._asserted = {row: asserted[fact] for fact, row in self._row_of.items() if fact in asserted}
        self.all = RuleInstances.of(lineage, self._rank)

    @classmethod
    def of(
        cls, model: WindowModel, lineage: Lineage, asserted: Mapping[Fact, Assertion] = _NOTHING_ASSERTED
    ) -> LineageProofs:
        """Return the proofs of a lineage of a model."""
        return cls(model.program.rules, lineage, model.vocabulary.decode(lineage.facts), asserted)

    def shortest(self) -> dict[Rule, Proof]:
        """Return for each violated constraint a proof with few rule instances."""
        lineage = self._lineage
        leaves = {*self._asserted, *lineage.rows[lineage.assertion_levels == FOREVER].tolist()}
        by_constraint: defaultdict[int, list[RuleInstance]] = defaultdict(list)
        for instance in self.all.by_head[BOTTOM]:
            by_constraint[instance.rule].append(instance)
        others = [instance for instance in self.all.found if instance.head != BOTTOM]
        found = {}
        for constraint, violations in by_constraint.items():
            instances = RuleInstances((*others, *violations), self._rank)
            derivation, is_shortest = instances.fewest(
                BOTTOM, leaves, StepBudget(_VIOLATION_STEPS, _VIOLATION_STEPS)
            )
            found[self._rules[constraint]] = self.proof(derivation, is_shortest)
        return found

    def cheapest(self, goal: int) -> Proof:
        """Return the cheapest proof of `goal` from asserted rows and the background."""
        lineage = self._lineage
        given = lineage.rows[(lineage.assertion_levels != NONE) | lineage.background].tolist()
        return self.proof(self.all.cheapest(dict.fromkeys(given, 0)), goal=goal)

    def from_facts(self, facts: Integers, constraints: Collection[int]) -> Proof:
        """Return the cheapest proof of ⊥ from some of the facts, shape (n, 3), and the background. The cost
        is linear in the lineage.

        Args:
            constraints: the numbers of the constraints of which the proof violates one.
        """
        given = [self._row_of[fact] for fact in as_tuples(facts)]
        given += self._lineage.rows[self._lineage.background].tolist()
        kept = (each for each in self.all.found if each.head != BOTTOM or each.rule in constraints)
        return self.proof(RuleInstances(tuple(kept), self._rank).cheapest(dict.fromkeys(given, 0)))

    def proof(self, derivation: Derivation, complete: bool = True, goal: int = BOTTOM) -> Proof:
        def step(row: int, instance: RuleInstance | None, premises: tuple[int, ...]) -> ProofStep:
            if row in self._asserted and instance is None:
                at, triple = self._asserted[row]
                return ProofStep(triple, at=at)
            return ProofStep(
                self._triples.get(row), None if instance is None else self._rules[instance.rule], premises
            )

        return Proof(steps_of(derivation, goal, step), complete)

    def _rank(self, instance: RuleInstance) -> RankKey:
        rule = self._rules[instance.rule]
        bodies = (write_triple(self._triples[row]) for row in instance.body)
        return (rule.name, rule.axiom, *bodies)
