"""Quality of a stream: counts of assertions, conflicts and cuts, and the age of the last kept assertion.

There are three tables over window and history, with a row for each entity (a subject of assertions, such as a
sensor), for each property or class, and for each constraint. In RDF, in the graph `urn:pantarhei:quality`,
the subject of an entity's row is the entity, so that queries can join it. The row of a property or constraint
is a blank node, and its `q:about` is the property, or the text of the constraint's axiom.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np
import numpy.typing as npt
from rdflib import RDF, XSD, BNode, Graph, Namespace, URIRef
from rdflib import Literal as RdfLiteral

from pantarhei.encoding.numbers import NO_FACTS, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.labels import NO_LABELS, Labels, labels_among
from pantarhei.model.message_text import counted, disambiguate, one_line
from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.term import RDF_TYPE, Term, Triple, short
from pantarhei.model.time import TimePoint, in_zone_of, show_time
from pantarhei.owl.manchester import axiom_text
from pantarhei.proofs.renderers import time_as_json
from pantarhei.proofs.step import Assertion
from pantarhei.rdf.ntriples import write_term
from pantarhei.repair.result import Repair
from pantarhei.window.log import Entry, trace

if TYPE_CHECKING:
    import pyarrow as pa


QUALITY = Namespace("urn:pantarhei:quality#")

Kind = Literal["entity", "property", "constraint"]

# Largest number of rows of each table in the text.
_MOST_SHOWN = 10


@dataclass(frozen=True, slots=True)
class QualityRow:
    """Counts of the assertions about an entity, of a property, or in conflicts with a constraint.

    Args:
        about: the entity, the property or class, or a constraint's axiom as text.
        assertions: number of assertions; a fact asserted at two timestamps counts twice.
        cut: number of these assertions that a repair removed.
        won: number of conflicts in which one of them was kept, while other assertions were removed.
        conflicts: number of conflicts with one of them.
        disputes: number of conflicts that also have an assertion about another entity, or of another
            property; a sensor that only replaces its own readings has none.
        last_kept: timestamp of the newest assertion that was not cut; None if all were.
        since: age of `last_kept`: a number, or a timedelta for datetimes.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> update = reasoner.push(2, [brakes])
    >>> row = reasoner.quality().entities[0]
    >>> row.assertions, row.cut, row.conflicts, row.disputes
    (2, 1, 1, 0)
    """

    about: Term | str
    assertions: int
    cut: int
    won: int
    conflicts: int
    disputes: int
    last_kept: TimePoint | None
    since: int | float | timedelta | None

    __repr__ = short_repr
    _repr_html_ = html_of


_COUNTS = ("assertions", "cut", "won", "conflicts", "disputes")


@dataclass(frozen=True, slots=True)
class Quality:
    """Numbers of conflicts and of assertions that repairs removed, in window and history
    (`StreamReasoner.quality`).

    Args:
        at: the present time.
        known_from: oldest counted timestamp; None if there is none. All times are in its zone.
        entities: a row for each entity, most cut assertions first, then most conflicts.
        properties: a row for each property and class, sorted as `entities`.
        constraints: a row for each violated constraint, sorted as `entities`.
        shown: the labels of names, and the axioms of constraints in Manchester syntax, for the text.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> update = reasoner.push(2, [brakes])
    >>> quality = reasoner.quality()
    >>> [(row.about == EX.x, row.cut) for row in quality.entities]
    [(True, 1)]
    """

    at: TimePoint | None
    known_from: TimePoint | None
    entities: tuple[QualityRow, ...] = ()
    properties: tuple[QualityRow, ...] = ()
    constraints: tuple[QualityRow, ...] = ()
    shown: Mapping[object, str] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(first := self.known_from, datetime):
            return
        tables = {
            name: tuple(
                row if row.last_kept is None else replace(row, last_kept=in_zone_of(row.last_kept, first))
                for row in getattr(self, name)
            )
            for name in ("entities", "properties", "constraints")
        }
        at = None if self.at is None else in_zone_of(self.at, first)
        for name, value in {"at": at, **tables}.items():
            object.__setattr__(self, name, value)

    __repr__ = short_repr

    def _repr_html_(self) -> str:
        return html_of(
            self, lambda: {name: label for name, label in self.shown.items() if isinstance(name, URIRef)}
        )

    def _shown_parts(self) -> dict[str, object]:
        constraints = [replace(row, about=self.shown.get(row.about, row.about)) for row in self.constraints]
        tables = {"entities": self.entities, "properties": self.properties, "constraints": constraints}
        return {"at": self.at, "known from": self.known_from, **tables}

    @property
    def rows(self) -> Iterator[tuple[Kind, QualityRow]]:
        """Rows of all tables, with the kind of the table."""
        yield from (("entity", row) for row in self.entities)
        yield from (("property", row) for row in self.properties)
        yield from (("constraint", row) for row in self.constraints)

    # -- text --------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return disambiguate(self._text)

    def _text(self) -> str:
        if self.at is None:
            return "no ABox has arrived so far"
        begin = "" if self.known_from is None else f"from {show_time(self.known_from)} "
        parts = [f"contradictions {begin}to {show_time(self.at)}"]
        tables = (self.entities, self.properties, self.constraints)
        for title, rows in zip(("entity", "property or class", "constraint"), tables, strict=True):
            parts.append("\n".join(self._table(title, rows)))
        return "\n\n".join(parts)

    def _table(self, title: str, rows: tuple[QualityRow, ...]) -> Iterator[str]:
        shown = [row for row in rows if row.conflicts][:_MOST_SHOWN]
        head = [title, *_COUNTS, "last kept", "age"]
        cells = [head, *(_cells(row, self.shown) for row in shown)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        if shown:
            for line in cells:
                name, *others = (
                    cell.ljust(width) if place == 0 else cell.rjust(width)
                    for place, (cell, width) in enumerate(zip(line, widths, strict=True))
                )
                yield "  ".join([name, *others]).rstrip()
        more = sum(1 for row in rows if row.conflicts) - len(shown)
        quiet = sum(1 for row in rows if not row.conflicts)
        kinds = {"entity": "entities", "property or class": "properties and classes"}
        names = title, kinds.get(title, f"{title}s")
        if more:
            yield f"and {counted(more, *names)} more in conflicts"
        if quiet or not rows:
            yield f"{'and ' if shown else ''}{counted(quiet, *names)} without a conflict"

    # -- tables and RDF ----------------------------------------------------------------------------

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table.

        Columns: `kind` (`entity`, `property` or `constraint`), `about` (a term in N-Triples syntax, or a
        constraint's axiom), the counts of `QualityRow`, `last_kept` (an integer, a float, or a timestamp in
        UTC) and `since` (an integer, a float, or a duration).
        """
        import pyarrow as pa

        rows = list(self.rows)
        at, length = _arrow_types(self.at)
        return pa.table(
            {
                "kind": pa.array([kind for kind, _ in rows], pa.string()),
                "about": pa.array([_name(row.about) for _, row in rows], pa.string()),
                **{name: pa.array([getattr(row, name) for _, row in rows], pa.int64()) for name in _COUNTS},
                "last_kept": pa.array([row.last_kept for _, row in rows], at),
                "since": pa.array([row.since for _, row in rows], length),
            }
        )

    def to_json(self) -> dict[str, object]:
        """Return the rows as JSON, with the names of `to_arrow`; datetimes in ISO 8601, ages in seconds."""
        rows = [
            {
                "kind": kind,
                "about": _name(row.about),
                **{name: getattr(row, name) for name in _COUNTS},
                "last_kept": time_as_json(row.last_kept),
                "since": row.since.total_seconds() if isinstance(row.since, timedelta) else row.since,
            }
            for kind, row in self.rows
        ]
        return {"at": time_as_json(self.at), "known_from": time_as_json(self.known_from), "rows": rows}

    def triples(self) -> Iterator[Triple]:
        """Yield the rows as RDF in the vocabulary `urn:pantarhei:quality#` (docs/history.md)."""
        for number, (kind, row) in enumerate(self.rows):
            about = row.about if isinstance(row.about, URIRef | BNode) else RdfLiteral(row.about)
            node = about if kind == "entity" else BNode(f"quality{number}")
            if node is not about:
                yield node, QUALITY.about, about
            yield node, RDF.type, QUALITY[kind.capitalize()]
            for name in _COUNTS:
                yield node, QUALITY[name], RdfLiteral(getattr(row, name))
            if row.last_kept is not None and row.since is not None:
                yield node, QUALITY.lastKept, RdfLiteral(row.last_kept)
                yield node, QUALITY.since, _length(row.since)

    def to_rdf(self) -> Graph:
        """Return the rows as an rdflib graph; queries read it as the graph `urn:pantarhei:quality`."""
        graph = Graph()
        graph.bind("q", QUALITY)
        for triple in self.triples():
            graph.add(triple)
        return graph


