"""The account of a repair: numbers made into assertions and constraints, when someone looks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from pantarhei.encoding.forms import NO_FORMS
from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import Integers
from pantarhei.language.rule import Rule
from pantarhei.language.term import Triple
from pantarhei.materialize.lineage_rows import Lineage
from pantarhei.proofs.proof import Assertion
from pantarhei.rdf.ntriples import write_triple
from pantarhei.repair.choose import Method
from pantarhei.repair.conflict import ConflictPairs, Conflicts, RowConflict
from pantarhei.repair.occurrences import Removal
from pantarhei.repair.result import Conflict, LazySequence, Prove, Repair, no_proofs
from pantarhei.window.log import Entry, Log


@dataclass(frozen=True, slots=True)
class RepairAccount:
    """An arriving ABox and the log before it: what it takes to tell people of its repair.

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

    def of(
        self,
        method: Method,
        lineage: Lineage,
        conflicts: ConflictPairs | Conflicts,
        cut: Integers,
        undecided: Integers,
    ) -> Repair:
        found = conflicts.found
        return Repair(
            self.arriving.at,
            method,
            LazySequence(len(found), lambda: self._conflicts(lineage, found)),
            Removal(self.older, replace(self.arriving, cut=cut), self.lexicon) if len(cut) else frozenset(),
            lambda: self._newest(lineage, undecided),
        )

    def _conflicts(self, lineage: Lineage, found: Iterable[RowConflict]) -> list[Conflict]:
        entries = self._entries(lineage)
        triples = self._given(lineage, entries)
        known = {
            row: (entries[base].at, triple)
            for row, base, triple in zip(lineage.rows.tolist(), lineage.bases.tolist(), triples, strict=True)
            if base in entries  # the others are derived, and in no conflict set
        }
        # Rows have the order in which they became free, which says nothing; older assertions come first.
        texts = {
            row: (base, write_triple(known[row][1]))
            for row, base in zip(lineage.rows.tolist(), lineage.bases.tolist(), strict=True)
            if row in known
        }
        in_order = sorted(found, key=lambda each: (len(each.rows), sorted(texts[row] for row in each.rows)))
        return [
            Conflict(
                frozenset(known[row] for row in conflict.rows),
                tuple(self.rules[i] for i in conflict.constraints),
                self.prove,
            )
            for conflict in in_order
        ]

    def _newest(self, lineage: Lineage, facts: Integers) -> frozenset[Assertion]:
        if not len(facts):
            return frozenset()
        wanted = set(map(tuple, facts.tolist()))
        entries = self._entries(lineage)
        triples = self._given(lineage, entries)
        return frozenset(
            (entries[base].at, triple)
            for fact, base, triple in zip(
                lineage.facts.tolist(), lineage.bases.tolist(), triples, strict=True
            )
            if tuple(fact) in wanted
        )

    def _given(self, lineage: Lineage, entries: Mapping[int, Entry]) -> Iterator[Triple]:
        """The triples of the lineage's facts, as they were last given."""
        for base, fact in zip(lineage.bases.tolist(), lineage.facts.tolist(), strict=True):
            forms = entries[base].forms if base in entries else NO_FORMS
            yield from self.lexicon.decode([fact], forms.by_fact)

    def _entries(self, lineage: Lineage) -> dict[int, Entry]:
        """The ABoxes that assert the lineage's facts, by level. Costs the lineage alone."""
        arriving = self.arriving
        levels = np.unique(lineage.bases).tolist()
        found = (
            arriving if level == arriving.level else self.older.timeline.at_level(level) for level in levels
        )
        return {entry.level: entry for entry in found if entry is not None}
