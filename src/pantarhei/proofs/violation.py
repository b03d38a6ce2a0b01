"""A proof of a violation, in a model where all that is given is asserted."""

from __future__ import annotations

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.model import WindowModel
from pantarhei.proofs.instances import BOTTOM, Instance, Instances, Key, steps_of
from pantarhei.proofs.proof import Proof, ProofStep


def proof_of_violation(model: WindowModel, most: int = 1_000_000) -> Proof | None:
    """A proof of one of the violations that `model` noted, None if it noted none. Costs their lineage.

    The model must hold what can be asserted at levels of the window: the facts of its background are not
    explained.
    """
    lineage = model.lineage(most)
    if lineage is None:
        return None
    rules = model.program.rules
    triples = dict(zip(lineage.rows.tolist(), model.vocabulary.decode(lineage.facts), strict=True))

    def rank(instance: Instance) -> Key:
        bodies = (" ".join(term.n3() for term in triples[row]) for row in instance.body)
        return (rules[instance.rule].name, rules[instance.rule].axiom, *bodies)

    given = lineage.rows[(lineage.bases != NONE) | lineage.background].tolist()
    derivation = Instances.of(lineage, rank).cheapest(dict.fromkeys(given, 0))

    def step(row: int, instance: Instance | None, premises: tuple[int, ...]) -> ProofStep:
        return ProofStep(triples.get(row), None if instance is None else rules[instance.rule], premises)

    return Proof(steps_of(derivation, BOTTOM, step))
