"""Options under which keys become usable, checked by repeated analyses, and the promises that are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from rdflib import URIRef

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Predicate
from pantarhei.rules.sharding.key_flow import KeyFlow
from pantarhei.rules.sharding.key_map import ANY_OTHER, SUBJECT, Key, KeyMap
from pantarhei.rules.sharding.obstacle import Obstacle, Remedy
from pantarhei.rules.sharding.streaming_program import StreamedTheory, StreamingProgram
from pantarhei.rules.translation.demand import SAME, TYPE

# Limits: keys with remedies; names in a remedy; rules that the repeated analyses of one report may read.
MOST_KEYS = 3
_MOST_NAMES = 10
_MOST_RULES = 150_000

_T = TypeVar("_T")
_NEW_KEY = URIRef("urn:pantarhei:any#key")


def needed_promises(program: StreamingProgram, key: KeyMap) -> frozenset[URIRef]:
    """Return a minimal set of the promised properties with which a usable key remains usable."""
    if key.key == SUBJECT:
        return frozenset()
    promised = sorted(program.colocated)
    kept = least(promised, lambda kept: _is_usable(replace(program, colocated=frozenset(kept)), key))
    return frozenset(URIRef(symbol.name) for symbol in kept)


def remedies_of(
    given: StreamedTheory, maps: Mapping[Key, KeyMap], obstacles: Mapping[Key, Sequence[Obstacle]]
) -> dict[Key, tuple[Remedy, ...]]:
    """Return remedies for the keys with the fewest obstacles.

    The cost is that of the analysis of a key for at most some twenty names, and of none if the program is too
    large for that.
    """
    refused = sorted((key for key, found in obstacles.items() if found), key=lambda key: len(obstacles[key]))
    search = _RemedySearch(given)
    found = {key: search.for_key(maps[key]) for key in refused[:MOST_KEYS]}
    has_key = len(refused) < len(obstacles) or any(each.colocated for key in found for each in found[key])
    if SUBJECT in found and not has_key:
        found[SUBJECT] += search.for_new_key(maps[SUBJECT])
    return found


class _RemedySearch:
    """Search for remedies, with a limited number of analyses."""

    def __init__(self, given: StreamedTheory) -> None:
        self._given, self._program = given, given.program()
        self._left = _MOST_RULES

    def for_key(self, key: KeyMap) -> tuple[Remedy, ...]:
        """Return the remedies for a key that has obstacles."""
        streamed = [symbol.name for symbol in self._streamed_properties()]
        mentioned = [URIRef(name) for name in streamed if name != ANY_OTHER[1].name]
        promises = [] if key.key == SUBJECT else mentioned
        found = []
        if promised := self._least(promises, lambda kept: self._usable_with(key, kept)):
            found.append(Remedy(key.key, colocated=tuple(promised)))
        if names := self._least(streamed, lambda left: self._usable_without(key, left)):
            found.append(Remedy(key.key, not_streaming=tuple(names)))
        return tuple(found)

    def for_new_key(self, names_only: KeyMap) -> tuple[Remedy, ...]:
        """Return the remedy of a new background property as the key."""
        key = replace(names_only, key=_NEW_KEY)
        streamed = [symbol for symbol in self._streamed_properties() if symbol not in (SAME, ANY_OTHER[1])]
        used = self._properties_in_bodies()
        background = [symbol for symbol in used if symbol not in self._program.streaming]

        def works(kept: Sequence[Symbol]) -> bool:
            return self._usable_with(
                key, [symbol.name for symbol in kept if symbol in streamed], frozenset(kept) & set(background)
            )

        found = self._least([*background, *streamed], works)
        if not found:
            return ()
        promised = tuple(URIRef(symbol.name) for symbol in found if symbol in streamed)
        linking = tuple(URIRef(symbol.name) for symbol in found if symbol in background)
        return (Remedy(None, colocated=promised, linking=linking),)

    def _streamed_properties(self) -> list[Symbol]:
        """Return the properties that the stream may assert without a promise, those of rules first."""
        used = self._properties_in_bodies()
        program = self._program
        asserted = (
            s for s in program.assertable - program.colocated if s.arity == 2 and s != TYPE and s in used
        )
        return sorted(asserted, key=lambda symbol: str(symbol.name))

    def _properties_in_bodies(self) -> dict[Symbol, None]:
        atoms = (atom for rule in self._program.rules for atom in rule.body if len(atom.arguments) == 2)
        return dict.fromkeys(Symbol(atom.predicate, 2) for atom in atoms)

    def _usable_with(
        self, key: KeyMap, promised: Iterable[Predicate], assumed: frozenset[Symbol] = frozenset()
    ) -> bool:
        program = self._program
        extended = replace(program, colocated=program.colocated | {Symbol(name, 2) for name in promised})
        return self._is_usable(extended, key, assumed)

    def _usable_without(self, key: KeyMap, names: Sequence[Predicate]) -> bool:
        program = self._given.program(names)
        return Symbol(URIRef(key.key), 2) not in program.unknown and self._is_usable(program, key)

    def _is_usable(
        self, program: StreamingProgram, key: KeyMap, assumed: frozenset[Symbol] = frozenset()
    ) -> bool:
        self._left -= len(program.rules)
        return _is_usable(program, key, assumed)

    def _least(self, names: list[_T], works: Callable[[list[_T]], bool]) -> list[_T]:
        """Return a minimal list of names that works; empty if there is none, if it is too long to be read, or
        if the limit of analyses is reached.
        """
        if not names or not works(names):
            return []
        found = least(names, lambda kept: self._left > 0 and works(kept))
        return found if self._left > 0 and len(found) <= _MOST_NAMES else []


def least(names: list[_T], works: Callable[[list[_T]], bool]) -> list[_T]:
    """Return a minimal sublist that works, if all names together work and a sublist works whenever a part of
    it does.

    The number of calls is at most twice the size of the result times the logarithm of the number of names.
    Source: Junker, QuickXplain (AAAI 2004).

    >>> least([1, 2, 3, 4, 5, 6], lambda kept: {2, 5} <= set(kept))
    [2, 5]
    """

    def needed(kept: list[_T], has_more: bool, rest: list[_T]) -> list[_T]:
        if has_more and works(kept):
            return []
        if len(rest) == 1:
            return rest
        half = len(rest) // 2
        first, second = rest[:half], rest[half:]
        of_second = needed(kept + first, True, second)
        return needed(kept + of_second, bool(of_second), first) + of_second

    return [] if not names or works([]) else needed([], False, names)


def _is_usable(program: StreamingProgram, key: KeyMap, assumed: frozenset[Symbol] = frozenset()) -> bool:
    flow = KeyFlow(program, key, assumed)
    return flow.has_constant_keys and not flow.obstacles()
