"""Repairs of a window as columns: conflicting assertions, violated constraints, removed assertions.

Assertions are stored as triples with timestamps, since their ABoxes may have left the window. A repair has
three groups of assertions: removed ones, undecided ones, and members of conflicts. Further columns have the
evidence from which the conflicts are computed. Before version 8 of the format there was a group for each
conflict, with the constraints that it violates, instead of the members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NONE, Integers
from pantarhei.engine.checkpoint.container import (
    FIRST_WITH_EVIDENCE,
    UNPACED,
    Column,
    Contents,
    Pacer,
    column_of,
    concatenated,
    lengths,
    narrow,
)
from pantarhei.engine.checkpoint.fact_columns import (
    TimesWriter,
    Used,
    columns_of_triples,
    key_of,
    mark_of,
    read_triples,
)
from pantarhei.engine.stream_history import PastRepair
from pantarhei.model.rule import Rule
from pantarhei.model.term import RDF_TYPE, Term
from pantarhei.model.time import TimePoint
from pantarhei.proofs.step import Assertion
from pantarhei.repair.conflict import Budget, ConflictEvidence, KeptEvidence, OpenRules
from pantarhei.repair.cut import Method
from pantarhei.repair.result import Conflict, ConflictCase, Occurrences, Repair
from pantarhei.rules.translation.canonical_rule import text_of_rule
from pantarhei.window.log import ByLevel

# A table drops its terms once this many more than twice the used ones are stored.
_MOST_UNUSED = 10_000


class _SavedRepair(NamedTuple):
    """Repair in the numbers of a table.

    Args:
        repair: the repair.
        rows: a row `time, subject, predicate, object` for each assertion, group by group.
        sizes: how many assertions each group has.
        evidence: the rules by which the members conflict.
    """

    repair: Repair
    rows: Integers
    sizes: Integers
    evidence: _EvidenceColumns


class _EvidenceColumns(NamedTuple):
    """Evidence of one or several repairs as columns. Constraints are numbers of the table.

    Args:
        complete: for each repair 1 if the evidence has all contradictions.
        open: for each repair the number of members that are in conflicts with other members; the other
            members contradict by themselves.
        singles: rows `member, constraint`.
        heads: 0 for a constraint, else the head of the rule plus 1.
        numbers: the constraint, 0 for a rule.
        lengths: lengths of the bodies.
        bodies: the atoms of the bodies.
    """

    complete: Integers
    open: Integers
    singles: Integers
    heads: Integers
    numbers: Integers
    lengths: Integers
    bodies: Integers

    @classmethod
    def of(cls, evidence: ConflictEvidence, numbered: Callable[[Integers], Integers]) -> _EvidenceColumns:
        """Return the columns of one repair; `numbered` maps constraints to numbers of the table."""
        rules, singles = evidence.rules, evidence.singles
        numbers = np.zeros(len(rules.heads), np.int32)
        numbers[rules.heads == NONE] = numbered(rules.numbers[rules.heads == NONE])
        alone = np.column_stack([singles[:, 0], numbered(singles[:, 1])]).astype(np.int32)
        return cls(
            np.array([evidence.is_complete], np.int32),
            np.array([len(evidence.levels) - len(np.unique(singles[:, 0]))], np.int32),
            alone,
            rules.heads + 1,
            numbers,
            np.diff(rules.starts).astype(np.int32),
            rules.bodies,
        )

    @classmethod
    def together(cls, saved: Callable[[], Iterable[_SavedRepair]], pacer: Pacer) -> _EvidenceColumns:
        """Concatenate the columns of several repairs."""
        return cls(
            *(
                concatenated(empty, (one.evidence[place] for one in saved()), pacer)
                for place, empty in enumerate(_NO_EVIDENCE)
            )
        )


_NOTHING = np.empty(0, np.int32)
_NO_EVIDENCE = _EvidenceColumns(
    _NOTHING, _NOTHING, np.empty((0, 2), np.int32), _NOTHING, _NOTHING, _NOTHING, _NOTHING
)


class RepairTable:
    """Table of the repairs of a window. Each repair is converted once, even if it is saved several times."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._saved: dict[int, _SavedRepair] = {}
        self._times: dict[object, tuple[int, TimePoint]] = {}
        self._terms: dict[Term, int] = {}
        self._keys: list[tuple[str, str]] = []  # by which terms are sorted
        self._rules: dict[Rule, int] = {}
        self._of_lexicon: _LexiconNumbers | None = None
        # The rules of a program, and the numbers of constraints in them.
        self._of_program: tuple[object, dict[int, int]] = None, {}

    def columns(
        self,
        repairs: ByLevel[PastRepair],
        first_level: int,
        times: TimesWriter,
        pacer: Pacer = UNPACED,
    ) -> tuple[dict[str, Column], list[list[str]]]:
        """Return the columns of repairs with their levels, and for the header name and text of each
        constraint.

        The timestamps are added to `times`. Costs Python steps for the conflicts and removed assertions of
        repairs that were not saved before; the concatenation of all columns is vectorised.
        """
        for level in self._saved.keys() - {level for level, _ in pacer(repairs)}:
            del self._saved[level]
        for level, repair in pacer(repairs):
            self._saved[level] = self._saved_repair(level, repair)

        def saved() -> Iterator[_SavedRepair]:
            return (self._saved[level] for level, _ in pacer(repairs))

        rows = concatenated(_array((), 4), (one.rows for one in saved()), pacer)
        sizes = concatenated(_NOTHING, (one.sizes for one in saved()), pacer)
        evidence = _EvidenceColumns.together(saved, pacer)
        is_constraint = evidence.heads == 0
        rules = np.concatenate([evidence.singles[:, 1], evidence.numbers[is_constraint]])
        of_times = Used.appearing(len(self._times), rows[:, 0])
        of_terms = Used.appearing(len(self._terms), rows[:, 1:])
        of_rules = Used.appearing(len(self._rules), rules)
        used_times = pacer(of_times.among(self._times.values()))
        places = np.fromiter((times.number(at) for _, at in used_times), np.int32)
        numbers = np.zeros(len(evidence.numbers), np.int32)
        numbers[is_constraint] = of_rules.places[evidence.numbers[is_constraint]]
        columns = {
            "repairs.entry": column_of(level - first_level for level, _ in pacer(repairs)),
            "repairs.groups": lengths(one.sizes for one in saved()),
            "repairs.unlisted": column_of(one.repair.unlisted for one in saved()),
            "repairs.complete": narrow(evidence.complete),
            "repairs.open": narrow(evidence.open),
            "repairs.singles": lengths(one.evidence.singles for one in saved()),
            "repairs.rules": lengths(one.evidence.heads for one in saved()),
            "groups.assertions": narrow(sizes),
            "singles.member": narrow(evidence.singles[:, 0]),
            "singles.rule": narrow(of_rules.places[evidence.singles[:, 1]]),
            "rules.head": narrow(evidence.heads),
            "rules.number": narrow(numbers),
            "rules.atoms": narrow(evidence.lengths),
            "bodies.atom": narrow(evidence.bodies),
            "assertions.time": narrow(places[of_times.places[rows[:, 0]]] if len(rows) else rows[:, 0]),
            **columns_of_triples(
                "assertions", of_terms.places[rows[:, 1:]], of_terms.among(self._terms), pacer
            ),
        }
        said = [[rule.name, text_of_rule(rule)] for rule in of_rules.among(self._rules)]
        if len(self._terms) > 2 * len(of_terms.numbers) + _MOST_UNUSED:
            self._forget()
        return columns, said

    def _saved_repair(self, level: int, repair: Repair) -> _SavedRepair:
        known = self._saved.get(level)
        if known is not None and known.repair is repair:
            return known
        case = ConflictCase.of(repair.conflicts) if repair.case is None else repair.case
        removed, undecided = self._removed(repair), _array(self._rows(repair.undecided), 4)
        rows = [removed, undecided, self._members(case)]
        if self._of_program[0] is not case.rules:
            self._of_program = case.rules, {}
        of_rules = self._of_program[1]

        def numbered(constraints: Integers) -> Integers:
            for constraint in set(constraints.tolist()).difference(of_rules):
                of_rules[constraint] = self._rules.setdefault(case.rules[constraint], len(self._rules))
            return np.array(list(map(of_rules.__getitem__, constraints.tolist())), np.int32)

        evidence = _EvidenceColumns.of(case.kept.evidence, numbered)
        return _SavedRepair(repair, np.concatenate(rows), np.array(list(map(len, rows)), np.int32), evidence)

    def _members(self, case: ConflictCase) -> Integers:
        """Return the members of conflicts, in numbers."""
        if case.occurrences is not None and not (found := case.occurrences()).has_forms:
            return self._rows_of(found)
        return _array(map(self._row, case.members), 4)

    def _removed(self, repair: Repair) -> Integers:
        """Return the removed assertions, in numbers."""
        found = repair.taken_out
        if isinstance(found, Occurrences) and not found.has_forms:
            return self._sorted(self._rows_of(found), found.rows[:, 0])
        return _array(self._rows(repair.removed), 4)

    def _rows_of(self, found: Occurrences) -> Integers:
        """Return assertions with numbers of the table, in order. Costs one Python step for each term new to
        the table.
        """
        known = self._of_lexicon
        if known is None or known.lexicon is not found.lexicon:
            known = self._of_lexicon = _LexiconNumbers(found.lexicon, self._term)
        places, predicates, subjects, objects = found.rows.T
        is_class = objects == NONE
        rows = np.empty_like(found.rows)
        rows[:, 0] = np.array([self._time(at) for at in found.times], np.int32)[places]
        rows[:, 1], rows[:, 2] = known.terms(subjects), known.symbols(predicates)
        rows[is_class, 3] = rows[is_class, 2]
        rows[~is_class, 3] = known.terms(objects[~is_class])
        rows[is_class, 2] = self._term(RDF_TYPE)
        return rows

    def _sorted(self, rows: Integers, times: Integers) -> Integers:
        """Return rows in an order that does not depend on the process: by time, then by terms."""
        used = sorted(set(rows[:, 1:].ravel().tolist()), key=self._keys.__getitem__)
        rank = np.empty(len(self._keys), np.int32)
        rank[used] = np.arange(len(used))
        _, who, what, whom = rows.T
        return rows[np.lexsort((rank[whom], rank[what], rank[who], times))]

    def _term(self, term: Term) -> int:
        """Return the number of a term."""
        number = self._terms.get(term)
        if number is None:
            number = self._terms[term] = len(self._keys)
            self._keys.append(_key(term))
        return number

    def _rows(self, assertions: Iterable[Assertion]) -> list[tuple[int, ...]]:
        """Return assertions with numbers of the table, in an order that does not depend on the process."""
        return list(map(self._row, sorted(assertions, key=lambda one: (one[0], *map(_key, one[1])))))

    def _row(self, assertion: Assertion) -> tuple[int, ...]:
        at, triple = assertion
        return self._time(at), *map(self._term, triple)

    def _time(self, at: TimePoint) -> int:
        return self._times.setdefault(key_of(at), (len(self._times), at))[0]


