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
keys, or if they are the arguments of an atom whose predicate never streams and whose background facts all
connect names of equal key: κ(s) = κ(o). Nothing is assumed about a predicate with background facts that the
stream can derive too.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import cast

from rdflib import OWL, RDF, URIRef

from pantarhei.encoding.numbers import Symbol, symbol_of
from pantarhei.errors import OptionError, check_type
from pantarhei.model.message_text import disambiguate
from pantarhei.model.rule import Predicate, Rule
from pantarhei.model.term import Term, Triple, short
from pantarhei.rules.sharding.key_flow import Facts, KeyFlow, StreamingProgram
from pantarhei.rules.sharding.sharding_report import (
    ANY_OTHER,
    SUBJECT,
    Key,
    KeyMap,
    KeyPositions,
    NoKey,
    Obstacle,
    ShardingReport,
)
from pantarhei.rules.translation.demand import DIFFERENT, SAME, THING, TYPE, Theory, relations_of
from pantarhei.values.by_value import READINGS, Numbers

# Largest number of background properties that are checked as keys if `keys` is None.
MOST_PROPERTIES = 30

_ALWAYS_POSSIBLE = (
    SAME,
    DIFFERENT,
    THING,
    Symbol(OWL.Nothing, 1),
    Symbol(OWL.bottomObjectProperty, 2),
    Symbol(OWL.bottomDataProperty, 2),
    *ANY_OTHER,
)


def sharding_report(
    theory: Theory,
    background: Iterable[Triple],
    facts: Iterable[Triple],
    same: Iterable[Sequence[Term]] = (),
    streaming: Iterable[URIRef] | None = None,
    keys: Iterable[Key] | None = None,
    numbers: Numbers = "by_datatype",
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

    Raises:
        OptionError: an element of `streaming` or `keys` is invalid.
    """
    following = _by_symbol(facts, theory.has_class_variables)
    given = _names_of(background, theory.has_class_variables)
    given |= {symbol.name for symbol in following if symbol.arity == 2} - {TYPE.name}
    program = _streaming_program(theory, following, given, streaming)
    aliases = {name: group[0] for group in same for name in group[1:]}
    tried, untried = _keys(program, keys)
    no_keys: dict[Key, NoKey] = {}
    obstacles: dict[Key, tuple[Obstacle, ...]] = {}
    maps: dict[Key, KeyMap] = {}
    places: dict[Key, KeyPositions] = {}
    for key in tried:
        found = _key_map(key, program, aliases, numbers)
        if isinstance(found, NoKey):
            no_keys[key] = found
            continue
        maps[key] = found
        flow = KeyFlow(program, found)
        obstacles[key], places[key] = tuple(flow.obstacles()), flow.places()
    return ShardingReport(
        obstacles,
        no_keys,
        untried,
        background_only=frozenset(program.background_only),
        maps=maps,
        assertable=None if streaming is None else program.assertable,
        places=places,
        has_class_variables=theory.has_class_variables,
    )


# --- What streams ---


def _streaming_program(
    theory: Theory, facts: Facts, given: set[Predicate], streaming: Iterable[URIRef] | None
) -> StreamingProgram:
    known = set(facts).union(*(_symbols_of(rule) for rule in theory.rules))
    if streaming is None:
        known.update(_ALWAYS_POSSIBLE)
        asserted = None
    else:
        asserted = _declared(streaming, known)
        if theory.has_class_variables:
            asserted = set(relations_of(asserted))
        known |= asserted
    rules, known = _with_demanded(theory, known)
    assertable = {s for s in known if s.name not in given} if asserted is None else asserted
    possible, reached = _closed(rules, assertable, set(facts))
    live = (rule for rule in rules if all(symbol_of(atom) in possible for atom in rule.body))
    if theory.has_class_variables:
        known = {symbol for symbol in known if symbol.arity == 2}
    only = given if asserted is None else {s.name for s in known} - {s.name for s in assertable}
    return StreamingProgram(
        tuple(rule for rule in live if any(symbol_of(atom) in reached for atom in rule.body)),
        facts,
        frozenset(assertable),
        frozenset(reached),
        frozenset(only),
    )


def _declared(streaming: Iterable[URIRef], known: set[Symbol]) -> set[Symbol]:
    """Return the symbols of the names in `streaming`. A name is a class, a property or both, as in `known`;
    an unknown name is both.
    """
    if isinstance(streaming, str):
        raise OptionError("streaming", repr(streaming), "the IRIs of several classes and properties")
    declared: set[Symbol] = set()
    for name in streaming:
        if not isinstance(name, URIRef) or name == RDF.type:
            raise OptionError(
                "streaming", repr(name), "IRIs (URIRef) of classes and properties, not rdf:type"
            )
        both = {Symbol(name, 1), Symbol(name, 2)}
        declared |= both & known or both
    return declared


def _with_demanded(theory: Theory, known: set[Symbol]) -> tuple[tuple[Rule, ...], set[Symbol]]:
    """Return the rules together with the rules on demand for the symbols, and all symbols of these rules.

    Constraints against ill-typed values are omitted: they have one body atom, so they are local to any key.
    """
    while True:
        ordered = sorted(known, key=lambda s: (s not in ANY_OTHER, str(s.name), s.arity))
        rules = (*theory.rules, *theory.demanded(ordered, ()))
        met = known.union(*map(_symbols_of, rules))
        if met == known:
            return rules, known
        known = met


def _closed(
    rules: Iterable[Rule], assertable: set[Symbol], present: set[Symbol]
) -> tuple[set[Symbol], set[Symbol]]:
    """Return the predicates that can have facts, and those of them that can have facts derived from the
    stream.
    """
    waiting_for = defaultdict(list)
    for rule in rules:
        for symbol in {symbol_of(atom) for atom in rule.body}:
            waiting_for[symbol].append(rule)
    streaming = set(assertable)
    possible = streaming | present
    queue = deque(streaming)
    while queue:
        for rule in waiting_for[queue.popleft()]:
            body = {symbol_of(atom) for atom in rule.body}
            if rule.head is None or not body <= possible or not body & streaming:
                continue
            head = symbol_of(rule.head)
            if head not in streaming:
                streaming.add(head)
                possible.add(head)
                queue.append(head)
    return possible, streaming


def _symbols_of(rule: Rule) -> set[Symbol]:
    return set(map(symbol_of, rule.atoms))


def _by_symbol(facts: Iterable[Triple], has_class_variables: bool) -> Facts:
    """Group facts by predicate; each fact is the tuple of its arguments."""
    found: defaultdict[Symbol, list[tuple[Term, ...]]] = defaultdict(list)
    for subject, predicate, object_ in facts:
        if predicate == RDF.type and not has_class_variables:
            found[Symbol(cast(Predicate, object_), 1)].append((subject,))
        else:
            found[Symbol(cast(Predicate, predicate), 2)].append((subject, object_))
    return dict(found)


def _names_of(facts: Iterable[Triple], has_class_variables: bool) -> set[Predicate]:
    """Return the predicates of facts. Classes are omitted if class memberships are facts of rdf:type: the
    stream may then assert any class.
    """
    properties = {cast(Predicate, p) for _, p, _ in facts if p != RDF.type}
    if has_class_variables:
        return properties
    return properties | {cast(Predicate, o) for _, p, o in facts if p == RDF.type}


# --- Keys ---


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
    properties = [s for s in program.facts if s.arity == 2 and program.is_background(s)]
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
    if not program.is_background(symbol):
        return NoKey("the stream may assert facts of it, which would change the shards of other facts")
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
