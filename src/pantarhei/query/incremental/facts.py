"""Patterns that leave the class or property open, and paths of all but some predicates.

They are told of the facts that come and go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers, as_tuples
from pantarhei.materialize.kernel.bags import put
from pantarhei.materialize.model import Shown, WindowModel
from pantarhei.materialize.readable import readable
from pantarhei.model.term import RDF_TYPE, Term
from pantarhei.query.algebra.nodes import BGP, NegatedSet, Place
from pantarhei.query.incremental.leaves import Look
from pantarhei.query.incremental.operator import Bag, Operator, Row, Shared, bag_of, rows_of

_SUBJECT, _PREDICATE, _OBJECT, _SHOWN = range(4)  # where they stand in a triple of numbers

_Triple = tuple[int, int, int, int]
"""Subject, predicate and object by value, and the object as it is shown."""


class FactLeaf(Operator):
    """A pattern of one triple; it has no state."""

    node: BGP | NegatedSet

    def __init__(self, node: BGP | NegatedSet, shared: Shared, look: Look) -> None:
        super().__init__(node, shared)
        self._look = look

    def begin(self) -> Mapping[Row, int]:
        return bag_of(rows_of(self._look(self.node), self.variables))


@dataclass
class _Reader:
    """What a leaf takes of a triple, in today's numbers.

    Args:
        given: what must stand at some places.
        alike: places that must have one value.
        refused: predicates that must not stand there.
        places: of the leaf's variables.
    """

    leaf: FactLeaf
    given: dict[int, int]
    alike: list[tuple[int, int]]
    refused: frozenset[int]
    places: list[int]

    def row(self, triple: _Triple) -> Row | None:
        """The leaf's row for a triple, None if it does not match."""
        if triple[_PREDICATE] in self.refused:
            return None
        if any(triple[place] != value for place, value in self.given.items()):
            return None
        if any(triple[one] != triple[other] for one, other in self.alike):
            return None
        return tuple([triple[place] for place in self.places])


@dataclass
class Facts:
    """The leaves that are told of each fact that comes or goes and may match them.

    `leaves` are these. `_by_given` has the readers by a constant of theirs and its place, those without any
    under None.
    """

    leaves: dict[FactLeaf, None] = field(default_factory=dict)
    _by_given: dict[tuple[int, int] | None, list[_Reader]] = field(default_factory=dict)
    _names: dict[int, int] = field(default_factory=dict)
    _revision: object = None

    def add(self, leaf: FactLeaf) -> None:
        """Tell a leaf from now on."""
        self.leaves[leaf] = None
        self.renamed()

    def keep(self, leaves: Container[object]) -> None:
        """Tell no leaves but these."""
        self.leaves = {leaf: None for leaf in self.leaves if leaf in leaves}
        self.renamed()

    def renamed(self) -> None:
        """Terms have other numbers."""
        self._revision = None

    def changes(
        self, model: WindowModel, noted: Integers, reformed: Integers, shown: Shown | None
    ) -> dict[Operator, Bag]:
        """What came to the leaves and went, after a step. The arguments are those of `Patterns.changes`."""
        changes: dict[Operator, Bag] = {}
        if not len(noted) + len(reformed):
            return changes
        if self._revision is not model.vocabulary.revision:
            self._read(model)
        for triple, sign in self._signed(model, noted, reformed, shown):
            for key in (None, *enumerate(triple[:_SHOWN])):
                for reader in self._by_given.get(key, ()):
                    row = reader.row(triple)
                    if row is not None:
                        put(changes.setdefault(reader.leaf, {}), row, sign)
        return changes

    def _read(self, model: WindowModel) -> None:
        """Number all constants."""
        number = model.vocabulary.reserve
        self._by_given, self._names, self._revision = {}, {}, model.vocabulary.revision
        for leaf in self.leaves:
            places, refused = _places_of(leaf.node)
            variables = [(at, place) for at, place in enumerate(places) if isinstance(place, Variable)]
            first = dict(reversed([(variable, at) for at, variable in variables]))
            given = {
                at: number(place)
                for at, place in enumerate(places)
                if place is not None and not isinstance(place, Variable)
            }
            alike = [(first[variable], at) for at, variable in variables if first[variable] != at]
            shown = [_SHOWN if first[v] == _OBJECT else first[v] for v in leaf.variables]
            reader = _Reader(leaf, given, alike, frozenset(map(number, refused)), shown)
            at = next((at for at in (_SUBJECT, _OBJECT, _PREDICATE) if at in given), None)
            self._by_given.setdefault(None if at is None else (at, given[at]), []).append(reader)

    def _signed(
        self, model: WindowModel, noted: Integers, reformed: Integers, shown: Shown | None
    ) -> Iterator[tuple[_Triple, int]]:
        """The triples that came and went."""
        mentions = Counter(as_tuples(noted[:, :3]))
        changed = [fact for fact, count in mentions.items() if count % 2]
        are_there = model.kernel.store.present(readable(np.array(changed, np.int32).reshape(-1, 3)))
        signed = [(fact, 1 if is_there else -1) for fact, is_there in zip(changed, are_there, strict=True)]
        signed += [(fact, sign) for fact in as_tuples(reformed) for sign in (-1, 1)]
        for fact, sign in signed:
            symbol, subject, object_ = fact
            name = self._name(symbol, model)
            if object_ == NONE:
                yield (subject, self._name(NONE, model), name, name), sign
                continue
            form = shown(fact, sign) if shown is not None and object_ >= FIRST_LITERAL else None
            yield (subject, name, object_, object_ if form is None else form), sign

    def _name(self, symbol: int, model: WindowModel) -> int:
        """The number that the name of a class or property has as a term; `NONE` is for rdf:type."""
        number = self._names.get(symbol)
        if number is None:
            vocabulary = model.vocabulary
            name = RDF_TYPE if symbol == NONE else vocabulary.symbols[symbol].name
            number = self._names[symbol] = vocabulary.reserve(name)
        return number


def _places_of(node: BGP | NegatedSet) -> tuple[tuple[Place | None, ...], frozenset[Term]]:
    """What stands at the places of a triple, None for anything; and the predicates that must not."""
    if isinstance(node, NegatedSet):
        return (node.subject, None, node.object), node.predicates
    (pattern,) = node.patterns
    return pattern.places, frozenset()
