"""Result of a repair for users: assertions, conflict sets and constraints, decoded on first access."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from heapq import heappop, heappush
from itertools import chain
from typing import Any, Generic, Protocol, TypeVar, overload

import numpy as np

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import Forms, Integers
from pantarhei.model.labels import NO_LABELS, Labels, labels_among
from pantarhei.model.message_text import counted, disambiguate
from pantarhei.model.representation import call_text, html_of, members_table, panel, short_repr
from pantarhei.model.rule import Rule
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint, show_time
from pantarhei.owl.manchester import terms_of_axioms
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.step import Assertion
from pantarhei.rdf.ntriples import exactly, write_triple
from pantarhei.repair.conflict import Budget, ConflictEvidence, Conflicts, KeptEvidence, Levels
from pantarhei.repair.cut import Method
from pantarhei.repair.removal_chart import removals_svg
from pantarhei.repair.removal_text import conflict_text, removal_texts
from pantarhei.rules.translation.canonical_rule import text_of_rule
from pantarhei.window.log import Entry, Log


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Facts with the timestamps at which they are asserted.

    Args:
        rows: rows `index of the timestamp, predicate, subject, object`; ascending and distinct for a removal.
        times: the timestamps.
        forms: for each timestamp the forms of literals that differ from the first form of their value.
        lexicon: the terms of the facts.
    """

    rows: Integers
    times: tuple[TimePoint, ...]
    forms: tuple[Forms, ...]
    lexicon: Lexicon

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return call_text(self, [counted(len(self), "assertion")])

    @property
    def has_forms(self) -> bool:
        """Test whether a literal may have another form than the lexicon's."""
        return any(self.forms)

    def assertions(self) -> frozenset[tuple[TimePoint, Triple]]:
        """Return the occurrences as timestamps and triples."""
        ends = np.searchsorted(self.rows[:, 0], np.arange(1, len(self.times) + 1)).tolist()
        starts: Sequence[int] = (0, *ends)
        return frozenset(
            (at, triple)
            for at, forms, start, end in zip(self.times, self.forms, starts, ends, strict=False)
            for triple in self.lexicon.decode(self.rows[start:end, 1:], forms.by_fact)
        )


@dataclass(frozen=True, slots=True)
class Removal:
    """Facts that a repair removed from a window.

    Args:
        older: the log before the arriving ABox.
        arriving: the ABox.
        facts: the removed facts, without duplicates, shape (n, 3).
        levels: for each fact the newest level at which it was asserted.
        lexicon: the terms of the facts.
    """

    older: Log
    arriving: Entry
    facts: Integers
    levels: Levels
    lexicon: Lexicon

    def __len__(self) -> int:
        return len(self.facts)

    def occurrences(self) -> Occurrences:
        """Return all occurrences of the removed facts in the window before the repair.

        Each ABox links its facts to their previous assertions (`Entry.previous_distances`). Costs a scan of
        the ABoxes that assert some of the facts, independent of the size of the window.
        """
        at: dict[int, list[Integers]] = defaultdict(list)  # level -> indexes of the facts asserted at it
        waiting: list[int] = []

        def visit(levels: Levels, places: Integers) -> None:
            few = len(levels) == 1
            for level in levels.tolist() if few else np.unique(levels).tolist():
                if level >= self.older.timeline.first_level:
                    if level not in at:
                        heappush(waiting, -level)
                    at[level].append(places if few else places[levels == level])

        found: list[tuple[Entry, Integers]] = []
        visit(self.levels, np.arange(len(self.facts), dtype=np.int32))
        while waiting:
            level = -heappop(waiting)
            entry = self.arriving if level == self.arriving.level else self.older.timeline.at_level(level)
            assert entry is not None, "each level has an entry"
            places = np.concatenate(at.pop(level))
            found.append((entry, self.facts[places]))
            visit(entry.levels_before(self.facts[places]), places)
        found.reverse()
        return Occurrences(
            np.concatenate([np.empty((0, 4), np.int32), *map(_rows, range(len(found)), found)]),
            tuple(entry.at for entry, _ in found),
            tuple(entry.forms for entry, _ in found),
            self.lexicon,
        )