class _LexiconNumbers:
    """Numbers in the table for the terms of a lexicon, assigned on first use."""

    def __init__(self, lexicon: Lexicon, number: Callable[[Term], int]) -> None:
        self.lexicon, self._number = lexicon, number
        self._symbols = self._names = self._literals = _NOTHING

    def symbols(self, column: Integers) -> Integers:
        """Return the numbers of classes and properties."""
        symbols = self.lexicon.symbols
        self._symbols = self._completed(self._symbols, column, lambda place: symbols[place].name)
        return self._symbols[column]

    def terms(self, column: Integers) -> Integers:
        """Return the numbers of names and literals."""
        found, is_literal = np.empty_like(column), column >= FIRST_LITERAL
        names, literals = column[~is_literal], column[is_literal] - FIRST_LITERAL
        self._names = self._completed(self._names, names, self.lexicon.names.__getitem__)
        self._literals = self._completed(self._literals, literals, self.lexicon.literals.__getitem__)
        found[~is_literal], found[is_literal] = self._names[names], self._literals[literals]
        return found

    def _completed(self, known: Integers, places: Integers, term: Callable[[int], Term]) -> Integers:
        """Return the known numbers, completed by numbers for the terms at these indexes."""
        if not len(places):
            return known
        if (most := int(places.max()) + 1) > len(known):
            known = np.append(known, np.full(max(most, 2 * len(known)) - len(known), NONE, np.int32))
        for place in set(places[known[places] == NONE].tolist()):
            known[place] = self._number(term(place))
        return known