def _cells(row: QualityRow, shown: Mapping[object, str]) -> list[str]:
    about = row.about
    name = one_line(shown.get(about) or (about if type(about) is str else short(about)))  # type: ignore[arg-type]
    last = "never" if row.last_kept is None else show_time(row.last_kept)
    since = "" if row.since is None else str(row.since)
    return [name, *(str(getattr(row, count)) for count in _COUNTS), last, since]


def _name(about: Term | str) -> str:
    return about if type(about) is str else write_term(about)  # type: ignore[arg-type]


def _length(since: int | float | timedelta) -> RdfLiteral:
    """Return an age as a literal, in seconds for datetimes."""
    if isinstance(since, timedelta):
        return RdfLiteral(Decimal(since // timedelta(microseconds=1)) / 1_000_000, datatype=XSD.decimal)
    return RdfLiteral(since)


def _arrow_types(at: TimePoint | None) -> tuple[pa.DataType, pa.DataType]:
    import pyarrow as pa

    if isinstance(at, datetime):
        return pa.timestamp("us", "UTC"), pa.duration("us")
    return (pa.float64(), pa.float64()) if isinstance(at, float) else (pa.int64(), pa.int64())


_Name = TypeVar("_Name", Term, str)


@dataclass(slots=True)
class _ConflictCounts:
    """Counts of conflicts for one row."""

    won: int = 0
    conflicts: int = 0
    disputes: int = 0
    members: set[Assertion] = field(default_factory=set)
    cut: set[Assertion] = field(default_factory=set)


def quality_of(
    entries: Sequence[Entry],
    left: Mapping[int, int],
    repairs: Iterable[tuple[int, Repair]],
    vocabulary: Vocabulary,
    now: TimePoint | None,
    labels: Labels = NO_LABELS,
) -> Quality:
    """Count the assertions and conflicts of entries.

    Costs vectorized linear time in the facts, Python work for each entity and property, and the computation
    of the repairs' conflict sets.

    Args:
        entries: the entries of history and window, oldest first.
        left: by level, the ticks at which entries left the window.
        repairs: the repairs, each with the level of its ABox.
        vocabulary: the numbers of terms.
        now: the present time.
        labels: the names shown for IRIs.
    """
    rows, is_cut = _occurrences(entries, left)
    cut_at = {
        entry.level: {fact_key(triple, vocabulary) for triple in vocabulary.decode(entry.cut)}
        for entry in entries
        if len(entry.cut)
    }
    by_entity: dict[Term, _ConflictCounts] = defaultdict(_ConflictCounts)
    by_property: dict[Term, _ConflictCounts] = defaultdict(_ConflictCounts)
    by_constraint: dict[str, _ConflictCounts] = defaultdict(_ConflictCounts)
    shown: dict[object, str] = {}
    counted_sets: set[frozenset[Assertion]] = set()
    for level, repair in repairs:
        cut_facts = cut_at.get(level, set())
        for conflict in repair.conflicts:
            if (
                conflict.assertions in counted_sets
            ):  # with `repair="off"` each step finds the same conflict again
                continue
            counted_sets.add(conflict.assertions)
            fate = {member: fact_key(member[1], vocabulary) in cut_facts for member in conflict.assertions}
            _count_conflict(by_entity, _grouped(fate, lambda member: member[1][0]), fate)
            _count_conflict(by_property, _grouped(fate, _predicate), fate)
            shown.update((rule.axiom, axiom_text(rule, labels)) for rule in conflict.constraints)
            for axiom in {rule.axiom for rule in conflict.constraints}:
                _count_conflict(by_constraint, {axiom: list(fate)}, fate)

    def counts(
        column: Integers, named: Callable[[int], Term], outcomes: Mapping[Term, _ConflictCounts]
    ) -> list[QualityRow]:
        numbers, places = np.unique(column, return_inverse=True)
        assertions = np.bincount(places, minlength=len(numbers)).tolist()
        cut = np.bincount(places[is_cut], minlength=len(numbers)).tolist()
        last = np.full(len(numbers), -1, np.int64)
        np.maximum.at(last, places[~is_cut], rows[~is_cut, 0])
        found = []
        for number, total, lost, place in zip(numbers.tolist(), assertions, cut, last.tolist(), strict=True):
            about = named(number)
            kept = entries[place].at if place >= 0 else None
            fates = _conflicts(outcomes.get(about))
            found.append(QualityRow(about, total, lost, *fates, kept, since(kept, now)))
        return found

    predicates, lexicon = vocabulary.with_classes(rows[:, 1:])[:, 0], vocabulary.lexicon
    constraints = []
    for axiom, each in by_constraint.items():
        kept = max((at for at, _ in each.members - each.cut), default=None)
        sizes = len(each.members), len(each.cut)
        constraints.append(QualityRow(axiom, *sizes, *_conflicts(each), kept, since(kept, now)))
    return Quality(
        now,
        entries[0].at if entries else None,
        worst_first(counts(rows[:, 2], lexicon.term, by_entity)),
        worst_first(counts(predicates, lambda number: lexicon.symbols[number].name, by_property)),
        worst_first(constraints),
        {**shown, **dict(labels_among(labels, (*by_entity, *by_property)).items())},
    )


def _occurrences(entries: Sequence[Entry], left: Mapping[int, int]) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """Return rows `index of the entry, predicate, subject, object` of assertions, and a mask of cut ones."""
    places = np.repeat(np.arange(len(entries)), [len(entry.facts) for entry in entries])
    facts = np.concatenate([NO_FACTS, *(entry.facts for entry in entries)])
    rows = np.unique(np.column_stack([places, facts]), axis=0)
    found = trace(entries, np.concatenate([NO_FACTS, *(entry.cut for entry in entries)]))
    lasting = np.array([left.get(entry.level, np.iinfo(np.int64).max) for entry in entries], np.int64)
    ticks = np.array([*(entry.ticks for entry in entries), np.iinfo(np.int64).max], np.int64)
    was_cut = ticks[found.cut_at] < lasting[found.places] if len(entries) else np.empty(0, np.bool_)
    cut = np.unique(np.column_stack([found.places, found.facts])[was_cut], axis=0)
    every, counts = np.unique(np.concatenate([rows, cut]), axis=0, return_counts=True)
    return every, counts > 1


def fact_key(triple: Triple, vocabulary: Vocabulary) -> object:
    """Return a key that is equal for triples of one fact: its terms, and the value of a literal."""
    subject, predicate, object_ = triple
    number = None if predicate == RDF_TYPE else vocabulary.find(object_)
    return subject, predicate, object_ if number is None else number


def _predicate(member: Assertion) -> Term:
    _, predicate, object_ = member[1]
    return object_ if predicate == RDF_TYPE else predicate


def _grouped(members: Iterable[Assertion], named: Callable[[Assertion], Term]) -> dict[Term, list[Assertion]]:
    parts: dict[Term, list[Assertion]] = defaultdict(list)
    for member in members:
        parts[named(member)].append(member)
    return parts


def _count_conflict(
    outcomes: dict[_Name, _ConflictCounts],
    parts: Mapping[_Name, Sequence[Assertion]],
    fate: Mapping[Assertion, bool],
) -> None:
    """Count a conflict in the rows of its members.

    Args:
        outcomes: counts by row.
        parts: the members of the conflict, by row.
        fate: for each member, true if it was cut.
    """
    for name, members in parts.items():
        row = outcomes[name]
        row.conflicts += 1
        row.disputes += len(parts) > 1
        row.won += any(fate.values()) and not all(fate[member] for member in members)
        row.members.update(members)
        row.cut.update(member for member in members if fate[member])


def _conflicts(counts: _ConflictCounts | None) -> tuple[int, int, int]:
    return (0, 0, 0) if counts is None else (counts.won, counts.conflicts, counts.disputes)


def since(last: TimePoint | None, now: TimePoint | None) -> int | float | timedelta | None:
    """Return the age of a time; None if either time is None."""
    return None if last is None or now is None else now - last  # type: ignore[operator]


def worst_first(rows: Iterable[QualityRow]) -> tuple[QualityRow, ...]:
    """Sort rows: most cut assertions first, then most conflicts."""
    return tuple(sorted(rows, key=lambda row: (-row.cut, -row.conflicts, -row.disputes, str(row.about))))
