"""Diagnostics of suspicious input: axioms in the stream, unknown names, numbers that cannot satisfy
conditions.

A push without new symbols and new literals is not inspected, except that axioms are counted once the stream
has some.

Numbers: OWL distinguishes values of xsd:double and xsd:float from decimals. So a double never satisfies a
condition on decimals, and values of both kinds of one property never join. A text that reads as a number,
where a condition requires numbers, lacks a datatype. Such data is valid, but nothing follows from it; the
first case of each kind gives a warning. Only new values are inspected, and none after 10,000 values without a
finding.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from rdflib import OWL, XSD, Literal, URIRef

from pantarhei.encoding.numbers import FIRST_LITERAL, Integers, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import AxiomsInStreamWarning, NumbersApartWarning
from pantarhei.errors.base import parameter
from pantarhei.interpretation.foundation import FoundationCounts
from pantarhei.model.datetimes import TIME_PROPERTIES
from pantarhei.model.message_text import counted, last_part
from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.rule import Member, Predicate, Rule
from pantarhei.model.term import Term, short
from pantarhei.ontology.unknown_names import UnknownName, similar_names
from pantarhei.owl.background_axioms import AXIOM_PREDICATES, AXIOM_TYPES
from pantarhei.owl.name_kinds import is_defined
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.values.condition import DOUBLES, FLOATS, NUMBERS, STRINGS
from pantarhei.values.membership import formula
from pantarhei.values.value import INTEGER_BOUNDS

_MOST_LITERALS: Final = 10_000
_FEW: Final = 64  # facts, which are inspected faster one by one
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
    """Property of the stream whose numbers are not comparable.

    Args:
        property: the property.
        value: one of its values.
        other: a value of the other kind; None if conditions of the ontology require the other kind.

    >>> import pantarhei as pr
    >>> from rdflib import XSD, Literal, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> speeds = (Literal("2.5", datatype=kind) for kind in (XSD.decimal, XSD.double))
    >>> _ = reasoner.push(1, [(EX.x, EX.speed, speed) for speed in speeds])
    >>> apart = reasoner.unexpected().numbers[0]
    >>> apart.property == EX.speed, apart.value.n3()
    (True, '"2.5"^^<http://www.w3.org/2001/XMLSchema#double>')
    """

    property: Predicate
    value: Literal
    other: Literal | None

    def __repr__(self) -> str:
        return short_repr(self)

    def is_text(self) -> bool:
        """Return whether the value is a text that reads as a number."""
        return self.value.datatype in _TEXTS

    def __str__(self) -> str:
        on, value = short(self.property), _shown(self.value)
        if self.other is not None:
            return f"{on} has the values {_shown(self.other)} and {value}, which never equal one another"
        if self.is_text():
            given, expected = "text", "numbers"
        else:
            given = "value"
            expected = "decimals" if _KINDS[self.value.datatype] == _BINARY else "xsd:double or xsd:float"
        problem = f"{on} has the {given} {value}, which satisfies no condition on its values"
        return f"{problem}: these require {expected}"


def _kind_of(literal: Literal) -> int:
    """Return the kind of number that a literal is, or reads as; 0 for others."""
    if literal.datatype in _TEXTS:
        return _TEXT if literal.language is None and _LIKE_NUMBER.fullmatch(literal) else 0
    return _KINDS.get(literal.datatype, 0)


def _shown(literal: Literal) -> str:
    return f'"{literal}"^^xsd:{short(literal.datatype)}' if literal.datatype else literal.n3()


class DatatypeDiagnostics:
    """Observer of literal values. For each property it stores the first value of each kind.

    Args:
        rules: the ontology's rules and constraints.
        is_open: inspect values at all. They are not inspected if numbers are compared by value.
    """

    def __init__(self, rules: Iterable[Rule], is_open: bool) -> None:
        self._rules, self._inspections_left = tuple(rules), _MOST_LITERALS if is_open else 0
        self._conditions_cache: Mapping[Predicate, int] | None = None
        self._seen: dict[Predicate, dict[int, Literal]] = {}
        self._order: list[
            tuple[Predicate, int]
        ] = []  # in which they were seen, so that they can be forgotten
        self._revision: object = None
        self._literals = 0

    @property
    def seen(self) -> Seen:
        """The stored values in order of arrival: for each property the first value of each kind."""
        return tuple((on, self._seen[on][kind]) for on, kind in self._order)

    def replace_seen(self, seen: Seen) -> None:
        """Replace the stored values."""
        self._seen, self._order = {}, []
        for on, literal in seen:
            self._store(on, literal)

    @property
    def mark(self) -> int:
        """The number of stored values, for `roll_back_to`."""
        return len(self._order)

    def roll_back_to(self, mark: int) -> None:
        """Remove the values stored since a mark, because their step is rolled back."""
        while len(self._order) > mark:
            property_, kind = self._order.pop()
            del self._seen[property_][kind]
        self._revision = None  # values that were new then are new once more

    def found(self, facts: Integers, vocabulary: Vocabulary) -> tuple[NumbersApart, ...]:
        """Inspect asserted facts; returns the properties with numbers that are not comparable.

        Costs O(1) if the facts have no new values.
        """
        same, length = self._revision is vocabulary.revision, len(vocabulary.literals)
        if self._inspections_left <= 0 or (same and self._literals == length):
            return ()
        begin = FIRST_LITERAL + (self._literals if same else 0)
        self._literals, self._revision = length, vocabulary.revision
        rows = facts if len(facts) <= _FEW else facts[facts[:, 2] >= begin]
        new = [(symbol, number) for symbol, _, number in rows.tolist() if number >= begin]
        self._inspections_left -= len(new)
        return tuple(self._found(new, vocabulary))

    @property
    def _conditions(self) -> Mapping[Predicate, int]:
        if self._conditions_cache is None:
            self._conditions_cache = conditions_on_numbers(self._rules)
        return self._conditions_cache

    def _found(self, new: Iterable[tuple[int, int]], vocabulary: Vocabulary) -> Iterator[NumbersApart]:
        for symbol, number in new:
            on, literal = vocabulary.symbols[symbol].name, vocabulary.literals[number - FIRST_LITERAL]
            if self._store(on, literal):
                self._inspections_left = _MOST_LITERALS
                yield from self._findings(on, literal)

    def _store(self, on: Predicate, literal: Literal) -> bool:
        """Store a value if it is the first of its kind for the property; returns true if it is."""
        kind, seen = _kind_of(literal), self._seen.setdefault(on, {})
        if not kind or kind in seen:
            return False
        seen[kind] = literal
        self._order.append((on, kind))
        return True

    def _findings(self, on: Predicate, literal: Literal) -> Iterator[NumbersApart]:
        """Yield the findings for a value that is the first of its kind."""
        asked, kind = self._conditions.get(on, 0), _kind_of(literal)
        other = self._seen[on].get(_NUMERIC - kind)
        if asked & _NUMERIC and not asked & kind:
            yield NumbersApart(on, literal, None)
        elif other is not None and asked & _NUMERIC != _NUMERIC:
            yield NumbersApart(on, literal, other)

    def of_seen(self, seen: Seen) -> tuple[NumbersApart, ...]:
        """Inspect values stored by another observer; returns the findings."""
        new = (each for each in seen if self._store(*each))
        return tuple(apart for each in new for apart in self._findings(*each))


def warn_of(found: Iterable[NumbersApart], known: Iterable[NumbersApart]) -> None:
    """Warn of the first finding of each kind that is not `known`."""
    known_kinds = {(each.other is None, each.is_text()) for each in known}
    for each in found:
        kind = (each.other is None, each.is_text())
        if kind not in known_kinds:
            known_kinds.add(kind)
            warnings.warn(NumbersApartWarning(str(each), *kind), stacklevel=2)


def conditions_on_numbers(rules: Iterable[Rule]) -> dict[Predicate, int]:
    """Return for each property the kinds of numbers that rules require of its values.

    Conditions on a derived property count for the properties from which its values are copied.
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


