"""The repairs of a window as columns: who was in conflict, by which constraints, and what was taken out.

They are kept as triples with timestamps, since what they speak of may have left the window. Of each repair
the first `MOST_CONFLICTS` conflicts are kept, and how many more there were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NONE, Integers
from pantarhei.engine.checkpoint.container import Column, Contents, narrow
from pantarhei.engine.checkpoint.fact_columns import Used
from pantarhei.engine.checkpoint.term_columns import columns_of_terms, read_terms
from pantarhei.engine.checkpoint.timestamp_columns import TimesWriter, key_of
from pantarhei.errors import PantarheiError
from pantarhei.language.rule import Rule
from pantarhei.language.term import RDF_TYPE, Term, Triple, check_triple
from pantarhei.language.time import TimePoint
from pantarhei.repair.choose import Method
from pantarhei.repair.occurrences import Occurrences
from pantarhei.repair.result import Assertion, Conflict, Repair
from pantarhei.rules.translation.fingerprint import text_of_rule

MOST_CONFLICTS = 1000

# A table forgets its terms once there are so many more of them than twice those in use.
_MOST_UNUSED = 10_000

_REPAIR = ("entry", "conflicts", "unlisted", "removed", "undecided")
_PLACES = ("time", "subject", "predicate", "object")


class _Told(NamedTuple):
    """A repair by the numbers of a table.

    Args:
        repair: what was told.
        rows: a row `time, subject, predicate, object` for each assertion: of the conflicts, one after the
            other, then the removed ones, then the undecided.
        times, terms: the different numbers in `rows`, in order of their first appearance.
        conflicts: how many assertions and how many constraints each of them has.
        rules: the constraints of the conflicts, one after the other.
        unlisted, removed, undecided: how many.
    """

    repair: Repair
    rows: Integers
    times: Integers
    terms: Integers
    conflicts: Integers
    rules: Integers
    unlisted: int
    removed: int
    undecided: int


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
        Repair.look_up_removed(repair for _, repair in given)
        told = {level: self._tell(level, repair) for level, repair in given}
        self._told, known = told, list(told.values())
        rows = _joined((one.rows for one in known), 4)
        rules = _joined((one.rules for one in known), 1)[:, 0]
        of_times = Used.appearing(len(self._times), _joined((one.times for one in known), 1))
        of_terms = Used.appearing(len(self._terms), _joined((one.terms for one in known), 1))
        of_rules = Used.appearing(len(self._rules), rules)
        places = np.array([times.number(at) for _, at in of_times.among(self._times.values())], np.int32)
        at, who, what, whom = np.ascontiguousarray(rows.T)
        columns = {
            **_columns("repairs", _REPAIR, [_summary(level - first_level, told[level]) for level in told]),
            **_columns("conflicts", ("members", "constraints"), _joined((one.conflicts for one in known), 2)),
            "constraints.rule": narrow(of_rules.places[rules]),
            "assertions.time": narrow(places[of_times.places[at]] if len(at) else at),
            "assertions.subject": narrow(of_terms.places[who]),
            "assertions.predicate": narrow(of_terms.places[what]),
            "assertions.object": narrow(of_terms.places[whom]),
            **columns_of_terms("assertions", of_terms.among(self._terms)),
        }
        named = [[rule.name, text_of_rule(rule)] for rule in of_rules.among(self._rules)]
        if len(self._terms) > 2 * len(of_terms.numbers) + _MOST_UNUSED:
            self._forget()
        return columns, named

    def _tell(self, level: int, repair: Repair) -> _Told:
        known = self._told.get(level)
        if known is not None and known.repair is repair:
            return known
        conflicts = repair.conflicts[:MOST_CONFLICTS]
        unlisted = len(repair.conflicts) - len(conflicts) + repair.unlisted
        parts = [self._rows(conflict.assertions) for conflict in conflicts]
        constraints = [
            tuple(self._rules.setdefault(rule, len(self._rules)) for rule in conflict.constraints)
            for conflict in conflicts
        ]
        removed, undecided = self._removed(repair), self._rows(repair.undecided)
        listed = _array(row for part in parts for row in part)
        rows = np.concatenate([listed, removed, _array(undecided)])
        sizes = [(len(part), len(violated)) for part, violated in zip(parts, constraints, strict=True)]
        return _Told(
            repair,
            rows,
            _distinct(rows[:, 0]),
            _distinct(rows[:, 1:]),
            np.array(sizes, np.int32).reshape(-1, 2),
            np.array([rule for violated in constraints for rule in violated], np.int32),
            unlisted,
            len(removed),
            len(undecided),
        )

    def _removed(self, repair: Repair) -> Integers:
        """What was removed, by numbers."""
        found = repair.taken_out
        if isinstance(found, Occurrences) and not found.has_forms:
            return self._rows_of(found)
        return _array(self._rows(repair.removed))

    def _rows_of(self, found: Occurrences) -> Integers:
        """Occurrences by numbers of the table, in the order of `_rows`. Costs a step of Python for each
        different term.
        """
        lexicon, texts = found.lexicon, dict[int, str]()

        def numbers(column: Integers, term: Callable[[int], Term]) -> Integers:
            used, places = np.unique(column, return_inverse=True)
            return np.array([self._term(term(number), texts) for number in used.tolist()], np.int32)[places]

        places, predicates, subjects, objects = found.rows.T
        is_class = objects == NONE
        rows = np.empty_like(found.rows)
        rows[:, 0] = np.array([self._time(at) for at in found.times], np.int32)[places]
        rows[:, 1] = numbers(subjects, lexicon.names.__getitem__)
        rows[:, 2] = rows[:, 3] = numbers(predicates, lambda number: lexicon.symbols[number].name)
        rows[~is_class, 3] = numbers(objects[~is_class], lexicon.term)
        rows[is_class, 2] = self._term(RDF_TYPE, texts)
        rank = np.empty(max(texts) + 1, np.int32)
        rank[sorted(texts, key=texts.__getitem__)] = np.arange(len(texts))
        _, who, what, whom = rows.T
        return rows[np.lexsort((rank[whom], rank[what], rank[who], places))]

    def _term(self, term: Term, texts: dict[int, str]) -> int:
        """The number of a term, whose text is noted."""
        number = self._terms.setdefault(term, len(self._terms))
        texts[number] = str(term)
        return number

    def _rows(self, assertions: Iterable[Assertion]) -> list[tuple[int, ...]]:
        """The assertions by numbers, in an order that is the same in each run."""
        terms = self._terms
        return [
            (self._time(at), *(terms.setdefault(term, len(terms)) for term in triple))
            for at, triple in sorted(assertions, key=lambda one: (one[0], *map(str, one[1])))
        ]

    def _time(self, at: TimePoint) -> int:
        return self._times.setdefault(key_of(at), (len(self._times), at))[0]


def _array(rows: Iterable[tuple[int, ...]]) -> Integers:
    return np.array(list(rows), np.int32).reshape(-1, 4)


def _summary(entry: int, told: _Told) -> tuple[int, ...]:
    return entry, len(told.conflicts), told.unlisted, told.removed, told.undecided


def _joined(parts: Iterable[Integers], width: int) -> Integers:
    """Tables of that width, one below the other."""
    return np.concatenate([np.empty((0, width), np.int32), *(part.reshape(-1, width) for part in parts)])


def _distinct(numbers: Integers) -> Integers:
    """The different numbers, in order of their first appearance."""
    found, first = np.unique(numbers, return_index=True)
    return found[np.argsort(first)]


def _columns(
    name: str, places: Sequence[str], rows: Sequence[Sequence[int]] | npt.NDArray[np.integer]
) -> dict[str, Column]:
    table = np.array(rows, np.int64).reshape(-1, len(places))
    return {f"{name}.{place}": narrow(table[:, i]) for i, place in enumerate(places)}


class ReadRepairs:
    """The repairs of a checkpoint.

    Args:
        contents: the checkpoint.
        times: its timestamps.
        entries: the timestamps of its log.

    Raises:
        CheckpointError: they are no repairs.
    """

    def __init__(self, contents: Contents, times: Sequence[TimePoint], entries: Sequence[TimePoint]) -> None:
        self._contents, self._entries = contents, entries
        terms = read_terms(contents, "assertions")
        size = len(contents.column("assertions.time"))
        at, *triples = (
            contents.indices(f"assertions.{place}", len(times if place == "time" else terms), size).tolist()
            for place in _PLACES
        )
        try:
            self.assertions: list[Assertion] = [
                (times[t], check_triple((terms[s], terms[p], terms[o])))
                for t, s, p, o in zip(at, *triples, strict=True)
            ]
        except PantarheiError as error:
            raise contents.broken(str(error)) from error

    @property
    def triples(self) -> Iterable[Triple]:
        """What the repairs speak of."""
        return (triple for _, triple in self.assertions)

    def repairs(self, method: Method, rules: Iterable[Rule]) -> tuple[tuple[int, Repair], ...]:
        """The repairs, each with the place of its entry; `rules` has the constraints that they name.

        Raises:
            CheckpointError: it lacks one, or the columns make no sense.
        """
        contents, constraints = self._contents, self._named(rules)
        columns = [contents.column(f"repairs.{name}") for name in _REPAIR]
        members = contents.column("conflicts.members")
        named = contents.column("conflicts.constraints", len(members))
        whats = contents.indices("constraints.rule", len(constraints)).tolist()
        contents.counts("repairs.conflicts", len(members), len(columns[0]))
        contents.counts("conflicts.constraints", len(whats))
        contents.indices("repairs.entry", len(self._entries), len(columns[0]))
        if int(members.sum() + columns[3].sum() + columns[4].sum()) != len(self.assertions):
            raise contents.broken("assertions belong to no repair")
        assertions, rules_ = iter(self.assertions), iter(whats)
        each = iter(zip(members.tolist(), named.tolist(), strict=True))

        def conflict() -> Conflict:
            size, count = next(each)
            return Conflict(
                frozenset(islice(assertions, size)),
                tuple(constraints[place] for place in islice(rules_, count)),
            )

        found = []
        for entry, listed, unlisted, *taken in zip(*(column.tolist() for column in columns), strict=True):
            conflicts = tuple(conflict() for _ in range(listed))
            removed, undecided = (frozenset(islice(assertions, size)) for size in taken)
            found.append(
                (entry, Repair.of(self._entries[entry], method, conflicts, removed, undecided, unlisted))
            )
        return tuple(found)

    def _named(self, rules: Iterable[Rule]) -> list[Rule]:
        """The constraints of the header, among `rules`."""
        contents = self._contents
        by_name: dict[tuple[str, str], Rule] = {}
        named = contents.array("constraints")
        if named:
            for rule in rules:
                if rule.is_constraint:
                    by_name.setdefault((rule.name, text_of_rule(rule)), rule)
        try:
            return [by_name[name, text] for name, text in cast("list[tuple[str, str]]", named)]
        except (KeyError, TypeError, ValueError) as error:
            raise contents.broken(f"the ontology has no constraint {error!s:.200}") from error
