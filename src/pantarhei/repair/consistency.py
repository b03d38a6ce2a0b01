"""Contradictions among facts that are never repaired."""

from __future__ import annotations

from rdflib import Literal

from pantarhei.encoding.forms import NO_FORMS
from pantarhei.encoding.numbers import Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import InconsistentOntologyError
from pantarhei.materialize.model import WindowModel
from pantarhei.model.display_names import told_apart
from pantarhei.model.rule import names_of
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.violation import proof_of_violation
from pantarhei.rdf.ntriples import write_triple
from pantarhei.repair.conflict import Budget
from pantarhei.repair.contradiction import Contradiction, contradictions
from pantarhei.repair.result import ConflictList
from pantarhei.rules.compilation.program import Program

_ONE_THING = "let two names be one thing, with unique_names=False"


def model_of_background(program: Program, vocabulary: Vocabulary, background: Integers) -> WindowModel:
    """A model in which `background` is asserted at level 0, so that what follows from it can be explained."""
    model = WindowModel(program, "newest", vocabulary)
    model.add(background, 0)
    return model


def contradictions_in(model: WindowModel) -> ConflictList[Contradiction]:
    """All minimal contradictions among the facts that `model` holds, which are asserted at levels.

    Costs a pass over the facts, and the lineage of what they violate.
    """
    budget, lexicon = Budget(), model.vocabulary.lexicon
    model.find_violations()
    lineage = model.lineage(budget.instances)
    if lineage is None:
        return ConflictList.of(())
    return contradictions(lineage, budget, lexicon, model.program.rules, NO_FORMS.by_fact)


def inconsistency(
    proof: Proof, found: ConflictList[Contradiction], unique_names: bool = False
) -> InconsistentOntologyError:
    """The error that describes one contradiction with its proof, and lists all of them.

    Args:
        proof: of the one.
        found: all of them.
        unique_names: whether the constraint is about things that differ because their names do.
    """
    rule = proof.steps[-1].rule
    assert rule is not None, "the last step of a proof of ⊥ is a constraint"
    statements = [write_triple(triple) + " ." for triple in proof.facts]
    text, axiom, lines = told_apart(lambda: (str(rule), rule.axiom, proof.lines()), names_of(proof.rules))
    are_names = not any(isinstance(value, Literal) for _, _, value in proof.facts)
    remedy = _ONE_THING if unique_names and rule.different and are_names else None
    return InconsistentOntologyError(f"{rule.name}: {text}", statements, axiom, lines, remedy, *found.first())


def refuse_violations(model: WindowModel, background: Integers) -> None:
    """Raise if the model noted a violation since it was last asked; it holds `background` only.

    Raises:
        InconsistentOntologyError: it did; the error has a proof.
    """
    if not len(model.violations()):
        return
    asserted = model_of_background(model.program, model.vocabulary, background)
    proof = proof_of_violation(asserted)
    assert proof is not None, "the same facts violate the same constraint"
    raise inconsistency(proof, contradictions_in(asserted), unique_names=True)