NameSource = Callable[[], Collection[Term] | None]
"""Function that returns the names of ontology and background; None if any name is allowed."""

_MOST_NAMES: Final = 1000
_MOST_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class Unexpected:
    """Suspicious input of all pushes, including those before a checkpoint.

    Args:
        axioms: the number of assertions that write axioms; they are plain facts, from which nothing follows.
        unknown: classes and properties that are in neither the ontology nor the background, in order of
            arrival; at most 1,000.
        numbers: properties with numbers that are not comparable; see `NumbersApart`.
        seen: for each property that has numbers, the first value of each kind.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [(EX.x, RDF.type, EX.GasPedalPresed)])
    >>> [unknown.name == EX.GasPedalPresed for unknown in reasoner.unexpected().unknown]
    [True]
    """

    axioms: int = 0
    unknown: tuple[UnknownName, ...] = ()
    numbers: tuple[NumbersApart, ...] = ()
    seen: Seen = field(default=(), repr=False, compare=False)

    __repr__ = short_repr
    _repr_html_ = html_of

    @classmethod
    def together(cls, parts: Iterable[Unexpected], rules: Iterable[Rule]) -> Unexpected:
        """Combine the diagnostics of several streams; each name and property occurs once.

        Args:
            rules: the ontology's rules and constraints.
        """
        given = tuple(parts)
        unknown: dict[tuple[Term, str], UnknownName] = {}
        numbers: dict[tuple[Predicate, bool, bool], NumbersApart] = {}
        for name in (name for part in given for name in part.unknown):
            unknown.setdefault((name.name, name.kind), name)
        watch = DatatypeDiagnostics(rules, is_open=True)
        apart = watch.of_seen(tuple(each for part in given for each in part.seen))
        for each in (*(each for part in given for each in part.numbers), *apart):
            numbers.setdefault((each.property, each.other is None, each.is_text()), each)
        axioms = sum(part.axioms for part in given)
        return cls(axioms, tuple(unknown.values())[:_MOST_NAMES], tuple(numbers.values()), watch.seen)

    def __bool__(self) -> bool:
        return bool(self.axioms or self.unknown or self.numbers)

    def lines(self) -> Iterator[str]:
        """Yield a line of text for each kind of suspicious input."""
        if self.axioms:
            yield (
                f"{counted(self.axioms, 'assertion writes an axiom', 'assertions write axioms')}, from which "
                "nothing follows: axioms belong in the ontology or in a background"
            )
        if self.unknown:
            names = list(map(_text, self.unknown[:_MOST_SHOWN]))
            names += [f"… and {len(self.unknown) - _MOST_SHOWN} more"] * (len(self.unknown) > _MOST_SHOWN)
            yield (
                f"{counted(len(self.unknown), 'name')} of the stream known to neither ontology nor "
                f"background: {'; '.join(names)}"
            )

        texts = [str(each) for each in self.numbers if each.is_text()]
        numbers = [str(each) for each in self.numbers if not each.is_text()]
        if numbers:
            by_value = parameter("numbers", '"by_value"')
            yield f"numbers that are not comparable without {by_value}: {_summary(numbers)}"
        if texts:
            yield f"texts that read as numbers, without a numeric datatype: {_summary(texts)}"

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _summary(texts: list[str]) -> str:
    """Join the first texts; the others are counted."""
    more = [f"… and {len(texts) - _MOST_SHOWN} more"] * (len(texts) > _MOST_SHOWN)
    return "; ".join([*texts[:_MOST_SHOWN], *more])


