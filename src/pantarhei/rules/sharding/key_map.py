"""Keys of names, and the argument positions of facts that have the key of their shard."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from rdflib import BNode, URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.representation import short_repr
from pantarhei.model.rule import Argument
from pantarhei.model.term import Term, short
from pantarhei.values.by_value import READINGS, Numbers

SUBJECT = "subject"
Key = URIRef | str

# Stand-ins for the classes and properties that the ontology does not mention, if the stream may assert them.
ANY_OTHER = (
    Symbol(URIRef("urn:pantarhei:any#OtherClass"), 1),
    Symbol(URIRef("urn:pantarhei:any#OtherProperty"), 2),
)


@dataclass(frozen=True, slots=True)
class KeyMap:
    """Key map κ: maps a name to the name that identifies its shard.

    Args:
        key: `"subject"` or a property.
        keys: κ of each name for which κ(name) differs from the name.
        numbers: the interpretation of numeric literals among the keys.

    >>> from pantarhei import load_ontology
    >>> ontology = load_ontology("ontologies/pedals.ttl")
    >>> from rdflib import URIRef
    >>> key_map = ontology.sharding_report().maps["subject"]
    >>> key_map.of(URIRef("urn:x")) == URIRef("urn:x"), key_map.keys
    (True, {})
    """

    key: Key
    keys: Mapping[Term, Term] = field(repr=False)
    numbers: Numbers = "by_datatype"

    __repr__ = short_repr

    def of(self, term: Term) -> Term:
        """Return κ(term)."""
        return self.keys.get(term, term)

    def value_of(self, term: Term) -> Hashable:
        """Return the value of κ(term). Keys with equal values denote the same individual or number."""
        return READINGS[self.numbers](self.keys.get(term, term))

    @property
    def name(self) -> str:
        """The key as messages show it."""
        return SUBJECT if self.key == SUBJECT else short(URIRef(self.key))

    def written(self, argument: Argument, show: Callable[[Argument], str] = short) -> str:
        """Return κ(argument) as messages show it."""
        if not isinstance(argument, Variable):
            return show(self.of(argument))
        return show(argument) if self.key == SUBJECT else f"{self.name}({show(argument)})"

    def location(
        self,
        shown: object,
        arguments: Sequence[Argument],
        positions: Collection[int],
        show: Callable[[Argument], str] = short,
    ) -> str:
        """Return a clause that names the shard of an atom (text `shown`). The arguments at `positions` have
        the key of that shard; without positions the atom may be in any shard.
        """
        if not positions:
            return f"{shown} may be in any shard"
        return f"{shown} is in the shard of {self.written(arguments[min(positions)], show)}"

    def difference(self, subject: Term, predicate: Term, object_: Term) -> str:
        """Return a line about an assertion that connects names of different keys."""
        one, other = (
            f"{short(name)} has {short(self.of(name))}"
            if name in self.keys and not isinstance(name, BNode)
            else f"{short(name)} has none"
            for name in (subject, object_)
        )
        return f"{short(predicate)} connects names with different {self.name}: {one}, {other}"

    @property
    def values(self) -> int:
        """Number of distinct values of κ for the names in `keys`."""
        return len(set(map(READINGS[self.numbers], self.keys.values())))


@dataclass(frozen=True, slots=True)
class KeyPositions:
    """Argument positions that have the shard's key, for the analysis of queries and temporal rules.

    Args:
        positions: for each streaming predicate the argument positions whose terms have the key of the shard,
            in each fact that is in a shard but not in the background.
        given: the predicates of background facts, which are in every shard.
        keeping: properties whose facts all connect names of equal key, as long as the stream keeps its
            promises.
    """

    positions: Mapping[Symbol, frozenset[int]]
    given: frozenset[Symbol]
    keeping: frozenset[Symbol]

    __repr__ = short_repr