def _rows(place: int, found: tuple[Entry, Integers]) -> Integers:
    facts = found[1] if len(found[1]) == 1 else found[1][np.lexsort(found[1].T[::-1])]
    rows = np.empty((len(facts), 4), np.int32)
    rows[:, 0], rows[:, 1:] = place, facts
    return rows


_T = TypeVar("_T")
_S = TypeVar("_S")
_F = TypeVar("_F", bound="FoundConflicts")


class Prove(Protocol):
    """Function from assertions and constraints to a proof of ⊥ for each constraint.

    Attributes:
        labels: the names shown for IRIs.
    """

    @property
    def labels(self) -> Labels: ...
    def __call__(
        self, assertions: frozenset[Assertion], constraints: tuple[Rule, ...]
    ) -> tuple[Proof, ...]: ...


@dataclass(frozen=True, slots=True)
class KnownProofs:
    """Known proofs of a conflict, and the names shown for IRIs."""

    proofs: tuple[Proof, ...] = ()
    labels: Labels = field(default_factory=dict)

    def __call__(self, assertions: frozenset[Assertion], constraints: tuple[Rule, ...]) -> tuple[Proof, ...]:
        return self.proofs


NO_PROOFS = KnownProofs()


class LazySequence(Sequence[_T]):
    """Sequence whose members are computed on first access. Pickles as its members.

    Args:
        length: returns the number of members without computing them.
        make: computes the members.
    """

    def __init__(self, length: Callable[[], int], make: Callable[[], Sequence[_T]]) -> None:
        self._count, self._make = length, make

    @cached_property
    def _members(self) -> tuple[_T, ...]:
        return tuple(self._make())

    @cached_property
    def _length(self) -> int:
        return self._count()

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
        return (
            f"{type(self).__name__}({counted(len(self), 'member') if self.is_counted else 'not counted yet'})"
        )

    @property
    def is_counted(self) -> bool:
        """True if the number of members is known without computing them."""
        return "_length" in self.__dict__

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(_restored, self._members)


def _restored(members: tuple[_T, ...]) -> LazySequence[_T]:
    return LazySequence(lambda: len(members), lambda: members)


class FoundConflicts(Protocol):
    """Interface of conflict sets that can be counted."""

    @property
    def is_complete(self) -> bool: ...
    def __len__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class _Listed(Generic[_T]):
    """Known conflict sets."""

    members: tuple[_T, ...]
    is_complete: bool

    def __len__(self) -> int:
        return len(self.members)


