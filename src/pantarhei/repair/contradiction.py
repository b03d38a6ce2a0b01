"""How the assertions of a graph without time contradict each other, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pantarhei.encoding.forms import FactForms
from pantarhei.encoding.lexicon import Lexicon
from pantarhei.materialize.lineage_rows import Lineage
from pantarhei.model.display_names import told_apart
from pantarhei.model.rule import Rule, names_of
from pantarhei.model.term import Triple, short
from pantarhei.rdf.ntriples import write_triple
from pantarhei.rdf.pickling import exactly
from pantarhei.repair.conflict import Budget, Conflicts, KeptEvidence
from pantarhei.repair.result import ConflictList, in_order_of_texts


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A minimal inconsistent set of assertions, and what it violates.

    An axiom that nothing satisfies is one without assertions.
    """

    triples: frozenset[Triple]
    constraints: tuple[Rule, ...]

    def __str__(self) -> str:
        return told_apart(self._text, names_of(self.constraints))

    def _text(self) -> str:
        members = sorted(" ".join(map(short, triple)) for triple in self.triples)
        rules = " and ".join(dict.fromkeys(rule.axiom for rule in self.constraints))
        return " against ".join(members) + f", by {rules}" if members else rules

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(Contradiction, self.triples, self.constraints)


def contradictions(
    lineage: Lineage, budget: Budget, lexicon: Lexicon, rules: Sequence[Rule], forms: FactForms
) -> ConflictList[Contradiction]:
    """The contradictions behind the violations of a lineage, found when they are first looked at.

    Costs linear time in the lineage, of which it keeps what takes part in them.

    Args:
        lineage: the violations with their proofs.
        budget: limits of listing them.
        lexicon: what the facts' numbers mean.
        rules: what the constraints' numbers mean.
        forms: how the assertions' literals were written.
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
