"""The repairs of a window as columns: who was in conflict, by which constraints, and what was taken out.

They are kept as triples with timestamps, since what they speak of may have left the window. A repair is
groups of assertions: what was removed, what was undecided, and the members of its conflicts, whose evidence
follows in columns of its own. Of a repair whose conflicts are listed already, as those of checkpoints before
version 8, each conflict comes first, with the constraints that it violates, and there are no members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from itertools import chain
from typing import NamedTuple

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, NONE, Integers
from pantarhei.engine.checkpoint.container import Column, Contents, lengths, narrow
from pantarhei.engine.checkpoint.facts import Used
from pantarhei.engine.checkpoint.terms import columns_of_triples, mark_of, read_triples
from pantarhei.engine.checkpoint.times import TimesWriter, key_of
from pantarhei.language.rule import Rule
from pantarhei.language.term import RDF_TYPE, Term
from pantarhei.language.time import TimePoint
from pantarhei.proofs.proof import Assertion
from pantarhei.repair.choose import Method
from pantarhei.repair.conflict import Budget, Evidence, KeptEvidence, OpenRules
from pantarhei.repair.occurrences import Occurrences
from pantarhei.repair.result import Case, Conflict, ConflictList, Repair
from pantarhei.rules.translation.fingerprint import text_of_rule

# A table forgets its terms once there are so many more of them than twice those in use.
_MOST_UNUSED = 10_000


class _Told(NamedTuple):
    """A repair by the numbers of a table.

    Args:
        repair: what was told.
        rows: a row `time, subject, predicate, object` for each assertion, group by group.
        rules: the constraints, group by group.
        sizes: a row for each group: how many assertions and how many constraints.
        evidence: numbers of members and rules by which the members conflict; empty where conflicts are listed.
        kind: whether it has evidence (2), and whether its conflicts are all listed or found (1).
    """

    repair: Repair
    rows: Integers
    rules: Integers
    sizes: Integers
    evidence: _EvidenceColumns
    kind: int


class _EvidenceColumns(NamedTuple):
    """The evidence of one repair or of several in columns; constraints are numbers of the table.

    Args:
        open: how many members are in conflicts with others; the rest contradict alone. One for each repair.
        atoms: how many atoms the rules have. One for each repair.
        singles: rows `member, constraint`.
        heads: 0 for a constraint, else the head of the rule plus 1.
        numbers: the constraint, 0 for a rule.
        lengths: of the bodies.
        bodies: the atoms of the bodies.
    """

    open: Integers
    atoms: Integers
    singles: Integers
    heads: Integers
    numbers: Integers
    lengths: Integers
    bodies: Integers

    @classmethod
    def of(cls, evidence: Evidence, numbered: Callable[[int], int]) -> _EvidenceColumns:
        """The columns of one repair; `numbered` gives a constraint's number in the table."""
        rules, singles = evidence.rules, evidence.singles
        numbers = [
            numbered(number) if head == NONE else 0
            for head, number in zip(rules.heads.tolist(), rules.numbers.tolist(), strict=True)
        ]
        alone = [(member, numbered(constraint)) for member, constraint in singles.tolist()]
        return cls(
            np.array([len(evidence.levels) - len(np.unique(singles[:, 0]))], np.int32),
            np.array([len(rules.levels)], np.int32),
            _array(alone, 2),
            rules.heads + 1,
            np.array(numbers, np.int32),
            np.diff(rules.starts).astype(np.int32),
            rules.bodies,
        )

    @classmethod
    def together(cls, parts: Sequence[_EvidenceColumns]) -> _EvidenceColumns:
        """Those of several repairs, one after another."""
        return cls(*(np.concatenate(columns) for columns in zip(_NO_EVIDENCE, *parts, strict=True)))


_NOTHING = np.empty(0, np.int32)
_NO_EVIDENCE = _EvidenceColumns(
    _NOTHING, _NOTHING, np.empty((0, 2), np.int32), _NOTHING, _NOTHING, _NOTHING, _NOTHING
)
_COMPLETE, _EVIDENT = 1, 2


