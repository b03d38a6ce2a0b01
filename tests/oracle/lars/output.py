"""What rules conclude at each tick (LA17 Definition 6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from rdflib import URIRef

from oracle.lars.answers import answer_stream, drawn
from oracle.lars.grounding import instances
from oracle.lars.strata import kind
from oracle.lars.streams import Stream
from pantarhei.model.temporal_rule import TemporalAtom, TemporalRule


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
    return {answer.end: _output(rules, answer) for answer in answers(rules, stream, remembered, first)}


def answers(
    rules: Iterable[TemporalRule],
    stream: Stream,
    remembered: Collection[URIRef] = (),
    first: int | None = None,
) -> Iterator[Stream]:
    """The answer stream of each tick; arguments and errors are those of `output_stream`."""
    rules = list(rules)
    for now in range(stream.start if first is None else first, stream.end + 1):
        answer = answer_stream(rules, stream.until(now))
        yield answer
        stream = stream.joined({now: [a for a in _output(rules, answer) if a.predicate in remembered]})


def fed_back(rules: Iterable[TemporalRule], answer: Stream) -> frozenset[TemporalAtom]:
    """What feedback asserts at the next tick: the heads, at the present one, of all rules whose bodies hold
    in an answer stream.
    """
    heads = (head for rule in instances(rules, answer) for head in drawn(rule, answer))
    return frozenset(atom for tick, atom in heads if tick == answer.end)


def _output(rules: Iterable[TemporalRule], answer: Stream) -> frozenset[TemporalAtom]:
    concluded = {kind(rule.head.atom) for rule in rules}
    return frozenset(atom for atom in answer.at(answer.end) if kind(atom) in concluded)
