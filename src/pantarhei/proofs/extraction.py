"""Why a fact is in the materialization: its proofs, the best one or one for each minimal support.

On demand from the window model; nothing is stored for it. The choice depends on the facts alone, not on how
they are numbered: the same proof comes out in every process.
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
from pantarhei.proofs.antichain import Antichain, BudgetExceeded, RowSet, StepBudget, supports_of
from pantarhei.proofs.instances import (
    BOTTOM,
    Derivation,
    RankKey,
    RuleInstance,
    RuleInstances,
    steps_of,
    used_by,
)
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.step import Assertion, ProofStep
from pantarhei.rdf.ntriples import write_triple

# Steps of the search for each rule instance that it may look at.
_STEPS_AN_INSTANCE = 10

# Members of sets that are put together in the time of one step.
_MEMBERS_A_STEP = 16

# Where a lineage is cut short, the facts are met again with at most so many instances of each.
_OF_EACH = (16, 256)

# What a derived fact that is not looked into costs, against 1 for an instance: it is the last resort.
_OPEN_COST = 1 << 20


class AssertingABox(NamedTuple):
    """An ABox: its timestamp, and how literals in it were written."""

    at: TimePoint
    forms: FactForms


@dataclass(frozen=True)
class ProofExtractor:
    """What proofs are made from.

    Args:
        model: the window model; it settles.
        abox: the ABox of a level in the window.
        forms: how literals of the materialization are shown.
        limit: how many rule instances are looked at.
    """

    model: WindowModel
    abox: Callable[[int], AssertingABox]
    forms: FactForms
    limit: int

    def best(self, fact: Integers) -> Proof:
        """The proof whose oldest assertion is newest; of these one with a minimal support, then with the
        fewest assertions, then with the fewest rule instances.

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
        """A proof for each minimal support, the better ones first."""
        lineage = self.model.lineage_within(fact, self.limit, self.limit, weaker=True)
        found = () if lineage.cut_short else _ProofChoice(self, lineage).all()
        return found or (replace(self.best(fact), complete=False),)


