"""Proofs of violations: how facts lead to ⊥, in a model where all that is not always true is asserted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from pantarhei.encoding.numbers import NONE, Fact, Integers, as_tuples
from pantarhei.materialize.lineage_rows import Lineage
from pantarhei.materialize.model import FOREVER, WindowModel
from pantarhei.model.rule import Rule
from pantarhei.proofs.antichain import Meter
from pantarhei.proofs.instances import BOTTOM, Derivation, Instance, Instances, Key, steps_of
from pantarhei.proofs.proof import Assertion, Proof, ProofStep
from pantarhei.rdf.ntriples import write_triple

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
        self.all = Instances.of(lineage, self._rank)

    def shortest(self) -> dict[Rule, Proof]:
        """The shortest proof for each constraint."""
        lineage = self._lineage
        leaves = {*self._asserted, *lineage.rows[lineage.bases == FOREVER].tolist()}
        by_constraint: defaultdict[int, list[Instance]] = defaultdict(list)
        for instance in self.all.by_head[BOTTOM]:
            by_constraint[instance.rule].append(instance)
        others = [instance for instance in self.all.found if instance.head != BOTTOM]
        found = {}
        for constraint, violations in by_constraint.items():
            instances = Instances((*others, *violations), self._rank)
            derivation, is_shortest = instances.fewest(BOTTOM, leaves, Meter(_STEPS, _STEPS))
            found[self._rules[constraint]] = self.proof(derivation, is_shortest)
        return found

    def proof(self, derivation: Derivation, complete: bool = True, goal: int = BOTTOM) -> Proof:
        """The proof by a derivation."""

        def step(row: int, instance: Instance | None, premises: tuple[int, ...]) -> ProofStep:
            if row in self._asserted and instance is None:
                at, triple = self._asserted[row]
                return ProofStep(triple, at=at)
            return ProofStep(
                self._triples.get(row), None if instance is None else self._rules[instance.rule], premises
            )

        return Proof(steps_of(derivation, goal, step), complete)

    def _rank(self, instance: Instance) -> Key:
        rule = self._rules[instance.rule]
        bodies = (write_triple(self._triples[row]) for row in instance.body)
        return (rule.name, rule.axiom, *bodies)