class InputDiagnostics(NamedTuple):
    """Diagnostics of the input, as part of the state.

    Args:
        axioms: the number of assertions that write axioms.
        unknown: the unknown symbols.
        axiom_symbols: the numbers of the symbols that write axioms.
        numbers: properties with numbers that are not comparable.
        symbols, revision: the number of inspected symbols, and the revision of their vocabulary.
        seen: for each property that has numbers, the first value of each kind; only set for checkpoints.
    """

    axioms: int = 0
    unknown: tuple[Symbol, ...] = ()
    numbers: tuple[NumbersApart, ...] = ()
    axiom_symbols: tuple[int, ...] = ()
    symbols: int = 0
    revision: object = None
    seen: Seen = ()

    def after(
        self, facts: Integers, vocabulary: Vocabulary, common: FoundationCounts, known: NameSource
    ) -> InputDiagnostics:
        """Return the diagnostics after further assertions. Costs O(1) without new symbols and axioms.

        Warns (`AxiomsInStreamWarning`) of the first axiom.

        Args:
            facts: the asserted facts, shape (n, 3).
            vocabulary: the numbers of their terms.
            common: the number of symbols and names in rules and background, which are numbered first.
            known: function that returns the names of ontology and background.
        """
        noted = self
        if vocabulary.has_class_variables:
            facts = vocabulary.with_classes(facts)
        if self.symbols != len(vocabulary.symbols) or self.revision is not vocabulary.revision:
            noted = self._with_new_symbols(facts, vocabulary, common, known)
        return noted._with_axioms_counted(facts, vocabulary) if noted.axiom_symbols else noted

    def _with_new_symbols(
        self, facts: Integers, vocabulary: Vocabulary, common: FoundationCounts, known: NameSource
    ) -> InputDiagnostics:
        symbols, is_same_revision = vocabulary.symbols, self.revision is vocabulary.revision
        first = self.symbols if is_same_revision else 0
        axiom_symbols = tuple(
            number for number in range(first, len(symbols)) if _writes_axioms(symbols[number])
        )
        asserted = set(facts[:, 0].tolist())
        new = (
            symbols[number]
            for number in range(max(first, common.symbols), len(symbols))
            if number in asserted
        )
        unknown = [symbol for symbol in new if not (_writes_axioms(symbol) or _is_always_allowed(symbol))]
        names = known() if unknown else None
        found = self.unknown
        if names is not None:
            in_background = (vocabulary.find(symbol.name) for symbol in unknown)
            given = zip(unknown, in_background, strict=True)
            found += tuple(
                symbol
                for symbol, number in given
                if symbol.name not in names and not (number is not None and number < common.names)
            )
        return InputDiagnostics(
            self.axioms,
            tuple(dict.fromkeys(found))[:_MOST_NAMES],
            self.numbers,
            (*self.axiom_symbols, *axiom_symbols) if is_same_revision else axiom_symbols,
            len(symbols),
            vocabulary.revision,
        )

    def _with_axioms_counted(self, facts: Integers, vocabulary: Vocabulary) -> InputDiagnostics:
        axioms = np.flatnonzero(np.isin(facts[:, 0], self.axiom_symbols))
        if not len(axioms):
            return self
        if not self.axioms:
            (triple,) = vocabulary.decode(facts[axioms[:1]])
            warnings.warn(AxiomsInStreamWarning(" ".join(map(short, triple))), stacklevel=2)
        return self._replace(axioms=self.axioms + len(axioms))

    def saved(self) -> dict[str, Any]:
        """Return the diagnostics as JSON for a checkpoint. Data that depends on the vocabulary is recomputed
        later.
        """
        numbers = [
            [str(on), write_term(value), None if other is None else write_term(other)]
            for on, value, other in self.numbers
        ]
        unknown = [[write_term(name), arity] for name, arity in self.unknown]
        seen = [[str(on), write_term(value)] for on, value in self.seen[:_MOST_NAMES]]
        return {"axioms": self.axioms, "unknown": unknown, "numbers": numbers, "seen": seen}

    @classmethod
    def from_saved(cls, given: Mapping[str, Any]) -> InputDiagnostics:
        """Read the JSON of `saved`; checkpoints of older versions have none.

        Raises:
            LookupError, TypeError, ValueError, PantarheiError: the JSON is invalid.
        """
        if not given:
            return cls()
        unknown = tuple(Symbol(_name(name), arity) for name, arity in given["unknown"])
        numbers = tuple(
            NumbersApart(URIRef(on), _literal(value), None if other is None else _literal(other))
            for on, value, other in given["numbers"]
        )
        seen = tuple((URIRef(on), _literal(value)) for on, value in given.get("seen", ()))
        if type(given["axioms"]) is not int or any(symbol.arity not in (1, 2) for symbol in unknown):
            raise ValueError("the saved diagnostics are invalid")
        return cls(given["axioms"], unknown[:_MOST_NAMES], numbers, seen=seen)

    def with_numbers(self, found: tuple[NumbersApart, ...]) -> InputDiagnostics:
        """Return the diagnostics with further properties whose numbers are never equal, since their datatypes
        differ.

        Emits a `NumbersApartWarning` for the first finding of each kind.
        """
        known = {(each.property, each.other is None) for each in self.numbers}
        new = [each for each in found if (each.property, each.other is None) not in known]
        warn_of(new, self.numbers)
        return self._replace(numbers=(*self.numbers, *new)) if new else self

    def for_users(self, vocabulary: Vocabulary, common: FoundationCounts, known: NameSource) -> Unexpected:
        """Return the diagnostics for users. Costs a comparison of each unknown name with all known names."""
        names: list[Term] = (
            [symbol.name for symbol in vocabulary.symbols[: common.symbols]] if self.unknown else []
        )
        names += sorted(known() or ()) if self.unknown else ()
        return Unexpected(
            self.axioms,
            tuple(
                UnknownName(name, "class" if arity == 1 else "property", tuple(similar_names(name, names)))
                for name, arity in self.unknown
            ),
            self.numbers,
            self.seen,
        )


def _name(text: str) -> Predicate:
    term = parse_term(text)
    if isinstance(term, Literal):
        raise ValueError(f"{text} is not a name")
    return term


def _literal(text: str) -> Literal:
    term = parse_term(text)
    if not isinstance(term, Literal):
        raise ValueError(f"{text} is not a literal")
    return term


def _is_always_allowed(symbol: Symbol) -> bool:
    """Return true for names of OWL itself and for time properties, which any stream may use."""
    return is_defined(symbol.name) or str(symbol.name) in TIME_PROPERTIES


def _writes_axioms(symbol: Symbol) -> bool:
    return symbol.name in (AXIOM_TYPES if symbol.arity == 1 else AXIOM_PREDICATES)


def _text(unknown: UnknownName) -> str:
    """Return a text for an unknown name and the most similar known name, abbreviated if this distinguishes
    them.
    """
    name, near = str(unknown.name), [str(each) for each in unknown.nearest[:1]]
    if last_part(name) not in map(last_part, near):
        name, near = last_part(name), list(map(last_part, near))
    return f"{unknown.kind} {name}" + "".join(f" (did you mean {each}?)" for each in near)
