"""The account of a repair: numbers made into assertions and constraints, when someone looks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import NO_FORMS, Integers
from pantarhei.language.rule import Rule
from pantarhei.language.term import Triple
from pantarhei.language.time import TimePoint
from pantarhei.materialize.model import Lineage
from pantarhei.repair.choose import Method
from pantarhei.repair.conflict import ConflictPairs, Conflicts, RowConflict
from pantarhei.repair.occurrences import Occurrences
from pantarhei.repair.result import Assertion, Conflict, LazySequence, Repair
from pantarhei.window.log import Entry, Log


@dataclass(frozen=True, slots=True)
class RepairAccount:
    """An arriving ABox and the log before it: what it takes to tell people of its repair.

    Args:
        older: the log before the ABox.
        arriving: the ABox.
        lexicon: what the facts' numbers mean.
        rules: what the constraints' numbers mean.
    """

    older: Log
    arriving: Entry
    lexicon: Lexicon
    rules: tuple[Rule, ...]

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
            lambda: self._occurrences(cut),
            lambda: self._newest(lineage, undecided),
        )

    def _conflicts(self, lineage: Lineage, found: Iterable[RowConflict]) -> list[Conflict]:
        at = self._timestamps()
        triples = self._given(lineage)
        known = {
            row: (at[base], triple)
            for row, base, triple in zip(lineage.rows.tolist(), lineage.bases.tolist(), triples, strict=True)
            if base in at  # the others are derived, and in no conflict set
        }
        return [
            Conflict(
                frozenset(known[row] for row in conflict.rows),
                tuple(self.rules[i] for i in conflict.constraints),
            )
            for conflict in found
        ]

    def _occurrences(self, facts: Integers) -> frozenset[Assertion] | Occurrences:
        """Where `facts` were asserted in the window and not cut before, the arriving ABox included."""
        if not len(facts):
            return frozenset()
        return Occurrences.of(self.older.with_entry(self.arriving), facts, self.lexicon)

    def _newest(self, lineage: Lineage, facts: Integers) -> frozenset[Assertion]:
        at = self._timestamps()
        wanted = set(map(tuple, facts.tolist()))
        triples = self._given(lineage)
        return frozenset(
            (at[base], triple)
            for fact, base, triple in zip(
                lineage.facts.tolist(), lineage.bases.tolist(), triples, strict=True
            )
            if tuple(fact) in wanted
        )

    def _given(self, lineage: Lineage) -> Iterator[Triple]:
        """The triples of the lineage's facts, as they were last given."""
        forms = {entry.level: entry.forms for entry in [*self.older, self.arriving] if entry.forms}
        for base, fact in zip(lineage.bases.tolist(), lineage.facts.tolist(), strict=True):
            yield from self.lexicon.decode([fact], forms.get(base, NO_FORMS))

    def _timestamps(self) -> dict[int, TimePoint]:
        return {entry.level: entry.at for entry in [*self.older, self.arriving]}
