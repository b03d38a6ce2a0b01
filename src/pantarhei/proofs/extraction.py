"""Extraction of proofs from a window model: of facts in the materialization, and of violations.

Proofs are computed on demand; nothing is stored for them. The choice among proofs does not depend on the
numbers of facts, so it is the same in every process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
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

# Steps of the search for each rule instance within the limit.
_STEPS_AN_INSTANCE = 10

# Members of united sets that count as one step.
_MEMBERS_A_STEP = 16

# Largest numbers of instances of one fact in further attempts, after a lineage that exceeded the limit.
_OF_EACH = (16, 256)

# Cost of a derived fact that is not explored, against 1 for an instance: such facts are the last resort.
_OPEN_COST = 1 << 20

# Steps of the search for the shortest proof of one violation.
_VIOLATION_STEPS = 20_000


class AssertingABox(NamedTuple):
    """An ABox: its timestamp and the lexical forms of its literals."""

    at: TimePoint
    forms: FactForms


@dataclass(frozen=True)
class ProofExtractor:
    """Extractor of proofs of facts in the materialization.

    Args:
        model: the window model; its levels are settled on demand.
        abox: returns the ABox of a level in the window.
        forms: the lexical forms of literals in the materialization.
        limit: the largest number of rule instances to explore.
    """

    model: WindowModel
    abox: Callable[[int], AssertingABox]
    forms: FactForms
    limit: int

    def best(self, fact: Integers) -> Proof:
        """Return the proof whose oldest assertion is newest.

        Ties are decided by a minimal support, then by fewest assertions, then by fewest rule instances.

        Args:
            fact: shape (1, 3), in the materialization.
        """
        lineage = self.model.lineage_within(fact, self.limit, self.limit, weaker=False)
        for each in _OF_EACH:
            if not lineage.cut_short or _ProofChoice(self, lineage).is_derivable:
                break
            lineage = self.model.lineage_within(fact, self.limit, each, weaker=False)
        return _ProofChoice(self, lineage).best()

    def all(self, fact: Integers) -> tuple[Proof, ...]:
        """Return a proof for each minimal support, the better ones first."""
        lineage = self.model.lineage_within(fact, self.limit, self.limit, weaker=True)
        found = () if lineage.cut_short else _ProofChoice(self, lineage).all()
        return found or (replace(self.best(fact), complete=False),)


class _SizedBudget(StepBudget):
    """Budget that counts the sizes of sets too, since long proofs have large supports."""

    def unions(self, start: RowSet, choices: list[Antichain]) -> list[RowSet]:
        found = super().unions(start, choices)
        self.spend(sum(map(len, found)) // _MEMBERS_A_STEP)
        return found


class _SupportedDerivation(NamedTuple):
    """A support with a derivation from it."""

    support: RowSet
    derivation: Derivation
    is_shortest: bool


@dataclass
class _ProofChoice:
    """Choice among the proofs of the first row of a lineage.

    Args:
        given: the extractor.
        lineage: the rule instances from which the row may follow.
    """

    given: ProofExtractor
    lineage: Lineage
    budget: StepBudget = field(init=False)

    def __post_init__(self) -> None:
        self.goal, *_ = rows = self.lineage.rows.tolist()
        self._bases = dict(zip(rows, self.lineage.bases.tolist(), strict=True))
        self._facts = dict(zip(rows, map(tuple, self.lineage.facts.tolist()), strict=True))
        always = set(self.lineage.rows[self.lineage.background].tolist())
        self.level = int(self.lineage.levels[0])
        self.always = {row for row in always if self._bases[row] == FOREVER}
        self.asserted = [row for row in rows if NONE < self._bases[row] < FOREVER and row not in always]
        self._entailed = always
        self._sets: Mapping[int, Antichain] = {}  # the minimal supports of each row
        self._triples: dict[int, Triple] = {}
        self.instances = RuleInstances.of(self.lineage, self._rank)
        # If each fact has one instance, there is a set for each assertion and each instance, and a new one.
        sets = len(self.asserted) + self.given.limit + 1
        self.budget = _SizedBudget(sets, self.given.limit * _STEPS_AN_INSTANCE)

    @property
    def is_derivable(self) -> bool:
        """True if the explored instances suffice for a proof."""
        return self.goal in self.instances.heights([*self.always, *self._strong])

    @property
    def _strong(self) -> list[int]:
        """The asserted rows whose level is at least that of the goal."""
        return [row for row in self.asserted if self._bases[row] >= self.level]

    def best(self) -> Proof:
        """Return the best proof."""
        strong = self._strong
        try:
            if self.lineage.cut_short:
                raise BudgetExceeded
            only = self._only_way(strong)
            if only is not None:
                return self._proof(only, complete=True)
            supports = self._supports(strong)
            smallest = min(map(len, supports))
            tied = [support for support in supports if len(support) == smallest]
            least = self.instances.heights([*self.always, *strong])[self.goal]
            return self._proof(*self._best_of(tied, least))
        except BudgetExceeded:
            return self._proof(self._found(strong), complete=False)

    def all(self) -> tuple[Proof, ...]:
        """Return a proof for each minimal support; an empty tuple if there are too many."""
        try:
            supports = self._supports(self.asserted)
        except BudgetExceeded:
            return ()
        found = [self._candidate(support) for support in supports]
        found.sort(key=lambda each: (-self._oldest(each.support), len(each.support), len(each.derivation)))
        return tuple(self._proof(each, each.is_shortest) for each in found)

    def _best_of(self, tied: list[RowSet], least: int) -> tuple[_SupportedDerivation, bool]:
        """Return the support with the shortest derivation, and True if no support has a shorter one.

        Args:
            tied: supports of equal age and size.
            least: a lower bound of the number of instances.
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
        """Return the minimal supports of the goal, those with newer assertions first."""
        if self.goal in self._entailed:
            return [frozenset()]
        bodies = (
            (head, tuple({row for row in body if row not in self._entailed}))
            for head, _, body in self.instances.found
            if head not in self._entailed
        )
        self._sets = minimal_supports(asserted, bodies, self.budget)
        found = self._sets[self.goal].sets
        return list(found) if len(found) == 1 else sorted(found, key=self._place)

    def _candidate(self, support: RowSet) -> _SupportedDerivation:
        """Return the support with its shortest derivation."""
        if self.goal in support or self.goal in self.always:
            return _SupportedDerivation(support, {}, True)
        behind, met = self._behind(support)
        leaves = support | (self.always & met)
        derivation, is_shortest = behind.fewest(self.goal, leaves, self.budget)
        return _SupportedDerivation(support, derivation, is_shortest)

    def _behind(self, support: RowSet) -> tuple[RuleInstances, set[int]]:
        """Return the rule instances of all proofs of the goal from a support, and their rows."""
        found: list[RuleInstance] = []
        met, waiting = {self.goal}, [self.goal]
        while waiting:
            for instance in self.instances.by_head.get(waiting.pop(), ()):
                if all(self._follows(row, support) for row in instance.body):
                    found.append(instance)
                    fresh = set(instance.body) - met
                    met |= fresh
                    waiting += [row for row in fresh if row not in support and row not in self.always]
        return self.instances.among(found), met

    def _follows(self, row: int, support: RowSet) -> bool:
        """Return True if a row follows from a support and the background."""
        if row in self._entailed:
            return True
        known = self._sets.get(row)
        return known is not None and any(each <= support for each in known.sets)

    def _only_way(self, asserted: list[int]) -> _SupportedDerivation | None:
        """Return the support and derivation if there is only one derivation; None if there is a choice."""
        given = {*self.always, *asserted}
        by_head = self.instances.by_head
        if not self.instances.leave_no_choice(given):
            return None
        derivation = {head: instance for head, (instance,) in by_head.items()}
        used = used_by(derivation, self.goal)
        if not all(row in given or row in derivation for row in used):
            return None
        return _SupportedDerivation(frozenset(used) & set(asserted), derivation, True)

    def _found(self, asserted: list[int]) -> _SupportedDerivation:
        """Return a derivation without search, with a support that is minimal as far as explored."""
        leaves = dict.fromkeys([*self.always, *asserted], 0)
        if self.goal in leaves:
            return _SupportedDerivation(frozenset([self.goal]) - self.always, {}, True)
        rows = self.lineage.rows.tolist()
        open_ = {row: _OPEN_COST for row in rows if row not in leaves and row not in self.instances.by_head}
        derivation = self.instances.cheapest(leaves)
        if self.goal not in derivation:  # take unexplored rows for given
            leaves |= open_
            derivation = self.instances.cheapest(leaves)
        if self.goal not in derivation:  # take partly explored rows for given
            leaves |= {row: _OPEN_COST**2 for row in rows if row not in leaves and row != self.goal}
            derivation = self.instances.cheapest(leaves)
        if self.goal not in derivation:  # the goal itself is unexplored
            return _SupportedDerivation(frozenset(), {}, False)
        kept = [row for row in used_by(derivation, self.goal) if row in leaves and row not in self.always]
        kept = self._minimized(kept)
        derivation = self.instances.cheapest({row: leaves[row] for row in [*self.always, *kept]})
        return _SupportedDerivation(frozenset(kept) & set(asserted), derivation, False)

    def _minimized(self, leaves: list[int]) -> list[int]:
        """Return a minimal subset of the leaves from which the goal follows, omitting older ones first.

        The subset is not minimal if the steps are used up before.
        """
        derivable = self.instances.heights([*self.always, *leaves])
        among = self.instances.among(
            instance for instance in self.instances.found if derivable.keys() >= set(instance.body)
        )
        if among.leave_no_choice({*self.always, *leaves}):
            return leaves
        left = self.given.limit * _STEPS_AN_INSTANCE
        for row in sorted(leaves, key=lambda row: (self._bases[row], self._text(row))):
            left -= len(among.found)
            if left < 0:
                break
            fewer = [other for other in leaves if other != row]
            if self.goal in among.heights([*self.always, *fewer]):
                leaves = fewer
        return leaves

    # -- rows as terms -----------------------------------------------------------------------------

    def _proof(self, found: _SupportedDerivation, complete: bool) -> Proof:
        rules = self.given.model.program.rules

        def step(row: int, instance: RuleInstance | None, premises: tuple[int, ...]) -> ProofStep:
            if instance is not None:
                return ProofStep(self._triple(row), rules[instance.rule], premises)
            if row in found.support:
                abox = self.given.abox(self._bases[row])
                (triple,) = self.given.model.vocabulary.decode([self._facts[row]], abox.forms)
                return ProofStep(triple, at=abox.at)
            return ProofStep(self._triple(row), is_open=row not in self.always)

        return Proof(steps_of(found.derivation, self.goal, step), complete)

    def _triple(self, row: int) -> Triple:
        known = self._triples.get(row)
        if known is None:
            (known,) = self.given.model.vocabulary.decode([self._facts[row]], self.given.forms)
            self._triples[row] = known
        return known

    def _text(self, row: int) -> str:
        return write_triple(self._triple(row))

    def _rank(self, instance: RuleInstance) -> RankKey:
        rule = self.given.model.program.rules[instance.rule]
        return (rule.name, rule.axiom, *(self._text(row) for row in instance.body))

    def _oldest(self, support: RowSet) -> int:
        """Return the level of the oldest assertion of a support."""
        return min((self._bases[row] for row in support), default=FOREVER)

    def _place(self, support: RowSet) -> tuple[list[int], list[str]]:
        """Return a sort key that puts supports with newer assertions first."""
        return sorted(-self._bases[row] for row in support), sorted(map(self._text, support))