def _key(term: Term) -> tuple[str, str]:
    return str(term), mark_of(term)


def _array(rows: Iterable[tuple[int, ...]], width: int) -> Integers:
    return np.array(list(rows), np.int32).reshape(-1, width)


def read_assertions(contents: Contents, times: Sequence[TimePoint]) -> list[Assertion]:
    """Read the assertions of all repairs. `times` has the timestamps of the checkpoint."""
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
    """Read the repairs of a checkpoint, each with the index of its log entry.

    Args:
        contents: the checkpoint.
        assertions: the assertions of all repairs.
        entries: the timestamps of the log.
        method: the method of repair.
        constraints: the constraints that the header names.
        budget: limits of listing conflicts.
    """
    if contents.version < FIRST_WITH_EVIDENCE:
        return _read_listed(contents, assertions, entries, method, constraints)
    of_repairs = contents.split("repairs.groups", contents.split("groups.assertions", assertions))
    evidence = _read_evidence(contents, [groups[-1] for groups in of_repairs], len(constraints))
    found = []
    for entry, unlisted, (removed, undecided, members), known in zip(
        contents.column("repairs.entry").tolist(),
        contents.column("repairs.unlisted").tolist(),
        of_repairs,
        evidence,
        strict=True,
    ):
        case = ConflictCase(KeptEvidence(known, budget), members, constraints)
        lost = frozenset(undecided)
        repair = Repair(
            entries[entry], method, case, frozenset(removed), partial(frozenset, lost), unlisted, len(lost)
        )
        found.append((entry, repair))
    return tuple(found)


