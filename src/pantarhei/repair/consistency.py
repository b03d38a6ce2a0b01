"""Contradictions among facts that are not repaired: of a background, or of a graph without time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any, TypeVar

from rdflib import Literal

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import NO_FORMS, FactForms, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import InconsistentOntologyError
from pantarhei.errors.base import parameter
from pantarhei.materialize.kernel_values import Lineage
from pantarhei.materialize.model import WindowModel
from pantarhei.model.labels import Labels, labels_among
from pantarhei.model.message_text import disambiguate, one_line_path
from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.rule import Origin, Rule, names_of
from pantarhei.model.term import Triple, in_order
from pantarhei.owl.manchester import terms_of_axioms
from pantarhei.proofs.contradiction_sentences import contradiction_sentence
from pantarhei.proofs.extraction import LineageProofs
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.renderers import axiom_as_json, fact_as_json
from pantarhei.proofs.rule_instances import BOTTOM
from pantarhei.proofs.sentences import sentence
from pantarhei.rdf.ntriples import exactly, write_triple
from pantarhei.repair.conflict import Budget, Conflicts, KeptEvidence
from pantarhei.repair.result import ConflictList, in_order_of_texts
from pantarhei.rules.compilation.program import Program

_T = TypeVar("_T")

Position = tuple[str | None, int | None]
"""A file and a line in it, counted from 1; None if unknown."""


def _no_proof() -> None:
    """Return no proof."""


@dataclass(frozen=True)
class Contradiction:
    """Minimal inconsistent set of assertions, with the violated constraints.

    It has no assertions if axioms are inconsistent by themselves. `str` is one sentence.

    Args:
        triples: the assertions.
        constraints: the violated constraints, each a rule without a head.
        unique_names: the assertions contradict each other only if different names denote different things.
        labels: the names shown for IRIs.
        positions: the positions of the assertions, if known.

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
    unique_names: bool = False
    labels: Labels = field(default_factory=dict, compare=False, repr=False)
    positions: Mapping[Triple, Position] = field(default_factory=dict, compare=False, repr=False)
    _prove: Callable[[], Proof | None] = field(default=_no_proof, compare=False, repr=False)

    __repr__ = short_repr
    _repr_html_ = html_of

    @cached_property
    def proof(self) -> Proof | None:
        """A proof of ⊥ from the assertions; None if the contradiction is an axiom, or proofs are not stored.

        The first access costs linear time in the lineage of all contradictions.
        """
        found = self._prove()
        return None if found is None else found.labelled(self.labels)

    @property
    def rule(self) -> Rule:
        """The constraint that the proof violates."""
        last = None if self.proof is None else self.proof.steps[-1].rule
        return self.constraints[0] if last is None else last

    @property
    def axioms(self) -> tuple[Origin, ...]:
        """The axioms used by the proof, or those of the constraints, with their positions in files."""
        rules = self.constraints if self.proof is None else self.proof.rules
        return tuple(dict.fromkeys(rule.origin or Origin(rule.axiom) for rule in rules))

    def __str__(self) -> str:
        """Return the contradiction as a sentence without a full stop, with the position of the axiom."""
        place = self._place()
        return f"{self._shown(self._sentence)}{f' ({place})' if place else ''}"

    def to_json(self) -> dict[str, object]:
        """Return the sentence, the assertions, the axioms and the proof as a dictionary for `json.dumps`."""
        axioms = [each for each in self.axioms if each.names is not None or each.source is not None]
        return {
            "text": str(self),
            "unique_names": self.unique_names,
            "assertions": self._shown(
                lambda: [
                    {
                        "fact": fact_as_json(triple),
                        "text": sentence(triple, self._shown_labels),
                        **_place_as_json(self.positions.get(triple)),
                    }
                    for triple in in_order(self.triples)
                ]
            ),
            "axioms": self._shown(lambda: [axiom_as_json(each, self._shown_labels) for each in axioms]),
            "proof": None if self.proof is None else self.proof.to_json(),
        }

    @cached_property
    def _shown_labels(self) -> Labels:
        terms = {term for triple in self.triples for term in triple}
        proof = self.proof
        of_rules = terms_of_axioms(self.constraints) if proof is None else proof.terms
        return labels_among(self.labels, terms.union(of_rules))

    def _shown(self, write: Callable[[], _T]) -> _T:
        return disambiguate(write, names_of(self.constraints if self.proof is None else self.proof.rules))

    def _sentence(self) -> str:
        facts = in_order(self.triples) if self.proof is None else self.proof.facts
        return contradiction_sentence(self.rule, facts, self.triples, self._shown_labels)

    def _place(self) -> str:
        """Return the position of the violated axiom, followed by other positions of assertions."""
        origin = self.rule.origin
        places = [] if origin is None else [(origin.source, origin.line)]
        places += [self.positions[triple] for triple in in_order(self.triples) if triple in self.positions]
        lines = (("" if line is None else f", line {line}") for _, line in places)
        shown = (
            f"{one_line_path(source)}{line}"
            for (source, _), line in zip(places, lines, strict=True)
            if source
        )
        return "; ".join(dict.fromkeys(shown))

    def __reduce__(self) -> tuple[Any, ...]:
        given = self.triples, self.constraints, self.unique_names, dict(self._shown_labels), self.positions
        return exactly(_proved, *given, self.proof)


