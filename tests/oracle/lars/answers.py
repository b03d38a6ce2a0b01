"""Answer streams (LA17 Definition 5): by fixpoint, and by looking at all interpretations.

The program is evaluated at the end of the stream. A head is drawn there, or, with a time, at the tick of the
timeline that it names; one outside the timeline draws nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import combinations

from oracle.lars.grounding import body_holds, ground, instances
from oracle.lars.satisfaction import satisfies, tick_of
from oracle.lars.strata import strata
from oracle.lars.streams import Stream
from pantarhei.model.temporal_rule import Mode, TemporalAtom, TemporalRule

Drawn = tuple[int, TemporalAtom]


def answer_stream(rules: Iterable[TemporalRule], stream: Stream) -> Stream:
    """The one answer stream of rules with strata: stratum by stratum, all rules until nothing is new.

    Raises:
        NotStratifiedError: a conclusion rests on its own negation.
    """
    for layer in strata(rules):
        while True:
            heads = [head for rule in instances(layer, stream) for head in drawn(rule, stream)]
            new = [(tick, atom) for tick, atom in heads if atom not in stream.at(tick)]
            if not new:
                break
            stream = _with(stream, new)
    return stream


def answer_streams(rules: Iterable[TemporalRule], stream: Stream) -> list[Stream]:
    """All answer streams: minimal models of the reduct that they give (LA17 Definition 5).

    Cost: exponential in the number of heads.
    """
    program = [rule for rule in ground(rules, stream) if any(drawn(rule, stream))]
    heads = {head for rule in program for head in drawn(rule, stream)}
    free = [(tick, atom) for tick, atom in sorted(heads, key=str) if atom not in stream.at(tick)]
    found = []
    for added in _subsets(free):
        interpretation = _with(stream, added)
        reduct = [rule for rule in program if body_holds(rule, interpretation)]
        smaller = (_with(stream, fewer) for fewer in _subsets(added) if len(fewer) < len(added))
        if is_model(interpretation, reduct) and not any(is_model(other, reduct) for other in smaller):
            found.append(interpretation)
    return found


def is_model(stream: Stream, rules: Iterable[TemporalRule]) -> bool:
    """Whether each rule without variables is satisfied at the end of the stream."""
    return all(satisfies(stream, stream.end, rule.head) for rule in rules if body_holds(rule, stream))


def drawn(rule: TemporalRule, stream: Stream) -> Iterator[Drawn]:
    """What the head of a rule without variables adds where the body holds: one atom or none."""
    head = rule.head
    tick = tick_of(head.time) if head.mode is Mode.AT else stream.end
    if tick in stream.timeline:
        assert tick is not None
        yield tick, head.atom


def _with(stream: Stream, heads: Iterable[Drawn]) -> Stream:
    atoms: defaultdict[int, list[TemporalAtom]] = defaultdict(list)
    for tick, atom in heads:
        atoms[tick].append(atom)
    return stream.joined(atoms)


def _subsets(heads: Collection[Drawn]) -> Iterator[tuple[Drawn, ...]]:
    for size in range(len(heads) + 1):
        yield from combinations(heads, size)
