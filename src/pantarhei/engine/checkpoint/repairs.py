"""The repairs of a window as columns: who was in conflict, by which constraints, and what was taken out.

They are kept as triples with timestamps, since what they speak of may have left the window. A repair is
groups of assertions: each of its conflicts with the constraints that it violates, then what was removed, then
what was undecided. Of each repair the first `MOST_CONFLICTS` conflicts are kept, and the number of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from itertools import chain
from typing import NamedTuple

import numpy as np

from pantarhei.encoding.numbers import NONE, Integers
from pantarhei.engine.checkpoint.container import Column, Contents, lengths, narrow
from pantarhei.engine.checkpoint.facts import Used
from pantarhei.engine.checkpoint.terms import columns_of_triples, mark_of, read_triples
from pantarhei.engine.checkpoint.times import TimesWriter, key_of
from pantarhei.language.rule import Rule
from pantarhei.language.term import RDF_TYPE, Term
from pantarhei.language.time import TimePoint
from pantarhei.proofs.proof import Assertion
from pantarhei.repair.choose import Method
from pantarhei.repair.occurrences import Occurrences
from pantarhei.repair.result import Conflict, Repair
from pantarhei.rules.translation.fingerprint import text_of_rule

MOST_CONFLICTS = 1000

# A table forgets its terms once there are so many more of them than twice those in use.
_MOST_UNUSED = 10_000


class _Told(NamedTuple):
    """A repair by the numbers of a table.

    Args:
        repair: what was told.
        rows: a row `time, subject, predicate, object` for each assertion, group by group.
        rules: the constraints, group by group.
        sizes: a row for each group: how many assertions and how many constraints.
        unlisted: how many conflicts have no group.
    """

    repair: Repair
    rows: Integers
    rules: Integers
    sizes: Integers
    unlisted: int


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
        rules = np.concatenate([_array((), 1)[:, 0], *(one.rules for one in told)])
        of_times = Used.appearing(len(self._times), rows[:, 0])
        of_terms = Used.appearing(len(self._terms), rows[:, 1:])
        of_rules = Used.appearing(len(self._rules), rules)
        places = np.array([times.number(at) for _, at in of_times.among(self._times.values())], np.int32)
        columns = {
            "repairs.entry": narrow(np.array([level - first_level for level in self._told], np.uint32)),
            "repairs.groups": lengths([one.sizes for one in told]),
            "repairs.unlisted": narrow(np.array([one.unlisted for one in told], np.uint32)),
            "groups.assertions": narrow(sizes[:, 0]),
            "groups.rules": narrow(sizes[:, 1]),
            "groups.rule": narrow(of_rules.places[rules]),
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
        conflicts, numbers = repair.conflicts[:MOST_CONFLICTS], self._rules
        listed = [self._rows(conflict.assertions) for conflict in conflicts]
        removed, undecided = self._removed(repair), _array(self._rows(repair.undecided), 4)
        rules = [[numbers.setdefault(rule, len(numbers)) for rule in each.constraints] for each in conflicts]
        groups: list[tuple[Sized, Sized]] = [*zip(listed, rules, strict=True), (removed, ()), (undecided, ())]
        return _Told(
            repair,
            np.concatenate([_array(chain.from_iterable(listed), 4), removed, undecided]),
            np.fromiter(chain.from_iterable(rules), np.int32),
            _array(((len(assertions), len(named)) for assertions, named in groups), 2),
            len(repair.conflicts) - len(conflicts) + repair.unlisted,
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
        terms = self._terms
        return [
            (self._time(at), *(terms.setdefault(term, len(terms)) for term in triple))
            for at, triple in sorted(assertions, key=lambda one: (one[0], *map(_key, one[1])))
        ]

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
) -> tuple[tuple[int, Repair], ...]:
    """The repairs of a checkpoint, each with the place of its entry.

    Args:
        contents: the checkpoint.
        assertions: what they speak of.
        entries: the timestamps of the log.
        method: how it was repaired.
        constraints: those that its header names.
    """
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
        found.append((entry, Repair.of(entries[entry], method, said, *taken, unlisted)))
    return tuple(found)


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
