"""The numbers that a program gives to what its rules speak of: predicates, terms, data ranges, built-ins."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Protocol

from rdflib import Literal, URIRef, Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Symbol
from pantarhei.encoding.vocabulary import NumberedProgram
from pantarhei.model.data_range import DataRange
from pantarhei.model.rule import Argument, Atom
from pantarhei.model.term import Term
from pantarhei.values.value import value_of


class Numbered(Protocol):
    """Symbols, terms and data ranges that have numbers, by their position."""

    symbols: list[Symbol]
    literals: list[Literal]
    value_of: Callable[[Term], Hashable]

    @property
    def names(self) -> Sequence[Term]:
        """The names."""

    @property
    def ranges(self) -> Sequence[DataRange]:
        """The data ranges."""


class Numbering:
    """Numbers given in the order in which things are met.

    Args:
        numbered: what has numbers already, which it keeps.
    """

    def __init__(self, numbered: Numbered | None = None) -> None:
        self.predicates: dict[Symbol, int] = {}
        self.names: dict[Term, int] = {}
        self.literals: dict[object, tuple[int, Literal]] = {}  # by value
        self.ranges: dict[DataRange, int] = {}
        self.builtins: dict[URIRef, int] = {}
        self.value_of: Callable[[Term], Hashable] = value_of
        if numbered is not None:
            self.value_of = numbered.value_of
            self.predicates.update((symbol, i) for i, symbol in enumerate(numbered.symbols))
            self.names.update((name, i) for i, name in enumerate(numbered.names))
            for literal in numbered.literals:
                self.argument(literal, {})
            self.ranges.update((range_, i) for i, range_ in enumerate(numbered.ranges))

    @classmethod
    def of(cls, program: NumberedProgram, value_of: Callable[[Term], Hashable]) -> Numbering:
        """The numbers that a program has given, for which values were told apart in this way."""
        made = cls()
        made.value_of = value_of
        made.predicates = {symbol: i for i, symbol in enumerate(program.predicates)}
        made.names = {name: i for i, name in enumerate(program.names)}
        literals = enumerate(program.literals, FIRST_LITERAL)
        made.literals = {value_of(literal): (i, literal) for i, literal in literals}
        made.ranges = {range_: i for i, range_ in enumerate(program.ranges)}
        made.builtins = {name: i for i, name in enumerate(program.builtins)}
        return made

    def predicate(self, atom: Atom) -> int:
        """The number of an atom's class or property."""
        return self.predicates.setdefault(Symbol(atom.predicate, len(atom.arguments)), len(self.predicates))

    def argument(self, argument: Argument, variables: Mapping[Variable, int]) -> int:
        """An argument as plans have it: a variable's number, or `-2 - n` for the constant `n`."""
        if isinstance(argument, Variable):
            return variables[argument]
        if isinstance(argument, Literal):
            fresh = (FIRST_LITERAL + len(self.literals), argument)
            return -2 - self.literals.setdefault(self.value_of(argument), fresh)[0]
        return -2 - self.names.setdefault(argument, len(self.names))

    def atom(self, atom: Atom, variables: Mapping[Variable, int]) -> tuple[int, int, int]:
        """An atom as plans have it: predicate, subject, object; no object for a class."""
        arguments = [self.argument(a, variables) for a in atom.arguments]
        return (self.predicate(atom), arguments[0], arguments[1] if len(arguments) > 1 else NONE)

    def range(self, range: DataRange) -> int:
        """The number of a data range."""
        return self.ranges.setdefault(range, len(self.ranges))

    def builtin(self, name: URIRef) -> int:
        """The number of a built-in."""
        return self.builtins.setdefault(name, len(self.builtins))


class GivenNumbers(Numbering):
    """Numbers of predicates in the order given, then met; terms have numbers of their own.

    A program with such numbers has no list of terms: it costs nothing for terms that it does not use.

    Args:
        symbols: the predicates that come first.
        ranges: the data ranges that come first.
        number: returns the number of a term.
    """

    def __init__(
        self, symbols: Iterable[Symbol], ranges: Iterable[DataRange], number: Callable[[Term], int]
    ) -> None:
        super().__init__()
        self.predicates = {symbol: i for i, symbol in enumerate(dict.fromkeys(symbols))}
        self.ranges = {range_: i for i, range_ in enumerate(ranges)}
        self._number = number

    def argument(self, argument: Argument, variables: Mapping[Variable, int]) -> int:
        """See `Numbering`."""
        return variables[argument] if isinstance(argument, Variable) else -2 - self._number(argument)
