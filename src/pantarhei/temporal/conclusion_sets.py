"""Conclusions of temporal rules as RDF terms: the changes of a step, and the set of a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from functools import cached_property
from threading import Lock
from typing import Any, Final, NamedTuple

from pantarhei.model.message_text import counted
from pantarhei.model.representation import call_text, html_of, members_in_short, members_table, panel
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint, show_time
from pantarhei.rdf.ntriples import exactly


class TickConclusions(NamedTuple):
    """Changes of conclusions at one tick.

    Args:
        at: time of the push or `advance`; for an earlier tick of the step, the time at which the tick ends,
            or with feedback its first instant.
        added: conclusions that began, with any number of arguments.
        removed: conclusions that ended.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> rules = pr.load_rules("long(X) :- :Slowing(X) always in [1].", prefixes={"": str(EX)})
    >>> ontology = pr.load_ontology("ontologies/pedals.ttl")
    >>> reasoner = pr.StreamReasoner(ontology, pr.Window(range=2), temporal=rules)
    >>> brakes = (EX.x, RDF.type, EX.BrakesPressed)
    >>> _ = reasoner.push(1, [brakes])
    >>> update = reasoner.push(2, [brakes])
    >>> [(turn.at, [str(atom) for atom in turn.added]) for turn in update.conclusions.turns]
    [(2, ['long(x)'])]
    """

    at: TimePoint
    added: frozenset[TemporalAtom]
    removed: frozenset[TemporalAtom]

    def __repr__(self) -> str:
        counts = f"+{len(self.added):,} -{len(self.removed):,} conclusions"
        return call_text(self, [f"at {show_time(self.at)}: {counts}"])

    def _repr_html_(self) -> str:
        return html_of(self)


class ConclusionChanges:
    """Changes of conclusions in one step; decoded to terms on first access.

    Args:
        make: decodes the changes of each tick.
        triples: decodes the added and the removed triples of the step; None to derive them from the atoms.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> rules = pr.load_rules("long(X) :- :Slowing(X) always in [1].", prefixes={"": str(EX)})
    >>> ontology = pr.load_ontology("ontologies/pedals.ttl")
    >>> reasoner = pr.StreamReasoner(ontology, pr.Window(range=2), temporal=rules)
    >>> brakes = (EX.x, RDF.type, EX.BrakesPressed)
    >>> _ = reasoner.push(1, [brakes])
    >>> update = reasoner.push(2, [brakes])
    >>> update.conclusions.added == {(EX.x, RDF.type, EX.long)}, len(update.conclusions.turns)
    (True, 1)
    """

    def __init__(
        self,
        make: Callable[[], tuple[TickConclusions, ...]],
        triples: Callable[[], tuple[frozenset[Triple], frozenset[Triple]]] | None = None,
    ) -> None:
        self._make, self._make_triples = make, triples

    @cached_property
    def turns(self) -> tuple[TickConclusions, ...]:
        """Changes of each tick of the step, in order, including conclusions that began and ended within the
        step.
        """
        return tuple(turn for turn in self._make() if turn.added or turn.removed)

    @cached_property
    def _net(self) -> tuple[frozenset[TemporalAtom], frozenset[TemporalAtom]]:
        added, removed = frozenset[TemporalAtom](), frozenset[TemporalAtom]()
        for turn in self.turns:
            added, removed = (
                added - turn.removed | turn.added - removed,
                removed - turn.added | turn.removed - added,
            )
        return added, removed

    @property
    def atoms_added(self) -> frozenset[TemporalAtom]:
        """Added conclusions, with any number of arguments."""
        return self._net[0]

    @property
    def atoms_removed(self) -> frozenset[TemporalAtom]:
        """Removed conclusions, with any number of arguments."""
        return self._net[1]

    @cached_property
    def _triples(self) -> tuple[frozenset[Triple], frozenset[Triple]]:
        if self._make_triples is not None:
            return self._make_triples()
        added, removed = (frozenset(concluded_triples(atoms)) for atoms in self._net)
        return added, removed

    @property
    def added(self) -> frozenset[Triple]:
        """Added conclusions that are triples (one or two arguments)."""
        return self._triples[0]

    @property
    def removed(self) -> frozenset[Triple]:
        """Removed conclusions that are triples (one or two arguments)."""
        return self._triples[1]

    def __bool__(self) -> bool:
        return bool(self.turns)

    def __eq__(self, other: object) -> bool:
        return self.turns == other.turns if isinstance(other, ConclusionChanges) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.turns)

    def __repr__(self) -> str:
        if "turns" not in self.__dict__:
            return "ConclusionChanges(not read yet)"
        return f"ConclusionChanges(+{len(self.atoms_added)} -{len(self.atoms_removed)})"

    _repr_html_ = html_of

    def _shown_parts(self) -> dict[str, object]:
        return {"added": self.atoms_added, "removed": self.atoms_removed, "turns": self.turns}

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(_restored, self.turns)


def _restored(turns: tuple[TickConclusions, ...]) -> ConclusionChanges:
    return ConclusionChanges(lambda: turns)


NOTHING_CONCLUDED: Final = _restored(())
"""Changes of a step without conclusions."""


def concluded_triples(atoms: Iterable[TemporalAtom]) -> Iterator[Triple]:
    """Return the conclusions that are triples, as triples."""
    return (atom.triple for atom in atoms if atom.triple is not None)


class ConclusionSet(Set[Triple]):
    """Triples that temporal rules conclude in one state of a reasoner: an immutable set.

    It compares and combines as a frozenset does. Only the newest state stores the triples; an older state
    stores its difference from a later one. Creating a state costs time linear in its changes. The first read
    of an older state costs time linear in the changes since that state.

    >>> from rdflib import RDF, URIRef
    >>> hot, cold = ((URIRef("urn:v"), RDF.type, URIRef(f"urn:{name}")) for name in ("Hot", "Cold"))
    >>> first = ConclusionSet({hot})
    >>> second = first.next_state({cold}, {hot})
    >>> first == {hot}, second == {cold}, second - first == {cold}
    (True, True, True)
    """

    __slots__ = ("_added", "_held", "_lock", "_newer", "_removed")

    def __init__(self, triples: Iterable[Triple], lock: Lock | None = None) -> None:
        self._held: set[Triple] | None = set(triples)
        self._newer: ConclusionSet | None = None
        self._added, self._removed = set[Triple](), set[Triple]()  # differences of `_newer` from this state
        self._lock = Lock() if lock is None else lock

    def next_state(self, added: Set[Triple], removed: Set[Triple]) -> ConclusionSet:
        """Return the next state. Only the newest state has a next one. Costs time linear in the changes.

        Args:
            added, removed: triples that began and ended; the sets are disjoint.
        """
        newer = ConclusionSet((), self._lock)
        with self._lock:
            assert self._held is not None, "this is the newest state"
            held, self._held = self._held, None
            self._added, self._removed = set(added - held), set(removed & held)
            held -= self._removed
            held |= self._added
            newer._held, self._newer = held, newer
        return newer

    def _newest(self) -> set[Triple]:
        """Return the triples of the newest state; update this state's difference to refer to it."""
        while self._newer is not None and (further := self._newer)._held is None:
            self._add(further._added, self._removed, self._added)
            self._add(further._removed, self._added, self._removed)
            self._newer = further._newer
        newest = self if self._newer is None else self._newer
        assert newest._held is not None, "the newest state holds its triples"
        return newest._held

    @staticmethod
    def _add(changed: Set[Triple], opposite: set[Triple], same: set[Triple]) -> None:
        """Add changes in one direction; a reverted change cancels the earlier `opposite` one."""
        reverted = changed & opposite
        opposite -= reverted
        same |= changed - reverted

    def __contains__(self, triple: object) -> bool:
        with self._lock:
            held = self._newest()
            return triple in self._removed or (triple in held and triple not in self._added)

    def __iter__(self) -> Iterator[Triple]:
        with self._lock:
            held = self._newest()
            return iter([*(held - self._added if self._added else held), *self._removed])

    def __len__(self) -> int:
        with self._lock:
            return len(self._newest()) - len(self._added) + len(self._removed)

    @classmethod
    def _from_iterable(cls, triples: Iterable[Any]) -> frozenset[Any]:
        return frozenset(triples)

    def __hash__(self) -> int:
        return self._hash()

    def __repr__(self) -> str:
        with self._lock:
            return call_text(
                self, ["of an older state" if self._held is None else members_in_short(self._held)]
            )

    def _repr_html_(self) -> str:
        return panel(f"ConclusionSet({counted(len(self), 'triple')})", members_table(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return frozenset, (list(self),)
