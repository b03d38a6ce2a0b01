"""The account of a repair: numbers made into assertions and constraints on demand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import Integers
from pantarhei.language.rule import Rule
from pantarhei.materialize.lineage_rows import Lineage
from pantarhei.proofs.proof import Assertion
from pantarhei.rdf.ntriples import write_triple
from pantarhei.repair.choose import Method
from pantarhei.repair.conflict import Evidence, KeptEvidence, Levels, RowConflict
from pantarhei.repair.exact import Cut
from pantarhei.repair.occurrences import Removal
from pantarhei.repair.result import Conflict, ConflictList, Prove, Repair, no_proofs
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
            self.conflicts(kept),
            Removal(self.older, self.arriving, facts, levels, self.lexicon),
            lambda: frozenset(self._assertions(lost, lost_levels)),
            undecided_facts=len(lost),
        )

    def conflicts(self, kept: KeptEvidence) -> ConflictList[Conflict]:
        """The conflict sets of evidence, found when they are first looked at."""
        return ConflictList(kept.conflicts, lambda found: self._conflicts(kept.evidence, found))

    def _conflicts(self, evidence: Evidence, found: Iterable[RowConflict]) -> list[Conflict]:
        members = self._assertions(evidence.facts, evidence.levels)
        # Numbers depend on how the stream was fed; older assertions come first, then the order of their texts.
        levels = evidence.levels.tolist()
        keys = [(level, write_triple(triple)) for level, (_, triple) in zip(levels, members, strict=True)]
        in_order = sorted(found, key=lambda each: (len(each.rows), sorted(keys[row] for row in each.rows)))
        return [
            Conflict(
                frozenset(members[row] for row in conflict.rows),
                tuple(self.rules[i] for i in conflict.constraints),
                self.prove,
            )
            for conflict in in_order
        ]

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
