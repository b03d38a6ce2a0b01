"""Contradictions among facts that are not repaired: of a background, or of a graph without time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rdflib import Literal

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import NO_FORMS, FactForms, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import InconsistentOntologyError
from pantarhei.errors.base import parameter
from pantarhei.materialize.kernel_values import Lineage
from pantarhei.materialize.model import WindowModel
from pantarhei.model.message_text import disambiguate
from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.rule import Rule, names_of
from pantarhei.model.term import Triple, short
from pantarhei.proofs.extraction import proof_of_violation
from pantarhei.proofs.proof import Proof
from pantarhei.rdf.ntriples import exactly, write_triple
from pantarhei.repair.conflict import Budget, Conflicts, KeptEvidence
from pantarhei.repair.result import ConflictList, in_order_of_texts
from pantarhei.rules.compilation.program import Program


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Minimal inconsistent set of assertions, with the violated constraints.

    It has no assertions if an axiom is unsatisfiable by itself.

    Args:
        triples: the assertions.
        constraints: the violated constraints, each a rule without a head.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> graph = pr.DynamicGraph(pr.load_ontology("ontologies/pedals.ttl"), on_conflict="report")
    >>> (contradiction,) = graph.change(insert=[gas, brakes]).conflicts
    >>> contradiction.triples == {gas, brakes}, contradiction.constraints[0].axiom
    (True, 'DisjointClasses(GasPedalPressed BrakesPressed)')
    """

    triples: frozenset[Triple]
    constraints: tuple[Rule, ...]

    __repr__ = short_repr
    _repr_html_ = html_of

    def __str__(self) -> str:
        return disambiguate(self._text, names_of(self.constraints))

    def _text(self) -> str:
        members = sorted(" ".join(map(short, triple)) for triple in self.triples)
        rules = " and ".join(dict.fromkeys(rule.axiom for rule in self.constraints))
        return " against ".join(members) + f", by {rules}" if members else rules

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(Contradiction, self.triples, self.constraints)


def contradictions(
    lineage: Lineage, budget: Budget, lexicon: Lexicon, rules: Sequence[Rule], forms: FactForms
) -> ConflictList[Contradiction]:
    """Return the contradictions behind the violations of a lineage; they are computed on first access.

    Costs linear time in the lineage; the part of the lineage that conflicts involve stays in memory.

    Args:
        lineage: the violations with their proofs.
        budget: limits of the listing.
        lexicon: the terms of the facts.
        rules: the constraints, by their numbers.
        forms: forms of literals that differ from the first form of their value.
    """
    kept = KeptEvidence(lineage, budget)

    def make(found: Conflicts) -> list[Contradiction]:
        evidence = kept.evidence
        triples = list(lexicon.decode(evidence.facts, forms))
        keys = list(map(write_triple, triples))
        return [
            Contradiction(
                frozenset(triples[row] for row in conflict.rows),
                in_order_of_texts(rules[number] for number in conflict.constraints),
            )
            for conflict in found.in_order(keys)
        ]

    return ConflictList(kept.conflicts, make)


def model_of_background(program: Program, vocabulary: Vocabulary, background: Integers) -> WindowModel:
    """Return a model in which the background is asserted at level 0, so that its consequences have proofs."""
    model = WindowModel(program, "newest", vocabulary)
    model.add(background, 0)
    return model


def contradictions_in(model: WindowModel) -> ConflictList[Contradiction]:
    """Return all minimal contradictions among the asserted facts of a model.

    Costs a scan of the facts, and the lineage of the violations.
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
    """Return the error that describes one contradiction with its proof, and lists all contradictions.

    Args:
        proof: the proof of one contradiction.
        found: all contradictions.
        unique_names: true if names are unique, so that the violation may follow from distinct names.
    """
    rule = proof.steps[-1].rule
    assert rule is not None, "the last step of a proof of ⊥ is a constraint"
    statements = [write_triple(triple) + " ." for triple in proof.facts]
    text, axiom, lines = disambiguate(lambda: (str(rule), rule.axiom, proof.lines()), names_of(proof.rules))
    are_names = not any(isinstance(value, Literal) for _, _, value in proof.facts)
    remedy = None
    if unique_names and rule.different and are_names:
        remedy = f"let two names be one thing, with {parameter('unique_names', 'False')}"
    return InconsistentOntologyError(f"{rule.name}: {text}", statements, axiom, lines, remedy, *found.first())


def refuse_violations(model: WindowModel, background: Integers) -> None:
    """Check that a model of the background alone has no violation.

    Raises:
        InconsistentOntologyError: it has one; the error contains a proof.
    """
    if not len(model.violations()):
        return
    asserted = model_of_background(model.program, model.vocabulary, background)
    proof = proof_of_violation(asserted)
    assert proof is not None, "the same facts violate the same constraint"
    raise inconsistency(proof, contradictions_in(asserted), unique_names=True)
