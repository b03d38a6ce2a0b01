"""What a repair did, for people: assertions, conflict sets and constraints instead of numbers.

Nothing is translated before it is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar, overload

from pantarhei.language.counted import counted
from pantarhei.language.rule import Rule, names_of
from pantarhei.language.shown import told_apart
from pantarhei.language.term import short
from pantarhei.language.time import TimePoint, show_time
from pantarhei.proofs.proof import Assertion, Proof
from pantarhei.rdf.pickling import exactly
from pantarhei.repair.choose import Method
from pantarhei.repair.occurrences import Occurrences, Removal, look_up

_T = TypeVar("_T")

Prove = Callable[[frozenset[Assertion], tuple[Rule, ...]], tuple[Proof, ...]]
"""Finds a proof of ⊥ from some assertions for each of some constraints."""


def no_proofs(assertions: frozenset[Assertion], constraints: tuple[Rule, ...]) -> tuple[Proof, ...]:
    """None."""
    return ()


class LazySequence(Sequence[_T]):
    """A sequence of known length whose members are made when first asked for. Pickles as its members."""

    def __init__(self, length: int, make: Callable[[], Sequence[_T]]) -> None:
        self._length, self._make = length, make

    @cached_property
    def _members(self) -> tuple[_T, ...]:
        return tuple(self._make())

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[_T, ...]: ...
    def __getitem__(self, index: int | slice) -> _T | tuple[_T, ...]:
        return self._members[index]

    def __iter__(self) -> Iterator[_T]:
        return iter(self._members)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self._length} of {type(self).__name__}>" if self._length > 10 else repr(list(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(_restored, self._members)


def _restored(members: tuple[_T, ...]) -> LazySequence[_T]:
    return LazySequence(len(members), lambda: members)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A minimal inconsistent set of assertions, each at its newest timestamp, and what it violates."""

    assertions: frozenset[Assertion]
    constraints: tuple[Rule, ...]
    _prove: Prove = field(default=no_proofs, repr=False, compare=False)

    @property
    def proofs(self) -> tuple[Proof, ...]:
        """How assertions and background lead to ⊥: a shortest proof for each constraint.

        Costs what follows from the assertions; the first time of a reasoner a materialization of its
        background. None is found where more than a million rule instances would have to be looked at.
        """
        return self._prove(self.assertions, self.constraints)

    def __str__(self) -> str:
        return told_apart(self._text, names_of(self.constraints))

    def _text(self) -> str:
        members = sorted((show_time(at), " ".join(map(short, triple))) for at, triple in self.assertions)
        rules = " and ".join(dict.fromkeys(rule.axiom for rule in self.constraints))
        return " against ".join(f"{triple} ({at})" for at, triple in members) + f", by {rules}"

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(_conflict, self.assertions, self.constraints, self.proofs)


def _conflict(
    assertions: frozenset[Assertion], constraints: tuple[Rule, ...], proofs: tuple[Proof, ...]
) -> Conflict:
    """A conflict whose proofs are known."""
    return Conflict(assertions, constraints, lambda *_: proofs)


class Repair:
    """The repair of one step: what conflicted, and what was taken out.

    Attributes:
        at: the timestamp of the ABox whose arrival called for it.
        method: how the cut was chosen.
        conflicts: all minimal conflicts before the cut, with their constraints.
        removed: the assertions taken out, each occurrence of a cut fact with its timestamp. The first look
            costs a pass over the window's assertions.
        undecided: of these, the facts that were removed because no decision was in reach (`grounded`, or
            `exact` past its budget), with their newest timestamps.
        unlisted: how many more conflicts there were that `conflicts` does not list: a checkpoint keeps the
            first thousand of each repair.
    """

    def __init__(
        self,
        at: TimePoint,
        method: Method,
        conflicts: Sequence[Conflict] = (),
        removed: frozenset[Assertion] | Occurrences | Removal = frozenset(),
        undecided: Callable[[], frozenset[Assertion]] = frozenset,
        unlisted: int = 0,
    ) -> None:
        self.at, self.method, self.conflicts, self.unlisted = at, method, conflicts, unlisted
        self._removed, self._undecided = removed, undecided

    @classmethod
    def of(
        cls,
        at: TimePoint,
        method: Method,
        conflicts: Sequence[Conflict],
        removed: frozenset[Assertion],
        undecided: frozenset[Assertion],
        unlisted: int = 0,
    ) -> Repair:
        """A repair of which all is known already."""
        return cls(at, method, _restored(tuple(conflicts)), removed, lambda: undecided, unlisted)

    def proved_by(self, prove: Prove) -> Repair:
        """The same, whose conflicts find their proofs in this way."""
        conflicts = LazySequence(
            len(self.conflicts), lambda: [replace(conflict, _prove=prove) for conflict in self.conflicts]
        )
        return Repair(self.at, self.method, conflicts, self._removed, lambda: self.undecided, self.unlisted)

    @property
    def taken_out(self) -> frozenset[Assertion] | Occurrences:
        """What `removed` is made of; its length costs no triple."""
        found = self._removed
        if isinstance(found, Removal):
            (found,) = look_up([found])
            self._removed = found
        return found

    @staticmethod
    def look_up_removed(repairs: Iterable[Repair]) -> None:
        """Find out what the repairs of one stream, oldest first, took out, as a look at each of them would.

        Costs one pass over the window's assertions for all of them.
        """
        pending = [(repair, repair._removed) for repair in repairs]
        removals = [(repair, removed) for repair, removed in pending if isinstance(removed, Removal)]
        found = look_up([removal for _, removal in removals])
        for (repair, _), occurrences in zip(removals, found, strict=True):
            repair._removed = occurrences

    @cached_property
    def removed(self) -> frozenset[Assertion]:
        found = self.taken_out
        return found.assertions() if isinstance(found, Occurrences) else found

    @cached_property
    def undecided(self) -> frozenset[Assertion]:
        return self._undecided()

    @property
    def conflict_sets(self) -> Sequence[frozenset[Assertion]]:
        """The conflict sets alone: a lazy sequence."""
        return LazySequence(len(self.conflicts), lambda: [conflict.assertions for conflict in self.conflicts])

    def __str__(self) -> str:
        constraints = (rule for conflict in self.conflicts for rule in conflict.constraints)
        return told_apart(self._text, names_of(constraints))

    def _text(self) -> str:
        conflicts = [f"  {conflict}" for conflict in self.conflicts]
        if self.unlisted:
            conflicts.append(f"  and {self.unlisted} more")
        return "\n".join([f"at {show_time(self.at)}: {self.summary()}", *conflicts])

    def summary(self) -> str:
        """How many conflicts there were, and how many assertions were taken out."""
        conflicts = counted(len(self.conflicts) + self.unlisted, "conflict")
        return f"{conflicts}, {counted(len(self.taken_out), 'assertion')} removed"

    def __repr__(self) -> str:
        return f"Repair(at={self.at!r}, method={self.method!r}, {len(self.conflicts)} conflicts)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Repair):
            return NotImplemented
        mine, theirs = (
            (each.at, each.method, tuple(each.conflicts), each.unlisted, each.removed, each.undecided)
            for each in (self, other)
        )
        return mine == theirs

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        known = (self.at, self.method, tuple(self.conflicts), self.removed, self.undecided, self.unlisted)
        return exactly(Repair.of, *known)