class RepairTable:
    """The repairs of a window by numbers: each is looked at once, however often it is saved."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._told: dict[int, _Told] = {}
        self._times: dict[object, tuple[int, TimePoint]] = {}
        self._terms: dict[Term, int] = {}
        self._rules: dict[Rule, int] = {}

    def columns(
        self, repairs: Iterable[tuple[int, Repair]], first_level: int, times: TimesWriter
    ) -> tuple[dict[str, Column], list[list[str]]]:
        """The columns of `repairs` with their levels, and name and text of each constraint for the header.

        Their timestamps go to `times`. Costs the conflicts and removed assertions of those that were not
        saved before, in Python; those of all as columns.
        """
        given = list(repairs)
        self._told = {level: self._tell(level, repair) for level, repair in given}
        told = list(self._told.values())
        rows = np.concatenate([_array((), 4), *(one.rows for one in told)])
        sizes = np.concatenate([_array((), 2), *(one.sizes for one in told)])
        evidence = _EvidenceColumns.together([one.evidence for one in told])
        listed = np.concatenate([_NOTHING, *(one.rules for one in told)])
        is_constraint = evidence.heads == 0
        rules = np.concatenate([listed, evidence.singles[:, 1], evidence.numbers[is_constraint]])
        of_times = Used.appearing(len(self._times), rows[:, 0])
        of_terms = Used.appearing(len(self._terms), rows[:, 1:])
        of_rules = Used.appearing(len(self._rules), rules)
        places = np.array([times.number(at) for _, at in of_times.among(self._times.values())], np.int32)
        columns = {
            "repairs.entry": narrow(np.array([level - first_level for level in self._told], np.uint32)),
            "repairs.groups": lengths([one.sizes for one in told]),
            "repairs.unlisted": narrow(np.array([one.repair.unlisted for one in told], np.uint32)),
            "repairs.kind": narrow(np.array([one.kind for one in told], np.uint32)),
            "evidence.singles": lengths([one.evidence.singles for one in told]),
            "evidence.rules": lengths([one.evidence.heads for one in told]),
            "evidence.bodies": lengths([one.evidence.bodies for one in told]),
            "evidence.open": narrow(evidence.open),
            "evidence.atoms": narrow(evidence.atoms),
            "evidence.single": narrow(evidence.singles[:, 0]),
            "evidence.single_rule": narrow(of_rules.places[evidence.singles[:, 1]]),
            "evidence.head": narrow(evidence.heads),
            "evidence.rule": narrow(np.where(is_constraint, of_rules.places[evidence.numbers], 0)),
            "evidence.lengths": narrow(evidence.lengths),
            "evidence.body": narrow(evidence.bodies),
            "groups.assertions": narrow(sizes[:, 0]),
            "groups.rules": narrow(sizes[:, 1]),
            "groups.rule": narrow(of_rules.places[listed]),
            "assertions.time": narrow(places[of_times.places[rows[:, 0]]] if len(rows) else rows[:, 0]),
            **columns_of_triples("assertions", of_terms.places[rows[:, 1:]], of_terms.among(self._terms)),
        }
        said = [[rule.name, text_of_rule(rule)] for rule in of_rules.among(self._rules)]
        if len(self._terms) > 2 * len(of_terms.numbers) + _MOST_UNUSED:
            self._forget()
        return columns, said

    def _tell(self, level: int, repair: Repair) -> _Told:
        known = self._told.get(level)
        if known is not None and known.repair is repair:
            return known
        numbers, case = self._rules, repair.case
        conflicts = repair.conflicts if case is None else ()
        listed = [self._rows(conflict.assertions) for conflict in conflicts]
        removed, undecided = self._removed(repair), _array(self._rows(repair.undecided), 4)
        rules = [[numbers.setdefault(rule, len(numbers)) for rule in each.constraints] for each in conflicts]
        groups: list[tuple[Sized, Sized]] = [*zip(listed, rules, strict=True), (removed, ()), (undecided, ())]
        rows = [_array(chain.from_iterable(listed), 4), removed, undecided]
        evidence, kind = _NO_EVIDENCE, _COMPLETE if case is None and repair.conflicts.complete else 0
        if case is not None:
            found, of_number = case.kept.evidence, case.rules
            rows.append(_array(map(self._row, case.members), 4))
            groups.append((rows[-1], ()))
            evidence = _EvidenceColumns.of(found, lambda n: numbers.setdefault(of_number[n], len(numbers)))
            kind = _EVIDENT | found.is_complete
        return _Told(
            repair,
            np.concatenate(rows),
            np.fromiter(chain.from_iterable(rules), np.int32),
            _array(((len(assertions), len(named)) for assertions, named in groups), 2),
            evidence,
            kind,
        )

    def _removed(self, repair: Repair) -> Integers:
        """What was removed, by numbers."""
        found = repair.taken_out
        if isinstance(found, Occurrences) and not found.has_forms:
            return self._rows_of(found)
        return _array(self._rows(repair.removed), 4)

    def _rows_of(self, found: Occurrences) -> Integers:
        """Occurrences by numbers of the table, in the order of `_rows`. Costs a step of Python for each
        different term.
        """
        lexicon, keys = found.lexicon, dict[int, tuple[str, str]]()

        def numbers(column: Integers, term: Callable[[int], Term]) -> Integers:
            used, places = np.unique(column, return_inverse=True)
            return np.array([self._term(term(number), keys) for number in used.tolist()], np.int32)[places]

        places, predicates, subjects, objects = found.rows.T
        is_class = objects == NONE
        rows = np.empty_like(found.rows)
        rows[:, 0] = np.array([self._time(at) for at in found.times], np.int32)[places]
        rows[:, 1] = numbers(subjects, lexicon.names.__getitem__)
        rows[:, 2] = rows[:, 3] = numbers(predicates, lambda number: lexicon.symbols[number].name)
        rows[~is_class, 3] = numbers(objects[~is_class], lexicon.term)
        rows[is_class, 2] = self._term(RDF_TYPE, keys)
        rank = np.empty(max(keys) + 1, np.int32)
        rank[sorted(keys, key=keys.__getitem__)] = np.arange(len(keys))
        _, who, what, whom = rows.T
        return rows[np.lexsort((rank[whom], rank[what], rank[who], places))]

    def _term(self, term: Term, keys: dict[int, tuple[str, str]]) -> int:
        """The number of a term, whose key for sorting is noted."""
        number = self._terms.setdefault(term, len(self._terms))
        keys[number] = _key(term)
        return number

    def _rows(self, assertions: Iterable[Assertion]) -> list[tuple[int, ...]]:
        """The assertions by numbers, in an order that is the same in each run."""
        return list(map(self._row, sorted(assertions, key=lambda one: (one[0], *map(_key, one[1])))))

    def _row(self, assertion: Assertion) -> tuple[int, ...]:
        at, triple = assertion
        terms = self._terms
        return self._time(at), *(terms.setdefault(term, len(terms)) for term in triple)

    def _time(self, at: TimePoint) -> int:
        return self._times.setdefault(key_of(at), (len(self._times), at))[0]


def _key(term: Term) -> tuple[str, str]:
    return str(term), mark_of(term)


def _array(rows: Iterable[tuple[int, ...]], width: int) -> Integers:
    return np.array(list(rows), np.int32).reshape(-1, width)


def read_assertions(contents: Contents, times: Sequence[TimePoint]) -> list[Assertion]:
    """What the repairs of a checkpoint speak of; `times` are its timestamps."""
    at = contents.column("assertions.time").tolist()
    triples = read_triples(contents, "assertions")
    return [(times[place], triple) for place, triple in zip(at, triples, strict=True)]


def read_repairs(
    contents: Contents,
    assertions: list[Assertion],
    entries: Sequence[TimePoint],
    method: Method,
    constraints: Sequence[Rule],
    budget: Budget,
) -> tuple[tuple[int, Repair], ...]:
    """The repairs of a checkpoint, each with the place of its entry.

    Args:
        contents: the checkpoint.
        assertions: what they speak of.
        entries: the timestamps of the log.
        method: how it was repaired.
        constraints: those that its header names.
        budget: limits of listing conflicts.
    """
    rules = contents.split("groups.rules", [constraints[n] for n in contents.column("groups.rule").tolist()])
    groups = list(zip(contents.split("groups.assertions", assertions), rules, strict=True))
    of_repairs = contents.split("repairs.groups", groups)
    kinds = [_COMPLETE] * len(of_repairs)
    evidence: Iterator[Evidence | None] = iter([None] * len(of_repairs))
    if contents.has_evidence:
        kinds = contents.column("repairs.kind").tolist()
        members = [[at for at, _ in parts[-1][0]] for parts in of_repairs]
        evidence = _read_evidence(contents, kinds, members, len(constraints))
    found = []
    for entry, unlisted, parts, known, kind in zip(
        contents.column("repairs.entry").tolist(),
        contents.column("repairs.unlisted").tolist(),
        of_repairs,
        evidence,
        kinds,
        strict=True,
    ):
        at = entries[entry]
        if known is None:
            *conflicts, removed, undecided = parts
            said = [Conflict(frozenset(members), tuple(violated)) for members, violated in conflicts]
            listed = ConflictList.of(said, bool(kind & _COMPLETE))
            case: Case | ConflictList[Conflict] = listed
        else:
            removed, undecided, (told, _) = parts
            case = Case(KeptEvidence(known, budget), lambda told=told: told, constraints)
        lost = frozenset(undecided[0])
        taken = frozenset(removed[0])
        repair = Repair(at, method, case, taken, lambda lost=lost: lost, unlisted, len(lost))
        found.append((entry, repair))
    return tuple(found)


def _read_evidence(
    contents: Contents, kinds: Sequence[int], members: Sequence[Sequence[TimePoint]], constraints: int
) -> Iterator[Evidence | None]:
    """The evidence of each repair, None where its conflicts are listed.

    Args:
        contents: the checkpoint.
        kinds: of the repairs.
        members: the times of the members, where a repair has evidence.
        constraints: how many there are.
    """
    columns = {name: contents.column(f"evidence.{name}") for name in ("single", "single_rule", "head")}
    columns |= {name: contents.column(f"evidence.{name}") for name in ("rule", "lengths", "body")}
    singles = contents.split("evidence.singles", np.column_stack([columns["single"], columns["single_rule"]]))
    rules = np.column_stack([columns["head"] - 1, columns["rule"], columns["lengths"]])
    parts = zip(singles, contents.split("evidence.rules", rules), strict=True)
    bodies = contents.split("evidence.bodies", columns["body"])
    sizes = zip(contents.column("evidence.open").tolist(), contents.column("evidence.atoms").tolist(), strict=True)
    for kind, times, (alone, (heads, numbers, counts)), body in zip(
        kinds, members, ((one, other.T) for one, other in parts), bodies, strict=True
    ):
        if not kind & _EVIDENT:
            yield None
            continue
        open_, atoms = next(sizes)
        ranks = {at: rank for rank, at in enumerate(sorted(set(times)))}
        levels = np.array([ranks[at] for at in times], np.int64)
        is_right = (
            open_ <= len(times) <= atoms
            and all(column.max(initial=-1) < atoms for column in (heads, body))
            and counts.sum() == len(body)
            and counts.min(initial=1) > 0
            and alone[:, 0].max(initial=-1) < len(times)
            and max(numbers.max(initial=0), alone[:, 1].max(initial=0)) < max(1, constraints)
        )
        if not is_right:
            raise contents.broken("the evidence of a repair leads nowhere")
        of_atoms = np.full(atoms, NONE, np.int64)
        of_atoms[:open_] = levels[:open_]
        starts = np.concatenate([[0], np.cumsum(counts)])
        columns32 = (column.astype(np.int32) for column in (heads, numbers, starts, body))
        yield Evidence(
            NO_FACTS, levels, alone.astype(np.int32), OpenRules(of_atoms, *columns32), bool(kind & _COMPLETE)
        )


def constraints_named(names: Sequence[Sequence[str]], rules: Iterable[Rule]) -> list[Rule]:
    """The constraints among `rules` with these names and texts."""
    if not names:
        return []
    known: dict[tuple[str, str], Rule] = {}
    for rule in rules:
        if rule.is_constraint:
            known.setdefault((rule.name, text_of_rule(rule)), rule)
    missing = [name for name, text in names if (name, text) not in known]
    if missing:
        raise LookupError(f"the ontology has no constraint {missing[0]}")
    return [known[name, text] for name, text in names]
