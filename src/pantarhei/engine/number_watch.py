"""Numbers of a stream that can never meet: doubles where conditions ask for decimals, a property with both.

So are texts that read as numbers, where conditions ask for numbers: a datatype was forgotten.

OWL keeps the values of xsd:double and xsd:float apart from those of decimals. Nothing is wrong with such
data, and nothing follows from them: so it is said when they are first seen. Only values that are new are
looked at, and none after 10,000 that told nothing new: the cost does not grow with the stream.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from rdflib import OWL, XSD, Literal, URIRef

from pantarhei.encoding.numbers import FIRST_LITERAL, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import NumbersApartWarning
from pantarhei.model.rule import Member, Predicate, Rule
from pantarhei.model.term import short
from pantarhei.values.condition import DOUBLES, FLOATS, NUMBERS, STRINGS
from pantarhei.values.membership import formula
from pantarhei.values.value import INTEGER_BOUNDS

_MOST_LITERALS: Final = 10_000
_FEW: Final = 64  # facts, which are looked at faster one by one
_DECIMAL, _BINARY, _TEXT = 1, 2, 4
_NUMERIC: Final = _DECIMAL | _BINARY
_LIKE_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_TEXTS: Final = (None, XSD.string)
_KINDS: Final[dict[URIRef | None, int]] = {
    XSD.double: _BINARY,
    XSD.float: _BINARY,
    XSD.decimal: _DECIMAL,
    OWL.rational: _DECIMAL,
    **dict.fromkeys(INTEGER_BOUNDS, _DECIMAL),
}


Seen = tuple[tuple[Predicate, Literal], ...]
"""Values of properties."""


class NumbersApart(NamedTuple):
    """A property of the stream whose numbers do not meet.

    Args:
        property: the property.
        value: one of its values.
        other: a value of the other kind; None where conditions of the ontology are of the other kind.
    """

    property: Predicate
    value: Literal
    other: Literal | None

    def is_text(self) -> bool:
        """Whether the value is a text that reads as a number."""
        return self.value.datatype in _TEXTS

    def __str__(self) -> str:
        on, value = short(self.property), _shown(self.value)
        if self.other is not None:
            return f"{on} has the values {_shown(self.other)} and {value}, which never equal one another"
        if self.is_text():
            return f"{on} has the text {value}, which meets no condition on its values: these are of numbers"
        asked = "decimals" if _KINDS[self.value.datatype] == _BINARY else "xsd:double or xsd:float"
        return f"{on} has the value {value}, which meets no condition on its values: these are of {asked}"


def _kind_of(literal: Literal) -> int:
    """The kind of number that a literal is, or reads as; 0 for others."""
    if literal.datatype in _TEXTS:
        return _TEXT if literal.language is None and _LIKE_NUMBER.fullmatch(literal) else 0
    return _KINDS.get(literal.datatype, 0)


def _shown(literal: Literal) -> str:
    return f'"{literal}"^^xsd:{short(literal.datatype)}' if literal.datatype else literal.n3()


class NumberWatch:
    """Looks at values as they come, and remembers of which kinds those of each property were.

    Args:
        rules: the ontology's rules and constraints.
        is_open: whether there is something to look for: not where numbers are read by value.
    """

    def __init__(self, rules: Iterable[Rule], is_open: bool) -> None:
        self._rules, self._left = tuple(rules), _MOST_LITERALS if is_open else 0
        self._asked: Mapping[Predicate, int] | None = None
        self._seen: dict[Predicate, dict[int, Literal]] = {}
        self._order: list[
            tuple[Predicate, int]
        ] = []  # in which they were seen, so that they can be forgotten
        self._revision: object = None
        self._literals = 0

    @property
    def seen(self) -> Seen:
        """What was seen, for `go_on_with`: of each property the first value of each kind, in order."""
        return tuple((on, self._seen[on][kind]) for on, kind in self._order)

    def go_on_with(self, seen: Seen) -> None:
        """Know what another watch has seen."""
        self._seen, self._order = {}, []
        for on, literal in seen:
            self._see(on, literal)

    @property
    def mark(self) -> int:
        """How much was seen, for `back_to`."""
        return len(self._order)

    def back_to(self, mark: int) -> None:
        """Forget what was seen since: it was said in a step that is undone."""
        while len(self._order) > mark:
            property_, kind = self._order.pop()
            del self._seen[property_][kind]
        self._revision = None  # values that were new then are new once more

    def found(self, facts: Integers, vocabulary: Vocabulary) -> tuple[NumbersApart, ...]:
        """The properties of which it is seen with these assertions that their numbers do not meet.

        Costs O(1) while they bring no new values.
        """
        same, length = self._revision is vocabulary.revision, len(vocabulary.literals)
        if self._left <= 0 or (same and self._literals == length):
            return ()
        begin = FIRST_LITERAL + (self._literals if same else 0)
        self._literals, self._revision = length, vocabulary.revision
        rows = facts if len(facts) <= _FEW else facts[facts[:, 2] >= begin]
        new = [(symbol, number) for symbol, _, number in rows.tolist() if number >= begin]
        self._left -= len(new)
        return tuple(self._found(new, vocabulary))

    @property
    def _conditions(self) -> Mapping[Predicate, int]:
        if self._asked is None:
            self._asked = conditions_on_numbers(self._rules)
        return self._asked

    def _found(self, new: Iterable[tuple[int, int]], vocabulary: Vocabulary) -> Iterator[NumbersApart]:
        for symbol, number in new:
            on, literal = vocabulary.symbols[symbol].name, vocabulary.literals[number - FIRST_LITERAL]
            if self._see(on, literal):
                self._left = _MOST_LITERALS
                yield from self._told(on, literal)

    def _see(self, on: Predicate, literal: Literal) -> bool:
        """Whether a value is the first of its kind."""
        kind, seen = _kind_of(literal), self._seen.setdefault(on, {})
        if not kind or kind in seen:
            return False
        seen[kind] = literal
        self._order.append((on, kind))
        return True

    def _told(self, on: Predicate, literal: Literal) -> Iterator[NumbersApart]:
        """What is to be said when a value is the first of its kind."""
        asked, kind = self._conditions.get(on, 0), _kind_of(literal)
        other = self._seen[on].get(_NUMERIC - kind)
        if asked & _NUMERIC and not asked & kind:
            yield NumbersApart(on, literal, None)
        elif other is not None and asked & _NUMERIC != _NUMERIC:
            yield NumbersApart(on, literal, other)

    def of_seen(self, seen: Seen) -> tuple[NumbersApart, ...]:
        """The same as `found` of values that others have seen."""
        new = (each for each in seen if self._see(*each))
        return tuple(apart for each in new for apart in self._told(*each))


def warn_of(found: Iterable[NumbersApart], known: Iterable[NumbersApart]) -> None:
    """Give a warning of the first of each kind that is found."""
    told = {(each.other is None, each.is_text()) for each in known}
    for each in found:
        kind = (each.other is None, each.is_text())
        if kind not in told:
            told.add(kind)
            warnings.warn(NumbersApartWarning(str(each), *kind), stacklevel=2)


def conditions_on_numbers(rules: Iterable[Rule]) -> dict[Predicate, int]:
    """Of which kinds of numbers the conditions are that rules have on the values of properties, themselves or
    by way of what follows from them.
    """
    found: dict[Predicate, int] = {}
    given = tuple(rules)
    for rule in given:
        for test in rule.tests:
            if isinstance(test, Member) and test.inside:
                for atom in rule.body:
                    if len(atom.arguments) == 2 and atom.arguments[1] == test.argument:
                        found[atom.predicate] = found.get(atom.predicate, 0) | _kinds_in(test)
        for atom in rule.body:
            if len(atom.arguments) == 2 and isinstance(value := atom.arguments[1], Literal):
                kind = _TEXT if value.datatype in _TEXTS else _KINDS.get(value.datatype, 0)
                found[atom.predicate] = found.get(atom.predicate, 0) | kind
    copies = [
        (atom.predicate, rule.head.predicate)
        for rule in given
        if rule.head is not None and len(rule.head.arguments) == 2
        for atom in rule.body
        if len(atom.arguments) == 2 and atom.arguments[1] == rule.head.arguments[1]
    ]
    changed = bool(found)
    while changed:
        changed = False
        for copied, copy in copies:
            kinds = found.get(copied, 0) | found.get(copy, 0)
            if kinds != found.get(copied, 0):
                found[copied], changed = kinds, True
    return found


def _kinds_in(test: Member) -> int:
    decimals = formula(test.range, NUMBERS) is not False
    binaries = any(formula(test.range, sort) is not False for sort in (DOUBLES, FLOATS))
    texts = formula(test.range, STRINGS) is not False
    return _DECIMAL * decimals | _BINARY * binaries | _TEXT * texts
