"""Answer streams (LA17 Definition 5): by fixpoint, and by enumeration of all interpretations.

The program is evaluated at the end of the stream. A head holds at that tick, or, with a time, at the tick of
the timeline that the time denotes; a head outside the timeline derives nothing.
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
    """Return the unique answer stream of stratified rules: stratum by stratum, the rules to the fixpoint.

    Raises:
        NotStratifiedError: a conclusion depends on its own negation.
    """
    for layer in strata(rules):
        while True:
            heads = [head for rule in instances(layer, stream) for head in derived_atoms(rule, stream)]
            new = [(tick, atom) for tick, atom in heads if atom not in stream.at(tick)]
            if not new:
                break
            stream = _with(stream, new)
    return stream


def answer_streams(rules: Iterable[TemporalRule], stream: Stream) -> list[Stream]:
    """Return all answer streams: the minimal models of their own reduct (LA17 Definition 5).

    Cost: exponential in the number of heads.
    """
    program = [rule for rule in ground(rules, stream) if any(derived_atoms(rule, stream))]
    heads = {head for rule in program for head in derived_atoms(rule, stream)}
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
    """True if each ground rule is satisfied at the end of the stream."""
    return all(satisfies(stream, stream.end, rule.head) for rule in rules if body_holds(rule, stream))


def derived_atoms(rule: TemporalRule, stream: Stream) -> Iterator[Drawn]:
    """Yield the atom, or none, that the head of a ground rule adds if its body holds."""
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
