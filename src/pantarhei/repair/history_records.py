"""Records of assertions that leave the history, for storage outside the reasoner."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, Fact, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.message_text import last_part, one_line
from pantarhei.model.representation import call_text, html_of, short_repr
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint, show_time
from pantarhei.rdf.ntriples import write_term
from pantarhei.repair.quality import fact_key
from pantarhei.repair.result import Conflict, Repair
from pantarhei.window.log import Entry, trace
from pantarhei.window.retention import Departure

Fate = Literal["left", "left early", "cut"]


class ConflictingAssertion(NamedTuple):
    """Member of a conflict set.

    Args:
        timestamp: time at which it was asserted.
        subject, predicate, object: its terms in N-Triples syntax.

    >>> member = ConflictingAssertion(2, "<urn:x>", "<urn:p>", '"1"')
    >>> member.timestamp, member.object
    (2, '"1"')
    """

    timestamp: TimePoint
    subject: str
    predicate: str
    object: str

    def __repr__(self) -> str:
        return call_text(self, [_text(self)])


class ConflictRecord(NamedTuple):
    """Conflict set that contains the assertion of a record.

    Args:
        constraints: the violated axioms.
        against: the other members.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> records = []
    >>> ontology, history = pr.load_ontology("ontologies/pedals.ttl"), pr.History(sink=records.extend)
    >>> reasoner = pr.StreamReasoner(ontology, pr.Window(range=2), history=history)
    >>> _ = reasoner.push(1, [gas]), reasoner.push(2, [brakes]), reasoner.advance(9)
    >>> reasoner.flush_history()
    >>> len(records[0].conflicts), records[0].conflicts[0].against[0].timestamp
    (1, 2)
    """

    constraints: tuple[str, ...]
    against: tuple[ConflictingAssertion, ...]

    def __repr__(self) -> str:
        return short_repr(self)


def _text(given: ConflictingAssertion | HistoryRecord) -> str:
    terms = (given.subject, given.predicate, given.object)
    return (
        f"{' '.join(one_line(last_part(term.strip('<>'))) for term in terms)} ({show_time(given.timestamp)})"
    )


class HistoryRecord(NamedTuple):
    """Assertion with the reason why it is no longer in the window.

    Args:
        timestamp: time at which it was asserted.
        subject, predicate, object: its terms in N-Triples syntax.
        fate: `left` if its timestamp expired, `left early` if it was evicted because of a limit, `cut` if a
            repair removed it.
        at: time of the expiry, eviction or repair.
        conflicts: the conflict sets for which it was cut; empty if it was not cut.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> records = []
    >>> ontology, history = pr.load_ontology("ontologies/pedals.ttl"), pr.History(sink=records.extend)
    >>> reasoner = pr.StreamReasoner(ontology, pr.Window(range=2), history=history)
    >>> _ = reasoner.push(1, [gas]), reasoner.push(2, [brakes]), reasoner.advance(9)
    >>> reasoner.flush_history()
    >>> [(record.timestamp, record.fate, record.at) for record in records]
    [(1, 'cut', 2), (2, 'left', 9)]
    """

    timestamp: TimePoint
    subject: str
    predicate: str
    object: str
    fate: Fate
    at: TimePoint
    conflicts: tuple[ConflictRecord, ...] = ()

    def __repr__(self) -> str:
        return call_text(self, [_text(self), f"{self.fate} at {show_time(self.at)}"])

    def _repr_html_(self) -> str:
        return html_of(self)


def records_of(
    leaving: Sequence[Departure],
    later: Iterable[Entry],
    repair_of: Callable[[int], Repair | None],
    vocabulary: Vocabulary,
    time: Callable[[int], TimePoint],
) -> Iterator[HistoryRecord]:
    """Yield a record for each assertion that leaves the history, in time order.

    Costs Python work for each assertion, and the computation of the repairs' conflict sets.

    Args:
        leaving: the departures that leave the history.
        later: the entries after them, oldest first.
        repair_of: returns the repair for the ABox of a level.
        vocabulary: the numbers of terms.
        time: returns the timestamp of a tick.
    """
    own = [entry for departure in leaving for entry in departure.entries]
    entries = [*own, *later]
    cut_at = _cuts(entries)
    conflicts: dict[int, Mapping[object, list[Conflict]]] = {}
    place = 0
    for departure in leaving:
        for entry in departure.entries:
            left: Fate = "left early" if entry.level in departure.early else "left"
            facts = list(dict.fromkeys(as_tuples(entry.facts)))
            for fact, triple in zip(facts, vocabulary.decode(facts, entry.forms.by_fact), strict=True):
                by = entries[cut_at.get((place, fact), -1)] if (place, fact) in cut_at else None
                terms = _terms(triple)
                if by is None or by.ticks >= departure.ticks:
                    yield HistoryRecord(entry.at, *terms, left, time(departure.ticks))
                    continue
                if by.level not in conflicts:
                    conflicts[by.level] = _by_member(repair_of(by.level), vocabulary)
                key = fact_key(triple, vocabulary)
                why = tuple(
                    _conflict_record(each, key, vocabulary) for each in conflicts[by.level].get(key, ())
                )
                yield HistoryRecord(entry.at, *terms, "cut", by.at, why)
            place += 1


def _cuts(entries: Sequence[Entry]) -> dict[tuple[int, Fact], int]:
    """Return the index of the entry that cut a fact, by the index of the asserting entry and the fact."""
    found = trace(entries, np.concatenate([NO_FACTS, *(entry.cut for entry in entries)]))
    rows = zip(found.places.tolist(), as_tuples(found.facts), found.cut_at.tolist(), strict=True)
    return {(place, fact): by for place, fact, by in rows if by < len(entries)}


def _by_member(repair: Repair | None, vocabulary: Vocabulary) -> Mapping[object, list[Conflict]]:
    """Return the conflict sets of a repair by the keys of their members."""
    found: dict[object, list[Conflict]] = defaultdict(list)
    for conflict in () if repair is None else repair.conflicts:
        for _, triple in conflict.assertions:
            found[fact_key(triple, vocabulary)].append(conflict)
    return found


def _conflict_record(conflict: Conflict, own: object, vocabulary: Vocabulary) -> ConflictRecord:
    """Return the record of a conflict set for one member."""
    against = sorted(
        (ConflictingAssertion(at, *_terms(triple)) for at, triple in conflict.assertions
         if fact_key(triple, vocabulary) != own),
    )  # fmt: skip
    return ConflictRecord(tuple(dict.fromkeys(rule.axiom for rule in conflict.constraints)), tuple(against))


def _terms(triple: Triple) -> tuple[str, str, str]:
    subject, predicate, object_ = triple
    return write_term(subject), write_term(predicate), write_term(object_)