class _SizedMeter(StepBudget):
    """Counts how large sets are too: long proofs have large supports."""

    def unions(self, start: RowSet, choices: list[Antichain]) -> list[RowSet]:
        found = super().unions(start, choices)
        self.spend(sum(map(len, found)) // _MEMBERS_A_STEP)
        return found


class _SupportedDerivation(NamedTuple):
    """A support, and a derivation from it."""

    support: RowSet
    derivation: Derivation
    is_shortest: bool


@dataclass
class _ProofChoice:
    """The proofs of the first row of a lineage.

    Args:
        given: what explains it.
        lineage: instances behind the row.
    """

    given: ProofExtractor
    lineage: Lineage
    meter: StepBudget = field(init=False)

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
        # Where each fact follows in one way, there is a set for each assertion and for each instance, and one
        # more is in the making.
        sets = len(self.asserted) + self.given.limit + 1
        self.meter = _SizedMeter(sets, self.given.limit * _STEPS_AN_INSTANCE)

    @property
    def is_derivable(self) -> bool:
        """Whether the instances that are known are enough for a proof."""
        return self.goal in self.instances.heights([*self.always, *self._strong])

    @property
    def _strong(self) -> list[int]:
        """The asserted rows that are not weaker than the goal."""
        return [row for row in self.asserted if self._bases[row] >= self.level]

    def best(self) -> Proof:
        """The best proof."""
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
        """A proof for each minimal support; none if there are too many."""
        try:
            supports = self._supports(self.asserted)
        except BudgetExceeded:
            return ()
        found = [self._candidate(support) for support in supports]
        found.sort(key=lambda each: (self._age(each.support), len(each.support), len(each.derivation)))
        return tuple(self._proof(each, each.is_shortest) for each in found)

    def _best_of(self, tied: list[RowSet], least: int) -> tuple[_SupportedDerivation, bool]:
        """Of supports that are equally good the one with the fewest instances, and whether it surely is that.

        Args:
            least: fewer instances are not enough.
        """
        best, sure = None, True
        for support in tied:
            found = self._candidate(support)
            sure = sure and found.is_shortest
            if best is None or len(found.derivation) < len(best.derivation):
                best = found
            if len(best.derivation) <= least:
                return best, True
            self.meter.spend(len(self.instances.found))
        assert best is not None, "what holds has a support"
        return best, sure

    def _supports(self, asserted: list[int]) -> list[RowSet]:
        """The minimal supports of the goal; those with newer assertions first."""
        if self.goal in self._entailed:
            return [frozenset()]
        bodies = (
            (head, tuple({row for row in body if row not in self._entailed}))
            for head, _, body in self.instances.found
            if head not in self._entailed
        )
        self._sets = supports_of(asserted, bodies, self.meter)
        found = self._sets[self.goal].sets
        return list(found) if len(found) == 1 else sorted(found, key=self._place)

    def _candidate(self, support: RowSet) -> _SupportedDerivation:
        """A support with its shortest derivation."""
        if self.goal in support or self.goal in self.always:
            return _SupportedDerivation(support, {}, True)
        behind, met = self._behind(support)
        leaves = support | (self.always & met)
        derivation, is_shortest = behind.fewest(self.goal, leaves, self.meter)
        return _SupportedDerivation(support, derivation, is_shortest)

    def _behind(self, support: RowSet) -> tuple[RuleInstances, set[int]]:
        """The instances by which the goal can follow from a support, and the rows in them."""
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
        """Whether a row follows from a support and the background."""
        if row in self._entailed:
            return True
        known = self._sets.get(row)
        return known is not None and any(each <= support for each in known.sets)

    def _only_way(self, asserted: list[int]) -> _SupportedDerivation | None:
        """The support and derivation where there is no choice: no fact follows in two ways, or is given too.

        Else None.
        """
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
        """A support that is minimal, as far as what is known goes, and a derivation: found without search."""
        leaves = dict.fromkeys([*self.always, *asserted], 0)
        if self.goal in leaves:
            return _SupportedDerivation(frozenset([self.goal]) - self.always, {}, True)
        rows = self.lineage.rows.tolist()
        open_ = {row: _OPEN_COST for row in rows if row not in leaves and row not in self.instances.by_head}
        derivation = self.instances.cheapest(leaves)
        if self.goal not in derivation:  # what was not looked into is taken for given
            leaves |= open_
            derivation = self.instances.cheapest(leaves)
        if self.goal not in derivation:  # and what was not looked into to its end
            leaves |= {row: _OPEN_COST**2 for row in rows if row not in leaves and row != self.goal}
            derivation = self.instances.cheapest(leaves)
        if self.goal not in derivation:  # it is open itself
            return _SupportedDerivation(frozenset(), {}, False)
        kept = [row for row in used_by(derivation, self.goal) if row in leaves and row not in self.always]
        kept = self._without_needless(kept)
        derivation = self.instances.cheapest({row: leaves[row] for row in [*self.always, *kept]})
        return _SupportedDerivation(frozenset(kept) & set(asserted), derivation, False)

    def _without_needless(self, leaves: list[int]) -> list[int]:
        """As few of the leaves as the goal follows from, the older ones left out first.

        Some that are needless may stay where looking for them takes more steps than there may be.
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

    # -- rows as people know them ------------------------------------------------------------------

    def _proof(self, found: _SupportedDerivation, complete: bool) -> Proof:
        """The proof by a derivation from a support."""
        rules = self.given.model.program.rules

        def step(row: int, instance: RuleInstance | None, premises: tuple[int, ...]) -> ProofStep:
            if instance is not None:
                return ProofStep(self._triple(row), rules[instance.rule], premises)
            if row in found.support:
                return self._assertion(row)
            return ProofStep(self._triple(row), is_open=row not in self.always)

        return Proof(steps_of(found.derivation, self.goal, step), complete)

    def _assertion(self, row: int) -> ProofStep:
        abox = self.given.abox(self._bases[row])
        (triple,) = self.given.model.vocabulary.decode([self._facts[row]], abox.forms)
        return ProofStep(triple, at=abox.at)

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

    def _age(self, support: RowSet) -> int:
        """How old the oldest assertion of a support is: less for newer ones."""
        return -min((self._bases[row] for row in support), default=FOREVER)

    def _place(self, support: RowSet) -> tuple[list[int], list[str]]:
        """Where a support stands among others: those with newer assertions first."""
        return sorted(-self._bases[row] for row in support), sorted(map(self._text, support))


# Steps of the search for the shortest proof of one violation.
_STEPS = 20_000


def proof_of_violation(model: WindowModel, most: int = 1_000_000) -> Proof | None:
    """A proof of one of the violations that `model` noted, None if it noted none. Costs their lineage.

    The model must hold what can be asserted at levels of the window: the facts of its background are not
    explained.
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
    """A shortest proof of each constraint that `model` noted to be violated, the background explained.

    Costs the lineage of the violations, and a search.

    Args:
        asserted: what the facts asserted in the model are as assertions of the stream.
        most: past so many rule instances there are none.
    """
    lineage = model.lineage(most, explains_background=True)
    if lineage is None or lineage.cut_short:
        return {}
    return _Violations(model, lineage, asserted).shortest()


def proof_of(model: WindowModel, fact: Integers, most: int = 1_000_000) -> Proof:
    """A proof of a fact, shape (1, 3), in the model. Costs its lineage.

    The model is one as for `proof_of_violation`. Past `most` rule instances the fact is not looked into.
    """
    lineage = model.lineage_of(fact, most)
    given = lineage.rows[(lineage.bases != NONE) | lineage.background].tolist()
    found = _Violations(model, lineage, {})
    return found.proof(found.all.cheapest(dict.fromkeys(given, 0)), goal=int(lineage.rows[0]))


class _Violations:
    """The violations of a lineage.

    Args:
        asserted: facts that the stream asserts.
    """

    def __init__(self, model: WindowModel, lineage: Lineage, asserted: Mapping[Fact, Assertion]) -> None:
        self._rules, self._lineage, rows = model.program.rules, lineage, lineage.rows.tolist()
        self._triples = dict(zip(rows, model.vocabulary.decode(lineage.facts), strict=True))
        facts = zip(rows, as_tuples(lineage.facts), strict=True)
        self._asserted = {row: asserted[fact] for row, fact in facts if fact in asserted}
        self.all = RuleInstances.of(lineage, self._rank)

    def shortest(self) -> dict[Rule, Proof]:
        """The shortest proof for each constraint."""
        lineage = self._lineage
        leaves = {*self._asserted, *lineage.rows[lineage.bases == FOREVER].tolist()}
        by_constraint: defaultdict[int, list[RuleInstance]] = defaultdict(list)
        for instance in self.all.by_head[BOTTOM]:
            by_constraint[instance.rule].append(instance)
        others = [instance for instance in self.all.found if instance.head != BOTTOM]
        found = {}
        for constraint, violations in by_constraint.items():
            instances = RuleInstances((*others, *violations), self._rank)
            derivation, is_shortest = instances.fewest(BOTTOM, leaves, StepBudget(_STEPS, _STEPS))
            found[self._rules[constraint]] = self.proof(derivation, is_shortest)
        return found

    def proof(self, derivation: Derivation, complete: bool = True, goal: int = BOTTOM) -> Proof:
        """The proof by a derivation."""

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
