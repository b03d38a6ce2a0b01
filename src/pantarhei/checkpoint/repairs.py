"""The repairs of a window as columns: who was in conflict, by which constraints, and what was taken out.

They are kept as triples with timestamps, since what they speak of may have left the window. Of each repair
the first `MOST_CONFLICTS` conflicts are kept, and how many more there were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import cast

import numpy as np

from pantarhei.checkpoint.container import Column, Contents, narrow
from pantarhei.checkpoint.terms import columns_of_terms, read_terms
from pantarhei.checkpoint.times import TimesWriter
from pantarhei.errors import PantarheiError
from pantarhei.language.rule import Rule
from pantarhei.language.term import Term, Triple, check_triple
from pantarhei.language.time import TimePoint
from pantarhei.repair.choose import Method
from pantarhei.repair.result import Assertion, Conflict, Repair
from pantarhei.rules.fingerprint import text_of_rule

MOST_CONFLICTS = 1000

_REPAIR = ("entry", "conflicts", "unlisted", "removed", "undecided")
_PLACES = ("time", "subject", "predicate", "object")


class RepairsWriter:
    """Collects repairs.

    Args:
        times: where their timestamps go.
    """

    def __init__(self, times: TimesWriter) -> None:
        self._times = times
        self._terms: dict[Term, int] = {}
        self._rules: dict[Rule, int] = {}
        self._assertions: list[tuple[int, ...]] = []
        self._repairs: list[tuple[int, ...]] = []  # entry, conflicts, unlisted, removed, undecided
        self._conflicts: list[tuple[int, int]] = []  # members, constraints
        self._constraints: list[int] = []

    def add(self, entry: int, repair: Repair) -> None:
        """Take in the repair of an entry of the log. Costs its conflicts and what it removed."""
        conflicts = repair.conflicts[:MOST_CONFLICTS]
        unlisted = len(repair.conflicts) - len(conflicts) + repair.unlisted
        for conflict in conflicts:
            rules = [self._rules.setdefault(rule, len(self._rules)) for rule in conflict.constraints]
            self._conflicts.append((self._note(conflict.assertions), len(rules)))
            self._constraints += rules
        removed, undecided = self._note(repair.removed), self._note(repair.undecided)
        self._repairs.append((entry, len(conflicts), unlisted, removed, undecided))

    def _note(self, assertions: Iterable[Assertion]) -> int:
        """How many assertions they are; in an order that is the same in each run."""
        number, terms = self._times.number, self._terms
        found = sorted(
            ((number(at), triple) for at, triple in assertions), key=lambda one: (one[0], *map(str, one[1]))
        )
        for at, triple in found:
            self._assertions.append((at, *(terms.setdefault(term, len(terms)) for term in triple)))
        return len(found)

    def columns(self) -> dict[str, Column]:
        """The columns of all that was taken in."""
        return {
            **_columns("repairs", _REPAIR, self._repairs),
            **_columns("conflicts", ("members", "constraints"), self._conflicts),
            **_columns("constraints", ("rule",), [(rule,) for rule in self._constraints]),
            **_columns("assertions", _PLACES, self._assertions),
            **columns_of_terms("assertions", list(self._terms)),
        }

    def rules(self) -> list[list[str]]:
        """Name and text of each constraint, for the header."""
        return [[rule.name, text_of_rule(rule)] for rule in self._rules]


def _columns(name: str, places: Sequence[str], rows: Sequence[Sequence[int]]) -> dict[str, Column]:
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