def proof_of_violation(model: WindowModel, most: int = 1_000_000) -> Proof | None:
    """Return a proof of one of the violations noted by `model`; None without violations.

    Costs the lineage of the violations. Facts of the background are not explained, so assertions must be at
    levels of the window.
    """
    lineage = model.lineage(most)
    if lineage is None:
        return None
    found = _Violations(model, lineage, {})
    given = lineage.rows[(lineage.bases != NONE) | lineage.background].tolist()
    return found.proof(found.all.cheapest(dict.fromkeys(given, 0)))


def proofs_of_violations(
    model: WindowModel, asserted: Mapping[Fact, Assertion], most: int = 1_000_000
) -> dict[Rule, Proof]:
    """Return a shortest proof of a violation of each violated constraint, with the background explained.

    Costs the lineage of the violations, and a search.

    Args:
        asserted: the facts asserted in the model, as assertions of the stream.
        most: the largest number of rule instances; beyond it the result is empty.
    """
    lineage = model.lineage(most, explains_background=True)
    if lineage is None or lineage.cut_short:
        return {}
    return _Violations(model, lineage, asserted).shortest()


def proof_of_fact(model: WindowModel, fact: Integers, most: int = 1_000_000) -> Proof:
    """Return a proof of a fact, shape (1, 3), of the model. Costs its lineage.

    The model is as for `proof_of_violation`. Beyond `most` rule instances the fact is not explored.
    """
    lineage = model.lineage_of(fact, most)
    given = lineage.rows[(lineage.bases != NONE) | lineage.background].tolist()
    found = _Violations(model, lineage, {})
    return found.proof(found.all.cheapest(dict.fromkeys(given, 0)), goal=int(lineage.rows[0]))


class _Violations:
    """The violations of a lineage.

    Args:
        asserted: the facts asserted by the stream.
    """

    def __init__(self, model: WindowModel, lineage: Lineage, asserted: Mapping[Fact, Assertion]) -> None:
        self._rules, self._lineage, rows = model.program.rules, lineage, lineage.rows.tolist()
        self._triples = dict(zip(rows, model.vocabulary.decode(lineage.facts), strict=True))
        facts = zip(rows, as_tuples(lineage.facts), strict=True)
        self._asserted = {row: asserted[fact] for row, fact in facts if fact in asserted}
        self.all = RuleInstances.of(lineage, self._rank)

    def shortest(self) -> dict[Rule, Proof]:
        """Return a shortest proof for each constraint."""
        lineage = self._lineage
        leaves = {*self._asserted, *lineage.rows[lineage.bases == FOREVER].tolist()}
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
