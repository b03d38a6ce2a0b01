"""Keys by which a stream can be sharded such that each shard can be reasoned over independently.

A key κ maps each name to the name that identifies its shard. For the key `"subject"`, κ(x) = x. For a
property P of the background, κ(x) = y if P(x, y) holds, and κ(x) = x if x has no value of P. A streaming
assertion is in the shard of κ(its subject); the background is in every shard. A program is *key-local* if
each proof of a fact or a violation uses assertions of one shard only. Then

- at every time the materialization is the union of the shards' materializations, since it is the union of the
  conclusions of proofs;
- each conflict set lies inside a shard, and so does each connected component of conflicts. A repair decides
  each component separately, so it removes the same assertions in the shards as in the whole stream, within
  the repair budget;
- sliding and annotations preserve this: a shorter window holds the materialization of its own assertions.

The shard of a fact is derived through the rules. An *anchor* of a predicate is a set of argument positions:
in each fact with a certain kind of proof, the term at each of these positions has the same key as all
assertions in the proof. The anchor of asserted facts is the subject. A rule maps an anchor of a body atom to
the head positions whose terms must have the same key; if there are none, the anchor is empty, and the fact
may be in any shard. A rule whose body joins two streaming atoms is an *obstacle* unless every pair of their
anchors has a key in common.

Two terms of a body must have the same key if they are the same variable, if they are constants with equal
keys, or if they are the arguments of an atom whose facts all connect names of equal key: κ(s) = κ(o). This
holds for a property if its background facts do so, if its assertions in the stream are promised to do so
(`colocated`), and if each rule that derives it from the stream has both arguments in an anchor.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from rdflib import URIRef

from pantarhei.encoding.numbers import Symbol, symbol_of
from pantarhei.errors import OptionError, check_type
from pantarhei.model.message_text import disambiguate
from pantarhei.model.term import Term, Triple, short
from pantarhei.rules.sharding.key_flow import KeyFlow
from pantarhei.rules.sharding.key_map import SUBJECT, Key, KeyMap, KeyPositions
from pantarhei.rules.sharding.obstacle import NoKey, Obstacle
from pantarhei.rules.sharding.remedies import needed_promises, remedies_of
from pantarhei.rules.sharding.sharding_report import ShardingReport
from pantarhei.rules.sharding.streaming_program import StreamedTheory, StreamingProgram
from pantarhei.rules.translation.demand import DIFFERENT, SAME, Theory
from pantarhei.values.by_value import READINGS, Numbers

# Largest number of background properties that are checked as keys if `keys` is None.
MOST_PROPERTIES = 30


def sharding_report(
    theory: Theory,
    background: Iterable[Triple],
    facts: Iterable[Triple],
    same: Iterable[Sequence[Term]] = (),
    streaming: Iterable[URIRef] | None = None,
    keys: Iterable[Key] | None = None,
    numbers: Numbers = "by_datatype",
    colocated: Iterable[URIRef] = (),
) -> ShardingReport:
    """Find the keys for which a program is key-local, and the obstacles to the other keys.

    The cost is linear in the size of the program and of the background, for each key.

    Args:
        theory: the program, with its assumption about names.
        background: the assertions that hold at every time.
        facts: the background closed under the rules.
        same: groups of equal names, each with its representative first.
        streaming: the classes and properties that the stream asserts. If None, all predicates except those of
            background assertions and the properties of derived background facts.
        keys: the keys to check. If None, `"subject"` and at most `MOST_PROPERTIES` properties of the
            background; properties that occur in rules are preferred.
        numbers: the interpretation of numeric literals, with which `facts` were derived.
        colocated: properties whose assertions in the stream connect only names of equal key; ignored for the
            key `"subject"`.

    Raises:
        OptionError: an element of `streaming`, `keys` or `colocated` is invalid.
    """
    given = StreamedTheory.of(theory, background, facts, streaming, colocated)
    program = given.program()
    aliases = {name: group[0] for group in same for name in group[1:]}
    tried, untried = _keys(program, keys)
    no_keys: dict[Key, NoKey] = {}
    obstacles: dict[Key, tuple[Obstacle, ...]] = {}
    maps: dict[Key, KeyMap] = {}
    places: dict[Key, KeyPositions] = {}
    for key in tried:
        found = _key_map(key, program, aliases, numbers)
        if isinstance(found, KeyMap):
            flow = KeyFlow(program, found)
            if flow.has_constant_keys:
                maps[key], obstacles[key], places[key] = found, tuple(flow.obstacles()), flow.places()
                continue
            found = NoKey(_MAY_CHANGE)
        no_keys[key] = found
    return ShardingReport(
        obstacles,
        no_keys,
        untried,
        background_only=frozenset(program.background_only),
        maps=maps,
        assertable=None if streaming is None else program.assertable,
        places=places,
        has_class_variables=theory.has_class_variables,
        colocated=tuple(given.colocated),
        needed={key: needed_promises(program, maps[key]) for key in maps if not obstacles[key]},
        remedies=remedies_of(given, maps, obstacles),
    )


# --- Keys ---


_MAY_CHANGE = "the stream may assert facts of it, which would change the shards of other facts"


def _keys(program: StreamingProgram, keys: Iterable[Key] | None) -> tuple[list[Key], int]:
    """Return the keys to check, and the number of properties that are not checked."""
    if keys is not None:
        check_type("keys", keys, Iterable, "'subject', or the IRIs (URIRef) of properties")
        chosen = [keys] if isinstance(keys, str) else list(keys)
        for key in chosen:
            if key != SUBJECT and not isinstance(key, URIRef):
                raise OptionError("keys", repr(key), "'subject' or the IRI (URIRef) of a property")
        return chosen, 0
    used = {symbol_of(atom) for rule in program.rules for atom in rule.body}
    properties = [s for s in program.facts if s.arity == 2 and s not in program.assertable]
    properties.sort(key=lambda s: (s not in used, -len(program.facts[s]), str(s.name)))
    named = [s.name for s in properties if isinstance(s.name, URIRef) and s not in (SAME, DIFFERENT)]
    return [SUBJECT, *named[:MOST_PROPERTIES]], max(0, len(named) - MOST_PROPERTIES)


def _key_map(
    key: Key, program: StreamingProgram, aliases: Mapping[Term, Term], numbers: Numbers
) -> KeyMap | NoKey:
    """Return the key map κ, or the reason why the facts of the property do not define one."""
    if key == SUBJECT:
        return KeyMap(key, dict(aliases), numbers)
    symbol = Symbol(URIRef(key), 2)
    if symbol in program.assertable:
        return NoKey(_MAY_CHANGE)
    facts = sorted(program.facts.get(symbol, ()), key=lambda pair: tuple(map(str, pair)))
    if not facts:
        return NoKey("the background has no facts of it")
    keys: dict[Term, Term] = {}
    values: dict[Hashable, Term] = {}
    read = READINGS[numbers]
    for name, given in facts:
        value = values.setdefault(read(given), given)
        if keys.setdefault(name, value) != value:
            return _no_key("it is not functional", name, keys[name], value)
    for value in values.values():
        if keys.get(value, value) != value:
            return _no_key("a value has another value", value, keys[value])
    keys.update((alias, keys.get(name, name)) for alias, name in aliases.items())
    return KeyMap(key, keys, numbers)


def _no_key(reason: str, name: Term, *values: Term) -> NoKey:
    return NoKey(disambiguate(lambda: f"{reason}: {short(name)} has {' and '.join(map(short, values))}"))