def _proved(
    triples: frozenset[Triple],
    constraints: tuple[Rule, ...],
    unique_names: bool,
    labels: Labels,
    positions: Mapping[Triple, Position],
    proof: Proof | None,
) -> Contradiction:
    """Return a contradiction with a known proof."""
    return Contradiction(triples, constraints, unique_names, labels, positions, lambda: proof)


def _place_as_json(place: Position | None) -> dict[str, object]:
    known = zip(("file", "line"), place or (), strict=False)
    return {key: value for key, value in known if value is not None}


def contradictions(
    lineage: Lineage,
    budget: Budget,
    lexicon: Lexicon,
    rules: Sequence[Rule],
    forms: FactForms,
    proved: bool = False,
) -> ConflictList[Contradiction]:
    """Return the contradictions behind the violations of a lineage; they are computed on first access.

    Costs linear time in the lineage; the part of the lineage that conflicts involve stays in memory, or the
    whole lineage if `proved` is set.

    Args:
        lineage: the violations with their proofs.
        budget: limits of the listing.
        lexicon: the terms of the facts.
        rules: the constraints, by their numbers.
        forms: forms of literals that differ from the first form of their value.
        proved: whether the contradictions have proofs. Each contradiction then has the constraints of one
            axiom: a set of assertions that violates several axioms is listed once for each.
    """
    kept = KeptEvidence(lineage, budget)
    proofs = cache(lambda: LineageProofs(rules, lineage, lexicon.decode(lineage.facts, forms)))

    def proof_of(rows: list[int], constraints: list[int]) -> Proof | None:
        return proofs().from_facts(kept.evidence.facts[rows], constraints)

    def make(found: Conflicts) -> list[Contradiction]:
        evidence = kept.evidence
        triples = list(lexicon.decode(evidence.facts, forms))
        keys = list(map(write_triple, triples))
        listed = []
        for conflict in found.in_order(keys):
            conflicting = frozenset(triples[row] for row in conflict.rows)
            of_axioms: dict[str, list[int]] = defaultdict(list)
            for number in sorted(conflict.constraints):
                of_axioms[rules[number].axiom if proved else ""].append(number)
            for _, numbers in sorted(of_axioms.items()):
                violated = in_order_of_texts(rules[number] for number in numbers)
                prove = partial(proof_of, sorted(conflict.rows), numbers) if proved else _no_proof
                listed.append(Contradiction(conflicting, violated, _prove=prove))
        return listed

    return ConflictList(kept.conflicts, make)


def model_of_background(program: Program, vocabulary: Vocabulary, background: Integers) -> WindowModel:
    """Return a model in which the background is asserted at level 0, so that its consequences have proofs."""
    model = WindowModel(program, "newest", vocabulary)
    model.add(background, 0)
    return model


def contradictions_in(model: WindowModel) -> ConflictList[Contradiction]:
    """Return all minimal contradictions among the asserted facts of a model.

    Costs a scan of the facts, and the lineage of the violations, which stays in memory.
    """
    budget, lexicon = Budget(), model.vocabulary.lexicon
    model.find_violations()
    lineage = model.lineage(budget.instances)
    if lineage is None:
        return ConflictList.of(())
    found = contradictions(lineage, budget, lexicon, model.program.rules, NO_FORMS.by_fact, proved=True)
    if found:
        return found
    proof = LineageProofs.of(model, lineage).cheapest(BOTTOM)  # the budget does not suffice for conflict sets
    return ConflictList.of([Contradiction(proof.background, proof.rules[-1:], _prove=lambda: proof)], False)


def inconsistency(
    found: ConflictList[Contradiction], unique_names: bool = False
) -> InconsistentOntologyError:
    """Return the error that lists contradictions, of which there is at least one.

    Args:
        unique_names: true if names are unique, so that a contradiction may follow from distinct names.
    """
    first = found[0]
    values = () if first.proof is None else (value for _, _, value in first.proof.facts)
    are_names = not any(isinstance(value, Literal) for value in values)
    remedy = None
    if unique_names and first.rule.different and are_names:
        remedy = f"let two names be one thing, with {parameter('unique_names', 'False')}"
    return InconsistentOntologyError(*found.first(), remedy)


def contradictions_of_background(model: WindowModel, background: Integers) -> ConflictList[Contradiction]:
    """Return the contradictions in a model of the background alone."""
    if not len(model.violations()):
        return ConflictList.of(())
    return contradictions_in(model_of_background(model.program, model.vocabulary, background))


def refuse_violations(model: WindowModel, background: Integers) -> None:
    """Check that a model of the background alone has no violation.

    Raises:
        InconsistentOntologyError: it has one; the error contains a proof.
    """
    if len(model.violations()):  # which are reported once
        alone = model_of_background(model.program, model.vocabulary, background)
        raise inconsistency(contradictions_in(alone), unique_names=True)
