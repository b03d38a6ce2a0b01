"""Report on sharding a stream: usable keys, the obstacles to other keys, and the shard of a fact.

`rules/sharding/locality.py` computes the report.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rdflib import BNode, URIRef

from pantarhei.encoding.numbers import Symbol
from pantarhei.errors import OptionError
from pantarhei.model.message_text import DisplayNames, counted, disambiguate
from pantarhei.model.representation import html_of
from pantarhei.model.rule import Predicate, names_of
from pantarhei.model.term import Term, short
from pantarhei.owl.manchester import axiom_text
from pantarhei.rules.sharding.key_map import ANY_OTHER, SUBJECT, Key, KeyMap, KeyPositions
from pantarhei.rules.sharding.obstacle import NoKey, Obstacle, Remedy, bracketed, listed
from pantarhei.rules.translation.demand import TYPE

# Limits of the report's text: unusable keys shown with obstacles, obstacles of a key.
_MOST_KEYS = 3
_MOST_OBSTACLES = 3


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
        colocated: the properties whose assertions in the stream must connect names of equal key.
        needed: for each usable key those of `colocated` without which it is not usable; queries and temporal
            rules may need the others.
        remedies: for unusable keys the options under which they are usable, as far as such are known.

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
    colocated: tuple[URIRef, ...] = ()
    needed: Mapping[Key, frozenset[URIRef]] = field(default_factory=dict, repr=False)
    remedies: Mapping[Key, tuple[Remedy, ...]] = field(default_factory=dict, repr=False)

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

    def refusal(self, key: Key, subject: Term, predicate: Term, object_: Term) -> str | None:
        """Return why a streamed assertion breaks the promise of `colocated`, as one line; None if it keeps
        the promise, or if there is none for its property.
        """
        if not self.is_promised(key, predicate):
            return None
        keys = self.maps[key]
        if isinstance(subject, BNode) or isinstance(object_, BNode):
            # A blank node of the stream is not that of the background with an equal label.
            is_kept = subject == object_
        else:
            is_kept = keys.value_of(subject) == keys.value_of(object_)
        return None if is_kept else disambiguate(lambda: keys.difference(subject, predicate, object_))

    def is_promised(self, key: Key, predicate: Term) -> bool:
        """Return whether `colocated` promises that assertions of a property connect only equal keys."""
        return key != SUBJECT and predicate in self.colocated

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
        given = [each for found in self.obstacles.values() for each in found]
        causes = (facts.rule for each in given for facts in each.facts if facts.rule)
        return names_of((*(each.rule for each in given), *causes))

    def _lines(self) -> list[str]:
        refused = sorted((k for k, found in self.obstacles.items() if found), key=self._number_of_obstacles)
        lines = [f"A stream can be sharded by {listed(self.keys)}." if self.keys else "No key is usable."]
        lines += (self._summary(key) for key in self.keys)
        lines += (line for key in refused[:_MOST_KEYS] for line in self._about(key, _MOST_OBSTACLES))
        lines += map(self._summary, (*refused[_MOST_KEYS:], *self.no_keys))
        if self.untried:
            lines.append(
                f"not checked: {counted(self.untried, 'property', 'properties')} (name them: keys=…)"
            )
        if self.background_only:
            names = listed(sorted(self.background_only, key=str))
            lines.append(f"The stream must not assert {names}.")
        if refused and self.assertable is None:
            lines.append("It is assumed that the stream asserts all other names: streaming=[…] restricts it.")
        return lines

    def to_json(self) -> str:
        """Return the report as JSON: `keys`, `obstacles`, `remedies`, `no_keys`, `untried`,
        `background_only`, `colocated`.
        """
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
                        "text": str(each),
                        "reason": each.reason,
                    }
                    for each in found
                ]
                for key, found in self.obstacles.items()
            },
            "remedies": {str(key): list(map(str, found)) for key, found in self.remedies.items()},
            "no_keys": {str(key): why.reason for key, why in self.no_keys.items()},
            "untried": self.untried,
            "background_only": sorted(map(str, self.background_only)),
            "colocated": list(map(str, self.colocated)),
        }

    def _about(self, key: Key, most: int) -> Iterator[str]:
        yield self._summary(key)
        lines = self._obstacle_lines(key)
        yield from (f"    {line}" for line in lines[:most])
        if len(lines) > most:
            yield f"    … and {len(lines) - most} more"
        yield from (f"    {remedy}" for remedy in self.remedies.get(key, ()))

    def _obstacle_lines(self, key: Key) -> list[str]:
        """Return one line for each axiom, which several rules may be of."""
        by_axiom: dict[str, str] = {}
        for each in self.obstacles.get(key, ()):
            by_axiom.setdefault(axiom_text(each.rule), str(each))
        return list(by_axiom.values())

    def _summary(self, key: Key) -> str:
        if key in self.no_keys:
            return f"{short(URIRef(key))} is not a key: {self.no_keys[key]}"
        if not self.obstacles[key]:
            return f"{self._described(key)} is usable{self._promise(key)}"
        number = counted(len(self._obstacle_lines(key)), "axiom")
        return f"{self._described(key)} is not usable: {number} would join facts of different shards"

    def _promise(self, key: Key) -> str:
        """Return the condition that the promises of `colocated` make for a usable key."""
        if key == SUBJECT or not self.colocated:
            return ""
        names, equal = listed(self.colocated), short(URIRef(key))
        text = f", if streamed facts of {names} connect only names with equal {equal}"
        unneeded = [name for name in self.colocated if name not in self.needed.get(key, ())]
        return f"{text}; the ontology does not need colocated={bracketed(unneeded)}" if unneeded else text

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
