"""What a stream asserts that is likely a mistake: axioms, and classes and properties that nobody knows.

A push is looked at as far as it brings symbols that are new, and to count axioms once there are some: what
comes again costs nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from rdflib import Literal, URIRef

from pantarhei.encoding.numbers import Integers, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.number_watch import NumbersApart, NumberWatch, Seen, warn_of
from pantarhei.errors import AxiomsInStreamWarning
from pantarhei.explain.absence import UnknownName
from pantarhei.explain.unknown import nearest_names
from pantarhei.interpretation.foundation import Common
from pantarhei.model.datetimes import TIME_PROPERTIES
from pantarhei.model.display_names import last_part
from pantarhei.model.messages import counted
from pantarhei.model.rule import Predicate, Rule
from pantarhei.model.term import Term, short
from pantarhei.owl.background_axioms import AXIOM_PREDICATES, AXIOM_TYPES
from pantarhei.owl.name_kinds import is_defined
from pantarhei.rdf.ntriples import parse_term, write_term

Known = Callable[[], Collection[Term] | None]
"""Gives the names that ontology and background know; None where there is nothing to know."""

_MOST_NAMES: Final = 1000
_MOST_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class Unexpected:
    """What the pushes so far have asserted that is likely a mistake, those before a checkpoint included.

    Args:
        axioms: how many assertions write axioms; they are plain facts, from which nothing follows.
        unknown: classes and properties that neither ontology nor background knows, in the order in which they
            came; the first 1,000.
        numbers: properties with numbers that never meet; see `NumbersApart`.
        seen: of the properties that have numbers the first value of each kind.
    """

    axioms: int = 0
    unknown: tuple[UnknownName, ...] = ()
    numbers: tuple[NumbersApart, ...] = ()
    seen: Seen = field(default=(), repr=False, compare=False)

    @classmethod
    def together(cls, parts: Iterable[Unexpected], rules: Iterable[Rule]) -> Unexpected:
        """What several streams have asserted, each name and property once.

        Args:
            rules: the ontology's rules and constraints.
        """
        given = tuple(parts)
        unknown: dict[tuple[Term, str], UnknownName] = {}
        numbers: dict[tuple[Predicate, bool, bool], NumbersApart] = {}
        for name in (name for part in given for name in part.unknown):
            unknown.setdefault((name.name, name.kind), name)
        watch = NumberWatch(rules, is_open=True)
        apart = watch.of_seen(tuple(each for part in given for each in part.seen))
        for each in (*(each for part in given for each in part.numbers), *apart):
            numbers.setdefault((each.property, each.other is None, each.is_text()), each)
        axioms = sum(part.axioms for part in given)
        return cls(axioms, tuple(unknown.values())[:_MOST_NAMES], tuple(numbers.values()), watch.seen)

    def __bool__(self) -> bool:
        return bool(self.axioms or self.unknown or self.numbers)

    def lines(self) -> Iterator[str]:
        """A line on each kind of mistake."""
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
            yield f'numbers that never meet, unless numbers="by_value": {_together(numbers)}'
        if texts:
            yield f"numbers that are texts, for want of a datatype: {_together(texts)}"

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _together(told: list[str]) -> str:
    """The first of what is told, and how many more there are."""
    more = [f"… and {len(told) - _MOST_SHOWN} more"] * (len(told) > _MOST_SHOWN)
    return "; ".join([*told[:_MOST_SHOWN], *more])


class Noted(NamedTuple):
    """What was noted of the pushes so far; a value of the state.

    Args:
        axioms: how many assertions write axioms.
        unknown: the symbols that nobody knows.
        of_axioms: the numbers of the symbols that write axioms.
        numbers: properties with numbers that never meet.
        symbols, revision: how many symbols of which tables were looked at.
        seen: of the properties that have numbers the first value of each kind, where it is asked for.
    """

    axioms: int = 0
    unknown: tuple[Symbol, ...] = ()
    numbers: tuple[NumbersApart, ...] = ()
    of_axioms: tuple[int, ...] = ()
    symbols: int = 0
    revision: object = None
    seen: Seen = ()

    def after(self, facts: Integers, vocabulary: Vocabulary, common: Common, known: Known) -> Noted:
        """The same after further assertions. Costs O(1) while they bring no new symbols and no axioms.

        Args:
            common: how many of the first symbols and names are those of rules and background.

        An `AxiomsInStreamWarning` is given with the first axiom.
        """
        noted, facts = self, vocabulary.with_classes(facts)
        if self.symbols != len(vocabulary.symbols) or self.revision is not vocabulary.revision:
            noted = self._looked(facts, vocabulary, common, known)
        return noted._counted(facts, vocabulary) if noted.of_axioms else noted

    def _looked(self, facts: Integers, vocabulary: Vocabulary, common: Common, known: Known) -> Noted:
        symbols, goes_on = vocabulary.symbols, self.revision is vocabulary.revision
        first = self.symbols if goes_on else 0
        of_axioms = tuple(number for number in range(first, len(symbols)) if _writes_axioms(symbols[number]))
        asserted = set(facts[:, 0].tolist())
        new = (
            symbols[number]
            for number in range(max(first, common.symbols), len(symbols))
            if number in asserted
        )
        unknown = [symbol for symbol in new if not (_writes_axioms(symbol) or _is_usual(symbol))]
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
        return Noted(
            self.axioms,
            tuple(dict.fromkeys(found))[:_MOST_NAMES],
            self.numbers,
            (*self.of_axioms, *of_axioms) if goes_on else of_axioms,
            len(symbols),
            vocabulary.revision,
        )

    def _counted(self, facts: Integers, vocabulary: Vocabulary) -> Noted:
        axioms = np.flatnonzero(np.isin(facts[:, 0], self.of_axioms))
        if not len(axioms):
            return self
        if not self.axioms:
            (triple,) = vocabulary.decode(facts[axioms[:1]])
            warnings.warn(AxiomsInStreamWarning(" ".join(map(short, triple))), stacklevel=2)
        return self._replace(axioms=self.axioms + len(axioms))

    def saved(self) -> dict[str, Any]:
        """The same as JSON, for a checkpoint; what symbols and tables are is made out again."""
        numbers = [
            [str(on), write_term(value), None if other is None else write_term(other)]
            for on, value, other in self.numbers
        ]
        unknown = [[write_term(name), arity] for name, arity in self.unknown]
        seen = [[str(on), write_term(value)] for on, value in self.seen[:_MOST_NAMES]]
        return {"axioms": self.axioms, "unknown": unknown, "numbers": numbers, "seen": seen}

    @classmethod
    def of_saved(cls, said: Mapping[str, Any]) -> Noted:
        """What `saved` gave; nothing for what was saved by those who did not say it.

        Raises:
            LookupError, TypeError, ValueError, PantarheiError: it is something else.
        """
        if not said:
            return cls()
        unknown = tuple(Symbol(_name(name), arity) for name, arity in said["unknown"])
        numbers = tuple(
            NumbersApart(URIRef(on), _literal(value), None if other is None else _literal(other))
            for on, value, other in said["numbers"]
        )
        seen = tuple((URIRef(on), _literal(value)) for on, value in said.get("seen", ()))
        if type(said["axioms"]) is not int or any(symbol.arity not in (1, 2) for symbol in unknown):
            raise ValueError("what is unexpected is not as it is saved")
        return cls(said["axioms"], unknown[:_MOST_NAMES], numbers, seen=seen)

    def with_numbers(self, found: tuple[NumbersApart, ...]) -> Noted:
        """The same with further properties whose numbers never meet."""
        known = {(each.property, each.other is None) for each in self.numbers}
        new = [each for each in found if (each.property, each.other is None) not in known]
        warn_of(new, self.numbers)
        return self._replace(numbers=(*self.numbers, *new)) if new else self

    def told(self, vocabulary: Vocabulary, common: Common, known: Known) -> Unexpected:
        """The same for those who ask. Costs a comparison of each unknown name with those that are known."""
        names: list[Term] = (
            [symbol.name for symbol in vocabulary.symbols[: common.symbols]] if self.unknown else []
        )
        names += sorted(known() or ()) if self.unknown else ()
        return Unexpected(
            self.axioms,
            tuple(
                UnknownName(name, "class" if arity == 1 else "property", tuple(nearest_names(name, names)))
                for name, arity in self.unknown
            ),
            self.numbers,
            self.seen,
        )


NOTHING_NOTED: Final = Noted()


def _name(text: str) -> Predicate:
    term = parse_term(text)
    if isinstance(term, Literal):
        raise ValueError(f"{text} is no name")
    return term


def _literal(text: str) -> Literal:
    term = parse_term(text)
    if not isinstance(term, Literal):
        raise ValueError(f"{text} is no literal")
    return term


def _is_usual(symbol: Symbol) -> bool:
    """Whether a name is OWL's own, or states a time, which streams do whatever the ontology knows."""
    return is_defined(symbol.name) or str(symbol.name) in TIME_PROPERTIES


def _writes_axioms(symbol: Symbol) -> bool:
    return symbol.name in (AXIOM_TYPES if symbol.arity == 1 else AXIOM_PREDICATES)


def _text(unknown: UnknownName) -> str:
    """What an unknown name is, and a known one that looks like it; IRIs in full where only they differ."""
    name, near = str(unknown.name), [str(each) for each in unknown.nearest[:1]]
    if last_part(name) not in map(last_part, near):
        name, near = last_part(name), list(map(last_part, near))
    return f"{unknown.kind} {name}" + "".join(f" (did you mean {each}?)" for each in near)
