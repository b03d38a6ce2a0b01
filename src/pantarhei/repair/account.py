"""The account of a repair: numbers made into assertions and constraints on demand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pantarhei.encoding.forms import Forms
from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import Integers
from pantarhei.materialize.lineage_rows import Lineage
from pantarhei.model.rule import Rule
from pantarhei.model.time import TimePoint
from pantarhei.proofs.proof import Assertion
from pantarhei.repair.choose import Method
from pantarhei.repair.conflict import KeptEvidence, Levels
from pantarhei.repair.exact import Cut
from pantarhei.repair.occurrences import Occurrences, Removal
from pantarhei.repair.result import Case, LazySequence, Prove, Repair, no_proofs
from pantarhei.window.log import Entry, Log

Moments = dict[int, tuple[TimePoint, Forms]]
"""Timestamp and forms of the ABoxes of some levels."""


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
        moments, lexicon = self._moments(lost_levels), self.lexicon
        return Repair(
            self.arriving.at,
            method,
            self.case(kept),
            Removal(self.older, self.arriving, facts, levels, self.lexicon),
            lambda: frozenset(_assertions(lost, lost_levels, moments, lexicon)),
            undecided_facts=len(lost),
        )

    def case(self, kept: KeptEvidence) -> Case:
        """The conflict sets of evidence, found when they are first looked at. Keeps no log."""
        moments = self._moments(kept.levels)
        lexicon = self.lexicon

        def members() -> list[Assertion]:
            return _assertions(kept.evidence.facts, kept.evidence.levels, moments, lexicon)

        def occurrences() -> Occurrences:
            levels, places = np.unique(kept.evidence.levels, return_inverse=True)
            times, forms = (
                zip(*map(moments.__getitem__, levels.tolist()), strict=True) if len(levels) else ((), ())
            )
            rows = np.column_stack([places.astype(np.int32), kept.evidence.facts])
            return Occurrences(rows, times, forms, lexicon)

        listed = LazySequence(lambda: len(kept.evidence.levels), members)
        return Case(kept, listed, self.rules, self.prove, occurrences)

    def _moments(self, levels: Levels) -> Moments:
        found = {}
        for level in _each_level(levels):
            entry = self.arriving if level == self.arriving.level else self.older.timeline.at_level(level)
            assert entry is not None, "something was asserted there"
            found[level] = entry.at, entry.forms
        return found


def _each_level(levels: Levels) -> Iterable[int]:
    """The levels, each once. Sorting many would cost more than a flag for each between lowest and highest."""
    if len(levels) < 64:
        return set(levels.tolist())
    lowest = levels.min()
    flags = np.zeros(int(levels.max() - lowest) + 1, np.bool_)
    flags[levels - lowest] = True
    return (np.flatnonzero(flags) + lowest).tolist()  # type: ignore[no-any-return]


def _assertions(facts: Integers, levels: Levels, moments: Moments, lexicon: Lexicon) -> list[Assertion]:
    """Facts as they were asserted at levels. Costs these facts alone."""
    of_level: dict[int, list[int]] = defaultdict(list)
    for place, level in enumerate(levels.tolist()):
        of_level[level].append(place)
    found: dict[int, Assertion] = {}
    for level, places in of_level.items():
        at, forms = moments[level]
        triples = lexicon.decode(facts[np.array(places)], forms.by_fact)
        found |= zip(places, ((at, triple) for triple in triples), strict=True)
    return [found[place] for place in range(len(facts))]