class ConflictList(LazySequence[_T]):
    """Conflict sets of a step: computed when they are first counted, decoded when they are first read.

    Args:
        find: computes the conflict sets, in numbers.
        make: decodes them.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> update = reasoner.push(2, [brakes])
    >>> conflicts = update.repair.conflicts
    >>> len(conflicts), conflicts.complete
    (1, True)
    """

    def __init__(self, find: Callable[[], _F], make: Callable[[_F], Sequence[_T]]) -> None:
        found: Callable[[], _F] = cache(find)
        super().__init__(lambda: len(found()), lambda: make(found()))
        self._found: Callable[[], FoundConflicts] = found

    @property
    def complete(self) -> bool:
        """True if all conflict sets are listed, false if they exceed the budget."""
        return self._found().is_complete

    @property
    def unlisted(self) -> str | None:
        """Text for lists that are not complete; None if the list is complete."""
        return None if self.complete else "and others, which are too many to list"

    def first(self, most: int = 1000) -> tuple[tuple[_T, ...], str | None]:
        """Return the first conflict sets, and a text if there are more, for error texts."""
        more = len(self) - most
        return self[:most], f"and {more:,} more" if more > 0 else self.unlisted

    @classmethod
    def of(cls, members: Sequence[_T], complete: bool = True) -> ConflictList[_T]:
        """Return a list of known conflict sets."""
        listed: FoundConflicts = _Listed(tuple(members), complete)
        known = ConflictList(lambda: listed, lambda _: members)
        known._length = len(listed)
        return known

    def _repr_html_(self) -> str:
        heading = (
            f"ConflictList({counted(len(self), 'conflict')}{', ' * (not self.complete)}{self.unlisted or ''})"
        )
        return disambiguate(lambda: panel(heading, members_table(self)))

    def mapped(self, change: Callable[[_T], _S]) -> ConflictList[_S]:
        """Return the list with a function applied to each member on first access."""
        return ConflictList(self._found, lambda _: list(map(change, self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(ConflictList.of, self._members, self.complete)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Minimal inconsistent set of assertions, each at its newest timestamp, with the violated constraints.

    Args:
        assertions: pairs of a timestamp and a triple.
        constraints: the violated constraints, each a rule without a head.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> update = reasoner.push(2, [brakes])
    >>> conflict = update.repair.conflicts[0]
    >>> sorted(at for at, _ in conflict.assertions), conflict.constraints[0].axiom
    ([1, 2], 'DisjointClasses(GasPedalPressed BrakesPressed)')
    """

    assertions: frozenset[Assertion]
    constraints: tuple[Rule, ...]
    _prove: Prove = field(default=NO_PROOFS, repr=False, compare=False)

    __repr__ = short_repr
    _repr_html_ = html_of

    @property
    def proofs(self) -> tuple[Proof, ...]:
        """Shortest proofs of ⊥ from assertions and background, one for each constraint.

        Costs the closure of the assertions, and at the first call for a reasoner a materialization of the
        background. Empty if more than a million rule instances would have to be inspected.
        """
        return self._prove(self.assertions, self.constraints)

    @property
    def labels(self) -> Labels:
        """The names shown for IRIs of the assertions and constraints."""
        terms = chain.from_iterable(triple for _, triple in self.assertions)
        return labels_among(self._prove.labels, chain(terms, terms_of_axioms(self.constraints)))

    def __str__(self) -> str:
        return conflict_text(self, self.labels)

    def __reduce__(self) -> tuple[Any, ...]:
        known = KnownProofs(self.proofs, self.labels)
        return exactly(Conflict, self.assertions, self.constraints, known)


class ConflictCase:
    """Evidence of a repair, with its assertions and constraints.

    Args:
        kept: the evidence, in numbers.
        members: the assertions, in the order of the evidence's members.
        rules: the constraints, by their numbers.
        prove: finds the proofs of conflict sets.
        occurrences: returns the members in numbers, in their order; None if they are only known as terms.
    """

    def __init__(
        self,
        kept: KeptEvidence,
        members: Sequence[Assertion],
        rules: Sequence[Rule],
        prove: Prove = NO_PROOFS,
        occurrences: Callable[[], Occurrences] | None = None,
    ) -> None:
        self.kept, self.members, self.rules, self.occurrences = kept, members, rules, occurrences
        self.conflicts = ConflictList(kept.conflicts, partial(_conflicts_of, kept, members, rules, prove))

    def proved_by(self, prove: Prove) -> ConflictCase:
        """Return a copy that calls `prove` for the proofs of its conflict sets."""
        return ConflictCase(self.kept, self.members, self.rules, prove, self.occurrences)

    @classmethod
    def of(cls, conflicts: ConflictList[Conflict]) -> ConflictCase:
        """Return the case of known conflict sets."""
        alone = {next(iter(each.assertions)) for each in conflicts if len(each.assertions) == 1}
        members = sorted(
            {member for conflict in conflicts for member in conflict.assertions},
            key=lambda member: (member in alone, member[0], write_triple(member[1])),
        )
        rules = list(dict.fromkeys(rule for conflict in conflicts for rule in conflict.constraints))
        place = {member: number for number, member in enumerate(members)}
        number = {rule: number for number, rule in enumerate(rules)}
        ranks = {at: rank for rank, at in enumerate(sorted({at for at, _ in members}))}
        levels = np.array([ranks[at] for at, _ in members], np.int64)
        sets = [
            (
                [place[member] for member in conflict.assertions],
                [number[rule] for rule in conflict.constraints],
            )
            for conflict in conflicts
        ]
        evidence = ConflictEvidence.of_sets(levels, sets, conflicts.complete)
        return cls(KeptEvidence(evidence, Budget()), members, rules)


def in_order_of_texts(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Sort rules by their texts, independently of their numbers."""
    given = tuple(rules)
    if len(given) == 1:
        return given
    return tuple(sorted(given, key=lambda rule: (rule.axiom, rule.name, text_of_rule(rule))))


def _conflicts_of(
    kept: KeptEvidence, members: Sequence[Assertion], rules: Sequence[Rule], prove: Prove, found: Conflicts
) -> list[Conflict]:
    """Return the conflict sets in an order independent of numbers: small ones first, then older ones.

    This is a function because a method of `ConflictCase` would create a reference cycle with its list.
    """
    levels, texts = kept.evidence.levels.tolist(), [write_triple(fact) for _, fact in members]
    keys = list(zip(levels, texts, strict=True))
    return [
        Conflict(
            frozenset(members[row] for row in conflict.rows),
            in_order_of_texts(rules[number] for number in conflict.constraints),
            prove,
        )
        for conflict in found.in_order(keys)
    ]


_NONE = ConflictList[Conflict].of(())
_INSPECTED_CONFLICTS = 1000


class Repair:
    """Repair of one step: conflicts and removed assertions. False if nothing was removed.

    Attributes:
        at: timestamp of the arriving ABox.
        method: the method of the cut.
        conflicts: all conflict sets before the cut, with their constraints; computed on first access,
            independent of later steps. `conflicts.complete` is False if they exceed the budget.
        removed: the removed assertions: each occurrence of a cut fact with its timestamp. Costs linear time
            in the occurrences of the removed facts.
        undecided: the removed facts that a limit (or `grounded`) left undecided, with their newest
            timestamps.
        undecided_facts: number of undecided facts.
        case: the evidence of the conflicts; None if they are only known as a list.
        unlisted: number of conflicts that `conflicts` lacks: checkpoints of older versions store the first
            thousand of each repair.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> update = reasoner.push(2, [brakes])
    >>> update.repair.removed == {(1, gas)}, update.repair.method
    (True, 'exact')
    """

    def __init__(
        self,
        at: TimePoint,
        method: Method,
        case: ConflictCase | ConflictList[Conflict] | None = None,
        removed: frozenset[Assertion] | Occurrences | Removal = frozenset(),
        undecided: Callable[[], frozenset[Assertion]] = frozenset,
        unlisted: int = 0,
        undecided_facts: int = 0,
    ) -> None:
        self.at, self.method, self.unlisted = at, method, unlisted
        self.case = case if isinstance(case, ConflictCase) else None
        self.conflicts = case.conflicts if isinstance(case, ConflictCase) else _NONE if case is None else case
        self.undecided_facts = undecided_facts
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
        complete: bool = True,
    ) -> Repair:
        """Return a repair with known conflicts and assertions."""
        known = ConflictList.of(conflicts, complete)
        return cls(at, method, known, removed, lambda: undecided, unlisted, len(undecided))

    def proved_by(self, prove: Prove) -> Repair:
        """Return the repair with `prove` for the proofs of its conflicts."""
        if self.case is not None:
            return self._with(self.case.proved_by(prove))
        return self._with(self.conflicts.mapped(lambda conflict: replace(conflict, _prove=prove)))

    def without_evidence(self) -> Repair:
        """Return the repair without its conflicts; its list of conflicts is empty and not complete."""
        return self._with(ConflictList[Conflict].of((), complete=False))

    def _with(self, case: ConflictCase | ConflictList[Conflict]) -> Repair:
        known = self._removed, self._undecided, self.unlisted, self.undecided_facts
        return Repair(self.at, self.method, case, *known)

    def __bool__(self) -> bool:
        return len(self._removed) > 0

    @property
    def taken_out(self) -> frozenset[Assertion] | Occurrences:
        """The removed assertions, in numbers if possible. The length costs no decoding of triples."""
        found = self._removed
        if isinstance(found, Removal):
            found = self._removed = found.occurrences()
        return found

    @cached_property
    def removed(self) -> frozenset[Assertion]:
        """The removed assertions: each occurrence of a cut fact, with its timestamp."""
        found = self.taken_out
        return found.assertions() if isinstance(found, Occurrences) else found

    @cached_property
    def undecided(self) -> frozenset[Assertion]:
        """The removed facts that a limit left undecided, with their newest timestamps."""
        return self._undecided()

    @property
    def conflict_sets(self) -> ConflictList[frozenset[Assertion]]:
        """The conflict sets without constraints."""
        return self.conflicts.mapped(lambda conflict: conflict.assertions)

    def __str__(self) -> str:
        removals = [text for text, _ in self.removals()]
        lines = removals or [str(conflict) for conflict in self.conflicts]  # if the method is "off"
        if more := f"and {self.unlisted:,} more" if self.unlisted else self.conflicts.unlisted:
            lines.append(more)
        return "\n  ".join([f"at {show_time(self.at)}: {self.summary()}", *lines])

    def removals(self) -> list[tuple[str, Conflict | None]]:
        """Return the removed facts as texts, each with the conflict set that is the reason.

        Facts that removed each other have one text. The reason is None if none of the first thousand conflict
        sets contains the fact.
        """
        return removal_texts(self.at, self.removed, self.undecided, self._inspected, self.labels)

    @property
    def _inspected(self) -> tuple[Conflict, ...]:
        return self.conflicts[:_INSPECTED_CONFLICTS]

    @property
    def labels(self) -> Labels:
        """The names shown for IRIs in the first thousand conflict sets."""
        sources = {id(each._prove): each._prove.labels for each in self._inspected}
        first, *others = sources.values() or (NO_LABELS,)
        return {iri: label for each in (first, *others) for iri, label in each.items()} if others else first

    def to_svg(self) -> str:
        """Return a picture of the removed facts and of the facts that contradict them, with their timestamps
        on an axis; of the conflicts, if nothing was removed. At most 30 removals are drawn.

        Costs linear time in the removed assertions and the first thousand conflicts.
        """
        return removals_svg(self.at, self.summary(), self.removed, self._inspected, self.labels)

    def summary(self) -> str:
        """Return the numbers of conflicts and of removed assertions as text."""
        conflicts = counted(len(self.conflicts) + self.unlisted, "conflict")
        if not (self.conflicts.complete or self.unlisted):
            conflicts = f"at least {conflicts}" if self.conflicts else "conflicts too many to list"
        text = f"{conflicts}, {counted(len(self.taken_out), 'assertion')} removed"
        if self.undecided_facts:
            text += f", {counted(self.undecided_facts, 'fact')} of them undecided"
        return text

    def __repr__(self) -> str:
        parts = [f"at {show_time(self.at)}", self.method, f"{counted(len(self._removed), 'fact')} removed"]
        if self.conflicts.is_counted:
            parts.append(counted(len(self.conflicts) + self.unlisted, "conflict"))
        return call_text(self, parts)

    _repr_html_ = html_of

    def _shown_parts(self) -> dict[str, object]:
        return {
            "summary": self.summary(),
            "conflicts": self.conflicts,
            "removed": self.removed,
            **({"undecided": self.undecided} if self.undecided_facts else {}),
        }

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
        return exactly(Repair.of, *known, self.conflicts.complete)
