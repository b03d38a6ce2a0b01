"""Flow of keys through a program: the argument positions of a fact that determine its shard.

An *anchor* of a predicate is a set of argument positions: in each fact with a certain kind of proof, the term
at each of these positions has the same key as all assertions in the proof. `locality` states the
consequences. Analyses of queries and temporal rules use `KeyClasses` too.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Generic, NamedTuple, TypeVar, cast

from rdflib import Variable

from pantarhei.encoding.numbers import Symbol, symbol_of
from pantarhei.model.graphs import Groups
from pantarhei.model.rule import Argument, Atom, Predicate, Rule
from pantarhei.model.term import Term
from pantarhei.rules.sharding.sharding_report import KeyMap, KeyPositions, Obstacle
from pantarhei.rules.translation.demand import TYPE

Anchor = frozenset[int]
Facts = Mapping[Symbol, Sequence[tuple[Term, ...]]]


@dataclass(frozen=True, slots=True)
class StreamingProgram:
    """Rules of a program that depend on the stream, and the predicates that may stream. It does not depend on
    the key.

    Args:
        rules: the rules whose body can hold and has at least one atom with a streaming predicate.
        facts: all facts of the background, by predicate.
        assertable: the predicates that the stream may assert.
        streaming: the predicates of assertions and of their consequences.
        background_only: predicates that the stream must not assert.
    """

    rules: tuple[Rule, ...]
    facts: Facts
    assertable: frozenset[Symbol]
    streaming: frozenset[Symbol]
    background_only: frozenset[Predicate]

    def is_background(self, symbol: Symbol) -> bool:
        """Return whether all facts of the predicate are in the background."""
        return symbol not in self.streaming


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


@dataclass(slots=True)
class KeyFlow:
    """Anchors of each predicate of a program, computed to a fixpoint, with the rules that derive them.

    `why` maps an anchor to the rule that derives it, or to None if the anchor is that of assertions.
    """

    program: StreamingProgram
    key: KeyMap
    keeping: frozenset[Symbol] = field(init=False)
    bodies: list[_RuleBody] = field(init=False)
    anchors: defaultdict[Symbol, set[Anchor]] = field(init=False)
    why: dict[tuple[Symbol, Anchor], Rule | None] = field(init=False)

    def __post_init__(self) -> None:
        self.keeping = frozenset(self._keeping())
        self.bodies = [self._body(rule) for rule in self.program.rules]
        self.anchors, self.why = defaultdict(set), {}
        at_subject = frozenset((0,))
        for symbol in self.program.assertable:
            self.anchors[symbol].add(at_subject)
            self.why[symbol, at_subject] = None
        self._spread()

    def obstacles(self) -> list[Obstacle]:
        """Return each rule that joins facts which may be in different shards, with the first two such atoms.

        Rules whose atoms are in known shards come first, since they tend to cause the other obstacles.
        """
        found: list[tuple[int, Obstacle]] = []
        for body in self.bodies:
            for one, other in combinations(body.atoms, 2):
                if parted := self._parted(one, other):
                    where = map(self._where, (one.atom, other.atom), parted)
                    obstacle = Obstacle(body.rule, (one.atom, other.atom), "; ".join(where))
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

    def _keeping(self) -> set[Symbol]:
        """Return the background properties whose facts all connect two names of equal key."""
        of = self.key.value_of
        return {
            symbol
            for symbol, facts in self.program.facts.items()
            if symbol.arity == 2
            and self.program.is_background(symbol)
            and all(of(one) == of(other) for one, other in facts)
        }

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
                    if self._add(symbol, made, body.rule):
                        waiting += using[symbol]

    def _add(self, symbol: Symbol, made: Anchor, rule: Rule) -> bool:
        known = self.anchors[symbol]
        if any(anchor <= made for anchor in known):
            return False
        known -= {anchor for anchor in known if made < anchor}
        known.add(made)
        self.why.setdefault((symbol, made), rule)
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
        rule = self.why[symbol_of(atom), anchor]
        derived = "" if rule is None else f", as {rule} derives it"
        return self.key.location(atom, atom.arguments, anchor) + derived
