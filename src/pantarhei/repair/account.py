"""The account of a repair: numbers made into assertions and constraints on demand."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import Integers
from pantarhei.language.rule import Rule
from pantarhei.materialize.lineage_rows import Lineage
from pantarhei.proofs.proof import Assertion
from pantarhei.repair.choose import Method
from pantarhei.repair.conflict import KeptEvidence, Levels
from pantarhei.repair.exact import Cut
from pantarhei.repair.occurrences import Removal
from pantarhei.repair.result import Case, Prove, Repair, no_proofs
from pantarhei.window.log import Entry, Log


@dataclass(frozen=True, slots=True)
class RepairAccount:
    """An arriving ABox and the log before it: what it takes to describe its repair.

    Args:
        older: the log before the ABox.
        arriving: the ABox.
        lexicon: what the facts' numbers mean.
        rules: what the constraints' numbers mean.
        prove: finds the proofs of conflicts.
    """

    older: Log
    arriving: Entry
    lexicon: Lexicon
    rules: tuple[Rule, ...]
    prove: Prove = no_proofs

    def of(self, method: Method, lineage: Lineage, cut: Cut, kept: KeptEvidence) -> Repair:
        """The repair that removed a cut.

        Args:
            method: how the cut was chosen.
            lineage: what the cut is places of.
            cut: what was removed.
            kept: what the conflict sets are made of.
        """
        facts, levels = lineage.facts[cut.places], lineage.bases[cut.places]
        lost, lost_levels = lineage.facts[cut.undecided], lineage.bases[cut.undecided]
        return Repair(
            self.arriving.at,
            method,
            self.case(kept),
            Removal(self.older, self.arriving, facts, levels, self.lexicon),
            lambda: frozenset(self._assertions(lost, lost_levels)),
            undecided_facts=len(lost),
        )

    def case(self, kept: KeptEvidence) -> Case:
        """The conflict sets of evidence, found when they are first looked at."""

        def members() -> list[Assertion]:
            return self._assertions(kept.evidence.facts, kept.evidence.levels)

        return Case(kept, members, self.rules, self.prove)

    def _assertions(self, facts: Integers, levels: Levels) -> list[Assertion]:
        """Facts as they were asserted at levels. Costs these facts alone."""
        of_level: dict[int, list[int]] = defaultdict(list)
        for place, level in enumerate(levels.tolist()):
            of_level[level].append(place)
        found: list[Assertion | None] = [None] * len(facts)
        for level, places in of_level.items():
            entry = self.arriving if level == self.arriving.level else self.older.timeline.at_level(level)
            assert entry is not None, "it was asserted there"
            triples = self.lexicon.decode(facts[np.array(places)], entry.forms.by_fact)
            for place, triple in zip(places, triples, strict=True):
                found[place] = entry.at, triple
        return [each for each in found if each is not None]
