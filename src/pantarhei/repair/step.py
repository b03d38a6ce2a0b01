"""The repair of one step: contradictions of an arriving ABox are found, and what they cut is removed.

Without a violation it costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NO_FACTS, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.lineage_rows import Lineage
from pantarhei.materialize.model import WindowModel
from pantarhei.model.rule import Rule
from pantarhei.rdf.ntriples import write_triple
from pantarhei.repair.account import RepairAccount
from pantarhei.repair.choose import Method, algorithm3, grounded
from pantarhei.repair.conflict import Budget, ConflictEvidence, KeptEvidence
from pantarhei.repair.exact import Cut, exact_cut
from pantarhei.repair.result import Prove, Repair, no_proofs
from pantarhei.window.log import Entry, Log

_NOTHING = np.empty(0, np.intp)


class Repaired(NamedTuple):
    """What was done to the model.

    Args:
        cut: the removed facts, shape (n, 3).
        contradicted: whether a constraint was violated.
        repair: the account for users.
        evidence: bytes that the account keeps.
    """

    cut: Integers
    contradicted: bool
    repair: Repair
    evidence: int = 0


@dataclass(frozen=True, slots=True)
class Repairer:
    """How a stream is repaired.

    Args:
        method: as `StreamReasoner` takes it.
        budget: limits of the search.
        vocabulary: what the facts' numbers mean.
        prove: finds the proofs of conflicts.
        anew: makes a model of a log and an arriving ABox, whichever way the stream was kept and fed; None if
            what a limit leaves undecided may depend on that.
    """

    method: Method
    budget: Budget
    vocabulary: Vocabulary
    prove: Prove = no_proofs
    anew: Callable[[Log, Entry], WindowModel] | None = None

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
        if self.method == "exact":
            cut = exact_cut(lineage, self.budget, self._ranked)
            if len(cut.undecided) and self.anew is not None:
                # The number of rule instances depends on the way; what a limit leaves undecided must not.
                model_anew = self.anew(older, arriving)
                model_anew.find_violations()
                again = model_anew.lineage(self.budget.instances)
                assert again is not None, "the same assertions violate the same constraints"
                lineage, rules = again, model_anew.program.rules
                cut = exact_cut(lineage, self.budget, self._ranked)
        elif self.method == "off":
            cut = Cut(_NOTHING, _NOTHING)
        else:
            cut = self._chosen(lineage)
        facts = lineage.facts[cut.places]
        if len(facts):
            model.cut(facts)
        evidence = KeptEvidence(lineage, self.budget)
        account = RepairAccount(older, arriving, self.vocabulary.lexicon, rules, self.prove)
        repair = account.of(self.method, lineage, cut, evidence)
        return Repaired(facts, True, repair, evidence.bytes)

    def _chosen(self, lineage: Lineage) -> Cut:
        """The cut of the methods that go by conflict sets; the exact one where those are too many to list."""
        evidence, members = ConflictEvidence.of(lineage, self.budget)
        if not evidence.is_complete and not lineage.cut_short:
            places = exact_cut(lineage, self.budget, self._ranked).places
            return Cut(places, places)
        found = evidence.conflicts(self.budget)
        times = dict(enumerate(lineage.bases[members].tolist()))
        sets = [conflict.rows for conflict in found]
        if self.method == "algorithm3":
            cut, undecided = algorithm3(sets, times), frozenset[int]()
        else:
            state = grounded(sets, times)
            cut, undecided = state.out, state.undecided
        below = np.flatnonzero(lineage.is_below_floor)
        lost: list[npt.NDArray[np.integer]] = [members[sorted(undecided)], below]
        if found.lost:
            exact = exact_cut(lineage, self.budget, self._ranked)
            lost.append(np.intersect1d(exact.places, members[sorted(found.lost)]))
        return Cut(np.unique(np.concatenate([members[sorted(cut)], *lost])), np.unique(np.concatenate(lost)))

    def _ranked(self, facts: Integers) -> list[str]:
        """The texts of facts, by which they can be ordered however terms are numbered."""
        return [write_triple(triple) for triple in self.vocabulary.lexicon.decode(facts)]
