"""Report on sharding a stream: usable keys, the obstacles to other keys, and the shard of a fact.

`rules/sharding/locality.py` computes the report.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.errors import OptionError
from pantarhei.model.message_text import DisplayNames, counted, disambiguate
from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.rule import Argument, Atom, Predicate, Rule, names_of
from pantarhei.model.term import Term, short
from pantarhei.owl.manchester import axiom_text
from pantarhei.rules.translation.demand import TYPE
from pantarhei.values.by_value import READINGS, Numbers

SUBJECT = "subject"
Key = URIRef | str

# Stand-ins for the classes and properties that the ontology does not mention, if the stream may assert them.
ANY_OTHER = (
    Symbol(URIRef("urn:pantarhei:any#OtherClass"), 1),
    Symbol(URIRef("urn:pantarhei:any#OtherProperty"), 2),
)

# Limits of the report's text: unusable keys shown with obstacles, obstacles of a key, names in a list.
_MOST_KEYS = 3
_MOST_OBSTACLES = 3
_MOST_NAMES = 12


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
        keeping: properties with background facts only, which all connect names of equal key.
    """

    positions: Mapping[Symbol, frozenset[int]]
    given: frozenset[Symbol]
    keeping: frozenset[Symbol]

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Rule or constraint that joins facts of different shards.

    Args:
        rule: the rule or constraint.
        atoms: the first two body atoms that need not have the same key.
        reason: the shards in which the atoms may be, and the rules from which this follows.

    >>> from pantarhei import load_ontology
    >>> from rdflib import Graph
    >>> ontology = load_ontology(Graph().parse(data='''
    ...     @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ...     :partOf a owl:ObjectProperty, owl:TransitiveProperty .'''))
    >>> (obstacle,) = ontology.sharding_report().obstacles["subject"]
    >>> obstacle.axiom
    'TransitiveObjectProperty(partOf)'
    """

    rule: Rule
    atoms: tuple[Atom, Atom]
    reason: str

    __repr__ = short_repr
    _repr_html_ = html_of

    @property
    def axiom(self) -> str:
        """The axiom from which the rule was translated, in OWL's functional-style syntax; the rule itself if
        it has no axiom.
        """
        return self.rule.axiom

    def __str__(self) -> str:
        origin = f" (from {axiom_text(self.rule)})" if self.rule.origin else ""
        return f"{self.rule.name}: {self.rule}{origin}\n    {self.reason}"


@dataclass(frozen=True, slots=True)
class NoKey:
    """Reason why a property does not define a key.

    Args:
        reason: the reason, as text.

    >>> NoKey("it has no background facts").reason
    'it has no background facts'
    """

    reason: str

    __repr__ = short_repr

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True)
class ShardingReport:
    """Keys by which a stream can be sharded.

    Args:
        obstacles: for each checked key the rules that prevent its use; empty if the key is usable.
        no_keys: the properties that do not define a key, each with the reason.
        untried: the number of background properties that were not checked.
        background_only: classes and properties that the stream must not assert; the usable keys are valid
            only under this condition.
        maps: κ for each checked key.
        places: for each checked key the argument positions that have the shard's key.
        assertable: the predicates that the stream may assert; None for all except `background_only`.
        has_class_variables: whether a rule of the ontology has a class variable.

    >>> from pantarhei import load_ontology
    >>> report = load_ontology("ontologies/pedals.ttl").sharding_report()
    >>> report.keys[0], report.obstacles["subject"]
    ('subject', ())
    """

    obstacles: Mapping[Key, tuple[Obstacle, ...]]
    no_keys: Mapping[Key, NoKey]
    untried: int
    background_only: frozenset[Predicate]
    maps: Mapping[Key, KeyMap] = field(repr=False)
    assertable: frozenset[Symbol] | None = field(default=None, repr=False)
    places: Mapping[Key, KeyPositions] = field(default_factory=dict, repr=False)
    has_class_variables: bool = field(default=False, repr=False)

    _repr_html_ = html_of

    @property
    def keys(self) -> tuple[Key, ...]:
        """The usable keys."""
        return tuple(key for key, found in self.obstacles.items() if not found)

    def allows(self, key: Key) -> bool:
        """Return whether the union of the shards' models, sharded by `key`, equals the model of a single
        reasoner.

        Raises:
            OptionError: the key was not checked.
        """
        if key in self.no_keys:
            return False
        if key not in self.obstacles:
            checked = ", ".join(repr(str(each)) for each in (*self.obstacles, *self.no_keys))
            raise OptionError("key", repr(str(key)), f"one of the checked keys: {checked}")
        return not self.obstacles[key]

    def admits(self, predicate: Predicate, is_class: bool) -> bool:
        """Return whether the stream may assert facts of a class or property."""
        if self.assertable is None:
            if is_class and self.has_class_variables:
                return True
            return predicate not in self.background_only
        return self.relation_of(Symbol(predicate, 1 if is_class else 2)) in self.assertable

    def relation_of(self, symbol: Symbol) -> Symbol:
        """Return the symbol under which facts of a class or property are stored: rdf:type for a class if
        rules have class variables.
        """
        return TYPE if symbol.arity == 1 and self.has_class_variables else symbol

    def positions(self, key: Key, symbol: Symbol) -> frozenset[int] | None:
        """Return `KeyPositions.positions` of any predicate; None if all its facts are in the background."""
        positions, symbol = self.places[key].positions, self.relation_of(symbol)
        if symbol not in positions and self.admits(symbol.name, symbol.arity == 1):
            return positions.get(ANY_OTHER[symbol.arity - 1])
        return positions.get(symbol)

    def about(self, key: Key) -> str:
        """Return the findings about one key as text.

        Raises:
            OptionError: the key was not checked.
        """
        self.allows(key)
        return disambiguate(
            lambda: "\n".join(self._about(key, len(self.obstacles.get(key, ())))), self._names
        )

    def __str__(self) -> str:
        return disambiguate(lambda: "\n".join(self._lines()), self._names)

    def __repr__(self) -> str:
        checked = counted(len(self.obstacles) + len(self.no_keys), "key")
        return f"ShardingReport({checked} checked, {len(self.keys)} of them usable)"

    def _shown_parts(self) -> dict[str, object]:
        return {
            "report": str(self),
            "usable keys": self.keys,
            "obstacles": [(key, each) for key, found in self.obstacles.items() for each in found],
            "properties that are not keys": self.no_keys,
        }

    @property
    def _names(self) -> DisplayNames:
        return names_of(each.rule for found in self.obstacles.values() for each in found)

    def _lines(self) -> list[str]:
        refused = sorted((k for k, found in self.obstacles.items() if found), key=self._number_of_obstacles)
        lines = [f"A stream can be sharded by {_listed(self.keys)}." if self.keys else "No key is usable."]
        lines += (self._summary(key) for key in self.keys)
        lines += (line for key in refused[:_MOST_KEYS] for line in self._about(key, _MOST_OBSTACLES))
        lines += map(self._summary, (*refused[_MOST_KEYS:], *self.no_keys))
        if self.untried:
            lines.append(
                f"not checked: {counted(self.untried, 'property', 'properties')} (name them: keys=…)"
            )
        lines += self._conditions(bool(refused))
        return lines

    def to_json(self) -> str:
        """Return the report as JSON: `keys`, `obstacles`, `no_keys`, `untried`, `background_only`."""
        return json.dumps(disambiguate(self._data, self._names), ensure_ascii=False, indent=2)

    def _data(self) -> dict[str, object]:
        return {
            "keys": [str(key) for key in self.keys],
            "obstacles": {
                str(key): [
                    {
                        "rule": str(each.rule),
                        "name": each.rule.name,
                        "axiom": each.axiom,
                        "atoms": [str(atom) for atom in each.atoms],
                        "reason": each.reason,
                    }
                    for each in found
                ]
                for key, found in self.obstacles.items()
            },
            "no_keys": {str(key): why.reason for key, why in self.no_keys.items()},
            "untried": self.untried,
            "background_only": sorted(map(str, self.background_only)),
        }

    def _about(self, key: Key, most: int) -> Iterator[str]:
        yield self._summary(key)
        obstacles = self.obstacles.get(key, ())
        for each in obstacles[:most]:
            yield from (f"    {line}" for line in str(each).splitlines())
        if len(obstacles) > most:
            yield f"    … and {len(obstacles) - most} more"

    def _summary(self, key: Key) -> str:
        if key in self.no_keys:
            return f"{short(URIRef(key))} is not a key: {self.no_keys[key]}"
        if not self.obstacles[key]:
            return f"{self._described(key)} is usable"
        number = counted(self._number_of_obstacles(key), "rule", "rules")
        return f"{self._described(key)} is not usable: {number} would join facts of different shards"

    def _number_of_obstacles(self, key: Key) -> int:
        return len(self.obstacles[key])

    def _described(self, key: Key) -> str:
        if key == SUBJECT:
            return "subject (a fact is in the shard of its subject)"
        map_ = self.maps[key]
        names = counted(len(map_.keys), "name", "names")
        return (
            f"{short(URIRef(key))} ({counted(map_.values, 'value', 'values')} for {names} of the background)"
        )

    def _conditions(self, some_refused: bool) -> Iterator[str]:
        if self.background_only:
            yield f"The stream must not assert {_listed(sorted(self.background_only, key=str))}."
        if some_refused:
            yield (
                "Possible remedies: list the classes and properties that stream (streaming=…), put facts "
                "that do not change into the background, and add a background property whose value "
                "identifies the shard of each name."
            )


def _listed(names: tuple[Key, ...] | list[Predicate]) -> str:
    """Join names for messages; only the first twelve are listed.

    >>> _listed((SUBJECT, URIRef("http://example.org/inBuilding")))
    'subject, inBuilding'
    """
    shown = ", ".join(short(n) if isinstance(n, URIRef) else str(n) for n in names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"
