"""The repair of one step: what an arriving ABox contradicts is found, chosen from, and taken out.

No violation, no cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.language.rule import Rule
from pantarhei.materialize.lineage_rows import Lineage
from pantarhei.materialize.model import WindowModel
from pantarhei.proofs.antichain import Set
from pantarhei.repair.account import RepairAccount
from pantarhei.repair.choose import Method, choose
from pantarhei.repair.conflict import Budget, ConflictPairs, Conflicts, find_conflicts
from pantarhei.repair.result import Prove, Repair, no_proofs
from pantarhei.window.log import Entry, Log


class Repaired(NamedTuple):
    """What was done to the model.

    Args:
        cut: the facts taken out, shape (n, 3).
        contradicted: whether a constraint was violated.
        repair: the account for people.
    """

    cut: Integers
    contradicted: bool
    repair: Repair


@dataclass(frozen=True, slots=True)
class Repairer:
    """How a stream is repaired.

    Args:
        method: as `StreamReasoner` takes it.
        budget: how far an exact repair searches.
        vocabulary: what the facts' numbers mean.
        prove: finds the proofs of conflicts.
    """

    method: Method
    budget: Budget
    vocabulary: Vocabulary
    prove: Prove = no_proofs

    def repair(self, model: WindowModel, older: Log, arriving: Entry, rules: tuple[Rule, ...]) -> Repaired:
        """Cut from `model`, to which the ABox `arriving` was just added, what contradicts newer assertions.

        Args:
            older: the log without the arriving ABox.
            rules: what the numbers of constraints mean.
        """
        if self.method == "off":  # what contradicted before does so still
            model.find_violations()
        lineage = model.lineage(self.budget.instances)
        if lineage is None:
            return Repaired(NO_FACTS, False, Repair(arriving.at, self.method))
        conflicts = find_conflicts(lineage, arriving.level, self.budget)
        cut, undecided = self._choose(conflicts, lineage)
        if len(cut):
            model.cut(cut)
        account = RepairAccount(older, arriving, self.vocabulary.lexicon, rules, self.prove)
        return Repaired(cut, True, account.of(self.method, lineage, conflicts, cut, undecided))

    def _choose(self, conflicts: ConflictPairs | Conflicts, lineage: Lineage) -> tuple[Integers, Integers]:
        """(facts to cut, those of them that no decision was reached on)."""
        if self.method == "off":
            return NO_FACTS, NO_FACTS
        if isinstance(conflicts, ConflictPairs) and not (self.method == "grounded" and conflicts.inner.any()):
            return lineage.facts[lineage.places(conflicts.cut())], NO_FACTS
        times = dict(zip(lineage.rows.tolist(), lineage.bases.tolist(), strict=True))
        left = (
            self.budget
            if isinstance(conflicts, ConflictPairs)
            else replace(self.budget, steps=conflicts.steps)
        )
        choice = choose([conflict.rows for conflict in conflicts.found], times, self.method, left)
        lost = conflicts.undecided
        return _facts_at(choice.cut | lost, lineage), _facts_at(choice.undecided | lost, lineage)


def _facts_at(rows: Set, lineage: Lineage) -> Integers:
    if not rows:
        return NO_FACTS
    return lineage.facts[lineage.places(np.array(sorted(rows), np.int32))]
