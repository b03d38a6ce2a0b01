"""Flow of keys through a program: the argument positions of a fact that determine its shard.

An *anchor* of a predicate is a set of argument positions: in each fact with a certain kind of proof, the term
at each of these positions has the same key as all assertions in the proof. `locality` states the
consequences. Analyses of queries and temporal rules use `KeyClasses` too.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Generic, NamedTuple, TypeVar, cast

from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import Symbol, symbol_of
from pantarhei.model.graphs import Groups
from pantarhei.model.rule import Argument, Atom, Predicate, Rule
from pantarhei.rules.sharding.key_map import SUBJECT, KeyMap, KeyPositions
from pantarhei.rules.sharding.obstacle import LocatedFacts, Obstacle
from pantarhei.rules.sharding.streaming_program import StreamingProgram
from pantarhei.rules.translation.demand import TYPE

Anchor = frozenset[int]
_AT_SUBJECT: Anchor = frozenset((0,))
_BOTH: Anchor = frozenset((0, 1))

Shown = TypeVar("Shown")


class KeyedAtom(NamedTuple, Generic[Shown]):
    """Atom with the equivalence class of each of its arguments. Arguments in one class have the same key."""

    atom: Shown
    classes: tuple[Hashable, ...]

    def at(self, positions: Iterable[int]) -> frozenset[Hashable]:
        """Return the equivalence classes of the arguments at `positions`."""
        return frozenset(self.classes[position] for position in positions)


class KeyClasses:
    """Equivalence classes of the terms of one rule body or graph pattern; terms in one class have the same
    key.

    For any binding of the variables, two terms have the same key if they are the same variable, if they are
    constants whose keys are equal, or if they are linked: they are arguments of an atom whose facts all
    connect terms of equal key.

    Args:
        keys: the key map κ.
        links: the arguments of each linking atom.
    """

    def __init__(self, keys: KeyMap, links: Iterable[Iterable[Argument]]) -> None:
        self._keys, self._groups = keys, Groups[Hashable]()
        for arguments in links:
            self._groups.unite(map(self._value, arguments))

    def keyed(self, atom: Shown, arguments: Iterable[Argument]) -> KeyedAtom[Shown]:
        """Return an atom with the equivalence classes of its arguments."""
        return KeyedAtom(atom, tuple(self._groups.leader(self._value(each)) for each in arguments))

    def members(self, classes: Collection[Hashable]) -> frozenset[Hashable]:
        """Return the variables in the given equivalence classes, and the keys of the constants in them, each
        as `(key,)`.
        """
        groups = self._groups.members()
        return frozenset(
            each for group in groups if self._groups.leader(group[0]) in classes for each in group
        )

    def _value(self, argument: Argument) -> Hashable:
        """Return a variable unchanged, and a constant as the tuple of its key, which never
        equals a variable.
        """
        return argument if isinstance(argument, Variable) else (self._keys.value_of(argument),)


class _RuleBody(NamedTuple):
    """Rule with the equivalence classes of its terms.

    Args:
        atoms: the body atoms with streaming predicates.
        head: the head; None for a constraint.
    """

    rule: Rule
    atoms: tuple[KeyedAtom[Atom], ...]
    head: KeyedAtom[Atom] | None


class _Derivation(NamedTuple):
    """Rule that derives an anchor, with the anchor of the body atom from which it does so."""

    rule: Rule
    symbol: Symbol
    anchor: Anchor


@dataclass(slots=True)
class KeyFlow:
    """Anchors of each predicate of a program, computed to a fixpoint, with the rules that derive them.

    `keeping` are the properties whose facts all connect names of equal key. They link the terms of a body.
    This is first assumed of properties that stream, unless they are asserted without a promise, and withdrawn
    for properties with an anchor that lacks an argument. The rest holds by induction on the height of proofs.

    `why` maps an anchor to its derivation, or to None if the anchor is that of assertions.

    Args:
        assumed: background properties whose facts are assumed to connect names of equal key.
    """

    program: StreamingProgram
    key: KeyMap
    assumed: frozenset[Symbol] = frozenset()
    keeping: frozenset[Symbol] = field(init=False)
    bodies: list[_RuleBody] = field(init=False)
    anchors: defaultdict[Symbol, set[Anchor]] = field(init=False)
    why: dict[tuple[Symbol, Anchor], _Derivation | None] = field(init=False)

    def __post_init__(self) -> None:
        # By the key "subject", a promise would be that each name is connected with itself only.
        promised = frozenset[Symbol]() if self.key.key == SUBJECT else self.program.colocated
        self.keeping = frozenset(self._candidates(promised))
        while True:
            self.bodies = [self._body(rule) for rule in self.program.rules]
            self.anchors, self.why = defaultdict(set), {}
            for symbol in self.program.assertable:
                anchor = _BOTH if symbol in promised else _AT_SUBJECT
                self.anchors[symbol].add(anchor)
                self.why[symbol, anchor] = None
            self._spread()
            lost = {each for each in self.keeping if any(anchor < _BOTH for anchor in self.anchors[each])}
            if not lost:
                return
            self.keeping -= lost

    @property
    def has_constant_keys(self) -> bool:
        """Whether the property whose values are the keys gets no further values from the stream."""
        symbol = Symbol(URIRef(self.key.key), 2)
        return self.program.is_background(symbol) or symbol in self.keeping

    def obstacles(self) -> list[Obstacle]:
        """Return each rule that joins facts which may be in different shards, with the first two such atoms.

        Rules whose atoms are in known shards come first, since they tend to cause the other obstacles.
        """
        found: list[tuple[int, Obstacle]] = []
        for body in self.bodies:
            for one, other in combinations(body.atoms, 2):
                if parted := self._parted(one, other):
                    where = map(self._where, (one.atom, other.atom), parted)
                    facts = self._located(one.atom, parted[0]), self._located(other.atom, parted[1])
                    obstacle = Obstacle(body.rule, facts, "; ".join(where), self.key.key)
                    found.append((sum(not anchor for anchor in parted), obstacle))
                    break
        return [obstacle for _, obstacle in sorted(found, key=lambda each: each[0])]

    def places(self) -> KeyPositions:
        """Return the argument positions that have the shard's key in all facts of a predicate: the
        intersection of its anchors.
        """
        shared = {
            symbol: frozenset.intersection(*anchors) for symbol, anchors in self.anchors.items() if anchors
        }
        given = set(self.program.facts)
        given.update(Symbol(cast(Predicate, fact[1]), 1) for fact in self.program.facts.get(TYPE, ()))
        return KeyPositions(shared, frozenset(given), self.keeping)

    def _candidates(self, promised: Collection[Symbol]) -> Iterable[Symbol]:
        """Yield the properties that connect only names of equal key, as far as the background and assertions
        can refute it.
        """
        program = self.program
        derived = program.streaming - program.assertable
        for symbol in {*program.facts, *derived, *promised, *self.assumed}:
            if symbol.arity != 2 or symbol in program.unknown:
                continue
            if symbol in program.assertable and symbol not in promised:
                continue
            if symbol in self.assumed or self._facts_keep(symbol):
                yield symbol

    def _facts_keep(self, symbol: Symbol) -> bool:
        of = self.key.value_of
        return all(of(one) == of(other) for one, other in self.program.facts.get(symbol, ()))

    def _body(self, rule: Rule) -> _RuleBody:
        links = (atom.arguments for atom in rule.body if symbol_of(atom) in self.keeping)
        classes = KeyClasses(self.key, links)
        streaming = (atom for atom in rule.body if symbol_of(atom) in self.program.streaming)
        head = None if rule.head is None else classes.keyed(rule.head, rule.head.arguments)
        return _RuleBody(rule, tuple(classes.keyed(atom, atom.arguments) for atom in streaming), head)

    def _spread(self) -> None:
        """Propagate anchors from bodies to heads to the fixpoint. An anchor that contains another anchor of
        the predicate is dropped.
        """
        using: defaultdict[Symbol, list[_RuleBody]] = defaultdict(list)
        for body in self.bodies:
            for symbol in {symbol_of(each.atom) for each in body.atoms}:
                using[symbol].append(body)
        waiting = deque(self.bodies)
        while waiting:
            body = waiting.popleft()
            if body.head is None:
                continue
            symbol = symbol_of(body.head.atom)
            for each in body.atoms:
                for anchor in tuple(self.anchors[symbol_of(each.atom)]):
                    keyed = each.at(anchor)
                    made = frozenset(p for p, class_ in enumerate(body.head.classes) if class_ in keyed)
                    if self._add(symbol, made, _Derivation(body.rule, symbol_of(each.atom), anchor)):
                        waiting += using[symbol]

    def _add(self, symbol: Symbol, made: Anchor, derivation: _Derivation) -> bool:
        known = self.anchors[symbol]
        if any(anchor <= made for anchor in known):
            return False
        known -= {anchor for anchor in known if made < anchor}
        known.add(made)
        self.why.setdefault((symbol, made), derivation)
        return True

    def _parted(self, one: KeyedAtom[Atom], other: KeyedAtom[Atom]) -> tuple[Anchor, Anchor] | None:
        """Return one anchor of each atom that have no equivalence class in common, so that the atoms can
        match facts of different shards; None if there are no such anchors.
        """
        anchors = (sorted(self.anchors[symbol_of(each.atom)], key=sorted) for each in (one, other))
        for first, second in product(*anchors):
            if not one.at(first) & other.at(second):
                return first, second
        return None

    def _where(self, atom: Atom, anchor: Anchor) -> str:
        derivation = self.why[symbol_of(atom), anchor]
        derived = "" if derivation is None else f", as {derivation.rule} derives it"
        return self.key.location(atom, atom.arguments, anchor) + derived

    def _located(self, atom: Atom, anchor: Anchor) -> LocatedFacts:
        """Return the shard of an atom's facts, with the first rule of the derivation that loses the position
        of the key.
        """
        owner = atom.arguments[min(anchor)] if anchor else None
        if owner is not None and not isinstance(owner, Variable):
            owner = self.key.of(owner)
        if 0 in anchor:
            return LocatedFacts(atom, owner, None)
        derivation = self.why[symbol_of(atom), anchor]
        while derivation and 0 not in derivation.anchor and bool(derivation.anchor) == bool(anchor):
            derivation = self.why[derivation.symbol, derivation.anchor]
        return LocatedFacts(atom, owner, derivation and derivation.rule)
