"""Repair of one step: the arriving ABox's conflicts are resolved by removing the cut from the window model.

A step without a violation costs nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import Forms, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.kernel_values import Lineage
from pantarhei.materialize.model import WindowModel
from pantarhei.model.rule import Rule
from pantarhei.model.time import TimePoint
from pantarhei.proofs.step import Assertion
from pantarhei.rdf.ntriples import write_triple
from pantarhei.repair.conflict import Budget, ConflictEvidence, KeptEvidence, Levels
from pantarhei.repair.cut import Cut, Method, algorithm3, exact_cut, grounded
from pantarhei.repair.result import NO_PROOFS, ConflictCase, LazySequence, Occurrences, Prove, Removal, Repair
from pantarhei.window.log import Entry, Log

Moments = dict[int, tuple[TimePoint, Forms]]
"""Timestamp and literal forms of ABoxes, by level."""


@dataclass(frozen=True, slots=True)
class RepairReport:
    """Factory of `Repair` values for one step.

    Args:
        older: the log before the arriving ABox.
        arriving: the ABox.
        lexicon: the terms of the facts.
        rules: the constraints, by their numbers.
        prove: finds the proofs of conflict sets.
    """

    older: Log
    arriving: Entry
    lexicon: Lexicon
    rules: tuple[Rule, ...]
    prove: Prove = NO_PROOFS

    def of(self, method: Method, lineage: Lineage, cut: Cut, kept: KeptEvidence) -> Repair:
        """Return the repair that removed a cut.

        Args:
            method: the method that chose the cut.
            lineage: the lineage of the violations.
            cut: the cut, as rows of the lineage.
            kept: the evidence of the conflict sets.
        """
        facts, levels = lineage.facts[cut.places], lineage.assertion_levels[cut.places]
        lost, lost_levels = lineage.facts[cut.undecided], lineage.assertion_levels[cut.undecided]
        moments, lexicon = self._moments(lost_levels), self.lexicon
        return Repair(
            self.arriving.at,
            method,
            self.case(kept),
            Removal(self.older, self.arriving, facts, levels, self.lexicon),
            lambda: frozenset(_assertions(lost, lost_levels, moments, lexicon)),
            undecided_facts=len(lost),
        )

    def case(self, kept: KeptEvidence) -> ConflictCase:
        """Return evidence with terms; conflict sets are computed on first access. It does not reference the
        log.
        """
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
        return ConflictCase(kept, listed, self.rules, self.prove, occurrences)

    def _moments(self, levels: Levels) -> Moments:
        found = {}
        for level in _each_level(levels):
            entry = self.arriving if level == self.arriving.level else self.older.timeline.at_level(level)
            assert entry is not None, "each level has an entry"
            found[level] = entry.at, entry.forms
        return found


def _each_level(levels: Levels) -> Iterable[int]:
    """Return the distinct levels; flags for the range between minimum and maximum are faster than a sort."""
    if len(levels) < 64:
        return set(levels.tolist())
    lowest = levels.min()
    flags = np.zeros(int(levels.max() - lowest) + 1, np.bool_)
    flags[levels - lowest] = True
    return (np.flatnonzero(flags) + lowest).tolist()  # type: ignore[no-any-return]


def _assertions(facts: Integers, levels: Levels, moments: Moments, lexicon: Lexicon) -> list[Assertion]:
    """Decode facts to assertions with the timestamps of their levels. Costs linear time in these facts."""
    of_level: dict[int, list[int]] = defaultdict(list)
    for place, level in enumerate(levels.tolist()):
        of_level[level].append(place)
    found: dict[int, Assertion] = {}
    for level, places in of_level.items():
        at, forms = moments[level]
        triples = lexicon.decode(facts[np.array(places)], forms.by_fact)
        found |= zip(places, ((at, triple) for triple in triples), strict=True)
    return [found[place] for place in range(len(facts))]


_NOTHING = np.empty(0, np.intp)


class Repaired(NamedTuple):
    """Result of the repair of a model.

    Args:
        cut: the removed facts, shape (n, 3).
        repair: the result for users.
        evidence: size of the stored evidence in bytes.
    """

    cut: Integers
    repair: Repair
    evidence: int


@dataclass(frozen=True, slots=True)
class Repairer:
    """Repairer of a stream's window models.

    Args:
        method: see `StreamReasoner`.
        budget: limits of the search.
        vocabulary: the vocabulary of the facts.
        prove: finds the proofs of conflict sets.
        rebuild: builds a model of a log and an arriving ABox from scratch, so that undecided facts do not
            depend on how the present model was built; None if they may.
    """

    method: Method
    budget: Budget
    vocabulary: Vocabulary
    prove: Prove = NO_PROOFS
    rebuild: Callable[[Log, Entry], WindowModel] | None = None

    def repair(self, model: WindowModel, older: Log, arriving: Entry, lineage: Lineage) -> Repaired:
        """Remove from the model the assertions that newer assertions contradict.

        Args:
            model: the model, with the arriving ABox inserted.
            older: the log without the arriving ABox.
            arriving: the ABox.
            lineage: the violations in the model, with their proofs.
        """
        rules = model.program.rules
        if self.method == "exact":
            cut = exact_cut(lineage, self.budget, self._ranked)
            if len(cut.undecided) and self.rebuild is not None:
                # the number of rule instances depends on the order of insertion, but undecided facts must not
                rebuilt = self.rebuild(older, arriving)
                rebuilt.find_violations()
                again = rebuilt.lineage(self.budget.instances)
                assert again is not None, "the same assertions violate the same constraints"
                lineage, rules = again, rebuilt.program.rules
                cut = exact_cut(lineage, self.budget, self._ranked)
        elif self.method == "off":
            cut = Cut(_NOTHING, _NOTHING)
        else:
            cut = self._chosen(lineage)
        facts = lineage.facts[cut.places]
        if len(facts):
            model.cut(facts)
        evidence = KeptEvidence(lineage, self.budget)
        account = RepairReport(older, arriving, self.vocabulary.lexicon, rules, self.prove)
        repair = account.of(self.method, lineage, cut, evidence)
        return Repaired(facts, repair, evidence.bytes)

    def _chosen(self, lineage: Lineage) -> Cut:
        """Return the cut of methods that use conflict sets; the exact cut if they are too many to list."""
        evidence, members = ConflictEvidence.of(lineage, self.budget)
        if not evidence.is_complete and not lineage.cut_short:
            places = exact_cut(lineage, self.budget, self._ranked).places
            return Cut(places, places)
        found = evidence.conflicts(self.budget)
        times = dict(enumerate(lineage.assertion_levels[members].tolist()))
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
        """Return the texts of facts, as sort keys that do not depend on the numbers of terms."""
        return [write_triple(triple) for triple in self.vocabulary.lexicon.decode(facts)]