def _read_listed(
    contents: Contents,
    assertions: list[Assertion],
    entries: Sequence[TimePoint],
    method: Method,
    constraints: Sequence[Rule],
) -> tuple[tuple[int, Repair], ...]:
    """Read the repairs of a checkpoint in a format before version 8, which lists the conflicts."""
    rules = contents.split("groups.rules", [constraints[n] for n in contents.column("groups.rule").tolist()])
    groups = list(zip(contents.split("groups.assertions", assertions), rules, strict=True))
    found = []
    for entry, unlisted, (*conflicts, removed, undecided) in zip(
        contents.column("repairs.entry").tolist(),
        contents.column("repairs.unlisted").tolist(),
        contents.split("repairs.groups", groups),
        strict=True,
    ):
        said = [Conflict(frozenset(members), tuple(violated)) for members, violated in conflicts]
        taken = frozenset(removed[0]), frozenset(undecided[0])
        found.append((entry, Repair.of(entries[entry], method, said, *taken, unlisted, not unlisted)))
    return tuple(found)


def _read_evidence(
    contents: Contents, members: Sequence[Sequence[Assertion]], constraints: int
) -> Iterator[ConflictEvidence]:
    """Yield the evidence of each repair.

    Args:
        contents: the checkpoint.
        members: the members of each repair.
        constraints: the number of constraints.
    """
    bodies = contents.split("rules.atoms", contents.column("bodies.atom"))
    heads, numbers = contents.column("rules.head") - 1, contents.column("rules.number")
    rules = contents.split("repairs.rules", list(zip(heads.tolist(), numbers.tolist(), bodies, strict=True)))
    alone = np.column_stack([contents.column("singles.member"), contents.column("singles.rule")])
    named = np.concatenate([numbers[heads == NONE], alone[:, 1]])
    if named.max(initial=-1) >= constraints or numbers[heads != NONE].any():
        raise contents.broken("the number of a constraint is out of range")
    for complete, open_, mine, singles, own_members in zip(
        contents.column("repairs.complete").tolist(),
        contents.column("repairs.open").tolist(),
        rules,
        contents.split("repairs.singles", alone),
        members,
        strict=True,
    ):
        ranks = {at: rank for rank, at in enumerate(sorted({at for at, _ in own_members}))}
        levels = np.array([ranks[at] for at, _ in own_members], np.int64)
        body = np.concatenate([np.empty(0, np.int64), *(each for _, _, each in mine)])
        head = np.array([each for each, _, _ in mine], np.int64)
        size = max(len(own_members), int(body.max(initial=-1)) + 1)
        is_right = (
            complete <= 1
            and open_ <= len(own_members)
            and singles[:, 0].max(initial=-1) < len(own_members)
            and size <= len(own_members) + len(body)  # each derived atom is in a body
            and head.max(initial=-1) < size
            and all(map(len, (each for _, _, each in mine)))
        )
        if not is_right:
            raise contents.broken("a number in the evidence of a repair is out of range")
        of_atoms = np.full(size, NONE, np.int64)
        of_atoms[:open_] = levels[:open_]
        starts = np.cumsum([0, *(len(each) for _, _, each in mine)])
        number = np.array([each for _, each, _ in mine], np.int64)
        columns = (column.astype(np.int32) for column in (head, number, starts, body))
        yield ConflictEvidence(
            NO_FACTS, levels, singles.astype(np.int32), OpenRules(of_atoms, *columns), bool(complete)
        )


def constraints_named(names: Sequence[Sequence[str]], rules: Iterable[Rule]) -> list[Rule]:
    """Return those of `rules` that are constraints with these names and texts."""
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
