"""Conclusions of rules at each tick (LA17 Definition 6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from rdflib import URIRef

from oracle.lars.answers import answer_stream, derived_atoms
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
    """Return for each tick the atoms of head predicates that hold then in the answer stream up to that tick.

    Each tick is evaluated from the data alone: conclusions of earlier ticks are discarded, except for
    `remembered` predicates.

    Args:
        rules: a stratified program.
        stream: assertions and states, without conclusions.
        remembered: predicates whose conclusions at a tick are added to the data of that tick for later ticks.
        first: the first evaluated tick, by default the timeline's first.

    Raises:
        NotStratifiedError: a conclusion depends on its own negation.
    """
    rules = list(rules)
    return {answer.end: _output(rules, answer) for answer in answers(rules, stream, remembered, first)}


def answers(
    rules: Iterable[TemporalRule],
    stream: Stream,
    remembered: Collection[URIRef] = (),
    first: int | None = None,
) -> Iterator[Stream]:
    """Yield the answer stream of each tick; arguments and errors are those of `output_stream`."""
    rules = list(rules)
    for now in range(stream.start if first is None else first, stream.end + 1):
        answer = answer_stream(rules, stream.until(now))
        yield answer
        stream = stream.joined({now: [a for a in _output(rules, answer) if a.predicate in remembered]})


def feedback_atoms(rules: Iterable[TemporalRule], answer: Stream) -> frozenset[TemporalAtom]:
    """Return the atoms that feedback asserts at the next tick: the heads, at the present tick, of all rules
    whose bodies hold in an answer stream.
    """
    heads = (head for rule in instances(rules, answer) for head in derived_atoms(rule, answer))
    return frozenset(atom for tick, atom in heads if tick == answer.end)


def _output(rules: Iterable[TemporalRule], answer: Stream) -> frozenset[TemporalAtom]:
    concluded = {kind(rule.head.atom) for rule in rules}
    return frozenset(atom for atom in answer.at(answer.end) if kind(atom) in concluded)
