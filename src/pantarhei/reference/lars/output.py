"""What rules conclude at each tick (LA17 Definition 6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rdflib import URIRef

from pantarhei.language.temporal_rule import TemporalAtom, TemporalRule
from pantarhei.reference.lars.answers import answer_stream
from pantarhei.reference.lars.strata import kind
from pantarhei.reference.lars.streams import Stream


def output_stream(
    rules: Iterable[TemporalRule],
    stream: Stream,
    remembered: Collection[URIRef] = (),
    first: int | None = None,
) -> dict[int, frozenset[TemporalAtom]]:
    """At each tick, the atoms of predicates with rules that hold then in the answer stream up to that tick.

    Each tick is answered from the data alone: what was concluded at earlier ticks is forgotten, but for
    what is `remembered`.

    Args:
        rules: a program with strata.
        stream: what is asserted and holds, without conclusions.
        remembered: predicates whose output at a tick joins the data of that tick, for the ticks after it.
        first: the first tick that is answered; without it the timeline's first.

    Raises:
        NotStratifiedError: a conclusion rests on its own negation.
    """
    rules = list(rules)
    concluded = {kind(rule.head.atom) for rule in rules}
    found = {}
    for now in range(stream.start if first is None else first, stream.end + 1):
        answer = answer_stream(rules, stream.until(now))
        found[now] = frozenset(atom for atom in answer.at(now) if kind(atom) in concluded)
        stream = stream.joined({now: [atom for atom in found[now] if atom.predicate in remembered]})
    return found
